"""The data of a figure are those it was drawn from."""

import matplotlib.pyplot as plt
import numpy as np
import pytest

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
