"""Data files with changed bytes: a named error or, behind the back of the checksum, a valid data set.

Behind its back, since no changed file gets past it. MATLAB files stay under it: scipy's reader can end the
process on damaged ones.
"""

from __future__ import annotations

import dataclasses
import gzip
import hashlib
import io
import os
import random
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.io

from csbook.datasets import load, loading, parsers, registry
from csbook.datasets.fetch import verify
from csbook.datasets.registry import Entry, Track, entries, find_file, raw_files

CHANGES = 150
"""Changed copies of each small file."""

REAL = os.environ.get("CSB_DATA")  # before a test sets it

ROWS = [(age, word, "yes" if age % 3 else "no") for age, word in enumerate(["red", "blue", "?", "pink"] * 5)]
NAMED = ("age", "word", "class")
ARFF = b"@relation r\n@attribute age real\n@attribute word {red,blue,pink}\n@attribute class {yes,no}\n"


def separated(sign):
    return "".join(sign.join(map(str, row)) + "\n" for row in ROWS).encode()


def matlab(**options):
    stream = io.BytesIO()
    values = np.arange(60.0).reshape(20, 3)
    scipy.io.savemat(stream, {"data": values, "labels": np.arange(20) % 2}, **options)
    return stream.getvalue()


SMALL = {
    "small.arff": ("arff", (), ARFF + b"@data\n" + separated(",")),
    "small.csv": ("csv", NAMED, separated(",")),
    "small-header.csv": ("csv", (), b"age,word,class\n" + separated(",")),
    "small.csv.gz": ("semicolon", (), gzip.compress(b"age;word;class\n" + separated(";"), mtime=0)),
    "small.tab": ("tab", NAMED, separated("\t")),
    "small.blank": ("blank", NAMED, separated(" ")),
    "small.mat": ("mat", (), matlab()),
    "small-packed.mat": ("mat", (), matlab(do_compression=True)),
    "small-4.mat": ("mat", (), matlab(format="4")),
}
"""Format, names of the columns and content."""


@pytest.fixture(autouse=True)
def unchecked(monkeypatch, tmp_path):
    """Files are read from the test's folder, all but MATLAB's whatever their checksum."""
    monkeypatch.setenv("CSB_DATA", str(tmp_path))
    monkeypatch.setattr(parsers, "verify", lambda path, file: file.format != "mat" or verify(path, file))


@pytest.fixture
def read(monkeypatch, tmp_path):
    """Read a small file, with any content, as if it were registered."""

    def reading(name, content):
        kind, columns, right = SMALL[name]
        label = "labels" if kind == "mat" else "class"
        file = dataclasses.replace(
            find_file("haberman.csv"), name=name, format=kind, columns=columns, class_column=label,
            not_inputs=(label,), sha256=hashlib.sha256(right).hexdigest(),
        )  # fmt: skip
        classes = {"no": ("no", "0"), "yes": ("yes", "1")}
        track = Track("clean", classes, "", 0, 0, (), files=(name,), missing="category")
        (tmp_path / name).write_bytes(content)
        with monkeypatch.context() as patch:
            patch.setattr(registry, "raw_files", lambda: {name: file})
            return loading._from_files(Entry("small", "", (), "", "", {"clean": track}), track)

    return reading


def changed(content, rng):
    """The content with a few bytes replaced, inserted, taken out, repeated or cut off."""
    if content.startswith(b"\x1f\x8b") and rng.random() < 0.5:
        return gzip.compress(changed(gzip.decompress(content), rng))
    for _ in range(rng.randint(1, 4)):
        at, length = rng.randrange(len(content) + 1), rng.choice([1, 1, 1, 2, 8, 64])
        more = content[at : at + 2 * length]
        new = rng.choice([rng.randbytes(length), bytes(length), b"", more, b",\n?'\"{"])
        content = content[:at] + (b"" if rng.random() < 0.05 else new + content[at + length :])
    return content


def outcome(name, reading):
    """Whether a data set came out, which is checked, or an error, which must name the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other libraries, on values that are none
        try:
            data = reading()
        except ValueError as error:
            assert name in str(error)
            return "error"
    assert len(data.X) == len(data.y) > 0 and np.isfinite(data.X.to_numpy(dtype=float)).all()
    assert set(np.unique(data.y)) <= set(range(len(data.target_names)))
    assert data.costs is None or np.isfinite(data.costs.to_numpy()).all()
    return "data"


@pytest.mark.parametrize("name", SMALL)
def test_a_small_file_with_changed_bytes(read, name):
    kind, _, content = SMALL[name]
    data = read(name, content)
    assert len(data.y) == 20 and data.y.sum() == (10 if kind == "mat" else 13)
    rng = random.Random(name)
    copies = (changed(content, rng) for _ in range(CHANGES))
    seen = [outcome(name, lambda copy=copy: read(name, copy)) for copy in copies if copy != content]
    assert seen.count("error") > CHANGES / 10 and ("data" in seen) == (kind != "mat")


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize(
    "content", [b"", b"\0", b"\xff\xfe", b"\n" * 9, b"PK\3\4", b"\x1f\x8b\x08", b"MATLAB 5.0", b"@data\n"]
)
def test_another_content_altogether(read, name, content):
    assert outcome(name, lambda: read(name, content)) == "error"


def test_no_changed_file_gets_past_the_checksum(read, monkeypatch):
    monkeypatch.setattr(parsers, "verify", verify)
    for name, (_, _, content) in SMALL.items():
        for at in range(0, len(content), 7):
            copy = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
            with pytest.raises(ValueError, match=f"{name}: wrong checksum"):
                read(name, copy)


def test_the_cause_is_kept(read):
    with pytest.raises(ValueError, match=r"small.csv.gz: not as registered \(BadGzipFile: ") as caught:
        read("small.csv.gz", b"no gzip")
    assert isinstance(caught.value.__cause__, gzip.BadGzipFile)


def test_an_infinite_number_is_refused(read):
    with pytest.raises(ValueError, match="small.csv: .*holds inf"):
        read("small.csv", separated(",").replace(b"\n7,", b"\ninf,"))


def test_a_file_that_is_not_there_is_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError):
        parsers.parse(tmp_path / "pima.csv", find_file("pima.csv"))


@pytest.mark.skipif(not REAL, reason="CSB_DATA does not name a folder with the raw files")
@pytest.mark.parametrize("name", raw_files())
def test_a_real_file_with_changed_bytes(tmp_path, name):
    """In all data sets that read it, three times; their other files are as they are."""
    content, rng = Path(REAL, name).read_bytes(), random.Random(name)
    users = [(e.name, t) for e in entries().values() for t in e.tracks.values() if name in t.all_files]
    for other in {file for _, track in users for file in track.all_files} - {name}:
        (tmp_path / other).symlink_to(Path(REAL, other).resolve())
    for _ in range(3):
        (tmp_path / name).write_bytes(changed(content, rng))
        for user, track in users:
            outcome(name, lambda user=user, track=track: load(user, track.name))
