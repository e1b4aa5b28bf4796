"""One classifier of all examples and one calibrator of all folds: scikit-learn's ``ensemble=False``."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import LeaveOneOut, RepeatedStratifiedKFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import csb
from csb.evaluation.calibration import CALIBRATORS, make_calibrator
from csb.evaluation.temperature import TemperatureScaling

FOLDS = StratifiedKFold(4, shuffle=True, random_state=3)


def problem(k):
    X, y = load_iris(return_X_y=True)
    X, y = X[y >= 3 - k][:, :2], y[y >= 3 - k]
    return X, np.array(["a", "b", "c"])[y], np.random.default_rng(0).integers(1, 4, len(y)).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("learner", [LogisticRegression(), GaussianNB()], ids=repr)
@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("k", [2, 3])
def test_probabilities_are_those_of_scikit_learn(k, method, learner, weighted):
    """Its sigmoid stops at a gradient of 1e-6 or so, by which the probabilities of both differ."""
    X, y, weights = problem(k)
    weights = weights if weighted else None
    theirs = CalibratedClassifierCV(learner, method=method, cv=FOLDS, ensemble=False).fit(X, y, weights)
    ours = csb.CostDecision(learner, calibration=method, cv=FOLDS, ensemble=False).fit(X, y, weights)
    within = 2e-4 if method == "sigmoid" else 1e-6
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=within)
    assert len(ours.classifier_.members) == 1


def by_hand(learner, X, y, classes, splits, calibration):
    """Out-of-fold scores collected in a loop, and one calibrator for each class, or for all."""
    logs = calibration == "temperature"

    def scores(model, rows):
        if hasattr(model, "decision_function"):
            f = model.decision_function(rows)
            return np.column_stack([-f / 2, f / 2]) if f.ndim == 1 else f
        p = model.predict_proba(rows)
        return np.log(p + 1e-12) if logs else p

    pairs = [(scores(clone(learner).fit(X[a], y[a]), X[b]), y[b]) for a, b in splits]
    seen, labels = np.concatenate([s for s, _ in pairs]), np.concatenate([part for _, part in pairs])
    final = scores(clone(learner).fit(X, y), X)
    if logs:
        return TemperatureScaling().fit(seen, np.searchsorted(classes, labels)).predict(final)
    columns = [
        make_calibrator(calibration).fit(seen[:, c], (labels == label).astype(int)).predict(final[:, c])
        for c, label in enumerate(classes)
    ]
    p = np.column_stack(columns)
    if len(classes) == 2:
        return np.column_stack([1 - p[:, 1], p[:, 1]])
    return p / p.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("calibration", CALIBRATORS)
@pytest.mark.parametrize("kind", ["boosting", "probabilities", "scores of many"])
def test_pooled_by_a_loop(kind, calibration):
    X, y, _ = problem(3 if kind == "scores of many" else 2)
    learner = {
        "boosting": csb.AdaBoost(n_estimators=5), "probabilities": GaussianNB(),
        "scores of many": LogisticRegression(),
    }[kind]  # fmt: skip
    splits = list(FOLDS.split(X, y))
    model = csb.CostDecision(learner, calibration=calibration, cv=splits, ensemble=False).fit(X, y)
    expected = by_hand(learner, X, y, model.classes_, splits, calibration)
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-9)
    (member,) = model.classifier_.members
    np.testing.assert_array_equal(member.classifier.predict(X), clone(learner).fit(X, y).predict(X))


class Named(ClassifierMixin, BaseEstimator):
    """Its probability of a class is by how many examples it was trained, and how many were of the class."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X):
        return self.classes_[[np.argmax(self.shares_)] * len(X)]


@pytest.mark.parametrize("jobs", [None, 2])
@pytest.mark.parametrize("cv", [None, 3, LeaveOneOut(), RepeatedStratifiedKFold(n_splits=2, n_repeats=2)])
def test_a_part_held_out_may_lack_a_class_and_rows_may_be_held_out_twice(cv, jobs):
    X, y, _ = problem(2)
    model = csb.CostDecision(Named(), calibration="isotonic", cv=cv, ensemble=False, n_jobs=jobs)
    p = model.set_params(random_state=0).fit(X, y).predict_proba(X)
    assert np.ptp(p, axis=0).max() == 0 and 0 <= p.min() <= p.max() <= 1
    if isinstance(cv, LeaveOneOut):  # one left out of a class: the other is more probable
        np.testing.assert_array_equal(p[0], [0.5, 0.5])


@pytest.mark.parametrize("k", [2, 3])
def test_classes_that_the_splits_lack_are_named(k):
    X, y, _ = problem(k)
    rows = np.arange(len(y))
    first, last = y == y[0], y == y[-1]
    for split, said in {
        ("to fit lacks", "split 0 lacks the class 'c' in the part to fit"): [(rows[~last], rows)],
        ("held out lack", "no part held out has the class 'c'"): [(rows, rows[first]), (rows, rows[~last])],
    }.items():
        with pytest.raises(ValueError, match=split[1]):
            csb.CostDecision(GaussianNB(), cv=said, ensemble=False).fit(X, y)


def test_what_is_fitted_or_trusted_already_is_the_same():
    X, y, _ = problem(3)
    for model in (
        csb.CostDecision(FrozenEstimator(GaussianNB().fit(X, y)), cv=2),
        csb.CostDecision(GaussianNB(), calibration=None, cv=2),
    ):
        both = [clone(model).set_params(ensemble=flag).fit(X, y).predict_proba(X) for flag in (True, False)]
        np.testing.assert_array_equal(*both)


def test_a_limit_on_misses_is_refused():
    """The scores held out are those of other classifiers: they are not exchangeable with new ones."""
    X, y, _ = problem(2)
    limited = csb.CostDecision(GaussianNB(), max_miss_rate=0.2, pos_label="c", ensemble=False)
    with pytest.raises(ValueError, match=r"max_miss_rate=0.2: must be None where ensemble=False"):
        limited.fit(X, y)
    with pytest.raises(ValueError, match="ensemble='no'"):
        csb.CostDecision(KNeighborsClassifier(), ensemble="no").fit(X, y)


@pytest.mark.parametrize("k", [2, 3])
def test_by_default_two_classes_have_a_sigmoid_and_more_a_temperature(k):
    X, y, _ = problem(k)
    other = {2: "sigmoid", 3: "temperature"}
    by_default, named, not_named = (
        csb.CostDecision(GaussianNB(), cv=FOLDS, **given).fit(X, y).predict_proba(X)
        for given in ({}, {"calibration": other[k]}, {"calibration": other[5 - k]})
    )
    np.testing.assert_array_equal(by_default, named)
    assert abs(by_default - not_named).max() > 0.01
