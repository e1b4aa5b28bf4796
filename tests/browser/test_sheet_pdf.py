"""The PDF of the cheat sheet: one page in legible type, complete, and nothing of the book around it."""

from __future__ import annotations

import re

import nbformat
import pytest
import sheet_pdf
from built_book import ROOT
from test_lessons_pdf import WIDE
from test_paper_pdf import SIZES

PRINTER = sheet_pdf


@pytest.fixture(scope="module")
def cells():
    return nbformat.read(ROOT / f"{sheet_pdf.NAME}.ipynb", as_version=4).cells


def test_one_page_of_a4(printed):
    (sheet,) = printed.pages
    size = sheet.mediabox.width * 25.4 / 72, sheet.mediabox.height * 25.4 / 72
    assert size == pytest.approx((210, 297), abs=1)


def test_type_is_legible_and_nothing_is_wider_than_the_paper(page):
    assert min(page.evaluate(SIZES, ".csb-sheet :is(p, li, td, th)")) >= 8
    assert min(page.evaluate(SIZES, ".csb-sheet pre")) >= 6.5
    zoomed = "() => [...document.querySelectorAll('table, mjx-container > svg')].map((e) => e.style.zoom)"
    assert all(float(zoom or 1) > 0.99 for zoom in page.evaluate(zoomed))
    assert page.evaluate(WIDE) == []


def test_all_calls_are_printed_and_no_other_code(page, cells):
    calls = [cell.source for cell in cells if "on-paper" in cell.metadata.get("tags", [])]
    assert [shown.strip() for shown in page.locator("pre").all_inner_texts()] == calls
    assert len(calls) >= 2


def test_sections_formulas_and_mistakes_are_printed(page, printed, text, cells):
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    headings = re.findall(r"^## (.*)$", prose, re.M)
    assert [" ".join(entry.title.split()) for entry in printed.outline[1]] == headings
    assert page.locator("mjx-container[display]").count() == 3 == prose.count("\n$$\n") / 2
    mistakes = page.locator("ol > li").all_inner_texts()
    assert len(mistakes) == 5
    assert all(re.search(r"\+\d+\.\d \[\d+\.\d, \d+\.\d\]", each) for each in mistakes)
    numbers = re.findall(r"<!--[\w-]+-->(.*?)<!--/-->", prose)
    shown = page.locator(".csb-sheet").inner_text()
    assert all(number in shown for number in numbers)


def test_nothing_is_left_of_the_source_or_of_the_screen(page, text, cells):
    of_source, of_screen = ("<!--", "-->", ":::", "$", r"\(", "]("), ("About this page", "data (CSV)")
    assert not [rest for rest in (*of_source, *of_screen, "Show code") if rest in text]
    assert page.locator("button, nav, .headerlink, .section-number, .on-screen").count() == 0
