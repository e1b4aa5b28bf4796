"""Multivariate logistic regression as a weak learner, and its compiled inner loops.

Every sum runs in one fixed order, in plain additions and products without fused or reassociated ones, and no
library of linear algebra or of elementary functions takes part. So a regression has the same bytes on every
processor, in any batch and with any number of threads.

Numbers of rows and columns are multiples of what is taken at once, filled up with zeros. A pass over the
features is as fast as memory gives them, so one copy of them serves logits and gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from csb.engine.elementary import OF_ARRAYS, quick_exp_scalar
from csb.engine.learners.univariate import centre_and_spread
from csbook.learners.linear_algebra import (
    BLOCK,
    STRIDE,
    TALL,
    add_squares,
    cholesky,
    dot,
    in_blocks,
    kernel,
    largest,
    multiply,
    row_space,
    rows_times,
    solve,
    times_rows,
)

__all__ = ["BoundLogistic", "LinearBatch", "LinearHypothesis", "Logistic"]

CHUNK = 128
"""Rows that are added to a Hessian while they are at hand."""

COARSE, FINE = (3e-3, 60), (1e-10, 750)
"""Relative tolerance of the coefficients and largest number of steps, in single and in double precision."""

REFRESH = 10
"""Steps between two Hessians, each of which costs as much as d / 4 gradients."""

NEGLIGIBLE = 30.0
"""Rows left out of a preconditioner weigh together about this many times the penalty, at most."""

YOUNG = 3
"""Steps after which a Hessian is still good enough for double precision."""

FLATTER = 0.1
"""The search along a line ends where the slope is this part of what it was."""

TRIALS = 40
"""Most trials of a search along a line."""

LIGHTEST = 1e-30
"""Lighter rows cannot move a sum, and subnormal numbers are slow."""

COARSE_LIGHTEST, COARSE_SMALLEST = 1e-12, 1e-7
"""Weights and features below these count as zero in single precision, whose products are subnormal sooner."""

CLOSE = (1e-12, 1e-11)
"""A logit nearer to zero than this, absolutely or relative to the sum of its terms' sizes, counts as zero.

Symmetric weights give logits of zero, of which rounding leaves about 1e-14."""

quick_exp = OF_ARRAYS["quick_exp_scalar"]


@kernel()
def _gram(d):
    """Room for the sums of a Hessian, whose rows are whole vectors of single precision."""
    return np.empty((d, d + d % (2 * STRIDE)), np.float32)


def _sum_squares_in_arrays(design, curvature, penalty, gram):
    """Array form of ``_sum_squares``."""
    n, d = design.shape
    gram[:] = 0.0
    heavy = curvature.astype(float) * n * d > NEGLIGIBLE * penalty[1]
    a, rows = curvature[heavy].astype(np.float32), np.zeros((np.sum(heavy), gram.shape[1]), np.float32)
    rows[:, :d] = design[heavy]
    scaled = np.empty((CHUNK, TALL), np.float32)
    for start in range(0, len(a), CHUNK):
        add_squares(a[start : start + CHUNK], rows[start : start + CHUNK], gram, 0, scaled)


@kernel(_sum_squares_in_arrays)
def _sum_squares(design, curvature, penalty, gram):
    """Sum of the outer products of rows with themselves, times their curvature; light rows are left out."""
    n, d = design.shape
    gram[:] = 0.0
    rows, a = np.zeros((CHUNK, gram.shape[1]), np.float32), np.empty(CHUNK, np.float32)
    scaled = np.empty((CHUNK, TALL), np.float32)
    count = 0
    for i in range(n):
        if curvature[i] * n * d > NEGLIGIBLE * penalty[1]:
            x, o = design[i], rows[count]
            for j in range(d):
                o[j] = x[j]
            a[count] = curvature[i]
            count += 1
        if count == CHUNK or i == n - 1:
            add_squares(a[:count], rows[:count], gram, 0, scaled)
            count = 0


@kernel()
def _factorise(design, curvature, penalty, gram, factor):
    """Factor of the Hessian, in both triangles: good to single precision, which is enough here.

    Rows are left out that all together weigh no more than a few times the penalty.
    """
    d = design.shape[1]
    _sum_squares(design, curvature, penalty, gram)
    rounding = np.float64(0.0)  # else the interpreter would add in single precision
    for k in range(d):
        rounding += np.finfo(gram.dtype).eps * gram[k, k]
    # the less is added, the truer of flat directions; seldom is the first not enough
    for share in (0.1, 10.0, 1000.0):
        factor[:] = gram[:, :d]
        for k in range(d):
            factor[k, k] += penalty[k] + share * rounding
        if cholesky(factor):
            break
    for k in range(d):
        for j in range(k):
            factor[k, j] = factor[j, k]


@kernel()
def first_factor(design, penalty):
    """Factor of the Hessian for equal weights and coefficients of zero."""
    n, d = design.shape
    factor = np.empty((d, d))
    _factorise(_coarsely(design, COARSE_SMALLEST), np.full(n, 0.25 / n), penalty, _gram(d), factor)
    return factor


def _evaluate_in_arrays(w, labels, z, dz, t, residual, curvature):
    """Array form of ``_evaluate``."""
    one = w.dtype.type(1)
    p = one / (one + quick_exp(-(z + w.dtype.type(t) * dz)))
    residual[:], curvature[:] = w * (p - labels), w * p * (one - p)


@kernel(_evaluate_in_arrays)
def _evaluate(w, labels, z, dz, t, residual, curvature):
    """First and second derivatives of the loss of each row by its logit, for logits ``z + t * dz``."""
    kind = w.dtype.type
    t, one = kind(t), kind(1)
    for i in range(w.shape[0]):
        p = one / (one + quick_exp_scalar(-(z[i] + t * dz[i])))
        residual[i] = w[i] * (p - labels[i])
        curvature[i] = w[i] * p * (one - p)


@kernel()
def _search(w, labels, z, dz, residual, curvature, squares, slope, linear, quadratic, closest):
    """Length of the step to about the minimum along a line: Newton steps, or halves of what holds it.

    The penalty's part of the slope is ``linear + t * quadratic``. Residual and curvature become those of the
    end of the step.
    """
    enough, low, high, t = FLATTER * abs(slope), 0.0, np.inf, 0.0
    for _ in range(TRIALS):
        np.multiply(curvature, dz, squares)
        hop = -slope / max(dot(squares, dz) + quadratic, 1e-300)
        if abs(hop) <= closest:
            break
        t = t + hop if low < t + hop < high else 0.5 * (low + high)
        _evaluate(w, labels, z, dz, t, residual, curvature)
        slope = linear + t * quadratic + dot(residual, dz)
        if abs(slope) <= enough:
            break
        if slope < 0.0:
            low = t
        else:
            high = t
    return t


@kernel()
def _turn(direction, natural, gradient, before, product, anew):
    """Next direction, conjugate to the last one unless ``anew``; its product to keep, and its slope."""
    share = 0.0
    if not anew:  # the formula of Polak and Ribiere
        share = max(dot(natural, gradient) - dot(natural, before), 0.0) / product
    for k in range(len(direction)):
        direction[k] = share * direction[k] - natural[k]
    product = dot(natural, gradient)
    slope = dot(direction, gradient)
    if slope >= 0.0:
        direction[:] = -natural
        slope = -product
    return product, slope


@kernel()
def _minimise(blocks, coarse, w, labels, penalty, gram, factor, beta, tolerance, max_steps, age):
    """Better coefficients in place of ``beta``, by conjugate gradients, in the precision of ``blocks``.

    ``coarse`` are the rows in single precision, for Hessians. The factor is replaced when its age reaches
    ``REFRESH`` steps; its age in the end is returned.
    """
    n, d, kind = len(w), len(beta), blocks.dtype
    z, dz, squares = np.zeros(n, kind), np.zeros(n, kind), np.empty(n, kind)
    residual, curvature = np.empty(n, kind), np.empty(n, kind)
    work, sums = np.empty(d, kind), np.empty((d, blocks.shape[2] // 4), kind)
    gradient, before, natural, direction = np.zeros(d), np.empty(d), np.empty(d), np.zeros(d)
    rounding, fine = np.finfo(kind).eps, blocks.itemsize == 8
    product = 1.0
    work[:] = beta
    rows_times(blocks, work, z)
    _evaluate(w, labels, z, dz, 0.0, residual, curvature)
    for step in range(max_steps):
        times_rows(residual, blocks, sums, work)
        before[:] = gradient
        for k in range(d):
            gradient[k] = work[k] + penalty[k] * beta[k]
        anew = age >= REFRESH
        if anew:
            _factorise(coarse, curvature, penalty, gram, factor)
            age = 0
        natural[:] = gradient
        solve(factor, natural)
        product, slope = _turn(direction, natural, gradient, before, product, step == 0 or anew)
        work[:] = direction
        dz[:] = 0.0
        rows_times(blocks, work, dz)
        linear, quadratic = 0.0, 0.0
        for k in range(d):
            linear += penalty[k] * beta[k] * direction[k]
            quadratic += penalty[k] * direction[k] * direction[k]
        reach = np.float64(largest(dz))
        closest = 10 * rounding / max(reach, 1e-300)
        t = _search(w, labels, z, dz, residual, curvature, squares, slope, linear, quadratic, closest)
        z += kind.type(t) * dz
        for k in range(d):
            beta[k] += t * direction[k]
        age += 1
        small = abs(t) * largest(direction) <= tolerance * largest(beta)
        # a Newton step of another length tells of a factor that says little of what is left to go
        if small and (fine or 0.5 < t < 2.0) or abs(t) * reach < 1000 * rounding:
            break
    return age


def _coarsely_in_arrays(matrix, smallest):
    """Array form of ``_coarsely``."""
    return np.where(np.abs(matrix) > smallest, matrix, 0.0).astype(np.float32)


@kernel(_coarsely_in_arrays)
def _coarsely(matrix, smallest):
    """A matrix in single precision."""
    coarse = np.empty(matrix.shape, np.float32)
    for i in range(len(matrix)):
        for j in range(matrix.shape[1]):
            coarse[i, j] = matrix[i, j] if abs(matrix[i, j]) > smallest else 0.0
    return coarse


@kernel()
def _rows(design, labels, used):
    """The rows in use: blocks in double and in single precision, rows in single precision, and labels."""
    n, d, size = np.sum(used), design.shape[1], BLOCK // 4
    rows, of_rows = np.zeros((n + -n % size, d)), np.zeros(n + -n % size)
    rows[:n], of_rows[:n] = design[used], labels[used]
    coarse = _coarsely(rows, COARSE_SMALLEST)
    return in_blocks(rows), in_blocks(coarse), coarse, of_rows


@kernel()
def fit_logistic(design, labels, weights, penalty, first, betas):
    """Coefficients of least penalised loss, one model after the other, from the factor ``first``."""
    used = weights[0] > LIGHTEST
    blocks, coarse_blocks, coarse, of_rows = _rows(design, labels, used)
    gram, factor = _gram(len(first)), np.empty_like(first)
    for b in range(len(weights)):
        if np.any((weights[b] > LIGHTEST) != used):  # rows held out are the same for many models
            used = weights[b] > LIGHTEST
            blocks, coarse_blocks, coarse, of_rows = _rows(design, labels, used)
        w = np.zeros((1, len(of_rows)))
        w[0, : np.sum(used)] = weights[b][used]
        beta = betas[b]
        beta[:], factor[:] = 0.0, first
        light = _coarsely(w, COARSE_LIGHTEST)[0]
        age = REFRESH // 2  # the first factor serves half as long as one of the model's own
        coarse_labels = of_rows.astype(np.float32)
        age = _minimise(
            coarse_blocks, coarse, light, coarse_labels, penalty, gram, factor, beta, *COARSE, age
        )
        if not np.all(np.isfinite(beta)):
            beta[:] = 0.0
        age = age if age <= YOUNG else REFRESH
        _minimise(blocks, coarse, w[0], of_rows, penalty, gram, factor, beta, *FINE, age)


@kernel()
def signs(blocks, n, coefs, intercepts):
    """Whether logits (B, n) are positive, 0 or 1, and not so near to zero that rounding decides."""
    _, d, size = blocks.shape
    positive, logits, reach = np.empty((len(coefs), n), np.uint8), np.empty(len(blocks) * size), np.zeros(d)
    for k in range(d):
        reach[k] = largest(blocks[:, k].ravel())
    for b in range(len(coefs)):
        logits[:] = intercepts[b]
        rows_times(blocks, coefs[b], logits)
        most = abs(intercepts[b])  # the sizes of no logit's terms add up to more
        for k in range(d):
            most += abs(coefs[b, k]) * reach[k]
        clear = CLOSE[0] + 1.001 * CLOSE[1] * most
        positive[b] = logits[:n] > clear
        for i in np.flatnonzero(np.abs(logits[:n]) <= clear):
            terms = abs(intercepts[b])
            for k in range(d):
                terms += abs(coefs[b, k] * blocks[i // size, k, i % size])
            positive[b, i] = logits[i] > CLOSE[0] + CLOSE[1] * terms
    return positive


RIDGE = 1e-6
"""Keeps the coefficients finite on separable data; weights sum to one and features have unit variance."""


def _positive(X: np.ndarray, coefs: np.ndarray, intercepts: np.ndarray) -> np.ndarray:
    """Predictions (B, n), 0 or 1."""
    return signs(in_blocks(np.ascontiguousarray(X, float)), len(X), coefs, intercepts)


def _full(count: int) -> int:
    """The next multiple of what the kernels take at once."""
    return -(-count // STRIDE) * STRIDE


class LinearHypothesis(NamedTuple):
    """The sign of ``X @ coef + intercept``; zero counts as -1, also where rounding hides it."""

    coef: np.ndarray
    intercept: float

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        return np.where(_positive(X, self.coef[np.newaxis], np.array([self.intercept]))[0], 1, -1)


@dataclass(frozen=True)
class LinearBatch:
    """One linear hypothesis a model: coefficients of shape (B, d), intercepts of shape (B,)."""

    coefs: np.ndarray
    intercepts: np.ndarray

    def predict(self, X: np.ndarray, chosen: np.ndarray) -> np.ndarray:
        """Signs -1 or +1 of the hypotheses chosen, shape (len(chosen), n)."""
        return np.where(_positive(X, self.coefs[chosen], self.intercepts[chosen]), 1.0, -1.0)

    def __len__(self) -> int:
        return len(self.coefs)

    def __getitem__(self, b: int) -> LinearHypothesis:
        return LinearHypothesis(self.coefs[b], float(self.intercepts[b]))


class BoundLogistic:
    """Weighted logistic regression on all features, which are scaled to unit variance.

    The features are written in an orthonormal basis of the space of their rows, which leaves the penalty as
    it is and the flat directions out, such as those of dummy variables that sum to one. The loss is minimised
    by conjugate gradients, preconditioned with a Hessian that is computed anew every few steps; the first is
    that of equal weights. Single precision, twice as fast, finds the place from which double precision
    starts, and does all Hessians; it does not limit the result. Each model is solved by itself, in compiled
    functions whose results do not depend on the processor.
    """

    accepts = frozenset({"weights"})

    def __init__(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None = None) -> None:
        X = np.ascontiguousarray(X, dtype=float)
        n, d = X.shape
        self.centre, self.spread = centre_and_spread(X, weights)
        self.blocks, self.labels = in_blocks(X), y
        standard = np.zeros((n, _full(d + 1)))
        standard[:, 0] = 1.0
        standard[:, 1 : d + 1] = np.where(X.min(axis=0) < X.max(axis=0), (X - self.centre) / self.spread, 0.0)
        self.basis = row_space(standard)
        self.design = multiply(standard, np.ascontiguousarray(self.basis.T))
        # the same penalty for every feature; the intercept goes free but for a pure sample
        self.penalty = np.full(len(self.basis), RIDGE)
        self.penalty[0] = 1e-12
        self.first = first_factor(self.design, self.penalty)

    def fit(self, weights: np.ndarray) -> tuple[LinearBatch, np.ndarray]:
        """Hypotheses and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        betas = np.empty((len(weights), len(self.basis)))
        weights = np.ascontiguousarray(weights)  # another layout would be compiled anew
        fit_logistic(self.design, self.labels, weights, self.penalty, self.first, betas)
        betas = multiply(betas, self.basis)
        coefs = betas[:, 1 : len(self.spread) + 1] / self.spread
        intercepts = betas[:, 0] - np.sum(coefs * self.centre, axis=1)
        return LinearBatch(coefs, intercepts), signs(self.blocks, len(self.labels), coefs, intercepts)


class Logistic(BaseEstimator):
    """Logistic regressions for a batch of models, as weak learner; many times as fast as ``"logistic"``.

    Examples
    --------
    >>> from csb import AdaBoost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> fast, plain = (AdaBoost(3, estimator=each).fit(X, y).predict(X) for each in (Logistic(), "logistic"))
    >>> bool(np.mean(fast == plain) > 0.99)
    True
    """

    accepts: ClassVar[frozenset[str]] = frozenset()

    def bind(self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None) -> BoundLogistic:
        """Standardise features of shape (n, d) by base weights of shape (n,)."""
        return BoundLogistic(X, y, weights)
