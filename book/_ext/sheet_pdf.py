"""Print the cheat sheet of the built book as one page of A4.

The page ``book/practice/cheat_sheet`` in two columns: of its code what is tagged ``on-paper``, without what
only a screen has.
"""

from __future__ import annotations

import sys
from pathlib import Path

import printing
from colophon import colophon
from paper_pdf import faces
from playwright.sync_api import Browser, Page

NAME = "book/practice/cheat_sheet"
"""What is printed."""


def assemble(browser: Browser, html: Path) -> Page:
    """The sheet, as it will be printed."""
    texts = colophon()
    return printing.assemble(
        browser, html, [{"name": NAME}], Path(__file__), 1.0, faces(),
        edition=f"csb {texts['csb_version']}, {texts['build_date']}",
    )  # fmt: skip


def print_page(page: Page, target: Path) -> None:
    """Write the sheet as a PDF."""
    printing.print_page(page, target, 1.0, "8pt serif")


def main(argv: list[str] | None = None) -> int:
    return printing.run(__doc__.splitlines()[0], "sheet.pdf", assemble, print_page, argv)


if __name__ == "__main__":
    sys.exit(main())
