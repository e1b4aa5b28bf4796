"""Compiled loops over the values of one feature: sorted parts, distinct values, bin numbers."""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled

__all__ = ["count_codes", "distinct_values", "encode", "order_ties", "split_classes"]

kernel = compiled()

TOGETHER = 64
"""Searches side by side, which hide the latency of each."""


@kernel
def split_classes(values, positive, n_negative, out):
    """The values of the negative class, then those of the positive one, both in the order of the rows."""
    at, at_positive = (
        np.intp(0),
        np.intp(n_negative),
    )  # not compiled, the sum of a number and a byte is a byte
    for i in range(values.shape[0]):
        out[at_positive if positive[i] else at] = values[i] + 0.0  # a zero has one sign from here on
        at_positive += positive[i]
        at += 1 - positive[i]


@kernel
def order_ties(values, order):
    """Put the rows of equal values, which are sorted, into their own order."""
    first = 0
    for i in range(1, values.shape[0] + 1):
        if i == values.shape[0] or values[i] != values[first]:
            if i - first > 1:
                order[first:i].sort()
            first = i


@kernel
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


@kernel
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


@kernel
def count_codes(codes, counts):
    """Rows of each bin; neighbouring rows are counted apart, so that no addition waits for the last one."""
    n = codes.shape[0]
    partial = np.zeros((4, counts.shape[0]), np.int64)
    for i in range(0, n - n % 4, 4):
        for k in range(4):
            partial[k, codes[i + k]] += 1
    for i in range(n - n % 4, n):
        partial[0, codes[i]] += 1
    for j in range(counts.shape[0]):
        counts[j] = partial[0, j] + partial[1, j] + partial[2, j] + partial[3, j]
