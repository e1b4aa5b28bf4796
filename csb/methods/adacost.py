r"""AdaCost and AdaCost(:math:`\beta_2`): the step is adjusted up for costly misses, down for costly hits.

With the adjustment function of Table 1 of Nikolaou et al. (2016), :math:`\beta u = (u - c)/2`, so that the
weights are a function of the margin after all (E-N14). Costs must lie in (0, 1].
"""

from __future__ import annotations

import numpy as np

from csb.engine.rules import Rules, hit_sign
from csb.methods.adac import bound_alpha
from csb.methods.exponential import adaboost_alpha
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Variant, scale_largest

__all__ = ["ADACOST", "ADACOST_BETA2", "adacost_loss", "fan_adjustment"]


def fan_adjustment(c, u):
    r"""The adjustment :math:`\beta = (1 - cu)/2` of Table 1, for cost ``c`` and hit sign ``u``."""
    return 0.5 * (1 - c * u)


def adacost_loss(c, t, T, A):
    r"""The loss :math:`c\,e^{cA/2}\,e^{-m/2}`, from which the weights of AdaCost come."""
    return ExponentialLoss(np.log(c) + 0.5 * c * A, np.full_like(c, 0.5))


def _adacost(closed_form):
    def build(beta):
        adjust = beta or fan_adjustment

        def kappa(c):
            return adjust(c, hit_sign) * hit_sign

        return Rules(
            initial=lambda c, T: c,
            alpha=(lambda M, c, T: bound_alpha(M, kappa(c))) if closed_form else adaboost_alpha,
            log_factors=lambda alpha, c, T: -alpha * kappa(c),
            loss=adacost_loss if beta is None else None,
        )

    return build


LOSS = r"c(y)\,e^{c(y)A/2}\,e^{-m/2}"
ADACOST = Variant(
    "adacost", "AdaCost", "Fan et al. 1999", "N16 Tables 1-2, E-N14", LOSS, _adacost(closed_form=True),
    options={"beta": (None,)}, scaling=scale_largest, cost_scale=0.5,
)  # fmt: skip
ADACOST_BETA2 = Variant(
    "adacost_beta2", "AdaCost(β₂)", "Ting 2000", "N16 Tables 1-2, E-N15", LOSS, _adacost(closed_form=False),
    options={"beta": (None,)}, scaling=scale_largest, cost_scale=1.0,
)  # fmt: skip
