"""Beta calibration: a sigmoid whose two sides may be of different steepness."""

from __future__ import annotations

import numpy as np

from csb.engine.elementary import expit, logaddexp
from csb.evaluation.scores import Calibrator
from csb.evaluation.sigmoid import PlattScaling, smooth_targets

__all__ = ["BetaCalibration"]

STEPS = 100
"""Newton steps at most; a handful is enough."""
MOST = 1e200
"""Log odds are kept within this, where a product with a coefficient is still finite."""


class BetaCalibration(Calibrator):
    r"""Beta calibration: a logistic regression on the two logarithms of a probability.

    :math:`\hat q=1/\bigl(1+e^{-(a\ln p-b\ln(1-p)+c)}\bigr)` with :math:`a,b\ge0`, the map of Kull, Silva
    Filho and Flach (2017): a coefficient that would be negative is left out, as they do. The probability
    :math:`p` is Platt's of the score, so that the scale of the score does not matter, and the labels are
    Platt's targets, so that the coefficients are finite; with :math:`a=b` the curve is Platt's.

    Attributes
    ----------
    a_, b_, c_ : float
        The coefficients.

    Examples
    --------
    >>> beta = BetaCalibration().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> beta.predict([-2.0, 0.0, 2.0]).round(3)
    array([0.206, 0.5  , 0.794])
    """

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        self._platt = PlattScaling().fit(score, positive.astype(int), weight)
        sides, (target, _) = _logarithms(self._platt, score), smooth_targets(positive, weight)
        kept = [0, 1]
        coefficients = _fit(sides, target, weight, kept)
        while np.any(negative := coefficients[kept] < 0):
            del kept[int(np.argmax(negative))]
            coefficients = _fit(sides, target, weight, kept)
        self.a_, self.b_, self.c_ = coefficients.tolist()

    def _map(self, score: np.ndarray) -> np.ndarray:
        below, above = _logarithms(self._platt, score)
        return expit(self.a_ * below + self.b_ * above + self.c_)


def _logarithms(platt: PlattScaling, scores: np.ndarray) -> np.ndarray:
    """The logarithms ln p and -ln(1 - p) of Platt's probabilities."""
    with np.errstate(over="ignore"):
        log_odds = np.clip(-(platt.a_ * scores + platt.b_), -MOST, MOST)
    return np.array([-logaddexp(0.0, -log_odds), logaddexp(0.0, log_odds)])


def _fit(sides: np.ndarray, target: np.ndarray, weight: np.ndarray, kept: list[int]) -> np.ndarray:
    """Coefficients of the logistic regression on the sides that are kept, zero for the others.

    Newton's method from Platt's curve, each step halved until the loss is no larger.
    """
    columns = np.vstack([sides[kept], np.ones_like(target)])
    free = [*kept, 2]
    coefficients = np.array([1.0, 1.0, 0.0])
    coefficients[[k for k in (0, 1) if k not in kept]] = 0.0

    def loss(beta: np.ndarray) -> float:
        f = beta @ columns
        return float(np.sum(weight * (logaddexp(0.0, f) - target * f)))

    beta = coefficients[free]
    value = loss(beta)
    for _ in range(STEPS):
        p = expit(beta @ columns)
        slope = np.sum(weight * (p - target) * columns, axis=1)
        curvature = (columns * (weight * p * (1 - p))) @ columns.T
        # the sides may be one line, as where all scores are equal: then the shortest of all steps
        step = np.linalg.lstsq(curvature, slope, rcond=1e-12)[0]
        while (tried := loss(beta - step)) > value and np.any(beta - step != beta):
            step = step / 2
        if not tried < value:
            break
        beta, value = beta - step, tried
    coefficients[free] = beta
    return coefficients
