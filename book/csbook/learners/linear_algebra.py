"""Linear algebra whose results have the same bytes on every processor.

Every sum runs in one fixed order, in plain additions and products without fused or reassociated ones. Lengths
are multiples of ``STRIDE``, and those of vectors of single precision of twice as many.

Products of matrices are taken in register tiles: a tile of the product is held in vectors of one cache line
each while the sums run over all rows. Loops that numba compiles load and store what they add to again and
again, and ask each time whether arrays overlap. Every element goes through the same products and additions in
the same order, whatever vectors a processor has, and however the product is divided into tiles.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from csb.engine.compiled import cgutils, compiled, generated, ir, types

__all__ = [
    "LINE", "TALL", "WIDE", "add_1", "add_2", "add_3", "add_4", "add_products", "add_tall", "BLOCK",
    "STRIDE", "add_rows", "add_squares", "cholesky", "dot", "in_blocks", "kernel", "largest", "multiply",
    "row_space", "rows_times", "solve", "times_rows",
]  # fmt: skip

LINE = 64
"""Bytes of a vector."""

WIDE = 4
"""Vectors of a wide tile, so that one sum need not wait for another."""

TALL = 8
"""Rows of a tall tile: with one vector each, as many as the registers of most processors hold."""


class _Vectors:
    """What the functions below make of the arrays they are given."""

    def __init__(self, context: Any, builder: Any, signature: Any, args: Any) -> None:
        self.builder, self.whole = builder, context.get_value_type(types.intp)
        self.arrays = [
            context.make_array(kind)(context, builder, value)
            for kind, value in zip(signature.args, args, strict=True)
        ]
        dtype = signature.args[0].dtype
        self.lanes = LINE * 8 // dtype.bitwidth
        self.vector = ir.VectorType(context.get_value_type(dtype), self.lanes)
        self.nothing = ir.Constant(self.vector, None)

    def place(self, array: Any, row: Any, number: int) -> Any:
        """Address of a vector of a row."""
        offset = self.builder.mul(self.builder.extract_value(array.strides, 0), row)
        start = cgutils.pointer_add(self.builder, array.data, offset)
        return self.builder.bitcast(
            self.builder.gep(start, [self.whole(self.lanes * number)]), self.vector.as_pointer()
        )

    def load(self, place: Any) -> Any:
        return self.builder.load(place, align=4)

    def add(self, place: Any, sums: Any) -> None:
        """Add to the vector there."""
        self.builder.store(self.builder.fadd(self.load(place), sums), place, align=4)

    def everywhere(self, scalar: Any) -> Any:
        """A vector of one number."""
        first = self.builder.insert_element(self.nothing, scalar, ir.IntType(32)(0))
        return self.builder.shuffle_vector(
            first, self.nothing, ir.Constant(ir.VectorType(ir.IntType(32), self.lanes), None)
        )


def _tile(height: int, width: int) -> Any:
    """Function that adds to a tile of ``height`` rows and ``width`` vectors."""

    @generated
    def add(typing_context: Any, a: Any, rows: Any, out: Any) -> Any:
        """``out += a.T @ rows``: the columns of ``rows`` and ``out`` are adjacent, ``a`` is C-contiguous."""

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            make = _Vectors(context, builder, signature, args)
            left, right, result = make.arrays
            sums = [
                [cgutils.alloca_once_value(builder, make.nothing) for _ in range(width)]
                for _ in range(height)
            ]
            with cgutils.for_range(builder, builder.extract_value(left.shape, 0)) as loop:
                row = [make.load(make.place(right, loop.index, w)) for w in range(width)]
                factors = builder.gep(left.data, [builder.mul(loop.index, make.whole(height))])
                for k in range(height):
                    factor = make.everywhere(builder.load(builder.gep(factors, [make.whole(k)])))
                    for w in range(width):
                        more = builder.fmul(factor, row[w])
                        builder.store(builder.fadd(builder.load(sums[k][w]), more), sums[k][w])
            for k in range(height):
                for w in range(width):
                    make.add(make.place(result, make.whole(k), w), builder.load(sums[k][w]))
            return context.get_dummy_value()

        return types.void(a, rows, out), generate

    return add


add_1, add_2, add_3, add_4 = (_tile(1, width) for width in (1, 2, 3, 4))
add_tall = _tile(TALL, 1)


@generated
def add_products(typing_context: Any, a: Any, rows: Any, out: Any) -> Any:
    """Add the products of each row, four vectors long, with ``a`` to the row of ``out``, one vector long."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        make = _Vectors(context, builder, signature, args)
        left, right, result = make.arrays
        factors = [make.load(make.place(left, make.whole(0), w)) for w in range(WIDE)]
        with cgutils.for_range(builder, builder.extract_value(right.shape, 0)) as loop:
            sums = make.nothing
            for w in range(WIDE):
                row = make.load(make.place(right, loop.index, w))
                sums = builder.fadd(sums, builder.fmul(factors[w], row))
            make.add(make.place(result, loop.index, 0), sums)
        return context.get_dummy_value()

    return types.void(a, rows, out), generate


STRIDE = 8
"""Numbers of double precision in a vector."""

SUMS = 32
"""Partial sums of a scalar product."""

BLOCK = WIDE * LINE
"""Bytes of a feature in a block of rows, which lies together and transposed."""


def kernel(plain: Callable | None = None) -> Any:
    """Decorator without the check for division by zero, which would keep loops from running on vectors."""
    return compiled(plain, error_model="numpy")


def _add_up(terms, axis):
    """Sums along an axis, from zero, one term after the other."""
    return terms.cumsum(axis=axis).take(-1, axis=axis) + 0.0


def _dot_in_arrays(a, b):
    """Array form of ``dot``, along the last axis."""
    products = a * b
    *others, d = products.shape
    terms = np.zeros((*others, -(-d // SUMS) * SUMS))
    terms[..., :d] = products
    return _add_up(_add_up(terms.reshape(*others, -1, SUMS), -2), -1)


@kernel(_dot_in_arrays)
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


def _largest_in_arrays(a):
    """Array form of ``largest``."""
    return np.abs(a).max(initial=0.0)


@kernel(_largest_in_arrays)
def largest(a):
    """Largest absolute value."""
    part = np.zeros(STRIDE, a.dtype)
    for i in range(0, a.shape[0], STRIDE):
        u = a[i : i + STRIDE]
        for k in range(STRIDE):
            part[k] = max(part[k], abs(u[k]))
    return part.max()


def _add_rows_in_arrays(a, rows, out):
    """Array form of ``add_rows``."""
    out += _add_up(a[:, np.newaxis] * rows[:, : len(out)], 0)


@kernel(_add_rows_in_arrays)
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


def _add_squares_in_arrays(a, rows, out, first, scaled):
    """Array form of ``add_squares``."""
    lanes = LINE // rows.itemsize
    for k in range(first, len(out), TALL):
        scaled[: len(a)] = a[:, np.newaxis] * rows[:, k : k + TALL]
        right = slice(k - k % lanes, out.shape[1])
        out[k : k + TALL, right] += _add_up(scaled[: len(a), :, np.newaxis] * rows[:, np.newaxis, right], 0)


@kernel(_add_squares_in_arrays)
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


def _multiply_in_arrays(a, b):
    """Array form of ``multiply``."""
    product = np.zeros((len(a), b.shape[1]))
    for k, row in enumerate(b):
        product += np.multiply.outer(a[:, k], row)
    return product


@kernel(_multiply_in_arrays)
def multiply(a, b):
    """Product of two matrices."""
    product = np.zeros((a.shape[0], b.shape[1]))
    for i in range(len(a)):
        add_rows(a[i], b, product[i])
    return product


def _in_blocks_in_arrays(rows):
    """Array form of ``in_blocks``."""
    (n, d), size = rows.shape, BLOCK // rows.itemsize
    filled = np.zeros((n + -n % size, d), rows.dtype)
    filled[:n] = rows
    return filled.reshape(-1, size, d).swapaxes(1, 2).copy()


@kernel(_in_blocks_in_arrays)
def in_blocks(rows):
    """Blocks of rows, each transposed; zeros fill up the last."""
    (n, d), size = rows.shape, BLOCK // rows.itemsize
    blocks = np.zeros((-(-n // size), d, size), rows.dtype)
    for i in range(n):
        for j in range(d):
            blocks[i // size, j, i % size] = rows[i, j]
    return blocks


def _rows_times_in_arrays(blocks, a, out):
    """Array form of ``rows_times``."""
    out += _add_up(blocks * a[:, np.newaxis], 1).ravel()


@kernel(_rows_times_in_arrays)
def rows_times(blocks, a, out):
    """Add the product of each row with the numbers ``a`` to ``out``."""
    size = blocks.shape[2]
    for b in range(len(blocks)):
        add_4(a, blocks[b], out[size * b : size * (b + 1)])


def _times_rows_in_arrays(a, blocks, sums, out):
    """Array form of ``times_rows``."""
    n_blocks, d, size = blocks.shape
    products = (blocks * a.reshape(n_blocks, 1, size)).reshape(n_blocks, d, WIDE, -1)
    sums[:] = _add_up(_add_up(products, 2)[::-1], 0)
    out[:] = _add_up(sums, 1)


@kernel(_times_rows_in_arrays)
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


@kernel()
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


@kernel()
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


def _row_space_in_arrays(matrix):
    """Array form of ``row_space``: of more and more rows at once, where none is new."""
    d = matrix.shape[1]
    basis, rank = np.zeros((d, d)), 1
    basis[0, 0] = 1.0
    i, many = 0, 1
    while i < len(matrix) and rank < d:
        given = matrix[i : i + many]
        rows = given.copy()
        for k in range(2 * rank):
            x = basis[k % rank]
            rows -= _dot_in_arrays(x, rows)[:, np.newaxis] * x
        rest = _dot_in_arrays(rows, rows)
        new = np.flatnonzero(rest > 1e-24 * _dot_in_arrays(given, given))
        if len(new):
            basis[rank] = rows[new[0]] / np.sqrt(rest[new[0]])
            i, rank = i + new[0] + 1, rank + 1
        else:
            i, many = i + many, 2 * many
    return basis[: rank + -rank % STRIDE].copy()


@kernel(_row_space_in_arrays)
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
