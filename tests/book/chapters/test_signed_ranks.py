"""The Bayesian signed-rank test: against closed forms, and against a posterior drawn in a naive loop."""

import math
import random

import numpy as np
import pytest

from csbook.chapters.signed_ranks import SURE, Probabilities, signed_ranks

TOLERANCE = 4 * math.sqrt(0.25 / 20_000)  # four standard errors of a share among as many draws as by default


def naive(differences, margin, draws, seed):
    """Shares of the draws in which better, equivalent and worse have most weight, by loops over pairs."""
    rng = random.Random(seed)
    values = [0.0, *differences]
    wins = [0, 0, 0]
    for _ in range(draws):
        gammas = [rng.gammavariate(0.5, 1.0), *(rng.expovariate(1.0) for _ in differences)]
        mass = [0.0, 0.0, 0.0]
        for one, weight in zip(values, gammas, strict=True):
            for other, its_weight in zip(values, gammas, strict=True):
                middle = (one + other) / 2
                region = 0 if middle > margin else 2 if middle < -margin else 1
                mass[region] += weight * its_weight
        wins[mass.index(max(mass))] += 1
    return [count / draws for count in wins]


@pytest.mark.parametrize(
    "differences, margin",
    [
        ([0.3, -0.1, 0.8, 0.05, 0.4], 0.11),
        ([-0.0213, 0.0108, 0.0041, -0.0072, 0.0307, -0.0519, 0.0064], 0.005),
        ([-1.0, -2.0, 0.5, -0.2], 0.3),
        ([0.2, -0.2, 0.9, -0.9], 0.01),
    ],
)
def test_posterior_is_that_of_a_naive_loop(differences, margin):
    draws = 6000
    expected = naive(differences, margin, draws, 5)
    found = signed_ranks(differences, margin)
    np.testing.assert_allclose(found, expected, atol=4 * math.sqrt(0.25 / draws + 0.25 / 20_000))
    assert sum(found) == pytest.approx(1)


def test_one_difference_in_closed_form():
    r"""The prior's weight is Beta(1/2, 1), below x with probability :math:`\sqrt x`."""
    root = math.sqrt(0.5)
    far = signed_ranks([1.0], 0.1)  # a mean with the prior's zero is above the margin as well
    np.testing.assert_allclose(far, [math.sqrt(root), 1 - math.sqrt(root), 0], atol=TOLERANCE)
    near = signed_ranks([0.15], 0.1)  # only the mean of the difference with itself is
    np.testing.assert_allclose(near, [math.sqrt(1 - root), 1 - math.sqrt(1 - root), 0], atol=TOLERANCE)
    at = signed_ranks([0.2], 0.1)  # the mean with the prior's zero is the margin, and counts as half within
    np.testing.assert_allclose(at, [root, 1 - root, 0], atol=TOLERANCE)
    assert signed_ranks([0.05], 0.1) == (0, 1, 0)


def test_the_other_way_round_better_and_worse_change_places():
    values = np.array([0.3, -0.1, 0.8, 0.05, 0.4, -0.6])
    found, turned = signed_ranks(values, 0.1), signed_ranks(-values, 0.1)
    assert found == turned[::-1] and found.better > found.worse > 0


def test_a_wider_region_takes_from_both_sides():
    values = np.random.default_rng(0).normal(0.1, 0.5, 18)
    equivalent = [signed_ranks(values, margin).equivalent for margin in (1e-6, 0.1, 0.3, 2.0)]
    assert equivalent == sorted(equivalent) and equivalent[-1] == 1
    assert [
        signed_ranks(100 * values, 100 * margin).equivalent for margin in (1e-6, 0.1, 0.3, 2.0)
    ] == equivalent


def test_draws_are_seeded_and_leave_numpys_state_alone():
    values = [0.3, -0.1, 0.2]
    np.random.seed(1)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first = signed_ranks(values, 0.1)
    np.random.seed(2)  # noqa: NPY002
    assert signed_ranks(values, 0.1) == first != signed_ranks(values, 0.1, seed=1)
    np.random.seed(1)  # noqa: NPY002
    signed_ranks(values, 0.1)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


def test_an_answer_needs_enough_probability():
    assert Probabilities(SURE, 0.03, 0.02).word == "better"
    assert Probabilities(0.02, 0.03, SURE).word == "worse"
    assert Probabilities(0.0, 1.0, 0.0).word == "equivalent"
    assert Probabilities(0.94, 0.06, 0.0).word == "open"


@pytest.mark.parametrize(
    "given, message",
    [
        ({"differences": []}, "differences"),
        ({"differences": [0.1, np.nan]}, "differences"),
        ({"differences": [[0.1, 0.2]]}, "differences"),
        ({"margin": 0}, "margin"),
        ({"margin": -0.1}, "margin"),
        ({"margin": np.nan}, "margin"),
        ({"draws": 0}, "draws"),
        ({"draws": 1.5}, "draws"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**32}, "seed"),
        ({"seed": None}, "seed"),
    ],
)
def test_bad_values_are_refused_by_name(given, message):
    with pytest.raises(ValueError, match=message):
        signed_ranks(**({"differences": [0.1, 0.2], "margin": 0.1} | given))
