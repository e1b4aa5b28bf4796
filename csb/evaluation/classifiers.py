"""Classifiers of others, which are looked at before they are believed.

Their classes go by label, equal values being one class, and never by the place of a column. What they say of
rows has a column for each class that they know; probabilities sum to one, and scores are finite.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import _num_samples

from csb.engine.blocks import refuse_blocks
from csb.engine.elementary import log
from csb.engine.trained import Model
from csb.inputs import listed, read_array, read_column, refuse_masked, shown

__all__ = [
    "ANSWERS", "check_classifier", "check_known", "class_numbers", "class_probabilities", "class_scores",
    "gives", "innermost", "is_frozen", "is_learner", "known_classes", "probabilities_by_label",
    "refuse_pairs", "scores_of_probabilities",
]  # fmt: skip

ANSWERS = ("decision_function", "predict_proba")
"""Methods, one of which calibration needs."""
ROUNDING = 1e-3
"""By so much probabilities may miss the sum of one: those in half precision do."""
NEVER = 1e-12
"""Added to probabilities whose logarithm is taken, as scikit-learn does."""


def check_classifier(classifier: Any, name: str = "estimator", answers: tuple[str, ...] = ()) -> None:
    """Refuse what is no classifier, fitted or not, or will have none of these methods when it is fitted."""
    if not is_learner(classifier):
        raise ValueError(f"{name}={shown(classifier)}: allowed is a scikit-learn classifier")
    if answers and not any(gives(classifier, answer) for answer in answers):
        raise ValueError(f"{name}={shown(classifier)}: allowed is a classifier with {' or '.join(answers)}")


def is_learner(value: Any) -> bool:
    """Whether this is a classifier in scikit-learn's way, and no class of such."""
    tagged = hasattr(value, "fit") and hasattr(value, "__sklearn_tags__")
    return tagged and not isinstance(value, type) and is_classifier(value)


def gives(classifier: Any, answer: str) -> bool:
    """Whether a classifier has this method, or will have it when it is fitted."""
    final = classifier
    while hasattr(final, "steps"):
        final = final.steps[-1][1]
    # a stack with the default on top, logistic regression, does not know it yet
    return hasattr(classifier, answer) or getattr(final, "final_estimator", ...) is None


def known_classes(classifier: Any, classes: np.ndarray, name: str = "estimator") -> list[Any]:
    """Labels of a fitted classifier in the order of its columns.

    Boosting of this package without its labels knows those of the examples, ``classes``.
    """
    if isinstance(classifier, Model):
        return classes.tolist()
    if not hasattr(classifier, "classes_"):
        raise ValueError(
            f"{name}={shown(classifier)} has no classes_: allowed is a fitted classifier, whose classes_ are "
            "the labels of its columns"
        )
    known = np.asarray(classifier.classes_)
    labels = listed(known)
    if known.ndim != 1 or any(labels.index(label) < place for place, label in enumerate(labels)):
        raise ValueError(
            f"{name}={shown(classifier)} has classes_={shown(labels)}: allowed is the label of each column, "
            "each once"
        )
    return labels


def check_known(classifier: Any, labels: list[Any], name: str = "estimator") -> None:
    """Refuse a fitted classifier that does not know one of these labels; it may know others beside them."""
    known = known_classes(classifier, np.array(labels), name)
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


def innermost(classifier: Any) -> Any:
    """What decides: the last step of a pipeline, the classifier that is frozen, the best of a search."""
    while True:
        if hasattr(classifier, "steps"):
            classifier = classifier.steps[-1][1]
        elif isinstance(classifier, FrozenEstimator):
            classifier = classifier.estimator
        elif hasattr(classifier, "best_estimator_"):
            classifier = classifier.best_estimator_
        else:
            return classifier


def refuse_pairs(classifier: Any) -> None:
    """Refuse a support vector classifier whose decision values are those of pairs of classes."""
    if getattr(innermost(classifier), "decision_function_shape", None) == "ovo":
        raise ValueError(
            f"estimator={shown(classifier)}: decision_function_shape='ovr' is allowed where there are more "
            "than two classes; the decision values of 'ovo' are those of pairs"
        )


def class_scores(classifier: Any, X: Any, classes: np.ndarray, as_logits: bool = False) -> np.ndarray:
    """Scores that calibrators map: decision values, or probabilities where there are none.

    Of the latter the logarithms, of two classes the log odds, where a calibrator asks for such.

    Shape (n, 1) for two classes, that of the second; else (n, k), not a number for classes that the
    classifier does not know. Where it knows others beside two classes, their score is the difference of their
    decision values, or the share of the second in the probability of both.
    """
    known = known_classes(classifier, classes)
    if not hasattr(classifier, "decision_function"):
        found = _asked(classifier, "predict_proba", X)
        return scores_of_probabilities(found, known, classes, classifier, _num_samples(X), as_logits)
    if len(known) > 2:
        refuse_pairs(classifier)
    widths = (1, 2) if len(known) == 2 else (len(known),)
    answer = _asked(classifier, "decision_function", X)
    scores = _columns("decision_function", answer, _num_samples(X), widths, classifier)
    if scores.shape[1] < len(known):
        if len(classes) == 2:
            return scores if known == classes.tolist() else -scores
        scores = np.column_stack([-scores, scores])
    scores = _by_label(scores, known, classes)
    return scores[:, 1:] - scores[:, :1] if len(classes) == 2 else scores


def class_probabilities(classifier: Any, X: Any, classes: np.ndarray) -> np.ndarray:
    """The classifier's own probabilities of these classes, shape (n, k)."""
    found, known = _asked(classifier, "predict_proba", X), known_classes(classifier, classes)
    return probabilities_by_label(found, known, classes, classifier, _num_samples(X))


def class_numbers(classifier: Any, X: Any, classes: np.ndarray, name: str = "estimator") -> np.ndarray:
    """Index into the classes of what the classifier predicts for each row, which must be one of them."""
    found, known = _asked(classifier, "predict", X, name), classes.tolist()
    try:
        labels = read_column("predict", found, _num_samples(X))
    except ValueError as error:
        raise ValueError(f"{name}={shown(classifier)}: {error}") from None
    values, at = np.unique(labels, return_inverse=True)
    if unknown := [value for value in values.tolist() if value not in known]:
        raise ValueError(
            f"{name}={shown(classifier)} predicts {shown(unknown[0])}: allowed are {shown(known)}"
        )
    return np.array([known.index(value) for value in values.tolist()])[at]


def scores_of_probabilities(
    found: ArrayLike,
    known: list[Any],
    classes: np.ndarray,
    whose: Any,
    n: int | None = None,
    as_logits: bool = False,
) -> np.ndarray:
    """Scores, as :func:`class_scores` has them, of a classifier that has probabilities only."""
    p = probabilities_by_label(found, known, classes, whose, n)
    if as_logits:
        p = log(p + NEVER)
    if len(classes) == 2:
        return p[:, 1:] - p[:, :1] if as_logits else p[:, 1:]
    return np.where([label in known for label in classes.tolist()], p, np.nan)


def probabilities_by_label(
    found: ArrayLike, known: list[Any], classes: np.ndarray, whose: Any, n: int | None = None
) -> np.ndarray:
    """Probabilities of these classes, given that a case is of one of them; zero for an unknown one.

    Of n rows, or of any number; ``whose`` they are is named in errors.
    """
    told = _columns("predict_proba", found, n, (len(known),), whose)
    off = np.any(told < -ROUNDING, axis=1) | (np.abs(told.sum(axis=1) - 1) > ROUNDING)
    if np.any(off):
        raise ValueError(
            f"estimator={shown(whose)}: predict_proba gives a row {shown(told[off][0].tolist())}; allowed "
            "are numbers in [0, 1] of sum one"
        )
    told = np.clip(told, 0.0, 1.0)
    if known == classes.tolist():
        return told
    p = np.nan_to_num(_by_label(told, known, classes))
    if set(known) <= set(classes.tolist()):
        return p
    total = p.sum(axis=1, keepdims=True)
    return np.divide(p, total, out=np.full_like(p, 1 / p.shape[1]), where=total > 0)


def _asked(classifier: Any, method: str, X: Any, name: str = "estimator") -> Any:
    """What one of its methods says of the rows."""
    refuse_blocks(X)
    refuse_masked("X", X)
    try:
        return getattr(classifier, method)(X)
    except NotFittedError:  # an AttributeError, too
        raise
    except AttributeError as error:
        raise ValueError(
            f"{name}={shown(classifier)}: its {method} fails, {error}; allowed is a classifier that has it"
        ) from error


def _columns(method: str, found: Any, n: int | None, widths: tuple[int, ...], whose: Any) -> np.ndarray:
    """Numbers for each of n rows, in as many columns as one of the widths."""
    if n == 0:  # an empty block
        return np.empty((0, widths[-1]))
    try:
        told = read_array(method, found)
    except ValueError as error:
        raise ValueError(f"estimator={shown(whose)}: {error}") from None
    table = told[:, np.newaxis] if told.ndim == 1 and widths[0] == 1 < widths[-1] else told
    if table.ndim != 2 or n not in (None, len(table)) or table.shape[1] not in widths:
        shapes = [f"({'n' if n is None else n}, {width})" for width in widths]
        raise ValueError(
            f"estimator={shown(whose)}: {method} has shape {told.shape}; allowed is {' or '.join(shapes)}"
        )
    return table


def _by_label(found: np.ndarray, known: list[Any], classes: np.ndarray) -> np.ndarray:
    """Columns in the order of the classes, not a number for those that are not known."""
    columns = np.full((len(found), len(classes)), np.nan)
    for k, label in enumerate(classes.tolist()):
        if label in known:
            columns[:, k] = found[:, known.index(label)]
    return columns
