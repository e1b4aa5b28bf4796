"""Compiled inner loops of weighted logistic regression.

Every sum runs in one fixed order, in plain additions and products without fused or reassociated ones, and no
library of linear algebra or of elementary functions takes part. So a regression has the same bytes on every
processor, in any batch and with any number of threads.

Numbers of rows and columns are multiples of ``STRIDE``, filled up with zeros. The functions call each other
and therefore share this file: numba's cache does not notice a change in another one.
"""

from __future__ import annotations

import numpy as np
from numba import njit

__all__ = ["STRIDE", "first_factor", "fit_logistic", "multiply", "row_space", "signs"]

STRIDE = 8
"""Rows that are added up in one pass over a vector, and partial sums of a scalar product."""

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

kernel = njit(cache=True, nogil=True, error_model="numpy")
"""Without the check for division by zero, which would keep loops from running on vectors."""


@kernel
def _exp(t):
    """Exponential of t, taken into [-40, 40], to 1e-13 in double precision: plain arithmetic vectorises."""
    kind = type(t)  # constants of another kind would make all of it double precision
    t = min(max(t, kind(-40.0)), kind(40.0)) * kind(1 / 256)
    p = kind(1 / 40320) + t * (kind(1 / 362880) + t * kind(1 / 3628800))
    p = kind(1 / 120) + t * (kind(1 / 720) + t * (kind(1 / 5040) + t * p))
    p = kind(1) + t * (kind(1) + t * (kind(1 / 2) + t * (kind(1 / 6) + t * (kind(1 / 24) + t * p))))
    for _ in range(8):
        p *= p
    return p


@kernel
def _add_rows(a, rows, out):
    """Add the rows times the numbers ``a`` to ``out``, eight at a time in stretches that stay in cache."""
    for start in range(0, out.shape[0], 1024):
        o = out[start : start + 1024]
        stop = start + o.shape[0]
        for k in range(0, a.shape[0], STRIDE):
            a0, a1, a2, a3 = a[k], a[k + 1], a[k + 2], a[k + 3]
            a4, a5, a6, a7 = a[k + 4], a[k + 5], a[k + 6], a[k + 7]
            x0, x1 = rows[k, start:stop], rows[k + 1, start:stop]
            x2, x3 = rows[k + 2, start:stop], rows[k + 3, start:stop]
            x4, x5 = rows[k + 4, start:stop], rows[k + 5, start:stop]
            x6, x7 = rows[k + 6, start:stop], rows[k + 7, start:stop]
            for j in range(o.shape[0]):
                s = o[j] + a0 * x0[j] + a1 * x1[j] + a2 * x2[j] + a3 * x3[j]
                o[j] = s + a4 * x4[j] + a5 * x5[j] + a6 * x6[j] + a7 * x7[j]


@kernel
def _add_squares(a, rows, out, first):
    """Add the outer products of eight rows with themselves, times ``a``, to the upper triangle of ``out``.

    Of ``out``, only the rows from ``first`` on; each begins left of the diagonal, at a multiple of eight.
    """
    for k in range(first, out.shape[0]):
        a0, a1, a2, a3 = a[0] * rows[0, k], a[1] * rows[1, k], a[2] * rows[2, k], a[3] * rows[3, k]
        a4, a5, a6, a7 = a[4] * rows[4, k], a[5] * rows[5, k], a[6] * rows[6, k], a[7] * rows[7, k]
        start = k - k % STRIDE
        o = out[k, start:]
        x0, x1, x2, x3 = rows[0, start:], rows[1, start:], rows[2, start:], rows[3, start:]
        x4, x5, x6, x7 = rows[4, start:], rows[5, start:], rows[6, start:], rows[7, start:]
        for j in range(o.shape[0]):
            s = o[j] + a0 * x0[j] + a1 * x1[j] + a2 * x2[j] + a3 * x3[j]
            o[j] = s + a4 * x4[j] + a5 * x5[j] + a6 * x6[j] + a7 * x7[j]


@kernel
def _dot(a, b):
    """Scalar product in eight interleaved partial sums of double precision."""
    part = np.zeros(STRIDE)
    for i in range(0, a.shape[0], STRIDE):
        u, v = a[i : i + STRIDE], b[i : i + STRIDE]
        for k in range(STRIDE):
            part[k] += u[k] * v[k]
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]))


@kernel
def _largest(a):
    """Largest absolute value."""
    part = np.zeros(STRIDE, a.dtype)
    for i in range(0, a.shape[0], STRIDE):
        u = a[i : i + STRIDE]
        for k in range(STRIDE):
            part[k] = max(part[k], abs(u[k]))
    return part.max()


@kernel
def _cholesky(matrix):
    """Upper triangular factor in place of the upper triangle; whether the matrix was positive definite."""
    minus = np.full(STRIDE, -1.0)
    for block in range(0, len(matrix), STRIDE):
        for k in range(block, block + STRIDE):
            row = matrix[k, k:]
            if not row[0] > 0.0:
                return False
            scale = 1.0 / np.sqrt(row[0])
            for j in range(row.shape[0]):
                row[j] *= scale
            for i in range(k + 1, block + STRIDE):
                o, x, a = matrix[i, i:], row[i - k :], row[i - k]
                for j in range(o.shape[0]):
                    o[j] -= a * x[j]
            matrix[k, block:k] = 0.0
        _add_squares(minus, matrix[block : block + STRIDE], matrix, block + STRIDE)
    return True


@kernel
def _solve(factor, b):
    """Solution, in place of ``b``, for the matrix that has this factor, which stands in both triangles."""
    d = len(b)
    for block in range(0, d, STRIDE):
        stop = block + STRIDE
        for k in range(block, stop):
            b[k] /= factor[k, k]
            for j in range(k + 1, stop):
                b[j] -= factor[k, j] * b[k]
        _add_rows(-b[block:stop], factor[block:stop, stop:], b[stop:])
    for block in range(d - STRIDE, -1, -STRIDE):
        stop = block + STRIDE
        for k in range(stop - 1, block - 1, -1):
            b[k] /= factor[k, k]
            for j in range(block, k):
                b[j] -= factor[k, j] * b[k]
        _add_rows(-b[block:stop], factor[block:stop, :block], b[:block])


@kernel
def _factorise(design, curvature, penalty, gram, factor):
    """Factor of the Hessian, in both triangles: good to the precision of ``design``, which is enough here.

    Rows are left out that all together weigh no more than a few times the penalty.
    """
    n, d = design.shape
    gram[:] = 0.0
    rows, a, count = np.zeros((STRIDE, d), design.dtype), np.zeros(STRIDE, design.dtype), 0
    for i in range(n):
        if curvature[i] * n * d > NEGLIGIBLE * penalty[1]:
            rows[count], a[count] = design[i], curvature[i]
            count += 1
        if count == STRIDE or i == n - 1:
            a[count:] = 0.0
            _add_squares(a, rows, gram, 0)
            count = 0
    rounding = 0.0
    for k in range(d):
        rounding += np.finfo(gram.dtype).eps * gram[k, k]
    # the less is added, the truer of flat directions; seldom is the first not enough
    for share in (0.1, 10.0, 1000.0):
        factor[:] = gram
        for k in range(d):
            factor[k, k] += penalty[k] + share * rounding
        if _cholesky(factor):
            break
    for k in range(d):
        for j in range(k):
            factor[k, j] = factor[j, k]


@kernel
def row_space(matrix):
    """Orthonormal rows that span the rows of a matrix, the first being the first unit vector; zeros fill up.

    The method of Gram and Schmidt, twice, which is enough for orthogonality to full precision.
    """
    n, d = matrix.shape
    basis, rank = np.zeros((d, d)), 1
    basis[0, 0] = 1.0
    for i in range(n):
        if rank == d:
            break
        row = matrix[i].copy()
        for k in range(2 * rank):
            a, x = _dot(basis[k % rank], row), basis[k % rank]
            for j in range(d):
                row[j] -= a * x[j]
        rest = _dot(row, row)
        if rest > 1e-24 * _dot(matrix[i], matrix[i]):
            basis[rank] = row / np.sqrt(rest)
            rank += 1
    return basis[: rank + -rank % STRIDE].copy()


@kernel
def multiply(a, b):
    """Product of two matrices."""
    product = np.zeros((a.shape[0], b.shape[1]))
    for i in range(len(a)):
        _add_rows(a[i], b, product[i])
    return product


@kernel
def first_factor(design, penalty):
    """Factor of the Hessian for equal weights and coefficients of zero; ``design`` in single precision."""
    n, d = design.shape
    gram, factor = np.empty((d, d), np.float32), np.empty((d, d))
    _factorise(design, np.full(n, np.float32(0.25 / n)), penalty, gram, factor)
    return factor


@kernel
def _evaluate(w, labels, z, dz, t, residual, curvature):
    """First and second derivatives of the loss of each row by its logit, for logits ``z + t * dz``."""
    kind = w.dtype.type
    t, one = kind(t), kind(1)
    for i in range(w.shape[0]):
        p = one / (one + _exp(-(z[i] + t * dz[i])))
        residual[i] = w[i] * (p - labels[i])
        curvature[i] = w[i] * p * (one - p)


@kernel
def _search(w, labels, z, dz, residual, curvature, squares, slope, linear, quadratic, closest):
    """Length of the step to about the minimum along a line: Newton steps, or halves of what holds it.

    The penalty's part of the slope is ``linear + t * quadratic``. Residual and curvature become those of the
    end of the step.
    """
    enough, low, high, t = FLATTER * abs(slope), 0.0, np.inf, 0.0
    for _ in range(TRIALS):
        for i in range(len(dz)):
            squares[i] = curvature[i] * dz[i]
        hop = -slope / max(_dot(squares, dz) + quadratic, 1e-300)
        if abs(hop) <= closest:
            break
        t = t + hop if low < t + hop < high else 0.5 * (low + high)
        _evaluate(w, labels, z, dz, t, residual, curvature)
        slope = linear + t * quadratic + _dot(residual, dz)
        if abs(slope) <= enough:
            break
        if slope < 0.0:
            low = t
        else:
            high = t
    return t


@kernel
def _turn(direction, natural, gradient, before, product, anew):
    """Next direction, conjugate to the last one unless ``anew``; its product to keep, and its slope."""
    share = 0.0
    if not anew:  # the formula of Polak and Ribiere
        share = max(_dot(natural, gradient) - _dot(natural, before), 0.0) / product
    for k in range(len(direction)):
        direction[k] = share * direction[k] - natural[k]
    product = _dot(natural, gradient)
    slope = _dot(direction, gradient)
    if slope >= 0.0:
        direction[:] = -natural
        slope = -product
    return product, slope


@kernel
def _minimise(design, columns, w, labels, penalty, factor, beta, tolerance, max_steps, age):
    """Better coefficients in place of ``beta``, by conjugate gradients, in the precision of ``design``.

    ``columns`` is the transpose of ``design``. The factor is replaced when its age reaches ``REFRESH``
    steps; its age in the end is returned.
    """
    (n, d), kind = design.shape, design.dtype
    z, dz, squares = np.zeros(n, kind), np.zeros(n, kind), np.empty(n, kind)
    residual, curvature = np.empty(n, kind), np.empty(n, kind)
    work, gram = np.empty(d, kind), np.empty((d, d), kind)
    gradient, before, natural, direction = np.zeros(d), np.empty(d), np.empty(d), np.zeros(d)
    rounding, fine = np.finfo(kind).eps, design.itemsize == 8
    product = 1.0
    work[:] = beta
    _add_rows(work, columns, z)
    _evaluate(w, labels, z, dz, 0.0, residual, curvature)
    for step in range(max_steps):
        work[:] = 0.0
        _add_rows(residual, design, work)
        before[:] = gradient
        for k in range(d):
            gradient[k] = work[k] + penalty[k] * beta[k]
        anew = age >= REFRESH
        if anew:
            _factorise(design, curvature, penalty, gram, factor)
            age = 0
        natural[:] = gradient
        _solve(factor, natural)
        product, slope = _turn(direction, natural, gradient, before, product, step == 0 or anew)
        work[:] = direction
        dz[:] = 0.0
        _add_rows(work, columns, dz)
        linear, quadratic = 0.0, 0.0
        for k in range(d):
            linear += penalty[k] * beta[k] * direction[k]
            quadratic += penalty[k] * direction[k] * direction[k]
        reach = _largest(dz)
        closest = 10 * rounding / max(reach, 1e-300)
        t = _search(w, labels, z, dz, residual, curvature, squares, slope, linear, quadratic, closest)
        length = kind.type(t)
        for i in range(n):
            z[i] += length * dz[i]
        for k in range(d):
            beta[k] += t * direction[k]
        age += 1
        small = abs(t) * _largest(direction) <= tolerance * _largest(beta)
        # a Newton step of another length tells of a factor that says little of what is left to go
        if small and (fine or 0.5 < t < 2.0) or abs(t) * reach < 1000 * rounding:
            break
    return age


@kernel
def _coarsely(a, smallest):
    """A vector or matrix in single precision."""
    return np.where(np.abs(a) > smallest, a, 0.0).astype(np.float32)


@kernel
def _rows(design, labels, used):
    """The rows in use, their labels, their transpose, and both matrices in single precision."""
    n, d = 0, design.shape[1]
    for i in range(len(used)):
        n += used[i]
    rows, of_rows, n = np.zeros((n + -n % STRIDE, d)), np.zeros(n + -n % STRIDE), 0
    for i in range(len(used)):
        if used[i]:
            rows[n], of_rows[n] = design[i], labels[i]
            n += 1
    columns = np.ascontiguousarray(rows.T)
    coarse, coarse_columns = _coarsely(rows, COARSE_SMALLEST), _coarsely(columns, COARSE_SMALLEST)
    return rows, columns, coarse, coarse_columns, of_rows


@kernel
def fit_logistic(design, labels, weights, penalty, first, betas):
    """Coefficients of least penalised loss, one model after the other, from the factor ``first``."""
    used = weights[0] > LIGHTEST
    rows, columns, coarse, coarse_columns, of_rows = _rows(design, labels, used)
    coarse_labels = of_rows.astype(np.float32)
    for b in range(len(weights)):
        if np.any((weights[b] > LIGHTEST) != used):  # rows held out are the same for many models
            used = weights[b] > LIGHTEST
            rows, columns, coarse, coarse_columns, of_rows = _rows(design, labels, used)
            coarse_labels = of_rows.astype(np.float32)
        w, n = np.zeros(len(rows)), 0
        for i in range(len(used)):
            if used[i]:
                w[n] = weights[b, i]
                n += 1
        beta, factor = betas[b], first.copy()
        beta[:] = 0.0
        light = _coarsely(w, COARSE_LIGHTEST)
        age = REFRESH // 2  # the first factor serves half as long as one of the model's own
        age = _minimise(coarse, coarse_columns, light, coarse_labels, penalty, factor, beta, *COARSE, age)
        if not np.all(np.isfinite(beta)):
            beta[:] = 0.0
        age = age if age <= YOUNG else REFRESH
        _minimise(rows, columns, w, of_rows, penalty, factor, beta, *FINE, age)


@kernel
def signs(columns, coef, intercept, positive):
    """Whether the logit of each example is positive, and not so near to zero that rounding decides."""
    d, n = columns.shape
    logit, size = np.full(n, intercept), np.full(n, abs(intercept))
    for k in range(d):
        a, x = coef[k], columns[k]
        for i in range(n):
            term = a * x[i]
            logit[i] += term
            size[i] += abs(term)
    for i in range(n):
        positive[i] = logit[i] > CLOSE[0] + CLOSE[1] * size[i]
