"""The AdaC family of Sun et al.: the cost inside the exponent, outside it, or both.

Formulas of Tables 1 and 2 of Nikolaou et al. (2016). The bounds from which the votes of AdaC1 and AdaC3
come hold only for costs up to one.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

from csb.engine.elementary import log
from csb.engine.linesearch import exponential_step
from csb.engine.rules import PerModel, Rules, half_log_odds, hit_sign, vote
from csb.methods.csada import csada_alpha, csada_factors, csada_loss
from csb.methods.losses import ExponentialLoss
from csb.methods.spec import VotingMethod, scale_largest

__all__ = ["ADAC1", "ADAC2", "ADAC3", "bound_alpha"]

Init = Literal["cost", "uniform"]
"""First weights in proportion to the costs, or the base weights."""
AdaC1Step = Literal["closed", "exact", "fgd"]

STARTS = {"cost": lambda c, T: c, "uniform": lambda c, T: np.ones_like(c)}


def bound_alpha(D: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    r"""Minimiser of the convexity bound on :math:`\sum D e^{-\alpha\kappa}`, for exponents in [-1, 1]."""
    return half_log_odds((D * (1 + kappa)).sum(axis=(0, 1)), (D * (1 - kappa)).sum(axis=(0, 1)))


def exact_alpha(M: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
    """Minimiser of the sum that the bound of AdaC1 is on."""
    return exponential_step(log(M).reshape(4, -1), np.broadcast_to(c * hit_sign, M.shape).reshape(4, -1))


def adac1(init: Init = "cost", alpha: AdaC1Step = "closed") -> Rules:
    """Costs inside the exponent."""
    steps = {"closed": lambda M, c, T: bound_alpha(M, c * hit_sign), "exact": exact_alpha, "fgd": csada_alpha}
    if init == "cost":
        return Rules(STARTS[init], steps[alpha], csada_factors, csada_loss)
    # the weights e^{-cm} are the slopes of e^{-cm}/c, whichever vote is taken
    return Rules(STARTS[init], steps[alpha], csada_factors, lambda c, t, T, A: ExponentialLoss(-log(c), c))


def adac2(init: Init = "cost") -> Rules:
    """Costs outside the exponent."""
    more = int(init == "cost")  # how often the cost has been multiplied in before round one
    return Rules(
        initial=STARTS[init],
        alpha=lambda M, c, T: vote(M * c),
        log_factors=lambda alpha, c, T: log(c) - alpha * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss((t + more) * log(c), np.ones_like(c)),
    )


def adac3(init: Init = "cost") -> Rules:
    """Costs inside the exponent and outside it."""
    more = int(init == "cost")
    return Rules(
        initial=STARTS[init],
        alpha=lambda M, c, T: bound_alpha(M * c, c * hit_sign),
        log_factors=lambda alpha, c, T: log(c) - alpha * c * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss((t + more - 1) * log(c), c),
    )


ADAC1 = VotingMethod(
    "adac1", "AdaC1", "Sun et al. 2005", "N16 Tables 1-3", r"e^{-c(y)m}", rules=adac1, scaling=scale_largest,
    cost_scale=1.0,
)  # fmt: skip
ADAC2 = VotingMethod(
    "adac2", "AdaC2", "Sun et al. 2005", "N16 Tables 1-3, E-N05", r"c(y)^{t+1}\,e^{-m}", rules=adac2
)
ADAC3 = VotingMethod(
    "adac3", "AdaC3", "Sun et al. 2005", "N16 Tables 1-3, E-N05", r"c(y)^{t}\,e^{-c(y)m}", rules=adac3,
    scaling=scale_largest, cost_scale=1.0,
)  # fmt: skip
