r"""AdaCost and AdaCost(:math:`\beta_2`): the step is adjusted up for costly misses, down for costly hits.

With the adjustment function of Table 1 of Nikolaou et al. (2016), :math:`\beta u = (u - c)/2`, so that the
weights are a function of the margin after all (E-N14). Costs must lie in (0, 1].
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from csb.engine.elementary import log
from csb.engine.rules import PerModel, Rules, hit_sign
from csb.methods.adac import bound_alpha
from csb.methods.exponential import adaboost_alpha
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Look, VotingMethod, scale_largest

__all__ = ["ADACOST", "ADACOST_BETA2", "FAMILY", "LOSS", "adacost_loss", "fan_adjustment"]

FAMILY = "An adjusted step"
LOSS = r"c(y)\,e^{c(y)A/2}\,e^{-m/2}"
Adjustment = Callable[[np.ndarray, np.ndarray], np.ndarray] | None


def fan_adjustment(c: np.ndarray, u: np.ndarray) -> np.ndarray:
    r"""The adjustment :math:`\beta = (1 - cu)/2` of Table 1, for cost ``c`` and hit sign ``u``."""
    return 0.5 * (1 - c * u)


def adacost_loss(c: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> ExponentialLoss:
    r"""The loss :math:`c\,e^{cA/2}\,e^{-m/2}`, from which the weights of AdaCost come."""
    return ExponentialLoss(log(c) + 0.5 * c * A, np.full_like(c, 0.5))


def adacost(closed_form: bool, beta: Adjustment = None) -> Rules:
    """The update adjusted by ``beta``, with the vote of its bound or AdaBoost's."""
    adjust = beta or fan_adjustment

    def kappa(c: np.ndarray) -> np.ndarray:
        return adjust(c, hit_sign) * hit_sign

    return Rules(
        initial=lambda c, T: c,
        alpha=(lambda M, c, T: bound_alpha(M, kappa(c))) if closed_form else adaboost_alpha,
        log_factors=lambda alpha, c, T: -alpha * kappa(c),
        loss=adacost_loss if beta is None else None,
    )


ADACOST = VotingMethod(
    "adacost", "AdaCost", "Fan et al. 1999", "N16 Tables 1-2, E-N14", LOSS, Look("#882255", "h", "-"), FAMILY,
    rules=partial(adacost, True), scaling=scale_largest, cost_scale=0.5, card=r"""
- **First weights**: $D^1_i\propto c_i$, the larger cost scaled to one half
- **Vote**: $\alpha_t=\frac12\log\frac{\sum_iD^t_i(1+\beta_iu_i)}{\sum_iD^t_i(1-\beta_iu_i)}$ with
  $\beta_i=\frac12(1-c_iu_i)$, so that $\beta_iu_i=\frac12(u_i-c_i)$
- **Update**: $D^{t+1}_i\propto D^t_i\,e^{-\alpha_t\beta_iu_i}$
- **Decision**: $F>0$
- **Loss**: <loss> by the weights; the vote does not minimise it
- **Fails** as soon as no edge exceeds the mean cost, where its run must end; the preference for the dear
  class grows with the total vote ({ref}`ch-gradient`, {ref}`ch-margins`)
- **Source**: {cite:t}`fan1999`; Tables 1 and 2 of {cite:t}`nikolaou2016`; {ref}`E-N14 <e-n14>` and
  {ref}`E-N16 <e-n16>`
""",
)  # fmt: skip
ADACOST_BETA2 = VotingMethod(
    "adacost_beta2", "AdaCost(β₂)", "Ting 2000", "N16 Tables 1-2, E-N15", LOSS, Look("#882255", "*", "--"),
    FAMILY, rules=partial(adacost, False), scaling=scale_largest, cost_scale=1.0, card=r"""
- **First weights**: $D^1_i\propto c_i$, the larger cost scaled to one
- **Vote**: $\alpha_t=\frac12\log\frac{R(D^t)}{W(D^t)}$
- **Update**: $D^{t+1}_i\propto D^t_i\,e^{-\alpha_t\beta_iu_i}$ with AdaCost's $\beta_i$, or any other
  given as `beta`
- **Decision**: $F>0$
- **Loss**: <loss> by the weights; the vote does not minimise it
- **Fails** in the long run: the preference for the dear class grows with every vote, and no vote is held
  back by the cost as AdaCost's are ({ref}`ch-margins`, {ref}`ch-gradient`)
- **Source**: {cite:t}`ting2000`; Tables 1 and 2 of {cite:t}`nikolaou2016`; {ref}`E-N15 <e-n15>`
""",
)  # fmt: skip
