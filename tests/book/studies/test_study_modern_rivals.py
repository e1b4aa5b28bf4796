"""Today's rivals with their default settings, on a bundled set: against estimators fitted one by one."""

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import TunedThresholdClassifierCV

import csb
from csb.evaluation.scorers import get_cost_scorer
from csbook.studies import STUDIES
from csbook.studies.modern_rivals import RIVALS, rivals
from csbook.studies.n16 import examples

SETTINGS = dict(STUDIES["n16/today"].settings) | {"ratios": [4.0], "folds": 2}
UNIT = ("wdbc", 2)


def errors(decided, positive):
    return [int(np.sum(~decided & positive)), int(np.sum(decided & ~positive))]


def test_rivals_one_by_one(monkeypatch):
    kept = {"random forest": lambda seed: RandomForestClassifier(20, random_state=seed)}
    monkeypatch.setattr("csbook.studies.modern_rivals.RIVALS", kept)
    table = rivals(UNIT, SETTINGS)["rivals"].set_index(["method", "use", "ratio"])
    split, positive, seed = examples(UNIT, SETTINGS)
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
