"""The step along one hypothesis against a general optimiser and closed forms."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from csb.engine.linesearch import bracketed_newton, exponential_step


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
    def steep(x):
        return np.arctan(50 * (x - 0.9)), 50 / (1 + (50 * (x - 0.9)) ** 2)

    root = bracketed_newton(steep, np.array([-10.0]), np.array([1.0]))
    assert root[0] == pytest.approx(0.9, abs=1e-14)


def test_a_root_does_not_depend_on_its_company():
    rng = np.random.default_rng(1)
    log_weights, kappa = rng.normal(size=(10, 30)) * 5, rng.normal(size=(10, 30))
    together = exponential_step(log_weights, kappa)
    alone = [exponential_step(log_weights[:, [b]], kappa[:, [b]])[0] for b in range(30)]
    np.testing.assert_array_equal(together, alone)
