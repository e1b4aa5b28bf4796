"""Comparisons by band of the cost ratio, as figures and as words."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

__all__ = ["band_figure", "in_words"]

WIDTH, ROW, REST = 6.2, 0.21, 0.95
"""Inches: of a figure, of each of its rows, and of what stands above and below them."""
COLUMN, GAP = 3.18, 0.2
"""Inches: what fits, with its margin, one of two columns of A4, and what is above each panel there."""
GREY = "#dcdcdc"


def band_figure(
    found: pd.DataFrame,
    looks: Mapping[str, Mapping[str, str]],
    label: str,
    *,
    one_scale: bool = True,
    margins: Mapping[tuple[str, str], float] | None = None,
    stacked: bool = False,
) -> Figure:
    """Differences with their intervals: a panel for each band, a row for each comparison.

    A mark is filled where its interval excludes zero.

    Parameters
    ----------
    found : DataFrame
        As :func:`csbook.studies.by_band` gives it; the first comparison is on top.
    looks : mapping of str to mapping
        Of each comparison, ``color`` and ``marker``, such as :func:`csbook.style.line_style` has them; a
        marker that cannot be filled becomes a circle.
    label : str
        Of the axis of the differences.
    one_scale : bool, default True
        Whether all panels share one scale; else each has its own.
    margins : mapping of (str, str) to float, optional
        By comparison and band, the difference from zero up to which it does not matter; drawn in grey.
    stacked : bool, default False
        Whether the panels stand below one another, as wide as a column of print; else side by side.

    Returns
    -------
    Figure

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["AdaMEC"], ["up to 2.5", "10 and more"]])
    >>> found = pd.DataFrame({"mean": [-0.1, 0.2], "low": [-0.2, 0.1], "high": [0.1, 0.3]}, index)
    >>> drawn = band_figure(found, {"AdaMEC": {"color": "#0072B2", "marker": "s"}}, "gain")
    >>> [ax.get_title() for ax in drawn.axes]
    ['up to 2.5 : 1', '10 and more : 1']
    >>> plt.close(drawn)
    """
    compared, bands = found.index.unique(0), found.index.unique(1)
    size, grid = (WIDTH, REST + ROW * len(compared)), (1, len(bands))
    if stacked:
        size, grid = (COLUMN, REST / 2 + len(bands) * (GAP + ROW * len(compared))), (len(bands), 1)
    fig, axes = plt.subplots(*grid, figsize=size, sharex=one_scale, sharey=True, squeeze=False)
    for ax, band in zip(axes.flat, bands, strict=True):
        ax.axvline(0, color="#444444", linewidth=0.8)
        for row, name in enumerate(compared):
            of, look = found.loc[(name, band)], looks[name]
            if margins:
                within = margins[name, band]
                ax.fill_betweenx([row - 0.4, row + 0.4], -within, within, color=GREY, linewidth=0)
            clear = of["low"] > 0 or of["high"] < 0
            ax.plot([of["low"], of["high"]], [row, row], color=look["color"], label=name)
            mark = look["marker"] if look["marker"] in Line2D.filled_markers else "o"
            ax.plot(
                of["mean"], row, mark, color=look["color"],
                markerfacecolor=look["color"] if clear else "white", label=name,
            )  # fmt: skip
        ax.set_title(f"{band} : 1", fontsize=9)
        ax.locator_params(axis="x", nbins=4)
        ax.tick_params(axis="x", labelsize=7.5)
    for ax in axes[:, 0]:
        ax.set_yticks(range(len(compared)), compared, fontsize=8)
    axes[0][0].set_ylim(len(compared) - 0.5, -0.5)
    axes.flat[-1 if stacked else len(bands) // 2].set_xlabel(label, fontsize=9)
    return fig


def in_words(found: pd.DataFrame, compared: str, digits: int = 3, sets: bool = False) -> str:
    """What a comparison comes to in each band.

    Parameters
    ----------
    found : DataFrame
        As :func:`csbook.studies.by_band` gives it.
    compared : str
        Which of the comparisons.
    digits : int, default 3
        Behind the point.
    sets : bool, default False
        Also say on how many data sets the difference is above zero.

    Returns
    -------
    str

    Examples
    --------
    >>> index = pd.MultiIndex.from_product([["AdaMEC"], ["up to 2.5", "10 and more"]])
    >>> found = pd.DataFrame({"mean": [-0.1, 0.2], "low": [-0.2, 0.1], "high": [0.1, 0.3]}, index)
    >>> in_words(found, "AdaMEC", 1)
    'up to 2.5: -0.1 [-0.2, 0.1]; 10 and more: +0.2 [0.1, 0.3]'
    """
    words = []
    for band, of in found.loc[compared].iterrows():
        told = f"{band}: {of['mean']:+.{digits}f} [{of['low']:.{digits}f}, {of['high']:.{digits}f}]"
        words.append(told + (f", above zero on {of['above']:.0f} of {of['sets']:.0f} sets" if sets else ""))
    return "; ".join(words)
