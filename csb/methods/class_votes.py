r"""Sums of votes for any number of classes: AdaBoost.M2, AdaCost and CSB2.

In every round :math:`\alpha_t = \frac12 \log \frac{\sum w (1 + \kappa)}{\sum w (1 - \kappa)}` and the weights
are multiplied by :math:`e^{-\alpha_t \kappa}` and perhaps a factor besides.
"""

from __future__ import annotations

import numpy as np

from csb.costs import average_costs
from csb.engine.elementary import log
from csb.engine.mixture import ClassVotes, Problem
from csb.methods.pnorm import pseudo_loss
from csb.methods.spec import ClassVoteMethod

__all__ = ["ADABOOST_M2", "MULTICLASS_ADACOST", "MULTICLASS_CSB2", "adacost_votes", "csb2_votes", "m2_votes"]


def _log_average(problem: Problem) -> np.ndarray:
    return log(average_costs(problem.weighted_costs))[:, np.newaxis]


def _on_the_right_class(problem: Problem, w: np.ndarray) -> np.ndarray:
    return np.where(problem.right, w, 0.0)


def _plain(problem: Problem, hits: np.ndarray) -> np.ndarray:
    return hits


def _no_factor(problem: Problem, f: np.ndarray) -> float:
    return 0.0


def _pair_hits(problem: Problem, f: np.ndarray) -> np.ndarray:
    return f[np.arange(len(f)), problem.labels][:, np.newaxis] - f


def _signs(problem: Problem, f: np.ndarray) -> np.ndarray:
    """One where the predicted class costs nothing, minus one elsewhere, shape (n, 1)."""
    return np.where(_paid(problem, f) > 0, -1.0, 1.0)


def _paid(problem: Problem, f: np.ndarray) -> np.ndarray:
    return np.sum(problem.costs * f, axis=1, keepdims=True)


def _log_paid(problem: Problem, f: np.ndarray) -> np.ndarray:
    """Logarithm of what a miss costs, the smallest positive cost being one."""
    paid = _paid(problem, f) / problem.costs[problem.costs > 0].min()
    return log(np.where(paid > 0, paid, 1.0))


def m2_votes() -> ClassVotes:
    """Weights on the pairs of example and wrong class."""
    return ClassVotes(
        lambda problem: log(problem.weighted_costs), pseudo_loss, _pair_hits, _plain, _no_factor
    )


def csb2_votes() -> ClassVotes:
    """A miss is multiplied by what it costs."""
    return ClassVotes(_log_average, _on_the_right_class, _signs, _plain, _log_paid)


def adacost_votes(cost_scale: float) -> ClassVotes:
    """AdaCost whose largest example cost, after scaling, is ``cost_scale``."""

    def kappa(problem: Problem, hits: np.ndarray) -> np.ndarray:
        cost = average_costs(problem.costs)[:, np.newaxis]
        return (hits - cost * (cost_scale / cost.max())) / 2

    return ClassVotes(_log_average, _on_the_right_class, _signs, kappa, _no_factor)


ADABOOST_M2 = ClassVoteMethod(
    "adaboost_m2", "AdaBoost.M2", "Freund & Schapire 1997", "L08, a comparison method",
    r"\sum_{i,y}q_iC_{iy}\,e^{-(F(x_i,y^*_i)-F(x_i,y))}", votes=m2_votes,
)  # fmt: skip
MULTICLASS_ADACOST = ClassVoteMethod(
    "multiclass_adacost", "AdaCost for many classes", "Fan et al. 1999", "our reading",
    r"\bar c\,e^{\bar cA/2}\,e^{-m/2}", votes=adacost_votes,
)  # fmt: skip
MULTICLASS_CSB2 = ClassVoteMethod(
    "multiclass_csb2", "CSB2 for many classes", "Ting 2000", "our reading", "-", votes=csb2_votes
)
