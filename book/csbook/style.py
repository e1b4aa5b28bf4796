"""One look for all figures: a colour, a marker and a line style for each method, through the whole book.

Colours come from the colour-blind safe sets of Okabe & Ito and of Tol; methods of one family share a hue
and differ in line style and marker.
"""

from __future__ import annotations

import builtins

import matplotlib.pyplot as plt

from csb.inputs import one_of
from csb.methods import METHODS
from csb.methods.row import Look

__all__ = ["OTHERS", "line_style", "set_style"]

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

OTHERS = {
    "lpcsb_paper": (Look("#44AA99", "^", ":"), "LpCSB as printed"),
    "forest": (Look("#DDAA33", "*", "-"), "forest"),
    "calibrated_forest": (Look("#DDAA33", "h", "--"), "calibrated forest"),
    "constant": (Look("#7f7f7f", "x", ":"), "constant"),
    "bayes": (Look("#7f7f7f", "", "-."), "Bayes rule"),
}
"""What figures show beside the methods of the registry."""


def line_style(key: str) -> dict[str, str]:
    """Look of a method, as keyword arguments of ``Axes.plot``.

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
        If the method has no look; the message names the nearest.

    Examples
    --------
    >>> line_style("cgada")["label"]
    'CGAda'
    """
    one_of("key", key, [*METHODS, *OTHERS])
    if key in OTHERS:
        look, label = OTHERS[key]
    else:
        look, label = METHODS[key].look, METHODS[key].name
    return look._asdict() | {"label": label}


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
