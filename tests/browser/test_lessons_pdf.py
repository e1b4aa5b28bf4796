"""The PDF of the lessons: complete, in order, nothing cut off, with links and an outline that hold."""

from __future__ import annotations

import lessons_pdf
import paper_pdf
import pytest
from built_book import BOOK, CHAPTERS, ROOT, require_book
from test_interactive_figures import INTERACTIVE

PRINTER = lessons_pdf
TITLE = "The title of the book"

WIDE = """() => [...document.querySelectorAll("body *")]
  .filter((each) => !each.closest("svg svg, mjx-assistive-mml"))
  .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 ||
    (getComputedStyle(each).overflowX !== "visible" && each.scrollWidth > each.clientWidth + 1))
  .map((each) => each.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def chosen():
    require_book()
    return lessons_pdf.lessons(ROOT)[1:3]


@pytest.fixture(scope="module")
def arguments(chosen):
    return chosen, TITLE


@pytest.fixture(scope="module")
def texts(printed):
    return [" ".join(page.extract_text().split()) for page in printed.pages]


def test_lessons_are_all_pages_but_evidence_the_paper_and_most_of_the_reference():
    names = [lesson.name for lesson in lessons_pdf.lessons(ROOT)]
    left_out = [name for name in CHAPTERS if name not in names]
    assert names == [name for name in CHAPTERS if name not in left_out]
    reference = {name for name in CHAPTERS if name.startswith(("book/reference/", "book/api"))}
    below = {name for name in left_out if not name.endswith("_evidence")} - reference
    assert set(left_out) >= reference - lessons_pdf.BACK and below == {paper_pdf.PAGES[0]}


def titles(page):
    return [" ".join(each.split()) for each in page.locator("article h1").all_inner_texts()]


def test_outline_leads_to_each_lesson_in_turn(page, printed, texts, chosen):
    entries = [entry for entry in printed.outline if not isinstance(entry, list)]
    assert [" ".join(entry.title.split()) for entry in entries] == ["Contents", *titles(page)]
    places = [printed.get_destination_page_number(entry) for entry in entries]
    assert places == sorted(set(places)) and len(places) == 1 + len(chosen)
    for place, title in zip(places[1:], titles(page), strict=True):
        assert texts[place].startswith(title)
    assert all(isinstance(entry, list) for entry in printed.outline[2::2])  # sections below each lesson


def test_cover_names_the_book(page, printed, texts):
    assert printed.metadata.title == TITLE
    assert texts[0].startswith(f"{TITLE} Version ")
    assert all(title in texts[1] for title in titles(page))


def test_paper_and_page_numbers(printed, texts):
    for number, (sheet, text) in enumerate(zip(printed.pages, texts, strict=True), start=1):
        size = sheet.mediabox.width * 25.4 / 72, sheet.mediabox.height * 25.4 / 72
        assert size == pytest.approx((210, 297), abs=1)
        assert text.endswith(str(number))


def test_equations_figures_and_answers_are_printed(page, printed, texts):
    whole = " ".join(texts)
    assert page.locator("span.math, div.math").count() == page.locator(".math > mjx-container").count() > 50
    assert r"\(" not in whole and r"\[" not in whole
    for said in ("(1.1)", "Fig. 1.1", "To take away", "Quiz", "Solution"):
        assert said in whole
    assert "Show code cell" not in whole and "data (CSV)" not in whole
    for answer in page.locator("details.sd-dropdown > .sd-summary-content").all():
        assert answer.is_visible()


def test_figures_to_play_with_are_drawn(page, texts, chosen):
    figures, built = page.locator(".csb-interactive"), [BOOK / f"{lesson.name}.html" for lesson in chosen]
    assert figures.count() == sum(path.read_text("utf-8").count(INTERACTIVE) for path in built) > 0
    for figure in figures.all():
        assert figure.locator(".csb-panels > svg text").count() > 10
        assert " ".join(figure.locator("output").inner_text().split()) in " ".join(texts)


def test_nothing_is_wider_than_the_paper(page):
    assert page.evaluate(WIDE) == []


@pytest.mark.parametrize(
    "wide, undo",
    [
        (f"<pre>{'x' * 900}</pre>", "each => { each.style.whiteSpace = 'pre'; }"),
        (f"<table><tr><td><nobr>{'x' * 300}</nobr></td></tr></table>", "each => { each.style.zoom = 1; }"),
    ],
    ids=["code", "table"],
)
def test_what_is_too_wide_is_made_to_fit(browser, tmp_path, chosen, wide, undo):
    """A word several pages wide, in place of a lesson's text."""
    text = (BOOK / f"{chosen[0].name}.html").read_text("utf-8")
    start, end = text.index('<article class="bd-article">'), text.index("</article>")
    article = f'<article class="bd-article"><section><h1>Wide</h1>{wide}</section>'
    path = tmp_path / f"{chosen[0].name}.html"
    path.parent.mkdir(parents=True)
    path.write_text(text[:start] + article + text[end:], "utf-8")
    (tmp_path / "_static").symlink_to(BOOK / "_static")
    page = lessons_pdf.assemble(browser, tmp_path, chosen[:1], TITLE)
    assert page.evaluate(WIDE) == []
    page.locator("article :is(pre, table)").evaluate(undo)
    assert page.evaluate(WIDE) != []
    page.close()


def test_links_lead_to_places_in_the_file_or_to_the_web(page, printed):
    named, within, outside = printed.named_destinations, [], []
    for sheet in printed.pages:
        for each in sheet.get("/Annots", ()):
            link = each.get_object()
            if "/A" in link and "/URI" in link["/A"]:
                outside.append(link["/A"]["/URI"])
            else:
                within.append(link.get("/Dest") or link["/A"]["/D"])
    assert len(within) >= page.locator("a[href^='#']").count() > 5  # one that is broken over lines is two
    assert all(place in named for place in within)
    assert all(address.startswith("http") for address in outside)
