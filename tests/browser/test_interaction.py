"""What a reader can operate on a page works, with the keyboard too."""

from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from built_book import BOOK, CHAPTERS, require_book

LEDGER = "book/reference/verdicts"


def background(page):
    return page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_front_page_is_reached(visit):
    page = visit(CHAPTERS[1]).page
    page.goto((BOOK / "index.html").as_uri())
    page.wait_for_function(f"location.pathname.endsWith('/{CHAPTERS[0]}.html')")


def test_search_finds_a_method(visit):
    page = visit("search").page
    page.locator("input[name=q]:visible").first.fill("AdaMEC")
    page.keyboard.press("Enter")
    page.wait_for_url("**q=AdaMEC*")
    hits = page.locator("#search-results ul.search li a")
    hits.nth(5).wait_for()  # the page lists them one after the other
    hits.first.click()
    page.wait_for_url("**/book/**")
    assert "AdaMEC" in page.locator("article").first.inner_text()


FIRST = {
    "expected cost": "foundations/costs_and_decisions",
    "AdaBoost": "foundations/variants",
    "functional gradient descent": "views/gradient_descent",
    "decision theory": "views/decision_theory",
    "margins": "views/margins",
    "product of experts": "views/product_of_experts",
    "calibration": "views/calibration",
    "Fisher consistency": "designs/fisher_consistency",
    "fat-shattering": "designs/fat_shattering",
    "p-norm": "designs/p_norm",
    "step length": "evidence/step_length",
    "which method": "practice/which_method",
}
"""For what a reader types, the page that must come first."""

PRACTITIONERS = {
    "practice/you_know_it_as": [
        "imbalance",
        "imbalanced",
        "class imbalance",
        "fraud",
        "churn",
        "credit",
        "SMOTE",
        "oversampling",
        "undersampling",
        "resampling",
        "class_weight",
        "scale_pos_weight",
        "sample_weight",
        "ROC",
        "AUC",
        "precision",
        "recall",
        "F1",
        "threshold moving",
        "focal loss",
    ],
    "foundations/costs_and_decisions": ["threshold", "cost matrix", "misclassification cost", "Brier"],
    "foundations/variants": ["AdaMEC", "AdaCost"],
    "views/calibration": ["Platt", "isotonic"],
    "practice/in_use": ["drift"],
    "practice/which_method": ["scikit-learn"],
    "practice/cheat_sheet": ["cheat sheet"],
    "practice/csb_and_others": [
        "imbalanced-learn",
        "LightGBM",
        "empulse",
        "MAPIE",
        "net benefit",
    ],
}
"""What somebody types who knows machine learning and none of the papers, by the page that must come first."""
EVERY = FIRST | {typed: page for page, words in PRACTITIONERS.items() for typed in words}


@pytest.mark.parametrize("typed", EVERY)
def test_search_finds_the_chapter_first(visit, typed):
    page = visit("search").page
    page.goto(f"{page.url}?q={quote(typed)}")
    first = page.locator("#search-results ul.search li a").first
    first.wait_for()
    page.locator("#search-results p.search-summary").get_by_text("page").wait_for()  # all are listed
    assert f"/{EVERY[typed]}.html" in first.get_attribute("href")


@pytest.mark.parametrize("typed", FIRST)
def test_search_shows_excerpts_of_prose(served, typed):
    require_book()
    visit = served("search")
    page = visit.page
    page.goto(f"{page.url}?q={quote(typed)}")
    page.locator("#search-results p.search-summary").get_by_text("page").wait_for()  # all are listed
    hits = page.locator("#search-results ul.search li:not(:has(> span))")  # without the names of csb
    excerpts = hits.locator("p.context")
    excerpts.nth(hits.count() - 1).wait_for()  # each page is fetched once it is listed
    texts = excerpts.all_inner_texts()
    assert len(texts) == hits.count() > 3
    assert [
        text for text in texts if re.search(r"[\\$]|^import |from [\w.]+ import |import \w+ as ", text)
    ] == []
    words = re.compile("|".join(word.rstrip("s") for word in re.findall(r"\w{3,}", typed)), re.IGNORECASE)
    assert words.search(texts[0]), "the chapter is shown where it says what was typed"
    assert visit.complaints == []


def test_search_finds_nothing_where_nothing_is(visit):
    page = visit("search").page
    page.goto(page.url + "?q=xyzzyplugh")
    page.get_by_text("did not match any documents").wait_for()
    assert page.locator("#search-results ul.search li").count() == 0


def test_button_switches_to_dark_and_back_to_light(visit):
    page = visit("book/index").page
    button = page.locator(".theme-switch-button:visible").first
    day, seen = background(page), {}
    for _ in range(3):
        button.focus()
        page.keyboard.press("Enter")
        seen[page.evaluate("document.documentElement.dataset.mode")] = background(page)
    assert set(seen) == {"light", "dark", "auto"}
    assert seen["light"] == day != seen["dark"]


def test_choice_of_theme_is_kept_on_the_next_page(visit):
    page = visit("book/index").page
    while page.evaluate("document.documentElement.dataset.mode") != "dark":
        page.locator(".theme-switch-button:visible").first.click()
    page.locator("a.right-next").click()
    page.wait_for_url(f"**/{CHAPTERS[1]}.html")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def solutions():
    """Chapters with a hidden solution, by what their notebooks say."""
    require_book()
    return [name for name in CHAPTERS if "sd-dropdown" in (BOOK / f"{name}.html").read_text("utf-8")]


def test_solutions_open_by_keyboard(visit):
    chapters = solutions()
    assert len(chapters) > 5
    page = visit(chapters[0]).page
    for summary in page.locator("details.sd-dropdown > summary").all():
        answer = summary.locator("xpath=following-sibling::*").first
        assert not answer.is_visible()
        summary.focus()
        page.keyboard.press("Enter")
        assert answer.is_visible()
        page.keyboard.press("Enter")
        assert not answer.is_visible()


def test_claims_are_filtered_by_verdict_and_sorted(visit):
    page = visit(LEDGER).page
    table, select = page.locator("table.csb-ledger").first, page.locator(".csb-filter select").first
    rows = table.locator("tbody tr:visible")
    every = rows.count()
    select.select_option(index=1)
    assert 0 < rows.count() < every
    assert set(rows.locator("td:nth-child(3)").all_inner_texts()) == {select.input_value()}
    select.select_option("")
    assert rows.count() == every
    heading = table.locator("th").first
    heading.locator("button").focus()
    page.keyboard.press("Enter")
    first = rows.first.locator("td").first
    assert (first.inner_text(), heading.get_attribute("aria-sort")) == ("N16-1", "ascending")
    page.keyboard.press("Enter")
    assert (first.inner_text(), heading.get_attribute("aria-sort")) == (f"N16-{every}", "descending")
