"""Decision stumps of smallest weighted error, for a batch of models at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from typing import Any, NamedTuple

import numpy as np

from csb.engine.blocks import Features
from csb.engine.codes import CodedData
from csb.engine.compiled import compiled
from csb.engine.learners.search import add_up, find_stumps

__all__ = ["BestLoss", "BoundStump", "DecisionStump", "StumpBatch", "exceeds", "stump_scores"]

kernel = compiled()

BestLoss = Callable[[np.ndarray], np.ndarray]
"""Loss that the best step along each of K stumps reaches, from their masses (2, 2, K)."""


@kernel
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

    Edges closer than 1e-12 are a tie, decided by the lowest feature, then the lowest threshold, then ``+``. The
    threshold is midway between the nearest values that carry weight. Missing values are tried on both sides of
    each cut, above first.
    """

    follows = True
    accepts = frozenset({"n_jobs", "joint", "blocks", "missing"})

    def __init__(self, X: Features, y: np.ndarray, *, n_jobs: int | None = None) -> None:
        self.data, self.labels = CodedData(X, y), y
        self.sums: Sums | None = None

    def fit(
        self,
        weights: np.ndarray,
        losses: Sequence[BestLoss | None] | None = None,
        change: Change | None = None,
    ) -> tuple[StumpBatch, np.ndarray]:
        """Stumps and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one.

        ``losses`` has for each model a function of the masses (2, 2, K) of K stumps by which it chooses in
        place of the edge, or None.
        """
        n_models, n = weights.shape
        data = self.data
        if change is None:
            self.sums = Sums.empty(n_models, data.mixed.shape)
            predicted, factors = np.empty((n_models, 0), np.uint8), np.full((2, 2, n_models), np.nan)
        else:
            self.sums = self.sums.take(change.models)
            predicted, factors = change.predicted, change.factors
        for b in range(n_models):
            add_up(data.words, self.labels, weights[b], predicted[b], factors[:, :, b], *(each[b] for each in self.sums))
        stumps, predicted = StumpBatch.empty(n_models), np.empty((n_models, n), np.uint8)
        pending = np.ones(n_models, bool)
        wanted = np.empty(n_models * data.mixed.size, np.int64)
        while True:
            asked = find_stumps(
                data.codes, data.n_codes, data.low, data.high, data.mixed, data.source,
                data.missing, data.begin, data.end, data.rows, data.values, weights, *self.sums[:2],
                pending, wanted, *stumps, predicted,
            )  # fmt: skip
            if not asked:
                return stumps, predicted
            data.look(*np.divmod(np.unique(wanted[:asked]), 256))


class Change(NamedTuple):
    """How weights have moved since the last call."""

    models: np.ndarray
    predicted: np.ndarray
    factors: np.ndarray


class Sums(NamedTuple):
    histogram: np.ndarray
    scale: np.ndarray
    drift: np.ndarray

    @classmethod
    def empty(cls, n_models, shape):
        g, c, lanes = shape
        return cls(np.empty((n_models, g, 2, c, lanes)), np.empty((n_models, 2)), np.empty((n_models, 2)))

    def take(self, models):
        return self if len(models) == len(self.scale) else Sums(*(each[models] for each in self))
