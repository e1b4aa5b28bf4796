"""Gradient-descent boosting against a direct minimisation, and its identities with other variants."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import csb
from csb.inputs import ConstantModelWarning
from csb.methods.gradient import OBJECTIVES
from csbook.learners.pruned import c45_stand_in
from problems import curved


def problem(seed=0, n=80):
    rng = np.random.default_rng(seed)
    X, y = curved(rng, n, 3)
    return X, y.astype(int), rng.uniform(0.1, 0.5, n)


def naive_descent(X, pseudo, w0, a, b, rounds):
    """Eqs. (17) to (19) by brute force: best stump by weighted error, step by bounded minimisation."""
    terms = np.log(w0)
    alphas, scores = [], np.zeros(len(X))
    for _ in range(rounds):
        D = np.exp(terms) * np.abs(a)
        candidates = [np.ones(len(X))]
        for feature in X.T:
            values = np.unique(feature)
            candidates += [np.where(feature > cut, 1.0, -1.0) for cut in (values[1:] + values[:-1]) / 2]
        candidates = np.array(candidates)
        edges = candidates @ (D * pseudo)
        best = np.argmax(np.abs(edges))
        h = candidates[best] * np.sign(edges[best])
        found = minimize_scalar(
            lambda alpha, terms=terms, h=h: np.exp(terms - alpha * (a * h + b)).sum(),
            bounds=(0, 20), method="bounded", options={"xatol": 1e-12},
        )  # fmt: skip
        if found.x < 1e-9:
            break
        alphas.append(found.x)
        terms = terms - found.x * (a * h + b)
        scores += found.x * h
    return np.array(alphas), scores


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("costs", ["class", "example"])
def test_against_brute_force(objective, costs):
    X, y, cost = problem()
    if objective == "asymboost" and costs == "example":
        model = csb.GradientDescentBoosting(objective=objective)
        with pytest.raises(ValueError, match="one cost a class"):
            model.fit(X, y, cost=cost)
        return
    scale = 0.1 if objective == "adacost" else None  # at a larger scale few rounds pass
    model = csb.GradientDescentBoosting(objective=objective, n_estimators=6, cost_scale=scale)
    if costs == "class":
        model.set_params(fn_cost=3.0).fit(X, y)
        cost = np.where(y == 1, 3.0, 1.0)
    else:
        model.fit(X, y, cost=cost)
    signs = 2.0 * y - 1
    c = cost * 0.1 / cost.max() if objective == "adacost" else cost
    w0, a, b = {
        "adaboost": (1 + 0 * c, signs, 0 * c),
        "adacost": (c, signs / 2, -c / 2),
        "adac1": (1 + 0 * c, signs * c, 0 * c),
        "asymboost": (1 + 0 * c, np.where(y == 1, 3.0, -1.0), 0 * c),
    }[objective]
    alphas, scores = naive_descent(X, signs, w0, a, b, 6)
    assert len(alphas) == 6
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-5)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-5, atol=1e-6)


def test_pseudo_labels_are_the_signs_of_a():
    """An objective that pulls the cheap positives to the negative side."""
    X, y, cost = problem(1)

    def objective(y, c):
        return np.ones(len(y)), np.where(c < 0.2, -c, y * c), 0.1 * c

    model = csb.GradientDescentBoosting(objective=objective, n_estimators=5).fit(X, y, cost=cost)
    w0, a, b = objective(2.0 * y - 1, cost)
    alphas, scores = naive_descent(X, np.sign(a), w0, a, b, 5)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-5)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("estimator", ["GDAdaC1", "GDAsymBoost"])
def test_gd_adac1_and_gd_asymboost_are_csada(estimator, seed):
    X, y, _ = problem(seed)
    model = getattr(csb, estimator)(5.0, 2.0, n_estimators=40).fit(X, y)
    csada = csb.CSAda(5.0, 2.0, n_estimators=40).fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_, csada.estimator_weights_, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X), csada.predict_proba(X), rtol=1e-9)


def test_without_costs_it_is_adaboost():
    X, y, _ = problem(2)
    model = csb.GradientDescentBoosting(5.0, objective="adaboost", n_estimators=30).fit(X, y)
    adaboost = csb.AdaBoost(n_estimators=30).fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_, adaboost.estimator_weights_, rtol=1e-12)


@pytest.mark.parametrize("key", ["gd_adacost", "gd_adac1", "gd_asymboost"])
def test_rows_of_the_registry_are_the_estimators(key):
    X, y, _ = problem(3)
    name = {"gd_adacost": "GDAdaCost", "gd_adac1": "GDAdaC1", "gd_asymboost": "GDAsymBoost"}[key]
    model = getattr(csb, name)(1.0, 0.4, n_estimators=15).fit(X, y)
    row = csb.CostSensitiveBoosting(1.0, 0.4, variant=key, n_estimators=15).fit(X, y)
    np.testing.assert_allclose(model.estimator_weights_, row.estimator_weights_, rtol=1e-12)
    np.testing.assert_allclose(model.decision_function(X), row.decision_function(X), rtol=1e-12)
    assert model.stop_reason_ == row.stop_reason_


def test_gd_adacost_stops_when_the_edge_reaches_the_mean_cost():
    """E-C09: the step is positive only while the best edge exceeds the mean cost."""
    X, y, _ = problem(4)
    model = csb.GDAdaCost(5.0, n_estimators=500).fit(X, y)
    assert model.stop_reason_ == "alpha"
    c = np.where(y == 1, 0.5, 0.1)
    F, A = model.decision_function(X), model.estimator_weights_.sum()
    D = c * np.exp(c * A / 2 - (2 * y - 1) * F / 2)
    D /= D.sum()
    values = [np.unique(feature) for feature in X.T]
    edges = [
        abs(D @ ((2 * y - 1) * np.where(feature > cut, 1, -1)))
        for feature, v in zip(X.T, values, strict=True)
        for cut in [-np.inf, *(v[1:] + v[:-1]) / 2]
    ]
    assert max(edges) <= D @ c + 1e-9


@pytest.mark.parametrize(
    "objective, message",
    [
        ("adacosts", "nearest is 'adacost'"),
        (3, "or a function"),
        (lambda y, c: (c, 0 * y, c), "a not zero"),
        (lambda y, c: (-c, y, c), "w0 must be positive"),
        (lambda y, c: (c, y, np.inf), "finite"),
    ],
)
def test_bad_objectives_are_refused(objective, message):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=message):
        csb.GradientDescentBoosting(objective=objective).fit(X, y)


def test_cost_scale_belongs_to_adacost():
    X, y, _ = problem()
    with pytest.raises(ValueError, match="does not depend on it"):
        csb.GradientDescentBoosting(objective="adac1", cost_scale=0.5).fit(X, y)
    with pytest.raises(ValueError, match=r"cost_scale=2.0.*\[1e-50, 1\]"):
        csb.GDAdaCost(cost_scale=2.0).fit(X, y)


@pytest.mark.parametrize("learner", ["stump", "tree", "univariate_logistic", c45_stand_in(0)])
@pytest.mark.parametrize("scale, rate", [(1.0, 1.0), (0.5, 1.0), (0.5, 0.3), (0.05, 0.7)])
@pytest.mark.parametrize("costs", [(5.0, 1.0), (1.0, 0.4), (1.0, 3.0)])
def test_adacost_with_the_line_search_is_the_gradient_procedure(learner, scale, rate, costs):
    """E-C11: Eqs. (4) and (5) are Eqs. (17) to (19)."""
    X, y, weight = problem(6)
    settings = {"n_estimators": 12, "estimator": learner, "cost_scale": scale, "learning_rate": rate}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantModelWarning)  # at a scale of one no edge may do
        one, other = (
            method.fit(X, y, sample_weight=weight)
            for method in (
                csb.AdaCost(*costs, vote="line_search", random_state=0, **settings),
                csb.GDAdaCost(*costs, random_state=0, **settings),
            )
        )
    assert one.stop_reason_ == other.stop_reason_
    np.testing.assert_allclose(one.estimator_weights_, other.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


@pytest.mark.parametrize("beta", [None, lambda c, u: np.where(u > 0, 0.5 - 0.3 * c, 0.5 + c)])
def test_votes_of_adacost_minimise_eq_5_and_the_closed_form_does_not(beta):
    """The vote of every round against a general minimiser of the sum over the examples."""
    X, y, _ = problem(7)
    c = np.where(y == 1, 0.2, 0.04)
    short = []
    for vote in ("line_search", "closed_form"):
        model = csb.AdaCost(5.0, n_estimators=5, cost_scale=0.2, vote=vote, beta=beta).fit(X, y)
        D = c / c.sum()
        for alpha, hypothesis in zip(model.estimator_weights_, model.estimators_, strict=True):
            u = (2 * y - 1) * hypothesis.predict(X)
            kappa = ((1 - c * u) / 2 if beta is None else beta(c, u)) * u
            found = minimize_scalar(
                lambda a, D=D, kappa=kappa: D @ np.exp(-a * kappa),
                bounds=(0, 20), method="bounded", options={"xatol": 1e-12},
            ).x  # fmt: skip
            if vote == "line_search":
                assert alpha == pytest.approx(found, abs=1e-6)
            else:
                short.append(found - alpha)
            D = D * np.exp(-alpha * kappa)
            D /= D.sum()
    assert len(short) == 5 and min(short) > 0.1


def test_the_line_search_of_adacost_gives_no_vote_below_zero():
    """E-C09: masses of an edge above zero and below the mean cost."""
    M = np.array([[0.3, 0.2], [0.2, 0.3]])[:, :, np.newaxis]
    c = np.full((2, 1, 1), 0.5)
    assert csb.VARIANTS["adacost"].build_rules(vote="line_search").alpha(M, c, 10) == 0
    assert csb.VARIANTS["adacost"].build_rules().alpha(M, c, 10) < 0
