"""Losses beside those of the rules: the logistic one, those that Table 3 prints, and the empirical risk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.elementary import expit, log, logaddexp, logit
from csb.engine.newton import Link
from csb.inputs import MODERATE, check_instance, check_shapes, read_array, read_signs, read_weights
from csb.methods.losses import EXPONENTS, ExponentialLoss, read_margins, read_posteriors, read_scores

__all__ = ["TABLE_3", "LogisticLoss", "empirical_risk", "logistic_loss"]


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
        positive, margin = read_margins(y, margin, self.exponent)
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
        return (logit(read_posteriors(p, self.exponent)) + self.log_ratio) / self.exponent

    def log_odds(self, score: ArrayLike) -> np.ndarray:
        """Log odds of the posterior at which ``score`` is the minimiser."""
        return self.exponent * read_scores(score, self.exponent) - self.log_ratio

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
