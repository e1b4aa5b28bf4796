"""Multivariate logistic regression as a weak learner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.special import expit

__all__ = ["BoundLogistic", "LinearHypothesis"]

RIDGE = 1e-6
"""Keeps the coefficients finite on separable data; weights sum to one and features have unit variance."""


class LinearHypothesis(NamedTuple):
    """The sign of ``X @ coef + intercept``; zero counts as -1."""

    coef: np.ndarray
    intercept: float

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        return np.where(np.asarray(X) @ self.coef + self.intercept > 0, 1, -1)


class BoundLogistic:
    """Weighted logistic regression on all features, by damped Newton steps."""

    def __init__(self, X, y, *, max_bins=None, n_jobs=None, random_state=None):
        spread = X.std(axis=0)
        self.centre, self.spread = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.X, self.labels = X, y
        self.design = np.column_stack([np.ones(len(X)), (X - self.centre) / self.spread])

    def fit(self, weights, losses=None):
        """Hypotheses and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        hypotheses, predicted = [], np.empty(weights.shape, np.uint8)
        for b, w in enumerate(weights):
            beta = self._newton(w)
            coef = beta[1:] / self.spread
            hypotheses.append(LinearHypothesis(coef, float(beta[0] - coef @ self.centre)))
            predicted[b] = hypotheses[b].predict(self.X) > 0
        return hypotheses, predicted

    def _newton(self, w, max_iter=50, tolerance=1e-10):
        penalty = np.full(self.design.shape[1], RIDGE)
        penalty[0] = 1e-12  # the intercept goes free but for a pure sample
        beta = np.zeros_like(penalty)

        def loss(at):
            z = self.design @ at
            return w @ np.logaddexp(0, np.where(self.labels == 1, -z, z)) + 0.5 * penalty @ at**2

        value = loss(beta)
        for _ in range(max_iter):
            p = expit(self.design @ beta)
            gradient = self.design.T @ (w * (p - self.labels)) + penalty * beta
            if np.abs(gradient).max() < tolerance:
                break
            hessian = (self.design * (w * p * (1 - p))[:, np.newaxis]).T @ self.design
            hessian[np.diag_indices_from(hessian)] += penalty
            step = cho_solve(cho_factor(hessian), gradient)
            size = 1.0
            while (moved := loss(beta - size * step)) > value and size > 1e-8:
                size *= 0.5
            if moved >= value:
                break
            beta, value = beta - size * step, moved
        return beta
