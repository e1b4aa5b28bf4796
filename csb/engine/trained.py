"""What training leaves: scores, and how a method makes decisions and probabilities of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from csb.costs import Costs
from csb.engine.elementary import expit, log, logaddexp
from csb.engine.learners.stump import DecisionStump, StumpBatch, stump_scores
from csb.engine.rules import TIE, Hypotheses, Hypothesis, Rules, log_cost_ratio

__all__ = ["Batch", "CostsAct", "Model", "Round", "Scoring", "Trained", "Watch"]

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


CostsAct = Literal["training", "decision", "never"]
"""When the costs of a method play their part."""


@dataclass(frozen=True)
class Batch:
    """Models that share a method, and the decision of that method.

    Attributes
    ----------
    rules : Rules
        Of the method, its options chosen.
    costs : Costs
        As the formulas take them, one pair a model.
    costs_act : {"training", "decision", "never"}
        When they play their part.
    rounds : ndarray of shape (B,), int, optional
        Planned numbers of rounds, where they are not that of the whole training.
    learning_rate : ndarray of shape (B,), optional
        What each vote is multiplied by before it moves the weights; one by default.
    """

    rules: Rules
    costs: Costs
    costs_act: CostsAct = "training"
    rounds: np.ndarray | None = None
    learning_rate: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.costs.fn_cost)

    @cached_property
    def c(self) -> np.ndarray:
        """Costs as the rules take them, shape (2, 1, B)."""
        return self.costs.by_class[:, np.newaxis]

    def planned(self, n_estimators: int) -> Batch:
        """The same with numbers of rounds and learning rates filled in."""
        rounds = np.full(len(self), n_estimators) if self.rounds is None else self.rounds
        rates = np.ones(len(self)) if self.learning_rate is None else self.learning_rate
        return replace(self, rounds=rounds, learning_rate=rates)

    def take(self, models: np.ndarray | slice) -> Batch:
        """Some of the models."""
        rounds = None if self.rounds is None else self.rounds[models]
        rates = None if self.learning_rate is None else self.learning_rate[models]
        costs: Costs = self.costs[models]  # type: ignore[assignment]  # read as one of the two fields
        return replace(self, costs=costs, rounds=rounds, learning_rate=rates)

    def constant_scores(self, class_weights: np.ndarray) -> np.ndarray:
        """Scores (B,) of models without a hypothesis: half the log odds of what the classes hold.

        ``class_weights``, shape (2, B), is the base weight of each class, without costs.
        """
        scores = 0.5 * (log(class_weights[1]) - log(class_weights[0]) + self._trained_ratio)
        return np.where(np.abs(scores) <= TIE, 0.0, scores)

    @property
    def _trained_ratio(self) -> np.ndarray | float:
        """What the costs have added to the log odds of a constant model."""
        return log_cost_ratio(self.costs) if self.costs_act == "training" else 0.0

    def threshold(self, n_rounds: np.ndarray, alpha_sum: np.ndarray) -> np.ndarray:
        """Score above which the positive class is predicted, shape (B,).

        A model without a hypothesis is the constant decision of least cost.

        Parameters
        ----------
        n_rounds : ndarray of shape (B,)
            Hypotheses in each model.
        alpha_sum : ndarray of shape (B,)
            Sum of their votes.

        Returns
        -------
        ndarray of shape (B,)
            The thresholds.
        """
        log_ratio = log_cost_ratio(self.costs)
        of_constant = -0.5 * log_ratio if self.costs_act == "decision" else 0.0
        of_rules = self.rules.threshold(log_ratio, n_rounds, self.rounds, alpha_sum)
        return np.where(n_rounds == 0, of_constant, of_rules) + 0.0  # no negative zero

    def log_odds_line(
        self, n_rounds: np.ndarray, alpha_sum: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """Slope and gap (B,) for which ``slope * score - gap`` are the log odds of the positive class.

        They are those of the population minimiser of the loss; None where there is no loss.
        """
        if self.rules.loss is None:
            return None
        loss = self.rules.loss(self.c[:, 0], n_rounds, self.rounds, alpha_sum)
        constant = np.asarray(n_rounds) == 0
        slope = np.where(constant, 2.0, loss.exponent.sum(axis=0))
        return slope, np.where(constant, self._trained_ratio, loss.log_gap)


class Round(NamedTuple):
    """What one round added: models, votes, masses of the four outcomes, hypotheses and their numbers."""

    models: np.ndarray
    alpha: np.ndarray
    masses: np.ndarray
    hypotheses: Hypotheses
    position: np.ndarray


@dataclass(frozen=True)
class Trained:
    """The trained models of all batches, one after the other.

    Attributes
    ----------
    batches : list of Batch
        Their methods.
    rounds : list of Round
        What was added, round by round.
    stop_reasons : ndarray of shape (B,), str
        Why each model stopped, one of ``STOP_REASONS``.
    n_rounds : ndarray of shape (B,)
        Hypotheses in each model.
    constant : ndarray of shape (B,)
        Score of each model that has none.
    scores : ndarray of shape (B, n) or None
        Scores of all training examples, those of weight zero included, if they were asked for.
    """

    batches: list[Batch]
    rounds: list[Round]
    stop_reasons: np.ndarray
    n_rounds: np.ndarray
    constant: np.ndarray
    scores: np.ndarray | None

    @cached_property
    def alpha_sum(self) -> np.ndarray:
        """Sum of the votes of each model, shape (B,)."""
        total = np.zeros(len(self.n_rounds))
        for step in self.rounds:
            total[step.models] += step.alpha
        return total

    def decision_function(self, X: np.ndarray, chosen: np.ndarray | None = None) -> np.ndarray:
        """Scores of any examples, shape (B, n), under all models or those ``chosen``, shape (B,), bool."""
        scores, columns = np.zeros((len(self.n_rounds), len(X))), np.asfortranarray(X)
        for step in self.rounds:
            used = slice(None) if chosen is None else chosen[step.models]
            models, alpha, position = step.models[used], step.alpha[used], step.position[used]
            if isinstance(step.hypotheses, StumpBatch):
                stump_scores(columns, models, *step.hypotheses.take(position), alpha, scores)
                continue
            if hasattr(step.hypotheses, "predict"):  # a batch that predicts at once
                predictions = step.hypotheses.predict(X, position)
            else:
                predictions = np.array([step.hypotheses[p].predict(X) for p in position]).reshape(-1, len(X))
            scores[models] += alpha[:, np.newaxis] * predictions
        return self.with_constants(scores)

    def with_constants(self, scores: np.ndarray) -> np.ndarray:
        """The scores, and in the rows of models without a hypothesis what these score instead."""
        return np.where((self.n_rounds == 0)[:, np.newaxis], self.constant[:, np.newaxis], scores)

    def trace(self, model: int) -> tuple[np.ndarray, np.ndarray, list[Hypothesis]]:
        """Votes (T,), masses (T, G, 2) and hypotheses of one model."""
        alphas, masses, hypotheses = [], [], []
        for step in self.rounds:
            at = step.models.searchsorted(model)
            if at < len(step.models) and step.models[at] == model:
                alphas.append(step.alpha[at])
                masses.append(step.masses[:, :, at])
                hypotheses.append(step.hypotheses[step.position[at]])
        return np.array(alphas), np.stack(masses) if masses else np.empty((0, 2, 2)), hypotheses

    def model(self, number: int) -> Model:
        """One model by itself; without a hypothesis, the constant one."""
        starts = np.cumsum([0, *map(len, self.batches)])
        k = int(np.searchsorted(starts, number, side="right")) - 1
        batch = self.batches[k].take(slice(number - starts[k], number - starts[k] + 1))
        alphas, masses, hypotheses = self.trace(number)
        constant = not len(alphas)
        if constant:
            score = self.constant[number]
            sign, share = (1 if score > 0 else -1), expit(2 * score)
            alphas, hypotheses = np.array([abs(score)]), [DecisionStump(0, -np.inf, sign)]
            masses = np.zeros((1, 2, 2))
            masses[0, :, (sign + 1) // 2] = 1 - share, share
        stages = _stages(alphas, constant)
        line = batch.log_odds_line(*stages)
        return Model(
            hypotheses,
            alphas,
            np.broadcast_to(batch.threshold(*stages), len(alphas)),
            None if line is None else np.stack([np.broadcast_to(part, len(alphas)) for part in line]),
            str(self.stop_reasons[number]),
            masses,
            constant,
        )


@dataclass(frozen=True)
class Model:
    """A trained sum of weighted hypotheses by itself, as plain data; two of the loops make such sums.

    Attributes
    ----------
    hypotheses : list of length T
        Each with ``predict``.
    coefficients : ndarray of shape (T,)
        What each prediction is multiplied by.
    threshold : ndarray of shape (T,)
        Score above which the positive class is predicted after each round.
    log_odds_line : ndarray of shape (2, T) or None
        Slope and gap after each round: ``slope * score - gap`` are the log odds of the positive class.
    stop_reason : str
        One of ``STOP_REASONS``.
    masses : ndarray of shape (T, 2, 2), optional
        Weight of the four outcomes in each round.
    constant : bool
        Whether this is the constant decision, for want of a hypothesis.
    """

    hypotheses: list[Hypothesis]
    coefficients: np.ndarray
    threshold: np.ndarray
    log_odds_line: np.ndarray | None
    stop_reason: str
    masses: np.ndarray | None = None
    constant: bool = False

    def stages(self) -> tuple[np.ndarray, np.ndarray]:
        """Rounds and sum of the votes after each round; the constant decision has had none."""
        return _stages(self.coefficients, self.constant)

    def decision_function(self, X: np.ndarray) -> np.ndarray:
        """Scores, shape (n,)."""
        scores = np.zeros(len(X))
        if self.hypotheses and all(isinstance(each, DecisionStump) for each in self.hypotheses):
            stumps = map(np.array, zip(*self.hypotheses, strict=True))
            models = np.zeros(len(self.hypotheses), int)
            stump_scores(X, models, *stumps, self.coefficients, scores[np.newaxis])
            return scores  # in single precision, too, values are compared as doubles
        for term in self._terms(X):
            scores += term
        return scores

    def staged_scores(self, X: np.ndarray) -> Iterator[np.ndarray]:
        """Scores after each round."""
        scores = np.zeros(len(X))
        for term in self._terms(X):
            scores += term
            yield scores.copy()

    def _terms(self, X: np.ndarray) -> Iterator[np.ndarray]:
        X = X.astype(np.float64, copy=False)
        for coefficient, hypothesis in zip(self.coefficients, self.hypotheses, strict=True):
            yield coefficient * hypothesis.predict(X)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Probabilities of both classes, shape (n, 2)."""
        return self.probabilities(self.decision_function(X))

    def probabilities(self, scores: np.ndarray, round: int = -1) -> np.ndarray:
        """Probabilities of both classes, shape (n, 2), from the scores after a round, the last by default."""
        slope, gap = self.log_odds_line[:, round]  # type: ignore[index]  # asked only where there is a line
        log_odds = slope * scores - gap
        return np.column_stack([expit(-log_odds), expit(log_odds)])


def _stages(alphas: np.ndarray, constant: bool) -> tuple[np.ndarray, np.ndarray]:
    if constant:
        return np.zeros(1, int), np.zeros(1)
    return np.arange(1, len(alphas) + 1), np.cumsum(alphas)
