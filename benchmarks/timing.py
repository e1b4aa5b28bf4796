"""Test problems, clocks, and the summary of repeated runs."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

__all__ = ["SEED", "paired", "peak_memory", "problem", "seconds", "summary"]

SEED = 20161


def problem(n: int, d: int, seed: int = SEED) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian features and noisy labels, so that boosting never runs out of mistakes.

    Parameters
    ----------
    n, d : int
        Rows and features; the first five features matter.
    seed : int
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (n, d)
        All values of a column distinct.
    y : ndarray of shape (n,)
        0 or 1.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, (X[:, :5].sum(axis=1) + 2 * rng.standard_normal(n) > 0).astype(np.int8)


def peak_memory() -> int:
    """Largest memory of this process so far, in bytes; Linux only.

    ``resource.getrusage`` would not do: on Linux a new process starts with the peak of the one that began it.
    """
    status = Path("/proc/self/status").read_text()
    return 1024 * int(status.split("VmHWM:")[1].split()[0])


def seconds(task: Callable) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def paired(tasks: dict[str, Callable], repeats: int) -> dict[str, np.ndarray]:
    """Run every task once in each repeat, so that the times of one repeat can be paired.

    The task that goes first changes from repeat to repeat. Tasks run once before anything is measured.

    Parameters
    ----------
    tasks : dict of str to callable
        What to time.
    repeats : int
        Number of measured repeats.

    Returns
    -------
    dict of str to ndarray of shape (repeats,)
        Seconds.
    """
    names = list(tasks)
    times = {name: np.empty(repeats) for name in names}
    for name in names:
        tasks[name]()
    for r in range(repeats):
        for name in names[r % len(names) :] + names[: r % len(names)]:
            times[name][r] = seconds(tasks[name])
    return times


def summary(values: np.ndarray, name: str) -> dict[str, float]:
    """Median and range under the names ``name``, ``name_low`` and ``name_high``."""
    return {name: np.median(values), f"{name}_low": np.min(values), f"{name}_high": np.max(values)}
