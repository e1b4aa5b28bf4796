r"""The exponential loss of the margin, one per class, and everything that follows from it.

The losses of Table 3 of Nikolaou et al. (2016) are members of one family, :math:`a_y e^{-k_y m}` at the
margin :math:`m = yF(x)`: a factor and an exponent for each class. Weights, population minimiser, decision
threshold and probability are functions of the four numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.elementary import exp, expit, log, logit
from csb.inputs import MODERATE, check_shapes, read_array, read_signs

__all__ = ["ExponentialLoss"]


EXPONENTS = "[1e-150, 1e100]"
"""What exponents may be: costs are, also after they have been scaled."""


def read_margins(
    y: ArrayLike, margin: ArrayLike, exponent: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray]:
    """Which examples are positive, and the margins; the exponents of one class are those of the models."""
    signs, margins = read_signs("y", y), read_array("margin", margin, MODERATE)
    check_shapes(y=signs, margin=margins, exponent=np.asarray(exponent))
    return signs > 0, margins


def read_scores(score: ArrayLike, exponent: np.ndarray | float) -> np.ndarray:
    scores = read_array("score", score, MODERATE)
    check_shapes(score=scores, exponent=np.asarray(exponent))
    return scores


def read_posteriors(p: ArrayLike, exponent: np.ndarray | float) -> np.ndarray:
    posteriors = read_array("p", p, "[0, 1]")
    check_shapes(p=posteriors, exponent=np.asarray(exponent))
    return posteriors


@dataclass(frozen=True)
class ExponentialLoss:
    r"""The loss :math:`L_y(m) = a_y e^{-k_y m}`.

    Attributes
    ----------
    log_factor : array_like of shape (2, ...)
        :math:`\log a_y`, negative class first. Factors are kept as logarithms because some grow with the
        rounds.
    exponent : array_like of shape (2, ...)
        :math:`k_y`, positive.

    Examples
    --------
    The loss of CGAda for a cost ratio of five:

    >>> loss = ExponentialLoss(np.log([1.0, 5.0]), np.ones(2))
    >>> loss.value([-1, 1], 0.0)
    array([1., 5.])
    >>> round(float(loss.threshold), 4)
    0.1667
    """

    log_factor: np.ndarray
    exponent: np.ndarray

    def __post_init__(self) -> None:
        exponent = read_array("exponent", self.exponent, EXPONENTS)
        log_factor = read_array("log_factor", self.log_factor, MODERATE)
        check_shapes(log_factor=log_factor, exponent=exponent)
        if log_factor.ndim != exponent.ndim or log_factor.shape[:1] + exponent.shape[:1] != (2, 2):
            shapes = f"log_factor has shape {log_factor.shape}, exponent {exponent.shape}"
            raise ValueError(f"{shapes}: needed are two numbers each, negative class first")
        object.__setattr__(self, "exponent", exponent)
        object.__setattr__(self, "log_factor", log_factor + 0 * exponent)

    def log_value(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Logarithm of the loss of examples of class ``y``, -1 or +1, at the given margins."""
        positive, margin = read_margins(y, margin, self.exponent[0])
        log_factor = np.where(positive, self.log_factor[1], self.log_factor[0])
        return log_factor - np.where(positive, self.exponent[1], self.exponent[0]) * margin

    def value(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Loss of examples of class ``y``, -1 or +1, at the given margins; infinite beyond the doubles."""
        return exp(self.log_value(y, margin))

    def weight(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Minus the derivative with respect to the margin: the weights, Eqs. (11) and (13).

        Infinite where the loss is.
        """
        positive, _ = read_margins(y, margin, self.exponent[0])
        return np.where(positive, self.exponent[1], self.exponent[0]) * self.value(y, margin)

    @property
    def log_gap(self) -> np.ndarray:
        r""":math:`\log\frac{a_+k_+}{a_-k_-}`: how much heavier a positive is at margin zero."""
        total = self.log_factor + log(self.exponent)
        return total[1] - total[0]

    def log_loss_ratio(self, margin: ArrayLike) -> np.ndarray:
        r"""Logarithm of :math:`r_L(m)`, the loss of a positive over that of a negative, Section 3.3."""
        return self.log_value(1, margin) - self.log_value(-1, margin)

    def log_weight_ratio(self, margin: ArrayLike) -> np.ndarray:
        """Logarithm of the weight of a positive over that of a negative at equal margin."""
        _, margin = read_margins(1, margin, self.exponent[0])
        return self.log_gap - (self.exponent[1] - self.exponent[0]) * margin

    @property
    def crossing(self) -> np.ndarray:
        """Margin at which the losses of the classes are equal; not a number if they never cross."""
        return self._crossing(self.log_factor[1] - self.log_factor[0])

    @property
    def weight_crossing(self) -> np.ndarray:
        """Margin at which the weights of the classes are equal; not a number if they never cross."""
        return self._crossing(self.log_gap)

    def _crossing(self, log_ratio: np.ndarray) -> np.ndarray:
        steeper = self.exponent[1] - self.exponent[0]
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(steeper == 0, np.nan, log_ratio / steeper)

    def minimiser(self, p: ArrayLike) -> np.ndarray:
        r"""Score that minimises the expected loss where the posterior is ``p``.

        :math:`F^* = \frac{1}{k_++k_-}\log\frac{a_+k_+\,p}{a_-k_-(1-p)}`; Eq. (21) is the case of AdaBoost.
        Infinite where the posterior is zero or one.
        """
        p = read_posteriors(p, self.exponent[0])
        return (logit(p) + self.log_gap) / self.exponent.sum(axis=0)

    def log_odds(self, score: ArrayLike) -> np.ndarray:
        """Log odds of the posterior at which ``score`` is the minimiser."""
        return self.exponent.sum(axis=0) * read_scores(score, self.exponent[0]) - self.log_gap

    def probability(self, score: ArrayLike) -> np.ndarray:
        """Posterior at which ``score`` is the minimiser; Eq. (22) is the case of AdaBoost."""
        return expit(self.log_odds(score))

    @property
    def threshold(self) -> np.ndarray:
        """Posterior above which the sign of the minimiser is positive: the theta of Table 3."""
        return expit(-self.log_gap)
