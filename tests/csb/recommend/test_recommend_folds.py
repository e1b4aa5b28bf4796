"""Splits of `recommend`: the user's own, forward in time, groups; what is learnt where."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from csb import recommend
from csb.estimators import cross_fitting
from csb.evaluation.intervals import case_interval
from csb.recommend import candidates as candidates_of
from csb.recommend import folds as folds_of
from csb.recommend.folds import LastPart, read_folds

N, FN, FP = 120, 5.0, 1.0
RNG = np.random.default_rng(7)
X = RNG.normal(size=(N, 3))
Y = (X[:, 0] + 0.7 * RNG.normal(size=N) > 0.5).astype(int)
GROUPS = np.repeat(np.arange(24), 5)
STUMP = {"stump": DecisionTreeClassifier(max_depth=1, random_state=0)}
DAYS = pd.date_range("2024-01-01", periods=N, freq="D")


def found(X=X, y=Y, **options):
    options = {"fn_cost": FN, "fp_cost": FP, "random_state": 0, "candidates": STUMP} | options
    return recommend(X, y, **options)


def paid(y, called):
    return np.where(y == 1, np.where(called, 0, FN), np.where(called, FP, 0))


def around_nobody_called(losses, clusters):
    """Ends of the interval with half a positive and half a negative more, each by itself."""
    more, weights = clusters.max() + np.array([1, 2]), np.r_[np.ones(len(losses)), 0.5, 0.5]
    found = case_interval(np.r_[losses, FN, 0.0], sample_weight=weights, clusters=np.r_[clusters, more])
    return found[1:]


@pytest.mark.parametrize(
    "cv",
    [
        RepeatedStratifiedKFold(n_splits=4, n_repeats=3, random_state=1),
        ShuffleSplit(6, test_size=0.25, random_state=2),
        PredefinedSplit(np.arange(N) % 3),
    ],
)
def test_a_row_that_is_judged_again_is_one_row(cv):
    """Its interval is that of the sums over each row."""
    splits = list(cv.split(X, Y))
    times = sum(np.bincount(test, minlength=N) for _, test in splits)
    of = paid(Y, np.zeros(N, bool))
    mean = sum(times * of) / sum(times)
    judged = times > 0
    row = found(cv=cv).table.loc["always 0", ["cost", "low", "high"]]
    assert row["cost"] == pytest.approx(mean)
    times, of = np.r_[times[judged], [times.sum() / sum(judged) / 2] * 2], np.r_[of[judged], FN, 0.0]
    with_more = np.average(of, weights=times)
    sums = times * (of - with_more) / times.mean()
    np.testing.assert_allclose(row[["low", "high"]] - with_more, case_interval(sums)[1:], atol=1e-9)


@pytest.mark.parametrize("grouped", [False, True])
@pytest.mark.parametrize("ordered", [False, True])
def test_rows_of_a_group_or_a_stretch_of_time_are_one_cluster(grouped, ordered):
    groups = np.arange(N) // 4 if ordered else np.arange(N) % 20
    splits = [(np.arange(60), np.arange(60, N))]
    if not ordered:
        even = groups % 2 == 0
        splits = [
            (np.flatnonzero(even), np.flatnonzero(~even)),
            (np.flatnonzero(~even), np.flatnonzero(even)),
        ]
    result = found(cv=splits, **({"groups": groups} if grouped else {}))
    tested = np.concatenate([test for _, test in splits])
    ways = [groups[tested]] if grouped else []
    if ordered:
        ways.append((tested - 60) // 2)  # thirty stretches of sixty rows
    losses = paid(Y[tested], np.zeros(len(tested), bool))
    ways = ways or [tested]
    wider = max((around_nobody_called(losses, way) for way in ways), key=np.ptp)
    np.testing.assert_allclose(result.table.loc["always 0", ["low", "high"]], wider)
    assert result.table.at["always 0", "cost"] == losses.mean()


def test_one_split_is_enough_and_losses_carry_the_names_of_rows():
    frame = pd.DataFrame(X, index=[f"case {k}" for k in range(N)], columns=list("abc"))
    result = found(X=frame, cv=[(np.arange(60), np.arange(60, N))], sample_weight=np.r_[0.0, np.ones(N - 1)])
    assert result.decisions.index.tolist() == [(0, f"case {k}") for k in range(60, N)]
    assert list(result.decisions) == [*result.candidates, "always 0", "always 1"]
    means = result.decisions.mean()
    np.testing.assert_allclose(means[result.table.index], result.table["cost"])


def test_pairs_of_row_numbers_or_masks_are_what_the_splitter_makes():
    splitter = StratifiedKFold(3, shuffle=True, random_state=5)
    pairs = list(splitter.split(X, Y))
    masks = [tuple(np.isin(np.arange(N), part) for part in pair) for pair in pairs]
    expected = found(cv=splitter).table
    for cv in (pairs, iter(pairs), masks):
        pd.testing.assert_frame_equal(found(cv=cv).table, expected)


def test_the_default_is_five_seeded_folds():
    pd.testing.assert_frame_equal(found().table, found(cv=5).table)


class Watching(FunctionTransformer):
    """Passes rows on, the first feature being the row number, and remembers those it was fitted to."""

    seen = []

    def fit(self, X, y=None):
        Watching.seen.append(X[:, 0].astype(int))
        return super().fit(X, y)


def watched(monkeypatch, **options):
    """The rows of every fit of the transformer, and of every calibration."""
    Watching.seen, calibrated = [], []
    original = cross_fitting._fit_member

    def fit(base, rows, split, *options):
        calibrated.append(rows.X[split[1], 0].astype(int))
        return original(base, rows, split, *options)

    monkeypatch.setattr(cross_fitting, "_fit_member", fit)
    rows = np.column_stack([np.arange(N), X])
    result = found(rows, preprocess=Watching(), **options)
    return Watching.seen, calibrated, result


def test_splits_that_go_forward_are_calibrated_on_the_last_fifth(monkeypatch):
    cv = TimeSeriesSplit(3)
    fitted, calibrated, result = watched(monkeypatch, cv=cv)
    trained = [train for train, _ in cv.split(X)] + [np.arange(N)] * result.pays
    assert len(fitted) == len(calibrated) == len(trained)
    for train, fit, held_out in zip(trained, fitted, calibrated, strict=True):
        cut = len(train) - len(train) // 5
        np.testing.assert_array_equal(fit, train[:cut])
        np.testing.assert_array_equal(held_out, train[cut:])


def test_costs_of_splits_that_go_forward_as_a_naive_loop_has_them():
    logistic = {"logistic": LogisticRegression()}
    cv, costs, cases = TimeSeriesSplit(3), 0.0, 0
    for train, test in cv.split(X):
        cut = len(train) - len(train) // 5
        fitted = LogisticRegression().fit(X[train[:cut]], Y[train[:cut]])
        late = [(np.arange(cut), np.arange(cut, len(train)))]
        model = CalibratedClassifierCV(LogisticRegression(), cv=late).fit(X[train], Y[train])
        np.testing.assert_allclose(model.calibrated_classifiers_[0].estimator.coef_, fitted.coef_)
        called = model.predict_proba(X[test])[:, 1] > FP / (FP + FN)
        costs, cases = costs + paid(Y[test], called).sum(), cases + len(test)
    assert found(cv=cv, candidates=logistic).table.at["logistic", "cost"] == pytest.approx(costs / cases)


@pytest.mark.parametrize("cv", [GroupKFold(3), StratifiedGroupKFold(3, shuffle=True, random_state=0)])
def test_no_group_is_trained_calibrated_and_judged_at_once(monkeypatch, cv):
    fitted, calibrated, result = watched(monkeypatch, cv=cv, groups=GROUPS)
    tests = [test for _, test in cv.split(X, Y, GROUPS)] + [np.array([], int)] * result.pays
    assert len(fitted) == len(calibrated) == 5 * len(tests)
    for k, (fit, held_out) in enumerate(zip(fitted, calibrated, strict=True)):
        sides = [set(GROUPS[part]) for part in (fit, held_out, tests[k // 5])]
        assert sum(map(len, sides)) == len(set.union(*sides)) and min(map(len, sides[:2])) > 0


def test_groups_that_go_forward_apart_are_not_calibrated_on_rows_of_their_own():
    cv = [(np.arange(40), np.arange(40, 80)), (np.arange(80), np.arange(80, 120))]
    groups = np.r_[np.arange(40) % 8, 10 + np.arange(40) % 10, 20 + np.arange(40) // 5]
    with pytest.raises(ValueError, match="training rows of split 0 are too few"):
        found(cv=cv, groups=groups)  # all groups are in the last fifth of the rows
    folds = read_folds(cv, X, Y, np.ones(N, bool), GROUPS, np.random.RandomState(0), [0, 1], {})
    for train, _ in folds.splits:
        ((fitting, held_out),) = folds.calibration(train, Y)
        assert not set(GROUPS[fitting]) & set(GROUPS[held_out])


def test_a_panel_is_judged_forward_by_clusters_of_its_groups():
    """Customers of yesterday buy again tomorrow: on both sides, and as dependent rows in the interval."""
    panel = np.arange(N) % 12
    cv = TimeSeriesSplit(3)
    result, alone = found(cv=cv, groups=panel), found(cv=cv)
    pd.testing.assert_series_equal(result.table["cost"], alone.table["cost"])
    tested = np.concatenate([test for _, test in cv.split(X)])
    losses = result.decisions["always 0"].to_numpy()
    stretches = np.arange(len(tested)) * 30 // len(tested)
    wider = max((around_nobody_called(losses, of) for of in (panel[tested], stretches)), key=np.ptp)
    np.testing.assert_allclose(result.table.loc["always 0", ["low", "high"]], wider)


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_many_rows_are_calibrated_on_one_fold(monkeypatch, groups):
    monkeypatch.setattr(folds_of, "MANY", 50)
    cv = GroupKFold(3)
    splits = list(cv.split(X, Y, GROUPS))
    folds = read_folds(splits, X, Y, np.ones(N, bool), groups, np.random.RandomState(0), [0, 1], {})
    for train, _ in folds.splits:
        inner = folds.calibration(train, Y)
        ((fitting, held_out),) = inner if groups is not None else inner.split(train, Y[train])
        assert len(held_out) == pytest.approx(len(train) / 5, abs=5)
        assert sorted([*fitting, *held_out]) == list(range(len(train)))


def test_the_last_part_is_a_splitter():
    ((fitting, held_out),) = LastPart().split(np.zeros(11))
    assert fitting.tolist() == list(range(9)) and held_out.tolist() == [9, 10]
    assert LastPart().get_n_splits() == 1


def frames():
    yield "index", pd.DataFrame(X, index=DAYS), "the index of X is a time.*TimeSeriesSplit.5., or"
    yield "period", pd.DataFrame(X, index=DAYS.to_period("D")), "the index of X is a time"
    yield "unsorted", pd.DataFrame(X, index=DAYS[::-1]), "on rows sorted by it"
    named = pd.DataFrame(X, columns=["a", "b", "c"])
    yield "column", named.assign(when=DAYS), "column 'when' of X is a time"
    yield "zone", named.assign(when=DAYS.tz_localize("UTC")), "column 'when' of X is a time"


@pytest.mark.parametrize(
    ("frame", "said"), [each[1:] for each in frames()], ids=[each[0] for each in frames()]
)
@pytest.mark.parametrize("cv", [None, 5])
def test_random_folds_are_refused_where_rows_have_a_time(frame, said, cv):
    with pytest.raises(ValueError, match=f"cv={cv}: .*{said}"):
        found(frame, cv=cv)


def test_rows_with_a_time_take_a_splitter():
    for name, frame, _ in frames():
        if name != "unsorted":
            assert len(found(frame, cv=TimeSeriesSplit(3)).table) == 3
        assert len(found(frame, cv=StratifiedKFold(3, shuffle=True, random_state=0)).table) == 3
    dates_in_no_order = pd.DataFrame(X, columns=list("abc")).assign(born=DAYS[RNG.permutation(N)])
    assert len(found(dates_in_no_order).table) == 3  # such as dates of birth


def test_splits_forward_need_rows_in_order():
    with pytest.raises(ValueError, match="the index of X is not in order; the rows must be sorted by it"):
        found(pd.DataFrame(X, index=DAYS[::-1]), cv=TimeSeriesSplit(3))


SAME_ROW = [(np.arange(61), np.arange(60, N)), (np.arange(60, N), np.arange(60))]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"groups": GROUPS}, "cv=None: with groups allowed is a splitter .* GroupKFold"),
        ({"groups": GROUPS, "cv": 4}, "cv=4: with groups .* StratifiedGroupKFold.4."),
        (
            {"groups": GROUPS, "cv": KFold(3, shuffle=True, random_state=0)},
            "a group is in both parts of a split",
        ),
        ({"groups": GROUPS[:-1], "cv": GroupKFold(3)}, "groups has 119 labels: allowed are 120"),
        ({"cv": SAME_ROW}, "a row is in both parts of split 0"),
        ({"cv": [(np.arange(N - 1), [N - 1])]}, "the rows to judge by are one row, or of one group"),
        ({"groups": GROUPS > 3, "cv": GroupKFold(2)}, "training rows of split 0 are too few"),
        ({"cv": KFold(300)}, "cv=KFold.*must give splits, and fail.*n_splits=300"),
        ({"cv": StratifiedGroupKFold(3)}, "keeps groups together; allowed is groups=..., whose row it is"),
        ({"cv": [(np.arange(6), np.arange(6, N))] * 2}, "training rows of split 0 are too few"),
        ({"cv": "folds"}, "cv='folds': allowed is an integer from 2"),
        ({"cv": [(1, 2, 3)]}, "cv=.*allowed are a number of folds, a splitter"),
    ],
)
def test_bad_splits_are_named_before_any_training(monkeypatch, options, said):
    monkeypatch.setattr(candidates_of.Candidate, "fit", None)
    with pytest.raises(ValueError, match=said):
        found(**options)


def test_nothing_depends_on_the_number_of_jobs():
    noisy = {"forest of one": DecisionTreeClassifier(max_features=1, max_depth=3)}  # not seeded by the user
    one, two = (found(cv=3, candidates=noisy, n_jobs=jobs) for jobs in (1, 2))
    pd.testing.assert_frame_equal(one.table, two.table)
    np.testing.assert_array_equal(one.best_.predict(X), two.best_.predict(X))


def test_progress_is_shown_when_asked_for(capsys):
    found(cv=3)
    assert capsys.readouterr().err == ""
    found(cv=3, verbose=True)
    assert "3/3" in capsys.readouterr().err
