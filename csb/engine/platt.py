"""Logistic regressions on few columns, to probabilities: the curves of Platt scaling and beta calibration.

Newton's method with backtracking is fast and, where it ends at the optimum, exact. On scores of few values,
or classes or weights that are very unequal, it may leap to where all probabilities are zero or one to
rounding, and stay there. So what it ends with is judged by the Newton step that is left, and where that is
not negligible, damped steps begin anew, which cannot leap.
"""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.elementary import expit_scalar, logaddexp_scalar

__all__ = ["fit_columns", "fit_curve"]

STEPS, CAUTIOUS_STEPS = 200, 1000
"""Newton steps at most: a handful is enough, and some dozens of those that cannot leap."""
HALVINGS = 100
"""How often a step is halved at most."""
SETTLED = 1e-7
"""Where a Newton step changes no log odds by more than this, the fit is at its optimum."""
DEPENDENT = 1e-13
"""A column is a sum of earlier ones where no larger part of it is left beside them in any row."""

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
    for _ in range(STEPS):
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
        halvings = 0
        while trial[0] > bound - gain and halvings < HALVINGS:
            halvings += 1
            by_slope, by_offset, gain = by_slope / 2.0, by_offset / 2.0, gain / 2.0
            trial = _fit(slope - by_slope, offset - by_offset, squared, scores, target, weight, terms)
        slope, offset = slope - by_slope, offset - by_offset
        value, along, up, steep, mixed, flat = trial
        if max(abs(by_slope), abs(by_offset)) <= 1e-12 * max(1.0, abs(slope), abs(offset)):
            break
    return slope, offset


@kernel
def _newton_step(
    columns: np.ndarray, residual: np.ndarray, curvature: np.ndarray, step: np.ndarray, change: np.ndarray
) -> float:
    """Fill in a Newton step and what it takes from each log odds; the largest of it, NaN near no minimum.

    The columns are made orthogonal one after the other, so that no sum of heavy rows hides what light ones
    say. A column that is a sum of earlier ones keeps its coefficient.
    """
    count, n = columns.shape
    basis, share, norms, terms = np.empty((count, n)), np.zeros((count, count)), np.zeros(count), np.empty(n)
    for i in range(n):
        change[i] = 0.0
    for j in range(count):
        own, step[j] = basis[j], 0.0
        size, left = 0.0, 0.0
        for i in range(n):
            own[i] = columns[j, i]
            size = max(size, abs(own[i]))
        for k in range(j):
            if norms[k] > 0.0:
                for i in range(n):
                    terms[i] = curvature[i] * basis[k, i] * own[i]
                share[k, j] = _sum(terms) / norms[k]
                for i in range(n):
                    own[i] -= share[k, j] * basis[k, i]
        for i in range(n):
            terms[i] = curvature[i] * own[i] * own[i]
            left = max(left, abs(own[i]))
        if left <= DEPENDENT * size:
            continue
        norms[j] = _sum(terms)
        if not norms[j] > 0.0:
            return np.nan
        for i in range(n):
            terms[i] = residual[i] * own[i]
        step[j] = _sum(terms) / norms[j]
        for i in range(n):
            change[i] += step[j] * own[i]
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(change[i]))
    for j in range(count - 1, -1, -1):
        for k in range(j):
            step[k] -= share[k, j] * step[j]
    return largest


@kernel
def _derivatives(
    coefficients: np.ndarray,
    kind: int,
    columns: np.ndarray,
    target: np.ndarray,
    rest: np.ndarray,
    weight: np.ndarray,
    work: np.ndarray,
) -> float:
    """First and second derivatives by the log odds of each row, and these; half the squared error.

    Of the log loss (``kind`` 0) or of half the squared error (1), or instead of that one's second derivatives
    what Gauss and Newton leave of them, which is never negative (2).
    """
    residual, curvature, log_odds, error = work[0], work[1], work[2], work[3]
    for i in range(weight.shape[0]):
        f = 0.0
        for j in range(columns.shape[0]):
            f += coefficients[j] * columns[j, i]
        p, q = expit_scalar(f), expit_scalar(-f)
        miss = p - target[i] if f < 0.0 else rest[i] - q  # of two small numbers, not of two near one
        change = p * q
        bend = miss * (q - p) if kind == 1 else 0.0
        log_odds[i], error[i] = f, weight[i] * (miss * miss) / 2.0
        residual[i] = weight[i] * miss * (1.0 if kind == 0 else change)
        curvature[i] = weight[i] * change * (1.0 if kind == 0 else change + bend)
    return _sum(error)


@kernel
def _settled(
    coefficients: np.ndarray,
    squared: bool,
    columns: np.ndarray,
    target: np.ndarray,
    rest: np.ndarray,
    weight: np.ndarray,
) -> bool:
    """Whether the Newton step that is left changes nothing."""
    work, step = np.empty((5, weight.shape[0])), np.empty(columns.shape[0])
    _derivatives(coefficients, int(squared), columns, target, rest, weight, work)
    return _newton_step(columns, work[0], work[1], step, work[4]) <= SETTLED


@kernel
def _reach(log_odds: np.ndarray, change: np.ndarray) -> float:
    """Part of a step, at most all, that changes no log odds by more than their size and one."""
    part = 1.0
    for i in range(change.shape[0]):
        if part * abs(change[i]) > 1.0 + abs(log_odds[i]):
            part = (1.0 + abs(log_odds[i])) / abs(change[i])
    return part


@kernel
def _slope(work: np.ndarray, change: np.ndarray) -> float:
    """How fast the loss falls along a step."""
    for i in range(change.shape[0]):
        work[3, i] = work[0, i] * change[i]
    return _sum(work[3])


@kernel
def fit_columns(
    coefficients: np.ndarray,
    squared: bool,
    columns: np.ndarray,
    target: np.ndarray,
    rest: np.ndarray,
    weight: np.ndarray,
) -> None:
    """Logistic regression by Newton steps that cannot leap, from the coefficients that are given.

    A step that changes no log odds by more than 1.5 lowers the log loss (Bach 2010). A longer one is halved
    until it does not lead past the minimum on its line. That of the squared error, which is not convex, is
    halved until the error falls. No step changes log odds by more than their size and one, for where all are
    saturated nothing leads back.

    Parameters
    ----------
    coefficients : ndarray of shape (k,)
        Where to start; filled with the optimum.
    squared : bool
        Whether to go down to a minimum of the squared error, and not to that of the log loss.
    columns : ndarray of shape (k, n)
        Columns of the regression, of which the first holds ones.
    target, rest : ndarray of shape (n,)
        Probabilities to fit, inside (0, 1), and one less them.
    weight : ndarray of shape (n,)
        Positive weights of the examples, the largest about one.
    """
    count, n = columns.shape
    work, trial, step, new = np.empty((5, n)), np.empty((5, n)), np.empty(count), np.empty(count)
    change = work[4]
    for _ in range(CAUTIOUS_STEPS):
        value = _derivatives(coefficients, int(squared), columns, target, rest, weight, work)
        largest = _newton_step(columns, work[0], work[1], step, change)
        if squared and largest != largest:  # no minimum is near
            _derivatives(coefficients, 2, columns, target, rest, weight, work)
            largest = _newton_step(columns, work[0], work[1], step, change)
        if not 0.0 < largest < np.inf:
            break
        part = _reach(work[2], change)
        gain, bound = 1e-4 * _slope(work, change), value * (1.0 + 1e-14)
        for _ in range(HALVINGS):
            for j in range(count):
                new[j] = coefficients[j] - part * step[j]
            if not squared and largest <= 1.5:
                break
            error = _derivatives(new, int(squared), columns, target, rest, weight, trial)
            if error <= bound - part * gain if squared else _slope(trial, change) >= 0.0:
                break
            part /= 2.0
        for j in range(count):
            coefficients[j] = new[j]
        if largest <= SETTLED:
            break


def fit_curve(
    scores: np.ndarray, target: np.ndarray, rest: np.ndarray, weight: np.ndarray, prior: float, squared: bool
) -> tuple[float, float]:
    """Fit the log odds of the targets by a straight line in the scores.

    The squared error may have several minima. The one returned is reached from the curve of the largest
    likelihood, by steps of which none raises the error.

    Parameters
    ----------
    scores : ndarray of shape (n,)
        Scores, mapped to [-1, 1].
    target, rest : ndarray of shape (n,)
        Probabilities to fit, and one less them.
    weight : ndarray of shape (n,)
        The positive weights of the examples.
    prior : float
        Log odds to start from.
    squared : bool
        Whether to minimise the squared error and not the log loss.

    Returns
    -------
    slope, offset : float
        Of the log odds.
    """
    problem = np.array([np.ones_like(scores), scores]), target, rest, weight / weight.max()
    slope, offset = 0.0, prior
    for of_squares in (False, True)[: 1 + squared]:
        line = np.array([offset, slope])
        slope, offset = _minimise(slope, offset, of_squares, scores, target, weight)
        if not _settled(np.array([offset, slope]), of_squares, *problem):
            fit_columns(line, of_squares, *problem)
            offset, slope = line.tolist()
    return slope, offset
