"""Weak learners that fit real numbers by weighted least squares, for LogitBoost and its kin."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils.validation import has_fit_parameter

from csb.engine.binning import bin_features
from csb.engine.compiled import compiled
from csb.engine.learners.search import midway
from csb.engine.learners.stump import exceeds
from csb.engine.rules import TIE, Hypothesis, Regressor
from csb.engine.threads import Threads
from csb.inputs import one_of, shown

__all__ = ["REGRESSORS", "RegressionStump", "bind_regressor"]


def _best_splits_in_arrays(codes, n_bins, weights, target, tie, first, last, gains, cuts):  # type: ignore[no-untyped-def]
    """Array form of ``best_splits``."""
    moments = weights * target
    for f in range(first, last):
        mass, moment = (np.bincount(codes[f], each, n_bins[f]) for each in (weights, moments))
        below, below_moment = mass.cumsum(), moment.cumsum()
        total, total_moment = below[-1], below_moment[-1]
        above, above_moment = total - below, total_moment - below_moment
        gain = below_moment * below_moment / below + above_moment * above_moment / above
        gains[f], cuts[f] = total_moment * total_moment / total, -1
        count = np.count_nonzero(above[:-1] > 1e-14 * total)
        highest = np.fmax.accumulate(gain[:count])  # not a number below the first bin that carries weight
        for j in np.flatnonzero(np.diff(highest, prepend=-np.inf)).tolist():
            if gain[j] > gains[f] + tie:
                gains[f], cuts[f] = gain[j], j


@compiled(_best_splits_in_arrays)
def best_splits(
    codes: np.ndarray,
    n_bins: np.ndarray,
    weights: np.ndarray,
    target: np.ndarray,
    tie: float,
    first: int,
    last: int,
    gains: np.ndarray,
    cuts: np.ndarray,
) -> None:
    """Best least-squares split of each of the features ``first`` to ``last``.

    A split puts bins up to ``cut`` on one side; ``cut = -1`` is the constant. Its gain is what its means
    take from the weighted sum of squares. Of gains that differ by less than ``tie`` the lowest cut counts.
    Bins without weight are passed over.
    """
    n = weights.shape[0]
    largest = 0
    for f in range(first, last):
        largest = max(largest, n_bins[f])
    mass, moment = np.empty(largest), np.empty(largest)
    for f in range(first, last):
        bins = n_bins[f]
        mass[:bins] = 0.0
        moment[:bins] = 0.0
        column = codes[f]
        for i in range(n):
            j = column[i]
            mass[j] += weights[i]
            moment[j] += weights[i] * target[i]
        total, total_moment = 0.0, 0.0
        for j in range(bins):
            total += mass[j]
            total_moment += moment[j]
        gains[f] = total_moment * total_moment / total
        cuts[f] = -1
        below, below_moment = 0.0, 0.0
        for j in range(bins - 1):
            if mass[j] == 0.0:
                continue
            below += mass[j]
            below_moment += moment[j]
            above = total - below
            if above <= 1e-14 * total:
                break
            above_moment = total_moment - below_moment
            gain = below_moment * below_moment / below + above_moment * above_moment / above
            if gain > gains[f] + tie:
                gains[f] = gain
                cuts[f] = j


class RegressionStump(NamedTuple):
    """``above`` if ``x[feature] > threshold``, else ``below``.

    Missing values are as in :class:`csb.engine.learners.stump.DecisionStump`.
    """

    feature: int
    threshold: float
    below: float
    above: float
    missing_above: bool = True

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Values, shape (n,)."""
        above = exceeds(np.asarray(X)[:, self.feature], self.threshold, self.missing_above)
        return np.where(above, self.above, self.below)


class BoundRegressionStump:
    """Regression stumps on binned data: the split of smallest weighted sum of squares, or the mean."""

    def __init__(
        self,
        X: np.ndarray,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.X, self.data = X, bin_features(X, n_jobs)
        self.threads = Threads(n_jobs)

    def fit(self, weights: np.ndarray, target: np.ndarray) -> tuple[RegressionStump, np.ndarray]:
        """A stump for weights and target of shape (n,), and its values, shape (n,)."""
        data, (d, n) = self.data, self.data.codes.shape
        gains, cuts = np.empty(d), np.empty(d, np.int64)
        tie = TIE * float(np.sum(weights * target**2))  # gains closer than this are equal
        self.threads.run(
            lambda first, last: best_splits(
                data.codes, data.n_bins, weights, target, tie, first, last, gains, cuts
            ),
            d,
            work=n * d,
        )  # fmt: skip
        f = int(np.flatnonzero(gains >= gains.max() - tie)[0])
        stump = self._divide(f, int(cuts[f]), weights, target)
        return stump, stump.predict(self.X)

    def _divide(self, f: int, cut: int, weights: np.ndarray, target: np.ndarray) -> RegressionStump:
        """The stump of a cut: midway between the nearest values that carry weight, each side with its mean.

        Each mean is of its own sums: a difference from the sums of all would lose a side of little weight.
        """
        data = self.data
        mass, moment = (
            np.bincount(data.codes[f], each, data.n_bins[f]) for each in (weights, weights * target)
        )
        source, above = int(data.source[f]), np.arange(len(mass)) > cut
        if cut < 0:
            mean = float(moment.sum() / mass.sum())
            return RegressionStump(source, -np.inf, mean, mean)
        weight = np.bincount(above, mass, 2)
        below_mean, above_mean = map(float, np.bincount(above, moment, 2) / weight)
        occupied = np.flatnonzero(mass > 0)
        next_bin = occupied[np.searchsorted(occupied, cut, side="right")]
        threshold = float(midway(data.values[f, cut], data.values[f, next_bin]))
        missing = data.missing[f]
        if missing >= 0 and mass[missing] > 0.0:
            missing_above = bool(missing > cut)
        else:
            missing_above = bool(weight[1] >= weight[0] - TIE)
        return RegressionStump(source, threshold, below_mean, above_mean, missing_above)


class BoundRegressor:
    """A scikit-learn regressor trained anew in every round, on the examples of positive weight."""

    def __init__(
        self, regressor: BaseEstimator, X: np.ndarray, random_state: np.random.RandomState | None = None
    ) -> None:
        if not has_fit_parameter(regressor, "sample_weight"):
            raise ValueError(f"estimator={shown(regressor)}: its fit must accept sample_weight")
        self.regressor, self.X = regressor, X
        self.random_state: Any = random_state  # needed only where there is a seed to set
        self.seeded = "random_state" in regressor.get_params()

    def fit(self, weights: np.ndarray, target: np.ndarray) -> tuple[Hypothesis, np.ndarray]:
        """A regressor for weights and target of shape (n,), and its values, shape (n,)."""
        used = weights > 0
        regressor = clone(self.regressor)
        if self.seeded:
            regressor.set_params(random_state=self.random_state.randint(2**31 - 1))
        scaled = weights[used] * (used.sum() / weights[used].sum())
        regressor.fit(self.X[used], target[used], sample_weight=scaled)
        return regressor, np.asarray(regressor.predict(self.X), float)


REGRESSORS = {"stump": BoundRegressionStump}


def bind_regressor(
    learner: str | BaseEstimator,
    X: np.ndarray,
    *,
    n_jobs: int | None = None,
    random_state: np.random.RandomState | None = None,
) -> Regressor:
    """Bind a regression learner to a data set.

    Parameters
    ----------
    learner : str or scikit-learn regressor
        ``"stump"``, or an unfitted regressor whose ``fit`` accepts ``sample_weight``.
    X : ndarray of shape (n, d)
        Features.
    n_jobs : int, optional
        Threads, for stumps.
    random_state : RandomState instance
        Source of the seeds of randomised regressors.

    Returns
    -------
    object
        With a method ``fit(weights, target)`` that returns a hypothesis and its values.

    Raises
    ------
    ValueError
        If the learner is unknown or does not take weights.
    """
    if isinstance(learner, str):
        one_of("estimator", learner, REGRESSORS, "any scikit-learn regressor will do")
        return REGRESSORS[learner](X, n_jobs=n_jobs)
    if not (isinstance(learner, BaseEstimator) and is_regressor(learner)):
        known = ", ".join(REGRESSORS)
        raise ValueError(f"estimator={shown(learner)}: one of {known} or a scikit-learn regressor")
    return BoundRegressor(learner, X, random_state)
