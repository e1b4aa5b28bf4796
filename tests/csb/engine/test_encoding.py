"""Codes and bins of hostile columns, beside plain numpy."""

import numpy as np
import pytest

from csb.engine import codes, threads
from csb.engine.binning import bin_features
from csb.engine.codes import LANES, CodedData


def hostile_columns(rng, n):
    """Columns that differ in tails, ties, clusters, signs of zero and size."""
    z = rng.normal(size=n)
    half = rng.random(n) < 0.5
    return {
        "normal": z,
        "heavy tail": rng.standard_cauchy(n) ** 3,
        "uniform": rng.random(n),
        "whole numbers": rng.integers(0, 40, n).astype(float),
        **{f"{k} numbers": rng.integers(0, k, n).astype(float) for k in (253, 254, 255, 256, 257)},
        "heavy numbers among others": np.where(half, rng.integers(0, 200, n), z * 100),
        "grid": np.round(z, 2),
        "one common value": np.where(rng.random(n) < 0.7, 0.0, z),
        "both zeros": np.where(rng.random(n) < 0.1, z, np.where(half, 0.0, -0.0)),
        "far clusters": np.where(half, z, 1000 + 1e-9 * z),
        "neighbours": 1 + np.floor(abs(z) * 1000) * np.finfo(float).eps,
        "few neighbours": 1 + np.floor(abs(z) * 20) * np.finfo(float).eps,
        "subnormal": np.round(z * 1000) * 5e-324,
        "huge": np.clip(z, -4, 4) * 4e307,
        "tiny and huge": np.where(half, z * 1e307, z * 1e-310),
        "constant": np.full(n, 3.0),
        "sorted": np.sort(z),
        "cyclic": (np.arange(n) * 7 % 65_537).astype(float),
    }


def table(n, gaps):
    """All hostile columns, some values missing, and labels."""
    rng = np.random.default_rng(n)
    X = np.column_stack(list(hostile_columns(rng, n).values()))
    X[rng.random(X.shape) < gaps] = np.nan
    return X, rng.integers(0, 2, n).astype(np.int8)


SIZES = [1, 2, 63, 64, 65, 500, 4096, 4097, 9000, 20_000]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("gaps", [0.0, 0.1])
def test_codes_grow_with_the_values(n, gaps, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 0)
    X, y = table(n, gaps)
    data = CodedData(X, y, n_jobs=2)
    assert sorted(set(data.source)) == list(range(X.shape[1]))
    for c, f in enumerate(data.source):
        column, values = data.codes[c], data.values_of(c)
        missing = np.isnan(X[:, f])
        np.testing.assert_array_equal(values[~missing], X[~missing, f])
        assert np.isinf(values[missing]).all() and not np.signbit(values[values == 0]).any()
        order = np.argsort(values, kind="stable")
        assert (np.diff(column[order].astype(int)) >= 0).all() and column.max() < data.n_codes[c]
        for z in range(data.n_codes[c]):
            inside = values[column == z]
            assert data.counts[c, z] == len(inside)
            if len(inside):
                assert (data.low[c, z], data.high[c, z]) == (inside.min(), inside.max())
            else:
                assert data.low[c, z] > data.high[c, z]
            assert data.mixed[c // LANES, z, c % LANES] == (len(np.unique(inside)) > 1)
        if missing.any():
            alone = column[missing][0]
            assert (column[missing] == alone).all() and not (column[~missing] == alone).any()
            assert alone == data.missing[c]
        else:
            assert data.missing[c] == -1 or np.isnan(X[:, f]).any()


def test_a_common_value_has_a_code_of_its_own_and_codes_are_about_as_frequent():
    rng = np.random.default_rng(0)
    z = rng.normal(size=50_000)
    data = CodedData(
        np.column_stack([z, np.where(rng.random(len(z)) < 0.6, 0.1, z)]), np.zeros(len(z), np.int8)
    )
    for c, f in enumerate(data.source):
        values, of_rows = data.values_of(c), data.codes[c]
        common = values == 0.1
        if f == 1:
            assert (values[of_rows == of_rows[common][0]] == 0.1).all()
        counts = np.bincount(of_rows[~common])
        assert len(counts) > 90 and counts.max() < 4 * len(z) / len(counts)


@pytest.mark.parametrize("few", [0, 10**9])
def test_rows_are_put_in_order_when_asked_for_or_all_at_once(few, monkeypatch):
    monkeypatch.setattr(codes, "FEW", few)
    X, y = table(9000, 0.1)
    data = CodedData(X, y)
    pairs = np.argwhere(data.low < data.high)
    if not few:
        assert (data.begin == -1).all()
        for some in np.array_split(np.random.default_rng(0).permutation(pairs), 7):
            data.look(256 * some[:, 0] + some[:, 1])
    for c, z in pairs:
        inside = slice(data.begin[c, z], data.end[c, z])
        rows, values = data.rows[inside] >> 2, data.values[inside]
        expected = np.flatnonzero(data.codes[c] == z)
        expected = expected[np.argsort(data.values_of(c)[expected], kind="stable")]
        np.testing.assert_array_equal(rows, expected)
        np.testing.assert_array_equal(values, data.values_of(c)[expected])
        np.testing.assert_array_equal(data.rows[inside] >> 1 & 1, y[expected])
        np.testing.assert_array_equal(data.rows[inside] & 1, np.r_[values[1:] != values[:-1], False])


@pytest.mark.parametrize("kind", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 2, 255, 256, 257, 65_535, 65_536, 70_000])
def test_bins_are_the_distinct_values(n, kind, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 0)
    X, _ = table(n, 0.0)
    with np.errstate(over="ignore"):
        X = X.astype(kind)
    X = X[:, np.isfinite(X).all(axis=0)]
    data = bin_features(X, n_jobs=3)
    for f, column in enumerate(X.T):
        distinct, ranks = np.unique(column, return_inverse=True)
        assert data.n_bins[f] == len(distinct) and np.isnan(data.values[f, len(distinct) :]).all()
        np.testing.assert_array_equal(data.values[f, : len(distinct)], distinct)
        np.testing.assert_array_equal(data.codes[f], ranks)
    most = data.n_bins.max()
    assert data.codes.itemsize == (1 if most <= 256 else 2 if most <= 65_536 else 4)
