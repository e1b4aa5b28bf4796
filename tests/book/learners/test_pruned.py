"""Pruned trees against scikit-learn's search over its own pruning, hand-worked estimates and naive loops."""

import math
import warnings

import numpy as np
import pytest
from scipy.stats import binom
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV, PredefinedSplit
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import estimator_checks_generator

import csb
from csbook.learners.pruned import (
    ErrorPrunedTree,
    PrunedTree,
    assign_folds,
    c45_stand_in,
    error_limit,
    weakest_links,
)


def problem(n=200, seed=0, classes=2):
    return make_classification(
        n, 6, n_informative=4, n_classes=classes, flip_y=0.2, random_state=seed
    )  # fmt: skip


def seeds(random_state, labels, folds):
    """What a pruned tree draws: the seed of its trees, and the folds."""
    rng = np.random.RandomState(random_state)
    return rng.randint(2**31 - 1), assign_folds(labels, folds, rng)


def plain(seed, **settings):
    return DecisionTreeClassifier(criterion="entropy", min_samples_leaf=2, random_state=seed, **settings)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("random_state", range(4))
def test_cost_complexity_is_that_of_a_grid_search_over_the_same_path(random_state, classes):
    X, y = problem(200, random_state, classes)
    X = X.astype(np.float32)
    tree = PrunedTree(random_state=random_state).fit(X, y)
    seed, folds = seeds(random_state, y, 5)
    path = plain(seed).cost_complexity_pruning_path(X, y).ccp_alphas.clip(0)
    grid = [*np.sqrt(path[:-1] * path[1:]), 2 * path[-1]]
    search = GridSearchCV(plain(seed), {"ccp_alpha": grid}, cv=PredefinedSplit(folds)).fit(X, y)
    np.testing.assert_allclose(tree.ccp_alphas_[:-1], grid[:-1], rtol=1e-12)
    np.testing.assert_allclose(tree.cv_errors_, 1 - search.cv_results_["mean_test_score"], atol=1e-12)
    chosen = clone(search.estimator).set_params(
        ccp_alpha=max(a for a, s in zip(grid, search.cv_results_["mean_test_score"], strict=True)
                      if s > search.best_score_ - 1e-12)
    ).fit(X, y)  # fmt: skip
    np.testing.assert_array_equal(tree.predict_proba(X), chosen.predict_proba(X))


@pytest.mark.parametrize("random_state", range(4))
def test_with_weights_it_is_a_naive_loop_over_folds_and_strengths(random_state):
    X, y = problem(90, random_state, 3)
    X = X.astype(np.float32)
    weights = np.random.default_rng(random_state).exponential(size=90) ** 2
    tree = PrunedTree(cv=4, random_state=random_state).fit(X, y, weights)
    seed, folds = seeds(random_state, y, 4)
    for alpha, error in zip(tree.ccp_alphas_, tree.cv_errors_, strict=True):
        wrong = 0.0
        for fold in range(4):
            kept = folds != fold
            model = plain(seed, ccp_alpha=min(alpha, 10.0)).fit(X[kept], y[kept], weights[kept])
            for x, label, weight in zip(X[~kept], y[~kept], weights[~kept], strict=True):
                wrong += weight * (model.predict([x])[0] != label)
        assert error == pytest.approx(wrong / weights.sum(), abs=1e-12)
    assert tree.ccp_alpha_ == max(
        a for a, e in zip(tree.ccp_alphas_, tree.cv_errors_, strict=True) if e < min(tree.cv_errors_) + 1e-12
    )


def test_links_of_a_tree_worked_by_hand():
    """Root 0 over leaf 1 and node 2; node 2 over leaf 3 and node 4; node 4 over leaves 5 and 6.

    Node 4 saves 2 - (1 + 0) = 1 for one leaf; node 2 then 6 - (2 + 2) = 2 for one, the root 12 - (3 + 6) = 3.
    """
    left, right = np.array([1, -1, 3, -1, 5, -1, -1]), np.array([2, -1, 4, -1, 6, -1, -1])
    risk, lost = np.array([12.0, 3, 6, 2, 2, 1, 0]), np.array([50.0, 1, 20, 4, 9, 3, 5])
    links, sums = weakest_links(left, right, risk, lost)
    assert links.tolist() == [1, 2, 3]
    assert sums.tolist() == [1 + 4 + 3 + 5, 1 + 4 + 9, 1 + 20, 50]


def test_a_class_of_noise_leaves_the_root():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), (np.arange(100) < 20).astype(int)
    tree = PrunedTree(random_state=0).fit(X, y)
    assert tree.ccp_alpha_ == np.inf and tree.tree_.get_n_leaves() == 1
    np.testing.assert_allclose(tree.predict_proba(X), np.tile([0.8, 0.2], (100, 1)))


@pytest.mark.parametrize("errors, count", [(0, 1), (0, 6), (1, 16), (2, 6), (5, 9), (7, 100)])
@pytest.mark.parametrize("confidence", [0.1, 0.25, 0.5])
def test_limit_is_the_share_at_which_so_few_errors_have_that_probability(errors, count, confidence):
    limit = error_limit(errors, count, confidence)
    assert binom.cdf(errors, count, limit) == pytest.approx(confidence, rel=1e-9)
    if not errors:
        assert limit == pytest.approx(1 - confidence ** (1 / count), rel=1e-12)


def test_limits_where_all_or_none_are_errors():
    np.testing.assert_array_equal(error_limit([3.0, 0.25], [3.0, 0.25]), [1.0, 1.0])
    with pytest.raises(ValueError, match="at most as many errors as count"):
        error_limit(2, 1)


def pruned_by_hand(model, weights_of, confidence):
    """The pruned tree as nested tuples, and what its leaves are expected to get wrong; node by node."""
    nodes = model.tree_.tree_

    def visit(node):
        masses = weights_of[node]
        n, e = sum(masses), sum(masses) - max(masses)
        as_leaf = n * float(error_limit(e, n, confidence))
        if nodes.children_left[node] < 0:
            return ("leaf", node), as_leaf
        (left, lost_left), (right, lost_right) = map(
            visit, (nodes.children_left[node], nodes.children_right[node])
        )
        if as_leaf <= lost_left + lost_right + 0.1:
            return ("leaf", node), as_leaf
        return (node, left, right), lost_left + lost_right

    return visit(0)[0]


class NaivePruning(ClassifierMixin, BaseEstimator):
    """C4.5's pruning at its default strength, example by example."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, X, y, sample_weight):
        self.classes_, labels = np.unique(y, return_inverse=True)
        self.model = ErrorPrunedTree(random_state=self.random_state).fit(X, labels, sample_weight)
        passed = self.model.tree_.decision_path(X.astype(np.float32)).toarray().T.astype(bool)
        self.masses = [
            np.bincount(labels[on], sample_weight[on], len(self.classes_)).tolist() for on in passed
        ]
        self.kept = pruned_by_hand(self.model, self.masses, 0.25)
        return self

    def predict(self, X):
        nodes, found = self.model.tree_.tree_, []
        for x in X.astype(np.float32):
            at = self.kept
            while at[0] != "leaf":
                node, left, right = at
                at = left if x[nodes.feature[node]] <= nodes.threshold[node] else right
            found.append(self.classes_[np.argmax(self.masses[at[1]])])
        return np.array(found)


@pytest.mark.parametrize("confidence", [0.05, 0.25, 0.6])
@pytest.mark.parametrize("classes", [2, 3])
def test_error_based_pruning_is_a_naive_walk_from_the_leaves(confidence, classes):
    X, y = problem(150, 1, classes)
    X = X.astype(np.float32)
    weights = np.random.default_rng(1).exponential(size=150)
    model = ErrorPrunedTree(confidence, random_state=0).fit(X, y, weights)
    nodes, passed = model.tree_.tree_, model.tree_.decision_path(X).toarray()
    masses = [
        [sum(w for w, p, label in zip(weights, column, y, strict=True) if p and label == c)
         for c in range(classes)]
        for column in passed.T
    ]  # fmt: skip
    kept = pruned_by_hand(model, masses, confidence)

    def decide(x, tree):
        if tree[0] == "leaf":
            return masses[tree[1]]
        node, left, right = tree
        return decide(x, left if x[nodes.feature[node]] <= nodes.threshold[node] else right)

    expected = np.array([decide(x, kept) for x in X])
    np.testing.assert_allclose(
        model.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), atol=1e-9
    )
    np.testing.assert_array_equal(model.predict(X), model.classes_[np.argmax(model.predict_proba(X), axis=1)])


def test_quinlan_example_of_a_subtree_of_three_pure_leaves():
    """Six, nine and one example, all of one class but the last, against one leaf of sixteen with an error.

    The book's subtree is expected to err on 6 x 0.206 + 9 x 0.143 + 1 x 0.750 = 3.273. For the leaf it has
    16 x 0.157, by an approximation; the limit itself is 0.1596. The leaf stands in either case.
    """
    n = np.array([6.0, 9, 1])
    assert (n * error_limit([0, 0, 0], n)).sum() == pytest.approx(3.273, abs=0.001)
    assert 16 * error_limit(1, 16) == pytest.approx(16 * 0.1596, abs=0.001)
    X = np.repeat([0.0, 1.0, 2.0], [6, 1, 9])[:, np.newaxis]
    y = np.repeat([0, 1, 0], [6, 1, 9])
    # far more of the rest, so that this subtree hangs below a root that stays
    X, y = np.vstack([X, np.full((40, 1), 9.0)]), np.append(y, np.ones(40, int))
    model = ErrorPrunedTree(min_weight_leaf=1, random_state=0).fit(X, y)
    assert model.tree_.get_n_leaves() == 4 and model.get_n_leaves() == 2
    np.testing.assert_allclose(model.predict_proba([[1.0]]), [[15 / 16, 1 / 16]])


@pytest.mark.parametrize("learner", [PrunedTree(cv=3, random_state=0), ErrorPrunedTree(random_state=0)])
def test_a_weight_of_zero_is_absence(learner):
    X, y = problem(80)
    absent = learner.fit(X, y, np.arange(80) < 60).predict_proba(X)
    np.testing.assert_array_equal(absent, clone(learner).fit(X[:60], y[:60]).predict_proba(X))


@pytest.mark.parametrize("reading", ["depth", "pruned", "full"])
def test_readings_of_c45_can_be_boosted(reading):
    X, y = problem()
    model = csb.CGAda(3, n_estimators=5, estimator=c45_stand_in(0, reading), random_state=0).fit(X, y)
    # a full tree has no error on its training set, and no round follows
    assert len(model.estimators_) == (1 if reading == "full" else 5) and model.score(X, y) > 0.9
    again = clone(model).fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), again.decision_function(X))
    with pytest.raises(ValueError, match="reading='deep'"):
        c45_stand_in(0, "deep")


def test_full_tree_is_scikit_learns_without_a_limit():
    X, y = problem(classes=3)
    plain = DecisionTreeClassifier(criterion="entropy", random_state=3).fit(X, y)
    full = c45_stand_in(3, "full").fit(X, y)
    np.testing.assert_array_equal(full.predict_proba(X), plain.predict_proba(X))
    assert full.score(X, y) == 1 and full.get_depth() > 6


@pytest.mark.parametrize("method", [csb.LpCSB, csb.LpCSBA, csb.AdaBoostM2])
def test_pruned_trees_are_boosted_on_many_classes_as_by_a_naive_walk(method):
    """As by their pruning written as a classifier of its own, round for round."""
    X, y = make_classification(300, 8, n_informative=6, n_classes=7, n_clusters_per_class=1, random_state=0)
    costs = np.random.default_rng(0).uniform(1, 20, (7, 7)) * (1 - np.eye(7))
    settings = {"n_estimators": 3, "random_state": 0}
    model = method(costs, estimator=c45_stand_in(0, "pruned"), **settings).fit(X, y)
    naive = method(costs, estimator=NaivePruning(), **settings).fit(X, y)
    assert len(model.estimators_) == 3
    np.testing.assert_allclose(model.decision_function(X), naive.decision_function(X), atol=1e-9)
    full = method(costs, estimator=c45_stand_in(0, "full"), **settings).fit(X, y)
    assert np.any(model.decision_function(X) != full.decision_function(X))


def test_features_that_single_precision_loses_are_refused_in_boosting():
    X, y = problem(40)
    with pytest.raises(ValueError, match="constant in single precision"):
        csb.AdaBoost(2, ErrorPrunedTree()).fit(1e8 + 1e-3 * X, y)


def test_pruned_trees_are_smaller_and_no_worse_on_noise():
    X, y = load_iris(return_X_y=True)
    noisy = np.where(np.random.default_rng(0).random(150) < 0.2, (y + 1) % 3, y)
    for learner in (PrunedTree(random_state=0), ErrorPrunedTree(random_state=0)):
        whole = plain(0).fit(X, noisy)
        assert learner.fit(X, noisy).score(X, y) > whole.score(X, y)


@pytest.mark.parametrize(
    "learner, message",
    [
        (PrunedTree(cv=1), "cv=1"), (PrunedTree(criterion="error"), "criterion='error'"),
        (ErrorPrunedTree(1.0), "confidence"), (ErrorPrunedTree(math.nan), "confidence"),
        (ErrorPrunedTree(min_weight_leaf=0), "min_weight_leaf=0"),
        (PrunedTree(min_samples_leaf=0), "min_samples_leaf=0"),
        (PrunedTree(random_state="x"), "random_state"),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(learner, message):
    with pytest.raises(ValueError, match=message):
        learner.fit(*problem(20))


COPIES = {
    f"check_sample_weight_equivalence_on_{kind}_data": "copies of an example fall into different folds"
    for kind in ("dense", "sparse")
}
CHECKS = [
    pytest.param(estimator, check, id=f"{type(model).__name__}-{getattr(check, 'func', check).__name__}")
    for model, failing in ((PrunedTree(cv=2), COPIES), (ErrorPrunedTree(), {}))
    for estimator, check in estimator_checks_generator(model, expected_failed_checks=failing, mark="skip")
]


@pytest.mark.deep
@pytest.mark.parametrize("estimator, check", CHECKS)
def test_scikit_learn_conventions(estimator, check):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        check(estimator)


def test_a_leaf_that_must_weigh_more_than_half_leaves_the_root():
    X = np.repeat([[0.0], [1.0]], 10, axis=0)
    assert ErrorPrunedTree(min_weight_leaf=11).fit(X, X[:, 0]).predict(X).tolist() == [0.0] * 20
    assert ErrorPrunedTree(min_weight_leaf=10).fit(X, X[:, 0]).predict(X).tolist() == X[:, 0].tolist()
