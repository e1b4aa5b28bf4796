"""Cross-fitting: splits, and copies of any classifier, each calibrated on what it was not trained on."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from csb.estimators.base import AdditiveClassifier
from csb.evaluation.calibration import Calibration, Calibrator, make_calibrator
from csb.evaluation.decisions import risk_control_threshold
from csb.inputs import check_count, shown

__all__ = [
    "CalibratedEnsemble", "Member", "Rows", "Split", "calibrate_member", "check_known", "class_probabilities",
    "class_scores", "count_copies", "fit_calibrators", "fit_ensemble", "is_frozen", "known_classes",
    "probabilities_by_label", "read_splits", "scores_of_probabilities",
]  # fmt: skip

HELD_OUT = 1 / 3

Split = tuple[np.ndarray, np.ndarray]
"""Numbers of the examples to fit with, and of those held out."""


def read_splits(
    cv: Any,
    labels: np.ndarray,
    used: np.ndarray,
    random_state: np.random.RandomState,
    purpose: str,
    groups: np.ndarray | None = None,
) -> list[Split]:
    """Splits of the examples.

    Parameters
    ----------
    cv : int, splitter, iterable of splits or None
        Folds, seeded; or splits of the rows given; None holds a third of each class out, once.
    labels : ndarray of shape (n,)
        Classes 0 and 1 of the examples.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given the examples are.
    random_state : RandomState
        Source of the seed, which is drawn in any case.
    purpose : str
        What needs the splits, for errors.
    groups : ndarray of shape (n,), optional
        Whose example it is, for a splitter that asks for it.

    Returns
    -------
    list of (ndarray, ndarray)
        Numbers of the examples to fit with, and of those held out.

    Raises
    ------
    ValueError
        If ``cv`` is none of these, or a class has too few examples.
    """
    seed = random_state.randint(2**31 - 1)
    splitter: Any
    if cv is None:
        needed, splitter = 3, StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
    elif isinstance(cv, (numbers.Number, str, bytes)):
        needed = check_count("cv", cv, smallest=2)
        splitter = StratifiedKFold(needed, shuffle=True, random_state=seed)
    else:
        given = (labels, labels) if groups is None else (labels, labels, groups)
        splits = cv.split(*given) if hasattr(cv, "split") else _of_rows(cv, used)
        return [_checked(cv, split, labels) for split in splits]
    fewest = np.bincount(labels, minlength=2).min()
    if fewest < needed:
        raise ValueError(
            f"cv={shown(cv)}: {purpose} needs at least {needed} examples of each class; "
            f"the smaller class has {fewest}"
        )
    return list(splitter.split(labels, labels))


def _of_rows(splits: Iterable[Any], used: np.ndarray) -> list[list[np.ndarray]]:
    """Splits given as row numbers, or as masks, in numbers of the rows that are used."""
    number = np.cumsum(used) - 1
    found = []
    try:
        for fitting, held_out in splits:
            parts = [np.arange(len(used))[np.asarray(part)] for part in (fitting, held_out)]
            found.append([number[part[used[part]]] for part in parts])
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv={shown(splits)}: allowed are a number of folds, a splitter, or pairs of arrays of row "
            f"numbers below {len(used)} ({error})"
        ) from error
    if not found:
        raise ValueError(f"cv={shown(splits)}: at least one split is needed")
    return found


def _checked(cv: object, split: Any, labels: np.ndarray) -> Split:
    """A split both of whose parts serve."""
    fitting, held_out = split
    if len(np.unique(labels[fitting])) < 2 or not len(held_out):
        raise ValueError(f"cv={shown(cv)}: both classes are needed in a part to fit, and a part held out")
    return fitting, held_out


class Rows(NamedTuple):
    """Training data without the rows of weight zero; the features as they were given.

    Attributes
    ----------
    X : array_like of n rows
        Whatever the classifier takes.
    labels : ndarray of shape (n,)
        Labels.
    numbers : ndarray of shape (n,)
        Index into ``classes``.
    weights : ndarray of shape (n,)
        Positive weights.
    classes : ndarray of shape (k,)
        Sorted labels.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given these are.
    """

    X: Any
    labels: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    used: np.ndarray

    @property
    def counted(self) -> np.ndarray:
        """Weights as a calibrator takes them, to which a weight counts examples: of mean one at least."""
        return self.weights / min(1.0, self.weights.mean())


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

    def scores(self, X: Any) -> list[np.ndarray]:
        """Scores by each member, of shape (n, 1) for two classes, else (n, k); or its own probabilities."""
        return [
            class_scores(each.classifier, X, self.classes_) if each.calibrators
            else class_probabilities(each.classifier, X, self.classes_)
            for each in self.members
        ]  # fmt: skip

    def probabilities(self, scores: list[np.ndarray]) -> np.ndarray:
        """Probability of each class, shape (n, k)."""
        parts = [self._mapped(each, own) for each, own in zip(self.members, scores, strict=True)]
        p = sum(parts, np.zeros_like(parts[0])) / len(parts)
        if p.shape[1] == 2 and self.members[0].calibrators:
            p[:, 0] = 1 - p[:, 1]
        return p

    def _mapped(self, member: Member, scores: np.ndarray) -> np.ndarray:
        if not member.calibrators:
            return np.asarray(scores, dtype=float)
        p = np.zeros((len(scores), len(self.classes_)))
        if p.shape[1] == 2:
            p[:, 1] = member.calibrators[0].predict(scores[:, 0])
            return p
        known = known_classes(member.classifier, self.classes_)  # a copy may lack a class
        columns = [k for k, label in enumerate(self.classes_.tolist()) if label in known]
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


def known_classes(classifier: Any, classes: np.ndarray) -> list[Any]:
    """Labels of a fitted classifier in the order of its columns; those of the examples if it tells none."""
    return np.asarray(getattr(classifier, "classes_", classes)).tolist()


def check_known(classifier: Any, labels: list[Any], name: str = "estimator") -> None:
    """Refuse a fitted classifier that does not know one of these labels; it may know others beside them."""
    known = known_classes(classifier, np.array(labels))
    if unknown := [label for label in labels if label not in known]:
        raise ValueError(
            f"{name}={shown(classifier)} knows the classes {shown(known)}, and y holds {shown(labels)}: "
            f"allowed are classes that it knows, {shown(unknown[0])} is none of them"
        )


def is_frozen(classifier: Any) -> bool:
    """Whether what decides, perhaps at the end of a pipeline, is fitted already."""
    while hasattr(classifier, "steps"):
        classifier = classifier.steps[-1][1]
    return isinstance(classifier, FrozenEstimator)


def _refuse_pairs(classifier: Any) -> None:
    """Refuse a support vector classifier whose decision values are those of pairs of classes."""
    final = classifier
    while not hasattr(final, "decision_function_shape"):
        if hasattr(final, "steps"):
            final = final.steps[-1][1]
        elif isinstance(final, FrozenEstimator):
            final = final.estimator
        elif hasattr(final, "best_estimator_"):
            final = final.best_estimator_
        else:
            return
    if final.decision_function_shape == "ovo":
        raise ValueError(
            f"estimator={shown(classifier)}: decision_function_shape='ovr' is allowed where there are more "
            "than two classes; the decision values of 'ovo' are those of pairs"
        )


def class_scores(classifier: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """Scores that calibrators map: decision values, or probabilities where there are none.

    Shape (n, 1) for two classes, that of the second; else (n, k), not a number for classes that the
    classifier does not know. Where it knows others beside two classes, their score is the difference of their
    decision values, or the share of the second in the probability of both.
    """
    known = known_classes(classifier, classes)
    if not hasattr(classifier, "decision_function"):
        return scores_of_probabilities(classifier.predict_proba(X), known, classes)
    if len(known) > 2:
        _refuse_pairs(classifier)
    found = np.asarray(classifier.decision_function(X), dtype=float)
    found = found.reshape(len(found), -1)
    if len(known) == 2 and found.shape[1] == 1:
        if known == classes.tolist():
            return found
        found = np.column_stack([-found, found])
    if found.shape[1] != len(known):
        raise ValueError(
            f"estimator={shown(classifier)}: allowed is one score for each of the {len(known)} classes, "
            f"{found.shape[1]} came"
        )
    scores = _by_label(found, known, classes)
    return scores[:, 1:] - scores[:, :1] if len(classes) == 2 else scores


def class_probabilities(classifier: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """The classifier's own probabilities of these classes, shape (n, k)."""
    return probabilities_by_label(classifier.predict_proba(X), known_classes(classifier, classes), classes)


def scores_of_probabilities(found: ArrayLike, known: list[Any], classes: np.ndarray) -> np.ndarray:
    """Scores, as :func:`class_scores` has them, of a classifier that has probabilities only."""
    p = probabilities_by_label(found, known, classes)
    if len(classes) == 2:
        return p[:, 1:]
    return np.where([label in known for label in classes.tolist()], p, np.nan)


def probabilities_by_label(found: ArrayLike, known: list[Any], classes: np.ndarray) -> np.ndarray:
    """Probabilities of these classes, given that a case is of one of them; zero for an unknown one."""
    found = np.asarray(found, dtype=float)
    if known == classes.tolist():
        return found
    p = np.nan_to_num(_by_label(found, known, classes))
    if set(known) <= set(classes.tolist()):
        return p
    total = p.sum(axis=1, keepdims=True)
    return np.divide(p, total, out=np.full_like(p, 1 / p.shape[1]), where=total > 0)


def _by_label(found: np.ndarray, known: list[Any], classes: np.ndarray) -> np.ndarray:
    """Columns in the order of the classes, not a number for those that are not known."""
    columns = np.full((len(found), len(classes)), np.nan)
    for k, label in enumerate(classes.tolist()):
        if label in known:
            columns[:, k] = found[:, known.index(label)]
    return columns


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
        Splits that are worked on at the same time. Boosting on stumps trains those of all splits at once
        instead.

    Returns
    -------
    CalibratedEnsemble
        One member for each split.

    Raises
    ------
    ValueError
        If the classifier takes no weights and they are not equal, if it is fitted and does not know a class
        of the examples, if its scores are those of pairs of classes, or by it.
    """
    equal = bool(np.all(rows.weights == rows.weights[0]))
    frozen = isinstance(base, FrozenEstimator)
    if is_frozen(base):
        check_known(base, rows.classes.tolist())
    if calibration is not None and len(rows.classes) > 2:
        _refuse_pairs(base)
    if not (equal or frozen or has_fit_parameter(base, "sample_weight") or _routed()):
        how = (
            ", or metadata routing to those of its steps that ask for them" if hasattr(base, "steps") else ""
        )
        raise ValueError(f"sample_weight: {shown(base)} takes none; equal weights are allowed{how}")
    judged = calibration, max_miss_rate
    boosted = isinstance(base, AdditiveClassifier) and len(rows.classes) == 2 and len(splits) > 1
    if boosted and base._gains_by_batches():
        weights, times = None if equal else rows.weights, count_copies(splits, len(rows.labels))
        copies = clone(base)._fit_copies(rows.X, rows.labels, weights, times)
        pairs = zip(copies, splits, strict=True)
        members = [calibrate_member(copy, rows, held_out, *judged) for copy, (_, held_out) in pairs]
    else:
        members = Parallel(n_jobs=n_jobs)(
            delayed(_fit_member)(clone(base), rows, split, *judged, equal or frozen) for split in splits
        )
    return CalibratedEnsemble(members, rows.classes)


def count_copies(splits: list[Split], n: int) -> np.ndarray:
    """How often each of n examples is among those to fit with, shape (n_splits, n)."""
    return np.array([np.bincount(fitting, minlength=n) for fitting, _ in splits])


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
    weighted: dict[str, np.ndarray] = {} if unweighted else {"sample_weight": rows.weights[fitting]}
    base.fit(_safe_indexing(rows.X, fitting), rows.labels[fitting], **weighted)
    check_known(base, np.unique(rows.labels[fitting]).tolist())  # a part of it may have been fitted before
    return calibrate_member(base, rows, held_out, calibration, max_miss_rate)


def calibrate_member(
    classifier: Any,
    rows: Rows,
    held_out: np.ndarray,
    calibration: Calibration | None,
    max_miss_rate: float | None = None,
) -> Member:
    """A fitted classifier, calibrated on examples that it was not trained on."""
    if calibration is None:
        return Member(classifier, [], np.empty(0))
    scores = class_scores(classifier, _safe_indexing(rows.X, held_out), rows.classes)
    numbers, counted = rows.numbers[held_out], rows.counted[held_out]
    calibrators = fit_calibrators(calibration, scores, numbers, counted)
    if max_miss_rate is None:
        return Member(classifier, calibrators, np.empty(0))
    floors = [_floor(sign * scores[numbers == k, 0], max_miss_rate) for k, sign in enumerate((-1, 1))]
    return Member(classifier, calibrators, np.array(floors))


def _floor(scores: np.ndarray, max_miss_rate: float) -> float:
    """The threshold for the scores of examples of one class."""
    if not len(scores):
        return -np.inf
    return risk_control_threshold(scores, np.ones(len(scores)), max_miss_rate)
