"""A model in use: another share of the classes, and whether its decisions still save what they should."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning

from csb.evaluation.intervals import case_interval
from csb.inputs import (
    MODERATE,
    check_count,
    check_order,
    plain_array,
    read_array,
    read_column,
    read_number,
    read_weights,
    shown,
)

__all__ = ["adjust_prevalence", "estimate_prevalence", "worth_by_period"]

STEPS = 10_000
"""Steps of the estimate at most: dozens are enough where the probabilities tell the classes apart."""
CLOSE = 1e-10
"""How far the mean log likelihood may be from its maximum."""


def adjust_prevalence(y_prob: ArrayLike, prevalence: ArrayLike, new_prevalence: ArrayLike) -> np.ndarray:
    r"""Probabilities where the classes have other shares than where the classifier was calibrated.

    By Bayes' theorem :math:`p'_c \propto p_c\,\pi'_c/\pi_c`, Eq. (4) of Saerens, Latinne and Decaestecker
    (2002), which for two classes is Theorem 2 of Elkan (2001). It holds where only the shares have changed:
    within each class, cases are what they were. A decision of least expected cost by the new probabilities
    is the one by the old probabilities at costs that are multiplied, for each true class, by
    :math:`\pi'_c/\pi_c`.

    Parameters
    ----------
    y_prob : array_like of shape (n,) or (n, k)
        Calibrated probabilities: of the positive class of two, or of each class.
    prevalence : float or array_like of shape (k,)
        Share of the positive class, or of each class, among the cases of the calibration.
    new_prevalence : float or array_like of shape (k,)
        The same where the probabilities are used.

    Returns
    -------
    ndarray of shape (n,) or (n, k)
        Probabilities.

    Raises
    ------
    ValueError
        If an argument is not admissible, or a case can be of no class: its probability is positive only for
        classes whose new share is zero.

    Examples
    --------
    Odds of one to four, and the odds of the class have tripled:

    >>> adjust_prevalence([0.2], 0.25, 0.5).round(3)
    array([0.429])
    """
    old = _read_shares("prevalence", prevalence, "[1e-100, 1)")
    p = _read_probabilities(y_prob, old)
    new = _read_shares("new_prevalence", new_prevalence, "[0, 1]", of=old)
    weighted = p * (_of_each(new) / _of_each(old))
    total = weighted.sum(axis=1, keepdims=True)
    if not total.all():
        row = int(np.flatnonzero(total == 0)[0])
        raise ValueError(
            f"new_prevalence={shown(new_prevalence)}: allowed is a positive share of a class that y_prob "
            f"holds possible, and row {row} has none"
        )
    adjusted = weighted / total
    return adjusted if old.ndim else adjusted[:, 1]


def estimate_prevalence(y_prob: ArrayLike, prevalence: ArrayLike) -> float | np.ndarray:
    r"""Shares of the classes among cases whose labels are not known.

    They maximise the likelihood of the cases, as far as probabilities tell of it, with
    :math:`p_{ic}/\pi_c` for the density of case :math:`i` in class :math:`c`: the steps
    :math:`\pi'_c \leftarrow \frac1n\sum_i p'_{ic}` of Saerens, Latinne and Decaestecker (2002), their Eq.
    (9), with :math:`p'` by :func:`adjust_prevalence`. The log likelihood is concave, so that no step ends at
    a local maximum; the last is within 1e-10 a case of the largest.

    It rests on the same assumption as :func:`adjust_prevalence` does, and on calibrated probabilities. Where
    the cases themselves have changed, as with another scale of one column, it gives a number all the same.

    Parameters
    ----------
    y_prob : array_like of shape (n,) or (n, k)
        Probabilities of the new cases: of the positive class of two, or of each class.
    prevalence : float or array_like of shape (k,)
        Share of the positive class, or of each class, among the cases of the calibration.

    Returns
    -------
    float or ndarray of shape (k,)
        The new share, or shares.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Warns
    -----
    ConvergenceWarning
        If probabilities tell so little that 10,000 steps do not reach the maximum.

    Examples
    --------
    Half of the cases surely positive, half surely negative:

    >>> estimate_prevalence([0.0, 1.0, 0.0, 1.0], 0.1)
    0.5
    >>> estimate_prevalence([[1.0, 0.0], [0.2, 0.8]], [0.5, 0.5]).round(3)
    array([0.667, 0.333])
    """
    old = _read_shares("prevalence", prevalence, "[1e-100, 1)")
    new = _of_each(old)
    density = _read_probabilities(y_prob, old) / new
    for _ in range(STEPS):
        # the gradient of the mean log likelihood: at the maximum no entry exceeds one, and by concavity the
        # likelihood can grow by no more than the largest entry does exceed it
        gain = np.mean(density / np.sum(density * new, axis=1, keepdims=True), axis=0)
        if gain.max() <= 1 + CLOSE:
            break
        new = new * gain
    else:
        warnings.warn(
            f"y_prob tells little of the classes: after {STEPS:,} steps the mean log likelihood is "
            f"{gain.max() - 1:.1g} from its maximum",
            ConvergenceWarning, stacklevel=2,
        )  # fmt: skip
    return new if old.ndim else float(new[1])


def _read_shares(name: str, value: ArrayLike, interval: str, of: np.ndarray | None = None) -> np.ndarray:
    """A share of the positive class, shape (), or those of all classes, shape (k,); as others are, if any."""
    many = plain_array(name, value).ndim if of is None else of.ndim
    if not many:
        return read_array(name, value, interval, shape=())
    shares = read_array(name, value, interval, shape=(None if of is None else len(of),))
    if not np.isclose(shares.sum(), 1):
        raise ValueError(f"{name}={shown(value)}: allowed are shares of all classes, which sum to one")
    return shares


def _of_each(shares: np.ndarray) -> np.ndarray:
    """The shares of all classes."""
    return shares if shares.ndim else np.array([1 - shares, shares])


def _read_probabilities(y_prob: ArrayLike, shares: np.ndarray) -> np.ndarray:
    """Probabilities of all classes, shape (n, k)."""
    if not shares.ndim:
        shape = plain_array("y_prob", y_prob).shape
        if len(shape) == 2 and shape[1] > 1:
            raise ValueError(
                f"prevalence={shares:g}: allowed is a share for each of the {shape[1]} columns of y_prob"
            )
        positive = read_array("y_prob", y_prob, "[0, 1]", shape=(None,))
        return np.column_stack([1 - positive, positive])
    p = read_array("y_prob", y_prob, "[0, 1]", shape=(None, len(shares)))
    if not np.allclose(p.sum(axis=1), 1):
        raise ValueError("y_prob: each row must be a distribution over the classes and sum to one")
    return p


def worth_by_period(
    saved: ArrayLike,
    period: ArrayLike,
    *,
    least: float = 0.0,
    n_periods: int = 12,
    level: float = 0.95,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
) -> pd.DataFrame:
    """What decisions save in each period, and whether that fell below what they must save.

    Each period has its own :func:`csb.evaluation.intervals.case_interval`. The errors of ``n_periods``
    intervals are shared out equally (Bonferroni): all of them hold their means with the probability
    ``level``, so that in a year of twelve months a model that saves ``least`` or more each month is accused
    once with at most half the probability that is left, as far as the intervals are right. That they are
    nearly only, as intervals of skewed means are: a period should hold dozens of the cases that are dear.
    Of bills of very unequal amounts, one in twelve unpaid, with 500, 1,000, 2,000 and 4,000 a month, 22%,
    12%, 8% and 6% of years have a false alarm where ``least`` is all that the model saves, and 3%, 1%, 0%
    and 0% where it is half of that; so set it well below what is expected.

    A period that is not said to have fallen may have: the less it holds, the more a model must lose to be
    found out. Nor does it help where the labels are those of chosen cases. A customer who had to pay first
    never shows whether he would have paid; so leave a few at random to the other decision, and give them as
    ``sample_weight`` one over their chance of being left.

    Parameters
    ----------
    saved : array_like of shape (n,)
        The cost of today's rule, or of a constant decision, in each case less that of the model's, as
        :func:`csb.evaluation.metrics.case_costs` has them.
    period : array_like of shape (n,)
        In which each case was decided: whole numbers, dates or strings, whose order is that of time.
    least : float, default 0.0
        What a decision must save in the mean, in the unit of the costs.
    n_periods : int, default 12
        Over how many periods ``level`` is to hold; it should not change as periods come in.
    level : float, default 0.95
        Probability that all of their intervals hold their means, above 0 and up to 0.999.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights; a case of weight zero is an absent one.
    clusters : array_like of shape (n,), optional
        Label of what a case belongs to, such as its customer; by default no case depends on another.

    Returns
    -------
    DataFrame
        A row for each period, in order: ``cases``, how many; ``saves``, ``low`` and ``high``, the mean of a
        case and the ends of its interval; and ``fell``, whether all of the interval lies below ``least``.

    Raises
    ------
    ValueError
        If an argument is not admissible, or a period holds a single case or cluster.

    Examples
    --------
    >>> saved = np.tile([0.0, 0.0, -1.0, 4.0], 50)
    >>> months = np.repeat(["2026-01", "2026-02"], 100)
    >>> worth_by_period(saved - 1.5 * (months == "2026-02"), months).round(2)
             cases  saves   low  high   fell
    2026-01    100   0.75  0.23  1.39  False
    2026-02    100  -0.75 -1.27 -0.11   True
    """
    check_order(saved=saved, period=period, sample_weight=sample_weight, clusters=clusters)
    values = read_array("saved", saved, MODERATE, shape=(None,))
    times = read_column("period", period, len(values))
    weights = read_weights(sample_weight, values)
    of = np.arange(len(values)) if clusters is None else read_column("clusters", clusters, len(values))
    least = read_number("least", least)
    level = read_number("level", level, "(0, 0.999]")
    each = 1 - (1 - level) / check_count("n_periods", n_periods, 1, 1000)
    used = weights > 0
    rows = {}
    for time in np.unique(times[used]):
        at = used & (times == time)
        try:
            found = case_interval(values[at], sample_weight=weights[at], clusters=of[at], level=each)
        except ValueError as error:
            raise ValueError(f"period={shown(time)}: {error}") from None
        rows[time] = (int(at.sum()), *found, bool(found.high < least))
    return pd.DataFrame.from_dict(rows, "index", columns=["cases", "saves", "low", "high", "fell"])
