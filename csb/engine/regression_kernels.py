"""Compiled inner loops of the regression stump."""

from __future__ import annotations

import numpy as np

from csb.engine.kernels import kernel

__all__ = ["best_splits"]


@kernel
def best_splits(codes, n_bins, weights, target, tie, first, last, gains, cuts, means):
    """Best least-squares split of each of the features ``first`` to ``last``.

    A split puts bins up to ``cut`` on one side; ``cut = -1`` is the constant. Its gain is what its means
    take from the weighted sum of squares. Of gains that differ by less than ``tie`` the lowest cut counts.
    Bins without weight are passed over.
    """
    n = weights.shape[0]
    largest = 0
    for f in range(first, last):
        largest = max(largest, n_bins[f])
    mass, moment = np.empty(largest), np.empty(largest)
    for f in range(first, last):
        bins = n_bins[f]
        mass[:bins] = 0.0
        moment[:bins] = 0.0
        column = codes[f]
        for i in range(n):
            j = column[i]
            mass[j] += weights[i]
            moment[j] += weights[i] * target[i]
        total, total_moment = 0.0, 0.0
        for j in range(bins):
            total += mass[j]
            total_moment += moment[j]
        gains[f] = total_moment * total_moment / total
        cuts[f] = -1
        means[f, 0] = total_moment / total
        means[f, 1] = means[f, 0]
        below, below_moment = 0.0, 0.0
        for j in range(bins - 1):
            if mass[j] == 0.0:
                continue
            below += mass[j]
            below_moment += moment[j]
            above = total - below
            if above <= 1e-14 * total:
                break
            above_moment = total_moment - below_moment
            gain = below_moment * below_moment / below + above_moment * above_moment / above
            if gain > gains[f] + tie:
                gains[f] = gain
                cuts[f] = j
                means[f, 0] = below_moment / below
                means[f, 1] = above_moment / above
