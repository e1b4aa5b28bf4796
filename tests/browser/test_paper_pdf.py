"""The PDF of the paper: four pages in legible type, complete, and nothing of the book around it."""

from __future__ import annotations

import re

import nbformat
import paper_pdf
import pytest
import yaml
from built_book import ROOT
from test_lessons_pdf import WIDE

PRINTER = paper_pdf
NOTEBOOK = ROOT / f"{paper_pdf.PAGES[0]}.ipynb"
SIZES = """(selector) => [...document.querySelectorAll(selector)]
  .map((each) => parseFloat(getComputedStyle(each).fontSize) * 72 / 96)"""


@pytest.fixture(scope="module")
def cells():
    return nbformat.read(NOTEBOOK, as_version=4).cells


def test_four_pages_of_a4(printed):
    assert len(printed.pages) == 4
    for number, sheet in enumerate(printed.pages, start=1):
        size = sheet.mediabox.width * 25.4 / 72, sheet.mediabox.height * 25.4 / 72
        assert size == pytest.approx((210, 297), abs=1)
        assert sheet.extract_text().split()[-1] == str(number)


def test_title_authors_and_abstract_stand_first(printed, text, cells):
    title = re.search(r"^# (.*)$", cells[0].source, re.M)[1]
    (author,) = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))["authors"]
    assert printed.metadata.title == title
    assert re.match(rf"{re.escape(title)} {author['name']} csb [\d.]+, .{{10,20}} Abstract ", text)
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    headings = re.findall(r"^## (.*)$", prose, re.M)
    assert headings[0] == "Abstract"
    entries = [" ".join(entry.title.split()) for entry in printed.outline[1]]
    assert entries == [*headings, "References"]


def test_authors_may_be_persons(tmp_path):
    people = "authors:\n  - {given-names: Ada, family-names: B}\n  - {name: The others}\n"
    (tmp_path / "CITATION.cff").write_text(people)
    assert paper_pdf.authors(tmp_path) == "Ada B, The others"


def test_fonts_are_embedded(printed):
    names = set()
    for sheet in printed.pages:
        for font in (each.get_object() for each in sheet["/Resources"]["/Font"].values()):
            for real in (each.get_object() for each in font.get("/DescendantFonts", [font])):
                if real["/Subtype"] != "/Type3":  # its glyphs are drawings in the file
                    names.add(real["/BaseFont"])
                    assert {"/FontFile2", "/FontFile3"} & set(real["/FontDescriptor"])
    assert any("STIXGeneral" in name for name in names)


def test_type_is_legible(page):
    text = ".csb-columns section > p:not(:has(+ .pst-scrollable-table-container))"  # that is a caption
    assert all(9.5 <= size <= 10 for size in page.evaluate(SIZES, text))
    assert min(page.evaluate(SIZES, ".csb-columns :is(td, figcaption p, .citation p)")) >= 8
    drawn = page.evaluate(
        "() => [...document.querySelectorAll('figure img')].map((e) => e.clientWidth / e.naturalWidth)"
    )
    assert min(drawn) > 0.98  # the smallest words of a figure are of 7.5 points


def test_every_figure_and_table_is_there_and_named_in_the_text(page, text, cells):
    made = sum(cell.source.count("\nfigure(\n") for cell in cells if cell.cell_type == "code")
    assert page.locator("figure img").count() == page.locator("figcaption").count() == made >= 2
    for kind, count in {"Figure": made, "Table": page.locator("table").count()}.items():
        for number in range(1, count + 1):
            assert text.count(f"{kind} {number}. ") >= 1
            assert len(re.findall(rf"{kind} {number}\b(?!\. [A-Z*])", text)) >= 1, "named"
    assert page.evaluate("() => [...document.images].every((each) => each.naturalWidth > 0)")


def test_nothing_is_left_of_the_source_or_of_the_screen(page, text, cells):
    assert page.locator("span.math").count() == page.locator("span.math > mjx-container").count() > 5
    of_source, of_screen = ("<!--", "-->", "glue", ":::", "**", "$", r"\(", "]("), ("import ", "data (CSV)")
    assert not [rest for rest in (*of_source, *of_screen, "Show code") if rest in text]
    assert page.locator("pre, button, nav, .headerlink, .section-number, .on-screen").count() == 0
    assert "About this page" in cells[0].source and "About this page" not in text


def test_what_is_cited_is_listed_and_nothing_else(page):
    entries = page.locator(".csb-references .citation")
    links = page.locator(".csb-columns a[href^='#book/bibliography--']")
    cited = {link.get_attribute("href")[1:] for link in links.all()}
    assert {entry.get_attribute("id") for entry in entries.all()} == cited and len(cited) > 10
    first = {
        link.get_attribute("href")[1:]: link.locator("xpath=..").inner_text().split()[0].strip(",")
        for link in links.all()
    }
    listed = [first[entry.get_attribute("id")] for entry in entries.all()]
    assert listed == sorted(listed)
    assert all(name in entry.inner_text() for name, entry in zip(listed, entries.all(), strict=True))


def test_links_lead_to_places_in_the_file_or_to_the_web(printed):
    named = printed.named_destinations
    links = [each.get_object() for sheet in printed.pages for each in sheet.get("/Annots", ())]
    outside = [link["/A"]["/URI"] for link in links if "/A" in link and "/URI" in link["/A"]]
    within = [link.get("/Dest") or link["/A"]["/D"] for link in links if "/URI" not in link.get("/A", {})]
    assert within and all(place in named for place in within)
    assert all(address.startswith("http") for address in outside)


def test_nothing_is_wider_than_the_paper(page):
    assert page.evaluate(WIDE) == []
