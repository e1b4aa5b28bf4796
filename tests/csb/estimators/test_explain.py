"""Contributions to calibrated log odds: against loops over stumps and coefficients; what cannot have any."""

from datetime import date

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from scipy.special import expit, logit
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    Normalizer,
    OneHotEncoder,
    PolynomialFeatures,
    StandardScaler,
)
from sklearn.svm import LinearSVC

import csb
from csb import AdaBoost, BoostingCV, CostDecision
from csb.estimators import explaining
from csb.recommend import recommend

RNG = np.random.default_rng(5)
N = 240
X = np.round(RNG.normal(size=(N, 3)), 1)
Y = (X[:, 0] - X[:, 1] ** 2 + RNG.normal(size=N) > -0.5).astype(int)
NEW = np.round(RNG.normal(size=(20, 3)), 1)
CALIBRATED = [csb.CalibratedAdaMEC, csb.CalibratedCGAda, csb.CalibratedAsymAda]
STUMPS = AdaBoost(15)


def spoken(stump, value):
    """What a stump says of a value, a missing one on its own side."""
    above = stump.missing_above if np.isnan(value) else value > stump.threshold
    return stump.polarity if above else -stump.polarity


def naive_terms(stumps, votes, a, rows, background):
    """Term of each feature at each row less its mean over the background: stump by stump, row by row."""
    found = np.zeros(rows.shape)
    for stump, vote in zip(stumps, votes, strict=True):
        if stump.threshold == -np.inf and stump.missing_above:
            continue
        f = stump.feature
        mean = sum(spoken(stump, value) for value in background[:, f]) / len(background)
        for row, values in zip(found, rows, strict=True):
            row[f] -= a * vote * (spoken(stump, values[f]) - mean)
    return found


def assert_adds_up(explanation, probability):
    """Member by member, and with the remainder to the log odds of what ``predict_proba`` says."""
    total = explanation.intercept + explanation.contributions.sum(axis=1) + explanation.remainder
    np.testing.assert_allclose(total, logit(probability), rtol=0, atol=1e-9)
    means = expit(explanation.member_log_odds).mean(axis=0)
    np.testing.assert_allclose(means, probability, rtol=0, atol=1e-12)


# --- against loops ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", CALIBRATED)
@pytest.mark.parametrize("pos_label", [None, 0])
def test_calibrated_boosting_against_a_loop_over_stumps(cls, pos_label):
    model = cls(fn_cost=3.0, n_estimators=12, cv=3, random_state=0, pos_label=pos_label).fit(X, Y)
    found, sign = model.explain(NEW, X), -1 if pos_label == 0 else 1
    assert found.positive == (1 if pos_label is None else 0)
    for (ensemble, platt), terms, log_odds in zip(
        model.calibrated_models_, found.terms, found.member_log_odds, strict=True
    ):
        expected = naive_terms(ensemble.hypotheses, ensemble.coefficients, platt.a_, NEW, X)
        np.testing.assert_allclose(terms, sign * expected, rtol=0, atol=1e-12)
        of_member = -(platt.a_ * ensemble.decision_function(NEW) + platt.b_)
        np.testing.assert_allclose(log_odds, sign * of_member, rtol=0, atol=1e-9)
    assert_adds_up(found, model.predict_proba(NEW)[:, found.positive])
    p = model.predict_proba(NEW)[:, found.positive]
    np.testing.assert_allclose(found.saves, 3 * p - (1 - p), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.saves > 0, model.predict(NEW) == found.positive)
    np.testing.assert_allclose(found.threshold, np.log(1 / 3))
    cheap = model.explain(NEW, X, fn_cost=np.arange(1.0, 21.0)).saves
    np.testing.assert_allclose(cheap, np.arange(1.0, 21.0) * p - (1 - p), rtol=0, atol=1e-12)


def test_gaps_in_stumps_against_a_loop():
    rows, new = X.copy(), NEW.copy()
    rows[RNG.random(X.shape) < 0.2] = np.nan
    new[::4, 0] = np.nan
    model = CostDecision(STUMPS, cv=3, random_state=0).fit(rows, Y)
    found = model.explain(new, rows)
    for member, terms in zip(model.classifier_.members, found.terms, strict=True):
        boosted, platt = member.classifier, member.calibrators[0]
        expected = naive_terms(boosted.estimators_, boosted.estimator_weights_, platt.a_, new, rows)
        np.testing.assert_allclose(terms, expected, rtol=0, atol=1e-12)
    assert_adds_up(found, model.predict_proba(new)[:, 1])


@pytest.mark.parametrize(
    "linear",
    [LogisticRegression(), LinearSVC(), LinearDiscriminantAnalysis()],
    ids=lambda each: type(each).__name__,
)
def test_linear_classifiers_against_their_coefficients(linear):
    model = CostDecision(make_pipeline(StandardScaler(), linear), cv=3, random_state=0).fit(X, Y)
    found = model.explain(NEW, X)
    for member, terms in zip(model.classifier_.members, found.terms, strict=True):
        scaler, fitted = member.classifier.named_steps.values()
        slope = -member.calibrators[0].a_ * fitted.coef_[0] / scaler.scale_
        np.testing.assert_allclose(terms, slope * (NEW - X.mean(axis=0)), rtol=0, atol=1e-10)
    assert_adds_up(found, model.predict_proba(NEW)[:, 1])


@pytest.mark.parametrize(
    "learner",
    [
        None,
        BoostingCV(AdaBoost(10), cv=2, random_state=0),
        csb.LogitBoost(10),
        AdaBoost(10, estimator="univariate_logistic"),
        make_pipeline(PCA(2), LogisticRegression()),  # sums of columns are sums
        make_pipeline(make_pipeline(StandardScaler()), make_pipeline(AdaBoost(10))),
        GridSearchCV(LogisticRegression(), {"C": [0.1, 1.0]}, cv=2),
        FrozenEstimator(AdaBoost(10).fit(X, Y)),
    ],
    ids=str,
)
@pytest.mark.parametrize("calibration", ["sigmoid", "sigmoid_ls"])
def test_what_is_additive_adds_up(learner, calibration):
    model = CostDecision(learner, calibration=calibration, cv=2, random_state=0, fn_cost=4.0).fit(X, Y)
    found = model.explain(NEW, X[:50])
    assert_adds_up(found, model.predict_proba(NEW)[:, 1])
    np.testing.assert_allclose(found.saves, model.decision_function(NEW), rtol=0, atol=1e-12)
    background = model.explain(X[:50], X[:50])
    np.testing.assert_allclose(background.contributions.mean(), 0.0, atol=1e-12)
    np.testing.assert_allclose(background.member_log_odds.mean(axis=1), found.intercepts, atol=1e-12)
    for f in range(3):  # a contribution does not see the other columns
        moved = NEW.copy()
        moved[:, np.arange(3) != f] = 0.3
        np.testing.assert_allclose(
            model.explain(moved, X[:50]).terms[:, :, f], found.terms[:, :, f], atol=1e-10
        )


def test_with_one_member_there_is_neither_band_nor_remainder():
    model = CostDecision(STUMPS, random_state=0).fit(X, Y)
    found = model.explain(NEW, X)
    assert found.low.equals(found.high)
    np.testing.assert_allclose(found.remainder, 0.0, atol=1e-12)


def test_the_band_is_from_the_lowest_to_the_highest_member():
    model = CostDecision(STUMPS, cv=4, random_state=0).fit(X, Y)
    found = model.explain(NEW, X)
    single = [
        -each.calibrators[0].a_
        * (each.classifier.contributions(NEW) - each.classifier.contributions(X).mean(axis=0))
        for each in model.classifier_.members
    ]
    np.testing.assert_allclose(found.low, np.min(single, axis=0), atol=1e-12)
    np.testing.assert_allclose(found.high, np.max(single, axis=0), atol=1e-12)
    np.testing.assert_allclose(found.contributions, np.mean(single, axis=0), atol=1e-12)


@pytest.mark.parametrize("together", [1, 40, 50])
def test_columns_that_are_scored_at_different_times(together, monkeypatch):
    model = CostDecision(STUMPS, cv=2, random_state=0).fit(X, Y)
    expected = model.explain(NEW, X[:30]).terms
    monkeypatch.setattr(explaining, "TOGETHER", together)
    np.testing.assert_array_equal(model.explain(NEW, X[:30]).terms, expected)


def test_integers_are_not_cut_off_beside_an_integer_background():
    model = CostDecision(LogisticRegression(), random_state=0).fit(X, Y)
    whole = np.round(X[:30]).astype(int)
    found = model.explain(NEW, whole)
    assert_adds_up(found, model.predict_proba(NEW)[:, 1])


# --- frames of users -------------------------------------------------------------------------------

DAYS = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 400, N), "D")
FRAME = pd.DataFrame(
    {
        "age": np.where(RNG.random(N) < 0.2, np.nan, X[:, 0]),
        "town": RNG.choice(["Ulm", "Bonn", "Köln", None], N),
        "since": DAYS.to_series().where(RNG.random(N) < 0.9).to_numpy(),
        "grade": pd.Categorical(RNG.choice([1, 2, 3], N)),
        "born": pd.Series([date(1980 + int(k), 1, 2) for k in RNG.integers(0, 9, N)], dtype=object),
        "paid": RNG.random(N) < 0.5,
    },
    index=RNG.permutation(N) + 7,
)
TARGET = np.where(
    (X[:, 0] + (FRAME["town"] == "Ulm") + FRAME["paid"] + 0.6 * RNG.normal(size=N)) > 0.9, "good", "bad"
)


@pytest.fixture(scope="module", params=["stumps", "logistic"])
def advised(request):
    candidates = {
        "stumps": AdaBoost(12),
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    }
    return recommend(
        FRAME, TARGET, fn_cost=1.5, fp_cost=1.0, cv=2, random_state=0, pos_label="bad",
        candidates={request.param: candidates[request.param]},
    )  # fmt: skip


@pytest.fixture(scope="module")
def explained(advised):
    assert advised.pays
    return advised.explain(FRAME, FRAME)


def test_columns_are_those_of_the_user(advised, explained):
    """A column is one, whatever features are made of it; a change elsewhere does not change its share."""
    assert explained.positive == "bad"
    assert list(explained.contributions) == list(FRAME) and explained.contributions.index.equals(FRAME.index)
    bad = list(advised.best_.classes_).index("bad")
    assert_adds_up(explained, advised.best_.predict_proba(FRAME)[:, bad])
    np.testing.assert_allclose(explained.contributions.mean(), 0.0, atol=1e-12)
    members = advised.best_.classifier_.members
    for m, member in enumerate(members):  # encoded columns, added up by hand
        encoder = member.classifier[0]
        encoded = np.asarray(encoder.transform(FRAME), float)
        of = encoder.estimator[:-1].transform(FRAME).columns.str.extract(r"x(\d+)", expand=False).astype(int)
        last = member.classifier[-1]
        if hasattr(last, "contributions"):
            terms = last.contributions(encoded)
        else:
            terms = last[-1].coef_[0] * last[0].transform(encoded)
        terms = member.calibrators[0].a_ * (terms - terms.mean(axis=0))  # bad is the first class
        assert len(of) == encoded.shape[1] > len(FRAME.columns) == len(set(of))
        for j in range(len(FRAME.columns)):
            own = terms[:, of == j].sum(axis=1)
            np.testing.assert_allclose(explained.terms[m, :, j], own, rtol=0, atol=1e-9)


def test_rows_one_at_a_time_are_the_batch(advised, explained):
    for k in range(0, N, 60):
        alone = advised.explain(FRAME[k : k + 1], FRAME)
        np.testing.assert_allclose(alone.terms[:, 0], explained.terms[:, k], rtol=0, atol=1e-12)
        np.testing.assert_allclose(alone.saves[0], explained.saves[k], rtol=0, atol=1e-12)


def test_the_order_of_columns_means_nothing(advised, explained):
    order = ["paid", "since", "town", "born", "age", "grade"]
    for rows, background in ((FRAME[order], FRAME), (FRAME, FRAME[order]), (FRAME[order], FRAME[order])):
        found = advised.explain(rows[:9], background)
        assert list(found.contributions) == list(rows)
        expected = explained.contributions[:9]
        pd.testing.assert_frame_equal(found.contributions[list(FRAME)], expected, rtol=0, atol=1e-12)


def test_new_words_gaps_and_types_are_what_they_are_to_the_model(advised):
    new = FRAME[:12].copy()
    new["grade"] = new["grade"].astype(object)
    new.iloc[0, 3] = "A"
    new.iloc[1, 1] = "Rom"
    new.iloc[2, 4] = None
    new["paid"] = new["paid"].astype(object)
    new.iloc[3, 5] = None
    found = advised.explain(new, FRAME)
    assert_adds_up(found, advised.best_.predict_proba(new)[:, 0])


def test_a_step_that_is_no_column_transformer_of_ours():
    prepare = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), ["town", "grade"]),
        (SimpleImputer(add_indicator=True), ["age"]),
    )
    model = CostDecision(make_pipeline(prepare, AdaBoost(12)), cv=2, random_state=0).fit(FRAME, TARGET)
    found = model.explain(FRAME[:30], FRAME)
    assert_adds_up(found, model.predict_proba(FRAME[:30])[:, 1])
    assert not found.contributions[["since", "born", "paid"]].to_numpy().any()
    assert found.contributions[["town", "age"]].abs().mean().min() > 0.01


def test_costs_of_each_case():
    amount = RNG.uniform(1, 9, N)
    advised = recommend(
        X, Y, fn_cost=amount, fp_cost=4.0, tp_cost=-0.5, cv=2, random_state=0, candidates={"s": STUMPS}
    )
    own = np.linspace(1, 9, len(NEW))
    with pytest.raises(ValueError, match="fn_cost=None: must be given"):
        advised.explain(NEW, X)
    found = advised.explain(NEW, X, fn_cost=own)
    p = advised.best_.predict_proba(NEW)[:, 1]
    np.testing.assert_allclose(found.saves, p * (own + 0.5) - 4 * (1 - p), atol=1e-12)
    np.testing.assert_allclose(found.threshold, np.log(4 / (own + 0.5)), atol=1e-12)
    decided = advised.best_.predict(NEW, fn_cost=own)
    np.testing.assert_array_equal(found.log_odds > found.threshold, decided == 1)


def test_costs_of_a_matrix():
    costs = pd.DataFrame([[0.5, 2.0], [7.0, -1.0]], [0, 1], [0, 1])
    model = CostDecision(STUMPS, cost_matrix=costs, random_state=0).fit(X, Y)
    found, p = model.explain(NEW, X), model.predict_proba(NEW)[:, 1]
    np.testing.assert_allclose(found.saves, 8 * p - 1.5 * (1 - p), atol=1e-12)
    np.testing.assert_allclose(found.saves, model.decision_function(NEW), atol=1e-12)
    np.testing.assert_allclose(found.threshold, np.log(1.5 / 8))


# --- what cannot be explained ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [HistGradientBoostingClassifier(max_iter=3), GaussianNB(), AdaBoost(3, estimator="tree"),
     make_pipeline(StandardScaler(), HistGradientBoostingClassifier(max_iter=3)),
     BoostingCV(AdaBoost(3, estimator="tree"), cv=2, random_state=0)],
    ids=str,
)  # fmt: skip
def test_what_is_not_additive_is_refused_before_any_work(learner, monkeypatch):
    model = CostDecision(learner, random_state=0).fit(X, Y)
    monkeypatch.setattr(type(model.classifier_), "scores", lambda self, X: pytest.fail("worked"))
    with pytest.raises(
        ValueError, match="estimator=.*no sum of functions.*allowed.*permutation_importance.*shap"
    ):
        model.explain(NEW, X)


@pytest.mark.parametrize("calibration", ["isotonic", "beta", "venn_abers", None])
@pytest.mark.parametrize("cls", [*CALIBRATED, CostDecision])
def test_other_calibrations_are_refused_before_any_work(cls, calibration, monkeypatch):
    model = cls(calibration=calibration, random_state=0).fit(X, Y)
    monkeypatch.setattr(type(model.classifier_), "scores", lambda self, X: pytest.fail("worked"))
    with pytest.raises(ValueError, match="calibration.*allowed are 'sigmoid'"):
        model.explain(NEW, X)


@pytest.mark.parametrize("cls", CALIBRATED)
def test_calibrated_boosting_on_trees_is_refused(cls):
    model = cls(n_estimators=3, estimator="tree", random_state=0).fit(X, Y)
    with pytest.raises(ValueError, match="estimator=.*no sum of functions"):
        model.explain(NEW, X)


@pytest.mark.parametrize(
    "step",
    [PolynomialFeatures(), Normalizer(), FunctionTransformer(lambda X: np.c_[X, X[:, 0] * X[:, 2]])],
    ids=lambda each: type(each).__name__,
)
@pytest.mark.parametrize("last", [LogisticRegression(), AdaBoost(12)], ids=lambda each: type(each).__name__)
def test_steps_that_mix_columns_are_found_out(step, last):
    model = CostDecision(make_pipeline(step, last), random_state=0).fit(X, Y)
    for rows in (NEW, NEW[:1], X[:1]):
        with pytest.raises(
            ValueError, match="log odds are no sum.*allowed are steps that keep columns apart"
        ):
            model.explain(rows, X)


def test_more_classes_and_changed_parameters_are_refused():
    three = CostDecision(LogisticRegression(), cost_matrix=1 - np.eye(3), random_state=0)
    three.fit(X, np.arange(N) % 3)
    with pytest.raises(ValueError, match="knows 3 classes: allowed are two"):
        three.explain(NEW, X)
    for model in (
        CostDecision(AdaBoost(5), random_state=0),
        csb.CalibratedAdaMEC(n_estimators=5, random_state=0),
    ):
        with pytest.raises(ValueError, match="not fitted"):
            model.explain(NEW, X)
        given = model.fit(X, Y).calibration
        model.set_params(calibration="beta")
        with pytest.raises(ValueError, match=f"was fitted with calibration='{given}'"):
            model.explain(NEW, X)


@pytest.mark.parametrize(
    "rows, background, message",
    [
        (NEW, X[:, :2], "background has 2 columns: allowed are as many as X has, 3"),
        (NEW[0], X, r"X has shape \(3,\): allowed are two axes and at least one row"),
        (NEW[:0], X, r"X has shape \(0, 3\): allowed"),
        (NEW, X[:0], r"background has shape \(0, 3\): allowed"),
        (
            pd.DataFrame(NEW),
            pd.DataFrame(X, columns=[0, 1, 7]),
            "background has the columns.*allowed are those of X",
        ),
        (NEW[:, :2], X[:, :2], "X has 2 features"),
    ],
)
def test_bad_rows(rows, background, message):
    for model in (CostDecision(STUMPS, random_state=0), csb.CalibratedAdaMEC(n_estimators=3, random_state=0)):
        with pytest.raises(ValueError, match=message):
            model.fit(X, Y).explain(rows, background)


def test_frames_beside_arrays():
    model = CostDecision(STUMPS, random_state=0).fit(X, Y)
    expected = model.explain(NEW, X).terms
    for rows in (NEW, pd.DataFrame(NEW), NEW.tolist()):
        for background in (X, pd.DataFrame(X), X.tolist()):
            np.testing.assert_array_equal(model.explain(rows, background).terms, expected)


def test_what_needs_no_model_has_nothing_to_explain():
    coin = RNG.integers(0, 2, N)
    advised = recommend(
        X, coin, fn_cost=9.0, fp_cost=1.0, cv=2, random_state=0, candidates={"s": AdaBoost(3)}
    )
    with pytest.raises(ValueError, match="name='always 1': .*allowed is one of the candidates.*'s'"):
        advised.explain(NEW, X)


def test_a_search_of_stumps_has_the_terms_of_the_best():
    search = BoostingCV(AdaBoost(10), cv=2, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(search.contributions(NEW), search.best_estimator_.contributions(NEW))
    whole = search.intercept_ + search.contributions(NEW).sum(axis=1)
    np.testing.assert_allclose(whole, search.decision_function(NEW), rtol=0, atol=1e-12)


# --- table and figure ------------------------------------------------------------------------------


def test_the_table_of_a_row(explained):
    row = 5
    table = explained.table(row)
    assert sorted(table.index) == sorted(FRAME)
    sizes = table["contribution"].abs().to_numpy()
    assert (np.diff(sizes) <= 0).all()
    for name, told in table.iterrows():
        assert told["low"] <= told["contribution"] <= told["high"]
        assert told["contribution"] == explained.contributions[name].iloc[row]
        p = expit(explained.log_odds[row] - told["contribution"])
        assert told["saves_without"] == pytest.approx(1.5 * p - (1 - p), abs=1e-12)
        value = FRAME[name].iloc[row]
        assert told["value"] == value or (pd.isna(value) and pd.isna(told["value"]))
    for bad in (N, -1, 0.5):
        with pytest.raises(ValueError, match="row="):
            explained.table(bad)


def test_the_figure_of_a_row(explained):
    row, most = 5, 3
    ax = explained.plot(row, most=most)
    table = explained.table(row)
    bars = ax.patches
    assert len(bars) == most + 1
    np.testing.assert_allclose([bar.get_width() for bar in bars[:most]], table["contribution"][:most])
    ends = [bar.get_x() + bar.get_width() for bar in bars]
    assert bars[0].get_x() == pytest.approx(explained.intercept)
    np.testing.assert_allclose([bar.get_x() for bar in bars[1:]], ends[:-1])
    assert ends[-1] == pytest.approx(explained.log_odds[row])
    lines = ax.collections[0].get_paths()[1 : most + 1]  # the first is that of the background
    spans = [line.vertices[:, 0] - bar.get_x() for line, bar in zip(lines, bars[:most], strict=True)]
    np.testing.assert_allclose(spans, table[["low", "high"]].to_numpy(float)[:most], atol=1e-12)
    (dashed,) = [line for line in ax.lines if line.get_label() == "threshold"]
    assert dashed.get_xdata()[0] == pytest.approx(np.log(1 / 1.5))
    assert ax.get_xlabel() == "log odds of bad"
    (above,) = ax.child_axes
    for place, label in zip(above.get_xticks(), above.get_xticklabels(), strict=True):
        assert expit(place) == pytest.approx(float(label.get_text()))
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[0] == "background" and names[-2:] == ["all else", "this row"] and len(names) == most + 3
    with pytest.raises(ValueError, match="ax="):
        explained.plot(row, ax=3)
    plt.close("all")
