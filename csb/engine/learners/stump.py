"""Decision stumps of smallest weighted error, for a batch of models at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
from joblib import effective_n_jobs

from csb.engine.binning import BinnedData, bin_features
from csb.engine.kernels import batch_edges, choose_stumps, single_edges
from csb.engine.stops import TIE

__all__ = ["BoundStump", "DecisionStump", "FeatureThreads", "StumpBatch", "approximate_edges"]

WORTH_A_THREAD = 2_000_000
"""Values times models below which threads cost more than they save."""

BestLoss = Callable[[np.ndarray], np.ndarray]
"""Loss that the best step along each of K stumps reaches, from their masses (2, 2, K)."""


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

    def predict(self, X: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Signs -1 or +1 of the stumps chosen, shape (len(chosen), n)."""
        above = X.T[self.feature[chosen]] > self.threshold[chosen, np.newaxis]
        return np.where(above == (self.polarity[chosen, np.newaxis] > 0), 1.0, -1.0)

    def __getitem__(self, b: int) -> DecisionStump:  # type: ignore[override]  # stumps, not fields
        return DecisionStump(int(self.feature[b]), float(self.threshold[b]), int(self.polarity[b]))


class FeatureThreads:
    """Threads that share the features of a data set among them; ranges of features do not interact."""

    def __init__(self, n_features: int, n_jobs: int | None) -> None:
        threads = min(effective_n_jobs(n_jobs), n_features)
        self.cuts = np.linspace(0, n_features, threads + 1).astype(int)
        self.pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def run(self, kernel: Callable[[int, int], None], work: int) -> None:
        """Call ``kernel(first, last)`` on ranges that cover all features, at once if ``work`` is large."""
        if self.pool is None or work < WORTH_A_THREAD:
            kernel(0, self.cuts[-1])
        else:
            list(self.pool.map(kernel, self.cuts[:-1], self.cuts[1:]))


def approximate_edges(
    data: BinnedData, weights: np.ndarray, signs: np.ndarray, threads: FeatureThreads
) -> tuple[np.ndarray, float]:
    """Largest absolute edge of any stump on each feature, shape (B, d), and how far off it may be."""
    n_models, n = weights.shape
    edges = np.empty((n_models, len(data.codes)))
    if n_models == 1:
        find, slack = partial(single_edges, data.codes, data.n_bins), 4 * TIE
    else:
        find = partial(batch_edges, data.codes, data.n_bins, data.common, data.others, data.other_rows)
        # single precision: a generous multiple of the expected rounding of n + bins additions
        slack = 16 * np.sqrt(n + data.n_bins.max()) * np.finfo(np.float32).eps
    threads.run(lambda first, last: find(weights, signs, first, last, edges), work=n * edges.size)
    return edges, slack


class BoundStump:
    """Stumps on binned data.

    Minimises the weighted error over all features, cuts and polarities, the constant included. Edges
    closer than 1e-12 are a tie, decided by the lowest feature, then the lowest threshold, then ``+``.
    """

    accepts = frozenset({"max_bins", "n_jobs", "joint"})

    def __init__(
        self, X: np.ndarray, y: np.ndarray, *, max_bins: int | None = None, n_jobs: int | None = None
    ) -> None:
        self.data = bin_features(X, max_bins)
        self.labels = y
        self.signs = 2.0 * y - 1.0
        self.threads = FeatureThreads(X.shape[1], n_jobs)

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
        edges, slack = approximate_edges(data, weights, self.signs, self.threads)
        choose_stumps(
            data.codes, data.n_bins, data.lower, data.upper, weights, self.labels, edges, slack, *stumps,
            predicted,
        )  # fmt: skip
        for b, loss in enumerate(losses or ()):
            if loss is not None:
                self._choose_jointly(b, weights[b], loss, stumps, predicted)
        return stumps, predicted

    def _choose_jointly(
        self, b: int, w: np.ndarray, loss: BestLoss, stumps: StumpBatch, predicted: np.ndarray
    ) -> None:
        """The stump whose best step reaches the smallest loss, by trying every cut."""
        candidates = [self._best_cut_jointly(f, w, loss) for f in range(len(self.data.codes))]
        values = np.array([value for value, _, _ in candidates])
        f = int(np.flatnonzero(values <= values.min() + TIE)[0])
        _, threshold, polarity = candidates[f]
        stumps.feature[b], stumps.threshold[b], stumps.polarity[b] = f, threshold, polarity
        predicted[b] = (self.data.upper[f][self.data.codes[f]] > threshold) == (polarity > 0)

    def _best_cut_jointly(self, f: int, w: np.ndarray, loss: BestLoss) -> tuple[float, float, int]:
        """Loss, threshold and polarity of the best cut of one feature; only bins that carry weight count."""
        column, bins = self.data.codes[f], self.data.n_bins[f]
        mass = np.stack([np.bincount(column[self.labels == y], w[self.labels == y], bins) for y in (0, 1)])
        occupied = np.flatnonzero(mass.sum(axis=0) > 0)
        mass = mass[:, occupied]
        below = np.cumsum(np.hstack([np.zeros((2, 1)), mass[:, :-1]]), axis=1)  # cut 0 is the constant
        above = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
        values = loss(np.stack([below, above], axis=1))
        cut = int(np.flatnonzero(values <= values.min() + TIE)[0])
        edge = above[1, cut] - above[0, cut] + below[0, cut] - below[1, cut]
        if cut == 0:
            return values[cut], -np.inf, 1 if edge >= 0 else -1
        ends = self.data.upper[f, occupied[cut - 1]], self.data.lower[f, occupied[cut]]
        return values[cut], 0.5 * ends[0] + 0.5 * ends[1], 1 if edge >= 0 else -1
