"""The multivariate logistic regression: its optimum on awkward data, and the same bytes everywhere."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from csb.engine.learners import bind_learner
from csbook.learners.logistic import RIDGE, LinearHypothesis, Logistic


def standardised(X):
    varies = X.min(axis=0) < X.max(axis=0)
    return np.where(varies, (X - X.mean(axis=0)) / np.where(varies, X.std(axis=0), 1.0), 0.0), varies


def assert_optimal(X, y, weights, hypotheses, atol=1e-10):
    """The gradient of the penalised loss vanishes; constant features have no coefficient."""
    Z, varies = standardised(X)
    for w, hypothesis in zip(weights, hypotheses, strict=True):
        slopes = hypothesis.coef * np.where(varies, X.std(axis=0), 0.0)
        intercept = hypothesis.intercept + hypothesis.coef @ X.mean(axis=0)
        residual = w * (expit(Z @ slopes + intercept) - y)
        np.testing.assert_allclose(residual @ Z + RIDGE * slopes, 0, atol=atol)
        assert residual.sum() + 1e-12 * intercept == pytest.approx(0, abs=atol)
        np.testing.assert_array_equal(hypothesis.coef[~varies], 0)


def uneven_weights(rng, n_models, n):
    """Some rows left out, some all but left out, some too light for normal numbers."""
    weights = rng.gamma(0.3, size=(n_models, n)) * (rng.random((n_models, n)) < 0.8)
    weights[::3, : n // 2] *= 1e-9
    weights /= weights.sum(axis=1, keepdims=True)
    weights[1, n // 3] = 5e-324
    weights[2, : n // 4] = 1e-310
    return weights


def dummies(rng, n):
    """All categories of three attributes, one of them twice, and a constant that has rounding in its mean."""
    codes = rng.integers(0, 5, size=(n, 3))
    columns = [codes[:, [k]] == np.arange(5) for k in (0, 1, 2, 1)]
    return np.column_stack([*columns, np.full(n, 0.1)]).astype(float)


DESIGNS = {
    "dummies": lambda rng: dummies(rng, 200),
    "numbers": lambda rng: rng.normal(size=(150, 7)) * 10.0 ** np.arange(-3, 4) + 50.0,
    "more features than rows": lambda rng: rng.normal(size=(40, 61)),
    "one feature": lambda rng: rng.normal(size=(33, 1)),
    "all constant": lambda rng: np.full((20, 2), 0.3),
    "far points": lambda rng: rng.standard_t(1.2, size=(300, 3)),
}


@pytest.mark.parametrize("name", DESIGNS)
@pytest.mark.parametrize("noise", [0.0, 2.0])
def test_the_gradient_vanishes_at_the_solution(name, noise):
    rng = np.random.default_rng(len(name))
    X = DESIGNS[name](rng)
    Z, _ = standardised(X)
    y = (Z[:, 0] + noise * rng.normal(size=len(X)) > np.median(Z[:, 0])).astype(np.int8)  # 0.0: separable
    weights = uneven_weights(rng, 9, len(X))
    hypotheses, predicted = bind_learner(Logistic(), X, y).fit(weights)
    assert_optimal(X, y, weights, hypotheses)
    for hypothesis, hits in zip(hypotheses, predicted, strict=True):
        np.testing.assert_array_equal(hypothesis.predict(X) > 0, hits)
    np.testing.assert_array_equal(hypotheses.predict(X, np.arange(9)) > 0, predicted)


def losses_and_steps(rows, y, weights, penalty, beta):
    """Penalised losses of coefficients (B, d + 1), and their Newton steps as least squares.

    The condition of that form is the root of the Hessian's. A row whose curvature is zero is left out of it.
    """
    f = beta @ rows.T
    pull, curvature = weights * np.where(y == 1, -expit(-f), expit(f)), weights * expit(f) * expit(-f)
    root = np.sqrt(curvature)[:, :, np.newaxis]
    matrix = np.concatenate(
        [root * rows, np.broadcast_to(np.diag(np.sqrt(penalty)), (len(f), *[len(penalty)] * 2))], axis=1
    )
    residual = np.divide(pull, root[:, :, 0], out=np.zeros_like(pull), where=curvature > 0)
    target = np.concatenate([residual, np.sqrt(penalty) * beta], axis=1)
    steps = (np.linalg.pinv(matrix, rcond=0) @ target[:, :, np.newaxis])[:, :, 0]
    loss = np.sum(weights * np.logaddexp(0.0, np.where(y == 1, -f, f)), axis=1) + beta**2 @ penalty / 2
    return loss, steps


def descended(rows, y, w, penalty, beta):
    """The loss after Newton steps that are halved until they lower it."""
    (least,), (step,) = losses_and_steps(rows, y, w, penalty, beta)
    for _ in range(200):
        trials = beta - 0.5 ** np.arange(60)[:, np.newaxis] * step
        found, steps = losses_and_steps(rows, y, np.broadcast_to(w, (60, len(y))), penalty, trials)
        best = found.argmin()
        if not found[best] < least:
            break
        beta, least, step = trials[[best]], found[best], steps[best]
    return least


@pytest.mark.parametrize("cases", [300, pytest.param(100_000, marks=pytest.mark.deep)])
def test_hostile_rows_leave_no_lower_loss(cases):
    """The loss is convex, and least where its Newton step moves no logit.

    Separable and nearly so, of few values or with far points, weights over twelve decades. Of many thousands
    some have rows that are wrong by so much that their curvature vanishes, and the step says nothing. Nor
    does a descent lower the loss of these, be it from where they are or from zero.
    """
    rng, astray = np.random.default_rng(0), 0
    for _ in range(cases // 50):
        n, d = int(rng.choice([8, 20, 60])), int(rng.choice([1, 2, 4]))
        X = [rng.normal(size=(n, d)), rng.integers(0, 3, (n, d)) + 0.0, rng.standard_t(1.5, (n, d))][
            rng.integers(3)
        ]
        y = (X[:, 0] + rng.choice([0, 0, 0.3, 3]) * rng.normal(size=n) > rng.choice(X[:, 0])).astype(np.int8)
        y[0], y[1] = 0, 1
        weights = 10.0 ** (-rng.choice([0, 3, 12], (50, 1)) * rng.random((50, n)))
        weights *= np.where(y == 1, 10.0 ** -rng.uniform(0, 6, (50, 1)), 1.0)
        weights /= weights.sum(axis=1, keepdims=True)
        hypotheses, _ = bind_learner(Logistic(), X, y).fit(weights)
        Z, varies = standardised(X)
        rows = np.column_stack([np.ones(n), Z[:, varies]])
        penalty = np.array([1e-12, *np.full(varies.sum(), RIDGE)])
        coefficients = np.array([each.coef for each in hypotheses])
        intercepts = np.array([each.intercept for each in hypotheses]) + coefficients @ X.mean(axis=0)
        beta = np.column_stack([intercepts, (coefficients * X.std(axis=0))[:, varies]])
        found, steps = losses_and_steps(rows, y, weights, penalty, beta)
        moves = np.abs(steps @ rows.T) / (1 + np.abs(beta @ rows.T))
        assert cases > 300 or moves.max() < 1e-4
        for k in np.flatnonzero(moves.max(axis=1) > 1e-6):
            astray += 1
            for start in (beta[[k]], np.zeros_like(beta[[k]])):
                assert found[k] <= descended(rows, y, weights[[k]], penalty, start) * (1 + 1e-13)
    assert astray < 0.01 * cases


@pytest.mark.parametrize("seed", [835, 1025, 1950, 2433])
def test_far_points_where_a_hessian_in_single_precision_is_indefinite(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([50, 400, 3000])), int(rng.choice([2, 3, 5]))
    X = rng.standard_t(1.2, size=(n, d))
    y = rng.integers(0, 2, n).astype(np.int8)
    weights = np.full((4, n), 1e-12)
    for w in weights:
        w[rng.choice(np.argsort(-np.abs(X).max(axis=1))[:6], 2, replace=False)] += 1
    weights /= weights.sum(axis=1, keepdims=True)
    hypotheses, _ = bind_learner(Logistic(), X, y).fit(weights)
    assert_optimal(X, y, weights, hypotheses)


@pytest.mark.parametrize(("n", "d"), [(300, 4), (200, 20), (60, 70)])
def test_scikit_learn_finds_the_same_for_the_same_penalty(n, d):
    X, y = make_classification(n, d, n_informative=3, n_redundant=1, flip_y=0.1, random_state=d)
    weights = np.random.default_rng(d).gamma(0.5, size=(3, n))
    weights /= weights.sum(axis=1, keepdims=True)
    hypotheses, _ = bind_learner(Logistic(), X, y.astype(np.int8)).fit(weights)
    for w, hypothesis in zip(weights, hypotheses, strict=True):
        theirs = LogisticRegression(C=1 / RIDGE, tol=1e-13, max_iter=10_000, solver="newton-cholesky")
        theirs.fit(standardised(X)[0], y, sample_weight=w)
        scale = np.abs(theirs.coef_).max()
        np.testing.assert_allclose(
            hypothesis.coef * X.std(axis=0), theirs.coef_[0], rtol=0, atol=1e-6 * scale
        )


def test_a_logit_of_zero_counts_as_negative_whatever_rounding_makes_of_it():
    x = np.array([1.0, 0.0, 2.0, 1.0, 3.0])
    X = np.r_[x, -x][:, np.newaxis] * [0.1, 0.7] + [0.3, 1e3]
    y = np.array([1, 1, 1, 0, 1, 0, 0, 0, 1, 0], np.int8)  # the mirror image has the other class
    weights = np.tile(np.random.default_rng(0).dirichlet(np.ones(5), size=50) / 2, 2)
    _, predicted = bind_learner(Logistic(), X, y).fit(weights)
    np.testing.assert_array_equal(predicted[:, [1, 6]], 0)
    np.testing.assert_array_equal(predicted[:, :5] + predicted[:, 5:], [[1, 0, 1, 1, 1]] * 50)


def test_a_small_logit_counts_whatever_the_other_examples_are():
    X = np.r_[[[1e-3], [-1e-3], [1e12], [0.0], [1e-13]], np.linspace(-5, 5, 300)[:, np.newaxis]]
    hypothesis = LinearHypothesis(np.array([1.0]), 0.0)
    alone = np.concatenate([hypothesis.predict(x[np.newaxis]) for x in X])
    np.testing.assert_array_equal(hypothesis.predict(X), alone)
    np.testing.assert_array_equal(alone, np.where(X[:, 0] > 1e-12, 1, -1))
    np.testing.assert_array_equal(
        LinearHypothesis(np.array([1.0]), -1.0).predict([[1 + 1e-12], [1 + 1e-10]]), [-1, 1]
    )


def digest():
    """Hash of hypotheses and predictions on all designs."""
    found = hashlib.sha256()
    for name, make in DESIGNS.items():
        rng = np.random.default_rng(len(name))
        X = make(rng)
        y = rng.integers(0, 2, len(X)).astype(np.int8)
        hypotheses, predicted = bind_learner(Logistic(), X, y).fit(uneven_weights(rng, 6, len(X)))
        new = hypotheses.predict(X + 0.01, np.arange(6))
        for array in (hypotheses.coefs, hypotheses.intercepts, predicted, new):
            found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


@pytest.mark.deep
@pytest.mark.parametrize(
    "processor",
    [
        {"NPY_DISABLE_CPU_FEATURES": "all"},
        {"OPENBLAS_CORETYPE": "Haswell"},
        {"OPENBLAS_CORETYPE": "SkylakeX", "OMP_NUM_THREADS": "1"},
        {"OPENBLAS_CORETYPE": "Nehalem", "NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+sse2"},
    ],
    ids=str,
)
def test_the_bytes_do_not_depend_on_the_processor(processor):
    if "NPY_DISABLE_CPU_FEATURES" in processor:
        found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
        processor = {"NPY_DISABLE_CPU_FEATURES": " ".join(found)}
    code = "import sys; sys.path.insert(0, sys.argv[1]); import test_logistic; print(test_logistic.digest())"
    folder = os.path.dirname(__file__)
    run = subprocess.run(
        [sys.executable, "-c", code, folder], env=os.environ | processor, capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == digest()
