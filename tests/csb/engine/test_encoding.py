"""Bins of hostile columns, beside plain numpy: np.unique, np.cumsum, np.searchsorted."""

import numpy as np
import pytest

from csb.engine import threads
from csb.engine.binning import bin_features, distinct_values, encode, order_ties, split_classes


def hostile_columns(rng, n):
    """Columns that differ in tails, ties, clusters, signs of zero and size."""
    z = rng.normal(size=n)
    half = rng.random(n) < 0.5
    return {
        "normal": z,
        "heavy tail": rng.standard_cauchy(n) ** 3,
        "uniform": rng.random(n),
        "whole numbers": rng.integers(0, 40, n).astype(float),
        "grid": np.round(z, 2),
        "one common value": np.where(rng.random(n) < 0.7, 0.0, z),
        "both zeros": np.where(rng.random(n) < 0.1, z, np.where(half, 0.0, -0.0)),
        "far clusters": np.where(half, z, 1000 + 1e-9 * z),
        "neighbours": 1 + np.floor(abs(z) * 1000) * np.finfo(float).eps,
        "subnormal": np.round(z * 1000) * 5e-324,
        "huge": np.clip(z, -4, 4) * 4e307,
        "tiny and huge": np.where(half, z * 1e307, z * 1e-310),
        "constant": np.full(n, 3.0),
        "sorted": np.sort(z),
        "cyclic": (np.arange(n) * 7 % 65_537).astype(float),
    }


def naive_ends(values, y, weights, max_bins):
    """Smallest and largest values of the bins, as the docstring of ``bin_features`` states them."""
    limit, bins = (65_535, 255) if max_bins is None else (max_bins, max_bins)
    distinct = np.unique(values)
    if len(distinct) <= limit:
        return distinct, distinct
    classes = [y == label for label in (0, 1) if (y == label).any()] if bins > 2 else [np.ones(len(y), bool)]

    def cut(rows, count):
        own = np.unique(values[rows])
        chosen = weights[rows]
        chosen = np.ones(len(chosen)) if chosen.min() == chosen.max() else chosen
        order = np.argsort(values[rows], kind="stable")
        last = np.searchsorted(values[rows][order], own, side="right") - 1
        up_to = np.cumsum(chosen[order])[last]
        levels = np.arange(1, count + 1) / (count + 1) - 1e-9
        at, times = np.unique(np.searchsorted(up_to, levels * up_to[-1]), return_counts=True)
        alone = own[at[times > 1]]  # values that fill a part by themselves
        return np.unique(np.r_[own[at], [distinct[distinct < value].max() for value in alone
                                         if value > distinct[0]]])  # fmt: skip

    share = (bins - 1) // len(classes)
    ends = [cut(rows, share) for rows in classes]
    fewest = min(map(len, ends))
    for k, rows in enumerate(classes):
        if len(ends[k]) > fewest and k == np.argmax([*map(len, ends)]):
            ends[k] = cut(rows, bins - 1 - fewest)
            break
    upper = np.unique(np.r_[np.concatenate(ends), distinct[-1]])
    starts = np.r_[0, np.searchsorted(distinct, upper[:-1]) + 1]
    return distinct[starts], upper


def check(X, y, weights, max_bins, data):
    for f, values in enumerate(X.T):
        lower, upper = naive_ends(values, y, weights, max_bins)
        bins = data.n_bins[f]
        np.testing.assert_array_equal(data.upper[f, :bins], upper)
        np.testing.assert_array_equal(data.lower[f, :bins], lower)
        assert np.isnan(data.upper[f, bins:]).all() and np.isnan(data.lower[f, bins:]).all()
        np.testing.assert_array_equal(data.codes[f], np.searchsorted(upper, values))
    assert data.codes.dtype == (np.uint8 if data.n_bins.max() <= 256 else np.uint16)


@pytest.mark.parametrize("n, max_bins", [
    (1, None), (2, 2), (3, None), (65, 2), (65, 3), (500, 5), (500, None), (3000, 16), (3000, 255),
    (3000, 256), (3000, 257), (3000, 1000), (65_535, None), (65_536, None), (70_000, None), (70_000, 300),
])  # fmt: skip
@pytest.mark.parametrize("share", [0.5, 0.01])
def test_bins_of_hostile_columns_are_those_of_plain_numpy(n, max_bins, share, monkeypatch):
    rng = np.random.default_rng(n)
    X = np.column_stack(list(hostile_columns(rng, n).values()))
    y = (rng.random(n) < share).astype(np.int8)
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 0)
    for weights, n_jobs in ((np.ones(n), 1), (rng.gamma(0.5, size=n) + 1e-9, 3)):
        check(X, y, weights, max_bins, bin_features(X, y, weights, max_bins, n_jobs))


@pytest.mark.parametrize("max_bins", [None, 2, 16, 255])
def test_single_precision_is_binned_as_the_same_numbers_in_double(max_bins):
    rng = np.random.default_rng(0)
    with np.errstate(over="ignore"):
        X = np.column_stack(list(hostile_columns(rng, 3000).values())).astype(np.float32)
    X = X[:, np.isfinite(X).all(axis=0)]
    y = rng.integers(0, 2, 3000).astype(np.int8)
    weights = rng.gamma(0.5, size=3000) + 1e-9
    check(X.astype(float), y, weights, max_bins, bin_features(X, y, weights, max_bins))


@pytest.mark.parametrize("bins", [1, 2, 3, 255, 256, 257, 65_535])
@pytest.mark.parametrize("n", [1, 63, 64, 65, 1000])
def test_codes_are_those_of_searchsorted(bins, n):
    rng = np.random.default_rng(bins + n)
    upper = np.sort(rng.standard_cauchy(bins) ** 3)
    near = np.nextafter(upper[rng.integers(0, bins, n)], rng.choice([-np.inf, np.inf], n))
    for values in (upper[rng.integers(0, bins, n)], near, rng.standard_cauchy(n) ** 3):
        values = np.minimum(values, upper[-1])
        codes = np.empty(n, np.uint16)
        encode(values, upper, codes)
        np.testing.assert_array_equal(codes, np.searchsorted(upper, values))


@pytest.mark.parametrize("kind", [np.float32, np.float64])
@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_parts_of_a_column(kind, share):
    rng = np.random.default_rng(2)
    values = rng.integers(-20, 20, 500).astype(kind)
    values[values == 0] = -0.0
    positive = rng.random(500) < share
    parts = np.empty_like(values)
    split_classes(values, positive.view(np.uint8), int((~positive).sum()), parts)
    np.testing.assert_array_equal(parts, np.r_[values[~positive], values[positive]])
    assert not np.signbit(parts[parts == 0]).any()
    negative, others = np.sort(values[~positive]), np.sort(values[positive])
    for room in (1, 5, 500):
        out = np.empty(room, kind)
        found = distinct_values(negative, others, out)
        np.testing.assert_array_equal(out[:found], np.unique(values)[:room])
    order = np.lexsort((-np.arange(500), values))  # equal values backwards
    order_ties(values[order], order)
    np.testing.assert_array_equal(order, np.argsort(values, kind="stable"))
