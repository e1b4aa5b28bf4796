"""A classifier that is fitted already is understood by the labels of its classes, or refused by them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import csb
from csb.evaluation.classifiers import class_probabilities, class_scores

X, Y = load_iris(return_X_y=True)
LABELS = np.array(["setosa", "versicolor", "virginica"])
PAIRS = [(0, 1), (1, 2), (0, 2)]
CALIBRATIONS = ["sigmoid", "isotonic", None]


def of(pair):
    """Which rows are of one of two classes."""
    return np.isin(Y, pair)


class Columns(LogisticRegression):
    """Decision values of two classes in two columns."""

    def decision_function(self, X):
        scores = super().decision_function(X)
        return np.column_stack([-scores, scores]) if scores.ndim == 1 else scores


class Kept(ClassifierMixin, BaseEstimator):
    """Trained elsewhere, whatever it is given."""

    def __init__(self, live=None):
        self.live = live

    def fit(self, X, y):
        self.classes_ = self.live.classes_
        return self

    def predict_proba(self, X):
        return self.live.predict_proba(X)


def around(model, how):
    """The classifier, fitted to all classes, as it stands in use."""
    fitted = model.fit(X, LABELS[Y])
    if how == "frozen":
        return FrozenEstimator(fitted)
    if how == "pipeline":
        return make_pipeline(StandardScaler(with_mean=False, with_std=False), FrozenEstimator(fitted))
    return Kept(FrozenEstimator(fitted))


@pytest.mark.parametrize("how", ["frozen", "pipeline"])
@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
@pytest.mark.parametrize("model", [LogisticRegression(max_iter=1000), GaussianNB(), SVC()], ids=repr)
def test_two_of_three_classes_are_served_by_their_labels(model, pair, calibration, how):
    """As the classifier itself decides between the two, which are easily told apart."""
    rows = of(pair)
    if calibration is None and isinstance(model, SVC):
        pytest.skip("it has no probabilities")
    decision = csb.CostDecision(around(model, how), calibration=calibration, random_state=0)
    decision.fit(X[rows], LABELS[Y[rows]])
    assert decision.classes_.tolist() == LABELS[list(pair)].tolist()
    assert decision.predict_proba(X[rows]).shape == (100, 2)
    assert np.mean(decision.predict(X[rows]) == LABELS[Y[rows]]) > 0.9


def test_scores_and_probabilities_of_two_among_three():
    """Softmax: of two classes, the odds are those of the difference of their decision values."""
    model = LogisticRegression(max_iter=1000).fit(X, LABELS[Y])
    raw, p = model.decision_function(X), model.predict_proba(X)
    for first, second in PAIRS:
        classes = LABELS[[first, second]]
        scores = class_scores(model, X, classes)
        np.testing.assert_allclose(scores[:, 0], raw[:, second] - raw[:, first])
        share = class_probabilities(model, X, classes)
        np.testing.assert_allclose(share[:, 1], p[:, second] / (p[:, first] + p[:, second]))
        np.testing.assert_allclose(share[:, 1], 1 / (1 + np.exp(-scores[:, 0])), rtol=1e-9)
        np.testing.assert_allclose(share.sum(axis=1), 1)


def test_three_of_four_classes_keep_their_columns():
    y = np.where(np.arange(150) % 5 == 0, 3, Y)
    live = FrozenEstimator(LogisticRegression(max_iter=1000).fit(X, y))
    rows = y != 1
    model = csb.CostDecision(live).fit(X[rows], y[rows])
    known = csb.CostDecision(live, calibration=None).fit(X[rows], y[rows])
    kept = live.predict_proba(X)[:, [0, 2, 3]]
    np.testing.assert_allclose(known.predict_proba(X), kept / kept.sum(axis=1, keepdims=True))
    assert np.mean(model.predict(X[rows]) == known.predict(X[rows])) > 0.8


def test_a_class_without_weight_is_a_class_that_is_absent():
    live = FrozenEstimator(LogisticRegression(max_iter=1000).fit(X, Y))
    weights = np.where(Y == 2, 0.0, 1.0)
    weighed = csb.CostDecision(live).fit(X, Y, weights)
    absent = csb.CostDecision(live).fit(X[Y != 2], Y[Y != 2])
    assert weighed.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(weighed.predict_proba(X), absent.predict_proba(X))


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_two_columns_of_two_classes(calibration):
    rows = of((1, 2))
    plain = csb.CostDecision(LogisticRegression(max_iter=1000), calibration=calibration, random_state=0)
    doubled = csb.CostDecision(Columns(max_iter=1000), calibration=calibration, random_state=0)
    decided = [model.fit(X[rows], Y[rows]).predict(X[rows]) for model in (plain, doubled)]
    np.testing.assert_array_equal(*decided)


@pytest.mark.parametrize("how", ["frozen", "pipeline", "within"])
@pytest.mark.parametrize("calibration", ["sigmoid", None])
def test_labels_that_the_classifier_does_not_know_are_refused(calibration, how):
    model = csb.CostDecision(around(GaussianNB(), how), calibration=calibration)
    knows = r"knows the classes \['setosa', 'versicolor', 'virginica'\]"
    with pytest.raises(ValueError, match=rf"estimator=.*{knows}, and y holds \['no', 'yes'\].*'no' is none"):
        model.fit(X, np.where(Y == 2, "yes", "no"))
    with pytest.raises(ValueError, match=rf"{knows}, and y holds \[0, 1, 2\]"):
        model.fit(X, Y)
    assert not hasattr(model, "classifier_")


def test_metacost_trains_its_learner():
    rows = of((0, 1))
    live = FrozenEstimator(GaussianNB().fit(X, Y))
    with pytest.raises(
        ValueError, match="estimator=FrozenEstimator.*allowed is a learner that can be trained"
    ):
        csb.MetaCost(live).fit(X[rows], Y[rows])
    partly = csb.MetaCost(Kept(FrozenEstimator(live)), n_estimators=3, random_state=0)
    with pytest.raises(ValueError, match=r"knows the classes \[0, 1, 2\], and y holds \['a', 'b'\]"):
        partly.fit(X[rows], np.array(["a", "b"])[Y[rows]])


def test_candidates_are_asked_for_their_classes():
    rows = of((1, 2))
    given = {"fn_cost": 5, "fp_cost": 1, "cv": 3, "random_state": 0}
    live = FrozenEstimator(LogisticRegression(max_iter=1000).fit(X, LABELS[Y]))
    found = csb.recommend(X[rows], LABELS[Y[rows]], candidates={"live": live}, pos_label="virginica", **given)
    assert np.mean(found.best_.predict(X[rows]) == LABELS[Y[rows]]) > 0.9
    with pytest.raises(ValueError, match=r"candidates: 'live'.*knows the classes.*y holds \[1, 2\]"):
        csb.recommend(X[rows], Y[rows], candidates={"live": live}, **given)


PAIRWISE = SVC(decision_function_shape="ovo")


@pytest.mark.parametrize(
    "model",
    [PAIRWISE, make_pipeline(StandardScaler(), PAIRWISE), GridSearchCV(PAIRWISE, {"C": [1.0]}, cv=2),
     FrozenEstimator(SVC(decision_function_shape="ovo").fit(X, Y))],
    ids=["alone", "pipeline", "search", "frozen"],
)  # fmt: skip
def test_scores_of_pairs_are_no_scores_of_classes(model):
    with pytest.raises(ValueError, match="decision_function_shape='ovr' is allowed"):
        csb.CostDecision(model, random_state=0).fit(X, Y)
    if not isinstance(model, FrozenEstimator):  # two classes have one score
        csb.CostDecision(model, random_state=0).fit(X[Y > 0], Y[Y > 0])
        return
    with pytest.raises(ValueError, match="decision_function_shape='ovr' is allowed"):
        csb.CostDecision(model).fit(X[Y > 0], Y[Y > 0])


@pytest.mark.parametrize("calibration", CALIBRATIONS)
@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_in_blocks_as_in_one_piece(pair, calibration):
    da = pytest.importorskip("dask.array")
    rows = of(pair)
    live = FrozenEstimator(GaussianNB().fit(X, LABELS[Y]))
    model = csb.CostDecision(live, calibration=calibration)
    here = model.fit(X[rows], LABELS[Y[rows]]).predict_proba(X)
    parts = da.from_array(X[rows], chunks=(30, 4)), da.from_array(LABELS[Y[rows]], chunks=30)
    there = model.fit(*parts)
    assert there.classes_.tolist() == LABELS[list(pair)].tolist()
    # scores are rounded to twelve binary digits
    np.testing.assert_allclose(there.predict_proba(da.from_array(X, chunks=(40, 4))), here, atol=2e-3)


@pytest.mark.parametrize("calibration", ["sigmoid", None])
def test_in_blocks_one_class_or_none_is_refused(calibration):
    da = pytest.importorskip("dask.array")
    model = csb.CostDecision(FrozenEstimator(GaussianNB().fit(X, Y)), calibration=calibration)
    parts = da.from_array(X, chunks=(40, 4)), da.from_array(Y, chunks=40)
    with pytest.raises(ValueError, match="y "):
        model.fit(parts[0], da.zeros_like(parts[1]))
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(*parts, da.zeros(150, chunks=40))


def test_metacost_of_a_partly_fitted_learner_keeps_to_the_classes_of_the_examples():
    rows = of((0, 2))
    live = GaussianNB().fit(X, Y)
    model = csb.MetaCost(Kept(FrozenEstimator(live)), n_estimators=3, random_state=0).fit(X[rows], Y[rows])
    kept = live.predict_proba(X[rows])[:, [0, 2]]
    np.testing.assert_allclose(model.probabilities_, kept / kept.sum(axis=1, keepdims=True))
