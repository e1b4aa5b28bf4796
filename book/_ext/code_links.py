"""Wherever a page names an erratum (E-N14) or a claim (N16-22), the name is a link to its entry.

An entry is an element whose ``id`` is the name: ``e-n14`` on the page of errata, ``claim-N16-22`` the box of
the cell that decided the claim. Names come from prose, docstrings, tables and outputs of cells alike, so the
links are made when all of them are HTML.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from edited_page import EditedPage

from csbook.chapters.markup import element

ENTRY = re.compile(r'\sid="(?:(e-[a-z]\d\d)|(claim-([A-Z]+\d*-\d+)))"')
NAME = re.compile(r"(?<![\w-])(?:E-[A-Z]\d\d|[A-Z]+\d*-\d+)(?![\w-])")

LEFT_ALONE = {"a", "code", "head", "pre", "script", "style", "summary", "h1", "h2", "h3", "h4", "h5", "h6"}
"""Elements in which a name is code, a heading, or a link already."""


class Page(EditedPage):
    """A page whose names of entries are links.

    Parameters
    ----------
    text : str
        The page.
    addresses : mapping of str to str
        For each name the address of its entry, from this page.
    """

    def __init__(self, text: str, addresses: Mapping[str, str]):
        self.addresses = addresses
        self.around: list[tuple[str, str | None]] = []  # the elements around the place: their names and ids
        super().__init__(text)

    def handle_starttag(self, tag, attributes):
        self.around.append((tag, dict(attributes).get("id")))

    def handle_endtag(self, tag):
        names = [name for name, _ in self.around]
        if tag in names:  # with it end those within it, such as images, that have no end of their own
            del self.around[len(names) - 1 - names[::-1].index(tag) :]

    def handle_data(self, data):
        if LEFT_ALONE & {name for name, _ in self.around}:
            return
        within = {f"#{id}" for _, id in self.around}
        for found in NAME.finditer(data):
            address = self.addresses.get(found[0])
            if address and address not in within:
                start = self.place() + found.start()
                link = element("a", {"class": "reference internal", "href": address}, found[0])
                self.edits.append((start, start + len(found[0]), link))


def link_names(app, exception):
    if exception or app.builder.format != "html":
        return
    root = Path(app.outdir)
    pages = {path: path.read_text("utf-8") for path in sorted(root.rglob("*.html"))}
    entries = {}
    for path, text in pages.items():
        for erratum, box, claim in ENTRY.findall(text):
            entries[claim or erratum.upper()] = path, box or erratum
    for path, text in pages.items():
        if not NAME.search(text):
            continue
        addresses = {
            name: ("" if path == target else Path(os.path.relpath(target, path.parent)).as_posix()) + f"#{id}"
            for name, (target, id) in entries.items()
        }
        page = Page(text, addresses)
        if page.edits:
            path.write_text(page.rewritten(), encoding="utf-8")


def setup(app):
    app.connect("build-finished", link_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
