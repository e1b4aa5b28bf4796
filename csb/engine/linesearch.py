r"""The step along one weak hypothesis: minimise a sum of exponentials.

:math:`G(\alpha) = \sum_i w_i e^{-\alpha\kappa_i}` is strictly convex; when some :math:`\kappa_i` are
positive and some negative it has exactly one minimiser, the root of an increasing function with an
explicit bracket. This is the line search of Eq. (12) of Nikolaou et al. (2016) for exponential losses
and Eq. (19) of Cai, Song and Zhang (2008).
"""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled, inlined
from csb.engine.elementary import exp_scalar, log_scalar

__all__ = ["MOST_STEPS", "TANGENTS", "exact_zero", "exponential_step", "narrow"]

TANGENTS, MOST_STEPS = 100, 3000
"""Of a search for a root: after so many steps by tangents, of which a dozen is usual, the bracket is halved.

Where exponents are more than 25 decades apart, tangents may lead from end to end of a bracket that does not
shrink. Halving ends any bracket of doubles within the steps that are left, and so does Brent's method one of
50 halvings, whose square it takes at most.
"""


@inlined
def narrow(x: float, low: float, high: float, value: float, slope: float) -> tuple[float, float, float, bool]:
    """One step of Newton's method for the root of an increasing function, inside a shrinking bracket.

    Parameters
    ----------
    x : float
        Where the search stands.
    low, high : float
        The bracket: the function is at most zero at ``low`` and at least zero at ``high``.
    value, slope : float
        The function and its derivative at ``x``; not a number to halve the bracket.

    Returns
    -------
    x, low, high : float
        Where the search stands now.
    found : bool
        Whether this is the root, to rounding.
    """
    if value <= 0.0:
        low = x
    if value >= 0.0:
        high = x
    if value == 0.0:
        return x, low, high, True
    step = x - value / slope
    if not low <= step <= high:  # nor where the slope is zero or not a number
        step = 0.5 * (low + high)
    moved = abs(step - x) > 4.0 * np.spacing(max(abs(x), 1e-300))
    return step, low, high, not moved or high <= low


@inlined
def exact_zero(value: float, scale: float) -> float:
    """Replace what is no more than rounding, for terms of size ``scale``, by zero: the root is found."""
    return 0.0 if abs(value) <= 2.0**-50 * scale else value


@inlined
def _gap(terms: np.ndarray, kappa: np.ndarray, alpha: float, moved: np.ndarray) -> tuple[float, float]:
    """Logarithm of the rising part of the derivative less that of the falling part; its slope."""
    top_rising = top_falling = -np.inf
    for k in range(terms.shape[0]):
        moved[k] = terms[k] - alpha * kappa[k]
        if kappa[k] < 0.0:
            top_rising = max(top_rising, moved[k])
        else:
            top_falling = max(top_falling, moved[k])
    rising = falling = 0.0
    for k in range(terms.shape[0]):
        if kappa[k] < 0.0:
            rising += exp_scalar(moved[k] - top_rising)
        else:
            falling += exp_scalar(moved[k] - top_falling)
    rising, falling = top_rising + log_scalar(rising), top_falling + log_scalar(falling)
    slope = 0.0
    for k in range(terms.shape[0]):
        slope += exp_scalar(moved[k] - (rising if kappa[k] < 0.0 else falling)) * abs(kappa[k])
    return exact_zero(rising - falling, max(1.0, abs(rising))), slope


@inlined
def _minimiser(terms: np.ndarray, kappa: np.ndarray, moved: np.ndarray) -> float:
    """The step for exponents of both signs, all with weight."""
    start, _ = _gap(terms, kappa, 0.0, moved)
    steep_up = steep_down = 0.0
    flat_up = flat_down = np.inf
    for k in range(terms.shape[0]):
        if kappa[k] < 0.0:
            steep_up, flat_up = max(steep_up, -kappa[k]), min(flat_up, -kappa[k])
        else:
            steep_down, flat_down = max(steep_down, kappa[k]), min(flat_down, kappa[k])
    near, far = -start / (steep_up + steep_down), -start / (flat_up + flat_down)
    margin = 1e-12 * max(abs(near), abs(far))  # the bracket itself is subject to rounding
    low, high = min(near, far) - margin, max(near, far) + margin
    alpha = 0.5 * (low + high)
    for step in range(MOST_STEPS):
        value, slope = _gap(terms, kappa, alpha, moved)
        alpha, low, high, found = narrow(alpha, low, high, value, slope if step < TANGENTS else np.nan)
        if found:
            break
    return alpha


@compiled(error_model="numpy")
def _each_step(log_weights: np.ndarray, kappa: np.ndarray, out: np.ndarray) -> None:
    """The step of each column: only terms with a weight and an exponent play a part in it."""
    terms, exponents, moved = np.empty((3, kappa.shape[0]))
    for b in range(kappa.shape[1]):
        used, rising, falling = 0, False, False
        for k in range(kappa.shape[0]):
            term = log_weights[k, b] + log_scalar(abs(kappa[k, b]))
            if kappa[k, b] != 0.0 and term != -np.inf:
                terms[used], exponents[used] = term, kappa[k, b]
                rising, falling = rising or kappa[k, b] < 0.0, falling or kappa[k, b] > 0.0
                used += 1
        if rising and falling:
            out[b] = _minimiser(terms[:used], exponents[:used], moved)
        else:
            out[b] = np.inf if falling else (-np.inf if rising else 0.0)


def exponential_step(log_weights: np.ndarray, kappa: np.ndarray) -> np.ndarray:
    r"""Minimiser of :math:`\sum_i w_i e^{-\alpha\kappa_i}`, column by column.

    Parameters
    ----------
    log_weights : ndarray of shape (K, B)
        Logarithms of the weights; ``-inf`` for a weight of zero.
    kappa : ndarray of shape (K, B)
        Exponents; terms with exponent zero are constants and play no part.

    Returns
    -------
    ndarray of shape (B,)
        The step: finite when both signs of exponent carry weight, ``inf`` when only positive
        exponents do (a perfect hypothesis), ``-inf`` when only negative ones do, zero when none does.

    Examples
    --------
    With unit exponents this is half the log odds of being right:

    >>> exponential_step(np.log([[0.9], [0.1]]), np.array([[1.0], [-1.0]])).round(6)
    array([1.098612])
    """
    out = np.empty(kappa.shape[1])
    _each_step(np.ascontiguousarray(log_weights, float), np.ascontiguousarray(kappa, float), out)
    return out
