"""The two loops: mixtures of hypotheses by convex combination, and sums of votes.

Every method gives the loop what differs: the weights of its rows and its step, or its weights and its vote.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from csb.engine.kernels import TIE
from csb.engine.rules import half_log_odds
from csb.engine.votes import LARGEST_ALPHA

__all__ = ["Ensemble", "mix", "vote"]


class Ensemble(NamedTuple):
    """What a loop leaves.

    Attributes
    ----------
    hypotheses : list of length T
        Each with ``predict``.
    coefficients : ndarray of shape (T,)
        Steps, or votes.
    course : ndarray
        The objective before the first and after each round, shape (T + 1,), or the weighted error of each
        hypothesis, shape (T,).
    stop_reason : str
        Why the loop ended.
    """

    hypotheses: list
    coefficients: np.ndarray
    course: np.ndarray
    stop_reason: str


def mix(problem, weigh, learner, step, rounds, p, rng) -> Ensemble:
    r"""Convex combinations :math:`H_t = (1-\alpha_t) H_{t-1} + \alpha_t f_t` from :math:`H_0 = 1/k`.

    Parameters
    ----------
    problem : Problem
        The examples.
    weigh : callable
        One of :mod:`csb.methods.pnorm`.
    learner : PairLearner or ChoiceLearner
        What is trained on the weights.
    step : callable
        One of :mod:`csb.methods.pnorm_steps`.
    rounds : int
        Largest number of rounds.
    p : float
        The norm.
    rng : RandomState
        For the methods that sample.

    Returns
    -------
    Ensemble
        Its course is the objective. Ends with ``perfect`` when all weights vanish, with ``alpha`` when the
        step is zero.
    """
    H = np.full_like(problem.costs, 1 / problem.costs.shape[1])
    hypotheses, alphas, course, reason = [], [], [problem.objective(H, p)], "max_rounds"
    for t in range(1, rounds + 1):
        weights = weigh(problem, H, p, rng)
        if not np.any(weights):
            reason = "perfect"
            break
        hypothesis, f = learner.fit(weights)
        alpha = step(problem, H, f, p, t)
        if alpha <= 0:
            reason = "alpha"
            break
        H = (1 - alpha) * H + alpha * f
        hypotheses.append(hypothesis)
        alphas.append(alpha)
        course.append(problem.objective(H, p))
    return Ensemble(hypotheses, np.array(alphas), np.array(course), reason)


def vote(problem, method, learner, rounds) -> Ensemble:
    r"""Sums of votes :math:`\sum_t \alpha_t f_t` on multiplied weights, which are kept as logarithms.

    Parameters
    ----------
    problem : Problem
        The examples.
    method : Votes
        One of :mod:`csb.methods.multiclass_votes`.
    learner : PairLearner or ChoiceLearner
        What is trained on the weights.
    rounds : int
        Largest number of rounds.

    Returns
    -------
    Ensemble
        Its course is the weighted error. Ends with ``no_edge`` when the error is one half or more, with
        ``perfect`` after a hypothesis without error, with ``alpha`` when the vote is not positive.
    """
    log_w = method.start(problem)
    hypotheses, alphas, errors, reason = [], [], [], "max_rounds"
    for _ in range(rounds):
        w = np.exp(log_w - log_w.max())
        w /= w.sum()
        hypothesis, f = learner.fit(method.rows(problem, w))
        hits = method.hits(problem, f)
        error = np.sum(w * (1 - hits)) / 2
        if 1 - 2 * error <= TIE:
            reason = "no_edge"
            break
        kappa = method.kappa(problem, hits)
        alpha = half_log_odds(np.sum(w * (1 + kappa)), np.sum(w * (1 - kappa)))
        if alpha <= 0:
            reason = "alpha"
            break
        hypotheses.append(hypothesis)
        alphas.append(min(alpha, LARGEST_ALPHA) if error == 0 else alpha)
        errors.append(error)
        if error == 0:
            reason = "perfect"
            break
        log_w = log_w - alpha * kappa + method.surcharge(problem, f)
    return Ensemble(hypotheses, np.array(alphas), np.array(errors), reason)
