r"""The p-norm family of Lozano and Abe (2008), and the mixtures that they compare it with.

A method of this kind is a function of the problem, of the mixture :math:`H_{t-1}` of shape (n, k), of the
norm :math:`p` and of a random state: the line in which the methods differ. It returns a weight for each pair
of example and class, shape (n, k). For a binary learner the sign is the label of the pair: one where
positive, zero where negative. For a multiclass learner the weights are not negative, and say how much is
gained by predicting that class.

A step says how far to go from the mixture towards the new hypothesis :math:`f_t`; it is a function of the
problem, :math:`H_{t-1}`, :math:`f_t`, :math:`p` and the round, in [0, 1]. Only the last two of them look at
the objective; they are zero where :math:`f_t` is no direction of descent.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import brentq

from csb.costs import average_costs
from csb.engine.elementary import exp, log, power, xlogy
from csb.engine.linesearch import MOST_STEPS
from csb.engine.mixture import Problem, Step
from csb.inputs import one_of
from csb.methods.spec import MixtureMethod

__all__ = [
    "AVERAGE_COST", "COSTING", "DSE", "GBSE", "GBSE_T", "LPCSB", "LPCSB_A", "LPCSB_PA", "STEPS", "adjusted",
    "average_cost", "check_step", "costing", "direct", "dse", "gbse", "gbse_t", "lp_csb", "lp_csb_a",
    "lp_csb_pa", "p_norm", "pseudo_loss", "slope",
]  # fmt: skip

MANY = "Many classes: mixtures"
LOSS = r"\sum_iq_i\sum_yH(y|x_i)^pC_{iy}"
LINEAR = r"\sum_iq_i\sum_yH(y|x_i)C_{iy}"


def p_norm(problem: Problem, H: np.ndarray, p: float) -> np.ndarray:
    r"""Weights :math:`w_{iy} \propto q_i C_{iy} H(y|x_i)^{p-1}`, summing to one unless all vanish.

    Eq. (5) of Lozano and Abe (2008). Formed from logarithms; :math:`0^0 = 1`.
    """
    log_w = log(problem.weighted_costs) + xlogy(p - 1, H)
    largest = log_w.max()
    if largest == -np.inf:
        return np.zeros_like(H)
    w = exp(log_w - largest)
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


def lp_csb(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """Figure 1 of Lozano and Abe (2008)."""
    return pseudo_loss(problem, p_norm(problem, H, p))


def lp_csb_pa(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """Section 3.3.3 of Lozano and Abe (2008)."""
    return pseudo_loss(problem, adjusted(problem, p_norm(problem, H, p)))


def lp_csb_a(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """Figure 2 of Lozano and Abe (2008)."""
    return direct(p_norm(problem, H, p))


def gbse(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """Cost that the mixture incurs beyond that of the class."""
    return np.sum(H * problem.weighted_costs, axis=1, keepdims=True) - problem.weighted_costs


def gbse_t(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """As :func:`gbse`, with the mixture's cost divided by the number of classes."""
    return np.mean(H * problem.weighted_costs, axis=1, keepdims=True) - problem.weighted_costs


def dse(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """Constant weights of the linear loss, on a bootstrap sample of the examples."""
    n = len(H)
    drawn = rng.multinomial(n, np.full(n, 1 / n))
    return drawn[:, np.newaxis] * direct(problem.weighted_costs)


def costing(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """One for the right class of the examples accepted with probability in proportion to their cost."""
    cost = average_costs(problem.weighted_costs)
    accepted = rng.uniform(size=len(cost)) < cost / cost.max()
    return np.where(problem.right, accepted[:, np.newaxis], False).astype(float)


def average_cost(problem: Problem, H: np.ndarray, p: float, rng: np.random.RandomState) -> np.ndarray:
    """The average cost of each example, on its right class."""
    return np.where(problem.right, average_costs(problem.weighted_costs)[:, np.newaxis], 0.0)


def slope(problem: Problem, H: np.ndarray, f: np.ndarray, p: float, alpha: float = 0.0) -> float:
    r"""Derivative of :math:`L((1-\alpha)H + \alpha f)` in the step, Eq. (3) of Lozano and Abe (2008)."""
    mixture = (1 - alpha) * H + alpha * f
    return float(np.sum(p * problem.weighted_costs * power(mixture, p - 1) * (f - H)))


def _harmonic(problem: Problem, H: np.ndarray, f: np.ndarray, p: float, t: int) -> float:
    return 1 / t


def _shifted_harmonic(problem: Problem, H: np.ndarray, f: np.ndarray, p: float, t: int) -> float:
    return 1 / (t + 1)


def _line_search(problem: Problem, H: np.ndarray, f: np.ndarray, p: float, t: int) -> float:
    """Minimiser of the convex function of the step: where its derivative changes sign."""
    sign, size = np.sign(f - H), log(problem.weighted_costs) + log(np.abs(f - H))

    def derivative(alpha: float) -> float:
        """Divided by its largest term, which itself may be out of range."""
        terms = size + xlogy(p - 1, (1 - alpha) * H + alpha * f)
        largest = terms.max()
        return 0.0 if largest == -np.inf else float(np.sum(sign * exp(terms - largest)))

    if derivative(0.0) >= 0:
        return 0.0
    if derivative(1.0) <= 0:
        return 1.0
    return brentq(derivative, 0.0, 1.0, xtol=1e-15, rtol=1e-14, maxiter=MOST_STEPS)


def _lipschitz(problem: Problem, H: np.ndarray, f: np.ndarray, p: float, t: int) -> float:
    """Eq. (10) of Lozano and Abe (2008) with averages over the sample, clipped (E-L09 and E-L11)."""
    descent = -slope(problem, H, f, p)
    if p == 1 or descent <= 0:  # a linear objective: as far as possible
        return float(descent > 0)
    M = p * (p - 1) * 2 ** (p - 2) * problem.costs.max()
    return min(1.0, descent / (M * np.sum(problem.weights[:, np.newaxis] * (f - H) ** 2)))


STEPS: dict[str, Step] = {
    "1/t": _harmonic, "1/(t+1)": _shifted_harmonic, "linesearch": _line_search, "eq10": _lipschitz,
}  # fmt: skip


def check_step(name: str, p: float) -> Step:
    """The step of that name, or a ValueError; ``eq10`` has no meaning for p strictly between 1 and 2."""
    one_of("step", name, STEPS)
    if name == "eq10" and 1 < p < 2:
        raise ValueError(f"step='eq10', p={p!r}: the gradient is not Lipschitz; use step='linesearch'")
    return STEPS[name]


LPCSB = MixtureMethod("lpcsb", "LpCSB", "Lozano & Abe 2008", "L08 Figure 1, E-L03, E-L06", LOSS, weigh=lp_csb)
LPCSB_PA = MixtureMethod(
    "lpcsb_pa", "LpCSB-PA", "Lozano & Abe 2008", "L08 Section 3.3.3, Proposition 3.1, E-L07", LOSS,
    weigh=lp_csb_pa,
)  # fmt: skip
LPCSB_A = MixtureMethod(
    "lpcsb_a", "LpCSB-A", "Lozano & Abe 2008", "L08 Figure 2, Theorem 4.2, E-L09", LOSS, weigh=lp_csb_a
)
GBSE = MixtureMethod("gbse", "GBSE", "Abe et al. 2004", "our reading", LINEAR, weigh=gbse)
GBSE_T = MixtureMethod(
    "gbset", "GBSE-T", "Abe et al. 2004", "L08 Section 3.3.3, our reading", LINEAR, weigh=gbse_t
)
DSE = MixtureMethod("dse", "DSE", "Abe et al. 2004", "L08 Section 3.3", LINEAR, weigh=dse)
COSTING = MixtureMethod(
    "costing", "Costing", "Zadrozny et al. 2003", "our reading", "expected cost for two classes",
    weigh=costing,
)  # fmt: skip
AVERAGE_COST = MixtureMethod(
    "average_cost", "Average Cost", "Margineantu 2001", "L08 Section 3.3.3, E-L08", "the weighted error",
    weigh=average_cost,
)  # fmt: skip
