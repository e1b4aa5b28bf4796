"""Decisions of least expected cost beside scikit-learn's calibration, and the comparison of candidates."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks.timing import SEED, paired, problem, summary
from csb import CostDecision, recommend

__all__ = ["measure"]

FEATURES = 20
FN_COST, FP_COST = 5.0, 1.0
FOLDS = 5
LEARNERS = {
    "logistic regression": make_pipeline(StandardScaler(), LogisticRegression()),
    "gradient boosting": HistGradientBoostingClassifier(random_state=SEED),
}


def decide(model: BaseEstimator, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Train and decide on the same rows."""
    return model.fit(X, y).predict(X)


@threadpool_limits.wrap(limits=1)
def measure(rows: list[int], repeats: int) -> pd.DataFrame:
    """Seconds of training and deciding on one thread, and the ratio of scikit-learn's calibration.

    Ratios compare times of the same repeat.

    Parameters
    ----------
    rows : list of int
        Sizes of the data sets, of twenty features each.
    repeats : int
        Paired runs.

    Returns
    -------
    DataFrame
        One row per size and task: ``seconds``, and ``ratio`` where scikit-learn has the task as well.
    """
    found = []
    for n in rows:
        X, y = problem(n, FEATURES)
        for learner, model in LEARNERS.items():
            ours = CostDecision(model, fn_cost=FN_COST, fp_cost=FP_COST, cv=FOLDS)
            models = {"csb": ours, "scikit-learn": CalibratedClassifierCV(model, cv=FOLDS)}
            times = paired({name: partial(decide, each, X, y) for name, each in models.items()}, repeats)
            found.append(
                {"rows": n, "task": f"CostDecision, {learner}"}
                | summary(times["csb"], "seconds")
                | summary(times["scikit-learn"] / times["csb"], "ratio")
            )
        whole = partial(recommend, X, y, fn_cost=FN_COST, fp_cost=FP_COST, random_state=SEED)
        alone = paired({"csb": whole}, repeats)
        found.append({"rows": n, "task": "recommend"} | summary(alone["csb"], "seconds"))
    return pd.DataFrame(found)
