"""Pruned regression trees against scikit-learn's search over its own pruning and a naive loop."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_regression
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils.estimator_checks import estimator_checks_generator

import csb
from csbook.learners.pruned import PrunedRegressionTree, assign_folds


def problem(n=120, seed=0):
    X, y = make_regression(n, 4, n_informative=3, noise=100.0, random_state=seed)
    return X.astype(np.float32), y


def seeds(random_state, target, folds):
    """What a pruned tree draws: the seed of its trees, and the folds."""
    rng = np.random.RandomState(random_state)
    return rng.randint(2**31 - 1), assign_folds(target, folds, rng)


@pytest.mark.parametrize("random_state", range(3))
def test_strength_is_that_of_a_grid_search_over_the_same_path(random_state):
    X, y = problem(seed=random_state)
    tree = PrunedRegressionTree(random_state=random_state).fit(X, y)
    seed, folds = seeds(random_state, y, 5)
    plain = DecisionTreeRegressor(min_samples_leaf=5, random_state=seed)
    path = plain.cost_complexity_pruning_path(X, y).ccp_alphas.clip(0)
    grid = [*np.sqrt(path[:-1] * path[1:]), 2 * path[-1]]
    settings = {"cv": PredefinedSplit(folds), "scoring": "neg_mean_squared_error"}
    search = GridSearchCV(plain, {"ccp_alpha": grid}, **settings).fit(X, y)
    np.testing.assert_allclose(tree.cv_errors_, -search.cv_results_["mean_test_score"] / y.var(), rtol=1e-9)
    best = max(a for a, e in zip(grid, tree.cv_errors_, strict=True) if e < tree.cv_errors_.min() + 1e-12)
    chosen = clone(plain).set_params(ccp_alpha=best).fit(X, y)
    assert 1 < chosen.get_n_leaves() < plain.fit(X, y).get_n_leaves()
    np.testing.assert_array_equal(tree.predict(X), chosen.predict(X))


def test_with_weights_it_is_a_naive_loop_over_folds_and_strengths():
    X, y = problem(60)
    weights = np.random.default_rng(0).exponential(size=60) ** 2
    tree = PrunedRegressionTree(cv=3, min_samples_leaf=2, random_state=1).fit(X, y, weights)
    seed, folds = seeds(1, y, 3)
    mean = (weights * y).sum() / weights.sum()
    for alpha, error in zip(tree.ccp_alphas_, tree.cv_errors_, strict=True):
        lost = 0.0
        for fold in range(3):
            kept = folds != fold
            model = DecisionTreeRegressor(
                min_samples_leaf=2, ccp_alpha=min(alpha, 1e9), random_state=seed
            ).fit(X[kept], y[kept], weights[kept])
            for x, value, weight in zip(X[~kept], y[~kept], weights[~kept], strict=True):
                lost += weight * (model.predict([x])[0] - value) ** 2
        assert error == pytest.approx(lost / (weights * (y - mean) ** 2).sum(), rel=1e-9)


def test_noise_leaves_the_mean_and_a_constant_itself():
    rng = np.random.default_rng(0)
    X, y, weights = rng.normal(size=(100, 1)), rng.normal(size=100), rng.uniform(size=100)
    tree = PrunedRegressionTree(random_state=3).fit(X, y, weights)
    assert tree.ccp_alpha_ == np.inf
    np.testing.assert_allclose(tree.predict(X), np.average(y, weights=weights))
    assert PrunedRegressionTree().fit(X, np.full(100, 7)).predict(X[:2]).tolist() == [7, 7]


def test_a_weight_of_zero_is_absence():
    X, y = problem()
    learner = PrunedRegressionTree(random_state=0)
    absent = learner.fit(X, y, np.arange(120) < 80).predict(X)
    np.testing.assert_array_equal(absent, clone(learner).fit(X[:80], y[:80]).predict(X))
    with pytest.raises(ValueError, match="two or more weights above zero"):
        learner.fit(X, y, np.arange(120) < 1)


def test_asybl_boosts_it():
    X, y = problem()
    model = csb.AsyBL(3, n_estimators=5, estimator=PrunedRegressionTree(), random_state=0).fit(X, y > 0)
    assert len(model.estimators_) == 5 and model.score(X, y > 0) > 0.8
    again = clone(model).fit(X, y > 0)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"cv": 1}, "cv=1"),
        ({"min_samples_leaf": 0}, "min_samples_leaf=0"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_bad_parameters_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        PrunedRegressionTree(**settings).fit(*problem(20))


COPIES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "copies of an example fall into different folds"
    for kind in ("dense", "sparse")
}
CHECKS = [
    pytest.param(estimator, check, id=getattr(check, "func", check).__name__)
    for estimator, check in estimator_checks_generator(
        PrunedRegressionTree(cv=2), expected_failed_checks=COPIES, mark="skip"
    )
]


@pytest.mark.deep
@pytest.mark.parametrize("estimator, check", CHECKS)
def test_scikit_learn_conventions(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)
