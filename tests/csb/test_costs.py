"""Costs of two classes and of many against brute force and hand-worked numbers."""

import warnings
from inspect import signature

import numpy as np
import pandas as pd
import pytest

import csb
from csb.costs import (
    Costs,
    average_costs,
    bayes_threshold,
    check_cost_matrix,
    check_cost_rows,
    check_costs,
    class_frequency_costs,
    costs_from_skew,
    read_cost_matrix,
    skew,
)
from csb.evaluation.decisions import mean_cost
from csb.inputs import ConstantModelWarning, NotFiniteWarning

ABC = ["a", "b", "c"]
C = np.array([[0.0, 1.0, 2.0], [3.0, 0.5, 4.0], [5.0, 6.0, 1.0]])


@pytest.mark.parametrize("fn_cost, fp_cost", [(5, 1), (1, 3), (0.2, 0.7), (1e6, 1)])
def test_threshold_separates_where_each_decision_is_the_cheaper(fn_cost, fp_cost):
    c = bayes_threshold(fn_cost, fp_cost)
    for p in np.r_[np.random.default_rng(0).random(200), c * (1 + 1e-9), c * (1 - 1e-9)]:
        assert (p > c) == (p * fn_cost > (1 - p) * fp_cost)


def test_skew_is_the_share_of_the_negatives_in_the_cost_at_stake():
    assert skew(1.0, 2.0) == pytest.approx(2 / 3)
    assert skew(4.0, 1.0, prevalence=0.2) == pytest.approx(0.8 / (0.8 + 0.8))
    np.testing.assert_allclose(skew(5.0, 1.0, [0.0, 0.5, 1.0]), [1.0, bayes_threshold(5, 1), 0.0])


def test_duplicating_the_negatives_is_doubling_their_cost():
    # 30 positives, 70 negatives
    assert skew(1.0, 2.0, 0.3) == pytest.approx(skew(1.0, 1.0, 30 / 170))


@pytest.mark.parametrize("prevalence", [0.5, 0.1])
def test_costs_from_skew_invert_it(prevalence):
    z = np.linspace(0.01, 0.99, 25)
    costs = costs_from_skew(z, prevalence)
    np.testing.assert_allclose(skew(*costs, prevalence), z, rtol=1e-12)
    np.testing.assert_allclose(costs.fn_cost + costs.fp_cost, 1)


def test_a_batch_is_broadcast_indexed_and_scaled():
    costs = check_costs([1.0, 5.0, 0.5], 2.0)
    np.testing.assert_array_equal(costs.by_class, [[2, 2, 2], [1, 5, 0.5]])
    np.testing.assert_allclose(costs.threshold, [2 / 3, 2 / 7, 0.8])
    np.testing.assert_array_equal(costs[np.array([2, 0])].fn_cost, [0.5, 1.0])
    np.testing.assert_allclose(costs.scaled(largest=1.0).by_class, [[1, 0.4, 1], [0.5, 1, 0.25]])
    np.testing.assert_allclose(costs.scaled(smallest=1.0).by_class, [[2, 1, 4], [1, 2.5, 1]])
    assert costs.scaled() is costs
    with pytest.raises(TypeError, match="slice"):
        costs[0]


BAD_COSTS = [
    0, -1, np.nan, np.inf, "dear", "5", None, True, [1.0, -2.0], [], 5e-324, 1.79e308, 1e160, 10**400, 1j,
    np.datetime64("2020-02-20"), np.timedelta64(50, "D"),
]  # fmt: skip


@pytest.mark.parametrize("value", [*BAD_COSTS, [[1.0]]], ids=str)
@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
def test_costs_are_positive_numbers_that_can_be_multiplied(name, value):
    with pytest.raises(ValueError, match=name):
        check_costs(**{name: value})


@pytest.mark.parametrize("value", BAD_COSTS, ids=str)
def test_threshold_and_skew_take_no_other_costs(value):
    for call in (bayes_threshold, skew):
        if call is bayes_threshold and value in (0, 5e-324):
            continue  # an error that costs nothing has a threshold too
        with pytest.raises(ValueError, match="fn_cost"):
            call(value, 1.0)
        with pytest.raises(ValueError, match="fp_cost"):
            call(3.0, value)


def test_an_error_that_costs_nothing_is_always_made():
    np.testing.assert_array_equal(bayes_threshold([0, 5e-324, 3, 1e100], [2, 1e100, 0, 5e-324]), [1, 1, 0, 0])
    with pytest.raises(ValueError, match="both zero"):
        bayes_threshold(0, 0)


def test_costs_too_far_apart_are_refused_and_all_others_have_a_threshold_between_zero_and_one():
    for call in (check_costs, skew):
        for pair in ((1e16, 1.0), (1e-8, 1e8), ([1.0, 1e16], 1.0)):
            with pytest.raises(ValueError, match="fn_cost and fp_cost: .*ratio of at most 1e.15"):
                call(*pair)
    for ratio in (1e6, 1e12, 1e15):
        for unit in (1e-85, 1.0, 1e85):
            c = check_costs([ratio * unit, unit], [unit, ratio * unit]).threshold
            assert np.all((0 < c) & (c < 1))
            np.testing.assert_allclose(c, [1 / (1 + ratio), ratio / (1 + ratio)], rtol=1e-14)


COSTLY = [
    name
    for name in csb.__all__
    if hasattr(getattr(csb, name), "_method") and "fn_cost" in signature(getattr(csb, name)).parameters
]


@pytest.mark.parametrize("name", COSTLY)
def test_every_estimator_is_finite_at_the_ends_of_what_is_admissible(name):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    for fn_cost, fp_cost in [(1e15, 1), (1, 1e15), (1e100, 1e85), (1e85, 1e100), (1e-100, 1e-85), (1e12, 1)]:
        model = getattr(csb, name)(fn_cost=fn_cost, fp_cost=fp_cost)
        model.set_params(**{"n_estimators": 8} if hasattr(model, "n_estimators") else {})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantModelWarning)
            warnings.simplefilter("ignore", NotFiniteWarning)
            model.fit(X, y)
        assert np.all(np.isfinite(model.decision_function(X)))
        if hasattr(model, "predict_proba"):
            assert np.all(np.isfinite(model.predict_proba(X)))


@pytest.mark.parametrize(
    "call",
    [
        lambda: skew(1, 1, np.nan),
        lambda: skew(1, 1, 1.5),
        lambda: costs_from_skew(0.0),
        lambda: costs_from_skew(np.nan),
        lambda: costs_from_skew(0.5, prevalence=1.0),
    ],
)
def test_shares_outside_their_range_are_refused(call):
    with pytest.raises(ValueError, match="prevalence|z="):
        call()


def test_costs_compare_as_tuples_of_arrays():
    assert isinstance(check_costs(), Costs)
    assert [array.tolist() for array in check_costs(3)] == [[3.0], [1.0]]


# --- any number of classes ---------------------------------------------------------------------


def test_no_matrix_means_that_every_error_costs_one():
    np.testing.assert_array_equal(check_cost_matrix(None, ABC), [[0, 1, 1], [1, 0, 1], [1, 1, 0]])


def test_a_frame_is_read_by_its_labels_and_may_hold_more_classes():
    frame = pd.DataFrame(C, ABC, ABC)
    np.testing.assert_array_equal(check_cost_matrix(frame.loc[["c", "a", "b"], ["b", "c", "a"]], ABC), C)
    np.testing.assert_array_equal(check_cost_matrix(frame, ["a", "c"]), [[0, 2], [5, 1]])


def test_a_frame_may_name_truth_values():
    y = np.arange(9) % 3 == 0
    frame = pd.DataFrame([[0, 5], [1, 0]], index=[True, False], columns=[True, False])
    np.testing.assert_array_equal(check_cost_matrix(frame, [False, True]), [[0, 1], [5, 0]])
    drawn = class_frequency_costs(y, random_state=0)
    np.testing.assert_array_equal(check_cost_matrix(drawn, [False, True]), drawn)
    assert mean_cost(y, ~y, frame) == 7 / 3
    np.testing.assert_array_equal(csb.LpCSB(drawn, n_estimators=1).fit(np.c_[y], y).predict(np.c_[y]), y)


def test_a_frame_whose_rows_have_no_names_is_refused():
    polars = pytest.importorskip("polars", reason="the frame is one of polars")
    with pytest.raises(ValueError, match="^cost_matrix=.*: allowed is an array, or a frame whose index"):
        read_cost_matrix(polars.DataFrame({"well": [40, 0], "ill": [0, 1]}), ["ill", "well"])


BAD_MATRICES = {
    "negative": (C - 3, "cost_matrix holds -3.0: allowed"),
    "nan": (np.where(C == 4, np.nan, C), "cost_matrix holds nan: allowed"),
    "infinite": (np.where(C == 4, np.inf, C), "cost_matrix holds inf: allowed"),
    "words": ([["much", 1, 1]] * 3, "cost_matrix"),
    "one number": (5.0, "cost_matrix"),
    "a dictionary": ({"a": {"b": 1}}, r"cost_matrix=\{'a'.*allowed is an array, or a frame whose index"),
    "a frame with a gap": (
        pd.DataFrame(np.where(C == 4, np.nan, C), ABC, ABC), "nan in the row 'b' and the column 'c': allowed"
    ),
    "too small": (C[:2, :2], r"shape \(2, 2\): allowed is \(3, 3\)"),
    "too few rows": (C[:2], r"shape \(2, 3\): allowed is \(3, 3\)"),
    "nothing at stake": (np.ones((3, 3)), "nothing to learn"),
    "true and predicted exchanged": (
        [[0, 0, 0], [0, 2, 0], [0, 0, 0]], "in row 1 the right class 'b' costs 2 and 'a' costs 0"
    ),
    "class missing in the index": (
        pd.DataFrame(C, ["a", "b", "d"], ABC), r"cost_matrix misses 'c' in its index, \['a', 'b', 'd'\]"
    ),
    "class missing in the columns": (
        pd.DataFrame(C, ABC, ["a", "x", "c"]), r"cost_matrix misses 'b' in its columns, \['a', 'x'"
    ),
    "class given twice": (
        pd.DataFrame(np.zeros((4, 3)), [*ABC, "a"], ABC), "holds 'a' more than once in its index.*one entry"
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_MATRICES)
def test_inadmissible_matrices_are_refused_with_the_reason(case):
    matrix, message = BAD_MATRICES[case]
    with pytest.raises(ValueError, match=message):
        check_cost_matrix(matrix, ABC)


@pytest.mark.parametrize(
    "rows, message",
    [
        ([[0, 1, 2]], r"cost has shape \(1, 3\): allowed is \(2, 3\)"),
        ([[0, 1], [1, 0]], r"cost has shape \(2, 2\): allowed is \(2, 3\)"),
        ([[0, 1, 2], [0, 1, -2]], "cost holds -2.0: allowed"),
        ([[0, 1, 2], [0, 1, 2]], "in row 1 the right class 'c' costs 2 and 'a' costs 0"),
        ([[0, 1, 2], [0, 1, np.nan]], "cost holds nan: allowed"),
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
