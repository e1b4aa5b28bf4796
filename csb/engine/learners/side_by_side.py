"""Largest edges by a walk through all rows in the order of their values, for many models at once.

Where rows are few and models many, that is faster than sums and bounds: the weights of sixteen models stand
side by side, and each step of the walk serves them all.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from csb.engine.compiled import cgutils, compiled, generated, ir, types

__all__ = ["edges_in_order"]

WIDTH = 16
"""Models whose weights stand side by side while all rows are walked through."""


def _vector() -> Any:
    """Type of a row of weights."""
    return ir.VectorType(ir.DoubleType(), WIDTH)


def _row(context: Any, builder: Any, kind: Any, array: Any, number: Any) -> Any:
    """Address of a row of a C-contiguous array of doubles with WIDTH columns."""
    data = context.make_array(kind)(context, builder, array).data
    start = builder.mul(number, ir.Constant(number.type, WIDTH))
    return builder.bitcast(builder.gep(data, [start]), _vector().as_pointer())


@generated
def walk_rows(typing_context: Any, rows: Any, begin: Any, end: Any, weights: Any, state: Any) -> Any:
    """Add the weights of rows in order to ``state[0]``; keep least and largest sum at the cuts in the others.

    Compilers do not see that so many sums can be kept in registers.
    """

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = ir.IntType(64)
        places = [_row(context, builder, signature.args[4], args[4], ir.Constant(size, k)) for k in range(3)]
        total, *kept = (cgutils.alloca_once_value(builder, builder.load(at, align=8)) for at in places)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        with cgutils.for_range_slice(builder, args[1], args[2], ir.Constant(size, 1), size) as (k, _):
            row = builder.load(builder.gep(data, [k]))
            number = builder.zext(builder.lshr(row, ir.Constant(row.type, 2)), size)
            w = builder.load(_row(context, builder, signature.args[3], args[3], number), align=8)
            passed = builder.fadd(builder.load(total), w)
            builder.store(passed, total)
            with builder.if_then(builder.trunc(row, ir.IntType(1))):
                for slot, comparison in zip(kept, "<>", strict=True):
                    best = builder.load(slot)
                    better = builder.fcmp_ordered(comparison, passed, best)
                    builder.store(builder.select(better, passed, best), slot)
        for at, slot in zip(places, (total, *kept), strict=True):
            builder.store(builder.load(slot), at, align=8)
        return context.get_dummy_value()

    return types.void(rows, types.intp, types.intp, weights, state), generate


def _edges_in_order_in_arrays(rows, begin, end, labels, weights, first, last, edges):
    """Array form of ``edges_in_order``."""
    signed = np.where(labels, weights, -weights)
    total = np.cumsum(signed, axis=1)[:, -1]
    for c in range(first, last):
        outside = np.r_[rows[c, : begin[c]], rows[c, end[c] :]]
        sums = np.cumsum(np.hstack([np.zeros((len(signed), 1)), signed[:, outside >> 2]]), axis=1)
        cuts = np.r_[1, outside & 1] > 0
        held = (total - sums[:, -1])[:, np.newaxis]
        below = sums[:, : begin[c] + 1][:, cuts[: begin[c] + 1]]
        cuts[begin[c]] = True
        above = sums[:, begin[c] :][:, cuts[begin[c] :]] + held
        low = np.minimum(below.min(axis=1), above.min(axis=1))
        high = np.maximum(below.max(axis=1), above.max(axis=1))
        edges[:, c] = np.maximum(np.abs(total - 2 * low), np.abs(total - 2 * high))


@compiled(_edges_in_order_in_arrays)
def edges_in_order(rows, begin, end, labels, weights, first, last, edges):
    """Largest edge of any cut of the columns ``first`` to ``last``, the constant included, of each model.

    All rows are walked through in order, but for the longest run of one value: that weighs what the others
    leave of the whole.
    """
    n_models, n = weights.shape
    block, state = np.zeros((n, WIDTH)), np.empty((3, WIDTH))
    total, low, high = np.empty(WIDTH), np.empty(WIDTH), np.empty(WIDTH)
    for start in range(0, n_models, WIDTH):
        width = min(WIDTH, n_models - start)
        total[:] = 0.0
        for i in range(n):
            for j in range(width):
                block[i, j] = weights[start + j, i] if labels[i] else -weights[start + j, i]
            for j in range(WIDTH):
                total[j] += block[i, j]
        for c in range(first, last):
            state[:] = 0.0
            walk_rows(rows[c], 0, begin[c], block, state)
            for j in range(WIDTH):
                low[j], high[j] = state[1, j], state[2, j]
                state[1, j], state[2, j] = state[0, j], state[0, j]
            walk_rows(rows[c], end[c], n, block, state)
            for j in range(width):
                t = total[j]
                held = t - state[0, j]
                lowest, highest = min(low[j], state[1, j] + held), max(high[j], state[2, j] + held)
                edges[start + j, c] = max(abs(t - 2 * lowest), abs(t - 2 * highest))
