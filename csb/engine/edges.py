"""Compiled search for the stump of largest edge on binned features; its sums, too, keep one fixed order."""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.lanes import LANES, add_row, scan_rows
from csb.engine.stops import TIE

__all__ = [
    "batch_edges", "best_edge", "choose_stumps", "class_histograms", "cumulate", "fill_hits", "largest_fills",
    "midway", "missing_side", "single_edges",
]  # fmt: skip

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


@kernel
def largest_fills(codes, n_bins, common, others, other_rows, blocks):
    """Largest number of additions to one bin within a block of ``batch_edges``, feature by feature."""
    d, n = codes.shape
    fills = np.zeros(d, np.int64)
    for f in range(d):
        count = others[f + 1] - others[f] if common[f] >= 0 else n
        for start in range(0, count, blocks[f]):
            filled = np.zeros(n_bins[f], np.int64)
            for k in range(start, min(count, start + blocks[f])):
                filled[codes[f, other_rows[others[f] + k] if common[f] >= 0 else k]] += 1
            fills[f] = max(fills[f], filled.max())
    return fills


@kernel
def batch_edges(codes, n_bins, common, others, other_rows, blocks, weights, labels, first, last, edges):
    """Largest absolute edge of any cut of features ``first`` to ``last``, approximately; constants are none.

    With ``C_j`` the cumulative signed weight up to bin ``j`` and ``T`` the total, the stump that
    predicts + above bin ``j`` has edge ``T - 2 C_j``; so the extremes of ``C`` are enough. Sums are
    in single precision: they only nominate features, which ``choose_stumps`` examines in double. So that no
    sum has many terms, a histogram is handed on after a block of rows. Where one bin is common, the other
    rows are added up and its share is what they leave of the whole.
    """
    n_models, n = weights.shape
    largest = n_bins[first:last].max()
    block, signs = np.zeros((n, LANES), np.float32), 2.0 * labels - 1.0
    histogram, handed_on = np.empty((largest, LANES), np.float32), np.empty((largest, LANES))
    whole, rest, found = np.empty(LANES), np.empty(LANES), np.empty((3, LANES), np.float32)
    for start in range(0, n_models, LANES):
        width = min(LANES, n_models - start)
        _signed_block(weights, signs, start, width, block)
        whole[:] = 0.0
        for i in range(n):
            whole += block[i]
        for f in range(first, last):
            bins, column = n_bins[f], codes[f]
            count = others[f + 1] - others[f] if common[f] >= 0 else n
            in_blocks = count > blocks[f]
            histogram[:bins] = 0.0
            if in_blocks:
                handed_on[:bins] = 0.0
            for at in range(0, count, blocks[f]):
                stop = min(count, at + blocks[f])
                if common[f] >= 0:
                    for k in range(others[f] + at, others[f] + stop):
                        row = np.intp(other_rows[k])
                        add_row(histogram, np.intp(column[row]), block, row)
                else:
                    for i in range(at, stop):
                        add_row(histogram, np.intp(column[i]), block, i)
                if in_blocks:
                    handed_on[:bins] += histogram[:bins]
                    histogram[:bins] = 0.0
            if in_blocks:
                histogram[:bins] = handed_on[:bins]
            if common[f] >= 0:
                rest[:] = whole
                for j in range(bins):
                    rest -= histogram[j]
                histogram[common[f]] = rest
            if bins == 1:
                edges[start : start + width, f] = 0.0
                continue
            scan_rows(histogram, np.intp(bins), found)
            total, low, high = found
            for b in range(width):
                whole_edge = np.float64(total[b])  # a double for the interpreter as for the compiler
                edges[start + b, f] = max(abs(whole_edge - 2 * low[b]), abs(whole_edge - 2 * high[b]))


@kernel
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


@kernel
def midway(lower, upper, cut, beyond):
    """Midway between the bins on both sides of a cut, and the last bin up to there, which may be empty."""
    middle = 0.5 * upper[cut] + 0.5 * lower[beyond]  # infinite next to the missing values
    if middle >= lower[beyond] and lower[beyond] < np.inf:  # rounding, when the two values are neighbours
        middle = upper[cut]
    while cut + 1 < beyond and upper[cut + 1] <= middle:
        cut += 1
    return middle, cut


@kernel
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


@kernel
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


@kernel
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
