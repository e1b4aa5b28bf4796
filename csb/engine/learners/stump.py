"""Decision stumps of smallest weighted error, for a batch of models at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from csb.engine.blocks import Features
from csb.engine.codes import FEW, CodedData
from csb.engine.compiled import compiled
from csb.engine.learners.search import DOUBTFUL, PENDING, Sums, find_stumps, midway
from csb.engine.learners.side_by_side import edges_in_order
from csb.engine.rules import TIE, Change

__all__ = ["BestLoss", "BoundStump", "DecisionStump", "StumpBatch", "exceeds", "stump_scores"]

MANY = 8
"""Models for which all rows are walked through together, where these are few."""

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


class BoundStump:
    """Stumps of smallest weighted error over all features, cuts and polarities, the constant included.

    Edges closer than 1e-12 are a tie, decided by the lowest feature, then the lowest threshold, then ``+``.
    The threshold is midway between the nearest values that carry weight. Missing values are tried on both
    sides of each cut, above first.
    """

    accepts = frozenset({"n_jobs", "joint", "blocks", "missing"})

    def __init__(self, X: Features, y: np.ndarray, *, n_jobs: int | None = None) -> None:
        self.data, self.labels = CodedData(X, y, n_jobs), y
        self.sums: Sums | None = None
        self.in_order: dict[int, tuple[np.ndarray, np.ndarray]] = {}

    def begin(self) -> Self:
        """The same learner with sums of its own, for one training."""
        other = copy(self)
        other.sums = None
        return other

    def fit(
        self,
        weights: np.ndarray,
        losses: Sequence[BestLoss | None] | None = None,
        change: Change | None = None,
    ) -> tuple[StumpBatch, np.ndarray]:
        """Stumps and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one.

        ``losses`` has for each model a function of the masses (2, 2, K) of K stumps by which it chooses in
        place of the edge, or None; for these all values are kept in order, in sixteen bytes each. What has
        changed since the last call, if given, saves most additions.
        """
        n_models, n = weights.shape
        in_order = n_models >= MANY and n <= FEW
        largest = np.empty((n_models, len(self.data.source) if in_order else 0))
        if in_order:
            self.sums, sums = None, Sums.unused(n_models)
            self._find_edges(weights, largest)
        else:
            if change is None or self.sums is None:
                self.sums, change = Sums.empty(self.data, n_models), Change.unknown(n_models)
            self.sums = sums = self.sums.follow(self.data, weights, change)
        stumps, predicted = StumpBatch.empty(n_models), np.empty((n_models, n), np.uint8)
        pending = np.full(n_models, PENDING, np.int8)
        data, work = self.data, weights.size * len(self.data.source)
        while True:
            search = partial(
                find_stumps, data.codes, data.n_codes, data.low, data.high, data.mixed, data.source,
                data.missing, data.begin, data.end, data.rows, data.values, weights, sums.histogram,
                sums.scale, sums.drift, sums.walked, sums.known, sums.variation, self.labels, largest,
                pending, *tuple(stumps), predicted,
            )  # fmt: skip
            wanted = np.concatenate(data.threads.run(search, n_models, work))
            if not np.count_nonzero(pending):
                break
            if len(wanted):
                data.look(wanted)
            doubtful = np.flatnonzero(pending == DOUBTFUL)
            if len(doubtful):
                sums.add_anew(data, weights, doubtful)
                pending[doubtful] = PENDING
        for b, loss in enumerate(losses or ()):
            if loss is not None:
                self._choose_jointly(b, weights[b], loss, stumps, predicted)
        return stumps, predicted

    def _find_edges(self, weights: np.ndarray, largest: np.ndarray) -> None:
        """Largest edge of each column for each model, by a walk through all rows in order."""
        in_order = self.data.in_order

        def find(first: int, last: int) -> None:
            edges_in_order(*in_order, self.labels, weights, first, last, largest)

        self.data.threads.run(find, largest.shape[1], weights.shape[1] * largest.size)

    def _choose_jointly(
        self, b: int, w: np.ndarray, loss: BestLoss, stumps: StumpBatch, predicted: np.ndarray
    ) -> None:
        """The stump whose best step reaches the smallest loss, by trying every cut."""
        columns = np.argsort(self.data.source, kind="stable")
        candidates = [self._best_cut_jointly(c, w, loss) for c in columns]
        values = np.array([value for value, *_ in candidates])
        k = int(np.flatnonzero(values <= values.min() + TIE)[0])
        c, (_, last, threshold, polarity) = columns[k], candidates[k]
        distinct, ranks = self._in_order(c)
        mass, missing = np.bincount(ranks, w, len(distinct)), distinct == self.data.beyond[c]
        above = np.arange(len(distinct)) > last
        if mass[missing].any():
            missing_above = bool(above[missing].all())
        else:
            missing_above = bool(mass[above].sum() >= mass[~above].sum() - TIE)
        stumps.feature[b], stumps.threshold[b], stumps.polarity[b] = self.data.source[c], threshold, polarity
        stumps.missing_above[b] = missing_above
        over = np.where(missing, missing_above, distinct > threshold)
        predicted[b] = (over == (polarity > 0))[ranks]

    def _in_order(self, c: int) -> tuple[np.ndarray, np.ndarray]:
        """The distinct values of a column, and the rank of each row among them."""
        if c not in self.in_order:
            self.in_order[c] = np.unique(self.data.values_of(c), return_inverse=True)
        return self.in_order[c]

    def _best_cut_jointly(self, c: int, w: np.ndarray, loss: BestLoss) -> tuple[float, int, float, int]:
        """Loss, rank below, threshold and polarity of the best cut of one column, by values of weight."""
        distinct, ranks = self._in_order(c)
        mass = np.stack(
            [np.bincount(ranks, np.where(self.labels == y, w, 0.0), len(distinct)) for y in (0, 1)]
        )
        occupied = np.flatnonzero(mass.sum(axis=0) > 0)
        mass = mass[:, occupied]
        below = np.cumsum(np.hstack([np.zeros((2, 1)), mass[:, :-1]]), axis=1)  # cut 0 is the constant
        above = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
        values = loss(np.stack([below, above], axis=1))
        cut = int(np.flatnonzero(values <= values.min() + TIE)[0])
        edge = above[1, cut] - above[0, cut] + below[0, cut] - below[1, cut]
        polarity = 1 if edge >= 0 else -1
        if cut == 0:
            return values[cut], -1, -np.inf, polarity
        last = occupied[cut - 1]
        return values[cut], last, midway(distinct[last], distinct[occupied[cut]]), polarity
