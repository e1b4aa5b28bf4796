"""Any scikit-learn classifier as a weak learner."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import has_fit_parameter

from csb.engine.learners.stump import DecisionStump
from csb.engine.rules import Hypothesis
from csb.inputs import shown

__all__ = ["BoundClassifier", "Flipped"]


class Flipped:
    """A fitted classifier with its predictions reversed: what to do with one worse than chance."""

    def __init__(self, classifier: Hypothesis) -> None:
        self.classifier = classifier

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        return -self.classifier.predict(X)


IN_SINGLE_PRECISION = ("sklearn.tree.", "sklearn.ensemble._forest")
"""Modules whose learners round features to single precision; others say so by ``rounds_features``."""


def _check_precision(classifier: BaseEstimator, X: np.ndarray) -> None:
    """Refuse a feature that varies but, as the classifier rounds it, would be constant without a word."""
    known = any(base.__module__.startswith(IN_SINGLE_PRECISION) for base in type(classifier).__mro__)
    if not (known or getattr(classifier, "rounds_features", False)):
        return
    with np.errstate(over="ignore", under="ignore"):  # numbers too large it refuses itself
        rounded = X.astype(np.float32)
    lost = np.all(rounded == rounded[0], axis=0) & np.any(X != X[0], axis=0)
    if lost.any():
        raise ValueError(
            f"X: feature {np.argmax(lost)} varies, but is constant in single precision, in which "
            f"estimator={shown(classifier)} works: scale it"
        )


class BoundClassifier:
    """A classifier trained anew for every model and round, on labels -1 and +1.

    It sees the examples of positive weight, the weights scaled to mean one by default. Where it does worse
    than chance its predictions are reversed.
    """

    accepts = frozenset({"random_state"})
    total: ClassVar[float | None] = None
    """What the weights that the classifier sees sum to; None for their number."""

    def __init__(
        self,
        classifier: BaseEstimator,
        X: np.ndarray,
        y: np.ndarray,
        *,
        random_state: np.random.RandomState | None = None,
    ) -> None:
        last = classifier.steps[-1][1] if isinstance(classifier, Pipeline) else classifier
        if not has_fit_parameter(last, "sample_weight"):
            raise ValueError(f"estimator={shown(classifier)}: its fit must accept sample_weight")
        _check_precision(classifier, X)
        prefix = f"{classifier.steps[-1][0]}__" if isinstance(classifier, Pipeline) else ""
        self.classifier, self.weight_name = classifier, prefix + "sample_weight"
        seeded = prefix + "random_state" in classifier.get_params()
        self.seed_name = prefix + "random_state" if seeded else None
        self.X, self.signs = X, 2 * y.astype(int) - 1
        self.random_state: Any = random_state  # needed only where there is a seed to set

    def fit(self, weights: np.ndarray) -> tuple[list[Hypothesis], np.ndarray]:
        """Classifiers and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        hypotheses, predicted = [], np.empty(weights.shape, np.uint8)
        for b, w in enumerate(weights):
            hypothesis = self._fit_one(w)
            signs = hypothesis.predict(self.X)
            if np.sum(w * signs * self.signs) < 0:
                hypothesis, signs = Flipped(hypothesis), -signs
            hypotheses.append(hypothesis)
            predicted[b] = signs > 0
        return hypotheses, predicted

    def _fit_one(self, w: np.ndarray) -> Hypothesis:
        used = w > 0
        X, signs, w = (self.X, self.signs, w) if used.all() else (self.X[used], self.signs[used], w[used])
        if np.all(signs == signs[0]):  # many classifiers refuse a single class
            return DecisionStump(0, -np.inf, int(signs[0]))
        classifier = clone(self.classifier)
        if self.seed_name:
            classifier.set_params(**{self.seed_name: self.random_state.randint(2**31 - 1)})
        return classifier.fit(X, signs, **{self.weight_name: w * (self.total or len(w))})
