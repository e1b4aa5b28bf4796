"""Regret of surrogate losses and cost: closed forms, brute force, and bounds on finite distributions."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import kl_div

from csb.costs import check_costs
from csb.methods.losses import ExponentialLoss
from csbook.theory.fisher import COSTS, losses
from csbook.theory.losses import LogisticLoss
from csbook.theory.regret import (
    bound_excess_cost,
    conditional_risk,
    cut_density,
    excess_cost,
    least_risk,
    wrong_side_regret,
)

P = np.linspace(0.02, 0.98, 25)
ADABOOST = ExponentialLoss([0.0, 0.0], [1.0, 1.0])


def excess_risk(loss, p, score, mass):
    """Naive: mean of expected losses less their least values."""
    risk = p * loss.value(1, score) + (1 - p) * loss.value(-1, -score)
    best = np.reshape(loss.minimiser(p), p.shape)
    least = p * loss.value(1, best) + (1 - p) * loss.value(-1, -best)
    return float(np.average(risk - least, weights=mass))


@pytest.mark.parametrize("pair", COSTS)
def test_closed_forms(pair):
    fn, fp = pair
    costs = check_costs(*pair)
    cgada, asybl = (losses()[key](costs) for key in ("cgada", "asybl"))
    np.testing.assert_allclose(least_risk(cgada, P), 2 * np.sqrt(P * (1 - P) * fn * fp))
    np.testing.assert_allclose(
        wrong_side_regret(cgada, P, *pair), (np.sqrt(P * fn) - np.sqrt((1 - P) * fp)) ** 2, atol=1e-12
    )
    c = fp / (fn + fp)
    divergence = kl_div(P, c) + kl_div(1 - P, 1 - c)
    np.testing.assert_allclose(wrong_side_regret(asybl, P, *pair), divergence, atol=1e-12)
    # a moved threshold is AdaBoost's loss in other units: CGAda's divided by the root of the costs' product
    cut = 0.5 * np.log(fp / fn)
    moved = wrong_side_regret(ADABOOST, P, *pair, cut=cut)
    np.testing.assert_allclose(moved * np.sqrt(fn * fp), wrong_side_regret(cgada, P, *pair), atol=1e-12)


@pytest.mark.parametrize("key", losses())
@pytest.mark.parametrize("cut", [0.0, -0.3])
def test_wrong_side_regret_by_brute_force(key, cut):
    loss, c = losses()[key](check_costs(5.0, 1.0)), 1 / 6
    for p in (0.05, 0.15, 0.18, 0.4, 0.9):
        wrong = (-40.0, cut) if p > c else (cut, 40.0)

        def risk(score, p=p):
            return float(np.ravel(p * loss.value(1, score) + (1 - p) * loss.value(-1, -score))[0])

        found = minimize_scalar(risk, bounds=wrong, method="bounded", options={"xatol": 1e-10}).fun
        found = min(found, risk(cut))
        least = min(risk(float(np.ravel(loss.minimiser(p))[0])), found)
        expected = found - least
        assert float(wrong_side_regret(loss, p, 5.0, cut=cut)) == pytest.approx(expected, abs=1e-7 * found)


def _worlds(rng, count):
    """Finite distributions and scores: near the minimiser, near the cut, and anywhere."""
    for _ in range(count):
        n = rng.integers(2, 9)
        p = rng.beta(*rng.choice([0.3, 1.0, 4.0], 2), size=n).clip(1e-6, 1 - 1e-6)
        yield p, rng.dirichlet(np.ones(n)), rng.normal(size=n) * 10.0 ** rng.uniform(-3, 0.5)


@pytest.mark.parametrize("pair", COSTS)
@pytest.mark.parametrize("key", losses())
def test_the_bound_holds_on_finite_distributions(key, pair):
    loss = losses()[key](check_costs(*pair))
    rng = np.random.default_rng(7)
    paid, regret = [], []
    for p, mass, noise in _worlds(rng, 60):
        near = np.reshape(loss.minimiser(p), p.shape) + noise
        for score in (near, noise, np.where(rng.uniform(size=len(p)) < 0.5, near, 0.0)):
            paid.append(excess_cost(p, score > 0, *pair, mass))
            regret.append(excess_risk(loss, p, score, mass))
    assert np.all(paid <= bound_excess_cost(loss, regret, *pair) + 1e-6)


@pytest.mark.parametrize(
    "mutant",
    [
        ExponentialLoss(np.log([1.0, 0.2]), np.ones(2)),  # the costs exchanged
        ExponentialLoss(np.log([1.0, 5.0]), np.array([1.0, 0.2])),  # AdaUBoost's first weights in proportion
        ExponentialLoss(np.zeros(2), np.ones(2)),  # no costs
        LogisticLoss(np.log(2.0), 2.0),  # a smaller ratio
    ],
)
def test_a_mutant_of_a_loss_breaks_the_bound(mutant):
    """The regret of another loss does not keep the promise of CGAda's at 5:1."""
    true, posteriors = losses()["cgada"](check_costs(5.0)), np.linspace(0.01, 0.99, 99)
    best = np.reshape(mutant.minimiser(posteriors), posteriors.shape)
    worlds = [(np.array([p]), np.array([score])) for p, score in zip(posteriors, best, strict=True)]
    paid = [excess_cost(p, score > 0, 5.0) for p, score in worlds]
    regret = [max(excess_risk(mutant, p, score, [1.0]), 0.0) for p, score in worlds]
    assert np.any(paid > bound_excess_cost(true, regret, 5.0) + 1e-6)


@pytest.mark.parametrize("pair", [(5.0, 1.0), (1.0, 3.0)])
def test_the_bound_is_attained(pair):
    """One cell at the distance in question, with the score at the cut, leaves no room."""
    loss = losses()["cgada"](check_costs(*pair))
    fn, fp = pair
    c = fp / (fn + fp)
    for distance in (0.01, 0.1, 0.5):
        p = np.array([c + distance if c < 0.5 else c - distance])
        score = np.array([-1e-12 if c < 0.5 else 1e-12])
        paid = excess_cost(p, score > 0, *pair)
        assert paid == pytest.approx((fn + fp) * distance)
        allowed = float(bound_excess_cost(loss, excess_risk(loss, p, score, np.ones(1)), *pair))
        assert allowed == pytest.approx(paid, abs=1e-5)


@pytest.mark.parametrize(
    "key, pair", [("adaboost", (5.0, 1.0)), ("adaboost", (1.0, 30.0)), ("adac2", (10.0, 4.0))]
)
@pytest.mark.parametrize("beyond", [1e-6, 1.8e-4, 0.01])
def test_the_bound_holds_just_beyond_where_regret_begins(key, pair, beyond):
    loss, (fn, fp) = losses()[key](check_costs(*pair)), pair
    c, turn = fp / (fn + fp), float(np.ravel(loss.threshold)[0])
    for p in (abs(turn + beyond * np.sign(turn - c)), beyond, 1 - beyond):
        for score in (-1e-12, 1e-12):
            cell, scores = np.array([p]), np.array([score])
            paid = excess_cost(cell, scores > 0, *pair)
            allowed = bound_excess_cost(loss, max(excess_risk(loss, cell, scores, [1.0]), 0.0), *pair)
            assert paid <= allowed + 1e-5


def test_the_convex_minorant_where_the_two_sides_cross():
    """AdaCost's smaller side changes with the distance; the minorant by brute force over pairs of points."""
    loss, c = losses()["adacost"](check_costs(1.2, 1.0)), 1 / 2.2
    e = np.linspace(0, 1 - c, 181)
    sides = [np.where((p >= 0) & (p <= 1), wrong_side_regret(loss, p.clip(0, 1), 1.2, 1.0), np.inf)
             for p in (c - e, c + e)]  # fmt: skip
    nu = np.minimum(*sides)
    assert len(set(np.argmin(sides, axis=0)[1:].tolist())) == 2
    minorant = nu.copy()
    for i in range(len(e)):
        for j in range(i + 1, len(e)):
            chord = nu[i] + (nu[j] - nu[i]) * (e[i + 1 : j] - e[i]) / (e[j] - e[i])
            minorant[i + 1 : j] = np.minimum(minorant[i + 1 : j], chord)
    back = bound_excess_cost(loss, minorant, 1.2, 1.0) / 2.2
    charged = minorant > 0  # before that the loss promises nothing
    np.testing.assert_allclose(back[charged], e[charged], atol=2e-3)


def test_an_uncalibrated_loss_promises_nothing():
    allowed = bound_excess_cost(ADABOOST, 0.0, 5.0)
    assert float(allowed) == pytest.approx(6 * (0.5 - 1 / 6))
    assert float(bound_excess_cost(ADABOOST, 1e6, 5.0)) == pytest.approx(5.0)
    p = np.array([0.4])
    assert excess_cost(p, ADABOOST.minimiser(p) > 0, 5.0) == pytest.approx(6 * (0.4 - 1 / 6))


@pytest.mark.parametrize("key", ["adaboost", "cgada", "csada", "adauboost", "logitboost", "asybl"])
def test_density_and_regret(key):
    loss = losses()[key](check_costs(5.0))
    h = 1e-4
    second = (least_risk(loss, P + h) - 2 * least_risk(loss, P) + least_risk(loss, P - h)) / h**2
    np.testing.assert_allclose(cut_density(loss, P), -second, rtol=1e-3)
    for p, said in ((0.3, 0.7), (0.6, 0.1), (0.5, 0.52)):
        score = float(np.ravel(loss.minimiser(said))[0])
        regret = float(conditional_risk(loss, p, score) - least_risk(loss, p))
        low, high = sorted((p, said))
        mean_of_costs = quad(lambda q, p=p: float(cut_density(loss, q)) * abs(p - q), low, high)[0]
        assert regret == pytest.approx(mean_of_costs, rel=1e-6)


def test_excess_cost_by_enumeration():
    rng = np.random.default_rng(3)
    p, mass = rng.uniform(size=6), rng.dirichlet(np.ones(6))

    def cost(decided):
        return float(np.sum(mass * np.where(decided, (1 - p) * 2.0, p * 7.0)))

    best = min(cost(np.array(list(np.binary_repr(k, 6)), int) > 0) for k in range(64))
    decided = rng.uniform(size=6) < 0.5
    assert excess_cost(p, decided, 7.0, 2.0, mass) == pytest.approx(cost(decided) - best)


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="loss="):
        least_risk("adaboost", 0.5)
    with pytest.raises(ValueError, match="p="):
        conditional_risk(ADABOOST, 1.5, 0.0)
    with pytest.raises(ValueError, match="excess_risk"):
        bound_excess_cost(ADABOOST, -0.1, 5.0)
    with pytest.raises(ValueError, match="q"):
        cut_density(ADABOOST, 0.0)
