"""What each feature has to say in an ensemble: importances, and the terms of an additive score.

A hypothesis on one feature is a step function of it, so a weighted sum of them is a sum of step functions,
one of each feature: an additive model.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from csb.engine.learners.adapter import Flipped
from csb.engine.learners.regression import RegressionStump
from csb.engine.learners.stump import DecisionStump
from csb.engine.learners.tree import DecisionTree
from csb.engine.rules import Hypothesis
from csb.engine.trained import Model

__all__ = ["StepFunction", "importances", "step_functions"]


class StepFunction(NamedTuple):
    """A function of one number that is constant between thresholds.

    Attributes
    ----------
    thresholds : ndarray of shape (k,)
        Increasing.
    values : ndarray of shape (k + 1,)
        The value up to the first threshold, this included, up to the second, and so on; beyond the last.
    missing : float
        The value where the number is missing.
    """

    thresholds: np.ndarray
    values: np.ndarray
    missing: float

    def __call__(self, x: np.ndarray) -> np.ndarray:
        """Values at ``x``, of the shape of ``x``."""
        return np.where(np.isnan(x), self.missing, self.values[np.searchsorted(self.thresholds, x)])


class _Step(NamedTuple):
    """What a hypothesis says up to a threshold and beyond it."""

    feature: int
    threshold: float
    below: float
    above: float
    missing_above: bool

    @property
    def constant(self) -> bool:
        return self.threshold == -np.inf and self.missing_above


def _step(hypothesis: Hypothesis) -> _Step | None:
    """A hypothesis as a step; None if it asks for more than one feature, or no one knows for what."""
    if isinstance(hypothesis, DecisionStump):
        feature, threshold, polarity, missing_above = hypothesis
        return _Step(feature, threshold, -polarity, polarity, missing_above)
    if isinstance(hypothesis, RegressionStump):
        return _Step(*hypothesis)
    if isinstance(hypothesis, DecisionTree) and len(hypothesis.sign) <= 3:
        tree = hypothesis
        if tree.right[0] == 0:
            return _Step(0, -np.inf, int(tree.sign[0]), int(tree.sign[0]), True)
        return _Step(int(tree.feature[0]), tree.threshold[0], int(tree.sign[1]), int(tree.sign[2]), True)
    return None


def step_functions(model: Model, n_features: int) -> tuple[float, list[StepFunction]] | None:
    """The terms of a score.

    Parameters
    ----------
    model : Model
        The trained sum.
    n_features : int
        Number of features, d.

    Returns
    -------
    constant : float
        What no feature has a part in.
    functions : list of length d
        One of each feature; that of a feature which is not used is zero. Together, None if some hypothesis
        asks for more than one feature.
    """
    constant = 0.0
    steps: list[list[_Step]] = [[] for _ in range(n_features)]
    for coefficient, hypothesis in zip(model.coefficients, model.hypotheses, strict=True):
        step = _step(hypothesis)
        if step is None:
            return None
        below, above = coefficient * step.below, coefficient * step.above
        if step.constant:
            constant += above
        else:
            steps[step.feature].append(step._replace(below=below, above=above))
    return float(constant), [_sum_of(each) for each in steps]


def _sum_of(steps: list[_Step]) -> StepFunction:
    """Steps on one feature, added up."""
    inside = [step for step in steps if np.isfinite(step.threshold)]  # the others tell the missing apart
    thresholds, at = np.unique([step.threshold for step in inside], return_inverse=True)
    start = sum(step.above if step.threshold == -np.inf else step.below for step in steps)
    rises = np.bincount(at, [step.above - step.below for step in inside], len(thresholds))
    missing = sum(step.above if step.missing_above else step.below for step in steps)
    return StepFunction(thresholds, np.r_[start, start + np.cumsum(rises)], float(missing))


def importances(model: Model, n_features: int) -> np.ndarray | None:
    r"""Shares of the features in an ensemble.

    Each hypothesis has something for the features: a stump half the height of its step for the one that it
    asks for; a tree the decrease of impurity at its nodes, scaled to sum one; a learner of scikit-learn its
    own ``feature_importances_``. This is added up in the size of the coefficients, and scaled to sum one.

    Parameters
    ----------
    model : Model
        The trained sum.
    n_features : int
        Number of features, d.

    Returns
    -------
    ndarray of shape (d,)
        Non-negative, of sum one, or zeros where nothing asks for a feature. None if some hypothesis has no
        importances.
    """
    total = np.zeros(n_features)
    for coefficient, hypothesis in zip(model.coefficients, model.hypotheses, strict=True):
        share = _share(hypothesis, n_features)
        if share is None:
            return None
        total += abs(coefficient) * share
    whole = total.sum()
    return total / whole if whole > 0 else total


def _share(hypothesis: Any, n_features: int) -> np.ndarray | None:
    if isinstance(hypothesis, Flipped):
        return _share(hypothesis.classifier, n_features)
    if isinstance(hypothesis, DecisionTree):
        decrease = np.bincount(hypothesis.feature, hypothesis.decrease, n_features)
        return decrease / max(decrease.sum(), np.finfo(float).tiny)
    step = _step(hypothesis)
    if step is not None:
        share = np.zeros(n_features)
        share[step.feature] = 0.0 if step.constant else abs(step.above - step.below) / 2
        return share
    return getattr(hypothesis, "feature_importances_", None)
