"""LogitBoost, AsyBL and asymmetric LogitBoost: a naive implementation, identities, hard cases."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.tree import DecisionTreeRegressor

from csb.engine.learners.regression import RegressionStump, bind_regressor
from csb.estimators.logit import AsyBL, AsymmetricLogitBoost, LogitBoost
from problems import curved

FAMILY = [LogitBoost, AsyBL, AsymmetricLogitBoost]


def problem(seed=0, n=70, decimals=1):
    rng = np.random.default_rng(seed)
    X, y = curved(rng, n, 3, decimals, bend=1.0, above=1.0)
    return X, y.astype(int), rng.uniform(0.2, 2, n)


def naive_stump(X, w, z):
    """Best split by trying every one, features and thresholds in order; the constant first."""
    mean = np.average(z, weights=w)
    best = (np.sum(w * (z - mean) ** 2), 0, -np.inf, mean, mean)
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for threshold in (values[1:] + values[:-1]) / 2:
            above = X[:, feature] > threshold
            low, high = np.average(z[~above], weights=w[~above]), np.average(z[above], weights=w[above])
            loss = np.sum(w * (z - np.where(above, high, low)) ** 2)
            if loss < best[0] - 1e-9:
                best = (loss, feature, threshold, low, high)
    return best[1:]


def naive_asybl(X, y, q, rho, rounds):
    """Algorithm 2 of Cao et al., its steps in order, one example at a time where it matters."""
    F, stumps = np.zeros(len(X)), []
    for _ in range(rounds):
        p = 1 / (1 + rho * np.exp(-2 * F))
        w = q * p * (1 - p)
        z = np.array(
            [min(1 / pi, 4.0) if yi else max(-1 / (1 - pi), -4.0) for pi, yi in zip(p, y, strict=True)]
        )
        feature, threshold, low, high = naive_stump(X, w, z)
        stumps.append((feature, threshold))
        F = F + 0.5 * np.where(X[:, feature] > threshold, high, low)
    return F, stumps


@pytest.mark.parametrize("rho", [1.0, 5.0, 0.2])
def test_asybl_against_a_naive_implementation(rho):
    for seed in range(3):
        X, y, q = problem(seed)
        model = AsyBL(rho, n_estimators=12).fit(X, y, sample_weight=q)
        F, stumps = naive_asybl(X, y, q, rho, 12)
        assert [(h.feature, pytest.approx(h.threshold)) for h in model.estimators_] == stumps
        np.testing.assert_allclose(model.decision_function(X), F, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + rho * np.exp(-2 * F)), rtol=1e-9)


@pytest.mark.parametrize("cls", [AsyBL, AsymmetricLogitBoost])
def test_equal_costs_give_logitboost(cls):
    X, y, q = problem()
    plain = LogitBoost(20).fit(X, y, q)
    model = cls(1.0, 1.0, 20).fit(X, y, q)
    np.testing.assert_array_equal(model.decision_function(X), plain.decision_function(X))
    np.testing.assert_array_equal(model.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("costs", [(5.0, 1.0), (0.3, 2.0)])
@pytest.mark.parametrize("learner", ["stump", DecisionTreeRegressor(max_depth=3, random_state=0)])
def test_asymmetric_logitboost_is_asybl(costs, learner):
    X, y, q = problem()
    one, other = (
        cls(*costs, 15, learner, random_state=0).fit(X, y, q) for cls in (AsyBL, AsymmetricLogitBoost)
    )
    for F, f in zip(one.staged_decision_function(X), other.staged_decision_function(X), strict=True):
        np.testing.assert_allclose(0.5 * sum(costs) * f, F, atol=1e-12)
    for p, q_ in zip(one.staged_predict_proba(X), other.staged_predict_proba(X), strict=True):
        np.testing.assert_allclose(q_, p, atol=1e-12)


@pytest.mark.parametrize("rho", [5.0, 0.1])
def test_asybl_is_logitboost_with_an_offset_and_a_moved_threshold(rho):
    """LogitBoost by the naive loop, started at minus half the log ratio, thresholded at c."""
    X, y, q = problem(4)
    G = np.full(len(X), -0.5 * np.log(rho))
    for _ in range(10):
        p = expit(2 * G)
        z = np.clip(np.where(y == 1, 1 / p, -1 / (1 - p)), -4, 4)
        feature, threshold, low, high = naive_stump(X, q * p * (1 - p), z)
        G = G + 0.5 * np.where(X[:, feature] > threshold, high, low)
    model = AsyBL(rho, n_estimators=10).fit(X, y, q)
    np.testing.assert_allclose(model.decision_function(X), G + 0.5 * np.log(rho), atol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (expit(2 * G) > 1 / (1 + rho)).astype(int))


@pytest.mark.parametrize("cls", FAMILY)
def test_stages_end_where_the_model_is(cls):
    X, y, _ = problem()
    model = cls(n_estimators=7).fit(X, y)
    stages = {
        name: list(getattr(model, f"staged_{name}")(X))
        for name in ("predict", "predict_proba", "decision_function")
    }
    for name, values in stages.items():
        assert len(values) == len(model.estimators_) == 7
        np.testing.assert_array_equal(values[-1], getattr(model, name)(X))
    shorter = cls(n_estimators=3).fit(X, y)
    np.testing.assert_allclose(stages["decision_function"][2], shorter.decision_function(X))


@pytest.mark.parametrize("learner", ["stump", DecisionTreeRegressor(max_depth=2, random_state=0)])
def test_weight_zero_equals_an_absent_row(learner):
    X, y, q = problem()
    q[::3] = 0
    model = AsyBL(3, 1, 8, learner, random_state=0).fit(X, y, q)
    without = AsyBL(3, 1, 8, learner, random_state=0).fit(X[q > 0], y[q > 0], q[q > 0])
    np.testing.assert_allclose(model.decision_function(X), without.decision_function(X), atol=1e-9)


def test_model_does_not_depend_on_threads():
    X, y, q = problem(1, 40_000, 3)  # enough rows for threads to share their sums
    models = [AsyBL(3, n_estimators=10, n_jobs=jobs).fit(np.tile(X, 6), y, q) for jobs in (1, 3)]
    np.testing.assert_array_equal(
        models[0].decision_function(np.tile(X, 6)), models[1].decision_function(np.tile(X, 6))
    )


def test_sums_of_regression_stumps_are_the_same_to_the_last_bit_for_any_threads():
    rng = np.random.default_rng(0)
    X, w, z = rng.normal(size=(50_000, 12)), rng.random(50_000), rng.normal(size=50_000)
    one, three = (bind_regressor("stump", X, n_jobs=jobs)._add_up(w, z) for jobs in (1, 3))
    for sums, others in zip(one, three, strict=True):
        np.testing.assert_array_equal(sums, others)
    assert one[0][0, :, :, 0, 0].sum() == pytest.approx(w.sum())
    assert one[1] == pytest.approx(np.sum(w * z**2))


@pytest.mark.parametrize("seed", range(5))
def test_regression_stump_against_brute_force(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, (40, 3)).astype(float)
    w, z = rng.uniform(0, 1, 40), rng.normal(size=40)
    stump, values = bind_regressor("stump", X).fit(w, z)
    feature, threshold, low, high = naive_stump(X, w, z)
    assert stump[:4] == pytest.approx((feature, threshold, low, high))
    np.testing.assert_array_equal(values, stump.predict(X))


@pytest.mark.parametrize("distinct", [None, 5000])
def test_regression_stumps_of_many_rows_are_the_splits_of_scikit_learns_trees(distinct):
    rng = np.random.default_rng(0)  # so many rows are added up in parts
    X = rng.normal(size=(50_000, 4))
    X[:, 3] = rng.standard_cauchy(50_000) if distinct is None else rng.integers(0, distinct, 50_000)
    X = X.astype(np.float32).astype(float)  # in single precision trees compare
    learner = bind_regressor("stump", X)
    for k in range(12):  # codes are put in order as they are needed
        w = rng.gamma(0.5, size=50_000) * (rng.random(50_000) < 0.9)
        signal = np.where(X[:, k % 4] > rng.normal(), 0.1, 0.0)
        z = signal + rng.normal(size=50_000)
        stump, values = learner.fit(w / w.sum(), z)
        tree = DecisionTreeRegressor(max_depth=1, random_state=0).fit(X[w > 0], z[w > 0], w[w > 0])
        assert (stump.feature, stump.threshold) == (tree.tree_.feature[0], tree.tree_.threshold[0])
        np.testing.assert_allclose(values, tree.predict(X), rtol=1e-9)
        np.testing.assert_array_equal(values, stump.predict(X))


def test_ties_go_to_the_lowest_feature_then_the_lowest_cut():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0], [3.0, 3.0]])
    stump, _ = bind_regressor("stump", X).fit(np.ones(4), np.array([1.0, 0.0, 0.0, 1.0]))
    assert stump[:2] == (0, 0.5)
    constant, _ = bind_regressor("stump", X).fit(np.ones(4), np.ones(4))
    assert constant == RegressionStump(0, -np.inf, 1.0, 1.0)


def test_the_mean_of_a_side_of_little_weight_is_its_own():
    """As a difference from the sums of all rows it would be 1.9994 here."""
    stump, _ = bind_regressor("stump", np.array([[0.0], [1.0]])).fit(
        np.array([1 - 1e-13, 1e-13]), np.array([1 / 3, 2.0])
    )
    assert (stump.below, stump.above) == pytest.approx((1 / 3, 2.0), rel=1e-15)


def test_neighbouring_values_are_told_apart():
    a = np.nextafter(1.0, 2.0)
    X = np.array([[a], [np.nextafter(a, 2.0)]])
    assert list(LogitBoost(5).fit(X, [0, 1]).predict(X)) == [0, 1]


@pytest.mark.parametrize("ratio", [1e6, 1e-6])
@pytest.mark.parametrize("case", ["separable", "constant feature", "one feature, 20 rows", "duplicates"])
def test_hard_but_legal(ratio, case):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    if case == "constant feature":
        X, y = np.ones((60, 2)), rng.integers(0, 2, 60)
    elif case == "one feature, 20 rows":
        X, y = X[:20, :1], (rng.random(20) < 0.5).astype(int)
    elif case == "duplicates":
        X, y = np.repeat(X[:6], 10, axis=0), rng.integers(0, 2, 60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for cls in (AsyBL, AsymmetricLogitBoost):
            model = cls(ratio, 1.0, 200).fit(X, y)
            assert np.all(np.isfinite(model.decision_function(X)))
            p = model.predict_proba(X)
            assert np.all((p >= 0) & (p <= 1))
            np.testing.assert_allclose(p.sum(axis=1), 1)


def test_nothing_left_to_fit_ends_training():
    X = np.array([[0.0], [0.0], [1.0], [1.0]])
    model = LogitBoost(2000).fit(X, [0, 1, 1, 0])
    assert model.stop_reason_ == "no_edge"
    assert model.predict_proba(X)[0, 1] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"largest_response": 0.0}, "largest_response=0.0"),
        ({"estimator": "stumb"}, "nearest is 'stump'"),
        ({"estimator": 3}, "estimator=3"),
        ({"n_estimators": 0}, "n_estimators=0"),
        ({"fn_cost": -1.0}, "fn_cost=-1.0"),
        ({"pos_label": 7}, "pos_label=7"),
    ],
)
def test_bad_input_is_named(settings, message):
    X, y, _ = problem()
    with pytest.raises(ValueError, match=message):
        AsyBL(**settings).fit(X, y)


def test_predicting_with_other_costs_is_refused():
    X, y, _ = problem()
    model = AsyBL(2.0, n_estimators=3).fit(X, y)
    with pytest.raises(ValueError, match="fitted with fn_cost=2.0"):
        model.set_params(fn_cost=3.0).predict(X)
    one = AsyBL(5, 1, 6, pos_label=0).fit(X, y).decision_function(X)
    np.testing.assert_array_equal(one, AsyBL(1, 5, 6).fit(X, y).decision_function(X))


def test_dearer_misses_are_rarer():
    X, y, _ = problem(2, 300)
    missed = [np.sum((AsyBL(c, n_estimators=15).fit(X, y).predict(X) == 0) & (y == 1)) for c in (0.1, 10)]
    assert missed[1] < missed[0]
