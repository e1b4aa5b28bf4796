"""Univariate logistic regression: the best of the regressions on one feature each.

The learner of the experiments of Nikolaou et al. (2016), Section 5.1. The hypothesis is the sign of a
linear function of one feature, hence a stump whose threshold is a regression's, not a search's.
"""

from __future__ import annotations

import numpy as np

from csb._kernels import TIE, univariate_logistic
from csb.binning import bin_features
from csb.learners.stump import FeatureThreads, StumpBatch

__all__ = ["BoundUnivariateLogistic"]

RIDGE = 1e-6
"""Keeps the slope finite on separable data; weights sum to one and features have unit variance."""


class BoundUnivariateLogistic:
    """Weighted logistic regression on each feature, by Newton steps on the bins of its values."""

    def __init__(self, X, y, *, max_bins=None, n_jobs=None, random_state=None):
        self.data = bin_features(X, max_bins)
        self.columns = np.ascontiguousarray(X.T)
        self.labels = y
        self.threads = FeatureThreads(X.shape[1], n_jobs)
        self.centre = X.mean(axis=0)
        spread = X.std(axis=0)
        self.spread = np.where(spread > 0, spread, 1.0)
        middle = 0.5 * self.data.lower + 0.5 * self.data.upper
        self.values = (middle - self.centre[:, np.newaxis]) / self.spread[:, np.newaxis]

    def fit(self, weights, losses=None):
        """Hypotheses and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        n_models, n = weights.shape
        d = len(self.columns)
        edges, models = np.empty((n_models, d)), np.empty((n_models, d, 2))
        data = self.data

        def regress(first, last):
            univariate_logistic(
                data.codes, data.n_bins, self.values, self.centre, self.spread, weights, self.labels,
                RIDGE, 50, 1e-10, first, last, edges, models,
            )  # fmt: skip

        self.threads.run(regress, work=n * d * n_models * 50)  # a regression costs some fifty passes
        within_tie = edges >= edges.max(axis=1, keepdims=True) - TIE
        feature = within_tie.argmax(axis=1)
        intercept, slope = models[np.arange(n_models), feature].T
        constant = slope == 0
        with np.errstate(divide="ignore", invalid="ignore"):
            threshold = np.where(constant, -np.inf, -intercept / slope)
        polarity = np.where(np.where(constant, intercept, slope) > 0, 1, -1)
        stumps = StumpBatch(feature, threshold, polarity)
        above = self.columns[feature] > threshold[:, np.newaxis]
        return stumps, (above == (polarity > 0)[:, np.newaxis]).astype(np.uint8)
