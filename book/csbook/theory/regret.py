r"""What a small risk of a surrogate loss promises for the cost.

At a posterior :math:`p` a score :math:`F` has the expected loss :math:`pL_+(F)+(1-p)L_-(-F)`. The *regret*
of a score is what it has beyond the least. A decision at :math:`F>F_0` that is not Bayes' for the costs
pays a regret of at least :math:`H(p)`, the least over all scores on the wrong side of :math:`F_0`. Where
:math:`H` is positive at every posterior but the threshold :math:`c` of Bayes, the loss is
classification-calibrated for the costs, and small regret forces small excess cost: Bartlett, Jordan and
McAuliffe (2006) for equal costs, Scott (2012) for unequal ones. And the regret is itself a mean of excess
costs, over all thresholds, with a density that the loss chooses (Buja, Stuetzle and Shen 2005; Reid and
Williamson 2011).
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import isotonic_regression

from csb.costs import check_costs
from csb.engine.elementary import expit
from csb.inputs import MODERATE, check_shapes, read_array, read_number, read_weights, shown

__all__ = [
    "bound_excess_cost", "conditional_risk", "cut_density", "excess_cost", "least_risk", "wrong_side_regret",
]  # fmt: skip

RESOLUTION = 4000
"""Distances from the threshold at which the bound is computed, beside each at which regret rises steeply."""


class Loss(Protocol):
    """A convex loss of the margin with a minimiser in closed form, see :mod:`csb.methods.losses`."""

    def value(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Loss of examples of class ``y`` at the given margins."""

    def weight(self, y: ArrayLike, margin: ArrayLike) -> np.ndarray:
        """Minus the derivative with respect to the margin."""

    def minimiser(self, p: ArrayLike) -> np.ndarray:
        """Score of least expected loss."""

    def log_odds(self, score: ArrayLike) -> np.ndarray:
        """Log odds of the posterior at which a score is the minimiser, an affine function."""


def _check_loss(loss: Loss) -> None:
    if not all(hasattr(loss, name) for name in ("value", "weight", "minimiser", "log_odds")):
        raise ValueError(f"loss={shown(loss)}: needed are the methods value, weight, minimiser and log_odds")


def _implied_threshold(loss: Loss, cut: float) -> float:
    """Posterior above which the minimiser exceeds the cut."""
    return float(expit(np.ravel(loss.log_odds(cut))[0]))


def conditional_risk(loss: Loss, p: ArrayLike, score: ArrayLike) -> np.ndarray:
    r"""Expected loss :math:`pL_+(F)+(1-p)L_-(-F)` of a score where the posterior is ``p``.

    Parameters
    ----------
    loss : ExponentialLoss or LogisticLoss
        For one pair of costs.
    p : array_like
        Posteriors, in [0, 1].
    score : array_like
        Scores, of the same shape or a number.

    Returns
    -------
    ndarray
        The expected losses, infinite beyond the range of doubles.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> from csbook.theory.losses import LogisticLoss
    >>> conditional_risk(LogisticLoss(0.0, 2.0), [0.2, 0.5], 0.0).round(4)
    array([0.6931, 0.6931])
    """
    _check_loss(loss)
    p, score = read_array("p", p, "[0, 1]"), read_array("score", score, MODERATE)
    check_shapes(p=p, score=score)
    risk = p * loss.value(1, score) + (1 - p) * loss.value(-1, -score)
    return np.reshape(risk, np.broadcast_shapes(p.shape, score.shape))


def least_risk(loss: Loss, p: ArrayLike) -> np.ndarray:
    r"""Least expected loss :math:`C^*(p)` where the posterior is ``p``; zero where the class is certain.

    Parameters
    ----------
    loss : ExponentialLoss or LogisticLoss
        For one pair of costs.
    p : array_like
        Posteriors, in [0, 1].

    Returns
    -------
    ndarray
        The least expected losses, of the shape of ``p``.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    AdaBoost's, :math:`2\sqrt{p(1-p)}`:

    >>> from csb.methods.losses import ExponentialLoss
    >>> least_risk(ExponentialLoss([0.0, 0.0], [1.0, 1.0]), [0.0, 0.2, 0.5]).round(4)
    array([0. , 0.8, 1. ])
    """
    _check_loss(loss)
    p = read_array("p", p, "[0, 1]")
    uncertain = (p > 0) & (p < 1)
    within = np.where(uncertain, p, 0.5)
    best = np.reshape(loss.minimiser(within), p.shape)
    return np.where(uncertain, conditional_risk(loss, within, best), 0.0)


def wrong_side_regret(
    loss: Loss, p: ArrayLike, fn_cost: float, fp_cost: float = 1.0, cut: float = 0.0
) -> np.ndarray:
    r"""Least regret :math:`H(p)` of a score on the wrong side of ``cut`` for the costs.

    The loss is convex in the score, so that the best score on the wrong side is the cut itself, unless the
    minimiser lies there: then nothing is paid, and the loss is not classification-calibrated for these costs.

    Parameters
    ----------
    loss : ExponentialLoss or LogisticLoss
        For one pair of costs.
    p : array_like
        Posteriors, in [0, 1].
    fn_cost, fp_cost : float
        Costs of a missed positive and of a false alarm.
    cut : float, default 0.0
        Scores above it are decided positive.

    Returns
    -------
    ndarray
        The regret :math:`H` of Scott (2012), of the shape of ``p``; zero at the threshold of Bayes.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    CGAda's, :math:`(\sqrt{p\,c_{FN}}-\sqrt{(1-p)\,c_{FP}})^2`:

    >>> from csb.methods.losses import ExponentialLoss
    >>> cgada = ExponentialLoss(np.log([1.0, 4.0]), [1.0, 1.0])
    >>> wrong_side_regret(cgada, [0.2, 0.5], 4.0).round(4)
    array([0. , 0.5])
    """
    threshold = float(check_costs(fn_cost, fp_cost, single=True).threshold[0])
    cut, p = read_number("cut", cut, MODERATE), read_array("p", p, "[0, 1]")
    regret = np.maximum(conditional_risk(loss, p, cut) - least_risk(loss, p), 0.0)
    turn = _implied_threshold(loss, cut)
    free = (p - threshold) * (p - turn) <= 0  # between the two thresholds the minimiser is on the wrong side
    return np.where(free, 0.0, regret)


def bound_excess_cost(
    loss: Loss, excess_risk: ArrayLike, fn_cost: float, fp_cost: float = 1.0, cut: float = 0.0
) -> np.ndarray:
    r"""Largest excess cost that an excess risk of the surrogate loss allows.

    With :math:`\nu(\varepsilon)=\min_{|p-c|=\varepsilon}H(p)` and its largest convex minorant :math:`\psi`,
    :math:`\psi\bigl(\frac{R(F)-R^*}{c_{FN}+c_{FP}}\bigr)\le R_L(F)-R_L^*` for the cost :math:`R` and the risk
    :math:`R_L` (Scott 2012). This is the inverse of :math:`\psi`, to about 1e-6.

    Parameters
    ----------
    loss : ExponentialLoss or LogisticLoss
        For one pair of costs.
    excess_risk : array_like
        Risk beyond the least that any function has; not negative.
    fn_cost, fp_cost : float
        Costs of a missed positive and of a false alarm.
    cut : float, default 0.0
        Scores above it are decided positive.

    Returns
    -------
    ndarray
        Expected cost beyond that of Bayes, in the unit of the costs. Where the loss is not
        classification-calibrated for the costs it is positive even at an excess risk of zero.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> from csb.methods.losses import ExponentialLoss
    >>> adaboost = ExponentialLoss([0.0, 0.0], [1.0, 1.0])
    >>> bound_excess_cost(adaboost, [0.0, 0.02], 1.0).round(3)
    array([0.   , 0.199])
    >>> bound_excess_cost(adaboost, 0.0, 4.0).round(3)  # it decides at 1/2, and Bayes at 1/5
    np.float64(1.5)
    """
    costs = check_costs(fn_cost, fp_cost, single=True)
    excess_risk = read_array("excess_risk", excess_risk, "[0, 1e100]")
    threshold, unit = float(costs.threshold[0]), float(costs.by_class.sum())
    farthest = max(threshold, 1 - threshold)
    _check_loss(loss)
    misplaced = abs(_implied_threshold(loss, read_number("cut", cut, MODERATE)) - threshold)
    edge = min(threshold, 1 - threshold)  # one side ends there
    dense = np.linspace(0, 1, RESOLUTION + 1) ** 2
    after = [turn + (farthest - turn) * dense for turn in (0.0, misplaced, edge)]
    before = [end * (1 - dense) for end in (edge, farthest)]  # where the class is nearly certain
    distance = np.unique(np.concatenate(after + before))
    sides = []
    for p in (threshold - distance, threshold + distance):
        regret = wrong_side_regret(loss, p.clip(0, 1), fn_cost, fp_cost, cut)
        sides.append(np.where((p >= 0) & (p <= 1), regret, np.inf))
    regret = np.minimum(*sides)
    steps = np.diff(distance)
    slopes = isotonic_regression(np.diff(regret) / steps, sample_weight=steps)  # of the convex minorant
    promised = np.r_[0.0, np.cumsum(slopes * steps)]
    last = np.searchsorted(promised, excess_risk, side="right") - 1
    beyond = np.minimum(last + 1, len(distance) - 1)
    rise = promised[beyond] - promised[last]
    share = np.divide(excess_risk - promised[last], rise, out=np.zeros(excess_risk.shape), where=rise > 0)
    return unit * (distance[last] + share * (distance[beyond] - distance[last]))


def excess_cost(
    p: ArrayLike, positive: ArrayLike, fn_cost: float, fp_cost: float = 1.0, mass: ArrayLike | None = None
) -> float:
    r"""Expected cost of decisions beyond that of Bayes: the mean of
    :math:`(c_{FN}+c_{FP})\,|p-c|` over the wrong ones.

    Parameters
    ----------
    p : array_like of shape (n,)
        Posterior in each cell of a finite distribution.
    positive : array_like of shape (n,), bool
        Decision in each cell.
    fn_cost, fp_cost : float
        Costs of a missed positive and of a false alarm.
    mass : array_like of shape (n,), optional
        Probability of each cell, up to a factor; equal by default.

    Returns
    -------
    float
        The excess, in the unit of the costs.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> round(excess_cost([0.1, 0.5], [False, False], 4.0), 3)
    0.75
    """
    costs = check_costs(fn_cost, fp_cost, single=True)
    p = read_array("p", p, "[0, 1]", shape=(None,))
    decided = read_array("positive", positive, "[0, 1]", shape=p.shape) > 0
    weights = read_weights(mass, p, "mass")
    threshold = costs.threshold[0]
    paid = np.where(decided != (p > threshold), abs(p - threshold), 0.0)
    return float(costs.by_class.sum() * np.average(paid, weights=weights))


def cut_density(loss: Loss, q: ArrayLike) -> np.ndarray:
    r"""How much of its regret a loss charges at each threshold: :math:`\omega(q)=-{C^*}''(q)`.

    Read as a statement of the posterior, by the score whose minimiser it is, a score has the regret
    :math:`\int\omega(q)\,|p-q|\,dq` over all thresholds :math:`q` between the posterior :math:`p` and the
    statement: a mean of excess costs (Buja, Stuetzle and Shen 2005; Reid and Williamson 2011).

    Parameters
    ----------
    loss : ExponentialLoss or LogisticLoss
        For one pair of costs.
    q : array_like
        Thresholds, from 1e-100 on and below 1.

    Returns
    -------
    ndarray
        The density, which need not have a finite integral.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    AdaBoost's, :math:`\frac12(q(1-q))^{-3/2}`:

    >>> from csb.methods.losses import ExponentialLoss
    >>> cut_density(ExponentialLoss([0.0, 0.0], [1.0, 1.0]), 0.5)
    np.float64(4.0)
    """
    _check_loss(loss)
    q = read_array("q", q, "[1e-100, 1)")
    score = np.reshape(loss.minimiser(q), q.shape)
    slope = np.ravel(loss.log_odds(1.0))[0] - np.ravel(loss.log_odds(0.0))[0]
    weights = np.reshape(loss.weight(1, score) + loss.weight(-1, -score), q.shape)
    return weights / (slope * q * (1 - q))
