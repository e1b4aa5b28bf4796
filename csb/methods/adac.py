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
from csb.methods.csada import FAMILY, csada_alpha, csada_factors, csada_loss
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Look, VotingMethod, scale_largest

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
    return Rules(STARTS[init], steps[alpha], csada_factors, csada_loss)


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
    "adac1", "AdaC1", "Sun et al. 2005", "N16 Tables 1-3", r"e^{-c(y)m}", Look("#E69F00", "<", "-"), FAMILY,
    rules=adac1, scaling=scale_largest, cost_scale=1.0, card=r"""
- **First weights**: $D^1_i\propto c_i$ (`init="uniform"`: 1), the larger cost scaled to one
- **Vote**: $\alpha_t=\frac12\log\frac{\sum_iD^t_i(1+c_iu_i)}{\sum_iD^t_i(1-c_iu_i)}$; `alpha="exact"`
  minimises $\sum_iD^t_ie^{-\alpha c_iu_i}$, of which this minimises a bound, and `alpha="fgd"` is CSAda's
- **Update**: $D^{t+1}_i\propto D^t_i\,e^{-\alpha_tc_iu_i}$
- **Decision**: $F>0$
- **Loss**: <loss> by the weights; the vote does not minimise it
- **Fails** when the best hypothesis under its weights gets no vote: the run stops there, far from the
  decision that its loss calls for ({ref}`ch-four-views`)
- **Source**: {cite:t}`sun2005`; Tables 1 to 3 of {cite:t}`nikolaou2016`; {ref}`E-N17 <e-n17>`
""",
)  # fmt: skip
ADAC2 = VotingMethod(
    "adac2", "AdaC2", "Sun et al. 2005", "N16 Tables 1-3, E-N05", r"c(y)^{t+1}\,e^{-m}",
    Look("#E69F00", ">", "--"), FAMILY, rules=adac2, card=r"""
- **First weights**: $D^1_i\propto c_i$ (`init="uniform"`: 1)
- **Vote**: $\alpha_t=\frac12\log\frac{R(cD^t)}{W(cD^t)}$
- **Update**: $D^{t+1}_i\propto D^t_i\,c_i\,e^{-\alpha_tu_i}$
- **Decision**: $F>0$
- **Loss**: <loss>, with exponent $t$ if started from uniform weights
- **Fails** with the number of rounds: the costs are multiplied in again in each of them, until nearly
  everything is called by the costlier class ({ref}`ch-decision`)
- **Source**: {cite:t}`sun2005`; Tables 1 to 3 of {cite:t}`nikolaou2016`; {ref}`E-N05 <e-n05>`
""",
)  # fmt: skip
ADAC3 = VotingMethod(
    "adac3", "AdaC3", "Sun et al. 2005", "N16 Tables 1-3, E-N05", r"c(y)^{t}\,e^{-c(y)m}",
    Look("#E69F00", "P", ":"), FAMILY, rules=adac3, scaling=scale_largest, cost_scale=1.0, card=r"""
- **First weights**: $D^1_i\propto c_i$ (`init="uniform"`: 1), the larger cost scaled to one
- **Vote**: $\alpha_t=\frac12\log\frac{\sum_iD^t_ic_i(1+c_iu_i)}{\sum_iD^t_ic_i(1-c_iu_i)}$
- **Update**: $D^{t+1}_i\propto D^t_i\,c_i\,e^{-\alpha_tc_iu_i}$
- **Decision**: $F>0$
- **Loss**: <loss> by the weights, with exponent $t-1$ if started from uniform weights; the vote does not
  minimise it
- **Fails** as AdaC2 does, by its growing factor: the cheap class is given up ({ref}`ch-margins`)
- **Source**: {cite:t}`sun2005`; Tables 1 to 3 of {cite:t}`nikolaou2016`; {ref}`E-N05 <e-n05>`
""",
)  # fmt: skip
