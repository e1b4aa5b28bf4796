"""Logarithms of probabilities: wherever there are probabilities, and as scikit-learn has them."""

import math
import warnings

import numpy as np
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import csb
from csb.engine.blocks import Blocks

CLASSES = [cls for name in csb.__all__ if hasattr(cls := getattr(csb, name), "fit")]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)


def small(cls):
    if cls is csb.BoostingCV:
        return cls(csb.CGAda(n_estimators=3), cv=2, random_state=0)
    few = {"n_estimators": 3, "random_state": 0}
    return cls(**{name: value for name, value in few.items() if name in cls().get_params()})


@pytest.mark.parametrize("cls", CLASSES)
def test_there_are_logarithms_where_there_are_probabilities(cls):
    model = small(cls)
    assert hasattr(model, "predict_log_proba") == hasattr(model, "predict_proba")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model.fit(X, Y)
    assert hasattr(model, "predict_log_proba") == hasattr(model, "predict_proba")
    if hasattr(model, "predict_proba"):
        expected = [[math.log(p) for p in row] for row in model.predict_proba(X)]
        np.testing.assert_allclose(model.predict_log_proba(X), expected, rtol=1e-14)


def test_the_logarithm_of_zero_is_minus_infinity_without_a_warning():
    model = csb.CostDecision(LogisticRegression(), calibration="isotonic", random_state=0).fit(X, Y)
    p = model.predict_proba(X)
    assert np.any(p == 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model.predict_log_proba(X)
    np.testing.assert_array_equal(found == -np.inf, p == 0)
    np.testing.assert_allclose(np.exp(found), p, rtol=1e-14)


def test_as_scikit_learn_has_it():
    theirs = LogisticRegression().fit(X, Y)
    ours = csb.CostDecision(LogisticRegression(), calibration=None).fit(X, Y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-12)
    steps = make_pipeline(StandardScaler(), csb.CGAda(n_estimators=3)).fit(X, Y)
    np.testing.assert_allclose(np.exp(steps.predict_log_proba(X)), steps.predict_proba(X), rtol=1e-14)


def test_why_there_are_none_is_said():
    with pytest.raises(AttributeError, match="predict_log_proba") as caught:
        small(csb.CSB2).fit(X, Y).predict_log_proba(X)
    assert "defines no probability" in str(caught.value.__cause__.__cause__)


def test_in_blocks_too():
    model = csb.CGAda(n_estimators=3).fit(X, Y)
    np.testing.assert_array_equal(
        model.predict_log_proba(Blocks(lambda: np.split(X, 2))), model.predict_log_proba(X)
    )
    da = pytest.importorskip("dask.array")
    ready = csb.CostDecision(FrozenEstimator(LogisticRegression().fit(X, Y)), calibration="isotonic").fit(
        X, Y
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        found = ready.predict_log_proba(da.from_array(X, chunks=(20, 2)))
        assert isinstance(found, da.Array) and found.shape == (60, 2)
        np.testing.assert_allclose(found.compute(), ready.predict_log_proba(X), rtol=1e-12)
