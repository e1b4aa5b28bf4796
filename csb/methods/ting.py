"""The CSB family of Ting: misclassified examples are multiplied by their cost.

The cheap class has cost one. The vote is AdaBoost's for all three, as in Table 2 of Nikolaou et al.
(2016). The weights remember how often an example was missed and are no function of its margin (E-N06).
"""

from __future__ import annotations

import numpy as np

from csb.engine.rules import Rules, hit_sign
from csb.methods.exponential import adaboost_alpha, vote_threshold
from csb.methods.row import Variant, scale_smallest

__all__ = ["CSB0", "CSB1", "CSB2"]


def _csb(step):
    """Rules with the given exponent of the update; the cost factor is common to the three."""

    def build(rule):
        return Rules(
            initial=lambda c, T: c,
            alpha=adaboost_alpha,
            log_factors=lambda alpha, c, T: np.where(hit_sign < 0, np.log(c), 0.0) - step(alpha) * hit_sign,
            threshold=vote_threshold if rule == "vote" else Rules.threshold,
        )

    return build


RULE = {"rule": ("sign", "vote")}
CSB0 = Variant(
    "csb0", "CSB0", "Ting & Zheng 1998", "N16 Tables 1-2, E-N06", "-", _csb(np.zeros_like),
    options=RULE, scaling=scale_smallest,
)  # fmt: skip
CSB1 = Variant(
    "csb1", "CSB1", "Ting 2000", "N16 Tables 1-2, E-N06", "-", _csb(np.ones_like),
    options=RULE, scaling=scale_smallest,
)  # fmt: skip
CSB2 = Variant(
    "csb2", "CSB2", "Ting 2000", "N16 Tables 1-2, E-N06", "-", _csb(np.copy),
    options=RULE, scaling=scale_smallest,
)  # fmt: skip
