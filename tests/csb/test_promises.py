"""What the documentation promises, sentence by sentence, on drawn inputs.

A promise stands beside the sentence that makes it; one that the documentation no longer has fails. ``make
check`` draws a few examples, the same each time, ``make deep`` more of them, and ``make fuzz`` new ones as
long as one likes. What breaks a promise shrinks to a small example, is kept in ``.hypothesis``, and is tried
first the next time.
"""

import inspect
import tempfile
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import csb
from bad_values import bad_values
from csb.engine.blocks import Blocks
from csb.evaluation import curves, decisions, in_use, intervals, metrics
from csb.evaluation.calibration import CALIBRATORS
from csb.evaluation.calibrator import Calibrator

PROMISES = {}
"""For each test the places and the sentences."""


def promised(*said):
    """A test of what these docstrings say: pairs of an object and a sentence, or a part of one."""

    def keep(test):
        PROMISES[test.__name__] = said
        return test

    return keep


@pytest.mark.filterwarnings("error")
def test_the_documentation_says_what_is_promised():
    for test, said in PROMISES.items():
        for place, sentence in said:
            text = " ".join((place.__doc__ or "").split())
            assert sentence in text, f"{test}: {place.__qualname__} no longer says: {sentence}"


def times(factor):
    """So many times the examples that the profile names: fewer of what takes long, more of what does not."""
    return settings(max_examples=max(4, round(factor * settings.default.max_examples)))


WHOLE = st.integers(-3, 12)
"""Costs: whole numbers, so that many expected costs tie, gains among them."""
UNIT = st.sampled_from([1.0, 0.1, 3.0, 1 / 7, 1e-6, 1e9])


@st.composite
def distributions(draw, k):
    """Probabilities of k classes, as whole parts of a whole."""
    parts = draw(st.lists(st.integers(0, 12), min_size=k, max_size=k).filter(any))
    return [Fraction(part, sum(parts)) for part in parts]


def exactly(p, costs):
    """Expected cost of each decision, and by how many others it is dominated."""
    k = len(p)
    expected = [sum(p[c] * costs[c][y] for c in range(k)) for y in range(k)]
    column = [[costs[c][y] for c in range(k)] for y in range(k)]
    dominated = [
        sum(all(a <= b for a, b in zip(other, own, strict=True)) and other != own for other in column)
        for own in column
    ]
    return expected, dominated


@promised(
    (decisions.least_cost_decision, "what differs by a few units in the last place is equal."),
    (decisions.least_cost_decision, "Among equals the first, but for one that never costs less than another"),
    (decisions.cheapest, "a decision that is never better than another is never taken"),
)
@given(st.integers(2, 4), UNIT, st.data())
@times(10)
def test_a_decision_costs_least_in_exact_arithmetic(k, unit, data):
    p = data.draw(distributions(k))
    costs = data.draw(st.lists(st.lists(WHOLE, min_size=k, max_size=k), min_size=k, max_size=k))
    expected, dominated = exactly(p, costs)
    least = [y for y in range(k) if expected[y] == min(expected)]
    (found,) = decisions.least_cost_decision([[float(each) for each in p]], unit * np.array(costs, float))
    assert found == min(least, key=lambda y: dominated[y])


@promised(
    (decisions.decide_positive, "Whether the probability of the positive class exceeds the Bayes threshold"),
    (decisions.decide_positive, "A cost may be zero or negative, too"),
)
@given(distributions(2), WHOLE, WHOLE, UNIT)
@times(10)
def test_the_positive_class_is_called_above_the_threshold(p, missed, alarm, unit):
    never_worse = missed >= 0 >= alarm and missed > alarm
    called = decisions.decide_positive(float(p[1]), unit * missed, unit * alarm)
    assert bool(called) == (never_worse or p[1] * missed > p[0] * alarm)


LABELS = {
    "numbers": (0, 1), "signs": (-1, 1), "flags": (False, True), "others": (3, 7), "words": ("no", "yes"),
}  # fmt: skip
FORMS = {
    "array": np.asarray, "list": list, "series": lambda y: pd.Series(y, index=np.arange(len(y))[::-1]),
    "objects": lambda y: np.array(y, object), "category": lambda y: pd.Categorical(y),
    "nullable": lambda y: pd.Series(y).convert_dtypes(), "tuple": tuple,
    "column": lambda y: np.array(y)[:, None],
}  # fmt: skip


@promised(
    (metrics.case_costs, "What each decision costs"),
    (metrics.total_cost, "Sum of what all decisions cost"),
    (metrics.expected_cost, "Mean cost of a decision."),
    (metrics.total_cost, "Labels and predicted labels."),
)
@given(st.data(), st.sampled_from(sorted(LABELS)), st.sampled_from(sorted(FORMS)), st.booleans(), UNIT)
@times(10)
def test_costs_of_decisions_are_sums_over_cases(data, labels, form, turned, unit):
    n = data.draw(st.integers(2, 9))
    draws = st.lists(st.integers(0, 1), min_size=n, max_size=n)
    y, called = [0, 1, *data.draw(draws)[2:]], data.draw(draws)
    names = ("tn_cost", "fp_cost", "fn_cost", "tp_cost")
    costs = {name: data.draw(st.lists(WHOLE, min_size=n, max_size=n)) for name in names}
    of_all = data.draw(st.sets(st.sampled_from(names)))
    costs = {name: [cost[0]] * n if name in of_all else cost for name, cost in costs.items()}
    weight = [1.0, 2.0, *map(float, data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))[2:])]
    positive = int(not turned)
    paid = [costs[names[2 * (y[i] == positive) + (called[i] == positive)]][i] * unit for i in range(n)]
    given = {
        name: unit * (cost[0] if name in of_all else np.array(cost, float)) for name, cost in costs.items()
    }
    kinds = LABELS[labels]
    arguments = {
        "y_true": FORMS[form]([kinds[each] for each in y]),
        "y_pred": FORMS[form]([kinds[each] for each in called]),
        "pos_label": kinds[positive], **given,
    }  # fmt: skip
    tolerance = {"rel": 1e-12, "abs": 1e-12 * unit}
    assert metrics.case_costs(**arguments) == pytest.approx(paid, **tolerance)
    total = sum(w * each for w, each in zip(weight, paid, strict=True))
    assert metrics.total_cost(**arguments, sample_weight=weight) == pytest.approx(total, **tolerance)
    mean = metrics.expected_cost(**arguments, sample_weight=weight)
    assert mean == pytest.approx(total / sum(weight), **tolerance)


@promised((curves.cost_curve, "No choice of threshold lies below the envelope, so a Brier curve never does."))
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 10), st.integers(1, 4)), min_size=2, max_size=12))
@times(10)
def test_no_choice_of_threshold_lies_below_the_envelope(rows):
    y, p, weight = (np.array(each) for each in zip(*rows, strict=True))
    y[:2] = [False, True]
    p = p / 10
    curve = curves.cost_curve(y, p, sample_weight=weight)
    z = np.linspace(0, 1, 23)
    lines = curve.fpr[:, None] * z + curve.fnr[:, None] * (1 - z)
    envelope = np.interp(z, curve.skew, curve.envelope)
    np.testing.assert_allclose(envelope, lines.min(axis=0), atol=1e-12)
    brier = curves.brier_curve(y, p, sample_weight=weight)
    assert np.all(np.interp(brier.condition, curve.skew, curve.envelope) <= brier.loss + 1e-12)


@promised(
    (intervals.case_interval, "Weighted mean of single cases, with an interval"),
    (intervals.case_interval, "Label of what a case belongs to."),
)
@given(
    st.lists(st.tuples(st.integers(-5, 50), st.integers(1, 4), st.integers(0, 5)), min_size=3, max_size=30),
    st.sampled_from([1e-6, 0.5, 7.0, 1e6]), st.integers(-10, 10), st.sampled_from([0.5, 0.8, 0.95, 0.999]),
)  # fmt: skip
@times(10)
def test_an_interval_holds_its_mean_in_any_unit(rows, unit, moved, level):
    values, weight, clusters = (np.array(each) for each in zip(*rows, strict=True))
    clusters[:2] = [6, 7]
    found = intervals.case_interval(values, sample_weight=weight, clusters=clusters, level=level)
    assert found.mean == pytest.approx(np.average(values, weights=weight))
    assert found.low <= found.mean <= found.high
    named = np.array(list("hgfedcba"))[clusters]
    other = intervals.case_interval(
        unit * (values + float(moved)), sample_weight=3 * weight, clusters=named, level=level
    )
    np.testing.assert_allclose(other, unit * (np.array(found) + moved), rtol=1e-9, atol=1e-9 * unit)


@st.composite
def scored(draw, fewest=4):
    """Scores that often tie, labels of both classes, weights."""
    n = draw(st.integers(fewest, 20))
    scale = draw(st.sampled_from([1.0, 1e-9, 1e9]))
    score = scale * np.array(draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n)), float)
    y = np.array([0, 1, *draw(st.lists(st.integers(0, 1), min_size=n - 2, max_size=n - 2))])
    weight = np.array(draw(st.lists(st.integers(1, 4), min_size=n, max_size=n)), float)
    return score, y, weight


@promised((Calibrator.fit, "Non-negative weights; a weight of zero is an absent row."))
@given(scored(), st.sampled_from(sorted(CALIBRATORS)), st.randoms(use_true_random=False))
def test_calibrators_see_rows_and_weights_and_no_order(data, kind, random):
    score, y, weight = data
    ends = np.abs(score).max(initial=1.0)
    asked = np.r_[score, np.linspace(-1.5, 1.5, 11) * ends]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = CALIBRATORS[kind]().fit(score, y, weight)
        p = fitted.predict(asked)
        order = np.array(random.sample(range(len(y)), len(y)))
        again = CALIBRATORS[kind]().fit(score[order], y[order], weight[order])
        absent = CALIBRATORS[kind]().fit(
            np.r_[score, 3 * ends, -3 * ends], np.r_[y, 0, 1], np.r_[weight, 0.0, 0.0]
        )
    assert np.all((p >= 0) & (p <= 1))
    np.testing.assert_allclose(again.predict(asked), p, atol=1e-6)
    np.testing.assert_allclose(absent.predict(asked), p, atol=1e-9)
    assert np.all(np.diff(p[len(score) :]) >= -1e-9) or np.all(np.diff(p[len(score) :]) <= 1e-9)


@promised(
    (
        in_use.adjust_prevalence,
        "A decision of least expected cost by the new probabilities is the one by the old",
    ),
    (in_use.estimate_prevalence, "They maximise the likelihood of the cases"),
)
@given(
    st.lists(st.integers(1, 99), min_size=1, max_size=12),
    st.integers(1, 19),
    st.integers(1, 19),
    WHOLE,
    WHOLE,
)
@times(10)
def test_shares_that_change_are_costs_that_change(parts, old, new, missed, alarm):
    p, old, new = np.array(parts) / 100, old / 20, new / 20
    adjusted = in_use.adjust_prevalence(p, old, new)
    np.testing.assert_allclose(in_use.adjust_prevalence(adjusted, new, old), p, atol=1e-12)
    by_costs = decisions.decide_positive(p, missed * new / old, alarm * (1 - new) / (1 - old))
    close = np.isclose(adjusted * missed, (1 - adjusted) * alarm, rtol=1e-9)
    assert np.all((decisions.decide_positive(adjusted, missed, alarm) == by_costs) | close)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what tells next to nothing takes many steps
        share = in_use.estimate_prevalence(p, old)
    grid = np.linspace(0.001, 0.999, 41)
    of = np.log(p / old * grid[:, None] + (1 - p) / (1 - old) * (1 - grid[:, None])).mean(axis=1)
    inner = min(max(share, 1e-300), 1 - 1e-16)
    assert np.log(p / old * inner + (1 - p) / (1 - old) * (1 - inner)).mean() >= of.max() - 1e-6


LEARNERS = {
    "logistic": LogisticRegression(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    "bayes": GaussianNB(), "boosted": csb.AdaBoost(3),
}  # fmt: skip


@st.composite
def tables(draw, fewest=24, of_each=6):
    """Features, and labels of which enough of both classes."""
    seed, n = draw(st.integers(0, 10**6)), draw(st.integers(fewest, 40))
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, 2)).astype(float)
    y = np.where(np.arange(n) < 2 * of_each, np.arange(n) % 2, X[:, 0] + rng.normal(size=n) > 1)
    return X, y.astype(int)


def quietly(function, *arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*arguments, **options)


@promised(
    (csb.CostDecision.predict, "The class of least expected cost; of equal ones the first"),
    (
        csb.CostDecision.predict,
        "Costs may be any: free errors, right decisions that cost as much as wrong ones",
    ),
    (csb.CostDecision.predict, "for at most so many of these cases"),
    (csb.CostDecision.predict, "for those where it saves most."),
)
@given(tables(), st.sampled_from(sorted(LEARNERS)), st.sampled_from(["sigmoid", "isotonic", None]), st.data())
def test_a_decision_follows_from_probabilities_and_costs(data, learner, calibration, draw):
    X, y = data
    model = csb.CostDecision(LEARNERS[learner], calibration=calibration, random_state=0)
    quietly(model.fit, X, y)
    p = model.predict_proba(X)
    n = len(X)
    of_each = st.lists(WHOLE, min_size=n, max_size=n).map(lambda cost: np.array(cost, float))
    cost = {
        name: draw.draw(st.one_of(WHOLE.map(float), of_each))
        for name in ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
    }
    of = {name: np.broadcast_to(each, n) for name, each in cost.items()}
    call = p[:, 1] * of["tp_cost"] + p[:, 0] * of["fp_cost"]
    leave = p[:, 1] * of["fn_cost"] + p[:, 0] * of["tn_cost"]
    close = np.isclose(call, leave, rtol=1e-9, atol=1e-9)
    found = quietly(model.predict, X, **cost)
    assert np.all((found == (call < leave)) | close)
    alone = [
        quietly(model.predict, X[[i]], **{name: each[i] for name, each in of.items()})[0]
        for i in range(0, n, 5)
    ]
    assert np.all((alone == found[::5]) | close[::5])
    cap = draw.draw(st.integers(0, n))
    capped = quietly(model.predict, X, **cost, max_positives=cap)
    assert capped.sum() <= cap and np.all(found[capped == 1] == 1)
    left = (found == 1) & (capped == 0)
    if left.any():
        assert capped.sum() == cap
        saved = leave - call
        assert cap == 0 or saved[capped == 1].min() >= saved[left].max() - 1e-9


def as_memory_map(X):
    path = Path(tempfile.mkdtemp()) / "X"
    mapped = np.memmap(path, X.dtype, "w+", shape=X.shape)
    mapped[:] = X
    path.unlink()
    return mapped


PATHS = {
    "list": lambda X: X.tolist(), "columns": np.asfortranarray, "single": lambda X: X.astype(np.float32),
    "whole": lambda X: X.astype(np.int16), "frame": lambda X: pd.DataFrame(X, columns=["a", "b"]),
    "strided": lambda X: np.repeat(X, 2, axis=0)[::2], "memory map": as_memory_map,
    "objects": lambda X: X.astype(object),
}  # fmt: skip


@promised((Blocks, "model is to the bit that of one array of all rows."))
@given(tables(), st.sampled_from(sorted(PATHS)), st.data())
def test_the_model_is_the_same_however_the_table_comes(data, path, draw):
    X, y = data
    plain = csb.CGAda(n_estimators=5, fn_cost=3).fit(X, y)
    scores = plain.decision_function(X)
    other = csb.CGAda(n_estimators=5, fn_cost=3).fit(PATHS[path](X), y)
    np.testing.assert_array_equal(other.decision_function(PATHS[path](X)), scores)
    cuts = np.sort(draw.draw(st.lists(st.integers(0, len(X)), max_size=4)))
    in_blocks = csb.CGAda(n_estimators=5, fn_cost=3).fit(Blocks(lambda: iter(np.split(X, cuts))), y)
    np.testing.assert_array_equal(in_blocks.decision_function(X), scores)


@promised(
    (csb.recommend, "a weight of zero is an absent row."),
    (csb.recommend, "Every row to judge by is decided by a model that has not seen it."),
)
@given(tables(36, 12), st.sampled_from(["logistic", "tree", "bayes"]), WHOLE, WHOLE, st.data())
@times(0.1)
def test_what_recommend_says_adds_up(data, learner, missed, alarm, draw):
    X, y = data
    n = len(X)
    weight = np.array(draw.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)), float)
    splits = [
        (np.flatnonzero(np.arange(n) % 3 != k), np.flatnonzero(np.arange(n) % 3 == k)) for k in range(3)
    ]
    options = {"candidates": {"l": LEARNERS[learner]}, "random_state": 0, "fn_cost": missed, "fp_cost": alarm}
    found = quietly(csb.recommend, X, y, cv=splits, sample_weight=weight, **options)
    table = found.table
    np.testing.assert_allclose(
        [np.average(found.decisions[name], weights=weight[found.decisions.index.get_level_values("row")])
         for name in table.index],
        table["cost"], atol=1e-12,
    )  # fmt: skip
    assert np.all(table["low"] <= table["cost"]) and np.all(table["cost"] <= table["high"])
    assert found.pays == (found.name == "l") == bool(table.at["l", "difference_high"] < 0)
    more = [(train, np.r_[test, n + k]) for k, (train, test) in enumerate(splits)]
    longer = quietly(
        csb.recommend, np.vstack([X, 50 * np.ones((3, 2))]), np.r_[y, 0, 1, 1], cv=more,
        sample_weight=np.r_[weight, 0.0, 0.0, 0.0], **options,
    )  # fmt: skip
    pd.testing.assert_frame_equal(longer.table, table)
    rows = X[:4]
    np.testing.assert_array_equal(
        found.best_.predict(rows), [found.best_.predict(rows[[i]])[0] for i in range(len(rows))]
    )


ESTIMATORS = [
    cls for name in csb.__all__ if inspect.isclass(cls := getattr(csb, name)) and hasattr(cls, "fit")
    and "n_estimators" in cls().get_params()
]  # fmt: skip


@promised((csb.AdaBoost.fit, "If the data, the costs or a parameter are not admissible"))
@given(tables(), st.sampled_from(ESTIMATORS), st.data())
@times(10)
def test_a_bad_argument_is_refused_by_name_or_gives_a_finite_model(data, cls, draw):
    X, y = data
    spoilt = bad_values()
    kind = draw.draw(st.sampled_from(sorted(spoilt)))
    model = cls(n_estimators=2)
    names = sorted(set(model.get_params(deep=False)) - {"n_jobs"})
    where = draw.draw(st.sampled_from([*names, "X", "y", "sample_weight"]))
    arguments = {"X": X, "y": y}
    if where in names:
        model.set_params(**{where: spoilt[kind]})
    else:
        arguments[where] = spoilt[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model.fit(**arguments)
        except (TypeError, ValueError) as error:
            assert where in str(error) or where in ("estimator", "X", "y"), f"{where}: {error}"
            assert not vars(model).keys() & {"classes_", "estimators_"}
        else:
            assert np.isfinite(model.decision_function(X)).all()
