"""Costs of two classes and of many, and what follows from them.

One place reads and checks costs for every estimator, metric and curve. Of two classes: the cost ratio, the
Bayes threshold of Eq. (2) and (4) of Nikolaou et al. (2016), and the skew of their Eq. (27). Of any number:
a matrix that holds in row ``true`` and column ``predicted`` what the prediction costs, or such a row for each
example. The right class is the cheapest of its row, as Lozano and Abe (2008) define it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_array, check_random_state, column_or_1d

__all__ = [
    "Costs", "average_costs", "bayes_threshold", "check_cost_matrix", "check_cost_rows", "check_costs",
    "class_frequency_costs", "costs_from_skew", "skew",
]  # fmt: skip


class Costs(NamedTuple):
    """Costs of a batch of :math:`B` problems.

    Attributes
    ----------
    fn_cost : ndarray of shape (B,)
        Cost :math:`c_+ = c_{FN}` of missing a positive.
    fp_cost : ndarray of shape (B,)
        Cost :math:`c_- = c_{FP}` of a false alarm.
    """

    fn_cost: np.ndarray
    fp_cost: np.ndarray

    @property
    def by_class(self) -> np.ndarray:
        """Array of shape (2, B): costs of an error on the negative, then the positive class."""
        return np.stack([self.fp_cost, self.fn_cost])

    @property
    def threshold(self) -> np.ndarray:
        """Bayes threshold ``c`` on the posterior, shape (B,) (Eq. (2) of Nikolaou et al. 2016)."""
        return bayes_threshold(self.fn_cost, self.fp_cost)

    def scaled(self, largest: float | None = None, smallest: float | None = None) -> Costs:
        """The same cost ratios, with the larger (or the smaller) of each pair set to a value."""
        if largest is None and smallest is None:
            return self
        table = self.by_class
        unit = table.max(axis=0) / largest if largest is not None else table.min(axis=0) / smallest
        return Costs(self.fn_cost / unit, self.fp_cost / unit)

    def __getitem__(self, models: slice | np.ndarray) -> Costs:  # type: ignore[override]  # models, not fields
        if not isinstance(models, (slice, np.ndarray)):
            raise TypeError("index a batch of costs with a slice or an array")
        return Costs(self.fn_cost[models], self.fp_cost[models])


def check_costs(fn_cost: ArrayLike = 1.0, fp_cost: ArrayLike = 1.0) -> Costs:
    """Read and check the two costs.

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like of shape (B,)
        Costs of a false negative and of a false positive: finite and positive. The two are
        broadcast against each other.

    Returns
    -------
    Costs
        Two float arrays of one shape.

    Raises
    ------
    ValueError
        If a cost is not a finite positive number.

    Examples
    --------
    >>> check_costs(5).threshold.round(4)
    array([0.1667])
    """
    read = []
    for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost)):
        refused = f"{name}={value!r}: a cost must be a finite positive number"
        try:
            array = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):
            raise ValueError(refused) from None
        is_text = np.asarray(value).dtype.kind in "SU"  # which numpy would read as a number
        if is_text or array.ndim != 1 or not np.all(np.isfinite(array)) or not np.all(array > 0):
            raise ValueError(refused)
        read.append(array)
    return Costs(*(np.ascontiguousarray(a) for a in np.broadcast_arrays(*read)))


def bayes_threshold(fn_cost: ArrayLike, fp_cost: ArrayLike) -> np.ndarray:
    r"""Threshold :math:`c = c_{FP}/(c_{FP}+c_{FN})` on the posterior probability.

    Predicting the positive class exactly when :math:`p(y=1|x) > c` minimises the expected cost
    (Nikolaou et al. 2016, Eqs. (2) and (4)).

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like
        Positive costs of a false negative and of a false positive.

    Returns
    -------
    ndarray or float
        The threshold, in (0, 1).

    Examples
    --------
    >>> float(bayes_threshold(3.0, 1.0))
    0.25
    """
    fn_cost, fp_cost = np.asarray(fn_cost, float), np.asarray(fp_cost, float)
    return 1.0 / (1.0 + fn_cost / fp_cost)


def skew(fn_cost: ArrayLike, fp_cost: ArrayLike, prevalence: ArrayLike = 0.5) -> np.ndarray:
    r"""Skew :math:`z`, the share of the negatives in the cost at stake.

    :math:`z = \pi_- c_{FP} / (\pi_- c_{FP} + \pi_+ c_{FN})`, Eq. (27) of Nikolaou et al. (2016).
    With balanced classes it equals the Bayes threshold, Eq. (28). Small :math:`z` means that the
    positives matter more.

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like
        Positive costs.
    prevalence : float or array_like, default 0.5
        Share :math:`\pi_+` of the positive class.

    Returns
    -------
    ndarray or float
        The skew, in [0, 1].

    Examples
    --------
    >>> float(skew(1.0, 1.0, prevalence=0.25))
    0.75
    """
    prevalence = np.asarray(prevalence, float)
    if not np.all((prevalence >= 0) & (prevalence <= 1)):
        raise ValueError(f"prevalence={prevalence!r}: a share must lie in [0, 1]")
    negatives = (1.0 - prevalence) * np.asarray(fp_cost, float)
    return negatives / (negatives + prevalence * np.asarray(fn_cost, float))


def costs_from_skew(z: ArrayLike, prevalence: float = 0.5) -> Costs:
    """Costs summing to one that give the skew ``z`` at this prevalence.

    Parameters
    ----------
    z : float or array_like of shape (B,)
        Skew in (0, 1).
    prevalence : float, default 0.5
        Share of the positive class, in (0, 1).

    Returns
    -------
    Costs
        ``fn_cost`` and ``fp_cost`` of shape (B,).

    Examples
    --------
    >>> costs = costs_from_skew([0.2, 0.5])
    >>> skew(*costs).round(12)
    array([0.2, 0.5])
    """
    shares: np.ndarray = np.atleast_1d(np.asarray(z, float))
    if not np.all((shares > 0) & (shares < 1)):
        raise ValueError(f"z={shares!r}: a skew must lie strictly between 0 and 1")
    if not 0 < prevalence < 1:
        raise ValueError(f"prevalence={prevalence!r}: a share strictly between 0 and 1")
    fp_cost, fn_cost = shares / (1.0 - prevalence), (1.0 - shares) / prevalence
    total = fp_cost + fn_cost
    return check_costs(fn_cost / total, fp_cost / total)


def _check_table(name: str, cost: ArrayLike, n_classes: int) -> np.ndarray:
    """A float array with a column for each class: finite, not negative."""
    try:
        table: np.ndarray = check_array(cost, dtype=np.float64, copy=True, input_name=name)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name}: {error}") from None
    if np.any(table < 0):
        raise ValueError(f"{name} holds {table.min():g}: a cost must not be negative")
    if table.shape[1] != n_classes:
        raise ValueError(f"{name} has {table.shape[1]} columns: allowed are {n_classes}, one for each class")
    if not np.any(table > table.min(axis=1, keepdims=True)):
        raise ValueError(f"{name}: all predictions cost the same, so there is nothing to learn")
    return table


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
    cost = _check_table("cost_matrix", cost_matrix, k)
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
    cost = _check_table("cost", cost, len(classes))
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


def class_frequency_costs(
    y: ArrayLike, random_state: np.random.RandomState | int | None = None, *, scale: float = 2000.0
) -> pd.DataFrame:
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
