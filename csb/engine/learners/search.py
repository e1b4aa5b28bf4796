"""The search for the stump of largest edge among all cuts of all columns.

In each round the weight of both classes is added up for every coarse code of every column, or only what has
changed. That gives the edge of each cut between two codes, and a bound for the cuts within one: the sum up to
the code, widened by the weights that it holds. Codes whose bound reaches the best edge found so far are
walked through, row by row in the order of their values. So the stump is that of a full search, though few
rows are looked at.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, Self

import numpy as np

from csb.engine.codes import ABREAST, AHEAD, LANES, CodedData, add_to_codes, send_for
from csb.engine.compiled import compiled
from csb.engine.rules import TIE, Change

__all__ = ["DOUBTFUL", "PENDING", "Sums", "find_stumps", "midway"]

kernel = compiled()

CHUNK = 16_384
"""Rows that are added at a time, so that they stay in a cache."""
ROUNDING = 5e-16
"""What a round of additions may leave of rounding, as a share of the weight."""
LONG_WALK = 4000
"""A model whose search has walked through more rows in a round remembers from then on what it found."""
GROWTH = 1.0 + 1e-13
"""Keeps a bound one in spite of rounding."""
FOUND, PENDING, DOUBTFUL = 0, 1, 2
"""How it stands with the search for the stump of a model."""
DOUBT = 4
"""An edge is made of sums that may err by their drift, each so many times at most."""
DRIFT, SLACK = 1e-13, 4e-13
"""How much rounding a sum may have gathered before all is added up anew, and a bound may have suffered."""


@kernel
def add_column(codes, labels, weights, bins, sums):
    """Weight of each class in each code of one column; neighbouring rows are added up apart."""
    n, apart = codes.shape[0], np.zeros((4, 2, bins))
    for i in range(0, n - n % 4, 4):
        for k in range(4):
            apart[k, labels[i + k], codes[i + k]] += weights[i + k]
    for i in range(n - n % 4, n):
        apart[0, labels[i], codes[i]] += weights[i]
    total = 0.0
    for z in range(bins):
        for y in range(2):
            sums[y, z] = (apart[0, y, z] + apart[1, y, z]) + (apart[2, y, z] + apart[3, y, z])
        total += sums[1, z] - sums[0, z]
    return total


@kernel
def add_rows(codes, rows, classes, amounts, count, histogram):
    """Add amounts of some rows to the sums of their codes, four columns at a time."""
    of_class = np.uint64(LANES * histogram.shape[2])
    for c in range(0, codes.shape[0], ABREAST):
        sums, lane = histogram[c // LANES].ravel(), np.uint64(c % LANES)
        c0, c1, c2, c3 = codes[c], codes[c + 1], codes[c + 2], codes[c + 3]
        for k in range(count):
            i, start = rows[k], np.uint64(classes[k]) * of_class + lane
            add_to_codes(sums, start, (c0[i], c1[i], c2[i], c3[i]), (amounts[k],))


def _follow_in_arrays(labels, predicted, factors, scale, drift, rare, step, anew):
    """Array form of ``follow``."""
    classes = np.arange(2)
    for b in range(len(anew)):
        anew[b] = np.isnan(factors[0, 0, b])
        if not anew[b]:
            counts = np.bincount(2 * labels + predicted[b], minlength=4).reshape(2, 2)
            rare[b] = counts[:, 1] <= counts[:, 0]
            few, most = factors[classes, rare[b], b], factors[classes, 1 - rare[b], b]
            scale[b] *= most
            step[b] = (1.0 - most / few) / scale[b]
            drift[b] = drift[b] * most + ROUNDING * np.maximum(few, most)
            anew[b] = not (drift[b, 0] + drift[b, 1] < DRIFT and np.isfinite(step[b, 0] + step[b, 1]))
        if anew[b]:
            scale[b], step[b], drift[b] = 1.0, 1.0, ROUNDING


@compiled(_follow_in_arrays)
def follow(labels, predicted, factors, scale, drift, rare, step, anew):
    """Take up the factors (2, 2, B) by which weights have moved.

    Most rows of a class have one factor, which goes into its scale. ``rare`` is what was predicted for the
    others, and ``step`` by how much of its weight the sum of such a row changes. What rounding may have left
    is bounded by ``drift``: where that is too much, or the factors are not known, all is added up anew.
    """
    n, positives = labels.shape[0], 0
    for i in range(n):
        positives += labels[i]
    for b in range(anew.shape[0]):
        anew[b] = np.isnan(factors[0, 0, b])
        if not anew[b]:
            ones, both = 0, 0
            for i in range(n):
                ones += predicted[b, i]
                both += predicted[b, i] & labels[i]
            rare[b, 0], rare[b, 1] = 2 * (ones - both) <= n - positives, 2 * both <= positives
            for y in range(2):
                few, most = factors[y, rare[b, y], b], factors[y, 1 - rare[b, y], b]
                scale[b, y] *= most
                step[b, y] = (1.0 - most / few) / scale[b, y]
                drift[b, y] = drift[b, y] * most + ROUNDING * max(few, most)
            anew[b] = not (drift[b, 0] + drift[b, 1] < DRIFT and np.isfinite(step[b, 0] + step[b, 1]))
        if anew[b]:
            for y in range(2):
                scale[b, y], step[b, y], drift[b, y] = 1.0, 1.0, ROUNDING


def _add_up_in_arrays(codes, labels, weights, predicted, rare, step, anew, histograms, models, rows):
    """Array form of ``add_up``."""
    most, lanes = histograms.shape[3:]
    inside = slice(*rows)
    for b in range(*models):
        if anew[b]:
            histograms[b] = 0.0
        added = np.arange(*rows)
        if not anew[b]:
            added = added[predicted[b, inside] == rare[b][labels[inside]]]
        amounts = weights[b, added] * step[b][labels[added]]
        above = most * labels[added].astype(int)
        for g, sums in enumerate(histograms[b]):
            of_rows = above + codes[lanes * g : lanes * (g + 1), added]
            at = (lanes * of_rows.T + np.arange(len(of_rows))).ravel()
            np.add.at(sums.reshape(-1), at, np.repeat(amounts, len(of_rows)))  # one by one


@compiled(_add_up_in_arrays)
def add_up(codes, labels, weights, predicted, rare, step, anew, histograms, models, rows):
    """Add the weight of a range of rows to the sums of their class and codes, for a range of models.

    Anew that of all of them, else the change of those for which what is ``rare`` was predicted.
    """
    one, none, size = np.uint64(1), np.uint64(0), min(rows[1] - rows[0], CHUNK)
    added, classes, amounts = np.empty(size, np.uint64), np.empty(size, np.uint8), np.empty(size)
    for b in range(models[0], models[1]):
        w, step0, step1 = weights[b], step[b, 0], step[b, 1]
        if anew[b]:
            histograms[b] = 0.0
        for start in range(rows[0], rows[1], CHUNK):
            stop, count = min(rows[1], start + CHUNK), none
            of_class, of_model = labels[start:stop], predicted[b, start:stop]
            if anew[b]:
                for i in range(len(of_class)):
                    added[count] = start + i
                    count += one
            else:
                rare0, rare1 = rare[b, 0], rare[b, 1]
                for i in range(len(of_class)):  # without a branch, which no processor could foresee
                    added[count] = start + i
                    count += one if of_model[i] == (rare1 if of_class[i] else rare0) else none
            for k in range(count):
                row = added[k]
                classes[k] = labels[row]
                amounts[k] = w[row] * (step1 if labels[row] else step0)
            add_rows(codes, added, classes, amounts, count, histograms[b])


def _vary_in_arrays(histograms, scale, factors, long_walk, walked, known, before, variation):
    """Array form of ``vary``."""
    begins = (walked > long_walk) | ((walked < 0) & np.isnan(factors[0, 0]))
    walked[:] = np.where(begins | (walked < 0), -1, 0)
    for b in np.flatnonzero(walked < 0):
        now = histograms[b] * scale[b][:, np.newaxis, np.newaxis]
        if begins[b]:
            known[b, :, :, 0], variation[b] = np.inf, 0.0
        else:
            one, other = factors[:, :, b].T[:, :, np.newaxis, np.newaxis]
            apart, old = np.abs(one - other), before[b]
            inverse = np.where(apart > 0.0, 1.0 / (one - other), 0.0)
            mean = np.where(old > 0.0, now / old, 0.0)
            share = np.minimum(np.maximum((mean - other) * inverse, 0.0), 1.0)
            variation[b] = (mean * variation[b] + 2.0 * share * (1.0 - share) * apart * old) * GROWTH
        before[b] = now


@compiled(_vary_in_arrays)
def vary(histograms, scale, factors, long_walk, walked, known, before, variation):
    """How far the weights within a code may have moved apart since it was walked through, class by class.

    The masses before and after tell which share of a code has had which of the two factors; what counts is
    how far these lie from their mean. A model remembers from when its search has walked far, and begins anew
    where the factors are not known.
    """
    for b in range(walked.shape[0]):
        begins = walked[b] > long_walk or (walked[b] < 0 and np.isnan(factors[0, 0, b]))
        if not begins and walked[b] >= 0:
            walked[b] = 0
            continue
        if begins:
            walked[b] = -1
            known[b, :, :, 0] = np.inf
        for y in range(2):
            one, other = factors[y, 0, b], factors[y, 1, b]
            apart = abs(one - other)
            inverse = 1.0 / (one - other) if apart > 0.0 else 0.0
            for g in range(histograms.shape[1]):
                for z in range(histograms.shape[3]):
                    for j in range(histograms.shape[4]):
                        now, moved = scale[b, y] * histograms[b, g, y, z, j], 0.0
                        if not begins:
                            old = before[b, g, y, z, j]
                            mean = now / old if old > 0.0 else 0.0
                            share = min(max((mean - other) * inverse, 0.0), 1.0)
                            moved = (
                                mean * variation[b, g, y, z, j] + 2.0 * share * (1.0 - share) * apart * old
                            )
                        variation[b, g, y, z, j] = moved * GROWTH
                        before[b, g, y, z, j] = now


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
def within(p, q, known, variation, g, z, j):
    """How far the signed weight may rise and fall within a code that holds p of one class and q of the other.

    What it did when the code was walked through, scaled as the masses have been since, and what weights have
    moved apart by: half of it at most, for the other half makes up for that.
    """
    up, down, p0, q0 = known[0], known[1], known[2], known[3]
    x, y = p / p0 if p0 > 0.0 else 0.0, q / q0 if q0 > 0.0 else 0.0
    least = min(x, y) if p0 > 0.0 and q0 > 0.0 else max(x, y)
    away = 0.5 * (variation[g, 0, z, j] + variation[g, 1, z, j]) + SLACK
    rise, fall = least * up + (x - least) * p0 + away, (y - least) * q0 - least * down + away
    return min(p, rise), min(q, fall)


@kernel
def nominate(
    histogram, scale, mixed, n_codes, source, totals, reaches, need, remembers, known, variation,
    columns, codes, sums, bounds,
):  # fmt: skip
    """Note the mixed codes whose bound reaches ``need``, with the signed weight below; how many they are."""
    lanes, found = histogram.shape[3], 0
    for c in range(source.shape[0]):
        if reaches[c] < need:
            continue
        g, j, t, u = c // lanes, c % lanes, totals[c], 0.0
        for z in range(n_codes[c]):
            q, p = scale[0] * histogram[g, 0, z, j], scale[1] * histogram[g, 1, z, j]
            bound = max(abs(t - 2 * (u + p)), abs(t - 2 * (u - q)))
            if bound >= need and mixed[g, z, j] > 0.0:
                if remembers and known[c, z, 0] < np.inf:
                    rise, fall = within(p, q, known[c, z], variation, g, z, j)
                    bound = max(abs(t - 2 * (u + rise)), abs(t - 2 * (u - fall)))
                if bound >= need:
                    columns[found], codes[found], sums[found], bounds[found] = c, z, u, bound
                    found += 1
            u += p - q
    return found


@kernel
def walk(rows, begin, end, weights, u, total, enough):
    """Highest and lowest sum at the cuts between rows in order, up to the first whose edge is enough."""
    high, low = -np.inf, np.inf
    for k in range(begin, end):
        send_for(weights, np.intp(rows[min(k + AHEAD, end - 1)] >> np.uint32(2)))
        r = rows[k]
        w = weights[r >> np.uint32(2)]
        u += w if r & np.uint32(2) else -w
        if r & np.uint32(1):
            high, low = max(high, u), min(low, u)
            if abs(total - 2 * u) >= enough:
                return high, low, k, u
    return high, low, -1, u


@kernel
def choose(histogram, scale, mixed, n_codes, totals, edges, begin, end, rows, weights, doubt, c, cut):
    """First cut of a column within a tie of its best: fills in its code, the place within, and the polarity.

    Code -1 is the constant, place -1 the cut above all of the code. Returns whether some edge is so near to
    the border of a tie that the sums leave it in doubt.
    """
    g, j, t, u = c // histogram.shape[3], c % histogram.shape[3], totals[c], 0.0
    enough, near = edges[c] - TIE, np.inf
    z, k = -1, -1
    while abs(t - 2 * u) < enough and z + 1 < n_codes[c]:
        near = min(near, enough - abs(t - 2 * u))
        z += 1
        q, p = scale[0] * histogram[g, 0, z, j], scale[1] * histogram[g, 1, z, j]
        if mixed[g, z, j] > 0.0 and max(abs(t - 2 * (u + p)), abs(t - 2 * (u - q))) >= enough - SLACK:
            high, low, k, inside = walk(rows, begin[c, z], end[c, z], weights, u, t, enough)
            if k >= 0:
                u = inside
                break
            near = min(near, enough - max(abs(t - 2 * high), abs(t - 2 * low)))
        u += p - q
    cut[0], cut[1], cut[2] = z, k, 1 if t - 2 * u >= enough else -1
    return min(near, abs(t - 2 * u) - enough) < doubt


@kernel
def nearest(histogram, mixed, n_codes, low, begin, end, rows, values, weights, c, z, k):
    """Values of weight on both sides of a cut, and -1; or a code that is to be put in order first."""
    if z < 0:
        return -np.inf, -np.inf, -1
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
def divide(n_codes, low, high, c, threshold):
    """The last code of a column up to a threshold, and the one that it divides; -1 where there is none."""
    below, divided = -1, -1
    for z in range(n_codes[c]):
        if low[c, z] <= threshold and low[c, z] <= high[c, z]:
            if high[c, z] <= threshold:
                below = z
            else:
                divided = z
    return below, divided


def _midway(lower, upper):
    """Midway between two values; the lower where rounding would reach the upper, as between neighbours."""
    middle = 0.5 * lower + 0.5 * upper  # infinite next to the missing values
    return lower if middle >= upper and upper < np.inf else middle


midway = compiled(_midway)(_midway)


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
    up, down, last = np.uint8(sign > 0), np.uint8(sign < 0), np.int16(cut)
    for i in range(codes.shape[0]):
        hits[i] = up if codes[i] > last else down
    if divided >= 0:
        for k in range(begin, end):
            if values[k] <= threshold:
                hits[rows[k] >> np.uint32(2)] = down
    if missing >= 0 and missing_above != (missing > cut):
        for i in range(codes.shape[0]):
            if codes[i] == missing:
                hits[i] = up if missing_above else down


def _find_stumps_in_arrays(
    codes, n_codes, low, high, mixed, source, missing, begin, end, rows, values, weights, histograms, scales,
    drifts, walked, known, variation, labels, largest, pending, feature, threshold, polarity, missing_above,
    hits, first, last,
):  # fmt: skip
    """Array form of ``find_stumps``; it remembers nothing, and puts the column that it chooses in order."""
    wanted, columns = [], len(source)
    divided = np.moveaxis(mixed, 2, 1).reshape(len(n_codes), -1)[:columns] > 0.0
    for b in first + np.flatnonzero(pending[first:last] == PENDING):
        doubt = DOUBT * drifts[b].sum()
        if largest.size:
            flat = codes[:columns].astype(int)
            q, p = np.zeros((2, columns, mixed.shape[1]))
            for of_class, y in ((q, 0), (p, 1)):
                for c in range(columns):
                    of_class[c] = np.bincount(flat[c, labels == y], weights[b, labels == y], len(q[c]))
        else:
            masses = np.moveaxis(histograms[b] * scales[b][:, np.newaxis, np.newaxis], 3, 1)
            q, p = masses.reshape(len(n_codes), 2, -1)[:columns].swapaxes(0, 1)
        up_to = np.cumsum(p - q, axis=1)
        totals, below = up_to[:, -1:], np.hstack([np.zeros((columns, 1)), up_to[:, :-1]])
        edges = np.abs(totals - 2 * up_to).max(axis=1)
        bounds = np.maximum(np.abs(totals - 2 * (below + p)), np.abs(totals - 2 * (below - q)))
        pairs = np.argwhere(divided & (bounds >= edges.max() - 2 * TIE - SLACK))
        missed = [256 * c + z for c, z in pairs if begin[c, z] < 0]
        if not missed:
            for c, z in pairs:
                at, sums = _sums_within(begin[c, z], end[c, z], rows, weights[b], below[c, z])
                edges[c] = max(edges[c], np.abs(totals[c] - 2 * sums[at]).max(initial=0.0))
            tied = np.flatnonzero(edges >= edges.max() - TIE)
            c = tied[np.argmin(source[tied])]
            missed = [256 * c + z for z in np.flatnonzero(divided[c] & (begin[c] < 0))]
        if missed:
            wanted += missed
            continue
        # all cuts of the column: the value below each, the signed weight up to it, and what the value weighs
        steps = [(np.array([-np.inf]), np.zeros(1), np.zeros(1))]
        for z in np.flatnonzero(low[c] <= high[c]):
            if divided[c, z]:
                at, inside = _sums_within(begin[c, z], end[c, z], rows, weights[b], below[c, z])
                stops = np.r_[at, len(inside) - 1]
                of_rows = weights[b, rows[begin[c, z] : end[c, z]] >> 2]
                weighing = np.add.reduceat(of_rows, np.r_[0, stops[:-1] + 1])
                steps.append((values[begin[c, z] + stops], np.r_[inside[at], up_to[c, z]], weighing))
            else:
                steps.append((low[c, [z]], up_to[c, [z]], p[c, [z]] + q[c, [z]]))
        value, sums, mass = map(np.concatenate, zip(*steps, strict=True))
        cuts = totals[c] - 2 * sums
        cut = np.flatnonzero(np.abs(cuts) >= edges[c] - TIE)[0]
        near = np.r_[edges - edges.max(), np.abs(cuts[: cut + 1]) - edges[c]] + TIE
        if np.abs(near).min() < doubt and drifts[b].max() > ROUNDING:
            pending[b] = DOUBTFUL
            continue
        carrying = np.flatnonzero(mass)
        feature[b], polarity[b] = source[c], 1 if cuts[cut] >= edges[c] - TIE else -1
        threshold[b] = -np.inf
        if cut:
            lower, upper = value[carrying[carrying <= cut][-1]], value[carrying[carrying > cut][0]]
            threshold[b] = midway(lower, upper)
        gap = missing[c]
        if gap >= 0 and p[c, gap] + q[c, gap] > 0.0:
            missing_above[b] = gap > 0 or cut == 0
        else:
            missing_above[b] = mass[cut + 1 :].sum() >= mass[: cut + 1].sum() - TIE
        of_rows = codes[c]
        over = low[c] > threshold[b]
        found = over[of_rows]
        for z in np.flatnonzero(divided[c] & ~over & (high[c] > threshold[b])):
            inside = slice(begin[c, z], end[c, z])
            found[rows[inside] >> 2] = values[inside] > threshold[b]
        if gap >= 0:
            found[of_rows == gap] = missing_above[b]
        hits[b] = found == (polarity[b] > 0)
        pending[b] = FOUND
    return np.array(wanted, np.int64)


def _sums_within(begin, end, rows, weights, below):
    """Places of the cuts between rows in order, and the signed weight up to each row."""
    some = rows[begin:end]
    w = weights[some >> 2]
    return np.flatnonzero(some[:-1] & 1), np.cumsum(np.r_[below, np.where(some & 2, w, -w)])[1:]


@compiled(_find_stumps_in_arrays)
def find_stumps(
    codes, n_codes, low, high, mixed, source, missing, begin, end, rows, values, weights, histograms, scales,
    drifts, walked, known, variation, labels, largest, pending, feature, threshold, polarity, missing_above,
    hits, first, last,
):  # fmt: skip
    """The best stump of each of some models, if it is pending, and what it predicts for every example.

    ``largest`` has the largest edges of each column where they are known, and no columns elsewhere. A model
    for which codes must be put in order first stays pending, and these are returned. A model is doubtful
    where an edge lies so near to the border of a tie that its sums must be added up anew.
    """
    columns, room = n_codes.shape[0], mixed.size
    totals, edges, reaches = np.empty(columns), np.empty(columns), np.empty(columns)
    of_column, of_code = np.empty(room, np.int64), np.empty(room, np.int64)
    sums, bounds, cut = np.empty(room), np.empty(room), np.empty(3, np.int64)
    wanted, asked, known_edges = np.empty((last - first) * room, np.int64), 0, largest.shape[1] > 0
    apart = np.empty((mixed.shape[0], 2, mixed.shape[1], LANES))  # one column of it is used, if any
    for b in range(first, last):
        if pending[b] != PENDING:
            continue
        w, histogram, scale, found = weights[b], apart if known_edges else histograms[b], scales[b], 0
        if known_edges:
            edges[: source.shape[0]] = largest[b]
        else:
            scan(histogram, scale, mixed, n_codes, totals, edges, reaches)
        best = edges[: source.shape[0]].max()
        if not known_edges:
            need = best - 2 * TIE - SLACK
            found = nominate(
                histogram, scale, mixed, n_codes, source, totals, reaches, need, walked[b] < 0, known[b],
                variation[b], of_column, of_code, sums, bounds,
            )  # fmt: skip
        before = asked
        top, alone = bounds[:found].argmax() if found else 0, -1
        for step in range(found):  # the most promising first, for it may settle the others
            at = top if step == 0 else (step - 1 if step <= top else step)
            c, z = of_column[at], of_code[at]
            if bounds[at] < best - 2 * TIE - SLACK or (alone >= 0 and (c != alone or begin[c, z] >= 0)):
                continue
            if begin[c, z] < 0:
                wanted[asked] = 256 * c + z
                asked += 1
                if step == 0:
                    alone = c
                continue
            u = sums[at]
            high_u, low_u, _, _ = walk(rows, begin[c, z], end[c, z], w, u, totals[c], np.inf)
            if walked[b] >= 0:
                walked[b] += end[c, z] - begin[c, z]
            else:
                g, j = c // LANES, c % LANES
                known[b, c, z, 0], known[b, c, z, 1] = high_u - u, low_u - u
                for y in range(2):
                    known[b, c, z, 3 - y] = scale[y] * histogram[g, y, z, j]
                    variation[b, g, y, z, j] = 0.0
            edges[c] = max(edges[c], max(abs(totals[c] - 2 * high_u), abs(totals[c] - 2 * low_u)))
            best = max(best, edges[c])
        if asked > before:
            continue
        c = 0
        while edges[c] < best - TIE:
            c += 1
        for other in range(c + 1, source.shape[0]):  # columns are not in the order of their features
            if edges[other] >= best - TIE and source[other] < source[c]:
                c = other
        if known_edges:
            g, j = c // LANES, c % LANES
            totals[c] = add_column(codes[c], labels, w, n_codes[c], histogram[g, :, :, j])
        doubt = DOUBT * (drifts[b, 0] + drifts[b, 1])
        doubtful = choose(histogram, scale, mixed, n_codes, totals, edges, begin, end, rows, w, doubt, c, cut)
        for other in range(source.shape[0]):
            doubtful = doubtful or abs(edges[other] - (best - TIE)) < doubt
        if doubtful and max(drifts[b, 0], drifts[b, 1]) > ROUNDING:
            pending[b] = DOUBTFUL
            continue
        z, k, sign = cut
        lower, upper, unknown = nearest(histogram, mixed, n_codes, low, begin, end, rows, values, w, c, z, k)
        middle = midway(lower, upper)
        below, divided = divide(n_codes, low, high, c, middle)
        if unknown < 0 and divided >= 0 and begin[c, divided] < 0:
            unknown = divided
        if unknown >= 0:
            wanted[asked] = 256 * c + unknown
            asked += 1
            continue
        feature[b], threshold[b], polarity[b] = source[c], middle, sign
        missing_above[b] = heavier_above(histogram, scale, n_codes, begin, rows, w, missing[c], c, z, k)
        fill_hits(
            codes[c], below, divided, begin[c, divided], end[c, divided],
            rows, values, middle, sign, missing[c], missing_above[b], hits[b],
        )  # fmt: skip
        pending[b] = FOUND
    return wanted[:asked]


class Sums(NamedTuple):
    """What the search knows of the weights of a batch of models.

    Attributes
    ----------
    histogram : ndarray of shape (B, G, 2, C, 8)
        Weight of each class in each code of each column, without the scale.
    scale : ndarray of shape (B, 2)
        What the sums of each class are to be multiplied by.
    drift : ndarray of shape (B, 2)
        What rounding may have left in them.
    walked : ndarray of shape (B,)
        Rows walked through since the last change; -1 where the search remembers what it found.
    known : ndarray of shape (B, 8 G, C, 4)
        How far the signed weight rose and fell within a code when that was last walked through, and the
        weight of both classes then, positive first; an infinite rise where it was not.
    before, variation : ndarray of shape (B, G, 2, C, 8)
        Weight of each class in each code at the last change, and how far weights have moved apart within it.
    """

    histogram: np.ndarray
    scale: np.ndarray
    drift: np.ndarray
    walked: np.ndarray
    known: np.ndarray
    before: np.ndarray
    variation: np.ndarray

    @classmethod
    def empty(cls, data: CodedData, n_models: int) -> Self:
        """Sums that nothing has been added to."""
        groups, codes, lanes = data.mixed.shape
        histogram, before, variation = (np.empty((n_models, groups, 2, codes, lanes)) for _ in range(3))
        (scale, drift), known = np.ones((2, n_models, 2)), np.empty((n_models, groups * lanes, codes, 4))
        return cls(histogram, scale, drift, np.zeros(n_models, np.int64), known, before, variation)

    @classmethod
    def unused(cls, n_models: int) -> Self:
        """Of models whose edges are known without them: each sum that they need is added up anew."""
        none, nothing = np.empty((n_models, 0, 0, 0, 0)), np.empty((n_models, 0, 0, 0))
        scale, drift = np.ones((n_models, 2)), np.full((n_models, 2), ROUNDING)
        return cls(none, scale, drift, np.zeros(n_models, np.int64), nothing, none, none)

    def follow(self, data: CodedData, weights: np.ndarray, change: Change) -> Self:
        """The sums of the models that are left, after their weights have changed."""
        histogram, scale, drift, walked, *memory = self
        n_models, n = weights.shape
        if n_models < len(walked):
            left = change.going
            histogram, scale, drift, walked = (each[left] for each in (histogram, scale, drift, walked))
            memory = [each[left] if walked.min() < 0 else each[:n_models] for each in memory]
        rare, step = np.zeros((n_models, 2), np.uint8), np.empty((n_models, 2))
        anew, columns = np.empty(n_models, bool), len(data.source)
        follow(data.labels, change.predicted, change.factors, scale, drift, rare, step, anew)

        add = partial(add_up, data.codes, data.labels, weights, change.predicted, rare, step, anew)

        def add_apart(first: int, last: int) -> np.ndarray:
            sums = np.zeros_like(histogram) if first else histogram
            add(sums, (0, 1), (CHUNK * first, min(CHUNK * last, n)))
            return sums

        if n_models > 1 or anew[0]:
            data.threads.run(
                lambda *models: add(histogram, models, (0, n)), n_models, weights.size * columns
            )  # fmt: skip
        else:  # the change of one model: threads share out the rows
            for of_rows in data.threads.run(add_apart, -(-n // CHUNK), n * columns // 8)[1:]:
                histogram += of_rows
        vary(histogram, scale, change.factors, LONG_WALK, walked, *memory)
        return type(self)(histogram, scale, drift, walked, *memory)

    def add_anew(self, data: CodedData, weights: np.ndarray, models: np.ndarray) -> None:
        """Add up the sums of some models, given by their numbers, from the start."""
        size = len(weights), 2
        self.scale[models], self.drift[models] = 1.0, ROUNDING
        for b in models:
            add_up(
                data.codes, data.labels, weights, np.empty(size, np.uint8),
                np.zeros(size, np.uint8), np.ones(size), np.ones(len(weights), bool), self.histogram,
                (b, b + 1), (0, weights.shape[1]),
            )  # fmt: skip
