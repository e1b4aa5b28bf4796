"""Decisions of least expected cost around any classifier: loops over cases and over all sets of positives."""

import warnings
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.utils.estimator_checks import estimator_checks_generator

import csb
from csb.costs import bayes_threshold
from csb.evaluation.decisions import least_cost_decision


def problem(n=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0.5).astype(int)


@pytest.fixture(scope="module")
def fitted():
    return csb.CostDecision(LogisticRegression(), fn_cost=4).fit(*problem())


def naive(p, fn, fp, tp=0.0, tn=0.0):
    """The positive class where it is expected to cost less, case by case; p is its probability."""
    return np.array([
        int(prob * t + (1 - prob) * f < prob * m + (1 - prob) * r)
        for prob, m, f, t, r in zip(p, *(np.broadcast_to(c, len(p)) for c in (fn, fp, tp, tn)), strict=True)
    ])  # fmt: skip


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic", None])
@pytest.mark.parametrize("fn_cost", [0.2, 1.0, 7.0])
def test_probabilities_of_scikit_learn_at_the_bayes_threshold(calibration, fn_cost):
    X, y = problem()
    base = LogisticRegression()
    folds = StratifiedKFold(4)
    theirs = base if calibration is None else CalibratedClassifierCV(base, method=calibration, cv=folds)
    p = theirs.fit(X, y).predict_proba(X)
    model = csb.CostDecision(base, fn_cost=fn_cost, calibration=calibration, cv=folds).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), p)
    np.testing.assert_array_equal(model.predict(X), p[:, 1] > bayes_threshold(fn_cost, 1.0))


def test_costs_of_each_case_and_of_right_decisions(fitted):
    X, _ = problem(seed=1)
    rng = np.random.default_rng(1)
    fn, fp = rng.uniform(1, 9, len(X)), rng.uniform(1, 3, len(X))
    p = fitted.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(fitted.predict(X, fn_cost=fn, fp_cost=fp), naive(p, fn, fp))
    four = {"fn_cost": fn, "fp_cost": fp, "tp_cost": -2.5, "tn_cost": 0.5}
    np.testing.assert_array_equal(fitted.predict(X, **four), naive(p, fn, fp, -2.5, 0.5))
    expected = [[q * m + (1 - q) * 0.5, q * -2.5 + (1 - q) * f] for q, m, f in zip(p, fn, fp, strict=True)]
    np.testing.assert_allclose(fitted.expected_cost(X, **four), expected, rtol=1e-12)


def test_the_positive_class_may_be_the_first():
    X, y = problem()
    named = np.where(y == 1, "ill", "well")
    model = csb.CostDecision(LogisticRegression(), fn_cost=6, pos_label="ill", random_state=0).fit(X, named)
    p = model.predict_proba(X)[:, 0]
    np.testing.assert_array_equal(model.predict(X) == "ill", p > 1 / 7)
    other = csb.CostDecision(LogisticRegression(), fp_cost=6, random_state=0).fit(X, named)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    assert (model.predict(X, max_positives=3) == "ill").sum() == 3


@pytest.mark.parametrize("cap", [0, 1, 3, 7])
def test_a_cap_on_positives_leaves_the_set_of_least_expected_cost(cap):
    X, y = problem()
    model = csb.CostDecision(LogisticRegression(), fn_cost=2).fit(X, y)
    few, fn = X[:7], np.array([1.0, 2, 3, 9, 5, 0.3, 4])
    expected = model.expected_cost(few, fn_cost=fn)

    def total(positives):
        return sum(expected[i, int(i in positives)] for i in range(7))

    sets = [set(chosen) for size in range(cap + 1) for chosen in combinations(range(7), size)]
    found = set(np.flatnonzero(model.predict(few, fn_cost=fn, max_positives=cap)))
    assert len(found) <= cap and total(found) == pytest.approx(min(map(total, sets)), rel=1e-12)


def test_any_number_of_classes():
    X, y = load_iris(return_X_y=True)
    costs = np.array([[0.0, 1, 5], [2, 0, 1], [30, 30, 0]])
    model = csb.CostDecision(LogisticRegression(max_iter=1000), cost_matrix=costs).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), least_cost_decision(model.predict_proba(X), costs))
    np.testing.assert_array_equal(np.argmax(model.decision_function(X), axis=1), model.predict(X))
    frame = pd.DataFrame(costs, index=[0, 1, 2], columns=[0, 1, 2])[[2, 0, 1]]
    np.testing.assert_array_equal(model.set_params(cost_matrix=frame).predict(X), np.argmin(
        model.predict_proba(X) @ costs, axis=1
    ))  # fmt: skip
    plain = csb.CostDecision(LogisticRegression(max_iter=1000)).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), np.argmax(plain.predict_proba(X), axis=1))


def test_raw_tables_in_a_pipeline():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=200), "town": rng.choice(["a", "b", None], 200)})
    table.loc[::7, "age"] = np.nan
    y = rng.integers(0, 2, 200)
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
        (OneHotEncoder(handle_unknown="ignore"), ["town"]),
    )
    model = csb.CostDecision(make_pipeline(encode, LogisticRegression()), fn_cost=3).fit(table, y)
    assert set(model.predict(table)) <= {0, 1} and list(model.feature_names_in_) == ["age", "town"]


def test_a_classifier_that_is_fitted_already_is_only_calibrated():
    X, y = problem()
    ready = RidgeClassifier().fit(X[:150], y[:150])
    model = csb.CostDecision(FrozenEstimator(ready), fn_cost=3).fit(X[150:], y[150:])
    (pair,) = model.classifier_.calibrated_classifiers_
    assert pair.estimator.estimator is ready


def test_only_a_split_asks_for_examples_of_each_class():
    """A class of two: enough where nothing is held out."""
    X, y = np.array([[0.0], [0.1], [0.2], [1.0], [1.1]]), np.array([0, 0, 0, 1, 1])
    with pytest.raises(ValueError, match="at least 3 examples of each class"):
        csb.CostDecision(LogisticRegression()).fit(X, y)
    ready = LogisticRegression().fit(X, y)
    plain = csb.CostDecision(LogisticRegression(), calibration=None).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), ready.predict_proba(X))
    assert csb.CostDecision(FrozenEstimator(ready), fn_cost=9).fit(X, y).predict([[1.1]]) == [1]


def test_costs_are_routed_as_metadata():
    X, y = problem()
    cost = np.linspace(1, 9, len(X))
    with config_context(enable_metadata_routing=True):
        model = csb.CostDecision(LogisticRegression()).set_predict_request(fn_cost=True)
        steps = make_pipeline(StandardScaler(), model).fit(X, y)
        found = steps.predict(X, fn_cost=cost)
    np.testing.assert_array_equal(found, naive(steps.predict_proba(X)[:, 1], cost, 1.0))


def test_costs_may_be_changed_after_the_fit_and_nothing_else():
    X, y = problem()
    model = csb.CostDecision(HistGradientBoostingClassifier(max_iter=5)).fit(X, y)
    before = model.predict(X).sum()
    assert model.set_params(fn_cost=50.0).predict(X).sum() > before
    with pytest.raises(ValueError, match="calibration='isotonic', which acts in training"):
        model.set_params(calibration="isotonic").predict(X)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"fn_cost": np.ones(3)}, r"fn_cost has shape \(3,\): allowed is a number or \(300,\)"),
        ({"fn_cost": 0.0}, "fn_cost and tp_cost: allowed"),
        ({"tn_cost": 1.0}, "fp_cost and tn_cost: allowed"),
        ({"fp_cost": np.nan}, "fp_cost=nan"),
        ({"max_positives": -1}, "max_positives=-1"),
    ],
)
def test_bad_costs_at_the_decision_are_named(fitted, given, message):
    with pytest.raises(ValueError, match=message):
        fitted.predict(problem()[0], **given)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"estimator": StandardScaler()}, "estimator=StandardScaler.*allowed"),
        ({"estimator": RidgeClassifier(), "calibration": None}, "calibration=None: RidgeClassifier"),
        ({"calibration": "beta"}, "calibration='beta'"),
        ({"cost_matrix": [[0, 1], [2, 0]], "fn_cost": 3.0}, "fn_cost: must be left out"),
        ({"pos_label": "x"}, "pos_label='x'"),
    ],
)
def test_bad_parameters_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        csb.CostDecision(**settings).fit(*problem())


def test_of_many_classes_the_four_costs_say_nothing():
    with pytest.raises(ValueError, match="fn_cost: must be left out"):
        csb.CostDecision(LogisticRegression(max_iter=1000), fn_cost=2).fit(*load_iris(return_X_y=True))


CHECKS = [
    pytest.param(estimator, check, id=f"{name}-{getattr(check, 'func', check).__name__}")
    for name, model in {
        "default": csb.CostDecision(),
        "LogisticRegression": csb.CostDecision(LogisticRegression()),
        "trusted": csb.CostDecision(LogisticRegression(), calibration=None),
    }.items()
    for estimator, check in estimator_checks_generator(model)
]


@pytest.mark.parametrize("estimator, check", CHECKS)
def test_scikit_learn_conventions(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # random labels: no learner beats chance
        check(estimator)
