"""What the estimators for two classes share: reading, decisions, scores by the round, boosting by votes."""

from __future__ import annotations

import reprlib
import warnings
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import Field, fields, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from csb.costs import Costs, check_costs
from csb.engine.learners import bind_learner
from csb.engine.trained import Batch, Model
from csb.engine.votes import TrainingSet, boost
from csb.estimators._sklearn import BaseEstimator, ClassifierMixin
from csb.estimators.params import Rounds, TwoCosts, Votes, estimator
from csb.inputs import ConstantModelWarning, binary_target, check_count, one_of
from csb.methods.row import Method, VotingMethod

__all__ = ["AdditiveClassifier", "BinaryClassifier", "Boosting", "CostBoosting", "Remembering"]


class Remembering:
    """Refuses to predict with parameters that are not those of the fit."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    _changeable: ClassVar[frozenset[str]] = frozenset({"n_jobs"})
    """Parameters that may be changed after the fit: they act at the decision, or change no number."""

    def _remember(self) -> None:
        """Keep the parameters of the fit, copies of what can be changed in place."""
        kept = {each.name: getattr(self, each.name) for each in fields(self)}
        self._fitted = {
            name: deepcopy(value) if isinstance(value, (list, dict)) or hasattr(value, "shape") else value
            for name, value in kept.items()
        }

    def _check_unchanged(self) -> None:
        check_is_fitted(self)
        for name, fitted in self._fitted.items():
            now = getattr(self, name)
            if name in self._changeable or _same(now, fitted):
                continue
            raise ValueError(
                f"{type(self).__name__} was fitted with {name}={reprlib.repr(fitted)} and is asked to "
                f"predict with {name}={reprlib.repr(now)}, which acts in training: fit again, or set it back"
            )

    def _check_X(self, X: ArrayLike) -> np.ndarray:
        """Validated features, unless a parameter is not that of the fit."""
        self._check_unchanged()
        return validate_data(self, X, dtype=np.float64, reset=False)


def _same(one: object, other: object) -> bool:
    """Equality of parameters, also of arrays and of lists of them."""
    if one is other:
        return True
    if hasattr(one, "shape") or hasattr(other, "shape"):
        return np.array_equal(np.asarray(one), np.asarray(other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)


class BinaryClassifier(Remembering, ClassifierMixin, BaseEstimator):
    """Two classes, two costs, and the decision: score above a threshold."""

    _method: ClassVar[Method]

    def _class_costs(self, classes: np.ndarray) -> Costs:
        """Costs of the two classes as the parameters stand, speaking for the second class."""
        costs = check_costs(getattr(self, "fn_cost", 1.0), getattr(self, "fp_cost", 1.0))
        if len(costs.fn_cost) != 1:
            raise ValueError("fn_cost and fp_cost must be numbers; costs of single examples are given to fit")
        pos_label = getattr(self, "pos_label", None)
        if pos_label is None:
            return costs
        where = np.flatnonzero(classes == pos_label)
        if len(where) != 1:
            raise ValueError(f"pos_label={pos_label!r}: one of the classes {classes.tolist()}")
        return costs if where[0] == 1 else Costs(costs.fp_cost, costs.fn_cost)

    def _read(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Validated features, classes, class numbers and weights of training data."""
        read: tuple[np.ndarray, np.ndarray] = validate_data(self, X, y, dtype=np.float64)
        X, y = read
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        return X, *binary_target(y, weights), weights

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The class of each example: ``classes_[1]`` where the score exceeds the threshold.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        above = self.decision_function(X) > self.decision_threshold_  # type: ignore[attr-defined]  # of all kinds
        return self.classes_[above.astype(int)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


def _has_probability(estimator: AdditiveClassifier) -> bool:
    reason = estimator._reason_without_probability()
    if reason is not None:
        raise AttributeError(
            f"{type(estimator).__name__} defines no probability: {reason}. Calibrate its "
            "decision_function, for instance with scikit-learn's CalibratedClassifierCV"
        )
    return True


class AdditiveClassifier(BinaryClassifier):
    """A score that grows by a term in each round, a threshold on it, and perhaps a probability."""

    _model: Model

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible; nothing is trained then.
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Self:
        """Train and store."""
        raise NotImplementedError

    def _store(self, model: Model, classes: np.ndarray) -> None:
        self._model, self.classes_ = model, classes
        self.estimators_, self.stop_reason_ = model.hypotheses, model.stop_reason
        self._remember()

    def _reason_without_probability(self) -> str | None:
        return None

    def _thresholds(self) -> np.ndarray:
        """Score above which ``classes_[1]`` is predicted after each round."""
        return self._model.threshold

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Score: the sum over the rounds, not divided by anything.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        X = self._check_X(X)
        return self._model.decision_function(X)

    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Scores after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Yields
        ------
        ndarray of shape (n_samples,)
            The score of the ensemble's first rounds.
        """
        X = self._check_X(X)
        yield from self._model.staged_scores(X)

    @property
    def decision_threshold_(self) -> float:
        """Score above which ``classes_[1]`` is predicted; zero unless costs act at the decision."""
        self._check_unchanged()
        return float(self._thresholds()[-1])

    def staged_predict(self, X: ArrayLike) -> Iterator[np.ndarray]:
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
        self._check_unchanged()
        thresholds = self._thresholds()
        for t, scores in enumerate(self.staged_decision_function(X)):
            yield self.classes_[(scores > thresholds[t]).astype(int)]

    @available_if(_has_probability)
    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        r"""Probability that the population minimiser of the method's loss gives to each class.

        :math:`\hat p = \sigma((k_++k_-)F - \log\frac{a_+k_+}{a_-k_-})` for a loss :math:`a_y e^{-k_y m}`;
        for AdaBoost this is Eq. (22) of Nikolaou et al. (2016). It is not calibrated.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        scores = self.decision_function(X)
        return self._model.probabilities(scores)

    @available_if(_has_probability)
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Probabilities after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Yields
        ------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        for t, scores in enumerate(self.staged_decision_function(X)):
            yield self._model.probabilities(scores, t)


@estimator
class Boosting(AdditiveClassifier, Rounds):
    """Boosting by the rules of one method; see the named classes."""

    _method: ClassVar[VotingMethod]
    _attributes: ClassVar[str] = """
        estimators_ : list of length T
            Weak hypotheses; each ``predict`` gives signs -1 or +1.
        estimator_weights_ : ndarray of shape (T,)
            Votes, the alphas of the papers.
        estimator_errors_ : ndarray of shape (T,)
            Weighted error of each hypothesis under the weights it was trained on.
        estimator_masses_ : ndarray of shape (T, 2, 2)
            Weight of the four outcomes in each round: class, then prediction, negative first.
        stop_reason_ : str
            One of max_rounds, perfect, no_edge, alpha, not_finite, underflow.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """

    def _row(self) -> VotingMethod:
        return self._method

    def _batch(self, costs: Costs) -> Batch:
        """A model of the method under these costs, by the parameters as they stand."""
        row = self._row()
        options = {name: getattr(self, name) for name in row.options}
        return row.batch(costs, getattr(self, "cost_scale", None), **options)

    def _reason_without_probability(self) -> str | None:
        if hasattr(self, "_model"):
            known = self._model.log_odds_line is not None
        else:
            try:
                known = self._batch(check_costs()).rules.loss is not None
            except ValueError:  # fit says what is wrong
                known = True
        return None if known else "its weights belong to no one loss of the margin"

    def _training(
        self, labels: np.ndarray, weights: np.ndarray, costs: Costs, cost: np.ndarray | None
    ) -> tuple[TrainingSet, Batch]:
        """What the loop is to train. Costs of single examples are base weights, and none is left then."""
        if cost is None:
            return TrainingSet(labels, weights[np.newaxis]), self._batch(costs)
        return TrainingSet(labels, (weights * cost)[np.newaxis]), self._batch(check_costs())

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        cost: np.ndarray | None = None,
    ) -> Self:
        X, classes, labels, weights = self._read(X, y, sample_weight)
        rounds = check_count("n_estimators", self.n_estimators)
        policy = one_of("nonpositive_alpha", getattr(self, "nonpositive_alpha", "stop"), ("stop", "signed"))
        training, batch = self._training(labels, weights, self._class_costs(classes), cost)
        learner = bind_learner(
            self.estimator, X, training.labels, max_bins=self.max_bins, n_jobs=self.n_jobs,
            random_state=check_random_state(self.random_state), joint=batch.rules.best_loss is not None,
        )  # fmt: skip
        model = boost(learner, training, [batch], rounds, keep_nonpositive=policy == "signed").model(0)
        if model.constant:
            warnings.warn(
                f"no {self.estimator!r} beat chance with a positive vote ({model.stop_reason}); "
                "the model is the constant class of least training cost",
                ConstantModelWarning,
                stacklevel=3,
            )
        if cost is not None:  # no one loss belongs to costs that differ within a class
            model = replace(model, log_odds_line=None)
        self._planned = rounds
        self._store(model, classes)
        return self

    def _store(self, model: Model, classes: np.ndarray) -> None:
        super()._store(model, classes)
        self.estimator_weights_, self.estimator_masses_ = model.coefficients, model.masses
        self.estimator_errors_ = model.masses[:, 0, 1] + model.masses[:, 1, 0]  # type: ignore[index]  # kept

    def _thresholds(self) -> np.ndarray:
        if self._row().costs_act != "decision":
            return self._model.threshold
        batch = self._batch(self._class_costs(self.classes_)).planned(self._planned)
        return batch.threshold(*self._model.stages())


@estimator
class CostBoosting(Votes, Boosting, TwoCosts):
    """Boosting, and the two costs."""
