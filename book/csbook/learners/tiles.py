"""Products of matrices in tiles that stay in registers.

A tile of the product is held in vectors of one cache line each while the sums run over all rows. Loops that
numba compiles load and store what they add to again and again, and ask each time whether arrays overlap.
Every element goes through the same products and additions in the same order, whatever vectors a processor
has, and however the product is divided into tiles.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from csb.engine.compiled import cgutils, generated, ir, types

__all__ = ["LINE", "TALL", "WIDE", "add_1", "add_2", "add_3", "add_4", "add_products", "add_tall"]

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

    def plain(a: np.ndarray, rows: np.ndarray, out: np.ndarray) -> None:
        across = width * LINE // rows.itemsize
        tile = np.atleast_2d(out)[:, :across]
        sums = np.zeros_like(tile)
        for factors, row in zip(a.reshape(-1, height), rows, strict=True):
            sums += np.multiply.outer(factors, row[:across])
        tile += sums

    @generated(plain)
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


def _add_products(a: np.ndarray, rows: np.ndarray, out: np.ndarray) -> None:
    products = (a * rows).reshape(len(rows), WIDE, -1)
    sums = np.zeros_like(out)
    for w in range(WIDE):
        sums += products[:, w]
    out += sums


@generated(_add_products)
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
