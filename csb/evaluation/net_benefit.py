"""Net benefit at a threshold probability, and the decision curve over all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from csb.inputs import read_array, read_labels

__all__ = ["DecisionCurve", "decision_curve", "net_benefit"]

THRESHOLDS = np.arange(1, 100) / 100
"""Where a decision curve is computed by default."""


def net_benefit(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    threshold: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float | np.ndarray:
    r"""Net benefit of deciding positive above a threshold probability, in true positives per case.

    :math:`TP/n - \frac{t}{1-t}\,FP/n` of Vickers and Elkin (2006): whoever decides at the threshold :math:`t`
    holds a false positive for worth :math:`t/(1-t)` of a true one. With costs,
    :math:`t = (c_{FP}-c_{TN})/(c_{FP}-c_{TN}+c_{FN}-c_{TP})`, and a unit of net benefit is worth
    :math:`c_{FN}-c_{TP}`. Deciding everything negative has net benefit 0.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    threshold : float or array_like of shape (J,)
        Thresholds in [0, 1). What equals one is decided negative, as everywhere in this package.
    pos_label : label, optional
        The positive class; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float or ndarray of shape (J,)
        Net benefit at each threshold, at most the share of positives.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    One positive of two is found, at the price of one false alarm that counts a quarter:

    >>> net_benefit([1, 1, 0, 0], [0.9, 0.1, 0.4, 0.05], 0.2)
    0.1875
    """
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight)
    y_prob = read_array("y_prob", y_prob, "[0, 1]", shape=positive.shape)
    t = read_array("threshold", threshold, "[0, 1)")
    if t.ndim > 1:
        raise ValueError(f"threshold has shape {t.shape}: allowed is a number or (J,)")
    order, share = np.argsort(y_prob, kind="stable"), weight / weight.sum()
    first = np.searchsorted(y_prob[order], t, side="right")  # of those above the threshold
    found, alarms = (
        np.r_[np.cumsum((share * of)[order][::-1])[::-1], 0.0][first] for of in (positive, ~positive)
    )
    benefit = found - t / (1 - t) * alarms
    return benefit if benefit.ndim else float(benefit)


@dataclass(frozen=True)
class DecisionCurve:
    """Net benefit over threshold probabilities.

    Attributes
    ----------
    threshold : ndarray of shape (J,)
        Thresholds, increasing.
    net_benefit : ndarray of shape (J,)
        Of the model, in true positives per case.
    all_positive : ndarray of shape (J,)
        Of deciding everything positive; deciding everything negative has 0.
    prevalence : float
        Share of positives, which no net benefit exceeds.
    """

    threshold: np.ndarray
    net_benefit: np.ndarray
    all_positive: np.ndarray
    prevalence: float


def decision_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    thresholds: ArrayLike | None = None,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> DecisionCurve:
    """Decision curve of Vickers and Elkin (2006): :func:`net_benefit` at each threshold.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    thresholds : array_like of shape (J,), optional
        Increasing thresholds in [0, 1); 0.01, 0.02 and so on to 0.99 by default.
    pos_label : label, optional
        The positive class; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    DecisionCurve
        Net benefit of the model and of the constant decisions.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> curve = decision_curve([1, 1, 0, 0], [0.9, 0.1, 0.4, 0.05], [0.2, 0.5])
    >>> curve.net_benefit, curve.all_positive
    (array([0.1875, 0.25  ]), array([0.375, 0.   ]))
    """
    t = THRESHOLDS if thresholds is None else read_array("thresholds", thresholds, "[0, 1)", shape=(None,))
    if np.any(np.diff(t) <= 0):
        raise ValueError("thresholds: allowed are thresholds in increasing order, each once")
    benefit = net_benefit(y_true, y_prob, t, pos_label=pos_label, sample_weight=sample_weight)
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight)
    prevalence = float(np.average(positive, weights=weight))
    return DecisionCurve(t, np.asarray(benefit), prevalence - t / (1 - t) * (1 - prevalence), prevalence)
