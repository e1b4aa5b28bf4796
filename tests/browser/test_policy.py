"""The book works where its server forbids all scripts but its own files."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from built_book import BOOK, CHAPTERS, PAGES, require_book
from test_interactive_figures import assert_changed, drawing, every_interactive_figure
from test_pages import equations


@pytest.mark.deep
@pytest.mark.parametrize("name", PAGES)
def test_page_needs_no_script_but_files_of_the_book(served, name):
    require_book()
    visit = served(name)
    visit.unfold()
    assert visit.complaints == visit.outside == equations(visit) == []


@every_interactive_figure
def test_figures_draw(served, name, number):
    visit = served(name)
    figure = visit.page.locator(".csb-interactive").nth(number)
    before = drawing(figure)
    assert before[0].count("<text") > 8 and all(before[1])
    figure.locator("input, select").first.focus()
    visit.page.keyboard.press("End")
    assert_changed(figure, before)
    assert visit.complaints == []


def test_search_and_buttons_work(served):
    require_book()
    visit = served(CHAPTERS[1])
    page = visit.page
    page.evaluate("window.print = () => { window.printed = true; }")
    page.locator(".btn-download-pdf-button").dispatch_event("click")
    assert page.evaluate("window.printed") is True
    page.locator(".btn-fullscreen-button").click()
    page.wait_for_selector(":fullscreen", state="attached")

    page.goto(page.url.replace(CHAPTERS[1], "search") + "?q=AdaMEC")
    page.locator("#search-results ul.search li a").nth(5).wait_for()
    assert visit.complaints == []


@pytest.mark.parametrize(
    "body",
    [
        "<script>window.x = 1</script>",
        "<button onclick='window.x = 1'>a</button><script src='click.js'></script>",
        "<script src='eval.js'></script>",
    ],
)
def test_what_the_policy_forbids_is_found(served, tmp_path, body):
    (tmp_path / "page.html").write_text(f"<!doctype html><title>Page</title>{body}", "utf-8")
    (tmp_path / "click.js").write_text("document.querySelector('button').click()")
    (tmp_path / "eval.js").write_text("eval('1')")
    assert any("Content Security Policy" in each for each in served("page", tmp_path).complaints)


class Inline(HTMLParser):
    """Programs that stand in a page itself."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "script" and "src" not in given and given.get("type") != "application/json":
            self.found.append(tag)
        self.found += [name for name in given if name.startswith("on")]
        self.found += [name for name, value in given.items() if (value or "").startswith("javascript:")]


def test_no_page_holds_a_program():
    require_book()
    pages = {path: Inline(path.read_text("utf-8")).found for path in BOOK.rglob("*.html")}
    pages = {path.relative_to(BOOK).as_posix(): found for path, found in pages.items()}
    found = {name: found for name, found in pages.items() if found and not name.startswith("_static/")}
    assert len(pages) > len(PAGES) and found == {}


def test_a_program_in_a_page_is_found():
    page = "<script>1</script><b onclick='1'></b><a href='javascript:1'></a>"
    assert Inline(page + "<script src='a.js'></script>").found == ["script", "onclick", "href"]
    assert Inline("<script type='application/json'>{}</script>").found == []
