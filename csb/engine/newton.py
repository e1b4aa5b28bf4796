r"""The loop of Newton steps on a logistic loss.

The score :math:`f` is linked to the probability of the positive class by
:math:`\hat p = \sigma(2(\gamma f + \eta))`. Each round fits the working response by weighted least squares
and adds :math:`\frac1{2\gamma}` of the fit: LogitBoost of Friedman, Hastie and Tibshirani (2000) and its kin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csb.costs import Costs
from csb.engine.compiled import compiled
from csb.engine.elementary import expit, expit_scalar
from csb.engine.rules import TIE, Hypothesis, Regressor
from csb.engine.threads import Threads
from csb.engine.trained import Model, Watch

__all__ = ["Link", "boost_logit"]

RESPONDING = 4
"""The working response of an example takes so many times as long as adding a value to a histogram."""
SMALLEST = 2 * np.finfo(float).eps
"""Below this the curvature :math:`p(1-p)` of an example is not allowed to fall, as in the paper of 2000."""


@dataclass(frozen=True)
class Link:
    r"""Probability :math:`\sigma(2(\gamma f + \eta))` of the positive class at score :math:`f`."""

    slope: float
    offset: float

    @classmethod
    def symmetric(cls, costs: Costs) -> Link:
        """That of LogitBoost, whatever the costs."""
        return cls(1.0, 0.0)

    def log_odds(self, score: np.ndarray) -> np.ndarray:
        """Log odds of the probability."""
        return 2 * (self.slope * np.asarray(score) + self.offset)


def _working_response_in_arrays(scores, slope, offset, base, y, largest, first, last, weights, response):
    """Array form of ``working_response``."""
    inside = slice(first, last)
    log_odds, positive = 2 * (slope * scores[inside] + offset), y[inside] == 1
    p, q = expit(log_odds), expit(-log_odds)
    weights[inside] = base[inside] * np.maximum(p * q, SMALLEST)
    raw = np.where(positive, 1.0, -1.0) / np.where(positive, p, q)
    response[inside] = np.clip(raw, -largest, largest)


@compiled(_working_response_in_arrays, error_model="numpy")
def working_response(scores, slope, offset, base, y, largest, first, last, weights, response):
    r"""Fill in the weights and the working response of a Newton step, for a range of examples.

    These are the base weight times the curvature :math:`p(1-p)`, and :math:`(y^*-p)/(p(1-p))`, clipped to
    the size ``largest``. ``slope`` and ``offset`` are those of the link, ``y`` classes 0 and 1.
    """
    given, base, y = scores[first:last], base[first:last], y[first:last]  # of whose numbers none is negative
    weights, response = weights[first:last], response[first:last]
    for i in range(last - first):
        log_odds = 2.0 * (slope * given[i] + offset)
        p, q = expit_scalar(log_odds), expit_scalar(-log_odds)
        weights[i] = base[i] * max(p * q, SMALLEST)
        response[i] = min(1.0 / p, largest) if y[i] else -min(1.0 / q, largest)


def _take_step_in_arrays(values, step, base, scores):
    """Array form of ``take_step``."""
    moves = not np.all((np.abs(values) < TIE) | (base <= 0.0))
    if moves:
        scores += step * values
    return moves


@compiled(_take_step_in_arrays)
def take_step(values, step, base, scores):
    """Add a step to the scores, unless it moves no example that carries weight; whether it does."""
    moves = False
    for i in range(values.shape[0]):
        moves |= not (abs(values[i]) < TIE or base[i] <= 0.0)
    for i in range(values.shape[0] if moves else 0):
        scores[i] += step * values[i]
    return moves


def boost_logit(
    learner: Regressor,
    labels: np.ndarray,
    weights: np.ndarray,
    link: Link,
    n_estimators: int,
    largest_response: float,
    learning_rate: np.ndarray,
    watch: Watch | None = None,
    n_jobs: int | None = None,
) -> list[Model]:
    """Train models by Newton steps, all round by round.

    Parameters
    ----------
    learner : bound regression learner
        From :func:`csb.engine.learners.regression.bind_regressor`.
    labels : ndarray of shape (n,)
        Classes 0 and 1.
    weights : ndarray of shape (B, n)
        Non-negative base weights. An example of weight zero takes no part in that model.
    link : Link
        The link of the method.
    n_estimators : int
        Largest number of rounds.
    largest_response : float
        Working responses are clipped to this size.
    learning_rate : ndarray of shape (B,)
        What each step is multiplied by.
    watch : Watch, optional
        Judges the models after every round, and may end them.
    n_jobs : int, optional
        Threads; the models do not depend on it.

    Returns
    -------
    list of Model
        The ensembles; one ends with ``no_edge`` when the fitted function is zero everywhere.
    """
    steps = learning_rate * 0.5 / link.slope
    base = weights / weights.sum(axis=1, keepdims=True)
    n, scores, threads = len(labels), np.zeros(base.shape), Threads(n_jobs)
    current, response = np.empty((2, n))
    hypotheses: list[list[Hypothesis]] = [[] for _ in base]
    reasons = np.full(len(base), "max_rounds")
    line = np.array([[2 * link.slope], [-2 * link.offset]])
    active = np.arange(len(base))  # the models still in training
    for _ in range(n_estimators):
        going = np.ones(len(active), bool)
        for k, b in enumerate(active):
            given = scores[b], link.slope, link.offset, base[b], labels, largest_response

            def respond(first: int, last: int, given: tuple = given) -> None:
                working_response(*given, first, last, current, response)

            threads.run(respond, n, RESPONDING * n)
            np.divide(current, current.sum(), out=current)
            hypothesis, values = learner.fit(current, response)
            if take_step(values, steps[b], base[b], scores[b]):
                hypotheses[b].append(hypothesis)
            else:
                reasons[b] = "no_edge"
                going[k] = False
        if watch is not None:
            found = watch.judge(active, scores[active], np.zeros(len(active)), (line[0], line[1]))
            ending = watch.note(active, found) & going
            reasons[active[ending]] = "no_gain"
            going &= ~ending
        active = active[going]
        if not len(active):
            break
    models = []
    for step, fitted, reason in zip(steps, hypotheses, reasons, strict=True):
        stages = max(len(fitted), 1)
        lines = np.repeat(line, stages, axis=1)
        models.append(Model(fitted, np.full(len(fitted), step), np.zeros(stages), lines, str(reason)))
    return models
