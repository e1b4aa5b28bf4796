"""The batch engine: time per row, feature, round and model, and how it grows with each of them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.timing import problem, seconds, summary
from csb.costs import check_costs
from csb.engine.learners.stump import BoundStump
from csb.engine.trained import Batch
from csb.engine.votes import TrainingSet, boost
from csb.methods import VARIANTS

__all__ = ["growth", "slope", "unit_times"]

BASE = {"rows": 1000, "features": 20, "rounds": 10, "models": 32}
UNIT_ROUNDS = 50
GROWTH = {  # three decades of each; the other sizes as in BASE unless stated
    "rows": ((1000, 10_000, 100_000, 1_000_000), {"rounds": 20}),
    "features": ((50, 500, 5000, 50_000), {"rows": 500}),
    "rounds": ((10, 100, 1000, 10_000), {}),
    "models": ((32, 320, 3200, 32_000), {"rows": 250}),
}


def _learner(rows, features, threads):
    X, y = problem(rows, features)
    return BoundStump(X, y, n_jobs=threads), y


def _run(learner, y, rounds, models):
    """Seconds of a batch of CGAda models, one cost ratio each."""
    costs = check_costs(np.geomspace(0.2, 5.0, models))
    weights = np.full((models, len(y)), 1 / len(y))
    job = Batch(VARIANTS["cgada"].build_rules(), costs)
    trained = []
    taken = seconds(lambda: trained.append(boost(learner, TrainingSet(y, weights), [job], rounds)))
    if trained[0].n_rounds.min() < rounds:
        raise RuntimeError(f"a model of {models} ended after {trained[0].n_rounds.min()} of {rounds} rounds")
    return taken


def unit_times(rows: int, models: list[int], threads: list[int], repeats: int) -> pd.DataFrame:
    """Nanoseconds per row, feature, round and model.

    Parameters
    ----------
    rows : int
        Rows of the data set, of twenty features.
    models : list of int
        Sizes of the batch.
    threads : list of int
        Threads of the engine.
    repeats : int
        Runs; the median is reported.

    Returns
    -------
    DataFrame
        One row per number of threads and size of the batch.
    """
    found = []
    d, rounds = BASE["features"], UNIT_ROUNDS
    for jobs in threads:
        learner, y = _learner(rows, d, jobs)
        for size in models:
            _run(learner, y, 2, size)
            taken = np.array([_run(learner, y, rounds, size) for _ in range(repeats)])
            found.append(
                {"rows": rows, "threads": jobs, "models": size}
                | summary(taken / (rows * d * rounds * size) * 1e9, "ns")
            )
    return pd.DataFrame(found)


def growth(decades: int, repeats: int) -> pd.DataFrame:
    """Seconds while one size grows by decades and the others stand still, on one thread.

    Parameters
    ----------
    decades : int
        Up to three.
    repeats : int
        Runs; the median is reported.

    Returns
    -------
    DataFrame
        One row per quantity and size.
    """
    found = []
    for quantity, (sizes, others) in GROWTH.items():
        for size in sizes[: decades + 1]:
            setting = BASE | others | {quantity: size}
            learner, y = _learner(setting["rows"], setting["features"], 1)
            _run(learner, y, 2, setting["models"])
            taken = np.array([_run(learner, y, setting["rounds"], setting["models"]) for _ in range(repeats)])
            found.append({"quantity": quantity, "size": size} | setting | summary(taken, "seconds"))
    return pd.DataFrame(found)


def slope(size, seconds) -> float:
    """Growth exponent: the least-squares slope of log time over log size."""
    return float(np.polyfit(np.log(size), np.log(seconds), 1)[0])
