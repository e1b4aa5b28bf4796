"""What displays of curves share, in the manner of scikit-learn: how they are made and drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from csb.evaluation.intervals import bootstrap_interval
from csb.inputs import check_instance, check_label, read_array, read_column, shown

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

__all__ = ["Band", "CurveDisplay", "PredictionDisplay"]

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
            The positive class; the second of ``classes_`` by default.
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
            If the estimator is no fitted classifier of two classes or does not predict what is drawn, or an
            argument is not admissible.
        """
        score, pos_label = _predicted(estimator, X, pos_label, cls._responses)
        labels = read_column("y", y, len(score))
        if unknown := sorted(set(labels.tolist()) - set(estimator.classes_.tolist())):
            raise ValueError(f"y holds {shown(unknown[0])}: allowed are {shown(estimator.classes_.tolist())}")
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
            The positive class; the larger label by default.
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
    classes = estimator.classes_.tolist()
    if len(classes) != 2:
        raise ValueError(f"estimator knows {len(classes)} classes: allowed are two")
    if pos_label is None:
        pos_label = classes[1]
    check_label("pos_label", pos_label, classes)
    column = classes.index(pos_label)
    found = getattr(estimator, method)(X)
    if method == "predict_proba":
        return found[:, column], pos_label
    return found if column else -found, pos_label
