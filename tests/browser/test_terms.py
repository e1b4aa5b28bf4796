"""A linked term of the glossary shows its definition to mouse, keyboard and touch."""

from __future__ import annotations

import json
import re

import pytest
from built_book import BOOK, CHAPTERS, require_book

PAGE = "book/views/calibration"
TERM = "article a:has(> .std-term)"
TERMS = re.compile(r'href="[^"]*#(term-[^"]+)"><span class="[^"]*\bstd-term\b')


@pytest.fixture(scope="module")
def definitions():
    require_book()
    program = (BOOK / "_static" / "definitions.js").read_text("utf-8")
    return json.loads(program.removeprefix("const definitions = ").removesuffix(";\n"))


@pytest.mark.parametrize("name", CHAPTERS)
def test_linked_terms_are_defined_and_can_be_typeset(name, definitions):
    text = (BOOK / f"{name}.html").read_text("utf-8")
    used = set(TERMS.findall(text))
    assert used <= set(definitions)
    assert bool(used) == ("terms.js" in text)
    if any(r"\(" in definitions[term] for term in used):
        assert "tex-svg.js" in text


def test_lessons_link_terms(definitions):
    used = [set(TERMS.findall((BOOK / f"{name}.html").read_text("utf-8"))) for name in CHAPTERS]
    assert len(set().union(*used)) > len(definitions) / 2


def words(element):
    return " ".join(element.inner_text().split())


def test_a_definition_comes_with_the_mouse_and_stays_under_it(visit):
    visited = visit(PAGE)
    page, bubble = visited.page, visited.page.locator(".csb-definition")
    link = page.locator(TERM).first
    assert bubble.is_hidden()
    link.hover()
    bubble.wait_for()
    shown = words(bubble)
    bubble.hover()
    page.wait_for_timeout(400)  # longer than it stays when the mouse has left
    assert bubble.is_visible() and words(bubble) == shown
    page.mouse.move(1, 1)
    bubble.wait_for(state="hidden")
    address, term = link.get_attribute("href").split("#")
    link.click()
    page.wait_for_url(f"**/glossary.html#{term}")
    assert shown and address.endswith("glossary.html")
    assert words(page.locator(f"dt#{term} ~ dd").first) == shown
    assert visited.complaints == []


def test_a_definition_comes_with_the_focus_and_goes_with_escape(visit):
    page = visit(PAGE).page
    bubble, link = page.locator(".csb-definition"), page.locator(TERM).first
    link.focus()
    bubble.wait_for()
    assert bubble.get_attribute("role") == "tooltip"
    assert link.get_attribute("aria-describedby") == bubble.get_attribute("id")
    page.keyboard.press("Escape")
    assert bubble.is_hidden() and link.get_attribute("aria-describedby") is None
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    bubble.wait_for()


@pytest.mark.parametrize("width", [1280, 390])
def test_every_definition_lies_within_the_window(visit, width):
    page = visit(PAGE).page
    page.set_viewport_size({"width": width, "height": 700})
    for link in page.locator(f"{TERM}:visible").all():
        link.scroll_into_view_if_needed()
        link.focus()
        box = page.locator(".csb-definition").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_first_touch_shows_and_the_second_follows(visit):
    page = visit(PAGE, has_touch=True, viewport={"width": 390, "height": 844}).page
    link, address = page.locator(TERM).first, page.url
    link.tap()
    page.locator(".csb-definition").wait_for()
    assert page.url == address
    page.get_by_role("heading", level=1).tap()
    page.locator(".csb-definition").wait_for(state="hidden")
    link.tap()
    link.tap()
    page.wait_for_url(re.compile(r"glossary\.html#term-"))
