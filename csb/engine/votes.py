"""The loop of weighted votes.

Every discrete method runs through it, for a batch of models at once: train a weak hypothesis on the current
weights, take the masses of the four outcomes, ask the method's rules for the vote and the weight factors,
update. The numerics of weights stand here and nowhere else."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from functools import partial
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.elementary import exp, exp_scalar, log, log_scalar
from csb.engine.rules import SMALLEST, STOPS, Change, Follower, Hypotheses, Learner, judge
from csb.engine.trained import Batch, Round, Trained, Watch
from csb.inputs import NotFiniteWarning

__all__ = ["TrainingSet", "boost", "next_weights", "outcome_masses", "recompute_weights"]


def _outcome_masses_in_arrays(weights, predicted, groups, masses):
    """Array form of ``outcome_masses``."""
    n, n_groups = len(groups), len(masses)
    lanes = np.arange(n) % 4
    lanes[n - n % 4 :] = 0
    for b, w in enumerate(weights):
        cells = 2 * (n_groups * lanes + groups) + predicted[b]
        m0, m1, m2, m3 = np.bincount(cells, w, 8 * n_groups).reshape(4, n_groups, 2)
        masses[:, :, b] = (m0 + m1) + (m2 + m3)


@compiled(_outcome_masses_in_arrays)
def outcome_masses(weights, predicted, groups, masses):
    """Weighted mass of each group and prediction, ``masses[g, h, b]``, in four interleaved partial sums."""
    n_models, n = weights.shape
    outcomes = 2 * masses.shape[0]
    partial = np.empty((4, outcomes))
    whole = n - n % 4
    for b in range(n_models):
        partial[:] = 0.0
        for i in range(0, whole, 4):
            for k in range(4):
                partial[k, 2 * groups[i + k] + predicted[b, i + k]] += weights[b, i + k]
        for i in range(whole, n):
            partial[0, 2 * groups[i] + predicted[b, i]] += weights[b, i]
        for o in range(outcomes):
            masses[o // 2, o % 2, b] = (partial[0, o] + partial[1, o]) + (partial[2, o] + partial[3, o])


@compiled()
def update_weights(weights, log_weights, predicted, groups, factors, log_factors):
    """Multiply each weight by the factor of its group and prediction; add its logarithm to the log state."""
    n_models, n = weights.shape
    for b in range(n_models):
        w, state, h = weights[b], log_weights[b], predicted[b]
        if factors.shape[0] > 2:
            for i in range(n):
                w[i] *= factors[groups[i], h[i], b]
                state[i] += log_factors[groups[i], h[i], b]
            continue
        # two groups, the usual case: selecting among numbers at hand is three times as fast as a table
        f00, f01, f10, f11 = factors[0, 0, b], factors[0, 1, b], factors[1, 0, b], factors[1, 1, b]
        g00, g01 = log_factors[0, 0, b], log_factors[0, 1, b]
        g10, g11 = log_factors[1, 0, b], log_factors[1, 1, b]
        for i in range(n):
            f0, f1 = (f10, f11) if groups[i] else (f00, f01)
            g0, g1 = (g10, g11) if groups[i] else (g00, g01)
            w[i] *= f1 if h[i] else f0
            state[i] += g1 if h[i] else g0


LARGEST_DRIFT = 300.0
"""Largest exponent by which linear weights may move before they are recomputed from their logarithms."""


def _recompute_weights_in_arrays(weights, log_weights, drift):
    """Array form of ``recompute_weights``."""
    for b in np.flatnonzero(drift > LARGEST_DRIFT):
        held = log_weights[b] > -np.inf
        states = log_weights[b, held]
        weights[b] = 0.0
        if not len(states):
            continue
        top = states.max()
        weights[b, held] = exp(np.maximum(states - top, SMALLEST))
        weights[b] /= np.cumsum(weights[b])[-1]
        drift[b] = 0.0 if states.min() - top >= SMALLEST + LARGEST_DRIFT else np.inf


@compiled(_recompute_weights_in_arrays)
def recompute_weights(weights, log_weights, drift):
    """Linear weights that sum to one from the log state of the models that have drifted too far.

    Those with weights that could become too small before the next time are due again at once.
    """
    n_models, n = weights.shape
    for b in range(n_models):
        if drift[b] <= LARGEST_DRIFT:
            continue
        top, lowest = -np.inf, np.inf
        for i in range(n):
            state = log_weights[b, i]
            top = max(top, state)
            if state > -np.inf:
                lowest = min(lowest, state)
        if top == -np.inf:
            weights[b] = 0.0
            continue
        total = 0.0
        for i in range(n):
            state = log_weights[b, i]
            weights[b, i] = exp_scalar(max(state - top, SMALLEST)) if state > -np.inf else 0.0
            total += weights[b, i]
        for i in range(n):
            weights[b, i] /= total
        drift[b] = 0.0 if lowest - top >= SMALLEST + LARGEST_DRIFT else np.inf


def _next_weights_in_arrays(weights, log_weights, drift, predicted, groups, masses, log_factors, factors):
    """Array form of ``next_weights``."""
    held = masses > 0.0
    top = np.where(held, log_factors, -np.inf).max(axis=(0, 1))
    terms = np.where(held, masses * exp(log_factors - top), 0.0)
    shift = top + log(np.cumsum(terms.reshape(-1, len(drift)), axis=0)[-1])
    normalised = log_factors - shift
    factors[:] = exp(np.minimum(normalised, 700.0))
    drift += np.abs(normalised).max(axis=(0, 1))
    for b, h in enumerate(predicted):
        outcomes = 2 * groups + h
        weights[b] *= factors[:, :, b].ravel()[outcomes]
        log_weights[b] += normalised[:, :, b].ravel()[outcomes]
    factors[:, :, drift > LARGEST_DRIFT] = np.nan
    _recompute_weights_in_arrays(weights, log_weights, drift)


@compiled(_next_weights_in_arrays)
def next_weights(weights, log_weights, drift, predicted, groups, masses, log_factors, factors):
    """Multiply the weights by factors (G, 2, B), normalised so that they go on summing to one.

    Fills in the factors, with NaN where the weights were recomputed instead.
    """
    n_groups, _, n_models = masses.shape
    normalised = np.empty(masses.shape)
    for b in range(n_models):
        top = -np.inf
        for g in range(n_groups):
            for h in range(2):
                if masses[g, h, b] > 0.0:  # a factor may overflow only for an outcome without weight
                    top = max(top, log_factors[g, h, b])
        total = 0.0
        for g in range(n_groups):
            for h in range(2):
                if masses[g, h, b] > 0.0:
                    total += masses[g, h, b] * exp_scalar(log_factors[g, h, b] - top)
        shift, largest = top + log_scalar(total), 0.0
        for g in range(n_groups):
            for h in range(2):
                normalised[g, h, b] = log_factors[g, h, b] - shift
                factors[g, h, b] = exp_scalar(min(normalised[g, h, b], 700.0))
                largest = max(largest, abs(normalised[g, h, b]))
        drift[b] += largest
    update_weights(weights, log_weights, predicted, groups, factors, normalised)
    for b in range(n_models):
        if drift[b] > LARGEST_DRIFT:
            factors[:, :, b] = np.nan
    recompute_weights(weights, log_weights, drift)


PERFECT = STOPS.index("perfect")
"""The one stop after which the hypothesis of the round is kept."""


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
        # row by row: how numpy adds up what is picked from all rows at once depends on their number
        rows = [[row[self.labels == y].sum() for row in self.weights] for y in (0, 1)]
        return np.array(rows)


def boost(
    learner: Learner,
    training: TrainingSet,
    batches: Sequence[Batch],
    n_estimators: int,
    *,
    keep_nonpositive: bool = False,
    keep_scores: bool = False,
    watch: Watch | None = None,
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
    watch : Watch, optional
        Judges the models after every round, and may end them.

    Returns
    -------
    Trained
        The models, with the reason why each stopped.
    """
    batches = [batch.planned(n_estimators) for batch in batches]
    running = _places(batches)
    planned = np.concatenate([batch.rounds for batch in batches])
    labels, n_models = training.labels, len(training.weights)
    base = training.of_classes()  # now, as there is most room
    groups, group_labels = labels, np.arange(2, dtype=labels.dtype)
    if training.groups is not None:
        groups = training.groups
        group_labels = labels[np.unique(groups, return_index=True)[1]]
    log_weights = _start(groups, training.weights, batches)
    weights = np.empty_like(log_weights)
    drift = np.full(n_models, np.inf)  # none are computed yet
    recompute_weights(weights, log_weights, drift)
    active = np.arange(n_models)  # the models still in training
    reasons = np.full(n_models, "", dtype="U10")
    n_rounds = np.zeros(n_models, int)
    exponents = np.concatenate([batch.rules.exponents(batch.c) for batch in batches], axis=-1)
    rates = np.concatenate([batch.learning_rate for batch in batches])
    scores: np.ndarray | None = np.zeros(weights.shape) if keep_scores or watch else None
    alpha_sum = np.zeros(n_models)
    rounds = []
    follows, change = isinstance(learner, Follower) and training.groups is None, None
    if isinstance(learner, Follower):
        learner = learner.begin()
    for t in range(planned.max()):
        hypotheses, predicted = _fit(learner, weights, running, change)
        masses = np.empty((len(group_labels), 2, len(active)))
        outcome_masses(weights, predicted, groups, masses)
        alpha = np.empty(len(active))
        for batch, at in running:
            alpha[at] = batch.rules.alpha(masses[:, :, at], batch.c, batch.rounds)
        stops, by_class = np.empty(len(active), np.int64), np.empty((2, *masses.shape[1:]))
        judge(masses, group_labels, alpha, exponents, rates, keep_nonpositive, stops, by_class)
        kept: np.ndarray | slice = slice(None)
        if np.count_nonzero(stops):  # much the quickest way to ask
            kept = (stops == 0) | (stops == PERFECT)
            reasons[active] = np.take(STOPS, stops)
        position = np.arange(len(active))[kept]
        rounds.append(Round(active[kept], alpha[kept], by_class[:, :, kept], hypotheses, position))
        n_rounds[active[kept]] = t + 1
        if scores is not None:
            scores[active[kept]] += alpha[kept, np.newaxis] * (2.0 * predicted[kept] - 1.0)
        going = (stops == 0) & (t + 1 < planned[active])
        if watch is not None and scores is not None:  # they are kept for it
            alpha_sum[active[kept]] += alpha[kept]
            judged = [
                _judge(watch, batch, models, scores[models], n_rounds[models], alpha_sum[models])
                for batch, models in ((batch, active[at]) for batch, at in running)
            ]
            ending = watch.note(active, np.concatenate(judged)) & going
            reasons[active[ending]] = "no_gain"
            going &= ~ending
        left = np.count_nonzero(going)
        if not left:
            break
        if left < len(going):
            running = _keep(running, going)
            active, weights, log_weights, drift, alpha, predicted = (
                each[going] for each in (active, weights, log_weights, drift, alpha, predicted)
            )
            masses, exponents, rates = masses[:, :, going], exponents[:, going], rates[going]
        log_factors, factors = np.empty((2, *masses.shape))
        for batch, at in running:
            log_factors[:, :, at] = batch.rules.log_factors(alpha[at], batch.c, batch.rounds)
        next_weights(weights, log_weights, drift, predicted, groups, masses, log_factors, factors)
        if follows:
            change = Change(going, predicted, factors)
    if np.any(reasons == "not_finite"):
        warnings.warn(
            "the formula of the vote had no finite value in some round; training stopped there",
            NotFiniteWarning,
            stacklevel=2,
        )
    reasons[reasons == ""] = "max_rounds"
    constant = [batch.constant_scores(base[:, at]) for batch, at in _places(batches)]
    trained = Trained(list(batches), rounds, reasons, n_rounds, np.concatenate(constant), scores)
    if scores is not None:
        scores[:] = trained.with_constants(scores)
    return trained


def _places(batches: Sequence[Batch]) -> list[tuple[Batch, slice]]:
    """Each batch, and where its models stand."""
    stops = accumulate(map(len, batches))
    return [(batch, slice(stop - len(batch), stop)) for batch, stop in zip(batches, stops, strict=True)]


def _judge(
    watch: Watch,
    batch: Batch,
    models: np.ndarray,
    scores: np.ndarray,
    n_rounds: np.ndarray,
    alpha_sum: np.ndarray,
) -> np.ndarray:
    """How good the models of a batch are by now, shape (K,)."""
    threshold, line = batch.threshold(n_rounds, alpha_sum), batch.log_odds_line(n_rounds, alpha_sum)
    return watch.judge(models, scores, threshold, line)


def _keep(running: list[tuple[Batch, slice]], going: np.ndarray) -> list[tuple[Batch, slice]]:
    """Batches without the models that have stopped, and where the others stand then."""
    return _places([batch.take(np.flatnonzero(going[at])) for batch, at in running if going[at].any()])


def _start(groups: np.ndarray, weights: np.ndarray, batches: Sequence[Batch]) -> np.ndarray:
    """Logarithms of the weights before round one."""
    initial = np.concatenate([batch.rules.initial(batch.c, batch.rounds) for batch in batches], axis=-1)
    log_weights = log(weights)
    for of_model, of_group in zip(log_weights, log(initial)[:, 0].T, strict=True):
        of_model += of_group[groups]  # one by one: there may not be room for all at once
    return log_weights


def _fit(
    learner: Learner, weights: np.ndarray, running: list[tuple[Batch, slice]], change: Change | None
) -> tuple[Hypotheses, np.ndarray]:
    """Hypotheses and predictions; with the loss of each model that chooses by it instead of by the edge."""
    if all(batch.rules.best_loss is None for batch, _ in running):
        return learner.fit(weights) if change is None else learner.fit(weights, change=change)  # type: ignore[call-arg]
    losses = [
        batch.rules.best_loss and partial(batch.rules.best_loss, c=batch.c[:, :, b : b + 1])
        for batch, _ in running
        for b in range(len(batch))
    ]
    return learner.fit(weights, losses)  # type: ignore[call-arg]  # such a learner was asked for
