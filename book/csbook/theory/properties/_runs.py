"""Runs of a variant on small random problems, with every weight the learner was shown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from csb.costs import Costs
from csb.engine.learners import bind_learner
from csb.engine.rules import Hypotheses, Hypothesis, Rules
from csb.engine.trained import Batch
from csb.engine.votes import TrainingSet, boost
from csb.inputs import POSITIVE, check_count, read_array, read_column, read_generator, read_list, shown

__all__ = ["STEPS", "Problem", "Run", "random_problems", "read_problems", "run"]

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
