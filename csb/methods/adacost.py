r"""AdaCost and AdaCost(:math:`\beta_2`): the step is adjusted up for costly misses, down for costly hits.

With the adjustment function of Table 1 of Nikolaou et al. (2016), :math:`\beta u = (u - c)/2`, so that the
weights are a function of the margin after all (E-N14). Costs must lie in (0, 1].

The vote of AdaCost is to minimise :math:`\sum_i D_ie^{-\alpha\beta_iu_i}`, Eq. (5) of Cai et al. (2008). The
closed form minimises a bound on that sum; the line search minimises the sum itself, and is the gradient
procedure of that paper (E-C11).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from csb.engine.elementary import log
from csb.engine.linesearch import exponential_step
from csb.engine.rules import PerModel, Rules, hit_sign
from csb.engine.rules import vote as adaboost_vote
from csb.methods.adac import bound_alpha
from csb.methods.losses import ExponentialLoss
from csb.methods.spec import VotingMethod, scale_largest

__all__ = ["ADACOST", "ADACOST_BETA2", "LOSS", "adacost_loss", "fan_adjustment"]

LOSS = r"c(y)\,e^{c(y)A/2}\,e^{-m/2}"
Adjustment = Callable[[np.ndarray, np.ndarray], np.ndarray] | None
AdaCostVote = Literal["closed_form", "line_search"]


def fan_adjustment(c: np.ndarray, u: np.ndarray) -> np.ndarray:
    r"""The adjustment :math:`\beta = (1 - cu)/2` of Table 1, for cost ``c`` and hit sign ``u``."""
    return 0.5 * (1 - c * u)


def adacost_loss(c: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> ExponentialLoss:
    r"""The loss :math:`c\,e^{cA/2}\,e^{-m/2}`, from which the weights of AdaCost come."""
    return ExponentialLoss(log(c) + 0.5 * c * A, np.full_like(c, 0.5))


def line_search(log_weights: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    r"""Minimiser of :math:`\sum_iw_ie^{-\alpha\kappa_i}`, Eq. (5), over votes of at least zero (E-C09)."""
    flat = (-1, log_weights.shape[-1])
    return np.maximum(exponential_step(log_weights.reshape(flat), kappa.reshape(flat)), 0.0)


def adjusted_rules(beta: Adjustment, alpha: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Rules:
    """The update adjusted by ``beta``, with a vote from the masses and the exponents of the update."""
    adjust = beta or fan_adjustment

    def kappa(c: np.ndarray) -> np.ndarray:
        return adjust(c, hit_sign) * hit_sign

    return Rules(
        initial=lambda c, T: c,
        alpha=lambda M, c, T: alpha(M, np.broadcast_to(kappa(c), M.shape)),
        log_factors=lambda alpha, c, T: -alpha * kappa(c),
        loss=adacost_loss if beta is None else None,
    )


def adacost(vote: AdaCostVote = "closed_form", beta: Adjustment = None) -> Rules:
    """The vote of the exponents of the update, by the bound or exactly."""
    step = bound_alpha if vote == "closed_form" else lambda M, kappa: line_search(log(M), kappa)
    return adjusted_rules(beta, step)


def adacost_beta2(beta: Adjustment = None) -> Rules:
    """AdaBoost's vote."""
    return adjusted_rules(beta, lambda M, kappa: adaboost_vote(M))


ADACOST = VotingMethod(
    "adacost", "AdaCost", "Fan et al. 1999", "N16 Tables 1-2, C08 Eqs. (4)-(5), E-N14, E-C11", LOSS,
    rules=adacost, scaling=scale_largest, cost_scale=0.5,
)  # fmt: skip
ADACOST_BETA2 = VotingMethod(
    "adacost_beta2", "AdaCost(β₂)", "Ting 2000", "N16 Tables 1-2, E-N15", LOSS, rules=adacost_beta2,
    scaling=scale_largest, cost_scale=1.0,
)  # fmt: skip
