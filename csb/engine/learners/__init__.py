"""Weak learners: what is trained in each round.

A learner is bound to a data set once and then trained on the weights of a whole batch of models. By name:
``"stump"``, ``"tree"``, ``"univariate_logistic"``, ``"logistic"``, ``"perceptron"``; trees of another depth
than five as :class:`csb.engine.learners.tree.Tree`. Whatever binds itself to data serves too, see
:class:`csb.engine.rules.WeakLearner`, and so does any scikit-learn classifier that accepts ``sample_weight``,
one model and one fit at a time, which is slower.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import get_tags

from csb.engine.blocks import BlockTable, Features
from csb.engine.learners.adapter import BoundClassifier
from csb.engine.learners.stump import BoundStump, DecisionStump
from csb.engine.learners.tree import BoundTree, Tree
from csb.engine.learners.univariate import BoundUnivariateLogistic
from csb.engine.rules import Learner, WeakLearner
from csb.inputs import one_of, shown

__all__ = ["LEARNERS", "DecisionStump", "Tree", "bind_learner", "takes_missing"]


def bind_learner(
    learner: str | WeakLearner | BaseEstimator,
    X: Features,
    y: np.ndarray,
    weights: np.ndarray | None = None,
    *,
    n_jobs: int | None = None,
    random_state: np.random.RandomState | None = None,
    joint: bool = False,
) -> Learner:
    """Bind a learner to a data set.

    Parameters
    ----------
    learner : str, WeakLearner or scikit-learn classifier
        A key of ``LEARNERS``, an object that binds itself, or an unfitted classifier whose ``fit`` accepts
        ``sample_weight``.
    X : ndarray or BlockTable of shape (n, d)
        Features; blocks for stumps only.
    y : ndarray of shape (n,), int8
        Class of each example, 0 or 1.
    weights : ndarray of shape (n,), optional
        Positive base weights, for the learners that standardise features by them; equal by default.
    n_jobs : int, optional
        Threads, for stumps and univariate regressions.
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
    bound: Any  # makes a bound learner
    if isinstance(learner, str):
        bound = LEARNERS[one_of("estimator", learner, LEARNERS, "any scikit-learn classifier will do")]
        accepts = bound.accepts
    elif isinstance(learner, WeakLearner) and not isinstance(learner, type):
        bound, accepts = learner.bind, {"weights", *learner.accepts}
    elif isinstance(learner, BaseEstimator) and is_classifier(learner):
        bound, accepts = partial(BoundClassifier, learner), BoundClassifier.accepts
    else:
        raise ValueError(
            f"estimator={shown(learner)}: one of {', '.join(LEARNERS)}, a learner that binds itself, such as "
            "Tree, or a scikit-learn classifier"
        )
    if joint and "joint" not in accepts:
        raise ValueError(f"estimator={shown(learner)}: selection='joint' needs estimator='stump'")
    if n_jobs is not None and "n_jobs" not in accepts:
        raise ValueError(
            f"n_jobs={shown(n_jobs)}: estimator={shown(learner)} makes no use of it, so leave it None"
        )
    if "blocks" not in accepts:
        if isinstance(X, BlockTable):
            raise ValueError(f"X is given in blocks: allowed for estimator={shown(learner)} is an array")
        X = X.astype(np.float64, copy=False)
    settings = {"n_jobs": n_jobs, "weights": weights, "random_state": random_state}
    return bound(X, y, **{name: value for name, value in settings.items() if name in accepts})


def takes_missing(learner: object) -> bool:
    """Whether a learner takes missing values: a stump, or one that says so, or whose tags do."""
    if isinstance(learner, str):
        bound: Any = LEARNERS.get(learner)
        return bound is not None and "missing" in bound.accepts
    if isinstance(learner, WeakLearner):
        return "missing" in learner.accepts
    return isinstance(learner, BaseEstimator) and get_tags(learner).input_tags.allow_nan


class BoundPerceptron(BoundClassifier):
    """Perceptrons on standardised features."""

    def __init__(
        self, X: np.ndarray, y: np.ndarray, *, random_state: np.random.RandomState | None = None
    ) -> None:
        from sklearn.linear_model import Perceptron  # slow to import

        super().__init__(make_pipeline(StandardScaler(), Perceptron()), X, y, random_state=random_state)


RIDGE = 1e-6
"""Penalty of a logistic regression whose weights sum to one, so that it is finite on separable data."""


class BoundLogisticRegression(BoundClassifier):
    """Logistic regressions on standardised features, penalised just enough to be finite."""

    total = 1.0

    def __init__(
        self, X: np.ndarray, y: np.ndarray, *, random_state: np.random.RandomState | None = None
    ) -> None:
        from sklearn.linear_model import LogisticRegression  # slow to import

        regression = LogisticRegression(C=1 / RIDGE, solver="newton-cholesky", tol=1e-8, max_iter=1000)
        super().__init__(make_pipeline(StandardScaler(), regression), X, y, random_state=random_state)
        self.seed_name = None  # its solver draws nothing


LEARNERS = {
    "stump": BoundStump,
    "tree": BoundTree,
    "univariate_logistic": BoundUnivariateLogistic,
    "logistic": BoundLogisticRegression,
    "perceptron": BoundPerceptron,
}
