"""One browser for all tests of the built book."""

from __future__ import annotations

import sys

import pytest
from built_book import HOME, ROOT, Visit, require_book
from playwright.sync_api import sync_playwright

sys.path.append(str(ROOT / "book" / "_ext"))

from lessons_pdf import NAMES, find_chromium  # noqa: E402

collect_ignore = ["conftest.py"]  # no docstring examples in it


@pytest.fixture(scope="session")
def browser():
    """The Chromium of the system; none is downloaded."""
    program = find_chromium()
    if program is None:
        pytest.skip(f"there is no browser: none of {', '.join(NAMES)} is on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture
def visit(browser):
    """Function that opens a page of the book, closed after the test."""
    require_book()
    opened = []

    def open_page(name, **options):
        opened.append(Visit(browser, HOME, f"{name}.html", **options))
        return opened[-1]

    yield open_page
    for each in opened:
        each.close()


@pytest.fixture
def visit_text(browser, tmp_path):
    """Function that opens a small page from its body, to see a check find a fault."""
    opened = []

    def open_page(body, **options):
        text = f"<!doctype html><html lang='en'><head><title>Page</title></head><body>{body}</body></html>"
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        opened.append(Visit(browser, f"{tmp_path.as_uri()}/", "page.html", **options))
        return opened[-1]

    yield open_page
    for each in opened:
        each.close()
