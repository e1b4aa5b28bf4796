"""Unfinished ensembles judged after every round, on examples set aside."""

from __future__ import annotations

from typing import Literal

import numpy as np

from csb.costs import Costs
from csb.engine.elementary import logaddexp

__all__ = ["Scoring", "Watch"]

Scoring = Literal["log_loss", "cost"]
Line = tuple[np.ndarray, np.ndarray]


class Watch:
    """What a loop asks after every round: how good is each model, and is it to go on?

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Classes of all examples.
    weights : ndarray of shape (B, n)
        Weights of the examples on which each model is judged; zero for the others.
    costs : Costs
        By which decisions are judged, one pair a model.
    scoring : {"log_loss", "cost"}
        Minus the log loss of the method's probabilities, or minus the mean cost of its decisions.
    patience : int, optional
        A model ends when so many rounds in a row have brought no more than ``tol``; by default none does.
    tol : float, default 0.0
        What counts as better.
    """

    def __init__(
        self,
        labels: np.ndarray,
        weights: np.ndarray,
        costs: Costs,
        scoring: Scoring,
        patience: int | None = None,
        tol: float = 0.0,
    ) -> None:
        self.used = weights.any(axis=0)
        self.positive = labels[self.used] == 1
        self.shares = weights[:, self.used] / weights.sum(axis=1, keepdims=True)
        self.error_costs = costs.by_class.T[:, labels[self.used]] if scoring == "cost" else None
        self.scoring, self.patience, self.tol = scoring, patience, tol
        self.rounds: list[np.ndarray] = []

    @property
    def history(self) -> np.ndarray:
        """Scores after each round, shape (T, B), higher is better; what has ended keeps its last one."""
        return np.array(self.rounds).reshape(-1, len(self.shares))

    def judge(
        self, models: np.ndarray, scores: np.ndarray, threshold: np.ndarray, line: Line | None
    ) -> np.ndarray:
        """Score (K,) of each of the models numbered ``models``.

        ``scores``, shape (K, n), are sums of votes; above ``threshold`` they speak for the positive class,
        and ``line``, slope and gap, makes log odds of them.
        """
        scores, shares = scores[:, self.used], self.shares[models]
        if self.error_costs is not None:
            wrong = (scores > threshold[:, np.newaxis]) != self.positive
            return -np.sum(shares * np.where(wrong, self.error_costs[models], 0.0), axis=1)
        slope, gap = (np.broadcast_to(part, len(models))[:, np.newaxis] for part in line)  # type: ignore[union-attr]
        log_odds = slope * scores - gap
        return -np.sum(shares * logaddexp(0.0, np.where(self.positive, -log_odds, log_odds)), axis=1)

    def note(self, models: np.ndarray, found: np.ndarray) -> np.ndarray:
        """Store the scores of a round; which of the models are to end, shape (K,)."""
        latest = self.rounds[-1].copy() if self.rounds else np.full(len(self.shares), -np.inf)
        latest[models] = found
        self.rounds.append(latest)
        if self.patience is None or len(self.rounds) <= self.patience:
            return np.zeros(len(models), bool)
        before, *recent = (each[models] for each in self.rounds[-self.patience - 1 :])
        return np.max(recent, axis=0) <= before + self.tol
