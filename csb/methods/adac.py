"""The AdaC family of Sun et al.: the cost inside the exponent, outside it, or both.

Formulas of Tables 1 and 2 of Nikolaou et al. (2016). The bounds from which the votes of AdaC1 and AdaC3
come hold only for costs up to one.
"""

from __future__ import annotations

import numpy as np

from csb.engine.linesearch import exponential_step
from csb.engine.rules import Rules, half_log_odds, hit_sign
from csb.methods.csada import csada_alpha, csada_factors, csada_loss
from csb.methods.exponential import adaboost_alpha
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Variant, scale_largest

__all__ = ["ADAC1", "ADAC2", "ADAC3", "bound_alpha"]

STARTS = {"cost": lambda c, T: c, "uniform": lambda c, T: np.ones_like(c)}


def bound_alpha(D, kappa):
    r"""Minimiser of the convexity bound on :math:`\sum D e^{-\alpha\kappa}`, for exponents in [-1, 1]."""
    return half_log_odds((D * (1 + kappa)).sum(axis=(0, 1)), (D * (1 - kappa)).sum(axis=(0, 1)))


def _adac1(init, alpha):
    def exact_alpha(M, c, T):
        with np.errstate(divide="ignore"):
            log_weights = np.log(M).reshape(4, -1)
        return exponential_step(log_weights, np.broadcast_to(c * hit_sign, M.shape).reshape(4, -1))

    steps = {"closed": lambda M, c, T: bound_alpha(M, c * hit_sign), "exact": exact_alpha, "fgd": csada_alpha}
    return Rules(
        initial=STARTS[init],
        alpha=steps[alpha],
        log_factors=csada_factors,
        loss=csada_loss,
    )


def _count(init, t):
    """How often the cost of a class has been multiplied into its weight."""
    return t + 1 if init == "cost" else t


def _adac2(init):
    return Rules(
        initial=STARTS[init],
        alpha=lambda M, c, T: adaboost_alpha(M * c, c, T),
        log_factors=lambda alpha, c, T: np.log(c) - alpha * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss(_count(init, t) * np.log(c), np.ones_like(c)),
    )


def _adac3(init):
    return Rules(
        initial=STARTS[init],
        alpha=lambda M, c, T: bound_alpha(M * c, c * hit_sign),
        log_factors=lambda alpha, c, T: np.log(c) - alpha * c * hit_sign,
        loss=lambda c, t, T, A: ExponentialLoss((_count(init, t) - 1) * np.log(c), c),
    )


START = ("cost", "uniform")
ADAC1 = Variant(
    "adac1", "AdaC1", "Sun et al. 2005", "N16 Tables 1-3", r"e^{-c(y)m}", _adac1,
    options={"init": START, "alpha": ("closed", "exact", "fgd")}, scaling=scale_largest, cost_scale=1.0,
)  # fmt: skip
ADAC2 = Variant(
    "adac2", "AdaC2", "Sun et al. 2005", "N16 Tables 1-3, E-N05", r"c(y)^{t+1}\,e^{-m}", _adac2,
    options={"init": START},
)  # fmt: skip
ADAC3 = Variant(
    "adac3", "AdaC3", "Sun et al. 2005", "N16 Tables 1-3, E-N05", r"c(y)^{t}\,e^{-c(y)m}", _adac3,
    options={"init": START}, scaling=scale_largest, cost_scale=1.0,
)  # fmt: skip
