"""One look for all figures: a colour, a marker and a line style for each method, through the whole book.

Colours come from the colour-blind safe sets of Okabe & Ito and of Tol; methods of one family share a hue
and differ in line style and marker.
"""

from __future__ import annotations

import matplotlib.pyplot as plt

from csb.inputs import one_of

__all__ = ["LOOKS", "line_style", "set_style"]

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

# key: colour, marker, line style, label
_TABLE = {
    "adaboost": ("#000000", "o", "-", "AdaBoost"),
    "adamec": ("#0072B2", "s", "-", "AdaMEC"),
    "cgada": ("#D55E00", "^", "-", "CGAda"),
    "asymada": ("#009E73", "D", "-", "AsymAda"),
    "calibrated_adamec": ("#0072B2", "s", "--", "AdaMEC, calibrated"),
    "calibrated_cgada": ("#D55E00", "^", "--", "CGAda, calibrated"),
    "calibrated_asymada": ("#009E73", "D", "--", "AsymAda, calibrated"),
    "csada": ("#CC79A7", "v", "-", "CSAda"),
    "adadb": ("#CC79A7", "x", ":", "AdaDB"),
    "adac1": ("#E69F00", "<", "-", "AdaC1"),
    "adac2": ("#E69F00", ">", "--", "AdaC2"),
    "adac3": ("#E69F00", "P", ":", "AdaC3"),
    "csb0": ("#56B4E9", "1", ":", "CSB0"),
    "csb1": ("#56B4E9", "2", "--", "CSB1"),
    "csb2": ("#56B4E9", "3", "-", "CSB2"),
    "adacost": ("#882255", "h", "-", "AdaCost"),
    "adacost_beta2": ("#882255", "*", "--", r"AdaCost($\beta_2$)"),
    "gd_adacost": ("#882255", "d", ":", "GD-AdaCost"),
    "gd_adac1": ("#CC79A7", "<", "--", "GD-AdaC1"),
    "gd_asymboost": ("#CC79A7", ">", "-.", "GD-AsymBoost"),
    "asyb": ("#D55E00", "x", ":", "AsyB"),
    "logitboost": ("#117733", ".", ":", "LogitBoost"),
    "asybl": ("#117733", "p", "-", "AsyBL"),
    "asymmetric_logitboost": ("#117733", "h", "--", "asymmetric LogitBoost"),
    "adauboost": ("#332288", "8", "-", "AdaUBoost"),
    "thetaboost": ("#332288", "X", "--", "ThetaBoost"),
    "adaboost_m2": ("#000000", "s", "--", "AdaBoost.M2"),
    "lpcsb": ("#44AA99", "o", "-", "LpCSB"),
    "lpcsb_paper": ("#44AA99", "^", ":", "LpCSB as printed"),
    "lpcsb_pa": ("#AA4499", "D", "-", "LpCSB-PA"),
    "lpcsb_a": ("#AA4499", "v", "--", "LpCSB-A"),
    "dse": ("#999933", "<", ":", "DSE"),
    "gbse": ("#999933", ">", "-", "GBSE"),
    "gbset": ("#999933", "P", "--", "GBSE-T"),
    "costing": ("#88CCEE", "p", ":", "Costing"),
    "average_cost": ("#88CCEE", "X", "--", "Average Cost"),
    "forest": ("#DDAA33", "*", "-", "forest"),
    "calibrated_forest": ("#DDAA33", "h", "--", "calibrated forest"),
    "constant": ("#7f7f7f", "x", ":", "constant"),
    "bayes": ("#7f7f7f", "", "-.", "Bayes rule"),
}

LOOKS = {
    key: {"color": color, "marker": marker, "linestyle": line, "label": label}
    for key, (color, marker, line, label) in _TABLE.items()
}
"""What :func:`line_style` returns, by key.

:meta hide-value:
"""


def line_style(key: str) -> dict[str, str]:
    """Look of a method, as keyword arguments of ``Axes.plot``.

    Parameters
    ----------
    key : str
        Key of a variant, ``"calibrated_"`` and a key, a multiclass method, or ``"bayes"``.

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
    return dict(LOOKS[one_of("key", key, LOOKS)])


def set_style() -> None:
    """Set the style of all figures made from here on; in Jupyter they are drawn as SVG.

    Examples
    --------
    >>> set_style()
    """
    plt.rcParams.update(RC)
    try:
        shell = get_ipython()  # noqa: F821 defined by IPython
    except NameError:  # not in IPython
        return
    if "IPKernelApp" in shell.config:
        from matplotlib_inline.backend_inline import set_matplotlib_formats

        set_matplotlib_formats("svg", metadata={"Date": None})  # the same file in each build
