"""Every variant against independent oracles, and the identities that bind them."""

import numpy as np
import pytest

from csb import VARIANTS
from csb.costs import Costs, check_costs
from csb.engine.learners.stump import BoundStump
from csb.engine.trained import Batch
from csb.engine.votes import TrainingSet, boost
from oracles import naive
from oracles.six_points import EXAMPLES
from problems import curved
from scripted import ScriptedLearner

SCALE_FREE = (
    "adaboost", "adamec", "cgada", "asymada", "csada", "adadb", "adac2", "gd_adac1", "gd_asymboost", "asyb",
    "adauboost",
)  # fmt: skip
CASES = [
    (key, {})
    for key in VARIANTS
] + [
    ("asymada", {"form": "paper"}),
    ("adac1", {"init": "uniform"}),
    ("adac1", {"alpha": "exact"}),
    ("adac1", {"alpha": "fgd"}),
    ("adac2", {"init": "uniform"}),
    ("adac3", {"init": "uniform"}),
    ("adacost", {"vote": "line_search"}),
    ("asyb", {"form": "paper"}),
]  # fmt: skip


def scaled_costs(key, fn_cost, fp_cost):
    return VARIANTS[key].scale(check_costs(fn_cost, fp_cost))


def run(key, learner, y, costs, rounds, weights=None, signed=True, **options):
    """Boost one model with the costs as given, keeping hypotheses of non-positive vote."""
    weights = np.ones(len(y)) if weights is None else weights
    job = Batch(VARIANTS[key].build_rules(**options), costs)
    labels = (np.asarray(y) > 0).astype(np.int8)
    return boost(
        learner,
        TrainingSet(labels, weights[np.newaxis]),
        [job],
        rounds,
        keep_nonpositive=signed,
        keep_scores=True,
    )


def problem(seed, n=60, d=4):
    rng = np.random.default_rng(seed)
    X, y = curved(rng, n, d)
    return X, np.where(y, 1, -1), rng.uniform(0.2, 2, n)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.label)
def test_hand_worked_six_points(example):
    learner = ScriptedLearner([*example.hypotheses, example.hypotheses[-1]])
    costs = Costs(*(np.array([float(c)]) for c in example.costs))
    y, T = np.array(example.y), len(example.hypotheses)
    rules = VARIANTS[example.name].build_rules(**example.options)

    def planned(function):  # one round beyond the plan shows the last weights
        return lambda *args: function(*args[:-1], T)

    job = Batch(type(rules)(planned(rules.initial), planned(rules.alpha), planned(rules.log_factors)), costs)
    base = np.array([[float(q) for q in example.base]])
    result = boost(learner, TrainingSet((y > 0).astype(np.int8), base), [job], T + 1, keep_nonpositive=True)
    alphas, _, _ = result.trace(0)
    np.testing.assert_allclose(alphas[:T], example.alphas(), rtol=1e-12, atol=1e-13)
    assert len(learner.seen) == len(example.weights) == T + 1
    for seen, expected in zip(learner.seen, example.distributions(), strict=True):
        np.testing.assert_allclose(seen[0], expected, rtol=1e-12)


@pytest.mark.parametrize("key, options", CASES)
@pytest.mark.parametrize("costs", [(1, 1), (5, 1), (1, 3), (3, 2)])
@pytest.mark.parametrize("seed", [0, 1])
def test_against_naive_loop_on_random_histories(key, options, costs, seed):
    rng = np.random.default_rng(seed)
    _, y, q = problem(seed)

    def better_than_chance(D, y):
        h = np.where(rng.random(len(y)) < 0.62, y, -y)
        return h if D @ (y * h) > 0 else -h

    scaled = scaled_costs(key, *costs)
    if key == "adadb":  # the oracle's polynomial wants the integers themselves
        scaled = check_costs(*costs)
    rounds, _ = naive.naive_boost(
        key,
        y,
        better_than_chance,
        float(scaled.fn_cost[0]),
        float(scaled.fp_cost[0]),
        12,
        base=q / q.sum(),
        **options,
    )
    learner = ScriptedLearner([h for _, _, h in rounds])
    result = run(key, learner, y, scaled, 12, q, **options)
    alphas, _, _ = result.trace(0)
    assert len(alphas) == 12
    for t, (D, alpha, _) in enumerate(rounds):
        np.testing.assert_allclose(learner.seen[t][0], D, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(alphas[t], alpha, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("key", VARIANTS)
def test_against_naive_loop_with_stumps(key):
    X, y, q = problem(3)
    costs = scaled_costs(key, 3, 1) if key != "adadb" else check_costs(3, 1)
    rounds, _ = naive.naive_boost(
        key, y, naive.stump_chooser(X), float(costs.fn_cost[0]), float(costs.fp_cost[0]), 15, base=q / q.sum()
    )
    result = run(key, BoundStump(X, (y > 0).astype(np.int8)), y, costs, 15, q)
    alphas, _, stumps = result.trace(0)
    for (_, alpha, h), ours, stump in zip(rounds, alphas, stumps, strict=False):
        np.testing.assert_array_equal(stump.predict(X), h)
        np.testing.assert_allclose(ours, alpha, rtol=1e-8, atol=1e-10)
    assert len(alphas) > 1


@pytest.mark.parametrize(
    "key",
    ["cgada", "asymada", "csada", "adadb", "adac1", "adac2", "adac3", "csb2", "adamec", "asyb", "adauboost"],
)
def test_equal_costs_give_adaboost(key):
    X, y, q = problem(4)
    learner = BoundStump(X, (y > 0).astype(np.int8))
    expected, _, stumps = run("adaboost", learner, y, check_costs(), 20, q).trace(0)
    alphas, _, ours = run(key, learner, y, scaled_costs(key, 7, 7).scaled(largest=1.0), 20, q).trace(0)
    np.testing.assert_allclose(alphas, expected, rtol=1e-10)
    assert ours == stumps


@pytest.mark.parametrize("key", ["adacost", "adacost_beta2", "csb0", "csb1"])
def test_the_exceptions_do_not_reduce_to_adaboost(key):
    X, y, q = problem(4)
    learner = BoundStump(X, (y > 0).astype(np.int8))
    expected = run("adaboost", learner, y, check_costs(), 8, q).scores
    assert not np.allclose(run(key, learner, y, scaled_costs(key, 1, 1), 8, q).scores, expected, atol=1e-3)


@pytest.mark.parametrize("costs", [(5, 1), (3, 2), (7, 4), (1, 2.5), (np.pi, 1), (1e6, 1)])
def test_csada_adadb_and_repaired_adac1_agree(costs):
    X, y, q = problem(5)
    learner = BoundStump(X, (y > 0).astype(np.int8))
    costs = check_costs(*costs).scaled(largest=1.0)
    expected, _, stumps = run("csada", learner, y, costs, 20, q).trace(0)
    for key, options in (("adadb", {}), ("adac1", {"alpha": "fgd"})):
        alphas, _, ours = run(key, learner, y, costs, 20, q, **options).trace(0)
        assert ours == stumps
        np.testing.assert_allclose(alphas, expected, rtol=1e-10)


def test_adamec_trains_adaboost():
    X, y, q = problem(6)
    learner = BoundStump(X, (y > 0).astype(np.int8))
    expected = run("adaboost", learner, y, check_costs(), 20, q).scores
    np.testing.assert_array_equal(run("adamec", learner, y, check_costs(9, 1), 20, q).scores, expected)


@pytest.mark.parametrize("key", SCALE_FREE)
def test_only_the_cost_ratio_matters(key):
    X, y, q = problem(7)
    learner = BoundStump(X, (y > 0).astype(np.int8))
    one = run(key, learner, y, check_costs(5, 1), 20, q).scores
    scaled = run(key, learner, y, check_costs(35, 7), 20, q).scores
    factor = 7 if key in ("csada", "adadb", "gd_adac1", "gd_asymboost") else 1
    np.testing.assert_allclose(scaled * factor, one, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("key, options", CASES)
def test_swapping_classes_and_costs_reverses_the_score(key, options):
    X, y, q = problem(8)
    X = X + 1e-3 * np.random.default_rng(0).normal(size=X.shape)  # no ties: they are broken by polarity
    one = run(key, BoundStump(X, (y > 0).astype(np.int8)), y, scaled_costs(key, 4, 1), 12, q, **options)
    other = run(key, BoundStump(X, (y < 0).astype(np.int8)), -y, scaled_costs(key, 1, 4), 12, q, **options)
    unit = 4 if key == "adauboost" else 1  # its negatives have the exponent one, whatever their cost
    np.testing.assert_allclose(unit * other.scores, -one.scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("key", ["adaboost", "cgada", "asymada", "csada", "adadb", "adac2"])
def test_last_hypothesis_has_no_edge_under_the_next_weights(key):
    rng = np.random.default_rng(9)
    _, y, q = problem(9)
    costs, T = check_costs(5, 1), 10

    class Random(ScriptedLearner):
        def fit(self, weights, losses=None):
            h = np.where(rng.random(len(y)) < 0.6, y, -y)
            self.outputs[len(self.seen)] = h if weights[0] @ (y * h) > 0 else -h
            return super().fit(weights)

    learner = Random(np.empty((T, len(y))))
    run(key, learner, y, costs, T, q)
    H = learner.outputs
    assert len(learner.seen) == T
    for t in range(T - 1):
        following = learner.seen[t + 1][0]
        if key == "asymada":  # the factor of the next round is already in
            following = following * np.where(y > 0, 5.0, 1.0) ** (-1 / 10)
            following /= following.sum()
        assert abs(following @ (y * H[t])) < 1e-12, t


@pytest.mark.parametrize("key", ["adacost", "adac1"])
def test_correct_points_of_the_two_classes_move_by_different_factors(key):
    y = np.array([1, 1, -1, -1])
    learner = ScriptedLearner([[1, -1, -1, 1], [1, 1, -1, -1]])
    costs = check_costs(1.0, 0.25)
    # vote imposed: what is examined is the update
    rules = VARIANTS[key].build_rules()
    job = Batch(type(rules)(rules.initial, lambda M, c, T: np.full(1, 0.5), rules.log_factors), costs)
    weights = np.array([[0.3, 0.1, 0.3, 0.1]])
    boost(learner, TrainingSet((y > 0).astype(np.int8), weights), [job], 2)
    moved = learner.seen[1][0] / learner.seen[0][0]
    right = moved[0] / moved[2]
    expected = {"adac1": np.exp(-0.5 * 0.75), "adacost": np.exp(0.5 * 0.375)}[key]
    assert right == pytest.approx(expected, rel=1e-12)
    assert right != pytest.approx(1.0, abs=1e-3)  # the incorrect-only update of published packages


@pytest.mark.parametrize("key, options", [case for case in CASES if not case[0].startswith("csb")])
def test_log_weights_are_affine_in_the_margin_with_the_stated_slope_and_gap(key, options):
    # every hit-and-miss history of six rounds, for both classes, with votes that create equal margins
    T = 6
    votes = np.array([0.5, 0.5, 0.3, 0.3, 0.2, 0.2])
    histories = np.array(np.meshgrid(*[[-1, 1]] * T)).reshape(T, -1)
    u = np.hstack([histories, histories])
    y = np.repeat([1, -1], histories.shape[1])
    costs = scaled_costs(key, 5, 1)
    rules = VARIANTS[key].build_rules(**options)
    c = costs.by_class[:, np.newaxis]
    labels, hits = (y > 0).astype(int), (u * y > 0).astype(int)
    state = np.log(rules.initial(c, T))[labels, 0, 0]
    for vote, predicted in zip(votes, hits, strict=True):
        state = (
            state
            + np.broadcast_to(rules.log_factors(np.full(1, vote), c, T), (2, 2, 1))[labels, predicted, 0]
        )
    margin = u.T @ votes
    slopes, intercepts = {}, {}
    for sign in (-1, 1):
        own = y == sign
        (slope, intercept), residual, *_ = np.polyfit(margin[own], state[own], 1, full=True)
        assert residual.sum() < 1e-18
        slopes[sign], intercepts[sign] = slope, intercept
    loss = rules.loss(costs.by_class[:, 0], T, T, votes.sum())
    np.testing.assert_allclose([-slopes[-1], -slopes[1]], loss.exponent, rtol=1e-9)
    gap = loss.log_gap
    if key == "asymada" and not options:
        gap = (
            (T + 1) / T * np.log(costs.fn_cost[0] / costs.fp_cost[0])
        )  # the next round's factor is already in the weights
    assert intercepts[1] - intercepts[-1] == pytest.approx(gap, abs=1e-9)


@pytest.mark.parametrize("key", ["csb0", "csb1", "csb2"])
def test_csb_weights_remember_the_history_not_the_margin(key):
    y = np.array([1, 1, -1, -1, 1])
    H = np.array([[1, -1, -1, 1, 1], [-1, 1, -1, -1, 1], [1, 1, -1, -1, -1]])  # equal margins, other orders
    rules = VARIANTS[key].build_rules()
    votes = iter([0.4, 0.4, 0.2, 0.1])
    job = Batch(
        type(rules)(rules.initial, lambda M, c, T: np.full(1, next(votes)), rules.log_factors),
        check_costs(4, 1),
    )
    learner = ScriptedLearner(np.vstack([H, H[:1]]))
    boost(learner, TrainingSet((y > 0).astype(np.int8), np.ones((1, 5))), [job], 4, keep_nonpositive=True)
    final = learner.seen[3][0]
    # positives missed in round one or two have the same history counts; one missed in round three does not
    assert final[0] == pytest.approx(final[1])
    misses = (H * y < 0).sum(axis=0)
    assert misses[0] == misses[4] == 1
    if key != "csb0":
        margins = np.array([0.4, 0.4, 0.2]) @ (H * y)
        assert margins[4] > margins[0]


@pytest.mark.parametrize("bad", [("adac9", "adac"), ("cgda", "cgada"), ("ADABOOST", "adaboost")])
def test_unknown_variant_names_the_nearest(bad):
    with pytest.raises(ValueError, match=bad[1]):
        VARIANTS[bad[0]]


def test_registry_prints_as_a_table_and_takes_new_rows():
    text = repr(VARIANTS)
    assert len(text.splitlines()) == len(VARIANTS) + 2
    for variant in VARIANTS.values():
        assert variant.name in text
    registry = type(VARIANTS)(*VARIANTS.values())
    with pytest.raises(ValueError, match="taken"):
        registry.add(VARIANTS["cgada"])


@pytest.mark.parametrize(
    "key, expected",
    [
        ("csb2", (2.0, 1.0)), ("csb0", (2.0, 1.0)), ("adac1", (1.0, 0.5)), ("adac3", (1.0, 0.5)),
        ("adacost", (0.5, 0.25)), ("adacost_beta2", (1.0, 0.5)), ("cgada", (5.0, 2.5)), ("adac2", (5.0, 2.5)),
    ],
)  # fmt: skip
def test_costs_reach_the_formulas_on_the_scale_they_need(key, expected):
    scaled = scaled_costs(key, 5.0, 2.5)
    assert (scaled.fn_cost[0], scaled.fp_cost[0]) == expected


@pytest.mark.parametrize("costs", [(5, 1), (1, 3)])
def test_asyb_as_derived_is_cgada_and_as_printed_is_not(costs):
    X, y, q = problem(11)
    learner = BoundStump(X, (y > 0).astype(np.int8))
    scores = {
        name: run(key, learner, y, check_costs(*costs), 15, q, **options).scores
        for name, key, options in (
            ("cgada", "cgada", {}), ("derived", "asyb", {}), ("printed", "asyb", {"form": "paper"})
        )
    }  # fmt: skip
    np.testing.assert_allclose(scores["derived"], scores["cgada"], rtol=1e-12, atol=1e-13)
    assert np.abs(scores["printed"] - scores["cgada"]).max() > 0.1
