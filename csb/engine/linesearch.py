r"""The step along one weak hypothesis: minimise a sum of exponentials.

:math:`G(\alpha) = \sum_i w_i e^{-\alpha\kappa_i}` is strictly convex; when some :math:`\kappa_i` are
positive and some negative it has exactly one minimiser, the root of an increasing function with an
explicit bracket. This is the line search of Eq. (12) of Nikolaou et al. (2016) for exponential losses
and Eq. (19) of Cai, Song and Zhang (2008).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from csb.engine.elementary import exp, log

__all__ = ["bracketed_newton", "exact_zero", "exponential_step"]


def bracketed_newton(
    function: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]],
    low: np.ndarray,
    high: np.ndarray,
    max_iter: int = 200,
) -> np.ndarray:
    """Roots of increasing functions by Newton's method, kept inside a shrinking bracket.

    Parameters
    ----------
    function : callable
        Maps an array of shape (B,) to values and derivatives of the same shape.
    low, high : ndarray of shape (B,)
        Brackets: the function is at most zero at ``low`` and at least zero at ``high``.
    max_iter : int, default 200
        Upper bound on the number of steps; bisection alone reaches double precision in fewer.

    Returns
    -------
    ndarray of shape (B,)
        The roots, to rounding.
    """
    low, high = low.astype(float).copy(), high.astype(float).copy()
    x = 0.5 * (low + high)
    done = np.zeros(x.shape, bool)  # a root that is found stays, whatever the others still need
    for _ in range(max_iter):
        value, slope = function(x)
        low = np.where(value <= 0, x, low)
        high = np.where(value >= 0, x, high)
        with np.errstate(divide="ignore", invalid="ignore"):
            newton = x - value / slope
        inside = (newton >= low) & (newton <= high)
        step = np.where(inside, newton, 0.5 * (low + high))
        moved = np.abs(step - x) > 4 * np.spacing(np.maximum(np.abs(x), 1e-300))
        x = np.where(done | (value == 0), x, step)
        done |= ~moved | (high <= low) | (value == 0)
        if done.all():
            break
    return x


def exact_zero(value: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Replace what is no more than rounding, for terms of size ``scale``, by zero: the root is found."""
    return np.where(np.abs(value) <= 4 * np.finfo(float).eps * scale, 0.0, value)


def _log_sum(terms: np.ndarray) -> np.ndarray:
    """Logarithm of the sum of exponentials, column by column; every column has a finite term."""
    top = terms.max(axis=0)
    return top + log(exp(terms - top).sum(axis=0))


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
    size = np.abs(kappa)
    term = log_weights + log(size)
    up = np.where(kappa < 0, term, -np.inf)
    down = np.where(kappa > 0, term, -np.inf)
    rising, falling = up.max(axis=0) > -np.inf, down.max(axis=0) > -np.inf
    solvable = rising & falling
    result = np.where(falling, np.inf, np.where(rising, -np.inf, 0.0))
    if not solvable.any():
        return result
    up, down, size = up[:, solvable], down[:, solvable], size[:, solvable]

    def derivative_gap(alpha: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        left, right = up + alpha * size, down - alpha * size
        log_left, log_right = _log_sum(left), _log_sum(right)
        slope = ((exp(left - log_left) + exp(right - log_right)) * size).sum(axis=0)
        return exact_zero(log_left - log_right, np.maximum(1.0, np.abs(log_left))), slope

    start, _ = derivative_gap(np.zeros(up.shape[1]))
    steepest = np.where(up > -np.inf, size, 0).max(axis=0) + np.where(down > -np.inf, size, 0).max(axis=0)
    flattest = np.where(up > -np.inf, size, np.inf).min(axis=0) + np.where(down > -np.inf, size, np.inf).min(
        axis=0
    )
    ends = np.stack([-start / steepest, -start / flattest])
    margin = 1e-12 * np.abs(ends).max(axis=0)  # the bracket itself is subject to rounding
    result[solvable] = bracketed_newton(derivative_gap, ends.min(axis=0) - margin, ends.max(axis=0) + margin)
    return result
