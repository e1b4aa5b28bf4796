"""The linear algebra of the regression against numpy, and against sums taken one after the other."""

import numpy as np
import pytest

from csbook.learners.linear_algebra import (
    BLOCK,
    TALL,
    add_rows,
    add_squares,
    cholesky,
    dot,
    in_blocks,
    multiply,
    row_space,
    rows_times,
    solve,
    times_rows,
)

PRECISIONS = [np.float32, np.float64]


def one_by_one(a, rows, out):
    """``out + a @ rows``, one row after the other, in the precision of the rows."""
    total = np.zeros_like(out)
    for factor, row in zip(a, rows, strict=True):
        total = total + factor * row
    return out + total


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize("width", [0, 16, 32, 48, 64, 80, 144])
def test_rows_are_added_in_their_order(kind, width):
    rng = np.random.default_rng(width)
    rows, a = rng.normal(size=(11, width + 16)).astype(kind), rng.normal(size=11).astype(kind)
    for part in (rows[:, :width], rows[:, 16:]):  # rows need not be whole
        out = rng.normal(size=width).astype(kind)
        expected = one_by_one(a, part, out)
        add_rows(a, part, out)
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize(("d", "first"), [(16, 0), (40, 0), (48, 8), (64, 24)])
def test_squares_fill_the_upper_triangle(kind, d, first):
    rng = np.random.default_rng(d)
    width = d + d % 16
    rows, a = rng.normal(size=(13, width)).astype(kind), rng.random(13).astype(kind)
    out, before = np.ones((d, width), kind), np.ones(width, kind)
    add_squares(a, rows, out, first, np.empty((20, TALL), kind))
    for k in range(first, d):
        np.testing.assert_array_equal(out[k, k:], one_by_one(a * rows[:, k], rows, before)[k:])
    np.testing.assert_array_equal(out[:first], 1)


@pytest.mark.parametrize("kind", PRECISIONS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (64, 8), (150, 23)])
def test_products_with_rows_in_blocks(kind, n, d):
    rng = np.random.default_rng(n)
    rows, beta = rng.normal(size=(n, d)).astype(kind), rng.normal(size=d).astype(kind)
    blocks = in_blocks(rows)
    size = blocks.shape[2]
    assert blocks.nbytes == -(-n // size) * d * BLOCK
    z = np.ones(len(blocks) * size, kind)
    rows_times(blocks, beta, z)
    np.testing.assert_array_equal(z[:n], one_by_one(beta, rows.T, np.ones(n, kind)))
    np.testing.assert_array_equal(z[n:], 1)
    a, sums, out = rng.normal(size=len(z)).astype(kind), np.empty((d, size // 4), kind), np.empty(d, kind)
    times_rows(a, blocks, sums, out)
    np.testing.assert_allclose(out, a[:n].astype(float) @ rows, atol=1e4 * np.finfo(kind).eps)


@pytest.mark.parametrize("d", [8, 24, 72])
def test_factors_solve(d):
    rng = np.random.default_rng(d)
    root, b = rng.normal(size=(2 * d, d)), rng.normal(size=d)
    matrix = root.T @ root
    factor = matrix.copy()
    assert cholesky(factor)
    upper = np.triu(factor, 1) + np.diag(1 / np.diag(factor))
    np.testing.assert_allclose(upper.T @ upper, matrix, rtol=0, atol=1e-12 * d)
    both = np.triu(factor) + np.triu(factor, 1).T
    x = b.copy()
    solve(both, x)
    np.testing.assert_allclose(matrix @ x, b, rtol=0, atol=1e-10)
    matrix[d - 1, d - 1] = -1.0
    assert not cholesky(matrix)


def test_products_of_vectors_and_matrices():
    rng = np.random.default_rng(0)
    for n in (8, 32, 40, 1000):
        a, b = rng.normal(size=(2, n))
        assert dot(a, b) == pytest.approx(a @ b, abs=1e-12)
    a, b = rng.normal(size=(5, 16)), rng.normal(size=(16, 24))
    np.testing.assert_allclose(multiply(a, b), a @ b, atol=1e-14)
    basis = row_space(np.c_[np.ones(5), np.zeros((5, 7)), a])
    np.testing.assert_allclose(basis[:5] @ basis[:5].T, np.eye(5), atol=1e-14)
