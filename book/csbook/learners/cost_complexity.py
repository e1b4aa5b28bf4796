"""How far to prune a tree by cost complexity, chosen by cross-validation, for classes and for numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from csb.engine.rules import TIE
from csbook.learners.pruning_kernels import weakest_links

__all__ = ["Examples", "Strength", "choose_strength", "assign_folds"]


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
    """

    alpha: float
    ccp_alpha: float
    alphas: np.ndarray
    losses: np.ndarray


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
    path = np.maximum(tree.cost_complexity_pruning_path(*examples).ccp_alphas, 0.0)
    alphas = np.append(np.sqrt(path[:-1] * path[1:]), np.inf)
    lost = np.zeros(len(alphas))
    for fold in range(fold_of.max() + 1):
        kept, held_out = (
            Examples(*(each[part] for each in examples)) for part in (fold_of != fold, fold_of == fold)
        )
        lost += _lost(tree.fit(*kept), held_out, alphas, loss)
    losses = lost / examples.weights.sum()
    best = np.flatnonzero(losses <= losses.min() + TIE)[-1]
    # scikit-learn takes no infinite alpha; twice the last of its path leaves the root as well
    return Strength(float(alphas[best]), min(float(alphas[best]), 2 * path[-1]), alphas, losses)


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
