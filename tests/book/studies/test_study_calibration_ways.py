"""Ways of calibration, on a bundled set: against estimators fitted one by one."""

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

import csb
from csbook.studies import STUDIES
from csbook.studies.calibration_ways import calibrations
from csbook.studies.n16 import examples

SETTINGS = dict(STUDIES["n16/calibration"].settings) | {"rounds": 8, "ratios": [4.0]}
UNIT = ("wdbc", 2)


def errors(decided, positive):
    return [int(np.sum(~decided & positive)), int(np.sum(decided & ~positive))]


@pytest.mark.parametrize("kind", ["sigmoid", "beta", "isotonic", "venn_abers"])
def test_cross_fitting_is_that_of_the_estimator(kind):
    table = calibrations(UNIT, SETTINGS)["calibrations"]
    split, positive, seed = examples(UNIT, SETTINGS)
    parts = list(StratifiedKFold(3, shuffle=True, random_state=seed).split(split.X, split.y))
    model = csb.CalibratedAdaMEC(n_estimators=8, calibration=kind, cv=parts).fit(split.X, split.y)
    p = model.predict_proba(split.new)[:, 1]
    of_way = table[table["method"] == f"{kind}, 3 folds"]
    np.testing.assert_allclose(of_way["brier"], np.mean((p - positive) ** 2), atol=1e-6)
    found = of_way[["fn", "fp"]].to_numpy().tolist()
    assert found == [errors(p > c, positive) for c in (1 / 5, 1 / 2, 4 / 5)]


def test_every_way_of_calibration_is_tried():
    methods = calibrations(UNIT, SETTINGS)["calibrations"]["method"].unique()
    ways = ["hold out 0.1", "hold out 0.2", "hold out 0.333333", "hold out 0.5", "3 folds", "10 folds"]
    kinds = ["sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers"]
    assert list(methods) == ["none, none"] + [f"{kind}, {way}" for way in ways for kind in kinds]
