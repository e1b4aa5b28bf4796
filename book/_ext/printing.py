"""Print pages of the built book as one PDF, by the Chromium of the system.

The pages become one page of HTML, so that links from page to page hold and the headings are the outline. How
they are put together is the affair of each document: a program ``NAME.js`` and styles ``NAME.css`` beside
``NAME.py``.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).parents[2]
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What the browser of the system may be called; the first has no window, and is quicker."""

MARGIN = 18
"""Millimetres around the text."""


def width(scale: float) -> int:
    """Pixels between the margins of A4, where all is printed so much larger than on a screen."""
    return int((210 - 2 * MARGIN) / 25.4 * 96 / scale)


def find_chromium() -> str | None:
    """Path of the browser of the system; none is downloaded."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def assemble(
    browser: Browser,
    html: Path,
    pages: Iterable[Mapping[str, str]],
    document: Path,
    scale: float,
    styles: str = "",
    **given: object,
) -> Page:
    """One page of all these, as it will be printed, its equations typeset.

    A page has a ``name`` as in ``_toc.yml``. The program of the document, whose path is given with any
    suffix, gets the pages with their ``address`` and ``html``, and what else is given.
    """
    found = []
    for page in pages:
        path = html / f"{page['name']}.html"
        if not path.is_file():
            raise FileNotFoundError(f"there is no {path}: run make book")
        found.append({**page, "address": path.as_uri(), "html": path.read_text("utf-8")})
    sheet = browser.new_page(
        viewport={"width": width(scale), "height": 1000}, color_scheme="light", offline=True
    )
    sheet.emulate_media(media="print", reduced_motion="reduce")
    sheet.set_default_timeout(600_000)
    # any page with equations has the styles and MathJax
    sheet.goto(next(each["address"] for each in found if "tex-svg.js" in each["html"]))
    sheet.evaluate("async () => { await window.MathJax.startup.promise }")
    here = Path(__file__)
    for each in (here, document):
        styles += each.with_suffix(".css").read_text("utf-8")
    sheet.add_style_tag(content=styles)
    sheet.add_script_tag(content=here.with_suffix(".js").read_text("utf-8"))
    sheet.evaluate(document.with_suffix(".js").read_text("utf-8"), {"pages": found, **given})
    return sheet


def print_page(page: Page, target: Path, scale: float, footer: str) -> None:
    """Write the page as A4 with page numbers, in the style of the footer, and an outline."""
    side = f"{MARGIN}mm"
    page.pdf(
        path=target, format="A4", scale=scale, outline=True, tagged=True, print_background=True,
        margin={"top": side, "bottom": side, "left": side, "right": side},
        display_header_footer=True, header_template="<span></span>",
        footer_template=f'<p style="width: 100%; font: {footer}; text-align: center">'
        '<span class="pageNumber"></span></p>',
    )  # fmt: skip


def run(
    about: str,
    target: str,
    put_together: Callable[[Browser, Path], Page],
    print_it: Callable[[Page, Path], None],
    argv: list[str] | None,
) -> int:
    """The command of a document: find browser and built book, put together, print."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / target, help="file to write")
    args = parser.parse_args(argv)
    program = find_chromium()
    if program is None:
        print(f"there is no browser: none of {', '.join(NAMES)} is on the path", file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        print_it(put_together(browser, args.html.resolve()), args.out)
        browser.close()
    print(f"Printed. Open {args.out}.")
    return 0
