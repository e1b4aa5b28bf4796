"""The engine: the stump is the best one, and a model does not depend on its company."""

import pickle

import numpy as np
import pytest

from csb import VARIANTS
from csb.costs import Costs, check_costs
from csb.engine.learners import bind_learner
from csb.engine.learners.stump import BoundStump, StumpBatch
from csb.engine.learners.univariate import BoundUnivariateLogistic
from csb.engine.rules import Rules, hit_sign
from csb.engine.trained import Batch, Model, Round, Trained
from csb.engine.votes import TrainingSet, boost
from oracles import naive
from problems import curved
from scripted import ScriptedLearner


def problem(seed, n=80, d=5, decimals=1):
    X, y = curved(np.random.default_rng(seed), n, d, decimals)
    return X, y.astype(np.int8)


def dirichlet(rng, n_models, n):
    w = rng.gamma(0.5, size=(n_models, n))
    return w / w.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("n_models", [1, 3, 40])
@pytest.mark.parametrize("seed", range(4))
def test_stump_equals_exhaustive_search(n_models, seed):
    rng = np.random.default_rng(seed)
    X, y = problem(seed)
    weights = dirichlet(rng, n_models, len(y))
    weights[:, rng.random(len(y)) < 0.3] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    stumps, predicted = BoundStump(X, y).fit(weights)
    for b in range(n_models):
        feature, threshold, polarity, edge = naive.naive_stump(X, weights[b], 2 * y.astype(int) - 1)
        assert stumps[b].feature == feature
        assert stumps[b].threshold == pytest.approx(threshold)
        assert stumps[b].polarity == polarity
        signs = stumps[b].predict(X)
        np.testing.assert_array_equal(signs, 2 * predicted[b].astype(int) - 1)
        assert weights[b] @ (signs * (2 * y - 1)) == pytest.approx(edge, abs=1e-12)


def test_tied_features_go_to_the_lowest():
    X, y = problem(0)
    doubled = np.hstack([X[:, [1]], X[:, [0]], X[:, [0]], -X[:, [0]]])
    weights = dirichlet(np.random.default_rng(1), 35, len(y))
    stumps, _ = BoundStump(doubled, y).fit(weights)
    assert set(stumps.feature) <= {0, 1}
    single, _ = BoundStump(doubled, y).fit(weights[:1])
    assert single[0] == stumps[0]


def all_jobs():
    """Every variant at three cost ratios, as one batch."""
    jobs = []
    for variant in VARIANTS.values():
        costs = variant.scale(check_costs([1.0, 5.0, 0.5], 1.0))
        jobs.append(Batch(variant.build_rules(), costs))
    return jobs


@pytest.mark.parametrize("learner", ["stump", "tree", "univariate_logistic"])
def test_a_model_is_the_same_to_the_bit_alone_and_in_any_batch(learner):
    X, y = problem(2, n=70, decimals=3)
    rng = np.random.default_rng(0)
    jobs = all_jobs()
    n_models = sum(map(len, jobs))
    weights = np.ones((n_models, len(y)))
    weights[rng.random(weights.shape) < 0.25] = 0.0
    bound = bind_learner(learner, X, y)
    batch = boost(bound, TrainingSet(y, weights), jobs, 25, keep_scores=True)
    at = 0
    for job in jobs:
        for k in range(len(job)):
            alone = boost(
                bound, TrainingSet(y, weights[[at]]), [job.take(np.array([k]))], 25, keep_scores=True
            )
            np.testing.assert_array_equal(alone.scores[0], batch.scores[at])
            assert alone.stop_reasons[0] == batch.stop_reasons[at]
            assert pickle.dumps(alone.trace(0)[2]) == pickle.dumps(batch.trace(at)[2])
            np.testing.assert_array_equal(alone.trace(0)[0], batch.trace(at)[0])
            at += 1


@pytest.mark.parametrize("learner", [BoundStump, BoundUnivariateLogistic])
def test_threads_do_not_change_the_model(learner):
    X, y = problem(3, n=12000, d=100, decimals=2)
    job = Batch(VARIANTS["cgada"].build_rules(), check_costs([1.0, 3.0], 1.0))
    weights = np.ones((2, len(y)))
    one, two = (
        boost(learner(X, y, n_jobs=n_jobs), TrainingSet(y, weights), [job], 6, keep_scores=True).scores
        for n_jobs in (1, 3)
    )
    np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize("learner", ["stump", "tree", "univariate_logistic", "logistic"])
def test_weight_zero_equals_an_absent_row(learner):
    X, y = problem(4, n=60, decimals=2)
    absent = np.zeros(len(y), bool)
    absent[::4] = True
    weights = np.where(absent, 0.0, 1.0)[np.newaxis]
    job = Batch(VARIANTS["cgada"].build_rules(), check_costs(3.0, 1.0))
    with_zeros = boost(bind_learner(learner, X, y), TrainingSet(y, weights), [job], 12, keep_scores=True)
    without = boost(
        bind_learner(learner, X[~absent], y[~absent]),
        TrainingSet(y[~absent], np.ones((1, (~absent).sum()))),
        [job],
        12,
    )
    for ours, theirs in zip(with_zeros.trace(0)[2], without.trace(0)[2], strict=True):
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    tolerance = 1e-12 if learner in ("stump", "tree") else 1e-7
    np.testing.assert_allclose(with_zeros.trace(0)[0], without.trace(0)[0], rtol=tolerance)


def test_scores_of_unseen_rows_follow_the_same_stumps():
    X, y = problem(5, n=90, decimals=3)
    weights = np.r_[np.ones(60), np.zeros(30)][np.newaxis]
    job = Batch(VARIANTS["adaboost"].build_rules(), check_costs())
    result = boost(BoundStump(X, y), TrainingSet(y, weights), [job], 20, keep_scores=True)
    alphas, _, stumps = result.trace(0)
    expected = sum(a * s.predict(X) for a, s in zip(alphas, stumps, strict=True))
    np.testing.assert_allclose(result.scores[0], expected, rtol=1e-12)


@pytest.mark.parametrize("key", VARIANTS)
def test_extreme_costs_and_many_rounds_stay_finite(key):
    X, y = problem(6, n=40)
    for ratio in (1e6, 1e-6):
        costs = VARIANTS[key].scale(check_costs(ratio, 1.0))
        job = Batch(VARIANTS[key].build_rules(), costs)
        with np.errstate(over="raise"):
            result = boost(
                BoundStump(X, y),
                TrainingSet(y, np.ones((1, 40))),
                [job],
                2000,
                keep_nonpositive=True,
                keep_scores=True,
            )
        alphas, masses, _ = result.trace(0)
        assert (
            np.all(np.isfinite(alphas)) and np.all(np.isfinite(masses)) and np.all(np.isfinite(result.scores))
        )


def test_long_runs_agree_with_weights_recomputed_from_the_margins():
    X, y = problem(7, n=50, decimals=3)
    job = Batch(VARIANTS["cgada"].build_rules(), Costs(np.array([4.0]), np.array([1.0])))
    alphas, masses, stumps = boost(BoundStump(X, y), TrainingSet(y, np.ones((1, 50))), [job], 2000).trace(0)
    signs = 2.0 * y - 1
    log_weights = np.log(np.where(y == 1, 4.0, 1.0))
    for t, (alpha, stump) in enumerate(zip(alphas, stumps, strict=True)):
        if t % 400 == 399:
            w = np.exp(log_weights - log_weights.max())
            right = stump.predict(X) == signs
            assert masses[t, 0, 1] + masses[t, 1, 0] == pytest.approx(w[~right].sum() / w.sum(), rel=1e-9)
        log_weights -= alpha * signs * stump.predict(X)
    assert len(alphas) > 400


@pytest.mark.parametrize("step, rounds", [(10.0, 80), (400.0, 2), (900.0, 1)])
def test_no_weight_vanishes_and_each_grows_back(step, rounds):
    # the one positive is right, then wrong, for so many rounds; each moves its weight by exp(-step)
    y = np.array([1, 0, 0, 0, 0, 0], np.int8)
    right, wrong = np.array([1, 1, -1, -1, -1, -1]), np.array([-1, 1, -1, -1, -1, -1])
    positive_only = np.array([0.0, 1.0])[:, None, None]
    rules = Rules(
        initial=lambda c, T: np.ones_like(c),
        alpha=lambda M, c, T: np.full(1, 0.1),
        log_factors=lambda alpha, c, T: -step * positive_only * hit_sign,
    )
    learner = ScriptedLearner([right] * rounds + [wrong] * (rounds + 1))
    boost(learner, TrainingSet(y, np.ones((1, 6))), [Batch(rules, check_costs())], 2 * rounds + 1)
    seen = [weights[0, 0] for weights in learner.seen]
    assert min(seen) > np.finfo(float).tiny and seen[rounds] < np.exp(-600)
    np.testing.assert_allclose(learner.seen[2 * rounds][0], 1 / 6, rtol=1e-9)


@pytest.mark.parametrize("key", ["csada"])
def test_joint_selection_reaches_the_smallest_loss_of_all_stumps(key):
    X, y = problem(9, n=30)
    c = np.where(y == 1, 3.0, 1.0)
    rules = VARIANTS[key].build_rules(selection="joint")
    result = boost(
        BoundStump(X, y), TrainingSet(y, np.ones((1, 30))), [Batch(rules, check_costs(3.0, 1.0))], 4
    )
    alphas, _, stumps = result.trace(0)
    signs, margin = 2.0 * y - 1, np.zeros(30)
    grid = np.linspace(-4, 4, 801)
    for alpha, stump in zip(alphas, stumps, strict=True):
        reached = np.exp(-c * (margin + alpha * signs * stump.predict(X))).sum()
        for f in range(X.shape[1]):
            for value in [-np.inf, *np.unique(X[:, f])]:
                u = signs * np.where(X[:, f] > value, 1, -1)
                assert reached <= np.exp(-c * (margin + grid[:, None] * u)).sum(axis=1).min() + 1e-9
        margin += alpha * signs * stump.predict(X)


@pytest.mark.parametrize("cost", [1e-4, 1.0, 1e4])
def test_a_joint_selection_measures_loss_without_a_unit(cost):
    errors = np.array([0.1, 0.4999, 0.5])
    M = np.array([[1 - errors, errors], [errors, 1 - errors]]) / 2
    best_loss = VARIANTS["csada"].build_rules(selection="joint").best_loss
    shares = best_loss(M, np.full((2, 1, 1), cost))
    np.testing.assert_allclose(shares, 2 * np.sqrt(errors * (1 - errors)), rtol=1e-12)


def test_of_neighbouring_values_the_lower_is_the_threshold_of_a_joint_selection():
    low = np.nextafter(1.0, 2.0)  # the mean of it and the next is rounded to the next
    X, y = np.array([[low], [np.nextafter(low, 2.0)]]).repeat(2, axis=0), np.array([0, 0, 1, 1], np.int8)
    rules = VARIANTS["csada"].build_rules(selection="joint")
    result = boost(
        BoundStump(X, y), TrainingSet(y, np.ones((1, 4))), [Batch(rules, check_costs(3.0, 1.0))], 1
    )
    (stump,) = result.trace(0)[2]
    assert stump[:3] == (0, low, 1)
    np.testing.assert_array_equal(stump.predict(X), 2 * y - 1)


def test_jobs_of_different_length_train_as_they_would_alone():
    X, y = problem(0)
    learner = bind_learner("stump", X, y)
    costs = check_costs([3.0, 1.0], [1.0, 2.0])
    jobs = [
        Batch(VARIANTS["asymada"].build_rules(), costs, rounds=np.array([7, 5])),
        Batch(VARIANTS["asymada"].build_rules(), costs),
    ]
    weights = np.full((4, len(y)), 1 / len(y))
    together = boost(learner, TrainingSet(y, weights), jobs, 12)
    assert together.n_rounds.tolist() == [7, 5, 12, 12] and set(together.stop_reasons) == {"max_rounds"}
    for lane, (at, rounds) in enumerate([(0, 7), (1, 5), (0, 12), (1, 12)]):
        alone = boost(learner, TrainingSet(y, weights[:2]), [Batch(jobs[0].rules, costs)], rounds)
        np.testing.assert_array_equal(together.trace(lane)[0], alone.trace(at)[0])


@pytest.mark.parametrize("learner", ["stump", "tree", "univariate_logistic", "logistic"])
def test_scores_of_a_batch_are_the_votes_added_up(learner):
    X, y = problem(1)
    new = problem(2, n=30)[0]
    costs = check_costs([5.0, 1.0, 1.0], [1.0, 1.0, 5.0])
    weights = np.full((3, len(y)), 1 / len(y))
    trained = boost(
        bind_learner(learner, X, y),
        TrainingSet(y, weights),
        [Batch(VARIANTS["cgada"].build_rules(), costs)],
        6,
    )
    scores = trained.decision_function(new)
    chosen = trained.decision_function(new, np.array([True, False, True]))
    for lane in range(3):
        alphas, _, hypotheses = trained.trace(lane)
        terms = [alpha * h.predict(new) for alpha, h in zip(alphas, hypotheses, strict=True)]
        np.testing.assert_allclose(scores[lane], np.sum(terms, axis=0), atol=1e-12)
        np.testing.assert_array_equal(chosen[lane], scores[lane] if lane != 1 else 0.0)
        assert trained.alpha_sum[lane] == pytest.approx(alphas.sum())


@pytest.mark.parametrize("of", [np.float64, np.float32])
def test_scores_of_stumps_are_to_the_last_bit_what_a_naive_loop_adds_up(of):
    """Models that end early, votes of either sign, values at the thresholds and values that are missing."""
    rng = np.random.default_rng(3)
    n_models, X = 7, rng.integers(-3, 4, (50, 4)) * of(0.1)
    X[rng.random(X.shape) < 0.05] = np.nan
    rounds, expected = [], np.zeros((n_models, len(X)))
    for _ in range(12):
        models = np.flatnonzero(rng.random(n_models - 1) < 0.8)  # of the last there is no hypothesis
        position = rng.permutation(n_models)[: len(models)]
        threshold = np.where(rng.random(n_models) < 0.1, -np.inf, rng.choice(X[np.isfinite(X)], n_models))
        feature, polarity = rng.integers(0, 4, n_models), rng.choice([-1, 1], n_models)
        stumps = StumpBatch(feature, threshold, polarity, rng.random(n_models) < 0.5)
        alpha = rng.normal(size=len(models))
        rounds.append(Round(models, alpha, np.zeros((2, 2, len(models))), stumps, position))
        for model, vote, p in zip(models, alpha, position, strict=True):
            for i, x in enumerate(X):
                value = float(x[stumps.feature[p]])
                above = stumps.missing_above[p] if np.isnan(value) else value > stumps.threshold[p]
                expected[model, i] += vote if above == (stumps.polarity[p] > 0) else -vote
    n_rounds = np.bincount(np.concatenate([each.models for each in rounds]), minlength=n_models)
    constant = np.full(n_models, 0.25)
    expected[-1] = 0.25
    trained = Trained([], rounds, np.full(n_models, "max_rounds"), n_rounds, constant, None)
    for given in (X, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(trained.decision_function(given), expected)
    for lane in range(n_models - 1):
        alphas, _, hypotheses = trained.trace(lane)
        alone = Model(hypotheses, alphas, np.zeros(len(alphas)), None, "max_rounds")
        np.testing.assert_array_equal(alone.decision_function(X), expected[lane])


@pytest.mark.parametrize("n_models", [1, 40])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.6, 0.97])
def test_stump_equals_exhaustive_search_where_one_value_is_common(n_models, share):
    rng = np.random.default_rng(int(100 * share))
    X = np.where(rng.random((90, 6)) < share, rng.integers(0, 4, (90, 6)), 1).astype(float)
    X[:, 5] = 1.0  # nothing but the common value
    y = (rng.random(90) < 0.3 + 0.3 * (X[:, 0] > 1)).astype(np.int8)
    weights = dirichlet(rng, n_models, 90)
    stumps, predicted = BoundStump(X, y).fit(weights)
    for b in range(n_models):
        feature, threshold, polarity, _ = naive.naive_stump(X, weights[b], 2 * y.astype(int) - 1)
        assert (stumps[b].feature, stumps[b].polarity) == (feature, polarity)
        assert stumps[b].threshold == pytest.approx(threshold)
