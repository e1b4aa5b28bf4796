"""What others made and the book passes on: the directive ``bundled`` lists it, licences are laid beside it.

The list is ``book/bundled.toml``. The text of a licence comes from an installed package or ``book/licences``.
"""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

FOLDER = PurePosixPath("_static/licences")
LIST = PurePosixPath("_static/packages.cdx.json")

HEAD = ("what", "version", "licence")


class Bundled(NamedTuple):
    """One thing that is passed on, with its files in the built book as patterns."""

    name: str
    version: str
    licence: str
    text: str
    files: list[str]
    shows: str | None

    @property
    def file(self) -> str:
        """Name of the licence beside the book."""
        return f"{self.name.lower().replace(' ', '-')}.txt"


def bundled(root: Path) -> list[Bundled]:
    """All that the list names, by name."""
    entries = tomllib.loads((root / "book" / "bundled.toml").read_text("utf-8"))["bundled"]
    return sorted((_read(root, entry) for entry in entries), key=lambda found: found.name.lower())


def _read(root: Path, entry: dict) -> Bundled:
    if "package" in entry:
        package = distribution(entry["package"])
        text = _licence_of(package, entry.get("path", ".dist-info/(licenses/)?LICENSE(\\.rst)?"))
        if "name" not in entry:
            entry |= {"name": entry["package"], "version": package.version}
    else:
        text = (root / "book" / "licences" / f"{entry['text']}.txt").read_text("utf-8")
    version = entry.get("version", "")
    return Bundled(entry["name"], version, entry["licence"], text, entry["files"], entry.get("shows"))


def _licence_of(package: Distribution, path: str) -> str:
    """Text of the one file of a package whose path ends so."""
    (file,) = (file for file in package.files if re.search(f"{path}$", file.as_posix()))
    return file.read_text("utf-8")


class BundledList(SphinxDirective):
    """A table of what is passed on, and a link to the list of packages that the book was built with."""

    def run(self):
        up = "../" * self.env.docname.count("/")
        group = nodes.tgroup("", *(nodes.colspec(colwidth=1) for _ in HEAD), cols=len(HEAD))
        group += nodes.thead("", _row(nodes.Text(title) for title in HEAD))
        group += nodes.tbody("", *(_row(self._cells(up, each)) for each in bundled(Path(self.env.srcdir))))
        packages = nodes.reference("", LIST.name, internal=True, refuri=f"{up}{LIST}")
        words = "The Python packages that the book was built with, in the form of CycloneDX: "
        return [nodes.table("", group), nodes.paragraph("", "", nodes.Text(words), packages)]

    def _cells(self, up: str, each: Bundled):
        address = f"{up}{FOLDER}/{each.file}"
        licence = nodes.reference("", each.licence, internal=True, refuri=address)
        return [nodes.Text(each.name), nodes.Text(each.version), licence]


def _row(cells) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells))


def lay_licences(app, exception):
    if exception or app.builder.format != "html":
        return
    folder = Path(app.outdir) / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    for each in bundled(Path(app.srcdir)):
        (folder / each.file).write_text(each.text, encoding="utf-8")


def setup(app):
    app.add_directive("bundled", BundledList)
    app.connect("build-finished", lay_licences)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
