"""Rounds and learning rate chosen within the training data, all folds and rates in one batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if

from csb.costs import check_costs
from csb.engine.trained import Model, Scoring, Watch
from csb.estimators.additive import Additive
from csb.estimators.base import AdditiveClassifier, read_stopping
from csb.estimators.binary import CGAda
from csb.estimators.cross_fitting import Split, read_splits
from csb.estimators.fitted_state import Examples
from csb.estimators.params import Seed, estimator, param
from csb.inputs import one_of, read_array, read_random_state, shown
from csb.methods.spec import LEARNING_RATES

__all__ = ["BoostingCV"]

RATES = (1.0, 0.5, 0.25, 0.1, 0.05)
SAME = 1e-12
"""Mean scores closer than this are equal."""


def _has_probability(search: BoostingCV) -> bool:
    base = search.estimator or CGAda()
    return hasattr(getattr(search, "best_estimator_", base), "predict_proba")


@estimator
class BoostingCV(Seed, Additive):
    """A method whose rounds and learning rate are chosen by cross-validation, fitted to all data.

    One run of every fold and rate shows the scores after all rounds up to the estimator's ``n_estimators``.
    The method is one of votes, or of Newton steps such as :class:`csb.LogitBoost`.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from csb import AdaMEC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BoostingCV(AdaMEC(5.0, n_estimators=50), cv=3, random_state=0).fit(X, y)
    >>> sorted(model.best_params_)
    ['learning_rate', 'n_estimators']
    """

    _attributes: ClassVar[str] = """
        best_params_ : dict
            The ``learning_rate`` and ``n_estimators`` of the best mean score; of equal ones those of the
            fewest rounds, then of the longest steps.
        best_score_ : float
            That mean score.
        best_estimator_ : object
            The estimator, fitted to all data with them.
        cv_scores_ : ndarray of shape (n_rates, T, n_folds)
            Score of every fold after every round, higher is better.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """
    estimator: AdditiveClassifier | None = param(
        None,
        "A method of weighted votes or of Newton steps for two classes; CGAda by default.",
        "csb estimator",
    )
    _: KW_ONLY
    learning_rates: Sequence[float] = param(RATES, "What to choose from.", "array_like")
    cv: Any = param(5, "Number of folds, or splits.", "int, splitter or iterable of splits")
    scoring: Scoring = param(
        "log_loss",
        "Minus the log loss of the method's probabilities, or minus the mean cost of its decisions.",
    )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Choose, then train on all examples.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers, or NaN where the learner takes it.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights, in training and in the scores; a weight of zero equals an absent row.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data or a parameter are not admissible; nothing is trained then.
        """
        with self._fit_atomically() as twin:
            twin._fit(X, y, sample_weight)
        return self

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        base = CGAda() if self.estimator is None else self.estimator
        if not isinstance(base, AdditiveClassifier):
            raise ValueError(
                f"estimator={shown(base)}: allowed is a method of weighted votes or of Newton steps, such as "
                "CGAda()"
            )
        read_stopping(base)  # the last fit reads them, too
        rates = read_array("learning_rates", self.learning_rates, LEARNING_RATES, shape=(None,))
        one_of("scoring", self.scoring, ("log_loss", "cost"))
        examples = self._read(X, y, sample_weight, 2)
        random_state = read_random_state("random_state", self.random_state)
        splits = read_splits(
            self.cv, examples.labels, examples.used, random_state, "cross-validation", examples.classes
        )
        self.cv_scores_ = self._score_stages(base, examples, splits, rates, random_state)
        means = self.cv_scores_.mean(axis=2)
        best, rounds = _first_best(means, rates)
        self.best_score_ = float(means[best, rounds - 1])
        self.best_params_ = {"learning_rate": float(rates[best]), "n_estimators": rounds}
        chosen = clone(base).set_params(**self.best_params_, early_stopping=False)
        self.best_estimator_ = chosen.fit(examples.X, examples.classes[examples.labels], examples.weights)
        self.classes_ = examples.classes

    def _score_stages(
        self,
        base: AdditiveClassifier,
        examples: Examples,
        splits: list[Split],
        rates: np.ndarray,
        random_state: np.random.RandomState,
    ) -> np.ndarray:
        """Scores (n_rates, T, n_folds) on what each fold holds out."""
        fitting, held_out = np.zeros((2, len(splits), len(examples.labels)))
        for k, (train, test) in enumerate(splits):
            np.add.at(fitting[k], train, 1)
            np.add.at(held_out[k], test, 1)
        count, costs = len(rates) * len(splits), base._class_costs(examples.classes)
        watch = Watch(
            examples.labels, np.tile(held_out * examples.weights, (len(rates), 1)),
            check_costs(*(np.repeat(each, count) for each in costs)), self.scoring,
        )  # fmt: skip
        copies = np.tile(fitting, (len(rates), 1))
        base._train_copies(examples, copies, np.repeat(rates, len(splits)), watch, random_state)
        return watch.history.reshape(-1, len(rates), len(splits)).transpose(1, 0, 2)

    @property
    def _model(self) -> Model:  # type: ignore[override]  # that of the best estimator
        self._check_unchanged()
        return self.best_estimator_._model

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Labels by the best estimator.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        X = self._check_X(X, fewest=0)
        return self.best_estimator_.predict(X)

    def decision_function(self, X: ArrayLike) -> np.ndarray:
        """Scores of the best estimator.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples,)
            Its sums of votes.
        """
        X = self._check_X(X, fewest=0)
        return self.best_estimator_.decision_function(X)

    @available_if(_has_probability)
    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Probabilities by the best estimator, not calibrated.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples, 2)
            Columns in the order of ``classes_``.
        """
        X = self._check_X(X, fewest=0)
        return self.best_estimator_.predict_proba(X)

    def _takes_missing(self) -> bool:
        return self.estimator is None or super()._takes_missing()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = self._takes_missing()
        return tags


def _first_best(means: np.ndarray, rates: np.ndarray) -> tuple[int, int]:
    """Number of the rate, and rounds, of the best mean score, shape (n_rates, T)."""
    near = means >= means.max() - SAME
    rounds = int(np.argmax(near.any(axis=0)))
    candidates = np.flatnonzero(near[:, rounds])
    return int(candidates[np.argmax(rates[candidates])]), rounds + 1
