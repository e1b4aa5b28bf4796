"""Encoding: time a value, by what the columns are like."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd

from benchmarks.timing import SEED, problem, seconds, summary
from csb.engine.codes import CodedData

__all__ = ["columns", "unit_times"]

FEATURES = 20


def columns(n: int, seed: int = SEED) -> dict[str, np.ndarray]:
    """Features to be encoded, by what is particular about them.

    Parameters
    ----------
    n : int
        Rows, of twenty features.
    seed : int
        Seed of the draw.

    Returns
    -------
    dict of str to ndarray
        Features.
    """
    rng = np.random.default_rng(seed)
    normal, _ = problem(n, FEATURES, seed)
    return {
        "normal": normal,
        "single precision": normal.astype(np.float32),
        "heavy tails": rng.standard_cauchy((n, FEATURES)) ** 3,
        "two clusters": np.where(rng.random((n, FEATURES)) < 0.5, normal, 1000 + 1e-9 * normal),
        "whole numbers": rng.integers(0, 40, (n, FEATURES)).astype(float),
        "thousands of values": np.round(normal, 3),
        "with gaps": np.where(rng.random((n, FEATURES)) < 0.1, np.nan, normal),
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
    for name, X in columns(n).items():
        for jobs in threads:
            codes = int(CodedData(X, y, jobs).n_codes.max())
            taken = np.array([seconds(partial(CodedData, X, y, jobs)) for _ in range(repeats)])
            found.append(
                {"columns": name, "rows": n, "codes": codes, "threads": jobs}
                | summary(taken / X.size * 1e9, "ns")
            )
    return pd.DataFrame(found)
