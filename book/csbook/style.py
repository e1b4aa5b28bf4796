"""One look for all figures: a colour, a marker and a line style for each method, through the whole book.

Colours come from the colour-blind safe sets of Okabe & Ito and of Tol; methods of one family share a hue
and differ in line style and marker.
"""

from __future__ import annotations

import builtins
from typing import NamedTuple

import matplotlib.pyplot as plt

from csb.inputs import one_of
from csb.methods import METHODS

__all__ = ["OTHERS", "PLOT_STYLES", "PlotStyle", "line_style", "set_style"]

RC = {
    "figure.figsize": (6.0, 3.6),
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "svg.fonttype": "path",
    "svg.hashsalt": "csb",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e5e5e5",
    "grid.linewidth": 0.6,
    "lines.linewidth": 1.6,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 9,
}


class PlotStyle(NamedTuple):
    """How a method is drawn, as Matplotlib names it."""

    color: str
    marker: str
    linestyle: str


PLOT_STYLES = {
    "adaboost": PlotStyle("#000000", "o", "-"),
    "adamec": PlotStyle("#0072B2", "s", "-"),
    "cgada": PlotStyle("#D55E00", "^", "-"),
    "asymada": PlotStyle("#009E73", "D", "-"),
    "csada": PlotStyle("#CC79A7", "v", "-"),
    "adadb": PlotStyle("#CC79A7", "x", ":"),
    "adac1": PlotStyle("#E69F00", "<", "-"),
    "adac2": PlotStyle("#E69F00", ">", "--"),
    "adac3": PlotStyle("#E69F00", "P", ":"),
    "csb0": PlotStyle("#56B4E9", "1", ":"),
    "csb1": PlotStyle("#56B4E9", "2", "--"),
    "csb2": PlotStyle("#56B4E9", "3", "-"),
    "adacost": PlotStyle("#882255", "h", "-"),
    "adacost_beta2": PlotStyle("#882255", "*", "--"),
    "gd_adacost": PlotStyle("#882255", "d", ":"),
    "gd_adac1": PlotStyle("#CC79A7", "<", "--"),
    "gd_asymboost": PlotStyle("#CC79A7", ">", "-."),
    "asyb": PlotStyle("#D55E00", "x", ":"),
    "adauboost": PlotStyle("#332288", "8", "-"),
    "thetaboost": PlotStyle("#332288", "X", "--"),
    "unequal_margin": PlotStyle("#332288", "v", "-."),
    "calibrated_adamec": PlotStyle("#0072B2", "s", "--"),
    "calibrated_cgada": PlotStyle("#D55E00", "^", "--"),
    "calibrated_asymada": PlotStyle("#009E73", "D", "--"),
    "logitboost": PlotStyle("#117733", ".", ":"),
    "asybl": PlotStyle("#117733", "p", "-"),
    "asymmetric_logitboost": PlotStyle("#117733", "h", "--"),
    "any_variant": PlotStyle("#7f7f7f", "o", "-"),
    "gradient_descent": PlotStyle("#882255", "s", "-."),
    "lpcsb": PlotStyle("#44AA99", "o", "-"),
    "lpcsb_pa": PlotStyle("#AA4499", "D", "-"),
    "lpcsb_a": PlotStyle("#AA4499", "v", "--"),
    "gbse": PlotStyle("#999933", ">", "-"),
    "gbset": PlotStyle("#999933", "P", "--"),
    "dse": PlotStyle("#999933", "<", ":"),
    "costing": PlotStyle("#88CCEE", "p", ":"),
    "average_cost": PlotStyle("#88CCEE", "X", "--"),
    "marginboost_l1": PlotStyle("#44AA99", "X", "-."),
    "adaboost_m2": PlotStyle("#000000", "s", "--"),
    "multiclass_adacost": PlotStyle("#882255", "h", "-"),
    "multiclass_csb2": PlotStyle("#56B4E9", "3", "-"),
    "metacost": PlotStyle("#332288", "*", "-"),
}
"""Colour, marker and line style of each method, by its key."""
UNKNOWN = PlotStyle("#333333", ".", "-")
"""Of a method that has none of its own."""

OTHERS = {
    "lpcsb_paper": (PlotStyle("#44AA99", "^", ":"), "LpCSB as printed"),
    "forest": (PlotStyle("#DDAA33", "*", "-"), "forest"),
    "calibrated_forest": (PlotStyle("#DDAA33", "h", "--"), "calibrated forest"),
    "constant": (PlotStyle("#7f7f7f", "x", ":"), "constant"),
    "bayes": (PlotStyle("#7f7f7f", "", "-."), "Bayes rule"),
}
"""What figures show beside the methods of the registry."""


def line_style(key: str) -> dict[str, str]:
    """Style of a method, as keyword arguments of ``Axes.plot``.

    Parameters
    ----------
    key : str
        Key of a method, or one of ``OTHERS``.

    Returns
    -------
    dict
        ``color``, ``marker``, ``linestyle`` and ``label``.

    Raises
    ------
    ValueError
        If there is no such method; the message names the nearest.

    Examples
    --------
    >>> line_style("cgada")["label"]
    'CGAda'
    """
    one_of("key", key, [*METHODS, *OTHERS])
    style, label = OTHERS.get(key) or (PLOT_STYLES.get(key, UNKNOWN), METHODS[key].name)
    return style._asdict() | {"label": label}


def set_style() -> None:
    """Set the style of all figures made from here on; in Jupyter they are drawn as SVG.

    Examples
    --------
    >>> set_style()
    """
    plt.style.use(RC)
    shell = getattr(builtins, "get_ipython", lambda: None)()  # a name that IPython defines
    if shell is not None and "IPKernelApp" in shell.config:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", metadata={"Date": None})  # the same file in each build
