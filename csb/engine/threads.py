"""Threads that share work whose parts do not interact."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
from joblib import effective_n_jobs

from csb.inputs import check_jobs

__all__ = ["Threads", "count_threads"]

WORTH_A_THREAD = 500_000
"""Additions to a histogram, or what takes as long, below which threads cost more than they save."""


def count_threads(n_jobs: int | None) -> int:
    """How many threads that is."""
    return effective_n_jobs(check_jobs("n_jobs", n_jobs))


class Threads:
    """Threads among which features, or models, are shared out; they are begun when first needed."""

    def __init__(self, n_jobs: int | None) -> None:
        self.count = count_threads(n_jobs)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self.count - 1)

    def run(self, task: Callable[[int, int], Any], parts: int, work: int) -> list[Any]:
        """What ``task(first, last)`` gives on ranges that cover all parts, at once if ``work`` is large.

        This thread works as well, and does what the others have not begun: on a busy machine, where a thread
        may wait for a core longer than the work takes, nothing is lost.
        """
        threads = min(self.count, parts)
        if threads < 2 or work < WORTH_A_THREAD:
            return [task(0, parts)]
        cuts = np.linspace(0, parts, threads + 1).astype(int)
        found: list[Any] = [None] * threads
        left = iter(range(threads))

        def work_off() -> None:
            for k in left:
                found[k] = task(cuts[k], cuts[k + 1])

        others = [self._pool.submit(work_off) for _ in range(threads - 1)]
        work_off()
        for other in others:
            if not other.cancel():
                other.result()
        return found
