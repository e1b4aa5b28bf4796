"""Features as bin numbers, made once and read in every round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csb.engine.blocks import Features, read_columns
from csb.engine.cuts import Classes, bin_ends
from csb.engine.edges import largest_fills
from csb.engine.encoding import count_codes, encode
from csb.engine.threads import FeatureThreads, count_threads
from csb.inputs import check_count

__all__ = ["BinnedData", "bin_features"]

EXACT_BINS = 65_535
"""As many as codes of two bytes tell apart."""
DEFAULT_BINS = 255
BLOCK, PER_BIN = 1024, 64
"""So many rows, at least and for each bin, does a histogram in single precision take up at a time."""
GROUP = 2**28
"""Bytes of the columns that are taken up together; one column, or one for each thread, may be larger."""
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
    common : ndarray of shape (n_columns,)
        The bin that holds more than half of the rows, or -1 if none does.
    others, other_rows : ndarray of shape (n_columns + 1,) and int32
        ``other_rows[others[f] : others[f + 1]]`` are the rows outside of the common bin, if there is one.
    blocks : ndarray of shape (n_columns,)
        Rows of a block of additions in single precision.
    fills : ndarray of shape (n_columns,)
        Largest number of rows of one block, the common bin aside, that fall into one bin.
    source : ndarray of shape (n_columns,)
        The feature of each column.
    missing : ndarray of shape (n_columns,)
        The bin of the missing values, -1 where there are none.
    """

    codes: np.ndarray
    n_bins: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    common: np.ndarray
    others: np.ndarray
    other_rows: np.ndarray
    blocks: np.ndarray
    fills: np.ndarray
    source: np.ndarray
    missing: np.ndarray


def bin_features(
    X: Features,
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
    X : ndarray or BlockTable of shape (n_samples, n_features)
        Floats of single or double precision, finite or NaN. Columns are read in groups of 256 MiB, so
        that there is no second copy of a large table or of a memory map.
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
    codes, ends = np.empty((d, n), np.uint8), []
    together = max(GROUP // (n * X.dtype.itemsize), count_threads(n_jobs))
    for first in range(0, d, together):
        columns = read_columns(X, first, min(first + together, d))
        threads = FeatureThreads(len(columns), n_jobs)
        found = _all_ends(columns, positive, weights, limit, bins, threads)
        if codes.itemsize == 1 and max(len(upper) for _, upper in found) > 256:
            codes = codes.astype(np.uint16)
        _encode_all(columns, found, codes[first : first + together], threads)
        ends += found
    codes, ends, source, missing = _on_both_sides(codes, ends)
    n_bins = np.array([len(upper) for _, upper in ends])
    padded = np.full((2, len(ends), n_bins.max()), np.nan)
    for f, pair in enumerate(ends):
        padded[:, f, : n_bins[f]] = pair
    lower, upper = padded
    sparse = _sparse(codes, n_bins)
    blocks = np.maximum(BLOCK, PER_BIN * n_bins)
    return BinnedData(
        codes, n_bins, lower, upper, *sparse, blocks, largest_fills(codes, n_bins, *sparse, blocks),
        source, missing,
    )  # fmt: skip


Ends = list[tuple[np.ndarray, np.ndarray]]
"""Smallest and largest value of each bin, feature by feature."""


def _all_ends(
    columns: np.ndarray,
    positive: np.ndarray,
    weights: np.ndarray | None,
    limit: int,
    bins: int,
    threads: FeatureThreads,
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

    threads.run(find, SORTING * columns.size)
    return found


def _encode_all(columns: np.ndarray, ends: Ends, codes: np.ndarray, threads: FeatureThreads) -> None:
    def number(first: int, last: int) -> None:
        for f in range(first, last):
            encode(columns[f], ends[f][1], codes[f])
            if np.isinf(ends[f][1][-1]):
                codes[f, np.isnan(columns[f])] = len(ends[f][1]) - 1

    threads.run(number, SORTING * columns.size)


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


def _sparse(codes: np.ndarray, n_bins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The common bin of each feature, and the rows outside of it: a histogram needs to visit only these."""
    n = codes.shape[1]
    common = np.full(len(codes), -1)
    rows: list[np.ndarray | list[int]] = []
    for f, column in enumerate(codes):
        counts = np.empty(n_bins[f], np.int64)
        count_codes(column, counts)
        if counts.max() > n / 2:
            common[f] = counts.argmax()
        rows.append(np.flatnonzero(column != common[f]).astype(np.int32) if common[f] >= 0 else [])
    others = np.cumsum([0, *map(len, rows)])
    return common, others, np.concatenate(rows).astype(np.int32)
