"""Confidence intervals of means, also over splits of the same data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import t as student

__all__ = ["Interval", "mean_interval"]


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
        Probability that the interval is to have, in (0, 1).
    axis : int, default 0
        Along which the values run.

    Returns
    -------
    Interval
        Mean, low and high end; numbers, or arrays without ``axis``.

    Raises
    ------
    ValueError
        If there are fewer than two values, the ratio is negative, or the level is not in (0, 1).

    Examples
    --------
    >>> mean, low, high = mean_interval([1.0, 2.0, 3.0])
    >>> float(mean), round(float(low), 3), round(float(high), 3)
    (2.0, -0.484, 4.484)

    The same values over splits with a quarter for testing:

    >>> round(float(mean_interval([1.0, 2.0, 3.0], test_ratio=1 / 3).half), 3)
    3.513
    """
    values = np.asarray(values, float)
    if values.ndim == 0 or values.shape[axis] < 2:
        raise ValueError(f"values has shape {values.shape}: an interval needs at least two values")
    if not (np.isfinite(test_ratio) and test_ratio >= 0):
        raise ValueError(f"test_ratio={test_ratio!r}: a finite number, not negative")
    if not 0 < level < 1:
        raise ValueError(f"level={level!r}: a probability strictly between 0 and 1")
    count = values.shape[axis]
    mean, spread = values.mean(axis), values.std(axis, ddof=1)
    half = student.ppf(0.5 + level / 2, count - 1) * spread * np.sqrt(1 / count + test_ratio)
    return Interval(mean, mean - half, mean + half)
