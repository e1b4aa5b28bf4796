"""Multivariate logistic regression as a weak learner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

__all__ = ["BoundLogistic", "LinearHypothesis"]

RIDGE = 1e-6
"""Keeps the coefficients finite on separable data; weights sum to one and features have unit variance."""

TOGETHER = 32
"""Models solved at once: enough for products of matrices, few enough for their logits to stay in cache."""

REFRESH = 15
"""Steps between two Hessians, each of which costs as much as d / 2 gradients."""

COARSE, FINE = (1e-3, 4 * REFRESH), (1e-10, 50 * REFRESH)
"""Relative tolerance of the coefficients and largest number of steps, in single and in double precision."""


class LinearHypothesis(NamedTuple):
    """The sign of ``X @ coef + intercept``; zero counts as -1."""

    coef: np.ndarray
    intercept: float

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        return np.where(np.asarray(X) @ self.coef + self.intercept > 0, 1, -1)


class BoundLogistic:
    """Weighted logistic regression on all features.

    Their principal components are scaled to unit variance, and those without variance left out: dummy
    variables that sum to one would leave flat directions. The loss is then minimised by conjugate gradients,
    preconditioned with the inverse of a Hessian that is computed anew every few steps. The batch shares
    products of matrices and the first Hessian, the mean one, which brings all models near enough to their
    minima to deserve their own. Single precision, twice as fast, finds the place from which double precision
    starts, and does not limit the result.
    """

    accepts = frozenset()

    def __init__(self, X, y):
        spread = X.std(axis=0)
        self.centre, self.spread = X.mean(axis=0), np.where(spread > 0, spread, 1.0)
        self.X, self.labels = X, y
        components, size, axes = np.linalg.svd((X - self.centre) / self.spread, full_matrices=False)
        kept = size > size[0] * max(X.shape) * np.finfo(float).eps
        size = size[kept] / np.sqrt(len(X))
        self.axes = axes[kept] / size[:, np.newaxis]
        self.design = np.column_stack([np.ones(len(X)), components[:, kept] * np.sqrt(len(X))])
        self.coarse_design = self.design.astype(np.float32)
        # the same penalty for every feature; the intercept goes free but for a pure sample
        self.penalty = np.r_[1e-12, RIDGE / size**2]
        self.lower = np.tri(len(self.penalty), dtype=bool)

    def fit(self, weights):
        """Hypotheses and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        starts = range(0, len(weights), TOGETHER)
        beta = np.vstack([self._solve(weights[b : b + TOGETHER]) for b in starts])
        coefs = beta[:, 1:] @ self.axes / self.spread
        intercepts = beta[:, 0] - coefs @ self.centre
        hypotheses = [LinearHypothesis(c, float(i)) for c, i in zip(coefs, intercepts, strict=True)]
        return hypotheses, np.stack([h.predict(self.X) > 0 for h in hypotheses]).astype(np.uint8)

    def _solve(self, w):
        """Coefficients (b, d + 1) of least loss for weights (b, n)."""
        coarse = np.where(w > 1e-30, w, 0).astype(np.float32)  # subnormal numbers are slow
        inverse = self._inverse_hessian(coarse.mean(axis=0) / 4)
        inverse = np.repeat(inverse[np.newaxis], len(w), axis=0)
        beta = np.zeros((len(w), self.design.shape[1]), np.float32)
        beta = self._minimise(self.coarse_design, coarse, beta, inverse, *COARSE).astype(float)
        beta[~np.isfinite(beta).all(axis=1)] = 0.0
        return self._minimise(self.design, w, beta, None, *FINE)

    def _minimise(self, design, w, beta, inverse, tolerance, max_steps):
        """Better coefficients, in the precision of ``design``; ``inverse`` is the first, if known."""
        penalty, precision = self.penalty.astype(design.dtype), np.finfo(design.dtype)
        solution = np.zeros_like(beta)
        lanes = np.arange(len(w))  # the models not yet solved
        z = beta @ design.T
        direction = gradient = product = None
        for step in range(max_steps):
            p = _expit(z)
            curvature = w * p * (1 - p)
            before, gradient = gradient, (w * (p - self.labels)) @ design + penalty * beta
            if step % REFRESH == 0 and (step > 0 or inverse is None):
                inverse = np.stack([self._inverse_hessian(v) for v in curvature])
            natural = np.matmul(inverse, gradient[:, :, np.newaxis].astype(np.float32))[:, :, 0]
            last, product = product, _dot(natural, gradient)
            if step % REFRESH == 0:
                direction = -natural
            else:  # the formula of Polak and Ribiere
                share = np.maximum(product - _dot(natural, before), 0.0) / last
                direction = share[:, np.newaxis] * direction - natural
            dz = direction @ design.T
            bend = _dot(curvature * dz, dz) + _dot(penalty * direction, direction)
            size = -_dot(direction, gradient) / np.maximum(bend, precision.tiny)
            reach = np.abs(size) * np.abs(dz).max(axis=1)
            long = reach > 1.5
            if long.any():
                size[long] *= self._shortening(*(a[long] for a in (w, beta, z, direction, dz, size, reach)))
            change = size[:, np.newaxis] * direction
            beta, z = beta + change, z + size[:, np.newaxis] * dz
            done = np.abs(change).max(axis=1) <= tolerance * np.abs(beta).max(axis=1)
            done |= reach < 1000 * precision.eps  # rounding, where all coefficients are about zero
            if done.any():
                solution[lanes[done]] = beta[done]
                left = ~done
                if not left.any():
                    return solution
                lanes, w, beta, z, inverse, direction, gradient, product = (
                    array[left] for array in (lanes, w, beta, z, inverse, direction, gradient, product)
                )
        solution[lanes] = beta
        return solution

    def _inverse_hessian(self, curvature):
        """Good to single precision, as much as a preconditioner needs."""
        rows = self.coarse_design * np.sqrt(curvature, dtype=np.float32)[:, np.newaxis]
        hessian = (rows.T @ rows).astype(float)
        rounding = np.finfo(np.float32).eps * np.trace(hessian)
        for share in (0.1, 10.0):  # the less, the truer of flat directions; seldom is it not enough
            ridged = hessian.copy()
            ridged.flat[:: len(ridged) + 1] += self.penalty + share * rounding
            factor, failed = lapack.dpotrf(ridged.T, lower=True, overwrite_a=True)
            if not failed:
                break
        inverse = lapack.dpotri(factor, lower=True, overwrite_c=True)[0].astype(np.float32)
        return np.where(self.lower, inverse, inverse.T)  # only the lower triangle was computed

    def _shortening(self, w, beta, z, direction, dz, size, reach):
        """Factors for Newton steps along a line, below one where a step leads past the minimum, perhaps far.

        On the way of a step that moves no logit by more than ``reach``, the curvature of the loss grows at
        most by a factor exp(reach) (Bach 2010). Hence log(1 + reach) / reach times the step lowers the loss,
        and so does all of it if reach is below 1.5.
        """
        t = size[:, np.newaxis]
        slope = _dot(w * (_expit(z + t * dz) - self.labels), dz)
        slope += _dot(self.penalty.astype(beta.dtype) * (beta + t * direction), direction)
        return np.where(slope * size > 0, np.log1p(reach) / reach, 1.0)


def _dot(a, b):
    """Inner products of the rows of two matrices."""
    return np.einsum("bi,bi->b", a, b)


def _expit(z):
    """The logistic function; numpy's exponential is several times as fast as that of scipy.special.expit."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-z))
