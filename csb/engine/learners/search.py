"""The search for the stump of largest edge among all cuts of all columns.

In each round the weight of both classes is added up for every coarse code of every column. That gives the edge of
each cut between two codes, and a bound for the cuts inside of one: the sum up to the code, widened by the weights
within. Only codes whose bound reaches the best edge found so far are walked through, row by row in the order of
their values. So the stump is that of a full search, and few rows are looked at.
"""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.rules import TIE

__all__ = ["find_stumps", "midway"]

kernel = compiled()

CHUNK = 2048
"""Rows that are added at a time, so that they stay in a cache."""
ROUNDING = 5e-16
"""What a round of additions may leave of rounding, as a share of the weight."""
DRIFT, SLACK = 1e-13, 4e-13
"""How much rounding a sum may have gathered before all is added up anew, and a bound may have suffered."""


@kernel
def add_rows(words, rows, classes, amounts, count, histogram):
    """Add amounts of some rows to the sums of their codes, eight columns at a time."""
    of_class, index, one = np.uint64(8 * histogram.shape[2]), np.uint64(0x7F8), np.uint64(1)
    for g in range(words.shape[0]):
        sums, codes = histogram[g].ravel(), words[g]
        for k in range(count):
            w, c, at = amounts[k], codes[rows[k]], np.uint64(classes[k]) * of_class
            sums[at + ((c << np.uint64(3)) & index)] += w
            at += one
            sums[at + ((c >> np.uint64(5)) & index)] += w
            at += one
            sums[at + ((c >> np.uint64(13)) & index)] += w
            at += one
            sums[at + ((c >> np.uint64(21)) & index)] += w
            at += one
            sums[at + ((c >> np.uint64(29)) & index)] += w
            at += one
            sums[at + ((c >> np.uint64(37)) & index)] += w
            at += one
            sums[at + ((c >> np.uint64(45)) & index)] += w
            at += one
            sums[at + ((c >> np.uint64(53)) & index)] += w


@kernel
def add_up(words, labels, weights, predicted, factors, histogram, scale, drift):
    """Weight of each class in each code of each column, ``scale[y] * histogram[g, y, z, j]``.

    Where the factors (2, 2) by which the weights have moved since the last call are known, only the rows are
    added whose factor is not that of most rows of their class; of these the scale takes care. What rounding
    may have left by then is bounded by ``drift``; where that is too much, all is added up anew.
    """
    n = weights.shape[0]
    rows, classes, amounts = np.empty(CHUNK, np.uint64), np.empty(CHUNK, np.uint8), np.empty(CHUNK)
    anew = np.isnan(factors[0, 0])
    minor, step = np.zeros(2, np.uint8), np.zeros(2)
    if not anew:
        ones, of_class = np.zeros(2, np.int64), np.zeros(2, np.int64)
        for i in range(n):
            of_class[1] += labels[i]
            ones[0] += predicted[i]
            ones[1] += predicted[i] & labels[i]
        of_class[0], ones[0] = n - of_class[1], ones[0] - ones[1]
        for y in range(2):
            minor[y] = 2 * ones[y] <= of_class[y]
            rare, common = factors[y, minor[y]], factors[y, 1 - minor[y]]
            scale[y] *= common
            step[y] = (1.0 - common / rare) / scale[y]
            drift[y] = drift[y] * common + ROUNDING * max(rare, common)
        anew = not drift[0] + drift[1] < DRIFT or not np.isfinite(step[0] + step[1])
    if anew:
        histogram[:] = 0.0
        scale[:], step[:], drift[:] = 1.0, 1.0, ROUNDING
    for start in range(0, n, CHUNK):
        count = 0
        for i in range(start, min(n, start + CHUNK)):
            y = labels[i]
            rows[count], classes[count], amounts[count] = i, y, weights[i] * step[y]
            count += anew or predicted[i] == minor[y]
        add_rows(words, rows, classes, amounts, count, histogram)


@kernel
def scan(histogram, scale, mixed, n_codes, totals, edges, reaches):
    """Of each column: the signed weight, the largest edge of a cut between codes, and a bound for all cuts.

    A stump that predicts + above a cut has the edge ``total - 2 u``, where ``u`` is the signed weight below.
    """
    lanes = histogram.shape[3]
    u, low, high = np.empty(lanes), np.empty(lanes), np.empty(lanes)
    lowest, highest = np.empty(lanes), np.empty(lanes)
    for g in range(histogram.shape[0]):
        u[:] = 0.0
        low[:], high[:], lowest[:], highest[:] = np.inf, -np.inf, 0.0, 0.0
        negative, positive, within = histogram[g, 0], histogram[g, 1], mixed[g]
        for z in range(n_codes[lanes * g : lanes * (g + 1)].max()):
            for j in range(lanes):
                q, p, m, v = scale[0] * negative[z, j], scale[1] * positive[z, j], within[z, j], u[j]
                lowest[j] = min(lowest[j], v - q * m)
                highest[j] = max(highest[j], v + p * m)
                v += p - q
                low[j] = min(low[j], v)
                high[j] = max(high[j], v)
                u[j] = v
        for j in range(lanes):
            t, c = u[j], lanes * g + j
            totals[c] = t
            edges[c] = max(abs(t - 2 * low[j]), abs(t - 2 * high[j]))
            reaches[c] = max(edges[c], max(abs(t - 2 * lowest[j]), abs(t - 2 * highest[j])))


@kernel
def nominate(histogram, scale, mixed, n_codes, source, totals, reaches, need, columns, codes, sums, bounds):
    """Write down the mixed codes whose bound reaches ``need``, with the signed weight below; how many they are."""
    lanes, found = histogram.shape[3], 0
    for c in range(source.shape[0]):
        if reaches[c] < need:
            continue
        g, j, t, u = c // lanes, c % lanes, totals[c], 0.0
        for z in range(n_codes[c]):
            q, p = scale[0] * histogram[g, 0, z, j], scale[1] * histogram[g, 1, z, j]
            bound = max(abs(t - 2 * (u + p)), abs(t - 2 * (u - q)))
            if bound >= need and mixed[g, z, j] > 0.0:
                columns[found], codes[found], sums[found], bounds[found] = c, z, u, bound
                found += 1
            u += p - q
    return found


@kernel
def walk(rows, begin, end, weights, u, total, enough):
    """Largest edge of the cuts between rows in order; up to the first that is large enough, and its place."""
    best = -1.0
    for k in range(begin, end):
        r = rows[k]
        w = weights[r >> np.uint32(2)]
        u += w if r & np.uint32(2) else -w
        if r & np.uint32(1):
            best = max(best, abs(total - 2 * u))
            if best >= enough:
                return best, k, u
    return best, -1, u


@kernel
def choose(histogram, scale, mixed, n_codes, totals, edges, begin, end, rows, weights, c, cut):
    """First cut of a column within a tie of its best: fills in its code, its place within, and the polarity.

    Code -1 is the constant, place -1 the cut above all of the code.
    """
    g, j, t, u = c // histogram.shape[3], c % histogram.shape[3], totals[c], 0.0
    enough = edges[c] - TIE
    z, k = -1, -1
    while abs(t - 2 * u) < enough and z + 1 < n_codes[c]:
        z += 1
        q, p = scale[0] * histogram[g, 0, z, j], scale[1] * histogram[g, 1, z, j]
        if mixed[g, z, j] > 0.0 and max(abs(t - 2 * (u + p)), abs(t - 2 * (u - q))) >= enough - SLACK:
            _, k, inside = walk(rows, begin[c, z], end[c, z], weights, u, t, enough)
            if k >= 0:
                u = inside
                break
        u += p - q
    cut[0], cut[1], cut[2] = z, k, 1 if t - 2 * u >= enough else -1


@kernel
def nearest(histogram, mixed, n_codes, low, begin, end, rows, values, weights, c, z, k):
    """Values of weight on both sides of a cut, and -1; or a code that is to be put in order first."""
    g, j = c // histogram.shape[3], c % histogram.shape[3]
    lower = low[c, z]
    if mixed[g, z, j] > 0.0:
        if begin[c, z] < 0:
            return lower, lower, z
        at = k if k >= 0 else end[c, z] - 1
        while weights[rows[at] >> np.uint32(2)] == 0.0:
            at -= 1
        lower = values[at]
        if k >= 0:
            for at in range(k + 1, end[c, z]):
                if weights[rows[at] >> np.uint32(2)] > 0.0:
                    return lower, values[at], -1
    for y in range(z + 1, n_codes[c]):
        if histogram[g, 0, y, j] + histogram[g, 1, y, j] > 0.0:
            if mixed[g, y, j] == 0.0:
                return lower, low[c, y], -1
            if begin[c, y] < 0:
                return lower, lower, y
            for at in range(begin[c, y], end[c, y]):
                if weights[rows[at] >> np.uint32(2)] > 0.0:
                    return lower, values[at], -1
    return lower, lower, -1


@kernel
def midway(lower, upper):
    """Midway between two values; the lower where rounding would reach the upper, as between neighbours."""
    middle = 0.5 * lower + 0.5 * upper  # infinite next to the missing values
    return lower if middle >= upper and upper < np.inf else middle


@kernel
def heavier_above(histogram, scale, n_codes, begin, rows, weights, missing, c, z, k):
    """Whether missing values go above a cut: with their code, or else to the side of larger weight."""
    g, j = c // histogram.shape[3], c % histogram.shape[3]
    if missing >= 0 and histogram[g, 0, missing, j] + histogram[g, 1, missing, j] > 0.0:
        return missing > z
    below, above = 0.0, 0.0
    for y in range(n_codes[c]):
        mass = scale[0] * histogram[g, 0, y, j] + scale[1] * histogram[g, 1, y, j]
        if y < z or (y == z and k < 0):
            below += mass
        else:
            above += mass
    if k >= 0:
        for at in range(begin[c, z], k + 1):
            below += weights[rows[at] >> np.uint32(2)]
            above -= weights[rows[at] >> np.uint32(2)]
    return above >= below - TIE


@kernel
def fill_hits(codes, cut, divided, begin, end, rows, values, threshold, sign, missing, missing_above, hits):
    """What a stump predicts for every example, 0 or 1; rows of the divided code are told apart by value."""
    up, down = np.uint8(sign > 0), np.uint8(sign < 0)
    for i in range(codes.shape[0]):
        hits[i] = up if codes[i] > cut else down
    if divided >= 0:
        for k in range(begin, end):
            if values[k] <= threshold:
                hits[rows[k] >> np.uint32(2)] = down
    if missing >= 0 and missing_above != (missing > cut):
        for i in range(codes.shape[0]):
            if codes[i] == missing:
                hits[i] = up if missing_above else down


@kernel
def find_stumps(
    codes,
    n_codes,
    low,
    high,
    mixed,
    source,
    missing,
    begin,
    end,
    rows,
    values,
    weights,
    histograms,
    scales,
    pending,
    wanted,
    feature,
    threshold,
    polarity,
    missing_above,
    hits,
):
    """The best stump of each model that is pending, and what it predicts for every example.

    A model for which codes must be put in order first stays pending; these are written to ``wanted``.
    Returns how many they are.
    """
    lanes = codes.shape[2]
    room = mixed.size
    totals, edges, reaches = np.empty(n_codes.shape[0]), np.empty(n_codes.shape[0]), np.empty(n_codes.shape[0])
    of_column, of_code = np.empty(room, np.int64), np.empty(room, np.int64)
    sums, bounds, cut = np.empty(room), np.empty(room), np.empty(3, np.int64)
    asked = 0
    for b in range(weights.shape[0]):
        if not pending[b]:
            continue
        w, histogram, scale = weights[b], histograms[b], scales[b]
        scan(histogram, scale, mixed, n_codes, totals, edges, reaches)
        best = edges[: source.shape[0]].max()
        need = best - 2 * TIE - SLACK
        found = nominate(
            histogram, scale, mixed, n_codes, source, totals, reaches, need, of_column, of_code, sums, bounds
        )
        before = asked
        first = bounds[:found].argmax() if found else 0
        for step in range(found):  # the most promising first, for it may settle the others
            at = first if step == 0 else (step - 1 if step <= first else step)
            if bounds[at] < best - 2 * TIE - SLACK:
                continue
            c, z = of_column[at], of_code[at]
            if begin[c, z] < 0:
                wanted[asked] = 256 * c + z
                asked += 1
                if step == 0:
                    break
                continue
            edge, _, _ = walk(rows, begin[c, z], end[c, z], w, sums[at], totals[c], np.inf)
            edges[c] = max(edges[c], edge)
            best = max(best, edge)
        if asked > before:
            continue
        c = 0
        while edges[c] < best - TIE:
            c += 1
        for other in range(c + 1, source.shape[0]):  # columns are not in the order of their features
            if edges[other] >= best - TIE and source[other] < source[c]:
                c = other
        choose(histogram, scale, mixed, n_codes, totals, edges, begin, end, rows, w, c, cut)
        z, k, at = cut[0], cut[1], -np.inf
        if z >= 0:
            lower, upper, unknown = nearest(
                histogram, mixed, n_codes, low, begin, end, rows, values, w, c, z, k
            )
            at = midway(lower, upper)
            below, divided = -1, -1
            for y in range(n_codes[c]):
                if high[c, y] <= at and low[c, y] <= high[c, y]:
                    below = y
                elif low[c, y] <= at and low[c, y] < high[c, y]:
                    divided = y
            if unknown < 0 and divided >= 0 and begin[c, divided] < 0:
                unknown = divided
            if unknown >= 0:
                wanted[asked] = 256 * c + unknown
                asked += 1
                continue
        else:
            below, divided = -1, -1
        feature[b], threshold[b], polarity[b] = source[c], at, cut[2]
        missing_above[b] = heavier_above(histogram, scale, n_codes, begin, rows, w, missing[c], c, z, k)
        fill_hits(
            codes[c // lanes, :, c % lanes], below, divided, begin[c, divided], end[c, divided],
            rows, values, at, cut[2], missing[c], missing_above[b], hits[b],
        )  # fmt: skip
        pending[b] = False
    return asked
