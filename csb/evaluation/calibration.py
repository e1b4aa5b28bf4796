"""From boosting scores to probabilities: Platt scaling and isotonic regression.

Section 4 of Nikolaou et al. (2016). A calibrator sees one score per example, so it serves any method; the
calibration examples are not weighted by cost (the book's errata page, E-N13). For one ensemble the share
of the votes and the raw score are affine images of each other, and every calibrator here gives both the
same probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from csb.engine.elementary import expit, log, logaddexp
from csb.inputs import one_of, read_weights

__all__ = ["CALIBRATORS", "IsotonicCalibration", "PlattScaling", "make_calibrator"]

Calibration = Literal["sigmoid", "sigmoid_ls", "isotonic"]
PlattMethod = Literal["likelihood", "least_squares"]
Objective = Callable[..., "_Fit"]

ROUNDING = 8 * np.finfo(float).eps
"""Scores closer than this share of half their range are ties that rounding has broken."""


def _read_scores(scores: ArrayLike) -> np.ndarray:
    array: np.ndarray = column_or_1d(scores, dtype=np.float64, input_name="scores")
    assert_all_finite(array, input_name="scores")
    return array


def _read(
    scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, positives and weights of the examples that carry weight."""
    score, label = _read_scores(scores), column_or_1d(y)
    check_consistent_length(score, label, sample_weight)
    if set(np.unique(label).tolist()) not in ({0}, {1}, {-1}, {0, 1}, {-1, 1}):
        raise ValueError(f"y holds the labels {np.unique(label)[:5]}: allowed are 0 and 1, or -1 and 1")
    weight = read_weights(sample_weight, score)
    used = weight > 0
    return score[used], label[used] > 0, weight[used]


def _span(scores: np.ndarray) -> tuple[float, float]:
    """Middle and half width of the range; a width of 1 where all scores are equal."""
    low, high = scores.min() / 2, scores.max() / 2
    return low + high, (high - low) or 1.0


class _Fit(NamedTuple):
    """Value of an objective, its gradient in slope and offset, and the three entries of its matrix."""

    value: float
    gradient: tuple[float, float]
    matrix: tuple[float, float, float]


def _fit(value: np.ndarray, pull: np.ndarray, curvature: np.ndarray, scores: np.ndarray) -> _Fit:
    """Sums over the examples; not products of matrices, which depend on the processor."""
    moved = curvature * scores
    matrix = float(np.sum(moved * scores)), float(np.sum(moved)), float(np.sum(curvature))
    return _Fit(float(np.sum(value)), (float(np.sum(pull * scores)), float(np.sum(pull))), matrix)


def _likelihood(log_odds: np.ndarray, scores: np.ndarray, target: np.ndarray, weight: np.ndarray) -> _Fit:
    """Log loss with its Hessian."""
    p = expit(log_odds)
    loss = weight * (logaddexp(0.0, log_odds) - target * log_odds)
    return _fit(loss, weight * (p - target), weight * p * (1 - p), scores)


def _least_squares(log_odds: np.ndarray, scores: np.ndarray, target: np.ndarray, weight: np.ndarray) -> _Fit:
    """Half the squared error with its Gauss-Newton matrix."""
    p = expit(log_odds)
    miss, slope = p - target, p * (1 - p)
    return _fit(weight * miss**2 / 2, weight * miss * slope, weight * slope**2, scores)


def _newton_step(fit: _Fit) -> np.ndarray:
    """The shortest solution: the slope stays where it is if the scores are constant."""
    (first, second), (a, b, c) = fit.gradient, fit.matrix
    determinant = a * c - b * b
    if determinant <= 1e-15 * a * c:
        return np.array([0.0, second / c])
    return np.array([c * first - b * second, a * second - b * first]) / determinant


def _minimise(objective: Objective, start: np.ndarray, scores: np.ndarray, *data: np.ndarray) -> np.ndarray:
    """Newton steps with backtracking, to the last digit: the fit must not depend on the scores' scale."""

    def at(coefficients: np.ndarray) -> _Fit:
        return objective(coefficients[0] * scores + coefficients[1], scores, *data)

    best, fit = start, at(start)
    for _ in range(200):
        step = _newton_step(fit)
        gain = 1e-4 * (fit.gradient[0] * step[0] + fit.gradient[1] * step[1])
        # within its rounding error the loss cannot judge a step, and the full one is right
        bound = fit.value * (1 + 1e-14)
        while (trial := at(best - step)).value > bound - gain:
            step, gain = step / 2, gain / 2
        best, fit = best - step, trial
        if np.abs(step).max() <= 1e-12 * max(1.0, np.abs(best).max()):
            break
    return best


class PlattScaling:
    r"""Platt scaling: a logistic curve over the score.

    :math:`\hat p = 1/(1+e^{As+B})`, Section 4 of Nikolaou et al. (2016). :math:`A` and :math:`B` are
    fitted without penalty to Platt's targets, :math:`(N_++1)/(N_++2)` for a positive and
    :math:`1/(N_-+2)` for a negative example, so that they are finite even where the scores separate the
    classes. :math:`N_+` and :math:`N_-` are sums of weights: an integer weight equals so many copies.

    Parameters
    ----------
    method : {"likelihood", "least_squares"}, default "likelihood"
        Maximise the likelihood of the targets, as Platt does, or minimise the squared error, as the code
        of Nikolaou et al. does.

    Attributes
    ----------
    a_, b_ : float
        :math:`A`, negative where a larger score speaks for the positive class, and :math:`B`.

    Examples
    --------
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> platt.predict([-2.0, 0.0, 2.0]).round(3)
    array([0.206, 0.5  , 0.794])
    """

    def __init__(self, method: PlattMethod = "likelihood") -> None:
        self.method = one_of("method", method, get_args(PlattMethod))

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PlattScaling:
        """Fit the curve.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores. If all are equal, the curve is flat, at the mean of the targets.
        y : array_like of shape (n,)
            Labels 0 and 1, or -1 and 1.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        PlattScaling
            Itself.

        Raises
        ------
        ValueError
            If scores, labels or weights are not admissible.
        """
        score, positive, weight = _read(scores, y, sample_weight)
        n_pos, n_neg = weight[positive].sum(), weight[~positive].sum()
        target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
        middle, width = _span(score)
        scaled = (score - middle) / width
        start = np.array([0.0, log((n_pos + 1) / (n_neg + 1))])
        best = _minimise(_likelihood, start, scaled, target, weight)
        if self.method == "least_squares":
            best = _minimise(_least_squares, best, scaled, target, weight)
        slope, offset = best
        self.a_ = float(-slope / width)
        self.b_ = float(-offset + slope * (middle / width))
        return self

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """Probability of the positive class.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.

        Returns
        -------
        ndarray of shape (n,)
            Probabilities, monotone in the score.
        """
        return expit(-(self.a_ * _read_scores(scores) + self.b_))


class IsotonicCalibration:
    """Isotonic regression: the non-decreasing function of the score that is closest to the labels.

    Section 4 of Nikolaou et al. (2016); scikit-learn's ``IsotonicRegression``, constant beyond the range
    of the scores it was fitted to. Scores that differ by rounding only are ties: whether two equal sums
    of votes come out equal depends on the order in which they were added.

    Attributes
    ----------
    regression_ : sklearn.isotonic.IsotonicRegression
        Fitted to the scores mapped to [-1, 1].

    Examples
    --------
    >>> isotonic = IsotonicCalibration().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> isotonic.predict([0.0, 0.2, 0.3, 0.35])
    array([0.  , 0.5 , 0.5 , 0.75])
    """

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> IsotonicCalibration:
        """Fit the function.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.
        y : array_like of shape (n,)
            Labels 0 and 1, or -1 and 1.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        IsotonicCalibration
            Itself.

        Raises
        ------
        ValueError
            If scores, labels or weights are not admissible.
        """
        score, positive, weight = _read(scores, y, sample_weight)
        self._middle, self._width = _span(score)
        values, group = np.unique((score - self._middle) / self._width, return_inverse=True)
        starts = np.diff(values, prepend=-np.inf) > ROUNDING
        merged = values[starts][np.cumsum(starts) - 1][group]
        regression = IsotonicRegression(out_of_bounds="clip")
        self.regression_ = regression.fit(merged, positive.astype(float), weight)
        return self

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """Probability of the positive class.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.

        Returns
        -------
        ndarray of shape (n,)
            Probabilities, non-decreasing in the score; between two scores of the fit, interpolated.
        """
        return self.regression_.predict((_read_scores(scores) - self._middle) / self._width)


CALIBRATORS: dict[Calibration, Callable[[], PlattScaling | IsotonicCalibration]] = {
    "sigmoid": PlattScaling,
    "sigmoid_ls": partial(PlattScaling, method="least_squares"),
    "isotonic": IsotonicCalibration,
}
"""Calibrators by the name that estimators take.

:meta hide-value:
"""


def make_calibrator(calibration: Calibration) -> PlattScaling | IsotonicCalibration:
    """A calibrator, not fitted, by its name.

    Parameters
    ----------
    calibration : {"sigmoid", "sigmoid_ls", "isotonic"}
        Platt scaling by maximum likelihood, by least squares, or isotonic regression.

    Returns
    -------
    PlattScaling or IsotonicCalibration
        With ``fit(scores, y, sample_weight)`` and ``predict(scores)``.

    Raises
    ------
    ValueError
        If the name is not known; the nearest one is named.

    Examples
    --------
    >>> make_calibrator("isotonic").fit([0, 1], [0, 1]).predict([0.5])
    array([0.5])
    """
    return CALIBRATORS[one_of("calibration", calibration, CALIBRATORS)]()
