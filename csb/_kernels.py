"""Compiled inner loops of the boosting engine.

Plain functions on arrays. Weights are held lane by lane: ``weights[b, i]`` is the weight of example
``i`` in model ``b`` of the batch. Every sum over examples runs in one fixed order, without fast-math
reassociation, so a model does not depend on the batch it is trained in nor on the number of threads.

The functions call each other and therefore share this file: numba's cache does not notice a change in
another one.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

__all__ = [
    "LANES", "batch_edges", "bin_extremes", "choose_stumps", "encode", "outcome_masses", "recompute_weights",
    "single_edges", "stump_scores", "univariate_logistic", "update_weights",
]  # fmt: skip

LANES = 32
"""Models whose histograms are filled together: 32 floats are two cache lines."""

TIE = 1e-12
"""Edges closer than this are a tie, which the lowest feature, then the lowest cut, then + wins."""

kernel = njit(cache=True, nogil=True)


@kernel
def encode(values, upper, out):
    """Bin of each value: the number of bins whose largest value lies below it."""
    n = values.shape[0]
    low = np.empty(64, np.int64)
    for start in range(0, n, 64):  # many searches side by side hide the latency of each
        count = min(64, n - start)
        low[:] = 0
        size = upper.shape[0]
        while size > 1:
            half = size >> 1
            for k in range(count):
                low[k] += half if upper[low[k] + half - 1] < values[start + k] else 0
            size -= half
        for k in range(count):
            out[start + k] = low[k]


@kernel
def bin_extremes(values, codes, low, high):
    """Smallest and largest value that falls into each bin."""
    for i in range(values.shape[0]):
        j = codes[i]
        low[j] = min(low[j], values[i])
        high[j] = max(high[j], values[i])


@kernel
def _signed_block(weights, signs, first, block):
    """Single-precision signed weights of up to LANES models, examples in rows.

    Weights too small to move a sum are flushed to zero; subnormal numbers are slow.
    """
    width = block.shape[1]
    for i in range(weights.shape[1]):
        for b in range(width):
            w = weights[first + b, i]
            block[i, b] = np.float32(signs[i] * w) if w > 1e-30 else np.float32(0.0)


@kernel
def batch_edges(codes, n_bins, weights, signs, first, last, edges):
    """Largest absolute edge of any cut of features ``first`` to ``last``, approximately.

    With ``C_j`` the cumulative signed weight up to bin ``j`` and ``T`` the total, the stump that
    predicts + above bin ``j`` has edge ``T - 2 C_j``; so the extremes of ``C`` are enough. Sums are
    in single precision: they only nominate features, which ``choose_stumps`` examines in double.
    """
    n_models, n = weights.shape
    largest = 0
    for f in range(first, last):
        largest = max(largest, n_bins[f])
    for start in range(0, n_models, LANES):
        width = min(LANES, n_models - start)
        block = np.empty((n, width), np.float32)
        _signed_block(weights, signs, start, block)
        histogram = np.empty((largest, width), np.float32)
        total, low, high = (
            np.empty(width, np.float32),
            np.empty(width, np.float32),
            np.empty(width, np.float32),
        )
        for f in range(first, last):
            bins = n_bins[f]
            histogram[:bins] = 0.0
            column = codes[f]
            for i in range(n):
                target, source = histogram[column[i]], block[i]
                for b in range(width):
                    target[b] += source[b]
            total[:] = 0.0
            low[:] = 0.0
            high[:] = 0.0
            for j in range(bins):
                source = histogram[j]
                for b in range(width):
                    c = total[b] + source[b]
                    total[b] = c
                    low[b] = min(low[b], c)
                    high[b] = max(high[b], c)
            for b in range(width):
                edges[start + b, f] = max(abs(total[b] - 2 * low[b]), abs(total[b] - 2 * high[b]))


@kernel
def single_edges(codes, n_bins, weights, signs, first, last, edges):
    """What ``batch_edges`` computes, for a batch of one, where lanes would stand idle."""
    n = weights.shape[1]
    signed = np.empty(n)
    for i in range(n):
        signed[i] = signs[i] * weights[0, i]
    largest = 0
    for f in range(first, last):
        largest = max(largest, n_bins[f])
    histogram = np.empty(largest)
    for f in range(first, last):
        bins = n_bins[f]
        histogram[:bins] = 0.0
        column = codes[f]
        for i in range(n):
            histogram[column[i]] += signed[i]
        total, low, high = 0.0, 0.0, 0.0
        for j in range(bins):
            total += histogram[j]
            low = min(low, total)
            high = max(high, total)
        edges[0, f] = max(abs(total - 2 * low), abs(total - 2 * high))


@kernel
def _class_histograms(column, weights, labels, bins, histogram):
    histogram[:, :bins] = 0.0
    for i in range(weights.shape[0]):
        histogram[labels[i], column[i]] += weights[i]


@kernel
def _best_edge(histogram, bins):
    """Largest absolute edge over all cuts, the constant included, in double precision."""
    total = 0.0
    for j in range(bins):
        total += histogram[1, j] - histogram[0, j]
    best, below = abs(total), 0.0
    for j in range(bins - 1):
        below += histogram[1, j] - histogram[0, j]
        best = max(best, abs(total - 2 * below))
    return best


@kernel
def _best_cut(histogram, bins, best):
    """First cut within a tie of the best edge, and its polarity; cut -1 is the constant."""
    total = 0.0
    for j in range(bins):
        total += histogram[1, j] - histogram[0, j]
    below = 0.0
    for cut in range(-1, bins - 1):
        if cut >= 0:
            below += histogram[1, cut] - histogram[0, cut]
        edge = total - 2 * below
        if edge >= best - TIE:
            return cut, 1
        if -edge >= best - TIE:
            return cut, -1
    return -1, 1


@kernel
def choose_stumps(
    codes, n_bins, lower, upper, weights, labels, edges, slack, feature, threshold, polarity, hits
):
    """The best stump of each model, and what it predicts for every example.

    Features whose approximate edge lies within ``slack`` of the best are examined in double
    precision. The threshold is midway between the nearest values that carry weight for this model.
    """
    n_models, n = weights.shape
    d = codes.shape[0]
    largest = 0
    for f in range(d):
        largest = max(largest, n_bins[f])
    histogram = np.empty((2, largest))
    exact = np.empty(d)
    for b in range(n_models):
        top = edges[b].max()
        best, held = -1.0, -1  # held: the feature whose histogram is at hand
        for f in range(d):
            exact[f] = -1.0
            if edges[b, f] >= top - slack:
                _class_histograms(codes[f], weights[b], labels, n_bins[f], histogram)
                held = f
                exact[f] = _best_edge(histogram, n_bins[f])
                best = max(best, exact[f])
        f = 0
        while exact[f] < best - TIE:
            f += 1
        bins = n_bins[f]
        if held != f:
            _class_histograms(codes[f], weights[b], labels, bins, histogram)
        cut, sign = _best_cut(histogram, bins, exact[f])
        feature[b], polarity[b] = f, sign
        if cut < 0:
            threshold[b] = -np.inf
        else:
            below, above = cut, cut + 1  # the lowest of tied cuts lies above a bin that carries weight
            while above < bins - 1 and histogram[0, above] + histogram[1, above] == 0.0:
                above += 1
            threshold[b] = 0.5 * upper[f, below] + 0.5 * lower[f, above]
            if threshold[b] >= lower[f, above]:  # rounding, when the two values are neighbours
                threshold[b] = upper[f, below]
            cut = below
            while cut + 1 < above and upper[f, cut + 1] <= threshold[b]:
                cut += 1
        column = codes[f]
        for i in range(n):
            hits[b, i] = (column[i] > cut) == (sign > 0)


@kernel
def outcome_masses(weights, predicted, groups, masses):
    """Weighted mass of each group and prediction, ``masses[g, h, b]``, in four interleaved partial sums."""
    n_models, n = weights.shape
    outcomes = 2 * masses.shape[0]
    partial = np.empty((4, outcomes))
    whole = n - n % 4
    for b in range(n_models):
        partial[:] = 0.0
        for i in range(0, whole, 4):
            for k in range(4):
                partial[k, 2 * groups[i + k] + predicted[b, i + k]] += weights[b, i + k]
        for i in range(whole, n):
            partial[0, 2 * groups[i] + predicted[b, i]] += weights[b, i]
        for o in range(outcomes):
            masses[o // 2, o % 2, b] = (partial[0, o] + partial[1, o]) + (partial[2, o] + partial[3, o])


@kernel
def update_weights(weights, log_weights, predicted, groups, factors, log_factors):
    """Multiply each weight by the factor of its group and prediction; add its logarithm to the log state."""
    n_models, n = weights.shape
    for b in range(n_models):
        w, state, h = weights[b], log_weights[b], predicted[b]
        if factors.shape[0] > 2:
            for i in range(n):
                w[i] *= factors[groups[i], h[i], b]
                state[i] += log_factors[groups[i], h[i], b]
            continue
        # two groups, the usual case: selecting among numbers at hand is three times as fast as a table
        f00, f01, f10, f11 = factors[0, 0, b], factors[0, 1, b], factors[1, 0, b], factors[1, 1, b]
        g00, g01 = log_factors[0, 0, b], log_factors[0, 1, b]
        g10, g11 = log_factors[1, 0, b], log_factors[1, 1, b]
        for i in range(n):
            f0, f1 = (f10, f11) if groups[i] else (f00, f01)
            g0, g1 = (g10, g11) if groups[i] else (g00, g01)
            w[i] *= f1 if h[i] else f0
            state[i] += g1 if h[i] else g0


@kernel
def recompute_weights(weights, log_weights, due):
    """Linear weights that sum to one from the log state of the models that are due."""
    n_models, n = weights.shape
    for b in range(n_models):
        if not due[b]:
            continue
        top = -np.inf
        for i in range(n):
            top = max(top, log_weights[b, i])
        if top == -np.inf:
            weights[b] = 0.0
            continue
        total = 0.0
        for i in range(n):
            weights[b, i] = math.exp(log_weights[b, i] - top)
            total += weights[b, i]
        for i in range(n):
            weights[b, i] /= total


@kernel
def stump_scores(X, feature, threshold, polarity, alpha, scores):
    """Add the weighted votes of stumps, in the order given, to ``scores``."""
    for t in range(feature.shape[0]):
        f = feature[t]
        up = alpha[t] * polarity[t]
        for i in range(X.shape[0]):
            scores[i] += up if X[i, f] > threshold[t] else -up


@kernel
def _logistic_on_bins(histogram, values, bins, ridge, max_iter, tolerance):
    """Weighted logistic regression on one standardised feature, by damped Newton steps on its bins."""
    positive, negative = 0.0, 0.0
    for j in range(bins):
        positive += histogram[1, j]
        negative += histogram[0, j]
    if positive == 0.0 or negative == 0.0:
        return (1.0 if positive > 0.0 else -1.0), 0.0
    intercept, slope = math.log(positive / negative), 0.0
    previous = np.inf
    step_a, step_s = 0.0, 0.0
    for _ in range(max_iter):
        loss = 0.5 * ridge * slope * slope
        ga, gs, haa, has, hss = 0.0, ridge * slope, 0.0, 0.0, ridge
        for j in range(bins):
            wp, wn = histogram[1, j], histogram[0, j]
            w = wp + wn
            if w == 0.0:
                continue
            x = values[j]
            z = intercept + slope * x
            e = math.exp(-abs(z))
            p = 1.0 / (1.0 + e) if z >= 0 else e / (1.0 + e)
            loss += w * math.log1p(e) + (wn * z if z >= 0 else -wp * z)
            r = w * p - wp
            v = w * e / ((1.0 + e) * (1.0 + e))
            ga += r
            gs += r * x
            haa += v
            has += v * x
            hss += v * x * x
        if loss > previous:  # halve the last step
            step_a *= 0.5
            step_s *= 0.5
            intercept -= step_a
            slope -= step_s
            if abs(step_a) + abs(step_s) < tolerance:
                break
            continue
        previous = loss
        if abs(ga) + abs(gs) < tolerance:
            break
        haa += 1e-12
        determinant = haa * hss - has * has
        if determinant <= 0.0:
            break
        step_a = -(hss * ga - has * gs) / determinant
        step_s = -(haa * gs - has * ga) / determinant
        intercept += step_a
        slope += step_s
    return intercept, slope


@kernel
def univariate_logistic(
    codes,
    n_bins,
    values,
    centre,
    spread,
    weights,
    labels,
    ridge,
    max_iter,
    tolerance,
    first,
    last,
    edges,
    models,
):
    """Logistic regression on each feature alone: edge of its sign, intercept and slope, per model."""
    n_models = weights.shape[0]
    largest = 0
    for f in range(first, last):
        largest = max(largest, n_bins[f])
    histogram = np.empty((2, largest))
    for b in range(n_models):
        for f in range(first, last):
            bins = n_bins[f]
            _class_histograms(codes[f], weights[b], labels, bins, histogram)
            a, s = _logistic_on_bins(histogram, values[f], bins, ridge, max_iter, tolerance)
            edge = 0.0
            for j in range(bins):
                signed = histogram[1, j] - histogram[0, j]
                edge += signed if a + s * values[f, j] > 0 else -signed
            edges[b, f] = edge
            models[b, f, 0] = a - s * centre[f] / spread[f]
            models[b, f, 1] = s / spread[f]
