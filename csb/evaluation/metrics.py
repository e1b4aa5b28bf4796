"""How good decisions and probabilities are, given the costs.

Decisions: expected and total cost, savings, the loss :math:`Q` of Eq. (26) of Nikolaou et al. (2016),
F-measure and the three quantities that papers call g-mean. Probabilities: the Brier score and its
decomposition.

Labels may be any two values. ``pos_label`` is the one whose miss costs ``fn_cost``; by default it is the
larger of the two, as in scikit-learn's ``classes_[1]``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import confusion_matrix, fbeta_score

from csb.costs import check_costs, skew
from csb.evaluation.brier import (
    BrierDecomposition,
    brier_decomposition,
    brier_decompositions,
    brier_score,
)
from csb.evaluation.cost_metrics import expected_cost, savings_score, total_cost
from csb.inputs import ONE_CLASS, read_labels, read_number

__all__ = [
    "BrierDecomposition", "brier_decomposition", "brier_decompositions", "brier_score", "expected_cost",
    "f_measure", "gmean", "gmean_counts", "gmean_precision_recall", "normalised_loss", "savings_score",
    "total_cost",
]  # fmt: skip


def _counts(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: object,
    sample_weight: ArrayLike | None,
    both_classes: bool = False,
) -> np.ndarray:
    """Weights of true negatives, false positives, false negatives and true positives."""
    positive, predicted, weight = read_labels(
        y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight
    )
    table = confusion_matrix(positive, predicted, labels=[False, True], sample_weight=weight)
    if both_classes and not table.sum(axis=1).all():
        raise ValueError(ONE_CLASS)
    return table.ravel()


def normalised_loss(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: float = 1.0,
    fp_cost: float = 1.0,
    prevalence: float | None = None,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Normalised loss :math:`Q = FNR\,(1-z) + FPR\,z`, Eq. (26) of Nikolaou et al. (2016).

    The skew :math:`z` of Eq. (27) is the share of the negatives in the cost at stake: below 1/2 the
    positives matter more (the book's errata page, E-N09, on the sense of :math:`z`). Predicting the
    negative class always costs :math:`1-z`, the positive class always :math:`z`.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels, of both classes, and predicted labels.
    fn_cost, fp_cost : float
        Positive costs of a false negative and of a false positive.
    prevalence : float, optional
        Share of the positive class where the classifier will be used; that of ``y_true`` by default.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        The loss, in [0, 1]. With the default prevalence it is the expected cost divided by the mean
        cost of an error on each of the examples.

    Raises
    ------
    ValueError
        If labels, costs, prevalence or weights are not admissible, or a class is absent.

    Examples
    --------
    >>> normalised_loss([1, 1, 0, 0], [0, 1, 1, 1], fn_cost=3, prevalence=0.5)
    0.625
    """
    tn, fp, fn, tp = _counts(y_true, y_pred, pos_label, sample_weight, both_classes=True)
    costs = check_costs(fn_cost, fp_cost, single=True)
    share = (fn + tp) / (tn + fp + fn + tp)
    if prevalence is not None:
        share = read_number("prevalence", prevalence, "[0, 1]")
    (z,) = skew(*costs, share)
    return float(fn / (fn + tp) * (1 - z) + fp / (fp + tn) * z)


def gmean(
    y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> float:
    r"""Geometric mean of the two recalls, :math:`\sqrt{TPR \cdot TNR}`: the g-mean as usually meant.

    Table 1 of Karakoulas and Shawe-Taylor (1998) holds it, under another formula (the book's errata
    page, E-K07).

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels, of both classes, and predicted labels.
    pos_label : label, optional
        Of no consequence for the value.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If labels or weights are not admissible, or a class is absent.

    Examples
    --------
    >>> gmean([1, 1, 0, 0], [0, 1, 0, 1])
    0.5
    """
    tn, fp, fn, tp = _counts(y_true, y_pred, pos_label, sample_weight, both_classes=True)
    return float(np.sqrt(tp / (tp + fn) * (tn / (tn + fp))))


def gmean_precision_recall(
    y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> float:
    r"""Geometric mean of precision and recall: the formula of Karakoulas and Shawe-Taylor (1998).

    Their table holds :func:`gmean` instead (the book's errata page, E-K07).

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels, with positives among them, and predicted labels.
    pos_label : label, optional
        The positive class; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        In [0, 1]; 0 where nothing is predicted positive.

    Raises
    ------
    ValueError
        If labels or weights are not admissible, or a class is absent.

    Examples
    --------
    >>> gmean_precision_recall([1, 1, 0, 0], [1, 1, 1, 1]) == 0.5 ** 0.5
    True
    """
    _, fp, fn, tp = _counts(y_true, y_pred, pos_label, sample_weight, both_classes=True)
    return float(np.sqrt(tp / (tp + fn) * (tp / (tp + fp)))) if tp else 0.0


def gmean_counts(
    y_true: ArrayLike, y_pred: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> float:
    r"""The g-mean in the tables of Cao et al. (2013), :math:`\sqrt{TP \cdot TN}/n`.

    It equals :func:`gmean` times :math:`\sqrt{\pi_+\pi_-}`, so that even a perfect classifier has at
    most 1/2, and less where classes are unequal (the book's errata page, E-A10).

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    pos_label : label, optional
        Of no consequence for the value.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        In [0, 1/2].

    Raises
    ------
    ValueError
        If labels or weights are not admissible.

    Examples
    --------
    >>> gmean_counts([1, 1, 0, 0], [1, 1, 0, 0])
    0.5
    """
    counts = _counts(y_true, y_pred, pos_label, sample_weight)
    return float(np.sqrt(counts[0] * counts[3]) / counts.sum())


def f_measure(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    beta: float = 1.0,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    """F-measure, scikit-learn's ``fbeta_score``.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    beta : float, default 1.0
        Weight of recall against precision, not negative.
    pos_label : label, optional
        The positive class; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        In [0, 1]; 0 where there is no true positive.

    Raises
    ------
    ValueError
        If labels or weights are not admissible.

    Examples
    --------
    >>> f_measure([1, 1, 0, 0], [0, 1, 0, 1])
    0.5
    """
    beta = read_number("beta", beta, "[0, 1e100]")
    positive, predicted, weight = read_labels(
        y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight
    )
    return float(fbeta_score(positive, predicted, beta=beta, sample_weight=weight, zero_division=0.0))
