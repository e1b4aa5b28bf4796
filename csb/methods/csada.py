r"""Variants on the loss :math:`e^{-c(y)m}` with an exact line search: CSAda and AdaDB.

Both minimise the same function of the vote and so agree; each finds the minimiser by its own equation.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np

from csb.engine.linesearch import bracketed_newton, exact_zero, exponential_step
from csb.engine.rules import Rules, hit_sign
from csb.methods.losses import ExponentialLoss
from csb.methods.row import Variant

__all__ = ["ADADB", "CSADA", "csada_alpha", "csada_factors", "csada_loss"]

LARGEST_DEGREE = 100
"""Beyond this degree the polynomial of AdaDB is evaluated in the log domain."""


def csada_alpha(M, c, T):
    r"""Minimiser of the loss: the weights that the line search needs are :math:`e^{-cm} = D/c`."""
    with np.errstate(divide="ignore"):
        log_weights = np.log(M) - np.log(c)
    kappa = np.broadcast_to(c * hit_sign, M.shape)
    return exponential_step(log_weights.reshape(4, -1), kappa.reshape(4, -1))


def csada_factors(alpha, c, T):
    """Weights move by the vote times the cost of the class."""
    return -alpha * c * hit_sign


def csada_loss(c, t, T, A):
    """Costs in the exponent, and nowhere else."""
    return ExponentialLoss(np.zeros_like(c), c)


def csada_best_loss(M, c):
    r"""Smallest :math:`\sum (D/c)\,e^{-\alpha c u}` over the vote, for each column of masses."""
    alpha = csada_alpha(M, c, None)
    with np.errstate(over="ignore", invalid="ignore"):
        terms = np.where(M > 0, M / c * np.exp(-alpha * c * hit_sign), 0.0)
    return terms.sum(axis=(0, 1))


@lru_cache(maxsize=1024)  # asked for again in every round
def _integers(negative, positive):
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


def adadb_alpha(M, c, T):
    r"""The positive root of AdaDB's polynomial, :math:`x = e^{g\alpha}` for costs :math:`g n_\pm`.

    Divided by :math:`x^n` the polynomial is increasing in :math:`x > 0`:
    :math:`\varepsilon_+x^{n_+} + \varepsilon_-x^{n_-} - \gamma_-x^{-n_-} - \gamma_+x^{-n_+}`. Costs in no
    ratio of small integers give no polynomial of small degree; the line search stands in for it.
    """
    n_minus, n_plus, unit = np.array([_integers(*pair) for pair in c[:, 0, :].T]).T
    n = np.stack([n_minus, n_plus])
    wrong = np.stack([M[0, 1], M[1, 0]])
    right = np.stack([M[0, 0], M[1, 1]])
    polynomial = (n.max(axis=0) > 0) & (2 * n.max(axis=0) <= LARGEST_DEGREE)
    polynomial &= (wrong.sum(axis=0) > 0) & (right.sum(axis=0) > 0)
    alpha = np.empty(M.shape[-1])
    if not polynomial.all():
        alpha[~polynomial] = csada_alpha(M[:, :, ~polynomial], c[:, :, ~polynomial], T)
    if polynomial.any():
        n, wrong, right = n[:, polynomial], wrong[:, polynomial], right[:, polynomial]

        def value_and_slope(x):
            value = (wrong * x**n - right * x**-n).sum(axis=0)
            value = exact_zero(value, (wrong * x**n).sum(axis=0))
            slope = (n * (wrong * x**n + right * x**-n)).sum(axis=0) / x
            return value, slope

        # every exponent between the smaller and the larger n: two closed forms bracket the root
        balance = 0.5 * np.log(right.sum(axis=0) / wrong.sum(axis=0))
        ends = np.exp(np.stack([balance / n.min(axis=0), balance / n.max(axis=0)]))
        low, high = ends.min(axis=0) * (1 - 1e-12), ends.max(axis=0) * (1 + 1e-12)
        with np.errstate(over="ignore"):
            root = bracketed_newton(value_and_slope, low, high)
        alpha[polynomial] = np.log(root) / unit[polynomial]
    return alpha


def _csada(selection):
    return Rules(
        initial=lambda c, T: c,
        alpha=csada_alpha,
        log_factors=csada_factors,
        loss=csada_loss,
        best_loss=csada_best_loss if selection == "joint" else None,
    )


def _adadb():
    return Rules(
        initial=lambda c, T: c,
        alpha=adadb_alpha,
        log_factors=csada_factors,
        loss=csada_loss,
    )


CSADA = Variant(
    "csada", "CSAda", "Masnadi-Shirazi & Vasconcelos 2007", "N16 Tables 1-3, E-N23", r"e^{-c(y)m}", _csada,
    options={"selection": ("gradient", "joint")},
)  # fmt: skip
ADADB = Variant(
    "adadb", "AdaDB", "Landesa-Vázquez & Alba-Castro 2013", "N16 Tables 1-3", r"e^{-c(y)m}", _adadb
)
