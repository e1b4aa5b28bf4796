"""One fit of a hundred stumps: csb, the same method in scikit-learn, LightGBM with two leaves."""

from __future__ import annotations

import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.ensemble import AdaBoostClassifier, GradientBoostingClassifier

from benchmarks.timing import paired, problem, summary
from csb import AdaBoost, LogitBoost

__all__ = ["measure", "tasks"]

ROUNDS = 100
FEATURES = 20
SKLEARN_ROUNDS = {"AdaBoost": {1_000_000: 2}, "LogitBoost": {100_000: 10, 1_000_000: 1}}
"""Rounds that scikit-learn runs where all of them would take minutes; its time is scaled up."""


def tasks(method: str, X, y, threads: int, sklearn_rounds: int = ROUNDS) -> dict:
    """One fit of each library, by name, as functions without arguments."""
    ours = {"AdaBoost": AdaBoost, "LogitBoost": LogitBoost}[method]
    found = {
        "csb": lambda: ours(n_estimators=ROUNDS, n_jobs=threads).fit(X, y),
        "LightGBM": lambda: LGBMClassifier(
            n_estimators=ROUNDS, num_leaves=2, n_jobs=threads, verbose=-1
        ).fit(X, y),
    }  # fmt: skip
    if threads == 1:  # it has no threads
        theirs = {
            "AdaBoost": AdaBoostClassifier(n_estimators=sklearn_rounds),
            "LogitBoost": GradientBoostingClassifier(n_estimators=sklearn_rounds, max_depth=1),
        }[method]
        found["scikit-learn"] = lambda: theirs.fit(X, y)
    return found


def measure(rows: list[int], threads: list[int], repeats: int) -> pd.DataFrame:
    """Seconds of a fit, validation and encoding included, and the ratio to csb in the same repeat.

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
        One row per method, size, number of threads and library.
    """
    found = []
    for method in SKLEARN_ROUNDS:
        for n in rows:
            X, y = problem(n, FEATURES)
            sklearn_rounds = min(ROUNDS, SKLEARN_ROUNDS[method].get(n, ROUNDS))
            for jobs in threads:
                times = paired(tasks(method, X, y, jobs, sklearn_rounds), repeats)
                if "scikit-learn" in times:
                    times["scikit-learn"] *= ROUNDS / sklearn_rounds
                for library, taken in times.items():
                    ran = sklearn_rounds if library == "scikit-learn" else ROUNDS
                    found.append(
                        {"method": method, "rows": n, "threads": jobs, "library": library, "rounds_run": ran}
                        | summary(taken, "seconds")
                        | summary(taken / times["csb"], "ratio")
                    )
    return pd.DataFrame(found)
