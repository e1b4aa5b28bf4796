"""The loop of weighted votes.

Every discrete method runs through it, for a batch of models at once: train a weak hypothesis on the current
weights, take the masses of the four outcomes, ask the method's rules for the vote and the weight factors,
update. The numerics of weights stand here and nowhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from csb.engine.elementary import exp, log
from csb.engine.kernels import outcome_masses, recompute_weights, update_weights
from csb.engine.rules import Hypotheses, Learner
from csb.engine.stops import bounded_votes, stop_reasons
from csb.engine.trained import Batch, Round, Trained
from csb.inputs import NotFiniteWarning

__all__ = ["TrainingSet", "boost"]

LARGEST_DRIFT = 300.0
"""Largest exponent by which linear weights may move before they are recomputed from their logarithms.

Between two such points no weight can underflow and grow back, which would lose it.
"""


class TrainingSet(NamedTuple):
    """Examples for a batch of models.

    Attributes
    ----------
    labels : ndarray of shape (n,), int8
        Class of each example, 0 or 1, as the learner sees it.
    weights : ndarray of shape (B, n)
        Non-negative base weights. An example of weight zero takes no part in that model.
    groups : ndarray of shape (n,), int, optional
        Number of the group of each example, where factors and votes depend on more than its class. Masses
        and what the rules return then have shape (G, 2, B); a group lies in one class.
    class_weights : ndarray of shape (2, B), optional
        Base weight of each class, where labels and weights are not those of the examples themselves.
    """

    labels: np.ndarray
    weights: np.ndarray
    groups: np.ndarray | None = None
    class_weights: np.ndarray | None = None

    def of_classes(self) -> np.ndarray:
        """Base weight of each class in each model, shape (2, B)."""
        if self.class_weights is not None:
            return self.class_weights
        return np.stack([self.weights[:, self.labels == y].sum(axis=1) for y in (0, 1)])


def boost(
    learner: Learner,
    training: TrainingSet,
    batches: Sequence[Batch],
    n_estimators: int,
    *,
    keep_nonpositive: bool = False,
    keep_scores: bool = False,
) -> Trained:
    """Train a batch of boosted ensembles on one data set.

    Parameters
    ----------
    learner : bound learner
        From :mod:`csb.engine.learners`; its ``fit(weights)`` returns one hypothesis per model and what each
        predicts for every example.
    training : TrainingSet
        The examples.
    batches : sequence of Batch
        Methods and costs of the models, in the order of the rows of the weights.
    n_estimators : int
        Planned number of rounds of the batches that name none.
    keep_nonpositive : bool, default False
        Keep a hypothesis whose vote is not positive although its edge is, instead of stopping.
    keep_scores : bool, default False
        Accumulate the scores of all examples.

    Returns
    -------
    Trained
        The models, with the reason why each stopped.
    """
    batches = running = [batch.planned(n_estimators) for batch in batches]
    planned = np.concatenate([batch.rounds for batch in batches])
    labels, n_models = training.labels, len(training.weights)
    groups = labels if training.groups is None else training.groups
    group_labels = labels[np.unique(groups, return_index=True)[1]]
    log_weights = _start(groups, training.weights, batches)
    weights = np.empty_like(log_weights)
    recompute_weights(weights, log_weights, np.ones(n_models, bool))
    active = np.arange(n_models)  # the models still in training
    reasons = np.full(n_models, "max_rounds", dtype="U10")
    n_rounds = np.zeros(n_models, int)
    drift = np.zeros(n_models)
    exponents = np.concatenate([batch.rules.exponents(batch.c) for batch in batches], axis=-1)
    scores: np.ndarray | None = np.zeros(weights.shape) if keep_scores else None
    rounds = []
    for t in range(planned.max()):
        hypotheses, predicted = _fit(learner, weights, running)
        masses = np.empty((len(group_labels), 2, len(active)))
        outcome_masses(weights, predicted, groups, masses)
        alpha = np.concatenate(
            [batch.rules.alpha(M, batch.c, batch.rounds) for batch, M in _split(running, masses)]
        )
        right, wrong = _right_and_wrong(masses, group_labels)
        reason = stop_reasons(right, wrong, alpha, exponents.max(axis=0), keep_nonpositive)
        alpha = bounded_votes(alpha, reason, exponents)
        kept, going = (reason == "") | (reason == "perfect"), (reason == "") & (t + 1 < planned[active])
        by_class = np.stack([masses[group_labels == y].sum(axis=0) for y in (0, 1)])
        rounds.append(
            Round(active[kept], alpha[kept], by_class[:, :, kept], hypotheses, np.flatnonzero(kept))
        )
        n_rounds[active[kept]] += 1
        reasons[active[reason != ""]] = reason[reason != ""]
        if scores is not None:
            scores[active[kept]] += alpha[kept, np.newaxis] * (2.0 * predicted[kept] - 1.0)
        if not going.any():
            break
        if not going.all():
            running = _keep(running, going)
            active, weights, log_weights, drift, alpha, predicted = (
                each[going] for each in (active, weights, log_weights, drift, alpha, predicted)
            )
            masses, exponents = masses[:, :, going], exponents[:, going]
        log_factors = [
            np.broadcast_to(
                batch.rules.log_factors(votes, batch.c, batch.rounds), (*masses.shape[:2], len(batch))
            )
            for batch, votes in _split(running, alpha)
        ]
        _update(weights, log_weights, drift, predicted, groups, masses, np.concatenate(log_factors, axis=-1))
    if np.any(reasons == "not_finite"):
        warnings.warn(
            "the formula of the vote had no finite value in some round; training stopped there",
            NotFiniteWarning,
            stacklevel=2,
        )
    constant = [batch.constant_scores(base) for batch, base in _split(batches, training.of_classes())]
    trained = Trained(list(batches), rounds, reasons, n_rounds, np.concatenate(constant), scores)
    if scores is not None:
        scores[:] = trained.with_constants(scores)
    return trained


def _split(batches: Sequence[Batch], values: np.ndarray) -> Iterator[tuple[Batch, np.ndarray]]:
    """Each batch with its share of ``values`` along the last axis."""
    stop = 0
    for batch in batches:
        start, stop = stop, stop + len(batch)
        yield batch, values[..., start:stop]


def _keep(batches: Sequence[Batch], going: np.ndarray) -> list[Batch]:
    """Batches without the models that have stopped."""
    kept = [batch.take(np.flatnonzero(stays)) for batch, stays in _split(batches, going)]
    return [batch for batch in kept if len(batch)]


def _start(groups: np.ndarray, weights: np.ndarray, batches: Sequence[Batch]) -> np.ndarray:
    """Logarithms of the weights before round one."""
    initial = np.concatenate([batch.rules.initial(batch.c, batch.rounds) for batch in batches], axis=-1)
    return log(weights) + log(initial)[groups, 0].T


def _fit(learner: Learner, weights: np.ndarray, batches: Sequence[Batch]) -> tuple[Hypotheses, np.ndarray]:
    """Hypotheses and predictions; with the loss of each model that chooses by it instead of by the edge."""
    if all(batch.rules.best_loss is None for batch in batches):
        return learner.fit(weights)
    losses = [
        batch.rules.best_loss and partial(batch.rules.best_loss, c=batch.c[:, :, b : b + 1])
        for batch in batches
        for b in range(len(batch))
    ]
    return learner.fit(weights, losses)  # type: ignore[call-arg]  # such a learner was asked for


def _right_and_wrong(masses: np.ndarray, group_labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Weight of the hits and of the misses of each model."""
    group = np.arange(len(group_labels))
    return masses[group, group_labels].sum(axis=0), masses[group, 1 - group_labels].sum(axis=0)


def _update(
    weights: np.ndarray,
    log_weights: np.ndarray,
    drift: np.ndarray,
    predicted: np.ndarray,
    groups: np.ndarray,
    masses: np.ndarray,
    log_factors: np.ndarray,
) -> None:
    """Apply the factors, normalised so that the weights go on summing to one."""
    carried = masses > 0
    top = np.where(carried, log_factors, -np.inf).max(axis=(0, 1))
    # a factor may overflow only for an outcome that carries no weight
    total = (masses * exp(np.where(carried, log_factors - top, -np.inf))).sum(axis=(0, 1))
    log_factors = log_factors - (top + log(total))
    factors = exp(np.minimum(log_factors, 700.0))
    update_weights(weights, log_weights, predicted, groups, factors, log_factors)
    drift += np.abs(log_factors).max(axis=(0, 1))
    due = drift > LARGEST_DRIFT
    recompute_weights(weights, log_weights, due)
    drift[due] = 0.0
