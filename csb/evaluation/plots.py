"""Drawing of what :mod:`csb.evaluation.curves` has computed. Every function takes and returns Axes."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes

from csb.evaluation.curves import BrierCurve, Condition, CostCurve, MarginDistribution, ReliabilityDiagram
from csb.inputs import check_flag, check_instance

__all__ = ["plot_brier_curve", "plot_cost_curve", "plot_margin_distribution", "plot_reliability"]

CONDITIONS: dict[Condition, str] = {"skew": "skew $z$", "cost": "cost $c$ of a false alarm"}
LOSSES: dict[Condition, str] = {"skew": "normalised loss $Q$", "cost": "loss"}


def _axes(ax: Axes | None) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is None:
        return plt.subplots()[1]
    check_instance("ax", ax, Axes)
    return ax


def plot_brier_curve(curve: BrierCurve, ax: Axes | None = None, **look: Any) -> Axes:
    """Draw a Brier curve.

    Parameters
    ----------
    curve : BrierCurve
        From :func:`csb.evaluation.curves.brier_curve`.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **look
        Passed to ``Axes.plot``, for instance ``**csb.compendium.style.line_style("adamec")``; markers are
        left out.

    Returns
    -------
    Axes
        With labels.

    Examples
    --------
    >>> from csb.evaluation.curves import brier_curve
    >>> plot_brier_curve(brier_curve([0, 1], [0.5, 1.0])).get_xlabel()
    'skew $z$'
    """
    check_instance("curve", curve, BrierCurve)
    ax = _axes(ax)
    ax.plot(curve.condition, curve.loss, **{**look, "marker": ""})
    ax.set(xlabel=CONDITIONS[curve.over], ylabel=LOSSES[curve.over], xlim=(0, 1), ylim=(0, None))
    return ax


def plot_cost_curve(curve: CostCurve, ax: Axes | None = None, *, lines: bool = True, **look: Any) -> Axes:
    """Draw the lower envelope of a cost curve, above it faintly the line of each threshold.

    Parameters
    ----------
    curve : CostCurve
        From :func:`csb.evaluation.curves.cost_curve`.
    ax : Axes, optional
        Where to draw; a new figure by default.
    lines : bool, default True
        Whether to draw the lines.
    **look
        Passed to ``Axes.plot`` for the envelope; markers are left out.

    Returns
    -------
    Axes
        With labels.

    Examples
    --------
    >>> from csb.evaluation.curves import cost_curve
    >>> plot_cost_curve(cost_curve([0, 1], [0.5, 1.0])).get_ylabel()
    'normalised loss $Q$'
    """
    check_instance("curve", curve, CostCurve)
    ax = _axes(ax)
    if check_flag("lines", lines):
        ax.plot([0, 1], np.stack([curve.fnr, curve.fpr]), color="#bbbbbb", linewidth=0.4)
    ax.plot(curve.skew, curve.envelope, **{**look, "marker": ""})
    ax.set(xlabel=CONDITIONS["skew"], ylabel=LOSSES["skew"], xlim=(0, 1), ylim=(0, None))
    return ax


def plot_reliability(diagram: ReliabilityDiagram, ax: Axes | None = None, **look: Any) -> Axes:
    """Draw observed frequencies against predicted probabilities, the isotonic fit and the diagonal.

    Parameters
    ----------
    diagram : ReliabilityDiagram
        From :func:`csb.evaluation.curves.reliability_diagram`.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **look
        Passed to ``Axes.plot``.

    Returns
    -------
    Axes
        With labels.

    Examples
    --------
    >>> from csb.evaluation.curves import reliability_diagram
    >>> plot_reliability(reliability_diagram([0, 1], [0.5, 1.0])).get_xlabel()
    'predicted probability'
    """
    check_instance("diagram", diagram, ReliabilityDiagram)
    ax = _axes(ax)
    ax.plot([0, 1], [0, 1], color="#7f7f7f", linewidth=0.8)
    (points,) = ax.plot(diagram.predicted, diagram.observed, **{"marker": "o", **look, "linestyle": ""})
    ax.plot(diagram.level, diagram.isotonic, color=points.get_color(), linewidth=1.0)
    ax.set(xlabel="predicted probability", ylabel="observed frequency", xlim=(0, 1), ylim=(0, 1))
    return ax


def plot_margin_distribution(distribution: MarginDistribution, ax: Axes | None = None, **look: Any) -> Axes:
    """Draw the cumulative distribution of normalised margins.

    Parameters
    ----------
    distribution : MarginDistribution
        From :func:`csb.evaluation.curves.margin_distribution`.
    ax : Axes, optional
        Where to draw; a new figure by default.
    **look
        Passed to ``Axes.step``; markers are left out.

    Returns
    -------
    Axes
        With labels.

    Examples
    --------
    >>> from csb.evaluation.curves import margin_distribution
    >>> plot_margin_distribution(margin_distribution([0, 1], [0.5, 1.0], [1.0])).get_xlabel()
    'normalised margin'
    """
    check_instance("distribution", distribution, MarginDistribution)
    ax = _axes(ax)
    ax.step(distribution.margin, distribution.share, where="post", **{**look, "marker": ""})
    ax.set(xlabel="normalised margin", ylabel="share of examples", xlim=(-1, 1), ylim=(0, 1))
    return ax
