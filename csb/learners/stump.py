"""Decision stumps of smallest weighted error, for a batch of models at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs

from csb._kernels import TIE, batch_edges, choose_stumps, single_edges
from csb.binning import bin_features

__all__ = ["BoundStump", "DecisionStump", "StumpBatch", "spread_over_features"]

WORTH_A_THREAD = 200_000
"""Values times models below which threads cost more than they save."""


class DecisionStump(NamedTuple):
    """The weak hypothesis ``polarity`` if ``x[feature] > threshold``, else ``-polarity``.

    A threshold of minus infinity is the constant ``polarity``.
    """

    feature: int
    threshold: float
    polarity: int

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        return np.where(np.asarray(X)[:, self.feature] > self.threshold, self.polarity, -self.polarity)


class StumpBatch(NamedTuple):
    """One stump a model, as arrays of shape (B,)."""

    feature: np.ndarray
    threshold: np.ndarray
    polarity: np.ndarray

    @classmethod
    def empty(cls, n_models: int) -> StumpBatch:
        return cls(np.empty(n_models, np.int64), np.empty(n_models), np.empty(n_models, np.int64))

    def __getitem__(self, b: int) -> DecisionStump:
        return DecisionStump(int(self.feature[b]), float(self.threshold[b]), int(self.polarity[b]))


def spread_over_features(kernel, n_features: int, n_jobs: int) -> None:
    """Call ``kernel(first, last)`` on ranges of features, in threads; ranges do not interact."""
    if n_jobs == 1:
        kernel(0, n_features)
        return
    cuts = np.linspace(0, n_features, min(n_jobs, n_features) + 1).astype(int)
    with ThreadPoolExecutor(len(cuts) - 1) as pool:
        list(pool.map(kernel, cuts[:-1], cuts[1:]))


class BoundStump:
    """Stumps on binned data.

    Minimises the weighted error over all features, cuts and polarities, the constant included. Edges
    closer than 1e-12 are a tie, decided by the lowest feature, then the lowest threshold, then ``+``.
    """

    def __init__(self, X, y, *, max_bins=None, n_jobs=None, random_state=None):
        self.data = bin_features(X, max_bins)
        self.labels = y
        self.signs = 2.0 * y - 1.0
        self.n_jobs = effective_n_jobs(n_jobs)

    def fit(self, weights, losses=None):
        """Stumps and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        n_models, n = weights.shape
        stumps, predicted = StumpBatch.empty(n_models), np.empty((n_models, n), np.uint8)
        data, d = self.data, len(self.data.codes)
        if losses is not None and all(losses):
            return self._fit_joint(weights, losses)
        edges = np.empty((n_models, d))
        find = single_edges if n_models == 1 else batch_edges
        threads = self.n_jobs if n * d * n_models >= WORTH_A_THREAD else 1
        spread_over_features(
            lambda first, last: find(data.codes, data.n_bins, weights, self.signs, first, last, edges),
            d,
            threads,
        )
        # single precision: a generous multiple of the expected rounding of n + bins additions
        slack = 4 * TIE if n_models == 1 else 16 * np.sqrt(n + data.n_bins.max()) * np.finfo(np.float32).eps
        choose_stumps(
            data.codes,
            data.n_bins,
            data.lower,
            data.upper,
            weights,
            self.labels,
            edges,
            slack,
            *stumps,
            predicted,
        )
        return stumps, predicted

    def _fit_joint(self, weights, losses):
        """The stump whose best step reaches the smallest loss, model by model, by trying every cut."""
        data = self.data
        stumps, predicted = StumpBatch.empty(len(weights)), np.empty(weights.shape, np.uint8)
        for b, (w, loss) in enumerate(zip(weights, losses, strict=True)):
            best = np.inf
            for f, column in enumerate(data.codes):
                bins = data.n_bins[f]
                at_most = np.zeros((2, bins))
                for y in (0, 1):
                    mass = np.bincount(column[self.labels == y], w[self.labels == y], bins)
                    at_most[y, 1:] = np.cumsum(mass[:-1])
                    occupied = mass if y == 0 else occupied + mass  # noqa: F821 set when y is 0
                above = at_most[:, ::-1].copy()
                total = np.array([w[self.labels == y].sum() for y in (0, 1)])
                above = total[:, np.newaxis] - at_most
                value = loss(np.stack([at_most, np.maximum(above, 0)], axis=1))
                cut = int(np.flatnonzero(value <= value.min() + TIE)[0])
                if value[cut] < best - TIE:
                    best = value[cut]
                    sign = 1 if above[1, cut] + at_most[0, cut] >= above[0, cut] + at_most[1, cut] else -1
                    below, over = cut - 1, cut
                    while below > 0 and occupied[below] == 0:
                        below -= 1
                    while over < bins - 1 and occupied[over] == 0:
                        over += 1
                    middle = -np.inf if cut == 0 else 0.5 * (data.upper[f, below] + data.lower[f, over])
                    stumps.feature[b], stumps.threshold[b], stumps.polarity[b] = f, middle, sign
                    predicted[b] = (column >= cut) == (sign > 0)
        return stumps, predicted
