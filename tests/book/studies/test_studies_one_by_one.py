"""Errors that studies count on splits of a bundled set are those of estimators fitted one by one."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import csb
from csb.evaluation.scorers import get_cost_scorer
from csbook.studies import STUDIES, TUNED_RIVALS, calibration_ways, learning, modern_rivals, n16, tuned_rivals

UNIT = ("wdbc", 1)


def settings_of(study, **changes):
    return dict(study.settings) | {"ratios": [4.0]} | changes


def fit(model, split):
    return model.fit(split.X, split.y)


def labels(model, split):
    return fit(model, split).predict(split.new) == 1


def probability(model, split):
    return fit(model, split).predict_proba(split.new)[:, 1]


def folds(split, number, seed):
    return list(StratifiedKFold(number, shuffle=True, random_state=seed).split(split.X, split.y))


def costs_of(ratio):
    return {"fn_cost": max(ratio, 1.0), "fp_cost": max(1 / ratio, 1.0)}


def tuned(model, cv, **costs):
    return TunedThresholdClassifierCV(model, scoring=get_cost_scorer("expected_cost", **costs), **cv)


# Each function gives the study's table by its keys, what estimators decide by the same keys, and the truth.


def learning_curves(size):
    settings = settings_of(STUDIES["learning/stump"], rounds=8, sizes=[60, 120, 640])
    whole, positive, seed = n16.examples(UNIT, settings)
    split, decided = learning.cut(whole, size, seed), {}
    for ratio in (4.0, 1.0, 0.25):
        given = costs_of(ratio) | {"n_estimators": 8}
        for name, model in {
            "AdaMEC": csb.AdaMEC(**given),
            "AdaMEC, vote rule": csb.AdaMEC(rule="vote", **given),
            "CSB2": csb.CSB2(**given),
            "AdaC1": csb.AdaC1(**given),
            "AdaMEC, three folds": csb.CalibratedAdaMEC(cv=folds(split, 3, seed), **given),
            "AdaMEC, ten folds": csb.CalibratedAdaMEC(cv=folds(split, 10, seed), **given),
        }.items():
            decided[size, name, ratio] = labels(model, split)
    table = learning.compute(UNIT, settings)["counts"]
    return table.set_index(["train", "method", "ratio"]), decided, positive


def costs_of_another_scale():
    settings = settings_of(STUDIES["n16/cost_scale"], rounds=6)
    split, positive, _ = n16.examples(UNIT, settings)
    decided = {
        (f"AdaC1, largest cost {largest:g}", 4.0): labels(
            csb.AdaC1(fn_cost=4.0, cost_scale=largest, n_estimators=6), split
        )
        for largest in (0.25, 1.0)
    }
    return n16.compute(UNIT, settings)["counts"].set_index(["method", "ratio"]), decided, positive


def without_calibration():
    settings = settings_of(STUDIES["n16/calibration"], rounds=8)
    split, positive, _ = n16.examples(UNIT, settings)
    decided = {
        ("none, none", ratio): labels(csb.AdaMEC(fn_cost=ratio, n_estimators=8), split)
        for ratio in (4.0, 1.0, 0.25)
    }
    table = calibration_ways.calibrations(UNIT, settings)["calibrations"]
    return table.set_index(["method", "ratio"]), decided, positive


def forest_by_default(monkeypatch):
    def forest(seed):
        return RandomForestClassifier(20, random_state=seed)

    monkeypatch.setattr(modern_rivals, "RIVALS", {"random forest": forest})
    settings = settings_of(STUDIES["n16/today"], folds=2)
    split, positive, seed = n16.examples(UNIT, settings)
    assert np.mean(split.y) != 0.5  # the classes are as unequal as they are
    p = probability(forest(seed), split)
    part = forest(seed).fit(split.X[~split.held_out], split.y[~split.held_out])
    threshold = tuned(FrozenEstimator(part), {"cv": "prefit", "refit": False}, fn_cost=4.0)
    threshold.fit(split.X[split.held_out], split.y[split.held_out])
    boosted = probability(csb.CalibratedAdaMEC(random_state=seed), split)
    decided = {
        ("random forest", "tuned threshold", 4.0): threshold.predict(split.new) == 1,
        ("AdaMEC", "calibrated, a third held out", 4.0): boosted > 1 / 5,
    }
    for ratio in (4.0, 1.0, 0.25):
        decided["random forest", "as it comes", ratio] = p > 0.5
        decided["random forest", "threshold c", ratio] = p > 1 / (1 + ratio)
    table = modern_rivals.rivals(UNIT, settings)["rivals"]
    return table.set_index(["method", "use", "ratio"]), decided, positive


def tuned_table(learner, configurations=2):
    settings = settings_of(TUNED_RIVALS, learners=[learner], configurations=configurations)
    table = tuned_rivals.compute(UNIT, settings)["rivals"]
    return table.set_index(["learner", "settings", "use", "ratio"]), n16.examples(UNIT, settings)


def uses_of_boosting():
    table, (split, positive, seed) = tuned_table("AdaBoost")
    plain, decided = labels(csb.AdaBoost(), split), {}
    for ratio in (4.0, 0.25):
        costs = costs_of(ratio)
        for use, found in {
            "as it comes": plain,
            "threshold c": labels(csb.AdaMEC(**costs), split),
            "trained with the costs": labels(csb.CGAda(**costs), split),
            "tuned threshold": labels(
                tuned(csb.AdaBoost(), {"cv": folds(split, 3, seed)}, **costs), split
            ),
        }.items():  # fmt: skip
            decided["AdaBoost", "default", use, ratio] = found
    return table, decided, positive


def calibrated_regression():
    table, (split, positive, seed) = tuned_table("logistic regression")
    most = np.log(len(split.y) + 1)  # so many examples make no probability surer

    class Unsure(LogisticRegression):
        def decision_function(self, X):
            return np.clip(super().decision_function(X), -most, most)

    model, decided = make_pipeline(StandardScaler(), Unsure(tol=1e-10, max_iter=10**4)), {}
    for use, ensemble in (("calibrated", False), ("calibrated, averaged", True)):
        p = probability(CalibratedClassifierCV(model, cv=folds(split, 3, seed), ensemble=ensemble), split)
        for ratio in (4.0, 0.25):
            decided["logistic regression", "default", use, ratio] = p > 1 / (1 + ratio)
    return table, decided, positive


def weights_of_costs():
    table, (split, positive, seed) = tuned_table("random forest", configurations=1)
    weight = np.where(split.y == 1, 4.0, 1.0)
    forest = RandomForestClassifier(random_state=seed).fit(split.X, split.y, weight / weight.mean())
    found = forest.predict(split.new) == 1
    uses = [("random forest", setting, "trained with the costs", 4.0) for setting in ("default", "tuned")]
    return table, dict.fromkeys(uses, found), positive


CASES = {
    "learning curves, 60": lambda patch: learning_curves(60),
    "learning curves, 120": lambda patch: learning_curves(120),
    "costs of another scale": lambda patch: costs_of_another_scale(),
    "no calibration": lambda patch: without_calibration(),
    "rivals by default": forest_by_default,
    "tuned rivals: boosting": lambda patch: uses_of_boosting(),
    "tuned rivals: calibration": lambda patch: calibrated_regression(),
    "tuned rivals: weights": lambda patch: weights_of_costs(),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_errors_are_those_of_estimators_fitted_one_by_one(case, monkeypatch):
    table, decided, positive = case(monkeypatch)
    found = {key: table.loc[key, ["fn", "fp"]].tolist() for key in decided}
    assert decided and found == {
        key: [np.sum(~says & positive), np.sum(says & ~positive)] for key, says in decided.items()
    }
