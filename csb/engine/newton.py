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
from csb.engine.trained import Model, Watch

__all__ = ["Link", "boost_logit"]

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


def _working_response_in_arrays(log_odds, y, largest, curvature, response):
    """Array form of ``working_response``."""
    p, q = expit(log_odds), expit(-log_odds)
    curvature[:] = np.maximum(p * q, SMALLEST)
    response[:] = np.clip(np.where(y == 1, 1.0, -1.0) / np.where(y == 1, p, q), -largest, largest)


@compiled(_working_response_in_arrays, error_model="numpy")
def working_response(log_odds, y, largest, curvature, response):
    r"""Fill in the curvature :math:`p(1-p)` and the working response :math:`(y^*-p)/(p(1-p))` of examples.

    ``y`` are classes 0 and 1; responses are clipped to the size ``largest``.
    """
    for i in range(y.shape[0]):
        p, q = expit_scalar(log_odds[i]), expit_scalar(-log_odds[i])
        curvature[i] = max(p * q, SMALLEST)
        response[i] = min(1.0 / p, largest) if y[i] else -min(1.0 / q, largest)


def boost_logit(
    learner: Regressor,
    labels: np.ndarray,
    weights: np.ndarray,
    link: Link,
    n_estimators: int,
    largest_response: float,
    learning_rate: np.ndarray,
    watch: Watch | None = None,
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

    Returns
    -------
    list of Model
        The ensembles; one ends with ``no_edge`` when the fitted function is zero everywhere.
    """
    steps = learning_rate * 0.5 / link.slope
    base = weights / weights.sum(axis=1, keepdims=True)
    scores, (curvature, response) = np.zeros(base.shape), np.empty((2, len(labels)))
    hypotheses: list[list[Hypothesis]] = [[] for _ in base]
    reasons = np.full(len(base), "max_rounds")
    line = np.array([[2 * link.slope], [-2 * link.offset]])
    active = np.arange(len(base))  # the models still in training
    for _ in range(n_estimators):
        going = np.ones(len(active), bool)
        for k, b in enumerate(active):
            working_response(link.log_odds(scores[b]), labels, largest_response, curvature, response)
            current = base[b] * curvature
            hypothesis, values = learner.fit(current / current.sum(), response)
            if np.abs(values).max(where=base[b] > 0, initial=0.0) < TIE:
                reasons[b] = "no_edge"
                going[k] = False
                continue
            hypotheses[b].append(hypothesis)
            scores[b] += steps[b] * values
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
