r"""LogitBoost and its cost-sensitive kin: what links their score to a probability.

The score :math:`f` is linked to the probability of the positive class by
:math:`\hat p = \sigma(2(\gamma f + \eta))`. LogitBoost of Friedman, Hastie and Tibshirani (2000) has
:math:`\gamma=1, \eta=0`; with the cost ratio :math:`\rho`, AsyBL of Cao et al. (2013) has
:math:`\eta=-\frac12\log\rho`, and asymmetric LogitBoost, which they take from others,
:math:`\gamma=\frac12(c_{FN}+c_{FP})` in addition.
"""

from __future__ import annotations

from csb.costs import Costs
from csb.engine.newton import Link
from csb.engine.rules import log_cost_ratio
from csb.methods.row import Look, NewtonMethod

__all__ = ["ASYBL", "ASYMMETRIC_LOGITBOOST", "LOGITBOOST"]

FAMILY = "The logistic loss"


def asybl(costs: Costs) -> Link:
    """The cost ratio as an offset."""
    return Link(1.0, -0.5 * log_cost_ratio(costs)[0])


def asymmetric_logitboost(costs: Costs) -> Link:
    """The offset, and a slope by the sum of the costs."""
    return Link(0.5 * (costs.fn_cost[0] + costs.fp_cost[0]), -0.5 * log_cost_ratio(costs)[0])


LOGITBOOST = NewtonMethod(
    "logitboost", "LogitBoost", "Friedman et al. 2000", "Friedman et al. (2000), Algorithm 3",
    r"\log(1+e^{-2m})", Look("#117733", ".", ":"), FAMILY, costs_act="never",
    card=r"""
- **Start**: $F=0$, $\hat p=\sigma(2F)$
- **Rule**: Fit $z_i=\frac{y^*_i-\hat p_i}{\hat p_i(1-\hat p_i)}$, $y^*=\frac12(1+y)$, clipped at $\pm4$,
  by least squares with weights $\hat p_i(1-\hat p_i)$; $F\leftarrow F+\frac12f_t$; renew $\hat p$
- **Decision**: $F>0$; compare $\hat p$ with $c$ to mind costs
- **Loss**: <loss>
- **Fails** wherever costs differ and the sign of its score is taken; with $\hat p>c$ it decides as AsyBL
  does after enough rounds ({ref}`ch-fisher`)
- **Source**: {cite:t}`friedman2000`
""",
)  # fmt: skip
ASYBL = NewtonMethod(
    "asybl", "AsyBL", "Cao et al. 2013", "C13 Algorithm 2, E-A07 to E-A09", r"\log(1+\rho^{y}e^{-2m})",
    Look("#117733", "p", "-"), FAMILY, link=asybl, card=r"""
- **Start**: $F=0$, $\hat p=\sigma(2F-\log\rho)$
- **Rule**: LogitBoost's round with this $\hat p$
- **Decision**: $F>0$, which is $\hat p>c$
- **Loss**: <loss>
- **Fails** with learners that fit the sample, such as trees; what it adds to LogitBoost thresholded at
  $c$ is an offset that matters in the first rounds only ({ref}`ch-fisher`)
- **Source**: Algorithm 2 of {cite:t}`cao2013`, its steps in order; {ref}`E-A07 <e-a07>` to
  {ref}`E-A09 <e-a09>`
""",
)  # fmt: skip
ASYMMETRIC_LOGITBOOST = NewtonMethod(
    "asymmetric_logitboost", "asymmetric LogitBoost", "Masnadi-Shirazi & Vasconcelos 2011", "C13, E-A09",
    r"\log\bigl(1+\rho^{y}e^{-(c_{FN}+c_{FP})m}\bigr)", Look("#117733", "h", "--"), FAMILY,
    link=asymmetric_logitboost, card=r"""
- **Start**: $F=0$, $\hat p=\sigma\bigl((c_{FN}+c_{FP})F-\log\rho\bigr)$
- **Rule**: LogitBoost's round with this $\hat p$, and $F\leftarrow F+\frac1{c_{FN}+c_{FP}}f_t$
- **Decision**: $F>0$, which is $\hat p>c$
- **Loss**: <loss>
- **Fails** where AsyBL fails: the two have the same probabilities and decisions in every round
  ({ref}`ch-fisher`)
- **Source**: {cite:t}`masnadi2011`, as {cite:t}`cao2013` quote it; {ref}`E-A09 <e-a09>`
""",
)  # fmt: skip
