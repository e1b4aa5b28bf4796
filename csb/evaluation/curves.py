"""Curves over costs, probabilities and margins: computed here, drawn by :mod:`csb.evaluation.displays`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.integrate import trapezoid
from sklearn.isotonic import IsotonicRegression

from csb.inputs import MODERATE, balance, check_count, one_of, read_array, read_labels

__all__ = [
    "BrierCurve", "CostCurve", "DecisionCurve", "MarginDistribution", "ReliabilityDiagram", "brier_curve",
    "cost_curve", "decision_curve", "margin_distribution", "net_benefit", "normalised_margins",
    "reliability_diagram",
]  # fmt: skip

Condition = Literal["skew", "cost"]


@dataclass(frozen=True)
class BrierCurve:
    """Loss of thresholding probabilities at the operating condition.

    Attributes
    ----------
    condition, loss : ndarray of shape (2 K,)
        The exact curve: straight between the predicted probabilities, with a jump (a condition named
        twice) at each.
    area : float
        Exact area below the curve.
    over : {"skew", "cost"}
        What the condition is.
    """

    condition: np.ndarray
    loss: np.ndarray
    area: float
    over: Condition

    def at(self, condition: ArrayLike) -> np.ndarray:
        """Loss at given conditions.

        Parameters
        ----------
        condition : float or array_like of shape (J,)
            Conditions in [0, 1].

        Returns
        -------
        ndarray of shape (J,) or float
            The loss; at a jump, the value on its right.

        Examples
        --------
        >>> brier_curve([0, 1], [0.5, 1.0], over="cost").at([0.25, 0.5])
        array([0.25, 0.  ])
        """
        return np.interp(read_array("condition", condition, "[0, 1]"), self.condition, self.loss)


def brier_curve(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    over: Condition = "skew",
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> BrierCurve:
    r"""Brier curve: predict positive where :math:`\hat p` exceeds the condition, for every condition.

    Over skew the loss is :math:`Q(z) = (1-z)\,FNR + z\,FPR`, Eq. (26) of Nikolaou et al. (2016), and the
    area is the class-balanced Brier score. Over cost it is :math:`2[(1-c)\,FN + c\,FP]/n` and the area is
    the Brier score.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    over : {"skew", "cost"}, default "skew"
        The operating condition.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    BrierCurve
        The curve and its area.

    Raises
    ------
    ValueError
        If an argument is not admissible, or a class is absent whose rate is needed.

    Examples
    --------
    >>> brier_curve([0, 1], [0.5, 1.0], over="cost").area
    0.125
    """
    one_of("over", over, get_args(Condition))
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight, y_prob=y_prob)
    y_prob = read_array("y_prob", y_prob, "[0, 1]", shape=positive.shape)
    weight = balance(positive, weight) if over == "skew" else weight / weight.sum()
    levels, group = np.unique(y_prob, return_inverse=True)
    # on each stretch between two predicted values the two kinds of error stay the same
    missed = np.r_[0.0, np.cumsum(np.bincount(group, weight * positive))]
    alarms = np.r_[np.cumsum(np.bincount(group, weight * ~positive)[::-1])[::-1], 0.0]
    left, right = np.r_[0.0, levels], np.r_[levels, 1.0]
    condition = np.column_stack([left, right])
    loss = 2 * (missed[:, np.newaxis] * (1 - condition) + alarms[:, np.newaxis] * condition)
    area = float(np.sum(loss.mean(axis=1) * (right - left)))
    return BrierCurve(condition.ravel(), loss.ravel(), area, over)


@dataclass(frozen=True)
class CostCurve:
    """Cost lines of all thresholds of a score, and their lower envelope.

    Attributes
    ----------
    fpr, fnr : ndarray of shape (K,)
        Error rates of each threshold. Its cost line runs from (0, FNR) to (1, FPR).
    thresholds : ndarray of shape (K,)
        Predict positive where the score exceeds it.
    skew, envelope : ndarray of shape (J,)
        Corners of the lower envelope: the loss of the best threshold for each skew.
    area : float
        Exact area below the envelope.
    """

    fpr: np.ndarray
    fnr: np.ndarray
    thresholds: np.ndarray
    skew: np.ndarray
    envelope: np.ndarray
    area: float

    def lines(self, skew: ArrayLike) -> np.ndarray:
        """Loss of every threshold.

        Parameters
        ----------
        skew : float or array_like of shape (J,)
            Skews in [0, 1].

        Returns
        -------
        ndarray of shape (K, J)
            The cost lines at these skews.

        Examples
        --------
        >>> cost_curve([0, 1], [0.3, 0.8]).lines([0.25, 0.5])
        array([[0.25, 0.5 ],
               [0.  , 0.  ],
               [0.75, 0.5 ]])
        """
        z = read_array("skew", np.atleast_1d(read_array("skew", skew, "[0, 1]")), shape=(None,))
        return self.fnr[:, np.newaxis] * (1 - z) + self.fpr[:, np.newaxis] * z


def cost_curve(
    y_true: ArrayLike, score: ArrayLike, *, pos_label: object = None, sample_weight: ArrayLike | None = None
) -> CostCurve:
    """Cost curve of Drummond and Holte: normalised loss against skew, for every threshold of a score.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels of both classes.
    score : array_like of shape (n,)
        Finite scores that speak for the positive class.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    CostCurve
        Lines and lower envelope. No choice of threshold lies below the envelope, so a Brier curve never
        does.

    Raises
    ------
    ValueError
        If an argument is not admissible or a class is absent.

    Examples
    --------
    >>> curve = cost_curve([0, 1, 0, 1], [0.1, 0.4, 0.6, 0.9])
    >>> curve.area
    0.125
    """
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight, score=score)
    score = read_array("score", score, shape=positive.shape)
    weight = 2 * balance(positive, weight)
    levels, group = np.unique(score, return_inverse=True)
    fnr = np.r_[0.0, np.cumsum(np.bincount(group, weight * positive))]
    fpr = np.r_[np.cumsum(np.bincount(group, weight * ~positive)[::-1])[::-1], 0.0]
    thresholds = np.r_[-np.inf, levels]
    hull = _lower_hull(fpr, fnr)
    x, y = fpr[hull], fnr[hull]  # FPR falls and FNR rises along the hull: its lines follow each other
    crossing = np.diff(y) / (np.diff(y) - np.diff(x))
    skew = np.r_[0.0, crossing, 1.0]
    envelope = np.r_[y[0], y[:-1] * (1 - crossing) + x[:-1] * crossing, x[-1]]
    return CostCurve(fpr, fnr, thresholds, skew, envelope, float(trapezoid(envelope, skew)))


def _lower_hull(fpr: np.ndarray, fnr: np.ndarray) -> np.ndarray:
    """Thresholds on the lower left hull of the error rates, from the lowest threshold up."""
    hull: list[int] = []
    for k in np.lexsort((fpr, fnr)):
        if hull and fpr[k] >= fpr[hull[-1]]:
            continue  # no better in either rate
        while len(hull) > 1:
            a, b = hull[-2:]
            if (fpr[b] - fpr[a]) * (fnr[k] - fnr[a]) - (fnr[b] - fnr[a]) * (fpr[k] - fpr[a]) >= 0:
                hull.pop()
            else:
                break
        hull.append(int(k))
    return np.array(hull)


@dataclass(frozen=True)
class ReliabilityDiagram:
    """Observed frequency against predicted probability.

    Attributes
    ----------
    predicted, observed, count : ndarray of shape (J,)
        Mean probability, share of positives and weight of each bin that is not empty.
    level, isotonic : ndarray of shape (K,)
        The distinct probabilities, and the recalibrated ones: the isotonic fit of the outcomes.
    bin : ndarray of shape (J,)
        Numbers of the bins that are not empty.
    """

    predicted: np.ndarray
    observed: np.ndarray
    count: np.ndarray
    level: np.ndarray
    isotonic: np.ndarray
    bin: np.ndarray


def reliability_diagram(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    n_bins: int = 10,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> ReliabilityDiagram:
    """Reliability diagram in bins of equal width, and by isotonic regression, which needs no bins.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    n_bins : int, default 10
        Number of bins of [0, 1].
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    ReliabilityDiagram
        Both diagrams.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> reliability_diagram([0, 1, 1], [0.2, 0.2, 0.9], n_bins=2).observed
    array([0.5, 1. ])
    """
    n_bins = check_count("n_bins", n_bins)
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight, y_prob=y_prob)
    y_prob = read_array("y_prob", y_prob, "[0, 1]", shape=positive.shape)
    filled, bins = np.unique(np.minimum((y_prob * n_bins).astype(int), n_bins - 1), return_inverse=True)
    count = np.bincount(bins, weight)
    used = count > 0
    predicted = np.bincount(bins, weight * y_prob)[used] / count[used]
    observed = np.bincount(bins, weight * positive)[used] / count[used]
    level = np.unique(y_prob[weight > 0])
    fit = IsotonicRegression(y_min=0, y_max=1, out_of_bounds="clip").fit(y_prob, positive, weight)
    return ReliabilityDiagram(predicted, observed, count[used], level, fit.predict(level), filled[used])


@dataclass(frozen=True)
class MarginDistribution:
    """Distribution of normalised margins.

    Attributes
    ----------
    margin : ndarray of shape (n,)
        Normalised margins in [-1, 1], in increasing order.
    share : ndarray of shape (n,)
        Share of the examples with at most this margin.
    mean : float
        Mean normalised margin.
    """

    margin: np.ndarray
    share: np.ndarray
    mean: float


def normalised_margins(
    y_true: ArrayLike, score: ArrayLike, votes: ArrayLike, *, pos_label: object = None
) -> np.ndarray:
    r"""Normalised margins :math:`yF(x)/\lVert\alpha\rVert_1`.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    score : array_like of shape (n,)
        Scores :math:`F(x) = \sum_t \alpha_t h_t(x)`, positive for the positive class.
    votes : array_like of shape (T,)
        The votes :math:`\alpha_t`, not all zero.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.

    Returns
    -------
    ndarray of shape (n,)
        In [-1, 1].

    Raises
    ------
    ValueError
        If an argument is not admissible, or a score exceeds the sum of the votes.

    Examples
    --------
    >>> normalised_margins([1, 0], [0.5, 0.5], [0.75, 0.25])
    array([ 0.5, -0.5])
    """
    positive, _ = read_labels(y_true, pos_label=pos_label, score=score)
    score = read_array("score", score, MODERATE, shape=positive.shape)
    total = float(np.abs(read_array("votes", votes, MODERATE, shape=(None,))).sum())
    if not total:
        raise ValueError("votes are all zero: at least one of them must not be")
    largest = float(np.abs(score).max())
    if largest > total * (1 + 1e-9):  # a score summed in another order may differ by rounding
        raise ValueError(f"score reaches {largest!r} in size: allowed is the sum of the votes, {total!r}")
    return np.clip(np.where(positive, score, -score) / total, -1, 1)


def margin_distribution(
    y_true: ArrayLike, score: ArrayLike, votes: ArrayLike, *, pos_label: object = None
) -> MarginDistribution:
    r"""Distribution of the normalised margins :math:`yF(x)/\lVert\alpha\rVert_1`.

    Fig. 3 of Nikolaou et al. (2016).

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    score : array_like of shape (n,)
        Scores :math:`F(x) = \sum_t \alpha_t h_t(x)`, positive for the positive class.
    votes : array_like of shape (T,)
        The votes :math:`\alpha_t`, not all zero.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.

    Returns
    -------
    MarginDistribution
        Sorted margins and their cumulative share.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> margin_distribution([1, 0], [0.5, 0.5], [0.75, 0.25]).margin
    array([-0.5,  0.5])
    """
    margin = np.sort(normalised_margins(y_true, score, votes, pos_label=pos_label))
    return MarginDistribution(margin, np.arange(1, len(margin) + 1) / len(margin), float(margin.mean()))


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
        The positive class: the larger label by default; of two words it must be named.
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
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight, y_prob=y_prob)
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
        The positive class: the larger label by default; of two words it must be named.
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
