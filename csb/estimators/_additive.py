"""Classifiers whose score is a sum over rounds: staged scores, decisions and probabilities."""

from __future__ import annotations

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from csb.estimators._base import BinaryCostClassifier

__all__ = ["AdditiveClassifier"]


def _has_probability(estimator) -> bool:
    reason = estimator._why_no_probability()
    if reason is not None:
        raise AttributeError(
            f"{type(estimator).__name__} defines no probability: {reason}. Calibrate its "
            "decision_function, for instance with scikit-learn's CalibratedClassifierCV"
        )
    return True


class AdditiveClassifier(BinaryCostClassifier):
    """A score that grows by a term in each round, a threshold on it, and perhaps a probability.

    Subclasses give ``_fit``, ``_terms``, ``_threshold`` and ``_probability``.
    """

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

    def _terms(self, X):
        """What each round adds to the score of validated features, in turn."""
        raise NotImplementedError

    def _threshold(self, t: int) -> float:
        """Score above which ``classes_[1]`` is predicted after ``t`` rounds."""
        return 0.0

    def _why_no_probability(self) -> str | None:
        return None

    def _probability(self, scores, t: int) -> np.ndarray:
        """Probabilities of both classes from the scores after ``t`` rounds, shape (n_samples, 2)."""
        raise NotImplementedError

    def decision_function(self, X):
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
        scores = np.zeros(len(X))
        for term in self._terms(X):
            scores += term
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
        for term in self._terms(X):
            scores += term
            yield scores.copy()

    @property
    def decision_threshold_(self) -> float:
        """Score above which ``classes_[1]`` is predicted; zero unless costs act at the decision."""
        check_is_fitted(self)
        return self._threshold(len(self.estimators_))

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
