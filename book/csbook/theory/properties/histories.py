"""Weights of a variant when its votes and the history of hits are imposed.

Runs do not show what a rule does: a booster soon repeats one hypothesis, its examples then share few
histories, and weights that remember the history look like a function of the margin. Here every example has
a history of its own, one of each class for every sequence of hits and misses.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from csb.costs import Costs, check_costs, check_ratio
from csb.engine.rules import Rules
from csb.inputs import MODERATE, POSITIVE, check_count, check_instance, read_array, read_list, shown
from csb.methods import VARIANTS, VotingMethod
from csb.methods.losses import ExponentialLoss

__all__ = ["VOTES", "FittedLoss", "Histories", "impose", "read_pairs", "read_variant"]

VOTES = np.array([0.5, 0.5, 0.3, 0.3, 0.2, 0.2, 0.1])
"""Votes in which sums of different histories coincide: examples of equal margin and different history."""
MOST_ROUNDS = 20
"""The number of histories doubles with each."""


def read_variant(
    variant: str | VotingMethod, options: Mapping[str, Any] | None = None
) -> tuple[VotingMethod, Rules]:
    """A row of the registry, or one given, and its rules with the options chosen."""
    if not isinstance(variant, VotingMethod):
        variant = VARIANTS[variant]
    if options is not None:
        check_instance("options", options, Mapping)
        if not all(isinstance(name, str) for name in options):
            raise ValueError(f"options={shown(options)}: allowed are values by the names of options")
    return variant, variant.build_rules(**(options or {}))


def read_pairs(costs: Iterable[tuple[float, float]]) -> list[Costs]:
    """Pairs of costs, one by one."""
    pairs = read_array("costs", read_list("costs", costs), POSITIVE, shape=(None, 2))
    check_ratio("costs", *pairs.T)
    return [check_costs(*pair) for pair in pairs]


@dataclass(frozen=True)
class FittedLoss:
    """The exponential loss that fits the weights after some round, class by class.

    Attributes
    ----------
    slope, intercept : ndarray of shape (2,)
        Log weight of the class, negative first, is ``intercept + slope * margin``.
    residual : float
        Largest distance of a log weight from the fit: at rounding level, or the weights are no function of
        the margin of this kind.
    """

    slope: np.ndarray
    intercept: np.ndarray
    residual: float

    @property
    def loss(self) -> ExponentialLoss | None:
        """The loss whose negative derivative the weights are; None if it would not be decreasing."""
        if np.any(self.slope >= 0):
            return None
        return ExponentialLoss(self.intercept - np.log(-self.slope), -self.slope)


@dataclass(frozen=True)
class Histories:
    """All sequences of ``R`` hits and misses.

    Attributes
    ----------
    margins : ndarray of shape (R + 1, H)
        Margin of each history after each round, the start included.
    log_weights : ndarray of shape (R + 1, 2, H)
        Logarithm of the weight over the base weight, negative class first, not normalised.
    """

    margins: np.ndarray
    log_weights: np.ndarray

    def fit(self, t: int) -> FittedLoss:
        """Least squares of the log weights after round ``t >= 1`` on the margin."""
        check_count("t", t, largest=len(self.margins) - 1)
        slope, intercept = np.polyfit(self.margins[t], self.log_weights[t].T, 1)
        fitted = intercept[:, np.newaxis] + np.outer(slope, self.margins[t])
        return FittedLoss(slope, intercept, float(np.abs(self.log_weights[t] - fitted).max()))

    def smallest_ratio_at_equal_margin(self, costly: int) -> float:
        """Smallest log weight of one class, 0 or 1, less that of the other at the same margin, any round."""
        check_count("costly", costly, 0, 1)
        smallest = np.inf
        for margins, log_weights in zip(self.margins, self.log_weights, strict=True):
            _, group = np.unique(margins.round(9), return_inverse=True)
            low = np.full(group.max() + 1, np.inf)
            high = -low
            np.minimum.at(low, group, log_weights[costly])
            np.maximum.at(high, group, log_weights[1 - costly])
            smallest = min(smallest, (low - high).min())
        return float(smallest)

    def smallest_ratio_at_equal_history(self, costly: int) -> float:
        """The same for examples with the same hits."""
        check_count("costly", costly, 0, 1)
        return float((self.log_weights[:, costly] - self.log_weights[:, 1 - costly]).min())


def impose(
    rules: Rules, costs: np.ndarray, votes: np.ndarray = VOTES, n_rounds: int | None = None
) -> Histories:
    """Apply the update of a variant to every history of hits and misses.

    Parameters
    ----------
    rules : Rules
        The variant.
    costs : ndarray of shape (2,)
        As the formulas take them, negative class first.
    votes : ndarray of shape (R,)
        The votes, imposed; up to twenty.
    n_rounds : int, optional
        Rounds planned, on which some rules depend; ``R`` by default.

    Returns
    -------
    Histories
        Margins and log weights of all :math:`2^R` histories after each round.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> histories = impose(VARIANTS["cgada"].build_rules(), np.array([1.0, 5.0]))
    >>> histories.margins.shape, histories.log_weights.shape
    ((8, 128), (8, 2, 128))
    """
    check_instance("rules", rules, Rules)
    c = read_array("costs", costs, POSITIVE, shape=(2,)).reshape(2, 1, 1)
    votes = read_array("votes", votes, MODERATE, shape=(None,))
    if len(votes) > MOST_ROUNDS:
        raise ValueError(
            f"votes has {len(votes)} rounds: allowed are {MOST_ROUNDS}, for histories double with each"
        )
    T = len(votes) if n_rounds is None else check_count("n_rounds", n_rounds, besides="or None")
    hit = np.array(list(product((0, 1), repeat=len(votes)))).T
    start = np.broadcast_to(rules.initial(c, T), (2, 1, 1)).reshape(2, 1)
    log_weights = [np.log(start) + np.zeros(hit.shape[1])]
    for right, vote in zip(hit, votes, strict=True):
        factors = np.broadcast_to(rules.log_factors(np.array([vote]), c, T), (2, 2, 1))
        # the prediction of an example is its class where it is right
        moved = [np.where(right, factors[y, y], factors[y, 1 - y]) for y in (0, 1)]
        log_weights.append(log_weights[-1] + np.array(moved))
    moves = votes[:, np.newaxis] * (2 * hit - 1)
    margins = np.vstack([np.zeros(hit.shape[1]), np.cumsum(moves, axis=0)])
    return Histories(margins, np.array(log_weights))
