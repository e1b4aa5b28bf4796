r"""Losses of the margin, one per class, and everything that follows from them.

The losses of Table 3 of Nikolaou et al. (2016) are members of one family, :math:`a_y e^{-k_y m}` at the
margin :math:`m = yF(x)`: a factor and an exponent for each class. Weights, population minimiser, decision
threshold and probability are functions of the four numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.elementary import exp, expit, log, logaddexp, logit
from csb.engine.newton import Link
from csb.inputs import (
    MODERATE,
    check_instance,
    check_shapes,
    read_array,
    read_signs,
    read_weights,
)

__all__ = ["TABLE_3", "ExponentialLoss", "LogisticLoss", "empirical_risk", "logistic_loss"]


EXPONENTS = "[1e-150, 1e100]"
"""What exponents may be: costs are, also after they have been scaled."""


def _read_margins(
    y: ArrayLike, margin: ArrayLike, exponent: np.ndarray | float
) -> tuple[np.ndarray, np.ndarray]:
    """Which examples are positive, and the margins; the exponents of one class are those of the models."""
    signs, margins = read_signs("y", y), read_array("margin", margin, MODERATE)
    check_shapes(y=signs, margin=margins, exponent=np.asarray(exponent))
    return signs > 0, margins


def _read_scores(score: ArrayLike, exponent: np.ndarray | float) -> np.ndarray:
    scores = read_array("score", score, MODERATE)
    check_shapes(score=scores, exponent=np.asarray(exponent))
    return scores


def _read_posteriors(p: ArrayLike, exponent: np.ndarray | float) -> np.ndarray:
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
        positive, margin = _read_margins(y, margin, self.exponent[0])
        log_factor = np.where(positive, self.log_factor[1], self.log_factor[0])
        return log_factor - np.where(positive, self.exponent[1], self.exponent[0]) * margin

    def value(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Loss of examples of class ``y``, -1 or +1, at the given margins; infinite beyond the doubles."""
        return exp(self.log_value(y, margin))

    def weight(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Minus the derivative with respect to the margin: the weights, Eqs. (11) and (13).

        Infinite where the loss is.
        """
        positive, _ = _read_margins(y, margin, self.exponent[0])
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
        _, margin = _read_margins(1, margin, self.exponent[0])
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
        p = _read_posteriors(p, self.exponent[0])
        return (logit(p) + self.log_gap) / self.exponent.sum(axis=0)

    def log_odds(self, score: ArrayLike) -> np.ndarray:
        """Log odds of the posterior at which ``score`` is the minimiser."""
        return self.exponent.sum(axis=0) * _read_scores(score, self.exponent[0]) - self.log_gap

    def probability(self, score: ArrayLike) -> np.ndarray:
        """Posterior at which ``score`` is the minimiser; Eq. (22) is the case of AdaBoost."""
        return expit(self.log_odds(score))

    @property
    def threshold(self) -> np.ndarray:
        """Posterior above which the sign of the minimiser is positive: the theta of Table 3."""
        return expit(-self.log_gap)


@dataclass(frozen=True)
class LogisticLoss:
    r"""The loss :math:`L_y(m) = \log(1 + \rho^y e^{-km})`, minus a log-likelihood.

    With :math:`k=2` and the cost ratio :math:`\rho` it is the loss of AsyBL, Eq. (2) of Cao et al. (2013),
    its sign put right (E-A02 of the book's errata page); with :math:`\rho=1` that of LogitBoost; and with
    :math:`k=c_{FN}+c_{FP}` that of asymmetric LogitBoost.

    Attributes
    ----------
    log_ratio : float or array_like
        :math:`\log\rho`.
    exponent : float or array_like
        :math:`k`, positive.

    Examples
    --------
    >>> loss = LogisticLoss(np.log(5.0), 2.0)
    >>> round(float(loss.threshold), 4)
    0.1667
    """

    log_ratio: float
    exponent: float

    def __post_init__(self) -> None:
        exponent = read_array("exponent", self.exponent, EXPONENTS)
        log_ratio = read_array("log_ratio", self.log_ratio, MODERATE)
        check_shapes(log_ratio=log_ratio, exponent=exponent)
        for name, array in (("exponent", exponent), ("log_ratio", log_ratio)):
            object.__setattr__(self, name, array if array.ndim else array.item())

    def _log_term(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        positive, margin = _read_margins(y, margin, self.exponent)
        return np.where(positive, 1, -1) * self.log_ratio - self.exponent * margin

    def value(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Loss of examples of class ``y``, -1 or +1, at the given margins."""
        return logaddexp(0.0, self._log_term(y, margin))

    def weight(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Minus the derivative with respect to the margin."""
        return self.exponent * expit(self._log_term(y, margin))

    def log_loss_ratio(self, margin: ArrayLike) -> np.ndarray:
        r"""Logarithm of :math:`r_L(m)`, the loss of a positive over that of a negative at equal margin."""
        positive, negative = (self._log_term(y, margin) for y in (1, -1))
        return _log_of_loss(positive) - _log_of_loss(negative)

    def minimiser(self, p: ArrayLike) -> np.ndarray:
        r"""Score that minimises the expected loss: :math:`\frac1k(\operatorname{logit}p + \log\rho)`.

        Infinite where the posterior is zero or one.
        """
        return (logit(_read_posteriors(p, self.exponent)) + self.log_ratio) / self.exponent

    def log_odds(self, score: ArrayLike) -> np.ndarray:
        """Log odds of the posterior at which ``score`` is the minimiser."""
        return self.exponent * _read_scores(score, self.exponent) - self.log_ratio

    def probability(self, score: ArrayLike) -> np.ndarray:
        """Posterior at which ``score`` is the minimiser."""
        return expit(self.log_odds(score))

    @property
    def threshold(self) -> np.ndarray:
        """Posterior above which the sign of the minimiser is positive."""
        return expit(-np.asarray(self.log_ratio))


def _log_of_loss(term: np.ndarray) -> np.ndarray:
    """Logarithm of log(1 + exp(term)), which is the term itself where that vanishes."""
    return np.where(term < -700, term, log(logaddexp(0.0, np.maximum(term, -700))))


def logistic_loss(link: Link) -> LogisticLoss:
    r"""The loss on which Newton steps with a link descend, of exponent :math:`2\gamma`.

    Examples
    --------
    >>> logistic_loss(Link(1.0, 0.0)).exponent
    2.0
    """
    return LogisticLoss(-2 * link.offset, 2 * link.slope)


def empirical_risk(
    loss: ExponentialLoss | LogisticLoss, y: ArrayLike, score: ArrayLike, weight: ArrayLike | None = None
) -> np.ndarray:
    """Mean loss of scores on examples, Eq. (10) of Nikolaou et al. (2016).

    Parameters
    ----------
    loss : ExponentialLoss or LogisticLoss
        The loss of each class.
    y : array_like of shape (n,)
        Classes, -1 or +1.
    score : array_like of shape (..., n)
        Scores of the examples.
    weight : array_like of shape (n,), optional
        Base weights.

    Returns
    -------
    ndarray of shape (...)
        The risk, infinite beyond the range of doubles. Examples of weight zero have no part in it.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> loss = ExponentialLoss(np.zeros(2), np.ones(2))
    >>> float(empirical_risk(loss, [1, -1], [0.0, 0.0]))
    1.0
    """
    check_instance("loss", loss, ExponentialLoss, LogisticLoss)
    y, score = read_signs("y", y, shape=(None,)), read_array("score", score, MODERATE)
    if score.shape[-1:] != y.shape:
        raise ValueError(f"score has shape {score.shape}: allowed is (..., {len(y)}), one for each example")
    values = loss.value(y, y * score)
    if weight is None:
        return np.average(values, axis=-1)
    weights = read_weights(weight, y, "weight")
    return np.average(np.where(weights > 0, values, 0.0), axis=-1, weights=weights)


TABLE_3 = {
    "adaboost": lambda c, t, T, q: ExponentialLoss(np.zeros_like(c), np.ones_like(c)),
    "adamec": lambda c, t, T, q: ExponentialLoss(np.zeros_like(c), np.ones_like(c)),
    "cgada": lambda c, t, T, q: ExponentialLoss(log(c), np.ones_like(c)),
    "asymada": lambda c, t, T, q: ExponentialLoss(t / T * log(c), np.ones_like(c)),
    "csada": lambda c, t, T, q: ExponentialLoss(np.zeros_like(c), c),
    "adadb": lambda c, t, T, q: ExponentialLoss(np.zeros_like(c), c),
    "adac1": lambda c, t, T, q: ExponentialLoss(np.zeros_like(c), c),
    "csb2": lambda c, t, T, q: ExponentialLoss((q - 1) * log(c), np.ones_like(c)),
    "adac2": lambda c, t, T, q: ExponentialLoss(t * log(c), np.ones_like(c)),
    "adac3": lambda c, t, T, q: ExponentialLoss((t - 1) * log(c), c),
}
"""The losses that Table 3 of Nikolaou et al. (2016) prints, after round ``t`` of ``T``.

``c`` holds the costs of the two classes, negative first; ``q`` counts the rounds that misclassified the
example, on which CSB2's row depends. The paper gives no loss for CSB0, CSB1 and the AdaCosts. What the
weights of a variant imply is ``Rules.loss``, which is not always what is printed.
"""
