"""Compiled inner loops of the boosting engine.

Plain functions on arrays. Weights are held model by model: ``weights[b, i]`` is the weight of example
``i`` in model ``b`` of the batch. Every sum over examples runs in one fixed order, without fast-math
reassociation, so a model does not depend on the batch it is trained in nor on the number of threads.

The functions call each other and therefore share this file, all but the elementary ones: numba's cache does
not notice a change in another one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from csb.engine.scalars import exp_scalar, log1p_scalar, log_scalar
from csb.engine.stops import TIE

__all__ = [
    "TOGETHER", "batch_edges", "bin_extremes", "choose_stumps", "encode", "outcome_masses",
    "recompute_weights", "single_edges", "stump_scores", "univariate_logistic", "update_weights",
]  # fmt: skip

TOGETHER = 32
"""Models whose histograms are filled together: 32 floats are two cache lines."""

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
    """Single-precision signed weights of up to TOGETHER models, examples in rows.

    Weights too small to move a sum are flushed to zero; subnormal numbers are slow.
    """
    width = block.shape[1]
    for i in range(weights.shape[1]):
        for b in range(width):
            w = weights[first + b, i]
            block[i, b] = np.float32(signs[i] * w) if w > 1e-30 else np.float32(0.0)


@kernel
def batch_edges(codes, n_bins, common, others, other_rows, weights, signs, first, last, edges):
    """Largest absolute edge of any cut of features ``first`` to ``last``, approximately.

    With ``C_j`` the cumulative signed weight up to bin ``j`` and ``T`` the total, the stump that
    predicts + above bin ``j`` has edge ``T - 2 C_j``; so the extremes of ``C`` are enough. Sums are
    in single precision: they only nominate features, which ``choose_stumps`` examines in double. Where one
    bin is common, the other rows are added up and its share is what they leave of the whole.
    """
    n_models, n = weights.shape
    largest = 0
    for f in range(first, last):
        largest = max(largest, n_bins[f])
    for start in range(0, n_models, TOGETHER):
        width = min(TOGETHER, n_models - start)
        block = np.empty((n, width), np.float32)
        _signed_block(weights, signs, start, block)
        histogram = np.empty((largest, width), np.float32)
        total, low, high = (
            np.empty(width, np.float32),
            np.empty(width, np.float32),
            np.empty(width, np.float32),
        )
        whole = np.zeros(width, np.float32)
        for i in range(n):
            for b in range(width):
                whole[b] += block[i, b]
        for f in range(first, last):
            bins = n_bins[f]
            histogram[:bins] = 0.0
            column = codes[f]
            if common[f] >= 0:
                rest = histogram[common[f]]
                rest[:] = whole
                for k in range(others[f], others[f + 1]):
                    i = other_rows[k]
                    target, source = histogram[column[i]], block[i]
                    for b in range(width):
                        target[b] += source[b]
                        rest[b] -= source[b]
            else:
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
    """What ``batch_edges`` computes, for a batch of one, where vectors would stand idle."""
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
            weights[b, i] = exp_scalar(log_weights[b, i] - top)
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


vector_kernel = njit(cache=True, nogil=True, error_model="numpy")
"""Without the check for division by zero, which would keep loops from running on vectors."""


@vector_kernel
def _exp(t):
    """Exponential of t, taken into [-40, 40], to 1e-13: of plain arithmetic, which vectorises."""
    t = min(max(t, -40.0), 40.0) / 256.0
    p = 1 / 40320 + t * (1 / 362880 + t / 3628800)
    p = 1 / 120 + t * (1 / 720 + t * (1 / 5040 + t * p))
    p = 1.0 + t * (1.0 + t * (1 / 2 + t * (1 / 6 + t * (1 / 24 + t * p))))
    for _ in range(8):
        p *= p
    return p


@kernel
def _occupied_bins(histogram, values, bins, mass, x):
    """Weights by class and values of the bins that carry weight, moved to the front; their number."""
    count = 0
    for j in range(bins):
        if histogram[0, j] + histogram[1, j] > 0.0:
            mass[0, count], mass[1, count], x[count] = histogram[0, j], histogram[1, j], values[j]
            count += 1
    return count


@vector_kernel
def _logistic_on_bins(mass, x, bins, ridge, max_iter, tolerance, residual, curvature):
    """Weighted logistic regression on one standardised feature, by Newton steps on its occupied bins.

    On the way of a step that moves no logit by more than ``max_change``, the curvature of the loss grows at
    most by a factor exp(max_change) (Bach 2010). Hence a step with max_change below 1.5 lowers the loss, and
    so does log(1 + max_change) / max_change times any Newton step: the loss itself is not needed. Steps end
    when the last one's max_change is below ``tolerance``, which leaves an error of the order of its square.
    """
    negative, positive = mass[0, :bins], mass[1, :bins]
    totals = np.zeros(2)
    for j in range(bins):
        totals[0] += negative[j]
        totals[1] += positive[j]
    if totals.min() == 0.0:
        return (1.0 if totals[1] > 0.0 else -1.0), 0.0
    intercept, slope = log_scalar(totals[1] / totals[0]), 0.0
    step_a, step_s, max_change = 0.0, 0.0, 0.0
    for _ in range(max_iter):
        for j in range(bins):
            w = negative[j] + positive[j]
            e = _exp(-(intercept + slope * x[j]))
            p = 1.0 / (1.0 + e)
            residual[j] = w * p - positive[j]
            curvature[j] = w * p * (e * p)
        ga, gs, haa, has, hss = 0.0, ridge * slope, 1e-12, 0.0, ridge
        for j in range(bins):
            vx = curvature[j] * x[j]
            ga += residual[j]
            gs += residual[j] * x[j]
            haa += curvature[j]
            has += vx
            hss += vx * x[j]
        if max_change > 1.5 and ga * step_a + gs * step_s > 0.0:  # the step led past the minimum, perhaps far
            back = 1.0 - log1p_scalar(max_change) / max_change
            intercept -= back * step_a
            slope -= back * step_s
            max_change = 0.0
            continue
        determinant = haa * hss - has * has
        if determinant <= 0.0:
            break
        step_a = (has * gs - hss * ga) / determinant
        step_s = (has * ga - haa * gs) / determinant
        intercept += step_a
        slope += step_s
        max_change = max(abs(step_a + step_s * x[0]), abs(step_a + step_s * x[bins - 1]))
        if max_change < tolerance:
            break
    return intercept, slope


@kernel
def univariate_logistic(
    codes, n_bins, values, weights, labels, bounds, slack, ridge, max_iter, tolerance, feature, models
):
    """The regression on one feature whose sign has the largest edge: feature, intercept and slope.

    The sign of a regression on one feature is a cut, so its edge is at most that of the feature's best cut,
    which ``bounds`` holds within ``slack``. Features are visited in decreasing order of their bounds until
    none that is left comes within a tie of the best edge, so that leaving them out changes nothing.
    """
    n_models = weights.shape[0]
    d, largest = values.shape
    histogram, mass, work = np.empty((2, largest)), np.empty((2, largest)), np.empty((3, largest))
    x = work[0]
    edges, fits = np.empty(d), np.empty((d, 2))
    for b in range(n_models):
        unseen = bounds[b].copy()
        edges[:] = -np.inf
        best = -np.inf
        for _ in range(d):
            f = unseen.argmax()
            if unseen[f] + slack < best - TIE:
                break
            unseen[f] = -np.inf
            _class_histograms(codes[f], weights[b], labels, n_bins[f], histogram)
            if _best_edge(histogram, n_bins[f]) < best - 2 * TIE:  # the bound again, to full precision
                continue
            bins = _occupied_bins(histogram, values[f], n_bins[f], mass, x)
            a, s = _logistic_on_bins(mass, x, bins, ridge, max_iter, tolerance, work[1], work[2])
            edges[f] = 0.0
            for j in range(bins):
                signed = mass[1, j] - mass[0, j]
                edges[f] += signed if a + s * x[j] > 0 else -signed
            fits[f] = a, s
            best = max(best, edges[f])
        feature[b] = np.argmax(edges >= best - TIE)
        models[b] = fits[feature[b]]
