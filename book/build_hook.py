"""What the book's wheel and sdist carry besides its package: records, notebooks, perhaps the built book.

A notebook goes with its outputs if the book was built from it as it stands. The metadata of both packages get
the project's address here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

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


class Address(MetadataHookInterface):
    """The project's address as the one in the metadata; an sdist has it there already."""

    def update(self, metadata: dict[str, Any]) -> None:
        above = Path(self.root)
        for config in (above / "_config.yml", above.parent / "_config.yml"):
            if config.is_file():
                found = re.search(r'^repository: \{url: "(.+?)"', config.read_text("utf-8"), re.M)
                metadata["urls"] = {"Repository": found[1]} if found else {}
                return


def executed(path: Path, book: Path) -> Path:
    """The notebook as the built book hands it out, or as it is."""
    built = book.parent / "_build" / "html" / "_sources" / path.relative_to(book.parent)
    return built if built.is_file() and sources(built) == sources(path) else path


def sources(path: Path) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]]
