r"""Weights and votes of AdaBoost.M2, AdaCost and CSB2: the lines in which the sums of votes differ.

In every round :math:`\alpha_t = \frac12 \log \frac{\sum w (1 + \kappa)}{\sum w (1 - \kappa)}` and the weights
are multiplied by :math:`e^{-\alpha_t \kappa}` and a surcharge.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from csb.costs import average_costs
from csb.methods.pnorm import pseudo_loss

__all__ = ["ADABOOST_M2", "CSB2", "Votes", "adacost"]


class Votes(NamedTuple):
    """A method of voting.

    Attributes
    ----------
    start : callable
        Logarithms of the first weights: of the pairs (n, k) or of the examples (n, 1).
    rows : callable
        What the learner is given, (n, k), for weights ``w``.
    hits : callable
        How right the values ``f`` are, from -1 to 1, in the shape of the weights.
    kappa : callable
        What the vote multiplies in the exponent, from the hits.
    surcharge : callable
        What else is added to the logarithms of the weights.
    """

    start: Callable
    rows: Callable
    hits: Callable
    kappa: Callable
    surcharge: Callable


def _log(values):
    with np.errstate(divide="ignore"):
        return np.log(values)


def _log_average(problem):
    return _log(average_costs(problem.stakes))[:, np.newaxis]


def _on_the_right_class(problem, w):
    return np.where(problem.right, w, 0.0)


def _plain(problem, hits):
    return hits


def _none(problem, f):
    return 0.0


def _pair_hits(problem, f):
    return f[np.arange(len(f)), problem.labels][:, np.newaxis] - f


def _signs(problem, f):
    """One where the predicted class costs nothing, minus one elsewhere, shape (n, 1)."""
    return np.where(_paid(problem, f) > 0, -1.0, 1.0)


def _paid(problem, f):
    return np.sum(problem.costs * f, axis=1, keepdims=True)


def _log_paid(problem, f):
    """Logarithm of what a miss costs, the smallest positive cost being one."""
    paid = _paid(problem, f) / problem.costs[problem.costs > 0].min()
    return np.log(np.where(paid > 0, paid, 1.0))


ADABOOST_M2 = Votes(lambda problem: _log(problem.stakes), pseudo_loss, _pair_hits, _plain, _none)
CSB2 = Votes(_log_average, _on_the_right_class, _signs, _plain, _log_paid)


def adacost(cost_scale: float) -> Votes:
    """AdaCost whose largest example cost, after scaling, is ``cost_scale``."""

    def kappa(problem, hits):
        cost = average_costs(problem.costs)[:, np.newaxis]
        return (hits - cost * (cost_scale / cost.max())) / 2

    return Votes(_log_average, _on_the_right_class, _signs, kappa, _none)
