"""One reading of labels, weights, probabilities, counts and names, with errors that name the parameter."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

__all__ = [
    "ConstantModelWarning", "NotFiniteWarning", "balance", "binary_target", "check_count", "one_of",
    "read_labels", "read_probabilities", "read_scores", "read_weights",
]  # fmt: skip

T = TypeVar("T")

LISTED = 12
"""Up to so many allowed names are listed in an error; of more, the nearest is named."""

ONE_CLASS = "y_true holds one class only: its rates need examples of both"


def read_labels(
    *columns: ArrayLike, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> list[np.ndarray]:
    """Which labels are the positive one, and the weights.

    Parameters
    ----------
    *columns : array_like of shape (n,)
        True labels, and perhaps predicted ones: of two classes, or of one of them.
    pos_label : label, optional
        The positive class; the larger of the two labels by default. Where only one label occurs, 1 is
        positive, 0 and -1 are negative, and any other needs ``pos_label``.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights; 1 by default.

    Returns
    -------
    list of ndarray of shape (n,)
        One boolean array for each column, then the weights.

    Raises
    ------
    ValueError
        If there are more than two labels, if ``pos_label`` is none of two or is needed, or if a weight
        is negative or not finite.

    Examples
    --------
    >>> positive, weight = read_labels(["no", "yes", "no"])
    >>> positive
    array([False,  True, False])
    """
    arrays = [column_or_1d(column) for column in columns]
    check_consistent_length(*arrays, sample_weight)
    for array in arrays:
        check_classification_targets(array)
    labels = np.unique(np.concatenate(arrays)).tolist()
    if len(labels) > 2:
        raise ValueError(f"y_true and y_pred hold {len(labels)} labels, {labels[:5]}: allowed are two")
    if pos_label is None:
        if len(labels) == 1 and labels[0] not in (-1, 0, 1):
            raise ValueError(f"pos_label=None, and the only label is {labels[0]!r}: name the positive one")
        pos_label = labels[1] if len(labels) == 2 else 1
    elif len(labels) == 2 and pos_label not in labels:
        raise ValueError(f"pos_label={pos_label!r}: allowed are {labels[0]!r} and {labels[1]!r}")
    return [array == pos_label for array in arrays] + [read_weights(sample_weight, arrays[0])]


def read_weights(sample_weight: ArrayLike | None, each: np.ndarray) -> np.ndarray:
    """Check the weights, one for each example; ones if there are none."""
    weight = _check_sample_weight(
        sample_weight, np.empty(len(each)), dtype=np.float64, ensure_non_negative=True
    )
    if not weight.any():  # scikit-learn refuses them by itself from 1.9 on
        raise ValueError("sample_weight is zero for every example: allowed are weights of positive sum")
    return weight


def read_probabilities(y_prob: ArrayLike, positive: np.ndarray) -> np.ndarray:
    """Check the probabilities of the positive class, one for each example."""
    array = read_scores(y_prob, positive, "y_prob")
    if np.any((array < 0) | (array > 1)):
        outside = float(array[(array < 0) | (array > 1)][0])
        raise ValueError(f"y_prob holds {outside!r}: a probability must lie in [0, 1]")
    return array


def read_scores(scores: ArrayLike, positive: np.ndarray, name: str) -> np.ndarray:
    """Check scores, one for each example."""
    array: np.ndarray = column_or_1d(scores, dtype=np.float64, input_name=name)
    assert_all_finite(array, input_name=name)
    check_consistent_length(positive, array)
    return array


def balance(positive: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weights that sum to one half over each class, in the proportions of ``weight`` within it."""
    total = weight[~positive].sum(), weight[positive].sum()
    if not all(total):
        raise ValueError(ONE_CLASS)
    return weight / (2 * np.where(positive, total[1], total[0]))


def binary_target(y: ArrayLike, sample_weight: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The two classes and the class number of each example.

    Parameters
    ----------
    y : array_like of shape (n,)
        Labels of any kind.
    sample_weight : ndarray of shape (n,), optional
        A class must carry weight to count.

    Returns
    -------
    classes : ndarray of shape (2,)
        Sorted labels.
    labels : ndarray of shape (n,), int8
        Index into ``classes``.

    Raises
    ------
    ValueError
        If there are not exactly two classes.
    """
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes"
        )
    present = np.unique(labels if sample_weight is None else labels[sample_weight > 0])
    if len(present) < 2:
        raise ValueError("y holds one class only; two classes are needed, each with positive weight")
    return classes, labels.astype(np.int8)


def one_of(name: str, value: T, allowed: Iterable[object], besides: str = "") -> T:
    """The value, if it is one of those allowed.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What it was given.
    allowed : iterable of str
        What it may be.
    besides : str, optional
        What else the parameter may be, for the message.

    Returns
    -------
    object
        The value.

    Raises
    ------
    ValueError
        If it is none of them; the message lists what is allowed and names the nearest.

    Examples
    --------
    >>> one_of("rule", "vote", ("sign", "vote"))
    'vote'
    """
    allowed = list(allowed)
    if any(value is each or (isinstance(value, str) and value == each) for each in allowed):
        return value
    named = [each for each in allowed if isinstance(each, str)]
    listed = f"allowed are {', '.join(map(repr, allowed))}; " if len(allowed) <= LISTED else ""
    near = get_close_matches(str(value).lower(), named, n=1, cutoff=0)
    raise ValueError(
        f"{name}={value!r}: {listed}the nearest is {near[0]!r}" + (f"; {besides}" if besides else "")
    )


def check_count(name: str, value: object, smallest: int = 1) -> int:
    """An integer of at least ``smallest``, or a ValueError that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < smallest:
        raise ValueError(f"{name}={value!r}: an integer of at least {smallest}")
    return int(value)


class NotFiniteWarning(RuntimeWarning):
    """The formula of a vote had no finite value in some round; training stopped there."""


class ConstantModelWarning(UserWarning):
    """No weak learner was kept: the model is the constant decision of least training cost."""
