"""Maximal-margin hyperplanes: what the thresholds of Karakoulas and Shawe-Taylor (1998) make of them.

Half-way between the closest examples, such a hyperplane is as far from one class as from the other. The rules
of :mod:`csb.methods.thresholds` move it parallel to itself, towards the class whose errors are cheap.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from csb.costs import check_costs
from csb.inputs import MODERATE, check_instance, check_shapes, read_array, read_column, read_labels, shown
from csb.methods.thresholds import SupportScores, threshold_between

if TYPE_CHECKING:
    from sklearn.svm import SVC

__all__ = ["MarginHyperplane", "closest_scores", "margin_hyperplane", "margin_shift"]


def margin_shift(
    margin: ArrayLike, fn_cost: ArrayLike = 1.0, fp_cost: ArrayLike = 1.0, rule: str = "eta"
) -> np.ndarray:
    r"""By how much the threshold moves away from the middle: :math:`\eta = \gamma_0\frac{r-1}{r+1}`.

    For "eta" this is Eq. (2) of Karakoulas and Shawe-Taylor (1998). The margin of the positives grows to
    :math:`\gamma_0 + \eta`, that of the negatives shrinks to :math:`\gamma_0 - \eta`.

    Parameters
    ----------
    margin : float or array_like of shape (B,)
        The margin :math:`\gamma_0` of the middle.
    fn_cost, fp_cost : float or array_like of shape (B,)
        Positive costs of a false negative and of a false positive.
    rule : {"b", "eta", "eta_max", "midpoint"}, default "eta"
        A key of :data:`csb.methods.thresholds.RULES`.

    Returns
    -------
    float or ndarray of shape (B,)
        The shift, negative where the false positives cost more.

    Raises
    ------
    ValueError
        If a cost or the rule is not admissible.

    Examples
    --------
    >>> float(margin_shift(3.0, fn_cost=8.0).round(12))
    1.0
    """
    margin, costs = read_array("margin", margin, MODERATE), check_costs(fn_cost, fp_cost)
    if np.ndim(fn_cost) or np.ndim(fp_cost):
        check_shapes(margin=margin, fn_cost=costs.fn_cost)
    return -threshold_between(-margin, margin, fn_cost, fp_cost, rule)


def closest_scores(y_true: ArrayLike, score: ArrayLike, *, pos_label: object = None) -> SupportScores:
    """The closest negative and positive of scores that separate the classes.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels of both classes.
    score : array_like of shape (n,)
        Any real score, larger for positives.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.

    Returns
    -------
    SupportScores
        The largest score of a negative and the smallest of a positive.

    Raises
    ------
    ValueError
        If the scores do not separate the classes, or an argument is not admissible.

    Examples
    --------
    >>> threshold = threshold_between(*closest_scores([0, 0, 1, 1], [-3.0, -1.0, 2.0, 5.0]), fn_cost=2.0)
    >>> float(threshold)
    0.0
    """
    positive, _ = read_labels(y_true, pos_label=pos_label)
    score = read_array("score", score, shape=positive.shape)
    if positive.all() or not positive.any():
        raise ValueError("y_true holds one class only: a threshold between classes needs examples of both")
    found = SupportScores(float(score[~positive].max()), float(score[positive].min()))
    if found.negative >= found.positive:
        raise ValueError(
            f"score, pos_label: a negative has {found.negative:g} and a positive {found.positive:g}, so that "
            "no threshold separates the classes, as one must; search_support_scores drops what is in the way"
        )
    return found


@dataclass(frozen=True)
class MarginHyperplane:
    r"""A maximal-margin hyperplane and its margin.

    Attributes
    ----------
    support : SupportScores
        Values of the decision function at the closest negative and positive.
    unit : float
        Distance from the hyperplane, in feature space, for one unit of the decision function:
        :math:`1/\lVert w\rVert`.
    """

    support: SupportScores
    unit: float

    @property
    def margin(self) -> float:
        r"""Distance :math:`\gamma_0` of the closest examples from the hyperplane half-way between them."""
        return self.support.margin * self.unit


def margin_hyperplane(svc: SVC, X: ArrayLike, y: ArrayLike) -> MarginHyperplane:
    r"""Read the maximal-margin hyperplane from a support vector classifier, Section 3 of the paper.

    Thresholds on ``svc.decision_function`` are :func:`csb.methods.thresholds.threshold_between` of its
    ``support``; the shift of Eq. (2), as a distance, is :func:`margin_shift` of its ``margin``.

    Parameters
    ----------
    svc : sklearn.svm.SVC
        Fitted on ``X`` and ``y`` without error, with a ``C`` large enough for the hard margin.
    X : array_like of shape (n, d)
        Its training examples, or their Gram matrix where the kernel is precomputed.
    y : array_like of shape (n,)
        Their labels.

    Returns
    -------
    MarginHyperplane
        In the feature space of the kernel.

    Raises
    ------
    ValueError
        If it is no fitted binary SVC, errs on the examples, or they are not those of its training.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> plane = margin_hyperplane(SVC(kernel="linear", C=1e3).fit(X, y), X, y)
    >>> round(plane.margin, 3)
    1.0
    >>> round(float(threshold_between(*plane.support, fn_cost=3.0)), 3)
    -0.5
    """
    from sklearn.svm import SVC

    check_instance("svc", svc, SVC)
    check_is_fitted(svc, msg="svc must be fitted")
    if len(svc.classes_) != 2:
        raise ValueError(f"svc was fitted to {len(svc.classes_)} classes: allowed are two")
    table = read_array("X", X, MODERATE, shape=svc.shape_fit_)
    labels = read_column("y", y, len(table))
    if np.unique(labels).tolist() != svc.classes_.tolist():
        raise ValueError(
            f"y={shown(y)}: allowed are the classes of svc, {shown(svc.classes_.tolist())}, both"
        )
    score = svc.decision_function(X if hasattr(svc, "feature_names_in_") else table)
    try:
        support = closest_scores(labels, score, pos_label=svc.classes_[1])
    except ValueError as error:
        raise ValueError(f"svc must be without error on X and y: {error}") from None
    # w is the sum of the support vectors times their dual coefficients, which sum to zero: no intercept here
    squared_norm = (svc.dual_coef_ @ score[svc.support_]).item()
    return MarginHyperplane(support, squared_norm**-0.5)
