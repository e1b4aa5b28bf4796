r"""Methods on the loss :math:`e^{-c(y)m}` with an exact line search: CSAda and AdaDB.

Both minimise the same function of the vote and so agree; each finds the minimiser by its own equation.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.elementary import exp, exp_scalar, log, log_scalar, power_scalar
from csb.engine.linesearch import MOST_STEPS, TANGENTS, exact_zero, exponential_step, narrow
from csb.engine.rules import PerModel, Rules, hit_sign
from csb.methods.losses import ExponentialLoss
from csb.methods.spec import VotingMethod

__all__ = ["ADADB", "CSADA", "csada_alpha", "csada_factors", "csada_loss"]

Selection = Literal["gradient", "joint"]

LARGEST_DEGREE = 100
"""Beyond this degree the polynomial of AdaDB is evaluated in the log domain."""


def csada_alpha(M: np.ndarray, c: np.ndarray, T: PerModel | None) -> np.ndarray:
    r"""Minimiser of the loss: the weights that the line search needs are :math:`e^{-cm} = D/c`."""
    log_weights = log(M) - log(c)
    kappa = np.broadcast_to(c * hit_sign, M.shape)
    return exponential_step(log_weights.reshape(4, -1), kappa.reshape(4, -1))


def csada_factors(alpha: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
    """Weights move by the vote times the cost of the class."""
    return -alpha * c * hit_sign


def csada_loss(c: np.ndarray, t: PerModel, T: PerModel, A: PerModel) -> ExponentialLoss:
    """Costs in the exponent, and nowhere else."""
    return ExponentialLoss(np.zeros_like(c), c)


def csada_best_loss(M: np.ndarray, c: np.ndarray) -> np.ndarray:
    r"""Smallest :math:`\sum (D/c)\,e^{-\alpha c u}` over the vote, as a share of the loss without a step."""
    alpha = csada_alpha(M, c, None)
    now = M / c
    with np.errstate(invalid="ignore"):
        after = np.where(M > 0, now * exp(-alpha * c * hit_sign), 0.0)
    return after.sum(axis=(0, 1)) / now.sum(axis=(0, 1))


@lru_cache(maxsize=1024)  # asked for again in every round
def _integers(negative: float, positive: float) -> tuple[int, int, float]:
    """Integers in the ratio of two costs, and their common unit; zeros if none are small enough."""
    unit = max(negative, positive)
    fractions = [Fraction(value / unit).limit_denominator(1000) for value in (negative, positive)]
    exact = all(f > 0 for f in fractions) and np.allclose(
        [float(f) * unit for f in fractions], [negative, positive], rtol=1e-13, atol=0
    )
    if not exact:
        return 0, 0, 1.0
    common = fractions[0].denominator * fractions[1].denominator
    n_minus, n_plus = int(fractions[0] * common), int(fractions[1] * common)
    divisor = int(np.gcd(n_minus, n_plus))
    return n_minus // divisor, n_plus // divisor, negative / (n_minus // divisor)


@compiled(error_model="numpy")
def _each_root(wrong: np.ndarray, right: np.ndarray, n: np.ndarray, out: np.ndarray) -> None:
    """Logarithm of the positive root of each polynomial of AdaDB; NaN where a power is out of range."""
    for b in range(out.shape[0]):
        # every exponent between the smaller and the larger n: two closed forms bracket the root
        balance = 0.5 * (log_scalar(right[0, b] + right[1, b]) - log_scalar(wrong[0, b] + wrong[1, b]))
        one, other = balance / n[0, b], balance / n[1, b]
        margin = 1e-12 * max(abs(one), abs(other))  # the bracket itself is subject to rounding
        low, high = min(one, other) - margin, max(one, other) + margin
        log_x = 0.5 * (low + high)
        for step in range(MOST_STEPS):
            x = exp_scalar(log_x)
            rising = falling = rise = fall = 0.0
            for y in range(2):
                grown = wrong[y, b] * power_scalar(x, n[y, b])
                shrunk = right[y, b] * power_scalar(x, -n[y, b])
                rising, rise = rising + grown, rise + n[y, b] * grown
                falling, fall = falling + shrunk, fall + n[y, b] * shrunk
            if not (1e-290 < rising < 1e290 and 1e-290 < falling < 1e290):
                log_x = np.nan
                break
            # the difference of the logarithms is nearly straight, that of the sums is steep for a large n
            log_rising = log_scalar(rising)
            gap = exact_zero(log_rising - log_scalar(falling), max(1.0, abs(log_rising)))
            slope = rise / rising + fall / falling if step < TANGENTS else np.nan
            log_x, low, high, found = narrow(log_x, low, high, gap, slope)
            if found:
                break
        out[b] = log_x


def adadb_alpha(M: np.ndarray, c: np.ndarray, T: PerModel) -> np.ndarray:
    r"""The positive root of AdaDB's polynomial, :math:`x = e^{g\alpha}` for costs :math:`g n_\pm`.

    Divided by :math:`x^n` the polynomial is increasing in :math:`x > 0`:
    :math:`\varepsilon_+x^{n_+} + \varepsilon_-x^{n_-} - \gamma_-x^{-n_-} - \gamma_+x^{-n_+}`. Costs in no
    ratio of small integers give no polynomial of small degree; the line search stands in for it, as it does
    where next to no weight is wrong and powers are out of range.
    """
    n_minus, n_plus, unit = np.array([_integers(*pair) for pair in c[:, 0, :].T]).T
    n = np.stack([n_minus, n_plus])
    wrong = np.stack([M[0, 1], M[1, 0]])
    right = np.stack([M[0, 0], M[1, 1]])
    polynomial = (n.max(axis=0) > 0) & (2 * n.max(axis=0) <= LARGEST_DEGREE)
    polynomial &= (wrong.sum(axis=0) > 0) & (right.sum(axis=0) > 0)
    alpha = np.empty(M.shape[-1])
    if polynomial.any():
        roots = np.empty(np.count_nonzero(polynomial))
        _each_root(*(np.ascontiguousarray(each[:, polynomial]) for each in (wrong, right, n)), roots)
        alpha[polynomial] = roots / unit[polynomial]
        polynomial &= ~np.isnan(alpha)
    if not polynomial.all():
        alpha[~polynomial] = csada_alpha(M[:, :, ~polynomial], c[:, :, ~polynomial], T)
    return alpha


def csada(selection: Selection = "gradient") -> Rules:
    """Exact line search on the loss."""
    joint = csada_best_loss if selection == "joint" else None
    return Rules(lambda c, T: c, csada_alpha, csada_factors, csada_loss, best_loss=joint)


def adadb() -> Rules:
    """The same by the root of a polynomial."""
    return Rules(lambda c, T: c, adadb_alpha, csada_factors, csada_loss)


CSADA = VotingMethod(
    "csada", "CSAda", "Masnadi-Shirazi & Vasconcelos 2007", "N16 Tables 1-3, E-N23", r"e^{-c(y)m}",
    rules=csada,
)  # fmt: skip
ADADB = VotingMethod(
    "adadb", "AdaDB", "Landesa-Vázquez & Alba-Castro 2013", "N16 Tables 1-3", r"e^{-c(y)m}", rules=adadb
)
