"""The support vector machine with unequal margins: exact programmes, a general solver, Eqs. (1) and (2)."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC, LinearSVC

import csb
from csb import UnequalMarginSVC
from csb.evaluation.scorers import get_cost_scorer
from csb.methods.thresholds import RULES, threshold_between
from csbook.theory.hyperplanes import closest_scores, margin_shift
from oracles.unequal_margins import PROGRAMMES

HARD = SVC(kernel="linear", C=1e6, tol=1e-10)


# ---- exact programmes


@pytest.mark.parametrize("case", PROGRAMMES)
def test_programmes_by_hand_are_solved(case):
    """The conditions of Karush, Kuhn and Tucker in exact fractions, sufficient for a convex programme."""

    def value(x):
        return sum(w * part for w, part in zip(case.w, x, strict=True)) + case.theta

    tight = [value(x) - case.target for x in case.positives], [-1 - value(x) for x in case.negatives]
    multipliers = case.of_positives, case.of_negatives
    for slacks, ours in zip(tight, multipliers, strict=True):
        assert all(slack >= 0 and ours[i] >= 0 and slack * ours[i] == 0 for i, slack in enumerate(slacks))
    assert sum(case.of_positives) == sum(case.of_negatives)
    for axis, w in enumerate(case.w):
        made = sum(a * x[axis] for a, x in zip(case.of_positives, case.positives, strict=True))
        made -= sum(a * x[axis] for a, x in zip(case.of_negatives, case.negatives, strict=True))
        assert made == w


@pytest.mark.parametrize("case", PROGRAMMES)
def test_hyperplanes_by_hand(case):
    X = np.array([*case.negatives, *case.positives], float)
    y = np.repeat([0, 1], [len(case.negatives), len(case.positives)])
    model = UnequalMarginSVC(fn_cost=float(case.target), estimator=HARD).fit(X, y)
    half = float(case.target + 1) / 2
    offset = float(case.target - 1) / 2
    np.testing.assert_allclose(half * model.svc_.coef_[0], np.array(case.w, float), atol=1e-7)
    assert half * model.svc_.intercept_[0] + offset == pytest.approx(float(case.theta), abs=1e-7)
    # f > 0 for the function of unequal targets is f'' > threshold for that of equal ones
    assert half * model.decision_threshold_ + offset == pytest.approx(0, abs=1e-12)
    np.testing.assert_array_equal(model.predict(X), y)


# ---- with slacks, by a general solver


def overlapping(seed, n=18):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + np.outer(y - 0.5, [1.0, 0.7]), y


def solve(X, y, target, C):
    """The programme with slacks, targets ``target`` and 1 and costs ``C`` of the slacks: w and theta."""
    n, d = X.shape
    signs, targets = 2.0 * y - 1, np.where(y == 1, target, 1.0)
    A = np.hstack([signs[:, None] * X, signs[:, None], np.eye(n)])
    found = minimize(
        lambda v: (v[:d] @ v[:d] / 2 + C @ v[d + 1 :]) / C.sum(), np.r_[np.zeros(d + 1), targets],
        jac=lambda v: np.r_[v[:d], 0.0, C] / C.sum(), bounds=[(None, None)] * (d + 1) + [(0, None)] * n,
        constraints={"type": "ineq", "fun": lambda v: A @ v - targets, "jac": lambda v: A},
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 2000},
    )  # fmt: skip
    assert found.success, found.message
    return found.x[:d], found.x[d]


@pytest.mark.parametrize("target", [0.25, 1.0, 3.0, 8.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_with_slacks_it_is_the_programme_with_unequal_targets(target, weighted):
    X, y = overlapping(int(4 * target))
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    C = 0.7
    w, theta = solve(X, y, target, (1 + target) / 2 * C * weight)
    model = UnequalMarginSVC(target, estimator=SVC(kernel="linear", C=C, tol=1e-10)).fit(X, y, weight)
    score, expected = model.decision_function(X), X @ w + theta
    assert np.any((score > model.decision_threshold_) != y), "the classes must overlap"
    np.testing.assert_allclose((1 + target) / 2 * (score - model.decision_threshold_), expected, atol=2e-5)
    np.testing.assert_array_equal(model.predict(X), expected > 0)


# ---- the equations of the paper


def separated(seed=0, n=40):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + np.outer(y, [6.0, 2.0]), y


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_eq_1_and_eq_2_between_the_closest_examples(rule, kernel):
    X, y = separated()
    svc = SVC(kernel=kernel, gamma=0.05, C=1e6, tol=1e-8)
    model = UnequalMarginSVC(8, 2, estimator=svc, threshold=rule).fit(X, y)
    closest = closest_scores(y, model.decision_function(X))
    assert model.decision_threshold_ == pytest.approx(threshold_between(*closest, 4, rule=rule), abs=1e-5)
    assert model.decision_threshold_ == pytest.approx(-margin_shift(1.0, 4, rule=rule), abs=1e-14)
    assert np.mean(model.predict(X) == y) == 1


def test_the_margin_of_the_dear_class_is_as_much_larger_as_it_is_dearer():
    X, y = separated(1)
    for fn_cost, fp_cost, pos_label in ((5, 1, None), (1, 5, 0)):
        model = UnequalMarginSVC(fn_cost, fp_cost, pos_label=pos_label, estimator=HARD).fit(X, y)
        distance = model.decision_function(X) - model.decision_threshold_
        assert distance[y == 1].min() == pytest.approx(-5 * distance[y == 0].max(), rel=1e-6)
    dear_negatives = UnequalMarginSVC(1, 5, estimator=HARD).fit(X, y)
    distance = dear_negatives.decision_function(X) - dear_negatives.decision_threshold_
    assert 5 * distance[y == 1].min() == pytest.approx(-distance[y == 0].max(), rel=1e-6)


def test_costs_and_rule_may_change_after_the_fit_and_equal_costs_are_an_svc():
    X, y = overlapping(2, 60)
    model = UnequalMarginSVC().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), SVC(kernel="linear").fit(X, y).predict(X))
    found = [model.set_params(threshold=rule, fn_cost=16).decision_threshold_ for rule in RULES]
    np.testing.assert_allclose(
        found, [-15 / 17, -(16 ** (1 / 3) - 1) / (16 ** (1 / 3) + 1), -0.6, 0], atol=1e-12
    )
    again = clone(model).set_params(threshold="eta_max").fit(X, y)
    np.testing.assert_array_equal(again.predict(X), model.set_params(threshold="eta_max").predict(X))
    assert model.predict(X).sum() > model.set_params(fn_cost=1 / 16).predict(X).sum()


def test_the_programme_may_be_chosen_by_cost_in_a_grid_search():
    X, y = overlapping(3, 80)
    scorer, folds = get_cost_scorer("expected_cost", fn_cost=4), StratifiedKFold(3)
    search = GridSearchCV(
        UnequalMarginSVC(4, estimator=SVC(kernel="linear")), {"estimator__C": [1e-4, 1.0]}, cv=folds,
        scoring=scorer,
    ).fit(X, y)  # fmt: skip
    by_hand = []
    for C in (1e-4, 1.0):
        model = UnequalMarginSVC(4, estimator=SVC(kernel="linear", C=C))
        parts = folds.split(X, y)
        by_hand.append(np.mean([scorer(model.fit(X[fit], y[fit]), X[new], y[new]) for fit, new in parts]))
    assert by_hand[0] != by_hand[1] and search.best_estimator_.svc_.C == (1e-4, 1.0)[int(np.argmax(by_hand))]


def test_on_features_of_a_very_large_scale_the_solver_ends():
    X, y = overlapping(4, 40)
    with pytest.warns(ConvergenceWarning, match="max_iter=1000000"):
        model = UnequalMarginSVC().fit(1e6 * X, y)
    assert np.all(np.isfinite(model.decision_function(1e6 * X)))
    with pytest.raises(ValueError, match="cannot be fitted to X"):
        UnequalMarginSVC().fit(1e20 * X, y)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"threshold": "eta_min"}, "threshold='eta_min'.*'eta_max'"),
        ({"estimator": LinearSVC()}, "estimator=LinearSVC.*SVC"),
        ({"estimator": SVC}, "estimator="),
        ({"fn_cost": -1}, "fn_cost=-1"),
        ({"pos_label": 7}, "pos_label=7"),
    ],
)
def test_bad_parameters_are_refused_before_any_work(settings, message, monkeypatch):
    def no_training(*args, **kwargs):
        raise AssertionError("training began")

    monkeypatch.setattr(SVC, "fit", no_training)
    with pytest.raises(ValueError, match=message):
        csb.UnequalMarginSVC(**settings).fit(*separated())
