"""Calibrated boosting: score, calibrate on examples not trained on, threshold the probability at ``c``.

Section 4 of Nikolaou et al. (2016). The calibration examples are not weighted by cost; whatever the base
method, the positive class is predicted when its calibrated probability exceeds the Bayes threshold.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit, check_cv
from sklearn.utils import check_random_state

from csb.costs import check_costs
from csb.engine.elementary import logit
from csb.engine.learners import bind_learner
from csb.engine.rules import log_cost_ratio
from csb.engine.votes import TrainingSet, boost
from csb.estimators.base import BinaryClassifier
from csb.estimators.params import TwoCosts, Votes, estimator, param
from csb.evaluation.calibration import Calibration, make_calibrator
from csb.inputs import check_count, one_of
from csb.methods import METHODS
from csb.methods.calibrated import CalibratedMethod

__all__ = ["CalibratedAdaMEC", "CalibratedAsymAda", "CalibratedCGAda"]

HELD_OUT = 1 / 3
SMALLEST = 1e-15
"""Probabilities are kept this far from 0 and 1 where their log odds are taken."""


@estimator
class _CalibratedBoosting(BinaryClassifier, Votes, TwoCosts):
    """A base method, trained on one part of the data and calibrated on the other; all folds in one batch."""

    _method: ClassVar[CalibratedMethod]
    _attributes: ClassVar[str] = """
        calibrated_models_ : list of pairs
            Trained ensemble and calibrator, one pair, or ``cv`` of them; the ensemble has
            ``decision_function`` for arrays.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """
    _: KW_ONLY
    calibration: Calibration = param(
        "sigmoid", "Platt scaling by maximum likelihood, by least squares, or isotonic regression."
    )
    cv: Any = param(
        None,
        "Cross-fitting: so many ensembles, each calibrated on the fold it was not trained on, their "
        "probabilities averaged. By default a random third of each class is held out for calibration.",
        "int, splitter or iterable of splits",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train and calibrate.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; examples of weight zero are left out before the data are split.

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
        X, classes, labels, weights = self._read(X, y, sample_weight)
        rounds = check_count("n_estimators", self.n_estimators)
        policy = one_of("nonpositive_alpha", self.nonpositive_alpha, ("stop", "signed"))
        make_calibrator(self.calibration)  # refuses what is none before any work
        fn_cost, fp_cost = self._class_costs(classes)
        random_state = check_random_state(self.random_state)
        splits = list(self._splits(labels, np.flatnonzero(weights > 0), random_state))
        for fitting, held_out in splits:
            if len(np.unique(labels[fitting][weights[fitting] > 0])) < 2 or not weights[held_out].any():
                raise ValueError(
                    f"cv={self.cv!r}: one class only in a part to fit, or none to calibrate with"
                )
        costs = check_costs(np.repeat(fn_cost, len(splits)), np.repeat(fp_cost, len(splits)))
        times = [np.bincount(fitting, minlength=len(labels)) for fitting, _ in splits]
        learner = bind_learner(
            self.estimator, X, labels, max_bins=self.max_bins, n_jobs=self.n_jobs, random_state=random_state
        )
        trained = boost(
            learner, TrainingSet(labels, weights * np.array(times)), [self._method.base.batch(costs)], rounds,
            keep_nonpositive=policy == "signed", keep_scores=True,
        )  # fmt: skip
        scores: Any = trained.scores  # they were kept
        self.calibrated_models_ = [
            (
                trained.model(k),
                make_calibrator(self.calibration).fit(
                    scores[k, held_out], labels[held_out], sample_weight=weights[held_out]
                ),
            )
            for k, (_, held_out) in enumerate(splits)
        ]
        self.classes_ = classes
        self._remember()
        return self

    def _splits(
        self, labels: np.ndarray, used: np.ndarray, random_state: np.random.RandomState
    ) -> Iterable[tuple[np.ndarray, np.ndarray]]:
        """Pairs of row numbers, to fit and to calibrate; rows of weight zero are drawn for neither."""
        seed = random_state.randint(2**31 - 1)
        if self.cv is None:
            needed, splitter = 3, StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
        elif isinstance(self.cv, (numbers.Number, str)):
            needed = check_count("cv", self.cv, smallest=2)
            splitter = StratifiedKFold(needed, shuffle=True, random_state=seed)
        else:
            return check_cv(self.cv).split(labels, labels)
        fewest = np.bincount(labels[used], minlength=2).min()
        if fewest < needed:
            raise ValueError(
                f"cv={self.cv!r}: calibration needs at least {needed} examples of each class; "
                f"the smaller class has {fewest}"
            )
        return [(used[fit], used[rest]) for fit, rest in splitter.split(used, labels[used])]

    def _calibrated(self, X: ArrayLike) -> np.ndarray:
        X = self._check_X(X)
        total = np.zeros(len(X))
        for model, calibrator in self.calibrated_models_:
            total += calibrator.predict(model.decision_function(X))
        return total / len(self.calibrated_models_)

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Calibrated probability of each class.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        p = self._calibrated(X)
        return np.column_stack([1 - p, p])

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Log odds of the calibrated probability.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        return logit(np.clip(self._calibrated(X), SMALLEST, 1 - SMALLEST))

    @property
    def decision_threshold_(self) -> float:
        """Log odds of the Bayes threshold: costs act at the decision."""
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
    """AsymAda, calibrated, thresholded at ``c``; Section 4 of Nikolaou et al. (2016)."""

    _method = METHODS["calibrated_asymada"]
