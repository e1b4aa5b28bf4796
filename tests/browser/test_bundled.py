"""Whatever others made is passed on with its licence, and the built book says what it was built with."""

from __future__ import annotations

import json
import sys
from fnmatch import fnmatch

import pytest
from built_book import BOOK, ROOT, require_book
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

sys.path.insert(0, str(ROOT / "book" / "_ext"))
from bundled import FOLDER, LIST, bundled  # noqa: E402

ENTRIES = bundled(ROOT)
OWN = (
    "_static/book.css",
    "_static/definitions.js",
    "_static/excerpts.js",
    "_static/icon.svg",
    "_static/ledger.js",
    "_static/terms.js",
    "_static/scripts-of-pages/*",
    f"{FOLDER}/*",
    str(LIST),
)
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)


def files():
    """Files of the built book by their path."""
    require_book()
    return [path.relative_to(BOOK).as_posix() for path in BOOK.rglob("*") if path.is_file()]


def unlisted(paths):
    """Those that are neither our own nor in the list."""
    known = [*OWN, *(pattern for entry in ENTRIES for pattern in entry.files)]
    return [path for path in paths if not any(fnmatch(path, pattern) for pattern in known)]


def test_every_file_of_others_has_a_licence():
    below = [path for path in files() if path.startswith("_static/")]
    assert len(below) > 100 and unlisted(below) == []


def test_nothing_but_pages_pictures_and_data_stands_elsewhere():
    kinds = {"csv", "html", "ipynb", "md", "svg"}
    rest = [path for path in files() if path.split(".")[-1] not in kinds and not path.startswith("_static/")]
    assert sorted(rest) == [".buildinfo", "objects.inv", "searchindex.js"]


def test_what_has_no_licence_is_found():
    assert unlisted(["_static/book.css", "_static/tex-svg.js", "_static/jquery.js"]) == ["_static/jquery.js"]


@each_entry
def test_licence_lies_beside_the_book(entry):
    require_book()
    assert (BOOK / FOLDER / entry.file).read_text("utf-8") == entry.text
    assert len(entry.text) > 1000 and "copyright" in entry.text.lower()


@each_entry
def test_files_are_there_and_of_the_version_stated(entry):
    paths = files()
    for pattern in entry.files:
        assert any(fnmatch(path, pattern) for path in paths), f"{pattern} is passed on no longer"
    if entry.shows:
        texts = [
            (BOOK / path).read_bytes()
            for path in paths
            if any(fnmatch(path, pattern) for pattern in entry.files)
        ]
        assert any(entry.shows.encode() in text for text in texts)


def test_page_about_the_book_lists_them_all():
    require_book()
    page = (BOOK / "book" / "reference" / "about.html").read_text("utf-8")
    assert all(f'href="../../{FOLDER}/{entry.file}"' in page for entry in ENTRIES)
    assert f'href="../../{LIST}"' in page


def test_every_text_of_a_licence_is_used():
    texts = {path.read_text("utf-8") for path in (ROOT / "book" / "licences").iterdir()}
    assert texts <= {entry.text for entry in ENTRIES}


def test_list_of_packages_is_that_of_the_lock():
    require_book()
    listed = json.loads((BOOK / LIST).read_text("utf-8"))
    assert (
        listed["bomFormat"] == "CycloneDX"
        and listed["metadata"]["component"]["name"] == "cost-sensitive-boosting"
    )
    versions = {canonicalize_name(found["name"]): found["version"] for found in listed["components"]}
    lock = (ROOT / "requirements.lock").read_text("utf-8").splitlines()
    wanted = [Requirement(line.split()[0]) for line in lock if "==" in line and " ; " not in line]
    pinned = {each.name: str(each.specifier).removeprefix("==") for each in wanted}
    assert len(pinned) > 180
    assert {name: versions.get(name) for name in pinned} == pinned
    assert "file:" not in (BOOK / LIST).read_text("utf-8")
