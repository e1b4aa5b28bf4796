"""The book to read and to run again: its built pages, and its chapters as notebooks."""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
import webbrowser
from pathlib import Path

from csb.inputs import one_of
from csbook.command_line import in_one_line, path
from csbook.datasets.fetch import cache_folder
from csbook.datasets.storing import store
from csbook.records import CHECKOUT, PACKAGE, check_writable

__all__ = ["chapter_files", "copy_chapters", "open_book"]

PACKED = PACKAGE / "html.tar.xz"
"""The built book, where the package carries it."""
MISSING = "there is no built book here: in a copy of the project, 'make book' builds it in _build/html"


def chapter_files() -> dict[str, Path]:
    """The chapters' notebooks by name, such as ``margins_evidence``.

    Examples
    --------
    >>> chapter_files()["margins"].name
    'margins.ipynb'
    """
    folder = PACKAGE / "notebooks" if CHECKOUT is None else CHECKOUT / "book"
    files = (file for file in folder.rglob("*.ipynb") if ".ipynb_checkpoints" not in file.parts)
    return {file.stem: file for file in sorted(files)}


def _title(chapter: Path) -> str:
    """The first heading of a chapter's notebook."""
    first = "".join(json.loads(chapter.read_text(encoding="utf-8"))["cells"][0]["source"])
    return next(line for line in first.splitlines() if line.startswith("# ")).removeprefix("# ")


@in_one_line()
def copy_chapters(argv: list[str] | None = None) -> int:
    """Run ``csbook chapters``: list the chapters, or copy those named into a folder.

    Parameters
    ----------
    argv : list of str, optional
        Arguments after ``chapters``; those of the process if omitted.

    Returns
    -------
    int
        0, or 1 if a chapter is unknown, stands in the folder already, or cannot be written.
    """
    parser = argparse.ArgumentParser(prog="csbook chapters", description="The chapters, as notebooks")
    parser.add_argument("names", nargs="*", metavar="NAME", help="a chapter; without one they are listed")
    parser.add_argument("--to", type=path, metavar="DIR", help="folder to copy them into (default: this one)")
    arguments = parser.parse_args(argv)
    chapters = chapter_files()
    if not arguments.names:
        if arguments.to is not None:
            raise ValueError(f"--to {arguments.to}: name the chapters to copy, before it")
        for name, file in chapters.items():
            print(f"{name:{max(map(len, chapters))}}  {_title(file)}")
        return 0
    names = [one_of("NAME", name, list(chapters), "'csbook chapters' lists all") for name in arguments.names]
    folder = check_writable("to", arguments.to or Path())
    if there := [name for name in names if (folder / f"{name}.ipynb").exists()]:
        raise ValueError(f"to={str(folder)!r}: {', '.join(there)} stands there already")
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        store(folder / f"{name}.ipynb", chapters[name].read_bytes())
        print(folder / f"{name}.ipynb")
    return 0


@in_one_line()
def open_book(argv: list[str] | None = None) -> int:
    """Run ``csbook open``: open the built book, or say how it is built.

    Parameters
    ----------
    argv : list of str, optional
        Arguments after ``open``; those of the process if omitted.

    Returns
    -------
    int
        0, or 1 where there is no built book, or it cannot be unpacked.
    """
    parser = argparse.ArgumentParser(prog="csbook open", description="The built book, in a browser")
    parser.add_argument("--print", action="store_true", dest="only_print", help="only say where it is")
    arguments = parser.parse_args(argv)
    front = (_unpacked() if CHECKOUT is None else CHECKOUT / "_build" / "html") / "index.html"
    if not front.is_file():
        raise ValueError(MISSING)
    print(front)
    if not arguments.only_print:
        webbrowser.open(front.as_uri())
    return 0


def _unpacked() -> Path:
    """The folder of the cache into which the package's book is unpacked, once."""
    if not PACKED.is_file():
        raise ValueError(MISSING)
    folder = check_writable("CSB_CACHE", cache_folder())
    book = folder.absolute() / f"book-{hashlib.sha256(PACKED.read_bytes()).hexdigest()[:16]}"
    if not book.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as half:  # whole, or not at all
            shutil.unpack_archive(PACKED, half, filter="data")
            Path(half, "html").rename(book)
    return book
