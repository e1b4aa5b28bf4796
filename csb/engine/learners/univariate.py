"""Univariate logistic regression: the best of the regressions on one feature each.

The learner of the experiments of Nikolaou et al. (2016), Section 5.1. The hypothesis is the sign of a
linear function of one feature, hence a stump whose threshold is a regression's, not a search's."""

from __future__ import annotations

import numpy as np

from csb.engine.binning import bin_features
from csb.engine.compiled import compiled
from csb.engine.elementary import OF_ARRAYS, log1p_scalar, log_scalar, quick_exp_scalar
from csb.engine.learners.stump import StumpBatch
from csb.engine.rules import TIE
from csb.engine.threads import Threads

__all__ = [
    "BoundUnivariateLogistic", "centre_and_spread", "logistic_on_bins", "occupied_bins",
    "univariate_logistic",
]  # fmt: skip


def centre_and_spread(X: np.ndarray, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean and standard deviation of each feature; a constant feature has spread one.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features.
    weights : ndarray of shape (n,), optional
        Positive weights; equal by default.

    Returns
    -------
    centre, spread : ndarray of shape (d,)
        Of each feature.

    Examples
    --------
    >>> centre_and_spread(np.array([[0.0, 1.0], [4.0, 1.0]]), np.array([3.0, 1.0]))
    (array([1., 1.]), array([1.73205081, 1.        ]))
    """
    varies = X.min(axis=0) < X.max(axis=0)
    if weights is None or weights.min() == weights.max():
        return X.mean(axis=0), np.where(varies, X.std(axis=0), 1.0)
    centre = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - centre) ** 2, axis=0, weights=weights))
    return centre, np.where(varies, spread, 1.0)


@compiled()
def class_histograms(column, weights, labels, bins, histogram):
    """Weight of each class and bin of a column."""
    histogram[:, :bins] = 0.0
    for i in range(weights.shape[0]):
        histogram[labels[i], column[i]] += weights[i]


@compiled()
def cumulate(histogram, bins, up_to):
    """Signed weight up to each bin, in double precision."""
    below = 0.0
    for j in range(bins):
        below += histogram[1, j] - histogram[0, j]
        up_to[j] = below


@compiled()
def best_edge(up_to, bins):
    """Largest absolute edge over all cuts, the constant included."""
    total = up_to[bins - 1]
    best = abs(total)
    for j in range(bins - 1):
        best = max(best, abs(total - 2 * up_to[j]))
    return best


def class_cuts(column, weights, labels, bins):
    """Weight of each class and bin, and the edge of the constant and of each cut."""
    histogram = np.bincount(labels * bins + column, weights, 2 * bins).reshape(2, bins)
    up_to = np.cumsum(histogram[1] - histogram[0])
    return histogram, up_to[-1] - 2 * np.r_[0.0, up_to[:-1]]


def _largest_edges_in_arrays(codes, n_bins, weights, labels, first, last, edges):
    """Array form of ``largest_edges``."""
    for b, w in enumerate(weights):
        signed = np.where(labels, w, -w)
        for f in range(first, last):
            up_to = np.cumsum(np.bincount(codes[f], signed, n_bins[f]))
            edges[b, f] = np.abs(up_to[-1] - 2 * up_to[:-1]).max(initial=0.0)


@compiled(_largest_edges_in_arrays)
def largest_edges(codes, n_bins, weights, labels, first, last, edges):
    """Largest absolute edge of any cut of features ``first`` to ``last``; constants are no cuts.

    With ``C_j`` the cumulative signed weight up to bin ``j`` and ``T`` the total, the stump that predicts +
    above bin ``j`` has edge ``T - 2 C_j``; so the extremes of ``C`` are enough.

    Four features at a time: an addition waits for the one before, and four chains wait side by side.
    """
    n, end = weights.shape[1], last - 1
    signed = np.empty(n)
    histograms = np.empty((4, n_bins[first:last].max()))
    h0, h1, h2, h3 = histograms
    for b in range(weights.shape[0]):
        for i in range(n):
            signed[i] = weights[b, i] if labels[i] else -weights[b, i]
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
                edges[b, f + k] = largest if n_bins[f + k] > 1 else 0.0


quick_exp = OF_ARRAYS["quick_exp_scalar"]


@compiled()
def occupied_bins(histogram, values, bins, mass, x):
    """Weights by class and values of the bins that carry weight, moved to the front; their number."""
    count = 0
    for j in range(bins):
        if histogram[0, j] + histogram[1, j] > 0.0:
            mass[0, count], mass[1, count], x[count] = histogram[0, j], histogram[1, j], values[j]
            count += 1
    return count


def _derivatives_in_arrays(negative, positive, x, intercept, slope, ridge, residual, curvature):
    """Array form of ``_derivatives``."""
    w, e = negative + positive, quick_exp(-(intercept + slope * x))
    p = 1.0 / (1.0 + e)
    r, c = residual[: len(x)], curvature[: len(x)] = w * p - positive, w * p * (e * p)
    start = np.array([[0.0], [ridge * slope], [1e-12], [0.0], [ridge]])
    terms = np.hstack([start, [r, r * x, c, c * x, c * x * x]])
    return tuple(terms.cumsum(axis=1)[:, -1])  # adds one after the other, as a sum does not


@compiled(_derivatives_in_arrays, error_model="numpy")
def _derivatives(negative, positive, x, intercept, slope, ridge, residual, curvature):
    """First derivatives of the penalised loss by intercept and slope, and the three second ones.

    Without the check for division by zero, which would keep the first loop from running on vectors.
    """
    for j in range(x.shape[0]):
        w = negative[j] + positive[j]
        e = quick_exp_scalar(-(intercept + slope * x[j]))
        p = 1.0 / (1.0 + e)
        residual[j] = w * p - positive[j]
        curvature[j] = w * p * (e * p)
    ga, gs, haa, has, hss = 0.0, ridge * slope, 1e-12, 0.0, ridge
    for j in range(x.shape[0]):
        vx = curvature[j] * x[j]
        ga += residual[j]
        gs += residual[j] * x[j]
        haa += curvature[j]
        has += vx
        hss += vx * x[j]
    return ga, gs, haa, has, hss


@compiled(error_model="numpy")  # as above
def logistic_on_bins(mass, x, bins, ridge, max_iter, tolerance, residual, curvature):
    """Weighted logistic regression on one standardised feature, by Newton steps on its occupied bins.

    On the way of a step that moves no logit by more than ``max_change``, the curvature of the loss grows at
    most by a factor exp(max_change) (Bach 2010). Hence a step with max_change below 1.5 lowers the loss, and
    so does log(1 + max_change) / max_change times any Newton step: the loss itself is not needed. Steps end
    when the last one's max_change is below ``tolerance``, which leaves an error of the order of its square.
    """
    negative, positive, x = mass[0, :bins], mass[1, :bins], x[:bins]
    totals = negative.cumsum()[-1], positive.cumsum()[-1]
    if min(totals) == 0.0:
        return (1.0 if totals[1] > 0.0 else -1.0), 0.0
    intercept, slope = log_scalar(totals[1] / totals[0]), 0.0
    step_a, step_s, max_change = 0.0, 0.0, 0.0
    for _ in range(max_iter):
        ga, gs, haa, has, hss = _derivatives(
            negative, positive, x, intercept, slope, ridge, residual, curvature
        )
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


def _univariate_logistic_in_arrays(
    codes, n_bins, values, weights, labels, bounds, ridge, max_iter, tolerance, feature, models
):
    """Array form of ``univariate_logistic``."""
    work = np.empty((2, values.shape[1]))
    for b, w in enumerate(weights):
        edges, fits = np.full(len(codes), -np.inf), np.empty((len(codes), 2))
        for f in np.argsort(-bounds[b], kind="stable"):
            if bounds[b, f] < edges.max() - TIE:
                break
            histogram, cuts = class_cuts(codes[f], w, labels, n_bins[f])
            if np.abs(cuts).max() < edges.max() - 2 * TIE:
                continue
            occupied = np.flatnonzero(histogram.any(axis=0))
            mass, x = histogram[:, occupied], values[f, occupied]
            fits[f] = logistic_on_bins(mass, x, len(x), ridge, max_iter, tolerance, *work)
            signed = mass[1] - mass[0]
            edges[f] = np.where(fits[f, 0] + fits[f, 1] * x > 0, signed, -signed).cumsum()[-1]
        feature[b] = np.argmax(edges >= edges.max() - TIE)
        models[b] = fits[feature[b]]


@compiled(_univariate_logistic_in_arrays)
def univariate_logistic(
    codes, n_bins, values, weights, labels, bounds, ridge, max_iter, tolerance, feature, models
):
    """The regression on one feature whose sign has the largest edge: feature, intercept and slope.

    The sign of a regression on one feature is a cut, so its edge is at most that of the feature's best cut,
    which ``bounds`` exceeds. Features are visited in decreasing order of their bounds until
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
            if unseen[f] < best - TIE:
                break
            unseen[f] = -np.inf
            class_histograms(codes[f], weights[b], labels, n_bins[f], histogram)
            cumulate(histogram, n_bins[f], x)
            if best_edge(x, n_bins[f]) < best - 2 * TIE:  # the bound again, to full precision
                continue
            bins = occupied_bins(histogram, values[f], n_bins[f], mass, x)
            a, s = logistic_on_bins(mass, x, bins, ridge, max_iter, tolerance, work[1], work[2])
            edges[f] = 0.0
            for j in range(bins):
                signed = mass[1, j] - mass[0, j]
                edges[f] += signed if a + s * x[j] > 0 else -signed
            fits[f] = a, s
            best = max(best, edges[f])
        feature[b] = np.argmax(edges >= best - TIE)
        models[b] = fits[feature[b]]


ROUNDING = float(np.finfo(float).eps) / 2
"""Relative error of one; a sum of k terms suffers k of them, and an edge is made of three sums."""
RIDGE = 1e-6
"""Keeps the slope finite on separable data; weights sum to one and features have unit variance."""

MAX_STEPS, SHORTEST = 50, 1e-6
"""Newton steps at most, and the change of a logit below which they end."""


class BoundUnivariateLogistic:
    """Weighted logistic regression on each feature, by Newton steps on the bins of its values.

    Few regressions are computed: the edge of a feature's best cut, which is cheap, bounds the edge of its
    regression, and most features are out of the question once the most promising have been tried.
    """

    accepts = frozenset({"weights", "n_jobs"})

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray | None = None,
        *,
        n_jobs: int | None = None,
    ) -> None:
        self.data = bin_features(X, n_jobs)
        self.columns = np.ascontiguousarray(X.T)
        self.labels = y
        self.threads = Threads(n_jobs)
        self.centre, self.spread = centre_and_spread(X, weights)
        self.values = (self.data.values - self.centre[:, np.newaxis]) / self.spread[:, np.newaxis]

    def fit(self, weights: np.ndarray) -> tuple[StumpBatch, np.ndarray]:
        """Hypotheses and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        n_models = len(weights)
        feature, models = self.choose(weights)
        slope = models[:, 1] / self.spread[feature]
        intercept = models[:, 0] - slope * self.centre[feature]
        constant = slope == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            threshold = np.where(constant, -np.inf, -intercept / slope)
        polarity = np.where(np.where(constant, intercept, slope) > 0, 1, -1)
        stumps = StumpBatch(feature, threshold, polarity, np.ones(n_models, bool))
        above = self.columns[feature] > threshold[:, np.newaxis]
        return stumps, (above == (polarity > 0)[:, np.newaxis]).astype(np.uint8)

    def choose(self, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Features (B,) and the intercepts and slopes (B, 2) of their regressions, features standardised."""
        n_models, n = weights.shape
        data = self.data
        edges = np.empty((n_models, len(data.codes)))
        self.threads.run(
            lambda first, last: largest_edges(
                data.codes, data.n_bins, weights, self.labels, first, last, edges
            ),
            len(data.codes),
            work=n * edges.size,
        )
        signed = np.where(self.labels, weights, -weights)
        constant = np.abs(np.sum(signed, axis=1))  # what a regression may come to
        edges = np.maximum(edges, constant[:, np.newaxis])
        feature, models = np.empty(n_models, np.int64), np.empty((n_models, 2))
        univariate_logistic(
            data.codes, data.n_bins, self.values, weights, self.labels,
            edges * (1 + 3 * ROUNDING * (data.n_bins + 2)) + TIE + 11 * n * ROUNDING,
            RIDGE, MAX_STEPS, SHORTEST, feature, models,
        )  # fmt: skip
        return feature, models
