"""Decisions of least expected cost, and the cost of decisions, against loops and another package."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from csb.costs import class_frequency_costs
from csb.estimators.multiclass import LpCSBA
from csb.evaluation.decisions import least_cost_decision, mean_cost

ABC = ["a", "b", "c"]
C = np.array([[0.0, 1.0, 2.0], [3.0, 0.5, 4.0], [5.0, 6.0, 1.0]])


def test_mean_cost_is_what_a_loop_adds_up():
    rng = np.random.default_rng(0)
    true, said, weight = rng.choice(ABC, 50), rng.choice(ABC, 50), rng.uniform(0, 2, 50)
    paid = sum(w * C[ABC.index(t), ABC.index(s)] for t, s, w in zip(true, said, weight, strict=True))
    for matrix in (C, pd.DataFrame(C, ABC, ABC).loc[::-1]):
        assert mean_cost(true, said, matrix, sample_weight=weight) == pytest.approx(paid / weight.sum())
    assert mean_cost(["a", "a"], ["a", "b"], C, labels=ABC) == 0.5
    assert mean_cost(true, said) == pytest.approx(np.mean(true != said))
    with pytest.raises(ValueError, match=r"hold \['x'\]: allowed are \['a', 'b', 'c'\]"):
        mean_cost(["a"], ["x"], C, labels=ABC)


def test_decision_is_the_first_class_of_least_expected_cost():
    rng = np.random.default_rng(1)
    probability = rng.dirichlet(np.ones(3), 200)
    for p, chosen in zip(probability, least_cost_decision(probability, C), strict=True):
        expected = [sum(p[c] * C[c, y] for c in range(3)) for y in range(3)]
        assert chosen == expected.index(min(expected))
    np.testing.assert_array_equal(least_cost_decision([[0.5, 0.5]], [[0, 1], [1, 0]]), [0])
    with pytest.raises(ValueError, match="summing to one"):
        least_cost_decision([[0.5, 0.6]], [[0, 1], [1, 0]])


def test_costs_are_handled_as_by_the_costsensitive_package():
    costsensitive = pytest.importorskip("costsensitive", reason="an outside implementation, needs a compiler")
    rng = np.random.default_rng(2)
    X = rng.integers(12, size=(600, 1)).astype(float)
    y = np.array([rng.choice(4, p=p) for p in rng.dirichlet(np.ones(4), 12)[X[:, 0].astype(int)]])
    matrix = class_frequency_costs(y, random_state=3).to_numpy()
    theirs = costsensitive.RegressionOneVsRest(DecisionTreeRegressor()).fit(X, matrix[y]).predict(X)
    probability = DecisionTreeClassifier().fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(least_cost_decision(probability, matrix), theirs)
    full_tree = DecisionTreeClassifier()
    for p, rounds in ((1, 1), (2, 200)):
        model = LpCSBA(matrix, p, rounds, full_tree, step="1/t" if p == 1 else "linesearch").fit(X, y)
        np.testing.assert_array_equal(model.predict(X), theirs)
        by_rows = LpCSBA(None, p, rounds, full_tree, step=model.step).fit(X, y, cost=matrix[y])
        np.testing.assert_array_equal(by_rows.predict(X), theirs)
    assert len(set(theirs)) > 1 and np.any(theirs != np.argmax(probability, axis=1))
