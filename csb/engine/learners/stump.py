"""Decision stumps of smallest weighted error, for a batch of models at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from csb.engine.binning import BinnedData, bin_features
from csb.engine.blocks import Features
from csb.engine.edges import batch_edges, choose_stumps, fill_hits, midway, missing_side, single_edges
from csb.engine.stops import TIE
from csb.engine.threads import FeatureThreads

__all__ = ["BoundStump", "DecisionStump", "EdgeFinder", "StumpBatch"]

SINGLE, DOUBLE = (float(np.finfo(kind).eps) / 2 for kind in (np.float32, np.float64))
"""Relative error of one rounding."""

BestLoss = Callable[[np.ndarray], np.ndarray]
"""Loss that the best step along each of K stumps reaches, from their masses (2, 2, K)."""


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
        sparse = data.common, data.others, data.other_rows
        self.find_one: Callable[..., None] = partial(single_edges, data.codes, data.n_bins)
        self.find_many: Callable[..., None] = partial(
            batch_edges, data.codes, data.n_bins, *sparse, data.blocks
        )
        self.of_batch = 6 * SINGLE * (data.fills + 2) + examined, 3 * SINGLE * (data.n_bins + 2)
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
        return stumps._replace(feature=data.source[stumps.feature]), predicted

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
