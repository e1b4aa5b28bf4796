"""The studies beyond the paper, on a bundled set: against estimators fitted one by one."""

import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV

import csb
from csb.evaluation.scorers import get_cost_scorer
from csbook.studies import STUDIES
from csbook.studies.beyond import RIVALS, calibrations, rivals
from csbook.studies.n16 import SCALED, compute, examples

CALIBRATION = dict(STUDIES["n16/calibration"].settings) | {"rounds": 8, "ratios": [4.0]}
TODAY = dict(STUDIES["n16/today"].settings) | {"ratios": [4.0], "folds": 2}
UNIT = ("wdbc", 2)


def errors(decided, positive):
    return [int(np.sum(~decided & positive)), int(np.sum(decided & ~positive))]


@pytest.mark.parametrize("kind", ["sigmoid", "beta", "isotonic", "venn_abers"])
def test_cross_fitting_is_that_of_the_estimator(kind):
    table = calibrations(UNIT, CALIBRATION)["calibrations"]
    split, positive, seed = examples(UNIT, CALIBRATION)
    parts = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(split.X, split.y))
    model = csb.CalibratedAdaMEC(n_estimators=8, calibration=kind, cv=parts).fit(split.X, split.y)
    p = model.predict_proba(split.new)[:, 1]
    of_way = table[table["method"] == f"{kind}, 3 folds"]
    np.testing.assert_allclose(of_way["brier"], np.mean((p - positive) ** 2), atol=1e-6)
    found = of_way[["fn", "fp"]].to_numpy().tolist()
    assert found == [errors(p > c, positive) for c in (1 / 5, 1 / 2, 4 / 5)]


def test_without_calibration_it_is_adamec():
    table = calibrations(UNIT, CALIBRATION)["calibrations"].query("method == 'none, none'")
    split, positive, _ = examples(UNIT, CALIBRATION)
    for row in table.to_dict("records"):
        model = csb.AdaMEC(fn_cost=row["ratio"], n_estimators=8).fit(split.X, split.y)
        assert [row["fn"], row["fp"]] == errors(model.predict(split.new) == 1, positive)


def test_every_way_of_calibration_is_tried():
    methods = calibrations(UNIT, CALIBRATION)["calibrations"]["method"].unique()
    ways = ["hold out 0.1", "hold out 0.2", "hold out 0.333333", "hold out 0.5", "3 folds", "10 folds"]
    kinds = ["sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers"]
    assert list(methods) == ["none, none"] + [f"{kind}, {way}" for way in ways for kind in kinds]


def test_rivals_one_by_one(monkeypatch):
    kept = {"random forest": lambda seed: RandomForestClassifier(20, random_state=seed)}
    monkeypatch.setattr("csbook.studies.beyond.RIVALS", kept)
    table = rivals(UNIT, TODAY)["rivals"].set_index(["method", "use", "ratio"])
    split, positive, seed = examples(UNIT, TODAY)
    assert np.mean(split.y) != 0.5  # the classes are as unequal as they are
    forest = RandomForestClassifier(20, random_state=seed).fit(split.X, split.y)
    p = forest.predict_proba(split.new)[:, 1]
    for ratio in (4.0, 1.0, 0.25):
        found = table.loc["random forest"].xs(ratio, level="ratio")
        assert found.loc["as it comes"].tolist() == errors(p > 0.5, positive)
        assert found.loc["threshold c"].tolist() == errors(p > 1 / (1 + ratio), positive)
    part = RandomForestClassifier(20, random_state=seed)
    part.fit(split.X[~split.held_out], split.y[~split.held_out])
    tuned = TunedThresholdClassifierCV(
        FrozenEstimator(part), scoring=get_cost_scorer("expected_cost", fn_cost=4.0), cv="prefit", refit=False
    ).fit(split.X[split.held_out], split.y[split.held_out])
    decided = tuned.predict(split.new) == 1
    assert table.loc["random forest", "tuned threshold", 4.0].tolist() == errors(decided, positive)
    boosted = csb.CalibratedAdaMEC(random_state=seed).fit(split.X, split.y).predict_proba(split.new)[:, 1]
    assert table.loc["AdaMEC", "calibrated, a third held out", 4.0].tolist() == errors(
        boosted > 0.2, positive
    )


def test_rivals_are_todays():
    assert list(RIVALS) == ["logistic regression", "random forest", "HistGradientBoosting", "LightGBM"]


def test_costs_of_another_scale_are_what_the_estimators_take():
    settings = dict(STUDIES["n16/cost_scale"].settings) | {"ratios": [5.0], "rounds": 6}
    table = compute(UNIT, settings)["counts"].set_index(["method", "ratio"])
    split, positive, _ = examples(UNIT, settings)
    for largest in (0.25, 1.0):
        model = csb.AdaC1(fn_cost=5.0, cost_scale=largest, n_estimators=6).fit(split.X, split.y)
        found = table.loc[f"AdaC1, largest cost {largest:g}", 5.0]
        assert [found["fn"], found["fp"]] == errors(model.predict(split.new) == 1, positive)
    assert set(settings["methods"]) == {"CGAda", *SCALED}
