"""Elementary functions of arrays whose results have the same bytes on every processor.

Those of numpy and scipy differ in the last bit by what the processor offers, which is enough to break a tie;
whatever decides something is computed by these. They take anything that converts to doubles, broadcast, and
return an array of the same shape, or a number for a number. They never warn.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.compiled import compiled
from csb.engine.scalars import (
    exp_scalar,
    expit_scalar,
    log1p_scalar,
    log_scalar,
    logaddexp_scalar,
    logit_scalar,
    power_scalar,
    tanh_scalar,
    xlogy_scalar,
)

__all__ = ["exp", "expit", "log", "log1p", "log_ratio", "logaddexp", "logit", "power", "tanh", "xlogy"]

kernel = compiled(error_model="numpy")


@kernel
def _each_exp(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = exp_scalar(x[i])


@kernel
def _each_log(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = log_scalar(x[i])


@kernel
def _each_log1p(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = log1p_scalar(x[i])


@kernel
def _each_expit(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = expit_scalar(x[i])


@kernel
def _each_logit(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = logit_scalar(x[i])


@kernel
def _each_tanh(x: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = tanh_scalar(x[i])


@kernel
def _each_logaddexp(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = logaddexp_scalar(x[i], y[i])


@kernel
def _each_log_ratio(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = log_scalar(x[i]) - log_scalar(y[i])


@kernel
def _each_power(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = power_scalar(x[i], y[i])


@kernel
def _each_xlogy(x: np.ndarray, y: np.ndarray, out: np.ndarray) -> None:
    for i in range(x.shape[0]):
        out[i] = xlogy_scalar(x[i], y[i])


def _map(each: Callable[..., None], x: ArrayLike) -> np.ndarray:
    x = np.asarray(x, np.float64)
    if not x.flags.forc:
        x = x.copy("K")
    out = np.empty_like(x)
    each(x.ravel("K"), out.ravel("K"))
    return out if out.ndim else out[()]


def _map_pairs(each: Callable[..., None], x: ArrayLike, y: ArrayLike) -> np.ndarray:
    x, y = np.asarray(x, np.float64), np.asarray(y, np.float64)
    out = np.asarray(np.copysign(x, y))  # has the shape and the order in memory of numpy's own results
    if x.shape != out.shape or x.strides != out.strides:
        x, given = np.empty_like(out), x
        x[...] = given
    if y.shape != out.shape or y.strides != out.strides:
        y, given = np.empty_like(out), y
        y[...] = given
    each(x.ravel("K"), y.ravel("K"), out.ravel("K"))
    return out if out.ndim else out[()]


def exp(x: ArrayLike) -> np.ndarray:
    """The exponential: zero below -745.14, infinite above 709.79.

    Examples
    --------
    >>> exp([0.0, 1.0, -np.inf])
    array([1.        , 2.71828183, 0.        ])
    """
    return _map(_each_exp, x)


def log(x: ArrayLike) -> np.ndarray:
    """The natural logarithm: minus infinity for 0, NaN for negative arguments.

    Examples
    --------
    >>> log([1.0, 10.0, 0.0])
    array([0.        , 2.30258509,       -inf])
    """
    return _map(_each_log, x)


def log_ratio(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """Logarithm of x less that of y; not a number where both are zero, or both infinite.

    Examples
    --------
    >>> log_ratio([9.0, 1.0], [3.0, 0.0])
    array([1.09861229,        inf])
    """
    return _map_pairs(_each_log_ratio, x, y)


def log1p(x: ArrayLike) -> np.ndarray:
    """The logarithm of 1 + x, precise for small x.

    Examples
    --------
    >>> log1p([1e-20, 1.0])
    array([1.00000000e-20, 6.93147181e-01])
    """
    return _map(_each_log1p, x)


def expit(x: ArrayLike) -> np.ndarray:
    """The logistic function 1 / (1 + exp(-x)), precise for large negative x.

    Examples
    --------
    >>> expit([0.0, 1.0, -100.0])
    array([5.00000000e-01, 7.31058579e-01, 3.72007598e-44])
    """
    return _map(_each_expit, x)


def logit(p: ArrayLike) -> np.ndarray:
    """The log odds log(p / (1 - p)), precise around 1/2; infinite for 0 and 1.

    Examples
    --------
    >>> logit([0.5, 0.9, 0.0])
    array([0.        , 2.19722458,       -inf])
    """
    return _map(_each_logit, p)


def tanh(x: ArrayLike) -> np.ndarray:
    """The hyperbolic tangent, exactly odd.

    Examples
    --------
    >>> tanh([0.5, -0.5])
    array([ 0.46211716, -0.46211716])
    """
    return _map(_each_tanh, x)


def logaddexp(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """The logarithm of exp(x) + exp(y), to 1e-18 or one rounding, whichever is more.

    Examples
    --------
    >>> logaddexp(-1000.0, [-1000.0, -np.inf])
    array([ -999.30685282, -1000.        ])
    """
    return _map_pairs(_each_logaddexp, x, y)


def power(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """x to the power y, for x that are not negative.

    Examples
    --------
    >>> power([4.0, 0.0, 10.0], [0.5, -1.0, 2.0])
    array([  2.,  inf, 100.])
    """
    return _map_pairs(_each_power, x, y)


def xlogy(x: ArrayLike, y: ArrayLike) -> np.ndarray:
    """x log(y), which is 0 where x is.

    Examples
    --------
    >>> xlogy([0.0, 2.0], [0.0, 10.0])
    array([0.        , 4.60517019])
    """
    return _map_pairs(_each_xlogy, x, y)
