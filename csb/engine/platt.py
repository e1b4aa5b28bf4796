"""The curves of Platt scaling, of many models at once: Newton's method in two coefficients."""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.scalars import expit_scalar, logaddexp_scalar

__all__ = ["fit_curves"]

kernel = compiled(error_model="numpy")

Fit = tuple[float, float, float, float, float, float]
"""Value of an objective, its gradient in slope and offset, and the three entries of its matrix."""


@kernel
def _sum(terms: np.ndarray) -> float:
    """Sum by halves, as numpy adds up: the sum of many terms loses little to rounding."""
    n = terms.shape[0]
    if n > 128:
        half = n // 2 - n // 2 % 8
        return _sum(terms[:half]) + _sum(terms[half:])
    lanes = np.zeros(8)
    whole = n - n % 8
    for i in range(0, whole, 8):
        for k in range(8):
            lanes[k] += terms[i + k]
    total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    for i in range(whole, n):
        total += terms[i]
    return total


@kernel
def _fit(
    slope: float,
    offset: float,
    squared: bool,
    scores: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    terms: np.ndarray,
) -> Fit:
    """Log loss with its Hessian, or half the squared error with its Gauss-Newton matrix."""
    value, along, up = terms[0], terms[1], terms[2]
    steep, mixed, flat = terms[3], terms[4], terms[5]
    n = scores.shape[0]
    for i in range(n):  # in loops of their own, the two functions run on vectors
        up[i] = expit_scalar(slope * scores[i] + offset)
    if squared:
        for i in range(n):
            p, w = up[i], weight[i]
            miss, change = p - target[i], p * (1.0 - p)
            value[i], up[i], flat[i] = w * (miss * miss) / 2.0, w * miss * change, w * (change * change)
    else:
        for i in range(n):
            value[i] = logaddexp_scalar(0.0, slope * scores[i] + offset)
        for i in range(n):
            p, t, w = up[i], target[i], weight[i]
            value[i] = w * (value[i] - t * (slope * scores[i] + offset))
            up[i], flat[i] = w * (p - t), w * p * (1.0 - p)
    for i in range(n):
        along[i], mixed[i] = up[i] * scores[i], flat[i] * scores[i]
        steep[i] = mixed[i] * scores[i]
    return _sum(value), _sum(along), _sum(up), _sum(steep), _sum(mixed), _sum(flat)


@kernel
def _minimise(
    slope: float, offset: float, squared: bool, scores: np.ndarray, target: np.ndarray, weight: np.ndarray
) -> tuple[float, float]:
    """Newton steps with backtracking, to the last digit: the fit must not depend on the scores' scale."""
    terms = np.empty((6, scores.shape[0]))
    value, along, up, steep, mixed, flat = _fit(slope, offset, squared, scores, target, weight, terms)
    for _ in range(200):
        if flat == 0.0:  # every probability is zero or one, to rounding
            break
        determinant = steep * flat - mixed * mixed
        if determinant <= 1e-15 * steep * flat:  # constant scores: the slope stays where it is
            by_slope, by_offset = 0.0, up / flat
        else:
            by_slope = (flat * along - mixed * up) / determinant
            by_offset = (steep * up - mixed * along) / determinant
        gain = 1e-4 * (along * by_slope + up * by_offset)
        # within its rounding error the loss cannot judge a step, and the full one is right
        bound = value * (1.0 + 1e-14)
        trial = _fit(slope - by_slope, offset - by_offset, squared, scores, target, weight, terms)
        while trial[0] > bound - gain:
            by_slope, by_offset, gain = by_slope / 2.0, by_offset / 2.0, gain / 2.0
            trial = _fit(slope - by_slope, offset - by_offset, squared, scores, target, weight, terms)
        slope, offset = slope - by_slope, offset - by_offset
        value, along, up, steep, mixed, flat = trial
        if max(abs(by_slope), abs(by_offset)) <= 1e-12 * max(1.0, abs(slope), abs(offset)):
            break
    return slope, offset


@kernel
def fit_curves(
    scores: np.ndarray,
    target: np.ndarray,
    weight: np.ndarray,
    prior: float,
    squared: bool,
    curves: np.ndarray,
) -> None:
    """Fit the log odds of the targets by a straight line in the scores of each model.

    Parameters
    ----------
    scores : ndarray of shape (B, n)
        Scores of each model, mapped to [-1, 1].
    target, weight : ndarray of shape (n,)
        Probabilities to fit, and the positive weights of the examples.
    prior : float
        Log odds to start from.
    squared : bool
        Whether to minimise the squared error and not the log loss.
    curves : ndarray of shape (B, 2)
        Filled with slope and offset of each model.
    """
    for b in range(scores.shape[0]):
        slope, offset = _minimise(0.0, prior, False, scores[b], target, weight)
        if squared:
            slope, offset = _minimise(slope, offset, True, scores[b], target, weight)
        curves[b, 0], curves[b, 1] = slope, offset
