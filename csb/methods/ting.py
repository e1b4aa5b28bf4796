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
from csb.methods.row import Look, VotingMethod, scale_smallest

__all__ = ["CSB0", "CSB1", "CSB2"]

FAMILY = "Misses multiplied by their cost"
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
    "csb0", "CSB0", "Ting & Zheng 1998", "N16 Tables 1-2, E-N06", "-", Look("#56B4E9", "1", ":"), FAMILY,
    rules=partial(csb, np.zeros_like), scaling=scale_smallest, card=r"""
- **First weights**: $D^1_i\propto c_i$, the smaller cost scaled to one
- **Vote**: $\alpha_t=\frac12\log\frac{R(D^t)}{W(D^t)}$
- **Update**: $D^{t+1}_i\propto D^t_i\,c_i^{[u_i=-1]}$
- **Decision**: $F>0$, or $F>(2c-1)A_T$ (`rule="vote"`)
- **Loss**: none: the weights remember the number of misses
- **Fails** at equal costs, when no weight moves any more; and with any costs there is no loss for it to
  descend on ({ref}`ch-gradient`)
- **Source**: {cite:t}`ting1998`; Tables 1 and 2 of {cite:t}`nikolaou2016`
""",
)  # fmt: skip
CSB1 = VotingMethod(
    "csb1", "CSB1", "Ting 2000", "N16 Tables 1-2, E-N06", "-", Look("#56B4E9", "2", "--"), FAMILY,
    rules=partial(csb, np.ones_like), scaling=scale_smallest, card=r"""
- **First weights**: $D^1_i\propto c_i$, the smaller cost scaled to one
- **Vote**: $\alpha_t=\frac12\log\frac{R(D^t)}{W(D^t)}$
- **Update**: $D^{t+1}_i\propto D^t_i\,c_i^{[u_i=-1]}e^{-u_i}$
- **Decision**: $F>0$, or $F>(2c-1)A_T$ (`rule="vote"`)
- **Loss**: none: the weights remember the number of misses
- **Fails** to keep the costly class ahead at equal margin, since its weights move by a fixed step and not
  by the vote ({ref}`ch-margins-evidence`)
- **Source**: {cite:t}`ting2000`; Tables 1 and 2 of {cite:t}`nikolaou2016`
""",
)  # fmt: skip
CSB2 = VotingMethod(
    "csb2", "CSB2", "Ting 2000", "N16 Tables 1-2, E-N06", "-", Look("#56B4E9", "3", "-"), FAMILY,
    rules=partial(csb, np.copy), scaling=scale_smallest, card=r"""
- **First weights**: $D^1_i\propto c_i$, the smaller cost scaled to one
- **Vote**: $\alpha_t=\frac12\log\frac{R(D^t)}{W(D^t)}$
- **Update**: $D^{t+1}_i\propto D^t_i\,c_i^{[u_i=-1]}e^{-\alpha_tu_i}$
- **Decision**: $F>0$, or $F>(2c-1)A_T$ (`rule="vote"`)
- **Loss**: none: the weights remember the number of misses
- **Fails** to settle: every further miss multiplies the weight again, and on two overlapping Gaussians it
  calls everything by the costly class ({ref}`ch-fisher`)
- **Source**: {cite:t}`ting2000`; Tables 1 and 2 of {cite:t}`nikolaou2016`; {ref}`E-N06 <e-n06>`
""",
)  # fmt: skip
