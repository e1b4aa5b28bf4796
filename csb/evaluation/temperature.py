"""Temperature scaling: one factor on the log odds, for any number of classes at once."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq

from csb.engine.atomic import atomically
from csb.engine.elementary import exp, expit
from csb.engine.linesearch import MOST_STEPS
from csb.evaluation.calibrator import Calibrator
from csb.inputs import check_order, plain_array, read_array, read_column, read_weights, shown

__all__ = ["TemperatureScaling"]

SMALLEST = 1e-100
"""Half the largest difference that scores need: for a smaller one, the factor is too large for doubles."""
BOUND, FARTHEST = 10.0, 400.0
"""The logarithm of the factor is kept within the first, where it is that of scores of half the range one.

Beyond, up to the second, it is sought where the loss has its minimum there: one score may be far larger than
all others.
"""


class TemperatureScaling(Calibrator):
    r"""Temperature scaling: the softmax of the scores times one factor.

    :math:`\hat p_c=e^{\beta F_c}/\sum_k e^{\beta F_k}` of scores :math:`F_c` that are logarithms of
    probabilities, but for a constant; with two classes :math:`1/(1+e^{-\beta F})` of log odds :math:`F`
    (Guo et al. 2017, Section 4.2, with :math:`\beta=1/T`). The factor minimises the log loss. It leaves the
    order of the classes as it is, and where the log odds are zero it says one half: unlike the other
    calibrators it needs scores with this zero. It is that of scikit-learn's ``CalibratedClassifierCV`` with
    ``method="temperature"``, but for its limits, which are relative to the largest difference of scores
    here: where that of the true class is the largest in every row, the loss has no minimum, and all
    probabilities are zero or one but where differences are small beside the largest.

    Attributes
    ----------
    beta_ : float
        The factor :math:`\beta`, positive.

    Examples
    --------
    Three of four log odds have the right sign: of log odds of one and minus one, log(3) is right.

    >>> temperature = TemperatureScaling().fit([1.0, 1.0, -1.0, 1.0], [1, 1, 0, 0])
    >>> temperature.predict([-1.0, 0.0, 2.0]).round(3)
    array([0.25, 0.5 , 0.9 ])

    Three classes, of which the one with the largest score is true twice in three rows:

    >>> temperature = TemperatureScaling().fit(np.eye(3), [0, 1, 0])
    >>> temperature.predict([[1.0, 0.0, 0.0]]).round(3)
    array([[0.667, 0.167, 0.167]])
    """

    _columns: int | None = None

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the factor.

        Parameters
        ----------
        scores : array_like of shape (n,) or (n, k)
            Log odds of the positive class, or logarithms of the probabilities of k classes, but for a
            constant.
        y : array_like of shape (n,)
            Labels 0 and 1, or -1 and 1; beside columns of scores the number of the class, from zero on.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights; a weight of zero is an absent row.

        Returns
        -------
        TemperatureScaling
            Itself.

        Raises
        ------
        ValueError
            If scores, labels or weights are not admissible.
        """
        shape = plain_array("scores", scores).shape
        if len(shape) != 2 or shape[1] == 1:
            return super().fit(scores, y, sample_weight)
        check_order(scores=scores, y=y, sample_weight=sample_weight)
        label = read_column("y", y)
        score = read_array("scores", scores, shape=(len(label), None))
        weight = read_weights(sample_weight, label)
        used, allowed = weight > 0, np.arange(score.shape[1])
        if unknown := sorted(set(label[used].tolist()) - set(allowed.tolist())):
            raise ValueError(f"y holds {shown(unknown[0])}: allowed are 0 to {allowed[-1]}, by column")
        with atomically(self) as twin:
            twin.beta_ = _least_loss(score[used], label[used].astype(int), weight[used])
            twin._columns, twin._is_fitted = len(allowed), True
        return self

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """Probability of the positive class, or of each class.

        Parameters
        ----------
        scores : array_like of shape (n,) or (n, k)
            Finite scores, in columns if those of the fit were.

        Returns
        -------
        ndarray of shape (n,) or (n, k)
            Probabilities.

        Raises
        ------
        ValueError
            If scores are not admissible, or the factor is not fitted.
        """
        return super().predict(scores)

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        both = np.column_stack([np.zeros_like(score), score])
        self.beta_, self._columns = _least_loss(both, positive.astype(int), weight), None

    def _shape(self) -> tuple[int | None, ...]:
        return (None,) if self._columns is None else (None, self._columns)

    def _map(self, score: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):  # infinite log odds are a probability of zero or one
            if score.ndim == 1:
                return expit(self.beta_ * score)
            return _softmax(self.beta_ * (score - score.max(axis=1, keepdims=True)))


def _softmax(logits: np.ndarray) -> np.ndarray:
    """Probabilities of log odds, the largest of each row about zero."""
    odds = exp(logits)
    return odds / odds.sum(axis=1, keepdims=True)


def _least_loss(scores: np.ndarray, numbers: np.ndarray, weight: np.ndarray) -> float:
    """The factor of the least log loss, which is convex in it."""
    halves = scores / 2  # whose differences are finite
    over_own = halves - np.take_along_axis(halves, numbers[:, np.newaxis], axis=1)
    scale = abs(over_own).max()
    if scale == 0:  # every factor is as good
        return 1.0
    if scale < SMALLEST:
        raise ValueError(f"scores reach over {scale:g}: allowed are equal ones, or {SMALLEST:g} and more")
    over_own /= scale
    share = weight / weight.max()

    def slope(log_factor: float) -> float:
        """The derivative of the loss by the factor."""
        moved = float(exp(log_factor)) * over_own
        p = _softmax(moved - moved.max(axis=1, keepdims=True))
        return float(share @ (p * over_own).sum(axis=1))

    if slope(-BOUND) >= 0:
        best = -BOUND
    elif slope(BOUND) > 0:
        best = brentq(slope, -BOUND, BOUND, xtol=1e-13, maxiter=MOST_STEPS)
    elif slope(FARTHEST) > 0:
        best = brentq(slope, BOUND, FARTHEST, xtol=1e-13, maxiter=MOST_STEPS)
    else:
        best = BOUND
    return float(exp(best)) / scale / 2
