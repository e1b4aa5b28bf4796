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
from csb.methods.spec import NewtonMethod

__all__ = ["ASYBL", "ASYMMETRIC_LOGITBOOST", "LOGITBOOST"]


def asybl(costs: Costs) -> Link:
    """The cost ratio as an offset."""
    return Link(1.0, -0.5 * log_cost_ratio(costs)[0])


def asymmetric_logitboost(costs: Costs) -> Link:
    """The offset, and a slope by the sum of the costs."""
    return Link(0.5 * (costs.fn_cost[0] + costs.fp_cost[0]), -0.5 * log_cost_ratio(costs)[0])


LOGITBOOST = NewtonMethod(
    "logitboost", "LogitBoost", "Friedman et al. 2000", "Friedman et al. (2000), Algorithm 3",
    r"\log(1+e^{-2m})", costs_act="never",
)  # fmt: skip
ASYBL = NewtonMethod(
    "asybl", "AsyBL", "Cao et al. 2013", "C13 Algorithm 2, E-A07 to E-A09", r"\log(1+\rho^{y}e^{-2m})",
    link=asybl,
)  # fmt: skip
ASYMMETRIC_LOGITBOOST = NewtonMethod(
    "asymmetric_logitboost", "asymmetric LogitBoost", "Masnadi-Shirazi & Vasconcelos 2011", "C13, E-A09",
    r"\log\bigl(1+\rho^{y}e^{-(c_{FN}+c_{FP})m}\bigr)", link=asymmetric_logitboost,
)  # fmt: skip
