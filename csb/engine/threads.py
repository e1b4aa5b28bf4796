"""Threads that share the features of a data set."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from joblib import effective_n_jobs

from csb.inputs import check_jobs

__all__ = ["FeatureThreads", "count_threads"]

WORTH_A_THREAD = 2_000_000
"""Additions to a histogram, or what takes as long, below which threads cost more than they save."""


def count_threads(n_jobs: int | None) -> int:
    """How many threads that is."""
    return effective_n_jobs(check_jobs("n_jobs", n_jobs))


class FeatureThreads:
    """Threads that share the features of a data set among them; ranges of features do not interact."""

    def __init__(self, n_features: int, n_jobs: int | None) -> None:
        threads = min(count_threads(n_jobs), n_features)
        self.cuts = np.linspace(0, n_features, threads + 1).astype(int)
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def run(self, kernel: Callable[[int, int], None], work: int) -> None:
        """Call ``kernel(first, last)`` on ranges that cover all features, at once if ``work`` is large."""
        if self.pool is None or work < WORTH_A_THREAD:
            kernel(0, self.cuts[-1])
        else:
            list(self.pool.map(kernel, self.cuts[:-1], self.cuts[1:]))
