"""The oracles against each other, against closed forms of the weights, and against small hand cases."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize_scalar

from oracles.naive import CAP, VARIANTS, minimiser, naive_boost, naive_stump, polynomial_step, stump_chooser
from oracles.six_points import EXAMPLES, NEGATIVE_STEP, Powers

ROUNDS = 6
Y = np.array([1, 1, 1, -1, -1, -1])
TWO_MISSES = np.array([1, 1, -1, -1, -1, 1])


def run_example(example, **options):
    return naive_boost(
        example.name, example.y, example.hypotheses, *map(float, example.costs), len(example.hypotheses),
        base=[float(weight) for weight in example.base], **example.options, **options,
    )  # fmt: skip


@pytest.fixture(scope="module")
def data():
    """Overlapping classes, uneven base weights and a fixed list of weak hypotheses."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 3)).round(1)
    y = np.where(X[:, 0] + X[:, 1] + 1.5 * rng.normal(size=40) > 0.3, 1, -1)
    q = rng.integers(1, 4, size=40)
    q = q / q.sum()
    rounds, _ = naive_boost("adaboost", y, stump_chooser(X), 1, 1, ROUNDS, base=q)
    return X, y, q, np.array([h for _, _, h in rounds])


@pytest.mark.parametrize("example", (*EXAMPLES, NEGATIVE_STEP), ids=lambda example: example.label)
def test_hand_worked_steps_and_weights(example):
    rounds, last = run_example(example)
    assert_allclose([a for _, a, _ in rounds], example.alphas(), rtol=0, atol=1e-14)
    assert_allclose([*(D for D, _, _ in rounds), last], example.distributions(), rtol=0, atol=1e-14)


@pytest.mark.parametrize("example", (*EXAMPLES, NEGATIVE_STEP), ids=lambda example: example.label)
def test_hand_worked_tables_are_well_formed(example):
    assert len(example.weights) == len(example.steps) + 1 == len(example.hypotheses) + 1
    for vector in (example.base, *example.weights):
        if isinstance(vector, Powers):
            assert abs(sum(vector) - 1) < 1e-15
        else:
            assert len(vector) == 6 and sum(vector) == 1 and all(type(w) is Fraction for w in vector)
    for output in (example.y, *example.hypotheses):
        assert len(output) == 6 and set(output) == {-1, 1}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.label)
def test_hand_worked_runs_pass_the_default_policy(example):
    assert len(run_example(example, stop=True)[0]) == len(example.steps)


def test_every_variant_has_a_hand_worked_example():
    assert {example.name for example in EXAMPLES} == set(VARIANTS)
    assert len({example.label for example in EXAMPLES}) == len(EXAMPLES)


CLOSED_FORMS = {  # log of D after t rounds up to a constant; A is the sum of steps, Q counts the misses
    ("adaboost", None, None): lambda c, m, A, Q, t: -m,
    ("cgada", None, None): lambda c, m, A, Q, t: np.log(c) - m,
    ("asymada", "corrected", None): lambda c, m, A, Q, t: (t + 1) / ROUNDS * np.log(c) - m,
    ("asymada", "paper", None): lambda c, m, A, Q, t: (t + 1) / ROUNDS * np.log(c) - m,
    ("csada", None, None): lambda c, m, A, Q, t: np.log(c) - c * m,
    ("adac1", None, "cost"): lambda c, m, A, Q, t: np.log(c) - c * m,
    ("adac1", None, "uniform"): lambda c, m, A, Q, t: -c * m,
    ("adac2", None, "cost"): lambda c, m, A, Q, t: (t + 1) * np.log(c) - m,
    ("adac2", None, "uniform"): lambda c, m, A, Q, t: t * np.log(c) - m,
    ("adac3", None, "cost"): lambda c, m, A, Q, t: (t + 1) * np.log(c) - c * m,
    ("adac3", None, "uniform"): lambda c, m, A, Q, t: t * np.log(c) - c * m,
    ("csb0", None, None): lambda c, m, A, Q, t: (1 + Q) * np.log(c),
    ("csb1", None, None): lambda c, m, A, Q, t: (1 + Q) * np.log(c) - (t - 2 * Q),
    ("csb2", None, None): lambda c, m, A, Q, t: (1 + Q) * np.log(c) - m,
    ("adacost", None, None): lambda c, m, A, Q, t: np.log(c) + c * A / 2 - m / 2,
    ("adacost_beta2", None, None): lambda c, m, A, Q, t: np.log(c) + c * A / 2 - m / 2,
}


@pytest.mark.parametrize("key", CLOSED_FORMS, ids=lambda key: "-".join(filter(None, key)))
def test_weights_follow_their_closed_form(data, key):
    _, y, q, H = data
    name, form, init = key
    c_plus, c_minus = (2.5, 1.0) if name.startswith("csb") else (0.8, 0.3)
    options = {k: v for k, v in (("form", form), ("init", init)) if v}
    rounds, last = naive_boost(name, y, H, c_plus, c_minus, ROUNDS, base=q, **options)
    c = np.where(y == 1, c_plus, c_minus)
    seen = [*(D for D, _, _ in rounds), last]
    for t in range(ROUNDS + 1):
        steps = np.array([a for _, a, _ in rounds[:t]])
        margins, misses = y * (steps @ H[:t]), (H[:t] != y).sum(axis=0)
        expected = q * np.exp(CLOSED_FORMS[key](c, margins, steps.sum(), misses, t))
        assert_allclose(seen[t], expected / expected.sum(), rtol=1e-12)


@pytest.mark.parametrize("name", ["adaboost", "cgada", "csada", "adadb", "adac2"])
def test_the_step_leaves_its_hypothesis_without_edge(data, name):
    _, y, q, H = data
    rounds, last = naive_boost(name, y, H, 3, 1, ROUNDS, base=q)
    following = [*(D for D, _, _ in rounds[1:]), last]
    assert_allclose([np.sum(D * y * h) for D, h in zip(following, H, strict=True)], 0, atol=1e-13)


def test_viola_jones_step_leaves_no_edge_before_the_next_factor(data):
    _, y, q, H = data
    rounds, last = naive_boost("asymada", y, H, 3, 1, ROUNDS, base=q)
    c = np.where(y == 1, 3.0, 1.0)
    for D, h in zip([*(D for D, _, _ in rounds[1:]), last], H, strict=True):
        assert abs(np.sum(D / c ** (1 / ROUNDS) * y * h)) < 1e-13


@pytest.mark.parametrize("costs", [(5, 1), (3, 2), (7, 4), (1, 2)])
def test_bisection_polynomial_and_repaired_adac1_agree(data, costs):
    X, y, q, _ = data
    runs = [
        naive_boost(name, y, stump_chooser(X), *costs, ROUNDS, base=q, **options)
        for name, options in (("csada", {}), ("adadb", {}), ("adac1", {"alpha": "fgd"}))
    ]
    for rounds, last in runs[1:]:
        assert_allclose([a for _, a, _ in rounds], [a for _, a, _ in runs[0][0]], rtol=1e-11)
        assert_allclose(last, runs[0][1], rtol=1e-10)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        *((name, {}) for name in ("adamec", "cgada", "asymada", "csada", "adadb", "adac2", "adac3", "csb2")),
        ("asymada", {"form": "paper"}),
        *(("adac1", {"alpha": alpha}) for alpha in ("closed", "exact", "fgd")),
    ],
)
def test_unit_costs_give_adaboost(data, name, options):
    _, y, q, H = data
    rounds, last = naive_boost(name, y, H, 1, 1, ROUNDS, base=q, **options)
    reference, end = naive_boost("adaboost", y, H, 1, 1, ROUNDS, base=q)
    assert_allclose([a for _, a, _ in rounds], [a for _, a, _ in reference], rtol=1e-12)
    assert_allclose(last, end, rtol=1e-12)


def test_printed_asymada_is_adac2_with_the_root_of_the_costs(data):
    _, y, q, H = data
    printed, end = naive_boost("asymada", y, H, 3, 2, ROUNDS, base=q, form="paper")
    adac2, other = naive_boost("adac2", y, H, 3 ** (1 / ROUNDS), 2 ** (1 / ROUNDS), ROUNDS, base=q)
    assert_allclose([a for _, a, _ in printed], [a for _, a, _ in adac2], rtol=1e-12)
    assert_allclose(end, other, rtol=1e-12)


@pytest.mark.parametrize("name", ["adacost", "adacost_beta2"])
def test_adjustment_function_one_turns_adacost_into_cgada(data, name):
    _, y, q, H = data
    rounds, last = naive_boost(name, y, H, 0.9, 0.2, ROUNDS, base=q, beta=lambda c, u: np.ones_like(c))
    cgada, end = naive_boost("cgada", y, H, 0.9, 0.2, ROUNDS, base=q)
    assert_allclose([a for _, a, _ in rounds], [a for _, a, _ in cgada], rtol=1e-12)
    assert_allclose(last, end, rtol=1e-12)


def test_bisection_finds_the_minimum():
    rng = np.random.default_rng(0)
    w, kappa = rng.random(9), rng.normal(size=9) * 3 + 0.5
    found = minimize_scalar(lambda alpha: np.sum(w * np.exp(-alpha * kappa)), options={"xtol": 1e-12})
    assert abs(minimiser(w, kappa) - found.x) < 1e-7


@pytest.mark.parametrize("sign", [1, -1])
def test_steps_are_infinite_where_no_weight_opposes(sign):
    D = np.array([0.2, 0.2, 0.2, 0.2, 0.2, 0.0])
    u = sign * np.array([1, 1, 1, 1, 1, -1])
    assert minimiser(D, u) == sign * np.inf
    assert polynomial_step(D, Y, u, 2, 1) == sign * np.inf


def test_a_run_that_ends_early_keeps_its_plan(data):
    _, y, q, H = data
    whole, _ = naive_boost("asymada", y, H, 4, 1, ROUNDS, base=q)
    part, last = naive_boost("asymada", y, H[:2], 4, 1, ROUNDS, base=q)
    assert [a for _, a, _ in part] == [a for _, a, _ in whole[:2]]
    assert_allclose(last, whole[2][0], rtol=1e-14)


@pytest.mark.parametrize(
    ("name", "costs", "step"),
    [
        ("adaboost", (2, 1), CAP),
        ("csada", (4, 2), CAP / 2),
        ("adadb", (4, 2), CAP / 2),
        ("adac1", (1, 1), CAP),
        ("adac3", (1, 1), CAP),
        ("csb2", (5, 1), CAP),
        ("adacost_beta2", (0.5, 0.5), 2 * CAP),
    ],
)
def test_a_perfect_hypothesis_is_kept_with_the_capped_step_and_ends_the_run(name, costs, step):
    rounds, last = naive_boost(name, Y, [TWO_MISSES, Y, TWO_MISSES], *costs, 3, stop=True)
    assert len(rounds) == 2
    assert_allclose(rounds[1][1], step, rtol=1e-14)
    assert abs(last.sum() - 1) < 1e-14


def test_a_finite_step_on_a_perfect_hypothesis_does_not_end_the_run():
    rounds, _ = naive_boost("adac1", Y, [Y, TWO_MISSES], 1, 0.5, 2, stop=True)
    assert len(rounds) == 2
    assert_allclose(rounds[0][1], np.arctanh((1 * 2 + 0.5 * 1) / 3), rtol=1e-14)  # D1 = [2 2 2 1 1 1]/9


@pytest.mark.parametrize(
    ("name", "h", "costs"),
    [
        pytest.param("adaboost", -Y, (1, 1), id="always wrong"),
        pytest.param("cgada", np.array([1, -1, -1, -1, -1, -1]), (3, 1), id="no edge once weighted"),
        pytest.param("adac2", np.array([-1, 1, 1, 1, 1, 1]), (2, 1), id="positive step without edge"),
        pytest.param("adacost", TWO_MISSES, (1, 1), id="edge below the mean cost"),
        pytest.param("adac1", TWO_MISSES, (10, 10), id="logarithm of a negative number"),
    ],
)
def test_a_round_that_breaks_the_policy_is_left_out(name, h, costs):
    rounds, last = naive_boost(name, Y, [h, TWO_MISSES], *costs, 2, stop=True)
    assert rounds == []
    expected = np.ones(6) if name == "adaboost" else np.where(Y == 1, *map(float, costs))
    assert_allclose(last, expected / expected.sum(), rtol=1e-14)


def test_the_policy_stops_at_a_negative_step_and_keeps_what_came_before():
    assert run_example(NEGATIVE_STEP, stop=True)[0] == []
    rounds, last = naive_boost("adaboost", Y, [TWO_MISSES, -Y, Y], 1, 1, 3, stop=True)
    assert len(rounds) == 1
    assert_allclose(last, [1 / 8, 1 / 8, 1 / 4, 1 / 8, 1 / 8, 1 / 4], rtol=1e-14)


@pytest.mark.parametrize(
    "arguments",
    [
        {"name": "adac4"},
        {"form": "printed"},
        {"init": "costs"},
        {"alpha": "fdg"},
        {"name": "adadb", "c_plus": 1.5},
    ],
)
def test_misspelt_arguments_are_refused(arguments):
    call = {"name": "adac1", "y": Y, "H_or_chooser": [TWO_MISSES], "c_plus": 1, "c_minus": 1, "T": 1}
    with pytest.raises(ValueError, match="not one of|integer costs"):
        naive_boost(**{**call, **arguments})


@pytest.mark.parametrize("seed", range(20))
def test_stump_has_the_largest_edge_of_all_splits(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 5, size=(12, 2)).astype(float)
    y, D = rng.choice([-1, 1], size=12), rng.random(12)
    D /= D.sum()
    feature, threshold, polarity, edge = naive_stump(X, D, y)
    splits = [2.0 * (X[:, j] >= v) - 1 for j in range(2) for v in range(5)]
    assert edge == pytest.approx(max(abs(np.sum(D * y * h)) for h in splits), abs=1e-15)
    h = np.where(X[:, feature] > threshold, polarity, -polarity)
    assert edge == pytest.approx(np.sum(D * y * h), abs=1e-15)


@pytest.mark.parametrize(
    ("X", "y", "D", "expected"),
    [
        pytest.param([[1], [2], [4]], [-1, -1, 1], [1, 1, 1], (0, 3.0, 1, 1.0), id="midpoint"),
        pytest.param([[1], [2], [4]], [1, 1, -1], [1, 1, 1], (0, 3.0, -1, 1.0), id="negative polarity"),
        pytest.param([[1], [2], [4]], [-1, -1, -1], [1, 1, 1], (0, -np.inf, -1, 1.0), id="constant"),
        pytest.param([[1], [2], [4]], [-1, 1, 1], [1, 0, 1], (0, 2.5, 1, 1.0), id="weightless row"),
        pytest.param([[1, 1], [2, 2]], [-1, 1], [1, 1], (0, 1.5, 1, 1.0), id="lowest feature"),
        pytest.param([[1], [2], [3]], [1, -1, 1], [1, 2, 1], (0, 1.5, -1, 0.5), id="lowest threshold"),
        pytest.param([[7], [7]], [1, -1], [1, 1], (0, -np.inf, 1, 0.0), id="positive polarity"),
    ],
)
def test_stump_by_hand(X, y, D, expected):
    D = np.array(D) / np.sum(D)
    feature, threshold, polarity, edge = naive_stump(np.array(X, float), D, np.array(y))
    assert (feature, threshold, polarity) == expected[:3]
    assert edge == pytest.approx(expected[3], abs=1e-12)


@pytest.mark.parametrize(("gain", "feature"), [(1e-13, 0), (1e-9, 1)])
def test_edges_within_the_tolerance_are_a_tie(gain, feature):
    """Feature 0 misses the third row, feature 1 the fourth, which is lighter by ``gain``."""
    X = np.array([[1, 1], [0, 0], [0, 1], [0, 1]], float)
    D = np.array([0.25, 0.25, 0.25 + gain / 2, 0.25 - gain / 2])
    y = np.array([1, -1, 1, -1])
    assert naive_stump(X, D, y)[0] == feature
