"""What is decided today: labels, a function of the rows, or a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from csb.inputs import read_column, shown

__all__ = ["TODAY", "read_current"]

TODAY = "today's rule"
"""Its row in the table."""


def read_current(
    current: Any, X: Any, used: np.ndarray, classes: list[Any], weighted: bool
) -> np.ndarray | None:
    """Today's decision for each row used, or None of a classifier that is yet to be fitted.

    Parameters
    ----------
    current : array_like of shape (n_samples,), callable or classifier
        Labels of all rows given, or what makes labels of rows.
    X : array_like
        The rows used.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given these are.
    classes : list
        The two labels.
    weighted : bool
        Whether a classifier will be given weights.

    Returns
    -------
    ndarray of shape (n,), optional
        Labels.

    Raises
    ------
    ValueError
        If it is none of these, or decides anything but one of the two labels.
    """
    if hasattr(current, "fit"):
        if isinstance(current, type) or not is_classifier(current):
            raise ValueError(f"current={shown(current)}: allowed are labels, a classifier or a function of X")
        try:
            check_is_fitted(current)
        except NotFittedError:
            if weighted and not has_fit_parameter(current, "sample_weight"):
                raise ValueError(
                    f"current={shown(current)}: it takes no sample_weight; it must, or be fitted already"
                ) from None
            return None
        decide = current.predict
    elif callable(current):
        decide = current
    else:
        labels = read_column("current", current, len(used))[used]
        return _checked(labels, classes)
    try:
        decided = decide(X)
    except Exception as error:
        raise ValueError(
            f"current={shown(current)}: it must decide rows of X, and fails: {shown(str(error))}"
        ) from error
    return _checked(read_column("current", decided, int(used.sum())), classes)


def _checked(labels: np.ndarray, classes: list[Any]) -> np.ndarray:
    """Labels of the two classes."""
    unknown = [label for label in np.unique(labels).tolist() if label not in classes]
    if unknown:
        raise ValueError(
            f"current decides {shown(unknown[0])}: allowed are {' and '.join(map(shown, classes))}"
        )
    return labels
