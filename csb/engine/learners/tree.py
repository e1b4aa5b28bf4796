"""Classification trees, grown on binned features."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from csb.engine.binning import bin_features
from csb.engine.learners.tree_kernels import grow_tree, tree_signs
from csb.inputs import check_count

__all__ = ["BoundTree", "DecisionTree", "Tree"]

DEPTH = 5
"""That of ``estimator="tree"``."""


@dataclass
class Tree(BaseEstimator):
    """Classification trees of a chosen depth as weak learner; ``"tree"`` is the one of depth five.

    Parameters
    ----------
    max_depth : int, default 5
        Largest number of questions asked of an example.

    Examples
    --------
    >>> from csb import AdaBoost
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoost(n_estimators=10, estimator=Tree(max_depth=3)).fit(X, y).score(X, y)
    1.0
    """

    max_depth: int = DEPTH
    accepts: ClassVar[frozenset[str]] = frozenset({"max_bins"})

    def bind(
        self, X: np.ndarray, y: np.ndarray, weights: np.ndarray | None, *, max_bins: int | None = None
    ) -> BoundTree:
        """Bin features of shape (n, d), with classes of shape (n,), and base weights of that shape."""
        return BoundTree(X, y, weights, max_bins=max_bins, max_depth=self.max_depth)


class DecisionTree(NamedTuple):
    """A weak hypothesis that asks of each example ``x[feature] > threshold``, node by node.

    Attributes
    ----------
    feature, threshold : ndarray of shape (n_nodes,)
        What each node asks. They stand in preorder: for "no" the next node comes next.
    right : ndarray of shape (n_nodes,)
        The next node for "yes"; 0 for a leaf.
    sign : ndarray of shape (n_nodes,)
        What a leaf predicts, -1 or +1.
    decrease : ndarray of shape (n_nodes,)
        By how much a split lowers the Gini impurity, in weights that all nodes share; 0 of a leaf.
    """

    feature: np.ndarray
    threshold: np.ndarray
    right: np.ndarray
    sign: np.ndarray
    decrease: np.ndarray

    def predict(self, X: np.ndarray) -> np.ndarray:
        """Signs -1 or +1, shape (n,)."""
        signs = np.empty(len(X))
        tree_signs(np.asarray(X), *self[:4], signs)
        return signs


class BoundTree:
    """Trees on binned data, one model at a time.

    A node is split where the weighted Gini impurity decreases most, be it by nothing, as scikit-learn's
    ``DecisionTreeClassifier(max_depth=...)`` does, until the depth is reached, a node is pure or its examples
    agree in all features. Decreases closer than 1e-12 of the node's impurity are a tie, decided by the lowest
    feature, then the lowest threshold. The threshold is midway between the nearest values in the node that
    carry weight. A leaf predicts the class of larger weight, or ``-`` where they differ by no more than 1e-12
    of the leaf's.
    """

    accepts = frozenset({"weights", "max_bins"})

    def __init__(
        self,
        X: np.ndarray,
        y: np.ndarray,
        weights: np.ndarray | None = None,
        *,
        max_bins: int | None = None,
        max_depth: int = DEPTH,
    ) -> None:
        self.max_depth = check_count("max_depth", max_depth)
        self.X, self.labels, self.weights, self.max_bins = X, y, weights, max_bins
        self.data = bin_features(X, y, weights, max_bins)

    def relabelled(self, y: np.ndarray) -> BoundTree:
        """The same features with other labels, binned anew only where bins of several values follow these."""
        other = copy(self)
        other.labels = y
        if not np.array_equal(self.data.lower, self.data.upper, equal_nan=True):
            other.data = bin_features(self.X, y, self.weights, self.max_bins)
        return other

    def fit(self, weights: np.ndarray) -> tuple[list[DecisionTree], np.ndarray]:
        """Trees and predictions (B, n), 0 or 1, for weights (B, n) whose rows sum to one."""
        data, predicted = self.data, np.empty(weights.shape, np.uint8)
        trees = [
            DecisionTree(
                *grow_tree(
                    data.codes, data.n_bins, data.lower, data.upper, w, self.labels, self.max_depth, signs
                )
            )
            for w, signs in zip(weights, predicted, strict=True)
        ]
        return trees, predicted
