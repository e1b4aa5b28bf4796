"""Weights, expanded rows, learners and steps of the p-norm family."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from sklearn.tree import DecisionTreeClassifier

from csb.engine.learners.pairs import PairLearner, as_stochastic, expand
from csb.engine.mixture import Problem
from csb.estimators.multiclass import LpCSB
from csb.methods import pnorm as weights
from csb.methods.pnorm import STEPS, slope
from oracles.pnorm import (
    best_steps,
    features,
    hostile,
    mixture,
    naive_one_hot,
    naive_relation,
    naive_rows,
    naive_w,
    problem,
)

NORMS = (1.0, 1.5, 2.0, 3.0, 5.0)


@pytest.mark.parametrize("name", ["lp_csb", "lp_csb_pa", "lp_csb_a", "gbse", "gbse_t"])
@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("p", NORMS)
def test_weights_are_those_of_the_definitions(name, k, p):
    one = problem(k)
    H = mixture(one)
    found = getattr(weights, name)(one, H, p, None)
    expected = naive_rows(name, *one, H, p)
    if name.startswith("lp"):  # defined up to a factor
        expected /= naive_w(one.weights, one.costs, H, p).sum()
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-16)


def test_weights_of_a_high_norm_do_not_underflow():
    one = Problem(np.array([0.5, 0.5]), np.array([[0.0, 1.0], [2.0, 0.0]]), np.array([0, 1]))
    w = weights.p_norm(one, np.full((2, 2), 0.25), 900.0)  # 0.25 ** 899 is zero in double precision
    np.testing.assert_allclose(w, [[0, 1 / 3], [2 / 3, 0]])
    assert not weights.p_norm(one, np.eye(2), 2.0).any()


@pytest.mark.parametrize("k", [2, 3, 5])
def test_pseudo_loss_of_adjusted_weights_is_the_cost_of_a_stochastic_hypothesis(k):
    """Proposition 3.1, the pseudo-loss added up in a loop."""
    one = problem(k, seed=k)
    w = weights.p_norm(one, mixture(one), 2.0)
    tilde = weights.adjusted(one, w)
    for seed in range(20):
        h = np.random.default_rng(seed).dirichlet(np.ones(k), len(w))
        pseudo = sum(
            tilde[i, y] * (1 - h[i, one.labels[i]] + h[i, y])
            for i in range(len(w))
            for y in range(k)
            if y != one.labels[i]
        )
        assert pseudo == pytest.approx(np.sum(w * h), abs=4e-16)


@pytest.mark.parametrize("name", ["lp_csb", "lp_csb_pa", "lp_csb_a"])
def test_weighted_error_of_the_rows_is_the_loss_but_for_a_constant(name):
    """The pseudo-loss for relations, and the cost itself for the others over stochastic hypotheses."""
    one = problem(4, seed=3)
    H = mixture(one)
    w = weights.p_norm(one, H, 3.0)
    rows = getattr(weights, name)(one, H, 3.0, None)
    rng, offsets = np.random.default_rng(0), []
    for _ in range(10):
        if name == "lp_csb":
            h = rng.integers(2, size=w.shape)
            right = h[np.arange(len(w)), one.labels][:, None]
            loss = np.sum(w * (1 - right + h)) / 2
        else:
            h = np.eye(4)[rng.integers(4, size=len(w))]
            loss = np.sum(w * h) / (2 if name == "lp_csb_pa" else 1)
        missed = np.abs(rows) * (h != (rows > 0)) if name != "lp_csb_a" else rows * (1 - h)
        offsets.append(np.sum(missed) - loss)
    np.testing.assert_allclose(offsets, offsets[0], atol=1e-15)


# ---- expansion and learners


def test_expansion_holds_every_example_with_every_class():
    X = np.arange(6.0).reshape(3, 2)
    rows = [[*X[i], *(1.0 if c == y else 0.0 for c in range(4))] for y in range(4) for i in range(3)]
    np.testing.assert_array_equal(expand(X, 4), rows)
    np.testing.assert_array_equal(expand(X, 4, [2]), rows[6:9])


@pytest.mark.parametrize("expansion, naive", [("per_label", naive_relation), ("one_hot", naive_one_hot)])
@pytest.mark.parametrize("stochastic", [True, False])
def test_relations_are_those_of_naive_learners_and_predict_what_they_fitted(expansion, naive, stochastic):
    one = problem(3, seed=4)
    X = features(one)
    rows = weights.lp_csb(one, mixture(one), 2.0, None)
    learner = PairLearner(
        "stump", X, 3, expansion=expansion, stochastic=stochastic, random_state=np.random.RandomState(0)
    )
    relation, f = learner.fit(rows)
    expected = naive(X, rows)
    if stochastic:
        expected = np.array([h / h.sum() if h.sum() else np.full(3, 1 / 3) for h in expected])
    np.testing.assert_array_equal(f, expected)
    np.testing.assert_array_equal(relation.predict(X), f)
    relation, again = learner.fit(-rows)  # other labels
    np.testing.assert_array_equal(
        again > 0, as_stochastic(naive(X, -rows)) > 0 if stochastic else naive(X, -rows)
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_threads_do_not_change_the_model(threads):
    one = problem(4, seed=5)
    tree = DecisionTreeClassifier(max_depth=2, max_features=1)
    models = [
        LpCSB(None, 2, 5, tree, n_jobs=jobs, random_state=3).fit(features(one), one.labels)
        for jobs in (None, threads)
    ]
    np.testing.assert_array_equal(*(model.objective_ for model in models))


# ---- steps


@pytest.mark.parametrize("p", NORMS)
@pytest.mark.parametrize("seed", range(4))
def test_line_search_finds_what_a_scalar_minimiser_finds(p, seed):
    one = problem(3, seed=seed)
    H, f = mixture(one), as_stochastic(np.random.default_rng(seed).integers(2, size=one.costs.shape))
    f[seed * 10 :] = np.eye(3)[one.labels[seed * 10 :]]

    def L(alpha):
        return sum(
            one.weights[i] * one.costs[i, y] * ((1 - alpha) * H[i, y] + alpha * f[i, y]) ** p
            for i in range(40)
            for y in range(3)
        )

    alpha = STEPS["linesearch"](one, H, f, p, 1)
    found = minimize_scalar(L, bounds=(0, 1), method="bounded", options={"xatol": 1e-10})
    assert L(alpha) <= min(found.fun, L(0), L(1)) + 1e-15
    assert alpha == pytest.approx(found.x, abs=1e-5)
    h = 1e-6
    assert slope(one, H, f, p, 0.5) == pytest.approx((L(0.5 + h) - L(0.5 - h)) / (2 * h), rel=1e-6)


@pytest.mark.parametrize("cases", [40, pytest.param(100_000 // 8, marks=pytest.mark.deep)])
@pytest.mark.parametrize("p", [1.001, 1.5, 2.0, 5.0, 50.0, 500.0, 1e5, 1e30])
def test_line_search_of_hostile_problems_is_that_by_halves(p, cases):
    weights, costs, labels, H, f = hostile(np.random.default_rng(int(p)), cases)
    expected, gap = best_steps(weights, costs, H, f, lambda mixture: (p - 1) * np.log(mixture))
    each = zip(weights, costs, labels, H, f, strict=True)
    found = np.array([STEPS["linesearch"](Problem(q, C, y), one, new, p, 1) for q, C, y, one, new in each])
    flat = abs(gap(found)) < 1e-13 * p  # or one rounding of the mixture changes the sign
    assert np.all((abs(found - expected) < 1e-12) | (abs(found - expected) < 1e-9 * expected) | flat)
    assert (found == 0).any() and (found > 0).any()


@pytest.mark.parametrize("p", [2.0, 60.0, 2000.0, 1e100])
def test_a_large_norm_has_a_step_although_its_powers_are_zero_to_rounding(p):
    one = Problem(np.ones(1), np.array([[0.0, 1.0, 1.0]]), np.array([0]))
    H, f = np.array([[0.1, 0.6, 0.3]]), np.array([[0.0, 0.0, 1.0]])
    ratio = (7 / 6) ** (1 / (p - 1))  # of 0.6 (1 - alpha) to 0.3 + 0.7 alpha
    expected = (0.6 - 0.3 * ratio) / (0.6 + 0.7 * ratio)
    assert STEPS["linesearch"](one, H, f, p, 1) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("p", [2.0, 3.0, 5.0])
def test_step_of_equation_10_and_what_it_gains(p):
    one = problem(3, seed=6)
    H, f = mixture(one), np.eye(3)[one.labels]
    M = p * (p - 1) * 2 ** (p - 2) * max(one.costs.ravel())
    top = sum(
        one.weights[i] * p * H[i, y] ** (p - 1) * one.costs[i, y] * (H[i, y] - f[i, y])
        for i in range(40)
        for y in range(3)
    )
    norm = sum(one.weights[i] * (f[i, y] - H[i, y]) ** 2 for i in range(40) for y in range(3))
    alpha = STEPS["eq10"](one, H, f, p, 1)
    assert alpha == pytest.approx(top / (M * norm), rel=1e-12)
    gain = one.objective(H, p) - one.objective((1 - alpha) * H + alpha * f, p)
    assert gain >= top**2 / (2 * M * norm) * (1 - 1e-12)


def test_step_of_equation_10_is_clipped_and_linear_loss_goes_all_the_way():
    one = Problem(np.ones(1), np.array([[1.0, 0.0]]), np.array([1]))
    H, f = np.array([[0.9, 0.1]]), np.array([[0.8, 0.2]])
    assert STEPS["eq10"](one, H, f, 2.0, 1) == 1.0  # 4.5 before clipping
    assert STEPS["eq10"](one, H, f, 1.0, 1) == 1.0
    assert STEPS["eq10"](one, f, H, 1.0, 1) == STEPS["eq10"](one, f, H, 2.0, 1) == 0.0
    assert STEPS["linesearch"](one, f, H, 2.0, 1) == 0.0
