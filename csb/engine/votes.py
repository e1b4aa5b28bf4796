"""The boosting loop.

Every variant runs through this one loop, for a batch of models at once: train a weak hypothesis on the
current weights, take the masses of the four outcomes, ask the variant's rules for the vote and the weight
factors, update. Stops and numerics stand here and nowhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from csb.costs import Costs
from csb.engine.kernels import TIE, outcome_masses, recompute_weights, update_weights
from csb.engine.rules import Rules

__all__ = ["STOP_REASONS", "Ensembles", "Job", "boost"]

STOP_REASONS = ("max_rounds", "perfect", "no_edge", "alpha", "not_finite", "underflow")

LARGEST_ALPHA = 0.5 * np.log((1 - 1e-10) / 1e-10)
"""Vote of a hypothesis that errs on no weight, for a loss of slope one."""

LARGEST_DRIFT = 300.0
"""Largest exponent by which linear weights may move before they are recomputed from their logarithms.

Between two such points no weight can underflow and grow back, which would lose it.
"""


@dataclass(frozen=True)
class Job:
    """Models of a batch that share a variant.

    Attributes
    ----------
    rules : Rules
        The variant, its options settled.
    costs : Costs
        Scaled costs, one pair a model.
    rounds : ndarray of shape (B,), int, optional
        Planned numbers of rounds, where they are not that of the batch.
    """

    rules: Rules
    costs: Costs
    rounds: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.costs.fn_cost)

    @cached_property
    def c(self) -> np.ndarray:
        """Costs as the rules take them, shape (2, 1, B)."""
        return self.costs.by_class[:, np.newaxis]

    def planned(self, n_estimators: int) -> Job:
        """The same job with its numbers of rounds filled in."""
        return self if self.rounds is not None else replace(self, rounds=np.full(len(self), n_estimators))

    def take(self, lanes: np.ndarray) -> Job:
        return Job(self.rules, self.costs[lanes], None if self.rounds is None else self.rounds[lanes])


@dataclass(frozen=True)
class Round:
    """What one round added: models, votes, masses of the four outcomes, hypotheses."""

    lanes: np.ndarray
    alpha: np.ndarray
    masses: np.ndarray
    hypotheses: Sequence
    position: np.ndarray


@dataclass(frozen=True)
class Ensembles:
    """The trained batch.

    Attributes
    ----------
    rounds : list of Round
        What was added, round by round.
    stop_reasons : ndarray of shape (B,), str
        Why each model stopped, one of ``STOP_REASONS``.
    n_rounds : ndarray of shape (B,)
        Hypotheses in each model.
    scores : ndarray of shape (B, n) or None
        Scores of all examples, those of weight zero included, if they were asked for.
    """

    rounds: list[Round]
    stop_reasons: np.ndarray
    n_rounds: np.ndarray
    scores: np.ndarray | None

    def trace(self, lane: int) -> tuple[np.ndarray, np.ndarray, list]:
        """Votes (T,), masses (T, G, 2) and hypotheses of one model."""
        alphas, masses, hypotheses = [], [], []
        for step in self.rounds:
            at = np.searchsorted(step.lanes, lane)
            if at < len(step.lanes) and step.lanes[at] == lane:
                alphas.append(step.alpha[at])
                masses.append(step.masses[:, :, at])
                hypotheses.append(step.hypotheses[step.position[at]])
        masses = np.stack(masses) if masses else np.empty((0, 2, 2))
        return np.array(alphas), masses, hypotheses

    def decision_function(self, X: np.ndarray, rounds: np.ndarray | None = None) -> np.ndarray:
        """Scores of any examples under all models, shape (B, n); zero where a model has no hypothesis.

        ``rounds``, of shape (B,), cuts each model off after so many rounds.
        """
        scores = np.zeros((len(self.n_rounds), len(X)))
        for t, step in enumerate(self.rounds):
            used = slice(None) if rounds is None else rounds[step.lanes] > t
            lanes, alpha, position = step.lanes[used], step.alpha[used], step.position[used]
            if hasattr(step.hypotheses, "predict"):  # a batch that predicts at once
                votes = step.hypotheses.predict(X, position)
            else:
                votes = np.array([step.hypotheses[p].predict(X) for p in position]).reshape(-1, len(X))
            scores[lanes] += alpha[:, np.newaxis] * votes
        return scores

    @property
    def votes(self) -> np.ndarray:
        """Sum of the votes of each model, shape (B,)."""
        total = np.zeros(len(self.n_rounds))
        for step in self.rounds:
            total[step.lanes] += step.alpha
        return total


def boost(
    learner,
    labels: np.ndarray,
    weights: np.ndarray,
    jobs: Sequence[Job],
    n_estimators: int,
    *,
    groups: np.ndarray | None = None,
    keep_nonpositive: bool = False,
    keep_scores: bool = False,
) -> Ensembles:
    """Train a batch of boosted ensembles on one data set.

    Parameters
    ----------
    learner : bound learner
        From :mod:`csb.engine.learners`; its ``fit(weights, losses)`` returns one hypothesis per model and what
        each predicts for every example.
    labels : ndarray of shape (n,), int8
        Class of each example, 0 or 1.
    weights : ndarray of shape (B, n)
        Non-negative base weights. An example of weight zero takes no part in that model.
    jobs : sequence of Job
        Variants and costs of the models, in the order of the rows of ``weights``.
    n_estimators : int
        Planned number of rounds of the jobs that name none.
    groups : ndarray of shape (n,), int, optional
        Number of the group of each example, where factors and votes depend on more than its class. The
        masses then have shape (G, 2, B), and so has what the rules return; a group lies in one class.
    keep_nonpositive : bool, default False
        Keep a hypothesis whose vote is not positive although its edge is, instead of stopping.
    keep_scores : bool, default False
        Accumulate the scores of all examples.

    Returns
    -------
    Ensembles
        The models, with the reason why each stopped.
    """
    jobs = [job.planned(n_estimators) for job in jobs]
    planned = np.concatenate([job.rounds for job in jobs])
    n_models = len(weights)
    groups = labels if groups is None else groups
    group_labels = np.array([0, 1]) if groups is labels else labels[np.unique(groups, return_index=True)[1]]
    log_weights = _start(groups, weights, jobs)
    weights = np.empty_like(log_weights)
    recompute_weights(weights, log_weights, np.ones(n_models, bool))
    lanes = np.arange(n_models)  # the models still in training
    reasons = np.full(n_models, "max_rounds", dtype="U10")
    n_rounds = np.zeros(n_models, int)
    drift = np.zeros(n_models)
    scores = np.zeros(weights.shape) if keep_scores else None
    rounds = []
    for t in range(planned.max()):
        hypotheses, predicted = learner.fit(weights, _losses(jobs))
        masses = np.empty((len(group_labels), 2, len(lanes)))
        outcome_masses(weights, predicted, groups, masses)
        alpha = np.concatenate([job.rules.alpha(M, c, job.rounds) for job, M, c in _split(jobs, masses)])
        why = _verdicts(masses, group_labels, alpha, keep_nonpositive)
        endless = (why == "perfect") & ~np.isfinite(alpha)
        if endless.any():
            alpha = np.where(endless, _largest_votes(jobs, lanes), alpha)
        kept, going = (why == "") | (why == "perfect"), (why == "") & (t + 1 < planned[lanes])
        rounds.append(Round(lanes[kept], alpha[kept], masses[:, :, kept], hypotheses, np.flatnonzero(kept)))
        n_rounds[lanes[kept]] += 1
        reasons[lanes[why != ""]] = why[why != ""]
        if keep_scores:
            scores[lanes[kept]] += alpha[kept, np.newaxis] * (2.0 * predicted[kept] - 1.0)
        if not going.any():
            break
        if not going.all():
            jobs = _keep(jobs, going)
            lanes, weights, log_weights, drift = (
                lanes[going],
                weights[going],
                log_weights[going],
                drift[going],
            )
            alpha, masses, predicted = alpha[going], masses[:, :, going], predicted[going]
        log_factors = np.concatenate(
            [
                np.broadcast_to(job.rules.log_factors(vote, c, job.rounds), (*masses.shape[:2], len(job)))
                for job, vote, c in _split(jobs, alpha)
            ],
            axis=-1,
        )
        _update(weights, log_weights, drift, predicted, groups, masses, log_factors)
    if np.any(reasons == "not_finite"):
        warnings.warn(
            "the formula of the vote had no finite value in some round; training stopped there",
            RuntimeWarning,
            stacklevel=2,
        )
    return Ensembles(rounds, reasons, n_rounds, scores)


def _split(jobs, values):
    """Each job with its share of ``values`` along the last axis and its costs, shape (2, 1, B)."""
    stop = 0
    for job in jobs:
        start, stop = stop, stop + len(job)
        yield job, values[..., start:stop], job.c


def _start(groups, weights, jobs):
    """Logarithms of the weights before round one."""
    initial = [job.rules.initial(c, job.rounds) for job, _, c in _split(jobs, weights[:, 0])]
    initial = np.concatenate(initial, axis=-1)
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(weights, float)) + np.log(initial[groups, 0].T)


def _losses(jobs):
    """Per model, the loss by which it chooses among hypotheses; None where the edge decides."""
    if not any(job.rules.best_loss for job in jobs):
        return None
    return [
        job.rules.best_loss and partial(job.rules.best_loss, c=job.c[:, :, b : b + 1])
        for job in jobs
        for b in range(len(job))
    ]


def _largest_votes(jobs, lanes):
    """What a perfect hypothesis gets where the formula is infinite; steeper losses need less."""
    exponents = [
        np.ones_like(c) if job.rules.loss is None else job.rules.loss(c, 0, 1, 0.0).exponent
        for job, _, c in _split(jobs, lanes)
    ]
    return LARGEST_ALPHA / np.concatenate([exponent.min(axis=(0, 1)) for exponent in exponents])


def _verdicts(masses, group_labels, alpha, keep_nonpositive):
    """Why a model stops in this round, or an empty string. The first that applies counts."""
    group = np.arange(len(group_labels))
    right = masses[group, group_labels].sum(axis=0)
    wrong = masses[group, 1 - group_labels].sum(axis=0)
    with np.errstate(invalid="ignore"):
        return np.select(
            [
                ~np.isfinite(right + wrong) | (right + wrong == 0),
                right - wrong <= TIE,
                wrong == 0,
                ~np.isfinite(alpha),
                (alpha <= 0) & (not keep_nonpositive),
            ],
            ["underflow", "no_edge", "perfect", "not_finite", "alpha"],
            "",
        )


def _keep(jobs, going):
    """Jobs without the models that have stopped."""
    kept = [job.take(np.flatnonzero(stays)) for job, stays, _ in _split(jobs, going)]
    return [job for job in kept if len(job)]


def _update(weights, log_weights, drift, predicted, groups, masses, log_factors):
    """Apply the factors, normalised so that the weights go on summing to one."""
    top = np.where(masses > 0, log_factors, -np.inf).max(axis=(0, 1))
    with np.errstate(over="ignore", invalid="ignore"):
        total = np.where(masses > 0, masses * np.exp(log_factors - top), 0.0).sum(axis=(0, 1))
    log_factors = log_factors - (top + np.log(total))
    # a factor may overflow only for an outcome that carries no weight
    factors = np.exp(np.minimum(log_factors, 700.0))
    update_weights(weights, log_weights, predicted, groups, factors, log_factors)
    drift += np.abs(log_factors).max(axis=(0, 1))
    due = drift > LARGEST_DRIFT
    recompute_weights(weights, log_weights, due)
    drift[due] = 0.0
