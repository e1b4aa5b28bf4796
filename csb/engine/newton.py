r"""LogitBoost and its cost-sensitive kin: Newton steps on a logistic loss.

The score :math:`f` is linked to the probability of the positive class by
:math:`\hat p = \sigma(2(\gamma f + \eta))`. LogitBoost of Friedman, Hastie and Tibshirani (2000) has
:math:`\gamma=1, \eta=0`; with the cost ratio :math:`\rho`, AsyBL of Cao et al. (2013) has
:math:`\eta=-\frac12\log\rho`, and asymmetric LogitBoost, which they take from others,
:math:`\gamma=\frac12(c_{FN}+c_{FP})` in addition. Each round fits the working response by weighted least
squares and adds :math:`\frac1{2\gamma}` of the fit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

__all__ = ["LINKS", "Fit", "Link", "boost_logit"]

SMALLEST = 2 * np.finfo(float).eps
"""Below this the curvature :math:`p(1-p)` of an example is not allowed to fall, as in the paper of 2000."""

NO_FIT = 1e-12
"""A fitted function smaller than this everywhere ends training."""


@dataclass(frozen=True)
class Link:
    r"""Probability :math:`\sigma(2(\gamma f + \eta))` of the positive class at score :math:`f`."""

    slope: float
    offset: float

    def log_odds(self, score: np.ndarray) -> np.ndarray:
        """Log odds of the probability."""
        return 2 * (self.slope * np.asarray(score) + self.offset)


LINKS = {
    "logitboost": lambda costs: Link(1.0, 0.0),
    "asybl": lambda costs: Link(1.0, -0.5 * costs.log_ratio[0]),
    "asymmetric_logitboost": lambda costs: Link(
        0.5 * (costs.fn_cost[0] + costs.fp_cost[0]), -0.5 * costs.log_ratio[0]
    ),
}
"""The link of each method, from the costs of its two errors."""


@dataclass(frozen=True)
class Fit:
    """A trained ensemble: the fitted functions, the factor on each, and why training stopped."""

    hypotheses: list
    step: float
    stop_reason: str


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


def boost_logit(learner, labels, weights, link: Link, n_estimators: int, largest_response: float) -> Fit:
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
    Fit
        The ensemble.
    """
    step = 0.5 / link.slope
    score = np.zeros(len(labels))
    hypotheses = []
    base = weights / weights.sum()
    for _ in range(n_estimators):
        curvature, response = working_response(link.log_odds(score), labels, largest_response)
        current = base * curvature
        hypothesis, values = learner.fit(current / current.sum(), response)
        if np.abs(values[base > 0]).max() < NO_FIT:
            return Fit(hypotheses, step, "no_edge")
        hypotheses.append(hypothesis)
        score += step * values
    return Fit(hypotheses, step, "max_rounds")
