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
    codes : ndarray of shape (n_features, n_samples), uint8 or uint16
        Bin of every value, increasing with the value.
    n_bins : ndarray of shape (n_features,)
        Number of bins of each feature.
    lower, upper : ndarray of shape (n_features, max(n_bins))
        Smallest and largest value that occurs in each bin; padded with NaN.
    common : ndarray of shape (n_features,)
        The bin that holds more than half of the rows, or -1 if none does.
    others, other_rows : ndarray of shape (n_features + 1,) and int32
        ``other_rows[others[f] : others[f + 1]]`` are the rows outside of the common bin, if there is one.
    blocks : ndarray of shape (n_features,)
        Rows of a block of additions in single precision.
    fills : ndarray of shape (n_features,)
        Largest number of rows of one block, the common bin aside, that fall into one bin.
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
    all. Bins do not depend on the order of the rows.

    Parameters
    ----------
    X : ndarray or BlockTable of shape (n_samples, n_features)
        Finite floats of single or double precision. Columns are read in groups of 256 MiB, so that there is
        no second copy of a large table or of a memory map.
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
    classes = Classes.of(positive, weights)
    codes, ends = np.empty((d, n), np.uint8), []
    together = max(GROUP // (n * X.dtype.itemsize), count_threads(n_jobs))
    for first in range(0, d, together):
        columns = read_columns(X, first, min(first + together, d))
        threads = FeatureThreads(len(columns), n_jobs)
        found = _all_ends(columns, classes, limit, bins, threads)
        if codes.itemsize == 1 and max(len(upper) for _, upper in found) > 256:
            codes = codes.astype(np.uint16)
        _encode_all(columns, found, codes[first : first + together], threads)
        ends += found
    n_bins = np.array([len(upper) for _, upper in ends])
    padded = np.full((2, d, n_bins.max()), np.nan)
    for f, pair in enumerate(ends):
        padded[:, f, : n_bins[f]] = pair
    lower, upper = padded
    sparse = _sparse(codes, n_bins)
    blocks = np.maximum(BLOCK, PER_BIN * n_bins)
    return BinnedData(
        codes, n_bins, lower, upper, *sparse, blocks, largest_fills(codes, n_bins, *sparse, blocks)
    )


Ends = list[tuple[np.ndarray, np.ndarray]]
"""Smallest and largest value of each bin, feature by feature."""


def _all_ends(columns: np.ndarray, classes: Classes, limit: int, bins: int, threads: FeatureThreads) -> Ends:
    found: Ends = [(columns, columns)] * len(columns)

    def find(first: int, last: int) -> None:
        for f in range(first, last):
            found[f] = bin_ends(columns[f], classes, limit, bins)

    threads.run(find, SORTING * columns.size)
    return found


def _encode_all(columns: np.ndarray, ends: Ends, codes: np.ndarray, threads: FeatureThreads) -> None:
    def number(first: int, last: int) -> None:
        for f in range(first, last):
            encode(columns[f], ends[f][1], codes[f])

    threads.run(number, SORTING * columns.size)


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
