"""Boosting by votes: the variants of the table as classifiers."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from csb.costs import check_costs
from csb.engine.kernels import stump_scores
from csb.engine.learners import DecisionStump, bind_learner
from csb.engine.votes import Job, boost
from csb.estimators._additive import AdditiveClassifier
from csb.estimators._base import check_count
from csb.inputs import ConstantModelWarning
from csb.methods import VARIANTS

__all__ = ["BaseBoosting", "Task"]


@dataclass(frozen=True)
class Task:
    """What the loop trains: labels, base weights and rules; groups where the costs differ in a class.

    ``stakes`` is what a miss of each example costs, for the constant model of a run without a learner.
    """

    labels: np.ndarray
    weights: np.ndarray
    job: Job
    stakes: np.ndarray
    groups: np.ndarray | None = None


class BaseBoosting(AdditiveClassifier):
    """Boosting by the variant named in ``_variant``; see the named classes."""

    _variant: str
    _options: tuple[str, ...] = ()

    def _row(self):
        return VARIANTS[self._variant]

    def _rules(self):
        return self._row().settle(**{name: getattr(self, name) for name in self._options})

    def _why_no_probability(self) -> str | None:
        return "its weights are no function of the margin" if self._rules().loss is None else None

    def _fit(self, X, y, sample_weight, cost=None):
        X, labels, weights = self._read(X, y, sample_weight)
        rounds = check_count("n_estimators", self.n_estimators)
        if self.nonpositive_alpha not in ("stop", "signed"):
            raise ValueError(f"nonpositive_alpha={self.nonpositive_alpha!r}: 'stop' or 'signed'")
        task = self._task(labels, weights, cost)
        learner = bind_learner(
            self.estimator, X, task.labels, max_bins=self.max_bins, n_jobs=self.n_jobs,
            random_state=check_random_state(self.random_state), joint=task.job.rules.best_loss is not None,
        )  # fmt: skip
        trained = boost(
            learner, task.labels, task.weights[np.newaxis], [task.job], rounds, groups=task.groups,
            keep_nonpositive=self.nonpositive_alpha == "signed",
        )  # fmt: skip
        alphas, masses, hypotheses = trained.trace(0)
        if not len(alphas):
            warnings.warn(
                f"no {self.estimator!r} beat chance with a positive vote ({trained.stop_reasons[0]}); "
                "the model is the constant class of least training cost",
                ConstantModelWarning,
                stacklevel=3,
            )
            alphas, masses, hypotheses = _constant_model(labels, task.stakes)
        self.estimators_ = hypotheses
        self.estimator_weights_ = alphas
        self.estimator_masses_ = masses
        self.estimator_errors_ = masses[:, 0, 1] + masses[:, 1, 0]
        self.stop_reason_ = str(trained.stop_reasons[0])
        self._fitted_rounds = rounds
        self._example_costs = cost is not None
        self._remember_costs()
        return self

    def _task(self, labels, weights, cost):
        """What the loop is to train: labels, base weights, rules with their costs.

        Costs of single examples are base weights; no class cost is left then.
        """
        row, costs = self._row(), self._costs()
        if cost is not None:
            weights, costs = weights * cost, check_costs(1.0, 1.0)
        act = costs.by_class[:, 0] if row.costs_act == "training" else np.ones(2)
        job = Job(self._rules(), row.scale(costs, getattr(self, "cost_scale", None)))
        return Task(labels, weights, job, weights * act[labels])

    def decision_function(self, X):
        check_is_fitted(self)
        if not all(isinstance(h, DecisionStump) for h in self.estimators_):
            return super().decision_function(X)
        X = self._check_X(X)
        scores = np.zeros(len(X))
        feature, threshold, polarity = (np.array(column) for column in zip(*self.estimators_, strict=True))
        stump_scores(X, feature, threshold, polarity.astype(float), self.estimator_weights_, scores)
        return scores

    decision_function.__doc__ = AdditiveClassifier.decision_function.__doc__

    def _terms(self, X):
        for alpha, hypothesis in zip(self.estimator_weights_, self.estimators_, strict=True):
            yield alpha * hypothesis.predict(X)

    def _threshold(self, t: int) -> float:
        votes = np.sum(self.estimator_weights_[:t])
        return float(self._rules().threshold(self._costs().log_ratio, t, self._fitted_rounds, votes)[0]) + 0.0

    def _probability(self, scores, t):
        if self._example_costs:
            raise ValueError("with costs of single examples no probability is defined; calibrate the scores")
        rules, costs = self._rules(), self._costs()
        c = self._row().scale(costs, getattr(self, "cost_scale", None)).by_class[:, 0]
        votes = np.sum(self.estimator_weights_[:t])
        log_odds = rules.loss(c, t, self._fitted_rounds, votes).log_odds(scores)
        return np.column_stack([expit(-log_odds), expit(log_odds)])


def _constant_model(labels, stakes):
    """The constant of least training cost as an ensemble of one, with AdaBoost's vote for it."""
    at_stake = np.bincount(labels, stakes, minlength=2)
    vote = 0.5 * np.log(at_stake[1] / at_stake[0])
    sign = 1 if vote > 0 else -1
    masses = np.zeros((1, 2, 2))
    masses[0, :, (sign + 1) // 2] = at_stake / at_stake.sum()
    return np.array([abs(vote)]), masses, [DecisionStump(0, -np.inf, sign)]
