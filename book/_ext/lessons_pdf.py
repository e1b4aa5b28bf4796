"""Print the lessons of the built book as one PDF.

The front page, the lessons of all numbered parts of ``_toc.yml`` and what they point to become one page of
HTML, which Chromium prints: so links from lesson to lesson hold, and the headings are the outline.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import yaml
from colophon import colophon
from playwright.sync_api import Browser, Page, sync_playwright
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).parents[2]
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""What the browser of the system may be called; the first has no window, and is quicker."""

MARGIN, SCALE = 18, 0.8
"""Millimetres around the text, and how much smaller than on a screen it is printed."""

WIDTH = int((210 - 2 * MARGIN) / 25.4 * 96 / SCALE)
"""Pixels between the margins."""

FOOTER = """
<p style="width: 100%; font: 8pt sans-serif; text-align: center"><span class="pageNumber"></span></p>
"""

BACK = {"book/reference/glossary", "book/reference/errata", "book/bibliography"}
"""Pages of reference that the lessons point to."""


class Lesson(NamedTuple):
    """A page of the book by its name in ``_toc.yml``, and the caption of its part."""

    name: str
    part: str


def lessons(root: Path) -> list[Lesson]:
    """The front page, what stands at the top of the numbered parts (evidence is below it), and the back."""
    front = parse_toc_yaml(root / "_toc.yml").root
    pages = [Lesson(str(name), part.caption) for part in front.subtrees for name in part.items]
    numbered = {part.caption for part in front.subtrees if part.numbered}
    return [
        Lesson(front.docname, ""),
        *(page for page in pages if page.part in numbered or page.name in BACK),
    ]


def find_chromium() -> str | None:
    """Path of the browser of the system; none is downloaded."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def assemble(browser: Browser, html: Path, chosen: Iterable[Lesson], title: str) -> Page:
    """One page of all these lessons, as it will be printed, its equations typeset."""
    here = Path(__file__)
    pages = []
    for name, part in chosen:
        path = html / f"{name}.html"
        if not path.is_file():
            raise FileNotFoundError(f"there is no {path}: run make book")
        pages.append({"address": path.as_uri(), "name": name, "part": part, "html": path.read_text("utf-8")})
    page = browser.new_page(viewport={"width": WIDTH, "height": 1000}, color_scheme="light", offline=True)
    page.emulate_media(media="print", reduced_motion="reduce")
    page.set_default_timeout(600_000)
    # any page with equations has the styles and MathJax
    page.goto(next(each["address"] for each in pages if "tex-svg.js" in each["html"]))
    page.evaluate("async () => { await window.MathJax.startup.promise }")
    page.add_style_tag(content=here.with_suffix(".css").read_text("utf-8"))
    texts = colophon()
    edition = f"Version {texts['csb_version']}, {texts['build_date']}"
    page.evaluate(
        here.with_suffix(".js").read_text("utf-8"), {"pages": pages, "title": title, "edition": edition}
    )
    return page


def print_page(page: Page, target: Path) -> None:
    """Write the page as A4 with page numbers and an outline."""
    side = f"{MARGIN}mm"
    page.pdf(
        path=target, format="A4", scale=SCALE, outline=True, tagged=True, print_background=True,
        margin={"top": side, "bottom": side, "left": side, "right": side},
        display_header_footer=True, header_template="<span></span>", footer_template=FOOTER,
    )  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--html", type=Path, default=ROOT / "_build" / "html", help="the built book")
    parser.add_argument("--out", type=Path, default=ROOT / "_build" / "lessons.pdf", help="file to write")
    args = parser.parse_args(argv)
    program = find_chromium()
    if program is None:
        print(f"there is no browser: none of {', '.join(NAMES)} is on the path", file=sys.stderr)
        return 1
    title = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["title"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        print_page(assemble(browser, args.html.resolve(), lessons(ROOT), title), args.out)
        browser.close()
    print(f"The lessons are printed. Open {args.out}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
