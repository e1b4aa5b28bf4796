"""Confidence intervals: of means over cases, over splits of the same data, and by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import cbrt
from scipy.stats import t as student

from csb.inputs import (
    MODERATE,
    check_callable,
    check_count,
    check_order,
    read_array,
    read_column,
    read_labels,
    read_number,
    read_random_state,
    read_weights,
)

__all__ = ["Interval", "bootstrap_interval", "case_interval", "mean_interval"]


class Interval(NamedTuple):
    """A mean and the ends of its interval.

    Attributes
    ----------
    mean, low, high : float or ndarray
        In the unit of the values.
    """

    mean: float | np.ndarray
    low: float | np.ndarray
    high: float | np.ndarray

    @property
    def half(self) -> float | np.ndarray:
        """Half the length."""
        return (self.high - self.low) / 2


def mean_interval(
    values: ArrayLike, test_ratio: float = 0.0, *, level: float = 0.95, axis: int = 0
) -> Interval:
    r"""Mean with the confidence interval of Student's t.

    Over splits of one data set the values are not independent, because the training parts overlap; the
    variance of the mean is then taken as :math:`(1/J + n_{test}/n_{train})\,s^2` over :math:`J` splits
    (Nadeau and Bengio 2003).

    Parameters
    ----------
    values : array_like
        At least two values along ``axis``.
    test_ratio : float, default 0.0
        Size of the test part over that of the training part; zero for independent values.
    level : float, default 0.95
        Probability that the interval is to have, above 0 and up to 0.999999.
    axis : int, default 0
        Along which the values run.

    Returns
    -------
    Interval
        Mean, low and high end; numbers, or arrays without ``axis``.

    Raises
    ------
    ValueError
        If there are fewer than two values, or an argument is not admissible.

    Examples
    --------
    >>> mean, low, high = mean_interval([1.0, 2.0, 3.0])
    >>> float(mean), round(float(low), 3), round(float(high), 3)
    (2.0, -0.484, 4.484)

    The same values over splits with a quarter for testing:

    >>> round(float(mean_interval([1.0, 2.0, 3.0], test_ratio=1 / 3).half), 3)
    3.513
    """
    array: np.ndarray = np.atleast_1d(read_array("values", values, MODERATE))
    test_ratio = read_number("test_ratio", test_ratio, "[0, 1e100]")
    level = read_number("level", level, "(0, 0.999999]")
    axis = check_count("axis", axis, -array.ndim, array.ndim - 1)
    count = array.shape[axis]
    if count < 2:
        raise ValueError(f"values has shape {array.shape}: an interval needs at least two values")
    mean, spread = array.mean(axis), array.std(axis, ddof=1)
    half = student.ppf(0.5 + level / 2, count - 1) * spread * np.sqrt(1 / count + test_ratio)
    return Interval(mean, mean - half, mean + half)


def case_interval(
    values: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Interval:
    r"""Weighted mean of single cases, with an interval that allows for skewness and clusters.

    The mean is a ratio of sums, :math:`m = \sum_i w_i v_i / \sum_i w_i`. Of :math:`G` clusters each deviates
    by :math:`u_g = G \sum_{i \in g} w_i (v_i - m) / \sum_i w_i`, and the standard error is
    :math:`s/\sqrt G`, with :math:`s` the standard deviation of the :math:`u_g`. Losses are skewed, since few
    errors are dear: with :math:`a = \hat\gamma/\sqrt G`, :math:`\hat\gamma` the skewness of the :math:`u_g`,
    the ends are :math:`m - g(\pm q)\,s/\sqrt G` with the quantile :math:`q` of Student's t and
    :math:`g(x) = \frac3a\{(1 + a x - a^2/6)^{1/3} - 1\}`, the transformation that takes the skewness out of
    the mean (Hall 1992).

    Parameters
    ----------
    values : array_like of shape (n,)
        Such as the loss of each case, or a difference of two.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights; 1 by default.
    clusters : array_like of shape (n,), optional
        Label of what a case belongs to. Cases of one cluster may depend on each other; by default no case
        depends on another.
    level : float, default 0.95
        Probability that the interval is to have, above 0 and up to 0.999999.

    Returns
    -------
    Interval
        Mean, low and high end.

    Raises
    ------
    ValueError
        If there are fewer than two clusters, or an argument is not admissible.

    Examples
    --------
    Eight of a hundred cases cost five. The interval reaches further up than down:

    >>> mean, low, high = case_interval(np.repeat([0.0, 5.0], [92, 8]))
    >>> round(float(mean), 3), round(float(low), 3), round(float(high), 3)
    (0.4, 0.176, 0.773)
    """
    check_order(values=values, sample_weight=sample_weight, clusters=clusters)
    array = read_array("values", values, MODERATE, shape=(None,))
    weight = read_weights(sample_weight, array)
    level = read_number("level", level, "(0, 0.999999]")
    n = len(array)
    of = np.arange(n) if clusters is None else read_column("clusters", clusters, n)
    used = weight > 0
    names, of = np.unique(of[used], return_inverse=True)
    if len(names) < 2:
        raise ValueError(f"clusters: there is {len(names)}; an interval needs at least two")
    array, weight = array[used], weight[used] / weight[used].mean()
    mean = np.average(array, weights=weight)
    deviations = np.bincount(of, weight * (array - mean)) * len(names) / len(array)
    spread, count = deviations.std(), len(names)
    if spread == 0:
        return Interval(mean, mean, mean)
    z = deviations / spread
    a = np.mean(z * z * z) / np.sqrt(count)  # numpy's power and cbrt hang on the processor
    q = student.ppf(0.5 + level / 2, count - 1) * np.array([1.0, -1.0])
    if abs(a) > STRAIGHT:
        q = 3 / a * (cbrt(1 + a * q - a**2 / 6) - 1)
    low, high = mean - q * spread / np.sqrt(count - 1)
    return Interval(mean, low, high)


STRAIGHT = 1e-6
"""Skewness of a mean below which its transformation is a straight line but for rounding."""


def bootstrap_interval(
    statistic: Callable[[np.ndarray], ArrayLike],
    y_true: ArrayLike,
    *,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    level: float = 0.95,
    n_resamples: int = 200,
    random_state: np.random.RandomState | int | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Percentile interval of a statistic by the bootstrap over cases (Efron and Tibshirani 1993, Ch. 13).

    A resample is a weight for each case: how often it was drawn, times its own weight. A resample that loses
    one of two classes is drawn again, since most statistics need both.

    Parameters
    ----------
    statistic : callable
        What it is the interval of: given weights of shape (n,), returns a number or an array of shape (J,).
    y_true : array_like of shape (n,)
        Labels.
    pos_label : label, optional
        Of no consequence for the interval.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights; a case of weight zero is an absent one.
    level : float, default 0.95
        Probability that the interval is to have, above 0 and up to 0.999999; of each of J numbers by itself.
    n_resamples : int, default 200
        How many resamples, up to 100,000.
    random_state : int, RandomState or None, default None
        Seed of the resamples.

    Returns
    -------
    low, high : ndarray of shape () or (J,)
        The ends.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> y = np.repeat([0, 1], [80, 20])
    >>> low, high = bootstrap_interval(lambda w: np.average(y, weights=w), y, random_state=0)
    >>> bool(0.1 < low < 0.2 < high < 0.3)
    True
    """
    check_callable("statistic", statistic)
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight, symmetric=True)
    level = read_number("level", level, "(0, 0.999999]")
    n_resamples = check_count("n_resamples", n_resamples, 1, 10**5)
    random = read_random_state("random_state", random_state)
    used = np.flatnonzero(weight > 0)
    n_classes = len(set(positive[used].tolist()))
    found: list[ArrayLike] = []
    while len(found) < n_resamples:
        drawn = used[random.randint(len(used), size=len(used))]
        if len(set(positive[drawn].tolist())) == n_classes:
            found.append(statistic(weight * np.bincount(drawn, minlength=len(weight))))
    low, high = np.quantile(np.array(found), [0.5 - level / 2, 0.5 + level / 2], axis=0)
    return low, high
