"""Which class is positive: of two words none by default, wherever the answer depends on it.

The rule is written here a second time: labels of each kind, and of each call whether it tells the classes
apart always, by unequal costs only, or never. Where a positive class is named, the answer is that of truth
values.
"""

import contextlib
import inspect
import re
import sys
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import csb
from csb.evaluation import curves, displays, intervals, metrics
from csb.evaluation.scorers import SCORED, get_cost_scorer
from csb.methods.thresholds import search_support_scores
from csbook.interactive import threshold_figure
from csbook.theory.hyperplanes import closest_scores
from csbook.theory.separable import class_margins, largest_margin
from kinds import few

RNG = np.random.default_rng(5)
Y = np.arange(30) % 3 == 0
X = RNG.normal(size=(30, 2)) + Y[:, np.newaxis]
CALLED = np.where(RNG.random(30) < 0.3, ~Y, Y)
P = np.clip(0.5 * Y + 0.5 * RNG.random(30), 0.01, 0.99)
AMOUNT = RNG.uniform(1, 9, 30)

KINDS = {
    "str": (("bad", "good"), np.array), "object": (("bad", "good"), lambda y: np.array(y, object)),
    "list": (("bad", "good"), list), "pandas": (("bad", "good"), pd.Series),
    "categorical": (("bad", "good"), pd.Categorical), "numpy str": (("1", "2"), lambda y: list(np.array(y))),
    "bytes": ((b"0", b"1"), np.array), "date": (("2020-01-01", "2021-01-01"), lambda y: np.array(y, "M8[D]")),
    "nanoseconds": (("2020-01-01", "2021-01-01"), lambda y: np.array(y, "M8[ns]")),
    "bool": ((False, True), np.array), "int": ((0, 1), np.array), "int8": ((-1, 1), np.int8),
    "float": ((2.0, 7.0), np.array), "objects": ((0, 1), lambda y: np.array(y, object)),
    "Int64": ((3, 4), lambda y: pd.array(y, "Int64")),
}  # fmt: skip
NUMBERS = {"bool", "int", "int8", "float", "objects", "Int64"}
UNITS = {"date": "D", "nanoseconds": "us"}
KIND = pytest.mark.parametrize("kind", KINDS)


def named(kind, y):
    """Labels of a kind, and the two labels as ``pos_label`` takes them."""
    pair, form = KINDS[kind]
    labels = form([pair[int(each)] for each in y])
    return labels, [np.datetime64(each, UNITS[kind]).item() if kind in UNITS else each for each in pair]


def are(found, label):
    """Which labels are this one; numpy compares dates in nanoseconds with their like only."""
    return found == np.asarray(label, found.dtype)


def answer(call, *args, **given):
    """What it gives, or the message of its refusal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call(*args, **given)
        except ValueError as error:
            return str(error)


def assert_refused(said, pair):
    assert isinstance(said, str), "not refused"
    assert re.match(r"pos_label=None: .* must be said; allowed are ", said), said
    assert all(f"pos_label={label!r}" in said for label in pair) and f"y == {pair[0]!r}" in said


# ---- functions

ALWAYS, BY_COSTS, NEVER = "always", "by costs", "never"
UNEQUAL = {
    "numbers": {"fn_cost": 5.0}, "of cases": {"fn_cost": AMOUNT}, "right ones": {"tp_cost": -1.0},
    "a few": {"fn_cost": np.where(Y & (AMOUNT < 5), 4.0, 1.0)},
    "all": {"fn_cost": 3.0, "fp_cost": 3.0, "tn_cost": 0.5},
}  # fmt: skip
EQUAL = {
    "none": {},
    "numbers": {"fn_cost": 3.0, "fp_cost": 3.0},
    "of cases": {"fn_cost": AMOUNT, "fp_cost": AMOUNT},
}
ONE = {"fn_cost": 5.0, "fp_cost": 1.0}

# ---- decisions and probabilities: how each is called with labels and what they are called
OF_COSTS = ("case_costs", "total_cost", "expected_cost", "savings_score")
DECISIONS = {
    **{name: BY_COSTS for name in (*OF_COSTS, "normalised_loss")},
    **{name: ALWAYS for name in ("f_measure", "gmean_precision_recall")},
    **{name: NEVER for name in ("gmean", "gmean_counts")},
}
OF_SCORES = {
    "brier_score": (metrics, {"y_prob": P}), "brier_decomposition": (metrics, {"y_prob": P}),
    "brier_decompositions": (metrics, {"y_probs": [P]}), "brier_curve": (curves, {"y_prob": P}),
    "cost_curve": (curves, {"score": P}), "reliability_diagram": (curves, {"y_prob": P}),
    "net_benefit": (curves, {"y_prob": P, "threshold": [0.2, 0.5]}),
    "decision_curve": (curves, {"y_prob": P}),
    "normalised_margins": (curves, {"score": 2 * P - 1, "votes": [1.0]}),
    "margin_distribution": (curves, {"score": 2 * P - 1, "votes": [1.0]}),
}  # fmt: skip


def drawn(display):
    found = display.curve
    plt.close("all")
    return found


OTHERS = {
    "search_support_scores": lambda y, **given: search_support_scores(y, 2 * P - 1, **given),
    "closest_scores": lambda y, **given: closest_scores(y, Y + 0.1 * P, **given),
    "class_margins": lambda y, **given: class_margins(y, 2 * P - 1, [1.0], **given),
    "largest_margin": lambda y, **given: largest_margin(y, np.array([1 - 2 * Y, 2 * Y - 1]), **given),
    "threshold_figure": lambda y, **given: threshold_figure(y, P, [1, 4], **given).spoken(),
    **{
        f"{name}.from_predictions": lambda y, name=name, **given: drawn(
            getattr(displays, name).from_predictions(y, P, **given)
        )
        for name in ("BrierCurveDisplay", "CostCurveDisplay", "DecisionCurveDisplay", "ReliabilityDisplay")
    },
}


def same(one, other):
    """Equality of numbers, arrays and records of them."""
    if hasattr(one, "__dataclass_fields__"):
        one, other = vars(one), vars(other)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and not isinstance(one[0], float):
        return all(map(same, one, other))
    return bool(np.array_equal(one, other))


def check(call, kind, needed, y=Y, pred=None, **given):
    """A call with labels of a kind: refused, or as with truth values, whichever class is named."""
    labels, pair = named(kind, y)
    marks = {} if pred is None else {"y_pred": named(kind, pred)[0]}
    plain = {} if pred is None else {"y_pred": pred}
    by_default = answer(call, labels, **marks, **given)
    if kind not in NUMBERS and needed:
        assert_refused(by_default, pair)
    else:
        assert same(by_default, answer(call, y, **plain, **given))
    for number, label in enumerate(pair):
        truths = {name: each == bool(number) for name, each in plain.items()}
        found = answer(call, labels, **marks, **given, pos_label=label)
        truth = answer(call, y == bool(number), **truths, **given)
        assert same(found, truth), (label, found, truth)


@KIND
@pytest.mark.parametrize("name", DECISIONS)
def test_metrics_of_decisions(name, kind):
    metric = getattr(metrics, name)
    check(metric, kind, DECISIONS[name] == ALWAYS, pred=CALLED)
    if DECISIONS[name] == BY_COSTS:
        for costs in (UNEQUAL if name in OF_COSTS else {"": ONE}).values():
            check(metric, kind, True, pred=CALLED, **costs)
        for costs in (EQUAL if name in OF_COSTS else {"": EQUAL["numbers"]}).values():
            check(metric, kind, False, pred=CALLED, **costs)


@KIND
@pytest.mark.parametrize("prevalence, needed", [(0.5, False), (0.2, True)])
def test_a_share_of_the_positives_tells_the_classes_apart(kind, prevalence, needed):
    check(metrics.normalised_loss, kind, needed, pred=CALLED, prevalence=prevalence)


@KIND
@pytest.mark.parametrize("name", OF_SCORES)
def test_metrics_and_curves_of_scores(name, kind):
    module, given = OF_SCORES[name]
    check(getattr(module, name), kind, True, **given)


@KIND
@pytest.mark.parametrize("name", OTHERS)
def test_what_else_takes_labels(name, kind):
    check(OTHERS[name], kind, True)


@KIND
def test_an_interval_takes_words(kind):
    def interval(y, **given):
        return intervals.bootstrap_interval(
            lambda weight: np.average(P, weights=weight), y, n_resamples=5, random_state=0, **given
        )

    check(interval, kind, False)


def test_every_function_of_labels_is_called():
    called = {*DECISIONS, *OF_SCORES, "bootstrap_interval"}
    taking = {
        name
        for module in (metrics, curves, intervals)
        for name in module.__all__
        if "pos_label" in inspect.signature(getattr(module, name)).parameters
    }
    assert taking == called


OF_SKLEARN = pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in ("bytes", "date", "nanoseconds", "objects")]
)
"""What scikit-learn takes for labels."""


@OF_SKLEARN
@pytest.mark.parametrize("unequal", [True, False])
@pytest.mark.parametrize("metric", SCORED)
def test_scorers(metric, unequal, kind):
    costs = {"threshold": 0.2} if metric == "net_benefit" else ONE if unequal else {}

    def scored(y, **given):
        y = np.asarray(y)
        return get_cost_scorer(metric, **costs, **given)(GaussianNB().fit(X, y), X, y)

    labels, pair = named(kind, Y)
    by_default = answer(scored, labels)
    if kind not in NUMBERS and (metric == "net_benefit" or unequal):
        assert_refused(by_default, pair)
    else:
        assert by_default == pytest.approx(scored(Y))
    for label in pair:
        assert scored(labels, pos_label=label) == pytest.approx(scored(np.asarray(labels) == label))


@OF_SKLEARN
def test_displays_take_the_positive_class_of_their_estimator(kind):
    labels, pair = named(kind, Y)

    def area(model, y=labels, **given):
        return drawn(displays.BrierCurveDisplay.from_estimator(model.fit(X, y), X, y, **given)).area

    by_default = answer(area, GaussianNB())
    if kind in NUMBERS:
        assert by_default == area(GaussianNB(), pos_label=pair[1])
    else:
        assert_refused(by_default, pair)
    for label in pair:
        own = area(csb.CostDecision(GaussianNB(), calibration=None, pos_label=label))
        assert own == pytest.approx(area(GaussianNB(), np.asarray(labels) == label))
        other = next(each for each in pair if each != label)
        twice = area(csb.CostDecision(GaussianNB(), calibration=None, pos_label=label), pos_label=other)
        assert twice == pytest.approx(area(GaussianNB(), pos_label=other))


# ---- estimators

ESTIMATORS = [getattr(csb, name) for name in csb.__all__ if hasattr(getattr(csb, name), "fit")]
COSTED = [cls for cls in ESTIMATORS if "fn_cost" in cls().get_params()]
AROUND = (csb.CostDecision, csb.MetaCost)
TRAINING = (
    "base.boost",
    "logit.boost_logit",
    "decision.fit_ensemble",
    "metacost._judge",
    "unequal_margin.clone",
)


EVEN, ODD = np.arange(0, 30, 2), np.arange(1, 30, 2)
"""Splits of the calibration; those drawn at random depend on the order of the classes."""


def model_of(cls, **given):
    small = {"n_estimators": 3, "random_state": 0, "cv": [(ODD, EVEN), (EVEN, ODD)]}
    if cls in AROUND:
        small |= {"estimator": csb.AdaBoost(n_estimators=3)}
    return cls(**{name: value for name, value in small.items() if name in cls().get_params()} | given)


@contextlib.contextmanager
def untrained():
    """Training begins with an error of its own."""

    def began(*args, **given):
        raise AssertionError("training began")

    with pytest.MonkeyPatch.context() as patch:
        for name in TRAINING:
            patch.setattr(f"csb.estimators.{name}", began)
        yield


def test_who_takes_costs_takes_a_positive_class():
    assert COSTED and all("pos_label" in cls().get_params() for cls in COSTED)


@KIND
@pytest.mark.parametrize("cls", few(COSTED))
def test_estimators(cls, kind):
    if cls is csb.UnequalMarginSVC and kind == "bytes":
        pytest.skip("scikit-learn's SVC takes no bytes")
    labels, pair = named(kind, Y)

    def decided(y, positive, **given):
        return are(model_of(cls, **given).fit(X, y).predict(X), positive)

    for costs in ({}, {"fn_cost": 2.0, "fp_cost": 2.0}):
        np.testing.assert_array_equal(decided(labels, pair[1], **costs), decided(Y, True, **costs))
    for costs in (ONE, {"fn_cost": 1.0, "fp_cost": 5.0}):
        if kind in NUMBERS:
            np.testing.assert_array_equal(decided(labels, pair[1], **costs), decided(Y, True, **costs))
        else:
            with untrained():
                assert_refused(answer(decided, labels, None, **costs), pair)
        for label in pair:
            expected = decided(Y == (label == pair[1]), True, **costs)
            np.testing.assert_array_equal(decided(labels, label, pos_label=label, **costs), expected)


@KIND
def test_a_search_has_the_positive_class_of_its_estimator(kind):
    labels, pair = named(kind, Y)

    def best(y, **given):
        base = csb.CGAda(5.0, n_estimators=3, **given)
        return csb.BoostingCV(base, learning_rates=[1.0], cv=2, scoring="cost", random_state=0).fit(X, y)

    if kind not in NUMBERS:
        with untrained():
            assert_refused(answer(best, labels), pair)
    for label in pair:
        assert best(labels, pos_label=label).best_score_ == best(Y == (label == pair[1])).best_score_


@pytest.mark.parametrize("cls", few(COSTED))
def test_a_positive_class_of_which_a_helper_has_left_a_number(cls):
    labels, _ = named("str", Y)
    folds = {"cv": 2} if "cv" in cls().get_params() else {}
    model = model_of(cls, pos_label="bad", **folds)
    helpers = (
        lambda y: cross_val_predict(model, X, y, cv=2, method="decision_function"),
        lambda y: VotingClassifier([("m", model)]).fit(X, y),
    )
    for helper in helpers:
        with untrained(), pytest.raises(ValueError, match="numbered them: .* y == 'bad', and no pos_label"):
            helper(labels)
    model.set_params(pos_label=None)
    for helper in helpers:
        helper(labels == "bad")


AT_DECISION = {
    "predict": {"fn_cost": 5.0}, "expected_cost": {"fn_cost": AMOUNT}, "score": {"tp_cost": -1.0},
}  # fmt: skip


@KIND
@pytest.mark.parametrize("method", AT_DECISION)
def test_costs_of_the_day(method, kind):
    labels, pair = named(kind, Y)

    def judged(y, positive, **given):
        model = model_of(csb.CostDecision, calibration=None, **given).fit(X, y)
        found = getattr(model, method)(X, *[y] * (method == "score"), **AT_DECISION[method])
        if method == "expected_cost":
            return found[:, np.flatnonzero(are(model.classes_, positive))[0]]
        return found if method == "score" else are(found, positive)

    if kind not in NUMBERS:
        assert_refused(answer(judged, labels, pair[1]), pair)
    for label in pair:
        found, truth = judged(labels, label, pos_label=label), judged(Y == (label == pair[1]), True)
        np.testing.assert_allclose(found, truth, rtol=1e-12)


@KIND
@pytest.mark.parametrize("cost", [{"fn_cost": 5.0}, {"fp_cost": AMOUNT}])
def test_costs_of_the_day_of_calibrated_boosting(cost, kind):
    labels, pair = named(kind, Y)

    def decided(y, positive, **given):
        return are(model_of(csb.CalibratedAdaMEC, **given).fit(X, y).predict(X, **cost), positive)

    if kind not in NUMBERS:
        assert_refused(answer(decided, labels, pair[1]), pair)
    for label in pair:
        found = decided(labels, label, pos_label=label)
        np.testing.assert_array_equal(found, decided(Y == (label == pair[1]), True))


@pytest.mark.parametrize("cls", AROUND)
@pytest.mark.parametrize(
    "matrix", [[[0, 1], [5, 0]], pd.DataFrame([[0, 5], [1, 0]], ["good", "bad"], ["good", "bad"])]
)
def test_a_matrix_names_its_classes(cls, matrix):
    labels, _ = named("str", Y)
    model = model_of(cls, cost_matrix=matrix).fit(X, labels)
    truth = model_of(cls, cost_matrix=[[0, 1], [5, 0]]).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X) == "good", truth.predict(X))


@KIND
def test_what_is_said_of_the_positives_tells_the_classes_apart(kind):
    labels, pair = named(kind, Y)
    ready = FrozenEstimator(csb.AdaBoost(n_estimators=3).fit(X, labels))
    limited = csb.CostDecision(ready, max_miss_rate=0.2)
    capped = csb.CostDecision(ready).fit(X, labels)
    for call in (lambda: limited.fit(X, labels).predict(X), lambda: capped.predict(X, max_positives=3)):
        if kind in NUMBERS:
            assert set(call().tolist()) <= set(pair)
        else:
            with untrained():
                assert_refused(answer(call), pair)
    for label in pair:
        assert are(capped.set_params(pos_label=label).predict(X, max_positives=3), label).sum() <= 3
        called = are(limited.set_params(pos_label=label).fit(X, labels).predict(X), label)
        assert np.mean(~called[Y == (label == pair[1])]) <= 0.2


@OF_SKLEARN
@pytest.mark.parametrize(
    "costs", [ONE, {"fn_cost": AMOUNT, "fp_cost": 2.0}, {"fn_cost": 2.0, "fp_cost": 2.0}]
)
def test_recommend(costs, kind, monkeypatch):
    labels, pair = named(kind, Y)

    def cost(y, **given):
        found = csb.recommend(
            X, y, **costs, cv=2, random_state=0, candidates={"bayes": GaussianNB()}, **given
        )
        return found.table.loc["bayes", "cost"]

    by_default = answer(cost, labels)
    if kind not in NUMBERS and costs["fn_cost"] is not costs["fp_cost"]:
        monkeypatch.setattr(sys.modules["csb.recommend.candidates"].Candidate, "fit", None)
        assert_refused(answer(cost, labels), pair)
        monkeypatch.undo()
    else:
        assert by_default == pytest.approx(cost(Y))
    for label in pair:
        assert cost(labels, pos_label=label) == pytest.approx(cost(Y == (label == pair[1])))
