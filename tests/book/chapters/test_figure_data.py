"""The data of a figure are those it was drawn from."""

import base64
import io
import re
from functools import partial

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from csbook.chapters import chapter
from csbook.chapters.figure_data import figure_data


@pytest.fixture
def axes():
    fig, axes = plt.subplots(1, 2)
    yield axes
    plt.close(fig)


def read(ax, **where):
    table = figure_data(ax.figure)
    for column, value in where.items():
        table = table[table[column] == value]
    return table[["x", "y"]].to_numpy()


def test_lines_by_panel_and_legend(axes):
    axes[0].plot([1, 2, 3], [4.0, 5.0, 6.0], label="a")
    axes[0].plot([1, 2], [7.0, 8.0])
    axes[0].plot([1, 2], [9.0, 9.5])
    axes[1].plot([0], [0.5], label="a")
    axes[1].set(title="right", xlabel="skew", ylabel="loss")
    np.testing.assert_array_equal(read(axes[0], panel=0, series="a"), [[1, 4], [2, 5], [3, 6]])
    np.testing.assert_array_equal(read(axes[0], panel=0, series="", part=1), [[1, 9], [2, 9.5]])
    right = figure_data(axes[0].figure).query("panel == 'right'")
    assert right[["x_axis", "y_axis", "series", "y"]].to_numpy().tolist() == [["skew", "loss", "a", 0.5]]


def test_guides_across_the_whole_axes_are_left_out(axes):
    axes[0].plot([1], [2])
    axes[0].axhline(0.3)
    axes[0].axvline(0.3)
    axes[0].axvspan(0.1, 0.2)
    assert len(figure_data(axes[0].figure)) == 1


def test_markers_bands_and_bars(axes):
    axes[0].scatter([1, 2], [3, 4], label="points")
    axes[0].fill_between([0, 1], [2, 3], [4, 6], label="band")
    axes[1].bar([5], [7], width=0.5, label="bar")
    np.testing.assert_array_equal(read(axes[0], series="points"), [[1, 3], [2, 4]])
    assert {(0, 2), (1, 3), (0, 4), (1, 6)} <= set(map(tuple, read(axes[0], series="band")))
    bar = read(axes[0], panel=1)
    assert set(map(tuple, bar)) == {(4.75, 0), (5.25, 0), (5.25, 7), (4.75, 7)}


def test_error_bars_reach_from_low_to_high(axes):
    axes[0].errorbar([1, 2], [5, 6], yerr=[[1, 2], [3, 4]], label="e")
    found = set(map(tuple, read(axes[0])))
    assert {(1, 4), (1, 8), (2, 4), (2, 10), (1, 5), (2, 6)} <= found


@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_cells_of_an_image_lie_at_their_names(axes, origin):
    values = np.arange(6.0).reshape(2, 3)
    axes[0].imshow(values, origin=origin)
    axes[0].set_xticks(range(3), ["a", "b", "c"])
    axes[0].set_yticks(range(2), ["low", "high"])
    cells = figure_data(axes[0].figure).set_index(["y", "x"])["value"].unstack()
    assert cells.loc["low", ["a", "b", "c"]].tolist() == [0, 1, 2]
    assert cells.loc["high", ["a", "b", "c"]].tolist() == [3, 4, 5]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_is_missing(axes, value):
    axes[0].plot([1, 2, 3], [4.0, value, 6.0], label="line")
    axes[0].scatter([1, value], [3, 4], label="points")
    axes[0].fill_between([0, 1, 2], [2, value, 3], [4, 5, 6], label="band")
    axes[1].imshow([[0.0, value], [2.0, 3.0]])
    np.testing.assert_array_equal(read(axes[0], series="line"), [[1, 4], [2, np.nan], [3, 6]])
    np.testing.assert_array_equal(read(axes[0], series="points")[0], [1, 3])
    table = figure_data(axes[0].figure)
    assert not np.isinf(table[["x", "y", "value"]].to_numpy(float)).any()
    image = table.loc[table["panel"] == 1, "value"]
    assert image.isna().sum() == 1 and sorted(image.dropna()) == [0, 2, 3]


def test_what_is_masked_is_missing(axes):
    hidden = np.ma.masked_equal([1.0, 99.0, 3.0], 99.0)
    axes[0].plot([1, 2, 3], hidden)
    axes[1].imshow(hidden[np.newaxis])
    table = figure_data(axes[0].figure)
    assert not (table[["y", "value"]] == 99).any(axis=None)
    assert table.loc[table["panel"] == 0, "y"].isna().tolist() == [False, True, False]
    assert table.loc[table["panel"] == 1, "value"].isna().tolist() == [False, True, False]


def test_chapters_glue_the_figure_and_a_link_that_holds_its_data(monkeypatch):
    pytest.importorskip("IPython", reason="needs the packages of the book")
    glued = {}
    monkeypatch.setattr(chapter, "_glue", glued.__setitem__)
    fig, ax = plt.subplots()
    ax.plot([0, 1], [0.25, 1 / 3], label="AdaMEC")
    chapter.figure("fig-x", fig)
    chapter.text("n", 3)
    assert glued["n"] == "3" and glued["fig-x"] is fig
    assert not plt.fignum_exists(fig.number)
    link = glued["fig-x-data"].data
    assert 'download="fig-x.csv"' in link
    table = pd.read_csv(io.BytesIO(base64.b64decode(re.search(r"base64,([^\"]+)", link)[1])))
    assert table["series"].tolist() == ["AdaMEC"] * 2
    np.testing.assert_allclose(table["y"], [0.25, 1 / 3], rtol=1e-5)


def test_values_are_kept_as_myst_nb_keeps_them():
    myst_nb = pytest.importorskip("myst_nb", reason="needs the packages of the book")
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.display import HTML
    from IPython.utils.capture import capture_output

    InteractiveShell.instance()  # which knows how figures are drawn
    fig, ax = plt.subplots()
    ax.plot([0, 1])
    for value in ("0.25", HTML("<p>x</p>"), fig):
        kept = []
        for keep in (partial(myst_nb.glue, display=False), chapter._glue):
            with capture_output() as caught:
                keep("a-name", value)
            ((output),) = caught.outputs
            kept.append((output.data, output.metadata))
        assert kept[0] == kept[1] and kept[0][0]
    plt.close(fig)
