"""Features as the numbers of their values, made once and read in every round."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from csb.engine.threads import Threads

__all__ = ["BinnedData", "bin_features"]

SORTING = 40
"""Binning a value takes so many times as long as adding one to a histogram."""


class BinnedData(NamedTuple):
    """Bins of a data set, one for each distinct value of a feature.

    Attributes
    ----------
    codes : ndarray of shape (n_columns, n_samples), unsigned integers
        Bin of every value, increasing with the value. A column is a feature; one with missing values has two:
        in the first these lie above all others, in the second below.
    n_bins : ndarray of shape (n_columns,)
        Number of bins of each column.
    values : ndarray of shape (n_columns, max(n_bins))
        Value of each bin, of the missing an infinity; padded with NaN.
    source : ndarray of shape (n_columns,)
        The feature of each column.
    missing : ndarray of shape (n_columns,)
        The bin of the missing values, -1 where there are none.
    """

    codes: np.ndarray
    n_bins: np.ndarray
    values: np.ndarray
    source: np.ndarray
    missing: np.ndarray


def bin_features(X: np.ndarray, n_jobs: int | None = None) -> BinnedData:
    """Give each distinct value of every feature a bin, so that nothing is lost.

    Parameters
    ----------
    X : ndarray of shape (n_samples, n_features)
        Floats, finite or NaN.
    n_jobs : int, optional
        Threads; the bins do not depend on it.

    Returns
    -------
    BinnedData
        The bins.

    Examples
    --------
    >>> bin_features(np.array([[2.5], [1.0], [2.5]])).codes
    array([[1, 0, 1]], dtype=uint8)
    """
    missing = np.isnan(X)
    gaps, known = missing.any(axis=0), ~missing.all(axis=0)
    source = np.repeat(np.arange(X.shape[1]), 1 + (gaps & known))
    beyond = np.where(gaps[source], np.inf, np.nan)  # what stands for the missing
    beyond[1:][source[1:] == source[:-1]] = -np.inf

    def find(first: int, last: int) -> list[tuple[np.ndarray, np.ndarray]]:
        found = []
        for f, instead in zip(source[first:last], beyond[first:last], strict=True):
            column = X[:, f].astype(np.float64) + 0.0  # a zero has one sign from here on
            column[np.isnan(column)] = instead
            order = np.argsort(column)
            column = column[order]
            new = np.append(True, column[1:] != column[:-1])
            codes = np.empty(len(column), np.min_scalar_type(new.sum() - 1))
            codes[order] = new.cumsum() - 1
            found.append((column[new], codes))
        return found

    parts = Threads(n_jobs).run(find, len(source), SORTING * X.size)
    distinct, codes = zip(*(each for part in parts for each in part), strict=True)
    n_bins = np.array(list(map(len, distinct)))
    values = np.full((len(source), n_bins.max()), np.nan)
    for row, known in zip(values, distinct, strict=True):
        row[: len(known)] = known
    last_or_first = np.where(beyond > 0, n_bins - 1, np.where(beyond < 0, 0, -1))
    return BinnedData(np.stack(codes), n_bins, values, source, last_or_first)
