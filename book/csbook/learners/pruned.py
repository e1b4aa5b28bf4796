"""Trees that are grown whole and then pruned, as C4.5 prunes and as CART prunes, for classes and for numbers.

scikit-learn grows the trees and prunes by a given cost complexity. How far to prune by it is chosen here, by
cross-validation, and the error-based pruning of C4.5, which neither it nor a kept-up package with weights
has, is added.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from csb.engine.atomic import atomically
from csb.engine.compiled import compiled
from csb.engine.rules import TIE
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

__all__ = [
    "ErrorPrunedTree", "Examples", "PrunedRegressionTree", "PrunedTree", "Strength", "assign_folds",
    "c45_stand_in", "choose_strength", "error_limit",
]  # fmt: skip


@compiled()
def weakest_links(
    left: np.ndarray, right: np.ndarray, risk: np.ndarray, lost: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Prune a tree link by link, down to its root.

    Nodes are numbered so that parents come before children; a leaf has ``left[t] < 0``. At each step goes the
    inner node whose leaves save the least risk for each leaf beyond the first. Returned are that saving for
    every step, never less than the one before, and the sum of ``lost`` over the leaves before the first and
    after each step.
    """
    nodes = left.shape[0]
    parent, leaves = np.full(nodes, -1), np.ones(nodes)
    branch, below = risk.copy(), lost.copy()  # sums over the leaves of each node
    for t in range(nodes - 1, -1, -1):
        if left[t] >= 0:
            a, b = left[t], right[t]
            parent[a] = parent[b] = t
            leaves[t] = leaves[a] + leaves[b]
            branch[t] = branch[a] + branch[b]
            below[t] = below[a] + below[b]
    links, sums = np.empty(nodes), np.empty(nodes)
    gone = left < 0
    steps, least = 0, -np.inf
    sums[0] = below[0]
    while not gone[0]:
        weakest, saving = 0, np.inf
        for t in range(nodes):
            if left[t] < 0:
                continue
            if gone[t]:
                gone[left[t]] = gone[right[t]] = True
                continue
            link = (risk[t] - branch[t]) / (leaves[t] - 1)
            if link < saving:
                weakest, saving = t, link
        gone[weakest] = True
        fewer, more = leaves[weakest] - 1, risk[weakest] - branch[weakest]
        worse = lost[weakest] - below[weakest]
        t = weakest
        while t >= 0:
            leaves[t] -= fewer
            branch[t] += more
            below[t] += worse
            t = parent[t]
        least = max(least, saving)
        links[steps] = least
        steps += 1
        sums[steps] = below[0]
    return links[:steps], sums[: steps + 1]


class Examples(NamedTuple):
    """Examples as a tree takes them: in single precision, with class numbers or numbers to be fitted."""

    X: np.ndarray
    target: np.ndarray
    weights: np.ndarray


class Strength(NamedTuple):
    """What was chosen.

    Attributes
    ----------
    alpha : float
        The strength, infinite where only the root is to stay.
    ccp_alpha : float
        The same as scikit-learn takes it, which wants a finite one.
    alphas, losses : ndarray of shape (n_alphas,)
        The candidates, in rising order, and the loss of each on held-out examples by their weight.
    examples : Examples
        What it is for, as given, unless light weights had to be raised.
    """

    alpha: float
    ccp_alpha: float
    alphas: np.ndarray
    losses: np.ndarray
    examples: Examples


RAISED = np.finfo(float).eps
"""Share of the sum of n weights, times n, that rounding may take from a sum of them, or a little more."""


def grow(tree: Any, examples: Examples) -> Examples:
    """Fit a tree, and return what it was fitted to: the examples, light weights raised if need be.

    Sums of light weights beside heavy ones may be rounded to nothing. Then scikit-learn divides zero by zero,
    and prunes what it cannot compare, outside of its arrays. So weights are raised to what rounding leaves,
    a share of n times 2.2e-16 of their sum, but only where they have to be.

    Raises
    ------
    ValueError
        If that is of no use.
    """
    if np.isfinite(tree.fit(*examples).tree_.impurity).all():
        return examples
    weights = examples.weights
    raised = examples._replace(weights=np.maximum(weights, len(weights) * RAISED * weights.sum()))
    if np.isfinite(tree.fit(*raised).tree_.impurity).all():
        return raised
    raise ValueError(
        f"sample_weight from {weights.min():g} to {weights.max():g}: a tree cannot be pruned by weights that "
        f"differ so much; allowed are {weights.max() * 1e-9:g} or more beside the largest, and zero"
    )


def choose_strength(
    tree: Any, examples: Examples, fold_of: np.ndarray, loss: Callable[[Any, np.ndarray, np.ndarray], Any]
) -> Strength:
    """The strength whose subtrees lose least on held-out examples, among equals the largest.

    Parameters
    ----------
    tree : scikit-learn tree
        Unfitted.
    examples : Examples
        What it is grown on.
    fold_of : ndarray of shape (n,)
        Fold of each example, from zero.
    loss : callable ``(tree, target, nodes) -> ndarray``
        Loss of held-out targets, in a tree fitted without them, where a node is their leaf.
    """
    examples = grow(tree, examples)  # or else the path of scikit-learn may be the end of the process
    path = np.maximum(tree.cost_complexity_pruning_path(*examples).ccp_alphas, 0.0)
    alphas = np.append(np.sqrt(path[:-1] * path[1:]), np.inf)
    lost = np.zeros(len(alphas))
    for fold in range(fold_of.max() + 1):
        kept, held_out = (
            Examples(*(each[part] for each in examples)) for part in (fold_of != fold, fold_of == fold)
        )
        grow(tree, kept)
        lost += _lost(tree, held_out, alphas, loss)
    losses = lost / examples.weights.sum()
    best = np.flatnonzero(losses <= losses.min() + TIE)[-1]
    # scikit-learn takes no infinite alpha; twice the last of its path leaves the root as well
    return Strength(float(alphas[best]), min(float(alphas[best]), 2 * path[-1]), alphas, losses, examples)


def assign_folds(groups: np.ndarray, folds: int, rng: np.random.RandomState) -> np.ndarray:
    """Fold of each example: group by group in random order, dealt in turn, so that any numbers will do."""
    n = len(groups)
    fold_of = np.empty(n, int)
    fold_of[np.lexsort((rng.permutation(n), groups))] = np.arange(n) % folds
    return fold_of


def _lost(tree: Any, held_out: Examples, alphas: np.ndarray, loss: Callable) -> np.ndarray:
    """What the held-out examples lose, by weight, in the tree pruned by each alpha."""
    nodes, paths = tree.tree_, tree.decision_path(held_out.X)
    example, node = np.repeat(np.arange(len(held_out.X)), np.diff(paths.indptr)), paths.indices
    lost = held_out.weights[example] * loss(tree, held_out.target[example], node)
    of_node = np.bincount(node, lost, minlength=nodes.node_count)
    risk = nodes.impurity * nodes.weighted_n_node_samples / nodes.weighted_n_node_samples[0]
    links, sums = weakest_links(nodes.children_left, nodes.children_right, risk, of_node)
    # with an alpha of zero scikit-learn prunes nothing, not even what saves nothing
    return sums[np.where(alphas > 0, np.searchsorted(links, alphas, side="right"), 0)]


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
        with atomically(self) as twin:
            table, column = validate_data(twin, X, y, dtype=np.float32)
            weights = read_weights(sample_weight, column)
            used = weights > 0
            twin.classes_, labels = read_target(column[used])
            twin._prune(Examples(table[used], labels, weights[used]), rng)
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
        self.tree_ = self._tree(seed, **settings, ccp_alpha=chosen.ccp_alpha).fit(*chosen.examples)

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
            Numbers of at most 1e75 in size, whose squares and their products are finite.
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
        folds = check_count("cv", self.cv, smallest=2)
        settings: dict[str, Any] = {
            "min_samples_leaf": check_count("min_samples_leaf", self.min_samples_leaf)
        }
        rng = read_random_state("random_state", self.random_state)
        with atomically(self) as twin:
            table, target = validate_data(twin, X, y, dtype=np.float32, y_numeric=True, ensure_min_samples=2)
            weights = read_weights(sample_weight, target)
            used = weights > 0
            if used.sum() < 2:
                raise ValueError("sample_weight: allowed are two or more weights above zero")
            target = read_array("y", target[used].astype(float), "[-1e75, 1e75]")
            settings["random_state"] = rng.randint(2**31 - 1)
            twin._prune(Examples(table[used], target, weights[used]), rng, folds, settings)
        return self

    def _prune(
        self, examples: Examples, rng: np.random.RandomState, folds: int, settings: dict[str, Any]
    ) -> None:
        """Train and store."""
        from sklearn.tree import DecisionTreeRegressor  # slow to import

        mean = np.average(examples.target, weights=examples.weights)
        variance = np.average((examples.target - mean) ** 2, weights=examples.weights)

        def squared(tree: Any, held_out: np.ndarray, nodes: np.ndarray) -> np.ndarray:
            return (held_out - tree.tree_.value[nodes, 0, 0]) ** 2 / (variance or 1.0)

        whole = DecisionTreeRegressor(**settings)
        chosen = choose_strength(whole, examples, assign_folds(examples.target, folds, rng), squared)
        self.ccp_alpha_, self.ccp_alphas_, self.cv_errors_ = chosen.alpha, chosen.alphas, chosen.losses
        self.tree_ = DecisionTreeRegressor(**settings, ccp_alpha=chosen.ccp_alpha).fit(*chosen.examples)

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
