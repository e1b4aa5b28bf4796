"""Intervals against scipy, against simulated coverage, and on bad input."""

import numpy as np
import pytest
from scipy import stats

from csb.evaluation.intervals import case_interval, mean_interval


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


def naive_case_interval(values, weights, clusters):
    """Sums over the clusters, their moments and Hall's transformation, one after the other."""
    total = sum(weights)
    mean = sum(w * v for w, v in zip(weights, values, strict=True)) / total
    sums = {}
    for v, w, g in zip(values, weights, clusters, strict=True):
        sums[g] = sums.get(g, 0.0) + w * (v - mean)
    count = len(sums)
    each = [u * count / total for u in sums.values()]
    second, third = (sum(u**k for u in each) / count for k in (2, 3))
    error = (second * count / (count - 1) / count) ** 0.5
    a = third / second**1.5 / count**0.5
    ends = []
    for q in (stats.t.ppf(0.975, count - 1), stats.t.ppf(0.025, count - 1)):
        inner = 1 + a * q - a * a / 6
        ends.append(mean - error * 3 / a * (np.sign(inner) * abs(inner) ** (1 / 3) - 1))
    return mean, *ends


def test_of_cases_as_a_naive_loop_has_it():
    random = np.random.default_rng(5)
    for _ in range(50):
        n = random.integers(8, 60)
        values = random.exponential(size=n) * (random.random(n) < 0.7)
        weights, clusters = random.integers(1, 4, n).astype(float), random.permutation(n) % (n // 2)
        expected = naive_case_interval(values, weights, clusters)
        np.testing.assert_allclose(
            case_interval(values, sample_weight=weights, clusters=clusters), expected, rtol=1e-10
        )
        absent = np.concatenate([weights, np.zeros(2)]), np.append(clusters, [0, 99])
        again = case_interval(np.append(values, [7.0, 8.0]), sample_weight=absent[0], clusters=absent[1])
        np.testing.assert_allclose(again, expected, rtol=1e-10)


def test_without_skewness_it_is_that_of_student():
    values = np.concatenate([np.arange(-9.0, 10.0), [40.0, -40.0]])
    found = case_interval(values + 3)
    np.testing.assert_allclose(found, np.add(mean_interval(values), 3), rtol=1e-12)
    mirrored = np.random.default_rng(6).exponential(size=30)
    mean, low, high = case_interval(mirrored)
    np.testing.assert_allclose(case_interval(-mirrored), [-mean, -high, -low], rtol=1e-12)
    assert high - mean > mean - low > 0
    assert case_interval(np.full(7, 0.1)) == pytest.approx((0.1, 0.1, 0.1))


LAWS = {
    "12 of 300": (lambda random, n: 5.0 * (random.random(n) < 0.04), 0.2, 0.94),
    "amounts": (
        lambda random, n: (random.random(n) < 0.15) * np.exp(random.normal(2, 1, n)),
        0.15 * np.exp(2.5),
        0.92,
    ),
    "differences": (
        lambda random, n: np.where(random.random(n) < 0.15, -np.exp(random.normal(2, 1, n)), 0.25),
        0.85 * 0.25 - 0.15 * np.exp(2.5),
        0.92,
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_covers_the_mean_of_skewed_losses_where_students_does_not(name):
    draw, mean, least = LAWS[name]
    random = np.random.default_rng(7)
    inside = {"cases": 0, "student": 0}
    for _ in range(2000):
        values = draw(random, 300)
        for key, found in (("cases", case_interval(values)), ("student", mean_interval(values))):
            inside[key] += found.low <= mean <= found.high
    assert inside["cases"] / 2000 > least
    assert inside["cases"] > inside["student"]


def test_cases_of_a_group_are_not_so_many_cases():
    random = np.random.default_rng(8)
    groups = np.repeat(np.arange(40), 10)
    inside = np.zeros(2)
    for _ in range(1000):
        values = random.normal(size=40)[groups] + random.normal(size=400)
        for k, clusters in enumerate((groups, None)):
            found = case_interval(values, clusters=clusters)
            inside[k] += found.low <= 0 <= found.high
    assert 0.93 < inside[0] / 1000 < 0.97
    assert inside[1] / 1000 < 0.7


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


@pytest.mark.parametrize(
    ("values", "options", "named"),
    [
        ([1.0], {}, "clusters: there is 1; an interval needs at least two"),
        ([1.0, 2.0], {"clusters": ["a", "a"]}, "clusters: there is 1"),
        ([1.0, 2.0], {"sample_weight": [1, 0]}, "clusters: there is 1"),
        ([1.0, 2.0], {"clusters": [1]}, "clusters has 1 labels: allowed are 2"),
        ([[1.0, 2.0]], {}, "values has shape"),
        ([1.0, np.nan], {}, "values"),
        ([1, 2], {"level": 1.0}, "level"),
    ],
)
def test_bad_cases_are_named(values, options, named):
    with pytest.raises(ValueError, match=named):
        case_interval(values, **options)
