r"""Bounds of Karakoulas and Shawe-Taylor (1998) on the error of a score, from its margins.

Theorem 2.4 bounds the error on new examples through the fat-shattering dimension of the functions that were
to choose from, at the scale of the margin; Theorem 3.2 does so for unequal losses. Both ask for many examples
with a margin, and say nothing before that. Theorem 4.1 bounds the error on the training examples.
"""

from __future__ import annotations

import sys
from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from csb.inputs import (
    MODERATE,
    check_callable,
    check_instance,
    check_shapes,
    read_array,
    read_number,
    read_signs,
    read_weights,
    shown,
)
from csb.methods.losses import ExponentialLoss
from csbook.theory.losses import empirical_risk

__all__ = [
    "error_bound", "linear_fat_dimension", "required_count", "smallest_sample", "training_bound",
    "unequal_loss_bound",
]  # fmt: skip


SCALE, RATIO = "[1e-40, 1e40]", "[1, 1e40]"
"""What lengths and ratios may be, so that squares and products of all of them remain within doubles."""


def _read_sizes(
    n_samples: ArrayLike, dimension: ArrayLike, delta: ArrayLike
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    m, d = read_array("n_samples", n_samples, RATIO), read_array("dimension", dimension, "[0, 1e200]")
    p = read_array("delta", delta, "[1e-40, 1)")
    check_shapes(n_samples=m, dimension=d, delta=p)
    return m, d, p


def _read_beyond(n_beyond: ArrayLike, m: np.ndarray) -> np.ndarray:
    n = read_array("n_beyond", n_beyond, "[0, 1e40]")
    check_shapes(n_beyond=n, n_samples=m)
    if np.any(n > m):
        raise ValueError(f"n_beyond={shown(n_beyond)}: allowed are numbers from zero to n_samples")
    return n


def linear_fat_dimension(
    scale: ArrayLike, radius: float = 1.0, n_features: float = np.inf
) -> np.ndarray | float:
    r"""Bound on the fat-shattering dimension of linear functions with a threshold.

    The functions are :math:`\langle w, x\rangle + \theta` with :math:`\lVert w\rVert \le 1` and any
    :math:`\theta`, on points with :math:`\lVert x\rVert \le R`: at most
    :math:`\min(R^2/\gamma^2 + 2, d + 1)` points are shattered at scale :math:`\gamma`. Without a threshold
    the first term is :math:`R^2/\gamma^2` (Shawe-Taylor et al. 1998, the reference of the paper, with
    another constant). For an even number :math:`n` of shattered points, sum the conditions over a
    labelling with as many of each sign: the threshold drops out, and
    :math:`n\gamma \le \lVert\sum_i y_ix_i\rVert` for the labelling or its opposite. The mean of the squared
    norm over such labellings is at most :math:`R^2n^2/(n-1)`, hence :math:`n \le R^2/\gamma^2 + 1`; of an
    odd number one point is left out.

    Parameters
    ----------
    scale : float or array_like
        The scale :math:`\gamma`, from 1e-40 to 1e40, in the unit of the points.
    radius : float, default 1.0
        Radius :math:`R` of the ball about the origin that holds the points, from 1e-40 to 1e40.
    n_features : float, default infinity
        Number :math:`d` of coordinates.

    Returns
    -------
    float or ndarray
        The bound, not rounded down to an integer, so that it varies smoothly with the scale.

    Raises
    ------
    ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> float(linear_fat_dimension(0.1)), float(linear_fat_dimension(0.1, n_features=10))
    (102.0, 11.0)
    """
    gamma, r = read_array("scale", scale, SCALE), read_number("radius", radius, SCALE)
    d = read_number("n_features", n_features, "(0, inf]")
    return np.minimum((r / gamma) ** 2 + 2, d + 1)


def required_count(n_samples: ArrayLike, dimension: ArrayLike, delta: ArrayLike) -> np.ndarray | float:
    r"""How many examples with a margin Theorem 2.4 asks for, its condition 3.

    :math:`3\sqrt{2m\,(2d\ln(288m)\log_2(12em) + \ln(32m^2/\delta))}`.

    Parameters
    ----------
    n_samples : int or array_like
        Number :math:`m` of examples, from 1 to 1e40.
    dimension : float or array_like
        Fat-shattering dimension :math:`d` at a sixth of the margin, from 0 to 1e200.
    delta : float or array_like
        Probability with which the bound may fail, from 1e-40 to below one.

    Returns
    -------
    float or ndarray
        The count; the theorem says nothing where it exceeds :math:`m`.

    Raises
    ------
    ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> m = 10**6
    >>> bool(required_count(m, 30, 0.05) < m < required_count(m, 200, 0.05))
    True
    """
    m, d, delta = _read_sizes(n_samples, dimension, delta)
    capacity = 2 * d * np.log(288 * m) * np.log2(12 * np.e * m) + np.log(32 * m**2 / delta)
    return 3 * np.sqrt(2 * m * capacity)


def error_bound(
    n_beyond: ArrayLike, n_samples: ArrayLike, dimension: ArrayLike, delta: ArrayLike = 0.05
) -> np.ndarray | float:
    r"""Bound of Theorem 2.4 on the error of new examples that have the margin.

    :math:`\frac3n\bigl(2d\log_2(288m)\log_2(12em) + \log_2(32m^2/\delta)\bigr)`, for a function whose every
    training margin is at least :math:`2\gamma - \eta`, with :math:`n` of them at least
    :math:`2\gamma + \eta`. It bounds the probability of a wrong sign given that the new example has margin
    :math:`\eta`.

    Parameters
    ----------
    n_beyond : int or array_like
        The number :math:`n`, from zero to :math:`m`.
    n_samples, dimension, delta
        As for :func:`required_count`; the dimension at :math:`\gamma/6`.

    Returns
    -------
    float or ndarray
        The bound; not a number where :math:`n` is below :func:`required_count`, where the theorem says
        nothing. Elsewhere it lies below :math:`1/(6\ln 2) = 0.24`, since the condition asks for more than a
        value below one does.

    Raises
    ------
    ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> round(float(error_bound(10**6, 10**6, dimension=30)), 3)
    0.126
    >>> float(error_bound(10**5, 10**6, dimension=30))
    nan
    """
    m, d, delta = _read_sizes(n_samples, dimension, delta)
    n = _read_beyond(n_beyond, m)
    check_shapes(n_beyond=n, dimension=d, delta=delta)
    capacity = 2 * d * np.log2(288 * m) * np.log2(12 * np.e * m) + np.log2(32 * m**2 / delta)
    return _where_enough(n, required_count(m, d, delta), capacity)


def _where_enough(n: np.ndarray, required: np.ndarray | float, capacity: np.ndarray) -> np.ndarray | float:
    with np.errstate(divide="ignore", over="ignore"):
        return np.where(n >= required, 3 / n * capacity, np.nan)[()]


def unequal_loss_bound(
    n_beyond: ArrayLike,
    n_samples: ArrayLike,
    margin: ArrayLike,
    shift: ArrayLike,
    beta: ArrayLike,
    delta: ArrayLike = 0.05,
    *,
    radius: float = 1.0,
    n_features: float = np.inf,
) -> np.ndarray | float:
    r"""Bound of Theorem 3.2 on the expected loss of a shifted maximal-margin hyperplane, corrected.

    :math:`\frac3{n_0}\bigl(2\max(\beta d^+, d^-)\log_2(288m)\log_2(12em) + \beta\log_2(64m^2/\delta)\bigr)`
    with :math:`d^\pm` the dimension at :math:`\gamma^\pm/6`, :math:`\gamma^\pm = (\gamma_0\pm\eta)/2`. The
    theorem is two applications of Theorem 2.4, with :math:`\delta/2` each and
    :math:`d = \max(d^+, d^-)` in the condition, which the paper prints otherwise. It is proved, in the book's
    chapter, if ``n_beyond`` is the number of examples of the smaller class. The paper counts other
    examples, and its proof applies Theorem 2.4 outside what that states; with them the value is no more than
    a heuristic (E-K09 on the book's errata page).

    Parameters
    ----------
    n_beyond : int or array_like
        Size of the smaller class; or, as the paper has it, the number :math:`n_0` of examples whose distance
        from the maximal-margin hyperplane, on their side, is at least :math:`\gamma_0 + 2\eta`. From zero to
        :math:`m`.
    n_samples : int or array_like
        Number :math:`m` of examples, from 1 to 1e40.
    margin : float or array_like
        Margin :math:`\gamma_0` of the maximal-margin hyperplane, from 1e-20 to 1e20.
    shift : float or array_like
        The shift :math:`\eta` towards the negatives, in :math:`[0, \gamma_0)`.
    beta : float or array_like
        Cost of a false negative over that of a false positive, from 1 to 1e40; below 1, swap the classes.
    delta : float or array_like, default 0.05
        Probability with which the bound may fail, from 1e-40 to below one.
    radius, n_features : float
        As for :func:`linear_fat_dimension`.

    Returns
    -------
    float or ndarray
        The bound, in units of the cost of a false positive; not a number where the condition on
        :math:`n_0` fails.

    Raises
    ------
    ValueError
        If an argument lies outside its range.

    Examples
    --------
    >>> m = 10**8
    >>> middle, shifted = unequal_loss_bound(m, m, 0.5, [0.0, 0.5 / 3], beta=4.0)
    >>> bool(shifted < middle)
    True
    """
    m, _, delta = _read_sizes(n_samples, 0.0, delta)
    n, beta = _read_beyond(n_beyond, m), read_array("beta", beta, RATIO)
    margin, shift = read_array("margin", margin, "[1e-20, 1e20]"), read_array("shift", shift, "[0, 1e20]")
    check_shapes(n_beyond=n, n_samples=m, margin=margin, shift=shift, beta=beta, delta=delta)
    if np.any(shift >= margin):
        raise ValueError(f"shift={shown(shift.tolist())}: allowed are numbers below the margin")
    d_plus, d_minus = (
        linear_fat_dimension((margin + side * shift) / 12, radius, n_features) for side in (1, -1)
    )
    dimension = np.maximum(beta * d_plus, d_minus)
    capacity = 2 * dimension * np.log2(288 * m) * np.log2(12 * np.e * m) + beta * np.log2(64 * m**2 / delta)
    return _where_enough(n, required_count(m, np.maximum(d_plus, d_minus), delta / 2), capacity)


def smallest_sample(bound: Callable[[int], float], below: float = 1.0) -> int:
    """Smallest sample at which a bound falls below a value.

    Parameters
    ----------
    bound : callable
        The bound as a function of the number of examples. From the size sought on it must stay below; not
        a number counts as above.
    below : float, default 1.0
        The value.

    Returns
    -------
    int
        The number of examples.

    Raises
    ------
    ValueError
        If the bound is not below the value for any size a computer can count.

    Examples
    --------
    When every example has the margin:

    >>> smallest_sample(lambda m: error_bound(m, m, dimension=1))
    10298
    """
    check_callable("bound", bound)
    below = read_number("below", below)
    high = 1
    while not bound(high) < below:
        high *= 2
        if high > sys.maxsize:
            raise ValueError(f"below={below!r}: allowed is a value that the bound reaches")
    return high // 2 + 1 + bisect_left(range(high // 2 + 1, high), True, key=lambda m: bool(bound(m) < below))


def training_bound(
    loss: ExponentialLoss, y: ArrayLike, score: ArrayLike, weight: ArrayLike | None = None
) -> tuple[np.ndarray | float, np.ndarray | float]:
    r"""Training error and its bound, Theorem 4.1.

    The error is the share of wrong signs, a score of zero being negative, under the first weights,
    :math:`D_1(i) \propto q_ia_{y_i}`. The bound is the share of the loss that is left of that of a score of
    zero; for AdaUBoost this is :math:`\prod_t Z_t`, since :math:`Z_t` is the factor by which round :math:`t`
    changes the sum.

    Parameters
    ----------
    loss : ExponentialLoss
        The loss :math:`a_ye^{-k_ym}`.
    y : array_like of shape (n,)
        Classes, -1 or +1.
    score : array_like of shape (..., n)
        Scores of the training examples.
    weight : array_like of shape (n,), optional
        Base weights :math:`q_i`.

    Returns
    -------
    error, bound : float or ndarray of shape (...)
        The error is at most the bound, which is infinite beyond the range of doubles.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    >>> loss = ExponentialLoss(np.log([1.0, 3.0]), [1.0, 1.0])
    >>> error, bound = training_bound(loss, [1, -1], [[0.0, 0.0], [1.0, 1.0]])
    >>> error
    array([0.75, 0.25])
    >>> bound.round(3)
    array([1.   , 0.955])
    """
    check_instance("loss", loss, ExponentialLoss)
    y, score = read_signs("y", y, shape=(None,)), read_array("score", score, MODERATE)
    first = loss.value(y, 0.0) * read_weights(weight, y, "weight")
    if not 0 < first.sum() < np.inf:
        raise ValueError(f"loss={shown(loss)}: a score of zero must have a loss that is finite and not zero")
    bound = empirical_risk(loss, y, score, weight) / empirical_risk(loss, y, np.zeros(len(y)), weight)
    wrong = np.where(score > 0, 1, -1) != y
    return (first * wrong).sum(axis=-1) / first.sum(), bound
