"""Copies of any classifier, each calibrated on examples that it was not trained on."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from csb.estimators.around import Rows
from csb.estimators.splitting import Split
from csb.evaluation.calibration import Calibration, Calibrator, make_calibrator
from csb.evaluation.decisions import risk_control_threshold
from csb.inputs import shown

__all__ = ["CalibratedEnsemble", "Member", "class_scores", "fit_calibrators", "fit_ensemble"]


class Member(NamedTuple):
    """One fitted classifier and what was learnt on examples that it had not seen.

    Attributes
    ----------
    classifier : object
        Fitted.
    calibrators : list
        One for two classes, else one for each class, against all others; empty where the classifier's own
        probabilities are trusted.
    floors : ndarray of shape (2,)
        The score of ``classes_[0]``, and that of ``classes_[1]``, from which on that class may not be missed;
        empty where there is no limit on misses.
    """

    classifier: Any
    calibrators: list[Calibrator]
    floors: np.ndarray


class CalibratedEnsemble:
    """Fitted classifiers whose calibrated probabilities are averaged.

    Parameters
    ----------
    members : list of Member
        The classifiers.
    classes : ndarray of shape (k,)
        Labels.
    """

    def __init__(self, members: list[Member], classes: np.ndarray) -> None:
        self.members, self.classes_ = members, classes

    def scores(self, X: Any) -> list[Any]:
        """Scores by each member, of shape (n, 1) for two classes and (n, k) for more."""
        return [
            class_scores(each.classifier, X, self.classes_) if each.calibrators
            else each.classifier.predict_proba(X)
            for each in self.members
        ]  # fmt: skip

    def probabilities(self, scores: list[np.ndarray]) -> np.ndarray:
        """Probability of each class, shape (n, k)."""
        parts = [self._mapped(each, own) for each, own in zip(self.members, scores, strict=True)]
        return sum(parts, np.zeros_like(parts[0])) / len(parts)

    def _mapped(self, member: Member, scores: np.ndarray) -> np.ndarray:
        if not member.calibrators:
            return np.asarray(scores, dtype=float)
        p = np.zeros((len(scores), len(self.classes_)))
        if p.shape[1] == 2:
            p[:, 1] = member.calibrators[0].predict(scores[:, 0])
            p[:, 0] = 1 - p[:, 1]
            return p
        columns = np.searchsorted(self.classes_, member.classifier.classes_)  # it may lack a class
        for column, calibrator in zip(columns, member.calibrators, strict=True):
            p[:, column] = calibrator.predict(scores[:, column])
        total = p.sum(axis=1, keepdims=True)
        return np.divide(p, total, out=np.full_like(p, 1 / p.shape[1]), where=total > 0)

    def kept(self, scores: list[np.ndarray], positive: int) -> np.ndarray:
        """Which cases must not be taken for negatives, lest too many positives are missed.

        Whoever misses a case here misses it by every member, by the first too: the limit holds.
        """
        sign = 2 * positive - 1
        called = [
            sign * own[:, 0] >= each.floors[positive]
            for each, own in zip(self.members, scores, strict=True)
            if len(each.floors)
        ]
        return np.any(called, axis=0) if called else np.zeros(len(scores[0]), bool)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probability of each class, shape (n, k)."""
        return self.probabilities(self.scores(X))


def class_scores(classifier: Any, X: Any, classes: np.ndarray) -> Any:
    """Scores that calibrators map: decision values, or probabilities where there are none.

    Shape (n, 1) for two classes, that of the second; else (n, k), not a number for classes that the
    classifier does not know.
    """
    if hasattr(classifier, "decision_function"):
        found = np.asarray(classifier.decision_function(X), dtype=float)
    else:
        found = classifier.predict_proba(X)
        if len(classes) == 2:
            return found[:, 1:]
        found = np.asarray(found, dtype=float)
    found = found.reshape(len(found), -1)
    if len(classes) == 2:
        return found
    known = classifier.classes_
    if len(known) == 2 and found.shape[1] == 1:
        found = np.column_stack([-found, found])
    if found.shape[1] != len(known):
        raise ValueError(
            f"estimator={shown(classifier)}: allowed is one score for each of the {len(known)} classes, "
            f"{found.shape[1]} came"
        )
    scores = np.full((len(found), len(classes)), np.nan)
    scores[:, np.searchsorted(classes, known)] = found
    return scores


def fit_calibrators(
    calibration: Calibration, scores: np.ndarray, numbers: np.ndarray, weights: np.ndarray
) -> list[Calibrator]:
    """A calibrator for each column of scores that there is, of its class against all others."""
    last = scores.shape[1] == 1  # two classes: the one column is that of the second
    return [
        make_calibrator(calibration).fit(column, (numbers == k + last).astype(int), weights)
        for k, column in enumerate(scores.T)
        if not np.all(np.isnan(column))
    ]


def fit_ensemble(
    base: Any,
    rows: Rows,
    splits: list[Split],
    calibration: Calibration | None,
    max_miss_rate: float | None,
    n_jobs: int | None,
) -> CalibratedEnsemble:
    """Train a copy of the classifier for each split, and calibrate it on the examples held out.

    Parameters
    ----------
    base : classifier
        Not fitted, or in a ``FrozenEstimator``.
    rows : Rows
        The examples.
    splits : list of (ndarray, ndarray)
        Numbers of those to train with, and of those held out.
    calibration : str or None
        The calibrator; None trusts the classifier.
    max_miss_rate : float or None
        The largest share of positives that may be missed.
    n_jobs : int or None
        Splits that are worked on at the same time.

    Returns
    -------
    CalibratedEnsemble
        One member for each split.

    Raises
    ------
    ValueError
        If the classifier takes no weights and they are not equal, or by it.
    """
    equal = bool(np.all(rows.weights == rows.weights[0]))
    frozen = isinstance(base, FrozenEstimator)
    if not (equal or frozen or has_fit_parameter(base, "sample_weight") or _routed()):
        how = (
            ", or metadata routing to those of its steps that ask for them" if hasattr(base, "steps") else ""
        )
        raise ValueError(f"sample_weight: {shown(base)} takes none; equal weights are allowed{how}")
    fitted = Parallel(n_jobs=n_jobs)(
        delayed(_fit_member)(clone(base), rows, split, calibration, max_miss_rate, equal or frozen)
        for split in splits
    )
    return CalibratedEnsemble(fitted, rows.classes)


def _routed() -> bool:
    """Whether a pipeline hands weights on to those of its steps that ask for them."""
    return bool(get_config()["enable_metadata_routing"])


def _fit_member(
    base: Any,
    rows: Rows,
    split: Split,
    calibration: Calibration | None,
    max_miss_rate: float | None,
    unweighted: bool,
) -> Member:
    fitting, held_out = split
    weighted = {} if unweighted else {"sample_weight": rows.weights[fitting]}
    base.fit(_safe_indexing(rows.X, fitting), rows.labels[fitting], **weighted)
    if calibration is None:
        return Member(base, [], np.empty(0))
    scores = class_scores(base, _safe_indexing(rows.X, held_out), rows.classes)
    numbers = rows.numbers[held_out]
    counted = rows.weights / min(1.0, rows.weights.mean())  # to a calibrator a weight counts examples
    calibrators = fit_calibrators(calibration, scores, numbers, counted[held_out])
    if max_miss_rate is None:
        return Member(base, calibrators, np.empty(0))
    floors = [_floor(sign * scores[numbers == k, 0], max_miss_rate) for k, sign in enumerate((-1, 1))]
    return Member(base, calibrators, np.array(floors))


def _floor(scores: np.ndarray, max_miss_rate: float) -> float:
    """The threshold for the scores of examples of one class."""
    if not len(scores):
        return -np.inf
    return risk_control_threshold(scores, np.ones(len(scores)), max_miss_rate)
