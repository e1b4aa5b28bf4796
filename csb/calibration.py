"""Calibration of boosting scores.

Platt scaling with Platt's targets, by maximum likelihood or by least squares, and isotonic regression;
Section 4 of Nikolaou et al. (2016). For one ensemble the score and its vote share are affine images of each
other, and an unpenalised Platt fit gives the same probabilities on both.
"""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import least_squares
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

__all__ = ["CALIBRATIONS", "IsotonicCalibration", "PlattScaling", "make_calibrator"]

MAX_ITER = 200
FLATTEST = 1e-12


def _read(scores, y, sample_weight):
    scores, y = np.asarray(scores, float), np.asarray(y)
    weight = np.ones(len(scores)) if sample_weight is None else np.asarray(sample_weight, float)
    if not scores.ndim == y.ndim == weight.ndim == 1 or not len(scores) == len(y) == len(weight):
        raise ValueError(
            f"scores, y, sample_weight: vectors of one length, not {scores.shape}, {y.shape}, {weight.shape}"
        )
    if not np.all(np.isfinite(scores)):
        raise ValueError("scores: finite numbers only")
    if not np.all(np.isin(y, (0, 1))):
        raise ValueError("y: labels 0 and 1 only")
    return scores, y.astype(float), weight


class PlattScaling:
    r"""The sigmoid map :math:`\hat p = 1/(1 + e^{As + B})`.

    The targets are Platt's, :math:`(N_++1)/(N_++2)` for positives and :math:`1/(N_-+2)` for negatives, with
    :math:`N_\pm` the sums of the sample weights; they keep the optimum finite on separable scores. The fit
    carries no penalty, so it does not depend on the scale of the scores.

    Parameters
    ----------
    method : {"likelihood", "least_squares"}, default "likelihood"
        Maximise the likelihood of the targets, or minimise their squared distance from the probabilities.

    Attributes
    ----------
    slope_, intercept_ : float
        :math:`A` and :math:`B`.

    Examples
    --------
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> platt.predict([0.0]).round(6)
    array([0.5])
    """

    def __init__(self, method: str = "likelihood"):
        if method not in ("likelihood", "least_squares"):
            raise ValueError(f"method={method!r}: 'likelihood' or 'least_squares'")
        self.method = method

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PlattScaling:
        """Fit the two parameters.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores of examples that were not trained on.
        y : array_like of shape (n,)
            Labels 0 and 1.
        sample_weight : array_like of shape (n,), optional
            Weights; an integer weight equals so many copies.

        Returns
        -------
        PlattScaling
            The fitted map.

        Raises
        ------
        ValueError
            If lengths differ, a score is not finite or a label is neither 0 nor 1.
        """
        scores, y, weight = _read(scores, y, sample_weight)
        positives, negatives = weight @ y, weight @ (1 - y)
        target = np.where(y == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))
        mean = np.average(scores, weights=weight)
        spread = np.sqrt(np.average((scores - mean) ** 2, weights=weight))
        if spread <= FLATTEST * max(1.0, abs(mean)):  # nothing to learn from: the smoothed base rate
            rate = np.average(target, weights=weight)
            self.slope_, self.intercept_ = 0.0, float(np.log1p(-rate) - np.log(rate))
            return self
        x = (scores - mean) / spread
        start = np.array([0.0, np.log(negatives + 1) - np.log(positives + 1)])
        a, b = _maximise_likelihood(x, target, weight, start)
        if self.method == "least_squares":
            root = np.sqrt(weight)
            a, b = least_squares(
                lambda ab: root * (expit(-(ab[0] * x + ab[1])) - target), (a, b), xtol=1e-12
            ).x
        self.slope_, self.intercept_ = float(a / spread), float(b - a * mean / spread)
        return self

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """Probabilities of the positive class, shape (n,)."""
        return expit(-(self.slope_ * np.asarray(scores, float) + self.intercept_))


def _maximise_likelihood(x, target, weight, start):
    """Newton's method with backtracking on the loss, which is taken in the log domain."""

    def loss(at):
        z = at[0] * x + at[1]
        return weight @ (target * np.logaddexp(0, z) + (1 - target) * np.logaddexp(0, -z))

    design = np.column_stack([x, np.ones_like(x)])
    at, value = start, loss(start)
    for _ in range(MAX_ITER):
        p = expit(-(design @ at))
        gradient = design.T @ (weight * (target - p))
        if np.abs(gradient).max() <= 1e-12 * weight.sum():
            break
        hessian = (design * (weight * p * (1 - p))[:, np.newaxis]).T @ design
        step = np.linalg.solve(hessian + 1e-14 * np.trace(hessian) * np.eye(2), gradient)
        size = 1.0
        while (moved := loss(at - size * step)) > value and size > 1e-10:
            size *= 0.5
        if moved > value:
            break
        at, value = at - size * step, moved
    return at


class IsotonicCalibration:
    """The non-decreasing map of least squared error, scikit-learn's ``IsotonicRegression``.

    Scores that differ only by rounding are merged first: the same votes summed in another order must get
    the same probability. Scores beyond those seen get the nearest probability.

    Examples
    --------
    >>> IsotonicCalibration().fit([1.0, 2.0, 3.0], [0, 1, 0]).predict([0.0, 2.5])
    array([0. , 0.5])
    """

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> IsotonicCalibration:
        """Fit the map; arguments, result and errors as for :meth:`PlattScaling.fit`."""
        scores, y, weight = _read(scores, y, sample_weight)
        order = np.argsort(scores, kind="stable")
        ordered = scores[order]
        tolerance = 64 * np.finfo(float).eps * np.abs(ordered).max(initial=0.0)
        group = np.r_[0, np.cumsum(np.diff(ordered) > tolerance)]
        total = np.bincount(group, weight[order])
        used = total > 0
        rate = np.bincount(group, (weight * y)[order])[used] / total[used]
        level = np.array([ordered[group == g].mean() for g in np.flatnonzero(used)])
        self.regression_ = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(
            level, rate, total[used]
        )
        return self

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """Probabilities of the positive class, shape (n,)."""
        return self.regression_.predict(np.asarray(scores, float))


CALIBRATIONS = {
    "sigmoid": PlattScaling,
    "sigmoid_ls": lambda: PlattScaling("least_squares"),
    "isotonic": IsotonicCalibration,
}


def make_calibrator(calibration: str):
    """An unfitted calibrator by name.

    Parameters
    ----------
    calibration : {"sigmoid", "sigmoid_ls", "isotonic"}
        Platt scaling by likelihood or by least squares, or isotonic regression.

    Returns
    -------
    PlattScaling or IsotonicCalibration
        With methods ``fit(scores, y, sample_weight)`` and ``predict(scores)``.

    Raises
    ------
    ValueError
        If the name is unknown; the message names the nearest.

    Examples
    --------
    >>> make_calibrator("sigmoid").method
    'likelihood'
    """
    if calibration not in CALIBRATIONS:
        near = get_close_matches(str(calibration), CALIBRATIONS, n=1, cutoff=0)[0]
        raise ValueError(f"calibration={calibration!r} is not known; the nearest is {near!r}")
    return CALIBRATIONS[calibration]()
