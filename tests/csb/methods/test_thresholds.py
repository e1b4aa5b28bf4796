"""Thresholds between support scores, and the search for these: by hand and by a plain loop."""

from fractions import Fraction

import numpy as np
import pytest

from csb.methods.thresholds import RULES, search_support_scores, threshold_between
from csbook.theory.hyperplanes import closest_scores

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
        (lambda: threshold_between(0, 1, fp_cost=-2), "fp_cost=-2"),
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
