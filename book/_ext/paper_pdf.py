"""Print the paper of the built book as one PDF.

The page ``book/evidence/paper`` in two columns, without its code, with the authors that ``CITATION.cff``
names and those entries of the bibliography that it cites.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path

import matplotlib
import printing
import yaml
from colophon import colophon
from playwright.sync_api import Browser, Page

PAGES = ("book/evidence/paper", "book/bibliography")
"""What is printed, and where its references stand."""

FACES = {
    "STIXGeneral": "normal normal",
    "STIXGeneralItalic": "italic normal",
    "STIXGeneralBol": "normal bold",
    "STIXGeneralBolIta": "italic bold",
}
"""Fonts that come with Matplotlib, so that lines are the same on every machine: style and weight."""


def authors(root: Path) -> str:
    """Names of those who wrote the project, as ``CITATION.cff`` gives them."""
    found = yaml.safe_load((root / "CITATION.cff").read_text("utf-8"))["authors"]
    names = (each.get("name") or f"{each['given-names']} {each['family-names']}" for each in found)
    return ", ".join(names)


def faces() -> str:
    """Rules by which the styles know the fonts."""
    folder, rules = Path(matplotlib.get_data_path(), "fonts", "ttf"), []
    for name, look in FACES.items():
        style, weight = look.split()
        content = base64.b64encode((folder / f"{name}.ttf").read_bytes()).decode()
        rules.append(
            f"@font-face {{ font-family: STIX; font-style: {style}; font-weight: {weight}; "
            f"src: url(data:font/ttf;base64,{content}); }}\n"
        )
    return "".join(rules)


def assemble(browser: Browser, html: Path) -> Page:
    """The paper, as it will be printed."""
    texts = colophon()
    return printing.assemble(
        browser, html, [{"name": name} for name in PAGES], Path(__file__), 1.0, faces(),
        authors=authors(printing.ROOT), edition=f"csb {texts['csb_version']}, {texts['build_date']}",
    )  # fmt: skip


def print_page(page: Page, target: Path) -> None:
    """Write the paper as a PDF."""
    printing.print_page(page, target, 1.0, "8pt serif")


def main(argv: list[str] | None = None) -> int:
    return printing.run(__doc__.splitlines()[0], "paper.pdf", assemble, print_page, argv)


if __name__ == "__main__":
    sys.exit(main())
