"""What the wheel of the book carries besides its package: records, notebooks, and perhaps the built book."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MOST = 10_000_000
"""Bytes up to which the built book goes with the wheel."""


class Carried(BuildHookInterface):
    """Add files of the project to a wheel; nothing is added to an installation in place."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        book = Path(self.root)
        if (book / "csbook" / "data").is_dir():  # an sdist has all in its place
            return
        data = book.parent / "data"
        notebooks = (path for path in book.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts)
        records = (path for path in data.rglob("*") if path.is_file())
        carried = {path: f"csbook/notebooks/{path.relative_to(book)}" for path in sorted(notebooks)}
        carried |= {path: f"csbook/data/{path.relative_to(data)}" for path in sorted(records)}
        packed = book.parent / "_build" / "html.tar.xz"
        if packed.is_file() and packed.stat().st_size <= MOST:
            carried[packed] = "csbook/html.tar.xz"
        carried[book.parent / "LICENSE"] = "csbook/LICENSE"
        build_data["force_include"] |= {str(path): name for path, name in carried.items()}
