"""What the multiclass estimators share: costs, validation, mixtures, votes and decisions."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from csb.engine.learners.pairs import ChoiceLearner, PairLearner
from csb.engine.mixture import mix, vote
from csb.engine.problem import Problem
from csb.estimators._base import check_count
from csb.inputs import ConstantModelWarning
from csb.multiclass_costs import check_cost_matrix, check_cost_rows

__all__ = ["ChoiceMethod", "Mixture", "MulticlassCostClassifier", "PairMethod", "VoteEnsemble"]

TIE = 1e-12
"""Scores that differ by less, relative to the largest, are equal but for rounding."""


class MulticlassCostClassifier(ClassifierMixin, BaseEstimator):
    """Any number of classes, a cost for each prediction, and the decision: the largest score."""

    def fit(self, X, y, sample_weight=None, *, cost=None):
        """Train the ensemble.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.
        cost : array_like of shape (n_samples, n_classes), optional
            Cost of predicting each class for each example, in the order of the sorted classes. It takes the
            place of ``cost_matrix``, which must then be None.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible; nothing is trained then.
        """
        X, y = validate_data(self, X, y, dtype=np.float64)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        check_classification_targets(y)
        used = weights > 0
        classes, labels = np.unique(y[used], return_inverse=True)
        if len(classes) < 2:
            raise ValueError(
                "y holds one class only; two or more classes are needed, each with positive weight"
            )
        if cost is None:
            costs = check_cost_matrix(self.cost_matrix, classes)[labels]
        elif self.cost_matrix is not None:
            raise ValueError("cost_matrix must be None when fit is given cost")
        else:
            costs = _used_rows(cost, used)
            costs = check_cost_rows(costs, labels, classes)
        weights = weights[used] / weights[used].sum()
        problem = Problem(weights, costs - costs.min(axis=1, keepdims=True), labels)
        trained = self._train(X[used], problem, check_random_state(self.random_state))
        self.classes_ = classes
        self.estimators_ = trained.hypotheses
        self.stop_reason_ = trained.stop_reason
        self._store(trained)
        self._cost_ranks = rankdata(weights @ problem.costs, method="ordinal") - 1
        self._fitted_costs = None if cost is not None else check_cost_matrix(self.cost_matrix, classes)
        if not self.estimators_:
            warnings.warn(
                f"no hypothesis was kept ({self.stop_reason_}); the model is the constant class of least "
                "training cost",
                ConstantModelWarning,
                stacklevel=2,
            )
        return self

    def _learner(self, X, n_classes, random_state):
        """What is trained in each round."""
        raise NotImplementedError

    def _train(self, X, problem, random_state):
        """The trained ensemble."""
        raise NotImplementedError

    def _store(self, trained) -> None:
        """Keep what the ensemble is made of."""
        raise NotImplementedError

    def _scores(self, X):
        """Scores (n, k) before the first and after each round; one array for each."""
        raise NotImplementedError

    def _check_X(self, X):
        """Validated features, unless the costs are not those that training saw."""
        check_is_fitted(self)
        now = None if self.cost_matrix is None else check_cost_matrix(self.cost_matrix, self.classes_)
        if self._fitted_costs is None:
            changed = now is not None
        else:
            default = check_cost_matrix(None, self.classes_)
            changed = not np.array_equal(default if now is None else now, self._fitted_costs)
        if changed:
            raise ValueError(
                f"cost_matrix has changed since {type(self).__name__} was fitted: its costs act in training, "
                "so fit again"
            )
        return validate_data(self, X, dtype=np.float64, reset=False)

    def _without_ties(self, scores):
        """Scores with ties settled: lowered a little by the rank of the class's mean training cost."""
        scale = TIE * np.maximum(1.0, np.abs(scores).max(axis=1, keepdims=True))
        return scores - scale * self._cost_ranks

    def _decide(self, scores):
        return self.classes_[np.argmax(self._without_ties(scores), axis=1)]

    def _shape(self, scores):
        scores = self._without_ties(scores)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def decision_function(self, X):
        """Scores of the classes.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            For two classes, the score of ``classes_[1]`` less that of ``classes_[0]``. Ties are settled in
            favour of the class of least mean training cost, by about 1e-12.
        """
        *_, scores = self._scores(self._check_X(X))
        return self._shape(scores)

    def predict(self, X):
        """The class of largest score of each example; among equals the one of least mean training cost.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        *_, scores = self._scores(self._check_X(X))
        return self._decide(scores)

    def staged_decision_function(self, X):
        """Scores after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Yields
        ------
        ndarray of shape (n_samples, n_classes) or (n_samples,)
            Scores of the ensemble's first rounds.
        """
        stages = self._scores(self._check_X(X))
        next(stages)
        for scores in stages:
            yield self._shape(scores)

    def staged_predict(self, X):
        """Predictions after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Yields
        ------
        ndarray of shape (n_samples,)
            Labels.
        """
        stages = self._scores(self._check_X(X))
        next(stages)
        for scores in stages:
            yield self._decide(scores)


def _used_rows(cost, used):
    cost = np.asarray(cost)
    if cost.ndim != 2 or len(cost) != len(used):
        raise ValueError(f"cost has shape {cost.shape}: allowed is ({len(used)}, n_classes)")
    return cost[used]


class PairMethod(MulticlassCostClassifier):
    """A method whose learner is binary and sees pairs of example and class."""

    _stochastic = True

    def _learner(self, X, n_classes, random_state):
        return PairLearner(
            self.estimator, X, n_classes, expansion=self.expansion, stochastic=self._stochastic,
            n_jobs=self.n_jobs, random_state=random_state,
        )  # fmt: skip


class ChoiceMethod(MulticlassCostClassifier):
    """A method whose learner is multiclass."""

    def _learner(self, X, n_classes, random_state):
        return ChoiceLearner(self.estimator, X, n_classes, random_state=random_state)


class Mixture:
    """A convex combination of hypotheses, started from the uniform distribution."""

    def _norm(self) -> float:
        return 1.0

    def _step(self):
        raise NotImplementedError

    def _train(self, X, problem, random_state):
        rounds, p, step = check_count("n_estimators", self.n_estimators), self._norm(), self._step()
        learner = self._learner(X, problem.costs.shape[1], random_state)
        return mix(problem, self._weigh, learner, step, rounds, p, random_state)

    def _store(self, trained):
        self.steps_, self.objective_ = trained.coefficients, trained.course

    def _scores(self, X):
        H = np.full((len(X), len(self.classes_)), 1 / len(self.classes_))
        yield H
        for alpha, hypothesis in zip(self.steps_, self.estimators_, strict=True):
            H = (1 - alpha) * H + alpha * hypothesis.predict(X)
            yield H


class VoteEnsemble:
    """A sum of votes for classes."""

    def _method(self):
        raise NotImplementedError

    def _train(self, X, problem, random_state):
        rounds, method = check_count("n_estimators", self.n_estimators), self._method()
        return vote(problem, method, self._learner(X, problem.costs.shape[1], random_state), rounds)

    def _store(self, trained):
        self.estimator_weights_, self.estimator_errors_ = trained.coefficients, trained.course

    def _scores(self, X):
        scores = np.zeros((len(X), len(self.classes_)))
        yield scores
        for alpha, hypothesis in zip(self.estimator_weights_, self.estimators_, strict=True):
            scores = scores + alpha * hypothesis.predict(X)
            yield scores
