"""Decisions by any finite costs, free errors and gains among them, and of no cases: loops in fractions."""

import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
import sklearn
from packaging.version import Version
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.tree import DecisionTreeClassifier

import csb
from csb.evaluation.decisions import (
    Stakes,
    decide,
    decide_positive,
    dominators,
    least_cost_decision,
    mean_cost,
)
from csb.evaluation.metrics import expected_cost, savings_score, total_cost
from csb.inputs import KnownDecisionWarning

FOUR = ("fn_cost", "fp_cost", "tp_cost", "tn_cost")
EIGHTHS = np.arange(9) / 8
"""Probabilities that doubles hold, certain ones among them."""


class Said(ClassifierMixin, BaseEstimator):
    """A classifier that takes its features for the probabilities of the classes."""

    def __init__(self, labels):
        self.labels = labels

    def fit(self, X, y=None):
        """Nothing to learn."""
        self.classes_ = np.array(self.labels)
        return self

    def predict_proba(self, X):
        """The rows themselves; there must be some, as scikit-learn asks."""
        assert len(X)
        return np.asarray(X, dtype=float)

    def predict(self, X):
        """The likeliest class."""
        return self.classes_[np.argmax(self.predict_proba(X), axis=1)]


def saying(labels=(0, 1), **settings):
    """A decision by probabilities that are given as features."""
    base = FrozenEstimator(Said(labels).fit(None))
    return csb.CostDecision(base, calibration=None, **settings).fit(np.eye(len(labels)), np.array(labels))


def naive(p, table):
    """Number of the decision: least expected cost, not dominated by another of these, the first of the rest.

    ``table`` holds in row ``true`` and column ``predicted`` what the prediction costs.
    """
    p, table = [Fraction(float(q)) for q in p], [[Fraction(float(c)) for c in row] for row in table]
    columns = list(zip(*table, strict=True))
    expected = [sum(q * c for q, c in zip(p, column, strict=True)) for column in columns]
    least = [y for y, cost in enumerate(expected) if cost == min(expected)]

    def dominates(one, other):
        return one != other and all(a <= b for a, b in zip(one, other, strict=True))

    return next(y for y in least if not any(dominates(columns[z], columns[y]) for z in least))


def drawn(seed, shape):
    """Costs with many ties, zeros and gains; in some draws huge ones beside small ones, or gains alone."""
    rng = np.random.default_rng(seed)
    kinds = ([-1, 0, 1], [0, 0.5, 1], [-2.5, -1, 0, 1, 2.5], [-1e9, 0, 2.0**-10, 1e9], [-3, -2, -1])
    return rng.choice(kinds[seed % len(kinds)], shape)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("pos_label", [0, 1])
def test_decisions_of_two_classes_are_those_of_a_loop(seed, pos_label):
    """All mixtures of costs of each case and of all cases, whichever class is the positive one."""
    n = 90
    cost = dict(zip(FOUR, drawn(seed, (4, n)), strict=True))
    second = np.random.default_rng(seed).choice(EIGHTHS, n)
    p = np.column_stack([1 - second, second])
    for of_each in product([False, True], repeat=4):
        given = {
            name: cost[name] if each else float(cost[name][0])
            for name, each in zip(FOUR, of_each, strict=True)
        }
        fn, fp, tp, tn = (np.broadcast_to(given[name], n) for name in FOUR)
        rows = [((b, a), (c, d)) for a, b, c, d in zip(fp, tn, fn, tp, strict=True)]
        if pos_label == 0:
            rows = [tuple(row[::-1] for row in table[::-1]) for table in rows]
        wanted = [naive(q, table) for q, table in zip(p, rows, strict=True)]
        model = saying(pos_label=pos_label)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KnownDecisionWarning)
            found = model.predict(p, **given)
        assert found.tolist() == wanted
        assert decide(p, Stakes({k: np.array(v) for k, v in given.items()}).matrices(pos_label)).tolist() == (
            wanted
        )
        expected = [q @ np.array(table) for q, table in zip(p, rows, strict=True)]
        np.testing.assert_allclose(model.expected_cost(p, **given), expected, rtol=1e-12, atol=1e-12)
        if pos_label == 1:
            np.testing.assert_array_equal(decide_positive(second, fn - tp, fp - tn), np.array(wanted) == 1)


@pytest.mark.parametrize("seed", range(20))
def test_decisions_of_many_classes_are_those_of_a_loop(seed):
    """By a matrix of gains and losses in which the right class need not be the cheapest."""
    k = 2 + seed % 3
    rng = np.random.default_rng(seed)
    matrix = drawn(seed, (k, k))
    p = np.vstack([np.eye(k), rng.multinomial(8, np.ones(k) / k, 60) / 8])
    wanted = [naive(q, matrix) for q in p]
    assert least_cost_decision(p, matrix).tolist() == wanted
    labels = ("a", "b", "c", "d")[:k]
    model = saying(labels, cost_matrix=pd.DataFrame(matrix, labels, labels).iloc[::-1])
    assert model.predict(p).tolist() == [labels[y] for y in wanted]
    y = rng.choice(labels, len(p))
    paid = [matrix[labels.index(t), s] for t, s in zip(y, wanted, strict=True)]
    assert model.score(p, y) == pytest.approx(-np.mean(paid))
    assert mean_cost(y, model.predict(p), matrix, labels=labels) == pytest.approx(np.mean(paid))


@pytest.mark.parametrize("seed", range(10))
def test_leaving_a_case_undecided_is_one_more_decision(seed):
    k, n = 2 + seed % 2, 60
    rng = np.random.default_rng(seed)
    matrix, none = drawn(seed, (k, k)), drawn(seed + 5, n)
    p = rng.multinomial(8, np.ones(k) / k, n) / 8
    wanted = [naive(q, np.column_stack([matrix, np.full(k, a)])) for q, a in zip(p, none, strict=True)]
    model = saying(tuple(range(k)), cost_matrix=matrix)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KnownDecisionWarning)
        found = model.predict(p, abstain_cost=none)
    assert np.where(found == -1, k, found).tolist() == wanted


def of_which(same):
    """What a warning adds of cases where nothing hangs on the decision."""
    return f"; in {same} of them all decisions cost the same" if same else ""


@pytest.mark.parametrize("abstains", [False, True])
@pytest.mark.parametrize("seed", range(15))
def test_decisions_by_a_matrix_of_each_case_are_those_of_a_loop(seed, abstains):
    k, n = 2 + seed % 3, 60
    rng = np.random.default_rng(seed)
    matrices, none = drawn(seed, (n, k, k)), drawn(seed + 5, n)
    p = rng.multinomial(8, np.ones(k) / k, n) / 8
    tables = [
        np.column_stack([m, np.full(k, a)]) if abstains else m for m, a in zip(matrices, none, strict=True)
    ]
    wanted = [naive(q, table) for q, table in zip(p, tables, strict=True)]
    labels = ["a", "b", "c", "d"][:k]
    settings = {"fn_cost": 7.0, "tn_cost": 2.0} if k == 2 else {"cost_matrix": 3.0 - np.eye(k)}
    model = saying(labels, pos_label=labels[1] if k == 2 else None, **settings)
    given = {"cost_matrix": matrices} | ({"abstain_cost": none} if abstains else {})
    never_dearer = [[(table[:, [s]] <= table).all() for s in range(table.shape[1])] for table in tables]
    known, same = sum(map(any, never_dearer)), sum(map(all, never_dearer))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", KnownDecisionWarning)
        found = model.predict(p, **given)
    assert found.tolist() == [[*labels, "abstain"][y] for y in wanted]
    assert [str(each.message) for each in caught] == [
        f"{', '.join(sorted(given))}: {known} of 60 cases are decided by their costs alone, whatever the "
        f"probability{of_which(same)}"
    ] * bool(known)
    expected = [[sum(q * c for q, c in zip(s, column, strict=True)) for column in m.T]
                for s, m in zip(p, matrices, strict=True)]  # fmt: skip
    np.testing.assert_allclose(model.expected_cost(p, cost_matrix=matrices), expected, rtol=1e-12, atol=1e-12)
    y, weight = rng.choice(labels, n), rng.integers(0, 4, n)
    paid = [table[labels.index(t), s] for table, t, s in zip(tables, y, wanted, strict=True)]
    assert -model.score(p, y, weight, **given) == pytest.approx(np.average(paid, weights=weight), abs=1e-12)
    if not abstains:
        assert least_cost_decision(p, matrices).tolist() == wanted
    judged = mean_cost(
        y, found, matrices, labels=labels, sample_weight=weight, abstain_cost=none if abstains else None
    )
    assert judged == pytest.approx(np.average(paid, weights=weight), abs=1e-12)


@pytest.mark.parametrize("pos_label", [0, 1])
def test_matrices_of_two_classes_are_the_four_costs_of_each_case(pos_label):
    n = 90
    four = dict(zip(FOUR, drawn(2, (4, n)), strict=True))
    fn, fp, tp, tn = four.values()
    rows = [[tn, fp], [fn, tp]] if pos_label else [[tp, fn], [fp, tn]]
    matrices = np.moveaxis(np.array(rows), 2, 0)
    second = np.random.default_rng(0).choice(EIGHTHS, n)
    p, y = np.column_stack([1 - second, second]), np.arange(n) % 2
    model = saying(pos_label=pos_label)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KnownDecisionWarning)
        for cap in (None, 5):
            one = model.predict(p, **four, abstain_cost=0.3, max_positives=cap)
            other = model.predict(p, cost_matrix=matrices.tolist(), abstain_cost=0.3, max_positives=cap)
            np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(
        model.expected_cost(p, **four), model.expected_cost(p, cost_matrix=matrices)
    )
    assert model.score(p, y, **four) == pytest.approx(model.score(p, y, cost_matrix=matrices), rel=1e-12)
    said = np.roll(y, 7)
    assert expected_cost(y, said, **four, pos_label=pos_label) == pytest.approx(
        mean_cost(y, said, matrices), rel=1e-12
    )


def test_a_matrix_given_takes_the_place_of_all_costs_but_those_given_beside_it():
    frame = pd.DataFrame([[0, 9.0], [1.0, 0]], ["yes", "no"], ["yes", "no"])
    p = pd.DataFrame([[0.2, 0.8], [0.05, 0.95]], index=["no", "yes"])  # rows named as the classes by chance
    model = saying(("no", "yes"), fn_cost=3.0, pos_label="yes")
    wanted = ["no" if q * 9 < 1 - q else "yes" for q in (0.8, 0.95)]
    assert model.predict(p, cost_matrix=frame).tolist() == wanted == ["yes", "yes"]
    assert model.predict(p, cost_matrix=[[0, 9], [1, 0]]).tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match="fp_cost: must be left out, the costs are those of cost_matrix"):
        model.predict(p, cost_matrix=frame, fp_cost=1.0)
    for wrong, message in (
        (
            np.zeros((3, 2, 2)),
            r"cost_matrix has shape \(3, 2, 2\): allowed is \(2, 2\), or \(2, 2, 2\) with one",
        ),
        (np.zeros((2, 2, 3)), r"cost_matrix has shape \(2, 2, 3\)"),
        (np.full((2, 2, 2), np.nan), "cost_matrix holds nan: allowed are numbers in"),
        ([[[0, 1], [1, 0]], [[0, 1]]], "cost_matrix=.*allowed are rows of one length"),
        (frame.loc[["yes"]], "cost_matrix misses 'no' in its index"),
        ("dear", "cost_matrix='dear'"),
    ):
        for method in (model.predict, model.expected_cost):
            with pytest.raises(ValueError, match=message):
                method(p, cost_matrix=wrong)


@pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.8"),
    reason="before 1.8 scikit-learn's cross_validate routes to scorers, not to an estimator's own score",
)
def test_matrices_of_cases_are_routed_to_scores():
    rng = np.random.default_rng(0)
    p, y, matrices = rng.dirichlet(np.ones(3), 60), np.arange(60) % 3, drawn(3, (60, 3, 3))
    model = csb.CostDecision(Said((0, 1, 2)), calibration=None)
    folds = StratifiedKFold(3)
    wanted = []
    for _, test in folds.split(p, y):
        said = [naive(q, m) for q, m in zip(p[test], matrices[test], strict=True)]
        wanted.append(-np.mean([m[t, s] for m, t, s in zip(matrices[test], y[test], said, strict=True)]))
    with sklearn.config_context(enable_metadata_routing=True):
        model = model.set_score_request(cost_matrix=True)
        found = cross_validate(model, p, y, cv=folds, params={"cost_matrix": matrices})["test_score"]
        search = GridSearchCV(model, {"calibration": [None]}, cv=folds).fit(p, y, cost_matrix=matrices)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert search.best_score_ == pytest.approx(np.mean(wanted), rel=1e-12)


@pytest.mark.parametrize("pos_label", ["no", "yes"])
@pytest.mark.parametrize("seed", range(5))
def test_calibrated_boosting_decides_by_any_costs_too(seed, pos_label):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 2)).round(1)
    y = np.where(X[:, 0] + rng.normal(size=80) > 0, "yes", "no")
    model = csb.CalibratedAdaMEC(n_estimators=3, random_state=0, pos_label=pos_label).fit(X, y)
    costs, p = drawn(seed, (2, 80)), model.predict_proba(X)
    for of_each in product([False, True, None], repeat=2):
        given = {
            name: cost if each else float(cost[0])
            for name, cost, each in zip(("fn_cost", "fp_cost"), costs, of_each, strict=True)
            if each is not None
        }
        fn, fp = (np.broadcast_to(given.get(name, 1.0), 80) for name in ("fn_cost", "fp_cost"))
        if pos_label == "no":
            fn, fp = fp, fn
        tables = [[[0, b], [a, 0]] for a, b in zip(fn, fp, strict=True)]
        known = sum(a == 0 or b == 0 or (a > 0) != (b > 0) for a, b in zip(fn, fp, strict=True))
        same = sum(a == b == 0 for a, b in zip(fn, fp, strict=True))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", KnownDecisionWarning)
            found = model.predict(X, **given)
        assert found.tolist() == [["no", "yes"][naive(q, m)] for q, m in zip(p, tables, strict=True)]
        each = [name for name, cost in given.items() if np.ndim(cost)]
        assert [str(one.message) for one in caught] == [
            f"{', '.join(each)}: {known} of 80 cases are decided by their costs alone, whatever the "
            f"probability{of_which(same)}"
        ] * bool(each and known)


@pytest.mark.parametrize("pos_label, never", [(1, 0), (0, 1)])
@pytest.mark.parametrize("costs", [
    {"fn_cost": 2.5, "fp_cost": 2.5, "tp_cost": 2.5}, {"fn_cost": 0.0, "fp_cost": 2.5, "tp_cost": 2.5},
    {"fn_cost": 0.0}, {"fn_cost": -1.0, "tp_cost": -1.0, "tn_cost": -1.0},
], ids=str)  # fmt: skip
def test_what_is_never_better_is_never_done_however_sure(costs, pos_label, never):
    """By hand: calling a case costs as much as missing it or more, and is wasted on a negative."""
    assert saying(pos_label=pos_label, **costs).predict([[0, 1], [1, 0], [0.5, 0.5]]).tolist() == [never] * 3


def test_of_decisions_alike_in_all_respects_the_first_is_made():
    p = [[0, 1], [1, 0], [0.5, 0.5]]
    for pos_label in (0, 1):
        same = saying(pos_label=pos_label, fn_cost=0.0, fp_cost=0.0)
        assert same.predict(p).tolist() == [0, 0, 0]
    assert saying(fn_cost=-1, fp_cost=-1).predict(p).tolist() == [0, 1, 0]  # both errors are gains


def test_a_limit_on_misses_holds_where_costs_alone_say_negative():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 1))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    model = csb.CostDecision(LogisticRegression(), max_miss_rate=0.1, random_state=0).fit(X, y)
    called = model.predict(X, fn_cost=0.0)  # never worth calling, but for the limit
    assert np.mean(called[y == 1] == 0) < 0.15 and 0 < called.sum() < 400
    np.testing.assert_array_equal(model.predict(X, fn_cost=0.0, fp_cost=0.0), called)


@pytest.mark.parametrize("cap", [0, 1, 2, 4])
def test_a_cap_holds_where_costs_alone_say_positive(cap):
    p = np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0]])
    found = saying().predict(p, fp_cost=0.0, max_positives=cap)
    wanted = {0: [0, 0, 0], 1: [0, 0, 1], 2: [0, 1, 1], 4: [1, 1, 1]}[cap]  # most saved first
    assert found.tolist() == wanted


@pytest.mark.parametrize("seed", range(10))
def test_costs_paid_are_those_of_a_loop(seed):
    rng = np.random.default_rng(seed)
    y, said, n = *rng.integers(0, 2, (2, 30)), 30
    costs = dict(zip(FOUR, drawn(seed, (4, n)), strict=True)) | {"fp_cost": float(drawn(seed, 9)[-1])}
    fn, fp, tp, tn = (np.broadcast_to(costs[name], n).tolist() for name in FOUR)

    def paid(decisions):
        return [
            {(1, 0): fn, (0, 1): fp, (1, 1): tp, (0, 0): tn}[int(y[i]), int(decisions[i])][i]
            for i in range(n)
        ]

    assert total_cost(y, said, **costs) == pytest.approx(sum(paid(said)))
    assert expected_cost(y, said, **costs) == pytest.approx(sum(paid(said)) / n)
    constant = min(sum(paid([called] * n)) for called in (0, 1))
    if constant > 0:
        assert savings_score(y, said, **costs) == pytest.approx(1 - sum(paid(said)) / constant)
    else:
        with pytest.raises(ValueError, match="better constant decision costs .* a case; allowed is one that"):
            savings_score(y, said, **costs)
    p = np.eye(2)[said]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", KnownDecisionWarning)
        decided = saying().predict(p, **costs)
    assert saying().score(p, y, **costs) == pytest.approx(-sum(paid(decided)) / n)


@pytest.mark.parametrize("seed", range(5))
def test_a_threshold_says_what_is_decided(seed):
    costs = dict(zip(FOUR, drawn(seed, (4, 80)), strict=True))
    threshold = Stakes(costs).threshold
    for q in EIGHTHS:
        wanted = decide(np.array([[1 - q, q]]), Stakes(costs).matrices()) == 1
        known = ~np.isnan(threshold)
        np.testing.assert_array_equal(q > threshold[known], wanted[known])
        missed, alarm = costs["fn_cost"] - costs["tp_cost"], costs["fp_cost"] - costs["tn_cost"]
        both = (missed < 0) & (alarm < 0)
        np.testing.assert_array_equal(np.isnan(threshold), both | ((missed == 0) & (alarm == 0)))
        np.testing.assert_array_equal(wanted[both], q < alarm[both] / (alarm + missed)[both])
    assert Stakes({name: np.array(value) for name, value in zip(FOUR, (4.0, 1.0, 0.0, 0.0), strict=True)}
                  ).threshold == 0.2  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_dominators_are_counted_as_by_a_loop(seed):
    k, n = 2 + seed % 3, 20
    costs, none = drawn(seed, (n, k, k)), drawn(seed + 1, n)
    for tables, undecided in ((costs, None), (costs, none), (costs[:1], none)):
        found = dominators(tables, undecided)
        for i, row in enumerate(found):
            table = tables[i % len(tables)]
            columns = [*table.T] + ([] if undecided is None else [np.full(k, undecided[i])])
            assert row.tolist() == [sum((a <= b).all() and (a < b).any() for a in columns) for b in columns]


def test_one_warning_counts_the_cases_decided_by_costs_alone():
    p = np.full((5, 2), 0.5)
    model = saying()
    amount = np.array([0.0, 1.0, 2.0, 3.0, -1.0])
    with pytest.warns(KnownDecisionWarning) as caught:
        model.predict(p, fn_cost=amount, tp_cost=1.0, fp_cost=1.0)
    assert [str(each.message) for each in caught] == [
        "fn_cost: 3 of 5 cases are decided by their costs alone, whatever the probability"
    ]
    assert caught[0].filename == __file__
    with pytest.warns(KnownDecisionWarning, match="^abstain_cost: 2 of 5 cases"):
        model.predict(p, abstain_cost=[1.0, 0.5, 0.0, -1.0, 2.0])


@pytest.mark.filterwarnings("error")
def test_no_warning_where_probabilities_matter_or_costs_are_those_of_all_cases():
    p, y = np.full((6, 2), 0.5), np.array([0, 1] * 3)
    model = saying()
    model.predict(p, fn_cost=np.arange(1, 7))
    model.predict(p, fn_cost=-np.arange(1, 7), fp_cost=-1.0)
    model.predict(p, fn_cost=0.0)
    model.predict(p, cost_matrix=[[0, 1], [0, 1]])
    model.predict(p, cost_matrix=np.tile([[0, 1], [2, 0]], (6, 1, 1)))
    model.score(p, y, fn_cost=np.zeros(6))
    model.expected_cost(p, fn_cost=np.zeros(6))


@pytest.mark.filterwarnings("error")
def test_a_search_by_costs_of_each_case_says_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y, amount = (X[:, 0] > 0).astype(int), np.arange(60) % 4
    with sklearn.config_context(enable_metadata_routing=True):
        model = csb.CostDecision(LogisticRegression(), random_state=0).set_score_request(fn_cost=True)
        GridSearchCV(model, {"calibration": ["sigmoid", "isotonic"]}, cv=3).fit(X, y, fn_cost=amount)


EMPTY = {
    "array": np.empty((0, 2)),
    "frame": pd.DataFrame({"a": [], "b": []}),
    "rows of a frame": pd.DataFrame({"a": [0.1], "b": [0.9]}, index=[7])[:0],
}


@pytest.mark.parametrize("X", EMPTY.values(), ids=EMPTY)
@pytest.mark.parametrize("calibration", ["sigmoid", None])
@pytest.mark.parametrize("labels", [(0, 1), ("no", "yes"), (0, 1, 2)], ids=str)
def test_no_cases_get_no_decisions(labels, calibration, X):
    rng = np.random.default_rng(0)
    k = len(labels)
    table = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    y = np.array(labels)[np.arange(60) % k]
    train = table if isinstance(X, pd.DataFrame) else table.to_numpy()
    model = csb.CostDecision(LogisticRegression(), calibration=calibration, random_state=0).fit(train, y)
    some = train[:3]
    for of_all, of_none in (
        (model.predict(some), model.predict(X)),
        (model.predict(some, abstain_cost=0.1), model.predict(X, abstain_cost=np.empty(0))),
        (model.predict_proba(some), model.predict_proba(X)),
        (model.expected_cost(some), model.expected_cost(X)),
        (model.decision_function(some), model.decision_function(X)),
    ):
        assert of_none.shape == (0, *of_all.shape[1:]) and of_none.dtype == of_all.dtype
    if k == 2:
        each = {"fn_cost": [], "fp_cost": np.empty(0), "tp_cost": pd.Series([], dtype=float), "tn_cost": 1.0}
        assert model.predict(X, **each, max_positives=3).shape == (0,)
        assert model.expected_cost(X, **each).shape == (0, 2)
        with pytest.raises(ValueError, match=r"fn_cost has shape \(1,\): allowed is a number or \(0,\)"):
            model.predict(X, fn_cost=[1.0])
        with pytest.raises(ValueError, match="fn_cost=inf"):
            model.predict(X, fn_cost=np.inf)


def test_no_cases_of_other_features_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 2))
    model = csb.CostDecision(LogisticRegression(), random_state=0).fit(X, np.arange(40) % 2)
    with pytest.raises(ValueError, match="X has 3 features, but CostDecision is expecting 2"):
        model.predict(np.empty((0, 3)))
    with pytest.raises(ValueError, match="y has 0 labels"):
        model.score(X[:0], [])


BOOSTED = {
    "AdaBoost": csb.AdaBoost(n_estimators=3),
    "of another learner": csb.CGAda(estimator=DecisionTreeClassifier(max_depth=2), n_estimators=3),
    "AdaMEC": csb.AdaMEC(n_estimators=3),
    "calibrated": csb.CalibratedAdaMEC(n_estimators=3),
    "chosen": csb.BoostingCV(csb.AdaBoost(n_estimators=3), cv=2, random_state=0),
}


@pytest.mark.parametrize("model", BOOSTED.values(), ids=BOOSTED)
def test_boosting_of_two_classes_decides_no_cases_either(model):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = clone(model).fit(X, np.where(X[:, 0] > 0, "yes", "no"))
    for method in ("predict", "predict_proba", "decision_function"):
        if hasattr(model, method):
            of_some, of_none = (getattr(model, method)(rows) for rows in (X[:3], X[:0]))
            assert of_none.shape == (0, *of_some.shape[1:]) and of_none.dtype == of_some.dtype
    with pytest.raises(ValueError, match="X has 3 features"):
        model.predict(np.empty((0, 3)))
    if isinstance(model, csb.CalibratedAdaMEC):
        assert model.predict(X[:0], fn_cost=[], fp_cost=np.empty(0)).dtype == model.classes_.dtype
        with pytest.raises(ValueError, match=r"fn_cost has shape \(2,\): allowed is a number or \(0,\)"):
            model.predict(X[:0], fn_cost=[1.0, 2.0])
