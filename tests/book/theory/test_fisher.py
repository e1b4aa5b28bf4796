"""Fisher consistency: closed forms, numeric minimisers, and a loss that only just misses."""

import numpy as np
import pytest
import sympy
from scipy.optimize import minimize_scalar

from csb.costs import check_costs
from csb.methods.losses import ExponentialLoss
from csbook.theory.fisher import COSTS, GRID, decide_fisher, losses, numeric_minimiser
from csbook.theory.losses import LogisticLoss

LEMMA = ("cgada", "asyb", "asybl")
CONSISTENT = {
    "cgada", "asymada", "csada", "adadb", "adac1", "gd_adac1", "gd_asymboost", "asyb", "asybl",
    "asymmetric_logitboost", "adauboost",
}  # fmt: skip


@pytest.mark.parametrize("key", LEMMA)
@pytest.mark.parametrize("pair", COSTS)
def test_the_lemma_with_its_logarithm(key, pair):
    """Both losses of the lemma have the minimiser 1/2 log(p c_FN / ((1 - p) c_FP))."""
    loss = losses()[key](check_costs(*pair))
    for p in GRID:
        expected = 0.5 * np.log(p * pair[0] / ((1 - p) * pair[1]))
        assert numeric_minimiser(loss, p) == pytest.approx(expected, abs=1e-10)
        assert float(loss.minimiser(p)) == pytest.approx(expected, abs=1e-12)


def test_closed_forms_symbolically():
    """The derivative of the expected loss vanishes at the closed form, and the second one is positive."""
    p, a, b, k, j, rho = sympy.symbols("p a b k j rho", positive=True)
    F = sympy.symbols("F", real=True)
    exponential = p * a * sympy.exp(-k * F) + (1 - p) * b * sympy.exp(j * F)
    logistic = p * sympy.log(1 + rho * sympy.exp(-k * F)) + (1 - p) * sympy.log(1 + sympy.exp(k * F) / rho)
    best = {
        exponential: sympy.log(a * k * p / (b * j * (1 - p))) / (k + j),
        logistic: (sympy.log(p / (1 - p)) + sympy.log(rho)) / k,
    }
    values = {p: sympy.Rational(3, 10), a: 5, b: 2, k: 1, j: sympy.Rational(1, 2), rho: 5}
    for risk, score in best.items():
        assert sympy.simplify(sympy.diff(risk, F).subs(F, score)) == 0
        assert sympy.diff(risk, F, 2).subs(F, score).subs(values).evalf() > 0
    of_package = ExponentialLoss(np.log([2.0, 5.0]), np.array([0.5, 1.0])).minimiser(0.3)
    assert float(best[exponential].subs(values)) == pytest.approx(float(of_package))
    of_package = LogisticLoss(np.log(5.0), 1.0).minimiser(0.3)
    assert float(best[logistic].subs(values)) == pytest.approx(float(of_package))


@pytest.mark.parametrize("key", losses())
def test_numeric_minimiser_against_a_general_one(key):
    loss = losses()[key](check_costs(3.0, 1.0))
    for p in (0.2, 0.6):
        found = minimize_scalar(
            lambda F, p=p, loss=loss: p * loss.value(1, F) + (1 - p) * loss.value(-1, -F), bracket=(-1, 1)
        )
        assert numeric_minimiser(loss, p) == pytest.approx(found.x, abs=1e-5)


@pytest.mark.parametrize("cases", [300, pytest.param(100_000, marks=pytest.mark.deep)])
def test_numeric_minimiser_of_hostile_losses_is_the_closed_form(cases):
    """Exponents and costs over many decades, posteriors next to zero and one."""
    rng = np.random.default_rng(0)
    for k, j, gap, odds in zip(
        *10.0 ** rng.uniform(-3, 3, (2, cases)), *rng.uniform(-30, 30, (2, cases)), strict=True
    ):
        p = 1 / (1 + np.exp(-odds))
        odds = np.log(p) - np.log1p(-p)
        exponential, logistic = ExponentialLoss(np.array([0.0, gap]), np.array([k, j])), LogisticLoss(gap, j)
        expected = (odds + gap + np.log(j / k)) / (k + j), (odds + gap) / j
        for loss, score in zip((exponential, logistic), expected, strict=True):
            assert numeric_minimiser(loss, p) == pytest.approx(score, rel=1e-9, abs=1e-11 + 1e-14 / j)


def test_weights_out_of_range_are_named():
    with pytest.raises(ValueError, match="loss=.*: its weights at score -1 must not be out of range"):
        numeric_minimiser(ExponentialLoss(np.array([1000.0, 1000.0]), np.ones(2)), 0.5)


def test_which_losses_are_consistent():
    assert {key for key, build in losses().items() if decide_fisher(build).holds} == CONSISTENT


def test_a_threshold_between_posteriors_of_the_grid_is_told_apart():
    def nearly(costs):
        return ExponentialLoss(np.log([costs.fp_cost[0], 1.1 * costs.fn_cost[0]]), np.ones(2))

    finding = decide_fisher(nearly, costs=[(5.0, 1.0)])
    assert finding.verdict == "no" and finding.evidence["agreement"] == 1
    assert finding.evidence["implied_threshold"] == pytest.approx(1 / 6.5)


@pytest.mark.parametrize("loss", [LogisticLoss(np.log(5), 2.0), LogisticLoss(-1.0, 6.0)])
def test_logistic_loss(loss):
    margin = np.linspace(-3, 3, 13)
    for y, sign in ((1, 1), (-1, -1)):
        naive = np.log1p(np.exp(sign * loss.log_ratio) * np.exp(-loss.exponent * margin))
        np.testing.assert_allclose(loss.value(y, margin), naive, rtol=1e-12)
        slope = (loss.value(y, margin - 1e-6) - loss.value(y, margin + 1e-6)) / 2e-6
        np.testing.assert_allclose(loss.weight(y, margin), slope, rtol=1e-6)
    p = np.array([0.1, 0.5, 0.9])
    np.testing.assert_allclose(loss.probability(loss.minimiser(p)), p)
    assert float(loss.minimiser(loss.threshold)) == pytest.approx(0, abs=1e-12)
    ratio = np.log(loss.value(1, margin) / loss.value(-1, margin))
    np.testing.assert_allclose(loss.log_loss_ratio(margin), ratio)
    assert np.isfinite(loss.value(1, -1e5)) and loss.weight(1, -1e5) == loss.exponent


def test_logistic_loss_preserves_asymmetry():
    assert np.all(LogisticLoss(np.log(5), 2.0).log_loss_ratio(np.linspace(-50, 50, 101)) >= 0)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="exponent=0"):
        LogisticLoss(0.0, 0)
    with pytest.raises(ValueError, match="p=1.0"):
        numeric_minimiser(LogisticLoss(0.0, 2.0), 1.0)
