"""A figure by band shows the numbers it is given, with the colours it is given, and words say them."""

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from csbook.chapters.bands import band_figure, in_words
from csbook.chapters.figure_data import figure_data

BANDS = ["up to 2.5", "10 and more"]
LOOKS = {"b": {"color": "#0072B2", "marker": "s"}, "a": {"color": "#D55E00", "marker": "^"}}


@pytest.fixture
def found():
    """In the first band both intervals include zero, in the other one lies above it and one below."""
    index = pd.MultiIndex.from_product([["b", "a"], BANDS], names=["compared", "band"])
    values = {
        "mean": [-0.1, 0.2, 0.0, -0.3], "low": [-0.3, 0.1, -0.1, -0.4], "high": [0.1, 0.3, 0.1, -0.2],
        "above": [3, 17, 9, 0], "sets": 18,
    }  # fmt: skip
    return pd.DataFrame(values, index)


def test_a_panel_a_band_and_a_row_a_comparison(found):
    fig = band_figure(found, LOOKS, "gain")
    drawn = figure_data(fig)
    for (compared, band), of in found.iterrows():
        here = drawn[(drawn["panel"] == f"{band} : 1") & (drawn["series"] == compared)]
        assert here["x"].tolist() == [of["low"], of["high"], of["mean"]]
        assert here["y"].nunique() == 1
    assert [label.get_text() for label in fig.axes[0].get_yticklabels()] == ["b", "a"]
    assert all(ax.yaxis_inverted() for ax in fig.axes), "the first is on top"
    plt.close(fig)


def test_colours_are_those_given_and_what_excludes_zero_is_filled(found):
    fig = band_figure(found, LOOKS, "gain")
    for ax, filled in zip(fig.axes, (False, True), strict=True):
        for name, look in LOOKS.items():
            interval, mark = (line for line in ax.lines if line.get_label() == name)
            assert interval.get_color() == mark.get_color() == look["color"]
            assert mark.get_marker() == look["marker"]
            assert mark.get_markerfacecolor() == (look["color"] if filled else "white")
    plt.close(fig)


def test_panels_have_one_scale_or_each_its_own_and_marks_that_can_be_filled(found):
    looks = LOOKS | {"a": LOOKS["a"] | {"marker": "2"}}
    for one_scale in (True, False):
        fig = band_figure(found, looks, "gain", one_scale=one_scale)
        first, second = fig.axes
        assert (first.get_xlim() == second.get_xlim()) is one_scale
        assert [line.get_marker() for line in first.lines if line.get_label() == "a"][1] == "o"
        plt.close(fig)


def test_what_does_not_matter_is_grey_on_both_sides_of_zero(found):
    margins = {at: 0.01 * (k + 1) for k, at in enumerate(found.index)}
    fig = band_figure(found, LOOKS, "gain", margins=margins)
    for band, ax in zip(BANDS, fig.axes, strict=True):
        for row, (name, area) in enumerate(zip(LOOKS, ax.collections, strict=True)):
            box = area.get_paths()[0].get_extents()
            assert (box.x0, box.x1) == pytest.approx((-margins[name, band], margins[name, band]))
            assert box.y0 < row < box.y1
    plt.close(fig)
    fig = band_figure(found, LOOKS, "gain")
    assert not any(ax.collections for ax in fig.axes)
    plt.close(fig)


def test_stacked_panels_hold_the_same_numbers_and_fit_a_column(found):
    beside, below = (band_figure(found, LOOKS, "gain", stacked=stacked) for stacked in (False, True))
    drawn, expected = (figure_data(fig).drop(columns=["x_axis", "y"]) for fig in (below, beside))
    assert drawn.equals(expected)
    assert below.get_size_inches()[0] < beside.get_size_inches()[0]
    below.canvas.draw()
    places = [ax.get_position() for ax in below.axes]
    assert len({place.x0 for place in places}) == 1 and places[0].y0 > places[1].y1
    assert [ax.get_xlabel() for ax in below.axes] == ["", "gain"]
    for ax in below.axes:
        assert [label.get_text() for label in ax.get_yticklabels()] == ["b", "a"]
        assert {label.get_fontsize() for label in ax.get_yticklabels()} == {8.0}
    plt.close(beside)
    plt.close(below)


def test_words_name_every_band(found):
    assert in_words(found, "a", 2) == "up to 2.5: +0.00 [-0.10, 0.10]; 10 and more: -0.30 [-0.40, -0.20]"
    assert in_words(found, "b", 1, sets=True).endswith("+0.2 [0.1, 0.3], above zero on 17 of 18 sets")
