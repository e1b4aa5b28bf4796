"""A figure with a slider for the cost ratio, in a notebook and in the built book, without a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import confusion_matrix

from csb.compendium.chapters.markup import element
from csb.compendium.chapters.picker import page
from csb.costs import check_costs
from csb.inputs import read_array, read_labels

__all__ = ["ThresholdSlider"]

COLORS = ("#0072B2", "#D55E00")
"""Of the negative and the positive class."""


class ThresholdSlider:
    r"""Predicted probabilities of both classes, and what the decision costs as the cost ratio moves.

    The threshold is :math:`c = c_{FP}/(c_{FP}+c_{FN})`, Eq. (2) of Nikolaou et al. (2016). Costs are in units
    of a false alarm.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels of two classes.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    fn_cost : array_like of shape (r,)
        Costs of a miss, in false alarms, where the slider can stand.
    names : tuple of str, default ("negative", "positive")
        How the classes are called.
    bins : int, default 20
        Number of bars for each class.
    pos_label : label, optional
        The positive class; the larger label by default.

    Attributes
    ----------
    counts : ndarray of shape (r, 4)
        True negatives, false positives, false negatives and true positives at each ratio.
    costs : ndarray of shape (r, 3)
        Expected cost per example of the decision, of predicting the positive class never, and always.

    Raises
    ------
    ValueError
        If labels, probabilities or costs are not admissible.

    Examples
    --------
    >>> slider = ThresholdSlider([0, 0, 1, 1], [0.1, 0.4, 0.3, 0.9], fn_cost=[1, 4])
    >>> slider.counts
    array([[2, 0, 1, 1],
           [1, 1, 0, 2]])
    >>> slider.costs
    array([[0.25, 0.5 , 0.5 ],
           [0.25, 2.  , 0.5 ]])
    """

    def __init__(
        self,
        y_true: ArrayLike,
        y_prob: ArrayLike,
        fn_cost: ArrayLike,
        names: tuple[str, str] = ("negative", "positive"),
        *,
        bins: int = 20,
        pos_label: object = None,
    ) -> None:
        positive, _ = read_labels(y_true, pos_label=pos_label)
        p = read_array("y_prob", y_prob, "[0, 1]", shape=positive.shape)
        costs = check_costs(fn_cost)
        self.ratios, self.threshold = costs.fn_cost, costs.threshold
        above = p > self.threshold[:, np.newaxis]
        self.counts = np.array(
            [confusion_matrix(positive, row, labels=[False, True]).ravel() for row in above]
        )
        _, alarms, missed, _ = self.counts.T
        never, always = self.ratios * positive.sum(), np.full(len(above), np.sum(~positive))
        self.costs = np.column_stack([self.ratios * missed + alarms, never, always]) / len(p)
        self.bars = [np.histogram(p[of], bins, (0, 1))[0] for of in (~positive, positive)]
        self.names = names

    def _repr_html_(self) -> str:
        data = {
            "bars": self.bars, "names": self.names, "colors": COLORS,
            "ratios": [f"{ratio:.3g}" for ratio in self.ratios], "threshold": self.threshold.round(6),
            "counts": self.counts, "costs": self.costs.round(6),
        }  # fmt: skip
        last = len(self.ratios) - 1
        slider = {"type": "range", "min": 0, "max": last, "step": 1, "value": last // 2}
        words = "cost of a miss over that of a false alarm "
        return page("slider.js", [element("label", None, words, element("input", slider))], data)

    def __repr__(self) -> str:
        low, high = self.ratios.min(), self.ratios.max()
        return f"ThresholdSlider: {len(self.ratios)} cost ratios from {low:.3g} to {high:.3g}"
