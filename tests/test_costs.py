"""Costs, thresholds and skew against brute force and hand-worked numbers."""

import numpy as np
import pytest

from csb.costs import Costs, bayes_threshold, check_costs, costs_from_skew, skew


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
    np.testing.assert_allclose(costs.log_ratio, np.log([0.5, 2.5, 0.25]))
    np.testing.assert_allclose(costs.threshold, [2 / 3, 2 / 7, 0.8])
    np.testing.assert_array_equal(costs[np.array([2, 0])].fn_cost, [0.5, 1.0])
    np.testing.assert_allclose(costs.scaled(largest=1.0).by_class, [[1, 0.4, 1], [0.5, 1, 0.25]])
    np.testing.assert_allclose(costs.scaled(smallest=1.0).by_class, [[2, 1, 4], [1, 2.5, 1]])
    assert costs.scaled() is costs
    with pytest.raises(TypeError, match="slice"):
        costs[0]


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf, "dear", "5", None, [1.0, -2.0], [[1.0]]])
@pytest.mark.parametrize("name", ["fn_cost", "fp_cost"])
def test_costs_are_finite_positive_numbers(name, value):
    with pytest.raises(ValueError, match=name):
        check_costs(**{name: value})


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
