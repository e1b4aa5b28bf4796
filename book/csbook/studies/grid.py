"""Every method at every cost ratio on one split, trained as one batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from csb.costs import Costs
from csb.engine.elementary import expit
from csb.engine.rules import Learner
from csb.engine.trained import Batch
from csb.engine.votes import TrainingSet, boost
from csb.evaluation.calibration import Calibration, calibrate_models
from csb.evaluation.decisions import decide_positive
from csb.methods import VARIANTS
from csb.methods.spec import VotingMethod

__all__ = ["MethodConfig", "Outcome", "Split", "run_methods"]


@dataclass(frozen=True)
class MethodConfig:
    """A method as it is used at every cost ratio.

    Attributes
    ----------
    key : str
        Of the method.
    options : mapping
        Its options, where they are not the defaults.
    largest_cost : float, optional
        After scaling; by default the costs are scaled as the method's row says.
    calibration : str, optional
        Calibrator; a part of the training data is then held out for it.
    rounds_of : str, optional
        Another configuration, trained before, whose number of rounds is this one's.
    """

    key: str
    options: Mapping[str, Any] = field(default_factory=dict)
    largest_cost: float | None = None
    calibration: Calibration | None = None
    rounds_of: str | None = None

    @property
    def method(self) -> VotingMethod:
        """The row of the registry."""
        return VARIANTS[self.key]

    @property
    def shared_across_costs(self) -> bool:
        """Whether one model serves all cost ratios."""
        return self.method.costs_act != "training" and self.rounds_of is None

    @property
    def trained_as(self) -> tuple:
        """The same for configurations whose models are the same."""
        if self.method.costs_act != "training":
            return "adaboost", self.calibration is None, self.rounds_of
        return (
            self.key,
            self.calibration is None,
            self.rounds_of,
            tuple(sorted(self.options.items())),
            self.largest_cost,
        )

    def batch(self, costs: Costs, rounds: np.ndarray) -> Batch:
        """A model for each pair of costs."""
        batch = self.method.batch(costs, rounds=rounds, **self.options)
        return batch if self.largest_cost is None else replace(
            batch, costs=costs.scaled(largest=self.largest_cost)
        )  # fmt: skip


class Split(NamedTuple):
    """Training examples, of which a part is held out where a method calibrates, and test examples.

    Attributes
    ----------
    X, new : ndarray of shape (n, d) and (m, d)
        Features.
    y : ndarray of shape (n,), int8
        Class of the training examples, 0 or 1.
    held_out : ndarray of shape (n,), bool
        Which of them calibrate.
    """

    X: np.ndarray
    y: np.ndarray
    held_out: np.ndarray
    new: np.ndarray


class Outcome(NamedTuple):
    """What a method makes of the test examples at R cost ratios.

    Attributes
    ----------
    positive : ndarray of shape (R, m), bool
        Decisions.
    probability : ndarray of shape (R, m) or None
        Of the positive class, where the method gives one.
    rounds : ndarray of shape (R,)
        Sizes of the ensembles.
    stop_reasons : ndarray of shape (R,), str
        Why training ended.
    """

    positive: np.ndarray
    probability: np.ndarray | None
    rounds: np.ndarray
    stop_reasons: np.ndarray


class _Models(NamedTuple):
    """Models of one configuration within a batch: scores of the test and of the held-out examples."""

    scores: np.ndarray
    of_held_out: np.ndarray
    n_rounds: np.ndarray
    alpha_sum: np.ndarray
    stop_reasons: np.ndarray


def run_methods(
    learner: Learner, split: Split, costs: Costs, configs: Mapping[str, MethodConfig], rounds: int
) -> dict[str, Outcome]:
    """Train all methods at all cost ratios and decide the test examples.

    Parameters
    ----------
    learner : bound learner
        From :mod:`csb.engine.learners`, bound to the training examples.
    split : Split
        The examples.
    costs : Costs
        One pair of costs for each of R ratios.
    configs : mapping of str to MethodConfig
        What to train; equal models are trained once.
    rounds : int
        Largest number of rounds.

    Returns
    -------
    dict of str to Outcome
        By configuration, in the order given.
    """
    models: dict[tuple, _Models] = {}
    for waits in (False, True):  # those with the rounds of another one have to wait for it
        ready = [config for config in configs.values() if (config.rounds_of is not None) == waits]
        different = {config.trained_as: config for config in ready}
        planned = {
            key: models[configs[config.rounds_of].trained_as].n_rounds
            if config.rounds_of is not None
            else np.full(1 if config.shared_across_costs else len(costs.fn_cost), rounds)
            for key, config in different.items()
        }
        if different:
            models |= _train(learner, split, costs, different, planned)
    return {
        name: _outcome(config, models[config.trained_as], split, costs, rounds)
        for name, config in configs.items()
    }


def _train(
    learner: Learner,
    split: Split,
    costs: Costs,
    configs: Mapping[tuple, MethodConfig],
    planned: Mapping[tuple, np.ndarray],
) -> dict[tuple, _Models]:
    """Models of all configurations, each with its planned numbers of rounds."""
    batches = []
    for key, config in configs.items():
        rounds = np.broadcast_to(np.maximum(planned[key], 1), costs.fn_cost.shape)
        batches.append(config.batch(costs, rounds).take(slice(len(planned[key]))))
    calibrated = np.concatenate(
        [np.full(len(planned[key]), config.calibration is not None) for key, config in configs.items()]
    )
    used = ~(calibrated[:, np.newaxis] & split.held_out)
    weights = used / used.sum(axis=1, keepdims=True)
    trained = boost(learner, TrainingSet(split.y, weights), batches, max(map(max, planned.values())))
    # a model that is to have no round has none, though one was trained
    n_rounds = np.minimum(trained.n_rounds, np.concatenate(list(planned.values())))
    trained = replace(trained, n_rounds=n_rounds)
    scores = trained.decision_function(split.new)
    of_held_out = trained.decision_function(split.X[split.held_out], calibrated)
    models, end = {}, 0
    for key, batch in zip(configs, batches, strict=True):
        at = slice(end, end := end + len(batch))
        models[key] = _Models(
            scores[at], of_held_out[at], n_rounds[at], trained.alpha_sum[at], trained.stop_reasons[at]
        )
    return models


def _outcome(config: MethodConfig, models: _Models, split: Split, costs: Costs, rounds: int) -> Outcome:
    count = len(costs.fn_cost)
    if config.calibration:
        labels = split.y[split.held_out]
        probability = calibrate_models(config.calibration, models.of_held_out, labels, models.scores)
        positive = decide_positive(probability, *costs.as_columns())
    else:
        batch = config.batch(costs, np.full(count, rounds))
        positive = models.scores > batch.threshold(models.n_rounds, models.alpha_sum)[:, np.newaxis]
        line = batch.log_odds_line(models.n_rounds, models.alpha_sum)
        probability = None
        if line is not None:
            slope, gap = (np.reshape(part, (-1, 1)) for part in line)
            probability = expit(slope * models.scores - gap)
    return Outcome(
        positive,
        None if probability is None else np.broadcast_to(probability, positive.shape),
        np.broadcast_to(models.n_rounds, count),
        np.broadcast_to(models.stop_reasons, count),
    )
