"""From boosting scores to probabilities: Platt scaling and isotonic regression.

Section 4 of Nikolaou et al. (2016). A calibrator sees one score per example, so it serves any method; the
calibration examples are not weighted by cost (the book's errata page, E-N13). For one ensemble the share
of the votes and the raw score are affine images of each other, and every calibrator here gives both the
same probabilities.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d

from csb.inputs import one_of, read_weights

__all__ = ["CALIBRATORS", "IsotonicCalibration", "PlattScaling", "make_calibrator"]

TIE = 8 * np.finfo(float).eps
"""Scores closer than this share of half their range are ties that rounding has broken."""


def _read_scores(scores: ArrayLike) -> np.ndarray:
    scores = column_or_1d(scores, dtype=np.float64, input_name="scores")
    assert_all_finite(scores, input_name="scores")
    return scores


def _read(scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None):
    """Scores, positives and weights of the examples that carry weight."""
    scores, y = _read_scores(scores), column_or_1d(y)
    check_consistent_length(scores, y, sample_weight)
    if set(np.unique(y).tolist()) not in ({0}, {1}, {-1}, {0, 1}, {-1, 1}):
        raise ValueError(f"y holds the labels {np.unique(y)[:5]}: allowed are 0 and 1, or -1 and 1")
    weight = read_weights(sample_weight, scores)
    used = weight > 0
    return scores[used], y[used] > 0, weight[used]


def _span(scores: np.ndarray) -> tuple[float, float]:
    """Middle and half width of the range; a width of 1 where all scores are equal."""
    low, high = scores.min() / 2, scores.max() / 2
    return low + high, (high - low) or 1.0


def _likelihood(coefficients, design, target, weight):
    """Log loss, its gradient and its Hessian, in the coefficients of the log odds."""
    log_odds = design @ coefficients
    p = expit(log_odds)
    loss = weight @ (np.logaddexp(0, log_odds) - target * log_odds)
    return loss, design.T @ (weight * (p - target)), design.T @ (design * (weight * p * (1 - p))[:, None])


def _least_squares(coefficients, design, target, weight):
    """Half the squared error, its gradient and its Gauss-Newton matrix."""
    p = expit(design @ coefficients)
    miss, slope = p - target, p * (1 - p)
    gradient = design.T @ (weight * miss * slope)
    return weight @ miss**2 / 2, gradient, design.T @ (design * (weight * slope**2)[:, None])


def _minimise(objective, start: np.ndarray, *data: np.ndarray) -> np.ndarray:
    """Newton steps with backtracking, to the last digit: the fit must not depend on the scores' scale."""
    best, (loss, gradient, hessian) = start, objective(start, *data)
    for _ in range(200):
        # the shortest of all solutions: the slope stays zero where the scores are constant
        step = np.linalg.lstsq(hessian, gradient)[0]
        # within its rounding error the loss cannot judge a step, and the full one is right
        bound = loss * (1 + 1e-14)
        while (trial := objective(best - step, *data))[0] > bound - 1e-4 * gradient @ step:
            step /= 2
        best, (loss, gradient, hessian) = best - step, trial
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

    def __init__(self, method: str = "likelihood"):
        if method not in ("likelihood", "least_squares"):
            raise ValueError(f"method={method!r}: allowed are 'likelihood', 'least_squares'")
        self.method = method

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
        scores, positive, weight = _read(scores, y, sample_weight)
        n_pos, n_neg = weight[positive].sum(), weight[~positive].sum()
        target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
        middle, width = _span(scores)
        design = np.column_stack([(scores - middle) / width, np.ones_like(scores)])
        start = np.array([0.0, np.log((n_pos + 1) / (n_neg + 1))])
        best = _minimise(_likelihood, start, design, target, weight)
        if self.method == "least_squares":
            best = _minimise(_least_squares, best, design, target, weight)
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
        scores, positive, weight = _read(scores, y, sample_weight)
        self._middle, self._width = _span(scores)
        values, group = np.unique((scores - self._middle) / self._width, return_inverse=True)
        starts = np.diff(values, prepend=-np.inf) > TIE
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


CALIBRATORS = {
    "sigmoid": PlattScaling,
    "sigmoid_ls": partial(PlattScaling, method="least_squares"),
    "isotonic": IsotonicCalibration,
}
"""Calibrators by the name that estimators take.

:meta hide-value:
"""


def make_calibrator(calibration: str) -> PlattScaling | IsotonicCalibration:
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
