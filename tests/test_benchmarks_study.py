"""The machinery of the study's benchmark; no test looks at a time."""

import numpy as np

from benchmarks import study
from csb.studies import STUDIES
from csb.studies.grid import Method


def test_models_are_counted_once(monkeypatch):
    settings = {"methods": ["AdaBoost", "AdaMEC", "CGAda", "CGAda, calibrated"], "ratios": [2.0, 5.0]}
    assert study.n_models(settings) == 1 + 5 + 5
    monkeypatch.setitem(study.METHODS, "AdaMEC", Method("adamec", calibration="sigmoid"))
    assert study.n_models(settings) == 1 + 1 + 5 + 5
    assert study.n_models(STUDIES["n16/stump-clean"].settings) > 300


def test_every_learner_is_measured_on_the_bundled_set():
    table = study.measure(["wdbc"], rounds=2, repeats=1)
    assert table["learner"].tolist() == ["stump", "univariate_logistic", "logistic"]
    np.testing.assert_allclose(table["seconds_per_model"], table["seconds"] / table["models"])
    known = table[table["learner"] != "univariate_logistic"]
    np.testing.assert_allclose(known["ratio"], known["scikit_learn"] / known["seconds_per_model"])
    assert np.isnan(table["ratio"][1])
