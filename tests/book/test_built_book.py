"""``csbook open`` and ``csbook chapters``: the built book is unpacked once, a chapter is copied as it is."""

import shutil
from pathlib import Path

import pytest

from csbook import built_book
from csbook.built_book import chapter_files, copy_chapters, open_book

BOOK = Path(__file__).parents[2] / "book"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture()
def installed(tmp_path, monkeypatch):
    """As if the package were installed, with a packed book of one page."""
    (tmp_path / "made" / "html").mkdir(parents=True)
    (tmp_path / "made" / "html" / "index.html").write_text("the book")
    packed = shutil.make_archive(str(tmp_path / "html"), "xztar", tmp_path / "made", "html")
    monkeypatch.setattr(built_book, "CHECKOUT", None)
    monkeypatch.setattr(built_book, "PACKED", Path(packed))
    monkeypatch.setenv("CSB_CACHE", str(tmp_path / "cache"))
    return tmp_path


def test_the_packed_book_is_unpacked_once_and_opened(installed, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr(built_book.webbrowser, "open", opened.append)
    assert open_book(["--print"]) == 0 and not opened
    front = Path(capsys.readouterr().out.strip())
    assert front.read_text() == "the book" and front.is_relative_to(installed / "cache")
    front.write_text("not unpacked again")
    assert open_book([]) == 0
    assert opened == [front.as_uri()] and front.read_text() == "not unpacked again"
    assert [path.name for path in (installed / "cache").iterdir()] == [front.parent.name]


def test_another_book_is_unpacked_beside_it(installed, capsys):
    open_book(["--print"])
    first = capsys.readouterr().out
    (installed / "made" / "html" / "index.html").write_text("the next one")
    shutil.make_archive(str(installed / "html"), "xztar", installed / "made", "html")
    open_book(["--print"])
    second = capsys.readouterr().out
    assert second != first and Path(second.strip()).read_text() == "the next one"


def test_where_there_is_no_built_book_it_says_how_to_build_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(built_book, "CHECKOUT", tmp_path)
    assert open_book([]) == 1
    monkeypatch.setattr(built_book, "CHECKOUT", None)
    monkeypatch.setattr(built_book, "PACKED", tmp_path / "html.tar.xz")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "index.html").touch()  # another one, in the folder where the command is called
    assert open_book([]) == 1
    assert capsys.readouterr().err.count("'make book' builds it") == 2


def test_a_cache_that_cannot_be_written_is_named(installed, monkeypatch, capsys):
    monkeypatch.setenv("CSB_CACHE", str(installed / "html.tar.xz" / "cache"))
    assert open_book([]) == 1
    assert "CSB_CACHE=" in capsys.readouterr().err


def test_chapters_have_names_of_their_own():
    notebooks = [path for path in BOOK.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    assert sorted(chapter_files()) == sorted(path.stem for path in notebooks)


def test_chapters_are_listed_and_copied_but_replace_nothing(tmp_path, capsys):
    assert copy_chapters([]) == 0
    names, titles = zip(
        *(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()), strict=True
    )
    assert names == tuple(chapter_files()) and len(set(titles)) == len(names)
    assert titles[names.index("your_own_problem")] == "Your own problem"
    assert copy_chapters(["margins", "p_norm", "--to", str(tmp_path / "new")]) == 0
    copied = contents(tmp_path / "new")
    assert copied["margins.ipynb"] == (BOOK / "views" / "margins.ipynb").read_bytes()
    assert copied.keys() == {"margins.ipynb", "p_norm.ipynb"}
    assert copy_chapters(["calibration", "margins", "--to", str(tmp_path / "new")]) == 1
    assert "margins stands there already" in capsys.readouterr().err
    assert contents(tmp_path / "new") == copied
    assert copy_chapters(["margin", "--to", str(tmp_path / "other")]) == 1
    said = capsys.readouterr().err
    assert (
        "'margin'" in said
        and "'margins'" in said
        and "lists all" in said
        and not (tmp_path / "other").exists()
    )
