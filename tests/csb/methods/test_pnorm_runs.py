"""Whole runs of the multiclass methods against plain loops, and against the binary methods."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import csb
from csb.estimators.multiclass import (
    DSE,
    GBSE,
    GBSET,
    AdaBoostM2,
    AverageCost,
    Costing,
    LpCSB,
    LpCSBA,
    LpCSBPA,
    MulticlassAdaCost,
    MulticlassCSB2,
)
from oracles.naive import stump_chooser
from oracles.pnorm import features, naive_choice, naive_relation, naive_rows, problem

NORMS = (1.0, 1.5, 2.0, 3.0, 5.0)


def naive_run(name, X, q, C, labels, p, step, rounds, stochastic=True, learner=naive_relation):
    """Figure 1, as printed but for the options."""
    n, k = C.shape
    H = np.full((n, k), 1 / k)
    path = [H]
    for t in range(1, rounds + 1):
        h = learner(X, naive_rows(name, q, C, labels, H, p))
        f = np.zeros((n, k))
        for i in range(n):
            for y in range(k):
                total = sum(h[i]) if stochastic else 1
                f[i, y] = h[i, y] / total if total else 1 / k
        alpha = {"1/t": 1 / t, "1/(t+1)": 1 / (t + 1)}[step]
        H = (1 - alpha) * H + alpha * f
        path.append(H)
    return path


MIXTURES = {
    "LpCSB p=1": (LpCSB(p=1), "lp_csb", 1, "1/(t+1)", True),
    "LpCSB p=2": (LpCSB(p=2), "lp_csb", 2, "1/(t+1)", True),
    "LpCSB p=3, steps 1/t": (LpCSB(p=3, step="1/t"), "lp_csb", 3, "1/t", True),
    "LpCSB p=2 as printed": (LpCSB(p=2, form="paper"), "lp_csb", 2, "1/t", False),
    "LpCSB relational": (LpCSB(p=2, hypothesis="relational"), "lp_csb", 2, "1/(t+1)", False),
    "LpCSBPA p=1.5": (LpCSBPA(p=1.5), "lp_csb_pa", 1.5, "1/(t+1)", True),
    "LpCSBPA p=2": (LpCSBPA(p=2), "lp_csb_pa", 2, "1/(t+1)", True),
    "GBSE": (GBSE(), "gbse", 1, "1/t", True),
    "GBSET": (GBSET(), "gbse_t", 1, "1/t", True),
}


@pytest.mark.parametrize("case", MIXTURES)
def test_mixtures_of_stumps_are_those_of_a_naive_run(case):
    model, name, p, step, stochastic = MIXTURES[case]
    one = problem(3, seed=7)
    X, rounds = features(one), 6
    q = one.weights
    path = naive_run(name, X, q, one.costs, one.labels, p, step, rounds, stochastic)
    model.set_params(n_estimators=rounds, estimator="stump")
    model.fit(X, one.labels, q, cost=one.costs)
    stages = list(model.staged_decision_function(X))
    if model.stop_reason_ == "max_rounds":
        assert len(stages) == rounds
    else:
        assert model.stop_reason_ == "perfect" and step == "1/t"
    np.testing.assert_allclose(stages, path[1 : len(stages) + 1], atol=1e-10)
    costs = [sum(q @ (H**p * one.costs)) for H in path[: len(stages) + 1]]
    np.testing.assert_allclose(model.objective_, costs, rtol=1e-10)


def test_a_mixture_without_weight_on_costly_classes_is_perfect():
    X, y = np.repeat([[0.0], [1.0], [2.0]], 4, axis=0), np.repeat([0, 1, 2], 4)
    model = LpCSBA(p=2, step="1/t").fit(X, y)
    assert (model.stop_reason_, len(model.estimators_)) == ("perfect", 1)
    np.testing.assert_allclose(model.objective_, [2 / 9, 0])


def test_abstracted_method_is_a_naive_run():
    one = problem(4, n=80, seed=8)
    X = features(one)
    path = naive_run("lp_csb_a", X, *one, 2, "1/(t+1)", 8, learner=naive_choice)
    model = LpCSBA(None, 2, 8, GaussianNB()).fit(X, one.labels, one.weights, cost=one.costs)
    np.testing.assert_allclose(list(model.staged_decision_function(X)), path[1:], atol=1e-10)


def test_data_space_expansion_averages_bootstrap_samples_at_constant_weights():
    one = problem(4, n=80, seed=9)
    X, rng = features(one), np.random.RandomState(5)
    average = np.zeros((80, 4))
    for _ in range(6):
        drawn = rng.multinomial(80, np.full(80, 1 / 80))
        gains = np.array(
            [q * m * (max(c) - c) for q, m, c in zip(one.weights, drawn, one.costs, strict=True)]
        )
        average += naive_choice(X, gains) / 6
    model = DSE(None, 6, GaussianNB(), random_state=5).fit(X, one.labels, one.weights, cost=one.costs)
    np.testing.assert_allclose(model.decision_function(X), average, atol=1e-10)


def mean_wrong_cost(one):
    k = one.costs.shape[1]
    return np.array(
        [
            sum(c for y, c in enumerate(row) if y != label) / (k - 1)
            for row, label in zip(*one[1:], strict=True)
        ]
    )


def test_costing_accepts_in_proportion_to_cost_and_average_cost_weights_by_it():
    one = problem(3, n=80, seed=10)
    X, rng = features(one), np.random.RandomState(6)
    cost = one.weights * mean_wrong_cost(one)
    votes = np.zeros((80, 3))
    for _ in range(5):
        accepted = rng.uniform(size=80) < cost / max(cost)
        votes[np.arange(80), GaussianNB().fit(X[accepted], one.labels[accepted]).predict(X)] += 0.2
    model = Costing(None, 5, GaussianNB(), random_state=6).fit(X, one.labels, one.weights, cost=one.costs)
    np.testing.assert_allclose(model.decision_function(X), votes, atol=1e-10)
    single = AverageCost(None, GaussianNB()).fit(X, one.labels, one.weights, cost=one.costs)
    np.testing.assert_array_equal(single.predict(X), GaussianNB().fit(X, one.labels, cost).predict(X))
    assert len(single.estimators_) == 1


def naive_m2(X, q, C, labels, rounds):
    """AdaBoost.M2 in the original's form: beta to the power of half of one plus the gain."""
    n, k = C.shape
    D = np.array([[q[i] * C[i, y] if y != labels[i] else 0.0 for y in range(k)] for i in range(n)])
    scores, alphas = np.zeros((n, k)), []
    for _ in range(rounds):
        D = D / D.sum()
        rows = -D / 2
        rows[np.arange(n), labels] = D.sum(axis=1) / 2
        h = naive_relation(X, rows)
        right = h[np.arange(n), labels]
        epsilon = sum(D[i, y] * (1 - right[i] + h[i, y]) / 2 for i in range(n) for y in range(k))
        beta = epsilon / (1 - epsilon)
        alphas.append(-np.log(beta) / 2)
        scores = scores + alphas[-1] * h
        D = D * beta ** ((1 + right[:, None] - h) / 2)
    return scores, alphas


def test_adaboost_m2_is_the_originals_with_costs_as_first_weights():
    one = problem(3, seed=11)
    X = features(one)
    scores, alphas = naive_m2(X, *one, 6)
    model = AdaBoostM2(None, 6, "stump").fit(X, one.labels, one.weights, cost=one.costs)
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), scores, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("fn_cost", [1.0, 5.0])
def test_adaboost_m2_of_two_classes_is_cgada(fn_cost):
    one = problem(2, n=120, seed=12)
    X = features(one)
    cgada = csb.CGAda(fn_cost, 2.0, 12).fit(X, one.labels, one.weights)
    model = AdaBoostM2([[0, 2], [fn_cost, 0]], 12, "stump").fit(X, one.labels, one.weights)
    np.testing.assert_allclose(model.estimator_weights_, cgada.estimator_weights_, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X), cgada.decision_function(X), rtol=1e-9, atol=1e-9)


def naive_m1(name, X, q, C, labels, rounds):
    """AdaCost and CSB2 for a multiclass learner that hits or misses."""
    n, k = C.shape
    cost = np.array([sum(C[i]) / (k - 1) for i in range(n)])
    D, alphas, smallest = q * cost, [], min(C[C > 0])
    for _ in range(rounds):
        D = D / D.sum()
        gains = np.zeros((n, k))
        gains[np.arange(n), labels] = D
        said = naive_choice(X, gains).argmax(axis=1)
        for i in range(n):
            assert D[i] > 0
        u = np.array([1 if C[i, said[i]] == 0 else -1 for i in range(n)])
        if sum(D[u < 0]) >= 0.5:
            break
        c = cost / max(cost) / 2
        r = u if name == "csb2" else (u - c) / 2
        alphas.append(0.5 * np.log(sum(D * (1 + r)) / sum(D * (1 - r))))
        if alphas[-1] <= 0:
            alphas.pop()
            break
        for i in range(n):
            D[i] *= np.exp(-alphas[-1] * r[i])
            if name == "csb2" and u[i] < 0:
                D[i] *= C[i, said[i]] / smallest
    return alphas


@pytest.mark.parametrize("name, cls", [("adacost", MulticlassAdaCost), ("csb2", MulticlassCSB2)])
@pytest.mark.parametrize("k", [2, 4])
def test_multiclass_adacost_and_csb2_are_naive_runs(name, cls, k):
    one = problem(k, n=90, seed=13)
    one = one._replace(costs=np.where(one.right, 0, one.costs + 0.2))
    X = features(one) * [3, 1, 1]
    alphas = naive_m1(name, X, *one, 6)
    model = cls(None, 6, GaussianNB()).fit(X, one.labels, one.weights, cost=one.costs)
    assert len(alphas) >= 2
    np.testing.assert_allclose(model.estimator_weights_, alphas, rtol=1e-8)


@pytest.mark.parametrize("multi, binary", [(MulticlassAdaCost, csb.AdaCost), (MulticlassCSB2, csb.CSB2)])
def test_for_two_classes_they_are_the_binary_methods(multi, binary):
    one = problem(2, n=120, seed=14)
    X = features(one)
    model = multi([[0, 1], [4, 0]], 6, GaussianNB()).fit(X, one.labels, one.weights)
    known = binary(4, 1, 6, GaussianNB()).fit(X, one.labels, one.weights)
    assert len(known.estimators_) >= 2
    np.testing.assert_allclose(model.estimator_weights_, known.estimator_weights_, rtol=1e-8)
    np.testing.assert_allclose(model.decision_function(X), known.decision_function(X), rtol=1e-8)


# ---- two classes


@pytest.mark.parametrize("p", NORMS)
def test_two_classes_are_the_binary_p_norm_booster(p):
    r"""Weights :math:`q c ((1-m)/2)^{p-1}` and :math:`F = (1-\alpha) F + \alpha h` on the margin scale."""
    one = problem(2, n=60, seed=15)
    X, y, q = features(one), 2 * one.labels - 1, one.weights
    c = np.where(y > 0, 4.0, 1.0)
    choose, F = stump_chooser(X), np.zeros(60)
    for t in range(1, 9):
        D = q * c * ((1 - y * F) / 2) ** (p - 1)
        F = (1 - 1 / (t + 1)) * F + choose(D / D.sum(), y) / (t + 1)
    model = LpCSB([[0, 1], [4, 0]], p, 8, "stump").fit(X, one.labels, q)
    np.testing.assert_allclose(model.decision_function(X), F, atol=1e-10)
    clear = np.abs(F) > 1e-9
    np.testing.assert_array_equal(model.predict(X)[clear], F[clear] > 0)
    assert model.objective_[-1] == pytest.approx(np.sum(q * c * ((1 - y * F) / 2) ** p), rel=1e-10)


@pytest.mark.parametrize("p", [1.5, 2.0, 3.0])
def test_relative_costs_of_two_classes_give_the_probability(p):
    one = problem(2, n=60, seed=16)
    X = features(one)
    model = LpCSB([[0, 1], [4, 0]], p, 8, "stump").fit(X, one.labels)
    H = (1 + model.decision_function(X)) / 2
    posterior = 1 / (1 + np.exp(-((p - 1) * np.log(H / (1 - H)) - np.log(4))))
    costs = np.column_stack([4 * posterior, 1 - posterior])
    np.testing.assert_allclose(model.relative_costs(X), costs / costs.sum(axis=1)[:, None], rtol=1e-8)
