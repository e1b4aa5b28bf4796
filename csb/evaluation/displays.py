"""Displays in the manner of scikit-learn, of what decisions and probabilities are worth, with intervals.

:mod:`csb.evaluation.curves` computes what is drawn here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from csb.evaluation.classifiers import class_probabilities, class_scores, known_classes
from csb.evaluation.curves import (
    BrierCurve,
    Condition,
    CostCurve,
    DecisionCurve,
    MarginDistribution,
    ReliabilityDiagram,
    brier_curve,
    cost_curve,
    decision_curve,
    reliability_diagram,
)
from csb.evaluation.intervals import bootstrap_interval
from csb.inputs import (
    check_flag,
    check_instance,
    check_order,
    positive_class,
    read_array,
    read_column,
    shown,
)

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = [
    "Band", "BrierCurveDisplay", "CostCurveDisplay", "CurveDisplay", "DecisionCurveDisplay",
    "MarginDistributionDisplay", "PredictionDisplay", "ReliabilityDisplay",
]  # fmt: skip

GRID = np.linspace(0, 1, 201)
"""Conditions at which the interval of a curve is computed."""


@dataclass(frozen=True)
class Band:
    """Interval of a curve, at each of some positions by itself.

    Attributes
    ----------
    position, low, high : ndarray of shape (J,)
        Positions on the first axis, and the ends of the interval there.
    """

    position: np.ndarray
    low: np.ndarray
    high: np.ndarray


@dataclass(eq=False)
class CurveDisplay:
    """A curve that can be drawn, the base of all displays.

    Parameters
    ----------
    curve : record of csb
        What is drawn, of the kind that the display is for.
    band : Band, optional
        Its interval.
    name : str, optional
        Its name in the legend; without one there is no legend.

    Attributes
    ----------
    line_ : Line2D
        The curve.
    interval_ : Artist or None
        Its interval.
    ax_ : Axes
        Where it was drawn.
    figure_ : Figure
        Their figure.
    """

    curve: Any
    band: Band | None = None
    name: str | None = None

    _kind: ClassVar[type]

    def __post_init__(self) -> None:
        check_instance("curve", self.curve, self._kind)
        if self.band is not None:
            check_instance("band", self.band, Band)
        if self.name is not None:
            check_instance("name", self.name, str)

    def plot(self, ax: Axes | None = None, name: str | None = None, **look: Any) -> Self:
        """Draw the curve with labels of the axes, and a legend if it has a name.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw, perhaps beside other models; a new figure by default.
        name : str, optional
            In place of the display's own.
        **look
            Passed to ``Axes.plot``, for instance ``color="C1"``.

        Returns
        -------
        CurveDisplay
            Itself, drawn.

        Raises
        ------
        ValueError
            If the axes or the name are none.
        """
        import matplotlib.pyplot as plt  # only to draw: it takes a second to import
        from matplotlib.axes import Axes

        name = self.name if name is None else name
        if name is not None:
            check_instance("name", name, str)
            look = {"label": name, **look}
        if ax is None:
            ax = plt.subplots()[1]
        check_instance("ax", ax, Axes)
        self.ax_, self.figure_ = ax, ax.figure
        self.line_ = self._draw(ax, **look)
        self.interval_ = None if self.band is None else self._draw_band(ax, self.band)
        ax.autoscale(axis="y")  # the limits of another model were fixed without this one
        self._frame(ax)
        if name is not None:
            ax.legend()
        return self

    def _draw(self, ax: Axes, **look: Any) -> Line2D:
        raise NotImplementedError

    def _frame(self, ax: Axes) -> None:
        """Labels and limits of the axes."""
        raise NotImplementedError

    def _draw_band(self, ax: Axes, band: Band) -> Artist:
        colour = self.line_.get_color()
        return ax.fill_between(band.position, band.low, band.high, color=colour, alpha=0.2, linewidth=0)


class PredictionDisplay(CurveDisplay):
    """A curve that can be computed from predictions, with its interval: the base of those displays."""

    _compute: ClassVar[Callable[..., Any]]
    _options: ClassVar[tuple[str, ...]] = ()
    _responses: ClassVar[tuple[str, ...]] = ("predict_proba",)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: ArrayLike,
        y: ArrayLike,
        *,
        pos_label: object = None,
        sample_weight: ArrayLike | None = None,
        level: float | None = None,
        n_resamples: int = 200,
        random_state: np.random.RandomState | int | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Compute the curve of a classifier's predictions, and draw it.

        Parameters
        ----------
        estimator : classifier
            Fitted to two classes.
        X : array_like of shape (n, n_features)
            What it predicts from.
        y : array_like of shape (n,)
            Labels.
        pos_label : label, optional
            The positive class; by default that of the estimator, if it has a parameter of this name, else the
            larger label, but of two words it must be named.
        sample_weight, level, n_resamples, random_state, ax, **options
            As in :meth:`from_predictions`.
        name : str, optional
            In the legend; that of the estimator's class by default.

        Returns
        -------
        PredictionDisplay
            Drawn.

        Raises
        ------
        ValueError
            If the estimator is no fitted classifier of two classes or does not predict what is drawn, if it
            gives no probabilities or scores that are not finite, or an argument is not admissible.
        """
        check_order(X=X, y=y, sample_weight=sample_weight)
        score, pos_label = _predicted(estimator, X, pos_label, cls._responses)
        labels = read_column("y", y, len(score))
        known = known_classes(estimator, labels)
        if unknown := sorted(set(labels.tolist()) - set(known)):
            raise ValueError(f"y holds {shown(unknown[0])}: allowed are {shown(known)}")
        return cls.from_predictions(
            labels,
            score,
            pos_label=pos_label,
            sample_weight=sample_weight,
            level=level,
            n_resamples=n_resamples,
            random_state=random_state,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **options,
        )

    @classmethod
    def from_predictions(
        cls,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        *,
        pos_label: object = None,
        sample_weight: ArrayLike | None = None,
        level: float | None = None,
        n_resamples: int = 200,
        random_state: np.random.RandomState | int | None = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Compute the curve of predictions, and draw it.

        Parameters
        ----------
        y_true : array_like of shape (n,)
            Labels.
        y_prob : array_like of shape (n,)
            Probability of the positive class; for a cost curve, any score that speaks for it.
        pos_label : label, optional
            The positive class: the larger label by default; of two words it must be named.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights.
        level : float, optional
            Level of an interval at each position by itself, by the bootstrap over cases
            (:func:`csb.evaluation.intervals.bootstrap_interval`); none by default.
        n_resamples : int, default 200
            Resamples of the interval.
        random_state : int, RandomState or None, default None
            Seed of the resamples.
        name : str, optional
            In the legend; without one there is no legend.
        ax : Axes, optional
            Where to draw, perhaps beside other models; a new figure by default.
        **options
            What the function takes that computes the curve, named in the description of the class; all else
            is passed to :meth:`CurveDisplay.plot`.

        Returns
        -------
        PredictionDisplay
            Drawn.

        Raises
        ------
        ValueError
            If an argument is not admissible.
        """
        check_order(y_true=y_true, y_prob=y_prob, sample_weight=sample_weight)
        y_prob = read_array("y_prob", y_prob, shape=read_column("y_true", y_true).shape)
        given = {option: options.pop(option) for option in cls._options if option in options}

        def compute(weight: ArrayLike | None) -> Any:
            return cls._compute(y_true, y_prob, **given, pos_label=pos_label, sample_weight=weight)

        curve, band = compute(sample_weight), None
        if level is not None:
            low, high = bootstrap_interval(
                lambda weight: cls._values(compute(weight), curve),
                y_true,
                pos_label=pos_label,
                sample_weight=sample_weight,
                level=level,
                n_resamples=n_resamples,
                random_state=random_state,
            )
            band = Band(cls._positions(curve), low, high)
        return cls(curve, band, name).plot(ax, **options)

    @classmethod
    def _positions(cls, curve: Any) -> np.ndarray:
        """Where the interval is computed."""
        return GRID

    @classmethod
    def _values(cls, resampled: Any, curve: Any) -> np.ndarray:
        """The curve of a resample there."""
        raise NotImplementedError


def _predicted(
    estimator: Any, X: ArrayLike, pos_label: object, responses: tuple[str, ...]
) -> tuple[np.ndarray, object]:
    """Predictions of the positive class by the first of the methods that the estimator has; its label."""
    method = next((each for each in responses if hasattr(estimator, each)), None)
    if method is None:
        raise ValueError(f"estimator={shown(estimator)}: needs {' or '.join(responses)}")
    check_is_fitted(estimator, msg="estimator: %(name)s must be fitted")
    classes = np.array(known_classes(estimator, np.empty(0)))
    if len(classes) != 2:
        raise ValueError(f"estimator knows {len(classes)} classes: allowed are two")
    if pos_label is None:
        pos_label = getattr(estimator, "pos_label", None)
    column = positive_class(classes, pos_label, symmetric=False)
    positive = classes.tolist()[column]
    if method == "predict_proba":
        return class_probabilities(estimator, X, classes)[:, column], positive
    found = class_scores(estimator, X, classes)[:, 0]
    return found if column else -found, positive


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

    Option: ``thresholds``, as :func:`csb.evaluation.curves.decision_curve` takes them.

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
