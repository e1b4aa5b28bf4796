"""Labels of classes and weights of examples, with errors that name the parameter."""

from __future__ import annotations

from datetime import date

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from csb.inputs.numbers import plain_array, read_array, shown

__all__ = [
    "ONE_CLASS", "balance", "check_label", "distinct_labels", "read_classes", "read_column", "read_labels",
    "read_target", "read_weights",
]  # fmt: skip

ONE_CLASS = "y_true holds one class only: its rates need examples of both"
"""What is said of labels that have no rates."""


def read_column(name: str, values: object, length: int | None = None) -> np.ndarray:
    """Labels, one for each example.

    Parameters
    ----------
    name : str
        The parameter.
    values : array_like of shape (n,) or (n, 1)
        Whole numbers, truth values, strings or dates, without gaps.
    length : int, optional
        How many there must be; any number but zero by default.

    Returns
    -------
    ndarray of shape (n,)
        The labels.

    Raises
    ------
    ValueError
        If they are no labels, or not so many.

    Examples
    --------
    >>> read_column("y_true", ["yes", "no"])
    array(['yes', 'no'], dtype='<U3')
    """
    array = plain_array(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name}={shown(values)}: allowed is one label for each example")
    if not len(array) or length not in (None, len(array)):
        raise ValueError(f"{name} has {len(array)} labels: allowed are {length or 'one or more'}")
    kind = array.dtype.kind
    if kind == "O":
        types = set(map(type, array))
        known = any(all(issubclass(each, kind) for each in types) for kind in (str, bytes, date))
    else:
        known = kind in "biuSUM"
        if kind == "f":
            known = bool(np.all(np.isfinite(array)) and np.all(array == np.floor(array)))
    if not known or pd.isna(array).any():
        # in the words that scikit-learn's checks of estimators look for
        raise ValueError(
            f"{name}={shown(values)}: Unknown label type: allowed are whole numbers, truth values, strings "
            "or dates, all of one kind and none missing"
        )
    return array


def read_classes(name: str, values: object) -> np.ndarray:
    """Labels of classes, each once and in increasing order."""
    classes = read_column(name, values)
    if np.any(classes[1:] <= classes[:-1]):
        raise ValueError(f"{name}={shown(values)}: allowed are labels in increasing order, each once")
    return classes


def distinct_labels(**columns: np.ndarray) -> list:
    """The labels that occur in any of the columns, sorted."""
    found = {label for column in columns.values() for label in np.unique(column).tolist()}
    try:
        return sorted(found)
    except TypeError:
        names = ", ".join(columns)
        raise ValueError(f"{names} hold {shown(found)}: allowed are labels of one kind") from None


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
        Non-negative weights; 1 by default. The labels of rows of weight zero do not count.

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
    true = read_column("y_true", columns[0])
    arrays = [true, *(read_column("y_pred", column, len(true)) for column in columns[1:])]
    weight = read_weights(sample_weight, true)
    counted = [array[weight > 0] for array in arrays]
    labels = distinct_labels(**dict(zip(("y_true", "y_pred"), counted, strict=False)))
    if len(labels) > 2:
        raise ValueError(f"y_true and y_pred hold {len(labels)} labels, {shown(labels)}: allowed are two")
    if pos_label is None:
        if len(labels) == 1 and labels[0] not in (-1, 0, 1):
            raise ValueError(f"pos_label=None, and the only label is {labels[0]!r}: name the positive one")
        pos_label = labels[1] if len(labels) == 2 else 1
    else:  # of one label, the other class may be the positive one
        check_label("pos_label", pos_label, labels if len(labels) == 2 else [*labels, pos_label])
    return [*(_equal(array, pos_label) for array in arrays), weight]


def _equal(array: np.ndarray, label: object) -> np.ndarray:
    """Which entries equal the label, as Python compares them: numpy does not compare all kinds."""
    values, at = np.unique(array, return_inverse=True)
    return np.array([bool(value == label) for value in values.tolist()])[at]


def check_label(name: str, value: object, labels: list) -> None:
    """Refuse what is none of the labels."""
    if not pd.api.types.is_scalar(value) or pd.isna(value) or value not in labels:
        raise ValueError(f"{name}={shown(value)}: allowed are {' and '.join(map(shown, labels))}")


def read_weights(sample_weight: object, each: np.ndarray, name: str = "sample_weight") -> np.ndarray:
    """Check the weights, one for each example; ones if there are none."""
    if sample_weight is None:
        return np.ones(len(each))
    weight = read_array(name, sample_weight, "[0, 1e100]", shape=(len(each),))
    if weight.max() < 1e-100:
        raise ValueError(
            f"{name} is at most {weight.max():g}: allowed are weights not all zero, one at least 1e-100"
        )
    return weight


def balance(positive: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weights that sum to one half over each class, in the proportions of ``weight`` within it."""
    total = weight[~positive].sum(), weight[positive].sum()
    if not all(total):
        raise ValueError(ONE_CLASS)
    return weight / (2 * np.where(positive, total[1], total[0]))


def read_target(y: ArrayLike, most_classes: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The classes and the class number of each example.

    Parameters
    ----------
    y : array_like of shape (n,)
        Labels of any kind.
    most_classes : int, optional
        How many classes there may be.

    Returns
    -------
    classes : ndarray of shape (k,)
        Sorted labels.
    labels : ndarray of shape (n,), int8 for two classes
        Index into ``classes``.

    Raises
    ------
    ValueError
        If there are fewer than two classes, or too many, or they are no labels.
    """
    column = read_column("y", y)
    classes = np.unique(column)
    if most_classes is not None and len(classes) > most_classes:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes, allowed are {most_classes}"
        )
    if len(classes) < 2:
        raise ValueError("y holds one class only: at least two are needed, each with positive weight")
    if len(classes) == 2:  # comparing needs a tenth of the memory
        return classes, (column == classes[1:]).astype(np.int8)
    return classes, np.searchsorted(classes, column)
