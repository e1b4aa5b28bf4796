"""Print the lessons of the built book as one PDF.

The front page, the lessons of all numbered parts of ``_toc.yml`` and what they point to, with a cover and a
list of contents.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import printing
import yaml
from colophon import colophon
from playwright.sync_api import Browser, Page
from sphinx_external_toc.parsing import parse_toc_yaml

SCALE = 0.8
"""How much smaller than on a screen it is printed."""

BACK = {"book/reference/glossary", "book/reference/errata", "book/bibliography"}
"""Pages of reference that the lessons point to."""


class Lesson(NamedTuple):
    """A page of the book by its name in ``_toc.yml``, and the caption of its part."""

    name: str
    part: str


def lessons(root: Path) -> list[Lesson]:
    """The front page, what stands at the top of the numbered parts (no evidence, nor the paper), the back."""
    front = parse_toc_yaml(root / "_toc.yml").root
    pages = [Lesson(str(name), part.caption) for part in front.subtrees for name in part.items]
    numbered = {part.caption for part in front.subtrees if part.numbered}
    return [
        Lesson(front.docname, ""),
        *(page for page in pages if page.part in numbered or page.name in BACK),
    ]


def assemble(browser: Browser, html: Path, chosen: Iterable[Lesson], title: str) -> Page:
    """One page of all these lessons, as it will be printed."""
    texts = colophon()
    edition = f"Version {texts['csb_version']}, {texts['build_date']}"
    pages = [lesson._asdict() for lesson in chosen]
    return printing.assemble(browser, html, pages, Path(__file__), SCALE, title=title, edition=edition)


def print_page(page: Page, target: Path) -> None:
    """Write the lessons as a PDF."""
    printing.print_page(page, target, SCALE, "8pt sans-serif")


def main(argv: list[str] | None = None) -> int:
    root = printing.ROOT
    title = yaml.safe_load((root / "_config.yml").read_text("utf-8"))["title"]

    def put_together(browser: Browser, html: Path) -> Page:
        return assemble(browser, html, lessons(root), title)

    return printing.run(__doc__.splitlines()[0], "lessons.pdf", put_together, print_page, argv)


if __name__ == "__main__":
    sys.exit(main())
