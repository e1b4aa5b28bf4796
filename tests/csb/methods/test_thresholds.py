"""Thresholds between support scores: by hand, by optimisation, and for maximal-margin hyperplanes."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

from csb.methods.thresholds import (
    RULES,
    closest_scores,
    margin_hyperplane,
    margin_shift,
    search_support_scores,
    threshold_between,
)

# ---- the place of the threshold


@pytest.mark.parametrize(
    "rule, beta, negative, positive, expected",
    [
        ("b", 3, -1, 3, Fraction(0)),  # (3 + 3 * -1) / 4
        ("b", 2, -1, 1, Fraction(-1, 3)),
        ("b", Fraction(1, 4), 0, 1, Fraction(4, 5)),
        ("eta", 8, -1, 3, Fraction(1, 3)),  # cube root 2: middle 1, margin 2, shift 2 / 3
        ("eta", 27, 0, 1, Fraction(1, 4)),
        ("eta_max", 9, -1, 3, Fraction(0)),  # square root 3: middle 1, margin 2, shift 1
        ("eta_max", 16, 2, 7, Fraction(3)),
        ("midpoint", 7, -1, 3, Fraction(1)),
    ],
)
def test_thresholds_by_hand(rule, beta, negative, positive, expected):
    found = threshold_between(negative, positive, float(2 * beta), 2.0, rule)
    assert found == pytest.approx(float(expected), abs=1e-14)
    middle = Fraction(negative + positive, 2)
    shift = margin_shift((positive - negative) / 2, float(beta), rule=rule)
    assert shift == pytest.approx(float(middle - expected), abs=1e-14)


@pytest.mark.parametrize("rule", RULES)
def test_equal_costs_mean_the_middle_and_the_rules_are_vectorised(rule):
    assert threshold_between(-2.0, 5.0, rule=rule) == 1.5
    beta = np.array([0.3, 1.0, 20.0])
    negative, positive = np.array([-1.0, 0.0, -4.0]), np.array([1.0, 3.0, -3.5])
    together = threshold_between(negative, positive, beta, 1.0, rule)
    alone = [threshold_between(s, t, b, rule=rule) for s, t, b in zip(negative, positive, beta, strict=True)]
    np.testing.assert_array_equal(together, alone)
    distances = (positive - together) / (together - negative)
    np.testing.assert_allclose(distances, beta ** RULES[rule], rtol=1e-12)


@pytest.mark.parametrize("beta, cube_root, square_root", [(5, 3.140, 2.618), (16, 7.805, 6.250)])
def test_cube_roots_minimise_the_sum_of_the_dimensions_and_square_roots_the_maximum(
    beta, cube_root, square_root
):
    """The dimension of linear functions falls with the square of the margin; in units of the margin."""

    def terms(shift):
        return beta / (1 + shift) ** 2, 1 / (1 - shift) ** 2

    options = {"bounds": (0, 0.99), "method": "bounded", "options": {"xatol": 1e-10}}
    least_sum = minimize_scalar(lambda s: sum(terms(s)), **options).x
    least_max = minimize_scalar(lambda s: max(terms(s)), **options).x
    assert margin_shift(1.0, beta, rule="eta") == pytest.approx(least_sum, abs=1e-6)
    assert margin_shift(1.0, beta, rule="eta_max") == pytest.approx(least_max, abs=1e-6)
    assert max(terms(margin_shift(1.0, beta, rule="eta"))) == pytest.approx(cube_root, abs=5e-4)
    assert max(terms(margin_shift(1.0, beta, rule="eta_max"))) == pytest.approx(square_root, abs=5e-4)


# ---- scores that separate the classes


def test_closest_scores_by_hand():
    labels, score = ["well", "sick", "well", "sick"], [-1.5, 0.25, -4.0, 8.0]
    assert closest_scores(labels, np.negative(score)) == (-0.25, 1.5)  # "well" is the larger label
    found = closest_scores(labels, score, pos_label="sick")
    assert found == (-1.5, 0.25) and found.margin == 0.875


@pytest.mark.parametrize(
    "labels, score, message",
    [
        ([0, 1, 1], [0.0, -1.0, 1.0], "negative has 0 and a positive -1"),
        ([0, 1], [1.0, 1.0], "no threshold"),
        ([1, 1], [0.0, 1.0], "one class"),
        ([0, 1], [0.0, np.nan], "score"),
    ],
)
def test_scores_that_do_not_separate_are_refused(labels, score, message):
    with pytest.raises(ValueError, match=message):
        closest_scores(labels, score)


# ---- maximal-margin hyperplanes


def separable(seed=0, n=40):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = (X @ [1.0, 2.0] > 0).astype(int)
    return X + 0.3 * (2 * y[:, np.newaxis] - 1) * np.array([1.0, 2.0]) / 5**0.5, y


@pytest.mark.parametrize("beta", [1.0, 4.0, 0.5])
def test_threshold_b_is_eq_1_and_solves_the_programme_with_unequal_targets(beta):
    """Targets 1/beta for positives and -1 for negatives, Section 3, by a general solver."""
    X, y = separable()
    solved = minimize(
        lambda v: v[:2] @ v[:2] / 2, [1.0, 2.0, 0.0], jac=lambda v: np.array([v[0], v[1], 0.0]),
        constraints={
            "type": "ineq",
            "fun": lambda v: np.where(y == 1, 1 / beta, -1.0) * (X @ v[:2] + v[2]) - 1,
            "jac": lambda v: np.where(y == 1, 1 / beta, -1.0)[:, np.newaxis] * np.c_[X, np.ones(len(X))],
        },
        method="SLSQP", options={"ftol": 1e-14, "maxiter": 500},
    )  # fmt: skip
    assert solved.success
    w, theta = solved.x[:2], solved.x[2]
    svc = SVC(kernel="linear", C=1e6, tol=1e-8).fit(X, y)
    plane = margin_hyperplane(svc, X, y)
    projection = X @ svc.coef_[0]
    closest = projection[y == 1].min(), projection[y == 0].max()
    b = (closest[0] + beta * closest[1]) / (1 + beta)  # Eq. (1)
    found = threshold_between(*plane.support, fn_cost=beta)
    assert found - svc.intercept_[0] == pytest.approx(b, rel=1e-9)
    # the same line: w x + theta = 0 and the svc's function at the threshold
    scale = np.linalg.norm(w) / np.linalg.norm(svc.coef_)
    np.testing.assert_allclose(w, scale * svc.coef_[0], rtol=1e-4)
    assert -theta == pytest.approx(scale * b, rel=1e-3, abs=1e-4)


def test_distances_of_the_shifted_hyperplane():
    X, y = separable(1)
    svc = SVC(kernel="linear", C=1e6, tol=1e-8).fit(X, y)
    plane = margin_hyperplane(svc, X, y)
    w = svc.coef_[0]
    distance = (X @ w + svc.intercept_[0]) / np.linalg.norm(w)
    assert plane.unit == pytest.approx(1 / np.linalg.norm(w), rel=1e-6)
    assert plane.margin == pytest.approx((distance[y == 1].min() - distance[y == 0].max()) / 2, rel=1e-6)
    for rule in RULES:
        cut = threshold_between(*plane.support, fn_cost=5.0, rule=rule) * plane.unit
        shift = margin_shift(plane.margin, 5.0, rule=rule)
        assert distance[y == 1].min() - cut == pytest.approx(plane.margin + shift, rel=1e-6)
        assert cut - distance[y == 0].max() == pytest.approx(plane.margin - shift, rel=1e-6)


def test_norm_in_the_feature_space_of_a_kernel_and_other_labels():
    X, y = separable(2)
    labels = np.where(y == 1, "a", "b")  # the larger label is the negative class
    svc = SVC(kernel="rbf", gamma=0.7, C=1e6).fit(X, labels)
    plane = margin_hyperplane(svc, X, labels)
    K = rbf_kernel(svc.support_vectors_, gamma=0.7)
    squared = (svc.dual_coef_ @ K @ svc.dual_coef_.T).item()
    assert plane.unit == pytest.approx(squared**-0.5, rel=1e-9)
    np.testing.assert_allclose(plane.support, (-1, 1), atol=1e-2)
    given = SVC(kernel="precomputed", C=1e6).fit(rbf_kernel(X, gamma=0.7), labels)
    assert margin_hyperplane(given, rbf_kernel(X, gamma=0.7), labels).margin == pytest.approx(
        plane.margin, rel=1e-3
    )


def test_classifiers_without_a_maximal_margin_are_refused():
    X, y = separable(3)
    with pytest.raises(ValueError, match="svc="):
        margin_hyperplane(LinearSVC().fit(X, y), X, y)
    with pytest.raises(ValueError, match="3 classes"):
        margin_hyperplane(SVC().fit(X, np.arange(len(y)) % 3), X, y)
    with pytest.raises(ValueError, match="no threshold separates"):
        margin_hyperplane(SVC(kernel="linear").fit(X, y[::-1]), X, y[::-1])


# ---- the search


@pytest.mark.parametrize(
    "negatives, positives, settings, expected",
    [
        # nothing in the way
        ([-3, -1], [2, 5], {"margin_change": np.inf}, (-1, 2)),
        # 0.5 is a false positive
        ([-3, -1, 0.5], [2, 5], {"margin_change": np.inf}, (-1, 2)),
        # -0.2 and 0.3 are borderline, and the smallest positive is the next
        ([-1, -0.2], [0.3, 2], {"borderline": 0.5, "margin_change": np.inf}, (-1, 2)),
        # a false negative at -2 is the smallest positive; negatives above it go
        ([-4, -3, -1], [-2, 2], {"margin_change": np.inf}, (-3, -2)),
        # -1 is passed over for -1.5, lower by 0.5, and that for none: -1.6 and -1.9 are too near
        ([-1.9, -1.6, -1.5, -1], [1], {"margin_change": 0.5}, (-1.5, 1)),
        # three steps, each as large as asked for
        ([-2.5, -2, -1.5, -1], [1], {"margin_change": 0.5}, (-2.5, 1)),
        # the first that is low enough, not the lowest
        ([-9, -1.75, -1.25, -1], [1], {"margin_change": 0.5, "max_skip": 2}, (-9, 1)),
        ([-9, -1.75, -1.25, -1], [1], {"margin_change": 0.5, "max_skip": 1}, (-1, 1)),
        # equal scores are one
        ([-2, -1, -1, -1], [1], {"margin_change": 0.5, "max_skip": 1}, (-2, 1)),
        # a class with nothing left
        ([1, 2], [3], {}, None),
        ([-1], [-3], {}, None),
        ([-1], [0], {}, None),
    ],
)
def test_search_by_hand(negatives, positives, settings, expected):
    labels = [0] * len(negatives) + [1] * len(positives)
    assert search_support_scores(labels, negatives + positives, **settings) == expected
    order = np.random.default_rng(0).permutation(len(labels))
    mixed = np.array(labels)[order], np.array(negatives + positives, float)[order]
    assert search_support_scores(*mixed, **settings) == expected


def naive_search(points, tau, change, skip):
    """Steps 2 to 5, point by point."""
    points = [(s, y) for s, y in points if not (y == 0 and s > 0) and abs(s) > tau]
    positives = [s for s, y in points if y == 1]
    if not positives:
        return None
    top = min(positives)
    ranking = sorted({s for s, y in points if y == 0 and s < top}, reverse=True)
    if not ranking:
        return None
    current = ranking[0]
    moved = True
    while moved:
        moved = False
        for candidate in [s for s in ranking if s < current][:skip]:
            if current - candidate >= change:
                current, moved = candidate, True
                break
    return current, top


@pytest.mark.parametrize("seed", range(20))
def test_search_against_a_plain_loop(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 80)
    score = (rng.normal(size=80) + 0.8 * (2 * y - 1)).round(2)
    tau, change, skip = rng.uniform(0, 0.5), rng.uniform(0.01, 0.4), int(rng.integers(0, 6))
    found = search_support_scores(y, score, borderline=tau, margin_change=change, max_skip=skip)
    assert found == naive_search(list(zip(score, y, strict=True)), tau, change, skip)


def test_separating_scores_without_step_5_are_the_closest_ones():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 50)
    score = (2 * y - 1) * rng.uniform(0.1, 1, 50)
    assert search_support_scores(y, score, margin_change=np.inf) == closest_scores(y, score)
    assert search_support_scores(1 - y, score, margin_change=np.inf, pos_label=0) == closest_scores(y, score)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: threshold_between(0, 1, rule="eta_min"), "rule='eta_min'.*'eta_max'"),
        (lambda: threshold_between(0, 1, fn_cost=0), "fn_cost=0"),
        (lambda: margin_shift(1, fp_cost=-2), "fp_cost=-2"),
        (lambda: search_support_scores([0, 1], [0, 1], borderline=-1), "borderline=-1"),
        (lambda: search_support_scores([0, 1], [0, 1], borderline=np.inf), "borderline=inf"),
        (lambda: search_support_scores([0, 1], [0, 1], margin_change="far"), "margin_change='far'"),
        (lambda: search_support_scores([0, 1], [0, 1], max_skip=-1), "max_skip=-1"),
        (lambda: search_support_scores([0, 1, 2], [0, 1, 2]), "3 labels"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
