"""Curves of many methods on many data sets, of which the reader lays two over each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.integrate import trapezoid

from csb.inputs import check_instance, one_of, read_array
from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel, Task

__all__ = ["curves_figure"]

MANY = 5
"""So many times the area of the first method shall the second one have, is the task."""
COLUMNS = ("x", "mean", "low", "high")


def curves_figure(
    curves: pd.DataFrame,
    looks: Mapping[str, Mapping],
    labels: tuple[str, str, str] = ("skew z", "normalised loss Q", "area"),
    *,
    first: str,
    second: str,
    constant: ArrayLike | None = None,
) -> InteractiveFigure:
    """A list of data sets and two of methods; the two curves with their intervals on axes that stay.

    Parameters
    ----------
    curves : DataFrame
        Columns ``group``, ``method``, ``x``, ``mean``, ``low`` and ``high``; the same ``x`` for every curve.
        A value that is not finite is a gap in its curve; a method may be absent from a group.
    looks : mapping of str to mapping
        Matplotlib's ``color`` and ``linestyle`` for each method.
    labels : tuple of str
        Of the horizontal and the vertical axis, and of the area below a curve.
    first, second : str
        Methods that are drawn to begin with.
    constant : array_like of shape (n,), optional
        What the cheaper constant decision has at each ``x``.

    Returns
    -------
    InteractiveFigure
        Three lists and one panel. The task, where it can be done, is to find a data set on which the
        second method has many times the area of the first.

    Raises
    ------
    ValueError
        If a curve lacks a value of ``x`` that another one has, these are not finite or fewer than two, or
        ``first`` or ``second`` is no method.

    Examples
    --------
    >>> curves = pd.DataFrame({"group": "a", "method": ["m", "m"], "x": [0.0, 1.0], "mean": [0.1, 0.3]})
    >>> curves = curves.assign(low=0.0, high=0.4)
    >>> figure = curves_figure(curves, {"m": {"color": "#000000", "linestyle": "-"}}, first="m", second="m")
    >>> figure.words[1].at({"Data set": 0, "Method": 0})
    'm: area 0.200;'
    """
    check_instance("curves", curves, pd.DataFrame)
    x = np.unique(curves["x"])
    if len(x) < 2 or not np.isfinite(x).all():
        raise ValueError(f"curves: x is one of {x}, where two finite values or more are needed")
    groups, methods = list(curves["group"].unique()), list(curves["method"].unique())
    starts = [methods.index(one_of(name, of, methods)) for name, of in (("first", first), ("second", second))]
    absent = pd.DataFrame({name: x if name == "x" else np.nan for name in COLUMNS})
    table = [[absent] * len(methods) for _ in groups]
    for (group, method), curve in curves.groupby(["group", "method"], sort=False):
        curve = curve.sort_values("x").replace([np.inf, -np.inf], np.nan)
        if not np.array_equal(curve["x"], x):
            raise ValueError(f"curves: {method!r} on {group!r} does not have the x of the others")
        table[groups.index(group)][methods.index(method)] = curve
    values = {name: [[each[name].to_numpy() for each in row] for row in table] for name in COLUMNS[1:]}
    words = [
        [_words(method, each, labels[2]) for method, each in zip(methods, row, strict=True)] for row in table
    ]
    marks = []
    top = 1.05 * float(curves["mean"].replace([np.inf, -np.inf], np.nan).max())
    if constant is not None:
        constant = read_array("constant", constant, shape=x.shape)
        marks.append(Mark("line", {"x": x, "y": constant}, dash="2 4", label="the cheaper constant"))
        top = max(top, 1.05 * float(constant.max()))
    colors, dashes = ([looks[each]["color"] for each in methods], [_dash(looks[each]) for each in methods])
    for side in ("Method", "beside"):
        of = {name: Controlled(each, ("Data set", side)) for name, each in values.items()}
        color = Controlled(colors, (side,))
        marks.append(Mark("band", {"x": x, "low": of["low"], "high": of["high"]}, color))
        line: dict[str, ArrayLike | Controlled] = {"x": x, "y": of["mean"]}
        marks.append(
            Mark("line", line, color, Controlled(dashes, (side,)), label=Controlled(methods, (side,)))
        )
    panel = Panel(
        "", labels[0], labels[1], (float(x[0]), float(x[-1])), (0.0, top if top > 0 else 1.0), marks
    )
    controls = [
        Control("Data set", groups, 0, slider=False),
        Control("Method", methods, starts[0], slider=False),
        Control("beside", methods, starts[1], slider=False),
    ]
    said = [Controlled([f"{group}." for group in groups], ("Data set",))]
    for side, end in (("Method", ";"), ("beside", ".")):
        said.append(Controlled([[each + end for each in row] for row in words], ("Data set", side)))
    areas = [[_area(row[at], x) for at in starts] for row in table]
    solved = [
        {"Data set": at, "Method": starts[0], "beside": starts[1]}
        for at, (one, other) in enumerate(areas)
        if other > MANY * one
    ]
    asks = f"Find a data set on which the area of {second} is over {MANY} times that of {first}."
    task = Task.if_solvable(asks, solved)
    return InteractiveFigure("Curves side by side", controls, [panel], said, task)


def _area(curve: pd.DataFrame, x: np.ndarray) -> float:
    return float(trapezoid(curve["mean"], x) / np.ptp(x))


def _dash(look: Mapping) -> str:
    return "" if look["linestyle"] == "-" else "6 4"


def _words(method: str, curve: pd.DataFrame, number: str) -> str:
    area = _area(curve, curve["x"].to_numpy())
    return f"{method}: {number} {'not known' if np.isnan(area) else f'{area:.3f}'}"
