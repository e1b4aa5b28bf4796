"""One fit of a hundred stumps: csb, scikit-learn's AdaBoost, LightGBM with two leaves."""

from __future__ import annotations

import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.ensemble import AdaBoostClassifier

from benchmarks.timing import paired, problem, summary
from csb import AdaBoost

__all__ = ["measure", "tasks"]

ROUNDS = 100
FEATURES = 20
SKLEARN_ROUNDS = {1_000_000: 2}
"""Rounds that scikit-learn runs where all of them would take minutes; its time is scaled up."""


def tasks(X, y, threads: int, sklearn_rounds: int = ROUNDS) -> dict:
    """One fit of each library, by name, as functions without arguments."""
    found = {
        "csb": lambda: AdaBoost(ROUNDS, n_jobs=threads).fit(X, y),
        "LightGBM": lambda: LGBMClassifier(
            n_estimators=ROUNDS, num_leaves=2, n_jobs=threads, verbose=-1
        ).fit(X, y),
    }  # fmt: skip
    if threads == 1:  # it has no threads
        found["scikit-learn"] = lambda: AdaBoostClassifier(n_estimators=sklearn_rounds).fit(X, y)
    return found


def measure(rows: list[int], threads: list[int], repeats: int) -> pd.DataFrame:
    """Seconds of a fit, validation and binning included, and the ratio to csb in the same repeat.

    Parameters
    ----------
    rows : list of int
        Sizes of the data sets, of twenty features each.
    threads : list of int
        Threads of csb and LightGBM.
    repeats : int
        Paired runs.

    Returns
    -------
    DataFrame
        One row per size, number of threads and library.
    """
    found = []
    for n in rows:
        X, y = problem(n, FEATURES)
        sklearn_rounds = min(ROUNDS, SKLEARN_ROUNDS.get(n, ROUNDS))
        for jobs in threads:
            times = paired(tasks(X, y, jobs, sklearn_rounds), repeats)
            if "scikit-learn" in times:
                times["scikit-learn"] *= ROUNDS / sklearn_rounds
            for library, taken in times.items():
                ran = sklearn_rounds if library == "scikit-learn" else ROUNDS
                found.append(
                    {"rows": n, "threads": jobs, "library": library, "rounds_run": ran}
                    | summary(taken, "seconds")
                    | summary(taken / times["csb"], "ratio")
                )
    return pd.DataFrame(found)
