"""The step along one hypothesis against a general optimiser and closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from csb.engine.linesearch import MOST_STEPS, exponential_step, narrow
from csb.engine.rules import hit_sign
from csb.methods.csada import adadb_alpha, csada_alpha
from oracles.searches import exponential_gap, exponential_root


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


MANY = pytest.param(100_000, marks=pytest.mark.deep)


def assert_roots(found, log_weights, kappa):
    """The roots by halves, or where the derivative vanishes to rounding."""
    expected = exponential_root(log_weights, kappa)
    gap, size = exponential_gap(log_weights, kappa, found)
    assert np.all((abs(found - expected) <= 1e-10 * abs(expected)) | (abs(gap) <= 1e-14 * size))


@pytest.mark.parametrize("cases", [300, MANY])
@pytest.mark.parametrize("rows", [2, 3, 4, 30])
def test_step_of_hostile_sums_is_the_root_by_halves(rows, cases):
    """Exponents over up to 200 decades, weights down to the smallest numbers, ties and absent terms."""
    rng = np.random.default_rng(rows)
    for _ in range(0, cases, 10_000):
        shape = rows, min(cases, 10_000)
        spread, lightest = rng.choice([0, 1, 20, 80, 230], shape[1]), rng.choice([0, 1, 30, 650], shape[1])
        kappa = np.exp(rng.uniform(-spread, spread, shape)) * rng.choice([-1, 1], shape)
        kappa[:2] = np.abs(kappa[:2]) * [[1.0], [-1.0]]
        kappa[2:][rng.random((rows - 2, shape[1])) < 0.1] = 0.0
        log_weights = rng.uniform(-lightest, 0.0, shape)
        log_weights -= np.where(rng.random(shape[1]) < 0.5, np.log(np.where(kappa, abs(kappa), 1.0)), 0.0)
        log_weights[2:][rng.random((rows - 2, shape[1])) < 0.2] = -np.inf
        log_weights[0, rng.random(shape[1]) < 0.1] = np.log(5e-324)
        assert_roots(exponential_step(log_weights, kappa), log_weights, kappa)


def test_tangents_that_lead_from_end_to_end_of_the_bracket_end():
    """Without halves, two hundred steps ended at -6.5e-11, and more of them never would."""
    kappa = np.array([[1.05603933e-43], [-3.66578969e-42], [3.16003549e28]])
    log_weights = np.array([[14.66413652], [23.17525058], [-189.58646163]])
    assert exponential_step(log_weights, kappa) == pytest.approx([-1.6369819e-27], rel=1e-7)


@pytest.mark.parametrize("cases", [200, MANY])
@pytest.mark.parametrize("concentration", [0.005, 0.02, 1.0, 50.0])
def test_the_root_of_adadb_is_that_by_halves_and_the_step_of_csada(concentration, cases):
    rng = np.random.default_rng(3)
    M = rng.dirichlet(np.full(4, concentration), cases).T.reshape(2, 2, -1)
    M[:, :, ::7] = [[[0.5], [0.0]], [[0.0], [0.5]]]  # without error
    M[:, :, 1::7] = 0.25
    M[0, 1, 2::7] = 5e-324
    c = rng.choice([1.0, 1.5, 2.0, 2.5, 10.0, 40.0, np.pi], size=(2, 1, cases))
    found = adadb_alpha(M, c, None)
    np.testing.assert_allclose(found, csada_alpha(M, c, None), rtol=1e-9, atol=1e-13)
    assert np.all(found[::7] == np.inf) and np.isfinite(found).mean() > 0.5
    kappa = np.broadcast_to(c * hit_sign, M.shape).reshape(4, -1)
    with np.errstate(divide="ignore"):
        log_weights = (np.log(M) - np.log(c)).reshape(4, -1)
    inner = np.isfinite(found)
    assert_roots(found[inner], log_weights[:, inner], kappa[:, inner])


def test_a_root_does_not_depend_on_its_company():
    rng = np.random.default_rng(1)
    log_weights, kappa = rng.normal(size=(10, 30)) * 5, rng.normal(size=(10, 30))
    together = exponential_step(log_weights, kappa)
    alone = [exponential_step(log_weights[:, [b]], kappa[:, [b]])[0] for b in range(30)]
    np.testing.assert_array_equal(together, alone)
