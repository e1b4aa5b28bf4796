"""What boosting's rivals of today do, with their default settings, on classes as unequal as they are.

The sets and splits are those of study n16. The rivals are used as they come, with the threshold tuned for the
cost, and with calibrated probabilities that are thresholded at the Bayes threshold.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csb.costs import Costs
from csb.estimators import CalibratedAdaMEC
from csb.evaluation.decisions import decide_positive
from csb.evaluation.scorers import get_cost_scorer
from csbook.studies.grid import Split
from csbook.studies.n16 import examples, family, sizes, skews_to_costs
from csbook.studies.study import Settings, Tables
from csbook.studies.units import Unit

__all__ = ["MODERN_RIVALS", "RIVALS"]


def _lightgbm(seed: int) -> BaseEstimator:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=seed, n_jobs=1, verbose=-1)


def _logistic_regression(_seed: int) -> BaseEstimator:
    # solved to ten digits: where the default solver stops, a processor's rounding moves decisions
    return make_pipeline(StandardScaler(), LogisticRegression(solver="newton-cholesky", tol=1e-10))


RIVALS: dict[str, Callable[[int], BaseEstimator]] = {
    "logistic regression": _logistic_regression,
    "random forest": lambda seed: RandomForestClassifier(random_state=seed),
    "HistGradientBoosting": lambda seed: HistGradientBoostingClassifier(random_state=seed),
    "LightGBM": _lightgbm,
}
"""Learners of today with their default settings, but for the solver of the logistic regression."""


def rivals(unit: Unit, settings: Settings) -> Tables:
    """Calibrated AdaMEC and every rival in each use: errors at every ratio."""
    split, y_test, seed = examples(unit, settings)
    folds = StratifiedKFold(settings["folds"], shuffle=True, random_state=seed)
    costs = skews_to_costs(settings["ratios"])
    decided = {}
    for way, cv in (("a third held out", None), ("cross-fitted", settings["folds"])):
        p = _probability(CalibratedAdaMEC(cv=cv, random_state=seed), split)
        decided["AdaMEC", f"calibrated, {way}"] = decide_positive(p, *costs.as_columns())
    for name, make in RIVALS.items():
        p = _probability(make(seed), split)
        decided[name, "as it comes"] = np.broadcast_to(decide_positive(p, 1, 1), (len(costs.fn_cost), len(p)))
        decided[name, "threshold c"] = decide_positive(p, *costs.as_columns())
        decided[name, "tuned threshold"] = _tuned(make(seed), split, costs)
        p = _probability(CalibratedClassifierCV(make(seed), method="sigmoid", cv=folds), split)
        decided[name, "calibrated"] = decide_positive(p, *costs.as_columns())
    rows = [_errors(*key, costs, positive, y_test) for key, positive in decided.items()]
    return {"rivals": pd.concat(rows), "sizes": sizes(split, y_test)}


def _probability(model: BaseEstimator, split: Split) -> np.ndarray:
    return model.fit(split.X, split.y).predict_proba(split.new)[:, 1]


def _tuned(model: BaseEstimator, split: Split, costs: Costs) -> np.ndarray:
    """Decisions at the threshold that is cheapest on the held-out third, for every ratio."""
    fitted = FrozenEstimator(model.fit(split.X[~split.held_out], split.y[~split.held_out]))
    decided = []
    for fn_cost, fp_cost in zip(*costs, strict=True):
        scorer = get_cost_scorer("expected_cost", fn_cost=fn_cost, fp_cost=fp_cost)
        tuned = TunedThresholdClassifierCV(fitted, scoring=scorer, cv="prefit", refit=False)
        tuned.fit(split.X[split.held_out], split.y[split.held_out])
        decided.append(tuned.predict(split.new) == 1)
    return np.array(decided)


def _errors(name: str, use: str, costs: Costs, decided: np.ndarray, positive: np.ndarray) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "method": name,
            "use": use,
            "ratio": costs.fn_cost / costs.fp_cost,
            "fn": np.sum(~decided & positive, axis=1),
            "fp": np.sum(decided & ~positive, axis=1),
        }
    )


MODERN_RIVALS = family(
    "today",
    "Calibrated AdaMEC beside the learners of today, classes as unequal as they are",
    compute=rivals,
    balanced=False,
    splits=5,
    ratios=[2.0, 5.0, 25.0],
    folds=5,
    libraries=("lightgbm",),
)
