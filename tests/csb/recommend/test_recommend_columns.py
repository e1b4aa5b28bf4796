"""Columns of frames: read by what they hold, whatever their type; pipelines of others stay whole."""

import datetime
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from csb import recommend
from csb.inputs import ColumnWarning
from csb.recommend.columns import Columns, as_numbers, as_words, kind_of, read_kinds

N = 120
RNG = np.random.default_rng(5)
Z = RNG.integers(-40, 41, N)
Y = (Z + RNG.normal(0, 20, N) > 10).astype(int)
DAYS = pd.Timestamp("2020-01-01") + pd.to_timedelta(Z, unit="D")
TREE = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0)}

NUMBERS = {
    "int": Z,
    "small int": Z.astype(np.int8),
    "float": Z / 4,
    "Int64": pd.array(Z, dtype="Int64"),
    "object": Z.astype(object),
    "Decimal": [Decimal(int(z)) / 4 for z in Z],
    "Fraction": [Fraction(int(z), 4) for z in Z],
    "numpy scalars": np.array([np.float32(z / 4) for z in Z], object),
    "mixed numbers": [Decimal(int(z)) if k % 3 else (int(z) if k % 2 else float(z)) for k, z in enumerate(Z)],
    "digits": Z.astype(str),
    "decimals as text": [f"{z / 4:.2f}" for z in Z],
    "string": pd.array(Z.astype(str), dtype="string"),
}
TIMES = {
    "datetime64": DAYS,
    "zone": DAYS.tz_localize("UTC"),
    "date": [day.date() for day in DAYS],
    "datetime": np.array([day.to_pydatetime() for day in DAYS], object),
    "Timestamp": np.array(list(DAYS), object),
    "numpy": np.array([day.to_datetime64() for day in DAYS] + [None], object)[:-1],
    "Period": DAYS.to_period("D"),
    "Periods": np.array(list(DAYS.to_period("D")), object),
    "text": DAYS.strftime("%Y-%m-%d"),
    "text with hours": DAYS.strftime("%Y-%m-%dT%H:%M"),
}
SPANS = {
    "timedelta64": DAYS - DAYS[0],
    "timedelta": np.array([d.to_pytimedelta() for d in DAYS - DAYS[0]], object),
    "days as text": (DAYS - DAYS[0]).astype(str),
    "hours as text": ((DAYS - DAYS[0]) / 24).astype(str),
}
WORDS = {
    "words and numbers": np.array(["a", 1, 2.5], object)[Z % 3],
    "dates and words": np.array(["never", datetime.date(2020, 1, 1), "ever"], object)[Z % 3],
    "gaps": np.full(N, None),
}
TEXTS = {
    "words": np.array(["a", "b", "1"], object)[Z % 3],
    "categories": pd.Categorical(np.array(["1", "2", "3"], object)[Z % 3]),
    "zip codes": np.array(["01067", "04103", "20095"], object)[Z % 3],
    "no dates": np.array(["2020-13-45", "2020-01-01", "2020-01-02"], object)[Z % 3],
    "no months": np.array(["2020-13", "2020-01", "2020-02"], object)[Z % 3],
    "too many days": np.array(["999999999 days", "1 days", "2 days"], object)[Z % 3],
}
CODES = {
    "codes": pd.Categorical(Z % 3),
    "dates and numbers": np.array([1, datetime.date(2020, 1, 1), 2.5], object)[Z % 3],
}
KINDS = {"number": NUMBERS, "time": TIMES, "span": SPANS, "word": WORDS, "text": TEXTS, "code": CODES}
CASES = [(kind, name) for kind, columns in KINDS.items() for name in columns]
TOLD = {
    "digits",
    "decimals as text",
    "string",
    "text",
    "text with hours",
    "days as text",
    "hours as text",
    "words and numbers",
    "dates and words",
    "dates and numbers",
}


@pytest.mark.parametrize("kind, name", CASES)
@pytest.mark.parametrize("gaps", [False, True])
def test_a_column_is_what_its_values_are(kind, name, gaps):
    column = pd.Series(KINDS[kind][name])
    if gaps:
        column = column.copy()
        column[:2] = None
    assert kind_of(column) == (kind, name in TOLD)
    frame = column.to_frame("x")
    if name in TOLD:
        with pytest.warns(ColumnWarning, match=f"'x' as {'word' if kind == 'code' else kind}s"):
            kinds = read_kinds(frame)
    else:
        kinds = read_kinds(frame)
    if kind in ("word", "text", "code"):
        return
    found = as_numbers(frame, kinds)["x"].to_numpy()
    assert found.dtype == float and np.isnan(found).sum() == 2 * gaps
    scale = found[2:] - found[2]
    expected = (Z - Z[2])[2:]
    np.testing.assert_allclose(scale * np.ptp(Z[2:]) / np.ptp(found[2:]), expected, atol=1e-4)


def test_the_warning_stands_where_recommend_is_called():
    frame = pd.DataFrame({"x": Z.astype(str)})
    with pytest.warns(ColumnWarning) as warned:
        recommend(frame, Y, fn_cost=3, fp_cost=1, cv=3, random_state=0, candidates=TREE)
    assert [each.filename for each in warned if each.category is ColumnWarning] == [__file__]


@pytest.mark.parametrize("kind", ["number", "time"])
@pytest.mark.filterwarnings("ignore::csb.inputs.ColumnWarning")
def test_the_same_values_give_the_same_advice(kind):
    cv = list(StratifiedKFold(3, shuffle=True, random_state=0).split(Z, Y))
    costs = {
        name: recommend(
            pd.DataFrame({"x": column}), Y, fn_cost=3, fp_cost=1, cv=cv, random_state=0, candidates=TREE
        ).table.at["tree", "cost"]
        for name, column in KINDS[kind].items()
    }
    assert len(set(costs.values())) == 1, costs


def test_equal_values_are_one_word_and_text_is_none_of_them():
    column = pd.Series(
        [1, 1.0, True, np.int8(1), Decimal(1), "1", "1.0", "a", None, datetime.date(2020, 1, 1)]
    )
    words = as_words(column.to_frame())[0].tolist()
    assert len(set(words[:5])) == 1 and len(set(words[4:8])) == 4
    assert np.isnan(words[8]) and words[9] == "2020-01-01T00:00:00"


@pytest.mark.parametrize("first", [int, float, np.int32])
def test_one_more_row_changes_no_other(first):
    """A gap among whole numbers makes them floats; the categories are the same."""
    code = RNG.integers(1, 6, N)
    y = (code + RNG.normal(size=N) > 3.5).astype(int)
    old = pd.DataFrame({"code": pd.Categorical(code.astype(first)), "z": RNG.normal(size=N)})
    best = recommend(old, y, fn_cost=2, fp_cost=1, cv=3, random_state=0, candidates=TREE).best_
    rows = pd.DataFrame({"code": code, "z": old["z"]})
    more = pd.concat([rows, pd.DataFrame({"code": [None], "z": [0.0]})], ignore_index=True)
    np.testing.assert_array_equal(best.predict(rows), best.predict(more)[:-1])
    np.testing.assert_array_equal(best.predict(rows), best.predict(rows.astype({"code": "Int64"})))


def test_a_gap_in_new_rows_only_is_filled():
    X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["age", "late"])
    y = (X["age"] + 0.3 * RNG.normal(size=N) > 0.4).astype(int)
    best = pickle.loads(pickle.dumps(recommend(X, y, fn_cost=5, fp_cost=1, cv=3, random_state=0))).best_
    new = X.head(5).copy()
    new.loc[2, "late"] = np.nan
    filled = new.fillna({"late": X["late"].median()})
    np.testing.assert_array_equal(best.predict(new), best.predict(filled))


def test_a_word_in_new_rows_of_a_number_is_named():
    X = pd.DataFrame({"age": Z, "late": RNG.normal(size=N)})
    found = recommend(X, Y, fn_cost=2, fp_cost=1, cv=3, random_state=0)
    assert found.pays
    with pytest.raises(ValueError, match="column 'age' of X: allowed are numbers, as where it was trained"):
        found.best_.predict(X.head(3).assign(age=["old", "3", None]))
    with pytest.raises(ValueError, match="X lacks the column 'late': allowed is a frame"):
        found.best_.predict(X[["age"]])
    with pytest.raises(ValueError, match=r"X lacks the columns \['age', 'late'\]"):
        found.best_.predict(X.to_numpy())


def test_open_ends_are_dates():
    """Beyond the year 2262, which nanoseconds do not reach."""
    days = np.array(["9999-12-31", "2024-01-01", "1066-10-14"], "datetime64[us]")
    found = as_numbers(pd.DataFrame({"x": days}), {"x": "time"})["x"]
    np.testing.assert_array_equal(found, days.astype("datetime64[D]").astype(int))


def test_months_as_text_are_times():
    assert kind_of(pd.Series(["2018-04", None, "2019-01"])) == ("time", True)
    days = as_numbers(pd.DataFrame({"x": ["2018-04", None, "2019-01"]}), {"x": "time"})["x"]
    np.testing.assert_array_equal(days, [17622, np.nan, 17897])


@pytest.mark.filterwarnings("ignore::csb.inputs.ColumnWarning")
def test_words_of_another_kind_in_new_rows_are_named():
    """A file of numbers alone is read as numbers, where one more row with a word makes all of it text."""
    old = pd.DataFrame(
        {
            "term": ["14", "30", "?"],
            "code": pd.Categorical([1, 2, 3]),
            "both": pd.Categorical(["14", "30", 1]),
        }
    )
    columns = Columns(read_kinds(old)).fit(old)
    new = pd.DataFrame({"term": ["14", "new", None], "code": [1, 2, 7], "both": ["30", "x", "14"]})
    for taken in ({}, dict.fromkeys(new), {"both": 1}, {"term": ["14", 30, None], "code": [1, "2", 0]}):
        columns.transform(new.assign(**taken))
    Columns(columns.kinds).fit(old[:2]).transform(old[2:].assign(term="14"))  # as the folds may part them
    wrong = {("term", "text"): [14, 30, 14], ("code", "anything but text"): ["1", "2", "1"]}
    for (name, allowed), column in wrong.items():
        with pytest.raises(ValueError, match=f"column '{name}' of X: allowed is {allowed}, as where it was"):
            columns.transform(new.assign(**{name: column}))


def test_an_integer_beyond_all_doubles_is_named():
    X = pd.DataFrame({"age": [10**400, *Z[1:]], "late": RNG.normal(size=N)})
    with pytest.raises(ValueError, match="column 'age' of X: allowed are numbers.*too large"):
        recommend(X, Y, fn_cost=2, fp_cost=1)


class Own(Pipeline):
    """A pipeline that does more than scikit-learn's, as those of imbalanced-learn do."""

    def fit(self, X, y=None, **params):
        self.saw_ = type(X), len(X)
        keep = np.sort(np.r_[np.flatnonzero(y == 1), np.flatnonzero(y == 0)[::2]])
        rows = X.iloc[keep] if isinstance(X, pd.DataFrame) else X[keep]
        return super().fit(rows, np.asarray(y)[keep], **params)


def inside(best):
    """The classifier within what was recommended."""
    return best.classifier_.members[0].classifier


@pytest.mark.parametrize("weights", [None, np.ones(N)])
def test_pipelines_stay_whole_and_get_the_frame_if_they_take_it(weights):
    frame = pd.DataFrame({"z": Z.astype(float), "town": np.array(["a", "b"], object)[Z % 2]})
    frame.loc[::9, "z"] = np.nan
    knows = make_column_transformer((SimpleImputer(), ["z"]), (OneHotEncoder(sparse_output=False), ["town"]))
    models = {
        "knows": Own([("columns", knows), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]),
        "numbers": Own(
            [("scale", StandardScaler()), ("tree", DecisionTreeClassifier(max_depth=3, random_state=0))]
        ),
    }
    for name, model in models.items():
        found = recommend(
            frame,
            Y,
            fn_cost=2,
            fp_cost=1,
            cv=3,
            random_state=0,
            candidates={name: model},
            sample_weight=weights,
        )
        assert found.pays
        own = inside(found.best_)
        while not isinstance(own, Own):
            own = own.steps[-1][1]
        assert own.saw_[0] is (pd.DataFrame if name == "knows" else np.ndarray)
        assert not hasattr(model, "saw_")


class Sees(ClassifierMixin, BaseEstimator):
    """A classifier that says what it was given."""

    def fit(self, X, y):
        self.saw_, self.classes_ = type(X), np.unique(y)
        return self

    def predict_proba(self, X):
        p = np.full(len(X), 0.5)
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return np.zeros(len(X), int)


def test_numbers_without_gaps_are_handed_on_as_they_came():
    X = pd.DataFrame({"x": Z, "flag": Z > 3})
    seen = []

    class Watched(Sees):
        def fit(self, X, y):
            seen.append(type(X))
            return super().fit(X, y)

    recommend(X, Y, fn_cost=1, fp_cost=1, cv=3, random_state=0, candidates={"sees": Watched()})
    assert set(seen) == {pd.DataFrame}
    recommend(X.assign(w="a"), Y, fn_cost=1, fp_cost=1, cv=3, random_state=0, candidates={"sees": Watched()})
    assert set(seen) == {pd.DataFrame, np.ndarray}


@pytest.mark.parametrize("name", TIMES)
@pytest.mark.parametrize("place", ["column", "index"])
@pytest.mark.filterwarnings("ignore::csb.inputs.ColumnWarning")
def test_a_time_in_any_form_is_a_time(name, place):
    order = np.argsort(Z, kind="stable")
    times = pd.Series(TIMES[name]).iloc[order]
    X = pd.DataFrame({"a": RNG.normal(size=N)})
    X = X.assign(when=times.to_numpy()) if place == "column" else X.set_index(pd.Index(times))
    said = "column 'when' of X is a time" if place == "column" else "the index of X is a time"
    with pytest.raises(ValueError, match=f"{said}, and random folds"):
        recommend(X, Y[order], fn_cost=1, fp_cost=1, candidates={"logistic": LogisticRegression()})


@pytest.mark.parametrize("place", ["column", "index"])
def test_gaps_hide_no_time(place):
    """Unless they are most of the column: a few dates stand in order by chance."""
    when = pd.Series(pd.date_range("2024-01-01", periods=N)).mask(np.arange(N) % 3 == 1)
    X = pd.DataFrame({"a": Z}, when if place == "index" else None)
    X = X.assign(when=when) if place == "column" else X
    with pytest.raises(ValueError, match="is a time, and random folds"):
        recommend(X, Y, fn_cost=1, fp_cost=1, candidates=TREE)
    few = pd.DataFrame({"a": Z, "when": when.mask(np.arange(N) % 3 == 2)})
    recommend(few, Y, fn_cost=1, fp_cost=1, cv=2, random_state=0, candidates=TREE)


def test_levels_of_the_index_may_share_a_name():
    X = pd.DataFrame({"a": Z}, pd.MultiIndex.from_arrays([range(N)] * 2, names=["id", "id"]))
    plain, named = (
        recommend(rows, Y, fn_cost=3, fp_cost=1, cv=2, random_state=0, candidates=TREE).table
        for rows in (X.reset_index(drop=True), X)
    )
    pd.testing.assert_frame_equal(named, plain)


def test_a_pipeline_with_a_step_called_preprocess_is_taken():
    model = Pipeline([("preprocess", StandardScaler()), ("model", LogisticRegression())])
    frame = pd.DataFrame({"z": Z, "town": np.array(["a", "b"], object)[Z % 2]})
    found = recommend(frame, Y, fn_cost=5, fp_cost=1, cv=3, random_state=0, candidates={"one": model})
    by_hand = make_column_transformer((OneHotEncoder(sparse_output=False), ["town"]), remainder="passthrough")
    other = recommend(
        frame,
        Y,
        fn_cost=5,
        fp_cost=1,
        cv=3,
        random_state=0,
        candidates={"one": make_pipeline(by_hand, model)},
    )
    np.testing.assert_allclose(found.table["cost"], other.table["cost"])
