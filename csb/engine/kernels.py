"""Compiled loops over the rows of a data set: weights, scores.

Plain functions on arrays. Weights are held model by model: ``weights[b, i]`` is the weight of example
``i`` in model ``b`` of the batch. Every sum over examples runs in one fixed order, without fast-math
reassociation, so a model does not depend on the batch it is trained in nor on the number of threads.
"""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled
from csb.engine.scalars import exp_scalar, log_scalar
from csb.engine.stops import SMALLEST

__all__ = ["next_weights", "outcome_masses", "recompute_weights", "stump_scores"]

kernel = compiled()


@kernel
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


@kernel
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


@kernel
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


@kernel
def next_weights(weights, log_weights, drift, predicted, groups, masses, log_factors):
    """Apply the factors (G, 2, B) to the weights, normalised so that they go on summing to one."""
    n_groups, _, n_models = masses.shape
    factors, normalised = np.empty(masses.shape), np.empty(masses.shape)
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
    recompute_weights(weights, log_weights, drift)


@kernel
def stump_scores(X, models, feature, threshold, polarity, missing_above, alpha, scores):
    """Add the weighted votes of stumps, in the order given, to the rows of ``scores`` of their models."""
    for t in range(feature.shape[0]):
        f, row = feature[t], scores[models[t]]
        up = alpha[t] * polarity[t]
        if missing_above[t]:
            for i in range(X.shape[0]):
                row[i] += -up if X[i, f] <= threshold[t] else up
        else:
            for i in range(X.shape[0]):
                row[i] += up if X[i, f] > threshold[t] else -up
