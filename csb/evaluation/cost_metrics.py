"""What decisions cost, by four costs: of errors and of being right, of all cases or of each."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from csb.evaluation.stakes import Stakes, read_stakes
from csb.inputs import read_labels

__all__ = ["expected_cost", "savings_score", "total_cost"]


def total_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Sum of what all decisions cost; of errors alone, :math:`c_{FN} FN + c_{FP} FP`.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    fn_cost, fp_cost : float or array_like of shape (n,)
        Costs of a false negative and of a false positive, of all cases or of each.
    tp_cost, tn_cost : float or array_like of shape (n,)
        Costs of a true positive and of a true negative, each below that of the error in its place; negative
        for a gain.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        The cost, in the unit of the costs.

    Raises
    ------
    ValueError
        If labels, costs or weights are not admissible.

    Examples
    --------
    >>> total_cost([1, 1, 0, 0], [0, 1, 1, 1], fn_cost=5)
    7.0

    A positive that is found brings in two:

    >>> total_cost([1, 1, 0, 0], [0, 1, 1, 1], fn_cost=5, tp_cost=-2)
    5.0
    """
    costs = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    positive, called, weight, stakes = _read(y_true, y_pred, pos_label, sample_weight, **costs)
    return float(np.sum(weight * stakes.paid(positive, called)))


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """Mean cost of a decision.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    fn_cost, fp_cost : float or array_like of shape (n,)
        Costs of a false negative and of a false positive, of all cases or of each.
    tp_cost, tn_cost : float or array_like of shape (n,)
        Costs of a true positive and of a true negative, each below that of the error in its place; negative
        for a gain.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        Total cost by total weight.

    Raises
    ------
    ValueError
        If labels, costs or weights are not admissible.

    Examples
    --------
    >>> expected_cost([1, 1, 0, 0], [0, 1, 1, 1], fn_cost=5)
    1.75
    """
    costs = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    positive, called, weight, stakes = _read(y_true, y_pred, pos_label, sample_weight, **costs)
    return float(np.average(stakes.paid(positive, called), weights=weight))


def savings_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Share of the cost of the better constant decision that is saved.

    :math:`1 - C(\hat y)/\min(C(-), C(+))`, where :math:`C(-)` and :math:`C(+)` are the costs of calling every
    case negative, or every case positive (Correa Bahnsen et al. 2014).

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    fn_cost, fp_cost : float or array_like of shape (n,)
        Costs of a false negative and of a false positive, of all cases or of each.
    tp_cost, tn_cost : float or array_like of shape (n,)
        Costs of a true positive and of a true negative, each below that of the error in its place; negative
        for a gain.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        1 where the decisions cost nothing, 0 where they cost as much as the better constant one, negative
        where they cost more; above 1 where they bring in more than they cost.

    Raises
    ------
    ValueError
        If labels, costs or weights are not admissible, or the better constant decision costs nothing or
        brings something in, so that there is no cost to save a share of.

    Examples
    --------
    Never warning costs ten, always warning two:

    >>> savings_score([1, 1, 0, 0], [1, 1, 0, 1], fn_cost=5)
    0.5
    """
    costs = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    positive, called, weight, stakes = _read(y_true, y_pred, pos_label, sample_weight, **costs)
    never, always, cost = (
        float(np.average(stakes.paid(positive, each), weights=weight))
        for each in (np.zeros_like(called), np.ones_like(called), called)
    )
    if min(never, always) <= 0:
        raise ValueError(
            f"y_true and {', '.join(costs)}: the better constant decision costs {min(never, always):g} a "
            "case; allowed is one that costs something, else no share of it can be saved"
        )
    return 1 - cost / min(never, always)


def _read(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: object,
    sample_weight: ArrayLike | None,
    **costs: ArrayLike,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, Stakes]:
    """Which cases are positive and which are called so, their weights, and the costs."""
    positive, called, weight = read_labels(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return positive, called, weight, read_stakes(len(positive), **costs)
