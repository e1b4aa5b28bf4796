"""Decisions of least expected cost, what decisions cost, and thresholds with a guarantee."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binom

from csb.costs import check_not_by_class, read_cost_matrix
from csb.inputs import (
    MODERATE,
    POSITIVE,
    KnownDecisionWarning,
    check_order,
    distinct_labels,
    plain_array,
    read_array,
    read_classes,
    read_column,
    read_number,
    read_weights,
    shown,
)

__all__ = [
    "Stakes", "cheapest", "decide", "decide_positive", "dominators", "expected_costs", "is_of_each_case",
    "least_cost_decision", "mean_cost", "miss_rate_threshold", "read_cost", "read_stakes", "read_undecided",
    "risk_control_threshold", "undecided_label", "warn_of_known",
]  # fmt: skip


@dataclass(frozen=True)
class Stakes:
    """The four costs.

    Attributes
    ----------
    costs : dict of str to ndarray of shape () or (n,)
        Of a miss, a false alarm, a positive that is found and a negative left alone, by parameter name.
    weights : ndarray of shape (n,), optional
        Those of the cases in their means.
    """

    costs: dict[str, np.ndarray]
    weights: np.ndarray | None = None

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
        return {
            name: float(np.average(value, weights=self.weights if value.ndim else None))
            for name, value in self.costs.items()
        }

    @property
    def threshold(self) -> np.ndarray:
        """Probability of the positive class above which it is the cheaper decision, shape () or (n,).

        Minus infinity where it is never the dearer one, and infinity where it is never the cheaper one; not a
        number where both always cost the same, or each costs less where it is wrong.
        """
        missed, alarm = np.broadcast_arrays(
            self.costs["fn_cost"] - self.costs["tp_cost"], self.costs["fp_cost"] - self.costs["tn_cost"]
        )
        found = np.where(missed > alarm, -np.inf, np.inf)  # where one of them is negative, or zero
        found[(missed == alarm) | ((missed < 0) & (alarm < 0))] = np.nan
        return np.divide(alarm, alarm + missed, out=found, where=(missed > 0) & (alarm > 0))

    def matrices(self, positive: int = 1) -> np.ndarray:
        """Cost of each prediction (last axis) for each true class, shape (1, 2, 2) or (n, 2, 2).

        The number of the positive class is given.
        """
        fn, fp, tp, tn = np.broadcast_arrays(*map(np.atleast_1d, self.costs.values()))
        rows = [[tn, fp], [fn, tp]] if positive == 1 else [[tp, fn], [fp, tn]]
        return np.array(rows).transpose(2, 0, 1)

    @classmethod
    def of(cls, matrices: np.ndarray, positive: int) -> Stakes:
        """The costs in such matrices of two classes."""
        other = 1 - positive
        cells = {
            "fn_cost": (positive, other), "fp_cost": (other, positive), "tp_cost": (positive, positive),
            "tn_cost": (other, other),
        }  # fmt: skip
        found = {name: matrices[:, true, said] for name, (true, said) in cells.items()}
        return cls({name: each[0] if len(each) == 1 else each for name, each in found.items()})

    def at(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """The costs of single cases, for these rows, as ``predict`` takes them."""
        return {name: self.costs[name][rows] for name in self.per_case}

    def used(self, rows: np.ndarray) -> Stakes:
        """The stakes of these rows alone."""
        weights = None if self.weights is None else self.weights[rows]
        return Stakes(self.costs | self.at(rows), weights)

    def paid(self, positive: np.ndarray, called: np.ndarray) -> np.ndarray:
        """What each decision costs, shape (n,), from which cases are positive and which are called so."""
        fn, fp, tp, tn = self.costs.values()
        return np.where(positive, np.where(called, tp, fn), np.where(called, fp, tn))


def read_cost(name: str, value: object, n: int) -> np.ndarray:
    """A cost of all of so many cases or of each, shape () or (n,), or a ValueError with its name."""
    check_not_by_class(name, value)
    found = plain_array(name, value)
    if found.shape == (n,) and len(gaps := np.flatnonzero(pd.isna(found))):
        raise ValueError(
            f"{name} holds nan: allowed are numbers in {MODERATE}. It is missing in {len(gaps)} of {n} "
            f"cases, first in row {gaps[0]}: fill in what such a case costs, perhaps the median"
        )
    cost = np.empty(0) if n == 0 and found.shape == (0,) else read_array(name, value, MODERATE)
    if cost.shape not in ((), (n,)):
        raise ValueError(f"{name} has shape {cost.shape}: allowed is a number or ({n},), one a case")
    return cost


def is_of_each_case(name: str, value: object) -> bool:
    """Whether a cost, or a cost matrix, is given for each case: then it has an axis more than one of all."""
    return np.ndim(value) > (2 if name == "cost_matrix" else 0)  # type: ignore[arg-type]  # of anything


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
        If a cost is not a number for all or for each case.
    """
    return Stakes({name: read_cost(name, value, n) for name, value in costs.items()})


NUMBER: Any = (int, float, np.integer, np.floating)
"""What a label among numbers may be an instance of."""
LARGEST_LABEL = 2**62
"""So that it and the classes are of one kind of integers."""
ABSTAINING = "abstain_label: must be None where abstain_cost is"


def undecided_label(classes: ArrayLike, abstain_label: Any = None) -> Any:
    """What is said of a case left undecided.

    Parameters
    ----------
    classes : array_like of shape (k,)
        The classes, sorted.
    abstain_label : label, optional
        A string among strings, else a number, that is none of the classes. By default -1, or the smallest
        class less one if that is lower; among strings "abstain".

    Returns
    -------
    label
        It.

    Raises
    ------
    ValueError
        If it is no such label, or the classes are dates of numpy.

    Examples
    --------
    >>> undecided_label([0, 1]), undecided_label([-1, 1]), undecided_label(["ill", "well"])
    (-1, -2, 'abstain')
    """
    classes = read_classes("classes", classes)
    names = classes.tolist()
    if classes.dtype.kind == "u" and names[-1] > LARGEST_LABEL:
        raise ValueError("abstain_cost: must be left out where a class exceeds 2**62; smaller ones will do")
    if classes.dtype.kind == "M":
        raise ValueError("abstain_cost: must be left out where classes are dates; strings will do as labels")
    words = classes.dtype.kind in "OUST"
    coded = isinstance(names[0], bytes)
    label = abstain_label
    if label is None:
        label = (b"abstain" if coded else "abstain") if words else min(-1, int(names[0]) - 1)
    if words:
        known = isinstance(label, bytes if coded else str)
    else:
        known = isinstance(label, NUMBER) and abs(label) <= LARGEST_LABEL
    if not known or label in names:
        raise ValueError(
            f"abstain_label={shown(label)}: allowed is a {'string' if words else 'number'} that is none "
            f"of the classes {shown(names)}"
        )
    return label


def read_undecided(
    true: np.ndarray, y_pred: Any, classes: ArrayLike, abstain_cost: object, abstain_label: object
) -> tuple[Any, np.ndarray, np.ndarray]:
    """Take apart what was decided, and what was left undecided at a cost.

    Parameters
    ----------
    true : ndarray of shape (n,)
        Labels.
    y_pred : array_like of shape (n,)
        Predicted labels, :func:`undecided_label` among them.
    classes : array_like of shape (k,)
        The classes, sorted.
    abstain_cost : float or array_like of shape (n,)
        Cost of leaving a case undecided.
    abstain_label : label or None
        As :func:`undecided_label` takes it.

    Returns
    -------
    decided : ndarray of shape (n,)
        Predicted labels, and the true one where there is no decision.
    undecided : ndarray of bool, shape (n,)
        Which cases have none.
    cost : ndarray of shape () or (n,)
        What that costs.

    Raises
    ------
    ValueError
        If the cost or a label is not admissible.
    """
    cost = read_cost("abstain_cost", abstain_cost, len(true))
    label = undecided_label(classes, abstain_label)
    said = read_column("y_pred", y_pred, len(true))
    undecided = np.array([bool(each == label) for each in said.tolist()])
    decided = said.astype(object)
    decided[undecided] = true[undecided].tolist()
    return decided, undecided, cost


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
        The smallest entry of each row is the decision; of equal ones that of :func:`cheapest`. What differs
        from the least by rounding only is equal to it.

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
    """Number of the decision of least expected cost, of equal ones that of :func:`cheapest`.

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
    return cheapest(expected_costs(probability, costs, abstain_cost), dominators(costs, abstain_cost))


def dominators(costs: np.ndarray, abstain_cost: np.ndarray | None = None) -> np.ndarray:
    """By how many others each decision is dominated: they never cost more, and less for some true class.

    Parameters
    ----------
    costs, abstain_cost
        As :func:`expected_costs` takes them.

    Returns
    -------
    ndarray of shape (..., n, k) or (..., 1, k), or (k,) of one matrix; (n, k + 1) if nothing may be decided
        Whole numbers. A decision has more of them than each of those that dominate it.

    Examples
    --------
    Whether anybody is called or not, who would not have answered costs the same:

    >>> dominators(np.array([[0.0, 2.5], [2.5, 2.5]]))
    array([0, 1])
    """
    of_classes = np.zeros(costs.shape[:-2] + costs.shape[-1:], int)
    for other in np.split(costs, costs.shape[-1], axis=-1):
        of_classes += (other <= costs).all(axis=-2) & (other < costs).any(axis=-2)
    if abstain_cost is None:
        return of_classes
    least, most, of_none = costs.min(axis=-2), costs.max(axis=-2), abstain_cost[:, np.newaxis]
    of_classes = of_classes + ((of_none <= least) & (of_none < most))
    return np.column_stack([of_classes, ((most <= of_none) & (least < of_none)).sum(axis=-1)])


def cheapest(expected: np.ndarray, dominated: np.ndarray) -> np.ndarray:
    """Number of the smallest entry of each row; of equal ones one that the fewest others dominate, the first.

    So a decision that is never better than another is never taken, whatever the order of the classes. The
    first of the rest is taken, as a score at a threshold speaks for the first of two classes.

    Parameters
    ----------
    expected : ndarray of shape (..., n, k)
        Expected costs; infinite where a decision is not to be taken.
    dominated : ndarray of shape (..., n, k), or broadcast to it
        What :func:`dominators` says.

    Returns
    -------
    ndarray of shape (..., n)
        Column numbers.

    Examples
    --------
    >>> cheapest(np.array([[2.0, 2.0, 3.0]]), np.array([1, 0, 0]))
    array([1])
    """
    least = expected == expected.min(axis=-1, keepdims=True)
    return np.argmin(np.where(least, dominated, expected.shape[-1]), axis=-1)


def warn_of_known(names: Iterable[str], costs: np.ndarray, abstain_cost: np.ndarray | None = None) -> None:
    """Warn, on behalf of the caller's caller, of cases that are decided by costs alone.

    Parameters
    ----------
    names : iterable of str
        Costs of single cases.
    costs : ndarray of shape (n, k, k) or (1, k, k)
        Cost of each prediction (last axis) for each true class.
    abstain_cost : ndarray of shape (n,), optional
        Cost of deciding nothing.

    Warns
    -----
    KnownDecisionWarning
        If in some case one decision never costs more than another.
    """
    best = (costs <= costs.min(axis=-1, keepdims=True)).all(axis=-2)
    if abstain_cost is not None:
        of_none = abstain_cost[:, np.newaxis]
        best = np.column_stack(
            [best & (costs.max(axis=-2) <= of_none), abstain_cost <= costs.min(axis=(-2, -1))]
        )
    if known := np.count_nonzero(best.any(axis=-1)):
        same = np.count_nonzero(best.all(axis=-1))
        warnings.warn(
            f"{', '.join(names)}: {known} of {len(best)} cases are decided by their costs alone, whatever "
            "the probability" + (f"; in {same} of them all decisions cost the same" if same else ""),
            KnownDecisionWarning, stacklevel=3,
        )  # fmt: skip


def decide_positive(probability: ArrayLike, fn_cost: ArrayLike, fp_cost: ArrayLike) -> np.ndarray:
    r"""Whether the probability of the positive class exceeds the Bayes threshold, rounding aside.

    Eqs. (2) and (4) of Nikolaou et al. (2016), by products: :math:`p\,c_{FN} > (1-p)\,c_{FP}`. It is
    :func:`decide` where right decisions cost nothing, for many costs at a time. A cost may be zero or
    negative, too, as what an error costs more than being right.

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
    check_order(probability=probability, fn_cost=fn_cost, fp_cost=fp_cost)
    p, missed, alarm = (np.asarray(each, dtype=float) for each in (probability, fn_cost, fp_cost))
    saved = p * missed - (1 - p) * alarm
    always = (missed >= 0) & (alarm <= 0) & (missed > alarm)
    return always | (saved > 2 * ROUNDING * (p * np.abs(missed) + np.abs(alarm)))


def least_cost_decision(probability: ArrayLike, cost_matrix: ArrayLike) -> np.ndarray:
    r"""Number of the class of least expected cost, :math:`\arg\min_y \sum_c p_c C_{cy}`.

    Parameters
    ----------
    probability : array_like of shape (n, k)
        Probability of each true class.
    cost_matrix : array_like of shape (k, k) or (n, k, k), or DataFrame of shape (k, k)
        Cost of each prediction (last axis, columns) for each true class (rows), of all cases or of each, in
        the order of ``probability``; negative for a gain.

    Returns
    -------
    ndarray of shape (n,)
        Column number; what differs by a few units in the last place is equal. Among equals the first, but for
        one that never costs less than another of them.

    Raises
    ------
    ValueError
        If the costs are not admissible, a row is not a distribution, or the shapes do not fit.

    Examples
    --------
    A tenth of a chance is enough where the miss costs twenty:

    >>> least_cost_decision([[0.9, 0.1]], [[0, 1], [20, 0]])
    array([1])

    And where the first of two cases has a miss that costs five:

    >>> least_cost_decision([[0.9, 0.1], [0.9, 0.1]], [[[0, 1], [5, 0]], [[0, 1], [20, 0]]])
    array([0, 1])
    """
    p = read_array("probability", probability, "[0, 1e100]", shape=(None, None))
    if not np.allclose(p.sum(axis=1), 1):
        raise ValueError("probability: each row must be a distribution, not negative and summing to one")
    if isinstance(cost_matrix, pd.DataFrame) and not cost_matrix.index.equals(cost_matrix.columns):
        raise ValueError("cost_matrix: its index and columns must name the same classes in one order")
    cost = read_array("cost_matrix", cost_matrix)
    return decide(p, read_cost_matrix(cost, np.arange(p.shape[1]), len(p)))


def mean_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    cost_matrix: ArrayLike | pd.DataFrame | None = None,
    *,
    labels: ArrayLike | None = None,
    abstain_cost: ArrayLike | None = None,
    abstain_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of predictions, the quantity of Eq. (1) of Lozano and Abe (2008).

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    cost_matrix : array_like of shape (k, k) or (n, k, k), or DataFrame of shape (k, k), optional
        Cost of each prediction (last axis, columns) for each true class (rows), of all cases or of each,
        negative for a gain; every error costs one by default.
    labels : array_like of shape (k,), optional
        The classes, sorted; by default those of the frame, or else all that occur.
    abstain_cost : float or array_like of shape (n,), optional
        Cost of leaving a case undecided, of all cases or of each; by default every case is decided.
    abstain_label : label, optional
        What ``y_pred`` says of a case left undecided: by default -1, or the smallest class less one if that
        is lower; among strings "abstain". The classes are ``labels``, those of the frame or those in
        ``y_true``.
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

    Somebody looks at the second case, which costs one half:

    >>> matrix = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    >>> mean_cost(["a", "b", "c"], ["b", "abstain", "c"], matrix, abstain_cost=0.5)
    0.5
    """
    check_order(y_true=y_true, y_pred=y_pred, abstain_cost=abstain_cost, sample_weight=sample_weight)
    true = read_column("y_true", y_true)
    weight = read_weights(sample_weight, true)
    used = weight > 0
    if labels is None and isinstance(cost_matrix, pd.DataFrame):
        labels = sorted(cost_matrix.index)
    undecided, none = np.zeros(len(true), bool), np.zeros(())
    if abstain_cost is not None:
        classes = np.unique(true[used]) if labels is None else read_classes("labels", labels)
        y_pred, undecided, none = read_undecided(true, y_pred, classes, abstain_cost, abstain_label)
    elif abstain_label is not None:
        raise ValueError(ABSTAINING)
    predicted = read_column("y_pred", y_pred, len(true))
    true, predicted, weight = true[used], predicted[used], weight[used]
    seen = distinct_labels(y_true=true, y_pred=predicted)
    classes = read_classes("labels", seen if labels is None else labels)
    known = distinct_labels(labels=classes)
    unknown = [label for label in seen if label not in known]
    if unknown:
        besides = "" if abstain_cost is None else ", and in y_pred abstain_label"
        raise ValueError(f"y_true and y_pred hold {unknown}: allowed are {known}, the labels{besides}")
    try:
        cost = read_cost_matrix(cost_matrix, classes, len(used))
    except ValueError as error:
        if labels is not None:
            raise
        raise ValueError(
            f"{error}; for the {len(classes)} classes of y_true and y_pred, or name all by labels"
        ) from None
    at = np.searchsorted(classes, true), np.searchsorted(classes, predicted)
    paid = cost[at] if cost.ndim == 2 else cost[np.flatnonzero(used), *at]
    paid = np.where(undecided[used], np.broadcast_to(none, used.shape)[used], paid)
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


def miss_rate_threshold(score: ArrayLike, limit: float, confidence: float | None = None) -> float:
    r"""Highest threshold on the scores of positives that keeps the share of those missed below a limit.

    On average, as :func:`risk_control_threshold` does, or with confidence: of :math:`n` positives drawn at
    random, the share of all positives that score below the :math:`k`-th smallest exceeds the limit :math:`l`
    with at most the probability that fewer than :math:`k` of :math:`n` trials succeed, each with probability
    :math:`l` (Wilks 1941). The threshold is that score with the largest :math:`k` for which this is at most
    one less the confidence.

    Parameters
    ----------
    score : array_like of shape (n,)
        Scores of positives that have not trained them.
    limit : float
        The largest share of positives that may score below the threshold, in (0, 1).
    confidence : float, optional
        Probability, over the draw of the positives, that this is kept, in (0, 1); by default it is kept on
        average over such draws.

    Returns
    -------
    float
        The threshold, one of the scores; minus infinity where so few positives allow no miss.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    Of sixty positives five may be missed on average, but one where nineteen draws of twenty must do:

    >>> score = np.arange(60)
    >>> miss_rate_threshold(score, 0.1), miss_rate_threshold(score, 0.1, confidence=0.95)
    (5.0, 1.0)
    """
    if confidence is None:
        return risk_control_threshold(score, np.ones(np.shape(score)), limit)
    score = read_array("score", score, shape=(None,))
    limit, confidence = read_number("limit", limit, "(0, 1)"), read_number("confidence", confidence, "(0, 1)")
    fewer = binom.cdf(np.arange(len(score)), len(score), limit)  # than one, two, ...
    k = np.count_nonzero(fewer <= 1 - confidence)
    return float(np.sort(score)[k - 1]) if k else -np.inf
