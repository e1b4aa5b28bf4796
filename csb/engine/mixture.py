"""The loop of mixtures, by convex combination, and that of votes for any number of classes.

Every method gives the loop what differs: the weights of its rows and its step, or its weights and its vote.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from csb.engine.elementary import exp, power
from csb.engine.rules import LARGEST_ALPHA, SMALLEST, TIE, Hypothesis, OneByOne, half_log_odds

__all__ = ["ClassVotes", "Descent", "Ensemble", "Problem", "Step", "mix", "vote_for_classes"]


class Problem(NamedTuple):
    """Examples as costs.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Base weights :math:`q_i`, positive, summing to one.
    costs : ndarray of shape (n, k)
        Costs :math:`C_{iy}` of predicting each class, zero for the right one.
    labels : ndarray of shape (n,)
        Number of the right class :math:`y_i^*`.
    """

    weights: np.ndarray
    costs: np.ndarray
    labels: np.ndarray

    @property
    def weighted_costs(self) -> np.ndarray:
        """Weighted costs :math:`q_i C_{iy}`, shape (n, k)."""
        return self.weights[:, np.newaxis] * self.costs

    @property
    def right(self) -> np.ndarray:
        """Which pair of example and class is the right one, shape (n, k)."""
        return self.labels[:, np.newaxis] == np.arange(self.costs.shape[1])

    def objective(self, H: np.ndarray, p: float) -> float:
        r""":math:`L(H) = \sum_i q_i \sum_y H(y|x_i)^p C_{iy}`, Eq. (2) of Lozano and Abe (2008)."""
        return float(np.sum(self.weighted_costs * power(H, p)))


Step = Callable[[Problem, np.ndarray, np.ndarray, float, int], float]
"""How far to go, from the problem, the mixture, the new hypothesis, the norm and the round."""


class Descent(NamedTuple):
    """A method of mixtures, bound to its problem.

    Attributes
    ----------
    weigh : callable ``H -> (n, k)``
        What the learner is given.
    step : callable ``(H, f, t) -> float``
        How far to go from the mixture towards the new hypothesis, in [0, 1].
    objective : callable ``H -> float``
        What is to fall, for the record.
    """

    weigh: Callable[[np.ndarray], np.ndarray]
    step: Callable[[np.ndarray, np.ndarray, int], float]
    objective: Callable[[np.ndarray], float]


class ClassVotes(NamedTuple):
    """A method of voting for classes.

    Attributes
    ----------
    start : callable
        Logarithms of the first weights: of the pairs (n, k) or of the examples (n, 1).
    learner_weights : callable
        What the learner is given, (n, k), for weights ``w``.
    hits : callable
        How right the values ``f`` are, from -1 to 1, in the shape of the weights.
    kappa : callable
        What the vote multiplies in the exponent, from the hits.
    extra_log_factor : callable
        What else is added to the logarithms of the weights.
    """

    start: Callable[[Problem], np.ndarray]
    learner_weights: Callable[[Problem, np.ndarray], np.ndarray]
    hits: Callable[[Problem, np.ndarray], np.ndarray]
    kappa: Callable[[Problem, np.ndarray], np.ndarray]
    extra_log_factor: Callable[[Problem, np.ndarray], np.ndarray | float]


class Ensemble(NamedTuple):
    """What a loop leaves.

    Attributes
    ----------
    hypotheses : list of length T
        Each with ``predict``.
    coefficients : ndarray of shape (T,)
        Steps, or votes.
    history : ndarray
        The objective before the first and after each round, shape (T + 1,), or the weighted error of each
        hypothesis, shape (T,).
    stop_reason : str
        Why the loop ended.
    """

    hypotheses: list[Hypothesis]
    coefficients: np.ndarray
    history: np.ndarray
    stop_reason: str


def mix(problem: Problem, descent: Descent, learner: OneByOne, rounds: int) -> Ensemble:
    r"""Convex combinations :math:`H_t = (1-\alpha_t) H_{t-1} + \alpha_t f_t` from :math:`H_0 = 1/k`.

    Parameters
    ----------
    problem : Problem
        The examples.
    descent : Descent
        Weights and steps, from :mod:`csb.methods.pnorm` or :mod:`csb.methods.margin_boost`.
    learner : PairLearner or ChoiceLearner
        What is trained on the weights.
    rounds : int
        Largest number of rounds.

    Returns
    -------
    Ensemble
        Its history is the objective. Ends with ``perfect`` when all weights vanish, with ``alpha`` when the
        step is zero.
    """
    H = np.full_like(problem.costs, 1 / problem.costs.shape[1])
    hypotheses, alphas, history, reason = [], [], [descent.objective(H)], "max_rounds"
    for t in range(1, rounds + 1):
        weights = descent.weigh(H)
        if not np.any(weights):
            reason = "perfect"
            break
        hypothesis, f = learner.fit(weights)
        alpha = descent.step(H, f, t)
        if alpha <= 0:
            reason = "alpha"
            break
        H = (1 - alpha) * H + alpha * f
        hypotheses.append(hypothesis)
        alphas.append(alpha)
        history.append(descent.objective(H))
    return Ensemble(hypotheses, np.array(alphas), np.array(history), reason)


def vote_for_classes(
    problem: Problem, method: ClassVotes, learner: OneByOne, rounds: int, learning_rate: float = 1.0
) -> Ensemble:
    r"""Sums of votes :math:`\sum_t \alpha_t f_t` on multiplied weights, which are kept as logarithms.

    Parameters
    ----------
    problem : Problem
        The examples.
    method : ClassVotes
        One of :mod:`csb.methods.class_votes`.
    learner : PairLearner or ChoiceLearner
        What is trained on the weights.
    rounds : int
        Largest number of rounds.
    learning_rate : float, default 1.0
        What each vote is multiplied by before it moves the weights.

    Returns
    -------
    Ensemble
        Its history is the weighted error. Ends with ``no_edge`` when the error is one half or more, with
        ``perfect`` after a hypothesis without error, with ``alpha`` when the vote is not positive.
    """
    log_w = method.start(problem)
    hypotheses, alphas, errors, reason = [], [], [], "max_rounds"
    for _ in range(rounds):
        w = exp(np.where(log_w > -np.inf, np.maximum(log_w - log_w.max(), SMALLEST), -np.inf))
        w /= w.sum()
        hypothesis, f = learner.fit(method.learner_weights(problem, w))
        hits = method.hits(problem, f)
        error = np.sum(w * (1 - hits)) / 2
        if 1 - 2 * error <= TIE:
            reason = "no_edge"
            break
        kappa = method.kappa(problem, hits)
        alpha = float(half_log_odds(np.sum(w * (1 + kappa)), np.sum(w * (1 - kappa))))
        if alpha <= TIE:
            reason = "alpha"
            break
        alpha = learning_rate * (min(alpha, LARGEST_ALPHA) if error == 0 else alpha)
        hypotheses.append(hypothesis)
        alphas.append(alpha)
        errors.append(error)
        if error == 0:
            reason = "perfect"
            break
        log_w = log_w - alpha * kappa + method.extra_log_factor(problem, f)
    return Ensemble(hypotheses, np.array(alphas), np.array(errors), reason)
