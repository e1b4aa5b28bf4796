"""What each feature has to say in a trained ensemble."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.additive import StepFunction, importances, step_functions
from csb.engine.trained import Model
from csb.estimators.fitted_state import FittedState
from csb.inputs import shown

__all__ = ["Additive", "read_importances"]


class Additive(FittedState):
    """Importances of features and, where every hypothesis asks for one feature, the terms of the score."""

    _model: Model
    n_features_in_: int

    @property
    def feature_importances_(self) -> np.ndarray:
        """Share of each feature in the ensemble, not negative, of sum one; shape (n_features,).

        That of a stump is its feature, that of a tree the decrease of impurity at its nodes, and that of
        another learner its own ``feature_importances_``; they are added up in the size of their votes, as
        scikit-learn's ``AdaBoostClassifier`` does. A regression stump counts by the height of its step.
        They are zeros where no hypothesis asks for a feature.
        Features that tell the same share what they are worth, so that a small number does not say that a
        feature is of no use.
        """
        self._check_unchanged()
        return read_importances([self._model], self)

    @property
    def intercept_(self) -> float:
        """What no feature has a part in: constant hypotheses, and what is subtracted from their sum."""
        return self._terms()[0]

    def step_functions(self) -> list[StepFunction]:
        """What each feature adds to the score, as a function of its value.

        Returns
        -------
        list of length n_features
            Step functions; that of a feature that no hypothesis asks for is zero. They are not centred: the
            step of a stump goes from minus its vote to its vote.

        Raises
        ------
        ValueError
            If some hypothesis asks for more than one feature.
        """
        return self._terms()[1]

    def contributions(self, X: ArrayLike) -> np.ndarray:
        """What each feature adds to the score of each example.

        With ``intercept_`` they add up to ``decision_function`` within rounding. Where the score is a sum of
        functions of one feature each, their differences from their means over some examples are the Shapley
        values with these as background.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Numbers as ``fit`` takes them.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Positive values speak for ``classes_[1]``.

        Raises
        ------
        ValueError
            If some hypothesis asks for more than one feature.

        Examples
        --------
        >>> from csb import CGAda
        >>> from sklearn.datasets import load_breast_cancer
        >>> X, y = load_breast_cancer(return_X_y=True)
        >>> model = CGAda(5.0, n_estimators=20).fit(X, y)
        >>> terms = model.contributions(X)
        >>> bool(np.allclose(model.intercept_ + terms.sum(axis=1), model.decision_function(X)))
        True
        """
        X = self._check_X(X)
        return np.column_stack([each(x) for each, x in zip(self.step_functions(), X.T, strict=True)])

    def _terms(self) -> tuple[float, list[StepFunction]]:
        self._check_unchanged()
        found = step_functions(self._model, self.n_features_in_)
        if found is None:
            raise ValueError(
                f"estimator={shown(getattr(self, 'estimator', None))}: its hypotheses ask for several "
                "features, so that the score is no sum of functions of one; allowed are estimator='stump', "
                "'univariate_logistic' and Tree(max_depth=1)"
            )
        return found


def read_importances(models: list[Model], estimator: Any) -> np.ndarray:
    """Mean importances of some ensembles of an estimator; no attribute where its learner has none."""
    found = [importances(model, estimator.n_features_in_) for model in models]
    known = [each for each in found if each is not None]
    if len(known) < len(found):
        raise AttributeError(
            f"{type(estimator).__name__} has no feature_importances_, for "
            f"estimator={shown(estimator.estimator)} has none"
        )
    return np.mean(known, axis=0)
