"""Intervals against scipy, against simulated coverage, and on bad input."""

import numpy as np
import pytest
from scipy import stats

from csb.evaluation.intervals import mean_interval


def test_independent_values_as_scipy_has_it():
    values = np.random.default_rng(0).normal(size=17)
    ends = stats.t.interval(0.9, 16, values.mean(), stats.sem(values))
    np.testing.assert_allclose(mean_interval(values, level=0.9)[1:], ends)


def test_splits_widen_it_by_the_ratio_of_the_parts():
    values = np.array([1.0, 2.0, 4.0, 7.0])
    mean, low, high = mean_interval(values, test_ratio=1 / 3)
    variance = (1 / 4 + 1 / 3) * 7.0  # s^2 = 21 / 3
    assert (mean, high) == pytest.approx((3.5, 3.5 + 3.182446 * np.sqrt(variance)), rel=1e-6)
    assert mean - low == pytest.approx(high - mean)


def test_covers_as_often_as_it_says():
    draws = np.random.default_rng(1).exponential(size=(4000, 40))
    interval = mean_interval(draws, axis=1)
    assert abs(np.mean((interval.low < 1) & (interval.high > 1)) - 0.95) < 0.03
    assert interval.mean.shape == (4000,)


@pytest.mark.parametrize(
    ("values", "options", "named"),
    [
        ([1.0], {}, "at least two"),
        (3.0, {}, "at least two"),
        ([1, 2], {"test_ratio": -1}, "test_ratio"),
        ([1, 2], {"test_ratio": np.nan}, "test_ratio"),
        ([1, 2], {"level": 1.0}, "level"),
    ],
)
def test_bad_input_is_named(values, options, named):
    with pytest.raises(ValueError, match=named):
        mean_interval(values, **options)
