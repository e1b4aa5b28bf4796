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
from csb.engine.mixture import Problem, Step
from csb.inputs import one_of
from csb.methods.row import Look, MixtureMethod

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
    if slope(problem, H, f, p) >= 0:
        return 0.0
    if slope(problem, H, f, p, 1.0) <= 0:
        return 1.0
    return brentq(lambda alpha: slope(problem, H, f, p, alpha), 0.0, 1.0, xtol=1e-15, rtol=1e-14)


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


LPCSB = MixtureMethod(
    "lpcsb", "LpCSB", "Lozano & Abe 2008", "L08 Figure 1, E-L03, E-L06", LOSS, Look("#44AA99", "o", "-"),
    MANY, weigh=lp_csb, card=r"""
- **Start**: $H_0(y|x)=1/k$
- **Rule**: With $w_{iy}\propto q_iC_{iy}H_{t-1}(y|x_i)^{p-1}$, train a binary learner on pairs: label 0
  and weight $\frac12w_{iy}$ for $y\ne y^*_i$, label 1 and weight $\frac12\sum_yw_{iy}$ for $y^*_i$. Share
  its answers out to a stochastic $f_t$; $H_t=(1-\alpha_t)H_{t-1}+\alpha_tf_t$ with $\alpha_t=\frac1{t+1}$
- **Decision**: $\arg\max_yH_T(y|x)$
- **Loss**: <loss>
- **Fails** where classes cannot be told apart: a larger $p$ then leads away from the cheap constant; and
  calibrated probabilities with the decision of least expected cost rank before it ({ref}`ch-pnorm`)
- **Source**: Figure 1 of {cite:t}`lozano2008`; {ref}`E-L03 <e-l03>` and {ref}`E-L06 <e-l06>`
""",
)  # fmt: skip
LPCSB_PA = MixtureMethod(
    "lpcsb_pa", "LpCSB-PA", "Lozano & Abe 2008", "L08 Section 3.3.3, Proposition 3.1, E-L07", LOSS,
    Look("#AA4499", "D", "-"), MANY, weigh=lp_csb_pa, card=r"""
- **Start**: $H_0(y|x)=1/k$
- **Rule**: As LpCSB with $\tilde w_{iy}=w_{iy}-\frac1k\sum_{y'}w_{iy'}$ for $y\ne y^*_i$: a pair of
  negative weight gets label 1 and weight $-\frac12\tilde w_{iy}$; the pair of $y^*_i$ has weight
  $\frac1{2k}\sum_yw_{iy}$
- **Decision**: $\arg\max_yH_T(y|x)$
- **Loss**: <loss>
- **Fails** at $p=1$, where weights never change and it costs more than LpCSB on most sets of the study
  ({ref}`ch-pnorm`)
- **Source**: Section 3.3.3 and Proposition 3.1 of {cite:t}`lozano2008`; {ref}`E-L07 <e-l07>`
""",
)  # fmt: skip
LPCSB_A = MixtureMethod(
    "lpcsb_a", "LpCSB-A", "Lozano & Abe 2008", "L08 Figure 2, Theorem 4.2, E-L09", LOSS,
    Look("#AA4499", "v", "--"), MANY, weigh=lp_csb_a, card=r"""
- **Start**: $H_0(y|x)=1/k$
- **Rule**: Train a multiclass learner that takes every label for right, with weights
  $\max_{y'}w_{iy'}-w_{iy}$, LpCSB's $w$; its indicator is $f_t$; $H_t$ as above
- **Decision**: $\arg\max_yH_T(y|x)$
- **Loss**: <loss>
- **Fails** to come with a useful rate for large $p$: the bound $9M/(t+2)$ says nothing for hundreds of
  rounds, as $M$ grows with $p$ ({ref}`ch-pnorm`)
- **Source**: Figure 2 and Theorem 4.2 of {cite:t}`lozano2008`; {ref}`E-L09 <e-l09>`
""",
)  # fmt: skip
GBSE = MixtureMethod(
    "gbse", "GBSE", "Abe et al. 2004", "our reading", LINEAR, Look("#999933", ">", "-"), MANY, weigh=gbse,
    card=r"""
- **Start**: $H_0(y|x)=1/k$
- **Rule**: Signed weights $q_i\bigl(\sum_{y'}H_{t-1}(y'|x_i)C_{iy'}-C_{iy}\bigr)$: the sign is the label
  of the pair, the size its weight. Share out as LpCSB; $\alpha_t=\frac1t$
- **Decision**: $\arg\max_yH_T(y|x)$
- **Loss**: <loss>, which is LpCSB's at $p=1$
- **Fails** to weigh a wrong class by how much the mixture believes in it, which the weights of the
  $p$-norm do ({ref}`ch-pnorm`)
- **Source**: {cite:t}`abe2004`, our reading
""",
)  # fmt: skip
GBSE_T = MixtureMethod(
    "gbset", "GBSE-T", "Abe et al. 2004", "L08 Section 3.3.3, our reading", LINEAR,
    Look("#999933", "P", "--"), MANY, weigh=gbse_t, card=r"""
- **Start**: $H_0(y|x)=1/k$
- **Rule**: As GBSE with $q_i\bigl(\frac1k\sum_{y'}H_{t-1}(y'|x_i)C_{iy'}-C_{iy}\bigr)$
- **Decision**: $\arg\max_yH_T(y|x)$
- **Loss**: <loss>, which is LpCSB's at $p=1$
- **Fails** as GBSE does; it is close to LpCSB-PA at $p=2$ and not the same ({ref}`ch-pnorm`)
- **Source**: {cite:t}`abe2004`, our reading; Section 3.3.3 of {cite:t}`lozano2008`
""",
)  # fmt: skip
DSE = MixtureMethod(
    "dse", "DSE", "Abe et al. 2004", "L08 Section 3.3", LINEAR, Look("#999933", "<", ":"), MANY, weigh=dse,
    card=r"""
- **Rule**: A multiclass learner takes every label for right, with constant weights
  $q_i(\max_{y'}C_{iy'}-C_{iy})$, on a bootstrap sample in each round; the plain average of the hypotheses
- **Decision**: $\arg\max_yH_T(y|x)$
- **Loss**: <loss>, by averaging and not by descent
- **Fails** to learn from its errors: the weights are those of $p=1$ and never change ({ref}`ch-pnorm`)
- **Source**: {cite:t}`abe2004`; Section 3.3 of {cite:t}`lozano2008`
""",
)  # fmt: skip
COSTING = MixtureMethod(
    "costing", "Costing", "Zadrozny et al. 2003", "our reading", "expected cost for two classes",
    Look("#88CCEE", "p", ":"), MANY, weigh=costing, card=r"""
- **Rule**: Each round accepts an example with probability $\bar c_i/\max_j\bar c_j$, where
  $\bar c_i=\frac1{k-1}\sum_{y\ne y^*_i}q_iC_{iy}$, and trains an unweighted learner on those accepted;
  the plain average
- **Decision**: $\arg\max_yH_T(y|x)$
- **Loss**: expected cost for two classes, in expectation over the samples
- **Fails** with more classes, where one cost an example cannot tell a cheap confusion from a costly one
  ({ref}`ch-pnorm`)
- **Source**: {cite:t}`zadrozny2003`; the step to many classes is our reading
""",
)  # fmt: skip
AVERAGE_COST = MixtureMethod(
    "average_cost", "Average Cost", "Margineantu 2001", "L08 Section 3.3.3, E-L08", "the weighted error",
    Look("#88CCEE", "X", "--"), MANY, weigh=average_cost, card=r"""
- **Rule**: One multiclass learner on examples of weight $\bar c_i=\frac1{k-1}\sum_{y\ne y^*_i}q_iC_{iy}$
- **Decision**: what the learner says
- **Loss**: the weighted error
- **Fails** with more than two classes, for the reason that costing does ({ref}`ch-pnorm`)
- **Source**: Section 3.3.3 of {cite:t}`lozano2008`, after Margineantu; {ref}`E-L08 <e-l08>`
""",
)  # fmt: skip
