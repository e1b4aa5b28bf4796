"""The figure whose curves the reader picks: its data are the curves, and markup cannot break out."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from csb.compendium.chapters.picker import CurvePicker

LOOKS = {"a": {"color": "#112233", "linestyle": "-"}, "b<": {"color": "#445566", "linestyle": "--"}}


@pytest.fixture
def curves():
    rng = np.random.default_rng(0)
    rows = [
        {"group": group, "method": method, "x": x, "mean": rng.uniform()}
        for group in ("one", "</script>")
        for method in LOOKS
        for x in (0.9, 0.1, 0.4)
    ]
    table = pd.DataFrame(rows)
    return table.assign(low=table["mean"] - 0.1, high=table["mean"] + 0.1)


def test_data_in_the_page_are_the_curves(curves):
    page = CurvePicker(curves, LOOKS, first="a", second="b<")._repr_html_()
    data = json.loads(re.search(r'application/json">(.*?)</script>', page, re.S)[1])
    assert data["x"] == [0.1, 0.4, 0.9] and list(data["curves"]) == ["one", "</script>"]
    for (group, method), curve in curves.groupby(["group", "method"]):
        curve, found = curve.sort_values("x"), data["curves"][group][method]
        np.testing.assert_allclose(found["mean"], curve["mean"], atol=1e-4)
        assert found["area"] == pytest.approx(np.trapezoid(curve["mean"], curve["x"]) / 0.8, abs=1e-3)
    assert data["looks"]["b<"] == {"color": "#445566", "dashed": True}


def test_page_has_three_labelled_lists_and_two_scripts(curves):
    class Counter(HTMLParser):
        def __init__(self):
            super().__init__()
            self.tags, self.chosen = [], []

        def handle_starttag(self, tag, attrs):
            self.tags.append(tag)
            self.chosen += [tag] if ("selected", None) in attrs else []

    counter = Counter()
    counter.feed(CurvePicker(curves, LOOKS, first="b<", second="a")._repr_html_())
    assert [counter.tags.count(tag) for tag in ("label", "select", "script", "svg", "output")] == [
        3,
        3,
        2,
        1,
        1,
    ]
    assert len(counter.chosen) == 3


def test_curves_on_other_skews_are_refused(curves):
    with pytest.raises(ValueError, match="'a' on 'one'"):
        CurvePicker(curves.drop(index=0), LOOKS, first="a", second="b<")
