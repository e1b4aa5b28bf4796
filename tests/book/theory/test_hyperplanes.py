"""Maximal-margin hyperplanes: by hand, by optimisation and by a general solver."""

import numpy as np
import pytest
from scipy.optimize import minimize, minimize_scalar
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, LinearSVC

from csb.methods.thresholds import RULES, threshold_between
from csbook.theory.hyperplanes import closest_scores, margin_hyperplane, margin_shift

# ---- the shift


@pytest.mark.parametrize(
    "rule, beta, expected",
    [
        ("b", 3, 1 / 2), ("b", 2, 1 / 3), ("b", 1 / 4, -3 / 5),
        ("eta", 8, 1 / 3), ("eta", 27, 1 / 2),  # cube roots 2 and 3
        ("eta_max", 9, 1 / 2), ("eta_max", 16, 3 / 5),  # square roots 3 and 4
        ("midpoint", 7, 0.0),
    ],
)  # fmt: skip
def test_shift_by_hand(rule, beta, expected):
    assert margin_shift(1.0, float(beta), rule=rule) == pytest.approx(expected, abs=1e-15)
    assert margin_shift(2.0, 1.0, float(beta), rule=rule) == pytest.approx(-2 * expected, abs=1e-15)


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


def test_a_margin_that_does_not_fit_the_costs_is_named():
    with pytest.raises(ValueError, match=r"margin has shape \(2,\)"):
        margin_shift([1.0, 2.0], fn_cost=[1.0, 2.0, 3.0])


# ---- scores that separate the classes


def test_closest_scores_by_hand():
    labels, score = ["well", "sick", "well", "sick"], [-1.5, 0.25, -4.0, 8.0]
    assert closest_scores(labels, np.negative(score), pos_label="well") == (-0.25, 1.5)
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
