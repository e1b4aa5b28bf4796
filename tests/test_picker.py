"""The figure whose curves the reader picks: its data are the curves, and markup cannot break out."""

import json

import numpy as np
import pandas as pd
import pytest
from hostile import NAMES, Reader, whole

from csb.compendium.chapters.picker import CurvePicker

LOOKS = {"a": {"color": "#112233", "linestyle": "-"}, "b<": {"color": "#445566", "linestyle": "--"}}


@pytest.fixture
def curves():
    rng = np.random.default_rng(0)
    rows = [
        {"group": group, "method": method, "x": x, "mean": rng.uniform()}
        for group in ("one", "2")
        for method in LOOKS
        for x in (0.9, 0.1, 0.4)
    ]
    table = pd.DataFrame(rows)
    return table.assign(low=table["mean"] - 0.1, high=table["mean"] + 0.1)


def read(picker):
    """The page and the data in it."""
    reader = Reader(picker._repr_html_())
    return reader, json.loads(reader.texts["script"][0])


def test_data_in_the_page_are_the_curves(curves):
    _, data = read(CurvePicker(curves, LOOKS, first="a", second="b<"))
    assert data["x"] == [0.1, 0.4, 0.9]
    assert (data["groups"], data["methods"]) == (["one", "2"], ["a", "b<"])
    for (group, method), curve in curves.groupby(["group", "method"]):
        found = data["curves"][data["groups"].index(group)][data["methods"].index(method)]
        curve = curve.sort_values("x")
        for name in ("mean", "low", "high"):
            np.testing.assert_allclose(found[name], curve[name], atol=1e-4)
        assert found["area"] == pytest.approx(np.trapezoid(curve["mean"], curve["x"]) / 0.8, abs=1e-3)
    assert data["looks"] == [
        {"color": "#112233", "dashed": False},
        {"color": "#445566", "dashed": True},
    ]


@pytest.mark.parametrize("name", NAMES)
def test_page_is_whole_whatever_the_names_are(curves, name):
    curves = curves.replace({"one": name, "a": name})
    reader, data = read(CurvePicker(curves, {**LOOKS, name: LOOKS["a"]}, first="b<", second=name))
    lists = 3 * ["label", "select", "option", "option"]
    assert reader.tags() == ["div", "p", *lists, "svg", "p", "output", "script", "script"]
    assert reader.texts["option"] == [whole(name), "2", *(2 * [whole(name), "b<"])]
    options = [attributes for tag, attributes in reader.elements if tag == "option"]
    assert [at for at, given in enumerate(options) if "selected" in given] == [0, 3, 4]
    assert data["groups"] == [name, "2"] and data["methods"] == [name, "b<"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_a_gap(curves, value):
    curves.loc[[1, 4], "mean"] = value
    curves.loc[1, ["low", "high"]] = -value, value
    _, data = read(CurvePicker(curves, LOOKS, first="a", second="b<"))
    assert [each is None for each in data["curves"][0][0]["mean"]] == [True, False, False]
    assert data["curves"][0][0]["low"][0] is data["curves"][0][0]["high"][0] is None
    assert data["curves"][0][0]["area"] is data["curves"][0][1]["area"] is None
    assert data["curves"][1][0]["area"] > 0


def test_a_method_may_be_absent_on_a_data_set(curves):
    _, data = read(CurvePicker(curves[3:], LOOKS, first="a", second="b<"))
    assert data["methods"] == ["b<", "a"]
    assert data["curves"][0][1] is None and data["curves"][1][1] is not None


def test_curves_on_other_skews_are_refused(curves):
    with pytest.raises(ValueError, match="'a' on 'one'"):
        CurvePicker(curves.drop(index=0), LOOKS, first="a", second="b<")


@pytest.mark.parametrize("x", [[0.5, 0.5], [0.5, np.nan], [0.5, np.inf], []])
def test_places_that_span_no_axis_are_refused(x):
    curves = pd.DataFrame({"group": "one", "method": "a", "x": x, "mean": 0.1, "low": 0.0, "high": 0.2})
    with pytest.raises(ValueError, match="two finite values"):
        CurvePicker(curves, LOOKS, first="a", second="a")


@pytest.mark.parametrize("chosen", ["first", "second"])
def test_a_method_that_is_not_there_is_refused(curves, chosen):
    with pytest.raises(ValueError, match=f"{chosen}='c': allowed are 'a', 'b<'"):
        CurvePicker(curves, LOOKS, **{"first": "a", "second": "a", chosen: "c"})
