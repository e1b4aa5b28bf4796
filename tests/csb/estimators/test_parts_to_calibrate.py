"""Both parts of every split serve, whatever makes the splits and in whatever order the rows are."""

import re

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB

import csb
from csb.estimators import calibrated_boosting, decision

N = 36
RNG = np.random.default_rng(0)
GROUPS = np.arange(N) // 6
CLASSES = np.array(["no", "perhaps", "yes"])


def labels(order, k):
    """Numbers of k classes, the last of them rare."""
    sizes = {2: [24, 12], 3: [16, 12, 8]}[k]
    y = np.repeat(np.arange(k), sizes)
    if order == "shuffled":
        return np.random.default_rng(k).permutation(y)
    return {"sorted": y, "reversed": y[::-1], "in turns": y.reshape(4, -1).T.ravel()}[order]


def masks(y):
    return [(np.arange(N) % 3 != k, np.arange(N) % 3 == k) for k in range(3)]


SPLITTERS = {
    "folds": lambda y: KFold(3), "shuffled folds": lambda y: KFold(9, shuffle=True, random_state=0),
    "stratified": lambda y: StratifiedKFold(3), "one out": lambda y: LeaveOneOut(),
    "two out": lambda y: LeavePOut(2), "forward": lambda y: TimeSeriesSplit(3),
    "random": lambda y: ShuffleSplit(3, test_size=0.2, random_state=0),
    "repeated": lambda y: RepeatedKFold(n_splits=6, n_repeats=2, random_state=0),
    "predefined": lambda y: PredefinedSplit(np.arange(N) % 4),
    "groups": lambda y: list(GroupKFold(3).split(y, y, GROUPS)),
    "stratified groups": lambda y: list(StratifiedGroupKFold(3).split(y, y, GROUPS)), "masks": masks,
    "lists": lambda y: [(list(a), list(b)) for a, b in KFold(2).split(y)],
    "last third": lambda y: [(range(24), range(24, N))], "all twice": lambda y: [(range(N), range(N))],
}  # fmt: skip


def first_fault(splits, y, calibrates):
    """Number of the first split a part of which lacks a class that it needs, and these classes."""
    for k, (fitting, held_out) in enumerate(splits):
        fit, held = {int(each) for each in y[fitting]}, {int(each) for each in y[held_out]}
        if len(fit) < 2:
            return k, set(y.tolist()) - fit
        if calibrates and held != set(y.tolist()):
            return k, set(y.tolist()) - held
    return None


MODELS = {
    "CostDecision": (csb.CostDecision(GaussianNB()), 3),
    "CostDecision, isotonic": (csb.CostDecision(LogisticRegression(), calibration="isotonic"), 3),
    "CostDecision, boosting": (csb.CostDecision(csb.CGAda(n_estimators=2)), 2),
    "CostDecision, risk": (csb.CostDecision(GaussianNB(), max_miss_rate=0.4, pos_label="no"), 2),
    "CalibratedAdaMEC": (csb.CalibratedAdaMEC(n_estimators=2), 2),
    "CalibratedCGAda": (csb.CalibratedCGAda(n_estimators=2, calibration="venn_abers"), 2),
}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("order", ["sorted", "reversed", "in turns", "shuffled"])
@pytest.mark.parametrize("kind", SPLITTERS)
@pytest.mark.filterwarnings("ignore:max_miss_rate")
def test_parts_without_a_class_are_refused_before_any_training(monkeypatch, kind, order, k):
    y = labels(order, k)
    X = y[:, np.newaxis] + RNG.normal(size=(N, 2))
    make = SPLITTERS[kind]
    splits = list(make(y).split(y, y) if hasattr(make(y), "split") else make(y))
    fault = first_fault(splits, y, calibrates=True)
    for model, most in MODELS.values():
        if k > most:
            continue
        model.set_params(cv=make(y), random_state=0)
        if fault is None:
            assert len(model.fit(X, CLASSES[y]).classifier_.members) == len(splits)
            continue
        with monkeypatch.context() as patched:
            patched.setattr(decision, "fit_ensemble", None)
            patched.setattr(calibrated_boosting, "count_copies", None)
            with pytest.raises(ValueError, match=r"^cv=.*: split \d+ lacks the class '\w+' in the part") as e:
                model.fit(X, CLASSES[y])
        number, missing = re.search(r"split (\d+) lacks the class '(\w+)'", str(e.value)).groups()
        assert int(number) == fault[0] and missing in CLASSES[sorted(fault[1])]
        assert "StratifiedKFold" in str(e.value) and "fewer folds" in str(e.value)


@pytest.mark.parametrize("order", ["sorted", "reversed", "in turns", "shuffled"])
@pytest.mark.parametrize("kind", [kind for kind in SPLITTERS if kind != "two out"])
def test_where_nothing_is_calibrated_parts_held_out_may_lack_a_class(kind, order):
    """A search of rounds asks for two classes to fit with, and trusted probabilities for no splits at all."""
    y = labels(order, 2)
    X = y[:, np.newaxis] + RNG.normal(size=(N, 2))
    splitter = SPLITTERS[kind](y)
    csb.CostDecision(GaussianNB(), calibration=None, cv=splitter).fit(X, y)
    csb.CalibratedAdaMEC(n_estimators=2, calibration=None, cv=splitter).fit(X, y)
    search = csb.BoostingCV(csb.CGAda(n_estimators=2), cv=splitter, learning_rates=[1.0])
    splits = list(splitter.split(y, y) if hasattr(splitter, "split") else splitter)
    fault = first_fault(splits, y, calibrates=False)
    if fault is None:
        search.fit(X, y)
        return
    number, (missing,) = fault
    with pytest.raises(ValueError, match=f"split {number} lacks the class {missing} in the part to fit"):
        search.fit(X, y)


def test_one_held_out_can_never_calibrate_and_the_error_says_so():
    y = labels("in turns", 2)
    for model in (csb.CostDecision(GaussianNB(), cv=LeaveOneOut()), csb.CalibratedAdaMEC(cv=LeaveOneOut())):
        with pytest.raises(ValueError, match="split 0 lacks .* held out, which has 1 example"):
            model.fit(y[:, np.newaxis], y)


def test_many_rows_one_by_one_are_refused_at_the_first():
    y = np.arange(200_000) % 2
    with pytest.raises(ValueError, match="split 0 lacks"):
        csb.CostDecision(GaussianNB(), cv=LeaveOneOut()).fit(y[:, np.newaxis], y)


@pytest.mark.parametrize("held_out", [range(12), range(24, N)], ids=str)
def test_a_class_with_rows_of_weight_zero_only_is_absent(held_out):
    """As if these rows were not there."""
    y = labels("in turns", 2)
    X = y[:, np.newaxis] + RNG.normal(size=(N, 2))
    cv = [(sorted(set(range(N)) - set(held_out)), held_out)]
    csb.CostDecision(GaussianNB(), cv=cv).fit(X, y)
    weights = np.where(np.isin(np.arange(N), held_out) & (y == 1), 0.0, 2.0)
    for model in (csb.CostDecision(GaussianNB(), cv=cv), csb.CalibratedAdaMEC(cv=cv)):
        with pytest.raises(ValueError, match="split 0 lacks the class 1 in the part held out"):
            model.fit(X, y, weights)
    to_fit = [(held_out, range(N))]
    with pytest.raises(ValueError, match="split 0 lacks the class 1 in the part to fit"):
        csb.CostDecision(GaussianNB(), cv=to_fit).fit(X, y, weights)
    few = np.where(np.arange(N) < 18, 0.0, 1.0)  # of a splitter's rows these are none
    expected = csb.CostDecision(GaussianNB(), cv=StratifiedKFold(3)).fit(X[18:], y[18:]).predict_proba(X)
    found = csb.CostDecision(GaussianNB(), cv=StratifiedKFold(3)).fit(X, y, few).predict_proba(X)
    np.testing.assert_array_equal(found, expected)


class Odd:
    """A splitter of splits that are none."""

    def __init__(self, splits):
        self.splits = splits

    def __repr__(self):
        return "Odd()"

    def split(self, X, y, groups=None):
        return iter(self.splits)


@pytest.mark.parametrize(
    ("cv", "said"),
    [
        (GroupKFold(3), "it must give splits, and fails: .*groups.*list.cv.split.X, y, groups"),
        (KFold(99), "it must give splits, and fails: .*n_splits=99"),
        (Odd([(1, 2, 3)]), "Odd.*must give splits, and fails"),
        (Odd([([0, 99], [1])]), "Odd.*must give splits, and fails: index 99"),
        (Odd([([0.5, 1.5], [1])]), "Odd.*must give splits, and fails"), (Odd([]), "at least one split"),
        ([], "at least one split"), ([(range(N), [99])], "row numbers below 36"),
        ([(range(N), np.zeros(N, bool))], "split 0 holds no example out"), (7.5, "cv=7.5: allowed"),
        (["ab"], "row numbers below 36"),
    ],
    ids=str,
)  # fmt: skip
def test_what_gives_no_splits_is_named(cv, said):
    y = labels("in turns", 2)
    for model in (csb.CostDecision(GaussianNB(), cv=cv), csb.CalibratedAdaMEC(cv=cv), csb.BoostingCV(cv=cv)):
        with pytest.raises(ValueError, match=f"cv=.*{said}" if not said.startswith("cv") else said):
            model.fit(y[:, np.newaxis], y)
