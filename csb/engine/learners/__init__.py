"""Weak learners: what is trained in each round.

A learner is bound to a data set once and then trained on the weights of a whole batch of models. By name:
``"stump"``, ``"tree"``, ``"univariate_logistic"``, ``"logistic"``, ``"perceptron"``; trees of another depth
than five as :class:`csb.engine.learners.tree.Tree`. Any scikit-learn classifier that accepts
``sample_weight`` serves as well, one model and one fit at a time, and is slower.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from csb.engine.blocks import BlockTable, Features
from csb.engine.learners.adapter import BoundClassifier
from csb.engine.learners.logistic import BoundLogistic
from csb.engine.learners.pruned import ErrorPrunedTree, PrunedTree
from csb.engine.learners.pruned_regression import PrunedRegressionTree
from csb.engine.learners.stump import BoundStump, DecisionStump
from csb.engine.learners.tree import BoundTree, Tree
from csb.engine.learners.univariate import BoundUnivariateLogistic
from csb.engine.rules import Learner
from csb.inputs import one_of, shown

__all__ = [
    "LEARNERS", "DecisionStump", "ErrorPrunedTree", "PrunedRegressionTree", "PrunedTree", "Tree",
    "bind_learner", "c45_stand_in", "takes_missing",
]  # fmt: skip


def bind_learner(
    learner: str | BaseEstimator,
    X: Features,
    y: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    max_bins: int | None = None,
    n_jobs: int | None = None,
    random_state: np.random.RandomState | None = None,
    joint: bool = False,
) -> Learner:
    """Bind a learner to a data set.

    Parameters
    ----------
    learner : str, Tree or scikit-learn classifier
        A key of ``LEARNERS``, or an unfitted classifier whose ``fit`` accepts ``sample_weight``.
    X : ndarray or BlockTable of shape (n, d)
        Features; blocks for stumps only.
    y : ndarray of shape (n,), int8
        Class of each example, 0 or 1.
    weights : ndarray of shape (n,), optional
        Positive base weights, for the learners that cut bins or standardise features by them; equal by
        default.
    max_bins : int, optional
        For the learners that work on bins, see :func:`csb.engine.binning.bin_features`.
    n_jobs : int, optional
        Threads for the learners that work on bins.
    random_state : RandomState instance
        Source of the seeds of randomised classifiers.
    joint : bool, default False
        Whether hypothesis and vote will be chosen jointly, which only stumps can do.

    Returns
    -------
    object
        With a method ``fit(weights)``; see :class:`csb.engine.learners.stump.BoundStump`.

    Raises
    ------
    ValueError
        If the learner is unknown, or cannot do what is asked.
    """
    bound: Any  # a class of bound learners, perhaps with what the learner settles
    if isinstance(learner, str):
        bound = LEARNERS[one_of("estimator", learner, LEARNERS, "any scikit-learn classifier will do")]
    elif isinstance(learner, Tree):
        bound = partial(BoundTree, max_depth=learner.max_depth)
    elif isinstance(learner, BaseEstimator) and is_classifier(learner):
        bound = partial(BoundClassifier, learner)
    else:
        raise ValueError(
            f"estimator={shown(learner)}: one of {', '.join(LEARNERS)}, a Tree or a scikit-learn classifier"
        )
    named: Any = bound.func if isinstance(bound, partial) else bound
    accepts = named.accepts
    if joint and "joint" not in accepts:
        raise ValueError(f"estimator={shown(learner)}: selection='joint' needs estimator='stump'")
    asked = {"max_bins": max_bins, "n_jobs": n_jobs}
    for name, value in asked.items():
        if value is not None and name not in accepts:
            raise ValueError(
                f"{name}={shown(value)}: estimator={shown(learner)} makes no use of it, so leave it None"
            )
    if "blocks" not in accepts:
        if isinstance(X, BlockTable):
            raise ValueError(f"X is given in blocks: allowed for estimator={shown(learner)} is an array")
        X = X.astype(np.float64, copy=False)
    settings = asked | {"weights": weights, "random_state": random_state}
    return bound(X, y, **{name: value for name, value in settings.items() if name in accepts})


def takes_missing(learner: object) -> bool:
    """Whether a learner takes missing values: a stump, or one of scikit-learn whose tags say so."""
    if isinstance(learner, str):
        bound: Any = LEARNERS.get(learner)
        return bound is not None and "missing" in bound.accepts
    return isinstance(learner, BaseEstimator) and get_tags(learner).input_tags.allow_nan


class BoundPerceptron(BoundClassifier):
    """Perceptrons on standardised features."""

    def __init__(
        self, X: np.ndarray, y: np.ndarray, *, random_state: np.random.RandomState | None = None
    ) -> None:
        from sklearn.linear_model import Perceptron  # slow to import

        super().__init__(make_pipeline(StandardScaler(), Perceptron()), X, y, random_state=random_state)


LEARNERS = {
    "stump": BoundStump,
    "tree": BoundTree,
    "univariate_logistic": BoundUnivariateLogistic,
    "logistic": BoundLogistic,
    "perceptron": BoundPerceptron,
}


def c45_stand_in(
    random_state: int | np.random.RandomState | None = None,
    reading: Literal["depth", "pruned", "full"] = "depth",
) -> BaseEstimator:
    """The tree that stands in for C4.5.

    C4.5 is not in scikit-learn. A full tree fits the training set, which ends most boosting in round one.

    Parameters
    ----------
    random_state : int, RandomState or None, default None
        Seed of ties between splits.
    reading : {"depth", "pruned", "full"}, default "depth"
        All by entropy: a tree that is not pruned but small, of depth at most six and with leaves of at least
        five; one that is pruned as C4.5 prunes; or one that is grown to the end and not pruned.

    Returns
    -------
    DecisionTreeClassifier or ErrorPrunedTree
        Unfitted.
    """
    if one_of("reading", reading, ("depth", "pruned", "full")) == "pruned":
        return ErrorPrunedTree(random_state=random_state)
    from sklearn.tree import DecisionTreeClassifier  # slow to import

    small: dict[str, Any] = {"max_depth": 6, "min_samples_leaf": 5} if reading == "depth" else {}
    return DecisionTreeClassifier(criterion="entropy", random_state=random_state, **small)
