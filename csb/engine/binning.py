"""Features as bin numbers, made once and read in every round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.threads import Threads
from csb.inputs import check_count

__all__ = [
    "BinnedData", "Classes", "bin_ends", "bin_features", "distinct_values", "encode", "order_ties",
    "split_classes",
]  # fmt: skip

TOGETHER = 64
"""Searches side by side, which hide the latency of each."""


def _split_classes_in_arrays(values, positive, n_negative, out):
    """Array form of ``split_classes``."""
    out[:n_negative], out[n_negative:] = values[positive == 0], values[positive == 1]
    out += 0.0


@compiled(_split_classes_in_arrays)
def split_classes(values, positive, n_negative, out):
    """The values of the negative class, then those of the positive one, both in the order of the rows."""
    at, at_positive = 0, n_negative
    for i in range(values.shape[0]):
        out[at_positive if positive[i] else at] = values[i] + 0.0  # a zero has one sign from here on
        at_positive += positive[i]
        at += 1 - positive[i]


def _order_ties_in_arrays(values, order):
    """Array form of ``order_ties``."""
    order[:] = order[np.lexsort((order, values))]


@compiled(_order_ties_in_arrays)
def order_ties(values, order):
    """Put the rows of equal values, which are sorted, into their own order."""
    first = 0
    for i in range(1, values.shape[0] + 1):
        if i == values.shape[0] or values[i] != values[first]:
            if i - first > 1:
                order[first:i].sort()
            first = i


def _distinct_values_in_arrays(one, other, out):
    """Array form of ``distinct_values``."""
    found = np.unique(np.concatenate([one, other]))[: len(out)]
    out[: len(found)] = found
    return len(found)


@compiled(_distinct_values_in_arrays)
def distinct_values(one, other, out):
    """Write distinct values of two sorted arrays in increasing order, until ``out`` is full; their number."""
    i, j, found, last = 0, 0, 0, np.nan
    while (i < one.shape[0] or j < other.shape[0]) and found < out.shape[0]:
        a = one[i] if i < one.shape[0] else np.inf
        b = other[j] if j < other.shape[0] else np.inf
        value = min(a, b)
        if value != last:
            out[found] = last = value
            found += 1
        i += a <= b  # no branch: which of the two is smaller cannot be foreseen
        j += b <= a
    return found


def encode(values: np.ndarray, upper: np.ndarray, out: np.ndarray) -> None:
    """Bin of each value: the number of bins whose largest value lies below it; the last bin has no end."""
    levels = (len(upper) - 1).bit_length()
    ends = np.full(2**levels, np.inf)
    ends[: len(upper) - 1] = upper[:-1]
    _search(values, ends, levels, out)


def _search_in_arrays(values, ends, levels, out):
    """Array form of ``_search``."""
    out[:] = np.searchsorted(ends[:-1], values)
    out[np.isnan(values)] = 0


@compiled(_search_in_arrays)
def _search(values, ends, levels, out):
    """How many of the ``2 ** levels`` ends lie below each value, all but the last of them.

    All searches go down the same number of levels without a branch, which no processor could foresee: a
    comparison is shifted to the number it adds.
    """
    n, one = values.shape[0], np.uint32(1)
    low, searched = np.empty(TOGETHER, np.uint32), np.empty(TOGETHER)
    for start in range(0, n, TOGETHER):
        for k in range(TOGETHER):  # at the end the last value is repeated
            searched[k] = values[min(start + k, n - 1)]
            low[k] = 0
        for level in range(levels - 1, -1, -1):
            bit = np.uint32(level)
            for k in range(TOGETHER):
                above = searched[k] > ends[np.uint32(low[k] + (one << bit) - one)]
                low[k] += np.uint32(above) << bit
        for k in range(min(TOGETHER, n - start)):
            out[start + k] = low[k]


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


EXACT_BINS = 65_535
"""As many as codes of two bytes tell apart."""
DEFAULT_BINS = 255
SORTING = 40
"""Binning a value takes so many times as long as adding one to a histogram."""


@dataclass(frozen=True)
class BinnedData:
    """Bin numbers of a data set.

    Attributes
    ----------
    codes : ndarray of shape (n_columns, n_samples), uint8 or uint16
        Bin of every value, increasing with the value. A column is a feature; one with missing values has two:
        these are its last bin in the first, above all cuts, and its first bin in the second, below them.
    n_bins : ndarray of shape (n_columns,)
        Number of bins of each column.
    lower, upper : ndarray of shape (n_columns, max(n_bins))
        Smallest and largest value that occurs in each bin, infinite for that of the missing; padded with NaN.
    source : ndarray of shape (n_columns,)
        The feature of each column.
    missing : ndarray of shape (n_columns,)
        The bin of the missing values, -1 where there are none.
    """

    codes: np.ndarray
    n_bins: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    source: np.ndarray
    missing: np.ndarray


def bin_features(
    X: np.ndarray,
    y: np.ndarray,
    weights: np.ndarray | None = None,
    max_bins: int | None = None,
    n_jobs: int | None = None,
) -> BinnedData:
    """Bin every feature.

    A bin holds one distinct value, so that nothing is lost, unless a feature has more of them than
    ``max_bins``, or than 65,535 when that is not given; then it gets ``max_bins`` or 255 bins, cut at
    quantiles of each class. Of 255 bins none holds more than the 64th part of the weight of a class, beside
    its largest value: by so much of one class, at most, is the best cut between bins worse than the best of
    all. Bins do not depend on the order of the rows. Missing values have a bin of their own, which does not
    count.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Floats of single or double precision, finite or NaN.
    y : ndarray of shape (n_samples,)
        Class of each example, 0 or 1.
    weights : ndarray of shape (n_samples,), optional
        Positive weights; equal by default.
    max_bins : int, optional
        Largest number of bins of a feature, from 2 to 65535.
    n_jobs : int, optional
        Threads; the bins do not depend on it.

    Returns
    -------
    BinnedData
        The bins.

    Raises
    ------
    ValueError
        If ``max_bins`` is not an integer from 2 to 65535.

    Examples
    --------
    >>> bin_features(np.array([[2.5], [1.0], [2.5]]), np.array([0, 1, 1])).codes
    array([[1, 0, 1]], dtype=uint8)
    """
    if max_bins is not None:
        check_count("max_bins", max_bins, 2, EXACT_BINS, "None")
    n, d = X.shape
    limit, bins = (EXACT_BINS, DEFAULT_BINS) if max_bins is None else (max_bins, max_bins)
    positive = y == 1 if bins > 2 else np.zeros(n, bool)  # a single cut is not for two classes to share
    columns, threads = np.ascontiguousarray(X.T), Threads(n_jobs)
    ends = _all_ends(columns, positive, weights, limit, bins, threads)
    codes = np.empty((d, n), np.uint8 if max(len(upper) for _, upper in ends) <= 256 else np.uint16)
    _encode_all(columns, ends, codes, threads)
    codes, ends, source, missing = _on_both_sides(codes, ends)
    n_bins = np.array([len(upper) for _, upper in ends])
    padded = np.full((2, len(ends), n_bins.max()), np.nan)
    for f, pair in enumerate(ends):
        padded[:, f, : n_bins[f]] = pair
    lower, upper = padded
    return BinnedData(codes, n_bins, lower, upper, source, missing)


Ends = list[tuple[np.ndarray, np.ndarray]]
"""Smallest and largest value of each bin, feature by feature."""


def _all_ends(
    columns: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray | None,
    limit: int,
    bins: int,
    threads: Threads,
) -> Ends:
    """Of each column, with the missing values as a last bin that ends at infinity."""
    found: Ends = [(columns, columns)] * len(columns)
    classes, beyond = Classes.of(positive, weights), np.array([np.inf])

    def find(first: int, last: int) -> None:
        for f in range(first, last):
            if not np.isnan(columns[f].min()):
                found[f] = bin_ends(columns[f], classes, limit, bins)
                continue
            known = ~np.isnan(columns[f])
            among = Classes.of(positive[known], None if weights is None else weights[known])
            ends = bin_ends(columns[f][known], among, limit, bins) if known.any() else ((), ())
            found[f] = np.r_[ends[0], beyond], np.r_[ends[1], beyond]

    threads.run(find, len(columns), SORTING * columns.size)
    return found


def _encode_all(columns: np.ndarray, ends: Ends, codes: np.ndarray, threads: Threads) -> None:
    def number(first: int, last: int) -> None:
        for f in range(first, last):
            encode(columns[f], ends[f][1], codes[f])
            if np.isinf(ends[f][1][-1]):
                codes[f, np.isnan(columns[f])] = len(ends[f][1]) - 1

    threads.run(number, len(columns), SORTING * columns.size)


def _on_both_sides(codes: np.ndarray, ends: Ends) -> tuple[np.ndarray, Ends, np.ndarray, np.ndarray]:
    """With a second column for each feature that has missing values and others, in which they come first.

    Codes and ends; the feature of each column, and the bin of its missing values.
    """
    last = np.array([len(upper) - 1 if np.isinf(upper[-1]) else -1 for _, upper in ends])
    source = np.repeat(np.arange(len(ends)), 1 + (last > 0))
    missing = last[source]
    if len(source) == len(ends):
        return codes, ends, source, missing
    second = np.flatnonzero(source[1:] == source[:-1]) + 1
    codes, both = codes[source], [ends[f] for f in source]
    for column in second:
        turned = codes[column]
        turned[:] = np.where(turned == missing[column], 0, turned + 1)
        lower, upper = (np.r_[-np.inf, each[:-1]] for each in both[column])
        both[column] = lower, upper
    missing[second] = 0
    return codes, both, source, missing
