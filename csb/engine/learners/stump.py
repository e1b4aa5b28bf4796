"""Decision stumps of smallest weighted error, for a batch of models at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from csb.engine.binning import BinnedData, Features, FeatureThreads, bin_features
from csb.engine.compiled import cgutils, compiled, generated, ir, types
from csb.engine.rules import TIE

__all__ = [
    "SIMD_WIDTH", "BoundStump", "DecisionStump", "EdgeFinder", "StumpBatch", "add_row", "batch_edges",
    "best_edge", "choose_stumps", "class_cuts", "class_histograms", "cumulate", "fill_hits", "midway",
    "missing_side", "scan_rows", "single_edges", "stump_scores",
]  # fmt: skip

SIMD_WIDTH = 16


def _vector() -> Any:
    """Type of a row."""
    return ir.VectorType(ir.FloatType(), SIMD_WIDTH)


def _row(context: Any, builder: Any, kind: Any, array: Any, number: Any) -> Any:
    """Address of a row of a C-contiguous array of single precision with SIMD_WIDTH columns."""
    data = context.make_array(kind)(context, builder, array).data
    start = builder.mul(number, ir.Constant(number.type, SIMD_WIDTH))
    return builder.bitcast(builder.gep(data, [start]), _vector().as_pointer())


@generated
def add_row(typing_context: Any, target: Any, at: Any, source: Any, of: Any) -> Any:
    """``target[at] += source[of]``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        into = _row(context, builder, signature.args[0], args[0], args[1])
        addend = _row(context, builder, signature.args[2], args[2], args[3])
        builder.store(builder.fadd(builder.load(into, align=4), builder.load(addend, align=4)), into, align=4)
        return context.get_dummy_value()

    return types.void(target, types.intp, source, types.intp), generate


@generated
def scan_rows(typing_context: Any, rows: Any, count: Any, found: Any) -> Any:
    """Add up the first ``count`` rows; total, least and largest sum before the last row, to ``found``."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        total, low, high = (
            cgutils.alloca_once_value(builder, ir.Constant(_vector(), [start] * SIMD_WIDTH))
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


kernel = compiled()


@kernel
def _signed_block(weights, signs, first, width, block):
    """Single-precision signed weights of ``width`` models, examples in rows; other columns are left.

    Weights too small to move a sum are flushed to zero; subnormal numbers are slow.
    """
    for i in range(weights.shape[1]):
        for b in range(width):
            w = weights[first + b, i]
            block[i, b] = np.float32(signs[i] * w) if w > 1e-30 else np.float32(0.0)


def _batch_edges_in_arrays(
    codes, n_bins, modal_bin, nonmodal_starts, nonmodal_rows, blocks, weights, labels, first, last, edges
):
    """Array form of ``batch_edges``."""
    _single_edges_in_arrays(codes, n_bins, weights, labels, first, last, edges)  # more exact than it need be


@compiled(_batch_edges_in_arrays)
def batch_edges(
    codes, n_bins, modal_bin, nonmodal_starts, nonmodal_rows, blocks, weights, labels, first, last, edges
):
    """Largest absolute edge of any cut of features ``first`` to ``last``, approximately; constants are none.

    With ``C_j`` the cumulative signed weight up to bin ``j`` and ``T`` the total, the stump that
    predicts + above bin ``j`` has edge ``T - 2 C_j``; so the extremes of ``C`` are enough. Sums are
    in single precision: they only nominate features, which ``choose_stumps`` examines in double. So that no
    sum has many terms, a histogram is handed on after a block of rows. Where one bin has most rows, the other
    rows are added up and its share is what they leave of the whole.
    """
    n_models, n = weights.shape
    largest = n_bins[first:last].max()
    block, signs = np.zeros((n, SIMD_WIDTH), np.float32), 2.0 * labels - 1.0
    histogram, handed_on = np.empty((largest, SIMD_WIDTH), np.float32), np.empty((largest, SIMD_WIDTH))
    whole, rest, found = np.empty(SIMD_WIDTH), np.empty(SIMD_WIDTH), np.empty((3, SIMD_WIDTH), np.float32)
    for start in range(0, n_models, SIMD_WIDTH):
        width = min(SIMD_WIDTH, n_models - start)
        _signed_block(weights, signs, start, width, block)
        whole[:] = 0.0
        for i in range(n):
            whole += block[i]
        for f in range(first, last):
            bins, column = n_bins[f], codes[f]
            count = nonmodal_starts[f + 1] - nonmodal_starts[f] if modal_bin[f] >= 0 else n
            in_blocks = count > blocks[f]
            histogram[:bins] = 0.0
            if in_blocks:
                handed_on[:bins] = 0.0
            for at in range(0, count, blocks[f]):
                stop = min(count, at + blocks[f])
                if modal_bin[f] >= 0:
                    for k in range(nonmodal_starts[f] + at, nonmodal_starts[f] + stop):
                        row = np.intp(nonmodal_rows[k])
                        add_row(histogram, np.intp(column[row]), block, row)
                else:
                    for i in range(at, stop):
                        add_row(histogram, np.intp(column[i]), block, i)
                if in_blocks:
                    handed_on[:bins] += histogram[:bins]
                    histogram[:bins] = 0.0
            if in_blocks:
                histogram[:bins] = handed_on[:bins]
            if modal_bin[f] >= 0:
                rest[:] = whole
                for j in range(bins):
                    rest -= histogram[j]
                histogram[modal_bin[f]] = rest
            if bins == 1:
                edges[start : start + width, f] = 0.0
                continue
            scan_rows(histogram, np.intp(bins), found)
            total, low, high = found
            for b in range(width):
                whole_edge = np.float64(total[b])  # a double for the interpreter as for the compiler
                edges[start + b, f] = max(abs(whole_edge - 2 * low[b]), abs(whole_edge - 2 * high[b]))


def _single_edges_in_arrays(codes, n_bins, weights, labels, first, last, edges):
    """Array form of ``single_edges``."""
    for b, w in enumerate(weights):
        signed = np.where(labels, w, -w)
        for f in range(first, last):
            up_to = np.cumsum(np.bincount(codes[f], signed, n_bins[f]))
            edges[b, f] = np.abs(up_to[-1] - 2 * up_to[:-1]).max(initial=0.0)


@compiled(_single_edges_in_arrays)
def single_edges(codes, n_bins, weights, labels, first, last, edges):
    """What ``batch_edges`` computes, for a batch of one, in double precision.

    Four features at a time: an addition waits for the one before, and four chains wait side by side.
    """
    n, end = weights.shape[1], last - 1
    signed = np.empty(n)
    for i in range(n):
        signed[i] = weights[0, i] if labels[i] else -weights[0, i]
    histograms = np.empty((4, n_bins[first:last].max()))
    h0, h1, h2, h3 = histograms
    for f in range(first, last, 4):
        bins = n_bins[f : min(f + 4, last)].max()
        histograms[:, :bins] = 0.0
        c0, c1 = codes[f], codes[min(f + 1, end)]  # where fewer than four are left the last is repeated
        c2, c3 = codes[min(f + 2, end)], codes[min(f + 3, end)]
        for i in range(n):
            w = signed[i]
            h0[c0[i]] += w
            h1[c1[i]] += w
            h2[c2[i]] += w
            h3[c3[i]] += w
        last0, last1 = n_bins[f] - 1, n_bins[min(f + 1, end)] - 1
        last2, last3 = n_bins[min(f + 2, end)] - 1, n_bins[min(f + 3, end)] - 1
        t0, t1, t2, t3 = h0[0], h1[0], h2[0], h3[0]
        low0, low1, low2, low3 = t0, t1, t2, t3
        high0, high1, high2, high3 = t0, t1, t2, t3
        for j in range(1, bins):
            t0, t1, t2, t3 = t0 + h0[j], t1 + h1[j], t2 + h2[j], t3 + h3[j]
            # from the last bin of a feature on there is no cut, and a sum already seen takes its place
            u0, u1 = t0 if j < last0 else low0, t1 if j < last1 else low1
            u2, u3 = t2 if j < last2 else low2, t3 if j < last3 else low3
            low0, low1, low2, low3 = min(low0, u0), min(low1, u1), min(low2, u2), min(low3, u3)
            high0, high1, high2, high3 = max(high0, u0), max(high1, u1), max(high2, u2), max(high3, u3)
        scans = (t0, low0, high0), (t1, low1, high1), (t2, low2, high2), (t3, low3, high3)
        for k in range(min(4, last - f)):
            total, low, high = scans[k]
            largest = max(abs(total - 2 * low), abs(total - 2 * high))
            edges[0, f + k] = largest if n_bins[f + k] > 1 else 0.0


@kernel
def class_histograms(column, weights, labels, bins, histogram):
    histogram[:, :bins] = 0.0
    for i in range(weights.shape[0]):
        histogram[labels[i], column[i]] += weights[i]


@kernel
def cumulate(histogram, bins, up_to):
    """Signed weight up to each bin, in double precision."""
    below = 0.0
    for j in range(bins):
        below += histogram[1, j] - histogram[0, j]
        up_to[j] = below


@kernel
def best_edge(up_to, bins):
    """Largest absolute edge over all cuts, the constant included."""
    total = up_to[bins - 1]
    best = abs(total)
    for j in range(bins - 1):
        best = max(best, abs(total - 2 * up_to[j]))
    return best


@kernel
def _best_cut(up_to, bins, best):
    """First cut within a tie of the best edge, and its polarity; cut -1 is the constant."""
    total = up_to[bins - 1]
    for cut in range(-1, bins - 1):
        edge = total - 2 * (up_to[cut] if cut >= 0 else 0.0)
        if edge >= best - TIE:
            return cut, 1
        if -edge >= best - TIE:
            return cut, -1
    return -1, 1


def _midway_in_arrays(lower, upper, cut, beyond):
    """Array form of ``midway``."""
    middle = 0.5 * upper[cut] + 0.5 * lower[beyond]
    if middle >= lower[beyond] and lower[beyond] < np.inf:
        middle = upper[cut]
    return middle, cut + np.searchsorted(upper[cut + 1 : beyond], middle, side="right")


@compiled(_midway_in_arrays)
def midway(lower, upper, cut, beyond):
    """Midway between the bins on both sides of a cut, and the last bin up to there, which may be empty."""
    middle = 0.5 * upper[cut] + 0.5 * lower[beyond]  # infinite next to the missing values
    if middle >= lower[beyond] and lower[beyond] < np.inf:  # rounding, when the two values are neighbours
        middle = upper[cut]
    while cut + 1 < beyond and upper[cut + 1] <= middle:
        cut += 1
    return middle, cut


def _missing_side_in_arrays(histogram, bins, cut, missing):
    """Array form of ``missing_side``."""
    held = histogram[0, :bins] + histogram[1, :bins]
    if missing >= 0 and held[missing] > 0.0:
        return missing > cut
    below, above = np.bincount(np.arange(bins) > cut, held, 2)
    return above >= below - TIE


@compiled(_missing_side_in_arrays)
def missing_side(histogram, bins, cut, missing):
    """Whether missing values go above a cut: with their bin, or else to the side of larger weight."""
    if missing >= 0 and histogram[0, missing] + histogram[1, missing] > 0.0:
        return missing > cut
    below, above = 0.0, 0.0
    for j in range(bins):
        if j <= cut:
            below += histogram[0, j] + histogram[1, j]
        else:
            above += histogram[0, j] + histogram[1, j]
    return above >= below - TIE


def _fill_hits_in_arrays(column, cut, sign, missing, missing_above, hits):
    """Array form of ``fill_hits``."""
    above = column > cut
    if missing >= 0 and missing_above != (missing > cut):
        above[column == missing] = missing_above
    hits[:] = above == (sign > 0)


@compiled(_fill_hits_in_arrays)
def fill_hits(column, cut, sign, missing, missing_above, hits):
    """What a stump predicts for every example, 0 or 1."""
    for i in range(column.shape[0]):
        hits[i] = (column[i] > cut) == (sign > 0)
    if missing >= 0 and missing_above != (missing > cut):  # of examples without weight
        for i in range(column.shape[0]):
            if column[i] == missing:
                hits[i] = missing_above == (sign > 0)


@kernel
def _constant_edge(weights, labels):
    """Edge of the better constant, in four interleaved partial sums."""
    n = weights.shape[0]
    whole = n - n % 4
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(0, whole, 4):
        s0 += weights[i] if labels[i] else -weights[i]
        s1 += weights[i + 1] if labels[i + 1] else -weights[i + 1]
        s2 += weights[i + 2] if labels[i + 2] else -weights[i + 2]
        s3 += weights[i + 3] if labels[i + 3] else -weights[i + 3]
    for i in range(whole, n):
        s0 += weights[i] if labels[i] else -weights[i]
    return abs((s0 + s1) + (s2 + s3))


def class_cuts(column, weights, labels, bins):
    """Weight of each class and bin, and the edge of the constant and of each cut."""
    histogram = np.bincount(labels * bins + column, weights, 2 * bins).reshape(2, bins)
    up_to = np.cumsum(histogram[1] - histogram[0])
    return histogram, up_to[-1] - 2 * np.r_[0.0, up_to[:-1]]


def _choose_stumps_in_arrays(
    codes, n_bins, lower, upper, weights, labels, edges, absolute, relative, missing,
    feature, threshold, polarity, missing_above, hits,
):  # fmt: skip
    """Array form of ``choose_stumps``."""
    for b, w in enumerate(weights):
        constant = abs(np.where(labels, w, -w).sum())
        top = max(constant - absolute[0], np.max(edges[b] * (1 - relative) - absolute))
        promises = np.r_[max(edges[b, 0], constant), edges[b, 1:]]
        nominated = np.flatnonzero(promises * (1 + relative) + absolute >= top)
        found = [class_cuts(codes[f], w, labels, n_bins[f]) for f in nominated]
        exact = np.array([np.abs(cuts).max() for _, cuts in found])
        chosen = np.flatnonzero(exact >= exact.max() - TIE)[0]
        f, best, (histogram, cuts) = nominated[chosen], exact[chosen], found[chosen]
        cut = np.flatnonzero(np.abs(cuts) >= best - TIE)[0] - 1
        feature[b], polarity[b] = f, 1 if cuts[cut + 1] >= best - TIE else -1
        if cut < 0:
            threshold[b] = -np.inf
        else:
            carrying = np.flatnonzero(histogram[:, cut + 1 : -1].any(axis=0))
            above = cut + 1 + carrying[0] if len(carrying) else n_bins[f] - 1
            threshold[b], cut = _midway_in_arrays(lower[f], upper[f], cut, above)
        missing_above[b] = _missing_side_in_arrays(histogram, n_bins[f], cut, missing[f])
        _fill_hits_in_arrays(codes[f], cut, polarity[b], missing[f], missing_above[b], hits[b])


@compiled(_choose_stumps_in_arrays)
def choose_stumps(
    codes,
    n_bins,
    lower,
    upper,
    weights,
    labels,
    edges,
    absolute,
    relative,
    missing,
    feature,
    threshold,
    polarity,
    missing_above,
    hits,
):
    """The best stump of each model, and what it predicts for every example.

    Features whose approximate edge may be the largest, within its errors ``absolute`` and ``relative``, are
    examined in double precision, the first feature also where a constant may be best. The threshold is midway
    between the nearest values that carry weight for this model. A feature here is a column of the bins.
    """
    n_models, n = weights.shape
    d = codes.shape[0]
    largest = 0
    for f in range(d):
        largest = max(largest, n_bins[f])
    histogram, up_to = np.empty((2, largest)), np.empty(largest)
    exact = np.empty(d)
    for b in range(n_models):
        constant = _constant_edge(weights[b], labels)
        top = constant - absolute[0]
        for f in range(d):
            top = max(top, edges[b, f] * (1 - relative[f]) - absolute[f])
        best, held = -1.0, -1  # held: the feature whose histogram is at hand
        for f in range(d):
            exact[f] = -1.0
            # a constant belongs to the first feature, the lowest of all that it ties with
            promises = max(edges[b, f], constant) if f == 0 else edges[b, f]
            if promises * (1 + relative[f]) + absolute[f] >= top:
                class_histograms(codes[f], weights[b], labels, n_bins[f], histogram)
                held = f
                cumulate(histogram, n_bins[f], up_to)
                exact[f] = best_edge(up_to, n_bins[f])
                best = max(best, exact[f])
        f = 0
        while exact[f] < best - TIE:
            f += 1
        bins = n_bins[f]
        if held != f:
            class_histograms(codes[f], weights[b], labels, bins, histogram)
            cumulate(histogram, bins, up_to)
        cut, sign = _best_cut(up_to, bins, exact[f])
        feature[b], polarity[b] = f, sign
        if cut < 0:
            threshold[b] = -np.inf
        else:
            above = cut + 1  # the lowest of tied cuts lies above a bin that carries weight
            while above < bins - 1 and histogram[0, above] + histogram[1, above] == 0.0:
                above += 1
            threshold[b], cut = midway(lower[f], upper[f], cut, above)
        missing_above[b] = missing_side(histogram, bins, cut, missing[f])
        fill_hits(codes[f], cut, sign, missing[f], missing_above[b], hits[b])


SINGLE, DOUBLE = (float(np.finfo(kind).eps) / 2 for kind in (np.float32, np.float64))
"""Relative error of one rounding."""

BestLoss = Callable[[np.ndarray], np.ndarray]
"""Loss that the best step along each of K stumps reaches, from their masses (2, 2, K)."""


def _stump_scores_in_arrays(X, models, feature, threshold, polarity, missing_above, alpha, scores):
    """Array form of ``stump_scores``."""
    for t, f in enumerate(feature):
        up = alpha[t] * polarity[t]
        scores[models[t]] += np.where(exceeds(X[:, f], threshold[t], missing_above[t]), up, -up)


@compiled(_stump_scores_in_arrays)
def stump_scores(X, models, feature, threshold, polarity, missing_above, alpha, scores):
    """Add the weighted votes of stumps, in the order given, to the rows of ``scores`` of their models."""
    for t in range(feature.shape[0]):
        f, row = feature[t], scores[models[t]]
        up = alpha[t] * polarity[t]
        if missing_above[t]:
            for i in range(X.shape[0]):
                row[i] += -up if X[i, f] <= threshold[t] else up
        else:
            for i in range(X.shape[0]):
                row[i] += up if X[i, f] > threshold[t] else -up


class DecisionStump(NamedTuple):
    """The weak hypothesis ``polarity`` if ``x[feature] > threshold``, else ``-polarity``.

    Whether a missing value counts as above the threshold is ``missing_above``. Where values of weight were
    missing in training, they lie on the side of smaller weighted error; else on that of larger weight. With
    missing values above, a threshold of minus infinity is the constant ``polarity``.
    """

    feature: int
    threshold: float
    polarity: int
    missing_above: bool = True

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        above = exceeds(np.asarray(X)[:, self.feature], self.threshold, self.missing_above)
        return np.where(above, self.polarity, -self.polarity)


def exceeds(column: np.ndarray, threshold: float, missing_above: bool) -> np.ndarray:
    """Which values lie above a threshold, compared as doubles; the missing do or do not."""
    at = np.float64(threshold)
    return ~(column <= at) if missing_above else column > at


class StumpBatch(NamedTuple):
    """One stump a model, as arrays of shape (B,)."""

    feature: np.ndarray
    threshold: np.ndarray
    polarity: np.ndarray
    missing_above: np.ndarray

    @classmethod
    def empty(cls, n_models: int) -> StumpBatch:
        return cls(
            np.empty(n_models, np.int64), np.empty(n_models), np.empty(n_models, np.int64),
            np.empty(n_models, bool),
        )  # fmt: skip

    def take(self, chosen: np.ndarray) -> StumpBatch:
        """Some of the stumps."""
        return StumpBatch(*(field[chosen] for field in tuple(self)))

    def __getitem__(self, b: int) -> DecisionStump:  # type: ignore[override]  # stumps, not fields
        return DecisionStump(
            int(self.feature[b]), float(self.threshold[b]), int(self.polarity[b]), bool(self.missing_above[b])
        )


class EdgeFinder:
    """Largest edges of the cuts of each feature, with bounds on their errors; a constant is no cut.

    An edge may be wrong by ``absolute``, of shape (d,), and by its product with ``relative``, whatever the
    weights, which sum to one. For the error of a sum of k terms is at most k roundings of the sum of their
    sizes: in a histogram k is the number of rows in a bin, and all bins together weigh one. The cumulative
    sums are at most as large as the edge found, and there are as many as bins. An edge is made of three sums.
    """

    def __init__(self, data: BinnedData, labels: np.ndarray, n_jobs: int | None) -> None:
        self.data, self.labels = data, labels
        self.threads = FeatureThreads(len(data.codes), n_jobs)
        n = len(labels)
        examined = TIE + 8 * n * DOUBLE  # the sums that decide are rounded as well
        # twice: the rows left over by the others have their errors
        sparse = data.modal_bin, data.nonmodal_starts, data.nonmodal_rows
        self.find_one: Callable[..., None] = partial(single_edges, data.codes, data.n_bins)
        self.find_many: Callable[..., None] = partial(
            batch_edges, data.codes, data.n_bins, *sparse, data.blocks
        )
        self.of_batch = 6 * SINGLE * (data.max_bin_count + 2) + examined, 3 * SINGLE * (data.n_bins + 2)
        self.of_one = np.full(len(data.codes), 3 * n * DOUBLE + examined), 3 * DOUBLE * (data.n_bins + 2)

    def __call__(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Edges (B, d) for weights (B, n), and their errors, absolute and relative, (d,)."""
        edges = np.empty((len(weights), len(self.data.codes)))
        if len(weights) == 1:
            find, errors = self.find_one, self.of_one
        else:
            find, errors = self.find_many, self.of_batch
        self.threads.run(
            lambda first, last: find(weights, self.labels, first, last, edges),
            work=len(self.labels) * edges.size,
        )
        return edges, *errors


class BoundStump:
    """Stumps on binned data.

    Minimises the weighted error over all features, cuts and polarities, the constant included. Edges
    closer than 1e-12 are a tie, decided by the lowest feature, then the lowest threshold, then ``+``. Missing
    values are tried on both sides of each cut, above first.
    """

    accepts = frozenset({"weights", "max_bins", "n_jobs", "joint", "blocks", "missing"})

    def __init__(
        self,
        X: Features,
        y: np.ndarray,
        weights: np.ndarray | None = None,
        *,
        max_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.data = bin_features(X, y, weights, max_bins, n_jobs)
        self.labels = y
        self.find_edges = EdgeFinder(self.data, y, n_jobs)
        self.doubled = len(self.data.source) > X.shape[1]  # some feature has a second column

    def fit(
        self, weights: np.ndarray, losses: Sequence[BestLoss | None] | None = None
    ) -> tuple[StumpBatch, np.ndarray]:
        """Stumps and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one.

        ``losses`` has for each model a function of the masses (2, 2, K) of K stumps by which it chooses in
        place of the edge, or None.
        """
        n_models, n = weights.shape
        stumps, predicted = StumpBatch.empty(n_models), np.empty((n_models, n), np.uint8)
        data = self.data
        choose_stumps(
            data.codes, data.n_bins, data.lower, data.upper, weights, self.labels, *self.find_edges(weights),
            data.missing, *stumps, predicted,
        )  # fmt: skip
        for b, loss in enumerate(losses or ()):
            if loss is not None:
                self._choose_jointly(b, weights[b], loss, stumps, predicted)
        if self.doubled:
            stumps.feature[:] = data.source[stumps.feature]
        return stumps, predicted

    def _choose_jointly(
        self, b: int, w: np.ndarray, loss: BestLoss, stumps: StumpBatch, predicted: np.ndarray
    ) -> None:
        """The stump whose best step reaches the smallest loss, by trying every cut."""
        candidates = [self._best_cut_jointly(f, w, loss) for f in range(len(self.data.codes))]
        values = np.array([value for value, *_ in candidates])
        f = int(np.flatnonzero(values <= values.min() + TIE)[0])
        _, threshold, cut, polarity = candidates[f]
        stumps.feature[b], stumps.threshold[b], stumps.polarity[b] = f, threshold, polarity
        missing = self.data.missing[f]
        stumps.missing_above[b] = missing_side(self._mass(f, w), self.data.n_bins[f], cut, missing)
        fill_hits(self.data.codes[f], cut, polarity, missing, stumps.missing_above[b], predicted[b])

    def _mass(self, f: int, w: np.ndarray) -> np.ndarray:
        """Weight of each class and bin of a column."""
        column, bins = self.data.codes[f], self.data.n_bins[f]
        return np.stack([np.bincount(column[self.labels == y], w[self.labels == y], bins) for y in (0, 1)])

    def _best_cut_jointly(self, f: int, w: np.ndarray, loss: BestLoss) -> tuple[float, float, int, int]:
        """Loss, threshold, last bin below it and polarity of the best cut of one column.

        Only bins that carry weight count.
        """
        mass = self._mass(f, w)
        occupied = np.flatnonzero(mass.sum(axis=0) > 0)
        mass = mass[:, occupied]
        below = np.cumsum(np.hstack([np.zeros((2, 1)), mass[:, :-1]]), axis=1)  # cut 0 is the constant
        above = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
        values = loss(np.stack([below, above], axis=1))
        cut = int(np.flatnonzero(values <= values.min() + TIE)[0])
        edge = above[1, cut] - above[0, cut] + below[0, cut] - below[1, cut]
        if cut == 0:
            return values[cut], -np.inf, -1, 1 if edge >= 0 else -1
        threshold, last = midway(self.data.lower[f], self.data.upper[f], occupied[cut - 1], occupied[cut])
        return values[cut], threshold, last, 1 if edge >= 0 else -1
