"""Classification trees that are grown whole and then pruned, as C4.5 prunes and as CART prunes.

scikit-learn grows the trees and prunes by a given cost complexity. How far to prune by it is chosen here, and
the error-based pruning of C4.5, which neither it nor a kept-up package with weights has, is added.
"""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from csb.inputs import (
    POSITIVE,
    check_count,
    check_shapes,
    one_of,
    read_array,
    read_number,
    read_random_state,
    read_target,
    read_weights,
)
from csbook.learners.cost_complexity import Examples, assign_folds, choose_strength

__all__ = ["ErrorPrunedTree", "PrunedTree", "c45_stand_in", "error_limit"]

SLACK = 0.1
"""What a leaf may lose against the subtree in its place, in examples: the tolerance of Quinlan's program."""


ROUNDING = 1e-9
"""By how much less a leaf may weigh, so that two examples of weight one are enough where two are asked."""


class _Grown(ClassifierMixin, BaseEstimator):
    """A tree of scikit-learn, and what becomes of it."""

    rounds_features = True
    criterion: str
    random_state: int | np.random.RandomState | None

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow and prune.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers, rounded to single precision.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data or a parameter are not admissible.
        """
        one_of("criterion", self.criterion, ("entropy", "gini"))
        rng = read_random_state("random_state", self.random_state)
        table, column = validate_data(self, X, y, dtype=np.float32)
        weights = read_weights(sample_weight, column)
        used = weights > 0
        classes, labels = read_target(column[used])
        self._prune(Examples(table[used], labels, weights[used]), rng)
        self.classes_ = classes
        return self

    def _prune(self, examples: Examples, rng: np.random.RandomState) -> None:
        """Train and store."""
        raise NotImplementedError

    def _tree(self, seed: int, **settings: float) -> Any:
        from sklearn.tree import DecisionTreeClassifier  # slow to import

        return DecisionTreeClassifier(criterion=self.criterion, random_state=seed, **settings)

    def _shares(self, X: np.ndarray) -> np.ndarray:
        """Shares of the classes in the leaf of each example."""
        raise NotImplementedError

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Labels.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            The class of largest weight in the leaf; of equal ones the first.
        """
        shares = self.predict_proba(X)
        return self.classes_[np.argmax(shares, axis=1)]

    def predict_proba(self, X: ArrayLike) -> np.ndarray:
        """Shares of the classes in the leaf.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples, k)
            Columns in the order of ``classes_``.
        """
        check_is_fitted(self)
        return self._shares(validate_data(self, X, dtype=np.float32, reset=False))


class PrunedTree(_Grown):
    r"""A tree pruned by cost complexity, how far being chosen by cross-validation: the way of CART.

    Cost-complexity pruning keeps the subtree of least :math:`R(T)+\alpha|T|`, where :math:`R` is the weighted
    impurity of the leaves and :math:`|T|` their number. The candidates for :math:`\alpha` are the geometric
    means of neighbours on scikit-learn's ``cost_complexity_pruning_path`` of the whole tree, and infinity,
    which leaves the root. Chosen is the one whose subtrees, grown without each fold in turn, put the least
    weight of held-out examples into a wrong class; among equals the largest.

    As a weak learner it counts the weights of the round in growing, in pruning and in the choice, which is
    made anew in every round. Late weights are hard to predict, and the choice then jumps between the whole
    tree and its root. Chosen once on the training part, the strength is kept by boosting
    ``clone(PrunedTree().fit(X, y).tree_)``.

    Parameters
    ----------
    criterion : {"entropy", "gini"}, default "entropy"
        Impurity.
    min_samples_leaf : int, default 2
        Least number of examples in a leaf.
    cv : int, default 5
        Number of folds, at least two; every class is spread over them as evenly as can be.
    random_state : int, RandomState or None, default None
        Seed of the folds, and of ties between splits.

    Attributes
    ----------
    tree_ : DecisionTreeClassifier
        The pruned tree, which predicts class numbers.
    ccp_alpha_ : float
        The chosen :math:`\alpha`.
    ccp_alphas_, cv_errors_ : ndarray of shape (n_alphas,)
        The candidates, in rising order, and the share of weight that each gets wrong.
    classes_ : ndarray of shape (k,)
        Labels.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = PrunedTree(random_state=0).fit(X, y)
    >>> bool(tree.tree_.get_n_leaves() < ErrorPrunedTree(random_state=0).fit(X, y).get_n_leaves())
    True
    """

    def __init__(
        self,
        *,
        criterion: Literal["entropy", "gini"] = "entropy",
        min_samples_leaf: int = 2,
        cv: int = 5,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.criterion = criterion
        self.min_samples_leaf = min_samples_leaf
        self.cv = cv
        self.random_state = random_state

    def _prune(self, examples: Examples, rng: np.random.RandomState) -> None:
        folds, seed = check_count("cv", self.cv, smallest=2), rng.randint(2**31 - 1)
        settings = {"min_samples_leaf": check_count("min_samples_leaf", self.min_samples_leaf)}
        whole = self._tree(seed, **settings)
        chosen = choose_strength(whole, examples, assign_folds(examples.target, folds, rng), _wrong)
        self.ccp_alpha_, self.ccp_alphas_, self.cv_errors_ = chosen.alpha, chosen.alphas, chosen.losses
        self.tree_ = self._tree(seed, **settings, ccp_alpha=chosen.ccp_alpha).fit(*examples)

    def _shares(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.predict_proba(X)


def _wrong(tree: Any, labels: np.ndarray, nodes: np.ndarray) -> np.ndarray:
    """Whether a node says another class."""
    return labels != tree.classes_[np.argmax(tree.tree_.value[:, 0, :], axis=1)][nodes]


class ErrorPrunedTree(_Grown):
    r"""A tree pruned by pessimistic estimates of its errors: the way of C4.5.

    A node of weight :math:`N`, of which :math:`E` is not of its largest class, is expected to err with the
    upper confidence limit :math:`U_{CF}(E,N)` of a binomial share (Quinlan 1993, Section 4.2). From the
    leaves upwards a node becomes a leaf where :math:`N\,U_{CF}(E,N)` is at most the sum of its subtree's
    leaves plus 0.1, as in Quinlan's program. Splits are those of scikit-learn's trees, in two and by
    information gain, where C4.5 has the gain ratio and a branch for each category; and no subtree is raised
    into the place of its parent.

    Weights count as copies of an example, in pruning as well as in what a leaf must hold, so their scale
    matters. As a weak learner the tree gets weights of mean one, and is pruned in every round by those of
    that round.

    Parameters
    ----------
    confidence : float, default 0.25
        :math:`CF`, in (0, 1); less prunes more.
    criterion : {"entropy", "gini"}, default "entropy"
        Impurity.
    min_weight_leaf : float, default 2.0
        Least weight of a leaf.
    random_state : int, RandomState or None, default None
        Seed of ties between splits.

    Attributes
    ----------
    tree_ : DecisionTreeClassifier
        The tree before it was pruned, which predicts class numbers.
    kept_ : ndarray of shape (n_nodes,), int
        For each of its nodes the node that stands in for it: itself, or its highest ancestor that is a leaf.
    classes_ : ndarray of shape (k,)
        Labels.
    n_features_in_ : int
        Number of features.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = ErrorPrunedTree(random_state=0).fit(X, y)
    >>> bool(tree.get_n_leaves() < tree.tree_.get_n_leaves())
    True
    """

    def __init__(
        self,
        confidence: float = 0.25,
        *,
        criterion: Literal["entropy", "gini"] = "entropy",
        min_weight_leaf: float = 2.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.confidence = confidence
        self.criterion = criterion
        self.min_weight_leaf = min_weight_leaf
        self.random_state = random_state

    def _prune(self, examples: Examples, rng: np.random.RandomState) -> None:
        confidence = read_number("confidence", self.confidence, "(0, 1)")
        least = read_number("min_weight_leaf", self.min_weight_leaf, POSITIVE)
        share = (1 - ROUNDING) * least / examples.weights.sum()
        # where no two leaves can weigh enough, the root is not split
        limit = (
            {"min_weight_fraction_leaf": share}
            if share <= 0.5
            else {"min_samples_split": len(examples.target) + 1}
        )
        self.tree_ = self._tree(rng.randint(2**31 - 1), **limit).fit(*examples)
        nodes = self.tree_.tree_
        weight = nodes.weighted_n_node_samples
        errors = weight * (1 - nodes.value[:, 0, :].max(axis=1))
        estimate = weight * error_limit(errors, weight, confidence)
        left, right = nodes.children_left, nodes.children_right
        inner = np.flatnonzero(left >= 0)
        leaf = left < 0
        for node in inner[::-1]:  # children come after their parents
            below = estimate[left[node]] + estimate[right[node]]
            leaf[node] = estimate[node] <= below + SLACK
            estimate[node] = estimate[node] if leaf[node] else below
        self.kept_ = np.arange(nodes.node_count)
        for node in inner:
            if leaf[self.kept_[node]]:
                self.kept_[[left[node], right[node]]] = self.kept_[node]

    def get_n_leaves(self) -> int:
        """Number of leaves.

        Returns
        -------
        int
            After pruning.
        """
        check_is_fitted(self)
        return len(np.unique(self.kept_[self.tree_.tree_.children_left < 0]))

    def _shares(self, X: np.ndarray) -> np.ndarray:
        return self.tree_.tree_.value[self.kept_[self.tree_.apply(X)], 0, :]


def error_limit(errors: ArrayLike, count: ArrayLike, confidence: float = 0.25) -> np.ndarray:
    r"""Upper confidence limit of a binomial share.

    The share :math:`p` at which at most :math:`E` of :math:`N` have probability :math:`CF`. For whole numbers
    it is that of Clopper and Pearson, which Quinlan's program approximates; between them the incomplete beta
    function goes on.

    Parameters
    ----------
    errors, count : array_like
        :math:`E` and :math:`N`, with :math:`0\le E\le N` and :math:`N>0`.
    confidence : float, default 0.25
        :math:`CF`, in (0, 1).

    Returns
    -------
    ndarray
        The limit, one where all are errors.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    Quinlan's six examples without an error, and nine:

    >>> error_limit([0, 0], [6, 9]).round(3)
    array([0.206, 0.143])
    """
    confidence = read_number("confidence", confidence, "(0, 1)")
    errors, count = read_array("errors", errors, "[0, 1e100]"), read_array("count", count, POSITIVE)
    check_shapes(errors=errors, count=count)
    rest = count - errors
    if np.any(rest < -1e-9 * count):
        raise ValueError("errors and count: allowed are at most as many errors as count")
    some = rest > 0
    return np.where(some, betaincinv(errors + 1, np.where(some, rest, 1.0), 1 - confidence), 1.0)


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
