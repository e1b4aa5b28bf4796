"""Beta calibration and Venn-Abers prediction, against their libraries and naive loops."""

from fractions import Fraction
from hashlib import sha256
from time import perf_counter

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from csb.evaluation.calibration import (
    BetaCalibration,
    PlattScaling,
    VennAbersCalibration,
    make_calibrator,
)
from oracles.searches import platt_targets, scored


def sample(seed, n=200):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    return np.round(rng.normal(size=n) + 1.3 * y + 0.4 * y * rng.normal(size=n), 1), y


def pooled(labels):
    """Isotonic regression in fractions, by pooling what falls until nothing does."""
    levels = [[Fraction(label)] for label in labels]
    while True:
        means = [sum(level) / len(level) for level in levels]
        falls = [k for k in range(len(levels) - 1) if means[k] >= means[k + 1]]
        if not falls:
            return [mean for mean, level in zip(means, levels, strict=True) for _ in level]
        levels[falls[0] : falls[0] + 2] = [levels[falls[0]] + levels[falls[0] + 1]]


@pytest.mark.parametrize("labels", [[0, 1], [1, 0], [0, 1, 0, 1, 1], [0, 0, 1, 0, 0, 1, 1, 0, 1]])
def test_venn_abers_between_scores_in_exact_fractions(labels):
    scores = np.arange(len(labels), dtype=float)
    model = VennAbersCalibration().fit(scores, labels)
    places = np.arange(len(labels) + 1) - 0.5
    both = [[pooled([*labels[:k], own, *labels[k:]])[k] for own in (0, 1)] for k in range(len(labels) + 1)]
    np.testing.assert_allclose(model.intervals(places), np.array(both, float), rtol=1e-14)
    expected = [float(p1 / (1 - p0 + p1)) for p0, p1 in both]
    np.testing.assert_allclose(model.predict(places), expected, rtol=1e-14)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_venn_abers_is_two_isotonic_regressions(seed, weighted):
    scores, y = sample(seed, 60)
    weight = np.random.default_rng(seed).integers(1, 4, 60) if weighted else np.ones(60)
    new = np.linspace(-4, 5, 91)  # many of them tied with scores
    both = np.array(
        [
            [
                IsotonicRegression()
                .fit(np.append(scores, s), np.append(y, own), np.append(weight, 1))
                .predict([s])[0]
                for own in (0, 1)
            ]
            for s in np.round(new, 1)
        ]
    )
    found = VennAbersCalibration().fit(scores, y, weight).intervals(np.round(new, 1))
    np.testing.assert_allclose(found, both, atol=1e-12)


def anew(positives, weights, place, label):
    """Fitted value of an example in a gap (even places) or tied with a group: all is pooled from the left."""
    levels = [[positive, weight, False] for positive, weight in zip(positives, weights, strict=True)]
    if place % 2:
        levels[place // 2] = [levels[place // 2][0] + label, levels[place // 2][1] + 1, True]
    else:
        levels.insert(place // 2, [label, 1.0, True])
    stack = []
    for level in levels:
        stack.append(level)
        while len(stack) > 1 and stack[-2][0] * stack[-1][1] >= stack[-1][0] * stack[-2][1]:
            after, before = stack.pop(), stack.pop()
            stack.append([before[0] + after[0], before[1] + after[1], before[2] or after[2]])
    return next(positive / weight for positive, weight, home in stack if home)


WEIGHTS = {
    "equal": lambda rng, n: np.ones(n), "whole": lambda rng, n: rng.integers(1, 9, n).astype(float),
    "light": lambda rng, n: rng.uniform(0, 0.02, n), "unequal": lambda rng, n: rng.uniform(0, 5, n),
    "far apart": lambda rng, n: 10.0 ** rng.uniform(-25, 25, n),
}  # fmt: skip


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("seed", range(8))
def test_venn_abers_at_every_place_is_the_regression_pooled_anew(seed, weights):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 80))
    score = rng.integers(0, rng.integers(1, 2 * n), n).astype(float)
    y = (rng.random(n) < expit(rng.choice([-1, 0, 1, 3]) * (score - score.mean()) / n)).astype(int)
    weight = WEIGHTS[weights](rng, n)
    values, group = np.unique(score, return_inverse=True)
    groups = np.bincount(group, weight * y), np.bincount(group, weight)
    expected = [[anew(*groups, k, label) for label in (0.0, 1.0)] for k in range(2 * len(values) + 1)]
    places = np.sort(np.concatenate([values, values - 0.3, [values[-1] + 0.3]]))
    found = VennAbersCalibration().fit(score, y, weight).intervals(places)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)


def test_venn_abers_of_many_scores_takes_no_longer_than_sorting_them():
    """All places anew took minutes; now it is a fraction of a second."""
    scores = np.random.default_rng(0).normal(size=50_000)
    y = (np.random.default_rng(1).random(50_000) < expit(scores)).astype(int)
    VennAbersCalibration().fit(scores[:9], y[:9])  # compiled
    start = perf_counter()
    model = VennAbersCalibration().fit(scores, y)
    assert perf_counter() - start < 10
    for s in (-1.2, 0.0, 0.7):
        both = [IsotonicRegression().fit(np.append(scores, s), np.append(y, own)).predict([s])[0]
                for own in (0, 1)]  # fmt: skip
        np.testing.assert_allclose(model.intervals([s])[0], both, atol=1e-12)


def test_venn_abers_equals_the_library():
    library = pytest.importorskip("venn_abers")
    scores, y = sample(5)
    new = np.linspace(-3, 4, 57)
    theirs = library.VennAbers()
    theirs.fit(np.column_stack([expit(-scores), expit(scores)]), y)
    p = theirs.predict_proba(np.column_stack([expit(-new), expit(new)]))[0][:, 1]
    np.testing.assert_allclose(VennAbersCalibration().fit(scores, y).predict(new), p, atol=1e-9)


def test_bytes_are_those_of_the_compiled_loops_that_recorded_results_come_from():
    """A thousand fits, of few scores and many, tied or far apart, with weights and without."""
    digest = sha256()
    for seed in range(350):
        rng = np.random.default_rng(seed)
        n = int(rng.choice([2, 3, 5, 8, 9, 20, 60, 129, 260]))
        score = rng.random(n) - 0.5
        cube = score * score * score  # products: numpy's powers have other bytes on some processors
        scaled = score * 2.0 ** rng.integers(-99, 99)
        score = [score, np.round(score, 1), scaled, cube * cube * cube, score < 0][seed % 5]
        y = (score + rng.random(n) * rng.integers(0, 3) > 0.3).astype(int)
        weight = [None, rng.integers(1, 4, n), rng.random(n) + 0.01, 2.0 ** rng.integers(-40, 40, n)][
            seed % 4
        ]
        for name in ("sigmoid", "sigmoid_ls", "beta"):
            model = make_calibrator(name).fit(score, y, weight)
            digest.update(np.array([model.a_, model.b_, *model.predict(score)]).tobytes())
    assert digest.hexdigest() == "057daefe91f9c44270ec8a0e0d77c24962d4ceae1b00d09590b9c2556ce1f552"


def targets(y):
    n_pos, n_neg = y.sum(), len(y) - y.sum()
    return np.where(y == 1, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))


def logarithms(scores, y):
    p = PlattScaling().fit(scores, y).predict(scores)
    return np.column_stack([np.log(p), -np.log(1 - p)])


@pytest.mark.parametrize("seed", range(4))
def test_beta_is_the_constrained_logistic_regression(seed):
    scores, y = sample(seed)
    columns, t = logarithms(scores, y), targets(y)

    def loss(coefficients):
        f = columns @ coefficients[:2] + coefficients[2]
        return np.sum(np.logaddexp(0, f) - t * f)

    best = minimize(loss, [1, 1, 0], bounds=[(0, None), (0, None), (None, None)], tol=1e-14)
    beta = BetaCalibration().fit(scores, y)
    np.testing.assert_allclose([beta.a_, beta.b_, beta.c_], best.x, rtol=1e-3, atol=1e-3)
    assert loss([beta.a_, beta.b_, beta.c_]) <= best.fun + 1e-9


def test_beta_leaves_out_what_would_be_negative():
    rng = np.random.default_rng(1)
    scores = np.concatenate([rng.uniform(-4, 0, 400), rng.uniform(0, 4, 400)])
    # rare positives where scores are low, the rarer the higher the score; nearly all where it is high
    share = np.where(scores < 0, 0.06 - 0.06 * scores, 0.95)
    y = (rng.random(800) < share).astype(int)
    columns, t = logarithms(scores, y), targets(y)
    twice = np.tile(columns, (2, 1)), np.repeat([1, 0], 800), np.concatenate([t, 1 - t])
    free = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10**4).fit(*twice)
    assert free.coef_[0, 0] < 0 < free.coef_[0, 1]
    alone = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10**4).fit(twice[0][:, 1:], *twice[1:])
    beta = BetaCalibration().fit(scores, y)
    assert beta.a_ == 0
    np.testing.assert_allclose([beta.b_, beta.c_], [alone.coef_[0, 0], alone.intercept_[0]], rtol=1e-4)
    assert np.all(np.diff(beta.predict(np.sort(scores))) >= 0)


@pytest.mark.filterwarnings("ignore")
def test_beta_is_near_the_library_where_targets_are_labels():
    library = pytest.importorskip("betacal")
    scores, y = sample(3, 20_000)
    p = PlattScaling().fit(scores, y).predict(scores)
    theirs = library.BetaCalibration().fit(p.reshape(-1, 1), y).predict(p.reshape(-1, 1))
    np.testing.assert_allclose(BetaCalibration().fit(scores, y).predict(scores), theirs, atol=2e-3)


def level_lines(columns, curvature):
    """The columns made conjugate, one after the other, each to change log odds by one at most."""
    lines = []
    for own in columns:
        size = abs(own).max(axis=1, keepdims=True)
        for other in lines:
            norm = (curvature * other * other).sum(axis=1, keepdims=True)
            share = (curvature * other * own).sum(axis=1, keepdims=True)
            own = own - other * np.where(norm > 0, share / np.where(norm > 0, norm, 1.0), 0.0)
        rest = abs(own).max(axis=1, keepdims=True)
        lines.append(np.where(rest > 1e-9 * size, own / np.where(rest > 0, rest, 1.0), 0.0))
    return lines


@pytest.mark.parametrize("cases", [300, pytest.param(100_000, marks=pytest.mark.deep)])
def test_beta_of_hostile_scores_and_weights_is_the_least_of_a_convex_loss(cases):
    """Along lines through the optimum the loss falls before it and rises behind it, or a bound is there."""
    rng, bound = np.random.default_rng(4), 0
    for _ in range(0, cases, 1000):
        scores, y, weight = scored(rng, min(cases, 1000), rows=8)
        # not lighter: next to nothing beside the others, rows no longer tell where along a line they are
        weight = np.maximum(weight / weight.max(axis=1, keepdims=True), 1e-13)
        weight *= 10.0 ** rng.uniform(-3, 6, (len(y), 1))
        target, rest = platt_targets(y, weight)
        both = zip(scores, y, weight, strict=True)
        fits = [(PlattScaling().fit(*each), BetaCalibration().fit(*each)) for each in both]
        odds = -np.array([platt.a_ * s + platt.b_ for (platt, _), s in zip(fits, scores, strict=True)])
        sides = -np.logaddexp(0, -odds), np.logaddexp(0, odds)
        a, b, c = np.array([(beta.a_, beta.b_, beta.c_) for _, beta in fits]).T[:, :, np.newaxis]
        f = a * sides[0] + b * sides[1] + c

        def falls(moved, line, target=target, rest=rest, weight=weight):
            miss = np.where(moved < 0, expit(moved) - target, rest - expit(-moved))
            terms = weight * miss * line
            return terms.sum(axis=1), 1e-12 * abs(terms).sum(axis=1)

        curvature = weight * expit(f) * expit(-f)
        free = [np.where(own > 0, side, 0.0) for own, side in zip((a, b), sides, strict=True)]
        for line in level_lines([np.ones_like(f), *free], curvature):
            ahead, rounding = falls(f + 1e-5 * line, line)
            assert np.all(ahead >= -rounding)
            behind, rounding = falls(f - 1e-5 * line, line)
            assert np.all(behind <= rounding)
        for own, side in zip((a, b), sides, strict=True):
            assert np.all(own >= 0)
            line = level_lines([np.ones_like(f), side], curvature)[1]
            slope, _ = falls(f + 1e-5 * line, line)
            assert np.all((own[:, 0] > 0) | (slope >= 0))
            bound += np.sum(own == 0)
    assert bound > cases / 20


def test_beta_of_equal_scores_is_platts():
    beta = BetaCalibration().fit([3.0, 3.0, 3.0], [0, 1, 1])
    np.testing.assert_allclose(beta.predict([3.0]), PlattScaling().fit([3.0] * 3, [0, 1, 1]).predict([3.0]))
    assert beta.predict([3.0])[0] == pytest.approx((2 * 3 / 4 + 1 / 3) / 3)  # the mean of Platt's targets
