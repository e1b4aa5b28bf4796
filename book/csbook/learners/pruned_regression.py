"""Regression trees pruned by cost complexity: the way of CART, for methods that fit numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from csb.inputs import check_count, read_random_state, read_weights
from csbook.learners.cost_complexity import Examples, assign_folds, choose_strength

__all__ = ["PrunedRegressionTree"]


class PrunedRegressionTree(RegressorMixin, BaseEstimator):
    r"""A regression tree pruned by cost complexity, how far being chosen by cross-validation.

    As :class:`csbook.learners.pruned.PrunedTree`, with the weighted variance in a leaf for its impurity
    and the weighted squared error of held-out examples for the weight of wrong ones. The folds are dealt
    along the sorted target, so that each has large and small ones.

    As a weak learner of AsyBL and its kin it is pruned in every round, by the weights and responses of that
    round.

    Parameters
    ----------
    min_samples_leaf : int, default 5
        Least number of examples in a leaf.
    cv : int, default 5
        Number of folds, at least two.
    random_state : int, RandomState or None, default None
        Seed of the folds, and of ties between splits.

    Attributes
    ----------
    tree_ : DecisionTreeRegressor
        The pruned tree.
    ccp_alpha_ : float
        The chosen :math:`\alpha`.
    ccp_alphas_, cv_errors_ : ndarray of shape (n_alphas,)
        The candidates, in rising order, and the mean squared error of each on held-out examples, by weight
        and as a share of the variance of the target.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> tree = PrunedRegressionTree(random_state=0).fit(X, y)
    >>> bool(tree.cv_errors_.min() < 0.8), bool(tree.tree_.get_n_leaves() < 20)
    (True, True)
    """

    def __init__(
        self,
        *,
        min_samples_leaf: int = 5,
        cv: int = 5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.min_samples_leaf = min_samples_leaf
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow and prune.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers, rounded to single precision.
        y : array_like of shape (n_samples,)
            Finite numbers.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.

        Returns
        -------
        PrunedRegressionTree
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data or a parameter are not admissible.
        """
        from sklearn.tree import DecisionTreeRegressor  # slow to import

        folds = check_count("cv", self.cv, smallest=2)
        settings: dict[str, Any] = {
            "min_samples_leaf": check_count("min_samples_leaf", self.min_samples_leaf)
        }
        rng = read_random_state("random_state", self.random_state)
        table, target = validate_data(self, X, y, dtype=np.float32, y_numeric=True, ensure_min_samples=2)
        weights = read_weights(sample_weight, target)
        used = weights > 0
        if used.sum() < 2:
            raise ValueError("sample_weight: allowed are two or more weights above zero")
        examples = Examples(table[used], target[used].astype(float), weights[used])
        settings["random_state"] = rng.randint(2**31 - 1)
        mean = np.average(examples.target, weights=examples.weights)
        variance = np.average((examples.target - mean) ** 2, weights=examples.weights)

        def squared(tree: Any, held_out: np.ndarray, nodes: np.ndarray) -> np.ndarray:
            return (held_out - tree.tree_.value[nodes, 0, 0]) ** 2 / (variance or 1.0)

        whole = DecisionTreeRegressor(**settings)
        chosen = choose_strength(whole, examples, assign_folds(examples.target, folds, rng), squared)
        self.ccp_alpha_, self.ccp_alphas_, self.cv_errors_ = chosen.alpha, chosen.alphas, chosen.losses
        self.tree_ = DecisionTreeRegressor(**settings, ccp_alpha=chosen.ccp_alpha).fit(*examples)
        return self

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Means of the leaves.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            By example.
        """
        check_is_fitted(self)
        return self.tree_.predict(validate_data(self, X, dtype=np.float32, reset=False))
