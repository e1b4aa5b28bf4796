"""Features as coarse codes of one byte, made once for all rounds, and values in order where needed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property, partial

import numpy as np

from csb.engine.blocks import BlockTable, Features
from csb.engine.compiled import cgutils, compiled, generated, ir, types
from csb.engine.threads import Threads

__all__ = ["ABREAST", "AHEAD", "LANES", "CodedData", "add_to_codes", "choose_ends", "encode", "send_for"]

kernel = compiled()

LANES, ABREAST = 8, 4
"""Columns whose sums stand side by side, and those to whose sums a row is added at a time."""
MOST, FEWEST, ROWS_PER_CODE = 255, 16, 16
"""A column has so many codes at most; fewer, but so many at least, where a code would hold fewer rows."""
SAMPLE = 2048
"""Rows by which codes are laid out."""
CHUNK = 4096
"""Rows that are taken up at a time, so that they stay in a cache."""
FEW = 16_384
"""Of so many rows at most, all are put in order from the start."""
HEAVY = 8
"""A value found more often in the sample, and twice as often as a code should be, has a code of its own."""
TOGETHER = 64
"""Searches side by side, which hide the latency of each."""
CELLS = 2048
"""Cells of the even grid that tells about where to search for a code."""
AHEAD = 32
"""So many rows before its turn the codes of a row are sent for, where no cache holds them."""
ENCODING = 10
"""Encoding a value, or putting it in order, takes so many times as long as adding one to a histogram."""
READING = 2
"""Reading the codes of a column takes so many times as long, for each row."""
LARGEST = np.finfo(np.float64).max


def _choose_ends(ordered, most, ends, n_ends):
    """Largest value of each code but the last, for columns (D, m) of sorted samples: at about equal ranks."""
    m = ordered.shape[1]
    for c in range(ordered.shape[0]):
        values, distinct = ordered[c], 1
        for k in range(1, m):
            distinct += values[k] != values[k - 1]
        share = m / most if distinct > most else 0.0
        start, held, found = 0, 0, 0
        while start < m and found < MOST - 2:  # two more at most, and one code for the missing
            stop = start + 1
            while stop < m and values[stop] == values[start]:
                stop += 1
            heavy = stop - start > max(2 * share, HEAVY)
            if heavy and start > 0:  # unseen values just below are kept out as well
                ends[c, found] = np.nextafter(values[start], -np.inf)
                found, held = found + 1, 0
            held += stop - start
            if (heavy or held >= share) and stop < m:
                ends[c, found] = values[start]
                found, held = found + 1, 0
            start = stop
        n_ends[c] = found


choose_ends = compiled(_choose_ends)(_choose_ends)


def _lay_grids_in_arrays(ends, n_ends, origin, scale, before, levels):
    """Array form of ``lay_grids``."""
    within = np.abs(ends) < LARGEST
    origin[:] = np.where(within, ends, np.inf).min(axis=1)
    scale[:] = (CELLS - 1) / (np.where(within, ends, -np.inf).max(axis=1) - origin)
    uneven = ~(np.isfinite(scale) & np.isfinite(origin))
    origin[uneven] = scale[uneven] = 0.0
    places = (ends - origin[:, np.newaxis]) * scale[:, np.newaxis]
    cells = np.where(places > 0.0, np.minimum(places, CELLS - 1), 0.0).astype(int)
    held = np.zeros((len(ends), CELLS), np.uint8)
    column, end = np.nonzero(np.arange(ends.shape[1]) < n_ends[:, np.newaxis])
    np.add.at(held, (column, cells[column, end]), 1)
    before[:] = np.cumsum(held, axis=1, dtype=np.uint8) - held
    levels[:] = np.ceil(np.log2(held.max(axis=1) + 1.0))


@compiled(_lay_grids_in_arrays, error_model="numpy")
def lay_grids(ends, n_ends, origin, scale, before, levels):
    """Fill in grids over the ends (D, 512) of each column: the first cell and the last have none to a side.

    Origin and cells a unit, (D,); how many ends lie in the cells before each, (D, CELLS); how many levels a
    search among those within a cell goes down, (D,). Where numbers are too large for a grid, it has one cell.
    """
    for c in range(ends.shape[0]):
        low, high, held, most = np.inf, -np.inf, np.zeros(CELLS, np.uint8), 0  # fewer ends than 256
        for k in range(n_ends[c]):
            if abs(ends[c, k]) < LARGEST:
                low, high = min(low, ends[c, k]), max(high, ends[c, k])
        a_unit = (CELLS - 1) / (high - low)
        if not (np.isfinite(a_unit) and np.isfinite(low)):
            low, a_unit = 0.0, 0.0
        for k in range(n_ends[c]):
            place = (ends[c, k] - low) * a_unit
            held[int(min(place, CELLS - 1.0)) if place > 0.0 else 0] += 1
        origin[c], scale[c], total = low, a_unit, 0
        for cell in range(CELLS):
            before[c, cell] = total
            total += held[cell]
            most = max(most, held[cell])
        levels[c] = 0
        while 1 << levels[c] <= most:
            levels[c] += 1


def _encode_in_arrays(values, ends, origin, scale, before, levels, start, codes, counts, low, high):
    """Array form of ``encode``, which needs no grids."""
    for c, column in enumerate(values):
        found = np.searchsorted(ends[c], column)
        codes[c, start : start + len(column)] = found
        np.add.at(counts[c], found, 1)
        np.minimum.at(low[c], found, column)
        np.maximum.at(high[c], found, column)


@compiled(_encode_in_arrays)
def encode(values, ends, origin, scale, before, levels, start, codes, counts, low, high):
    """Code of each of the values (D, m), the number of ends below it; count, least and largest value of each.

    A grid tells how many ends lie in the cells before that of a value, whatever rounding does, for a cell
    grows with the value. All searches among the others go down as many levels without a branch, which no
    processor could foresee: a comparison is shifted to the number it adds.
    """
    d, m = values.shape
    searched, found, last = np.empty(TOGETHER), np.empty(TOGETHER, np.uint32), np.float64(CELLS - 1)
    for c in range(d):
        column, end, lowest, highest, ends_before = values[c], ends[c], low[c], high[c], before[c]
        of_rows, count, first, a_unit = codes[c], counts[c], origin[c], scale[c]
        for at in range(0, m, TOGETHER):
            for k in range(TOGETHER):  # at the end the last value is repeated
                searched[k] = column[min(at + k, m - 1)]
                place = (searched[k] - first) * a_unit
                place = place if place > 0.0 else 0.0  # so is what is no number, infinity times zero
                found[k] = np.uint32(np.int32(place if place < last else last))
            for k in range(TOGETHER):
                found[k] = ends_before[found[k]]
            for level in range(levels[c] - 1, -1, -1):
                bit = np.uint32(level)
                one = np.uint32(1) << bit
                for k in range(TOGETHER):
                    above = searched[k] > end[found[k] + one - np.uint32(1)]
                    found[k] += np.uint32(above) << bit
            for k in range(min(TOGETHER, m - at)):
                z, v = found[k], searched[k]
                of_rows[start + at + k] = z
                count[z] += 1
                if v < lowest[z]:
                    lowest[z] = v
                if v > highest[z]:
                    highest[z] = v


@generated
def send_for(typing_context, array, place):
    """Have an element of an array brought to the caches, without waiting for it; it changes nothing."""

    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        number = ir.IntType(32)
        at = builder.bitcast(builder.gep(data, [args[1]]), ir.IntType(8).as_pointer())
        kind = ir.FunctionType(ir.VoidType(), [at.type, number, number, number])
        intrinsic = builder.module.declare_intrinsic("llvm.prefetch", [at.type], kind)
        builder.call(intrinsic, [at, *(ir.Constant(number, each) for each in (0, 3, 1))])  # read it, keep it
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


@generated
def add_to_codes(typing_context, sums, start, codes, added):
    """Add a few numbers to the sums of four codes of a row, those of neighbouring columns, in one step each.

    The sums of eight columns stand side by side, code by code, from ``start`` on; those of one column and
    code, one for each of the numbers ``added``, are neighbours, and adding two takes as long as adding one.
    """

    def generate(context, builder, signature, args):
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        numbers = cgutils.unpack_tuple(builder, args[3])
        size, vector, word = len(numbers), ir.VectorType(ir.DoubleType(), len(numbers)), ir.IntType(64)
        amount = ir.Constant(vector, ir.Undefined)
        for k, number in enumerate(numbers):
            amount = builder.insert_element(amount, number, ir.Constant(ir.IntType(32), k))
        first = builder.gep(data, [builder.mul(args[1], ir.Constant(word, size))])
        for lane, code in enumerate(cgutils.unpack_tuple(builder, args[2])):
            far = builder.mul(builder.zext(code, word), ir.Constant(word, LANES * size))
            at = builder.gep(builder.gep(first, [far]), [ir.Constant(word, lane * size)])
            at = builder.bitcast(at, vector.as_pointer())
            builder.store(builder.fadd(builder.load(at, align=8), amount), at, align=8)
        return context.get_dummy_value()

    return types.void(sums, types.uint64, codes, added), generate


def _list_rows_in_arrays(codes, labels, X, first, source, columns, wanted, places, rows, values):
    """Array form of ``list_rows``."""
    inside = slice(first, first + len(X))
    for k, c in enumerate(columns):
        found = np.flatnonzero(codes[c, inside] == wanted[k])
        at = slice(places[k], places[k] + len(found))
        rows[at] = 4 * (first + found) + 2 * labels[inside][found]
        values[at] = X[found, source[c]] + 0.0
        places[k] += len(found)


@compiled(_list_rows_in_arrays)
def list_rows(codes, labels, X, first, source, columns, wanted, places, rows, values):
    """Write rows ``first`` and following, and their values, to where those of some codes begin.

    The codes ``wanted`` (k,) are in the order of their ``columns``, and those of a column in theirs; their
    ``places`` move on. A row is written as four times its number and twice its class; a zero has one sign.
    """
    n, step, k = X.shape[0], X.strides[0] // X.itemsize, 0
    place, found = np.empty(256, np.int64), np.empty(CHUNK, np.int64)
    while k < columns.shape[0]:
        c, begin = columns[k], k
        of_rows, column = codes[c, first : first + n], X[:, source[c]]
        place[:] = -1
        while k < columns.shape[0] and columns[k] == c:
            place[wanted[k]] = places[k]
            k += 1
        is_wanted = place >= 0
        for start in range(0, n, CHUNK):
            count, stop = 0, min(start + CHUNK, n)
            for i in range(start, stop):  # without a branch, which no processor could foresee
                found[count] = i
                count += is_wanted[of_rows[i]]
            for i in found[:count]:
                z = of_rows[i]
                rows[place[z]] = 4 * (first + i) + 2 * labels[first + i]
                place[z] += 1
        for z in range(begin, k):  # only now, for memory is read faster without a branch
            stop = place[wanted[z]]
            for at in range(places[z], stop):
                ahead = rows[min(at + AHEAD, stop - 1)] >> np.uint32(2)
                send_for(column, (np.int64(ahead) - first) * step)
                values[at] = column[(rows[at] >> np.uint32(2)) - first] + 0.0
            places[z] = stop


def _order_rows_in_arrays(values, rows, begin, end):
    """Array form of ``order_rows``."""
    for start, stop in zip(begin, end, strict=True):
        order = start + np.argsort(values[start:stop], kind="stable")
        values[start:stop], rows[start:stop] = values[order], rows[order]
        rows[start : stop - 1] += values[start + 1 : stop] != values[start : stop - 1]


@compiled(_order_rows_in_arrays, error_model="numpy")  # of one value the scale is no number
def order_rows(values, rows, begin, end):
    """Put the rows of each code in the order of their values; mark those whose next value is another.

    Equal values stay as they come. Most are in their places once they lie in the order of the cells of an
    even grid, two for each value; where one cell holds many, they are sorted before.
    """
    most = (end - begin).max()
    kept, given, cells = np.empty(most), np.empty(most, np.uint32), np.empty(most, np.int32)
    starts = np.empty(2 * most + 1, np.int32)
    for z in range(begin.shape[0]):
        first, m, low, high = begin[z], end[z] - begin[z], np.inf, -np.inf
        for k in range(m):
            kept[k], given[k] = values[first + k], rows[first + k]
            low, high = min(low, kept[k]), max(high, kept[k])
        scale = (2 * m - 1) / (high - low)
        starts[: 2 * m + 1] = 0
        if np.isfinite(scale):
            for k in range(m):
                cells[k] = np.int32((kept[k] - low) * scale)
                starts[cells[k] + 1] += 1
        if np.isfinite(scale) and starts[: 2 * m + 1].max() < 64:
            for k in range(2 * m):
                starts[k + 1] += starts[k]
            for k in range(m):
                at = first + starts[cells[k]]
                starts[cells[k]] += 1
                values[at], rows[at] = kept[k], given[k]
        else:
            order = np.argsort(kept[:m], kind="mergesort")
            for k in range(m):
                values[first + k], rows[first + k] = kept[order[k]], given[order[k]]
        for k in range(first + 1, first + m):
            v, r, at = values[k], rows[k], k
            while at > first and values[at - 1] > v:
                values[at], rows[at] = values[at - 1], rows[at - 1]
                at -= 1
            if at < k:
                values[at], rows[at] = v, r
        for k in range(first, first + m - 1):
            rows[k] += np.uint32(values[k] != values[k + 1])


class CodedData:
    """Coarse codes of a data set, and in order the values of what has been looked at.

    Attributes
    ----------
    codes : ndarray of shape (4 H, n), uint8
        Code of every value, increasing with the value. A column is a feature; one with missing values has
        two: in the first these lie above all others, as infinity, in the second below, as minus infinity.
    n_codes : ndarray of shape (8 G,)
        Codes of each column, none of those that fill up the last eight.
    low, high : ndarray of shape (8 G, C)
        Smallest and largest value of each code; infinity and minus infinity where there is none.
    mixed : ndarray of shape (G, C, 8)
        1 where a code holds several values, else 0.
    begin, end : ndarray of shape (8 G, C)
        Where ``rows`` holds the rows of a code in the order of their values; -1 where it does not yet.
    rows : ndarray of shape (m,), uint32
        Four times the number of a row, and twice its class; one more where the next value is another.
    values : ndarray of shape (m,)
        Their values, of the precision in which they are given.
    source : ndarray of shape (D,)
        Feature of each column.
    missing : ndarray of shape (D,)
        Code of the missing values of each column, -1 where there are none.
    """

    def __init__(self, X: Features, labels: np.ndarray, n_jobs: int | None = None) -> None:
        self.X, self.labels = X, labels
        n, d = X.shape
        sample, gaps = self._survey(np.arange(min(n, SAMPLE)) * n // min(n, SAMPLE))
        self.source = np.repeat(np.arange(d), 1 + gaps)
        self.beyond = np.where(gaps[self.source], np.inf, np.nan)  # what stands for the missing
        self.beyond[1:][self.source[1:] == self.source[:-1]] = -np.inf
        ends, n_ends = np.full((len(self.source), 512), np.inf), np.empty(len(self.source), np.int64)
        choose_ends(np.sort(self._columns(sample)), min(MOST, max(FEWEST, n // ROWS_PER_CODE)), ends, n_ends)
        for c in np.flatnonzero(gaps[self.source]):  # a code for the missing alone
            known = np.union1d(ends[c, : n_ends[c]], LARGEST if self.beyond[c] > 0 else -np.inf)
            known = known[known < np.inf]
            n_ends[c], ends[c] = len(known), np.inf
            ends[c, : len(known)] = known
        most_ends = np.zeros(d, np.int64)
        np.maximum.at(most_ends, self.source, n_ends)
        order = np.argsort(
            most_ends[self.source], kind="stable"
        )  # features of as many codes stand side by side
        self.source, self.beyond, ends = self.source[order], self.beyond[order], ends[order]
        self.missing = np.where(self.beyond > 0, n_ends[order], np.where(self.beyond < 0, 0, -1))
        groups, most = -(-len(order) // LANES), int(n_ends.max()) + 1
        self.n_codes = np.zeros(groups * LANES, np.int64)
        self.n_codes[: len(order)] = n_ends[order] + 1
        self.codes = np.zeros((-(-len(order) // ABREAST) * ABREAST, n), np.uint8)
        self.counts = np.zeros((groups * LANES, most), np.int64)
        self.low, self.high = (np.full((groups * LANES, most), side) for side in (np.inf, -np.inf))
        self.threads = Threads(n_jobs)
        grids = (
            *np.empty((2, len(order))),
            np.empty((len(order), CELLS), np.uint8),
            np.empty(len(order), int),
        )
        lay_grids(ends, n_ends[order], *grids)
        start = 0
        for block in self._blocks():
            number = partial(self._number, block, (ends, *grids), start)
            for counts, low, high in self.threads.run(number, -(-len(block) // CHUNK), ENCODING * block.size):
                self.counts += counts
                np.minimum(self.low, low, out=self.low)
                np.maximum(self.high, high, out=self.high)
            start += len(block)
        mixed = (self.low < self.high).astype(np.float64)
        self.mixed = np.ascontiguousarray(mixed.reshape(groups, LANES, most).swapaxes(1, 2))
        self.begin, self.end = np.full((2, groups * LANES, most), -1)
        self.rows, self.values, self.used = np.empty(0, np.uint32), np.empty(0, X.dtype), 0
        if n <= FEW and mixed.any():
            self.look(np.flatnonzero(np.pad(mixed, ((0, 0), (0, 256 - most)))))

    def _number(
        self, block: np.ndarray, ends: tuple[np.ndarray, ...], start: int, first: int, last: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Encode some chunks of a block, whose first row has the number ``start``; what they hold."""
        found = np.zeros_like(self.counts), np.full_like(self.low, np.inf), np.full_like(self.high, -np.inf)
        for at in range(CHUNK * first, min(CHUNK * last, len(block)), CHUNK):
            rows = block[at : at + CHUNK]
            encode(self._columns(rows), *ends, start + at, self.codes, *found)
        return found

    def _blocks(self) -> Iterable[np.ndarray]:
        """The blocks of rows, or the one array."""
        return self.X if isinstance(self.X, BlockTable) else (self.X,)

    def _parts(self) -> Iterator[tuple[int, np.ndarray]]:
        """Some rows at a time, with the number of the first."""
        stop = 0
        for block in self._blocks():
            for start in range(0, len(block), CHUNK):
                part = block[start : start + CHUNK]
                yield stop, part
                stop += len(part)

    def _survey(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The rows chosen, and which features have missing values."""
        sample, gaps = np.empty((len(chosen), self.X.shape[1])), np.zeros(self.X.shape[1], bool)
        for start, part in self._parts():
            with np.errstate(over="ignore", invalid="ignore"):
                some = np.isnan(part.sum())  # the quickest way to see that there are none
            if some:
                gaps |= np.isnan(part.min(axis=0))
            first, last = np.searchsorted(chosen, [start, start + len(part)])
            sample[first:last] = part[chosen[first:last] - start]
        return sample, gaps

    def _columns(self, rows: np.ndarray) -> np.ndarray:
        """Values of each column in some rows; a zero has one sign from here on."""
        values = rows.T.astype(np.float64)[self.source] + 0.0
        for c in np.flatnonzero(self.beyond == self.beyond):
            values[c, np.isnan(values[c])] = self.beyond[c]
        return values

    def values_of(self, c: int) -> np.ndarray:
        """Values of a column, shape (n,), the missing ones as an infinity; a zero has one sign."""
        f = self.source[c]
        values = np.concatenate([block[:, f] for block in self._blocks()]).astype(np.float64) + 0.0
        values[np.isnan(values)] = self.beyond[c]
        return values

    @cached_property
    def in_order(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All rows of each column in the order of their values, (D, n), written as in ``rows``.

        And where the longest run of one value begins and ends.
        """
        columns, n = len(self.source), len(self.labels)
        rows, begin, end = np.empty((columns, n), np.uint32), np.empty(columns, int), np.empty(columns, int)
        values = np.concatenate([self._columns(part) for _, part in self._parts()], axis=1)
        for c in range(0, columns, TOGETHER):
            some = slice(c, c + TOGETHER)
            order = np.argsort(values[some], axis=1, kind="stable")
            ordered = np.take_along_axis(values[some], order, axis=1)
            new = np.ones((len(order), n + 1), bool)  # where a run begins; after the last one as well
            new[:, 1:-1] = ordered[:, 1:] != ordered[:, :-1]
            rows[some] = 4 * order + 2 * self.labels.astype(int)[order] + new[:, 1:]
            column, at = np.nonzero(new)
            lengths = np.where(at[:-1] < n, np.diff(at), 0)
            longest = np.lexsort((-lengths, column[:-1]))[np.searchsorted(column[:-1], np.arange(len(order)))]
            begin[some], end[some] = at[longest], at[longest + 1]
        return rows, begin, end

    def look(self, pairs: np.ndarray) -> None:
        """Put the rows of some codes of some columns in order, given as ``256 * column + code``.

        They are mixed and not yet in order. Where the features come in blocks, these are read once.
        """
        columns, codes = np.divmod(np.unique(pairs), 256)
        end = self.used + np.cumsum(self.counts[columns, codes])
        begin, new = end - self.counts[columns, codes], int(end[-1])
        if new > len(self.rows):
            room = new + self.used  # with some to spare, once more are asked for
            for name in ("rows", "values"):
                kept: np.ndarray = getattr(self, name)
                setattr(self, name, np.empty(room, kept.dtype))
                getattr(self, name)[: self.used] = kept[: self.used]
        places, first = begin.copy(), 0
        for block in self._blocks():

            def read(start: int, stop: int, block: np.ndarray = block, first: int = first) -> None:
                some = slice(start, stop)
                list_rows(
                    self.codes, self.labels, block, first, self.source, columns[some], codes[some],
                    places[some], self.rows, self.values,
                )  # fmt: skip

            self.threads.run(read, len(codes), READING * len(block))
            first += len(block)

        def order(start: int, stop: int) -> None:
            order_rows(self.values, self.rows, begin[start:stop], end[start:stop])

        self.threads.run(order, len(codes), ENCODING * (new - self.used))
        self.begin[columns, codes], self.end[columns, codes], self.used = begin, end, new
