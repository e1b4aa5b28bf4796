r"""AsyB of Cao et al. (2013): costs on the exponential loss, by the masses of the classes.

The derivation keeps weights without costs, trains on their product with the costs and puts the costs into
the vote; it is CGAda. The printed algorithm starts from the costs *and* has them in the vote, which counts
them twice (E-A06).
"""

from __future__ import annotations

import numpy as np

from csb.engine.rules import Rules, half_log_odds, hit_sign
from csb.methods.exponential import adaboost_factors
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Variant

__all__ = ["ASYB"]


def _asyb(form):
    def alpha(M, c, T):
        # masses of the classes among hits and misses, under weights without costs if form="corrected"
        E = M / c if form == "corrected" else M
        right, wrong = np.where(hit_sign > 0, E * c, 0.0), np.where(hit_sign < 0, E * c, 0.0)
        return half_log_odds(right.sum(axis=(0, 1)), wrong.sum(axis=(0, 1)))

    return Rules(
        initial=lambda c, T: c,
        alpha=alpha,
        log_factors=adaboost_factors,
        loss=lambda c, t, T, A: ExponentialLoss(np.log(c), np.ones_like(c)),
    )


ASYB = Variant(
    "asyb", "AsyB", "Cao et al. 2013", "C13 Algorithm 1, E-A05, E-A06", r"c(y)\,e^{-m}", _asyb,
    options={"form": ("corrected", "paper")},
)  # fmt: skip
