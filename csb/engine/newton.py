r"""The loop of Newton steps on a logistic loss.

The score :math:`f` is linked to the probability of the positive class by
:math:`\hat p = \sigma(2(\gamma f + \eta))`. Each round fits the working response by weighted least squares
and adds :math:`\frac1{2\gamma}` of the fit: LogitBoost of Friedman, Hastie and Tibshirani (2000) and its kin.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from csb.costs import Costs
from csb.engine.elementary import expit
from csb.engine.rules import Regressor
from csb.engine.stops import TIE
from csb.engine.trained import Model

__all__ = ["Link", "boost_logit", "working_response"]

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


def working_response(log_odds: np.ndarray, y: np.ndarray, largest: float) -> tuple[np.ndarray, np.ndarray]:
    r"""Curvature :math:`p(1-p)` and working response :math:`(y^*-p)/(p(1-p))`, clipped.

    Parameters
    ----------
    log_odds : ndarray of shape (n,)
        Log odds of :math:`p`.
    y : ndarray of shape (n,)
        Classes 0 and 1.
    largest : float
        Responses are clipped to this size.

    Returns
    -------
    curvature, response : ndarray of shape (n,)
        Of every example.
    """
    p, q = expit(log_odds), expit(-log_odds)
    with np.errstate(divide="ignore", over="ignore"):
        response = np.where(y == 1, 1 / p, -1 / q)
    return np.maximum(p * q, SMALLEST), np.clip(response, -largest, largest)


def boost_logit(
    learner: Regressor,
    labels: np.ndarray,
    weights: np.ndarray,
    link: Link,
    n_estimators: int,
    largest_response: float,
) -> Model:
    """Train by Newton steps.

    Parameters
    ----------
    learner : bound regression learner
        From :func:`csb.engine.learners.regression.bind_regressor`.
    labels : ndarray of shape (n,)
        Classes 0 and 1.
    weights : ndarray of shape (n,)
        Non-negative base weights.
    link : Link
        The link of the method.
    n_estimators : int
        Largest number of rounds.
    largest_response : float
        Working responses are clipped to this size: without a bound they diverge on pure leaves.

    Returns
    -------
    Model
        The ensemble; it ends with ``no_edge`` when the fitted function is zero everywhere.
    """
    step = 0.5 / link.slope
    score = np.zeros(len(labels))
    hypotheses, reason = [], "max_rounds"
    base = weights / weights.sum()
    for _ in range(n_estimators):
        curvature, response = working_response(link.log_odds(score), labels, largest_response)
        current = base * curvature
        hypothesis, values = learner.fit(current / current.sum(), response)
        if np.abs(values[base > 0]).max() < TIE:
            reason = "no_edge"
            break
        hypotheses.append(hypothesis)
        score += step * values
    stages = max(len(hypotheses), 1)
    line = np.repeat([[2 * link.slope], [-2 * link.offset]], stages, axis=1)
    return Model(hypotheses, np.full(len(hypotheses), step), np.zeros(stages), line, reason)
