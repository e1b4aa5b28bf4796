"""Features as bin numbers, made once and read in every round."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csb.engine.kernels import bin_extremes, encode

__all__ = ["BinnedData", "bin_features"]

EXACT_ROWS = 20_000
EXACT_BINS = 65_535
DEFAULT_BINS = 255
SAMPLE = 10_000


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
    """

    codes: np.ndarray
    n_bins: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    common: np.ndarray
    others: np.ndarray
    other_rows: np.ndarray


def bin_features(X: np.ndarray, max_bins: int | None = None) -> BinnedData:
    """Bin every feature.

    A bin holds one distinct value, so that nothing is lost, for up to 20,000 rows when ``max_bins`` is
    not given. Larger data and features with more distinct values than ``max_bins`` (255 by default)
    get bins of about equal counts, cut at the quantiles of 10,000 rows.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Finite floats.
    max_bins : int, optional
        Largest number of bins of a feature, from 2 to 65535.

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
    >>> bin_features(np.array([[2.5], [1.0], [2.5]])).codes
    array([[1, 0, 1]], dtype=uint8)
    """
    if max_bins is not None and not (isinstance(max_bins, (int, np.integer)) and 2 <= max_bins <= EXACT_BINS):
        raise ValueError(f"max_bins={max_bins!r}: an integer from 2 to {EXACT_BINS}, or None")
    n, d = X.shape
    exact = max_bins is None and n <= EXACT_ROWS
    limit = EXACT_BINS if exact else (max_bins or DEFAULT_BINS)
    seen = slice(None) if n <= EXACT_ROWS else np.random.default_rng(0).choice(n, SAMPLE, replace=False)
    columns = np.ascontiguousarray(X.T)
    cuts = [_upper_ends(column[seen], limit) for column in columns]
    n_bins = np.array([len(c) for c in cuts])
    codes = np.empty((d, n), np.uint8 if n_bins.max() <= 256 else np.uint16)
    for column, cut, code in zip(columns, cuts, codes, strict=True):
        encode(column, cut, code)
    lower = np.full((d, n_bins.max()), np.nan)
    upper = np.full((d, n_bins.max()), np.nan)
    for f in range(d):
        if exact:  # each bin is one value
            lower[f, : n_bins[f]] = upper[f, : n_bins[f]] = cuts[f]
        else:
            low, high = np.full(n_bins[f], np.inf), np.full(n_bins[f], -np.inf)
            bin_extremes(columns[f], codes[f], low, high)
            lower[f, : n_bins[f]], upper[f, : n_bins[f]] = low, high
    return BinnedData(codes, n_bins, lower, upper, *_sparse(codes, n_bins))


def _sparse(codes: np.ndarray, n_bins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The common bin of each feature, and the rows outside of it: a histogram needs to visit only these."""
    n = codes.shape[1]
    common = np.full(len(codes), -1)
    rows: list[np.ndarray | list[int]] = []
    for f, column in enumerate(codes):
        counts = np.bincount(column, minlength=n_bins[f])
        if counts.max() > n / 2:
            common[f] = counts.argmax()
        rows.append(np.flatnonzero(column != common[f]).astype(np.int32) if common[f] >= 0 else [])
    others = np.cumsum([0, *map(len, rows)])
    return common, others, np.concatenate(rows).astype(np.int32)


def _upper_ends(values: np.ndarray, limit: int) -> np.ndarray:
    """Largest value of each bin: the distinct values, or values at quantiles when there are too many."""
    distinct = np.unique(values)
    if len(distinct) <= limit:
        return distinct
    ends = np.quantile(values, np.arange(1, limit + 1) / limit, method="inverted_cdf")
    return np.unique(ends)
