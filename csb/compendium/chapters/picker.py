"""A figure whose curves the reader picks, in a notebook and in the built book, without a network."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.resources import files

import numpy as np
import pandas as pd
from scipy.integrate import trapezoid

from csb.compendium.chapters.markup import Markup, data_script, element
from csb.inputs import one_of

__all__ = ["CurvePicker"]


class CurvePicker:
    """Curves of many methods on many data sets, of which two are drawn.

    Parameters
    ----------
    curves : DataFrame
        Columns ``group``, ``method``, ``x``, ``mean``, ``low`` and ``high``; the same ``x`` for every curve.
        A value that is not finite is a gap in its curve.
    looks : mapping of str to mapping
        Matplotlib's ``color`` and ``linestyle`` for each method.
    labels : tuple of str
        Of the horizontal and the vertical axis, and of the area below a curve.
    first, second : str
        Methods that are drawn to begin with.

    Raises
    ------
    ValueError
        If a curve lacks a value of ``x`` that another one has, these are not finite or fewer than two, or
        ``first`` or ``second`` is no method.

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
    ) -> None:
        self.x = np.unique(curves["x"])
        if len(self.x) < 2 or not np.isfinite(self.x).all():
            raise ValueError(f"curves: x is one of {self.x}, where two finite values or more are needed")
        self.groups, self.methods = list(curves["group"].unique()), list(curves["method"].unique())
        self.first, self.second = one_of("first", first, self.methods), one_of("second", second, self.methods)
        width = self.x[-1] - self.x[0]
        self.curves = {}
        for (group, method), curve in curves.groupby(["group", "method"], sort=False):
            curve = curve.sort_values("x")
            if not np.array_equal(curve["x"], self.x):
                raise ValueError(f"curves: {method!r} on {group!r} does not have the x of the others")
            found = curve[["mean", "low", "high"]].replace([np.inf, -np.inf], np.nan)
            values = found.round(4).to_dict("list")
            values["area"] = float(trapezoid(found["mean"], self.x) / width)
            self.curves[group, method] = values
        self.looks = [
            {"color": looks[method]["color"], "dashed": looks[method]["linestyle"] != "-"}
            for method in self.methods
        ]
        self.labels = labels

    def _repr_html_(self) -> str:
        xlabel, ylabel, number = self.labels
        # in lists, by place: as a key or as the value of a choice, a name may be changed by the browser
        curves = [[self.curves.get((group, method)) for method in self.methods] for group in self.groups]
        data = {
            "x": self.x.round(6), "groups": self.groups, "methods": self.methods,
            "looks": self.looks, "curves": curves,
            "xlabel": xlabel, "ylabel": ylabel, "number": number,
        }  # fmt: skip
        lists = [
            _select("Data set", self.groups, self.groups[0]),
            _select("Method", self.methods, self.first),
            _select("beside", self.methods, self.second),
        ]
        return page("picker.js", lists, data)

    def __repr__(self) -> str:
        return f"CurvePicker: {len(self.methods)} methods on {len(self.groups)} data sets"


def page(program: str, controls: Iterable[Markup], data: Mapping) -> Markup:
    """Controls, an empty figure, a line of text, and the program of the package that fills them from data."""
    body = "\n".join(
        files("csb.compendium.chapters").joinpath(name).read_text("utf-8") for name in ("figure.js", program)
    )
    script = f'(function (root) {{\n{body}}})(document.currentScript.closest(".csb-picker"));'
    return element(
        "div", {"class": "csb-picker"},
        element("p", None, Markup(" ".join(controls))),
        element("svg", {"viewBox": "0 0 560 330", "role": "img", "font-size": 12}),
        element("p", None, element("output")),
        data_script(data),
        element("script", None, Markup(script)),
    )  # fmt: skip


def _select(label: str, names: Iterable[str], chosen: str) -> Markup:
    options = (element("option", {"selected": name == chosen}, name) for name in names)
    return element("label", None, f"{label} ", element("select", None, *options))
