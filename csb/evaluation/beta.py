"""Beta calibration: a sigmoid whose two sides may be of different steepness."""

from __future__ import annotations

import numpy as np

from csb.engine.elementary import expit, logaddexp
from csb.engine.platt import fit_columns
from csb.evaluation.scores import Calibrator
from csb.evaluation.sigmoid import PlattScaling, smooth_targets

__all__ = ["BetaCalibration"]

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
        sides, (target, rest, _) = _logarithms(self._platt, score), smooth_targets(positive, weight)
        kept = [0, 1]
        coefficients = _fit(sides, target, rest, weight, kept)
        while np.any(negative := coefficients[kept] < 0):
            del kept[int(np.argmax(negative))]
            coefficients = _fit(sides, target, rest, weight, kept)
        self.a_, self.b_, self.c_ = coefficients.tolist()

    def _map(self, score: np.ndarray) -> np.ndarray:
        below, above = _logarithms(self._platt, score)
        return expit(self.a_ * below + self.b_ * above + self.c_)


def _logarithms(platt: PlattScaling, scores: np.ndarray) -> np.ndarray:
    """The logarithms ln p and -ln(1 - p) of Platt's probabilities."""
    with np.errstate(over="ignore"):
        log_odds = np.clip(-(platt.a_ * scores + platt.b_), -MOST, MOST)
    return np.array([-logaddexp(0.0, -log_odds), logaddexp(0.0, log_odds)])


def _fit(
    sides: np.ndarray, target: np.ndarray, rest: np.ndarray, weight: np.ndarray, kept: list[int]
) -> np.ndarray:
    """Coefficients of the logistic regression on the sides that are kept, zero for the others.

    They are sought from Platt's curve, which stays where the sides are one line, as where all scores are
    equal.
    """
    columns = np.array([np.ones_like(target), *sides[kept]])
    found = np.array([0.0, *np.ones(len(kept))])
    fit_columns(found, False, columns, target, rest, weight / weight.max())
    coefficients = np.zeros(3)
    coefficients[[2, *kept]] = found
    return coefficients
