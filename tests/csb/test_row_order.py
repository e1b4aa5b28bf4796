"""Indexes of pandas that say that rows stand in another order: refused wherever cases are read together."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import csb
from csb import recommend
from csb.evaluation import curves, displays, metrics
from csb.evaluation.calibration import PlattScaling
from csb.evaluation.comparison import cost_table
from csb.evaluation.decisions import decide_positive, mean_cost
from csb.evaluation.in_use import worth_by_period
from csb.evaluation.intervals import case_interval
from csb.evaluation.scorers import get_cost_scorer
from csb.evaluation.temperature import TemperatureScaling
from csb.inputs import check_order
from csb.methods.thresholds import search_support_scores

N = 40
RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=N)
Y = (VALUES + RNG.normal(scale=0.5, size=N) > 0).astype(int)
PROB = 1 / (1 + np.exp(-VALUES))
COST = RNG.uniform(1, 9, N)
BACKGROUND = pd.DataFrame({"x": VALUES})
MODEL = csb.CostDecision(LogisticRegression(), random_state=0).fit(BACKGROUND, Y)
BOOSTED = csb.CalibratedAdaMEC(n_estimators=5, random_state=0).fit(BACKGROUND, Y)

INDEXES = {
    "numbers": pd.Index(RNG.permutation(N)),
    "words": pd.Index([f"case {i}" for i in range(N)]),
    "dates": pd.date_range("2020-01-01", periods=N),
    "pairs": pd.MultiIndex.from_product([["a", "b"], range(N // 2)]),
    "numbers and words": pd.Index([*range(N // 2), *map(str, range(N // 2))], dtype=object),
    "a gap": pd.Index([np.nan, *range(1, N)]),
    "twice each": pd.Index(np.arange(N) // 2),
}


def rotated(index):
    """The same labels, as often, in another order."""
    return index[np.r_[1 : len(index), 0]]


def cases(index):
    """Features, labels, predictions, scores, costs and weights under an index."""
    columns = {"y": Y, "said": Y[::-1].copy(), "p": PROB, "signed": VALUES, "cost": COST, "weight": COST}
    frame = pd.DataFrame({"x": VALUES}, index)
    return frame, {name: pd.Series(values, index) for name, values in columns.items()}


def fitted_by(X, y, **given):
    """Probabilities of a decision that these trained."""
    return csb.CostDecision(LogisticRegression(), random_state=0).fit(X, y, **given).predict_proba(X)


def advice(X, y, **given):
    """The costs in the table of a recommendation."""
    settings = {"cv": 2, "random_state": 0, "candidates": {"l": LogisticRegression()}}
    return recommend(X, y, **{"fn_cost": 3.0, "fp_cost": 1.0} | given, **settings).table["cost"].to_numpy()


def boosted_by(cls):
    """Scores of a method that cases trained; costs of single ones are those of their wrong class."""

    def scores(X, y, **given):
        if "cost" in given and cls is csb.LpCSB:
            given["cost"] = in_columns(given["cost"], lambda cost: cost * (Y[:, np.newaxis] != [0, 1]))
        return cls(n_estimators=3, random_state=0).fit(X, y, **given).decision_function(X)

    return scores


def in_columns(column, make):
    """An array of columns for one, or a frame of them for a series."""
    table = make(np.asarray(column)[:, np.newaxis])
    return pd.DataFrame(table, column.index) if isinstance(column, pd.Series) else table


def tempered(scores, y, **given):
    """The factor of scores of two classes."""
    columns = in_columns(scores, lambda p: np.log(np.hstack([1 - p, p])))
    return TemperatureScaling().fit(columns, y, **given).beta_


def drawn(make, **given):
    display = make(**given)
    plt.close(display.figure_)
    return display.curve.area


LABELS = {"y_true": "y", "y_pred": "said"}
CALLS = {
    "fit": (fitted_by, {"X": "X", "y": "y", "sample_weight": "weight"}),
    "predict": (MODEL.predict, {"X": "X", "fn_cost": "cost", "fp_cost": "cost"}),
    "predict, right decisions": (MODEL.predict, {"X": "X", "tp_cost": "weight", "tn_cost": "weight"}),
    "predict, none": (MODEL.predict, {"X": "X", "abstain_cost": "cost"}),
    "expected_cost": (MODEL.expected_cost, {"X": "X", "tp_cost": "cost"}),
    "score": (MODEL.score, {"X": "X", "y": "y", "sample_weight": "weight", "fn_cost": "cost"}),
    "mean_cost": (mean_cost, LABELS | {"abstain_cost": "cost", "sample_weight": "weight"}),
    "brier_score": (metrics.brier_score, {"y_true": "y", "y_prob": "p", "sample_weight": "weight"}),
    "brier_decomposition": (metrics.brier_decomposition, {"y_true": "y", "y_prob": "p"}),
    "f_measure": (metrics.f_measure, LABELS | {"sample_weight": "weight"}),
    "normalised_loss": (metrics.normalised_loss, LABELS),
    "cost_curve": (lambda **given: curves.cost_curve(**given).area, {"y_true": "y", "score": "p"}),
    "brier_curve": (lambda **given: curves.brier_curve(**given).area, {"y_true": "y", "y_prob": "p"}),
    "reliability_diagram": (
        lambda **given: curves.reliability_diagram(**given).observed, {"y_true": "y", "y_prob": "p"}),
    "net_benefit": (
        lambda **given: curves.net_benefit(threshold=0.3, **given), {"y_true": "y", "y_prob": "p"}),
    "decision_curve": (
        lambda **given: curves.decision_curve(**given).net_benefit,
        {"y_true": "y", "y_prob": "p", "sample_weight": "weight"}),
    "normalised_margins": (
        lambda **given: curves.normalised_margins(votes=[1.0], **given), {"y_true": "y", "score": "p"}),
    **{name: (getattr(metrics, name), LABELS | {
        f"{which}_cost": "cost" for which in ("fn", "fp", "tp", "tn", "abstain")
    } | {"sample_weight": "weight"})
       for name in ("expected_cost", "total_cost")},
    "savings_score": (metrics.savings_score, LABELS | {"fn_cost": "cost", "fp_cost": "cost"}),
    "AdaBoost.fit": (boosted_by(csb.AdaBoost), {"X": "X", "y": "y", "sample_weight": "weight"}),
    "CGAda.fit": (boosted_by(csb.CGAda), {"X": "X", "y": "y", "sample_weight": "weight", "cost": "cost"}),
    "LpCSB.fit": (boosted_by(csb.LpCSB), {"X": "X", "y": "y", "sample_weight": "weight", "cost": "cost"}),
    "CalibratedAdaMEC.predict": (BOOSTED.predict, {"X": "X", "fn_cost": "cost", "fp_cost": "weight"}),
    "CalibratedAdaMEC.score": (BOOSTED.score, {"X": "X", "y": "y", "sample_weight": "weight"}),
    **{
        f"{type(model).__name__}.explain": (
            lambda model=model, **given: model.explain(background=BACKGROUND, **given).saves,
            {"X": "X", "fn_cost": "cost", "fp_cost": "weight"})
        for model in (MODEL, BOOSTED)
    },
    "PlattScaling.fit": (
        lambda **given: PlattScaling().fit(**given).a_, {"scores": "p", "y": "y", "sample_weight": "weight"}),
    "TemperatureScaling.fit": (tempered, {"scores": "p", "y": "y", "sample_weight": "weight"}),
    "case_interval": (case_interval, {"values": "cost", "sample_weight": "weight", "clusters": "said"}),
    "worth_by_period": (
        worth_by_period, {"saved": "cost", "period": "y", "sample_weight": "weight", "clusters": "said"}),
    "scorer": (
        lambda **given: get_cost_scorer("expected_cost", fn_cost=3)(MODEL, **given),
        {"X": "X", "y_true": "y", "sample_weight": "weight"}),
    "search_support_scores": (search_support_scores, {"y_true": "y", "score": "signed"}),
    "decide_positive": (decide_positive, {"probability": "p", "fn_cost": "cost", "fp_cost": "weight"}),
    "from_predictions": (
        lambda **given: drawn(displays.BrierCurveDisplay.from_predictions, **given),
        {"y_true": "y", "y_prob": "p", "sample_weight": "weight"}),
    "from_estimator": (
        lambda **given: drawn(displays.BrierCurveDisplay.from_estimator, estimator=MODEL, **given),
        {"X": "X", "y": "y", "sample_weight": "weight"}),
    "recommend": (
        advice, {"X": "X", "y": "y", "fn_cost": "cost", "sample_weight": "weight", "current": "said"}),
    "recommend, a rule": (
        lambda X, current: advice(X, Y, current=lambda rows: current), {"X": "X", "current": "said"}),
}  # fmt: skip


def given(names, index):
    X, columns = cases(index)
    return {name: X if of == "X" else columns[of] for name, of in names.items()}


@pytest.mark.filterwarnings("ignore::csb.inputs.KnownDecisionWarning")
@pytest.mark.parametrize("call, names", CALLS.values(), ids=CALLS)
def test_an_index_in_another_order_is_refused_by_name_and_other_labels_are_not(call, names):
    index = INDEXES["numbers"]
    columns = given(names, index)
    plain = call(**{name: column if name == "X" else column.to_numpy() for name, column in columns.items()})
    np.testing.assert_array_equal(call(**columns), plain)
    first = next(iter(names))
    for name in list(names)[1:]:
        turned = columns[name].set_axis(rotated(index))
        aligned = rf"{name}\.loc\[\w+\.index\] aligns it, and {name}\.to_numpy\(\) will do"
        with pytest.raises(ValueError, match=f"^{name}: its index holds .* of {first} in .*: {aligned}"):
            call(**columns | {name: turned})
        shuffled = columns[name].loc[rotated(index)]
        np.testing.assert_array_equal(call(**columns | {name: shuffled.loc[index]}), plain)
        other = columns[name].set_axis(pd.RangeIndex(N, 2 * N))
        np.testing.assert_array_equal(call(**columns | {name: other}), plain)
        np.testing.assert_array_equal(call(**columns | {name: turned.to_numpy()}), plain)


def test_decisions_in_a_table_are_in_the_order_of_the_labels_and_costs():
    index = INDEXES["words"]
    _, columns = cases(index)
    y, said, cost = columns["y"], columns["said"], columns["cost"]
    plain = cost_table(Y, {"rule": said.to_numpy()}, fn_cost=COST)
    pd.testing.assert_frame_equal(cost_table(y, {"rule": said}, fn_cost=cost), plain)
    with pytest.raises(ValueError, match=r"^decisions\['rule'\]: .* of y_true in another order"):
        cost_table(y, {"rule": said.set_axis(rotated(index))}, fn_cost=cost)
    with pytest.raises(ValueError, match="^fn_cost: .* of y_true in another order"):
        cost_table(y, {"rule": said}, fn_cost=cost.set_axis(rotated(index)))


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_indexes_of_all_kinds_are_compared(index):
    one, other = pd.Series(VALUES, index), pd.Series(COST, rotated(index))
    with pytest.raises(ValueError, match="^b: its index holds the labels of that of a in another order"):
        check_order(a=one, b=other)
    with pytest.raises(ValueError, match="^c: .* of a in"):
        check_order(a=one, b=COST, c=other.to_frame())
    with pytest.raises(ValueError, match="^c: .* of b in"):
        check_order(a=pd.Series(VALUES, range(N, 2 * N)), b=one, c=other)
    check_order(a=one, b=pd.Series(COST, index.copy()), c=None, d=list(COST))
    for passing in (pd.RangeIndex(5 * N, 6 * N), index[:-1], pd.Index([f"{i}!" for i in range(N)])):
        check_order(a=one, b=pd.Series(0.0, passing))


def test_labels_that_occur_another_number_of_times_are_other_labels():
    check_order(a=pd.Series(0, ["x", "x", "y"]), b=pd.Series(0, ["x", "y", "y"]))
    with pytest.raises(ValueError, match="^b: "):
        check_order(a=pd.Series(0, ["x", "x", "y"]), b=pd.Series(0, ["x", "y", "x"]))
