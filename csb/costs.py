"""Costs of two classes and of many, and what follows from them.

One place reads and checks costs for every estimator, metric and curve. Of two classes: the cost ratio, the
Bayes threshold of Eq. (2) and (4) of Nikolaou et al. (2016), and the skew of their Eq. (27). Of any number:
a matrix that holds in row ``true`` and column ``predicted`` what the prediction costs, or such a row for each
example. The right class is the cheapest of its row, as Lozano and Abe (2008) define it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from csb.inputs import (
    MODERATE,
    POSITIVE,
    check_count,
    check_flag,
    check_shapes,
    plain_array,
    read_array,
    read_classes,
    read_column,
    read_number,
    read_random_state,
    shown,
)

__all__ = [
    "Costs", "average_costs", "bayes_threshold", "check_cost_matrix", "check_cost_rows", "check_costs",
    "check_not_by_class", "check_ratio", "class_frequency_costs", "costs_from_skew", "read_cost_matrix",
    "skew",
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
    def equal(self) -> bool:
        """Whether the two errors cost the same throughout, so that no class is the positive one."""
        return bool(np.all(self.fn_cost == self.fp_cost))

    def as_columns(self) -> Costs:
        """The same with each of shape (B, 1), which numbers of many cases can be broadcast against."""
        return Costs(self.fn_cost[:, np.newaxis], self.fp_cost[:, np.newaxis])

    @property
    def threshold(self) -> np.ndarray:
        """Bayes threshold ``c`` on the posterior, shape (B,) (Eq. (2) of Nikolaou et al. 2016)."""
        return bayes_threshold(self.fn_cost, self.fp_cost)

    def scaled(self, largest: float | None = None, smallest: float | None = None) -> Costs:
        """The same cost ratios, with the larger (or the smaller) of each pair set to a value."""
        if largest is not None and smallest is not None:
            raise ValueError("largest and smallest are both given: allowed is one of them")
        table = self.by_class
        if largest is not None:
            unit = table.max(axis=0) / read_number("largest", largest, POSITIVE)
        elif smallest is not None:
            unit = table.min(axis=0) / read_number("smallest", smallest, POSITIVE)
        else:
            return self
        return Costs(self.fn_cost / unit, self.fp_cost / unit)

    def __getitem__(self, models: slice | np.ndarray) -> Costs:  # type: ignore[override]  # models, not fields
        if not isinstance(models, (slice, np.ndarray)):
            raise TypeError("index a batch of costs with a slice or an array")
        return Costs(self.fn_cost[models], self.fp_cost[models])


NAMED = "a frame whose index names the true classes, whose columns the predicted ones"
"""What a cost matrix may be besides an array."""
LARGEST_RATIO = 1e15
"""Of the two costs; from ten times as much on, the Bayes threshold is rounded to zero or one."""


def _read_pair(fn_cost: ArrayLike, fp_cost: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """The two costs, of one shape."""
    missed, alarm = read_array("fn_cost", fn_cost, POSITIVE), read_array("fp_cost", fp_cost, POSITIVE)
    check_shapes(fn_cost=missed, fp_cost=alarm)
    missed, alarm = np.broadcast_arrays(missed, alarm)
    check_ratio("fn_cost and fp_cost", missed, alarm)
    return missed, alarm


def check_ratio(names: str, fn_cost: np.ndarray, fp_cost: np.ndarray) -> None:
    """Refuse costs of which one is too many times the other, of the parameters named."""
    ratio = np.maximum(fn_cost / fp_cost, fp_cost / fn_cost).max()
    if ratio > LARGEST_RATIO:
        raise ValueError(
            f"{names}: one cost is {ratio:g} times the other; allowed is a ratio of at most {LARGEST_RATIO:g}"
        )


def check_not_by_class(name: str, cost: object) -> None:
    """Refuse a dictionary, such as scikit-learn takes for ``class_weight``, and say what is taken."""
    if not isinstance(cost, Mapping):
        return
    if name == "cost_matrix":
        raise ValueError(f"{name}={shown(cost)}: allowed is an array, or {NAMED}")
    raise ValueError(
        f"{name}={shown(cost)}: allowed are numbers; fn_cost is what missing the class pos_label costs, "
        f"fp_cost what a false alarm costs. Costs by class go to CostDecision(cost_matrix=...), {NAMED}"
    )


def check_costs(fn_cost: ArrayLike = 1.0, fp_cost: ArrayLike = 1.0, *, single: bool = False) -> Costs:
    """Read and check the two costs.

    Each may be from 1e-100 to 1e100 and their ratio up to 1e15: so far every formula that takes them stays
    within the range of doubles, and the Bayes threshold strictly between 0 and 1.

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like of shape (B,)
        Costs of a false negative and of a false positive. The two are broadcast against each other.
    single : bool, default False
        Whether each must be one number.

    Returns
    -------
    Costs
        Two float arrays of one shape.

    Raises
    ------
    ValueError
        If a cost or the ratio is not admissible.

    Examples
    --------
    >>> check_costs(5).threshold.round(4)
    array([0.1667])
    """
    if check_flag("single", single):
        fn_cost, fp_cost = read_number("fn_cost", fn_cost), read_number("fp_cost", fp_cost)
    read = np.atleast_1d(*_read_pair(fn_cost, fp_cost))
    if read[0].ndim > 1:
        raise ValueError(f"fn_cost and fp_cost have shape {read[0].shape}: allowed is a number or (B,)")
    return Costs(*map(np.ascontiguousarray, read))


def bayes_threshold(fn_cost: ArrayLike, fp_cost: ArrayLike) -> np.ndarray:
    r"""Threshold :math:`c = c_{FP}/(c_{FP}+c_{FN})` on the posterior probability.

    Predicting the positive class exactly when :math:`p(y=1|x) > c` minimises the expected cost
    (Nikolaou et al. 2016, Eqs. (2) and (4)).

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like
        Costs of a false negative and of a false positive, up to 1e100. One of the two may be zero: that
        error is then always worth making.

    Returns
    -------
    ndarray or float
        The threshold, in [0, 1].

    Raises
    ------
    ValueError
        If a cost is not admissible, or both are zero.

    Examples
    --------
    >>> float(bayes_threshold(3.0, 1.0))
    0.25
    """
    missed, alarm = read_array("fn_cost", fn_cost, "[0, 1e100]"), read_array("fp_cost", fp_cost, "[0, 1e100]")
    check_shapes(fn_cost=missed, fp_cost=alarm)
    if np.any(missed + alarm == 0):
        raise ValueError("fn_cost and fp_cost are both zero: allowed is one of them")
    with np.errstate(divide="ignore", over="ignore"):
        return 1.0 / (1.0 + missed / alarm)


def skew(fn_cost: ArrayLike, fp_cost: ArrayLike, prevalence: ArrayLike = 0.5) -> np.ndarray:
    r"""Skew :math:`z`, the share of the negatives in the cost at stake.

    :math:`z = \pi_- c_{FP} / (\pi_- c_{FP} + \pi_+ c_{FN})`, Eq. (27) of Nikolaou et al. (2016).
    With balanced classes it equals the Bayes threshold, Eq. (28). Small :math:`z` means that the
    positives matter more.

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like
        Costs, as :func:`check_costs` admits them.
    prevalence : float or array_like, default 0.5
        Share :math:`\pi_+` of the positive class, in [0, 1].

    Returns
    -------
    ndarray or float
        The skew, in [0, 1].

    Raises
    ------
    ValueError
        If a cost, the ratio or the share is not admissible.

    Examples
    --------
    >>> float(skew(1.0, 1.0, prevalence=0.25))
    0.75
    """
    missed, alarm = _read_pair(fn_cost, fp_cost)
    prevalence = read_array("prevalence", prevalence, "[0, 1]")
    check_shapes(prevalence=prevalence, fn_cost=missed)
    negatives = (1.0 - prevalence) * alarm
    return negatives / (negatives + prevalence * missed)


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

    Raises
    ------
    ValueError
        If an argument is no such share, or the ratio of the costs is not admissible.

    Examples
    --------
    >>> costs = costs_from_skew([0.2, 0.5])
    >>> skew(*costs).round(12)
    array([0.2, 0.5])
    """
    shares = read_array("z", np.atleast_1d(read_array("z", z, "(0, 1)")), shape=(None,))
    prevalence = read_number("prevalence", prevalence, "(0, 1)")
    with np.errstate(over="ignore"):
        fp_cost, fn_cost = shares / (1.0 - prevalence), (1.0 - shares) / prevalence
        check_ratio("z and prevalence", fn_cost, fp_cost)
    total = fp_cost + fn_cost
    return check_costs(fn_cost / total, fp_cost / total)


def _check_table(name: str, cost: ArrayLike, shape: tuple[int, int]) -> np.ndarray:
    """A float array of that shape, a copy: no cost negative, none too large or small to be multiplied."""
    table = read_array(name, cost, "[0, 1e100]", shape=shape).copy()
    if not np.any(table > table.min(axis=1, keepdims=True)):
        raise ValueError(f"{name}: all predictions cost the same, nothing to learn; some must cost more")
    read_array(name, table[table > 0], POSITIVE)
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


def read_cost_matrix(
    cost_matrix: ArrayLike | pd.DataFrame | None, classes: ArrayLike, n: int | None = None
) -> np.ndarray:
    """Read a cost matrix to decide or to judge by, which may hold any moderate numbers.

    Parameters
    ----------
    cost_matrix : array_like of shape (k, k) or (n, k, k), or DataFrame of shape (k, k), optional
        Cost of each prediction (last axis, columns) for each true class (rows), of all cases or of each. An
        array follows the sorted classes. A frame names classes in its index and columns, in any order;
        classes that do not occur are left out. None means that every error costs one.
    classes : array_like of shape (k,)
        The classes, sorted.
    n : int, optional
        Number of cases, where each may have costs of its own.

    Returns
    -------
    ndarray of shape (k, k) or (n, k, k)
        Costs in the order of ``classes``.

    Raises
    ------
    ValueError
        If the shape or the labels do not fit the classes, or a cost is not finite.

    Examples
    --------
    >>> read_cost_matrix([[-2, 1], [5, 0]], ["sick", "well"])
    array([[-2.,  1.],
           [ 5.,  0.]])
    >>> read_cost_matrix([[[0, 1], [5, 0]], [[0, 2], [9, 0]]], ["sick", "well"], n=2).shape
    (2, 2, 2)
    """
    check_not_by_class("cost_matrix", cost_matrix)
    if hasattr(cost_matrix, "columns") and not isinstance(cost_matrix, pd.DataFrame):
        # one of polars, say: its rows have no names, and those of its columns would not be looked at
        raise ValueError(f"cost_matrix={shown(cost_matrix)}: allowed is an array, or {NAMED}")
    classes = read_classes("classes", classes)
    k = len(classes)
    cases = None if n is None else check_count("n", n, smallest=0)
    if cost_matrix is None:
        return 1.0 - np.eye(k)
    if isinstance(cost_matrix, pd.DataFrame):
        for axis, index in (("index", cost_matrix.index), ("columns", cost_matrix.columns)):
            missing = [label for label in classes.tolist() if label not in index]
            if missing or not index.is_unique:
                repeated = index[index.duplicated()].tolist()
                wrong = f"misses {missing[0]!r} in" if missing else f"holds {repeated[0]!r} more than once in"
                raise ValueError(
                    f"cost_matrix {wrong} its {axis}, {shown(index.tolist())}; allowed is one entry for each "
                    f"of the classes {shown(classes.tolist())}"
                )
        table = cost_matrix.reindex(index=classes, columns=classes)  # to loc truth values would be a mask
        if len(gaps := np.argwhere(table.isna().to_numpy())):
            true, said = (shown(classes.tolist()[place]) for place in gaps[0])
            raise ValueError(
                f"cost_matrix holds nan in the row {true} and the column {said}: allowed are numbers in "
                f"{MODERATE}, 0 where nothing is lost"
            )
        cost_matrix = table.to_numpy()
    if cases is None:
        return read_array("cost_matrix", cost_matrix, MODERATE, shape=(k, k)).copy()
    shape = plain_array("cost_matrix", cost_matrix).shape
    if cases == 0 and shape in ((0,), (0, k, k)):
        return np.empty((0, k, k))
    cost = read_array("cost_matrix", cost_matrix, MODERATE)
    if shape not in ((k, k), (cases, k, k)):
        raise ValueError(
            f"cost_matrix has shape {shape}: allowed is {(k, k)}, or {(cases, k, k)} with one matrix a case"
        )
    return cost.copy()


def check_cost_matrix(cost_matrix: ArrayLike | pd.DataFrame | None, classes: ArrayLike) -> np.ndarray:
    """Read and check a cost matrix to train by.

    Parameters
    ----------
    cost_matrix, classes
        As :func:`read_cost_matrix` takes them for all cases.

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
    cost = read_cost_matrix(cost_matrix, classes)
    cost = _check_table("cost_matrix", cost, cost.shape)
    _check_right_is_cheapest("cost_matrix", cost, np.arange(len(cost)), read_classes("classes", classes))
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
    classes, labels = read_classes("classes", classes), read_column("labels", labels)
    labels = read_array("labels", labels, f"[0, {len(classes) - 1}]").astype(int)
    cost = _check_table("cost", cost, (len(labels), len(classes)))
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
    cost = read_array("cost", cost, "[0, 1e100]", shape=(None, None))
    if cost.shape[1] < 2:
        raise ValueError("cost has one column: allowed are two or more, one for each class")
    return cost.sum(axis=1) / (cost.shape[1] - 1)


def class_frequency_costs(
    y: ArrayLike, random_state: np.random.RandomState | int | None = None, *, scale: float = 2000.0
) -> pd.DataFrame:
    r"""A random cost matrix by the class frequency model.

    :math:`C(i, j)`, the cost of predicting :math:`j` for class :math:`i`, is uniform on
    :math:`[0, s\,P(j)/P(i)]`, so that errors on rare classes tend to cost more; the diagonal is zero. This is
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
    scale = read_number("scale", scale, POSITIVE)
    classes, counts = np.unique(read_column("y", y), return_counts=True)
    if len(classes) < 2:
        raise ValueError("y holds one class only: allowed are two or more")
    cost = read_random_state("random_state", random_state).uniform(size=(len(classes),) * 2)
    cost *= scale * counts / counts[:, np.newaxis]
    np.fill_diagonal(cost, 0.0)
    return pd.DataFrame(cost, index=classes, columns=classes)
