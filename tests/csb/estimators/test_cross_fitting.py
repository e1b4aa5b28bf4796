"""Boosting and its calibration: folds in one batch, the same decision by both families of estimators."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import csb
from csb.evaluation.calibration import CALIBRATORS, make_calibrator

COSTS = {"fn_cost": 4.0, "fp_cost": 0.5}
PAIRS = [
    (csb.CalibratedAdaMEC, csb.AdaMEC),
    (csb.CalibratedCGAda, csb.CGAda),
    (csb.CalibratedAsymAda, csb.AsymAda),
]


def problem(n=150, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).round(1)
    y = (X[:, 0] + rng.normal(size=n) > 0.7).astype(int)
    return X, y, rng.integers(0, 4, n).astype(float)


@pytest.mark.parametrize("ensemble", [False, True])
def test_equal_weights_are_as_many_copies_beside_a_penalty(ensemble):
    X, y, _ = problem(60)
    held_out = np.arange(60) % 3 == 0
    copies = np.repeat(np.arange(60), 50)
    learner = LogisticRegression(C=0.01, tol=1e-10)

    def decision(cv, *data):
        return csb.CostDecision(learner, cv=cv, ensemble=ensemble).fit(*data).predict_proba(X)

    split = [(~held_out, held_out)]
    weighted = decision(split, X, y, np.full(60, 50.0))
    copied = decision([(~held_out[copies], held_out[copies])], X[copies], y[copies])
    np.testing.assert_allclose(weighted, copied, atol=1e-6)
    assert np.abs(weighted - decision(split, X, y)).max() > 0.01


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("calibration", [*CALIBRATORS, None])
@pytest.mark.parametrize("boosting, base", PAIRS, ids=lambda cls: cls.__name__)
def test_calibrated_boosting_is_the_decision_around_its_base(boosting, base, calibration, weighted):
    """Probabilities, and decisions at the costs of the fit and at others."""
    X, y, weights = problem()
    weights = weights if weighted else None
    folds = list(StratifiedKFold(4).split(X, y))
    options = {"calibration": calibration, "cv": folds, "random_state": 0}
    one = boosting(n_estimators=10, **COSTS, **options).fit(X, y, weights)
    other = csb.CostDecision(base(n_estimators=10, **COSTS), **COSTS, **options).fit(X, y, weights)
    new, *_ = problem(80, seed=1)
    np.testing.assert_allclose(one.predict_proba(new), other.predict_proba(new), rtol=1e-12)
    np.testing.assert_array_equal(one.predict(new), other.predict(new))
    for fn_cost in (0.1, 9.0, np.linspace(0.1, 9.0, 80)):
        decided = one.predict(new, fn_cost=fn_cost, fp_cost=1.0)
        np.testing.assert_array_equal(decided, other.predict(new, fn_cost=fn_cost, fp_cost=1.0))
    assert len({tuple(one.predict(new, fn_cost=fn_cost)) for fn_cost in (0.01, 1.0, 99.0)}) > 1


@pytest.mark.parametrize("base", [csb.AdaBoost(n_estimators=8), csb.CGAda(3.0, n_estimators=8),
                                  csb.AdaC2(2.0, n_estimators=8), csb.LogitBoost(n_estimators=8),
                                  csb.GDAdaC1(2.0, n_estimators=8)], ids=repr)  # fmt: skip
@pytest.mark.parametrize("weighted", [False, True])
def test_folds_in_one_batch_are_fitted_as_one_by_one(monkeypatch, base, weighted):
    """Against copies fitted here to the rows of each fold, and calibrated on the others."""
    X, y, weights = problem()
    weights = weights if weighted else None
    labels = np.array([3, 7])[y]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=0).split(X, y))
    batches = []
    original = type(base)._train_copies
    monkeypatch.setattr(
        type(base), "_train_copies", lambda self, *args: batches.append(len(args[1])) or original(self, *args)
    )
    model = csb.CostDecision(base, cv=folds).fit(X, labels, weights)
    assert batches == [3]
    monkeypatch.undo()
    p = []
    for fitting, held_out in folds:
        part = {} if weights is None else {"sample_weight": weights[fitting]}
        copy = clone(base).fit(X[fitting], labels[fitting], **part)
        scores = copy.decision_function(X)
        counted = None if weights is None else weights[held_out]
        p.append(make_calibrator("sigmoid").fit(scores[held_out], y[held_out], counted).predict(scores))
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], np.mean(p, axis=0), rtol=1e-9)
    for each, (fitting, _) in zip(model.classifier_.members, folds, strict=True):
        assert isinstance(each.classifier, type(base)) and each.classifier.classes_.tolist() == [3, 7]
        part = {} if weights is None else {"sample_weight": weights[fitting]}
        alone = clone(base).fit(X[fitting], labels[fitting], **part)
        assert vars(each.classifier).keys() == vars(alone).keys()
        np.testing.assert_array_equal(each.classifier.predict(X), alone.predict(X))


def test_what_gains_nothing_by_a_batch_is_trained_alone(monkeypatch):
    X, y, _ = problem()
    monkeypatch.setattr(csb.AdaBoost, "_fit_copies", None)
    monkeypatch.setattr(csb.ThetaBoost, "_fit_copies", None)
    for base in (csb.AdaBoost(2, "tree"),
                 csb.AdaBoost(2, early_stopping=True), csb.ThetaBoost(n_estimators=2)):  # fmt: skip
        assert len(csb.CostDecision(base, cv=2).fit(X, y).classifier_.members) == 2
    csb.CostDecision(csb.AdaBoost(2)).fit(X, y)


@pytest.mark.parametrize("positive", [0, 1])
def test_costs_of_a_day_speak_for_the_positive_class(positive):
    X, y, _ = problem()
    model = csb.CalibratedAdaMEC(n_estimators=5, pos_label=positive, random_state=0).fit(X, y)
    p = model.predict_proba(X)[:, positive]
    called = model.predict(X, fn_cost=3.0, fp_cost=1.0) == positive
    np.testing.assert_array_equal(called, p > 1 / 4)
    costs = np.where(np.arange(len(X)) % 2, 3.0, 0.25)
    np.testing.assert_array_equal(model.predict(X, fn_cost=costs) == positive, p > 1 / (1 + costs))
    with pytest.raises(ValueError, match=r"fn_cost has shape \(3,\): allowed is a number or \(150,\)"):
        model.predict(X, fn_cost=[1.0, 2.0, 3.0])
    for cost in (np.nan, np.inf, 1e101):
        with pytest.raises(ValueError, match="fp_cost"):
            model.predict(X, fp_cost=cost)
    assert np.all(model.predict(X, fp_cost=-1.0) == positive)  # an alarm that gains


def test_trusted_probabilities_have_stages():
    X, y, _ = problem()
    model = csb.CalibratedCGAda(3.0, n_estimators=6, calibration=None, store_stages=True).fit(X, y)
    plain = csb.CGAda(3.0, n_estimators=6).fit(X, y)
    stages = zip(model.staged_predict_proba(X), plain.staged_predict_proba(X), strict=True)
    for one, other in stages:
        np.testing.assert_allclose(one, other, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), rtol=1e-12)
    assert [calibrator for _, calibrator in model.calibrated_models_] == [None]
