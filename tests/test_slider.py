"""The figure with a slider: what it shows is what the metrics say, and markup cannot break out."""

import json
import re

import numpy as np
import pytest
from hostile import NAMES, Reader

from csb.compendium.chapters.slider import ThresholdSlider
from csb.evaluation.metrics import expected_cost

RATIOS = np.geomspace(1 / 30, 30, 7)


@pytest.fixture
def cases():
    rng = np.random.default_rng(0)
    p = np.r_[rng.random(200), 0.0, 1.0]
    return np.where(rng.random(202) < p, "yes", "no"), p


def content(slider):
    return json.loads(re.search(r'application/json">(.*?)</script>', slider._repr_html_(), re.S)[1])


@pytest.mark.parametrize("pos_label", [None, "no"])
def test_numbers_in_the_page_are_those_of_the_metrics(cases, pos_label):
    y, p = cases
    data = content(ThresholdSlider(y, p, RATIOS, pos_label=pos_label))
    positive = y == (pos_label or "yes")
    assert len(data["ratios"]) == 7
    for at, ratio in enumerate(RATIOS):
        called = p > 1 / (1 + ratio)
        assert data["threshold"][at] == pytest.approx(1 / (1 + ratio), abs=1e-6)
        assert data["counts"][at] == [
            np.sum(~called & ~positive), np.sum(called & ~positive),
            np.sum(~called & positive), np.sum(called & positive),
        ]  # fmt: skip
        for decided, cost in zip((called, np.zeros(202), np.ones(202)), data["costs"][at], strict=True):
            wanted = expected_cost(positive.astype(int), decided.astype(int), fn_cost=ratio)
            assert cost == pytest.approx(wanted, abs=1e-6)
        assert float(data["ratios"][at]) == pytest.approx(ratio, rel=5e-3)


def test_bars_count_every_case_of_its_class_once(cases):
    y, p = cases
    negative, positive = content(ThresholdSlider(y, p, RATIOS, bins=10))["bars"]
    for bars, of in ((negative, p[y == "no"]), (positive, p[y == "yes"])):
        inner = [np.sum((low / 10 <= of) & (of < (low + 1) / 10)) for low in range(9)]
        assert bars == [*inner, np.sum(of >= 0.9)]


@pytest.mark.parametrize("name", NAMES)
def test_page_has_a_labelled_slider_and_names_cannot_break_it(cases, name):
    reader = Reader(ThresholdSlider(*cases, RATIOS, ("no", name))._repr_html_())
    assert reader.tags() == ["div", "p", "label", "input", "svg", "p", "output", "script", "script"]
    slider = dict(reader.elements)["input"]
    assert (slider["type"], slider["min"], slider["max"]) == ("range", "0", "6")
    assert json.loads(reader.texts["script"][0])["names"] == ["no", name]


@pytest.mark.parametrize(
    "y, p, ratios, words",
    [
        ([0, 1], [0.2, 1.5], [1.0], "y_prob holds 1.5"),
        ([0, 1], [0.2, 0.5], [1.0, 0.0], "fn_cost holds 0.0"),
        ([0, 1, 2], [0.2, 0.5, 0.5], [1.0], "allowed are two"),
    ],
)
def test_bad_input_is_refused(y, p, ratios, words):
    with pytest.raises(ValueError, match=words):
        ThresholdSlider(y, p, ratios)
