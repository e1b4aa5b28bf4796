"""Every method at every cost ratio on one split, trained as one batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from csb.costs import Costs
from csb.engine.votes import Job, boost
from csb.evaluation.calibration import make_calibrator
from csb.methods import VARIANTS, Variant

__all__ = ["Method", "Outcome", "Split", "decide"]


@dataclass(frozen=True)
class Method:
    """A row of the table of variants, as it is used at every cost ratio.

    Attributes
    ----------
    variant : str
        Key of the row.
    options : mapping
        Its options, where they are not the defaults.
    largest_cost : float, optional
        After scaling; by default the costs are scaled as the row of the table says.
    calibration : str, optional
        Calibrator; a part of the training data is then held out for it.
    as_long_as : str, optional
        Another method, trained before, whose number of rounds is this one's.
    """

    variant: str
    options: Mapping = field(default_factory=dict)
    largest_cost: float | None = None
    calibration: str | None = None
    as_long_as: str | None = None

    @property
    def row(self) -> Variant:
        """The row of the table."""
        return VARIANTS[self.variant]

    def scale(self, costs: Costs) -> Costs:
        """Costs as the formulas take them."""
        if self.largest_cost is None:
            return self.row.scale(costs)
        return costs.scaled(largest=self.largest_cost)

    @property
    def once(self) -> bool:
        """Whether one model serves all cost ratios."""
        return self.row.costs_act != "training" and self.as_long_as is None

    @property
    def trained_as(self) -> tuple:
        """The same for methods whose models are the same."""
        same = "adaboost" if self.row.costs_act != "training" else self.variant
        options = () if same == "adaboost" else tuple(sorted(self.options.items()))
        return same, options, self.largest_cost, self.calibration is None, self.as_long_as


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
    """Models of one method within a batch: scores of the test and of the held-out examples."""

    scores: np.ndarray
    of_held_out: np.ndarray
    rounds: np.ndarray
    votes: np.ndarray
    stop_reasons: np.ndarray


def decide(
    learner, split: Split, costs: Costs, methods: Mapping[str, Method], rounds: int
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
    methods : mapping of str to Method
        What to train; equal models are trained once.
    rounds : int
        Largest number of rounds.

    Returns
    -------
    dict of str to Outcome
        By method, in the order given.
    """
    models: dict[tuple, _Models] = {}
    for follows in (False, True):  # methods as long as another one have to wait for it
        chosen = [method for method in methods.values() if (method.as_long_as is not None) == follows]
        different = {method.trained_as: method for method in chosen}
        if different:
            sizes = {
                key: models[methods[method.as_long_as].trained_as].rounds if follows else None
                for key, method in different.items()
            }
            models |= _train(learner, split, costs, different, sizes, rounds)
    return {
        name: _outcome(method, models[method.trained_as], split, costs, rounds)
        for name, method in methods.items()
    }


def _job(method: Method, costs: Costs, sizes) -> Job:
    row = VARIANTS[method.trained_as[0]]
    rules = row.settle(**(method.options if row.costs_act == "training" else {}))
    scaled = method.scale(costs)
    return Job(rules, scaled[:1] if method.once else scaled, None if sizes is None else np.maximum(sizes, 1))


def _train(learner, split, costs, methods, sizes, rounds) -> dict[tuple, _Models]:
    jobs = {key: _job(method, costs, sizes[key]) for key, method in methods.items()}
    ends = np.cumsum([len(job) for job in jobs.values()])
    lanes = {key: slice(end - len(job), end) for end, (key, job) in zip(ends, jobs.items(), strict=True)}
    weights, cut, calibrated = (
        np.empty((ends[-1], len(split.y))),
        np.full(ends[-1], rounds),
        np.ones(ends[-1]),
    )
    for key, method in methods.items():
        used = ~split.held_out if method.calibration else np.ones(len(split.y), bool)
        weights[lanes[key]] = used / used.sum()
        calibrated[lanes[key]] = method.calibration is not None
        if sizes[key] is not None:
            cut[lanes[key]] = sizes[key]
    trained = boost(learner, split.y, weights, list(jobs.values()), rounds)
    scores = trained.decision_function(split.new, cut)
    of_held_out = trained.decision_function(split.X[split.held_out], cut * calibrated)
    sizes, votes = np.minimum(trained.n_rounds, cut), trained.votes
    models = {}
    for key, method in methods.items():
        at = lanes[key]
        empty, constant = sizes[at] == 0, _constant(method, split, costs)[: len(jobs[key]), np.newaxis]
        models[key] = _Models(
            np.where(empty[:, np.newaxis], constant, scores[at]),
            np.where(empty[:, np.newaxis], constant, of_held_out[at]),
            sizes[at],
            votes[at],
            trained.stop_reasons[at],
        )
    return models


def _constant(method: Method, split, costs: Costs):
    """Scores (R,) of a model without a hypothesis: half the log odds of what is at stake."""
    used = split.y[~split.held_out] if method.calibration else split.y
    log_odds = np.log(np.sum(used == 1)) - np.log(np.sum(used == 0))
    return 0.5 * (log_odds + (0.0 if method.trained_as[0] == "adaboost" else 1.0) * costs.log_ratio)


def _outcome(method: Method, models: _Models, split, costs: Costs, rounds) -> Outcome:
    count = len(costs.fn_cost)
    if method.calibration:
        labels = split.y[split.held_out]
        probability = np.stack(
            [
                make_calibrator(method.calibration).fit(before, labels).predict(scores)
                for before, scores in zip(models.of_held_out, models.scores, strict=True)
            ]
        )
        positive = probability > costs.threshold[:, np.newaxis]
    else:
        rules = method.row.settle(**method.options)
        threshold = rules.threshold(costs.log_ratio, models.rounds, rounds, models.votes)
        positive = models.scores > threshold[:, np.newaxis]
        probability = _probability(rules, method, models, costs, rounds)
    return Outcome(
        positive,
        None if probability is None else np.broadcast_to(probability, positive.shape),
        np.broadcast_to(models.rounds, count),
        np.broadcast_to(models.stop_reasons, count),
    )


def _probability(rules, method, models: _Models, costs: Costs, rounds):
    """That of the loss's population minimiser, where the weights belong to a loss."""
    if rules.loss is None:
        return None
    c = method.scale(costs).by_class[:, :, np.newaxis]
    if method.once:
        c = c[:, :1]
    loss = rules.loss(c, models.rounds[:, np.newaxis], rounds, models.votes[:, np.newaxis])
    return expit(loss.log_odds(models.scores))
