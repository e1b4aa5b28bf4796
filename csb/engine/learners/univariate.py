"""Univariate logistic regression: the best of the regressions on one feature each.

The learner of the experiments of Nikolaou et al. (2016), Section 5.1. The hypothesis is the sign of a
linear function of one feature, hence a stump whose threshold is a regression's, not a search's.
"""

from __future__ import annotations

import numpy as np

from csb.engine.binning import bin_features
from csb.engine.learners.scaling import centre_and_spread
from csb.engine.learners.stump import EdgeFinder, StumpBatch
from csb.engine.learners.univariate_kernels import univariate_logistic

__all__ = ["BoundUnivariateLogistic"]

RIDGE = 1e-6
"""Keeps the slope finite on separable data; weights sum to one and features have unit variance."""

MAX_STEPS, SHORTEST = 50, 1e-6
"""Newton steps at most, and the change of a logit below which they end."""


class BoundUnivariateLogistic:
    """Weighted logistic regression on each feature, by Newton steps on the bins of its values.

    Few regressions are computed: the edge of a feature's best cut, which is cheap, bounds the edge of its
    regression, and most features are out of the question once the most promising have been tried.
    """

    accepts = frozenset({"weights", "max_bins", "n_jobs"})

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray | None = None,
        *,
        max_bins: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.data = bin_features(X, y, weights, max_bins, n_jobs)
        self.columns = np.ascontiguousarray(X.T)
        self.labels = y
        self.find_edges = EdgeFinder(self.data, y, n_jobs)
        self.centre, self.spread = centre_and_spread(X, weights)
        middle = 0.5 * self.data.lower + 0.5 * self.data.upper
        self.values = (middle - self.centre[:, np.newaxis]) / self.spread[:, np.newaxis]

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
        edges, absolute, relative = self.find_edges(weights)
        signed = np.where(self.labels, weights, -weights)
        constant = np.abs(np.sum(signed, axis=1))  # what a regression may come to
        edges = np.maximum(edges, constant[:, np.newaxis])
        feature, models = np.empty(n_models, np.int64), np.empty((n_models, 2))
        univariate_logistic(
            data.codes, data.n_bins, self.values, weights, self.labels,
            edges * (1 + relative) + absolute,
            RIDGE, MAX_STEPS, SHORTEST, feature, models,
        )  # fmt: skip
        return feature, models
