"""Linear algebra whose results have the same bytes on every processor.

Every sum runs in one fixed order, in plain additions and products without fused or reassociated ones. Lengths
are multiples of ``STRIDE``, and those of vectors of single precision of twice as many.
"""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled
from csbook.learners.tiles import LINE, TALL, WIDE, add_1, add_2, add_3, add_4, add_products, add_tall

__all__ = [
    "BLOCK", "STRIDE", "TALL", "add_rows", "add_squares", "cholesky", "dot", "in_blocks", "largest",
    "multiply", "row_space", "rows_times", "solve", "times_rows",
]  # fmt: skip

STRIDE = 8
"""Numbers of double precision in a vector."""

SUMS = 32
"""Partial sums of a scalar product."""

BLOCK = WIDE * LINE
"""Bytes of a feature in a block of rows, which lies together and transposed."""

kernel = compiled(error_model="numpy")
"""Without the check for division by zero, which would keep loops from running on vectors."""


@kernel
def dot(a, b):
    """Scalar product in partial sums of double precision: many, so that none waits for another."""
    part, long = np.zeros(SUMS), a.shape[0] - a.shape[0] % SUMS
    for i in range(0, long, SUMS):
        u, v = a[i : i + SUMS], b[i : i + SUMS]
        for k in range(SUMS):
            part[k] += u[k] * v[k]
    for i in range(long, a.shape[0]):
        part[i - long] += a[i] * b[i]
    return part.sum()


@kernel
def largest(a):
    """Largest absolute value."""
    part = np.zeros(STRIDE, a.dtype)
    for i in range(0, a.shape[0], STRIDE):
        u = a[i : i + STRIDE]
        for k in range(STRIDE):
            part[k] = max(part[k], abs(u[k]))
    return part.max()


@kernel
def add_rows(a, rows, out):
    """Add the rows times the numbers ``a`` to ``out``."""
    lanes = LINE // rows.itemsize
    for start in range(0, out.shape[0], 4 * lanes):
        x, o = rows[:, start:], out[start:]
        left = o.shape[0] // lanes
        if left >= 4:
            add_4(a, x, o)
        elif left == 3:
            add_3(a, x, o)
        elif left == 2:
            add_2(a, x, o)
        else:
            add_1(a, x, o)


@kernel
def add_squares(a, rows, out, first, scaled):
    """Add the outer products of rows with themselves, times ``a``, to the upper triangle of ``out``.

    Of ``out``, only the rows from ``first`` on; each begins left of the diagonal, at a whole vector.
    ``scaled`` has room for a few columns of the rows.
    """
    lanes = LINE // rows.itemsize
    for k in range(first, out.shape[0], TALL):
        for i in range(len(a)):
            for j in range(TALL):
                scaled[i, j] = a[i] * rows[i, k + j]
        for start in range(k - k % lanes, out.shape[1], lanes):
            add_tall(scaled[: len(a)], rows[:, start:], out[k : k + TALL, start:])


@kernel
def multiply(a, b):
    """Product of two matrices."""
    product = np.zeros((a.shape[0], b.shape[1]))
    for i in range(len(a)):
        add_rows(a[i], b, product[i])
    return product


@kernel
def in_blocks(rows):
    """Blocks of rows, each transposed; zeros fill up the last."""
    (n, d), size = rows.shape, BLOCK // rows.itemsize
    blocks = np.zeros((-(-n // size), d, size), rows.dtype)
    for i in range(n):
        for j in range(d):
            blocks[i // size, j, i % size] = rows[i, j]
    return blocks


@kernel
def rows_times(blocks, a, out):
    """Add the product of each row with the numbers ``a`` to ``out``."""
    size = blocks.shape[2]
    for b in range(len(blocks)):
        add_4(a, blocks[b], out[size * b : size * (b + 1)])


@kernel
def times_rows(a, blocks, sums, out):
    """The sum of the rows times the numbers ``a``, as ``out``.

    It begins with the last block, which is at hand when all have just been read. ``sums`` is room for a
    vector for each feature.
    """
    size = blocks.shape[2]
    sums[:] = 0.0
    for b in range(len(blocks) - 1, -1, -1):
        add_products(a[size * b : size * (b + 1)], blocks[b], sums)
    for k in range(len(out)):
        out[k] = sums[k].sum()


@kernel
def cholesky(matrix):
    """Upper triangular factor in place of the upper triangle; whether the matrix was positive definite.

    The diagonal of the factor is inverted.
    """
    minus, scaled = np.full(TALL, -1.0), np.empty((TALL, TALL))
    for block in range(0, len(matrix), TALL):
        for k in range(block, block + TALL):
            row = matrix[k, k:]
            if not row[0] > 0.0:
                return False
            scale = 1.0 / np.sqrt(row[0])
            for j in range(row.shape[0]):
                row[j] *= scale
            for i in range(k + 1, block + TALL):
                o, x, a = matrix[i, i:], row[i - k :], row[i - k]
                for j in range(o.shape[0]):
                    o[j] -= a * x[j]
            row[0] = scale
        add_squares(minus, matrix[block : block + TALL], matrix, block + TALL, scaled)
    return True


@kernel
def solve(factor, b):
    """Solution, in place of ``b``, for the matrix that has this factor, which stands in both triangles."""
    d = len(b)
    for block in range(0, d, TALL):
        stop = block + TALL
        for k in range(block, stop):
            b[k] *= factor[k, k]
            for j in range(k + 1, stop):
                b[j] -= factor[k, j] * b[k]
        add_rows(-b[block:stop], factor[block:stop, stop:], b[stop:])
    for block in range(d - TALL, -1, -TALL):
        stop = block + TALL
        for k in range(stop - 1, block - 1, -1):
            b[k] *= factor[k, k]
            for j in range(block, k):
                b[j] -= factor[k, j] * b[k]
        add_rows(-b[block:stop], factor[block:stop, :block], b[:block])


@kernel
def row_space(matrix):
    """Orthonormal rows that span the rows of a matrix, the first being the first unit vector; zeros fill up.

    The method of Gram and Schmidt, twice, which is enough for orthogonality to full precision.
    """
    n, d = matrix.shape
    basis, rank = np.zeros((d, d)), 1
    basis[0, 0] = 1.0
    for i in range(n):
        if rank == d:
            break
        row = matrix[i].copy()
        for k in range(2 * rank):
            a, x = dot(basis[k % rank], row), basis[k % rank]
            for j in range(d):
                row[j] -= a * x[j]
        rest = dot(row, row)
        if rest > 1e-24 * dot(matrix[i], matrix[i]):
            basis[rank] = row / np.sqrt(rest)
            rank += 1
    return basis[: rank + -rank % STRIDE].copy()
