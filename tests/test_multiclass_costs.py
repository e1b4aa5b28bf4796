"""Cost matrices, rows of costs, decisions under them and the class frequency model."""

import numpy as np
import pandas as pd
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from csb.estimators.multiclass import LpCSBA
from csb.multiclass_costs import (
    average_costs,
    check_cost_matrix,
    check_cost_rows,
    class_frequency_costs,
    least_cost_decision,
    mean_cost,
)

ABC = ["a", "b", "c"]
C = np.array([[0.0, 1.0, 2.0], [3.0, 0.5, 4.0], [5.0, 6.0, 1.0]])


def test_no_matrix_means_that_every_error_costs_one():
    np.testing.assert_array_equal(check_cost_matrix(None, ABC), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


def test_a_frame_is_read_by_its_labels_and_may_hold_more_classes():
    frame = pd.DataFrame(C, ABC, ABC)
    np.testing.assert_array_equal(check_cost_matrix(frame.loc[["c", "a", "b"], ["b", "c", "a"]], ABC), C)
    np.testing.assert_array_equal(check_cost_matrix(frame, ["a", "c"]), [[0, 2], [5, 1]])


BAD_MATRICES = {
    "negative": (C - 3, "cost_matrix holds -3:"),
    "nan": (np.where(C == 4, np.nan, C), "cost_matrix.*NaN"),
    "infinite": (np.where(C == 4, np.inf, C), "cost_matrix.*infinity"),
    "words": ([["much", 1, 1]] * 3, "cost_matrix"),
    "one number": (5.0, "cost_matrix"),
    "too small": (C[:2, :2], "2 columns: allowed are 3"),
    "too few rows": (C[:2], r"shape \(2, 3\): allowed is \(3, 3\)"),
    "nothing at stake": (np.ones((3, 3)), "nothing to learn"),
    "true and predicted exchanged": (
        [[0, 0, 0], [0, 2, 0], [0, 0, 0]], "in row 1 the right class 'b' costs 2 and 'a' costs 0"
    ),
    "class missing in the index": (pd.DataFrame(C, ["a", "b", "d"], ABC), r"index holds \['a', 'b', 'd'\]"),
    "class missing in the columns": (pd.DataFrame(C, ABC, ["a", "x", "c"]), r"columns holds \['a', 'x'"),
    "class given twice": (pd.DataFrame(np.zeros((4, 3)), [*ABC, "a"], ABC), "one entry for each"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_MATRICES)
def test_inadmissible_matrices_are_refused_with_the_reason(case):
    matrix, message = BAD_MATRICES[case]
    with pytest.raises(ValueError, match=message):
        check_cost_matrix(matrix, ABC)


@pytest.mark.parametrize(
    "rows, message",
    [
        ([[0, 1, 2]], "1 rows: allowed are 2"),
        ([[0, 1], [1, 0]], "cost has 2 columns: allowed are 3"),
        ([[0, 1, 2], [0, 1, -2]], "cost holds -2:"),
        ([[0, 1, 2], [0, 1, 2]], "in row 1 the right class 'c' costs 2 and 'a' costs 0"),
        ([[0, 1, 2], [0, 1, np.nan]], "cost.*NaN"),
        ([[3, 3, 3], [2, 2, 2]], "nothing to learn"),
    ],
)
def test_inadmissible_rows_are_refused_with_the_reason(rows, message):
    with pytest.raises(ValueError, match=message):
        check_cost_rows(rows, np.array([0, 2]), ABC)


def test_admissible_rows_pass_unchanged_ties_included():
    rows = [[1, 1, 2], [3, 2, 0]]
    np.testing.assert_array_equal(check_cost_rows(rows, np.array([1, 2]), ABC), rows)
    np.testing.assert_array_equal(average_costs(np.array([[0.0, 1.0, 2.0], [7.0, 0.0, 0.0]])), [1.5, 3.5])


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


def test_class_frequency_costs_are_uniform_up_to_the_ratio_of_frequencies():
    y = np.repeat(ABC, [60, 30, 10])
    drawn = np.array([class_frequency_costs(y, seed) for seed in range(400)])
    for i, true in enumerate((0.6, 0.3, 0.1)):
        for j, predicted in enumerate((0.6, 0.3, 0.1)):
            costs, top = drawn[:, i, j], 2000 * predicted / true
            if i == j:
                assert not costs.any()
            else:
                assert costs.min() >= 0 and 0.98 * top < costs.max() <= top
                assert costs.mean() == pytest.approx(top / 2, rel=0.1)


def test_class_frequency_costs_are_seeded_labelled_and_scaled():
    y = np.repeat(ABC, [60, 30, 10])
    one = class_frequency_costs(y, 7)
    pd.testing.assert_frame_equal(one, class_frequency_costs(y[::-1], 7))
    assert list(one.index) == list(one.columns) == ABC
    np.testing.assert_allclose(class_frequency_costs(y, 7, scale=1.0), one / 2000)
    assert not np.allclose(one, class_frequency_costs(y, 8))
    with pytest.raises(ValueError, match="scale=0"):
        class_frequency_costs(y, scale=0)
    with pytest.raises(ValueError, match="one class"):
        class_frequency_costs(["a", "a"])
