"""The learners against scikit-learn and their definitions."""

import numpy as np
import pytest
from scipy.special import expit
from sklearn.datasets import make_classification
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state

from csb.engine.elementary import quick_exp_scalar
from csb.engine.learners import bind_learner
from csb.engine.learners.adapter import Flipped
from csb.engine.learners.stump import DecisionStump
from csb.engine.learners.univariate import RIDGE, SHORTEST, logistic_on_bins
from csbook.learners.logistic import Logistic
from csbook.learners.pruned import c45_stand_in
from oracles.searches import likeliest_line


def problem(seed, n=150):
    X, y = make_classification(n, 5, n_informative=3, n_redundant=0, flip_y=0.2, random_state=seed)
    rng = np.random.default_rng(seed)
    weights = rng.gamma(0.5, size=(3, n))
    return X, y.astype(np.int8), weights / weights.sum(axis=1, keepdims=True)


def reference(X, y, w):
    return LogisticRegression(C=1e8, tol=1e-12, max_iter=10_000, solver="newton-cholesky").fit(
        X, y, sample_weight=w * len(w)
    )


@pytest.mark.parametrize("seed", range(3))
def test_logistic_equals_scikit_learns(seed):
    X, y, weights = problem(seed)
    hypotheses, predicted = bind_learner(Logistic(), X, y).fit(weights)
    for w, hypothesis, p in zip(weights, hypotheses, predicted, strict=True):
        theirs = reference(X, y, w)
        np.testing.assert_allclose(hypothesis.coef, theirs.coef_[0], rtol=2e-3, atol=1e-4)
        assert hypothesis.intercept == pytest.approx(theirs.intercept_[0], rel=2e-3, abs=1e-4)
        np.testing.assert_array_equal(p, hypothesis.predict(X) > 0)


def test_logistic_by_its_name_is_scikit_learns():
    X, y, weights = problem(3)
    weights[:, ::4] = 0.0  # as rows that are absent
    hypotheses, predicted = bind_learner("logistic", X, y, random_state=check_random_state(0)).fit(weights)
    for w, hypothesis, p in zip(weights, hypotheses, predicted, strict=True):
        theirs = reference(X[w > 0], y[w > 0], w[w > 0])
        np.testing.assert_array_equal(p, theirs.predict(X))
        np.testing.assert_array_equal(p, hypothesis.predict(X) > 0)


@pytest.mark.parametrize("seed", range(3))
def test_univariate_logistic_is_the_best_of_scikit_learns_regressions(seed):
    X, y, weights = problem(seed)
    stumps, predicted = bind_learner("univariate_logistic", X, y).fit(weights)
    for b, w in enumerate(weights):
        edges, thresholds = [], []
        for f in range(X.shape[1]):
            theirs = reference(X[:, [f]], y, w)
            edges.append(w @ (np.where(theirs.decision_function(X[:, [f]]) > 0, 1, -1) * (2.0 * y - 1)))
            thresholds.append(-theirs.intercept_[0] / theirs.coef_[0, 0])
        best = int(np.argmax(edges))
        assert stumps[b].feature == best
        assert stumps[b].threshold == pytest.approx(thresholds[best], rel=1e-3, abs=1e-3)
        np.testing.assert_array_equal(predicted[b], stumps[b].predict(X) > 0)


def optimum(X, y, w):
    """Intercept and slopes of least loss by plain Newton steps, halved until the loss falls."""
    centre, spread = X.mean(axis=0), np.where(X.std(axis=0) > 0, X.std(axis=0), 1.0)
    design = np.column_stack([np.ones(len(X)), (X - centre) / spread])
    penalty = np.r_[1e-12, np.full(X.shape[1], 1e-6)]
    beta = np.zeros(len(penalty))

    def loss(at):
        return w @ np.logaddexp(0, np.where(y == 1, -1, 1) * (design @ at)) + 0.5 * penalty @ at**2

    for _ in range(100):
        p = expit(design @ beta)
        hessian = design.T @ np.diag(w * p * (1 - p)) @ design + np.diag(penalty)
        step = np.linalg.solve(hessian, design.T @ (w * (p - y)) + penalty * beta)
        while np.abs(step).max() > 1e-6 and loss(beta - step) > loss(beta):
            step *= 0.5
        beta -= step
        if np.abs(step).max() < 1e-13 * np.abs(beta).max():
            break
    slopes = beta[1:] / spread
    return beta[0] - slopes @ centre, slopes


def boosted_weights(rng, n_models, n):
    """Uneven, with rows left out, and some models all but blind to one part of the rows."""
    weights = rng.gamma(0.5, size=(n_models, n)) * (rng.random((n_models, n)) < 0.8)
    weights[::3, : n // 2] *= 1e-6
    return weights / weights.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(("decimals", "outlier"), [(1, 0.0), (6, 0.0), (6, 40.0)])
def test_univariate_logistic_equals_a_loop_over_all_features(decimals, outlier):
    rng = np.random.default_rng(decimals)
    X = rng.normal(size=(70, 9)).round(decimals)
    X[:, 6] = X[:, 2]  # a tie, which the lower wins
    X[:, 3] = X[:, 3] > 0
    y = (X[:, 2] + X[:, 4] + 2 * rng.normal(size=70) > 0).astype(np.int8)
    X[rng.integers(70, size=2), :3] += outlier
    weights = boosted_weights(rng, 40, 70)
    stumps, predicted = bind_learner("univariate_logistic", X, y).fit(weights)
    for b, w in enumerate(weights):
        fits = [optimum(X[:, [f]], y, w) for f in range(X.shape[1])]
        signs = [np.where(a + s * X[:, f] > 0, 1, -1) for f, (a, s) in enumerate(fits)]
        edges = np.array([w @ (sign * (2 * y - 1)) for sign in signs])
        best = int(np.argmax(edges >= edges.max() - 1e-12))
        intercept, (slope,) = fits[best]
        assert stumps[b].feature == best
        assert stumps[b].threshold == pytest.approx(-intercept / slope, rel=1e-7)
        np.testing.assert_array_equal(predicted[b], signs[best] > 0)
    assert len(set(stumps.feature)) > 3


def test_of_regressions_that_come_to_a_constant_the_first_counts():
    """One class outweighs what any feature tells: on the training rows all regressions predict it."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 2
    y = y.astype(np.int8)
    weights = rng.uniform(0.5, 1.5, (20, 60)) * np.where(y == 1, 40.0, 1.0)
    weights /= weights.sum(axis=1, keepdims=True)
    for b, w in enumerate(weights):
        fits = [optimum(X[:, [f]], y, w) for f in range(6)]
        constant = [f for f, (a, s) in enumerate(fits) if np.all(a + s * X[:, f] > 0)]
        stumps, predicted = bind_learner("univariate_logistic", X, y).fit(weights[[b]])
        assert stumps[0].feature == constant[0] and predicted.all()


@pytest.mark.parametrize(
    ("n", "d", "outlier"), [(120, 4, 0.0), (120, 30, 0.0), (40, 60, 0.0), (120, 4, 60.0)]
)
def test_logistic_reaches_the_optimum_of_every_model(n, d, outlier):
    rng = np.random.default_rng(d)
    X = rng.normal(size=(n, d))
    X[:, 1] = X[:, 0] - X[:, 2]  # collinear
    y = (X[:, 0] + X[:, 3] + 2 * rng.normal(size=n) > 0).astype(np.int8)
    X[rng.integers(n, size=2), 2:] += outlier
    weights = boosted_weights(rng, 40, n)
    hypotheses, _ = bind_learner(Logistic(), X, y).fit(weights)
    for w, hypothesis in zip(weights, hypotheses, strict=True):
        intercept, slopes = optimum(X, y, w)
        tolerance = 1e-8 * np.abs(slopes).max()
        np.testing.assert_allclose(hypothesis.coef, slopes, rtol=0, atol=tolerance)
        assert hypothesis.intercept == pytest.approx(intercept, abs=tolerance * np.abs(X).max())


@pytest.mark.parametrize("seed", [21, 30, 86, 230, 294, 335])
def test_full_newton_steps_would_diverge(seed):  # plain ones do, on these six
    rng = np.random.default_rng(seed)
    n = int(rng.integers(5, 40))
    x = rng.normal(size=n)
    far = rng.choice([5, 20, 100.0])
    y = (x + rng.choice([0.1, 0.5, 1]) * rng.normal(size=n) > 0).astype(np.int8)
    x[0] = far * rng.choice([-1, 1])
    w = rng.gamma(rng.choice([0.1, 0.5, 2.0]), size=n) + 1e-12
    X, weights = x[:, np.newaxis], w[np.newaxis] / w.sum()
    intercept, (slope,) = optimum(X, y, weights[0])
    stumps, _ = bind_learner("univariate_logistic", X, y).fit(weights)
    assert stumps[0].threshold == pytest.approx(-intercept / slope, rel=1e-6)
    (hypothesis,), _ = bind_learner(Logistic(), X, y).fit(weights)
    assert hypothesis.coef == pytest.approx([slope], rel=1e-6)


@pytest.mark.parametrize("cases", [300, pytest.param(100_000, marks=pytest.mark.deep)])
def test_regressions_on_hostile_bins_are_those_by_halves(cases):
    """Bins that separate the classes or nearly so, far ones, and weights over twelve decades.

    The steps converge, but not within the 50 that the learner takes where classes are as unequal as here.
    """
    rng = np.random.default_rng(7)
    for _ in range(0, cases, 2000):
        count, bins = min(cases, 2000), int(rng.choice([2, 3, 5, 10]))
        x = np.sort(rng.standard_t(rng.choice([1.5, 30.0], (count, 1)), (count, bins)))
        x += np.arange(bins) * 1e-3
        x = (x - x.mean(axis=1, keepdims=True)) / x.std(axis=1, keepdims=True)
        lightest = rng.choice([0, 3, 6, 12], (2, count, 1))
        mass = 10.0 ** (-lightest * rng.random((2, count, bins)))
        mass *= rng.random(mass.shape) < rng.choice([0.5, 1.0], (count, 1))
        parted = rng.random((count, 1)) < 0.5
        mass[0] *= np.where(parted & (x > 0), rng.choice([0, 1e-6], (count, 1)), 1.0)
        mass[1] *= np.where(parted & (x <= 0), rng.choice([0, 1e-6], (count, 1)), 1.0)
        mass += 1e-11  # of each class in each bin: of less, rounding hides where the level is
        mass /= mass.sum(axis=(0, 2), keepdims=True)
        weight = mass.sum(axis=0)
        slope, level = likeliest_line(
            x, mass[1] / weight, mass[0] / weight, weight, ridge=RIDGE, steep=1e5, steps=(50, 60)
        )
        work = np.empty((2, bins))
        found = np.array(
            [
                logistic_on_bins(np.ascontiguousarray(mass[:, i]), x[i], bins, RIDGE, 1000, SHORTEST, *work)
                for i in range(count)
            ]
        )
        expected = slope * x + level
        f = found[:, 1:] * x + found[:, :1]
        assert np.all(abs(f - expected) <= 1e-4 * (1 + abs(expected)))


def test_the_exponential_of_the_kernels():
    t = np.linspace(-40, 40, 1001)
    np.testing.assert_allclose([quick_exp_scalar(u) for u in t], np.exp(t), rtol=1e-13)
    ends = quick_exp_scalar(-40.0), quick_exp_scalar(40.0)
    assert (quick_exp_scalar(-1e3), quick_exp_scalar(1e3)) == ends


def test_a_single_fit_equals_the_same_row_of_a_batch_to_the_bit():
    X, y, _ = problem(4)
    weights = boosted_weights(np.random.default_rng(1), 70, len(y))
    univariate, logistic = bind_learner("univariate_logistic", X, y), bind_learner(Logistic(), X, y)
    stumps, hypotheses = univariate.fit(weights)[0], logistic.fit(weights)[0]
    for b in range(0, 70, 5):
        assert univariate.fit(weights[[b]])[0][0] == stumps[b]
        alone = logistic.fit(weights[[b]])[0][0]
        assert alone.intercept == hypotheses[b].intercept
        np.testing.assert_array_equal(alone.coef, hypotheses[b].coef)


@pytest.mark.parametrize("name", ["logistic", Logistic(), "univariate_logistic"])
def test_separable_and_pure_samples_have_finite_fits(name):
    X, y = np.arange(10.0)[:, None], (np.arange(10) > 4).astype(np.int8)
    learner = bind_learner(name, X, y, random_state=check_random_state(0))
    hypotheses, predicted = learner.fit(np.full((1, 10), 0.1))
    np.testing.assert_array_equal(predicted[0], y)
    one_class = np.where(y == 1, 0.2, 0.0)[np.newaxis]
    _, predicted = learner.fit(one_class)
    np.testing.assert_array_equal(predicted[0], 1)
    assert np.isfinite(hypotheses[0].predict(X)).all()


def test_a_classifier_worse_than_chance_is_reversed():
    class Contrary(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            return super().fit(X, -np.asarray(y), sample_weight)

    X, y, weights = problem(0)
    weights = np.where(y == 1, 2.0, 1.0)[np.newaxis]
    weights /= weights.sum()
    (hypothesis,), predicted = bind_learner(
        Contrary(strategy="most_frequent"), X, y, random_state=check_random_state(0)
    ).fit(weights)
    assert isinstance(hypothesis, Flipped)
    np.testing.assert_array_equal(predicted[0], 1)
    np.testing.assert_array_equal(hypothesis.predict(X), 1)


def test_trees_see_the_weights_and_only_the_rows_that_have_some():
    X, y, weights = problem(1)
    weights[:, ::3] = 0.0
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    bound = bind_learner(tree, X, y, random_state=check_random_state(5))
    hypotheses, _ = bound.fit(weights)
    seeds = check_random_state(5)
    for w, ours in zip(weights, hypotheses, strict=True):
        used = w > 0
        theirs = DecisionTreeClassifier(max_depth=2, random_state=seeds.randint(2**31 - 1))
        theirs.fit(X[used], 2 * y[used].astype(int) - 1, sample_weight=w[used])
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    single = np.where(y == 1, weights, 0.0)
    (constant, *_), _ = bound.fit(single)
    assert constant == DecisionStump(0, -np.inf, 1)


def test_the_stand_in_for_c45_is_the_one_documented():
    parameters = c45_stand_in(3).get_params()
    assert (parameters["criterion"], parameters["max_depth"], parameters["min_samples_leaf"]) == (
        "entropy",
        6,
        5,
    )
    assert parameters["random_state"] == 3
