"""Decisions of least expected cost, and the cost of decisions, against loops and another package."""

from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import beta
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from csb.costs import bayes_threshold, class_frequency_costs
from csb.estimators.multiclass import LpCSBA
from csb.evaluation.decisions import (
    least_cost_decision,
    mean_cost,
    miss_rate_threshold,
    risk_control_threshold,
)

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


def test_a_matrix_of_more_classes_than_labels_asks_for_their_names():
    with pytest.raises(ValueError, match=r"cost_matrix.*for the 2 classes of .*, or name all by labels"):
        mean_cost([0, 1], [0, 0], 1 - np.eye(3))
    assert mean_cost([0, 1], [0, 0], 1 - np.eye(3), labels=[0, 1, 2]) == 0.5


def test_a_row_of_weight_zero_costs_nothing_whatever_its_labels():
    true, said, weight = ["a", "b", "c"], ["b", "b", "a"], [1.0, 2.0, 0.0]
    assert mean_cost(true, said, C[:2, :2], sample_weight=weight) == pytest.approx((1 + 2 * 0.5) / 3)
    assert mean_cost(true, said, C, labels=ABC, sample_weight=weight) == pytest.approx(2 / 3)
    with pytest.raises(ValueError, match="cost_matrix"):
        mean_cost(true, said, C[:2, :2])


def test_decision_is_the_first_class_of_least_expected_cost():
    rng = np.random.default_rng(1)
    probability = rng.dirichlet(np.ones(3), 200)
    for p, chosen in zip(probability, least_cost_decision(probability, C), strict=True):
        expected = [sum(p[c] * C[c, y] for c in range(3)) for y in range(3)]
        assert chosen == expected.index(min(expected))
    np.testing.assert_array_equal(least_cost_decision([[0.5, 0.5]], [[0, 1], [1, 0]]), [0])
    with pytest.raises(ValueError, match="summing to one"):
        least_cost_decision([[0.5, 0.6]], [[0, 1], [1, 0]])


def test_ties_go_to_the_first_class_however_sums_are_rounded():
    """All shares in tenths and small whole costs, in fractions; that many are ties by rounding only."""
    tenths = [(a, b, 10 - a - b) for a, b in product(range(11), repeat=2) if a + b <= 10]
    parted = 0
    for costs in product([1, 3, 7], repeat=6):
        matrix = np.zeros((3, 3))
        matrix[~np.eye(3, dtype=bool)] = costs
        expected = [[sum(Fraction(t[c], 10) * int(matrix[c, y]) for c in range(3)) for y in range(3)]
                    for t in tenths[:: 1 + sum(costs) % 3]]  # fmt: skip
        p = np.array(tenths[:: 1 + sum(costs) % 3]) / 10
        first = [row.index(min(row)) for row in expected]
        np.testing.assert_array_equal(least_cost_decision(p, matrix), first)
        parted += np.sum(np.argmin(p @ matrix, axis=1) != first)
    assert parted > 100


@pytest.mark.parametrize("fn, fp", [(1, 1), (7, 3), (3, 7), (49, 1), (0.7, 0.1)])
def test_a_chance_at_the_bayes_threshold_is_negative_as_everywhere(fn, fp):
    """The positive class above it only; a hair more or less decides."""
    c = bayes_threshold(fn, fp)
    p = c * np.array([1 - 1e-13, 1, 1 + 1e-13])
    found = least_cost_decision(np.column_stack([1 - p, p]), [[0, fp], [fn, 0]])
    assert found.tolist() == [0, 0, 1]


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


@pytest.mark.parametrize("seed", range(20))
def test_the_cost_of_a_miss_stays_below_its_limit(seed):
    """Exactly: each of n + 1 exchangeable cases in turn is the next one, ties of scores included."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    score, cost = rng.integers(0, 10, n + 1) / 10, rng.integers(0, 4, n + 1).astype(float)
    for limit in (0.05, 0.3, 1.0):
        paid = []
        for left_out in range(n + 1):
            rest = np.arange(n + 1) != left_out
            threshold = risk_control_threshold(score[rest], cost[rest], limit, 3.0)
            paid.append(cost[left_out] * (score[left_out] < threshold))
        assert np.mean(paid) <= limit


@pytest.mark.parametrize("n", [7, 20, 101])
def test_the_limit_is_nearly_used(n):
    """Positives without ties: what is missed is short of the limit by less than one in n + 1."""
    score = np.random.default_rng(n).permutation(n + 1).astype(float)
    for limit in (0.1, 0.25, 0.5):
        rest = [np.delete(score, left_out) for left_out in range(n + 1)]
        missed = np.mean([
            one < risk_control_threshold(others, np.ones(n), limit)
            for one, others in zip(score, rest, strict=True)
        ])  # fmt: skip
        assert limit - 1 / (n + 1) <= missed <= limit


def test_a_limit_below_one_case_decides_everything_positive():
    assert risk_control_threshold([0.2, 0.9], [1.0, 0.0], 0.3) == -np.inf
    assert risk_control_threshold([0.2, 0.9], [1.0, 0.0], 0.7) == np.inf
    assert risk_control_threshold([0.5] * 9, np.ones(9), 0.2) == 0.5
    assert risk_control_threshold(np.arange(99.0), np.ones(99), 0.29) == 28.0  # 28 missed and the next
    with pytest.raises(ValueError, match="largest=1: allowed is at least 1.5"):
        risk_control_threshold([0.2, 0.9], [1.5, 0.0], 0.9)


def test_with_confidence_it_is_the_order_statistic_that_a_beta_law_allows():
    for n in (1, 5, 29, 60, 400):
        score = np.random.default_rng(n).normal(size=n)
        for limit in (0.01, 0.1, 0.3):
            for sure in (0.5, 0.9, 0.99):
                # the share of positives below the k-th smallest of n
                allowed = [k for k in range(1, n + 1) if beta(k, n + 1 - k).cdf(limit) >= sure]
                expected = sorted(score)[allowed[-1] - 1] if allowed else -np.inf
                assert miss_rate_threshold(score, limit, sure) == expected
    assert miss_rate_threshold([0.5] * 99, 0.1, 0.9) == 0.5
    assert miss_rate_threshold(np.arange(9.0), 0.2) == risk_control_threshold(np.arange(9.0), np.ones(9), 0.2)
