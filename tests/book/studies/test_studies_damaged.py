"""Damaged, cut and swapped units; damaged results; folders and disks that cannot be written."""

import json
import os
import random
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from csbook.records import check_writable
from csbook.studies import STUDIES, recorded, run, write_results
from csbook.studies.cli import main
from toy_study import STUDY, contents, environment, small

SETTINGS = {"count": 3, "seed": 1, "pause": 0}


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """The toy study run once: runs it again, and gives the units that this takes."""
    log = tmp_path / "log"
    monkeypatch.setenv("TOY_LOG", str(log))

    def again(out="again", seed=1):
        log.write_text("")
        run(STUDY, tmp_path / out, work=tmp_path / "work", settings=SETTINGS | {"seed": seed})
        return log.read_text().split()

    assert again("whole") == ["a0", "a1", "a2", "b0", "b1", "b2"]
    return again


def unit(tmp_path, name="a,1"):
    (found,) = (tmp_path / "work").rglob(f"{name}.jsonl")
    return found


def damages():
    rng = random.Random(0)
    yield "empty", lambda content: b""
    yield "braces", lambda content: b"{}"
    yield "zeros", lambda content: bytes(len(content))
    yield "longer", lambda content: content + b"\n"
    yield "tables only", lambda content: content.partition(b"\n")[2]
    yield "no tables", lambda content: content.partition(b"\n")[0] + b"\n{}"
    for share in (0.1, 0.5, 0.9, 0.999):
        yield f"cut at {share}", lambda content, share=share: content[: int(share * len(content))]
    for _ in range(40):
        place, mask = rng.random(), rng.randrange(1, 256)

        def flip(content, place=place, mask=mask):
            at = int(place * len(content))
            return content[:at] + bytes([content[at] ^ mask]) + content[at + 1 :]

        yield f"byte {place:.3f} ^ {mask}", flip


def test_a_damaged_unit_is_named_and_computed_anew(tmp_path, toy):
    whole, kept = contents(tmp_path / "whole"), contents(tmp_path / "work")
    for name, damage in damages():
        file = unit(tmp_path)
        file.write_bytes(damage(file.read_bytes()))
        with pytest.warns(UserWarning, match="a,1.jsonl: damaged, or of another unit; it is computed anew"):
            assert toy() == ["a1"], name
        assert contents(tmp_path / "again") == whole and contents(tmp_path / "work") == kept, name
    assert toy() == []


@pytest.mark.parametrize("other", ["neighbour", "settings", "study"])
def test_a_unit_in_the_place_of_another_is_computed_anew(tmp_path, toy, other):
    file = unit(tmp_path)
    if other == "neighbour":
        content = unit(tmp_path, "a,0").read_bytes()
    elif other == "settings":
        toy("elsewhere", seed=2)
        (found,) = (path for path in (tmp_path / "work").rglob("a,1.jsonl") if path != file)
        content = found.read_bytes()
    else:
        content = file.read_bytes().replace(b'"toy"', b'"tot"')
    file.write_bytes(content)
    with pytest.warns(UserWarning, match="a,1.jsonl"):
        assert toy() == ["a1"]
    assert contents(tmp_path / "again") == contents(tmp_path / "whole")


def test_a_unit_that_is_lost_while_others_are_computed_is_an_error(tmp_path, toy):
    unit(tmp_path, "b,2").unlink()

    def compute(of, settings):
        unit(tmp_path, "a,0").write_bytes(b"{}")
        return STUDY.compute(of, settings)

    with (
        pytest.warns(UserWarning, match="a,0.jsonl"),
        pytest.raises(OSError, match="a,0.jsonl: lost since it was computed; run the study again"),
    ):
        run(
            replace(STUDY, compute=compute), tmp_path / "out", work=tmp_path / "work", settings=SETTINGS
        )  # fmt: skip
    assert not (tmp_path / "out").exists()


def test_units_of_former_versions_are_not_looked_at(tmp_path, toy):
    file = unit(tmp_path)
    file.rename(file.with_name("a-1.json"))
    assert toy() == ["a1"]


def test_units_have_files_of_their_own_whatever_their_names(tmp_path):
    names = [("a", "b-c"), ("a-b", "c"), ("a,b", "c"), ("../a", "c"), ("a/b", "c"), ("", ""), ("..", "%2C")]
    study = small(
        keys=("one", "two"), units=lambda settings: names,
        compute=lambda unit, settings: {"t": pd.DataFrame({"value": [len(unit[0])]})},
    )  # fmt: skip
    for _ in range(2):
        run(study, tmp_path / "out", work=tmp_path / "work")
    table = pd.read_csv(tmp_path / "out" / "t.csv", keep_default_na=False)
    assert list(table[["one", "two"]].itertuples(index=False, name=None)) == names
    (folder,) = (tmp_path / "work" / "small").iterdir()
    assert len(list(folder.iterdir())) == len(names) and len(list(tmp_path.iterdir())) == 2


def test_what_a_killed_run_left_over_is_swept_at_the_next_start(tmp_path, toy):
    (tmp_path / "whole" / ".csb-next.12.csb-part").mkdir()
    unit(tmp_path).with_name("a,1.jsonl.12.csb-part").write_bytes(b"half")
    assert toy("whole") == []
    assert not list(tmp_path.rglob("*.csb-*"))


# --- results ------------------------------------------------------------------------------------------


def write(folder, text):
    write_results(folder, "x", {"t": text}, source="s", settings={}, wall_seconds=1.0)


@pytest.mark.parametrize(
    "file, content, message",
    [
        ("t.csv", b"a\n2\n", "t.csv of 'x' is not the table that its manifest describes"),
        ("t.csv", None, "t.csv of 'x' is not the table that its manifest describes"),
        ("manifest.json", b"", "manifest.json: lost or damaged"),
        ("manifest.json", b"{}", "manifest.json: lost or damaged"),
        ("manifest.json", b"[]", "manifest.json: lost or damaged"),
        ("manifest.json", b"\xff", "manifest.json: lost or damaged"),
        ("manifest.json", b'{"csb": ', "manifest.json: lost or damaged"),
        ("manifest.json", None, "no recorded results; there are y"),
        ("run.json", b"{", "run.json: lost or damaged"),
        ("run.json", None, "run.json: lost or damaged"),
    ],
)
def test_damaged_results_are_refused(tmp_path, file, content, message):
    for name in "xy":
        write(tmp_path / name, "a\n1\n")
    assert recorded("x", tmp_path).tables["t"]["a"].tolist() == [1]
    if content is None:
        (tmp_path / "x" / file).unlink()
    else:
        (tmp_path / "x" / file).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        recorded("x", tmp_path)


def test_a_table_that_grew_or_shrank_leaves_no_other_behind(tmp_path):
    large = "value\n" + "1\n" * 2**20
    for text, names in ((large, {"t.csv.gz"}), ("value\n1\n", {"t.csv"}), (large, {"t.csv.gz"})):
        write(tmp_path / "x", text)
        assert {path.name for path in (tmp_path / "x").iterdir()} == {"manifest.json", "run.json"} | names


# --- folders and disks --------------------------------------------------------------------------------

ATTEMPT = """
import json
from pathlib import Path
from csbook.studies import recorded, run
from toy_study import STUDY, contents

def attempt(out, work, count, workers=1):
    try:
        settings = {"count": count, "seed": 1, "pause": 0}
        run(STUDY, Path(out), work=Path(work), settings=settings, workers=workers)
    except (OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"

"""


def in_a_mount(tmp_path, options, code):
    """Run code in a process for which the folder ``mount`` is a disk of its own, full or read-only."""
    (tmp_path / "mount").mkdir(exist_ok=True)
    unshare = ["unshare", "--mount"] + ["--map-root-user"] * (os.geteuid() != 0)
    mounted = f'mount -t tmpfs -o {options} tmpfs mount && exec "$@"'
    tried = subprocess.run([*unshare, "sh", "-c", mounted, "sh", "true"], cwd=tmp_path, capture_output=True)
    if tried.returncode:
        pytest.skip("this system does not let a test mount a folder")
    command = [*unshare, "sh", "-c", mounted, "sh", sys.executable, "-c", ATTEMPT + textwrap.dedent(code)]
    environ = os.environ | environment(tmp_path)
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("workers", [1, 2])
def test_units_on_a_full_disk(tmp_path, workers):
    """Sixteen units fit; after there is room again the study goes on from them."""
    failed, kept, computed, same = in_a_mount(
        tmp_path,
        "size=96k",
        f"""
        failed = attempt("out", "mount/work", 16, {workers})
        kept = contents("mount")
        Path("log").unlink()
        Path("mount/work").rename("mount/rest")
        """
        """
        import shutil
        shutil.copytree("mount/rest", "work")
        assert attempt("out", "work", 16) is None and attempt("whole", "other", 16) is None
        log = Path("log").read_text().split()
        print(json.dumps([failed, list(kept), len(log) - 32, contents("out") == contents("whole")]))
        """,
    )
    assert "No space left on device" in failed and ".jsonl" in failed and failed.startswith("OSError")
    units = [name for name in kept if name.endswith(".jsonl")]
    # a worker that is stopped in the middle of a unit leaves a part, which the next run sweeps
    assert all(workers > 1 and name.endswith(".csb-part") for name in set(kept) - set(units))
    assert 5 < len(units) < 32 and computed == 32 - len(units) and same


def test_tables_on_a_full_disk_leave_the_former_ones(tmp_path):
    failed, rows, files = in_a_mount(
        tmp_path,
        "size=96k",
        """
        assert attempt("mount/out", "work", 2) is None
        with open("mount/filled", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(4096))
            except OSError:
                pass
        failed = attempt("mount/out", "work", 3)
        tables = recorded("out", Path("mount")).tables
        print(json.dumps([failed, len(tables["draws"]), sorted(contents("mount"))]))
        """,
    )
    assert "No space left on device" in failed and rows == 8
    assert files == ["filled", "out/counts.csv", "out/draws.csv", "out/manifest.json"]


def test_a_read_only_disk_is_noticed_before_work(tmp_path):
    """Root may write everywhere but on such a disk."""
    out, work, begun = in_a_mount(
        tmp_path,
        "ro",
        """
        out, work = attempt("mount/below/out", "work", 2), attempt("out", "mount/work", 2)
        print(json.dumps([out, work, Path("log").exists() or Path("out").exists()]))
        """,
    )
    assert out.startswith("ValueError: folder='mount/below/out': nothing can be written into ")
    assert work.startswith("ValueError: work='mount/work': nothing can be written into ")
    assert "Read-only file system" in out and "Read-only file system" in work and not begun


@pytest.mark.parametrize("parameter", ["folder", "work"])
@pytest.mark.parametrize("below", ["", "/below", "/below/that"])
def test_a_file_in_the_place_of_a_folder_is_noticed_before_work(tmp_path, parameter, below):
    (tmp_path / "file").write_bytes(b"content")

    def compute(unit, settings):
        raise AssertionError("work has begun")

    folders = {"folder": tmp_path / "out", "work": tmp_path / "work"}
    folders[parameter] = f"{tmp_path}/file{below}"
    with pytest.raises(
        ValueError, match=f"{parameter}='.*/file{below}': nothing can be written into '.*/file'"
    ):
        run(small(compute=compute), **folders)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_what_can_be_written_is_not_made(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder in ("", ".", "one/two", tmp_path, tmp_path / "three"):
        assert check_writable("out", folder) == Path(folder)
    assert not list(tmp_path.iterdir())


def test_command_says_what_went_wrong_in_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()

    def fail(error):
        def compute(unit, settings):
            raise error

        monkeypatch.setitem(STUDIES, "small", small(compute=compute))
        return main(["small", "--workers", "1"]), capsys.readouterr().err.splitlines()[-1]

    assert main(["small"]) == 1 and "nearest" in capsys.readouterr().err
    assert fail(OSError(28, "No space left on device", "x")) == (1, "[Errno 28] No space left on device: 'x'")
    assert fail(KeyboardInterrupt()) == (
        130, "interrupted; what is finished is kept, the same command goes on from there",
    )  # fmt: skip
    for argument in (["--out", "file"], ["--work", "file"], ["--workers", "0"], ["--timeout", "0"]):
        assert main(["small", *argument]) == 1
        assert capsys.readouterr().err.count("\n") == 1
