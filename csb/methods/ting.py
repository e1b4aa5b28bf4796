"""The CSB family of Ting: misclassified examples are multiplied by their cost.

The cheap class has cost one. The vote is AdaBoost's for all three, as in Table 2 of Nikolaou et al.
(2016). The weights remember how often an example was missed and are no function of its margin (E-N06).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np

from csb.engine.elementary import log
from csb.engine.rules import Rules, hit_sign
from csb.methods.exponential import adaboost_alpha, vote_threshold
from csb.methods.spec import VotingMethod, scale_smallest

__all__ = ["CSB0", "CSB1", "CSB2"]

CSBRule = Literal["sign", "vote"]


def csb(step: Callable[[np.ndarray], np.ndarray], rule: CSBRule = "sign") -> Rules:
    """Rules with the given exponent of the update; the cost factor is common to the three."""
    return Rules(
        initial=lambda c, T: c,
        alpha=adaboost_alpha,
        log_factors=lambda alpha, c, T: np.where(hit_sign < 0, log(c), 0.0) - step(alpha) * hit_sign,
        threshold=vote_threshold if rule == "vote" else Rules.threshold,
    )


CSB0 = VotingMethod(
    "csb0", "CSB0", "Ting & Zheng 1998", "N16 Tables 1-2, E-N06", "-", rules=partial(csb, np.zeros_like),
    scaling=scale_smallest,
)  # fmt: skip
CSB1 = VotingMethod(
    "csb1", "CSB1", "Ting 2000", "N16 Tables 1-2, E-N06", "-", rules=partial(csb, np.ones_like),
    scaling=scale_smallest,
)  # fmt: skip
CSB2 = VotingMethod(
    "csb2", "CSB2", "Ting 2000", "N16 Tables 1-2, E-N06", "-", rules=partial(csb, np.copy),
    scaling=scale_smallest,
)  # fmt: skip
