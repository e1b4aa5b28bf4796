"""Whole fits with trees: csb's beside scikit-learn's, which serve in the same loops, and LightGBM."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

from benchmarks.multiclass import letter_sized
from benchmarks.timing import SEED, paired, problem, summary
from csb import CGAda, LpCSB
from csb.costs import class_frequency_costs
from csb.engine.learners import Tree

__all__ = ["measure"]

DEPTHS = {"CGAda": (4, 6), "LpCSB": (5,)}
TREES = {"csb": Tree, "scikit-learn": DecisionTreeClassifier}
SKLEARN_ROWS = 100_000
"""Beyond these scikit-learn's trees take minutes."""


def _tasks(method: str, X: np.ndarray, y: np.ndarray, rounds: int, depth: int) -> dict:
    """One fit with the trees of each library, by name, as functions without arguments.

    The costs are 5 to 1, or follow the frequency of the classes. LightGBM boosts as many trees of the same
    depth, of two classes and without costs.
    """
    if method == "CGAda":
        model = CGAda(5.0, n_estimators=rounds, random_state=SEED)
    else:
        model = LpCSB(class_frequency_costs(y, SEED), 2, rounds, random_state=SEED)
    found = {
        library: partial(clone(model).set_params(estimator=tree(max_depth=depth)).fit, X, y)
        for library, tree in TREES.items()
        if library == "csb" or len(X) <= SKLEARN_ROWS
    }
    if method == "CGAda":
        leaves = {"num_leaves": 2**depth, "max_depth": depth}
        found["LightGBM"] = partial(
            LGBMClassifier(n_estimators=rounds, n_jobs=1, verbose=-1, **leaves).fit, X, y
        )
    return found


def measure(rows: list[int], letter_rows: int, rounds: int, repeats: int) -> pd.DataFrame:
    """Seconds of a fit with trees of csb, of scikit-learn and of LightGBM, on one thread, binning included.

    Parameters
    ----------
    rows : list of int
        Sizes of the problems of two classes, of twenty features each.
    letter_rows : int
        Size of the problem of 26 classes.
    rounds : int
        Largest number of rounds; a round of LpCSB grows a tree for each class.
    repeats : int
        Paired runs.

    Returns
    -------
    DataFrame
        One row per problem and depth: ``seconds`` of csb, ``ratio`` of scikit-learn's to them and
        ``lightgbm`` of LightGBM's; what was not run is missing.
    """
    letter, *letters = letter_sized(letter_rows)
    cases = [("CGAda", "Gaussian", *problem(n, 20)) for n in rows] + [("LpCSB", letter, *letters)]
    found = []
    for method, name, X, y in cases:
        for depth in DEPTHS[method]:
            times = paired(_tasks(method, X, y, rounds, depth), repeats)
            row = {"method": method, "data": name, "rows": len(X), "max_depth": depth, "rounds": rounds}
            row |= summary(times["csb"], "seconds")
            for library, ratio in (("scikit-learn", "ratio"), ("LightGBM", "lightgbm")):
                if library in times:
                    row |= summary(times[library] / times["csb"], ratio)
            found.append(row)
    return pd.DataFrame(found)
