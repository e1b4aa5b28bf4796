"""Calibrated boosting: score, calibrate on examples not trained on, threshold the probability at ``c``.

Section 4 of Nikolaou et al. (2016). The calibration examples are not weighted by cost; whatever the base
method, the positive class is predicted when its calibrated probability exceeds the Bayes threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY
from itertools import zip_longest
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.metaestimators import available_if

from csb.costs import check_costs
from csb.engine.elementary import logit
from csb.engine.learners import bind_learner
from csb.engine.rules import log_cost_ratio
from csb.engine.votes import TrainingSet, boost
from csb.estimators.additive import read_importances
from csb.estimators.base import BinaryClassifier
from csb.estimators.cross_fitting import read_splits
from csb.estimators.params import TwoCosts, Votes, estimator, param
from csb.evaluation.calibration import Calibration, Calibrator, make_calibrator
from csb.evaluation.decisions import decide_positive
from csb.inputs import check_count, check_flag, one_of, read_number, read_random_state
from csb.methods import METHODS
from csb.methods.spec import LEARNING_RATES
from csb.methods.wrappers import CalibratedMethod

__all__ = ["CalibratedAdaMEC", "CalibratedAsymAda", "CalibratedCGAda"]

SMALLEST = 1e-15
"""Probabilities are kept this far from 0 and 1 where their log odds are taken."""


def _has_stages(estimator: _CalibratedBoosting) -> bool:
    if not estimator.store_stages:
        raise AttributeError(
            f"{type(estimator).__name__} has no stages: set store_stages=True, and the fit calibrates each"
        )
    return True


def _log_odds(p: np.ndarray) -> np.ndarray:
    return logit(np.clip(p, SMALLEST, 1 - SMALLEST))


def _mean(parts: list[np.ndarray]) -> np.ndarray:
    """Of the probabilities of all ensembles, added up in their order."""
    return sum(parts, np.zeros_like(parts[0])) / len(parts)


@estimator
class _CalibratedBoosting(BinaryClassifier, Votes, TwoCosts):
    """A base method, trained on one part of the data and calibrated on the other; all folds in one batch."""

    _method: ClassVar[CalibratedMethod]
    _attributes: ClassVar[str] = """
        calibrated_models_ : list of pairs
            Trained ensemble and calibrator, one pair, or ``cv`` of them; the ensemble has
            ``decision_function`` for arrays.
        staged_calibrators_ : list of lists
            The calibrators of each ensemble, one after each of its rounds; empty without ``store_stages``.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """
    _: KW_ONLY
    calibration: Calibration = param(
        "sigmoid",
        "Platt scaling by maximum likelihood or by least squares, beta calibration, isotonic regression, or "
        "Venn-Abers prediction.",
    )
    cv: Any = param(
        None,
        "Cross-fitting: so many ensembles, each calibrated on the fold it was not trained on, their "
        "probabilities averaged. By default a random third of each class is held out for calibration.",
        "int, splitter or iterable of splits",
    )
    store_stages: bool = param(
        False,
        "Calibrate each ensemble after every round, for the ``staged_*`` methods; the fit then takes several "
        "times as long, most with isotonic regression on few examples.",
        "bool",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train and calibrate.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers, or NaN where the learner takes it.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; examples of weight zero are left out before the data are split. To a
            calibrator a weight counts examples: weights of a mean below one are scaled to mean one.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible, or a class has too few examples to
            be split; nothing is trained then.
        """
        return self._fit_atomically(X, y, sample_weight)

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        X, labels, weights, classes, used = self._read(X, y, sample_weight, 2)
        weights = weights / min(1.0, weights.mean())  # they count examples
        rounds = check_count("n_estimators", self.n_estimators)
        policy = one_of("nonpositive_alpha", self.nonpositive_alpha, ("stop", "signed"))
        make_calibrator(self.calibration)  # refuses what is none before any work
        staged = check_flag("store_stages", self.store_stages)
        fn_cost, fp_cost = self._class_costs(classes)
        random_state = read_random_state("random_state", self.random_state)
        splits = read_splits(self.cv, labels, used, random_state, "calibration")
        costs = check_costs(np.repeat(fn_cost, len(splits)), np.repeat(fp_cost, len(splits)))
        rate = read_number("learning_rate", self.learning_rate, LEARNING_RATES)
        batch = self._method.base.batch(costs, learning_rate=rate)
        times = [np.bincount(fitting, minlength=len(labels)) for fitting, _ in splits]
        learner = bind_learner(
            self.estimator, X, labels, weights, max_bins=self.max_bins, n_jobs=self.n_jobs,
            random_state=random_state,
        )  # fmt: skip
        trained = boost(
            learner, TrainingSet(labels, weights * np.array(times)), [batch], rounds,
            keep_nonpositive=policy == "signed",
        )  # fmt: skip
        self.calibrated_models_, self.staged_calibrators_ = [], []
        for k, (_, held_out) in enumerate(splits):
            model, unseen = trained.model(k), X[held_out]
            # not the scores of the loop, which knows only the bins of examples that this model has not seen
            scores = model.staged_scores(unseen) if staged else [model.decision_function(unseen)]
            calibrators = self._calibrators(scores, labels[held_out], weights[held_out])
            self.calibrated_models_.append((model, calibrators[-1]))
            if staged:
                self.staged_calibrators_.append(calibrators)
        self.classes_ = classes

    def _calibrators(
        self, stages: Iterable[np.ndarray], labels: np.ndarray, weights: np.ndarray
    ) -> list[Calibrator]:
        """A calibrator for the scores of each stage."""
        return [make_calibrator(self.calibration).fit(scores, labels, weights) for scores in stages]

    def _calibrated(self, X: ArrayLike) -> np.ndarray:
        X = self._check_X(X)
        parts = [
            calibrator.predict(model.decision_function(X)) for model, calibrator in self.calibrated_models_
        ]
        return _mean(parts)

    def _staged_calibrated(self, X: ArrayLike) -> Iterator[np.ndarray]:
        X = self._check_X(X)
        runs = [
            (each.predict(scores) for each, scores in zip(calibrators, model.staged_scores(X), strict=True))
            for (model, _), calibrators in zip(self.calibrated_models_, self.staged_calibrators_, strict=True)
        ]
        parts: list[Any] = [None] * len(runs)
        for found in zip_longest(*runs):  # what has ended keeps its last one
            parts = [last if new is None else new for last, new in zip(parts, found, strict=True)]
            yield _mean(parts)

    @property
    def feature_importances_(self) -> np.ndarray:
        """Mean importances of the features in the ensembles, as of :class:`csb.AdaBoost`."""
        self._check_unchanged()
        return read_importances([model for model, _ in self.calibrated_models_], self)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Calibrated probability of each class.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        p = self._calibrated(X)
        return np.column_stack([1 - p, p])

    def predict(self, X: ArrayLike) -> np.ndarray:
        """The class of least expected cost: ``classes_[1]`` where its probability exceeds the threshold.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        return self._decided(self._calibrated(X))

    def _decided(self, p: np.ndarray) -> np.ndarray:
        return self.classes_[decide_positive(p, *self._class_costs(self.classes_)).astype(int)]

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Log odds of the calibrated probability.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        return _log_odds(self._calibrated(X))

    @available_if(_has_stages)
    def staged_predict_proba(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Calibrated probabilities after each round: of ensembles of so many rounds, each calibrated anew.

        An ensemble that ended early keeps its last stage. For AdaMEC and CGAda a stage is the method with
        that ``n_estimators``.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        for p in self._staged_calibrated(X):
            yield np.column_stack([1 - p, p])

    @available_if(_has_stages)
    def staged_decision_function(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Log odds of the calibrated probabilities after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        yield from map(_log_odds, self._staged_calibrated(X))

    @available_if(_has_stages)
    def staged_predict(self, X: ArrayLike) -> Iterator[np.ndarray]:
        """Predictions after each round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Yields
        ------
        ndarray of shape (n_samples,)
            Labels.
        """
        yield from map(self._decided, self._staged_calibrated(X))

    @property
    def decision_threshold_(self) -> float:
        """Log odds of the Bayes threshold: costs act at the decision.

        Predictions follow :func:`csb.evaluation.decisions.decide_positive`, by which a probability that only
        rounding parts from the threshold is at the threshold.
        """
        self._check_unchanged()
        return float(-log_cost_ratio(self._class_costs(self.classes_))[0]) + 0.0


@estimator
class CalibratedAdaMEC(_CalibratedBoosting):
    """AdaBoost, calibrated, thresholded at ``c``: the method that Nikolaou et al. (2016) recommend.

    Costs act only at the decision: set new ones with ``set_params`` and predict again, without training.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CalibratedAdaMEC(fn_cost=5, n_estimators=20, random_state=0).fit(X, y)
    >>> cheap = model.predict(X).sum()
    >>> bool(model.set_params(fn_cost=50).predict(X).sum() >= cheap)
    True
    """

    _method = METHODS["calibrated_adamec"]
    _changeable = frozenset({"n_jobs", "fn_cost", "fp_cost", "pos_label"})


@estimator
class CalibratedCGAda(_CalibratedBoosting):
    """CGAda, calibrated, thresholded at ``c``; Section 4 of Nikolaou et al. (2016)."""

    _method = METHODS["calibrated_cgada"]


@estimator
class CalibratedAsymAda(_CalibratedBoosting):
    """AsymAda, calibrated, thresholded at ``c``; Section 4 of Nikolaou et al. (2016).

    The cost ratio is spread over ``n_estimators`` rounds: a stage of a longer plan is not the method with as
    many rounds.
    """

    _method = METHODS["calibrated_asymada"]
