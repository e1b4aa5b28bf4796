"""Platt scaling and isotonic regression on scores."""

import warnings

import numpy as np
import pytest
from scipy.optimize import least_squares, minimize
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.calibration import CalibratedClassifierCV, _SigmoidCalibration
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from csb import CalibratedAdaMEC, CostDecision
from csb.evaluation.calibration import (
    CALIBRATORS,
    IsotonicCalibration,
    PlattScaling,
    calibrate_models,
    make_calibrator,
)
from oracles.searches import line_of_scores, platt_targets, scored

ALL = list(CALIBRATORS)
AFFINE = [name for name in ALL if name != "temperature"]
"""To these it does not matter where the zero of the scores is."""
SIGMOIDS = ["sigmoid", "sigmoid_ls"]


def sample(seed=0, n=60):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return rng.normal(size=n) + 1.3 * y, y, rng.integers(0, 4, n)


def targets(y, weight):
    n_pos, n_neg = weight[y == 1].sum(), weight[y == 0].sum()
    return np.where(y == 1, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))


def naive_loss(name, scores, y, weight, a, b):
    total = 0.0
    for s, t, w in zip(scores, targets(y, weight), weight, strict=True):
        p = 1 / (1 + np.exp(a * s + b))
        if name == "sigmoid":
            total -= w * (t * np.log(p) + (1 - t) * np.log(1 - p))
        else:
            total += w * (t - p) ** 2
    return total


@pytest.mark.parametrize("name", SIGMOIDS)
@pytest.mark.parametrize("seed", range(4))
def test_platt_minimises_the_naive_loss(name, seed):
    scores, y, weight = sample(seed)
    platt = make_calibrator(name).fit(scores, y, weight)
    start = minimize(
        lambda ab: naive_loss(name, scores, y, weight, *ab), [-1.0, 0.0], method="Nelder-Mead",
        options={"xatol": 1e-9, "fatol": 1e-14, "maxiter": 4000},
    )  # fmt: skip
    np.testing.assert_allclose([platt.a_, platt.b_], start.x, rtol=1e-5, atol=1e-6)
    assert naive_loss(name, scores, y, weight, platt.a_, platt.b_) <= start.fun * (1 + 1e-12)


class Score(ClassifierMixin, BaseEstimator):
    """The one feature is the score."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X)[:, 0]

    def predict(self, X):
        return self.classes_[(self.decision_function(X) > 0).astype(int)]


@pytest.mark.filterwarnings("ignore:Since FrozenEstimator")
@pytest.mark.parametrize("weighted", [False, True])
def test_platt_equals_scikit_learns(weighted):
    scores, y, weight = sample(5, 300)
    weight = weight.astype(float) if weighted else None
    X = scores[:, None]
    theirs = CalibratedClassifierCV(FrozenEstimator(Score().fit(X, y)), method="sigmoid", ensemble=False)
    theirs.fit(X, y, sample_weight=weight)
    ours = PlattScaling().fit(scores, y, weight)
    np.testing.assert_allclose(ours.predict(scores), theirs.predict_proba(X)[:, 1], atol=2e-6)


def test_platt_equals_logistic_regression_on_both_labels_of_each_example():
    scores, y, weight = sample(6)
    t = targets(y, weight)
    model = LogisticRegression(C=np.inf, tol=1e-12, max_iter=2000, solver="newton-cg")
    model.fit(
        np.tile(scores, 2)[:, None], np.repeat([1, 0], len(y)), np.concatenate([weight * t, weight * (1 - t)])
    )
    platt = PlattScaling().fit(scores, y, weight)
    np.testing.assert_allclose([-platt.a_, -platt.b_], [model.coef_[0, 0], model.intercept_[0]], atol=1e-7)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("width", [1e-3, 1.0, 1e6])
def test_likelihood_is_stationary(seed, width):
    scores, y, weight = sample(seed)
    p = PlattScaling().fit(scores * width, y, weight).predict(scores * width)
    left = weight * (p - targets(y, weight))
    assert abs(left.sum()) < 1e-9
    assert abs(left @ scores) < 1e-9


@pytest.mark.parametrize("name", SIGMOIDS)
@pytest.mark.parametrize("a, b", [(3.0, -7.0), (1e6, 0.0), (1e-6, 1e-3), (0.01, 10.0), (-2.0, 1.0)])
def test_platt_does_not_depend_on_the_scale_of_the_scores(name, a, b):
    scores, y, weight = sample(7)
    plain = make_calibrator(name).fit(scores, y, weight).predict(scores)
    mapped = make_calibrator(name).fit(a * scores + b, y, weight).predict(a * scores + b)
    np.testing.assert_allclose(mapped, plain, rtol=0, atol=1e-9)


def votes(n=400, rounds=25, seed=3):
    """Vote share and raw score of an ensemble of few rounds, each summed in its own order."""
    rng = np.random.default_rng(seed)
    alphas = np.round(rng.random(rounds), 1) + 0.1
    h = rng.choice([-1, 1], size=(n, rounds))
    share = (h == 1) @ alphas / alphas.sum()
    raw = (h[:, ::-1] * alphas[::-1]).sum(axis=1)
    return share, raw, (rng.random(n) < share).astype(int)


@pytest.mark.parametrize("name", AFFINE)
def test_vote_share_and_raw_score_give_the_same_probabilities(name):
    share, raw, y = votes()
    assert len(np.unique(raw)) > len(np.unique(raw.round(9))), "no tie was broken by rounding"
    fit_share, fit_raw = (make_calibrator(name).fit(s, y).predict(s) for s in (share, raw))
    np.testing.assert_allclose(fit_share, fit_raw, rtol=0, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-20, 1.0, 1e6])
def test_isotonic_is_scikit_learns_where_no_scores_are_near(scale):
    scores, y, weight = sample(8)
    keep = weight > 0
    ours = IsotonicCalibration().fit(scores * scale, y, weight).predict(np.linspace(-5, 5, 99) * scale)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(scores[keep], y[keep], weight[keep])
    np.testing.assert_allclose(ours, theirs.predict(np.linspace(-5, 5, 99)), atol=1e-12)


def test_isotonic_merges_scores_that_differ_by_rounding_only():
    scores = np.array([0.0, 0.3, 0.1 + 0.2, 1.0])
    assert scores[1] < scores[2]
    np.testing.assert_array_equal(
        IsotonicCalibration().fit(scores, [0, 0, 1, 1]).predict(scores).round(12), [0, 0.5, 0.5, 1]
    )


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("seed", range(3))
def test_probabilities_are_monotone_and_inside_the_unit_interval(name, seed):
    scores, y, weight = sample(seed)
    p = make_calibrator(name).fit(scores, y, weight).predict(np.linspace(-50, 50, 501))
    assert np.all(np.diff(p) >= 0) and p[0] < p[-1] and p[0] >= 0 and p[-1] <= 1


@pytest.mark.parametrize("name", ALL)
def test_integer_weights_are_copies_and_zero_is_absence(name):
    scores, y, weight = sample(9)
    weighted = make_calibrator(name).fit(scores, y, weight).predict(scores)
    copied = make_calibrator(name).fit(np.repeat(scores, weight), np.repeat(y, weight)).predict(scores)
    np.testing.assert_allclose(weighted, copied, rtol=0, atol=1e-10)


@pytest.mark.parametrize("label", [1, -1, 7])
@pytest.mark.parametrize("name", ALL)
def test_a_row_of_weight_zero_is_absent_whatever_its_label(name, label):
    scores, y, weight = sample(9)
    alone = make_calibrator(name).fit(scores, y, weight)
    more = np.append(scores, 9.0), np.append(y, label), np.append(weight, 0)
    beside = make_calibrator(name).fit(*more)
    np.testing.assert_array_equal(beside.predict(scores), alone.predict(scores))


@pytest.mark.parametrize("name", ALL)
def test_labels_minus_one_and_one(name):
    scores, y, _ = sample(10)
    np.testing.assert_array_equal(
        make_calibrator(name).fit(scores, 2 * y - 1).predict(scores),
        make_calibrator(name).fit(scores, y).predict(scores),
    )


@pytest.mark.parametrize("name", SIGMOIDS)
@pytest.mark.parametrize("y", [[1, 0, 0, 1, 1, 1, 0], [1], [0], [1, 1, 1], [0, 1]])
def test_constant_scores_give_the_mean_of_the_targets(name, y):
    y = np.array(y)
    p = make_calibrator(name).fit(np.full(len(y), 3.7), y).predict([3.7, 3.7])
    np.testing.assert_allclose(p, targets(y, np.ones(len(y))).mean(), rtol=1e-12)


@pytest.mark.parametrize("name", SIGMOIDS)
@pytest.mark.parametrize("label", [0, 1])
def test_one_class_gives_its_target(name, label):
    model = make_calibrator(name).fit(np.arange(6.0), np.full(6, label))
    assert model.a_ == 0.0
    np.testing.assert_allclose(model.predict([-1.0, 9.0]), 7 / 8 if label else 1 / 8, rtol=1e-15)


def test_constant_scores_give_isotonic_the_base_rate():
    np.testing.assert_allclose(IsotonicCalibration().fit([2, 2, 2], [1, 0, 0]).predict([1, 2, 3]), 1 / 3)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("n", [2, 3, 50])
def test_separable_and_extreme_scores_stay_finite(name, scale, n):
    scores = np.concatenate([np.linspace(-1, -0.5, n), np.linspace(0.5, 1, n)]) * scale
    y = np.repeat([0, 1], n)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = make_calibrator(name).fit(scores, y)
        p = model.predict(np.concatenate([scores, [-1e9 * scale, 1e9 * scale]]))
    assert np.all(np.isfinite(p))
    if name == "isotonic":
        np.testing.assert_array_equal(p[:-2], y)
    elif name == "temperature":
        np.testing.assert_allclose(p[:-2], y, atol=1e-12)
    elif name == "venn_abers":
        assert np.all((p[:-2] > 0.5) == y) and np.all((p > 0) & (p < 1))
    else:
        t = targets(y, np.ones(2 * n))
        assert np.isfinite(model.a_) and abs(p[:-2] - t).max() < 0.2
        np.testing.assert_allclose(p[-2:], [0, 1], atol=1e-12)


def test_two_examples_reach_their_targets():
    for name in SIGMOIDS:
        np.testing.assert_allclose(
            make_calibrator(name).fit([-1, 1], [0, 1]).predict([-1, 1]), [1 / 3, 2 / 3], rtol=1e-9
        )


@pytest.mark.parametrize("seed", range(4))
def test_least_squares_equals_scipys(seed):
    scores, y, weight = sample(seed)
    t, root = targets(y, weight), np.sqrt(weight)
    theirs = least_squares(
        lambda ab: root * (expit(-(ab[0] * scores + ab[1])) - t), [-1, 0], ftol=1e-15, xtol=1e-15, gtol=1e-15
    )
    ours = PlattScaling("least_squares").fit(scores, y, weight)
    np.testing.assert_allclose([ours.a_, ours.b_], theirs.x, atol=1e-6)


def newton(scores, y, weight, squared):
    """Newton's method with halved steps on arrays: slope and offset of the log odds over the scores."""
    t, x = targets(y, weight), np.column_stack([scores, np.ones_like(scores)])

    def at(line):
        p = expit(x @ line)
        pull, curvature = p - t, p * (1 - p)
        loss = np.logaddexp(0, x @ line) - t * (x @ line)
        if squared:
            loss, pull, curvature = (p - t) ** 2 / 2, pull * curvature, curvature**2
        return weight @ loss, x.T @ (weight * pull), x.T * (weight * curvature) @ x

    line = np.array([0.0, np.log((weight @ y + 1) / (weight @ (1 - y) + 1))])
    if squared:
        line = newton(scores, y, weight, False)
    loss, gradient, matrix = at(line)
    for _ in range(100):
        step = np.linalg.lstsq(matrix, gradient, rcond=1e-14)[0]
        while at(line - step)[0] > loss * (1 + 1e-14):
            step = step / 2
        line = line - step
        loss, gradient, matrix = at(line)
    return line


HOSTILE = {
    "ties": lambda s, y: s.round(),
    "constant": lambda s, y: np.full(len(s), 0.3),
    "two values": lambda s, y: np.where(s > 0, 1.0, -1.0),
    "separable": lambda s, y: np.abs(s) * (2 * y - 1),
    "the wrong way round": lambda s, y: -5 * y + s,
    "one far away": lambda s, y: np.append(s[1:], 1e6),
    "huge": lambda s, y: s * 1e300,
    "tiny": lambda s, y: s * 1e-90,
}


@pytest.mark.parametrize("name", SIGMOIDS)
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_scores_get_the_curve_of_a_plain_newton_method(kind, name):
    s, y, weight = sample(11, 700)
    scores = HOSTILE[kind](s, y)
    middle, half = (scores.max() / 2 + scores.min() / 2), (scores.max() / 2 - scores.min() / 2) or 1.0
    slope, offset = newton((scores - middle) / half, y, weight.astype(float), name == "sigmoid_ls")
    found = make_calibrator(name).fit(scores, y, weight).predict(scores)
    np.testing.assert_allclose(found, expit(slope * ((scores - middle) / half) + offset), rtol=0, atol=1e-9)


def rows_of(counts):
    """Scores 0 and 1, labels and weights, from the weights of negatives and positives at each."""
    of_class = [(score, label, weight) for (score, label), weight in counts.items()]
    return tuple(np.array(column, float) for column in zip(*of_class, strict=True))


@pytest.mark.parametrize("name", [*SIGMOIDS, "beta"])
@pytest.mark.parametrize(
    "counts",
    [
        {(0, 0): 541, (1, 1): 10},
        {(0, 1): 541, (1, 0): 10},
        {(1, 0): 541, (0, 1): 10},
        {(0, 0): 180755, (1, 0): 1, (1, 1): 228},
        {(0, 1): 3e9, (1, 1): 1e-3, (1, 0): 2.0},
        {(0, 0): 899300, (1, 1): 40},
        {(0, 0): 1e-12, (0, 1): 1.0, (1, 0): 1e6},
        {(0, 0): 1e-100, (0, 1): 2e-100, (1, 0): 1e-100},
        {(0, 0): 1e40, (1, 1): 1e30},
    ],
)
def test_two_scores_reach_the_mean_of_their_targets(counts, name):
    scores, y, weight = rows_of(counts)
    t = targets(y, weight)
    means = [np.average(t[scores == s], weights=weight[scores == s]) for s in (0, 1)]
    p = make_calibrator(name).fit(scores, y, weight).predict([0.0, 1.0])
    np.testing.assert_allclose(p, means, rtol=1e-6, atol=1e-30)


@pytest.mark.parametrize("name", [*SIGMOIDS, "beta"])
def test_plain_rows_of_two_scores(name):
    y = np.repeat([0, 1], [541, 10])
    np.testing.assert_allclose(make_calibrator(name).fit(y, y).predict([0, 1]), [1 / 543, 11 / 12], rtol=1e-9)


def log_odds(name, scores, y, weight):
    """Those of the calibrator that is fitted to each case, and how far rounding may lead from them."""
    models = [make_calibrator(name).fit(*case) for case in zip(scores, y, weight, strict=True)]
    a, b = np.array([(model.a_, model.b_) for model in models]).T[:, :, np.newaxis]
    return -(a * scores + b), 4 * np.finfo(float).eps * (abs(a * scores) + abs(b))


MANY = pytest.param(100_000, marks=pytest.mark.deep)


@pytest.mark.parametrize("cases", [400, MANY])
def test_likelihood_of_hostile_scores_and_weights_is_the_one_searched_by_halves(cases):
    rng = np.random.default_rng(0)
    for _ in range(0, cases, 1000):
        drawn = scored(rng, min(cases, 1000))
        found, rounding = log_odds("sigmoid", *drawn)
        expected = line_of_scores(*drawn)
        assert np.all(abs(found - expected) <= 1e-6 + 1e-6 * abs(expected) + rounding)


@pytest.mark.parametrize("cases", [400, MANY])
def test_least_squares_of_hostile_scores_and_weights_is_a_minimum_no_worse_than_the_likeliest(cases):
    """There may be several minima, so not by a search: no small turn of the line has a smaller error."""
    rng, smaller = np.random.default_rng(2), 0
    for _ in range(0, cases, 1000):
        scores, y, weight = scored(rng, min(cases, 1000))
        target, rest = platt_targets(y, weight)
        share = weight / weight.max(axis=1, keepdims=True)
        half = scores / 2
        low, high = half.min(axis=1, keepdims=True), half.max(axis=1, keepdims=True)
        x = 2 * (half - low) / (high - low) - 1

        def error(f, share=share, target=target, rest=rest):
            miss = np.where(f < 0, expit(f) - target, rest - expit(-f))
            return (share * miss**2).sum(axis=1)

        (found, rounding), (likeliest, other) = (
            log_odds(name, scores, y, weight) for name in ("sigmoid_ls", "sigmoid")
        )
        least, first = error(found), error(likeliest)
        tolerance = 1e-12 * first + 1e-25 + 2 * (share * (rounding + other)).sum(axis=1)
        assert np.all(least <= first + tolerance)
        smaller += np.sum(least < 0.9 * first)
        for turn in ((0.0, 1.0), (1.0, 0.0), (1.0, -1.0), (1.0, 1.0)):
            for size in (1e-3, -1e-3):
                assert np.all(least <= error(found + size * (turn[0] + turn[1] * x)) + tolerance)
    assert smaller > cases / 100


@pytest.mark.parametrize("seed", range(3))
def test_platt_of_few_unweighted_scores_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        y = np.repeat([0, 1], [rng.integers(50, 2000), rng.integers(1, 20)])
        astray = rng.random(len(y)) < rng.choice([0, 0.01])
        scores = np.where(astray, rng.integers(0, 4, len(y)), 3 * y).astype(float)
        theirs = _SigmoidCalibration().fit(scores, y).predict(scores)
        np.testing.assert_allclose(PlattScaling().fit(scores, y).predict(scores), theirs, atol=1e-4)


@pytest.mark.parametrize("model", [CalibratedAdaMEC(1, 20), CostDecision(fn_cost=1, fp_cost=20)])
def test_few_positives_that_one_cut_separates_are_not_called_positive_where_alarms_are_dear(model):
    """Their probability is about 0.9, the threshold 20/21."""
    y = np.repeat([0, 1], [1770, 30])
    assert not model.fit(y[:, np.newaxis], y).predict([[0], [1]]).any()


@pytest.mark.parametrize("name", SIGMOIDS)
@pytest.mark.parametrize("y", [[1, 1, 1], [0, 0, 0], [0, 1, 1], [1, 0, 1]])
def test_weights_beyond_rounding_leave_no_curvature_and_a_finite_curve(name, y):
    """Platt's targets are then zero and one, to rounding."""
    platt = make_calibrator(name).fit([0.0, 1.0, 2.0], y, [1e30, 1e30, 1e30])
    assert np.isfinite([platt.a_, platt.b_]).all()
    if len(set(y)) == 1:
        np.testing.assert_allclose(platt.predict([0.0, 1.0, 2.0]), y, atol=1e-9)


@pytest.mark.parametrize("name", ALL)
def test_models_are_calibrated_as_each_by_itself(name):
    s, y, _ = sample(12, 150)
    scores = np.array([of(s, y) for of in HOSTILE.values()])
    new = scores[:, ::-2] * 1.5
    found = calibrate_models(name, scores, 2 * y - 1, new)
    for row, before, after in zip(found, scores, new, strict=True):
        np.testing.assert_array_equal(row, make_calibrator(name).fit(before, y).predict(after))


@pytest.mark.parametrize(
    "scores, y, new, message",
    [
        ([0, 1], [0, 1], [[0]], r"scores has shape \(2,\): allowed is \(n, 2\)"),
        ([[0, 1, 2]], [0, 1], [[0]], r"scores has shape \(1, 3\): allowed is \(n, 2\)"),
        ([[0, 1]], [0, 1], [[0], [1]], r"new_scores has shape \(2, 1\): allowed is \(1, n\)"),
        ([[0, 1]], [0, 1], [[np.nan]], "new_scores holds nan"),
        ([[0, 1], [0, 1e-120]], [0, 1], [[0], [1]], "scores reach over 5e-121"),
        ([[0, 1]], [1, 2], [[0]], "0 and 1, or -1 and 1"),
    ],
)
@pytest.mark.parametrize("name", ALL)
def test_bad_scores_of_models_are_named(name, scores, y, new, message):
    with pytest.raises(ValueError, match=message):
        calibrate_models(name, scores, y, new)


@pytest.mark.parametrize("seed", range(3))
def test_least_squares_has_the_smaller_squared_error(seed):
    scores, y, weight = sample(seed)
    t = targets(y, weight)
    by_likelihood, by_squares = (
        weight @ (make_calibrator(name).fit(scores, y, weight).predict(scores) - t) ** 2 for name in SIGMOIDS
    )
    assert by_squares < by_likelihood


@pytest.mark.parametrize(
    "scores, y, weight, message",
    [
        ([0, np.nan], [0, 1], None, "scores holds nan"),
        ([0, np.inf], [0, 1], None, "scores holds inf"),
        ([[0, 1], [1, 0]], [0, 1], None, r"scores has shape \(2, 2\)"),
        ([0, 1, 2], [0, 1], None, r"scores has shape \(3,\): allowed is \(2,\)"),
        ([0, 1, 2], [0, 1, 2], None, "0 and 1, or -1 and 1"),
        ([0, 1], [1, 2], None, "0 and 1, or -1 and 1"),
        ([0, 1], ["a", "b"], None, "0 and 1, or -1 and 1"),
        ([0, 1], [0, 1], [1, -1], "sample_weight holds -1.0"),
        ([0, 1], [0, 1], [0, 0], "zero"),
        ([], [], None, "y has 0 labels"),
    ],
)
@pytest.mark.parametrize("name", AFFINE)  # columns of scores are classes to a temperature
def test_bad_input_is_named(name, scores, y, weight, message):
    with pytest.raises(ValueError, match=message):
        make_calibrator(name).fit(scores, y, weight)


@pytest.mark.parametrize(
    "name, nearest",
    [("sigmoyd", "'sigmoid'"), ("Isotonic", "'isotonic'"), ("sigmoid-ls", "'sigmoid_ls'"), (None, "'")],
)
def test_an_unknown_calibrator_names_the_nearest(name, nearest):
    with pytest.raises(ValueError, match=f"calibration={name!r}: allowed are .*nearest is {nearest}"):
        make_calibrator(name)


def test_an_unknown_method_names_the_known():
    with pytest.raises(ValueError, match="method='newton'.*'likelihood'"):
        PlattScaling(method="newton")
