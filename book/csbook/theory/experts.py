r"""AdaBoost's probability estimate as a product of experts, and when such a product is right.

Theorem 2 of Nikolaou et al. (2016): :math:`\sigma(2F)` is the normalised product of the votes, each vote an
expert that gives the class it names the probability of being right. The product is the posterior if the
experts err independently given the class. Experts that lean on one another count the same evidence again;
:class:`Panel` says by how much that distorts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit, logsumexp
from scipy.stats import binom

from csb.inputs import POSITIVE, check_count, read_array, read_number, read_signs

__all__ = ["Panel", "expert_probabilities", "product_of_experts"]


def expert_probabilities(predictions: ArrayLike, errors: ArrayLike) -> np.ndarray:
    """Probability that each expert gives the positive class, Theorem 2 of Nikolaou et al. (2016).

    Parameters
    ----------
    predictions : array_like of shape (T, n)
        Signs -1 or +1.
    errors : array_like of shape (T,)
        Error of each expert, in [0, 1].

    Returns
    -------
    ndarray of shape (T, n)
        One less the error where the expert says +1, the error where it says -1.

    Raises
    ------
    ValueError
        If a sign or an error is none.

    Examples
    --------
    >>> expert_probabilities([[1, -1]], [0.25])
    array([[0.75, 0.25]])
    """
    predictions = read_signs("predictions", predictions, shape=(None, None))
    errors = read_array("errors", errors, "[0, 1]", shape=predictions.shape[:1])
    return np.where(predictions > 0, 1 - errors[:, np.newaxis], errors[:, np.newaxis])


def product_of_experts(probabilities: ArrayLike, odds: float = 1.0) -> np.ndarray:
    r"""Normalised product of the experts' probabilities.

    :math:`\frac{o\prod_t p_t}{o\prod_t p_t + \prod_t (1-p_t)}`. With the odds :math:`o` of the cost ratio
    this is Eq. (23) of Nikolaou et al. (2016), its costs put right (E-N07 of the book's errata page).

    Parameters
    ----------
    probabilities : array_like of shape (T, ...)
        What each expert gives the positive class. An expert that is certain decides; where two of them
        contradict each other the product is not a number.
    odds : float
        Factor on the positive class, from 1e-100 to 1e100.

    Returns
    -------
    ndarray of shape (...)
        Probability of the positive class.

    Raises
    ------
    ValueError
        If a probability is none or the odds are not positive.

    Examples
    --------
    >>> float(product_of_experts([0.75, 0.75, 0.25]))
    0.75
    """
    probabilities = np.atleast_1d(read_array("probabilities", probabilities, "[0, 1]"))
    odds = read_number("odds", odds, POSITIVE)
    with np.errstate(invalid="ignore"):
        return expit(logit(probabilities).sum(axis=0) + np.log(odds))


@dataclass(frozen=True)
class Panel:
    r"""Experts of equal strength that may share a cause of their errors.

    A common vote is right with probability :math:`1-\varepsilon`. Each expert repeats it with probability
    ``dependence`` and is otherwise on its own, right with the same probability. The classes are equally
    likely. What is known of an example is how many experts speak for the positive class, ``k`` of ``n``; all
    quantities are exact.

    Attributes
    ----------
    n : int
        Number of experts, from one to a million.
    error : float
        Error of each expert, from 1e-15 to below 1.
    dependence : float
        From 0, independent given the class, to 1, one expert many times over.

    Examples
    --------
    >>> Panel(5, 0.3).distortion < 1e-30
    True
    >>> round(Panel(100, 0.45, dependence=0.2).distortion, 3)
    0.155
    """

    n: int
    error: float
    dependence: float = 0.0

    def __post_init__(self) -> None:
        check_count("n", self.n, largest=10**6)
        read_number("error", self.error, "[1e-15, 1)")
        read_number("dependence", self.dependence, "[0, 1]")

    @property
    def votes(self) -> np.ndarray:
        """Numbers ``k`` of experts for the positive class, shape (n + 1,)."""
        return np.arange(self.n + 1)

    def _log_likelihood(self, k: np.ndarray) -> np.ndarray:
        """Of ``k`` votes for the positive class, in the positive class."""
        own = (1 - self.dependence) * (1 - self.error)  # speaks for the class without the common vote's help
        with_common = binom.logpmf(k, self.n, self.dependence + own) + np.log1p(-self.error)
        against_common = binom.logpmf(k, self.n, own) + np.log(self.error)
        return logsumexp([with_common, against_common], axis=0)

    @property
    def posterior(self) -> np.ndarray:
        """Probability of the positive class given ``k`` votes, shape (n + 1,); NaN where ``k`` cannot be."""
        with np.errstate(invalid="ignore"):
            return expit(self._log_likelihood(self.votes) - self._log_likelihood(self.n - self.votes))

    @property
    def product(self) -> np.ndarray:
        """What the product of experts makes of ``k`` votes, shape (n + 1,)."""
        return expit((2 * self.votes - self.n) * logit(1 - self.error))

    @property
    def probability(self) -> np.ndarray:
        """Probability that ``k`` experts speak for the positive class, shape (n + 1,)."""
        both = [self._log_likelihood(self.votes), self._log_likelihood(self.n - self.votes)]
        return np.exp(logsumexp(both, axis=0) - np.log(2))

    @property
    def distortion(self) -> float:
        """Mean squared distance of the product from the posterior: its calibration loss."""
        distance = np.where(self.probability > 0, self.product - self.posterior, 0.0)
        return float(self.probability @ distance**2)

    @property
    def extremity(self) -> float:
        """Mean distance of the product from one half."""
        return float(self.probability @ np.abs(self.product - 0.5))
