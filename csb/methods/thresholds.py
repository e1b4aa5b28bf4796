r"""Thresholds from two extreme scores, of Karakoulas and Shawe-Taylor (1998).

Where the scores separate the classes, every threshold between the closest negative and the closest positive
makes no error, and the costs say how to divide the space between them. Every rule here divides it as
:math:`\beta^q : 1`, the larger part on the side of the costly class, for a cost ratio :math:`\beta`.

The support vector machine with unequal targets of Karakoulas and Shawe-Taylor (1998), Section 3.

A positive is to have :math:`f(x) \ge t_+`, a negative :math:`f(x) \le -t_-`, with :math:`t_+ = \beta` and
:math:`t_- = 1` for a cost ratio :math:`\beta`: the paper's targets :math:`1/\beta` and -1 in the constraints
of the maximal-margin programme (E-K02). With slacks it reads

.. math::
    \min_{w,\theta,\xi\ge0}\ \tfrac12\lVert w\rVert^2 + \sum_i C_i\xi_i, \qquad
    y_i(\langle w, x_i\rangle + \theta) \ge t_{y_i} - \xi_i .

It needs no solver of its own. The targets depend on the class only, and :math:`\theta` is not penalised: with
:math:`s = (t_+ + t_-)/2` and :math:`\theta = \theta' + (t_+ - t_-)/2` both targets become :math:`s`, and with
:math:`w = sw''`, :math:`\theta' = s\theta''`, :math:`\xi = s\xi''` they become one. The objective is then
:math:`s^2` times that of the usual programme with :math:`C_i/s` in place of :math:`C_i`. So, with or without
slacks,

.. math::
    f = s f'' + \tfrac12(t_+ - t_-), \qquad
    f > 0 \iff f'' > \frac{t_- - t_+}{t_- + t_+} = \frac{1 - \beta}{1 + \beta},

where :math:`f''` is the function of a support vector machine with equal targets: its hyperplane, moved
parallel to itself. Where a hard margin separates the classes the closest examples have
:math:`f'' = \pm1`, and this is the threshold of Eq. (1). Eq. (2) divides the same space in another power of
the cost ratio.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from csb.costs import check_costs
from csb.engine.elementary import power
from csb.inputs import (
    MODERATE,
    check_count,
    check_shapes,
    one_of,
    read_array,
    read_labels,
    read_number,
)
from csb.methods.spec import ProgrammeMethod

__all__ = [
    "RULES", "UNEQUAL_MARGIN", "SupportScores", "search_support_scores", "threshold_between",
]  # fmt: skip

Rule = Literal["b", "eta", "eta_max", "midpoint"]
"""How to divide the space between two scores."""

RULES = {"b": 1.0, "eta": 1 / 3, "eta_max": 1 / 2, "midpoint": 0.0}
r"""The power :math:`q` of the cost ratio in which each rule divides the space between the classes.

"b" is Eq. (1); "eta" is Eq. (2) as printed, which minimises the sum of the two dimensions in Theorem 3.2;
"eta_max" minimises their maximum, which is what the theorem has (E-K03 on the book's errata page).
"""


class SupportScores(NamedTuple):
    """Scores of the two examples between which a threshold is placed.

    Attributes
    ----------
    negative : float
        Score of the negative one.
    positive : float
        Score of the positive one.
    """

    negative: float
    positive: float

    @property
    def margin(self) -> float:
        r"""Half the distance between them, the :math:`\gamma_0` of Eq. (2)."""
        return 0.5 * self.positive - 0.5 * self.negative


def threshold_between(
    negative: ArrayLike,
    positive: ArrayLike,
    fn_cost: ArrayLike = 1.0,
    fp_cost: ArrayLike = 1.0,
    rule: str = "b",
) -> np.ndarray:
    r"""Threshold between the score of a negative and that of a positive.

    :math:`\theta = (s_+ + r s_-)/(1 + r)` with :math:`r = \beta^q`, so that the positive is :math:`r` times
    as far from the threshold as the negative. For "b" this is Eq. (1) of Karakoulas and Shawe-Taylor
    (1998).

    Parameters
    ----------
    negative, positive : float or array_like of shape (B,)
        The two scores.
    fn_cost, fp_cost : float or array_like of shape (B,)
        Positive costs of a false negative and of a false positive.
    rule : {"b", "eta", "eta_max", "midpoint"}, default "b"
        A key of ``RULES``.

    Returns
    -------
    float or ndarray of shape (B,)
        The threshold: predict the positive class above it.

    Raises
    ------
    ValueError
        If a cost or the rule is not admissible.

    Examples
    --------
    >>> float(threshold_between(-1.0, 1.0, fn_cost=3.0))
    -0.5
    >>> float(threshold_between(-1.0, 1.0, fn_cost=4.0, rule="eta_max").round(4))
    -0.3333
    """
    one_of("rule", rule, RULES)
    costs = check_costs(fn_cost, fp_cost)
    r = power(costs.fn_cost / costs.fp_cost, RULES[rule])
    if np.ndim(fn_cost) == np.ndim(fp_cost) == 0:
        r = r[0]
    negative, positive = (
        read_array(name, score, MODERATE) for name, score in (("negative", negative), ("positive", positive))
    )
    check_shapes(negative=negative, positive=positive, fn_cost=r)
    return negative + (positive - negative) / (1 + r)


def search_support_scores(
    y_true: ArrayLike,
    score: ArrayLike,
    *,
    borderline: float = 0.0,
    margin_change: float = 0.2,
    max_skip: int = 5,
    pos_label: object = None,
) -> SupportScores | None:
    r"""The search of ThetaBoost for two support vectors, steps 2 to 5 of Figure 1.

    False positives (negatives with a positive score) and borderline examples are dropped. The smallest score
    of a positive that is left is one support score. Negatives that reach it are dropped too, and the largest
    score of those left is the other. While one of the next few negatives lies lower by ``margin_change`` or
    more, the first such one takes its place.

    The paper calls the score after its sign, and leaves "borderline", "near" and the scale of its
    :math:`\delta_M` undefined (E-K10 on the book's errata page); they are parameters here.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels of both classes.
    score : array_like of shape (n,)
        Any real score whose sign is the decision.
    borderline : float, default 0.0
        Examples with a score of at most this size are dropped.
    margin_change : float, default 0.2
        The :math:`\delta_M` of step 5, in units of the score: a negative is passed over for one that is
        lower by this much. Infinite, it leaves step 5 out.
    max_skip : int, default 5
        How many distinct scores of negatives below the current one count as near it.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.

    Returns
    -------
    SupportScores or None
        None where no positive or no negative is left. The positive one is negative itself where positives
        are misclassified.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    The negative at 0.7 is a false positive, the one at -0.1 lies 0.3 above the next.

    >>> search_support_scores([0, 0, 0, 0, 1, 1], [-0.5, -0.4, -0.1, 0.7, 0.3, 0.9])
    SupportScores(negative=-0.4, positive=0.3)
    """
    borderline, margin_change, max_skip = check_search(borderline, margin_change, max_skip)
    positive, _ = read_labels(y_true, pos_label=pos_label, score=score)
    score = read_array("score", score, shape=positive.shape)
    kept = (np.abs(score) > borderline) & (positive | (score < 0))
    if not np.any(kept & positive):
        return None
    nearest_positive = score[kept & positive].min()
    negatives = np.unique(score[kept & ~positive & (score < nearest_positive)])[::-1]
    if not len(negatives):
        return None
    at = 0
    while True:
        lower = np.flatnonzero(negatives[at] - negatives[at + 1 : at + 1 + max_skip] >= margin_change)
        if not len(lower):
            return SupportScores(float(negatives[at]), float(nearest_positive))
        at += 1 + lower[0]


def check_search(borderline: float, margin_change: float, max_skip: int) -> tuple[float, float, int]:
    """The parameters of the search, if they are admissible."""
    borderline = read_number("borderline", borderline, "[0, 1e100]")
    margin_change = min(read_number("margin_change", margin_change, "[0, inf]"), 1e100)  # as good as infinite
    return borderline, margin_change, check_count("max_skip", max_skip, smallest=0)


UNEQUAL_MARGIN = ProgrammeMethod(
    "unequal_margin", "SVM with unequal margins", "Karakoulas & Shawe-Taylor 1998",
    "K98 Section 3, Eqs. (1)-(2), E-K02, E-K03", r"\max(0,\,1-m)", costs_act="decision",
)  # fmt: skip
