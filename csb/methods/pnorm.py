r"""Weights of the expanded rows: the line in which the methods of convex combination differ.

A method is a function of the problem, of the mixture :math:`H_{t-1}` of shape (n, k), of the norm :math:`p`
and of a random state. It returns a weight for each pair of example and class, shape (n, k). For a binary
learner the sign is the label of the pair: one where positive, zero where negative. For a multiclass learner
the weights are not negative, and say how much is gained by predicting that class.
"""

from __future__ import annotations

import numpy as np
from scipy.special import xlogy

from csb.costs import average_costs
from csb.engine.problem import Problem

__all__ = [
    "adjusted", "average_cost", "costing", "direct", "dse", "gbse", "gbse_t", "lp_csb", "lp_csb_a",
    "lp_csb_pa", "p_norm", "pseudo_loss",
]  # fmt: skip


def p_norm(problem: Problem, H: np.ndarray, p: float) -> np.ndarray:
    r"""Weights :math:`w_{iy} \propto q_i C_{iy} H(y|x_i)^{p-1}`, summing to one unless all vanish.

    Eq. (5) of Lozano and Abe (2008). Formed from logarithms; :math:`0^0 = 1`.
    """
    with np.errstate(divide="ignore"):
        log_w = np.log(problem.stakes) + xlogy(p - 1, H)
    largest = log_w.max()
    if largest == -np.inf:
        return np.zeros_like(H)
    w = np.exp(log_w - largest)
    return w / w.sum()


def pseudo_loss(problem: Problem, w: np.ndarray) -> np.ndarray:
    """Signed weights whose weighted error is the pseudo-loss, Section 3.3.1 of Lozano and Abe (2008)."""
    return np.where(problem.right, w.sum(axis=1, keepdims=True), -w) / 2


def adjusted(problem: Problem, w: np.ndarray) -> np.ndarray:
    r"""Weights :math:`\tilde w_{iy} = w_{iy} - \frac1k \sum_{y'} w_{iy'}` of Proposition 3.1.

    Some are negative: pairs of a wrong class that is cheaper than the average become pairs with label one
    (E-L07 on the book's errata page).
    """
    return np.where(problem.right, 0.0, w - w.mean(axis=1, keepdims=True))


def direct(w: np.ndarray) -> np.ndarray:
    r"""Weights :math:`\max_{y'} w_{iy'} - w_{iy}` of labels that are all taken for right, Section 3.3.

    A multiclass learner of least weighted error minimises :math:`\sum_{iy} w_{iy} f(y|x_i)`.
    """
    return w.max(axis=1, keepdims=True) - w


def lp_csb(problem, H, p, rng):
    """Figure 1 of Lozano and Abe (2008)."""
    return pseudo_loss(problem, p_norm(problem, H, p))


def lp_csb_pa(problem, H, p, rng):
    """Section 3.3.3 of Lozano and Abe (2008)."""
    return pseudo_loss(problem, adjusted(problem, p_norm(problem, H, p)))


def lp_csb_a(problem, H, p, rng):
    """Figure 2 of Lozano and Abe (2008)."""
    return direct(p_norm(problem, H, p))


def gbse(problem, H, p, rng):
    """Cost that the mixture incurs beyond that of the class."""
    return np.sum(H * problem.stakes, axis=1, keepdims=True) - problem.stakes


def gbse_t(problem, H, p, rng):
    """As :func:`gbse`, with the mixture's cost divided by the number of classes."""
    return np.mean(H * problem.stakes, axis=1, keepdims=True) - problem.stakes


def dse(problem, H, p, rng):
    """Constant weights of the linear loss, on a bootstrap sample of the examples."""
    n = len(H)
    drawn = rng.multinomial(n, np.full(n, 1 / n))
    return drawn[:, np.newaxis] * direct(problem.stakes)


def costing(problem, H, p, rng):
    """One for the right class of the examples accepted with probability in proportion to their cost."""
    cost = average_costs(problem.stakes)
    accepted = rng.uniform(size=len(cost)) < cost / cost.max()
    return np.where(problem.right, accepted[:, np.newaxis], False).astype(float)


def average_cost(problem, H, p, rng):
    """The average cost of each example, on its right class."""
    return np.where(problem.right, average_costs(problem.stakes)[:, np.newaxis], 0.0)
