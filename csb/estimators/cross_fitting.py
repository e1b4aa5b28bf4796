"""Cross-fitting: splits, and copies of any classifier, each calibrated on what it was not trained on."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
from csb.evaluation.calibration import Calibration, make_calibrator
from csb.evaluation.calibrator import Calibrator
from csb.evaluation.classifiers import (
    check_known,
    class_probabilities,
    class_scores,
    is_frozen,
    known_classes,
    refuse_pairs,
)
from csb.evaluation.decisions import decide, expected_costs
from csb.evaluation.temperature import TemperatureScaling
from csb.inputs import FewExamplesWarning, check_count, shown

__all__ = [
    "CalibratedEnsemble", "LacksClass", "Member", "Rows", "Split", "calibrate_member", "count_copies",
    "fit_calibrators", "fit_ensemble", "fit_one", "needs_no_weights", "read_splits", "warn_of_few",
]  # fmt: skip

HELD_OUT = 1 / 3
UNBOUNDED = ("isotonic", "temperature")
"""Calibrators whose probabilities of few examples may be zero or one."""

Split = tuple[np.ndarray, np.ndarray]
"""Numbers of the examples to fit with, and of those held out."""
Floor = Callable[[np.ndarray], float]
"""Makes of the scores of positives held out the one from which on none may be missed."""
Judge = Callable[[Any, np.ndarray], Any]
"""Makes of a classifier and the examples that it was not trained on what is kept of both."""


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
    pooled: bool = False,
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
    pooled : bool, default False
        Whether the parts held out serve together: each part to fit must have every class then, and the parts
        held out must have each among them.

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
            _check_parts(f"cv={shown(cv)}: split {k}", split, labels, np.asarray(classes), calibrates, pooled)
            found.append(split)
        if not found:
            raise ValueError(f"cv={shown(cv)}: at least one split is needed")
        held_out = np.unique(labels[np.concatenate([part for _, part in found])])
        if pooled and (missing := np.delete(np.asarray(classes), held_out).tolist()):
            raise ValueError(
                f"cv={shown(cv)}: no part held out has the class {shown(missing[0])}; allowed are splits "
                "that hold each class out"
            )
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
            fitting, held_out = (
                np.arange(len(used))[np.asarray(part, None if np.size(part) else int)] for part in split
            )
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


def _check_parts(
    name: str, split: Split, labels: np.ndarray, classes: np.ndarray, calibrates: bool, pooled: bool
) -> None:
    """Refuse a split a part of which cannot serve."""
    fitting, held_out = (np.bincount(labels[part], minlength=len(classes)) for part in split)
    if not held_out.any():
        raise ValueError(f"{name} holds no example out: allowed are splits that do")
    if np.count_nonzero(fitting) < 2 or (pooled and not fitting.all()):
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
        One for two classes, else one for each class, against all others, or one temperature for all; empty
        where the classifier's own probabilities are trusted.
    floors : ndarray of shape (2,)
        The score of ``classes_[0]``, and that of ``classes_[1]``, from which on that class may not be missed;
        empty where there is no limit on misses.
    """

    classifier: Any
    calibrators: list[Calibrator]
    floors: np.ndarray

    @property
    def takes_logits(self) -> bool:
        """Whether probabilities are to be calibrated by their logarithms."""
        return any(isinstance(each, TemperatureScaling) for each in self.calibrators)


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
            class_scores(each.classifier, X, self.classes_, each.takes_logits) if each.calibrators
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
        if member.takes_logits:
            p[:, columns] = member.calibrators[0].predict(scores[:, columns])
            return p
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
    """A calibrator for each column of scores that there is, of its class against all others.

    Or one temperature for all these columns, by the examples of their classes.
    """
    if calibration == "temperature" and scores.shape[1] > 1:
        known = ~np.all(np.isnan(scores), axis=0)
        used, columns = known[numbers], np.cumsum(known) - 1
        temperature = TemperatureScaling()
        return [temperature.fit(scores[used][:, known], columns[numbers[used]], weights[used])]
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
    pooled: bool = False,
) -> CalibratedEnsemble:
    """Train a copy of the classifier for each split, and calibrate it on the examples held out.

    Or keep their scores only: of one classifier, trained on all examples, and calibrated by all of these.

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
    pooled : bool, default False
        Whether to keep one classifier, with one calibrator of all scores of examples held out.

    Returns
    -------
    CalibratedEnsemble
        One member for each split, or one.

    Raises
    ------
    ValueError
        If the classifier takes no weights and they are not equal, if it is fitted and does not know a class
        of the examples, if its scores are those of pairs of classes or not finite, if its probabilities are
        none, or by it.
    """
    unweighted = needs_no_weights(base, rows.weights)
    frozen = isinstance(base, FrozenEstimator)
    if is_frozen(base):
        check_known(base, rows.classes.tolist())
    if calibration is not None and len(rows.classes) > 2:
        refuse_pairs(base)
    if not (unweighted or frozen or has_fit_parameter(base, "sample_weight") or _routed()):
        how = (
            ", or metadata routing to those of its steps that ask for them" if hasattr(base, "steps") else ""
        )
        raise ValueError(f"sample_weight: {shown(base)} takes none; equal weights are allowed{how}")
    judge: Judge = partial(calibrate_member, rows=rows, calibration=calibration, floor=floor)
    if pooled:
        assert calibration is not None, "there is nothing to pool"
        judge = partial(_held_out_scores, rows=rows, calibration=calibration)
        splits = [*splits, (np.arange(len(rows.labels)), np.empty(0, int))]
    boosted = isinstance(base, AdditiveClassifier) and len(rows.classes) == 2 and len(splits) > 1
    found: list[Any]
    if boosted and base._gains_by_batches():
        weights, times = None if unweighted else rows.weights, count_copies(splits, len(rows.labels))
        copies = clone(base)._fit_copies(rows.X, rows.labels, weights, times)
        found = [judge(copy, held_out) for copy, (_, held_out) in zip(copies, splits, strict=True)]
    else:
        found = Parallel(n_jobs=n_jobs)(
            delayed(_fit_member)(clone(base), rows, split, judge, unweighted or frozen) for split in splits
        )
    if calibration is None or not pooled:
        return CalibratedEnsemble(found, rows.classes)
    *scores, classifier = found
    held_out = np.concatenate([part for _, part in splits])
    numbers, counted = rows.numbers[held_out], rows.counted[held_out]
    calibrators = fit_calibrators(calibration, np.concatenate(scores), numbers, counted)
    return CalibratedEnsemble([Member(classifier, calibrators, np.empty(0))], rows.classes)


def warn_of_few(
    calibration: Calibration | None,
    rows: Rows,
    parts: list[np.ndarray],
    costs: np.ndarray,
    abstain_cost: np.ndarray | None = None,
) -> None:
    """Warn, on behalf of the caller of ``fit``, where a calibrator can hardly be as sure as the costs ask.

    Of n examples of a class that are held out, calibrators that smooth the labels make a probability of
    the class that is hardly larger than Platt's target for them, (n + 1)/(n + 2).

    Parameters
    ----------
    calibration : str or None
        The calibrator.
    rows : Rows
        The examples.
    parts : list of ndarray
        Numbers of those that each calibrator is fitted to.
    costs : ndarray of shape (1, k, k)
        Cost of each prediction (last axis) for each true class.
    abstain_cost : ndarray of shape (k,), optional
        Cost of deciding nothing, once for each class.

    Warns
    -----
    FewExamplesWarning
        If a class that is the cheapest prediction where it is certain is not where it has this probability.
    """
    if calibration is None or calibration in UNBOUNDED:
        return
    k = len(rows.classes)
    counts = [np.bincount(rows.numbers[part], rows.counted[part], k) for part in parts]
    surest = np.zeros((k, k))  # one row for each class that may be true
    for count in counts:
        p = np.where(np.eye(k) > 0, (count + 1) / (count + 2), 1 / (count.sum() - count + 2))
        surest += p / p.sum(axis=1, keepdims=True) / len(counts)
    of_class = np.arange(k)
    sure, able = (decide(p, costs, abstain_cost) == of_class for p in (np.eye(k), surest))
    for j in np.flatnonzero(sure & ~able)[:1]:
        less, more = (expected_costs(p, costs, abstain_cost)[j] for p in (surest, np.eye(k)))
        less, more = less - less[j], more - more[j]
        dearer = less < 0  # what costs less than the class, at the probability that is left to it
        part = np.max(less[dearer] / (less - more)[dearer], initial=0.0)
        warnings.warn(
            f"calibration={calibration!r}: of {np.mean([count[j] for count in counts]):.4g} examples of the "
            f"class {shown(rows.classes.tolist()[j])} held out, it hardly makes a probability above "
            f"{surest[j, j]:.4g}, and at these costs the class is predicted above "
            f"{surest[j, j] + part * (1 - surest[j, j]):.4g}. Ways out: more examples, ensemble=False of "
            "CostDecision, which calibrates once on the examples of all folds, or calibration='isotonic' or "
            "None",
            FewExamplesWarning, stacklevel=4,
        )  # fmt: skip


def count_copies(splits: list[Split], n: int) -> np.ndarray:
    """How often each of n examples is among those to fit with, shape (n_splits, n)."""
    return np.array([np.bincount(fitting, minlength=n) for fitting, _ in splits])


def needs_no_weights(learner: Any, weights: np.ndarray) -> bool:
    """Whether all weights are one, or equal before a learner that takes none.

    A learner that does is given equal ones, too: beside a penalty fifty are not one.
    """
    equal = bool(np.all(weights == weights[0]))
    return equal and (bool(weights[0] == 1.0) or not has_fit_parameter(learner, "sample_weight"))


def _routed() -> bool:
    """Whether a pipeline hands weights on to those of its steps that ask for them."""
    return bool(get_config()["enable_metadata_routing"])


def fit_one(classifier: Any, X: Any, labels: np.ndarray, **weighted: np.ndarray) -> None:
    """Fit a classifier, which may take no bytes for labels: some of scikit-learn's do not."""
    try:
        classifier.fit(X, labels, **weighted)
    except TypeError as error:
        if not isinstance(labels[0], bytes):
            raise
        raise ValueError(
            f"y holds {shown(labels.tolist()[0])}: allowed beside {shown(classifier)} are strings ({error})"
        ) from error


def _fit_member(base: Any, rows: Rows, split: Split, judge: Judge, unweighted: bool) -> Any:
    fitting, held_out = split
    weighted: dict[str, np.ndarray] = {} if unweighted else {"sample_weight": rows.weights[fitting]}
    fit_one(base, _safe_indexing(rows.X, fitting), rows.labels[fitting], **weighted)
    check_known(base, np.unique(rows.labels[fitting]).tolist())  # a part of it may have been fitted before
    return judge(base, held_out)


def _held_out_scores(classifier: Any, held_out: np.ndarray, rows: Rows, calibration: Calibration) -> Any:
    """What the calibrator of all parts is to see of this one; of none the classifier itself."""
    if not len(held_out):
        return classifier
    X = _safe_indexing(rows.X, held_out)
    return class_scores(classifier, X, rows.classes, calibration == "temperature")


def calibrate_member(
    classifier: Any,
    held_out: np.ndarray,
    rows: Rows,
    calibration: Calibration | None,
    floor: Floor | None = None,
) -> Member:
    """A fitted classifier, calibrated on examples that it was not trained on."""
    if calibration is None:
        class_probabilities(classifier, _safe_indexing(rows.X, held_out[:1]), rows.classes)  # or says so now
        return Member(classifier, [], np.empty(0))
    scores = _held_out_scores(classifier, held_out, rows, calibration)
    numbers, counted = rows.numbers[held_out], rows.counted[held_out]
    calibrators = fit_calibrators(calibration, scores, numbers, counted)
    if floor is None:
        return Member(classifier, calibrators, np.empty(0))
    of_class = [sign * scores[numbers == k, 0] for k, sign in enumerate((-1, 1))]
    return Member(classifier, calibrators, np.array([floor(own) for own in of_class]))
