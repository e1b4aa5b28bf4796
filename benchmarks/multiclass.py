"""LpCSB on a problem of the size of letter: 26 classes, hence 26 expanded rows for each example."""

from __future__ import annotations

import json
import subprocess
import sys
import time

import numpy as np
import pandas as pd

from benchmarks.timing import SEED, peak_memory, summary

__all__ = ["letter_sized", "measure"]

SHAPE = {"rows": 20_000, "features": 16, "classes": 26}


def letter_sized(rows: int = SHAPE["rows"]) -> tuple[str, np.ndarray, np.ndarray]:
    """The letters, or where they are not at hand a generated problem of their shape.

    Parameters
    ----------
    rows : int, default 20,000
        Examples, at most 20,000.

    Returns
    -------
    name : str
        "letter" or "generated".
    X : ndarray of shape (rows, 16)
        Whole numbers from 0 to 15.
    y : ndarray of shape (rows,)
        Class numbers.
    """
    from csbook.datasets import available, load

    if (available().query("name == 'letter'")["where"] != "to fetch").all():
        data = load("letter")
        return "letter", data.X.to_numpy()[:rows], data.y[:rows]
    rng = np.random.default_rng(SEED)
    y = rng.integers(SHAPE["classes"], size=SHAPE["rows"])
    centres = rng.uniform(3, 12, (SHAPE["classes"], SHAPE["features"]))
    X = np.clip(np.round(rng.normal(centres[y], 2)), 0, 15)
    return "generated", X[:rows], y[:rows]


def one_fit(rows: int, rounds: int, expansion: str, threads: int) -> None:
    """Fit once and print what it took; meant for a process of its own, whose peak memory it reports."""
    from sklearn.tree import DecisionTreeClassifier

    from csb.costs import class_frequency_costs
    from csb.estimators.multiclass import LpCSB

    name, X, y = letter_sized(rows)
    costs = class_frequency_costs(y, SEED)
    tree = DecisionTreeClassifier(max_depth=5)
    model = LpCSB(costs, 2, rounds, tree, expansion=expansion, n_jobs=threads, random_state=SEED)
    began = time.perf_counter()
    model.fit(X, y)
    taken = time.perf_counter() - began
    kept = len(model.estimators_)
    print(json.dumps({"data": name, "rounds": kept, "seconds": taken, "mebibytes": peak_memory() / 2**20}))


def measure(rows: int, rounds: int, threads: list[int], repeats: int) -> pd.DataFrame:
    """Seconds and peak memory of LpCSB with trees of depth five.

    Parameters
    ----------
    rows, rounds : int
        Size of the problem.
    threads : list of int
        Numbers of threads for one learner a class; one learner on all pairs has one.
    repeats : int
        Fits, each in a fresh process.

    Returns
    -------
    DataFrame
        One row per expansion and number of threads; ``mebibytes`` is the peak of the whole process.
    """
    found = []
    for expansion, jobs in [("per_label", jobs) for jobs in threads] + [("one_hot", 1)]:
        fits = [_in_a_process(rows, rounds, expansion, jobs) for _ in range(repeats)]
        found.append(
            {"data": fits[0]["data"], "expansion": expansion, "threads": jobs, "rows": rows}
            | {"expanded_rows": rows * SHAPE["classes"], "rounds": fits[0]["rounds"]}
            | summary(np.array([fit["seconds"] for fit in fits]), "seconds")
            | {"mebibytes": max(fit["mebibytes"] for fit in fits)}
        )
    return pd.DataFrame(found)


def _in_a_process(*arguments) -> dict:
    code = f"from benchmarks.multiclass import one_fit; one_fit(*{arguments!r})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return json.loads(done.stdout)
