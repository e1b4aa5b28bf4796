r"""Weak hypotheses :math:`f(y|x)` from scikit-learn classifiers.

Binary learners are trained on the expanded rows (x, y), one for each example and class, and give a relation
:math:`h(x, y) \in \{0, 1\}`; multiclass learners give the indicator of one class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, clone
from sklearn.dummy import DummyClassifier

from csb.engine.learners import DecisionStump, Tree, bind_learner
from csb.engine.learners.tree import BoundTree
from csb.engine.rules import Hypothesis, Learner
from csb.inputs import check_jobs, one_of, shown

__all__ = ["EXPANSIONS", "ChoiceLearner", "PairLearner", "as_stochastic", "expand"]

EXPANSIONS = ("per_label", "one_hot")
NEVER = DecisionStump(0, -np.inf, -1)


def _tree() -> BaseEstimator:
    """The default learner."""
    from sklearn.tree import DecisionTreeClassifier  # slow to import

    return DecisionTreeClassifier(max_depth=5)


def expand(X: np.ndarray, n_classes: int, labels: Sequence[int] | None = None) -> np.ndarray:
    """The expanded rows: each example with each class in one-hot coding, class after class.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features.
    n_classes : int
        Number of classes, k.
    labels : sequence of int, optional
        Only these classes; all by default.

    Returns
    -------
    ndarray of shape (len(labels) * n, d + k)
        Row ``j * n + i`` holds example i with ``labels[j]``.

    Examples
    --------
    >>> expand(np.array([[7.0], [8.0]]), 2)
    array([[7., 1., 0.],
           [8., 1., 0.],
           [7., 0., 1.],
           [8., 0., 1.]])
    """
    labels = range(n_classes) if labels is None else labels
    n, d = X.shape
    rows = np.zeros((len(labels), n, d + n_classes))
    rows[:, :, :d] = X
    for block, y in zip(rows, labels, strict=True):
        block[:, d + y] = 1.0
    return rows.reshape(-1, d + n_classes)


def as_stochastic(h: np.ndarray) -> np.ndarray:
    """A relation shared out evenly among the classes that it admits, or among all if it admits none.

    Examples
    --------
    >>> as_stochastic(np.array([[1, 0, 1], [0, 0, 0]])).round(2)
    array([[0.5 , 0.  , 0.5 ],
           [0.33, 0.33, 0.33]])
    """
    h = np.where(h.any(axis=1, keepdims=True), h, 1)
    return h / h.sum(axis=1, keepdims=True)


class Relation(NamedTuple):
    """A fitted relation: one classifier for each class, or one that sees the class as a feature."""

    classifiers: tuple[Hypothesis, ...]
    n_classes: int
    stochastic: bool

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Values f(y|x), shape (n, k)."""
        if len(self.classifiers) == self.n_classes:
            columns = [classifier.predict(X) for classifier in self.classifiers]
        else:
            (one,) = self.classifiers
            columns = [one.predict(expand(X, self.n_classes, [y])) for y in range(self.n_classes)]
        return self.shared(np.column_stack(columns) > 0)

    def shared(self, h: np.ndarray) -> np.ndarray:
        """A relation (n, k) as this hypothesis reads it."""
        return as_stochastic(h) if self.stochastic else h.astype(float)


class PairLearner:
    """A binary learner on the expanded rows.

    ``per_label`` trains one classifier for each class on the rows of that class, as a tree does whose first
    split is on the class; ``one_hot`` trains one on all rows, the class appended in one-hot coding.
    """

    def __init__(
        self,
        estimator: str | BaseEstimator | None,
        X: np.ndarray,
        n_classes: int,
        *,
        expansion: str,
        stochastic: bool,
        n_jobs: int | None = None,
        random_state: np.random.RandomState | None = None,
    ) -> None:
        one_of("expansion", expansion, EXPANSIONS)
        learner = _tree() if estimator is None else estimator
        first = bind_learner(learner, X[:2], np.array([0, 1], np.int8))  # refuses what is no learner
        one_hot = expansion == "one_hot"
        rows = expand(X, n_classes) if one_hot else X
        self.n_classes, self.stochastic = n_classes, stochastic
        seeds = random_state.randint(2**31 - 1, size=1 if one_hot else n_classes)  # type: ignore[union-attr]  # never None
        if isinstance(first, BoundTree):
            on_bins: Any = bind_learner(learner, rows, np.zeros(len(rows), np.int8))
            self.blocks = [_Block(on_bins.relabelled) for _ in seeds]
        else:
            self.blocks = [
                _Block(partial(bind_learner, learner, rows, random_state=np.random.RandomState(seed)))
                for seed in seeds
            ]
        self.parallel = Parallel(check_jobs("n_jobs", n_jobs), prefer="threads")

    def fit(self, signed: np.ndarray) -> tuple[Relation, np.ndarray]:
        """A relation and its values (n, k), for weights (n, k) whose signs are the labels of the pairs."""
        columns = signed.T.reshape(len(self.blocks), -1)
        fitted = self.parallel(
            delayed(block.fit)(column) for block, column in zip(self.blocks, columns, strict=True)
        )
        classifiers, admitted = zip(*fitted, strict=True)
        relation = Relation(classifiers, self.n_classes, self.stochastic)
        return relation, relation.shared(np.concatenate(admitted).reshape(self.n_classes, -1).T > 0)


class _Block:
    """Rows that one classifier sees; bound to their labels anew only when these change."""

    labels: np.ndarray | None = None

    def __init__(self, bind: Callable[[np.ndarray], Learner]) -> None:
        self.bind = bind

    def fit(self, signed: np.ndarray) -> tuple[Hypothesis, np.ndarray]:
        total = np.abs(signed).sum()
        if total == 0:
            return NEVER, np.zeros(len(signed), np.uint8)
        labels = (signed > 0).astype(np.int8)
        if self.labels is None or not np.array_equal(labels, self.labels):
            self.labels, self.bound = labels, self.bind(labels)
        hypotheses, predicted = self.bound.fit(np.abs(signed)[np.newaxis] / total)
        return hypotheses[0], predicted[0]


class Choice(NamedTuple):
    """A fitted multiclass classifier as the indicator of the class that it predicts."""

    classifier: BaseEstimator
    n_classes: int

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Values f(y|x), 0 or 1, shape (n, k)."""
        return (self.classifier.predict(X)[:, np.newaxis] == np.arange(self.n_classes)).astype(float)


class ChoiceLearner:
    """A multiclass learner on weighted labels: each pair of positive weight is an example of its class."""

    def __init__(
        self,
        estimator: BaseEstimator | None,
        X: np.ndarray,
        n_classes: int,
        *,
        random_state: np.random.RandomState | None = None,
    ) -> None:
        self.estimator = _tree() if estimator is None else estimator
        if isinstance(self.estimator, (str, Tree)):
            raise ValueError(f"estimator={shown(estimator)}: a multiclass scikit-learn classifier, or None")
        self.names: Any = bind_learner(self.estimator, X, np.zeros(len(X), np.int8))
        self.X, self.n_classes = X, n_classes
        self.random_state: Any = random_state  # needed only where there is a seed to set

    def fit(self, gains: np.ndarray) -> tuple[Choice, np.ndarray]:
        """A hypothesis and its values (n, k), for weights (n, k), not negative, of each example's labels."""
        rows, labels = np.nonzero(gains)
        weights = gains[rows, labels]
        choice = Choice(self._fit_one(self.X[rows], labels, weights), self.n_classes)
        return choice, choice.predict(self.X)

    def _fit_one(self, X: np.ndarray, labels: np.ndarray, weights: np.ndarray) -> BaseEstimator:
        if np.all(labels == labels[0]):  # many classifiers refuse a single class
            return DummyClassifier(strategy="constant", constant=labels[0]).fit(X, labels)
        classifier = clone(self.estimator)
        if self.names.seed_name:
            classifier.set_params(**{self.names.seed_name: self.random_state.randint(2**31 - 1)})
        return classifier.fit(X, labels, **{self.names.weight_name: weights * (len(weights) / weights.sum())})
