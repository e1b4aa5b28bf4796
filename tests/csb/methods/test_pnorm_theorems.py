"""The abstracted method with exact learners: solvers, theorems and the population minimiser."""

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from csb.estimators.multiclass import LpCSBA
from csb.methods.pnorm import STEPS
from oracles.pnorm import problem


class Pool(ClassifierMixin, BaseEstimator):
    """The hypothesis of least weighted error from a table: row j gives the class of each value of x."""

    def __init__(self, table):
        self.table = table

    def fit(self, X, y, sample_weight=None):
        said = np.asarray(self.table)[:, X[:, 0].astype(int)]
        self.classes_, self.best_ = np.unique(y), int(np.argmin((said != y) @ sample_weight))
        return self

    def predict(self, X):
        return np.asarray(self.table)[self.best_, X[:, 0].astype(int)]


def pool_problem(seed, n=25, k=3, size=12):
    one = problem(k, n, seed)
    return one, np.arange(float(n))[:, None], np.random.default_rng(seed).integers(k, size=(size, n))


@pytest.mark.parametrize("seed", range(3))
def test_squared_loss_is_a_frank_wolfe_solver(seed):
    """Written directly on the weights of the hypotheses, with the exact step of a quadratic."""
    one, X, table = pool_problem(seed)
    weighted_costs = (one.weights[:, None] * one.costs).ravel()
    F = np.stack([np.eye(3)[said].ravel() for said in table])
    H, path = np.full(75, 1 / 3), []
    for _ in range(300):
        vertex = F[np.argmin(F @ (weighted_costs * H))]
        d = vertex - H
        alpha = np.clip(-np.sum(weighted_costs * H * d) / np.sum(weighted_costs * d**2), 0, 1)
        H = H + alpha * d
        path.append(np.sum(weighted_costs * H**2))
    model = LpCSBA(None, 2, 300, Pool(table), step="linesearch")
    model.fit(X, one.labels, one.weights, cost=one.costs)
    np.testing.assert_allclose(model.objective_[1:], path, rtol=1e-9)
    np.testing.assert_allclose(model.decision_function(X).ravel(), H, atol=1e-8)
    least = [least_squared(weighted_costs, hull) for hull in (F, np.vstack([F, np.full(75, 1 / 3)]))]
    assert (
        least[1] * (1 - 1e-7) <= model.objective_[-1] <= least[0] * 1.01
    )  # the start may lie outside the hull


def least_squared(weighted_costs, F):
    """Least squared loss over the convex hull of the rows of F, by quadratic programming."""
    return minimize(
        lambda v: np.sum(weighted_costs * (v @ F) ** 2),
        np.full(len(F), 1 / len(F)),
        jac=lambda v: 2 * F @ (weighted_costs * (v @ F)),
        bounds=[(0, 1)] * len(F),
        constraints={"type": "eq", "fun": lambda v: np.sum(v) - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    ).fun


def lower_bound(weighted_costs, F, p, rounds=20_000):
    """A value below the infimum over the convex hull: that of a long run, less its duality gap."""
    H, best = F.mean(axis=0), -np.inf
    for t in range(1, rounds + 1):
        gradient = p * weighted_costs * H ** (p - 1)
        vertex = F[np.argmin(F @ gradient)]
        best = max(best, np.sum(weighted_costs * H**p) - np.sum(gradient * (H - vertex)))
        H = H + 2 / (t + 2) * (vertex - H)
    return best


@pytest.mark.parametrize("p, rounds", [(2.0, 200), (3.0, 3000)])
@pytest.mark.parametrize("seed", range(2))
def test_bound_of_theorem_4_2_holds_in_every_round_for_means(p, rounds, seed):
    """Hypotheses come with their opposites, so that the start lies in their hull; costs are zero and one."""
    one, X, table = pool_problem(seed, n=15, k=2, size=4)
    table = np.vstack([table, 1 - table])
    model = LpCSBA(None, p, rounds, Pool(table), step="eq10").fit(X, one.labels, one.weights)
    F = np.stack([np.eye(2)[said].ravel() for said in table])
    infimum = lower_bound((one.weights[:, None] * ~one.right).ravel(), F, p)
    gap = model.objective_ - infimum
    bound = 9 * p * (p - 1) * 2 ** (p - 2) / (np.arange(len(gap)) + 2)
    assert np.all(gap >= 0) and np.all(gap[1:] <= bound[1:])
    assert np.all(np.diff(model.objective_) < 0)
    assert len(gap) == rounds + 1 and bound[-1] < gap[0], "the start must not keep within the bound"


def derivative(one, H, f, p):
    """Of the loss, means over the sample, from H towards f."""
    return np.sum(one.weights[:, None] * one.costs * p * H ** (p - 1) * (f - H))


@pytest.mark.parametrize("p", [2.0, 2.3, 3.0, 5.0])
@pytest.mark.parametrize("said", ["labels", "shares"])
def test_every_round_lowers_the_loss_by_a_quarter_of_the_squared_slope(p, said):
    """The first part of what the chapter proves; steps above one are cut."""
    cut = 0
    for seed in range(200):
        one, rng = problem(4, 5, seed), np.random.default_rng(seed)
        H, f = rng.dirichlet(np.full(4, 0.2), (2, 5))
        f = np.eye(4)[f.argmax(axis=1)] if said == "labels" else H + 0.002 * (f - H)
        g = -derivative(one, H, f, p)
        M = p * (p - 1) * 2 ** (p - 2) * one.costs.max()
        alpha = STEPS["eq10"](one, H, f, p, 1)
        if g <= 0:
            assert alpha == 0
            continue
        cut += alpha == 1
        after = (1 - alpha) * H + alpha * f
        fall = np.sum(one.weights[:, None] * one.costs * (H**p - after**p))
        assert fall >= g**2 / (4 * M) * (1 - 1e-12)
    assert said == "labels" or cut > 0, "a step that is cut must occur"


@pytest.mark.parametrize("p", [2.0, 3.0])
@pytest.mark.parametrize("seed", range(2))
def test_bound_of_theorem_4_2_holds_for_the_worst_hypotheses_that_it_allows(p, seed):
    """Eq. (13) with its largest slack in every round; five would do for nine."""
    one, _, table = pool_problem(seed, n=12, k=3, size=4)
    F = np.eye(3)[np.vstack([(table + shift) % 3 for shift in range(3)])]
    M = p * (p - 1) * 2 ** (p - 2) * one.costs.max()
    infimum = lower_bound((one.weights[:, None] * one.costs).ravel(), F.reshape(len(F), -1), p, 4000)
    H, slack_used = np.full((12, 3), 1 / 3), 0
    for t in range(1, 300):
        slopes = np.array([derivative(one, H, f, p) for f in F])
        allowed = slopes <= slopes.min() + p * M / (2 * (t + 1) ** 2)
        worst = np.where(allowed, slopes, -np.inf).argmax()
        slack_used += worst != slopes.argmin()
        H = H + STEPS["eq10"](one, H, F[worst], p, t) * (F[worst] - H)
        assert one.objective(H, p) - infimum <= 5 * M / (t + 2)
    assert slack_used > 0


def test_start_outside_the_hull_may_end_below_its_infimum():
    """One hypothesis that is always wrong: no convex combination of hypotheses is as good as the start."""
    y = np.arange(6) % 2
    model = LpCSBA(p=2, n_estimators=20, estimator=Pool([1 - y]), step="eq10")
    with pytest.warns(UserWarning, match="constant class"):
        model.fit(np.arange(6.0)[:, None], y)
    assert model.stop_reason_ == "alpha" and model.objective_[-1] == pytest.approx(0.25)


def test_bound_fails_for_sums():
    """200 examples of three classes at cost one and a learner that is always right (E-L09)."""
    y = np.arange(200) % 3
    model = LpCSBA(p=2, n_estimators=3, estimator=DecisionTreeClassifier(), step="eq10").fit(y[:, None], y)
    sums = 200 * model.objective_[1:]
    np.testing.assert_allclose(sums, [19.753, 8.779, 3.902], atol=1e-3)
    bound = 9 * 2 / np.array([3, 4, 5])
    assert np.all(sums > bound) and np.all(model.objective_[1:] <= bound)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("step", ["1/(t+1)", "linesearch"])
def test_with_a_learner_of_all_functions_the_limit_is_the_population_minimiser(p, step):
    """Powers of the expected costs; the largest is the decision of least expected cost."""
    rng = np.random.default_rng(4)
    X = np.repeat(np.arange(4.0), 3)[:, None]
    y = np.tile(np.arange(3), 4)
    posterior = rng.dirichlet(np.ones(3), 4)
    matrix = np.array([[0, 1, 2], [3, 0, 1], [5, 4, 0.0]])
    expected = posterior @ matrix
    model = LpCSBA(matrix, p, 600, DecisionTreeClassifier(), step=step).fit(X, y, posterior.ravel())
    cells = np.arange(4.0)[:, None]
    np.testing.assert_array_equal(model.predict(cells), expected.argmin(axis=1))
    H = model.decision_function(cells)
    if p == 1:
        np.testing.assert_allclose(H, np.eye(3)[expected.argmin(axis=1)], atol=2e-3)
        with pytest.raises(ValueError, match="p=1"):
            model.relative_costs(cells)
    else:
        limit = expected ** (-1 / (p - 1))
        np.testing.assert_allclose(H, limit / limit.sum(axis=1)[:, None], atol=5e-3)
        relative = expected / expected.sum(axis=1)[:, None]
        np.testing.assert_allclose(model.relative_costs(cells), relative, atol=0.02)
