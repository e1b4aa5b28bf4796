"""Decisions of least expected cost, and what decisions cost, for any number of classes."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_consistent_length, column_or_1d

from csb.costs import check_cost_matrix
from csb.inputs import read_weights

__all__ = ["least_cost_decision", "mean_cost"]


def least_cost_decision(probability: ArrayLike, cost_matrix: ArrayLike) -> np.ndarray:
    r"""Number of the class of least expected cost, :math:`\arg\min_y \sum_c p_c C_{cy}`.

    Parameters
    ----------
    probability : array_like of shape (n, k)
        Probability of each true class.
    cost_matrix : array_like of shape (k, k)
        Cost of each prediction (columns) for each true class (rows).

    Returns
    -------
    ndarray of shape (n,)
        Column number; the first among equals.

    Raises
    ------
    ValueError
        If the costs are not admissible, a row is not a distribution, or the shapes do not fit.

    Examples
    --------
    A tenth of a chance is enough where the miss costs twenty:

    >>> least_cost_decision([[0.9, 0.1]], [[0, 1], [20, 0]])
    array([1])
    """
    p: np.ndarray = check_array(probability, dtype=np.float64, input_name="probability")
    cost = check_cost_matrix(np.asarray(cost_matrix), np.arange(p.shape[1]))
    if np.any(p < 0) or not np.allclose(p.sum(axis=1), 1):
        raise ValueError("probability: each row must be a distribution, not negative and summing to one")
    return np.argmin(p @ cost, axis=1)


def mean_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    cost_matrix: ArrayLike | pd.DataFrame | None = None,
    *,
    labels: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of predictions, the quantity of Eq. (1) of Lozano and Abe (2008).

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    cost_matrix : array_like or DataFrame of shape (k, k), optional
        Cost of each prediction (columns) for each true class (rows); every error costs one by default.
    labels : array_like of shape (k,), optional
        The classes, sorted; by default those of the frame, or else all that occur.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        The cost, in the unit of the costs.

    Raises
    ------
    ValueError
        If the labels do not fit the costs, or the costs or weights are not admissible.

    Examples
    --------
    >>> mean_cost(["a", "b", "c"], ["a", "c", "c"], [[0, 1, 2], [3, 0, 4], [5, 6, 0]])
    1.3333333333333333
    """
    true, predicted = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(true, predicted, sample_weight)
    seen = np.unique(np.concatenate([true, predicted]))
    if labels is None:
        labels = cost_matrix.index if isinstance(cost_matrix, pd.DataFrame) else seen
    classes = np.unique(labels)
    unknown = np.setdiff1d(seen, classes)
    if len(unknown):
        raise ValueError(f"y_true and y_pred hold {unknown.tolist()}: allowed are {classes.tolist()}")
    cost = check_cost_matrix(cost_matrix, classes)
    paid = cost[np.searchsorted(classes, true), np.searchsorted(classes, predicted)]
    weight = read_weights(sample_weight, paid)
    return float(np.average(paid, weights=weight))
