"""Stages of calibrated ensembles: against fits of so many rounds, and against ensembles cut short by hand."""

from functools import partial

import numpy as np
import pytest

import csb
from csb.engine.elementary import logit
from csb.evaluation.calibration import CALIBRATORS, make_calibrator
from problems import interaction

CALIBRATED = [csb.CalibratedAdaMEC, csb.CalibratedCGAda, csb.CalibratedAsymAda]
WHOLE = [cls for cls in CALIBRATED if cls is not csb.CalibratedAsymAda]
T = 9


problem = partial(interaction, n=240)


def halves(y):
    """Two splits of one's own, so that a test knows the examples held out."""
    even, odd = np.arange(0, len(y), 2), np.arange(1, len(y), 2)
    return [(even, odd), (odd, even)]


@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("calibration", CALIBRATORS)
@pytest.mark.parametrize("cls", WHOLE)
def test_a_stage_is_the_method_with_so_many_rounds(cls, calibration, cv):
    X, y = problem(0)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    settings = {"fn_cost": 3.0, "calibration": calibration, "cv": cv, "random_state": 0}
    model = cls(**settings, n_estimators=T, store_stages=True).fit(X, y, weight)
    names = ("predict_proba", "decision_function", "predict")
    stages = zip(*(getattr(model, f"staged_{name}")(X) for name in names), strict=True)
    counted = 0
    for t, found in enumerate(stages, start=1):
        alone = cls(**settings, n_estimators=t).fit(X, y, weight)
        for name, stage in zip(names, found, strict=True):
            np.testing.assert_array_equal(stage, getattr(alone, name)(X))
        counted = t
    assert counted == T


@pytest.mark.parametrize("calibration", CALIBRATORS)
@pytest.mark.parametrize("cls", CALIBRATED)
def test_a_stage_is_the_ensembles_cut_short_and_calibrated(cls, calibration):
    """With the planned rounds, over which AsymAda spreads its costs."""
    X, y = problem(2)
    model = cls(4.0, n_estimators=T, calibration=calibration, cv=halves(y), store_stages=True).fit(X, y)
    for t, p in enumerate(model.staged_predict_proba(X), start=1):
        parts = []
        for (ensemble, _), (_, held_out) in zip(model.calibrated_models_, halves(y), strict=True):
            terms = [
                vote * hypothesis.predict(X)
                for vote, hypothesis in zip(ensemble.coefficients[:t], ensemble.hypotheses, strict=False)
            ]
            scores = np.sum(terms, axis=0)
            calibrator = make_calibrator(calibration).fit(scores[held_out], y[held_out])
            parts.append(calibrator.predict(scores))
        np.testing.assert_allclose(p[:, 1], np.mean(parts, axis=0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(p.sum(axis=1), 1, rtol=1e-15)


def test_a_stage_of_asymada_is_not_asymada_with_so_many_rounds():
    X, y = problem(2)
    settings = {"fn_cost": 4.0, "cv": halves(y)}
    model = csb.CalibratedAsymAda(**settings, n_estimators=T, store_stages=True).fit(X, y)
    first = next(model.staged_predict_proba(X))
    alone = csb.CalibratedAsymAda(**settings, n_estimators=1).fit(X, y)
    assert np.abs(first - alone.predict_proba(X)).max() > 0.01


@pytest.mark.parametrize("learner", ["stump", "tree", "univariate_logistic", "logistic", "perceptron"])
@pytest.mark.parametrize("cls", CALIBRATED)
def test_the_last_stage_is_the_estimator_and_stages_change_nothing(cls, learner):
    X, y = problem(3, n=150)
    settings = {"fn_cost": 3.0, "n_estimators": 5, "estimator": learner, "cv": 3, "random_state": 0}
    model = cls(**settings, store_stages=True).fit(X, y)
    plain = cls(**settings).fit(X, y)
    for name in ("predict_proba", "decision_function", "predict"):
        *_, last = getattr(model, f"staged_{name}")(X)
        np.testing.assert_array_equal(last, getattr(model, name)(X))
        np.testing.assert_array_equal(last, getattr(plain, name)(X))


@pytest.mark.parametrize("stages", [False, True])
@pytest.mark.parametrize("cls", CALIBRATED)
def test_calibrators_know_what_the_ensembles_say(cls, stages):
    """Of examples held out, too, some of which lie between those on both sides of a threshold."""
    X = np.array([0.0, 10.0, 20.0, 30.0, 1.0, 4.0, 6.0, 9.0])[:, np.newaxis]
    y = np.array([0, 1, 1, 1, 0, 0, 1, 1])
    fitting, held_out = np.arange(4), np.arange(4, 8)
    model = cls(n_estimators=1, cv=[(fitting, held_out)], store_stages=stages)
    ((ensemble, calibrator),) = model.fit(X, y).calibrated_models_
    assert ensemble.hypotheses[0].threshold == 5
    scores = ensemble.decision_function(X[held_out])
    platt = make_calibrator("sigmoid").fit(scores, y[held_out], np.ones(4))
    assert calibrator.a_ == pytest.approx(platt.a_) and calibrator.b_ == pytest.approx(platt.b_)


def test_an_ensemble_that_ended_early_keeps_its_last_stage():
    """The first is trained on examples that one stump separates, the second on noisy ones."""
    X, y = problem(4)
    X[::2, 0] = np.where(y[::2] == 1, 5.0, -5.0) + X[::2, 1]
    y[1::2] = np.where(np.arange(len(y) // 2) % 5 == 0, 1 - y[1::2], y[1::2])
    model = csb.CalibratedAdaMEC(n_estimators=T, cv=halves(y), store_stages=True).fit(X, y)
    (short, calibrator), (long, _) = model.calibrated_models_
    assert len(short.hypotheses) == 1 and len(long.hypotheses) == T
    kept = calibrator.predict(short.decision_function(X))
    stages = zip(model.staged_calibrators_[1], long.staged_scores(X), strict=True)
    found = [p[:, 1] for p in model.staged_predict_proba(X)]
    expected = [(kept + each.predict(scores)) / 2 for each, scores in stages]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_ensembles_without_a_hypothesis_have_one_stage():
    X, y = np.zeros((40, 2)), np.arange(40) % 2
    model = csb.CalibratedCGAda(3.0, store_stages=True, random_state=0).fit(X, y)
    (p,) = model.staged_predict_proba(X)
    np.testing.assert_array_equal(p, model.predict_proba(X))


def test_costs_of_adamec_may_change_between_the_stages_and_the_decision():
    X, y = problem(5)
    model = csb.CalibratedAdaMEC(2.0, n_estimators=T, random_state=0, store_stages=True).fit(X, y)
    model.set_params(fn_cost=9.0)
    for labels, p in zip(model.staged_predict(X), model.staged_predict_proba(X), strict=True):
        sure = np.abs(logit(p[:, 1]) - logit(0.1)) > 1e-9
        np.testing.assert_array_equal(labels[sure], p[sure, 1] > 0.1)


@pytest.mark.parametrize("name", ["predict_proba", "decision_function", "predict"])
def test_without_stages_it_says_how_to_have_them(name):
    X, y = problem(6)
    model = csb.CalibratedAdaMEC(n_estimators=3, random_state=0).fit(X, y)
    assert model.staged_calibrators_ == [] and not hasattr(model, f"staged_{name}")
    with pytest.raises(AttributeError) as raised:
        getattr(model, f"staged_{name}")
    assert "store_stages=True" in str(raised.value.__cause__)
    with pytest.raises(ValueError, match="store_stages=True, which acts in training"):
        next(getattr(model.set_params(store_stages=True), f"staged_{name}")(X))
    with pytest.raises(ValueError, match="store_stages='yes'"):
        csb.CalibratedAdaMEC(store_stages="yes").fit(X, y)
