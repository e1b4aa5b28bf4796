"""The terms of an additive score or of calibrated log odds, drawn: one step function of each feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype
from sklearn.utils.validation import check_is_fitted

from csb.engine.additive import StepFunction
from csb.estimators.additive import Additive
from csb.evaluation.explanation import Explanation
from csb.inputs import check_count, check_instance, one_of, shown
from csbook.inputs import read_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LogOdds", "ShapeDisplay"]

MOST = 6
"""So many features are drawn where none are named."""
COLUMNS = 3
MARGIN = 0.05
"""Share of the range of the thresholds by which a curve goes on beyond them, where no data say how far."""


class LogOdds(NamedTuple):
    """What is drawn beside shape functions that are in log odds.

    Attributes
    ----------
    bands : list of tuple (low, high)
        Spread of each function over the members, as step functions.
    words : list of list of str
        The words that the places 0, 1, ... of each feature stand for; empty where they are numbers.
    dates : list of bool
        Whether the numbers of each feature are days since 1970.
    threshold : float
        What a feature must add so that the positive class is predicted where all others add nothing; not
        finite where there is no one such number.
    """

    bands: list[tuple[StepFunction, StepFunction]]
    words: list[list[str]]
    dates: list[bool]
    threshold: float


class ShapeDisplay:
    """Shape functions: what each feature adds to a score or to log odds, by its value.

    Make it by ``from_estimator`` of an ensemble of stumps, or by ``from_explanation`` of what
    :meth:`csb.CostDecision.explain` or :meth:`csb.recommend.Recommendation.explain` found; both draw as well.

    Parameters
    ----------
    functions : list of StepFunction
        What is drawn.
    names : list of str
        Names of the features.
    ranges : list of tuple (low, high)
        From where to where each is drawn.
    values : list of ndarray, optional
        Values of each feature in the data, for the marks at the foot.
    log_odds : LogOdds, optional
        Where the functions are in log odds: their spread, and the threshold.

    Attributes
    ----------
    axes_ : ndarray of Axes
        Where it was drawn, one for each feature.
    figure_ : Figure
        Their figure.

    Examples
    --------
    >>> from csb import CGAda
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = CGAda(5.0, n_estimators=20).fit(X, y)
    >>> display = ShapeDisplay.from_estimator(model, X, features=["worst texture", "worst area"])
    >>> display.axes_[0].get_xlabel()
    'worst texture'
    """

    def __init__(
        self,
        functions: list[StepFunction],
        names: list[str],
        ranges: list[tuple[float, float]],
        values: list[np.ndarray] | None = None,
        log_odds: LogOdds | None = None,
    ) -> None:
        self.functions, self.names, self.ranges, self.values = functions, names, ranges, values
        self.log_odds = log_odds

    @classmethod
    def from_estimator(
        cls,
        estimator: Additive,
        X: ArrayLike | None = None,
        *,
        features: Sequence[int | str] | None = None,
        axes: Sequence[Axes] | None = None,
        **look: Any,
    ) -> Self:
        """Compute the shape functions of an estimator, and draw them.

        Parameters
        ----------
        estimator : fitted estimator of csb
            An ensemble of stumps, by votes or by Newton steps.
        X : array_like of shape (n_samples, n_features), optional
            Data: each function is shifted so that its mean over them is zero, drawn from their smallest to
            their largest value, with deciles at the foot, and a dotted line for missing values. Without data,
            the step of a stump goes from minus its vote to its vote.
        features : sequence of int or str, optional
            Numbers or names of the features; by default the most important ones, six at most.
        axes : sequence of Axes, optional
            Where to draw, one for each feature; a new figure by default.
        **look
            Passed to ``Axes.step``.

        Returns
        -------
        ShapeDisplay
            Drawn.

        Raises
        ------
        ValueError
            If the estimator is no such ensemble or not fitted, or has no such feature.
        """
        check_instance("estimator", estimator, Additive)
        check_is_fitted(estimator)
        terms = estimator.step_functions()
        table = None if X is None else estimator._check_X(X)
        known_names = [str(name) for name in getattr(estimator, "feature_names_in_", [])]
        chosen = _chosen(features, known_names, estimator.feature_importances_)
        functions, ranges, values = [], [], []
        for f in chosen:
            function = terms[f]
            if table is None:
                ranges.append(_range(function.thresholds))
            else:
                column = table[:, f]
                mean = function(column).mean()
                function = function._replace(values=function.values - mean, missing=function.missing - mean)
                known = column[~np.isnan(column)]
                ranges.append((float(known.min()), float(known.max())) if len(known) else (0.0, 1.0))
                values.append(column)
            functions.append(function)
        names = [known_names[f] if known_names else f"feature {f}" for f in chosen]
        display = cls(functions, names, ranges, None if table is None else values)
        return display.plot(axes, **look)

    @classmethod
    def from_explanation(
        cls,
        explanation: Explanation,
        *,
        features: Sequence[int | str] | None = None,
        axes: Sequence[Axes] | None = None,
        **look: Any,
    ) -> Self:
        """Read the shape functions from the contributions to many rows, and draw them.

        Parameters
        ----------
        explanation : Explanation
            Of some hundreds of rows: at their values the functions are exact, and halfway between two of them
            there is a step. The shade is the spread over the members, the dashed line what a column must
            add so that the positive class is predicted where all others are at their mean, if the costs
            are those of all cases.
        features : sequence of int or str, optional
            Numbers or names of the columns; by default those of the largest mean contribution, six at most.
        axes : sequence of Axes, optional
            Where to draw, one for each column; a new figure by default.
        **look
            Passed to ``Axes.step``.

        Returns
        -------
        ShapeDisplay
            Drawn.

        Raises
        ------
        ValueError
            If it is no explanation, or has no such column.
        """
        check_instance("explanation", explanation, Explanation)
        mean = explanation.contributions
        names = [str(name) for name in mean]
        chosen = _chosen(features, names, mean.abs().mean().to_numpy())
        functions, bands, ranges, values, words, dates = [], [], [], [], [], []
        for f in chosen:
            column, added = explanation.rows.iloc[:, f], mean.iloc[:, f]
            x, labels = _places(column, added)
            parts = [added, explanation.low.iloc[:, f], explanation.high.iloc[:, f]]
            function, low, high = (_through(x, part.to_numpy()) for part in parts)
            functions.append(function)
            bands.append((low, high))
            known = x[~np.isnan(x)]
            reach = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
            ranges.append((reach[0] - 0.5, reach[1] + 0.5) if labels else reach)
            values.append(x)
            words.append(labels)
            dates.append(is_datetime64_any_dtype(column.dtype))
        one = np.unique(explanation.threshold)
        needed = float(one[0]) - explanation.intercept if len(one) == 1 else np.nan
        beside = LogOdds(bands, words, dates, needed)
        return cls(functions, [names[f] for f in chosen], ranges, values, beside).plot(axes, **look)

    def plot(self, axes: Sequence[Axes] | None = None, **look: Any) -> Self:
        """Draw, all features on one scale of the score.

        Parameters
        ----------
        axes : sequence of Axes, optional
            Where to draw, one for each feature; a new figure by default.
        **look
            Passed to ``Axes.step``.

        Returns
        -------
        ShapeDisplay
            Itself, with ``axes_`` and ``figure_``.
        """
        places = _new_axes(len(self.functions)) if axes is None else read_list("axes", axes)
        if len(places) != len(self.functions):
            raise ValueError(
                f"axes has {len(places)} members: allowed are as many as features, {len(self.functions)}"
            )
        for k, (ax, function) in enumerate(zip(places, self.functions, strict=True)):
            low, high = self.ranges[k]
            inside = (function.thresholds > low) & (function.thresholds < high)
            added = "score" if self.log_odds is None else "log odds"
            ax.set(xlabel=self.names[k], ylabel=f"added to the {added}")
            x = np.r_[low, function.thresholds[inside], high]
            # a threshold belongs to the step below it
            (line,) = ax.step(x, function(x), where="pre", **look)
            if self.log_odds is not None:
                self._draw_log_odds(ax, k, x, line.get_color())
            ax.axhline(0.0, color="0.7", linewidth=0.8, zorder=0)
            if self.values is not None:
                gaps = np.isnan(self.values[k])
                if gaps.any():
                    ax.axhline(function.missing, linestyle=":", color="0.3", label="missing")
                    ax.legend()
                if gaps.all() or (self.log_odds is not None and self.log_odds.words[k]):
                    continue
                deciles = np.quantile(self.values[k][~gaps], np.linspace(0, 1, 11))
                ax.plot(
                    deciles, np.zeros(11), "|", color="0.3", transform=ax.get_xaxis_transform(), clip_on=False
                )
        bottom, top = np.array([ax.get_ylim() for ax in places]).T
        for ax in places:
            ax.set_ylim(bottom.min(), top.max())
        self.axes_ = np.array(places, dtype=object)
        self.figure_ = places[0].figure
        return self

    def _draw_log_odds(self, ax: Axes, k: int, x: np.ndarray, colour: Any) -> None:
        bands, words, dates, threshold = self.log_odds  # type: ignore[misc]  # asked only where it is known
        low, high = (end(x) for end in bands[k])
        ax.fill_between(x, low, high, step="pre", color=colour, alpha=0.2, linewidth=0)
        if np.isfinite(threshold):
            ax.axhline(threshold, color="0.3", linestyle="--", linewidth=1.0)
        if words[k]:
            ax.set_xticks(np.arange(len(words[k])), words[k])
        if dates[k]:
            ax.xaxis_date()


def _places(column: pd.Series, added: pd.Series) -> tuple[np.ndarray, list[str]]:
    """Numbers of a column, or places and words, those that add least on the left; gaps as NaN."""
    if is_datetime64_any_dtype(column.dtype):
        days = pd.to_datetime(column, utc=True) - pd.Timestamp(0, tz="UTC")
        return (days / pd.Timedelta(days=1)).to_numpy(float), []
    if is_numeric_dtype(column.dtype):
        return column.to_numpy(float, na_value=np.nan), []
    words = added.groupby(column.astype(object).to_numpy()).first().sort_values(kind="stable").index
    places = pd.Index(words).get_indexer(column.astype(object))
    return np.where(places < 0, np.nan, places), [str(word) for word in words]


def _through(x: np.ndarray, values: np.ndarray) -> StepFunction:
    """The step function that has these values at these numbers, and steps halfway between two of them."""
    gaps = np.isnan(x)
    at, first = np.unique(x[~gaps], return_index=True)
    missing = float(values[gaps][0]) if gaps.any() else np.nan
    return StepFunction((at[:-1] + at[1:]) / 2, values[~gaps][first] if len(at) else np.zeros(1), missing)


def _chosen(features: Sequence[int | str] | None, names: list[str], importances: np.ndarray) -> list[int]:
    """Numbers of the features to draw."""
    if features is None:
        order = np.argsort(-importances, kind="stable")
        used = order[importances[order] > 0]
        return [int(f) for f in used[:MOST]] or [0]
    numbers = []
    for feature in read_list("features", features):
        if isinstance(feature, str):
            if not names:
                raise ValueError(
                    f"features holds {shown(feature)}, but the estimator knows no names: allowed are numbers"
                )
            numbers.append(names.index(one_of("features", feature, names)))
        else:
            numbers.append(check_count("features", feature, 0, len(importances) - 1))
    return numbers


def _range(thresholds: np.ndarray) -> tuple[float, float]:
    """A little more than the thresholds reach."""
    if not len(thresholds):
        return 0.0, 1.0
    low, high = float(thresholds[0]), float(thresholds[-1])
    beyond = MARGIN * (high - low) or 1.0
    return low - beyond, high + beyond


def _new_axes(count: int) -> list[Axes]:
    import matplotlib.pyplot as plt  # only to draw: it takes a second to import

    columns = min(count, COLUMNS)
    rows = -(-count // columns)
    size = (4.0 * columns, 2.8 * rows)
    figure, axes = plt.subplots(rows, columns, squeeze=False, figsize=size, layout="constrained")
    for unused in axes.flat[count:]:
        unused.remove()
    return list(axes.flat[:count])
