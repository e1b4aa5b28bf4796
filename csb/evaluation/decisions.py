"""Decisions of least expected cost, what decisions cost, and thresholds with a guarantee."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from csb.costs import check_cost_matrix, check_costs
from csb.inputs import (
    MODERATE,
    POSITIVE,
    distinct_labels,
    read_array,
    read_classes,
    read_column,
    read_number,
    read_weights,
)

__all__ = [
    "Stakes", "check_errors_cost_more", "decide", "decide_positive", "expected_costs", "least_cost_decision",
    "mean_cost", "read_cost", "read_stakes", "risk_control_threshold",
]  # fmt: skip


@dataclass(frozen=True)
class Stakes:
    """The four costs.

    Attributes
    ----------
    costs : dict of str to ndarray of shape () or (n,)
        Of a miss, a false alarm, a positive that is found and a negative left alone, by parameter name.
    """

    costs: dict[str, np.ndarray]

    @property
    def per_case(self) -> tuple[str, ...]:
        """Names of the costs that differ from case to case."""
        return tuple(name for name, value in self.costs.items() if value.ndim)

    @property
    def symmetric(self) -> bool:
        """Whether the two classes are treated alike, so that it does not matter which is positive."""
        fn, fp, tp, tn = self.costs.values()
        return bool(np.all(fn == fp) and np.all(tp == tn))

    @property
    def means(self) -> dict[str, float]:
        """The costs as numbers, of those of the cases the mean."""
        return {name: float(value.mean()) for name, value in self.costs.items()}

    @property
    def threshold(self) -> np.ndarray:
        """Probability of the positive class above which it is the cheaper decision, shape () or (n,)."""
        missed, alarm = (
            self.costs[a] - self.costs[b] for a, b in (("fn_cost", "tp_cost"), ("fp_cost", "tn_cost"))
        )
        return alarm / (alarm + missed)

    def at(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The costs of single cases, for these rows, as ``predict`` takes them."""
        return {name: self.costs[name][rows] for name in self.per_case}

    def used(self, rows: np.ndarray) -> Stakes:
        """The stakes of these rows alone."""
        return Stakes(self.costs | self.at(rows))

    def paid(self, positive: np.ndarray, called: np.ndarray) -> np.ndarray:
        """What each decision costs, shape (n,), from which cases are positive and which are called so."""
        fn, fp, tp, tn = self.costs.values()
        return np.where(positive, np.where(called, tp, fn), np.where(called, fp, tn))


def check_errors_cost_more(costs: dict[str, np.ndarray]) -> None:
    """Refuse costs by which a wrong decision is as good as the right one.

    Parameters
    ----------
    costs : dict of str to ndarray of shape () or (n,)
        The four costs, by the name of their parameter.

    Raises
    ------
    ValueError
        With the first case of which it is so.

    Examples
    --------
    >>> costs = {"fn_cost": 5.0, "fp_cost": 1.0, "tp_cost": 0.0, "tn_cost": 1.0}
    >>> check_errors_cost_more({name: np.array(cost) for name, cost in costs.items()})
    Traceback (most recent call last):
    ValueError: fp_cost=1, tn_cost=1: allowed is an error that costs more than being right
    """
    for wrong, right in (("fn_cost", "tp_cost"), ("fp_cost", "tn_cost")):
        dear, cheap = np.broadcast_arrays(costs[wrong], costs[right])
        if dear.ndim == 0 and dear <= cheap:
            raise ValueError(
                f"{wrong}={dear:g}, {right}={cheap:g}: allowed is an error that costs more than being right"
            )
        if bad := np.count_nonzero(dear <= cheap):
            row = int(np.argmax(dear <= cheap))
            raise ValueError(
                f"{wrong} and {right}: allowed is an error that costs more than being right, which it does "
                f"not in {bad} of {len(dear)} cases (in row {row} they are {dear[row]:g} and "
                f"{cheap[row]:g}); leave such cases out, their decision is known"
            )


def read_cost(name: str, value: object, n: int) -> np.ndarray:
    """A cost of all of so many cases or of each, shape () or (n,), or a ValueError with its name."""
    cost = read_array(name, value, MODERATE)
    if cost.shape not in ((), (n,)):
        raise ValueError(f"{name} has shape {cost.shape}: allowed is a number or ({n},), one a case")
    return cost


def read_stakes(n: int, **costs: object) -> Stakes:
    """Read the four costs for so many cases, given in the order of ``Stakes.costs``.

    Parameters
    ----------
    n : int
        Number of cases.
    **costs : float or array_like of shape (n,)
        ``fn_cost``, ``fp_cost``, ``tp_cost`` and ``tn_cost``.

    Returns
    -------
    Stakes
        The costs.

    Raises
    ------
    ValueError
        If a cost is not a number for all or for each case, or a wrong decision does not cost more than the
        right one.
    """
    read = {name: read_cost(name, value, n) for name, value in costs.items()}
    check_errors_cost_more(read)
    check_costs(np.ravel(read["fn_cost"] - read["tp_cost"]), np.ravel(read["fp_cost"] - read["tn_cost"]))
    return Stakes(read)


ROUNDING = 4 * np.finfo(float).eps
"""For each class, the share of two expected costs by which rounding can part them though they are equal."""


def expected_costs(
    probability: np.ndarray, costs: np.ndarray, abstain_cost: np.ndarray | None = None
) -> np.ndarray:
    r"""Expected cost of each decision, :math:`\sum_c p_c C_{cy}`, and last that of none.

    Parameters
    ----------
    probability : ndarray of shape (..., n, k)
        Probability of each true class. Of two, the first may have been one less the second.
    costs : ndarray of shape (k, k), or of shape (..., n, k, k) or (..., 1, k, k)
        Cost of each prediction (last axis) for each true class, for all cases or for each.
    abstain_cost : ndarray of shape (n,), optional
        Cost of deciding nothing, in each case.

    Returns
    -------
    ndarray of shape (..., n, k) or (..., n, k + 1)
        The smallest entry of each row is the decision; of equal ones the first, as a score at a threshold
        speaks for the first of two classes. What differs from the least by rounding only is equal to it.

    Examples
    --------
    Three tenths of a chance of paying seven, or seven tenths of paying three, which are not the same double:

    >>> costs = np.array([[0.0, 3.0], [7.0, 0.0]])
    >>> np.argmin(expected_costs(np.array([[0.7, 0.3]]), costs), axis=1)
    array([0])
    """
    expected = np.einsum("...c,...cy->...y", probability, costs)
    doubt = probability
    if costs.shape[-1] == 2:  # one less the second is rounded as that is: small itself, it is that wrong
        doubt = np.stack([probability.sum(axis=-1), probability[..., 1]], axis=-1)
    sizes = np.einsum("...c,...cy->...y", doubt, np.abs(costs))
    if abstain_cost is not None:
        expected = np.column_stack([expected, abstain_cost])
        sizes = np.column_stack([sizes, np.abs(abstain_cost)])
    first = np.argmin(expected, axis=-1, keepdims=True)
    least, size = (np.take_along_axis(each, first, axis=-1) for each in (expected, sizes))
    return np.where(expected - least <= ROUNDING * costs.shape[-1] * (sizes + size), least, expected)


def decide(probability: np.ndarray, costs: np.ndarray, abstain_cost: np.ndarray | None = None) -> np.ndarray:
    """Number of the decision of least expected cost, the first of equal ones.

    Every decision that the package makes from probabilities is this one.

    Parameters
    ----------
    probability, costs, abstain_cost
        As :func:`expected_costs` takes them.

    Returns
    -------
    ndarray of shape (..., n)
        Column numbers of :func:`expected_costs`.

    Examples
    --------
    A chance of one in eleven at its threshold, in whatever unit the costs are:

    >>> p = np.array([[10 / 11, 1 / 11]])
    >>> [int(decide(p, unit * np.array([[0.0, 1.0], [10.0, 0.0]]))[0]) for unit in (0.1, 1.0, 3.0)]
    [0, 0, 0]
    """
    return np.argmin(expected_costs(probability, costs, abstain_cost), axis=-1)


def decide_positive(probability: ArrayLike, fn_cost: ArrayLike, fp_cost: ArrayLike) -> np.ndarray:
    r"""Whether the probability of the positive class exceeds the Bayes threshold, rounding aside.

    Eqs. (2) and (4) of Nikolaou et al. (2016), by products: :math:`p\,c_{FN} > (1-p)\,c_{FP}`. It is
    :func:`decide` where right decisions cost nothing, for many costs at a time.

    Parameters
    ----------
    probability : array_like
        Of the positive class.
    fn_cost, fp_cost : array_like
        Costs of a miss and of a false alarm. All three are broadcast against each other.

    Returns
    -------
    ndarray of bool
        Decisions.

    Examples
    --------
    >>> decide_positive([0.2, 1 / 3, 0.4], [[2.0], [0.1]], [[1.0], [0.05]])
    array([[False, False,  True],
           [False, False,  True]])
    """
    p, missed, alarm = (np.asarray(each, dtype=float) for each in (probability, fn_cost, fp_cost))
    of_negative, of_positive = p * missed, (1 - p) * alarm
    return of_negative - of_positive > 2 * ROUNDING * (of_negative + alarm)


def least_cost_decision(probability: ArrayLike, cost_matrix: ArrayLike) -> np.ndarray:
    r"""Number of the class of least expected cost, :math:`\arg\min_y \sum_c p_c C_{cy}`.

    Parameters
    ----------
    probability : array_like of shape (n, k)
        Probability of each true class.
    cost_matrix : array_like or DataFrame of shape (k, k)
        Cost of each prediction (columns) for each true class (rows), in the order of ``probability``.

    Returns
    -------
    ndarray of shape (n,)
        Column number; the first among equals, and what differs by a few units in the last place is equal.

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
    p = read_array("probability", probability, "[0, 1e100]", shape=(None, None))
    if not np.allclose(p.sum(axis=1), 1):
        raise ValueError("probability: each row must be a distribution, not negative and summing to one")
    if isinstance(cost_matrix, pd.DataFrame) and not cost_matrix.index.equals(cost_matrix.columns):
        raise ValueError("cost_matrix: its index and columns must name the same classes in one order")
    cost = check_cost_matrix(read_array("cost_matrix", cost_matrix), np.arange(p.shape[1]))
    return decide(p, cost)


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
        Non-negative weights; a weight of zero is an absent row.

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
    true = read_column("y_true", y_true)
    predicted = read_column("y_pred", y_pred, len(true))
    weight = read_weights(sample_weight, true)
    used = weight > 0
    true, predicted, weight = true[used], predicted[used], weight[used]
    seen = distinct_labels(y_true=true, y_pred=predicted)
    if labels is None:
        labels = sorted(cost_matrix.index) if isinstance(cost_matrix, pd.DataFrame) else seen
    classes = read_classes("labels", labels)
    unknown = [label for label in seen if label not in classes.tolist()]
    if unknown:
        raise ValueError(f"y_true and y_pred hold {unknown}: allowed are {classes.tolist()}, the labels")
    cost = check_cost_matrix(cost_matrix, classes)
    paid = cost[np.searchsorted(classes, true), np.searchsorted(classes, predicted)]
    return float(np.average(paid, weights=weight))


def risk_control_threshold(
    score: ArrayLike, missed_cost: ArrayLike, limit: float, largest: float = 1.0
) -> float:
    r"""Highest threshold at which the expected cost of missed cases is kept below a limit.

    Conformal risk control (Angelopoulos et al. 2024): deciding positive at or above the threshold, the next
    case pays at most ``limit`` for a miss in expectation, over the draw of these examples and of that case.
    Nothing is assumed but that they are exchangeable, and that none of them has trained the scores. Given the
    scores of positives alone, and costs of one, ``limit`` is the share of positives that may be missed.

    Parameters
    ----------
    score : array_like of shape (n,)
        Scores or probabilities of the positive class.
    missed_cost : array_like of shape (n,)
        What deciding negative costs in each case: zero where that is right.
    limit : float
        The largest expected cost of a miss, in the unit of the costs.
    largest : float, default 1.0
        The most that a miss can cost in any case, the next one included.

    Returns
    -------
    float
        The threshold, one of the scores; minus infinity where ``limit`` is below ``largest / (n + 1)``, so
        that nothing may be missed, and infinity where everything may.

    Raises
    ------
    ValueError
        If an argument is not admissible, or a cost exceeds ``largest``.

    Examples
    --------
    Of nine positives, one may be missed where a fifth of all may be:

    >>> positives = [0.9, 0.2, 0.7, 0.4, 0.8, 0.3, 0.6, 0.5, 0.95]
    >>> risk_control_threshold(positives, np.ones(9), 0.2)
    0.3
    """
    score = read_array("score", score, shape=(None,))
    limit, largest = read_number("limit", limit, POSITIVE), read_number("largest", largest, POSITIVE)
    missed = read_array("missed_cost", missed_cost, "[0, 1e100]", shape=score.shape)
    if missed.max() > largest:
        raise ValueError(f"largest={largest:g}: allowed is at least {missed.max():g}, as in missed_cost")
    levels, group = np.unique(score, return_inverse=True)
    # what is missed at the threshold minus infinity, at each score, and at infinity
    below = np.r_[0.0, 0.0, np.cumsum(np.bincount(group, missed))]
    admissible = int(np.searchsorted((below + largest) / (len(score) + 1), limit, side="right"))
    return float(np.r_[-np.inf, levels, np.inf][max(admissible - 1, 0)])
