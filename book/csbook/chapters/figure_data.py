"""The numbers a figure draws, as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.category import StrCategoryLocator
from matplotlib.collections import Collection, PathCollection
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator
from numpy.typing import ArrayLike

__all__ = ["figure_data"]

COLUMNS = ("panel", "x_axis", "y_axis", "series", "part", "x", "y", "value")


def figure_data(figure: Figure) -> pd.DataFrame:
    """Points of all lines, markers, bands, outlines and images of a figure.

    Lines that mark a whole width or height, and text, are left out. What is masked or not finite is not
    drawn: it is missing.

    Parameters
    ----------
    figure : Figure
        What Matplotlib has drawn.

    Returns
    -------
    DataFrame
        One row a point. ``panel`` is the title of its axes or else their number, ``x_axis`` and ``y_axis``
        are their labels, ``series`` is the entry of the legend if there is one, ``part`` numbers what shares
        a panel and a series, and ``x`` and ``y`` are the coordinates, by name where the axis has names.
        Images add ``value``.

    Examples
    --------
    >>> figure = Figure()
    >>> ax = figure.add_subplot(xlabel="skew", ylabel="loss")
    >>> _ = ax.plot([0, 1], [0.5, 0.25], label="AdaMEC")
    >>> figure_data(figure).to_dict("records")[1]["y"]
    0.25
    """
    tables = []
    for number, ax in enumerate(figure.axes):
        parts: Counter[str] = Counter()
        for artist, points in _drawn(ax):
            label = str(artist.get_label())
            series = "" if label.startswith("_") else label
            where = {"panel": ax.get_title() or number, "series": series, "part": parts[series]}
            tables.append(_table(ax, *points).assign(**where))
            parts[series] += 1
    if not tables:
        return pd.DataFrame(columns=COLUMNS)
    table = pd.concat(tables, ignore_index=True)
    return table[[name for name in COLUMNS if name in table]]


def _drawn(ax: Axes) -> Iterator[tuple[Artist, Iterable[ArrayLike]]]:
    """Everything drawn there, with its coordinates in the units of the axes."""
    for line in ax.lines:
        if line.get_transform() == ax.transData:
            yield line, line.get_data()
    for collection in ax.collections:
        for points in _vertices(collection):
            yield collection, points.T
    for patch in ax.patches:
        if patch.get_data_transform() == ax.transData:
            yield patch, patch.get_patch_transform().transform(patch.get_path().vertices).T
    for image in ax.images:
        values: np.ndarray = np.ma.asarray(image.get_array())
        left, right, bottom, top = image.get_extent()
        rows, columns = values.shape[:2]
        x = left + (right - left) * (np.arange(columns) + 0.5) / columns
        first, last = (top, bottom) if image.origin == "upper" else (bottom, top)
        y = first + (last - first) * (np.arange(rows) + 0.5) / rows
        x, y = np.meshgrid(x, y)
        yield image, (x.ravel(), y.ravel(), values.reshape(rows * columns, -1)[:, 0])


def _vertices(collection: Collection) -> list[np.ndarray]:
    if isinstance(collection, PathCollection):
        return [np.ma.asarray(collection.get_offsets())]
    outlines = (np.asarray(path.vertices) for path in collection.get_paths())
    return [vertices for vertices in outlines if len(vertices)]


def _table(ax: Axes, x: ArrayLike, y: ArrayLike, value: ArrayLike | None = None) -> pd.DataFrame:
    columns = {
        "x_axis": ax.get_xlabel(),
        "y_axis": ax.get_ylabel(),
        "x": _named(ax.xaxis, _finite(x)),
        "y": _named(ax.yaxis, _finite(y)),
    }
    return pd.DataFrame(columns if value is None else columns | {"value": _finite(value)})


def _finite(values: ArrayLike) -> np.ndarray:
    filled: np.ndarray = np.ma.filled(np.ma.asarray(values, float), np.nan)
    return np.where(np.isfinite(filled), filled, np.nan)


def _named(axis: Axis, positions: np.ndarray) -> np.ndarray:
    """Texts of the ticks instead of their positions, where the axis was given a text for each."""
    positions = np.round(positions, 9)
    if not isinstance(axis.get_major_locator(), FixedLocator | StrCategoryLocator):
        return positions
    texts = [label.get_text() for label in axis.get_majorticklabels()]
    names = dict(zip(axis.get_majorticklocs(), texts, strict=False))
    if not all(names.get(position) for position in positions):
        return positions
    return np.array([names[position] for position in positions])
