"""Votes and steps of a chosen length: scikit-learn, naive loops, and what a short step leaves as it is."""

from functools import partial

import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

import csb
from csb.methods import VARIANTS
from oracles import naive
from problems import interaction

RATES = [0.5, 0.05, 1.7]


problem = partial(interaction, n=200, decimals=1)


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("rate", [1.0, *RATES])
def test_adaboost_is_that_of_scikit_learn(rate, depth):
    rng = np.random.default_rng(0)
    X, y = problem(0)
    X += 0.01 * rng.normal(size=X.shape)
    # neither equal values nor small nodes, in which splits tie and rounding decides
    tree = DecisionTreeClassifier(max_depth=depth, min_samples_leaf=15, random_state=0)
    theirs = AdaBoostClassifier(tree, n_estimators=60, learning_rate=rate, random_state=0).fit(X, y)
    ours = csb.AdaBoost(60, tree, learning_rate=rate, random_state=0).fit(X, y)
    np.testing.assert_allclose(2 * ours.estimator_weights_, theirs.estimator_weights_, rtol=0, atol=1e-12)
    score = 2 * ours.decision_function(X) / ours.estimator_weights_.sum()
    np.testing.assert_allclose(score, theirs.decision_function(X), rtol=0, atol=1e-12)


@pytest.mark.parametrize("key", sorted(VARIANTS))
@pytest.mark.parametrize("rate", RATES[:2])
def test_every_variant_is_the_naive_loop_with_shorter_steps(key, rate):
    X, y = problem(1, n=60)
    row, costs = VARIANTS[key], {"fn_cost": 3.0, "fp_cost": 1.0}
    model = csb.CostSensitiveBoosting(**costs, variant=key, n_estimators=12, learning_rate=rate).fit(X, y)
    scaled = row.scale(csb.costs.check_costs(**costs))
    rounds, _ = naive.naive_boost(
        key, 2 * y - 1, naive.stump_chooser(X), float(scaled.fn_cost[0]), float(scaled.fp_cost[0]), 12,
        stop=True, learning_rate=rate,
    )  # fmt: skip
    np.testing.assert_allclose(model.estimator_weights_, [alpha for _, alpha, _ in rounds], rtol=1e-9)


def test_logitboost_takes_a_part_of_each_newton_step():
    """Against Newton steps by hand, on one feature of three values with regression stumps."""
    x, y, rate = np.array([0.0, 0, 1, 1, 2, 2]), np.array([0, 1, 0, 1, 1, 1]), 0.3
    model = csb.LogitBoost(n_estimators=5, learning_rate=rate).fit(x[:, np.newaxis], y)
    f = np.zeros(6)
    for _ in range(5):
        p = 1 / (1 + np.exp(-2 * f))
        w = p * (1 - p)
        z = np.clip((y - p) / w, -4, 4)
        fits = []
        for cut in (0.5, 1.5):
            fit = np.empty(6)
            for side in (x > cut, x < cut):
                fit[side] = np.average(z[side], weights=w[side])
            fits.append((np.sum(w * (z - fit) ** 2), fit))
        f += rate * 0.5 * min(fits, key=lambda each: each[0])[1]
    np.testing.assert_allclose(model.decision_function(x[:, np.newaxis]), f, rtol=1e-12)
    assert model.step_ == rate / 2


def test_a_short_step_stops_nothing():
    X, y = problem(2)
    model = csb.AdaBoost(50, learning_rate=1e-9).fit(X, y)
    assert model.stop_reason_ == "max_rounds" and len(set(model.estimators_)) == 1
    np.testing.assert_allclose(model.estimator_weights_, model.estimator_weights_[0], rtol=1e-6)


@pytest.mark.parametrize("name", ["CSB0", "CSB1"])
def test_where_the_update_does_not_know_the_vote_hypotheses_stay(name):
    """Ting's first two rules move the weights by factors of their own."""
    X, y = problem(3)
    whole, part = (getattr(csb, name)(3.0, n_estimators=20, learning_rate=r).fit(X, y) for r in (1.0, 0.1))
    assert whole.estimators_ == part.estimators_
    np.testing.assert_allclose(part.estimator_weights_, 0.1 * whole.estimator_weights_, rtol=1e-12)


@pytest.mark.parametrize("cls", [csb.CalibratedAdaMEC, csb.CalibratedAsymAda, csb.CalibratedCGAda])
def test_calibrated_ensembles_are_the_base_methods_with_that_rate(cls):
    X, y = problem(4)
    half = np.arange(len(y)) % 2 == 0
    model = cls(3.0, n_estimators=10, learning_rate=0.2, cv=[(np.flatnonzero(half), np.flatnonzero(~half))])
    ((ensemble, _),) = model.fit(X, y).calibrated_models_
    base = getattr(csb, cls.__name__.removeprefix("Calibrated"))
    alone = base(3.0, n_estimators=10, learning_rate=0.2).fit(X[half], y[half])
    np.testing.assert_allclose(ensemble.decision_function(X), alone.decision_function(X), rtol=1e-10)


@pytest.mark.parametrize("name", ["AdaBoostM2", "MulticlassAdaCost", "MulticlassCSB2"])
def test_votes_for_classes(name):
    """Of two classes AdaBoost.M2 is AdaBoost; the others shorten their first vote."""
    X, y = problem(5)
    settings = {"n_estimators": 8, "random_state": 0}
    if name == "AdaBoostM2":
        stump = {"estimator": "stump", "learning_rate": 0.4}
        ours = csb.AdaBoostM2(**settings, **stump).fit(X, y)
        binary = csb.AdaBoost(**settings, **stump).fit(X, y)
        np.testing.assert_allclose(ours.estimator_weights_, binary.estimator_weights_, rtol=1e-9)
    else:
        first = [
            getattr(csb, name)(**settings, learning_rate=rate).fit(X, y).estimator_weights_[0]
            for rate in (1.0, 0.25)
        ]
        assert first[1] == pytest.approx(0.25 * first[0], rel=1e-12)


def test_a_batch_may_hold_several_rates():
    """Each of its models is the one trained alone."""
    from csb.engine.learners import bind_learner
    from csb.engine.votes import TrainingSet, boost

    X, y = problem(6)
    labels, rates = y.astype(np.int8), np.array([1.0, 0.3, 0.01])
    learner = bind_learner("stump", X, labels)
    costs = csb.costs.check_costs(np.full(3, 2.0))
    batch = VARIANTS["csada"].batch(costs, learning_rate=rates)
    together = boost(learner, TrainingSet(labels, np.ones((3, len(y)))), [batch], 15)
    for k, rate in enumerate(rates):
        alone = csb.CSAda(2.0, n_estimators=15, learning_rate=rate).fit(X, y)
        np.testing.assert_array_equal(together.trace(k)[0], alone.estimator_weights_)


@pytest.mark.parametrize("scale", [1e-3, 1e-6, 1e-9])
def test_adacost_beta2_of_small_costs_is_cgada_with_steps_of_half_the_length(scale):
    """Its weights move by half of each vote; the score adds up whole ones."""
    X, y = problem(7)
    small = csb.AdaCostBeta2(3.0, n_estimators=30, cost_scale=scale).fit(X, y)
    half = csb.CGAda(3.0, n_estimators=30, learning_rate=0.5).fit(X, y)
    assert small.estimators_ == half.estimators_
    np.testing.assert_allclose(
        small.decision_function(X), 2 * half.decision_function(X), atol=30 * scale + 1e-12
    )
