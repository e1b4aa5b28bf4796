"""The machinery of the study's benchmark; no test looks at a time."""

import numpy as np
import pandas as pd
import pytest

from benchmarks import study
from csbook.studies.grid import MethodConfig


@pytest.mark.parametrize(
    "second, models, rounds",
    [
        (MethodConfig("adamec"), 4, 7 + 3 + 4 + 5),
        (MethodConfig("adamec", calibration="sigmoid"), 5, 7 + 9 + 3 + 4 + 5),
    ],
    ids=["the same model", "another part of the data"],
)
def test_models_that_are_trained_once_count_once(monkeypatch, second, models, rounds):
    monkeypatch.setitem(study.METHODS, "AdaMEC", second)
    settings = {"methods": ["AdaBoost", "AdaMEC", "CGAda"]}
    found = {"AdaBoost": [7, 7, 7], "AdaMEC": [9 if models == 5 else 7] * 3, "CGAda": [3, 4, 5]}
    counts = pd.DataFrame([(name, n) for name, of in found.items() for n in of], columns=["method", "rounds"])
    assert study.trained(settings, counts) == (models, rounds)


def test_every_learner_is_measured_on_the_bundled_set():
    table = study.measure(["wdbc"], rounds=2, repeats=1)
    assert table["learner"].tolist() == ["stump", "univariate_logistic", "logistic"]
    assert table["rounds"].between(1, 2).all()
    known = table[table["learner"] != "univariate_logistic"]
    one = known["seconds"] / (known["models"] * known["rounds"])
    np.testing.assert_allclose(known["ratio"], known["scikit_learn"] / known["scikit_learn_rounds"] / one)
    assert np.isnan(table["ratio"][1])
