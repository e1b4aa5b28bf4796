"""Rows of sixteen floats, a cache line each, added and scanned as vectors.

Loops over such rows, as numba compiles them, ask for each row whether source and target overlap; these do
not. Every element goes through the same additions in the same order, whatever vectors a processor has.
"""

from __future__ import annotations

from math import inf
from typing import Any

import numpy as np

from csb.engine.compiled import cgutils, generated, ir, types

__all__ = ["LANES", "add_row", "scan_rows"]

LANES = 16


def _vector() -> Any:
    """Type of a row."""
    return ir.VectorType(ir.FloatType(), LANES)


def _row(context: Any, builder: Any, kind: Any, array: Any, number: Any) -> Any:
    """Address of a row of a C-contiguous array of single precision with LANES columns."""
    data = context.make_array(kind)(context, builder, array).data
    start = builder.mul(number, ir.Constant(number.type, LANES))
    return builder.bitcast(builder.gep(data, [start]), _vector().as_pointer())


def _add_row(target: np.ndarray, at: int, source: np.ndarray, of: int) -> None:
    target[at] += source[of]


@generated(_add_row)
def add_row(typing_context: Any, target: Any, at: Any, source: Any, of: Any) -> Any:
    """``target[at] += source[of]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        into = _row(context, builder, signature.args[0], args[0], args[1])
        addend = _row(context, builder, signature.args[2], args[2], args[3])
        builder.store(builder.fadd(builder.load(into, align=4), builder.load(addend, align=4)), into, align=4)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), generate


def _scan_rows(rows: np.ndarray, count: int, found: np.ndarray) -> None:
    sums = np.add.accumulate(rows[:count], axis=0)
    found[:] = sums[-1], sums[:-1].min(axis=0, initial=inf), sums[:-1].max(axis=0, initial=-inf)


@generated(_scan_rows)
def scan_rows(typing_context: Any, rows: Any, count: Any, found: Any) -> Any:
    """Add up the first ``count`` rows; total, least and largest sum before the last row, to ``found``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        total, low, high = (
            cgutils.alloca_once_value(builder, ir.Constant(_vector(), [start] * LANES))
            for start in (0.0, inf, -inf)
        )
        last = builder.sub(args[1], ir.Constant(args[1].type, 1))
        with cgutils.for_range(builder, last) as loop:
            row = builder.load(_row(context, builder, signature.args[0], args[0], loop.index), align=4)
            passed = builder.fadd(builder.load(total), row)
            builder.store(passed, total)
            for kept, comparison in ((low, "<"), (high, ">")):
                best = builder.load(kept)
                better = builder.fcmp_ordered(comparison, passed, best)
                builder.store(builder.select(better, passed, best), kept)
        row = builder.load(_row(context, builder, signature.args[0], args[0], last), align=4)
        builder.store(builder.fadd(builder.load(total), row), total)
        for number, slot in enumerate((total, low, high)):
            place = ir.Constant(ir.IntType(64), number)
            target = _row(context, builder, signature.args[2], args[2], place)
            builder.store(builder.load(slot), target, align=4)
        return context.get_dummy_value()

    return types.void(rows, types.intp, found), generate
