"""Beyond the paper: which calibration, and what boosting's rivals of today do on the same splits.

The sets, splits and costs are those of study n16. The first study varies how AdaMEC is calibrated, which
Nikolaou et al. (2016) name as future work. The second takes classes as unequal as they are, and today's
learners: as they come, with the threshold tuned for the cost, and with calibrated probabilities that are
thresholded at the Bayes threshold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

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

from csb.costs import Costs, check_costs
from csb.engine.elementary import expit
from csb.engine.learners import bind_learner
from csb.engine.votes import TrainingSet, boost
from csb.estimators import CalibratedAdaMEC
from csb.evaluation.calibration import Calibration, make_calibrator
from csb.evaluation.decisions import decide_positive
from csb.evaluation.metrics import brier_decomposition
from csb.evaluation.scorers import get_cost_scorer
from csb.methods import VARIANTS
from csbook.studies.grid import Split
from csbook.studies.n16 import examples, family, sizes, skews_to_costs
from csbook.studies.study import Settings, Tables
from csbook.studies.units import Unit

__all__ = ["BEYOND", "RIVALS", "in_every_way"]


def calibrations(unit: Unit, settings: Settings) -> Tables:
    """AdaMEC calibrated in every way: errors at every ratio, Brier scores."""
    split, y_test, seed = examples(unit, settings)
    return {"calibrations": in_every_way(split, y_test, seed, settings), "sizes": sizes(split, y_test)}


def in_every_way(split: Split, y_test: np.ndarray, seed: int, settings: Settings) -> pd.DataFrame:
    """The same for the examples of a split, from models trained in one batch."""
    y, rng = split.y, np.random.default_rng(seed)
    ways: dict[str, list[np.ndarray]] = {"none": [np.zeros(len(y), bool)]}
    ways |= {f"hold out {share:g}": [_drawn(y, share, rng)] for share in settings["shares"]}
    for folds in settings["folds"]:
        cut = StratifiedKFold(folds, shuffle=True, random_state=seed).split(split.X, y)
        ways[f"{folds} folds"] = [np.isin(np.arange(len(y)), part) for _, part in cut]
    held_out = np.array([part for parts in ways.values() for part in parts])
    weights = ~held_out / (~held_out).sum(axis=1, keepdims=True)
    batch = VARIANTS["adaboost"].batch(check_costs(np.ones(len(weights))))
    learner = bind_learner(settings["learner"], split.X, y)
    trained = boost(learner, TrainingSet(y, weights), [batch], settings["rounds"])
    before, scores = trained.decision_function(split.X), trained.decision_function(split.new)
    rows, first = [], 0
    for way, parts in ways.items():
        models = range(first, first + len(parts))
        first += len(parts)
        kinds: list[Calibration | Literal["none"]] = settings["calibrations"] if way != "none" else ["none"]
        for kind in kinds:
            if kind == "none":
                p = expit(2 * scores[models[0]])
            else:
                fitted = [
                    make_calibrator(kind).fit(before[b, held_out[b]], y[held_out[b]]).predict(scores[b])
                    for b in models
                ]
                p = np.mean(fitted, axis=0)
            rows.append(_judge(f"{kind}, {way}", p, y_test, settings))
    return pd.concat(rows)


def _drawn(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of each class, at least one example and not all."""
    drawn = np.zeros(len(y), bool)
    for label in (0, 1):
        members = rng.permutation(np.flatnonzero(y == label))
        drawn[members[: min(max(round(share * len(members)), 1), len(members) - 1)]] = True
    return drawn


def _judge(method: str, p: np.ndarray, positive: np.ndarray, settings: Settings) -> pd.DataFrame:
    """Brier score, its parts, and errors at every ratio, of one vector of probabilities."""
    costs, parts = skews_to_costs(settings["ratios"]), brier_decomposition(positive, p)
    above = decide_positive(p, *costs.columns)
    return pd.DataFrame(
        {
            "method": method,
            "ratio": costs.fn_cost / costs.fp_cost,
            "fn": np.sum(~above & positive, axis=1),
            "fp": np.sum(above & ~positive, axis=1),
            "brier": round(parts.score, 6),
            "calibration": round(parts.miscalibration, 6),
            "refinement": round(parts.refinement, 6),
        }
    )


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
        decided["AdaMEC", f"calibrated, {way}"] = decide_positive(p, *costs.columns)
    for name, make in RIVALS.items():
        p = _probability(make(seed), split)
        decided[name, "as it comes"] = np.broadcast_to(decide_positive(p, 1, 1), (len(costs.fn_cost), len(p)))
        decided[name, "threshold c"] = decide_positive(p, *costs.columns)
        decided[name, "tuned threshold"] = _tuned(make(seed), split, costs)
        p = _probability(CalibratedClassifierCV(make(seed), method="sigmoid", cv=folds), split)
        decided[name, "calibrated"] = decide_positive(p, *costs.columns)
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


BEYOND = [
    family(
        "calibration",
        "How to calibrate AdaMEC: method, share held out, or cross-fitting",
        compute=calibrations,
        calibrations=["sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers"],
        shares=[0.1, 0.2, 1 / 3, 0.5],
        folds=[3, 10],
    ),
    family(
        "today",
        "Calibrated AdaMEC beside the learners of today, classes as unequal as they are",
        compute=rivals,
        balanced=False,
        splits=5,
        ratios=[2.0, 5.0, 25.0],
        folds=5,
        libraries=("lightgbm",),
    ),
]
