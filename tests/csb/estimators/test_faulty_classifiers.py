"""What classifiers of others say is refused where it is faulty, or understood as a naive reading has it."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.cluster import KMeans
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import csb
from csb.estimators import decision, metacost
from csb.evaluation.calibration import CALIBRATORS, make_calibrator
from csb.evaluation.displays import CostCurveDisplay, ReliabilityDisplay
from csb.inputs import ConstantModelWarning

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 2))
LABELS = {
    2: (X[:, 0] + RNG.normal(size=90) > 0).astype(int),
    3: np.digitize(X[:, 0] + 0.5 * RNG.normal(size=90), [-0.5, 0.5]),
}
HALVES = [(np.arange(0, 90, 2), np.arange(1, 90, 2))]


def logistic(X, k):
    """Probabilities of k classes, the later the larger the first feature is."""
    odds = np.exp(np.outer(np.asarray(X, float)[:, 0], np.arange(k)) - 0.4 * np.arange(k) ** 2)
    return odds / odds.sum(axis=1, keepdims=True)


class Known(ClassifierMixin, BaseEstimator):
    """Needs no training; says as much as it is let, of which something may be made."""

    def __init__(self, made=None):
        self.made = made

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.own_ = self.classes_
        return self

    def predict(self, X):
        return self.own_[np.argmax(logistic(X, len(self.own_)), axis=1)]


class Probable(Known):
    def predict_proba(self, X):
        p = logistic(X, len(self.own_))
        return p if self.made is None else self.made(p)


class Scoring(Known):
    def decision_function(self, X):
        scores = np.log(logistic(X, len(self.own_)))
        scores = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
        return scores if self.made is None else self.made(scores)


class Reversed(Probable):
    """Its columns are in the other order, and so are its ``classes_``."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self

    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


class ReversedScores(Scoring):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_[::-1]
        return self

    def decision_function(self, X):
        scores = super().decision_function(X)
        return -scores if scores.ndim == 1 else scores[:, ::-1]


class Floats(Probable):
    """Whole numbers have become floats, as in a table."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_.astype(float)
        return self

    def predict(self, X):
        return super().predict(X).astype(float)[:, np.newaxis]


class Listed(Probable):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_.tolist()
        return self


class Words(Probable):
    """Its labels are the words for the numbers, other labels than these."""

    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = self.classes_.astype(str)
        return self

    def predict(self, X):
        return super().predict(X).astype(str)


class Nameless(Probable):
    def fit(self, X, y):
        super().fit(X, y)
        del self.classes_
        return self


class Twice(Probable):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = np.r_[self.classes_, self.classes_[:1]]
        return self


class Nested(Probable):
    def fit(self, X, y):
        super().fit(X, y)
        self.classes_ = [self.classes_]
        return self


class Silent(Probable):
    """Its method says only when it is called that there is none."""

    def predict_proba(self, X):
        raise AttributeError("probabilities are not available")


class Lost(Probable):
    """It has the method before the fit, and not after it."""

    @property
    def predict_proba(self):
        if hasattr(self, "classes_"):
            raise AttributeError("gone")
        return super().predict_proba


def spoiled(value):
    def made(found):
        found = found.copy()
        found[len(found) // 2] = value
        return found

    return made


def far(found):
    """Only where the first feature is far from those trained with."""
    return np.where(found > 1 - 1e-9, np.nan, found)


FAULTS = {
    "sum": lambda p: 0.5 * p, "sums of one row": spoiled(0.3), "negative": lambda p: 3 * p - 2 / p.shape[1],
    "nan": lambda p: np.full_like(p, np.nan), "nan in one row": spoiled(np.nan),
    "infinite": spoiled(np.inf), "one column more": lambda p: np.column_stack([p, 0 * p[:, 0]]),
    "one column": lambda p: p[:, 1:2], "one dimension": lambda p: p[:, 1], "words": lambda p: p.astype(str),
    "a row less": lambda p: p[:-1], "three dimensions": lambda p: p[np.newaxis], "none": lambda p: None,
    "turned": np.transpose,
}  # fmt: skip
BAD_SCORES = {
    "nan": lambda f: np.full_like(f, np.nan), "nan in one row": spoiled(np.nan), "infinite": spoiled(-np.inf),
    "one column more": lambda f: np.column_stack([f, f, f]), "words": lambda f: f.astype(str),
    "a row less": lambda f: f[:-1], "three dimensions": lambda f: f.reshape(1, 1, -1), "none": lambda f: None,
}  # fmt: skip
FAULTY = {
    **{kind: Probable(made) for kind, made in FAULTS.items()},
    **{f"scores: {kind}": Scoring(made) for kind, made in BAD_SCORES.items()},
    **{cls.__name__: cls() for cls in (Words, Nameless, Twice, Nested, Silent, Lost)},
}
TRUSTED = {kind: model for kind, model in FAULTY.items() if isinstance(model, Probable)}


def refused(call, model):
    """The error that the call ends in, which names the classifier and says what is allowed."""
    with pytest.raises(ValueError, match=type(model).__name__) as caught:
        call()
    assert "allowed" in str(caught.value)
    return str(caught.value)


def decided(model, y, calibration, cv=HALVES):
    return csb.CostDecision(model, calibration=calibration, cv=cv).fit(X, y).predict_proba(X)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("calibration", [*CALIBRATORS, None])
@pytest.mark.parametrize("kind", FAULTY)
def test_faulty_answers_are_refused_by_the_decision(kind, calibration, k):
    model = FAULTY[kind]
    if calibration is None and kind not in TRUSTED:
        assert "has no predict_proba" in str(
            pytest.raises(ValueError, decided, model, LABELS[k], calibration).value
        )
        return
    said = refused(lambda: decided(model, LABELS[k], calibration), model)
    assert said.startswith("estimator=")


@pytest.mark.parametrize("kind", FAULTY)
def test_faulty_answers_of_a_model_in_use_are_refused(kind):
    live = FrozenEstimator(FAULTY[kind].fit(X, LABELS[2]))
    refused(lambda: decided(live, LABELS[2], "sigmoid"), live)
    given = {"fn_cost": 3, "fp_cost": 1, "cv": 3, "candidates": {"live": live}}
    refused(lambda: csb.recommend(X, LABELS[2], **given), live)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", TRUSTED)
def test_faulty_probabilities_are_refused_by_metacost(kind, k):
    refused(lambda: csb.MetaCost(FAULTY[kind], n_estimators=2, random_state=0).fit(X, LABELS[k]),
            FAULTY[kind])  # fmt: skip


@pytest.mark.parametrize("kind", FAULTY)
def test_faulty_candidates_are_refused(kind):
    given = {"fn_cost": 3, "fp_cost": 1, "cv": 3, "random_state": 0, "candidates": {"theirs": FAULTY[kind]}}
    refused(lambda: csb.recommend(X, LABELS[2], **given), FAULTY[kind])


@pytest.mark.parametrize("display", [CostCurveDisplay, ReliabilityDisplay])
@pytest.mark.parametrize("kind", FAULTY)
def test_faulty_answers_are_not_drawn(kind, display):
    if display is ReliabilityDisplay and kind not in TRUSTED:
        return
    if kind in ("Words", "Lost"):  # of labels that y has not; of what is lost it has no method to be drawn by
        with pytest.raises(ValueError, match=r"allowed are|needs predict_proba"):
            display.from_estimator(FAULTY[kind].fit(X, LABELS[2]), X, LABELS[2])
        return
    refused(lambda: display.from_estimator(FAULTY[kind].fit(X, LABELS[2]), X, LABELS[2]), FAULTY[kind])
    plt.close("all")


SAME = {
    "plain": Probable(), "reversed": Reversed(), "floats": Floats(), "a list of labels": Listed(),
    "single precision": Probable(lambda p: p.astype(np.float32)),
    "half precision": Probable(lambda p: p.astype(np.float16)),
    "frame": Probable(pd.DataFrame), "list": Probable(np.ndarray.tolist),
    "rounded": Probable(lambda p: p + 1e-7),
}  # fmt: skip
NEAR = {"half precision": 2e-3, "single precision": 1e-5, "rounded": 1e-5}
"""Sigmoids stop at a gradient, and what is rounded is other data."""


def naive(scores, y, calibration, k):
    """A calibrator for each class, or one temperature, on the half held out."""
    held_out = HALVES[0][1]
    if calibration == "temperature" and k > 2:  # one factor for all
        return make_calibrator(calibration).fit(scores[held_out], y[held_out]).predict(scores)
    columns = [
        make_calibrator(calibration).fit(scores[held_out, c], (y[held_out] == c).astype(int)).predict(s)
        for c, s in enumerate(scores.T)
    ]
    if k == 2:
        return np.column_stack([1 - columns[1], columns[1]])
    p = np.column_stack(columns)
    return p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("calibration", ["sigmoid", "beta", None])
@pytest.mark.parametrize("kind", SAME)
def test_the_same_answers_in_another_form_are_understood(kind, calibration, k):
    y, p = LABELS[k], logistic(X, k)
    expected = p if calibration is None else naive(p, y, calibration, k)
    found = decided(SAME[kind], y, calibration)
    np.testing.assert_allclose(found, expected, rtol=0, atol=NEAR.get(kind, 1e-12))
    voted = csb.MetaCost(SAME[kind], n_estimators=2, random_state=0, average="votes").fit(X, y)
    np.testing.assert_array_equal(voted.probabilities_, np.eye(k)[np.argmax(p, axis=1)])
    assert voted.predict(X).dtype == y.dtype and voted.predict(X).shape == (90,)
    np.testing.assert_array_equal(voted.predict(X), np.argmax(p, axis=1))
    judged = csb.MetaCost(SAME[kind], n_estimators=2, random_state=0).fit(X, y)
    np.testing.assert_allclose(judged.probabilities_, p, atol=1e-3)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("calibration", list(CALIBRATORS))
@pytest.mark.parametrize(
    "model", [Scoring(), ReversedScores(), Scoring(lambda f: f.reshape(len(f), -1)),
              Scoring(lambda f: f.astype(np.float64).tolist())],
    ids=["plain", "reversed", "a column", "list"],
)  # fmt: skip
def test_scores_speak_for_the_class_by_its_label(model, calibration, k):
    log_p, y = np.log(logistic(X, k)), LABELS[k]
    scores = log_p if k == 3 else np.column_stack([np.zeros(90), log_p[:, 1] - log_p[:, 0]])
    np.testing.assert_allclose(decided(model, y, calibration), naive(scores, y, calibration, k), atol=1e-12)


@pytest.mark.parametrize("kind", SAME)
def test_the_same_is_recommended_and_drawn(kind):
    y, given = LABELS[2], {"fn_cost": 3, "fp_cost": 1, "cv": 3, "random_state": 0}
    tables = [csb.recommend(X, y, candidates={"a": each}, **given).table for each in (SAME[kind], Probable())]
    np.testing.assert_allclose(tables[0].loc["a"], tables[1].loc["a"], atol=0.05)
    fitted = SAME[kind].fit(X, y)
    for label in (0, 1):
        drawn = ReliabilityDisplay.from_estimator(fitted, X, y, pos_label=label).curve
        plain = ReliabilityDisplay.from_predictions(y, logistic(X, 2)[:, label], pos_label=label).curve
        np.testing.assert_allclose(drawn.predicted, plain.predicted, atol=1e-3)
        np.testing.assert_array_equal(drawn.observed, plain.observed)
    plt.close("all")


def test_scores_that_are_drawn_speak_for_the_class_by_its_label():
    y = LABELS[2]
    for model in (Scoring(), ReversedScores(), Scoring(lambda f: np.column_stack([-f, f]))):
        drawn = CostCurveDisplay.from_estimator(model.fit(X, y), X, y, pos_label=1, lines=False).curve
        plain = CostCurveDisplay.from_predictions(y, logistic(X, 2)[:, 1], lines=False).curve
        np.testing.assert_allclose(drawn.envelope, plain.envelope)
    plt.close("all")


@pytest.mark.parametrize("calibration", ["isotonic", None])
def test_gaps_in_what_is_said_of_new_rows_end_no_decision(calibration):
    """Nothing was wrong with the rows of the fit."""
    model = csb.CostDecision(Probable(far), calibration=calibration, cv=HALVES).fit(X, LABELS[2])
    new = np.array([[0.0, 0.0], [99.0, 0.0]])
    assert model.predict(new[:1]).shape == (1,)
    for asked in (model.predict, model.predict_proba, model.decision_function):
        assert "holds nan" in refused(lambda asked=asked: asked(new), model.estimator)


def test_in_blocks_gaps_end_no_decision_either():
    da = pytest.importorskip("dask.array")
    live = FrozenEstimator(Probable(spoiled(np.nan)).fit(X, LABELS[2]))
    parts = da.from_array(X, chunks=(30, 2)), da.from_array(LABELS[2], chunks=30)
    refused(lambda: csb.CostDecision(live).fit(*parts), live)
    trusted = csb.CostDecision(live, calibration=None).fit(*parts)
    refused(lambda: trusted.predict(parts[0]).compute(), live)
    nameless = FrozenEstimator(Nameless().fit(X, LABELS[2]))
    assert "classes_" in refused(lambda: csb.CostDecision(nameless).fit(*parts), nameless)


class Voice(Known):
    """Predicts what is made of the labels."""

    def predict(self, X):
        return self.made(super().predict(X))

    def predict_proba(self, X):
        return logistic(X, len(self.own_))


BAD_LABELS = {
    "words": lambda y: y.astype(str), "another": lambda y: np.where(y == 1, 7, y),
    "between": lambda y: y + 0.5, "nan": lambda y: np.where(y, np.nan, 0.0), "a row less": lambda y: y[:-1],
    "columns": lambda y: np.column_stack([1 - y, y]), "none": lambda y: None,
}  # fmt: skip


@pytest.mark.parametrize("kind", BAD_LABELS)
def test_labels_that_are_none_of_the_classes_are_refused(kind):
    model, y = Voice(BAD_LABELS[kind]), LABELS[2]
    refused(lambda: csb.MetaCost(model, average="votes", n_estimators=2, random_state=0).fit(X, y), model)
    trained = csb.MetaCost(model, n_estimators=2, random_state=0).fit(X, y)
    refused(lambda: trained.predict(X), model)
    given = {"fn_cost": 3, "fp_cost": 1, "cv": 3, "random_state": 0, "candidates": {"a": Probable()}}
    said = refused(lambda: csb.recommend(X, y, current=model, **given), model)
    assert said.startswith("current=")


class Untagged:
    """Has the methods, and is no classifier in scikit-learn's way."""

    def fit(self, X, y): ...
    def predict_proba(self, X): ...


HARD = VotingClassifier([("a", LogisticRegression()), ("b", LogisticRegression())])
NEVER = [LinearRegression(), StandardScaler(), KMeans(2), LogisticRegression, Untagged(), HARD, Known(), "a",
         3, make_pipeline(StandardScaler(), HARD), make_pipeline(StandardScaler(), LinearRegression()),
         make_pipeline(LogisticRegression(), StandardScaler())]  # fmt: skip
WITHOUT = [SVC(), Perceptron(), LinearSVC(), GridSearchCV(SVC(), {"C": [1.0]}), make_pipeline(SVC())]


@pytest.mark.parametrize("model", NEVER, ids=lambda m: repr(m)[:40])
def test_what_can_never_serve_is_refused_before_it_is_trained(monkeypatch, model):
    monkeypatch.setattr(decision, "fit_ensemble", None)
    monkeypatch.setattr(metacost, "_fit_one", None)
    for calibration in ("sigmoid", None):
        with pytest.raises(ValueError, match=r"(estimator|calibration)=.*(allowed is|has no predict_proba)"):
            csb.CostDecision(model, calibration=calibration).fit(X, LABELS[2])
    if model is not HARD and not isinstance(model, Known) and "Voting" not in repr(model):  # these can vote
        with pytest.raises(ValueError, match="estimator=.*allowed is"):
            csb.MetaCost(model, average="votes").fit(X, LABELS[2])
    monkeypatch.setattr(csb.CostDecision, "fit", None)
    with pytest.raises(ValueError, match="candidates: 'a'=.*allowed is"):
        csb.recommend(X, LABELS[2], fn_cost=1, fp_cost=1, candidates={"a": model})


@pytest.mark.parametrize("model", WITHOUT, ids=lambda m: repr(m)[:40])
def test_scores_alone_serve_where_they_are_calibrated(monkeypatch, model):
    y = LABELS[2]
    assert np.mean(csb.CostDecision(model, random_state=0).fit(X, y).predict(X) == y) > 0.6
    monkeypatch.setattr(decision, "fit_ensemble", None)
    with pytest.raises(ValueError, match="calibration=None: .* has no predict_proba, calibrate it"):
        csb.CostDecision(model, calibration=None).fit(X, y)


@pytest.mark.parametrize("calibration", ["sigmoid", None])
def test_a_stack_whose_top_is_the_default_is_taken(calibration):
    """Before the fit it says that it has no methods."""
    stack = StackingClassifier([("a", LogisticRegression())])
    for model in (stack, make_pipeline(StandardScaler(), stack)):
        fitted = csb.CostDecision(model, calibration=calibration, random_state=0).fit(X, LABELS[2])
        assert np.mean(fitted.predict(X) == LABELS[2]) > 0.6


def test_a_constant_of_metacost_is_no_fault():
    with pytest.warns(ConstantModelWarning):
        model = csb.MetaCost(Probable(), fn_cost=1e9, n_estimators=2, random_state=0).fit(X, LABELS[2])
    assert model.predict(X).tolist() == [1] * 90
