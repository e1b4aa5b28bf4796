"""Costs of decisions and scores of probabilities, against counts by hand and other libraries."""

import math
import re
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
import pytest
from model_diagnostics.scoring import SquaredError, decompose
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import brier_score_loss, f1_score, fbeta_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from csb.costs import skew
from csb.evaluation import metrics
from csb.evaluation.scorers import get_cost_scorer

DECISIONS = [
    "total_cost",
    "expected_cost",
    "normalised_loss",
    "gmean",
    "gmean_precision_recall",
    "gmean_counts",
    "f_measure",
]
PROBABILITIES = ["brier_score", "brier_decomposition"]
NEED_BOTH_CLASSES = ["normalised_loss", "gmean", "gmean_precision_recall"]

# 10 examples: 2 true positives, 3 false negatives, 1 false positive, 4 true negatives
Y_TRUE = np.array([1, 1, 1, 1, 1, 0, 0, 0, 0, 0])
Y_PRED = np.array([1, 1, 0, 0, 0, 1, 0, 0, 0, 0])


@pytest.mark.parametrize(
    "name, options, expected",
    [
        ("total_cost", {}, 4),
        ("total_cost", {"fn_cost": 5, "fp_cost": 2}, 17),
        ("expected_cost", {"fn_cost": 5, "fp_cost": 2}, 1.7),
        ("normalised_loss", {}, 0.4),
        ("normalised_loss", {"fn_cost": 3}, 3 / 5 * 3 / 4 + 1 / 5 * 1 / 4),
        ("normalised_loss", {"fn_cost": 1, "prevalence": 0.2}, 3 / 5 * 1 / 5 + 1 / 5 * 4 / 5),
        ("gmean", {}, math.sqrt(2 / 5 * 4 / 5)),
        ("gmean_precision_recall", {}, math.sqrt(2 / 3 * 2 / 5)),
        ("gmean_counts", {}, math.sqrt(2 * 4) / 10),
        ("f_measure", {}, 2 * 2 / (2 * 2 + 3 + 1)),
        ("f_measure", {"beta": 2}, 5 * 2 / (5 * 2 + 4 * 3 + 1)),
    ],
)
def test_counts_by_hand(name, options, expected):
    value = getattr(metrics, name)(Y_TRUE, Y_PRED, **options)
    assert type(value) is float
    assert value == pytest.approx(expected, rel=1e-14)


def test_the_printed_g_mean_of_karakoulas_and_shawe_taylor():
    """AdaBoost's row: 83 of 211 positives missed, 26 of 1789 negatives; the table prints 0.773."""
    y_true = np.repeat([1, 0], [211, 1789])
    y_pred = np.repeat([0, 1, 0], [83, 128 + 26, 1763])
    assert round(metrics.gmean(y_true, y_pred), 3) == 0.773
    assert round(metrics.gmean_precision_recall(y_true, y_pred), 3) == 0.710


@pytest.mark.parametrize("seed", range(3))
def test_the_g_mean_of_cao_is_the_usual_one_times_the_class_shares(seed):
    y_true, y_pred = np.random.default_rng(seed).integers(0, 2, (2, 40))
    share = y_true.mean()
    expected = metrics.gmean(y_true, y_pred) * math.sqrt(share * (1 - share))
    assert metrics.gmean_counts(y_true, y_pred) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("fn_cost, fp_cost", [(1, 1), (7, 2), (1, 40)])
def test_loss_of_the_trivial_classifiers_gives_the_sense_of_the_skew(fn_cost, fp_cost):
    y_true = np.repeat([0, 1], [7, 3])
    z = skew(fn_cost, fp_cost, 0.3)
    for label, expected in ((0, 1 - z), (1, z)):
        loss = metrics.normalised_loss(y_true, np.full(10, label), fn_cost=fn_cost, fp_cost=fp_cost)
        assert loss == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_loss_is_the_expected_cost_by_the_mean_cost_at_stake(seed):
    rng = np.random.default_rng(seed)
    y_true, y_pred = rng.integers(0, 2, (2, 50))
    weight = rng.random(50)
    options = {"fn_cost": 3.5, "fp_cost": 0.7, "sample_weight": weight}
    stake = np.average(np.where(y_true == 1, 3.5, 0.7), weights=weight)
    expected = metrics.expected_cost(y_true, y_pred, **options) / stake
    assert metrics.normalised_loss(y_true, y_pred, **options) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_costs_of_each_example_against_a_loop(seed):
    rng = np.random.default_rng(seed)
    y_true, y_pred = rng.integers(0, 2, (2, 30))
    fn_cost, fp_cost, weight = rng.random((3, 30)) + 0.1
    total = 0.0
    for t, p, fn, fp, w in zip(y_true, y_pred, fn_cost, fp_cost, weight, strict=True):
        total += w * (fn if t == 1 and p == 0 else fp if t == 0 and p == 1 else 0)
    options = {"fn_cost": fn_cost, "fp_cost": fp_cost, "sample_weight": weight}
    assert metrics.total_cost(y_true, y_pred, **options) == pytest.approx(total, rel=1e-12)
    assert metrics.expected_cost(y_true, y_pred, **options) == pytest.approx(total / weight.sum(), rel=1e-12)


@pytest.mark.parametrize("beta", [0.5, 1, 2])
def test_f_measure_is_scikit_learns(beta):
    y_true, y_pred = np.random.default_rng(0).integers(0, 2, (2, 30))
    theirs = fbeta_score(y_true, y_pred, beta=beta, pos_label=0)
    assert metrics.f_measure(y_true, y_pred, beta=beta, pos_label=0) == pytest.approx(theirs)


def values(name, y_true, y_pred, positive=1, **options):
    y_pred = np.where(np.asarray(y_pred) == positive, 0.8, 0.3) if name in PROBABILITIES else y_pred
    value = getattr(metrics, name)(y_true, y_pred, **options)
    return (
        (value.miscalibration, value.discrimination, value.uncertainty)
        if name == "brier_decomposition"
        else value
    )


@pytest.mark.parametrize("name", DECISIONS + PROBABILITIES)
def test_any_two_labels(name):
    costs = {"fn_cost": 5.0} if "cost" in name or name == "normalised_loss" else {}
    expected = values(name, Y_TRUE, Y_PRED, **costs)
    for negative, positive in ((-1, 1), (3, 7), ("a", "b"), (False, True)):
        y_true, y_pred = (np.where(y == 1, positive, negative) for y in (Y_TRUE, Y_PRED))
        named = costs | ({"pos_label": "b"} if positive == "b" else {})
        assert values(name, y_true, y_pred, positive=positive, **named) == expected
        assert values(name, list(y_true), pd.Series(y_pred), positive=positive, **named) == expected
    turned = np.where(Y_TRUE == 1, "good", "ill"), np.where(Y_PRED == 1, "good", "ill")
    assert values(name, *turned, positive="good", pos_label="good", **costs) == expected


@pytest.mark.parametrize("name", ["total_cost", "expected_cost", "normalised_loss"])
def test_pos_label_says_whose_miss_costs_fn_cost(name):
    metric = getattr(metrics, name)
    assert metric(Y_TRUE, Y_PRED, fn_cost=5, fp_cost=2, pos_label=0) == metric(
        Y_TRUE, Y_PRED, fn_cost=2, fp_cost=5
    )
    assert metric(Y_TRUE, Y_PRED, fn_cost=5, pos_label=0) != metric(Y_TRUE, Y_PRED, fn_cost=5)


@pytest.mark.parametrize("name", DECISIONS + PROBABILITIES)
def test_integer_weights_are_copies(name):
    weight = np.array([1, 2, 0, 3, 1, 1, 2, 0, 1, 4])
    copied = values(name, np.repeat(Y_TRUE, weight), np.repeat(Y_PRED, weight))
    assert values(name, Y_TRUE, Y_PRED, sample_weight=weight) == pytest.approx(copied, rel=1e-12, abs=1e-15)
    assert copied != values(name, Y_TRUE, Y_PRED)


@pytest.mark.parametrize("label, cost", [(1, 0.0), (0, 2.0), (-1, 2.0)])
def test_a_fold_with_one_label_is_read_by_convention(label, cost):
    y_true, y_pred = np.full(3, label), np.ones(3, dtype=int)
    assert metrics.expected_cost(y_true, y_pred, fp_cost=2, fn_cost=9) == cost


def test_a_fold_with_one_other_label_needs_the_positive_one():
    assert metrics.total_cost(["ill"] * 2, ["ill"] * 2, pos_label="ill") == 0
    with pytest.raises(ValueError, match="pos_label=None, and the only label is 'ill'"):
        metrics.total_cost(["ill"] * 2, ["ill"] * 2)


@pytest.mark.parametrize("name", ["gmean_precision_recall", "f_measure", "gmean_counts", "gmean"])
def test_nothing_predicted_positive_gives_zero(name):
    assert getattr(metrics, name)([0, 1, 1], [0, 0, 0]) == 0.0


@pytest.mark.parametrize("name", NEED_BOTH_CLASSES)
@pytest.mark.parametrize("weight", [None, [1, 1, 0]])
def test_rates_need_both_classes(name, weight):
    y_true = [1, 1, 1] if weight is None else [1, 1, 0]
    with pytest.raises(ValueError, match="y_true holds one class only"):
        getattr(metrics, name)(y_true, [1, 0, 1], sample_weight=weight)


@pytest.mark.parametrize(
    "y_true, y_pred, options, message",
    [
        ([0, 1, 2], [0, 1, 2], {}, "3 labels"),
        ([0, 1], [0, 2], {}, "3 labels"),
        ([0, 1], [0, 1], {"pos_label": 2}, "pos_label=2: allowed are 0 and 1"),
        ([0, 1], [0, 1, 1], {}, "y_pred has 3 labels: allowed are 2"),
        ([0, 1], [0.3, 0.7], {}, "y_pred=.*allowed are whole numbers"),
        ([0, 1], [0, 1], {"sample_weight": [1, -1]}, "sample_weight holds -1.0"),
        ([0, 1], [0, 1], {"sample_weight": [0, 0]}, "sample_weight.*zero"),
        ([0, 1], [0, 1], {"sample_weight": [1, 1, 1]}, r"sample_weight has shape \(3,\)"),
    ],
)
@pytest.mark.parametrize("name", DECISIONS)
def test_bad_labels_and_weights_are_named(name, y_true, y_pred, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(metrics, name)(y_true, y_pred, **options)


@pytest.mark.parametrize(
    "name, cost",
    [
        *product(["total_cost", "expected_cost", "normalised_loss"], [math.nan, math.inf, -1e101, "much"]),
        *product(["normalised_loss"], [0, -1]),
    ],
)
def test_bad_costs_are_named(name, cost):
    with pytest.raises(ValueError, match="fn_cost="):
        getattr(metrics, name)([0, 1], [1, 0], fn_cost=cost)
    with pytest.raises(ValueError, match="fp_cost="):
        get_cost_scorer(name, fp_cost=cost)


def test_costs_of_another_number_of_examples_are_refused():
    with pytest.raises(ValueError, match=r"fn_cost has shape \(3,\): allowed is a number or \(2,\)"):
        metrics.expected_cost([0, 1], [1, 0], fn_cost=[1, 2, 3])


@pytest.mark.parametrize("costs", [{"fn_cost": [1, 2]}, {"fp_cost": [1, 2]}])
def test_a_loss_with_one_skew_needs_one_cost_of_each_kind(costs):
    scorer = partial(get_cost_scorer, "expected_cost")
    for call in (scorer, partial(metrics.normalised_loss, [0, 1], [1, 0])):
        with pytest.raises(ValueError, match=r"_cost=\[1, 2\]: allowed is a "):
            call(**costs)


@pytest.mark.parametrize("prevalence", [-0.1, 1.1])
def test_a_bad_prevalence_is_named(prevalence):
    with pytest.raises(ValueError, match="prevalence="):
        metrics.normalised_loss([0, 1], [1, 0], prevalence=prevalence)


def one_feature(seed=0, n=300):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return rng.normal(size=(n, 1)) + y[:, None], y


@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes")])
def test_the_scorer_chooses_in_a_grid_search_what_costs_least(labels):
    X, y = one_feature()
    y = np.array(labels)[y]
    weights = [{labels[0]: 1, labels[1]: ratio} for ratio in (0.1, 1, 10)]
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    for costs, best in (((20, 1), weights[2]), ((1, 20), weights[0])):
        options = {"fn_cost": costs[0], "fp_cost": costs[1], "pos_label": labels[1]}
        scorer = get_cost_scorer("expected_cost", **options)
        search = GridSearchCV(tree, {"class_weight": weights}, scoring=scorer, cv=3).fit(X, y)
        assert search.best_params_["class_weight"] == best
        fitted = search.best_estimator_
        expected = -metrics.expected_cost(y, fitted.predict(X), **options)
        assert search.score(X, y) == pytest.approx(expected)
        assert np.all(search.cv_results_["mean_test_score"] < 0)


def test_the_scorer_at_unit_costs_is_the_error_rate():
    X, y = one_feature(1)
    tree = DecisionTreeClassifier(max_depth=2, random_state=0)
    error = make_scorer(lambda t, p: np.mean(t != p), greater_is_better=False)
    ours = cross_val_score(tree, X, y, scoring=get_cost_scorer("expected_cost"))
    np.testing.assert_allclose(ours, cross_val_score(tree, X, y, scoring=error))
    assert metrics.f_measure(y, tree.fit(X, y).predict(X)) == pytest.approx(f1_score(y, tree.predict(X)))


def forecasts(seed, n=80, ties=False):
    rng = np.random.default_rng(seed)
    p = rng.random(n)
    return (rng.random(n) < p**2).astype(int), p.round(1) if ties else p, rng.random(n)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_brier_score_is_scikit_learns(seed, ties):
    y, p, weight = forecasts(seed, ties=ties)
    theirs = brier_score_loss(y, p, sample_weight=weight)
    assert metrics.brier_score(y, p, sample_weight=weight) == pytest.approx(theirs, rel=1e-13)
    balanced = (
        np.average(p[y == 0] ** 2, weights=weight[y == 0])
        + np.average((1 - p[y == 1]) ** 2, weights=weight[y == 1])
    ) / 2
    ours = metrics.brier_score(y, p, class_balanced=True, sample_weight=weight)
    assert ours == pytest.approx(balanced, rel=1e-13)


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_decomposition_is_that_of_model_diagnostics(seed, ties):
    y, p, weight = forecasts(seed, ties=ties)
    ours = metrics.brier_decomposition(y, p, sample_weight=weight)
    theirs = decompose(y, p, weights=weight, scoring_function=SquaredError()).row(0, named=True)
    for part in ("miscalibration", "discrimination", "uncertainty", "score"):
        assert getattr(ours, part) == pytest.approx(theirs[part], abs=1e-13), part
    assert ours.score == pytest.approx(metrics.brier_score(y, p, sample_weight=weight), abs=1e-15)
    assert ours.refinement == pytest.approx(theirs["uncertainty"] - theirs["discrimination"], abs=1e-13)


def test_rounding_breaks_no_tie_of_the_decomposition():
    y, p = np.array([1, 0, 1, 0, 0, 1]), np.array([0.3, 0.3, 0.3, 0.7, 0.7, 0.7])
    broken = p + 1e-16 * np.array([1, 0, 1, 0, 0, 1])
    assert len(np.unique(broken)) == 4
    given, exact = (metrics.brier_decomposition(y, of) for of in (broken, p))
    assert given.refinement == pytest.approx(exact.refinement, abs=1e-14)


HOSTILE = {
    "ties": lambda y, p: p.round(1),
    "constant": lambda y, p: np.full(len(p), 0.3),
    "separable": lambda y, p: 0.4 * p + 0.6 * y,
    "the wrong way round": lambda y, p: 1 - y,
    "zero and one": lambda y, p: p.round(),
    "next to zero": lambda y, p: p**90,
    "next to one": lambda y, p: 1 - p**60,
    "one class": lambda y, p: p,
}


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("weighted", [False, True])
def test_decomposition_is_that_of_isotonic_regression(kind, weighted):
    y, p, weight = forecasts(7)
    y = np.zeros_like(y) if kind == "one class" else y
    p = HOSTILE[kind](y, p)
    weight = np.where(weight > 0.3, weight, 0.0) * 1e-30 if weighted else np.ones(len(y))
    used = weight > 0
    best = IsotonicRegression(out_of_bounds="clip").fit(p[used], y[used], weight[used]).predict(p[used])
    given, refined, base = (
        np.average((of - y[used]) ** 2, weights=weight[used])
        for of in (p[used], best, np.average(y, weights=weight))
    )
    ours = metrics.brier_decomposition(y, p, sample_weight=weight, pos_label=1)
    found = ours.miscalibration, ours.discrimination, ours.uncertainty
    assert found == pytest.approx((given - refined, base - refined, base), rel=0, abs=1e-14)


@pytest.mark.parametrize("balanced", [False, True])
def test_decompositions_are_those_of_each_model_by_itself(balanced):
    y, p, weight = forecasts(8)
    weight[::5] = 0
    probabilities = np.array([of(y, p) for of in HOSTILE.values()])
    options = {"class_balanced": balanced, "sample_weight": weight}
    each = [metrics.brier_decomposition(y, row, **options) for row in probabilities]
    assert metrics.brier_decompositions(y, probabilities, **options) == each


@pytest.mark.parametrize("shape, said", [((3,), r"(3,)"), ((2, 4), r"(2, 4)"), ((0, 3), r"(0, 3)")])
def test_probabilities_of_models_have_a_row_for_each(shape, said):
    with pytest.raises(ValueError, match=rf"y_probs has shape {re.escape(said)}: allowed is \(n, 3\)"):
        metrics.brier_decompositions([0, 1, 1], np.full(shape, 0.5))


def test_decomposition_in_its_limits():
    y = np.array([0, 0, 1, 1, 1])
    constant = metrics.brier_decomposition(y, np.full(5, 0.6))
    assert (constant.miscalibration, constant.discrimination) == pytest.approx((0, 0), abs=1e-15)
    perfect = metrics.brier_decomposition(y, y)
    assert perfect.refinement == 0 and perfect.score == 0
    squeezed = metrics.brier_decomposition(y, 0.4 + 0.1 * y)
    assert squeezed.refinement == 0 and squeezed.miscalibration == pytest.approx((2 * 0.16 + 3 * 0.25) / 5)
    assert metrics.brier_decomposition(y, 1 - y).discrimination == 0


def test_class_balanced_decomposition_is_that_of_a_balanced_sample():
    y, p, _ = forecasts(5)
    n_pos, n_neg = y.sum(), (1 - y).sum()
    ours = metrics.brier_decomposition(y, p, class_balanced=True)
    copies = np.where(y == 1, n_neg, n_pos)
    theirs = decompose(np.repeat(y, copies), np.repeat(p, copies), scoring_function=SquaredError()).row(
        0, named=True
    )
    assert ours.uncertainty == pytest.approx(0.25)
    assert ours.miscalibration == pytest.approx(theirs["miscalibration"], abs=1e-12)


@pytest.mark.parametrize(
    "y_prob, message",
    [
        ([0.1, 1.2], "y_prob holds 1.2"),
        ([-0.5, 0], "y_prob holds -0.5"),
        ([0.1, np.nan], "y_prob holds nan"),
        ([0.1], "y_prob has shape"),
        ([[0.1, 0.9], [0.2, 0.8]], "y_prob has shape"),
    ],
)
@pytest.mark.parametrize("name", PROBABILITIES)
def test_bad_probabilities_are_named(name, y_prob, message):
    with pytest.raises(ValueError, match=message):
        getattr(metrics, name)([0, 1], y_prob)


@pytest.mark.parametrize("name", PROBABILITIES)
def test_balancing_needs_both_classes(name):
    with pytest.raises(ValueError, match="y_true holds one class only"):
        getattr(metrics, name)([1, 1], [0.5, 0.6], class_balanced=True)


@pytest.mark.parametrize("unit", [1e-99, 1.0, 1e99])
def test_the_unit_of_the_weights_does_not_matter(unit):
    weight = unit * np.linspace(0.5, 2, len(Y_TRUE))
    for name in DECISIONS + PROBABILITIES:
        if name != "total_cost":
            expected = values(name, Y_TRUE, Y_PRED, sample_weight=weight / unit)
            assert values(name, Y_TRUE, Y_PRED, sample_weight=weight) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weight", [1e160, 1.79e308, np.inf])
def test_weights_that_overflow_are_refused(weight):
    for name in DECISIONS + PROBABILITIES:
        with pytest.raises(ValueError, match="sample_weight holds"):
            values(name, Y_TRUE, Y_PRED, sample_weight=np.full(len(Y_TRUE), weight))
