"""Losses of the margin against numeric differentiation, optimisation and the updates of the variants."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import expit

from csb import VARIANTS
from csb.costs import check_costs
from csb.methods.losses import ExponentialLoss

CASES = [(key, {}) for key in VARIANTS if VARIANTS[key].build_rules().loss] + [
    ("asymada", {"form": "paper"}),
    ("adac1", {"init": "uniform"}),
    ("adac2", {"init": "uniform"}),
    ("adac3", {"init": "uniform"}),
]
MARGIN_FREE = [key for key in VARIANTS if VARIANTS[key].build_rules().loss is None]


def loss_of(key, options, costs=(5.0, 1.0), t=3, T=10, A=1.7):
    variant = VARIANTS[key]
    c = variant.scale(check_costs(*costs)).by_class[:, 0]
    return variant.build_rules(**options).loss(c, t, T, A)


@pytest.mark.parametrize("key, options", CASES)
@pytest.mark.parametrize("costs", [(5.0, 1.0), (1.0, 3.0), (2.0, 2.0)])
def test_weight_is_minus_the_derivative(key, options, costs):
    loss, m, step = loss_of(key, options, costs), np.linspace(-2, 2, 9), 1e-5
    for y in (-1, 1):
        difference = (loss.value(y, m + step) - loss.value(y, m - step)) / (2 * step)
        np.testing.assert_allclose(loss.weight(y, m), -difference, rtol=1e-8)


@pytest.mark.parametrize("key, options", CASES)
@pytest.mark.parametrize("p", [0.03, 0.3, 0.5, 0.9])
def test_minimiser_against_numeric_optimisation(key, options, p):
    loss = loss_of(key, options)
    expected = minimize_scalar(
        lambda F: p * loss.value(1, F) + (1 - p) * loss.value(-1, -F), bracket=(-1, 1), tol=1e-12
    ).x
    assert loss.minimiser(p) == pytest.approx(expected, abs=1e-6)
    assert loss.probability(loss.minimiser(p)) == pytest.approx(p, rel=1e-12)


@pytest.mark.parametrize("key, options", CASES)
def test_threshold_is_where_the_minimiser_changes_sign(key, options):
    loss = loss_of(key, options)
    theta = float(loss.threshold)
    assert loss.minimiser(theta * 0.999) < 0 < loss.minimiser(theta + 0.001 * (1 - theta))


@pytest.mark.parametrize("key, options", CASES)
def test_ratios_and_crossings_are_those_of_the_values(key, options):
    loss, m = loss_of(key, options), np.linspace(-3, 3, 7)
    np.testing.assert_allclose(np.exp(loss.log_loss_ratio(m)), loss.value(1, m) / loss.value(-1, m))
    np.testing.assert_allclose(np.exp(loss.log_weight_ratio(m)), loss.weight(1, m) / loss.weight(-1, m))
    if loss.exponent[0] == loss.exponent[1]:
        assert np.isnan(loss.crossing) and np.isnan(loss.weight_crossing)
    else:
        assert loss.value(1, loss.crossing) == pytest.approx(loss.value(-1, loss.crossing))
        assert loss.weight(1, loss.weight_crossing) == pytest.approx(loss.weight(-1, loss.weight_crossing))


@pytest.mark.parametrize("key, options", CASES)
def test_weights_of_the_loss_are_those_of_the_updates(key, options):
    """Both classes, all histories of three rounds: the loss's weights against products of the factors."""
    if (key, options) == ("asymada", {}):
        # the factor of the next round is multiplied in ahead of it, and belongs to the next loss
        ahead = np.log([1.0, 5.0]) / 10
    else:
        ahead = np.zeros(2)
    variant, votes, T = VARIANTS[key], np.array([0.5, 0.3, 0.2]), 10
    rules, c = variant.build_rules(**options), variant.scale(check_costs(5.0, 1.0)).by_class[:, np.newaxis]
    loss = rules.loss(c[:, 0, 0], 3, T, votes.sum())
    found, expected = [], []
    for label in (0, 1):
        for hits in np.ndindex(2, 2, 2):
            log_weight = np.log(rules.initial(c, T)[label, 0, 0])
            for vote, hit in zip(votes, hits, strict=True):
                factors = np.broadcast_to(rules.log_factors(np.array([vote]), c, T), (2, 2, 1))
                log_weight += factors[label, label if hit else 1 - label, 0]
            margin = votes @ (2 * np.array(hits) - 1)
            found.append(log_weight - ahead[label])
            expected.append(np.log(loss.weight(2 * label - 1, margin)))
    difference = np.array(found) - np.array(expected)
    np.testing.assert_allclose(difference, difference[0], atol=1e-12)


def test_only_the_csb_family_has_no_loss():
    assert MARGIN_FREE == ["csb0", "csb1", "csb2"]


def test_probability_of_adaboost_is_eq_22():
    F = np.linspace(-3, 3, 7)
    np.testing.assert_allclose(loss_of("adaboost", {}).probability(F), expit(2 * F))


def test_exponents_must_be_positive():
    with pytest.raises(ValueError, match="exponent holds 0.0"):
        ExponentialLoss(np.zeros(2), np.array([1.0, 0.0]))
