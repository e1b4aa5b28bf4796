"""Optima of many drawn cases at once, by halving brackets: slow, plain, and sure to end."""

import numpy as np
from scipy.special import expit, logsumexp


def halve(rises, low, high, steps=80):
    """Where increasing functions change sign, each between its ``low`` and its ``high``."""
    for _ in range(steps):
        middle = (low + high) / 2
        above = rises(middle)
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    return (low + high) / 2


def scored(rng, cases, rows=10):
    """Scores, labels and weights that are hard to calibrate, shape (cases, rows).

    Scores of two to ten values, or all different; nearly separated by a cut, or not at all; on a large
    offset, tiny or huge. One class far heavier than the other, weights over 12 decades, or next to nothing.
    """
    scores = rng.integers(0, rng.choice([2, 3, 4, 10], (cases, 1)), (cases, rows)).astype(float)
    scores = np.where(rng.random((cases, 1)) < 0.25, rng.standard_cauchy((cases, rows)), scores)
    scores[:, 0], scores[:, 1] = scores.min(axis=1) - 0.5, scores.max(axis=1) + 0.5
    cut = rng.uniform(scores.min(axis=1), scores.max(axis=1))[:, np.newaxis]
    y = ((scores > cut) ^ (rng.random((cases, rows)) < rng.choice([0, 0, 0.1, 0.5], (cases, 1)))).astype(int)
    y[:, 0], y[:, 1] = 0, 1
    kind = rng.random((cases, 1))
    of_class = np.where(y == 1, 1.0, np.round(10 ** rng.uniform(0, 6, (cases, 1))))
    weight = np.where(kind < 0.5, of_class, 10.0 ** rng.uniform(-6, 6, (cases, rows)))
    weight = np.where(kind > 0.9, 10.0 ** rng.uniform(-320, -90, (cases, rows)), weight)
    weight[:, 0] = np.where(kind[:, 0] > 0.9, 1e-90, weight[:, 0])
    turned = rng.random(cases) < 0.5
    y[turned] = 1 - y[turned]
    size = rng.choice([1.0, 1.0, 1e-90, 1e300], (cases, 1))
    scaled = scores / abs(scores).max(axis=1, keepdims=True) * size
    return np.where(rng.random((cases, 1)) < 0.1, 1e8 + scores, scaled), y, weight


def signed_logsum(logs, signs, axis):
    """Logarithm of the sum of the positive terms less that of the negative ones: a derivative's sign."""
    more, less = (logsumexp(np.where(side * signs > 0, logs, -np.inf), axis=axis) for side in (1, -1))
    with np.errstate(invalid="ignore"):  # not a number where there is no term of either sign
        return more - less


def exponential_gap(log_weights, kappa, alpha):
    """Rising less falling terms of each column's derivative, and the size of what is subtracted."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        terms = log_weights + np.log(np.abs(kappa))
        moved = np.where(terms > -np.inf, terms - alpha * kappa, -np.inf)
    gap = signed_logsum(moved, -kappa, axis=0)
    return gap, np.abs(moved).max(axis=0, where=moved > -np.inf, initial=1.0)


def exponential_root(log_weights, kappa):
    """Where each column's derivative is zero, by halves of its power; both signs have weight."""
    start, _ = exponential_gap(log_weights, kappa, 0.0)
    side = np.where(start < 0, 1.0, -1.0)

    def rises(power):
        return side * exponential_gap(log_weights, kappa, side * 2.0**power)[0] > 0

    power = halve(rises, np.full_like(start, -1074.0), np.full_like(start, 1023.0), 70)
    return np.where(start == 0, 0.0, side * 2.0**power)


def platt_targets(y, weight):
    """Platt's targets, and one less them, neither of which is lost beside one."""
    n_pos, n_neg = ((weight * (y == label)).sum(axis=-1, keepdims=True) for label in (1, 0))
    return (
        np.where(y == 1, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2)),
        np.where(y == 1, 1 / (n_pos + 2), (n_neg + 1) / (n_neg + 2)),
    )


def likeliest_line(x, target, rest, weight, ridge=0.0, steep=1e9, steps=(65, 85)):
    """Slope and level of each largest likelihood: by halves for the slope, and in it for the level.

    What a row lacks to its target is taken from the smaller of p and 1 - p, for neither is lost beside one.
    """
    highest = 1e3 + 2 * steep * np.abs(x).max()

    def pull(f):
        return weight * np.where(f < 0, expit(f) - target, rest - expit(-f))

    def level(slope):
        ends = np.full_like(slope, highest)
        return halve(lambda b: pull(slope * x + b).sum(axis=1, keepdims=True) > 0, -ends, ends, steps[1])

    def slope_rises(slope):
        f = slope * x + level(slope)
        share = weight * expit(f) * expit(-f)
        total = share.sum(axis=1, keepdims=True)
        centre = (share * x).sum(axis=1, keepdims=True) / np.where(total > 0, total, 1.0)
        return (pull(f) * (x - centre)).sum(axis=1, keepdims=True) + ridge * slope > 0

    ends = np.full((len(x), 1), steep)
    slope = halve(slope_rises, -ends, ends, steps[0])
    return slope, level(slope)


def line_of_scores(scores, y, weight, **search):
    """Log odds of Platt's targets by the likeliest line over each case's scores."""
    half = scores / 2
    low, high = half.min(axis=1, keepdims=True), half.max(axis=1, keepdims=True)
    x = (half - low) / (high - low)
    share = weight / weight.max(axis=1, keepdims=True)
    slope, level = likeliest_line(x, *platt_targets(y, weight), share, **search)
    return slope * x + level
