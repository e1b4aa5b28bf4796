"""LogitBoost, AsyBL and asymmetric LogitBoost as classifiers."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from csb.engine.blocks import Blocks
from csb.engine.learners.regression import bind_regressor
from csb.engine.newton import boost_logit
from csb.engine.trained import Model, Watch
from csb.estimators.base import AdditiveClassifier, watch_for
from csb.estimators.fitted_state import Examples
from csb.estimators.params import Jobs, LearningRate, TwoCosts, estimator, param
from csb.inputs import POSITIVE, check_count, read_number, read_random_state
from csb.methods import METHODS
from csb.methods.spec import LEARNING_RATES, NewtonMethod

__all__ = ["AsyBL", "AsymmetricLogitBoost", "LogitBoost"]


@estimator
class _LogitFamily(AdditiveClassifier, Jobs, LearningRate):
    """What the three share; they differ in their link."""

    _method: ClassVar[NewtonMethod]
    _attributes: ClassVar[str] = """
        estimators_ : list of length T
            Fitted functions; each ``predict`` gives real values.
        step_ : float
            Factor on each of them.
        stop_reason_ : str
            "max_rounds", "no_edge" when nothing was left to fit, or "no_gain".
        validation_score_ : ndarray of shape (T,)
            Score of the examples set aside after each round, higher is better; empty without early stopping.
        classes_ : ndarray of shape (2,)
            Labels; positive scores speak for ``classes_[1]``.
        n_features_in_ : int
            Number of features.
        feature_names_in_ : ndarray
            Names of the features, when all were strings.
        """
    n_estimators: int = param(100, "Largest number of rounds.", "int")
    estimator: str | BaseEstimator = param(
        "stump",
        "Weak learner: a regression stump, or any regressor whose ``fit`` accepts ``sample_weight``.",
        '"stump" or scikit-learn regressor',
    )
    _: KW_ONLY
    largest_response: float = param(
        4.0,
        "Working responses are clipped to this size. Without a bound they diverge where a leaf is pure.",
        "float",
    )

    def _fit(self, X: ArrayLike | Blocks, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        examples = self._read(X, y, sample_weight, 2)
        rates = np.array([read_number("learning_rate", self.learning_rate, LEARNING_RATES)])
        costs = self._class_costs(examples.classes)
        random_state = read_random_state("random_state", self.random_state)
        watch = None
        if found := watch_for(self, examples.labels, examples.weights, costs, random_state):
            aside, watch = found
            examples = examples._replace(weights=np.where(aside, 0.0, examples.weights))
        once = np.ones((1, len(examples.labels)))
        (model,) = self._train_copies(examples, once, rates, watch, random_state)
        self._keep(model, examples.classes, watch)

    def _keep(self, model: Model, classes: np.ndarray, watch: Watch | None) -> None:
        super()._keep(model, classes, watch)
        self.step_ = float(self.learning_rate * 0.5 / self._method.link(self._class_costs(classes)).slope)

    def _train_copies(
        self,
        examples: Examples,
        copies: np.ndarray,
        rates: np.ndarray,
        watch: Watch | None,
        random_state: np.random.RandomState,
    ) -> list[Model]:
        rounds = check_count("n_estimators", self.n_estimators)
        largest = read_number("largest_response", self.largest_response, POSITIVE)
        link = self._method.link(self._class_costs(examples.classes))
        X, labels, weights, *_ = examples
        learner = bind_regressor(self.estimator, X, n_jobs=self.n_jobs, random_state=random_state)
        return boost_logit(
            learner, labels, copies * weights, link, rounds, largest, rates, watch, self.n_jobs
        )


@estimator
class LogitBoost(_LogitFamily):
    """LogitBoost of Friedman, Hastie and Tibshirani (2000): Newton steps on the logistic loss.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> LogitBoost(n_estimators=10).fit(X, y).score(X, y) > 0.95
    True
    """

    _method = METHODS["logitboost"]


@estimator
class AsyBL(_LogitFamily, TwoCosts):
    r"""Asymmetric boosting on the logistic loss, Algorithm 2 of Cao et al. (2013), its steps in order.

    The loss is :math:`\log(1+\rho e^{-2m})` for positives and :math:`\log(1+\rho^{-1}e^{-2m})` for negatives,
    :math:`\rho` being the cost ratio. It is LogitBoost started from :math:`-\frac12\log\rho` instead of zero
    and thresholded at the Bayes threshold (E-A09 on the book's errata page).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AsyBL(fn_cost=5, n_estimators=10).fit(X, y)
    >>> bool(((model.predict_proba(X)[:, 1] > 1 / 6) == (model.decision_function(X) > 0)).all())
    True
    """

    _method = METHODS["asybl"]


@estimator
class AsymmetricLogitBoost(_LogitFamily, TwoCosts):
    r"""Asymmetric LogitBoost, with the link that Cao et al. (2013) take from Masnadi-Shirazi and Vasconcelos.

    The link has the slope :math:`\frac12(c_{FN}+c_{FP})`, so that the score is that of AsyBL divided by it in
    every round, while probability and decisions are the same (E-A09 on the book's errata page).
    """

    _method = METHODS["asymmetric_logitboost"]
