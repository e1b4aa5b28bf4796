"""Costs of the two kinds of error, and what follows from them.

One place reads and checks costs for every estimator, metric and curve: the cost ratio, the Bayes
threshold of Eq. (2) and (4) of Nikolaou et al. (2016), and the skew of their Eq. (27).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

__all__ = ["Costs", "check_costs", "bayes_threshold", "skew", "costs_from_skew"]


class Costs(NamedTuple):
    """Costs of a batch of :math:`B` problems.

    Attributes
    ----------
    fn_cost : ndarray of shape (B,)
        Cost :math:`c_+ = c_{FN}` of missing a positive.
    fp_cost : ndarray of shape (B,)
        Cost :math:`c_- = c_{FP}` of a false alarm.
    """

    fn_cost: np.ndarray
    fp_cost: np.ndarray

    @property
    def by_class(self) -> np.ndarray:
        """Array of shape (2, B): costs of an error on the negative, then the positive class."""
        return np.stack([self.fp_cost, self.fn_cost])

    @property
    def log_ratio(self) -> np.ndarray:
        r"""Logarithm of the cost ratio, :math:`\log\rho = \log(c_{FN}/c_{FP})`, shape (B,)."""
        return np.log(self.fn_cost) - np.log(self.fp_cost)

    @property
    def threshold(self) -> np.ndarray:
        """Bayes threshold ``c`` on the posterior, shape (B,) (Eq. (2) of Nikolaou et al. 2016)."""
        return bayes_threshold(self.fn_cost, self.fp_cost)

    def scaled(self, largest: float | None = None, smallest: float | None = None) -> Costs:
        """The same cost ratios, with the larger (or the smaller) of each pair set to a value."""
        if largest is None and smallest is None:
            return self
        table = self.by_class
        unit = table.max(axis=0) / largest if largest is not None else table.min(axis=0) / smallest
        return Costs(self.fn_cost / unit, self.fp_cost / unit)

    def __getitem__(self, lanes) -> Costs:
        if not isinstance(lanes, (slice, np.ndarray)):
            raise TypeError("index a batch of costs with a slice or an array")
        return Costs(self.fn_cost[lanes], self.fp_cost[lanes])


def check_costs(fn_cost: ArrayLike = 1.0, fp_cost: ArrayLike = 1.0) -> Costs:
    """Read and check the two costs.

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like of shape (B,)
        Costs of a false negative and of a false positive: finite and positive. The two are
        broadcast against each other.

    Returns
    -------
    Costs
        Two float arrays of one shape.

    Raises
    ------
    ValueError
        If a cost is not a finite positive number.

    Examples
    --------
    >>> check_costs(5).threshold.round(4)
    array([0.1667])
    """
    read = []
    for name, value in (("fn_cost", fn_cost), ("fp_cost", fp_cost)):
        refused = f"{name}={value!r}: a cost must be a finite positive number"
        try:
            array = np.atleast_1d(np.asarray(value, dtype=float))
        except (TypeError, ValueError):
            raise ValueError(refused) from None
        is_text = np.asarray(value).dtype.kind in "SU"  # which numpy would read as a number
        if is_text or array.ndim != 1 or not np.all(np.isfinite(array)) or not np.all(array > 0):
            raise ValueError(refused)
        read.append(array)
    return Costs(*(np.ascontiguousarray(a) for a in np.broadcast_arrays(*read)))


def bayes_threshold(fn_cost: ArrayLike, fp_cost: ArrayLike) -> np.ndarray:
    r"""Threshold :math:`c = c_{FP}/(c_{FP}+c_{FN})` on the posterior probability.

    Predicting the positive class exactly when :math:`p(y=1|x) > c` minimises the expected cost
    (Nikolaou et al. 2016, Eqs. (2) and (4)).

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like
        Positive costs of a false negative and of a false positive.

    Returns
    -------
    ndarray or float
        The threshold, in (0, 1).

    Examples
    --------
    >>> float(bayes_threshold(3.0, 1.0))
    0.25
    """
    fn_cost, fp_cost = np.asarray(fn_cost, float), np.asarray(fp_cost, float)
    return 1.0 / (1.0 + fn_cost / fp_cost)


def skew(fn_cost: ArrayLike, fp_cost: ArrayLike, prevalence: ArrayLike = 0.5) -> np.ndarray:
    r"""Skew :math:`z`, the share of the negatives in the cost at stake.

    :math:`z = \pi_- c_{FP} / (\pi_- c_{FP} + \pi_+ c_{FN})`, Eq. (27) of Nikolaou et al. (2016).
    With balanced classes it equals the Bayes threshold, Eq. (28). Small :math:`z` means that the
    positives matter more.

    Parameters
    ----------
    fn_cost, fp_cost : float or array_like
        Positive costs.
    prevalence : float or array_like, default 0.5
        Share :math:`\pi_+` of the positive class.

    Returns
    -------
    ndarray or float
        The skew, in [0, 1].

    Examples
    --------
    >>> float(skew(1.0, 1.0, prevalence=0.25))
    0.75
    """
    prevalence = np.asarray(prevalence, float)
    if not np.all((prevalence >= 0) & (prevalence <= 1)):
        raise ValueError(f"prevalence={prevalence!r}: a share must lie in [0, 1]")
    negatives = (1.0 - prevalence) * np.asarray(fp_cost, float)
    return negatives / (negatives + prevalence * np.asarray(fn_cost, float))


def costs_from_skew(z: ArrayLike, prevalence: float = 0.5) -> Costs:
    """Costs summing to one that give the skew ``z`` at this prevalence.

    Parameters
    ----------
    z : float or array_like of shape (B,)
        Skew in (0, 1).
    prevalence : float, default 0.5
        Share of the positive class, in (0, 1).

    Returns
    -------
    Costs
        ``fn_cost`` and ``fp_cost`` of shape (B,).

    Examples
    --------
    >>> costs = costs_from_skew([0.2, 0.5])
    >>> skew(*costs).round(12)
    array([0.2, 0.5])
    """
    z = np.atleast_1d(np.asarray(z, float))
    if not np.all((z > 0) & (z < 1)):
        raise ValueError(f"z={z!r}: a skew must lie strictly between 0 and 1")
    if not 0 < prevalence < 1:
        raise ValueError(f"prevalence={prevalence!r}: a share strictly between 0 and 1")
    fp_cost, fn_cost = z / (1.0 - prevalence), (1.0 - z) / prevalence
    total = fp_cost + fn_cost
    return check_costs(fn_cost / total, fp_cost / total)
