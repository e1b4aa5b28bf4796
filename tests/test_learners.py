"""The learners against scikit-learn and their definitions."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from csb.learners import bind_learner, c45_stand_in
from csb.learners.adapter import Flipped
from csb.learners.stump import DecisionStump


def problem(seed, n=150):
    X, y = make_classification(n, 5, n_informative=3, n_redundant=0, flip_y=0.2, random_state=seed)
    rng = np.random.default_rng(seed)
    weights = rng.gamma(0.5, size=(3, n))
    return X, y.astype(np.int8), weights / weights.sum(axis=1, keepdims=True)


def reference(X, y, w):
    return LogisticRegression(C=1e8, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(
        X, y, sample_weight=w * len(w)
    )


@pytest.mark.parametrize("seed", range(3))
def test_logistic_equals_scikit_learns(seed):
    X, y, weights = problem(seed)
    hypotheses, predicted = bind_learner("logistic", X, y).fit(weights)
    for w, hypothesis, p in zip(weights, hypotheses, predicted, strict=True):
        theirs = reference(X, y, w)
        np.testing.assert_allclose(hypothesis.coef, theirs.coef_[0], rtol=2e-3, atol=1e-4)
        assert hypothesis.intercept == pytest.approx(theirs.intercept_[0], rel=2e-3, abs=1e-4)
        np.testing.assert_array_equal(p, hypothesis.predict(X) > 0)


@pytest.mark.parametrize("seed", range(3))
def test_univariate_logistic_is_the_best_of_scikit_learns_regressions(seed):
    X, y, weights = problem(seed)
    stumps, predicted = bind_learner("univariate_logistic", X, y).fit(weights)
    for b, w in enumerate(weights):
        edges, thresholds = [], []
        for f in range(X.shape[1]):
            theirs = reference(X[:, [f]], y, w)
            edges.append(w @ (np.where(theirs.decision_function(X[:, [f]]) > 0, 1, -1) * (2.0 * y - 1)))
            thresholds.append(-theirs.intercept_[0] / theirs.coef_[0, 0])
        best = int(np.argmax(edges))
        assert stumps[b].feature == best
        assert stumps[b].threshold == pytest.approx(thresholds[best], rel=1e-3, abs=1e-3)
        np.testing.assert_array_equal(predicted[b], stumps[b].predict(X) > 0)


@pytest.mark.parametrize("name", ["logistic", "univariate_logistic"])
def test_separable_and_pure_samples_have_finite_fits(name):
    X, y = np.arange(10.0)[:, None], (np.arange(10) > 4).astype(np.int8)
    hypotheses, predicted = bind_learner(name, X, y).fit(np.full((1, 10), 0.1))
    np.testing.assert_array_equal(predicted[0], y)
    one_class = np.where(y == 1, 0.2, 0.0)[np.newaxis]
    _, predicted = bind_learner(name, X, y).fit(one_class)
    np.testing.assert_array_equal(predicted[0], 1)
    assert np.isfinite(hypotheses[0].predict(X)).all()


def test_a_classifier_worse_than_chance_is_reversed():
    class Contrary(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, -np.asarray(y), sample_weight)

    X, y, weights = problem(0)
    weights = np.where(y == 1, 2.0, 1.0)[np.newaxis]
    weights /= weights.sum()
    (hypothesis,), predicted = bind_learner(
        Contrary(strategy="most_frequent"), X, y, random_state=check_random_state(0)
    ).fit(weights)
    assert isinstance(hypothesis, Flipped)
    np.testing.assert_array_equal(predicted[0], 1)
    np.testing.assert_array_equal(hypothesis.predict(X), 1)


def test_trees_see_the_weights_and_only_the_rows_that_have_some():
    X, y, weights = problem(1)
    weights[:, ::3] = 0.0
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    bound = bind_learner(tree, X, y, random_state=check_random_state(5))
    hypotheses, _ = bound.fit(weights)
    seeds = check_random_state(5)
    for w, ours in zip(weights, hypotheses, strict=True):
        used = w > 0
        theirs = DecisionTreeClassifier(max_depth=2, random_state=seeds.randint(2**31 - 1))
        theirs.fit(X[used], 2 * y[used].astype(int) - 1, sample_weight=w[used])
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    single = np.where(y == 1, weights, 0.0)
    (constant, *_), _ = bound.fit(single)
    assert constant == DecisionStump(0, -np.inf, 1)


def test_the_stand_in_for_c45_is_the_one_documented():
    parameters = c45_stand_in(3).get_params()
    assert (parameters["criterion"], parameters["max_depth"], parameters["min_samples_leaf"]) == (
        "entropy",
        6,
        5,
    )
    assert parameters["random_state"] == 3
