"""Figures that the reader operates draw whatever their names and their numbers are."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from csbook.chapters.claims import Verdict
from csbook.interactive import curves_figure, threshold_figure
from hostile import NAMES, whole

each_name = pytest.mark.parametrize("name", NAMES)
AFTER = "<p id='after'>after</p>"


def picker(name="a", **columns):
    """Two methods on two data sets, one of each of the name given."""
    curves = pd.DataFrame(
        [
            (group, method, x)
            for group in (name, "data")
            for method in (name, "b")
            for x in (0, 0.25, 0.5, 0.75, 1)
        ],
        columns=["group", "method", "x"],
    )
    curves = curves.assign(mean=0.3, low=0.2, high=0.4).assign(**columns)
    looks = {method: {"color": "#112233", "linestyle": "-"} for method in (name, "b")}
    return curves_figure(curves, looks, first=name, second="b")._repr_html_()


def shown(visit):
    """What the figure says, how many lines and bands it draws, and numbers that are none."""
    page = visit.page
    assert page.locator("#after").inner_text() == "after"
    assert page.evaluate("window.broken") is None
    assert visit.complaints == visit.outside == []
    markup = page.locator(".csb-panels").inner_html()
    assert "NaN" not in markup and "Infinity" not in markup and "undefined" not in markup
    counts = tuple(
        page.locator(f".csb-panels > svg > svg {kind}").count() for kind in ("polyline", "polygon")
    )
    return whole(page.locator(".csb-interactive output").text_content()), counts


@each_name
def test_picker_with_any_name(visit_text, name):
    visit = visit_text(picker(name) + AFTER)
    name = whole(name)
    assert shown(visit) == (f"{name}. {name}: area 0.300; b: area 0.300.", (2, 2))
    for place in (0, 1):
        visit.page.locator("select").nth(place).select_option(index=1)
    assert shown(visit) == ("data. b: area 0.300; b: area 0.300.", (2, 2))


@each_name
def test_slider_with_any_name(visit_text, name):
    slider = threshold_figure([0, 1], [0.2, 0.7], [1, 2, 4], ("negative", name))
    visit = visit_text(slider._repr_html_() + AFTER)
    visit.page.locator("input").press("ArrowRight")
    said, _ = shown(visit)
    assert said.startswith(f"A miss costs 4 times a false alarm: call {whole(name)} above 0.200.")


@each_name
def test_box_of_a_verdict_with_any_note(visit_text, name):
    box = Verdict("N16-1", "in part", None, None, None, name, "Eq. 4", "a claim", ())
    page = visit_text(box._repr_html_() + AFTER).page
    assert page.locator("#claim-N16-1 p").nth(2).text_content() == whole(name)
    assert page.locator("#after").inner_text() == "after" and page.evaluate("window.broken") is None


# the first method on the first data set has rows 0 to 4
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    "rows, lines",
    [([2], 2), ([0, 4], 1), ([1, 3], 3), ([0, 1, 2, 3, 4], 0)],
)
def test_what_is_not_finite_is_a_gap(visit_text, value, rows, lines):
    column = np.full(20, 0.3)
    column[rows] = value
    visit = visit_text(picker(mean=column, low=column - 0.1, high=column + 0.1) + AFTER)
    assert shown(visit) == ("a. a: area not known; b: area 0.300.", (lines + 1, lines + 1))
    visit.page.locator("select").nth(1).select_option(index=1)
    assert shown(visit) == ("a. b: area 0.300; b: area 0.300.", (2, 2))


def test_a_method_that_is_absent_on_a_data_set_is_not_drawn(visit_text):
    curves = pd.DataFrame(
        {"group": ["one", "one", "two", "two"], "method": ["a", "a", "b", "b"], "x": [0, 1, 0, 1]}
    )
    looks = {name: {"color": "#112233", "linestyle": "-"} for name in "ab"}
    curves = curves.assign(mean=0.3, low=0.2, high=0.4)
    page = curves_figure(curves, looks, first="a", second="b")._repr_html_()
    assert shown(visit_text(page + AFTER)) == ("one. a: area 0.300; b: area not known.", (1, 1))
