"""What all boosting estimators share: validation, training, scores and decisions."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from csb._kernels import stump_scores
from csb.boosting import Job, boost
from csb.costs import Costs, check_costs
from csb.learners import DecisionStump, bind_learner
from csb.variants import VARIANTS

__all__ = ["BaseBoosting", "BinaryCostClassifier", "Task", "binary_target", "check_count"]


def check_count(name: str, value, smallest: int = 1) -> int:
    """An integer of at least ``smallest``, or a ValueError that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < smallest:
        raise ValueError(f"{name}={value!r}: an integer of at least {smallest}")
    return int(value)


def binary_target(y, sample_weight=None) -> tuple[np.ndarray, np.ndarray]:
    """The two classes and the class number of each example.

    Parameters
    ----------
    y : array_like of shape (n,)
        Labels of any kind.
    sample_weight : ndarray of shape (n,), optional
        A class must carry weight to count.

    Returns
    -------
    classes : ndarray of shape (2,)
        Sorted labels.
    labels : ndarray of shape (n,), int8
        Index into ``classes``.

    Raises
    ------
    ValueError
        If there are not exactly two classes.
    """
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes"
        )
    present = np.unique(labels if sample_weight is None else labels[sample_weight > 0])
    if len(present) < 2:
        raise ValueError("y holds one class only; two classes are needed, each with positive weight")
    return classes, labels.astype(np.int8)


def _has_probability(estimator) -> bool:
    reason = estimator._why_no_probability()
    if reason is not None:
        raise AttributeError(
            f"{type(estimator).__name__} defines no probability: {reason}. Calibrate its "
            "decision_function, for instance with scikit-learn's CalibratedClassifierCV"
        )
    return True


class BinaryCostClassifier(ClassifierMixin, BaseEstimator):
    """Two classes, two costs, and the decision: score above a threshold."""

    def _row(self):
        """The variant's row of the table."""
        raise NotImplementedError

    @property
    def _costs_act(self) -> str:
        """When costs play their part, see :class:`csb.variants.Variant`."""
        return self._row().costs_act

    def _costs(self) -> Costs:
        """Costs of the two classes as the parameters stand, speaking for ``classes_[1]``."""
        costs = check_costs(getattr(self, "fn_cost", 1.0), getattr(self, "fp_cost", 1.0))
        if len(costs.fn_cost) != 1:
            raise ValueError("fn_cost and fp_cost must be numbers; costs of single examples are given to fit")
        return Costs(costs.fp_cost, costs.fn_cost) if self._misses_first_class() else costs

    def _misses_first_class(self) -> bool:
        """Whether ``pos_label`` names ``classes_[0]``, whose miss then costs ``fn_cost``."""
        pos_label = getattr(self, "pos_label", None)
        if pos_label is None:
            return False
        where = np.flatnonzero(self.classes_ == pos_label)
        if len(where) != 1:
            raise ValueError(f"pos_label={pos_label!r}: one of the classes {self.classes_.tolist()}")
        return bool(where[0] == 0)

    def _remember_costs(self) -> None:
        self._fitted_costs = tuple(getattr(self, name, None) for name in ("fn_cost", "fp_cost", "pos_label"))

    def _check_X(self, X):
        """Validated features, unless the costs are not those that training saw."""
        check_is_fitted(self)
        if self._costs_act == "training":
            now = (self.fn_cost, self.fp_cost, self.pos_label)
            if now != self._fitted_costs:
                raise ValueError(
                    f"{type(self).__name__} was fitted with (fn_cost, fp_cost, pos_label) = "
                    f"{self._fitted_costs} and is asked to predict with {now}: "
                    "its costs act in training, so fit again. "
                    "AdaMEC takes new costs after fit"
                )
        return validate_data(self, X, dtype=np.float64, reset=False)

    def predict(self, X):
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
        above = self.decision_function(X) > self.decision_threshold_
        return self.classes_[above.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


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


class BaseBoosting(BinaryCostClassifier):
    """Boosting by the variant named in ``_variant``; see the named classes."""

    _variant: str
    _options: tuple[str, ...] = ()

    def _row(self):
        return VARIANTS[self._variant]

    def _rules(self):
        return self._row().settle(**{name: getattr(self, name) for name in self._options})

    def _why_no_probability(self) -> str | None:
        return "its weights are no function of the margin" if self._rules().loss is None else None

    def fit(self, X, y, sample_weight=None):
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

    def _fit(self, X, y, sample_weight, cost=None):
        X, y = validate_data(self, X, y, dtype=np.float64)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_, labels = binary_target(y, weights)
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
                UserWarning,
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
        r"""Score :math:`F(x) = \sum_t \alpha_t h_t(x)`, not divided by anything.

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
        scores = np.zeros(len(X))
        if all(isinstance(h, DecisionStump) for h in self.estimators_):
            feature, threshold, polarity = (
                np.array(column) for column in zip(*self.estimators_, strict=True)
            )
            stump_scores(X, feature, threshold, polarity.astype(float), self.estimator_weights_, scores)
            return scores
        for alpha, hypothesis in zip(self.estimator_weights_, self.estimators_, strict=True):
            scores += alpha * hypothesis.predict(X)
        return scores

    def staged_decision_function(self, X):
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
        scores = np.zeros(len(X))
        for alpha, hypothesis in zip(self.estimator_weights_, self.estimators_, strict=True):
            scores += alpha * hypothesis.predict(X)
            yield scores.copy()

    @property
    def decision_threshold_(self) -> float:
        """Score above which ``classes_[1]`` is predicted; zero unless costs act at the decision."""
        check_is_fitted(self)
        return self._threshold(len(self.estimators_))

    def _threshold(self, t: int) -> float:
        votes = np.sum(self.estimator_weights_[:t])
        return float(self._rules().threshold(self._costs().log_ratio, t, self._fitted_rounds, votes)[0]) + 0.0

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
        for t, scores in enumerate(self.staged_decision_function(X), start=1):
            yield self.classes_[(scores > self._threshold(t)).astype(int)]

    @available_if(_has_probability)
    def predict_proba(self, X):
        r"""Probability that the population minimiser of the variant's loss gives to each class.

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
        return self._probability(self.decision_function(X), len(self.estimators_))

    @available_if(_has_probability)
    def staged_predict_proba(self, X):
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
        for t, scores in enumerate(self.staged_decision_function(X), start=1):
            yield self._probability(scores, t)

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
