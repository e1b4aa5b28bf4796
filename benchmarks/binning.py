"""Binning: time a value, by what the columns are like."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.timing import SEED, problem, seconds, summary
from csb.engine.binning import bin_features

__all__ = ["columns", "unit_times"]

FEATURES = 20


def columns(n: int, seed: int = SEED) -> dict[str, tuple[np.ndarray, np.ndarray | None]]:
    """Features and weights to be binned, by what is particular about them.

    Parameters
    ----------
    n : int
        Rows, of twenty features.
    seed : int
        Seed of the draw.

    Returns
    -------
    dict of str to tuple
        Features, and weights or None.
    """
    rng = np.random.default_rng(seed)
    normal, _ = problem(n, FEATURES, seed)
    return {
        "normal": (normal, None),
        "single precision": (normal.astype(np.float32), None),
        "weighted": (normal, rng.gamma(1.0, size=n)),
        "heavy tails": (rng.standard_cauchy((n, FEATURES)) ** 3, None),
        "two clusters": (np.where(rng.random((n, FEATURES)) < 0.5, normal, 1000 + 1e-9 * normal), None),
        "whole numbers": (rng.integers(0, 40, (n, FEATURES)).astype(float), None),
        "thousands of values": (np.round(normal, 3), None),
    }


def unit_times(n: int, threads: list[int], repeats: int) -> pd.DataFrame:
    """Nanoseconds for each value.

    Parameters
    ----------
    n : int
        Rows, of twenty features.
    threads : list of int
        Threads.
    repeats : int
        Runs; the median is reported.

    Returns
    -------
    DataFrame
        One row per kind of columns and number of threads.
    """
    y = np.random.default_rng(SEED).integers(0, 2, n).astype(np.int8)
    found = []
    for name, (X, weights) in columns(n).items():
        for jobs in threads:
            bin_features(X, y, weights, n_jobs=jobs)
            taken = np.array(
                [seconds(lambda: bin_features(X, y, weights, n_jobs=jobs)) for _ in range(repeats)]  # noqa: B023
            )
            bins = int(bin_features(X[:, :1], y, weights).n_bins[0])
            found.append(
                {"columns": name, "rows": n, "bins": bins, "threads": jobs}
                | summary(taken / X.size * 1e9, "ns")
            )
    return pd.DataFrame(found)
