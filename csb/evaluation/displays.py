"""Displays in the manner of scikit-learn's of what decisions and probabilities are worth, with intervals.

:mod:`csb.evaluation.curves` and :mod:`csb.evaluation.net_benefit` compute what is drawn here. How displays
are made, by ``from_estimator`` and ``from_predictions``, and drawn, by ``plot``, stands with the two classes
that they share, :class:`~csb.evaluation.curve_display.PredictionDisplay` and
:class:`~csb.evaluation.curve_display.CurveDisplay`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from csb.evaluation.curve_display import GRID, Band, CurveDisplay, PredictionDisplay
from csb.evaluation.curves import (
    BrierCurve,
    Condition,
    CostCurve,
    MarginDistribution,
    ReliabilityDiagram,
    brier_curve,
    cost_curve,
    reliability_diagram,
)
from csb.evaluation.net_benefit import DecisionCurve, decision_curve
from csb.inputs import check_flag

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = [
    "BrierCurveDisplay", "CostCurveDisplay", "DecisionCurveDisplay", "MarginDistributionDisplay",
    "ReliabilityDisplay",
]  # fmt: skip

CONDITIONS: dict[Condition, str] = {"skew": "skew $z$", "cost": "cost $c$ of a false alarm"}
LOSSES: dict[Condition, str] = {"skew": "normalised loss $Q$", "cost": "loss"}


class BrierCurveDisplay(PredictionDisplay):
    """Brier curve: loss of thresholding probabilities at the operating condition.

    Option: ``over``, what the condition is, as :func:`csb.evaluation.curves.brier_curve` takes it.

    Examples
    --------
    >>> display = BrierCurveDisplay.from_predictions([0, 1], [0.5, 1.0], over="cost")
    >>> display.ax_.get_xlabel(), display.curve.area
    ('cost $c$ of a false alarm', 0.125)
    """

    _kind = BrierCurve
    _compute = staticmethod(brier_curve)
    _options = ("over",)

    def _draw(self, ax: Axes, **look: Any) -> Line2D:
        (line,) = ax.plot(self.curve.condition, self.curve.loss, **{**look, "marker": ""})
        return line

    def _frame(self, ax: Axes) -> None:
        over = self.curve.over
        ax.set(xlabel=CONDITIONS[over], ylabel=LOSSES[over], xlim=(0, 1), ylim=(0, None))

    @classmethod
    def _values(cls, resampled: BrierCurve, curve: BrierCurve) -> np.ndarray:
        return resampled.at(GRID)


class CostCurveDisplay(PredictionDisplay):
    """Cost curve: the lower envelope of the losses of all thresholds, and above it faintly the line of each.

    Any score will do: from an estimator, probabilities if it gives them, else its ``decision_function``. The
    lines are left out by ``lines=False``, which goes to ``plot``.

    Examples
    --------
    >>> display = CostCurveDisplay.from_predictions([0, 1], [0.5, 1.0], lines=False)
    >>> display.ax_.get_ylabel()
    'normalised loss $Q$'
    """

    _kind = CostCurve
    _compute = staticmethod(cost_curve)
    _responses = ("predict_proba", "decision_function")

    def _draw(self, ax: Axes, lines: bool = True, **look: Any) -> Line2D:
        if check_flag("lines", lines):
            ends = np.stack([self.curve.fnr, self.curve.fpr])
            ax.plot([0, 1], ends, color="#bbbbbb", linewidth=0.4)
        (line,) = ax.plot(self.curve.skew, self.curve.envelope, **{**look, "marker": ""})
        return line

    def _frame(self, ax: Axes) -> None:
        ax.set(xlabel=CONDITIONS["skew"], ylabel=LOSSES["skew"], xlim=(0, 1), ylim=(0, None))

    @classmethod
    def _values(cls, resampled: CostCurve, curve: CostCurve) -> np.ndarray:
        return np.interp(GRID, resampled.skew, resampled.envelope)


class DecisionCurveDisplay(PredictionDisplay):
    """Decision curve: net benefit over threshold probabilities, beside that of the constant decisions.

    Option: ``thresholds``, as :func:`csb.evaluation.net_benefit.decision_curve` takes them.

    Examples
    --------
    >>> display = DecisionCurveDisplay.from_predictions([1, 0, 0], [0.9, 0.4, 0.1], name="model")
    >>> [text.get_text() for text in display.ax_.get_legend().get_texts()]
    ['all positive', 'all negative', 'model']
    """

    _kind = DecisionCurve
    _compute = staticmethod(decision_curve)
    _options = ("thresholds",)

    def _draw(self, ax: Axes, **look: Any) -> Line2D:
        t = self.curve.threshold
        _refer(ax, t, self.curve.all_positive, "-.", "all positive")
        _refer(ax, t, np.zeros(len(t)), ":", "all negative")
        (line,) = ax.plot(t, self.curve.net_benefit, **{**look, "marker": ""})
        return line

    def _frame(self, ax: Axes) -> None:
        highest = 0.0 if self.band is None else float(self.band.high.max())
        # what all positive loses at high thresholds would fill the figure
        top = max(self.curve.prevalence, highest) or 1.0
        ax.set(
            xlabel="threshold probability",
            ylabel="net benefit\n(true positives per case)",
            xlim=(0, 1),
            ylim=(-0.2 * top, 1.1 * top),
        )

    @classmethod
    def _positions(cls, curve: DecisionCurve) -> np.ndarray:
        return curve.threshold

    @classmethod
    def _values(cls, resampled: DecisionCurve, curve: DecisionCurve) -> np.ndarray:
        return resampled.net_benefit


class ReliabilityDisplay(PredictionDisplay):
    """Reliability diagram: observed frequency against predicted probability in bins, and the isotonic fit.

    Option: ``n_bins``, as :func:`csb.evaluation.curves.reliability_diagram` takes it. The interval is that of
    the frequency in each bin; a resample that leaves a bin empty counts there as the sample itself.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions([0, 1, 1], [0.2, 0.2, 0.9], n_bins=2)
    >>> display.line_.get_ydata()
    array([0.5, 1. ])
    """

    _kind = ReliabilityDiagram
    _compute = staticmethod(reliability_diagram)
    _options = ("n_bins",)

    def _draw(self, ax: Axes, **look: Any) -> Line2D:
        _refer(ax, np.array([0.0, 1.0]), np.array([0.0, 1.0]), ":", "perfectly calibrated")
        look = {"marker": "o", **look, "linestyle": ""}
        (points,) = ax.plot(self.curve.predicted, self.curve.observed, **look)
        ax.plot(self.curve.level, self.curve.isotonic, color=points.get_color(), linewidth=1.0)
        return points

    def _frame(self, ax: Axes) -> None:
        ax.set(xlabel="predicted probability", ylabel="observed frequency", xlim=(0, 1), ylim=(0, 1))

    def _draw_band(self, ax: Axes, band: Band) -> Artist:
        return ax.vlines(band.position, band.low, band.high, color=self.line_.get_color(), linewidth=1.0)

    @classmethod
    def _positions(cls, curve: ReliabilityDiagram) -> np.ndarray:
        return curve.predicted

    @classmethod
    def _values(cls, resampled: ReliabilityDiagram, curve: ReliabilityDiagram) -> np.ndarray:
        observed = curve.observed.copy()
        observed[np.searchsorted(curve.bin, resampled.bin)] = resampled.observed
        return observed


class MarginDistributionDisplay(CurveDisplay):
    """Cumulative distribution of normalised margins.

    Examples
    --------
    >>> from csb.evaluation.curves import margin_distribution
    >>> display = MarginDistributionDisplay(margin_distribution([0, 1], [0.5, 1.0], [1.0])).plot()
    >>> display.ax_.get_xlabel()
    'normalised margin'
    """

    _kind = MarginDistribution

    def _draw(self, ax: Axes, **look: Any) -> Line2D:
        (line,) = ax.step(self.curve.margin, self.curve.share, where="post", **{**look, "marker": ""})
        return line

    def _frame(self, ax: Axes) -> None:
        ax.set(xlabel="normalised margin", ylabel="share of examples", xlim=(-1, 1), ylim=(0, 1))


def _refer(ax: Axes, x: np.ndarray, y: np.ndarray, style: str, label: str) -> None:
    """A line to compare with, once on an axis whatever the number of models."""
    if label not in ax.get_legend_handles_labels()[1]:
        ax.plot(x, y, style, color="0.6", linewidth=1.0, label=label)
