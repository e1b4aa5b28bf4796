"""Products of experts against fractions, enumeration and AdaBoost itself."""

from fractions import Fraction
from itertools import product as sequences
from math import prod

import numpy as np
import pytest
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

import csb
from csbook.theory.experts import Panel, expert_probabilities, product_of_experts


@pytest.mark.parametrize("odds", [Fraction(1), Fraction(5)])
def test_product_by_hand(odds):
    p = [Fraction(3, 4), Fraction(2, 5), Fraction(9, 10)]
    positive, negative = odds * prod(p), prod(1 - each for each in p)
    expected = positive / (positive + negative)
    found = product_of_experts([float(each) for each in p], odds=float(odds))
    assert found == pytest.approx(float(expected), rel=1e-14)


def test_product_of_many_experts_does_not_underflow():
    assert product_of_experts(np.full(10_000, 0.9)) == 1.0
    assert product_of_experts(np.tile([0.1, 0.9], 5000)) == pytest.approx(0.5, abs=1e-9)


def test_certain_experts():
    assert product_of_experts([1.0, 0.01, 0.01]) == 1.0
    assert np.isnan(product_of_experts([1.0, 0.0]))


@pytest.mark.parametrize("learner", ["stump", DecisionTreeClassifier(max_depth=2, random_state=0)])
def test_adaboost_is_a_product_of_experts(learner):
    """Theorem 2, the product taken factor by factor."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] * X[:, 1] + rng.normal(size=150) > 0).astype(int)
    model = csb.AdaBoost(n_estimators=12, estimator=learner).fit(X, y)
    signs = np.array([h.predict(X) for h in model.estimators_])
    found = product_of_experts(expert_probabilities(signs, model.estimator_errors_))
    for i in range(len(X)):
        positive = negative = 1.0
        for sign, error in zip(signs[:, i], model.estimator_errors_, strict=True):
            positive *= 1 - error if sign > 0 else error
            negative *= error if sign > 0 else 1 - error
        assert found[i] == pytest.approx(positive / (positive + negative), rel=1e-12)
    np.testing.assert_allclose(found, expit(2 * model.decision_function(X)), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("dependence", [Fraction(0), Fraction(1, 4), Fraction(1)])
@pytest.mark.parametrize("n", [1, 4])
def test_panel_against_enumeration(n, dependence):
    """Every common vote, every copy and every own vote, in fractions."""
    error = Fraction(3, 10)
    likelihood = {y: [Fraction(0)] * (n + 1) for y in (0, 1)}
    for y in (0, 1):
        for common, *experts in sequences(*([(0, 1)] + [[(c, v) for c in (0, 1) for v in (0, 1)]] * n)):
            weight, k = (1 - error if common == y else error), 0
            for copies, own in experts:
                weight *= dependence if copies else 1 - dependence
                weight *= 1 - error if own == y else error
                k += common if copies else own
            likelihood[y][k] += weight
    panel = Panel(n, float(error), float(dependence))
    for k in range(n + 1):
        total = likelihood[0][k] + likelihood[1][k]
        assert panel.probability[k] == pytest.approx(float(total / 2), abs=1e-14)
        if total:
            assert panel.posterior[k] == pytest.approx(float(likelihood[1][k] / total), abs=1e-12)
    by_hand = [
        (1 - error) ** k
        * error ** (n - k)
        / ((1 - error) ** k * error ** (n - k) + error**k * (1 - error) ** (n - k))
        for k in range(n + 1)
    ]
    np.testing.assert_allclose(panel.product, [float(each) for each in by_hand], rtol=1e-13)
    distortion = sum(
        (likelihood[0][k] + likelihood[1][k]) / 2
        * (by_hand[k] - likelihood[1][k] / (likelihood[0][k] + likelihood[1][k])) ** 2
        for k in range(n + 1)
        if likelihood[0][k] + likelihood[1][k]
    )  # fmt: skip
    assert panel.distortion == pytest.approx(float(distortion), abs=1e-14)


def test_panel_marginal_error_is_the_error():
    for dependence in (0.0, 0.3, 0.9):
        panel = Panel(7, 0.2, dependence)
        in_positive = panel.probability * 2 * panel.posterior  # law of k given the positive class
        assert in_positive @ panel.votes / 7 == pytest.approx(0.8)


def test_independent_experts_are_not_distorted_and_dependent_ones_are():
    assert all(Panel(n, 0.45).distortion < 1e-25 for n in (1, 10, 300))
    of_number = [Panel(n, 0.45, 0.2).distortion for n in (1, 10, 100)]
    assert of_number[0] < 1e-25 < of_number[1] < of_number[2]


def test_extremity():
    assert Panel(1, 0.3).extremity == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expert_probabilities([[0.5]], [0.1]), "predictions holds 0.5: allowed are -1 and"),
        (lambda: expert_probabilities([[1]], [1.1]), "errors holds 1.1"),
        (lambda: expert_probabilities([[1]], [0.1, 0.2]), "errors has shape"),
        (lambda: product_of_experts([1.2]), "in \\[0, 1\\]"),
        (lambda: product_of_experts([0.2], odds=0.0), "odds=0.0"),
        (lambda: Panel(0, 0.2), "n=0"),
        (lambda: Panel(1.5, 0.2), "n=1.5"),
        (lambda: Panel(2, 0.0), "error=0.0"),
        (lambda: Panel(2, 0.2, 1.5), "dependence=1.5"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
