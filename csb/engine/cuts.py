"""Where the bins of a feature begin and end, from one sort of its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np

from csb.engine.encoding import distinct_values, order_ties, split_classes

__all__ = ["Classes", "bin_ends"]

ROUNDING = 1e-9
"""Share of a class's weight by which a quantile may be missed."""


class Classes(NamedTuple):
    """The rows of two classes, whose quantiles are taken apart.

    Attributes
    ----------
    positive : ndarray of shape (n,), uint8
        1 for the rows of the second class, 0 for those of the first.
    n_negative : int
        Rows of the first class.
    weights : tuple of ndarray or None
        Weights of the rows of each class; None where they are equal.
    """

    positive: np.ndarray
    n_negative: int
    weights: tuple[np.ndarray | None, np.ndarray | None]

    @classmethod
    def of(cls, positive: np.ndarray, weights: np.ndarray | None) -> Self:
        """The classes of rows that are positive or not, bool."""
        unequal: tuple[np.ndarray | None, np.ndarray | None] = None, None
        if weights is not None and not _equal(weights):
            apart = weights[~positive], weights[positive]
            unequal = None if _equal(apart[0]) else apart[0], None if _equal(apart[1]) else apart[1]
        return cls(positive.view(np.uint8), len(positive) - int(positive.sum()), unequal)


def _equal(weights: np.ndarray) -> bool:
    return not len(weights) or bool(weights.min() == weights.max())


class _Sorted(NamedTuple):
    """Values of a class in increasing order, and the weight up to each; None where all weigh one."""

    values: np.ndarray
    cumulative: np.ndarray | None

    @classmethod
    def of(cls, values: np.ndarray, weights: np.ndarray | None) -> Self:
        """Sorts the values in place."""
        if weights is None:
            values.sort()
            return cls(values, None)
        order = np.argsort(values)
        values[:] = values[order]
        order_ties(values, order)  # sums do not depend on how the processor sorts
        return cls(values, np.cumsum(weights[order]))

    def at(self, shares: np.ndarray) -> np.ndarray:
        """The smallest values up to which these shares of the weight lie."""
        if self.cumulative is None:
            return self.values[np.ceil(shares * len(self.values)).astype(np.int64) - 1]
        return self.values[np.searchsorted(self.cumulative, shares * self.cumulative[-1])]

    def before(self, values: np.ndarray) -> np.ndarray:
        """The largest value below each, or minus infinity."""
        at = np.searchsorted(self.values, values)
        return np.where(at > 0, self.values[at - 1], -np.inf)

    def after(self, values: np.ndarray) -> np.ndarray:
        """The smallest value above each, or infinity."""
        at = np.searchsorted(self.values, values, side="right")
        return np.where(at < len(self.values), self.values[np.minimum(at, len(self.values) - 1)], np.inf)


def bin_ends(column: np.ndarray, classes: Classes, limit: int, bins: int) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value of each bin of a feature.

    Up to ``limit`` bins hold one value each; of more values, at most ``bins`` bins are made. The values are
    compared as they are stored: every number of single precision is one of double precision.
    """
    ordered, n_negative = np.empty_like(column), classes.n_negative
    split_classes(column, classes.positive, n_negative, ordered)
    parts = ordered[:n_negative], ordered[n_negative:]
    weights = classes.weights if len(column) > limit else (None, None)  # they may be of no consequence
    samples = [_Sorted.of(part, w) for part, w in zip(parts, weights, strict=True) if len(part)]
    distinct = np.empty(min(len(column), limit + 1), column.dtype)
    count = distinct_values(*parts, distinct)
    if count <= limit:
        exact = distinct[:count].astype(np.float64)
        return exact, exact
    slots = bins - 1  # the last bin ends at the largest value
    share = slots // len(samples)
    ends = [_quantiles(sample, samples, share) for sample in samples]
    counts = [len(each) for each in ends]
    if min(counts) < max(counts):  # what one class leaves unused serves the other
        most = int(np.argmax(counts))
        ends[most] = _quantiles(samples[most], samples, slots - min(counts))
    smallest = min(sample.values[0] for sample in samples)
    largest = max(sample.values[-1] for sample in samples)
    upper = np.unique(np.concatenate([*ends, [largest]]).astype(column.dtype))
    lower = np.min([sample.after(upper[:-1]) for sample in samples], axis=0)
    return np.r_[smallest, lower].astype(np.float64), upper.astype(np.float64)


def _quantiles(sample: _Sorted, samples: Sequence[_Sorted], count: int) -> np.ndarray:
    """At most ``count`` values that cut a class into parts of about equal weight.

    A value that fills a part by itself is cut off from those below it as well, whichever class they are of.
    """
    values, times = np.unique(sample.at(np.arange(1, count + 1) / (count + 1) - ROUNDING), return_counts=True)
    previous = np.max([each.before(values[times > 1]) for each in samples], axis=0)
    return np.union1d(values, previous[previous > -np.inf])
