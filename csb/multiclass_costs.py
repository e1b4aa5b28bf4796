"""Costs of any number of classes: matrices, rows of single examples, and decisions under them.

A cost matrix holds in row ``true`` and column ``predicted`` what the prediction costs. The right class is
the cheapest of its row, as Lozano and Abe (2008) define it.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d

from csb.inputs import read_weights

__all__ = [
    "average_costs", "check_cost_matrix", "check_cost_rows", "class_frequency_costs", "least_cost_decision",
    "mean_cost",
]  # fmt: skip


def _check_costs(name: str, cost, n_classes: int) -> np.ndarray:
    """A float array with a column for each class: finite, not negative."""
    try:
        cost = check_array(cost, dtype=np.float64, copy=True, input_name=name)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    if np.any(cost < 0):
        raise ValueError(f"{name} holds {cost.min():g}: a cost must not be negative")
    if cost.shape[1] != n_classes:
        raise ValueError(f"{name} has {cost.shape[1]} columns: allowed are {n_classes}, one for each class")
    if not np.any(cost > cost.min(axis=1, keepdims=True)):
        raise ValueError(f"{name}: all predictions cost the same, so there is nothing to learn")
    return cost


def _check_right_is_cheapest(name: str, cost: np.ndarray, labels: np.ndarray, classes: np.ndarray) -> None:
    excess = cost[np.arange(len(cost)), labels] - cost.min(axis=1)
    if np.any(excess > 0):
        row = int(np.argmax(excess > 0))
        right, cheapest = labels[row], np.argmin(cost[row])
        names = classes.tolist()
        raise ValueError(
            f"{name}: in row {row} the right class {names[right]!r} costs {cost[row, right]:g} and "
            f"{names[cheapest]!r} costs {cost[row, cheapest]:g}; the right class must be the cheapest of its "
            "row (rows are true classes, columns predicted ones)"
        )


def check_cost_matrix(cost_matrix: ArrayLike | pd.DataFrame | None, classes: ArrayLike) -> np.ndarray:
    """Read and check a cost matrix.

    Parameters
    ----------
    cost_matrix : array_like or DataFrame of shape (k, k), optional
        Cost of each prediction (columns) for each true class (rows). An array follows the sorted classes. A
        frame names classes in its index and columns, in any order; classes that do not occur are left out.
        None means that every error costs one.
    classes : array_like of shape (k,)
        The classes, sorted.

    Returns
    -------
    ndarray of shape (k, k)
        Costs in the order of ``classes``.

    Raises
    ------
    ValueError
        If the shape or the labels do not fit the classes, if a cost is negative or not finite, or if a wrong
        class is cheaper than the right one.

    Examples
    --------
    >>> check_cost_matrix([[0, 1], [5, 0]], ["sick", "well"])
    array([[0., 1.],
           [5., 0.]])
    """
    classes = np.asarray(classes)
    k = len(classes)
    if cost_matrix is None:
        return 1.0 - np.eye(k)
    if isinstance(cost_matrix, pd.DataFrame):
        for axis, index in (("index", cost_matrix.index), ("columns", cost_matrix.columns)):
            missing = [label for label in classes.tolist() if label not in index]
            if missing or not index.is_unique:
                raise ValueError(
                    f"cost_matrix: its {axis} holds {index.tolist()}; allowed is one entry for each of the "
                    f"classes {classes.tolist()}"
                )
        cost_matrix = cost_matrix.loc[classes, classes].to_numpy()
    cost = _check_costs("cost_matrix", cost_matrix, k)
    if cost.shape != (k, k):
        raise ValueError(f"cost_matrix has shape {cost.shape}: allowed is {(k, k)}, one row for each class")
    _check_right_is_cheapest("cost_matrix", cost, np.arange(k), classes)
    return cost


def check_cost_rows(cost: ArrayLike, labels: np.ndarray, classes: ArrayLike) -> np.ndarray:
    """Read and check the costs of single examples.

    Parameters
    ----------
    cost : array_like of shape (n, k)
        Cost of predicting each class for each example, columns in the order of ``classes``.
    labels : ndarray of shape (n,)
        Number of the right class of each example.
    classes : array_like of shape (k,)
        The classes, sorted.

    Returns
    -------
    ndarray of shape (n, k)
        The costs.

    Raises
    ------
    ValueError
        If the shape does not fit, if a cost is negative or not finite, or if a wrong class is cheaper than
        the right one.

    Examples
    --------
    >>> check_cost_rows([[0, 2, 3]], np.array([0]), ["a", "b", "c"])
    array([[0., 2., 3.]])
    """
    classes = np.asarray(classes)
    cost = _check_costs("cost", cost, len(classes))
    if len(cost) != len(labels):
        raise ValueError(f"cost has {len(cost)} rows: allowed are {len(labels)}, one for each example")
    _check_right_is_cheapest("cost", cost, labels, classes)
    return cost


def average_costs(cost: np.ndarray) -> np.ndarray:
    r"""Mean cost of the wrong classes, :math:`\bar c_i = \frac{1}{k-1} \sum_{y \ne y_i^*} C_{iy}`.

    It is the example weight of the Average Cost method, which Lozano and Abe (2008) name in Section 3.3.3.

    Parameters
    ----------
    cost : ndarray of shape (n, k)
        Costs whose rows have zero for the right class.

    Returns
    -------
    ndarray of shape (n,)
        One cost for each example.

    Examples
    --------
    >>> average_costs(np.array([[0.0, 2.0, 4.0]]))
    array([3.])
    """
    return cost.sum(axis=1) / (cost.shape[1] - 1)


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
    probability = check_array(probability, dtype=np.float64, input_name="probability")
    cost = check_cost_matrix(np.asarray(cost_matrix), np.arange(probability.shape[1]))
    if np.any(probability < 0) or not np.allclose(probability.sum(axis=1), 1):
        raise ValueError("probability: each row must be a distribution, not negative and summing to one")
    return np.argmin(probability @ cost, axis=1)


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
    y_true, y_pred = column_or_1d(y_true), column_or_1d(y_pred)
    check_consistent_length(y_true, y_pred, sample_weight)
    seen = np.unique(np.concatenate([y_true, y_pred]))
    if labels is None:
        labels = np.unique(cost_matrix.index) if isinstance(cost_matrix, pd.DataFrame) else seen
    labels = np.unique(labels)
    unknown = np.setdiff1d(seen, labels)
    if len(unknown):
        raise ValueError(f"y_true and y_pred hold {unknown.tolist()}: allowed are {labels.tolist()}")
    cost = check_cost_matrix(cost_matrix, labels)
    paid = cost[np.searchsorted(labels, y_true), np.searchsorted(labels, y_pred)]
    weight = read_weights(sample_weight, paid)
    return float(np.average(paid, weights=weight))


def class_frequency_costs(y: ArrayLike, random_state=None, *, scale: float = 2000.0) -> pd.DataFrame:
    r"""A random cost matrix by the class frequency model.

    :math:`C(i, j)`, the cost of predicting :math:`j` for class :math:`i`, is uniform on
    :math:`[0, s\,P(j)/P(i)]`, so that errors on rare classes tend to be dear; the diagonal is zero. This is
    the model that Lozano and Abe (2008) take from Domingos (1999); they do not print their modifications, and
    :math:`s = 2000` is Domingos's.

    Parameters
    ----------
    y : array_like of shape (n,)
        Labels, whose shares are :math:`P`.
    random_state : int, RandomState or None, default None
        Seed of the draw.
    scale : float, default 2000.0
        The factor :math:`s`, positive.

    Returns
    -------
    DataFrame of shape (k, k)
        Costs, with the classes as index (true) and columns (predicted).

    Raises
    ------
    ValueError
        If there is one class only, or ``scale`` is not positive and finite.

    Examples
    --------
    >>> class_frequency_costs(["a"] * 9 + ["b"], random_state=0).round()
             a      b
    a      0.0  159.0
    b  10850.0    0.0
    """
    if not (np.isfinite(scale) and scale > 0):
        raise ValueError(f"scale={scale!r}: a finite positive number")
    classes, counts = np.unique(column_or_1d(y), return_counts=True)
    if len(classes) < 2:
        raise ValueError("y holds one class only; two or more are needed")
    cost = check_random_state(random_state).uniform(size=(len(classes),) * 2)
    cost *= scale * counts / counts[:, np.newaxis]
    np.fill_diagonal(cost, 0.0)
    return pd.DataFrame(cost, index=classes, columns=classes)
