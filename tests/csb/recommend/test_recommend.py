"""`recommend` against a naive loop over the folds, by hand for the constants, and on bad input."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.sparse import csr_array
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import _safe_indexing

import csb
from csb import AdaBoost
from csb.estimators.search import BoostingCV
from csb.evaluation.calibration import PlattScaling
from csb.recommend import recommend
from csb.recommend.candidates import Candidate
from csb.recommend.columns import as_numbers, as_words, read_kinds
from csbook.datasets import make_two_gaussians

FN, FP, CV, SEED = 6.0, 2.0, 3, 4
CALIBRATION_FOLDS = 5
GRADIENT, LOGISTIC, STUMPS = "gradient boosting", "logistic regression", "boosted stumps"


def two_gaussians(n=150):
    """An unbalanced sample, so that fold sizes and shares matter."""
    data = make_two_gaussians(n, random_state=1)
    keep = np.r_[np.flatnonzero(data.y == 0), np.flatnonzero(data.y == 1)[: n // 3]]
    return data.X.to_numpy()[keep], data.y[keep]


@pytest.fixture(scope="module")
def found():
    return recommend(*two_gaussians(), fn_cost=FN, fp_cost=FP, cv=CV, random_state=SEED)


def boosted_trees(seed):
    """LightGBM, which need not be installed, or scikit-learn."""
    try:
        from lightgbm import LGBMClassifier
    except ImportError:
        return HistGradientBoostingClassifier(max_leaf_nodes=15, random_state=seed)
    return LGBMClassifier(num_leaves=15, n_jobs=1, verbose=-1, random_state=seed)


def naive_probability(name, X, y, new, seed):
    """Probability of label 1, cross-fitted step by step where the parts are open."""
    inner = StratifiedKFold(CALIBRATION_FOLDS, shuffle=True, random_state=seed)
    if name in (STUMPS, GRADIENT):
        model = boosted_trees(seed)
        if name == STUMPS:
            chosen = BoostingCV(AdaBoost(), learning_rates=(1.0, 0.3, 0.1), cv=inner).fit(X, y).best_params_
            model = AdaBoost(**chosen)
        return CalibratedClassifierCV(model, cv=inner).fit(X, y).predict_proba(new)[:, 1]
    found = []
    for fit, rest in inner.split(X, y):
        scaler = StandardScaler().fit(X[fit])
        model = LogisticRegression().fit(scaler.transform(X[fit]), y[fit])
        platt = PlattScaling().fit(model.decision_function(scaler.transform(X[rest])), y[rest])
        found.append(platt.predict(model.decision_function(scaler.transform(new))))
    return np.mean(found, axis=0)


def naive_losses(decide, X, y, seed):
    """Cost of each row, error by error, in the order of the rows, and what it would be of the other class."""
    losses, otherwise = np.zeros((2, len(y)))
    for train, test in StratifiedKFold(CV, shuffle=True, random_state=seed).split(X, y):
        for row, positive in zip(test, decide(X[train], y[train], X[test]), strict=True):
            losses[row] = FN if y[row] and not positive else FP if positive and not y[row] else 0.0
            otherwise[row] = (FP if positive else FN) if losses[row] == 0 else 0.0
    return np.array([losses, otherwise])


def naive_interval(both, together=1):
    """Mean and standard error of single rows, their skewness taken out as Hall (1992) does it.

    So many intervals hold together with 95%, after Bonferroni. Half a row each is added of the worst and of
    the best of both classes, where they differ.
    """
    observed = sum(both[0]) / len(both[0])
    hanging = [(max(pair), min(pair)) for pair in both.T if pair[0] != pair[1]]
    added = [sum(each) / len(hanging) for each in zip(*hanging, strict=True)]
    losses, rows = np.array([*both[0], *added]), np.repeat([1, 0.5], [len(both[0]), 2])
    n, mean = len(losses), sum(rows * losses) / sum(rows)
    deviations = n * rows * (losses - mean) / sum(rows)
    second, third = (sum(deviations**k) / n for k in (2, 3))
    a, q = third / second**1.5 / n**0.5, stats.t.ppf(1 - 0.025 / together, n - 1)
    high, low = (3 / a * (np.cbrt(1 + a * sign * q - a * a / 6) - 1) for sign in (-1, 1))
    error = (second / (n - 1)) ** 0.5
    return [observed, mean - error * low, mean - error * high]


@pytest.mark.parametrize("name", [STUMPS, LOGISTIC, GRADIENT])
def test_cost_and_intervals_as_a_naive_loop_has_them(found, name):
    X, y = two_gaussians()
    seed = np.random.RandomState(SEED).randint(2**31 - 1)
    threshold = FP / (FP + FN)
    losses = naive_losses(lambda *data: naive_probability(name, *data, seed) > threshold, X, y, seed)
    always = {
        f"always {k}": naive_losses(lambda *data, k=k: np.full(len(data[2]), k), X, y, seed) for k in (0, 1)
    }
    assert found.constant == found.reference == min(always, key=lambda policy: always[policy][0].sum())
    expected = [*naive_interval(losses, 3), *naive_interval(losses - always[found.constant], 3)]
    columns = ["cost", "low", "high", "difference", "difference_low", "difference_high"]
    np.testing.assert_allclose(found.table.loc[name, columns], expected, atol=1e-12)
    for each, of in always.items():
        np.testing.assert_allclose(found.table.loc[each, columns[:3]], naive_interval(of), atol=1e-12)
    by_row = found.decisions[name].droplevel("split").sort_index()
    assert by_row.index.tolist() == list(range(len(y)))
    np.testing.assert_array_equal(by_row, losses[0])


def test_constant_decisions_cost_what_the_shares_say():
    X, y = two_gaussians(180)
    assert np.bincount(y).tolist() == [90, 60]
    table = recommend(X, y, fn_cost=FN, fp_cost=FP, cv=3, random_state=0).table
    np.testing.assert_allclose(table.loc[["always 0", "always 1"], "cost"], [60 / 150 * FN, 90 / 150 * FP])
    ends = np.array(stats.binomtest(60, 150).proportion_ci(method="exact")) * FN
    np.testing.assert_allclose(table.loc["always 0", ["low", "high"]], ends, rtol=0.03)
    assert table.loc["always 1", ["difference", "difference_low", "difference_high"]].tolist() == [0, 0, 0]
    assert table["cost"].is_monotonic_increasing and len(table) == 5


def test_best_is_the_cheapest_candidate_below_the_constant_fitted_on_all_data(found):
    X, y = two_gaussians()
    below = found.table.index[found.table["difference_high"] < 0]
    assert found.pays and found.name == found.table.loc[below, "cost"].idxmin()
    seed = np.random.RandomState(SEED).randint(2**31 - 1)
    expected = naive_probability(found.name, X, y, X, seed) > FP / (FP + FN)
    np.testing.assert_array_equal(found.best_.predict(X), expected.astype(int))


@pytest.mark.parametrize(("fn_cost", "label"), [(4.0, 1), (0.25, 0)])
def test_on_noise_a_constant_wins(fn_cost, label):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(90, 3)), rng.integers(0, 2, 90)
    found = recommend(X, y, fn_cost=fn_cost, fp_cost=1, cv=3, random_state=0)
    assert not found.pays and found.name == found.constant == f"always {label}"
    assert isinstance(found.best_, DummyClassifier) and set(found.best_.predict(X)) == {label}
    assert f"Recommended: always {label}. No candidate was shown to cost less" in str(found)


def test_a_candidate_whose_interval_reaches_zero_is_not_recommended():
    X, y = two_gaussians()
    found = recommend(X[::4], y[::4], fn_cost=1, fp_cost=2, cv=2, random_state=0)
    assert found.table["cost"].idxmin() not in ("always 0", "always 1")  # the premise
    assert (found.table["difference_high"] >= 0).all()
    assert found.name == found.constant


@pytest.mark.parametrize("pos_label", ["well", "sick"])
def test_labels_and_names_of_columns(pos_label):
    X, y = two_gaussians()
    frame = pd.DataFrame(X, columns=["a", "b"])
    names = np.array(["sick", "well"])[y] if pos_label != "sick" else np.array(["well", "sick"])[y]
    found = recommend(frame, names, fn_cost=FN, fp_cost=FP, cv=CV, random_state=SEED, pos_label=pos_label)
    plain = recommend(X, y, fn_cost=FN, fp_cost=FP, cv=CV, random_state=SEED)
    np.testing.assert_array_equal(found.best_.predict(frame) == pos_label, plain.best_.predict(X) == 1)
    assert found.constant == f"always {pos_label}"
    assert list(found.best_.feature_names_in_) == ["a", "b"]
    values = found.table.sort_index().drop(index=["always sick", "always well"])
    np.testing.assert_allclose(values, plain.table.sort_index().drop(index=["always 0", "always 1"]))


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"fn_cost": -1e101}, "fn_cost=-1e"),
        ({"fp_cost": np.nan}, "fp_cost=nan"),
        ({"fn_cost": np.ones(99)}, r"fn_cost has shape \(99,\): allowed is a number or \(100,\), one a case"),
        (
            {"fn_cost": np.r_[np.ones(97), np.nan, 1, np.nan]},
            "fn_cost holds nan: allowed are numbers in .* missing in 2 of 100 cases, first in row 97",
        ),
        ({"fp_cost": {0: 1, 1: 5}}, "fp_cost={0: 1, 1: 5}: allowed are numbers; fn_cost is what missing"),
        ({"sample_weight": -np.ones(100)}, "sample_weight holds -1.0"),
        ({"cv": 1}, "cv=1: allowed is an integer from 2"),
        ({"cv": 2.0}, "cv=2.0"),
        ({"pos_label": 2}, "pos_label=2: allowed are 0 and 1"),
        ({"X": np.full((100, 2), np.nan)}, "X holds nan"),
        ({"X": np.zeros((99, 2))}, "y has 100 labels: allowed are 99"),
        ({"y": np.zeros(100, int)}, "one class only"),
        (
            {"y": np.arange(100) % 3},
            r"y has 3 classes: allowed are two; for more, CostDecision\(",
        ),
        (
            {"y": np.r_[np.ones(6, int), np.zeros(94, int)]},
            "cv=5: each class of y needs at least 7 examples; the smaller class has 6",
        ),
        (
            {"y": np.r_[np.ones(9, int), np.zeros(91, int)], "cv": 10},
            "at least 10 examples; the smaller class has 9",
        ),
    ],
)
def test_bad_input_is_named_before_any_training(monkeypatch, changes, named):
    monkeypatch.setattr(sys.modules["csb.recommend.recommending"], "judge", None)
    arguments = {"X": np.zeros((100, 2)), "y": np.arange(100) % 2, "fn_cost": 1, "fp_cost": 1} | changes
    with pytest.raises(ValueError, match=named):
        recommend(**arguments)


def test_smallest_class_that_passes_is_enough_for_all_folds():
    rng = np.random.default_rng(0)
    y = np.r_[np.ones(7, int), np.zeros(30, int)]
    assert len(csb.recommend(rng.normal(size=(37, 2)), y, fn_cost=3, fp_cost=1, random_state=0).table) == 5


FORMS = {
    "float": lambda y: y.astype(float),
    "Int64": lambda y: pd.Series(y, dtype="Int64"),
    "index": lambda y: pd.Series(y, index=y),
    "object": lambda y: y.astype(object),
    "bool": lambda y: y.astype(bool),
}


def few(*given):
    return {"tree": Candidate(DecisionTreeClassifier(max_depth=1, random_state=0))}


@pytest.mark.parametrize("form", FORMS)
def test_labels_of_any_type_are_recommended_for(monkeypatch, form):
    if form != "float":  # which all candidates are given once
        monkeypatch.setattr(sys.modules["csb.recommend.candidates"], "_ours", few)
    X, y = two_gaussians()
    found, plain = (
        recommend(X, labels, fn_cost=FN, fp_cost=FP, cv=2, random_state=0) for labels in (FORMS[form](y), y)
    )
    np.testing.assert_array_equal(found.table, plain.table)
    np.testing.assert_array_equal(found.best_.predict(X), plain.best_.predict(X))


def test_labels_that_no_candidate_takes_are_refused_before_any_training(monkeypatch):
    monkeypatch.setattr(sys.modules["csb.recommend.recommending"], "judge", None)
    X, y = two_gaussians()
    for labels in (y + 0.5, np.where(y, np.datetime64("2020"), np.datetime64("2021")), y * 1j):
        with pytest.raises(ValueError, match="^y=.*allowed are whole numbers"):
            recommend(X, labels, fn_cost=FN, fp_cost=FP)


def raw_table(n=160):
    """Numbers with gaps, words with gaps, and a column of many words; the town decides."""
    rng = np.random.default_rng(3)
    town = rng.choice(["north", "south"], n).astype(object)
    y = np.where(town == "north", rng.random(n) < 0.9, rng.random(n) < 0.1).astype(int)
    town[::11] = None
    age = rng.normal(50, 9, n)
    age[::7] = np.nan
    return pd.DataFrame({"age": age, "town": town, "street": [f"no. {k % 70}" for k in range(n)]}), y


def test_raw_rows_are_encoded_within_the_folds():
    table, y = raw_table()
    found = recommend(table, y, fn_cost=1, fp_cost=1, cv=3, random_state=0)
    assert found.pays
    never_seen = pd.DataFrame({"age": [np.nan], "town": ["west"], "street": ["elsewhere"]})
    assert set(found.best_.predict(pd.concat([table, never_seen]))) <= {0, 1}
    seed = np.random.RandomState(0).randint(2**31 - 1)
    one_hot = make_column_transformer(
        (SimpleImputer(strategy="median"), ["age"]),
        (OneHotEncoder(handle_unknown="infrequent_if_exist", max_categories=50, sparse_output=False),
         ["town", "street"]),
    )  # fmt: skip
    costs = {LOGISTIC: 0, GRADIENT: 0}
    for train, test in StratifiedKFold(3, shuffle=True, random_state=seed).split(table, y):
        numbers = one_hot.fit(table.iloc[train]).transform(table)
        native = table.copy()
        for name, rare in zip(
            ("town", "street"),
            one_hot.named_transformers_["onehotencoder"].infrequent_categories_,
            strict=True,
        ):
            if rare is not None:
                native.loc[table[name].isin(rare), name] = "rare"
                native.loc[~table[name].isin(table[name].iloc[train]) & table[name].notna(), name] = "rare"
            native[name] = pd.Categorical(native[name])
        for name, rows, model in (
            (LOGISTIC, numbers, make_pipeline(StandardScaler(), LogisticRegression())),
            (GRADIENT, native, boosted_trees(seed)),
        ):
            inner = StratifiedKFold(CALIBRATION_FOLDS, shuffle=True, random_state=seed)
            model = CalibratedClassifierCV(model, cv=inner).fit(_safe_indexing(rows, train), y[train])
            costs[name] += np.sum(model.predict(_safe_indexing(rows, test)) != y[test])
    for name, cost in costs.items():
        assert found.table.at[name, "cost"] == pytest.approx(cost / len(y))


def test_every_kind_of_column_becomes_numbers():
    frame = pd.DataFrame(
        {
            "when": pd.to_datetime(["1970-01-03T00:00", None, "1970-01-01T12:00"]),
            "zone": pd.to_datetime(["1970-01-02", "1970-01-01", None]).tz_localize("UTC"),
            "span": pd.to_timedelta([36, None, 12], unit="h"),
            "flag": [True, False, True],
            "count": pd.array([1, None, 3], dtype="Int64"),
            "maybe": pd.array([True, None, False], dtype="boolean"),
        }
    )
    expected = [
        [2, 1, 1.5, 1, 1, 1], [np.nan, 0, np.nan, 0, np.nan, np.nan], [0.5, np.nan, 0.5, 1, 3, 0],
    ]  # fmt: skip
    np.testing.assert_array_equal(as_numbers(frame, read_kinds(frame)), expected)
    words = pd.DataFrame({"kind": pd.Categorical(["b", None, "a"]), "mixed": [1, "x", None]})
    found = as_words(words).to_numpy()
    assert [each if isinstance(each, str) else repr(each) for each in found.ravel()] == [
        "b", "1.0", "nan", "x", "a", "nan",
    ]  # fmt: skip


def test_frames_of_all_kinds_are_taken_with_names_that_are_no_strings():
    table, y = raw_table()
    more = table.assign(
        born=pd.date_range("1990", periods=len(y))[::-1],
        flag=y == 1,
        mixed=[1, "x"] * (len(y) // 2),
        kind=pd.Categorical(["a", "b"] * (len(y) // 2)),
    )
    tree = {"tree": DecisionTreeClassifier(max_depth=2, random_state=0)}
    found = recommend(more, y, fn_cost=1, fp_cost=1, cv=3, random_state=0, candidates=tree)
    assert found.table.at["tree", "cost"] == 0  # by the flag
    more.columns = [5, 3, 4, 0, 2, 1, 6]
    numbered = recommend(more, y, fn_cost=1, fp_cost=1, cv=3, random_state=0, candidates=tree)
    pd.testing.assert_frame_equal(numbered.table, found.table)
    again = pickle.loads(pickle.dumps(found)).best_
    np.testing.assert_array_equal(again.predict(more.set_axis(found.best_.feature_names_in_, axis=1)), y)


def test_what_a_transformer_makes_may_be_sparse_for_the_three():
    table, y = raw_table()
    words = table[["town"]].fillna("none")
    sparse, full = (OneHotEncoder(sparse_output=kind, handle_unknown="ignore") for kind in (True, False))
    one, two = (
        recommend(words, y, fn_cost=1, fp_cost=1, cv=2, random_state=0, preprocess=encode)
        for encode in (sparse, full)
    )
    pd.testing.assert_frame_equal(one.table, two.table)


@pytest.mark.parametrize(
    ("X", "named"),
    [
        (pd.DataFrame({"a": [1.0, np.inf] * 20, "b": ["x", "y"] * 20}), "column 'a' of X holds infinity"),
        (pd.DataFrame(np.zeros((40, 2)), columns=["a", "a"]), "X has two columns 'a'"),
        ([["north"], ["south"]] * 20, "X=.*in a pandas DataFrame words and gaps are allowed, too"),
        (csr_array(np.eye(40)), "X is sparse: allowed is a dense array"),
        (pd.DataFrame({"a": pd.arrays.SparseArray([0, 1] * 20)}), r"'a' of X is sparse: .* X\['a'\]\.sparse"),
        (
            pd.DataFrame({"a": [["x", "y"]] * 40}),
            "column 'a' of X holds lists or the like: allowed are single",
        ),
        (
            pd.DataFrame({"x": range(40), 2020: 1}),
            r"X has columns \['x', 2020\]: allowed are names of one type",
        ),
        (pd.DataFrame(index=range(40)), "^X has no columns: allowed are one or more$"),
    ],
)
def test_bad_tables_are_named_before_any_training(monkeypatch, X, named):
    monkeypatch.setattr(sys.modules["csb.recommend.recommending"], "judge", None)
    with pytest.raises(ValueError, match=named):
        recommend(X, np.arange(40) % 2, fn_cost=1, fp_cost=1)


def test_what_prepares_a_fold_has_not_seen_it():
    seen = []

    class Spy(FunctionTransformer):
        def fit(self, X, y=None):
            seen.append(len(X))
            return super().fit(X, y)

    X, y = two_gaussians(60)
    trees = {"tree": DecisionTreeClassifier(max_depth=2)}
    recommend(X, y, fn_cost=2, fp_cost=1, cv=2, random_state=0, preprocess=Spy(), candidates=trees)
    assert seen and max(seen) < len(X)


def test_candidates_of_ones_own():
    X, y = two_gaussians()
    trees = {
        name: DecisionTreeClassifier(max_depth=depth, random_state=0)
        for name, depth in (("shallow", 2), ("deep", None))
    }
    found = recommend(X, y, fn_cost=FN, fp_cost=FP, cv=CV, random_state=SEED, candidates=trees, n_jobs=2)
    assert set(found.table.index) == {"shallow", "deep", "always 0", "always 1"}
    seed = np.random.RandomState(SEED).randint(2**31 - 1)
    outer, inner = (
        StratifiedKFold(folds, shuffle=True, random_state=seed) for folds in (CV, CALIBRATION_FOLDS)
    )
    costs = np.zeros(len(y))
    for train, test in outer.split(X, y):
        model = CalibratedClassifierCV(trees["shallow"], cv=inner).fit(X[train], y[train])
        positive = model.predict_proba(X[test])[:, 1] > FP / (FP + FN)
        costs[test] = np.where(y[test] == 1, FN * ~positive, FP * positive)
    assert found.table.loc["shallow", "cost"] == pytest.approx(np.mean(costs), rel=1e-12)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"preprocess": "scale"}, "preprocess='scale': allowed is a transformer"),
        ({"candidates": {}}, "candidates={}: allowed is a mapping"),
        ({"candidates": [LogisticRegression()]}, "allowed is a mapping of names to classifiers"),
        (
            {"candidates": {"a": LinearRegression()}},
            "candidates: 'a'=LinearRegression.*allowed is a scikit-learn classifier",
        ),
        ({"candidates": {3: LogisticRegression()}}, "candidates: 3 is .*classifiers by name"),
        ({"candidates": {"always 1": LogisticRegression()}}, "'always 1' is the name of a row of its own"),
        ({"n_jobs": 0}, "n_jobs=0: allowed are None and integers other than 0"),
    ],
)
def test_bad_options_are_named_before_any_training(monkeypatch, changes, named):
    monkeypatch.setattr(sys.modules["csb.recommend.recommending"], "judge", None)
    X, y = two_gaussians()
    with pytest.raises(ValueError, match=named):
        recommend(X, y, **{"fn_cost": 2, "fp_cost": 1} | changes)
