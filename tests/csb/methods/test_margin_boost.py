"""MarginBoost.L1 against a plain loop for two classes, and as the method of the p-norm that it contains."""

import importlib

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from csb import LpCSBA, MarginBoostL1
from csb.engine.mixture import Problem
from csb.methods.margin_boost import LOSSES, margin_cost, margin_slope, margin_step
from oracles.pnorm import best_steps, features, hostile, mixture, problem

COSTS = {  # with their derivatives, written out by hand
    "sigmoid": (lambda m, s: 1 - np.tanh(s * m), lambda m, s: -s / np.cosh(s * m) ** 2),
    "exponential": (lambda m, s: np.exp(-s * m), lambda m, s: -s * np.exp(-s * m)),
    "logistic": (lambda m, s: np.log(1 + np.exp(-2 * s * m)), lambda m, s: -2 * s / (1 + np.exp(2 * s * m))),
    "power": (lambda m, s: ((1 - m) / 2) ** s, lambda m, s: -s / 2 * ((1 - m) / 2) ** (s - 1)),
}


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("s", [1.0, 3.0, 20.0])
def test_costs_and_their_fall(name, s):
    value, derivative = COSTS[name]
    m, cost = np.linspace(-1, 1, 41), LOSSES[name](s)
    np.testing.assert_allclose(cost.value(m), value(m, s), rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(cost.fall(m), -derivative(m, s), rtol=1e-12)
    h = 1e-6
    slope = (value(m + h, s) - value(m - h, s)) / (2 * h)
    np.testing.assert_allclose(derivative(m, s)[1:-1], slope[1:-1], rtol=1e-5, atol=1e-8)


def data(seed, n=90):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, 3)) + np.outer(y, [0.8, 0.4, 0.0]), y, rng.uniform(0.5, 2, n)


def naive_run(X, y, weight, fn_cost, name, s, step, rounds, learner):
    """The algorithm for two classes with the score F; the cost of an error is in its weight."""
    value, derivative = COSTS[name]
    signs, q = 2.0 * y - 1, weight / weight.sum() * np.where(y == 1, fn_cost, 1.0)
    F, scores, objective = np.zeros(len(y)), [], [np.sum(q * value(np.zeros(len(y)), s))]
    for t in range(1, rounds + 1):
        D = -q * derivative(signs * F, s)
        f = 2.0 * learner().fit(X, y, D * len(y) / D.sum()).predict(X) - 1
        if np.sum(D * signs * (f - F)) <= 0:
            break
        if step == "linesearch":
            grid = np.linspace(0, 1, 2001)
            risks = [np.sum(q * value(signs * ((1 - a) * F + a * f), s)) for a in grid]
            near = grid[np.argmin(risks)]
            found = minimize_scalar(
                lambda a, F=F, f=f: np.sum(q * value(signs * ((1 - a) * F + a * f), s)),
                bounds=(max(near - 1e-3, 0), min(near + 1e-3, 1)), method="bounded", options={"xatol": 1e-13},
            )  # fmt: skip
            alpha = found.x if found.fun < min(risks) else near
        else:
            alpha = {"1/t": 1 / t, "1/(t+1)": 1 / (t + 1)}[step]
        F = (1 - alpha) * F + alpha * f
        scores.append(F)
        objective.append(np.sum(q * value(signs * F, s)))
    return scores, objective


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("step", ["linesearch", "1/(t+1)", "1/t"])
def test_two_classes_are_the_algorithm_of_the_paper(name, step):
    X, y, weight = data(1)
    scores, objective = naive_run(X, y, weight, 3.0, name, 2.5, step, 8, GaussianNB)
    model = MarginBoostL1(
        [[0, 1], [3, 0]], 8, GaussianNB(), loss=name, sharpness=2.5, step=step
    ).fit(X, y, weight)  # fmt: skip
    assert len(scores) == len(model.steps_) >= 1 + (name != "sigmoid" or step == "1/(t+1)")
    assert model.stop_reason_ == ("max_rounds" if len(scores) == 8 else "alpha")
    np.testing.assert_allclose(list(model.staged_decision_function(X)), scores, atol=1e-5)
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-8)


@pytest.mark.parametrize("k", [2, 4])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 5.0])
@pytest.mark.parametrize("step", ["linesearch", "1/(t+1)"])
def test_a_power_of_the_margin_is_the_p_norm(k, p, step):
    one = problem(k, n=80, seed=3)
    X, tree = features(one), DecisionTreeClassifier(max_depth=2, random_state=0)
    fit = {"X": X, "y": one.labels, "sample_weight": one.weights, "cost": one.costs}
    model = MarginBoostL1(None, 10, tree, loss="power", sharpness=p, step=step, random_state=0).fit(**fit)
    other = LpCSBA(None, p, 10, tree, step=step, random_state=0).fit(**fit)
    rounds = len(model.steps_)
    assert rounds == len(other.steps_) if step == "linesearch" else rounds > 1
    np.testing.assert_allclose(model.steps_, other.steps_[:rounds], atol=1e-9)
    np.testing.assert_allclose(model.objective_, other.objective_[: rounds + 1], rtol=1e-9)
    stages = zip(model.staged_decision_function(X), other.staged_decision_function(X), strict=False)
    for ours, theirs in stages:
        np.testing.assert_allclose(ours, theirs, atol=1e-9)


@pytest.mark.parametrize("name", COSTS)
@pytest.mark.parametrize("seed", range(4))
def test_slope_and_line_search(name, seed):
    """Against differences and a fine grid; with the sigmoid the function of the step is not convex."""
    one, cost = problem(3, seed=seed), LOSSES[name](6.0)
    H, f = mixture(one), np.eye(3)[one.labels]
    f[seed * 8 :] = np.eye(3)[np.random.default_rng(seed).integers(3, size=40 - seed * 8)]

    def L(alpha):
        return margin_cost(one, (1 - alpha) * H + alpha * f, cost)

    h = 1e-6
    found = (L(0.3 + h) - L(0.3 - h)) / (2 * h)
    assert margin_slope(one, H, f, cost, 0.3) == pytest.approx(found, rel=1e-5, abs=1e-6)
    alpha = margin_step(one, H, f, cost, 1, "linesearch")
    if margin_slope(one, H, f, cost, 0.0) >= 0:
        assert alpha == 0
    else:
        assert L(alpha) <= min(L(a) for a in np.linspace(0, 1, 1001)) + 1e-12


LOG_FALL = {  # of the mixture on a wrong class
    "exponential": lambda m, s: np.log(s) - s * m,
    "logistic": lambda m, s: np.log(2 * s) - np.logaddexp(0, 2 * s * m),
    "power": lambda m, s: (s - 1) * np.log((1 - m) / 2),
}


@pytest.mark.parametrize("cases", [40, pytest.param(100_000 // 9, marks=pytest.mark.deep)])
@pytest.mark.parametrize("name", LOG_FALL)
@pytest.mark.parametrize("s", [1.5, 5.0, 100.0])
def test_line_search_of_hostile_problems_is_that_by_halves(s, name, cases):
    weights, costs, labels, H, f = hostile(np.random.default_rng(int(s)), cases)
    expected, gap = best_steps(weights, costs, H, f, lambda mixture: LOG_FALL[name](1 - 2 * mixture, s))
    each, cost = list(zip(weights, costs, labels, H, f, strict=True)), LOSSES[name](s)
    found = np.array(
        [margin_step(Problem(q, C, y), one, new, cost, 1, "linesearch") for q, C, y, one, new in each]
    )
    flat = abs(gap(found)) < 1e-12 * s  # or one rounding of the mixture changes the sign
    good = (abs(found - expected) < 1e-12) | (abs(found - expected) < 1e-9 * expected) | flat
    for i in np.flatnonzero(~good):  # where all that falls, powers of little, is below the least of doubles
        q, C, y, one, new = each[i]
        here, there = (
            margin_cost(Problem(q, C, y), (1 - alpha) * one + alpha * new, cost) for alpha in (0, expected[i])
        )
        assert name == "power" and found[i] == 0 and here == there
    assert (found == 0).any() and (found > 0).any()


@pytest.mark.parametrize("s", [1.0, 5.0, 100.0])
def test_line_search_of_several_minima_is_no_worse_than_a_grid(s):
    for q, C, y, H, f in zip(*hostile(np.random.default_rng(int(s)), 150), strict=True):
        one, cost = Problem(q, C, y), LOSSES["sigmoid"](s)
        alpha = margin_step(one, H, f, cost, 1, "linesearch")
        if alpha > 0 or margin_slope(one, H, f, cost, 0.0) < 0:
            grid = [margin_cost(one, (1 - a) * H + a * f, cost) for a in np.linspace(0, 1, 65)]
            assert margin_cost(one, (1 - alpha) * H + alpha * f, cost) <= min(grid) * (1 + 1e-14)


def test_line_search_takes_the_turn_beside_the_best_point_where_objectives_round(monkeypatch):
    """A heavy row leaves one step of rounding of the objective; where the light ones turn, slopes tell."""
    module = importlib.import_module("csb.methods.margin_boost")
    monkeypatch.setattr(module, "margin_cost", lambda problem, H, cost: 1.0 - 2.0**-53 * (H >= 0.5))
    slope = lambda problem, H, f, cost, a: (a - 0.1) * (a - 0.4) * (a - 0.7)  # noqa: E731
    monkeypatch.setattr(module, "margin_slope", slope)
    assert module.margin_step(None, 0.0, 1.0, None, 1, "linesearch") == pytest.approx(0.7, abs=1e-12)


@pytest.mark.parametrize("step", ["1/(t+1)", "linesearch"])
def test_with_the_sigmoid_the_second_hypothesis_is_the_first(step):
    """Its fall is even in the margin, so that hits and misses of the first weigh alike."""
    X, y, weight = data(1)
    model = MarginBoostL1([[0, 1], [3, 0]], 8, GaussianNB(), loss="sigmoid", step=step).fit(X, y, weight)
    if step == "linesearch":
        assert model.steps_.tolist() == [1.0] and model.stop_reason_ == "alpha"
    else:
        assert len(model.steps_) == 8
    first = model.estimators_[0].predict(X)
    assert all(np.array_equal(each.predict(X), first) for each in model.estimators_)


def test_it_ends_where_the_hypothesis_is_no_way_down_whatever_the_step():
    one = problem(2, seed=5)
    H = np.where(one.right, 0.9, 0.1)
    for step in ("linesearch", "1/(t+1)", "1/t"):
        assert margin_step(one, H, 1 - H, LOSSES["logistic"](2.0), 1, step) == 0
        assert margin_step(one, 1 - H, H, LOSSES["logistic"](2.0), 3, step) > 0


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"loss": "hinge"}, "loss='hinge'.*'logistic'"),
        ({"sharpness": 0}, r"sharpness=0.*\[0.01, 100\]"),
        ({"loss": "power", "sharpness": 0.5}, r"sharpness=0.5.*\[1, 100\]"),
        ({"step": "eq10"}, "step='eq10'.*'1/t'"),
    ],
)
def test_bad_parameters_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        MarginBoostL1(**settings).fit(*data(2)[:2])
