"""A figure whose curves the reader picks, in a notebook and in the built book, without a network."""

from __future__ import annotations

import html
import json
from collections.abc import Mapping
from importlib.resources import files

import numpy as np
import pandas as pd

__all__ = ["CurvePicker"]


class CurvePicker:
    """Curves of many methods on many data sets, of which two are drawn.

    Parameters
    ----------
    curves : DataFrame
        Columns ``group``, ``method``, ``x``, ``mean``, ``low`` and ``high``; the same ``x`` for every curve.
    looks : mapping of str to mapping
        Matplotlib's ``color`` and ``linestyle`` for each method.
    labels : tuple of str
        Of the horizontal and the vertical axis, and of the area below a curve.
    first, second : str
        Methods that are drawn to begin with.

    Raises
    ------
    ValueError
        If a curve lacks a value of ``x`` that another one has.

    Examples
    --------
    >>> curves = pd.DataFrame({"group": "a", "method": ["m", "m"], "x": [0.0, 1.0], "mean": [0.1, 0.3]})
    >>> curves = curves.assign(low=0.0, high=0.4)
    >>> picker = CurvePicker(curves, {"m": {"color": "#000000", "linestyle": "-"}}, first="m", second="m")
    >>> "<select" in picker._repr_html_()
    True
    """

    def __init__(
        self,
        curves: pd.DataFrame,
        looks: Mapping[str, Mapping],
        labels: tuple[str, str, str] = ("skew z", "normalised loss Q", "area"),
        *,
        first: str,
        second: str,
    ):
        self.x = np.unique(curves["x"])
        self.curves = {}
        for (group, method), curve in curves.groupby(["group", "method"], sort=False):
            curve = curve.sort_values("x")
            if not np.array_equal(curve["x"], self.x):
                raise ValueError(f"curves: {method!r} on {group!r} does not have the x of the others")
            values = {name: curve[name].round(4).tolist() for name in ("mean", "low", "high")}
            width = self.x[-1] - self.x[0]
            values["area"] = float(np.trapezoid(curve["mean"], self.x) / width)
            self.curves.setdefault(group, {})[method] = values
        self.looks = {
            method: {"color": looks[method]["color"], "dashed": looks[method]["linestyle"] != "-"}
            for method in curves["method"].unique()
        }
        self.labels, self.first, self.second = labels, first, second

    def _repr_html_(self) -> str:
        xlabel, ylabel, number = self.labels
        data = {
            "x": self.x.round(6).tolist(), "curves": self.curves, "looks": self.looks,
            "xlabel": xlabel, "ylabel": ylabel, "number": number,
        }  # fmt: skip
        lists = [
            _select("Data set", self.curves, next(iter(self.curves))),
            _select("Method", self.looks, self.first),
            _select("beside", self.looks, self.second),
        ]
        return page("picker.js", " ".join(lists), data)

    def __repr__(self) -> str:
        return f"CurvePicker: {len(self.looks)} methods on {len(self.curves)} data sets"


def page(program: str, controls: str, data: Mapping) -> str:
    """Controls, an empty figure, a line of text, and the program of the package that fills them from data."""
    # a closing tag inside the data would end the script
    content = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    body = "\n".join(
        files("csb.compendium.chapters").joinpath(name).read_text("utf-8") for name in ("figure.js", program)
    )
    script = f'(function (root) {{\n{body}}})(document.currentScript.closest(".csb-picker"));'
    return (
        f'<div class="csb-picker"><p>{controls}</p>'
        '<svg viewBox="0 0 560 330" role="img" font-size="12"></svg><p><output></output></p>'
        f'<script type="application/json">{content}</script><script>{script}</script></div>'
    )


def _select(label: str, options, chosen: str) -> str:
    entries = "".join(
        f"<option{' selected' if option == chosen else ''}>{html.escape(option)}</option>"
        for option in options
    )
    return f"<label>{label} <select>{entries}</select></label>"
