"""Rounds and learning rate chosen by cross-validation, against loops of fits by fold and by rate."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import csb
from csb.engine.votes import boost
from csb.evaluation.decisions import mean_cost
from csb.inputs import ConstantModelWarning
from problems import interaction

RATES = (1.0, 0.3, 0.05)


problem = partial(interaction, n=240)


FOLDS = StratifiedKFold(3, shuffle=True, random_state=1)


BASES = {
    "AdaMEC": csb.AdaMEC(3.0),
    "CGAda": csb.CGAda(3.0),
    "CSAda": csb.CSAda(3.0),
    "AsymAda": csb.AsymAda(3.0),
    "AdaC2": csb.AdaC2(3.0),
    "GDAdaC1": csb.GDAdaC1(3.0),
    "CSB2": csb.CSB2(3.0),
    "votes below zero": csb.AsyB(3.0, form="paper", nonpositive_alpha="signed"),
    "LogitBoost": csb.LogitBoost(),
    "AsyBL": csb.AsyBL(3.0),
    "AsymmetricLogitBoost": csb.AsymmetricLogitBoost(3.0),
    "lines for Newton steps": csb.AsyBL(3.0, estimator=LinearRegression()),
}


@pytest.mark.parametrize("name", BASES)
@pytest.mark.parametrize("scoring", ["log_loss", "cost"])
def test_scores_are_those_of_separate_fits(name, scoring):
    if name == "CSB2" and scoring == "log_loss":
        with pytest.raises(ValueError, match="scoring='log_loss': CSB2 has no.*allowed is scoring='cost'"):
            csb.BoostingCV(csb.CSB2(3.0)).fit(*problem(0))
        return
    X, y = problem(0)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    base = clone(BASES[name]).set_params(n_estimators=12)
    search = csb.BoostingCV(base, learning_rates=RATES, cv=FOLDS, scoring=scoring).fit(X, y, weight)
    assert search.cv_scores_.shape == (3, 12, 3)
    for r, rate in enumerate(RATES):
        for k, (train, test) in enumerate(FOLDS.split(X, y)):
            alone = clone(base).set_params(learning_rate=rate).fit(X[train], y[train], weight[train])
            if scoring == "cost":
                costs = np.array([[0.0, 1.0], [base.get_params().get("fn_cost", 1.0), 0.0]])
                expected = [
                    mean_cost(y[test], labels, costs, labels=[0, 1], sample_weight=weight[test])
                    for labels in alone.staged_predict(X[test])
                ]
            else:
                expected = [
                    log_loss(y[test], p, sample_weight=weight[test])
                    for p in alone.staged_predict_proba(X[test])
                ]
            expected += expected[-1:] * (12 - len(expected))  # what has ended keeps its last one
            np.testing.assert_allclose(search.cv_scores_[r, :, k], -np.array(expected), rtol=1e-6)


def test_newton_steps_with_nothing_to_fit_score_what_they_are():
    """Feature and class have nothing to do with each other, in all data and in every fold."""
    X = np.tile([0.0, 0.0, 1.0, 1.0], 12)[:, np.newaxis]
    y = np.tile([0, 1], 24)
    folds = [(np.arange(4 * k, 4 * k + 32), np.arange(40, 48)) for k in range(2)]
    search = csb.BoostingCV(csb.LogitBoost(5), learning_rates=[1.0, 0.1], cv=folds).fit(X, y)
    np.testing.assert_allclose(search.cv_scores_, np.full((2, 1, 2), -np.log(2)), rtol=1e-12)
    assert search.best_params_ == {"learning_rate": 1.0, "n_estimators": 1}
    assert search.best_estimator_.stop_reason_ == "no_edge"
    np.testing.assert_array_equal(search.predict_proba(X), 0.5)


@pytest.mark.parametrize("cls", [csb.CGAda, csb.AsyBL])
def test_the_best_is_fitted_to_all_data(cls):
    X, y = problem(1)
    search = csb.BoostingCV(cls(2.0, n_estimators=25), learning_rates=RATES, random_state=0).fit(X, y)
    means = search.cv_scores_.mean(axis=2)
    best, rounds = np.unravel_index(means.argmax(), means.shape)
    assert search.best_params_ == {"learning_rate": RATES[best], "n_estimators": rounds + 1}
    alone = cls(2.0, n_estimators=rounds + 1, learning_rate=RATES[best]).fit(X, y)
    np.testing.assert_array_equal(search.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(search.predict_proba(X), alone.predict_proba(X))


def test_of_equal_scores_the_fewest_rounds_and_the_longest_steps_count():
    X = np.repeat([0.0, 1.0], 30)[:, np.newaxis]
    y = np.tile([0, 0, 1], 20)
    y[30:] = 1 - y[30:]
    search = csb.BoostingCV(
        csb.AdaBoost(n_estimators=9), learning_rates=[0.2, 1.0, 0.5], scoring="cost", cv=3, random_state=0
    ).fit(X, y)
    assert search.best_params_ == {"learning_rate": 1.0, "n_estimators": 1}


def test_all_folds_and_rates_are_one_run(monkeypatch):
    calls = []
    monkeypatch.setattr("csb.estimators.base.boost", lambda *a, **k: calls.append(a) or boost(*a, **k))
    csb.BoostingCV(csb.AdaMEC(n_estimators=3), learning_rates=RATES, cv=4).fit(*problem(2))
    assert [len(training.weights) for _, training, *_ in calls] == [12, 1]  # and the best of them


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"estimator": csb.CalibratedAdaMEC()}, "estimator=CalibratedAdaMEC.*allowed"),
        ({"learning_rates": []}, "learning_rates"),
        ({"learning_rates": [1.0, 0.0]}, r"learning_rates holds 0.0: allowed"),
        ({"scoring": "auc"}, "scoring='auc'"),
        ({"cv": 200}, "cv=200: cross-validation needs"),
        ({"estimator": csb.ThetaBoost()}, r"estimator=ThetaBoost\(\).*sought after training"),
        ({"estimator": csb.CGAda(n_estimators=0)}, "n_estimators=0"),
        ({"estimator": csb.CGAda(nonpositive_alpha="keep")}, "nonpositive_alpha='keep'"),
        ({"estimator": csb.CGAda(tol=-1.0)}, "tol=-1.0"),
        ({"estimator": csb.AsyBL(largest_response=0.0)}, "largest_response=0.0"),
        ({"estimator": csb.AsyBL(validation_fraction=2.0)}, "validation_fraction=2.0"),
    ],
)
def test_bad_parameters_are_named_before_anything_is_trained(settings, message, monkeypatch):
    for loop in ("csb.estimators.base.boost", "csb.estimators.logit.boost_logit"):
        monkeypatch.setattr(loop, lambda *args, **kwargs: pytest.fail("it trains"))
    with pytest.raises(ValueError, match=message):
        csb.BoostingCV(**settings).fit(*problem(3))


@pytest.mark.parametrize("cls", [csb.AdaMEC, csb.AsymAda, csb.AsyBL])
@pytest.mark.parametrize("case", ["constant", "separable", "one class held out", "rows repeated", "weights"])
def test_hard_cases_have_finite_scores(cls, case):
    X, y = problem(4, n=60)
    rows, weight = np.arange(60), None
    settings = {"cv": 3}
    if case == "constant":
        X = np.zeros_like(X)
    elif case == "separable":
        X = y[:, np.newaxis].astype(float)
    elif case == "one class held out":
        settings = {"cv": [(rows, np.flatnonzero(y == 1))]}
    elif case == "rows repeated":
        settings = {"cv": [(np.repeat(rows[:40], 3), rows[[41, 41, 42]])]}
    else:
        weight, settings = np.where(rows < 20, 1e-100, 1e10), {"cv": [(rows[20:], rows[:20])]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantModelWarning)
        search = csb.BoostingCV(
            cls(4.0, n_estimators=4), learning_rates=[1e10, 1.0, 1e-10], random_state=0, **settings
        ).fit(X, y, weight)
    assert np.all(np.isfinite(search.cv_scores_)) and np.all(np.isfinite(search.decision_function(X)))
    assert np.all(np.isfinite(search.predict_proba(X)))
