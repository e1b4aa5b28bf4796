"""A Bayesian second look at two methods on several data sets: better, equivalent or worse.

A test of a hypothesis says how surprising the differences would be if there were none; its posterior
probability of a difference that matters is another question, and so is that of none. The Bayesian signed-rank
test of Benavoli et al. (2017) answers these, here by the authors' library ``baycomp``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from csb.inputs import MODERATE, POSITIVE, check_count, read_array, read_number

__all__ = ["SURE", "Probabilities", "signed_ranks"]

SURE = 0.95
"""From which probability on a comparison counts as decided."""


class Probabilities(NamedTuple):
    """Posterior probabilities of the three answers, which sum to one.

    Attributes
    ----------
    better, equivalent, worse : float
        That a difference above the margin, within it or below it is the most likely one.
    """

    better: float
    equivalent: float
    worse: float

    @property
    def word(self) -> str:
        """The answer that has a probability of at least `SURE`, or ``"open"``."""
        return next((name for name, p in self._asdict().items() if p >= SURE), "open")


def signed_ranks(
    differences: ArrayLike, margin: float, *, draws: int = 20_000, seed: int = 2017
) -> Probabilities:
    r"""Bayesian signed-rank test with a region of practical equivalence.

    The differences of the data sets and one of zero, which is the prior, get random weights: a Dirichlet
    distribution with parameter one for each set and one half for the prior. Drawn twice by these weights, the
    mean of two differences lies above the margin, within it or below it with certain probabilities; which of
    the three is the largest is noted, and this over all draws of the weights gives the answer.
    A mean that is just the margin counts as half within.

    Parameters
    ----------
    differences : array_like of shape (n,)
        By how much the method is better than its rival, one value a data set.
    margin : float
        Half the length of the region of practical equivalence, which is centred at zero.
    draws : int, default 20,000
        Of the weights. The standard error of a probability is at most 0.0036 with as many as by default.
    seed : int, default 2017
        Of the draws; the random state of numpy is left alone.

    Returns
    -------
    Probabilities

    Raises
    ------
    ValueError
        If there is no difference, one is not finite, the margin is not positive, or a count out of range.
    ImportError
        If ``baycomp`` is not installed, which the package itself does not need.

    References
    ----------
    Benavoli, Corani, Demšar and Zaffalon (2017), Time for a change, JMLR 18(77).

    Examples
    --------
    >>> signed_ranks([0.02, 0.03, 0.05, 0.01, 0.04, 0.06], 0.001).word
    'better'
    >>> signed_ranks([0.02, -0.03, 0.05, -0.01, -0.04, 0.03], 0.001).word
    'open'
    """
    found = read_array("differences", differences, MODERATE, shape=(None,))
    margin = read_number("margin", margin, POSITIVE)
    check_count("draws", draws)
    check_count("seed", seed, 0, 2**32 - 1)
    from baycomp import SignedRankTest

    posterior = SignedRankTest(np.zeros(len(found)), found, margin, nsamples=draws, random_state=seed)
    worse, equivalent, better = (float(p) for p in posterior.probs())
    return Probabilities(better, equivalent, worse)
