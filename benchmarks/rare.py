"""Rare classes: recall and cost of exact stumps and of LightGBM's, on bins. And batches at any size."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.metrics import recall_score

from benchmarks.timing import SEED, seconds
from csb import CGAda
from csb.costs import check_costs
from csb.engine.learners.stump import BoundStump
from csb.engine.votes import TrainingSet, boost
from csb.evaluation.metrics import expected_cost
from csb.methods import VARIANTS

__all__ = ["batch_equals_single", "measure", "rare_problem"]

ROUNDS = 50
FEATURES = 10


def rare_problem(n: int, share: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Gaussian features; the positives have the largest values of a noisy sum of two of them.

    Parameters
    ----------
    n : int
        Rows.
    share : float
        Of the positives.
    seed : int
        Seed of the draw.

    Returns
    -------
    X : ndarray of shape (n, 10)
        All values of a column distinct.
    y : ndarray of shape (n,)
        0 or 1.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, FEATURES))
    score = X[:, 0] + 0.5 * X[:, 1] + 0.3 * rng.standard_normal(n)
    y = np.zeros(n, np.int8)
    y[np.argsort(score)[-round(n * share) :]] = 1
    return X, y


def measure(n: int, shares: list[float]) -> pd.DataFrame:
    """Recall and cost on as many new rows, an error on either class costing as much as the other in all.

    Parameters
    ----------
    n : int
        Rows to train on.
    shares : list of float
        Shares of the positives.

    Returns
    -------
    DataFrame
        One row per share and library; ``cost`` is in units of the best constant decision's.
    """
    found = []
    for share in shares:
        X, y = rare_problem(n, share, SEED)
        X_new, y_new = rare_problem(n, share, SEED + 1)
        fn_cost = (1 - share) / share
        weights = np.where(y == 1, fn_cost, 1.0)
        models = {
            "csb": CGAda(fn_cost, n_estimators=ROUNDS),
            "LightGBM": LGBMClassifier(n_estimators=ROUNDS, num_leaves=2, n_jobs=1, verbose=-1),
        }
        for library, model in models.items():
            weighted = {"sample_weight": weights} if library == "LightGBM" else {}
            taken = seconds(partial(model.fit, X, y, **weighted))
            predicted = model.predict(X_new)
            cost = expected_cost(y_new, predicted, fn_cost=fn_cost) / (1 - share)
            found.append(
                {"rows": n, "share": share, "positives": y.sum(), "library": library}
                | {"recall": recall_score(y_new, predicted), "cost": cost, "seconds": taken}
            )
    return pd.DataFrame(found)


def batch_equals_single(rows: list[int], models: int = 3, rounds: int = 5) -> pd.DataFrame:
    """Whether the models of a batch on equal weights are what they are alone, to the bit.

    Parameters
    ----------
    rows : list of int
        Sizes of the data sets: one feature of ten values and three binary ones whose errors nearly tie.
    models, rounds : int
        Size and length of the batch.

    Returns
    -------
    DataFrame
        One row per size; ``differing`` counts models that differ.
    """
    found = []
    for n in rows:
        rng = np.random.default_rng(SEED)
        y = (np.arange(n) % 2).astype(np.int8)
        X = np.empty((n, 4))
        for f, errors in enumerate((0.1, 0.1001, 0.10005, 0.1002)):
            X[:, f] = np.where(rng.random(n) < errors, 1 - y, y)
        X[:, 0] = 10 * X[:, 0] + rng.integers(0, 10, n)
        learner = BoundStump(X, y)
        batch = VARIANTS["cgada"].batch(check_costs(np.geomspace(1, 4, models)))
        weights = np.full((models, n), 1 / n)
        together = boost(learner, TrainingSet(y, weights), [batch], rounds)
        differing = 0
        for b in range(models):
            one = TrainingSet(y, weights[:1])
            alone = boost(learner, one, [batch.take(slice(b, b + 1))], rounds)
            same = alone.trace(0)[2] == together.trace(b)[2]
            differing += not (same and np.array_equal(alone.trace(0)[0], together.trace(b)[0]))
        found.append({"rows": n, "models": models, "rounds": rounds, "differing": differing})
    return pd.DataFrame(found)
