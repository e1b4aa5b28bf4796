"""The step along one hypothesis against a general optimiser and closed forms."""

import numpy as np
import pytest
from scipy.optimize import brentq, minimize_scalar
from scipy.special import logsumexp

from csb.engine.linesearch import MOST_STEPS, exponential_step, narrow
from csb.methods.csada import adadb_alpha, csada_alpha


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("spread", [1.0, 30.0])
def test_step_minimises_the_sum_of_exponentials(seed, spread):
    rng = np.random.default_rng(seed)
    w, kappa = rng.gamma(0.3, size=(40, 6)) + 1e-12, rng.normal(size=(40, 6)) * spread
    kappa[rng.random(kappa.shape) < 0.1] = 0.0
    for b, alpha in enumerate(exponential_step(np.log(w), kappa)):
        found = minimize_scalar(lambda a, b=b: np.log(w[:, b] @ np.exp(-a * kappa[:, b])), tol=1e-12).x
        assert alpha == pytest.approx(found, abs=1e-6 / spread)
        terms = w[:, b] * kappa[:, b] * np.exp(-alpha * kappa[:, b])
        assert abs(terms.sum()) < 1e-12 * np.abs(terms).sum()


def test_unit_exponents_give_half_the_log_odds():
    w = np.array([[3.0, 1e-200], [1.0, 1.0]])
    found = exponential_step(np.log(w), np.array([[1.0, 1.0], [-1.0, -1.0]]))
    np.testing.assert_allclose(found, 0.5 * np.log(w[0] / w[1]), rtol=1e-13)


def test_one_sided_exponents_have_no_finite_step():
    one_sided = np.array([[1.0, -1.0, 0.0, 2.0], [2.0, -3.0, 0.0, -1.0]])
    log_weights = np.log([[1.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 1e-300]])
    found = exponential_step(log_weights, one_sided)
    assert found[0] == np.inf and found[1] == -np.inf and found[2] == 0
    assert found[3] == pytest.approx((np.log(2) + 300 * np.log(10)) / 3)
    with np.errstate(divide="ignore"):
        assert exponential_step(np.log([[1.0], [0.0]]), np.array([[1.0], [-1.0]]))[0] == np.inf


def test_newton_stays_in_its_bracket_where_the_tangent_leaves_it():
    x, low, high, found = -4.5, -10.0, 1.0, False
    for _ in range(MOST_STEPS):
        x, low, high, found = narrow(
            x, low, high, np.arctan(50 * (x - 0.9)), 50 / (1 + (50 * (x - 0.9)) ** 2)
        )
        assert -10 <= low <= x <= high <= 1
        if found:
            break
    assert found and x == pytest.approx(0.9, abs=1e-14)


def test_newton_halves_its_bracket_where_there_is_no_tangent():
    assert narrow(0.0, -4.0, 1.0, -1.0, 0.0) == (0.5, 0.0, 1.0, False)
    assert narrow(0.25, -4.0, 1.0, 0.0, 0.0) == (0.25, 0.25, 0.25, True)


def root(log_weights, kappa):
    """The sign of the derivative changes here, by scipy's bracketing search in the log domain."""
    sides = [(log_weights + np.log(np.abs(kappa)), kappa, side) for side in (kappa < 0, kappa > 0)]

    def gap(alpha):
        rising, falling = (logsumexp(t[side] - alpha * k[side]) for t, k, side in sides)
        return rising - falling

    end = 1.0
    while gap(-end) * gap(end) > 0:
        end *= 4
    return brentq(gap, -end, end, xtol=1e-300, rtol=1e-15, maxiter=5000)


@pytest.mark.parametrize("rows", [2, 4, 30])
@pytest.mark.parametrize("weights, exponents", [(1, 1), (600, 1), (1, 1e8), (30, 1e-6), (0, 1)])
def test_step_of_hostile_sums_is_the_root_that_scipy_finds(rows, weights, exponents):
    rng = np.random.default_rng(rows)
    log_weights = rng.normal(size=(rows, 40)) * weights
    kappa = rng.normal(size=(rows, 40)) * exponents
    kappa[:, ::3] = np.sign(kappa[:, ::3]) * exponents  # ties
    kappa[:2] = np.abs(kappa[:2]) * [[1.0], [-1.0]]
    log_weights[2:][rng.random((rows - 2, 40)) < 0.2] = -np.inf
    found = exponential_step(log_weights, kappa)
    for b in range(40):
        used = np.isfinite(log_weights[:, b])
        expected = root(log_weights[used, b], kappa[used, b])
        assert found[b] == pytest.approx(expected, rel=1e-11, abs=1e-14 * weights / exponents + 1e-15)


@pytest.mark.parametrize("concentration", [0.02, 1.0, 50.0])
def test_the_root_of_adadb_is_the_step_of_csada(concentration):
    rng = np.random.default_rng(3)
    M = rng.dirichlet(np.full(4, concentration), 200).T.reshape(2, 2, -1)
    M[:, :, ::7] = [[[0.5], [0.0]], [[0.0], [0.5]]]  # without error
    M[:, :, 1::7] = 0.25
    c = rng.choice([1.0, 1.5, 2.0, 2.5, 10.0, 40.0, np.pi], size=(2, 1, 200))
    found = adadb_alpha(M, c, None)
    np.testing.assert_allclose(found, csada_alpha(M, c, None), rtol=1e-9, atol=1e-13)
    assert np.all(found[::7] == np.inf) and np.isfinite(found).sum() > 150


def test_a_root_does_not_depend_on_its_company():
    rng = np.random.default_rng(1)
    log_weights, kappa = rng.normal(size=(10, 30)) * 5, rng.normal(size=(10, 30))
    together = exponential_step(log_weights, kappa)
    alone = [exponential_step(log_weights[:, [b]], kappa[:, [b]])[0] for b in range(30)]
    np.testing.assert_array_equal(together, alone)
