"""Indexes of pandas that say that rows stand in another order: refused wherever cases are read together."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import csb
from csb import recommend
from csb.evaluation import curves, metrics
from csb.evaluation.decisions import mean_cost
from csb.inputs import check_order

N = 40
RNG = np.random.default_rng(0)
VALUES = RNG.normal(size=N)
Y = (VALUES + RNG.normal(scale=0.5, size=N) > 0).astype(int)
PROB = 1 / (1 + np.exp(-VALUES))
COST = RNG.uniform(1, 9, N)
MODEL = csb.CostDecision(LogisticRegression(), random_state=0).fit(pd.DataFrame({"x": VALUES}), Y)

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
    columns = {"y": Y, "said": Y[::-1].copy(), "p": PROB, "cost": COST, "weight": COST}
    frame = pd.DataFrame({"x": VALUES}, index)
    return frame, {name: pd.Series(values, index) for name, values in columns.items()}


def fitted_by(X, y, **given):
    """Probabilities of a decision that these trained."""
    return csb.CostDecision(LogisticRegression(), random_state=0).fit(X, y, **given).predict_proba(X)


def advice(X, y, **given):
    """The costs in the table of a recommendation."""
    settings = {"cv": 2, "random_state": 0, "candidates": {"l": LogisticRegression()}}
    return recommend(X, y, **{"fn_cost": 3.0, "fp_cost": 1.0} | given, **settings).table["cost"].to_numpy()


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
