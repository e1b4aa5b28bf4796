"""How good decisions and probabilities are, given the costs.

Decisions: expected and total cost, savings, the loss :math:`Q` of Eq. (26) of Nikolaou et al. (2016),
F-measure and the three quantities that papers call g-mean. Probabilities: the Brier score and its
decomposition.

Labels may be any two values. ``pos_label`` is the one whose miss costs ``fn_cost``; by default it is the
larger of the two, as in scikit-learn's ``classes_[1]``. Of two words it must be named where it matters which
of them is positive.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression
from sklearn.metrics import confusion_matrix, fbeta_score

from csb.costs import check_costs, skew
from csb.engine.compiled import compiled
from csb.evaluation.decisions import ABSTAINING, Stakes, read_stakes, read_undecided
from csb.inputs import (
    NUMBERS,
    ONE_CLASS,
    balance,
    check_flag,
    check_order,
    read_array,
    read_column,
    read_labels,
    read_number,
    read_weights,
)

__all__ = [
    "BrierDecomposition", "brier_decomposition", "brier_decompositions", "brier_score", "case_costs",
    "expected_cost", "f_measure", "gmean", "gmean_counts", "gmean_precision_recall", "normalised_loss",
    "savings_score", "total_cost",
]  # fmt: skip


def _counts(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: object,
    sample_weight: ArrayLike | None,
    both_classes: bool = False,
    symmetric: bool = False,
) -> np.ndarray:
    """Weights of true negatives, false positives, false negatives and true positives."""
    positive, predicted, weight = read_labels(
        y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight, symmetric=symmetric
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
        The class whose miss costs ``fn_cost``: the larger label by default; of two words with unequal costs
        it must be named.
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
    costs = check_costs(fn_cost, fp_cost, single=True)
    share = None if prevalence is None else read_number("prevalence", prevalence, "[0, 1]")
    symmetric = costs.equal and share in (None, 0.5)
    tn, fp, fn, tp = _counts(y_true, y_pred, pos_label, sample_weight, True, symmetric)
    (z,) = skew(*costs, (fn + tp) / (tn + fp + fn + tp) if share is None else share)
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
    tn, fp, fn, tp = _counts(y_true, y_pred, pos_label, sample_weight, both_classes=True, symmetric=True)
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
        The positive class: the larger label by default; of two words it must be named.
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
    counts = _counts(y_true, y_pred, pos_label, sample_weight, symmetric=True)
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
        The positive class: the larger label by default; of two words it must be named.
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


def case_costs(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    abstain_cost: ArrayLike | None = None,
    abstain_label: object = None,
    pos_label: object = None,
) -> np.ndarray:
    """What each decision costs, as for the interval of a mean or of a difference of two.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    fn_cost, fp_cost : float or array_like of shape (n,)
        Costs of a false negative and of a false positive, of all cases or of each.
    tp_cost, tn_cost : float or array_like of shape (n,)
        Costs of a true positive and of a true negative; negative for a gain.
    abstain_cost, abstain_label
        As :func:`expected_cost` takes them.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``: the larger label by default; of two words with unequal costs
        it must be named.

    Returns
    -------
    ndarray of shape (n,)
        In the unit of the costs.

    Raises
    ------
    ValueError
        If labels or costs are not admissible.

    Examples
    --------
    >>> case_costs([1, 1, 0, 0], [0, 1, 1, 0], fn_cost=[5, 5, 9, 9])
    array([5., 0., 1., 0.])
    """
    costs = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    return _paid(y_true, y_pred, pos_label, None, abstain_cost, abstain_label, **costs).decided


def total_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    abstain_cost: ArrayLike | None = None,
    abstain_label: object = None,
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
        Costs of a true positive and of a true negative; negative for a gain.
    abstain_cost : float or array_like of shape (n,), optional
        Cost of leaving a case undecided; by default every case is decided.
    abstain_label : label, optional
        What ``y_pred`` says of a case left undecided: by default -1, or the smaller class less one if that is
        lower; among strings "abstain".
    pos_label : label, optional
        The class whose miss costs ``fn_cost``: the larger label by default; of two words with unequal costs
        it must be named.
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
    paid = _paid(y_true, y_pred, pos_label, sample_weight, abstain_cost, abstain_label, **costs)
    return float(np.sum(paid.weight * paid.decided))


def expected_cost(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    abstain_cost: ArrayLike | None = None,
    abstain_label: object = None,
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
        Costs of a true positive and of a true negative; negative for a gain.
    abstain_cost : float or array_like of shape (n,), optional
        Cost of leaving a case undecided; by default every case is decided.
    abstain_label : label, optional
        What ``y_pred`` says of a case left undecided: by default -1, or the smaller class less one if that is
        lower; among strings "abstain".
    pos_label : label, optional
        The class whose miss costs ``fn_cost``: the larger label by default; of two words with unequal costs
        it must be named.
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

    Somebody looks at the case that is in doubt, which costs one half:

    >>> expected_cost([1, 1, 0, 0], [0, 1, 1, -1], fn_cost=5, abstain_cost=0.5)
    1.625
    """
    costs = {"fn_cost": fn_cost, "fp_cost": fp_cost, "tp_cost": tp_cost, "tn_cost": tn_cost}
    paid = _paid(y_true, y_pred, pos_label, sample_weight, abstain_cost, abstain_label, **costs)
    return float(np.average(paid.decided, weights=paid.weight))


def savings_score(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    *,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    tp_cost: ArrayLike = 0.0,
    tn_cost: ArrayLike = 0.0,
    abstain_cost: ArrayLike | None = None,
    abstain_label: object = None,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Share of the cost of the better constant decision that is saved.

    :math:`1 - C(\hat y)/\min(C(-), C(+))`, where :math:`C(-)` and :math:`C(+)` are the costs of calling every
    case negative, or every case positive (Correa Bahnsen et al. 2014). These decide every case, also where
    :math:`\hat y` leaves some undecided.

    Parameters
    ----------
    y_true, y_pred : array_like of shape (n,)
        Labels and predicted labels.
    fn_cost, fp_cost : float or array_like of shape (n,)
        Costs of a false negative and of a false positive, of all cases or of each.
    tp_cost, tn_cost : float or array_like of shape (n,)
        Costs of a true positive and of a true negative; negative for a gain.
    abstain_cost : float or array_like of shape (n,), optional
        Cost of leaving a case undecided; by default every case is decided.
    abstain_label : label, optional
        What ``y_pred`` says of a case left undecided: by default -1, or the smaller class less one if that is
        lower; among strings "abstain".
    pos_label : label, optional
        The class whose miss costs ``fn_cost``: the larger label by default; of two words with unequal costs
        it must be named.
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
    paid = _paid(y_true, y_pred, pos_label, sample_weight, abstain_cost, abstain_label, **costs)
    never, always, cost = (
        float(np.average(each, weights=paid.weight))
        for each in (paid.constant(False), paid.constant(True), paid.decided)
    )
    if min(never, always) <= 0:
        raise ValueError(
            f"y_true and {', '.join(costs)}: the better constant decision costs {min(never, always):g} a "
            "case; allowed is one that costs something, else no share of it can be saved"
        )
    return 1 - cost / min(never, always)


class _Paid(NamedTuple):
    """What each case costs as it was decided, and what else would have cost."""

    decided: np.ndarray
    weight: np.ndarray
    positive: np.ndarray
    stakes: Stakes

    def constant(self, called: bool) -> np.ndarray:
        """What each case costs where all are called positive, or none is."""
        return self.stakes.paid(self.positive, np.full(len(self.positive), called))


def _paid(
    y_true: ArrayLike,
    y_pred: ArrayLike,
    pos_label: object,
    sample_weight: ArrayLike | None,
    abstain_cost: ArrayLike | None,
    abstain_label: object,
    **costs: ArrayLike,
) -> _Paid:
    true = read_column("y_true", y_true)
    stakes = read_stakes(len(true), **costs)
    undecided, none = np.zeros(len(true), bool), np.zeros(())
    if abstain_cost is not None:
        check_order(y_true=y_true, y_pred=y_pred, abstain_cost=abstain_cost)
        classes = np.unique(true[read_weights(sample_weight, true) > 0])
        if abstain_label is None and len(classes) == 1 and classes.dtype.kind in NUMBERS:
            raise ValueError(
                f"abstain_label=None, and the only label in y_true is {classes.tolist()[0]!r}: name what is "
                "said of a case left undecided, it must be neither class"
            )
        y_pred, undecided, none = read_undecided(true, y_pred, classes, abstain_cost, abstain_label)
    elif abstain_label is not None:
        raise ValueError(ABSTAINING)
    positive, called, weight = read_labels(
        y_true,
        y_pred,
        pos_label=pos_label,
        sample_weight=sample_weight,
        symmetric=stakes.symmetric,
        **costs,
    )
    decided = np.where(undecided, none, stakes.paid(positive, called))
    return _Paid(decided, weight, positive, stakes)


TIE = 1e-15
"""Probabilities closer than this are equal but for rounding: they are one point of the regression."""


def brier_score(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    class_balanced: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Mean squared difference between probability and outcome.

    The plain score is the area under the Brier curve over cost. The class-balanced one,
    :math:`\frac12 E[\hat p^2|-] + \frac12 E[(1-\hat p)^2|+]`, is the area under the curve over skew
    (the book's errata page, E-N18).

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    class_balanced : bool, default False
        Whether both classes count one half.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        In [0, 1]; the smaller the better.

    Raises
    ------
    ValueError
        If labels, probabilities or weights are not admissible, or a class to be balanced is absent.

    Examples
    --------
    >>> brier_score([1, 0, 0], [0.5, 0.0, 0.0], class_balanced=True)
    0.125
    """
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight, y_prob=y_prob)
    y_prob = read_array("y_prob", y_prob, "[0, 1]", shape=positive.shape)
    if check_flag("class_balanced", class_balanced):
        weight = balance(positive, weight)
    return float(np.average((y_prob - positive) ** 2, weights=weight))


@dataclass(frozen=True)
class BrierDecomposition:
    """Parts of a Brier score, ``miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    miscalibration : float
        What isotonic recalibration would gain; the calibration or reliability loss.
    discrimination : float
        What the recalibrated probabilities gain over the base rate; the resolution.
    uncertainty : float
        Brier score of the base rate.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def refinement(self) -> float:
        """Brier score after recalibration, ``uncertainty - discrimination``."""
        return self.uncertainty - self.discrimination

    @property
    def score(self) -> float:
        """The Brier score."""
        return self.miscalibration + self.refinement


def brier_decomposition(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    class_balanced: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> BrierDecomposition:
    """Split the Brier score into calibration and refinement, without bins.

    Recalibration is by isotonic regression (the CORP decomposition of Dimitriadis, Gneiting and Jordan,
    2021), so that no choice of bins enters and the parts sum to the score exactly.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    class_balanced : bool, default False
        Whether both classes count one half.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    BrierDecomposition
        Miscalibration, discrimination and uncertainty, none negative.

    Raises
    ------
    ValueError
        If labels, probabilities or weights are not admissible, or a class to be balanced is absent.

    Examples
    --------
    >>> brier_decomposition([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75])
    BrierDecomposition(miscalibration=0.0625, discrimination=0.0, uncertainty=0.25)
    """
    (parts,) = _decompose(y_true, y_prob, (), class_balanced, pos_label, sample_weight)
    return parts


def brier_decompositions(
    y_true: ArrayLike,
    y_probs: ArrayLike,
    *,
    class_balanced: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> list[BrierDecomposition]:
    """Split the Brier scores of several models on the same examples.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_probs : array_like of shape (B, n)
        Probability of the positive class, from each of B models.
    class_balanced : bool, default False
        Whether both classes count one half.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    list of BrierDecomposition
        What :func:`brier_decomposition` makes of each row.

    Raises
    ------
    ValueError
        If labels, probabilities or weights are not admissible, or a class to be balanced is absent.

    Examples
    --------
    >>> [parts.score for parts in brier_decompositions([0, 1], [[0.5, 0.5], [0.0, 1.0]])]
    [0.25, 0.0]
    """
    return _decompose(y_true, y_probs, (None,), class_balanced, pos_label, sample_weight)


def _decompose(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    models: tuple[None, ...],
    class_balanced: bool,
    pos_label: object,
    sample_weight: ArrayLike | None,
) -> list[BrierDecomposition]:
    """The parts for each model; ``models`` is the shape of the probabilities but for the examples."""
    name = "y_probs" if models else "y_prob"
    others: dict[str, Any] = {} if models else {name: y_prob}
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight, **others)
    probs = np.atleast_2d(read_array(name, y_prob, "[0, 1]", shape=(*models, *positive.shape)))
    if check_flag("class_balanced", class_balanced):
        weight = balance(positive, weight)
    used = weight > 0
    probs, outcome, weight = probs.compress(used, axis=1), positive[used].astype(float), weight[used]
    recalibrated = np.stack([_recalibrate(p, outcome, weight) for p in probs])
    given, refined = (
        np.average((p - outcome) ** 2, axis=1, weights=weight).tolist() for p in (probs, recalibrated)
    )
    base_rate = np.average(outcome, weights=weight)
    uncertain = float(np.average((base_rate - outcome) ** 2, weights=weight))
    return [BrierDecomposition(g - r, uncertain - r, uncertain) for g, r in zip(given, refined, strict=True)]


def _recalibrate(y_prob: np.ndarray, outcome: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Isotonic regression of the outcomes as scikit-learn has it, without its checks, which cost more."""
    order = np.argsort(y_prob, kind="stable")
    values, level = y_prob[order], np.empty(len(order), np.int64)
    _number_levels(values, level)
    mass = np.bincount(level, weight[order])
    share = np.bincount(level, (weight * outcome)[order]) / mass
    firsts = values[np.flatnonzero(np.diff(level, prepend=-1))]
    return np.interp(y_prob, firsts, isotonic_regression(share, weights=mass).x)


@compiled()
def _number_levels(values: np.ndarray, level: np.ndarray) -> None:
    """Number of each of the sorted values, where those that are equal but for rounding share one."""
    number, first = 0, values[0]
    for i in range(values.shape[0]):
        if values[i] - first >= TIE:
            number, first = number + 1, values[i]
        level[i] = number
