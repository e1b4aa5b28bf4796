"""Cross-fitting: splits, and copies of any classifier, each calibrated on what it was not trained on."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn import get_config
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from csb.estimators.base import AdditiveClassifier
from csb.evaluation.calibration import Calibration, Calibrator, make_calibrator
from csb.evaluation.classifiers import (
    check_known,
    class_probabilities,
    class_scores,
    is_frozen,
    known_classes,
    refuse_pairs,
)
from csb.inputs import check_count, shown

__all__ = [
    "CalibratedEnsemble", "LacksClass", "Member", "Rows", "Split", "calibrate_member", "count_copies",
    "fit_calibrators", "fit_ensemble", "read_splits",
]  # fmt: skip

HELD_OUT = 1 / 3

Split = tuple[np.ndarray, np.ndarray]
"""Numbers of the examples to fit with, and of those held out."""
Floor = Callable[[np.ndarray], float]
"""Makes of the scores of positives held out the one from which on none may be missed."""


class LacksClass(ValueError):
    """A part of a split lacks a class: what is wrong, and what is allowed."""

    def __str__(self) -> str:
        return ": ".join(self.args)


def read_splits(
    cv: Any,
    labels: np.ndarray,
    used: np.ndarray,
    random_state: np.random.RandomState,
    purpose: str,
    classes: Sequence[Any] | np.ndarray,
    *,
    groups: np.ndarray | None = None,
    calibrates: bool = False,
) -> list[Split]:
    """Splits of the examples.

    Parameters
    ----------
    cv : int, splitter, iterable of splits or None
        Folds, seeded; or splits of the rows given; None holds a third of each class out, once.
    labels : ndarray of shape (n,)
        Index of each example into ``classes``.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given the examples are.
    random_state : RandomState
        Source of the seed, which is drawn in any case.
    purpose : str
        What needs the splits, for errors.
    classes : array_like of shape (k,)
        Labels.
    groups : ndarray of shape (n,), optional
        Whose example it is, for a splitter that asks for it.
    calibrates : bool, default False
        Whether each part held out must have every class: a class that it lacks cannot be told from the
        others there, and its probability would be zero. A part to fit has at least two classes in any case.

    Returns
    -------
    list of (ndarray, ndarray)
        Numbers of the examples to fit with, and of those held out.

    Raises
    ------
    ValueError
        If ``cv`` is none of these, if a class has too few examples, or a part of a split lacks one.
    """
    seed = random_state.randint(2**31 - 1)
    splitter: Any
    if cv is None:
        needed, splitter = 3, StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
    elif isinstance(cv, (numbers.Number, str, bytes)):
        needed = check_count("cv", cv, smallest=2)
        splitter = StratifiedKFold(needed, shuffle=True, random_state=seed)
    else:
        found = []
        for k, split in enumerate(_given(cv, labels, used, groups)):  # the first that is wrong ends it
            _check_parts(f"cv={shown(cv)}: split {k}", split, labels, np.asarray(classes), calibrates)
            found.append(split)
        if not found:
            raise ValueError(f"cv={shown(cv)}: at least one split is needed")
        return found
    fewest = np.bincount(labels, minlength=2).min()
    if fewest < needed:
        raise ValueError(
            f"cv={shown(cv)}: {purpose} needs at least {needed} examples of each class; "
            f"the smaller class has {fewest}"
        )
    return list(splitter.split(labels, labels))


def _given(cv: Any, labels: np.ndarray, used: np.ndarray, groups: np.ndarray | None) -> Iterator[Split]:
    """Splits by a splitter, or as row numbers or masks of all rows, in numbers of those that are used."""
    splits = hasattr(cv, "split")
    if splits:
        used = np.ones(len(labels), bool)
    number = np.cumsum(used) - 1
    try:
        for split in cv.split(labels, labels, *([] if groups is None else [groups])) if splits else cv:
            fitting, held_out = (np.arange(len(used))[np.asarray(part)] for part in split)
            yield number[fitting[used[fitting]]], number[held_out[used[held_out]]]
    except (TypeError, ValueError, IndexError) as error:
        if splits:
            raise ValueError(
                f"cv={shown(cv)}: it must give splits, and fails: {error}; allowed are pairs of arrays of "
                "row numbers as well, such as list(cv.split(X, y, groups))"
            ) from error
        raise ValueError(
            f"cv={shown(cv)}: allowed are a number of folds, a splitter, or pairs of arrays of row "
            f"numbers below {len(used)} ({error})"
        ) from error


def _check_parts(name: str, split: Split, labels: np.ndarray, classes: np.ndarray, calibrates: bool) -> None:
    """Refuse a split a part of which cannot serve."""
    fitting, held_out = (np.bincount(labels[part], minlength=len(classes)) for part in split)
    if not held_out.any():
        raise ValueError(f"{name} holds no example out: allowed are splits that do")
    if np.count_nonzero(fitting) < 2:
        part, lacks = "to fit", fitting == 0
    elif calibrates and not held_out.all():
        part, lacks = "held out", held_out == 0
    else:
        return
    size = f", which has {held_out.sum()} example" if held_out.sum() == 1 else ""
    missing = shown(classes[lacks].tolist()[0])
    raise LacksClass(
        f"{name} lacks the class {missing} in the part {part}{size}",
        "allowed are splits with each class there, such as those of StratifiedKFold, or of fewer folds",
    )


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
    floor: Floor | None,
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
    floor : callable or None
        Sets the limit on missed positives; none by default.
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
        of the examples, if its scores are those of pairs of classes or not finite, if its probabilities are
        none, or by it.
    """
    equal = bool(np.all(rows.weights == rows.weights[0]))
    frozen = isinstance(base, FrozenEstimator)
    if is_frozen(base):
        check_known(base, rows.classes.tolist())
    if calibration is not None and len(rows.classes) > 2:
        refuse_pairs(base)
    if not (equal or frozen or has_fit_parameter(base, "sample_weight") or _routed()):
        how = (
            ", or metadata routing to those of its steps that ask for them" if hasattr(base, "steps") else ""
        )
        raise ValueError(f"sample_weight: {shown(base)} takes none; equal weights are allowed{how}")
    judged = calibration, floor
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
    floor: Floor | None,
    unweighted: bool,
) -> Member:
    fitting, held_out = split
    weighted: dict[str, np.ndarray] = {} if unweighted else {"sample_weight": rows.weights[fitting]}
    base.fit(_safe_indexing(rows.X, fitting), rows.labels[fitting], **weighted)
    check_known(base, np.unique(rows.labels[fitting]).tolist())  # a part of it may have been fitted before
    return calibrate_member(base, rows, held_out, calibration, floor)


def calibrate_member(
    classifier: Any,
    rows: Rows,
    held_out: np.ndarray,
    calibration: Calibration | None,
    floor: Floor | None = None,
) -> Member:
    """A fitted classifier, calibrated on examples that it was not trained on."""
    if calibration is None:
        class_probabilities(classifier, _safe_indexing(rows.X, held_out[:1]), rows.classes)  # or says so now
        return Member(classifier, [], np.empty(0))
    scores = class_scores(classifier, _safe_indexing(rows.X, held_out), rows.classes)
    numbers, counted = rows.numbers[held_out], rows.counted[held_out]
    calibrators = fit_calibrators(calibration, scores, numbers, counted)
    if floor is None:
        return Member(classifier, calibrators, np.empty(0))
    of_class = [sign * scores[numbers == k, 0] for k, sign in enumerate((-1, 1))]
    return Member(classifier, calibrators, np.array([floor(own) for own in of_class]))
