r"""Largest margins on separable data, by linear programming.

Where the hypotheses separate the classes, boosting with the loss :math:`a_ye^{-k_ym}` lets every margin grow
without end, and only the proportions of the votes are left to speak of. They usually come to maximise the
smallest :math:`k_ym/\lVert\alpha\rVert_1`, a margin that counts each class by its exponent. The largest value
that any votes reach is the optimum of a linear programme.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linprog

from csb.evaluation.curves import normalised_margins
from csb.inputs import read_array, read_labels, read_signs

__all__ = ["LargestMargin", "class_margins", "largest_margin", "stump_predictions"]


@dataclass(frozen=True)
class LargestMargin:
    """Votes of largest margin.

    Attributes
    ----------
    value : float
        The smallest scaled margin that these votes leave; positive if they separate the classes.
    votes : ndarray of shape (H,)
        Non-negative votes that sum to one.
    by_class : ndarray of shape (2,)
        Smallest margin of each class, negative class first, not scaled.
    """

    value: float
    votes: np.ndarray
    by_class: np.ndarray


def stump_predictions(X: ArrayLike) -> np.ndarray:
    """Predictions of every decision stump on the rows of ``X``, of both constants too.

    Parameters
    ----------
    X : array_like of shape (n, d)
        Finite numbers.

    Returns
    -------
    ndarray of shape (H, n)
        Signs -1 or +1, each row once; with a row its opposite is there as well.

    Raises
    ------
    ValueError
        If ``X`` is no table of finite numbers.

    Examples
    --------
    >>> stump_predictions([[1.0], [2.0]])
    array([[-1., -1.],
           [-1.,  1.],
           [ 1., -1.],
           [ 1.,  1.]])
    """
    X = read_array("X", X, shape=(None, None))
    reached = np.vstack([column >= np.unique(column)[:, np.newaxis] for column in X.T])
    signs = np.where(reached, 1.0, -1.0)  # the lowest value of a column gives the constant
    return np.unique(np.vstack([signs, -signs]), axis=0)


def largest_margin(
    y_true: ArrayLike, predictions: ArrayLike, exponent: ArrayLike = (1.0, 1.0), *, pos_label: object = None
) -> LargestMargin:
    r"""Votes that maximise the smallest :math:`k_{y_i}\,y_iF(x_i)` among votes that sum to one.

    Where a constant hypothesis is among the candidates and the classes are separable, both classes attain
    the smallest value at every optimum: if one did not, a little more vote for the constant that favours the
    other would raise it. The smallest margins of the classes therefore stand in the inverse ratio of the
    exponents.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels of both classes.
    predictions : array_like of shape (H, n)
        What each hypothesis says of each example, -1 or +1.
    exponent : array_like of shape (2,), default (1, 1)
        The exponents :math:`k_y` of the loss, from 1e-6 to 1e6, negative class first.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.

    Returns
    -------
    LargestMargin
        The value and the votes that reach it.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    Three points on a line, the middle one negative, and the stumps of the line. Each point is right by one
    vote in three:

    >>> best = largest_margin([1, 0, 1], stump_predictions([[0.0], [1.0], [2.0]]))
    >>> round(best.value, 6), best.by_class.round(6)
    (0.333333, array([0.333333, 0.333333]))
    """
    positive, _ = read_labels(y_true, pos_label=pos_label)
    predictions = read_signs("predictions", predictions, shape=(None, len(positive)))
    exponent = read_array("exponent", exponent, "[1e-6, 1e6]", shape=(2,))
    if positive.all() or not positive.any():
        raise ValueError("y_true holds one class only: a margin of each class needs examples of both")
    hits = np.where(positive, 1.0, -1.0)[:, np.newaxis] * predictions.T
    steepness = np.where(positive, exponent[1], exponent[0])
    # unknowns: the votes and the value s to be maximised, with s - k_i (hits @ votes)_i <= 0
    n, count = hits.shape
    solved = linprog(
        np.r_[np.zeros(count), -1.0],
        A_ub=np.column_stack([-steepness[:, np.newaxis] * hits, np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=np.r_[np.ones(count), 0.0][np.newaxis],
        b_eq=[1.0],
        bounds=[(0, None)] * count + [(None, None)],
        method="highs",
    )
    votes = solved.x[:-1]
    margin = hits @ votes
    by_class = np.array([margin[~positive].min(), margin[positive].min()])
    return LargestMargin(float(solved.x[-1]), votes, by_class)


def class_margins(
    y_true: ArrayLike, score: ArrayLike, votes: ArrayLike, *, pos_label: object = None
) -> np.ndarray:
    r"""Smallest normalised margin :math:`yF(x)/\lVert\alpha\rVert_1` of each class.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels of both classes.
    score : array_like of shape (n,)
        Scores :math:`F(x) = \sum_t \alpha_t h_t(x)`, positive for the positive class.
    votes : array_like of shape (T,)
        The votes :math:`\alpha_t`, not all zero.
    pos_label : label, optional
        The positive class: the larger label by default; of two words it must be named.

    Returns
    -------
    ndarray of shape (2,)
        Negative class first.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> class_margins([0, 0, 1], [-1.0, -0.5, 0.25], [0.75, 0.25])
    array([0.5 , 0.25])
    """
    positive, _ = read_labels(y_true, pos_label=pos_label)
    if positive.all() or not positive.any():
        raise ValueError("y_true holds one class only: a margin of each class needs examples of both")
    margin = normalised_margins(y_true, score, votes, pos_label=pos_label)
    return np.array([margin[~positive].min(), margin[positive].min()])
