r"""MarginBoost.L1 of Mason, Baxter, Bartlett and Frean (2000): descent on a cost of the margin.

Lozano and Abe (2008) take the weak-learning assumption of their Theorem 4.1 from it. The score is a convex
combination :math:`F`, so that the margin :math:`m = yF` lies in [-1, 1]; the learner is shown weights
:math:`D_i \propto -c'(m_i)` for a falling cost :math:`c`, and the run ends when
:math:`\sum_i D_iy_i(f_t(x_i) - F_{t-1}(x_i)) \le 0`.

Written as a mixture, :math:`F = H(1|x) - H(-1|x)` and :math:`m = 1 - 2H(y|x)` for the wrong class :math:`y`.
Costs multiply the terms of the objective

.. math:: L(H) = \sum_i q_i\sum_y C_{iy}\,c\bigl(1 - 2H(y|x_i)\bigr) .

For two classes this is the method on examples of weight :math:`q_iC_{iy}`; that with more of them each wrong
class has a margin of its own is our reading. With :math:`c(m) = (\frac{1-m}2)^p` the terms are
:math:`H(y|x_i)^pC_{iy}`, and the method is LpCSB-A, which with steps of fixed length does not end where
the hypothesis is no way down.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from scipy.optimize import brentq

from csb.engine.elementary import exp, expit, logaddexp, power
from csb.engine.linesearch import MOST_STEPS
from csb.engine.mixture import Problem
from csb.methods.pnorm import direct
from csb.methods.spec import MixtureMethod

__all__ = [
    "LOSSES",
    "MARGIN_BOOST",
    "MarginCost",
    "margin_boost",
    "margin_cost",
    "margin_slope",
    "margin_step",
]

MarginLossName = Literal["logistic", "exponential", "sigmoid", "power"]
MarginStep = Literal["1/(t+1)", "1/t", "linesearch"]

POINTS = np.linspace(0.0, 1.0, 65)
"""Of the segment, among which the line search begins: a cost that is not convex may have several minima."""

ROUNDING = 1e-13
"""Objectives closer than this, in proportion, are told apart by their slopes alone."""


class MarginCost(NamedTuple):
    """A falling function of the margin.

    Attributes
    ----------
    value : callable ``m -> c(m)``
        The cost.
    fall : callable ``m -> -c'(m)``
        How fast it falls, which is the weight.
    """

    value: Callable[[np.ndarray], np.ndarray]
    fall: Callable[[np.ndarray], np.ndarray]


def _sigmoid(s: float) -> MarginCost:
    return MarginCost(lambda m: 2 * expit(-2 * s * m), lambda m: 4 * s * expit(2 * s * m) * expit(-2 * s * m))


def _exponential(s: float) -> MarginCost:
    return MarginCost(lambda m: exp(-s * m), lambda m: s * exp(-s * m))


def _logistic(s: float) -> MarginCost:
    return MarginCost(lambda m: logaddexp(0.0, -2 * s * m), lambda m: 2 * s * expit(-2 * s * m))


def _power(s: float) -> MarginCost:
    return MarginCost(lambda m: power((1 - m) / 2, s), lambda m: s / 2 * power((1 - m) / 2, s - 1))


LOSSES: dict[str, Callable[[float], MarginCost]] = {
    "logistic": _logistic, "exponential": _exponential, "sigmoid": _sigmoid, "power": _power,
}  # fmt: skip
r"""Costs by name, from their sharpness :math:`s`: :math:`\log(1+e^{-2sm})`, :math:`e^{-sm}`,
:math:`1-\tanh(sm)` of DOOM II and :math:`(\frac{1-m}2)^s`."""


def margin_cost(problem: Problem, H: np.ndarray, cost: MarginCost) -> float:
    r"""The objective :math:`\sum_iq_i\sum_yC_{iy}\,c(1-2H(y|x_i))`.

    The sum that MarginBoost goes down on (Mason et al. 2000), with costs.

    Parameters
    ----------
    problem : Problem
        Examples as costs.
    H : ndarray of shape (n, k)
        The mixture; rows sum to one.
    cost : MarginCost
        The cost of the margin.

    Returns
    -------
    float
        The objective, in the unit of the costs.
    """
    return float(np.sum(problem.weighted_costs * cost.value(1 - 2 * H)))


def margin_slope(problem: Problem, H: np.ndarray, f: np.ndarray, cost: MarginCost, alpha: float) -> float:
    r"""Derivative of the objective at :math:`(1-\alpha)H + \alpha f` in the step.

    Parameters
    ----------
    problem : Problem
        Examples as costs.
    H, f : ndarray of shape (n, k)
        The mixture and the new hypothesis.
    cost : MarginCost
        The cost of the margin.
    alpha : float
        The step, in [0, 1].

    Returns
    -------
    float
        The derivative: negative where going further lowers the objective.
    """
    mixture = (1 - alpha) * H + alpha * f
    return float(np.sum(2 * problem.weighted_costs * cost.fall(1 - 2 * mixture) * (f - H)))


def margin_boost(problem: Problem, H: np.ndarray, cost: MarginCost, rng: np.random.RandomState) -> np.ndarray:
    """The gradient as weights of labels that are all taken for right, as LpCSB-A has it.

    Those of MarginBoost.L1 (Mason et al. 2000), for every wrong class by itself.

    Parameters
    ----------
    problem : Problem
        Examples as costs.
    H : ndarray of shape (n, k)
        The mixture.
    cost : MarginCost
        The cost of the margin.
    rng : RandomState
        Not drawn from; every method of mixtures is given one.

    Returns
    -------
    ndarray of shape (n, k)
        What is gained by predicting each class, not negative.
    """
    w = problem.weighted_costs * cost.fall(1 - 2 * H)
    return direct(w / max(w.sum(), np.finfo(float).tiny))


def _line_search(problem: Problem, H: np.ndarray, f: np.ndarray, cost: MarginCost) -> float:
    """The root of the derivative beside the best of some points: the least objective where it is convex."""

    def objective(alpha: float) -> float:
        return margin_cost(problem, (1 - alpha) * H + alpha * f, cost)

    def slope(alpha: float) -> float:
        return margin_slope(problem, H, f, cost, alpha)

    def root(low: float, high: float) -> float:
        return brentq(slope, low, high, xtol=1e-15, rtol=1e-14, maxiter=MOST_STEPS)

    values = [objective(alpha) for alpha in POINTS]
    best = int(np.argmin(values))
    low, high = POINTS[max(best - 1, 0)], POINTS[min(best + 1, len(POINTS) - 1)]
    if slope(low) < 0 < slope(high):
        return root(low, high)
    # at an end, or objectives are equal to rounding, where heavy rows hide what slopes tell of light ones
    rises = np.array([*(slope(alpha) >= 0 for alpha in POINTS), True])
    turns = np.flatnonzero(~rises[:-1] & rises[1:])  # not none, as the slope is negative at zero
    nearest = turns[np.argmin(abs(turns - best))]
    alpha = 1.0 if nearest == len(POINTS) - 1 else root(POINTS[nearest], POINTS[nearest + 1])
    return alpha if objective(alpha) <= values[best] * (1 + ROUNDING) else float(POINTS[best])


def margin_step(
    problem: Problem, H: np.ndarray, f: np.ndarray, cost: MarginCost, t: int, step: MarginStep
) -> float:
    """How far to go in round ``t``; zero, which ends the run, where the hypothesis is no way down.

    Parameters
    ----------
    problem : Problem
        Examples as costs.
    H, f : ndarray of shape (n, k)
        The mixture and the new hypothesis.
    cost : MarginCost
        The cost of the margin.
    t : int
        The round, from one on.
    step : {"1/(t+1)", "1/t", "linesearch"}
        A length by the round, or that of least objective.

    Returns
    -------
    float
        The step, in [0, 1].
    """
    if margin_slope(problem, H, f, cost, 0.0) >= 0:
        return 0.0
    if step == "linesearch":
        return _line_search(problem, H, f, cost)
    return 1 / t if step == "1/t" else 1 / (t + 1)


MARGIN_BOOST = MixtureMethod(
    "marginboost_l1", "MarginBoost.L1", "Mason et al. 2000", "after L08 Theorem 4.1, our reading of costs",
    r"\sum_iq_i\sum_yC_{iy}\,c\bigl(1-2H(y|x_i)\bigr)", weigh=margin_boost,
)  # fmt: skip
