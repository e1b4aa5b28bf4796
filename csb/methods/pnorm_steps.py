r"""How far to go from the mixture :math:`H_{t-1}` towards the new hypothesis :math:`f_t`.

A step is a function of the problem, :math:`H_{t-1}`, :math:`f_t`, :math:`p` and the round; it lies in [0, 1].
Only the last two look at the objective; they are zero where :math:`f_t` is no direction of descent.
"""

from __future__ import annotations

from difflib import get_close_matches

import numpy as np
from scipy.optimize import brentq

__all__ = ["STEPS", "check_step", "slope"]


def slope(problem, H, f, p, alpha=0.0) -> float:
    r"""Derivative of :math:`L((1-\alpha)H + \alpha f)` in the step, Eq. (3) of Lozano and Abe (2008)."""
    mixture = (1 - alpha) * H + alpha * f
    return float(np.sum(p * problem.stakes * mixture ** (p - 1) * (f - H)))


def _harmonic(problem, H, f, p, t):
    return 1 / t


def _shifted_harmonic(problem, H, f, p, t):
    return 1 / (t + 1)


def _line_search(problem, H, f, p, t):
    """Minimiser of the convex function of the step: where its derivative changes sign."""
    if slope(problem, H, f, p) >= 0:
        return 0.0
    if slope(problem, H, f, p, 1.0) <= 0:
        return 1.0
    return brentq(lambda alpha: slope(problem, H, f, p, alpha), 0.0, 1.0, xtol=1e-15, rtol=1e-14)


def _lipschitz(problem, H, f, p, t):
    """Eq. (10) of Lozano and Abe (2008) with averages over the sample, clipped (E-L09 and E-L11)."""
    descent = -slope(problem, H, f, p)
    if p == 1 or descent <= 0:  # a linear objective: as far as possible
        return float(descent > 0)
    M = p * (p - 1) * 2 ** (p - 2) * problem.costs.max()
    return min(1.0, descent / (M * np.sum(problem.weights[:, np.newaxis] * (f - H) ** 2)))


STEPS = {"1/t": _harmonic, "1/(t+1)": _shifted_harmonic, "linesearch": _line_search, "eq10": _lipschitz}


def check_step(name: str, p: float):
    """The step of that name, or a ValueError; ``eq10`` has no meaning for p strictly between 1 and 2."""
    if name not in STEPS:
        near = get_close_matches(str(name), STEPS, n=1, cutoff=0)[0]
        raise ValueError(f"step={name!r}: one of {', '.join(map(repr, STEPS))}; the nearest is {near!r}")
    if name == "eq10" and 1 < p < 2:
        raise ValueError(f"step='eq10', p={p!r}: the gradient is not Lipschitz; use step='linesearch'")
    return STEPS[name]
