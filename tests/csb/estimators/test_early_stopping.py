"""Ending early: the rule by itself, scores against scikit-learn, the model against one trained alone."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedShuffleSplit

import csb
from csb.evaluation.decisions import mean_cost
from problems import interaction

STOPPING = [
    name
    for name in csb.__all__
    if isinstance(cls := getattr(csb, name), type) and "early_stopping" in cls().get_params()
]
WITHOUT_PROBABILITY = {"CSB0", "CSB1", "CSB2"}


problem = partial(interaction, n=300)


def parts(y, share=0.1, seed=0):
    """The split that a seed leads to."""
    drawn = np.random.RandomState(seed).randint(2**31 - 1)
    return next(StratifiedShuffleSplit(1, test_size=share, random_state=drawn).split(y, y))


def model_of(name, **settings):
    cls = getattr(csb, name)
    costs = {"fn_cost": 3.0} if "fn_cost" in cls().get_params() else {}
    scoring = "cost" if name in WITHOUT_PROBABILITY else "log_loss"
    return cls(**{"random_state": 0, "scoring": scoring, **costs, **settings})


@pytest.mark.parametrize("name", STOPPING)
def test_the_model_is_that_of_the_rows_kept_and_ends_by_the_rule(name):
    X, y = problem(0)
    settings = {"n_estimators": 60, "learning_rate": 0.5}
    model = model_of(name, **settings, early_stopping=True, n_iter_no_change=5, tol=1e-3).fit(X, y)
    scores = model.validation_score_
    assert len(scores) == len(model.estimators_)
    gains = [max(scores[t - 4 : t + 1]) > scores[t - 5] + 1e-3 for t in range(5, len(scores))]
    assert all(gains[:-1])
    if len(scores) < 60:
        assert (model.stop_reason_ == "no_gain") == (bool(gains) and not gains[-1])
    kept, _ = parts(y)
    planned = settings | ({"n_estimators": len(scores)} if name != "AsymAda" else {})
    alone = model_of(name, **planned).fit(X[kept], y[kept])
    *_, expected = (
        each for _, each in zip(range(len(scores)), alone.staged_decision_function(X), strict=False)
    )
    if name != "ThetaBoost":  # whose threshold is sought on the examples set aside as well
        np.testing.assert_allclose(model.decision_function(X), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", sorted(set(STOPPING) - WITHOUT_PROBABILITY - {"ThetaBoost"}))
def test_log_losses_are_those_of_scikit_learn(name):
    X, y = problem(1)
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    model = model_of(name, n_estimators=15, early_stopping=True, validation_fraction=0.3)
    model.fit(X, y, sample_weight=weight)
    _, aside = parts(y, 0.3)
    expected = [
        -log_loss(y[aside], p, sample_weight=weight[aside]) for p in model.staged_predict_proba(X[aside])
    ]
    np.testing.assert_allclose(model.validation_score_, expected, rtol=1e-6)  # they clip probabilities


@pytest.mark.parametrize("name", sorted(set(STOPPING) - {"ThetaBoost"}))
def test_costs_are_those_of_the_decisions(name):
    X, y = problem(2)
    model = model_of(name, n_estimators=15, early_stopping=True, validation_fraction=0.3, scoring="cost")
    model.fit(X, y)
    _, aside = parts(y, 0.3)
    costs = np.array([[0.0, 1.0], [3.0 if "fn_cost" in model.get_params() else 1.0, 0.0]])
    expected = [
        -mean_cost(y[aside], labels, costs, labels=[0, 1]) for labels in model.staged_predict(X[aside])
    ]
    np.testing.assert_allclose(model.validation_score_, expected, rtol=1e-12)


def test_costs_of_single_examples_weigh_the_examples_set_aside():
    X, y = problem(3)
    cost = np.random.default_rng(0).uniform(0.5, 5, len(y))
    model = csb.CGAda(n_estimators=8, early_stopping=True, scoring="cost", random_state=0).fit(
        X, y, cost=cost
    )
    _, aside = parts(y)
    expected = [
        -np.average(labels != y[aside], weights=cost[aside]) for labels in model.staged_predict(X[aside])
    ]
    np.testing.assert_allclose(model.validation_score_, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"early_stopping": 1}, "early_stopping=1"),
        ({"validation_fraction": 1.0}, r"validation_fraction=1.0: .*\(0, 1\)"),
        ({"validation_fraction": 1e-4}, "validation_fraction=0.0001: early stopping needs"),
        ({"n_iter_no_change": 0}, "n_iter_no_change=0"),
        ({"tol": -1.0}, "tol=-1.0"),
        ({"scoring": "accuracy"}, "scoring='accuracy'"),
    ],
)
@pytest.mark.parametrize("name", ["CGAda", "LogitBoost"])
def test_bad_parameters_are_named(name, settings, message):
    with pytest.raises(ValueError, match=message):
        getattr(csb, name)(**{"early_stopping": True, **settings}).fit(*problem(4))


def test_a_method_without_probabilities_says_so():
    with pytest.raises(ValueError, match="scoring='log_loss': CSB2 .*allowed is scoring='cost'"):
        csb.CSB2(3.0, early_stopping=True).fit(*problem(5))


def test_too_few_examples_of_a_class_to_set_some_aside():
    X, y = problem(6)
    y[:] = 0
    y[0] = 1
    with pytest.raises(ValueError, match="validation_fraction=0.1: .*the smaller class has 1"):
        csb.AdaBoost(early_stopping=True).fit(X, y)


@pytest.mark.parametrize("weight", [1e-100, 1e100])
@pytest.mark.parametrize("name", STOPPING)
def test_rows_of_next_to_no_weight_and_steps_of_any_length_leave_finite_scores(name, weight):
    X, y = problem(7, n=80)
    weights = np.where(np.arange(80) % 2, 1.0, weight)
    model = model_of(name, n_estimators=6, learning_rate=1e10, early_stopping=True).fit(X, y, weights)
    assert np.all(np.isfinite(model.validation_score_)) and len(model.validation_score_)
    assert np.all(np.isfinite(model.decision_function(X)))
