"""The trees against exact fractions, scikit-learn and what must not change them."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import csb
from csb.engine.binning import bin_features
from csb.engine.learners import Tree, bind_learner
from csb.engine.learners import tree as tree_file

TIE = Fraction(1, 10**12)


def grown(X, y, w, **settings):
    """One tree and what it predicts, 0 or 1."""
    w = np.asarray(w, float)
    (tree,), predicted = bind_learner(Tree(**settings), X, np.asarray(y, np.int8)).fit(w[np.newaxis])
    return tree, predicted[0]


def nested(tree, node=0):
    """A tree as tuples: the sign of a leaf, or feature, threshold and both sides."""
    if tree.right[node] == 0:
        return int(tree.sign[node])
    sides = nested(tree, node + 1), nested(tree, tree.right[node])
    return int(tree.feature[node]), float(tree.threshold[node]), *sides


def impurity(rows):
    """Weighted Gini impurity, halved, of pairs of label and weight."""
    masses = [sum((w for y, w in rows if y == label), Fraction(0)) for label in (0, 1)]
    return masses[0] * masses[1] / sum(masses)


def exact_tree(X, y, w, depth):
    """What ``nested`` gives, by the definition, in fractions."""
    X, y, w = (np.asarray(each)[np.asarray(w) > 0] for each in (X, y, w))
    rows = list(zip(y.tolist(), map(Fraction, w.tolist()), strict=True))
    total = impurity(rows)
    splits = {}
    for f in range(X.shape[1] if depth > 0 and total > 0 else 0):
        values = np.unique(X[:, f])
        decrease = {}
        for below, beyond in zip(values, values[1:], strict=False):
            sides = [
                [row for row, x in zip(rows, X[:, f], strict=True) if (x > below) == up] for up in (0, 1)
            ]
            decrease[0.5 * below + 0.5 * beyond] = total - impurity(sides[0]) - impurity(sides[1])
        if decrease:
            best = max(decrease.values())
            splits[f] = best, min(at for at in decrease if decrease[at] >= best - TIE * total)
    if not splits:
        signed = sum(weight if label else -weight for label, weight in rows)
        return 1 if signed > TIE * sum(weight for _, weight in rows) else -1
    best = max(decrease for decrease, _ in splits.values())
    f = min(f for f, (decrease, _) in splits.items() if decrease >= best - TIE * total)
    above = X[:, f] > splits[f][1]
    return f, splits[f][1], *(exact_tree(X[side], y[side], w[side], depth - 1) for side in (~above, above))


WEIGHTS = {
    "equal": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "uneven": lambda rng, n: rng.gamma(0.5, size=n) + 1e-9,
    "steep": lambda rng, n: np.exp(rng.uniform(-640, 0, n)),
    "subnormal": lambda rng, n: np.where(rng.random(n) < 0.5, 5e-324 * rng.integers(0, 9, n), rng.random(n)),
}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", WEIGHTS)
def test_tree_is_that_of_exact_fractions(kind, seed):
    rng = np.random.default_rng(seed)
    n = 40
    X = rng.normal(size=(n, 5)).round(rng.integers(0, 3)) + 0.0  # no negative zero
    X[:, 1], X[:, 2] = 7.0, X[:, 3]  # constant; a tie, which the lower wins
    y = (X[:, 0] + X[:, 3] + rng.normal(size=n) > 0).astype(np.int8)
    w = WEIGHTS[kind](rng, n)
    w[:2] = 1.0
    w /= w.sum()
    depth = 1 + seed % 4
    tree, predicted = grown(X, y, w, max_depth=depth)
    assert nested(tree) == exact_tree(X, y, w, depth)
    assert tree.predict(X).tolist() == (2.0 * predicted - 1).tolist()


@pytest.mark.parametrize(
    ("d", "max_depth"), [(1, 12), (2, 4), (3, 1), (4, 4), (5, 3), (9, 4)]
)  # of many features, several tell the few rows of a deep node apart
def test_tree_is_scikit_learns_where_nothing_ties(d, max_depth):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(900, d)).astype(np.float32).astype(float)  # as it rounds them
    new = rng.normal(size=(900, d)).astype(np.float32).astype(float)
    y = (X.sum(axis=1) + rng.normal(size=900) > 0).astype(np.int8)
    w = rng.gamma(1.0, size=900)
    tree, predicted = grown(X[:600], y[:600], w[:600] / w[:600].sum(), max_depth=max_depth)
    theirs = DecisionTreeClassifier(max_depth=max_depth).fit(X[:600], y[:600], w[:600])
    np.testing.assert_array_equal(predicted, theirs.predict(X[:600]))
    np.testing.assert_array_equal(tree.predict(new) > 0, theirs.predict(new))


def test_boosted_trees_are_those_of_scikit_learns():
    X, y = make_classification(400, 6, n_informative=4, flip_y=0.2, random_state=0)
    X = X.astype(np.float32).astype(float)
    ours = csb.AdaC1(3, n_estimators=12, estimator=Tree(3)).fit(X, y)
    theirs = csb.AdaC1(3, n_estimators=12, estimator=DecisionTreeClassifier(max_depth=3), random_state=0).fit(
        X, y
    )
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-9)


def test_as_many_values_as_codes_of_two_bytes_tell_apart():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.permutation(np.arange(66_000) % 65_535), rng.integers(0, 300, 66_000)]).astype(
        float
    )
    y = (np.sin(X[:, 0] / 9000) + X[:, 1] / 300 + rng.normal(size=len(X)) > 0.5).astype(np.int8)
    w = rng.gamma(1.0, size=len(X))
    tree, predicted = grown(X, y, w / w.sum())
    theirs = DecisionTreeClassifier(max_depth=5).fit(X, y, w)
    np.testing.assert_array_equal(predicted, theirs.predict(X))
    np.testing.assert_array_equal(tree.predict(X) > 0, predicted)
    used = theirs.tree_.threshold[theirs.tree_.feature >= 0]
    np.testing.assert_allclose(np.sort(tree.threshold[tree.right > 0]), np.sort(used))


def test_at_any_number_of_values_a_tree_sees_their_order_only():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70_000, 2))
    y = (X.sum(axis=1) + rng.normal(size=len(X)) > 0).astype(np.int8)
    w = np.where(rng.random(len(X)) < 0.2, 0.0, rng.gamma(1.0, size=len(X)))
    tree, predicted = grown(X, y, w / w.sum())
    data = bin_features(X)
    _, by_number = grown(data.codes.T.astype(float), y, w / w.sum())
    np.testing.assert_array_equal(predicted[w > 0], by_number[w > 0])
    np.testing.assert_array_equal(tree.predict(X) > 0, predicted)


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("wide", [0, 1])
@pytest.mark.parametrize("kind", ["equal", "two"])
def test_features_that_tie_do_so_however_many_rows_are_added_up(kind, wide, compiled):
    """Of two columns with the same best cut, one has as many values as rows and the other two."""
    rng = np.random.default_rng(0)
    n = 500_001
    x = rng.permutation(n).astype(float)
    X = np.column_stack([x, x > 0.37 * n] if wide == 0 else [x > 0.37 * n, x])
    y = ((x > 0.37 * n) ^ (x % 7 == 0)).astype(np.int8)
    w = np.ones(n) if kind == "equal" else np.where(x % 3 == 0, 0.3, 1.0)
    bound = bind_learner(Tree(1), X, y)
    grow = tree_file.grow_tree if compiled else tree_file._grow_tree_in_arrays
    arguments = bound.codes, bound.n_codes, bound.first, bound.data.codes, bound.data.values, w / w.sum(), y
    with np.errstate(all="ignore"):
        feature, threshold, *_ = grow(*arguments, 1, np.empty(n, np.uint8))
    assert (feature[0], threshold[0]) == (0, 185_000.5 if wide == 0 else 0.5)


@pytest.mark.parametrize("n", [500, 70_000])
def test_with_other_labels_it_is_as_if_bound_to_them(n):
    rng = np.random.default_rng(2)
    X, first, second = rng.normal(size=(n, 2)), rng.integers(0, 2, n), rng.integers(0, 8, n) == 0
    w = rng.gamma(1.0, size=(1, n)) / n
    weights = w / w.sum()
    other = bind_learner(Tree(3), X, first.astype(np.int8)).relabelled(second.astype(np.int8))
    anew = bind_learner(Tree(3), X, second.astype(np.int8))
    assert pickle.dumps(other.fit(weights)) == pickle.dumps(anew.fit(weights))


def boosted_weights(rng, n_models, n):
    weights = rng.gamma(0.5, size=(n_models, n)) * (rng.random((n_models, n)) < 0.7)
    weights[:, :2] = 1e-3
    return weights / weights.sum(axis=1, keepdims=True)


def test_rows_without_weight_are_absent_and_no_model_knows_another():
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 7)).round(1), rng.integers(0, 2, 300).astype(np.int8)
    weights = boosted_weights(rng, 9, 300)
    bound = bind_learner("tree", X, y)
    trees, predicted = bound.fit(weights)
    for tree, p, w in zip(trees, predicted, weights, strict=True):
        alone, p_alone = bound.fit(w[np.newaxis])
        absent, _ = grown(X[w > 0], y[w > 0], w[w > 0])
        assert pickle.dumps(alone[0]) == pickle.dumps(tree) == pickle.dumps(absent)
        np.testing.assert_array_equal(p_alone[0], p)
        np.testing.assert_array_equal(tree.predict(X) > 0, p)


def test_scale_of_the_features_and_their_layout_do_not_matter():
    rng = np.random.default_rng(3)
    X, y = rng.integers(-9, 9, size=(200, 3)).astype(float), rng.integers(0, 2, 200)
    w = rng.gamma(1.0, size=200)
    tree, predicted = grown(X, y, w / w.sum())
    for factor in (2.0**-1060, 2.0**1019):
        scaled, p = grown(X * factor, y, w / w.sum())
        np.testing.assert_array_equal(p, predicted)
        np.testing.assert_array_equal(scaled.predict(np.asfortranarray(X * factor)), tree.predict(X))


def test_between_neighbouring_numbers_the_lower_is_the_threshold():
    low = np.nextafter(1.0, 2.0)  # the mean of it and the next is rounded to the next
    tree, predicted = grown(np.array([[low], [np.nextafter(low, 2.0)]]), [0, 1], [0.5, 0.5])
    assert nested(tree) == (0, low, -1, 1) and predicted.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("X", "y", "w", "sign"),
    [
        ([[3.0]], [1], [1.0], 1),
        ([[3.0]], [0], [1.0], -1),
        ([[1.0], [2.0]], [1, 1], [0.5, 0.5], 1),
        ([[1.0], [2.0]], [1, 0], [1.0, 0.0], 1),
        ([[5.0], [5.0], [5.0]], [1, 0, 1], [0.3, 0.3, 0.4], 1),
        ([[5.0], [5.0]], [1, 0], [0.5, 0.5], -1),
    ],
    ids=["one row", "one row, negative", "pure", "pure by weight", "constant", "balanced"],
)
def test_nothing_to_split(X, y, w, sign):
    tree, predicted = grown(np.array(X, float), y, w)
    assert nested(tree) == sign and set(predicted.tolist()) == {(sign + 1) // 2}


def test_a_split_may_decrease_nothing():
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1.0]])
    tree, _ = grown(X, [0, 1, 1, 0], np.full(4, 0.25), max_depth=2)
    assert nested(tree) == (0, 0.5, (1, 0.5, -1, 1), (1, 0.5, 1, -1))


def test_a_tree_deep_enough_tells_all_rows_apart():
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    _, predicted = grown(X, y, np.full(300, 1 / 300), max_depth=10**6)
    np.testing.assert_array_equal(predicted, y)


def test_the_depth_is_a_parameter_like_any_other():
    X, y = make_classification(120, 4, random_state=0)
    model = csb.AdaBoost(4, estimator=Tree())
    by_name = csb.AdaBoost(4, estimator="tree").fit(X, y).decision_function(X)
    np.testing.assert_array_equal(clone(model).fit(X, y).decision_function(X), by_name)
    search = GridSearchCV(model, {"estimator__max_depth": [1, 2]}, cv=3).fit(X, y)
    assert search.best_params_["estimator__max_depth"] in (1, 2)
    depth_one = model.set_params(estimator__max_depth=1).fit(X, y)
    assert all(len(tree.feature) <= 3 for tree in depth_one.estimators_)
    with pytest.raises(ValueError, match=r"fitted with estimator=Tree\(max_depth=1\)"):
        depth_one.set_params(estimator=Tree(2)).predict(X)


@pytest.mark.parametrize("expansion", ["per_label", "one_hot"])
@pytest.mark.parametrize("cls", [csb.LpCSB, csb.LpCSBPA, csb.GBSE])  # the labels of the last two change
def test_pairs_are_learnt_as_by_scikit_learns_tree(cls, expansion):
    rng = np.random.default_rng(5)
    X, y = load_iris(return_X_y=True)
    X = (X + rng.normal(0, 0.01, X.shape)).astype(np.float32).astype(float)  # no ties
    weights, costs = rng.uniform(0.5, 2, len(X)), rng.uniform(0.5, 2, (len(X), 3))
    costs[np.arange(len(X)), y] = 0
    scores = [
        cls(estimator=learner, n_estimators=4, expansion=expansion, random_state=0)
        .fit(X, y, weights, cost=costs)
        .decision_function(X)
        for learner in (Tree(2), DecisionTreeClassifier(max_depth=2))
    ]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (csb.AdaBoost(estimator=Tree(0)), "max_depth=0: allowed is an integer from 1"),
        (csb.AdaBoost(estimator=Tree(2.5)), "max_depth=2.5"),
        (csb.AdaBoost(estimator=Tree(None)), "max_depth=None"),
        (csb.LpCSB(estimator=Tree("deep")), "max_depth='deep'"),
        (csb.AdaBoost(estimator=Tree), "estimator=.*Tree"),
        (csb.AdaBoost(estimator="tree", n_jobs=2), "n_jobs=2: estimator='tree'"),
        (csb.CSAda(estimator=Tree(2), selection="joint"), "joint.*estimator='stump'"),
        (csb.LpCSBA(estimator=Tree(2)), r"estimator=Tree\(max_depth=2\).*multiclass"),
        (csb.LogitBoost(estimator=Tree(2)), r"estimator=Tree\(max_depth=2\).*regressor"),
    ],
    ids=lambda each: None if isinstance(each, str) else type(each).__name__,
)
def test_what_it_cannot_do_is_refused(model, message):
    X, y = make_classification(60, 4, random_state=0)
    with pytest.raises(ValueError, match=message):
        model.fit(X, y)
