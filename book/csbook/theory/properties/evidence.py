"""What the properties are decided from: runs of a variant, and its weights when votes and hits are imposed.

Runs do not show what a rule does: a booster soon repeats one hypothesis, its examples then share few
histories, and weights that remember the history look like a function of the margin. So every example may have
a history of its own, one of each class for every sequence of hits and misses.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

import numpy as np

from csb.costs import Costs, check_costs, check_ratio
from csb.engine.learners import bind_learner
from csb.engine.rules import Hypotheses, Hypothesis, Rules
from csb.engine.trained import Batch
from csb.engine.votes import TrainingSet, boost
from csb.inputs import MODERATE, POSITIVE, check_count, check_instance, read_array, read_column, shown
from csb.methods import VARIANTS, VotingMethod
from csb.methods.losses import ExponentialLoss
from csbook.inputs import read_generator, read_list

__all__ = [
    "Finding", "STEPS", "Problem", "Run", "random_problems", "read_problems", "run", "VOTES",
    "FittedLoss", "Histories", "impose", "read_pairs", "read_variant",
]  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """A property of one method, decided by running the method.

    Attributes
    ----------
    property : str
        "FGD-consistent", "cost-consistent", "asymmetry-preserving" or "calibrated".
    verdict : str
        "yes" or "no", or a word that qualifies one of them, such as "weak".
    reason : str
        One sentence that says why, for a reader.
    evidence : mapping of str to float, int or str
        The numbers on which the verdict rests.
    """

    property: str
    verdict: str
    reason: str
    evidence: Mapping[str, float | int | str] = field(default_factory=dict)

    @builtins.property  # the name is that of a field here
    def holds(self) -> bool:
        """Whether the property holds, possibly in a weaker form."""
        return self.verdict in ("yes", "weak")

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {_shown(value)}" for name, value in self.evidence.items())
        return f"{self.verdict}: {self.reason} ({numbers})" if numbers else f"{self.verdict}: {self.reason}"


def _shown(value: object) -> str:
    """Three digits of a number; none of what is rounding only, and another one on other processors."""
    if not isinstance(value, float):
        return str(value)
    return "below 1e-12" if 0 < abs(value) < 1e-12 else f"{value:.3g}"


Problem = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Inputs, classes of 0 and 1, and base weights."""

STEPS = "[0.01, 1]"
"""Learning rates at which properties are decided: of shorter steps a limit takes too many."""


def random_problems(
    count: int = 20, n: int = 60, random_state: int | np.random.Generator | None = 0
) -> list[Problem]:
    """Small weighted problems with noisy labels, for which no stump is without error.

    Returns
    -------
    list of tuple
        Inputs (n, 3), classes (n,) of 0 and 1, and base weights (n,).

    Raises
    ------
    ValueError
        If a count or the seed is not admissible.

    Examples
    --------
    >>> X, y, weight = random_problems(count=1)[0]
    >>> X.shape, y.shape, weight.shape
    ((60, 3), (60,), (60,))
    """
    count, n = check_count("count", count), check_count("n", n)
    rng = read_generator("random_state", random_state)
    problems = []
    for _ in range(count):
        X = rng.normal(size=(n, 3)).round(1)
        y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1).astype(np.int8)
        problems.append((X, y, rng.uniform(0.5, 2.0, n)))
    return problems


def read_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Problems as :func:`random_problems` gives them."""
    read = []
    for each in read_list("problems", problems):
        if not isinstance(each, (tuple, list)) or len(each) != 3:
            raise ValueError(f"problems hold {shown(each)}: allowed are triples of X, y and weight")
        X = read_array("problems", each[0], shape=(None, None))
        y = read_array("problems", read_column("problems", each[1], len(X)), "[0, 1]").astype(np.int8)
        if len(np.unique(y)) < 2:
            raise ValueError("problems hold one with a single class: needed are examples of both, 0 and 1")
        read.append((X, y, read_array("problems", each[2], POSITIVE, shape=y.shape)))
    return read


@dataclass(frozen=True)
class Run:
    """What one run of the booster shows, ``R`` rounds on ``n`` examples.

    Attributes
    ----------
    signs, base : ndarray of shape (n,)
        Classes -1 and +1; base weights.
    weights : ndarray of shape (R + 1, n)
        Weights that the learner was shown, the last of them after the last round.
    hits : ndarray of shape (R, n)
        The product of class and prediction.
    votes : ndarray of shape (R,)
        The votes.
    hypotheses : list of length R
        What the learner found.
    """

    signs: np.ndarray
    base: np.ndarray
    weights: np.ndarray
    hits: np.ndarray
    votes: np.ndarray
    hypotheses: list[Hypothesis]

    @property
    def log_weights(self) -> np.ndarray:
        """Logarithms of the weights; minus infinity where one has underflowed."""
        with np.errstate(divide="ignore"):
            return np.log(self.weights)


class _Recorder:
    """A learner that notes what it was shown and what it answered."""

    def __init__(self, learner: Any) -> None:
        self.learner = learner
        self.weights: list[np.ndarray] = []
        self.predicted: list[np.ndarray] = []

    def fit(self, weights: np.ndarray, *losses: Sequence[Any]) -> tuple[Hypotheses, np.ndarray]:
        hypotheses, predicted = self.learner.fit(weights, *losses)
        self.weights.append(weights[0].copy())
        self.predicted.append(predicted[0].astype(float))
        return hypotheses, predicted


def run(
    rules: Rules,
    costs: Costs,
    X: np.ndarray,
    y: np.ndarray,
    base: np.ndarray,
    rounds: int,
    learning_rate: float = 1.0,
) -> Run:
    """Boost stumps for so many rounds; votes that are not positive do not end the run."""
    joint = rules.best_loss is not None
    learner = _Recorder(bind_learner("stump", X, y, joint=joint))
    # one round more, so that the learner is shown the weights after the last one that counts
    training = TrainingSet(y, base[np.newaxis])
    batch = Batch(rules, costs, learning_rate=np.array([learning_rate]))
    trained = boost(learner, training, [batch], rounds + 1, keep_nonpositive=True)
    rounds = len(learner.weights) - 1
    signs = 2.0 * y - 1
    hits = signs * (2 * np.array(learner.predicted[:rounds]).reshape(rounds, len(y)) - 1)
    votes, _, hypotheses = trained.trace(0)
    return Run(signs, base, np.array(learner.weights), hits, votes[:rounds], hypotheses[:rounds])


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
