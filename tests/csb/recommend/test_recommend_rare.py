"""Data with very few of one class: whatever way out a message of `recommend` names, it leads out."""

import re
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit
from sklearn.tree import DecisionTreeClassifier

from csb import recommend
from csb.recommend.folds import LastPart

N = 600
HOURS = pd.date_range("2026-01-01", periods=N, freq="h")
GROUPS = np.arange(N) // 6
SPLITTERS = {
    each.__name__: each for each in (GroupKFold, StratifiedGroupKFold, StratifiedKFold, TimeSeriesSplit)
}
WAY = re.compile(rf"(?:{'|'.join(SPLITTERS)})\([^)]*\)|\bcv=\d+(?= is allowed)")


def rare(count, where, seed=0, label=1):
    """So many rows of one label, spread over all rows, or among the first or last half of them."""
    random = np.random.default_rng(seed)
    among = {"all": np.arange(N), "first": np.arange(N // 2), "last": np.arange(N // 2, N)}[where]
    y = np.full(N, 1 - label)
    y[random.choice(among, count, replace=False)] = label
    X = random.normal(size=(N, 2))
    X[:, 0] += 2 * y
    return X, y


def found(X, y, **options):
    stump = {"stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
    return recommend(X, y, fn_cost=100, fp_cost=100, candidates=stump, random_state=0, **options)


class Reached(Exception):
    """The training would begin."""


def refusal(X, y, **options):
    """What is said before any training; empty if nothing is refused."""

    def judge(*arguments):
        raise Reached

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys.modules["csb.recommend.recommending"], "judge", judge)
        try:
            found(X, y, **options)
        except Reached:
            return ""
        except ValueError as refused:
            return str(refused)


def ways_out(message):
    """What may be given as ``cv`` instead, by the message."""
    named = WAY.findall(message.split(": ", 1)[1])
    return {way: int(way[3:]) if way.startswith("cv=") else eval(way, dict(SPLITTERS)) for way in named}


KINDS = {"plain": {}, "groups": {"groups": GROUPS}, "time": {}, "panel": {"groups": np.arange(N) % 100}}


def rows_of(kind, X):
    return pd.DataFrame(X, index=HOURS) if kind in ("time", "panel") else X


@pytest.mark.parametrize("count", [6, 12])
@pytest.mark.parametrize("where", ["all", "first", "last"])
@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_every_way_out_that_is_named_leads_out(count, where, label, kind):
    X, y = rare(count, where, seed=count, label=label)
    X, tried = rows_of(kind, X), [None, 2, 5, TimeSeriesSplit(5)]
    if kind == "groups":
        tried += [GroupKFold(5), StratifiedGroupKFold(5)]
    elif kind != "panel":
        tried.append(StratifiedKFold(5, shuffle=True, random_state=0))
    for cv in tried:
        if message := refusal(X, y, cv=cv, **KINDS[kind]):
            ways = ways_out(message)
            assert ways, message
            for name, way in ways.items():
                assert not refusal(X, y, cv=way, **KINDS[kind]), (message, name)


@pytest.mark.parametrize("kind", KINDS)
def test_a_way_out_ends_in_a_recommendation(kind):
    X, y = rare(12, "all")
    X, options = rows_of(kind, X), KINDS[kind]
    message = refusal(X, y, cv=2 if kind == "plain" else None, **options)
    for way in ways_out(message).values() if message else [2]:
        result = found(X, y, cv=way, **options)
        assert 0 < result.evidence.positive.sum() < len(result.evidence.positive)
        assert result.best_.predict(X[:5]).shape == (5,)


@pytest.mark.parametrize(
    ("count", "cv", "said"),
    [
        (6, None, "needs at least 7 examples; the smaller class has 6, with which cv=6 is allowed$"),
        (6, 2, "needs at least 10 examples; the smaller class has 6, with which cv=6 is allowed$"),
        (8, 2, "the smaller class has 8, with which cv=3 is allowed$"),
        (5, 5, "the smaller class has 5, and no number of folds will do$"),
        (3, StratifiedKFold(3), "none was found: y has too few of one class$"),
    ],
)
def test_what_is_said_of_few(count, cv, said):
    X, y = rare(count, "all")
    with pytest.raises(ValueError, match=said):
        found(X, y, cv=cv)


def test_positives_of_one_group_cannot_be_judged():
    y = np.zeros(N, int)
    y[20:30] = 1
    X = np.random.default_rng(0).normal(size=(N, 2))
    for cv in (None, GroupKFold(5), StratifiedGroupKFold(3)):
        with pytest.raises(ValueError, match="none was found: y has too few of one class"):
            found(X, y, groups=GROUPS, cv=cv)


def test_splits_that_judge_no_positive_are_refused():
    """Else the constant decision against them would cost nothing."""
    X, y = rare(12, "first")
    message = refusal(X, y, cv=TimeSeriesSplit(5, test_size=40))
    assert "the rows to judge by lack the class 1" in message
    (way,) = ways_out(message).values()
    assert y[[row for _, test in way.split(X) for row in test]].any()


@pytest.mark.parametrize("rows", [[3], [1, 3, 17], [0, 19], [18, 19]])
def test_the_last_part_reaches_back_to_the_rarer_class(rows):
    y = np.isin(np.arange(20), rows).astype(int)
    for labels in (y, np.array(["no", "yes"])[y], 1 - y):
        ((fitting, held_out),) = LastPart().split(np.zeros((20, 1)), labels)
        start = min(16, max(rows), max(set(range(20)) - set(rows)))
        assert held_out.tolist() == list(range(start, 20)) and fitting.tolist() == list(range(start))


def test_a_model_chosen_on_few_positives_in_time_is_fitted_to_all_rows():
    """The last fifth of all rows holds no positive."""
    X, y = rare(12, "first")
    X[:, 0] += 8 * y
    result = found(X, y, cv=TimeSeriesSplit(5, test_size=90))
    assert result.best_.predict(X[:5]).shape == (5,)
