"""What the book's wheel and sdist carry besides its package: records, notebooks, perhaps the built book.

A notebook goes with its outputs if the book was built from it as it stands.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LARGEST = 10_000_000
"""Bytes up to which the built book, packed by ``make wheels``, goes with them."""


class Carried(BuildHookInterface):
    """Add files of the project; nothing is added to an installation in place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        book = Path(self.root)
        data = book.parent / "data"
        if version == "editable" or (book / "csbook" / "data").is_dir():  # an sdist has all in its place
            return
        notebooks = (path for path in book.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
        records = (path for path in data.rglob("*") if path.is_file())
        carried = {
            executed(path, book): f"csbook/notebooks/{path.relative_to(book).as_posix()}"
            for path in notebooks
        }
        carried |= {path: f"csbook/data/{path.relative_to(data).as_posix()}" for path in records}
        packed = book.parent / "_build" / "html.tar.xz"
        if packed.is_file() and packed.stat().st_size <= LARGEST:
            carried[packed] = "csbook/html.tar.xz"
        build_data["force_include"] |= {str(path): name for path, name in sorted(carried.items())}


def executed(path: Path, book: Path) -> Path:
    """The notebook as the built book hands it out, or as it is."""
    built = book.parent / "_build" / "html" / "_sources" / path.relative_to(book.parent)
    return built if built.is_file() and sources(built) == sources(path) else path


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]]
