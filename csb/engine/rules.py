"""What the loop of weighted votes asks of a method: four small rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from csb.costs import Costs
from csb.engine.elementary import log

__all__ = ["Rules", "half_log_odds", "hit_sign", "log_cost_ratio", "vote"]

hit_sign = np.array([[1.0, -1.0], [-1.0, 1.0]])[:, :, np.newaxis]
r"""The hit sign :math:`u = y h` of the four outcomes, shape (2, 2, 1): class, then prediction."""


@dataclass(frozen=True)
class Rules:
    r"""The rules of one method, with its options chosen.

    All functions are vectorised over a batch of :math:`B` models. ``M`` holds the masses
    :math:`M[y, h]` of the current weights, shape (2, 2, B), summing to one; ``c`` the cost of an error
    on each class, shape (2, 1, B), negative class first; ``T`` the planned number of rounds, one for all
    models or one for each, shape (B,).

    Attributes
    ----------
    initial : callable ``(c, T) -> (2, 1, B)``
        Factor on the base weight of each class before round one.
    alpha : callable ``(M, c, T) -> (B,)``
        The vote; infinite or not a number where the formula has no value.
    log_factors : callable ``(alpha, c, T) -> (2, 2, B)``
        Logarithm of the factor on the weight of each outcome.
    loss : callable ``(c, t, T, A) -> ExponentialLoss`` or None
        The loss of the margin that the weights after round ``t`` belong to, ``A`` being the sum of the
        votes; None if the weights are no function of the margin. Its exponents do not depend on the round.
    threshold : callable ``(log_ratio, t, T, A) -> (B,)``
        Predict the positive class when the score exceeds this.
    best_loss : callable ``(M, c) -> (K,)`` or None
        Loss that the best step along each of ``K`` hypotheses reaches. If given, the hypothesis of
        smallest value is chosen, not the one of largest edge.
    """

    initial: Callable
    alpha: Callable
    log_factors: Callable
    loss: Callable | None = None
    threshold: Callable = lambda log_ratio, t, T, A: np.zeros_like(log_ratio)
    best_loss: Callable | None = None

    def exponents(self, c: np.ndarray) -> np.ndarray:
        """Exponents of the loss, shape (2, B); one where there is no loss."""
        if self.loss is None:
            return np.ones((2, c.shape[-1]))
        return np.broadcast_to(self.loss(c[:, 0], 0, 1, 0.0).exponent, (2, c.shape[-1]))


def log_cost_ratio(costs: Costs) -> np.ndarray:
    r"""Logarithm of the cost ratio, :math:`\log\rho = \log(c_{FN}/c_{FP})`, shape (B,)."""
    return log(costs.fn_cost) - log(costs.fp_cost)


def half_log_odds(right: np.ndarray, wrong: np.ndarray) -> np.ndarray:
    r""":math:`\tfrac12(\log` right :math:`-\log` wrong :math:`)`, each a sum of non-negative terms.

    Infinite when nothing is wrong, not a number when a sum is negative: the formula has no value.
    """
    with np.errstate(invalid="ignore"):
        return 0.5 * (log(right) - log(wrong))


def vote(M: np.ndarray) -> np.ndarray:
    """AdaBoost's vote: half the log odds of being right under the masses ``M``, shape (2, 2, B)."""
    return half_log_odds(M[0, 0] + M[1, 1], M[0, 1] + M[1, 0])
