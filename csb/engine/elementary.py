"""Elementary functions whose results have the same bytes on every processor: of numbers, and of arrays.

Libraries choose among several versions of exp or log by what the processor offers, and these versions
differ in the last bit, which is enough to break a tie. The functions of numbers, which serve in compiled
kernels, consist of + - * /, comparisons and operations on integers, about which IEEE 754 and a compiler
without fast-math have no choice.

Tables bring arguments close to 0 (exp) or 1 (log), after Tang (1989, 1990), and sums are carried in two
doubles where it matters. In units of the last place exp and log err by at most 0.51, the others by less
than 1, xlogy by 1.5, and logaddexp by more where its result is close to 0. Twice rounded, results below the
normal range may err by 0.75. Loops are free of branches, so that they run on vectors. Nothing warns: log(0)
is -inf. All NaN returned are the same one. One exponential more, ``quick_exp_scalar``, is for learners, which
need less: a few bits are given for speed.

Those of arrays take anything that converts to doubles, broadcast, and return an array of the same shape, or a
number for a number. Few numbers are not worth compiling for: the same code then runs on whole arrays, and
gives the same bytes.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from operator import attrgetter
from types import FunctionType

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.compiled import compiled, inlined

__all__ = [
    "exp", "exp_scalar", "expit", "expit_scalar", "log", "log1p", "log1p_scalar", "log_ratio",
    "log_ratio_scalar", "log_scalar", "logaddexp", "logaddexp_scalar", "logit", "logit_scalar", "power",
    "power_scalar", "tanh", "tanh_scalar", "xlogy", "xlogy_scalar",
]  # fmt: skip


def _split(values, bits):
    """Numbers in units of 2**-128 as multiples of 2**-bits, and what these leave."""
    heads = [round(v / 2 ** (128 - bits)) for v in values]
    tails = [(v - (h << 128 - bits)) / 2**128 for v, h in zip(values, heads, strict=True)]
    return np.array(heads) / 2.0**bits, np.array(tails)


def _log_ratio(i, k):
    """log(i / k) in units of 2**-128, for a ratio between 2/3 and 3/2, from the series of artanh."""
    y = ((i - k) << 128) // (i + k)
    square, total = y * y >> 128, 0
    for n in range(1, 61, 2):
        total += 2 * y // n
        y = y * square >> 128
    return total


def _tables():
    """Powers 2**(j/128), and for 256 intervals of [0.70, 1.41) the reciprocal of the middle, minus its log.

    In integers, for the tables must not depend on a library either. The reciprocals are multiples of
    2**-8, short enough for products with them to be exact; next to 1 they are 1, so that log(1) is 0.
    """
    ln2 = _log_ratio(4, 3) + _log_ratio(3, 2)
    root = 2 << 128
    for _ in range(7):
        root = math.isqrt(root << 128)
    powers = [1 << 128]
    for _ in range(127):
        powers.append(powers[-1] * root >> 128)
    middles = [(721 + 2 * j) / 1024 if j < 152 else (209 + 2 * j) / 512 for j in range(256)]
    inverses = [256 if j in (151, 152) else round(256 / m) for j, m in enumerate(middles)]
    logs = {i: _log_ratio(256, i) for i in set(inverses)}
    return (
        _split(powers, 52),
        _split([ln2 // 128], 41),
        np.array(inverses) / 256,
        _split([logs[i] for i in inverses], 42),
        _split([ln2], 42),
    )


(POWER, POWER_LOW), ((STEP,), (STEP_LOW,)), INVERSE, (LOG, LOG_LOW), ((LN2,), (LN2_LOW,)) = _tables()
PER_STEP = 1 / STEP
ROUND = 1.5 * 2.0**52  # to add and subtract it rounds to an integer, which the lowest bits of the sum hold
INFINITY = 0x7FF << 52
BLOCK = 4096  # what comes between in numpy, of as many numbers, stays in a processor's cache


@inlined
def _choose(condition, yes, no):
    return yes if condition else no


@inlined
def _bits(x):
    return np.float64(x).view(np.int64)


@inlined
def _double(i):
    return np.int64(i).view(np.float64)


@inlined
def _sum(x, y):
    """x + y and its rounding error (Knuth)."""
    s = x + y
    t = s - x
    return s, (x - (s - t)) + (y - t)


@inlined
def _product(x, y):
    """x * y and its rounding error (Dekker), for sizes up to 2**900."""
    p = x * y
    t, u = 134217729.0 * x, 134217729.0 * y
    x_head, y_head = t - (t - x), u - (u - y)
    x_tail, y_tail = x - x_head, y - y_head
    return p, ((x_head * y_head - p) + x_head * y_tail + x_tail * y_head) + x_tail * y_tail


@inlined
def _quotient(x, x_low, y, y_low):
    """(x + x_low) / (y + y_low) in two parts."""
    inverse = 1.0 / y
    q = x * inverse
    p, p_low = _product(q, y)
    return q, (((x - p) - p_low) + (x_low - q * y_low)) * inverse


@inlined
def _exp(x, low):
    """exp(x + low) and what its rounding leaves; x is not NaN, low is small or the result out of range."""
    t = _choose(x < -746.0, -746.0, x)
    t = _choose(t > 710.0, 710.0, t)
    shifted = t * PER_STEP + ROUND
    n = shifted - ROUND
    j = _bits(shifted) & 127
    r = ((t - n * STEP) - n * STEP_LOW) + _choose(t == x, low, -0.0)
    p = r + r * r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))))
    rest = POWER_LOW[j] + POWER[j] * p
    y = POWER[j] + rest
    field = (_bits(shifted) - j) << 45  # the power of two, where a double has its exponent
    tiny = t < -708.0
    bits = _bits(y) + field + _choose(tiny, 128 << 52, 0)
    value = _double(_choose(bits > INFINITY, INFINITY, bits)) * _choose(tiny, 2.0**-128, 1.0)
    return value, _choose(tiny, 0.0, ((POWER[j] - y) + rest) * _double(field + (1023 << 52)))


@inlined
def _reduced_log(x):
    """log(x) = head + tail + log1p(r) - r, with r and the slope 1 / x, for positive finite x.

    With x = 2**e z, the middle m of z's interval and its reciprocal c, r = c z - 1 = (c m - 1) + c (z - m)
    is exact.
    """
    small = x < 2.0**-1022
    i = _bits(_choose(small, x * 2.0**54, x))
    u = (i + 0x0009800000000000) & 0x7FFFFFFFFFFFFFFF  # z starts at 0.703, not at 1: no cancellation below 1
    field = u & INFINITY
    j = (u >> 44) & 255
    e = _double((u >> 52) | 0x4330000000000000) - _choose(small, 2.0**52 + 1077.0, 2.0**52 + 1023.0)
    z = i - field + (1023 << 52)
    m = _double((z & -(1 << 44)) | 1 << 43)
    c = INVERSE[j]
    r = (m * c - 1.0) + (_double(z) - m) * c
    s = e * LN2 + LOG[j]
    head = s + r
    return head, ((s - head) + r) + (e * LN2_LOW + LOG_LOW[j]), r, (c - c * r) * _double((2046 << 52) - field)


@inlined
def _cubic(r, last):
    """(log1p(r) - r + r**2 / 2) / r**3, whose last term considered has the given factor."""
    return 1 / 3 - r * (1 / 4 - r * (1 / 5 - r * (1 / 6 - r * last)))


@inlined
def _log(x):
    """log(x) in two parts, and its slope, for positive finite x."""
    head, tail, r, slope = _reduced_log(x)
    return head, tail - r * r * (0.5 - r * _cubic(r, 1 / 7)), slope


@inlined
def exp_scalar(x):
    return _choose(x != x, np.nan, _exp(x, -0.0)[0])


@inlined
def log_scalar(x):
    head, tail, _ = _log(x)
    y = _choose(x == np.inf, np.inf, head + tail)
    y = _choose(x == 0.0, -np.inf, y)
    return _choose(x >= 0.0, y, np.nan)


@inlined
def log_ratio_scalar(x, y):
    return log_scalar(x) - log_scalar(y)


@inlined
def log1p_scalar(x):
    u, low = _sum(1.0, x)
    head, tail, slope = _log(u)
    y = head + (tail + _choose(x < 2.0**60, low * slope, 0.0))
    y = _choose((x == 0.0) | (x == np.inf), x, y)
    y = _choose(x == -1.0, -np.inf, y)
    return _choose(x >= -1.0, y, np.nan)


@inlined
def expit_scalar(x):
    t, low = _exp(-abs(x), -0.0)
    d, d_low = _sum(1.0, t)
    q, q_low = _quotient(_choose(x > 0.0, 1.0, t), _choose(x > 0.0, 0.0, low), d, d_low + low)
    return _choose(x != x, np.nan, q + q_low)


@inlined
def logit_scalar(p):
    d, d_low = _sum(1.0, -p)
    q, q_low = _quotient(p, 0.0, d, d_low)  # log of the odds, which are known beyond a double
    head, tail, slope = _log(q)
    y = head + (tail + q_low * slope)
    y = _choose(p == 0.0, -np.inf, y)
    y = _choose(p == 1.0, np.inf, y)
    return _choose((p >= 0.0) & (p <= 1.0), y, np.nan)


@inlined
def logaddexp_scalar(x, y):
    high, low = _choose(x > y, x, y), _choose(x > y, y, x)
    d, d_low = _sum(low, -high)
    t, t_low = _exp(d, d_low)
    u, u_low = _sum(1.0, t)
    head, tail, slope = _log(u)
    s, s_low = _sum(high, head)
    z = s + (s_low + (tail + (u_low + t_low) * slope))
    z = _choose(d > -np.inf, z, high + 0.0)  # nor if d is NaN: equal infinities; of zeros, the positive one
    return _choose((x != x) | (y != y), np.nan, z)


@inlined
def tanh_scalar(x):
    """A continued fraction for small x, and (1 - t) / (1 + t) with t = exp(-2|x|)."""
    a = abs(x)
    small = a < 0.35
    w = a * a
    fraction = -a * w * (45045.0 + w * (2772.0 + w * 27.0))
    below = 135135.0 + w * (62370.0 + w * (3150.0 + w * 28.0))
    t, low = _exp(-2.0 * a, -0.0)
    n, n_low = _sum(1.0, -t)
    d, d_low = _sum(1.0, t)
    q, q_low = _quotient(
        _choose(small, fraction, n),
        _choose(small, 0.0, n_low - low),
        _choose(small, below, d),
        _choose(small, 0.0, d_low + low),
    )
    y = _choose(small, a, 0.0) + (q + q_low)
    y = _choose(x < 0.0, -y, y)
    y = _choose(x == 0.0, x, y)
    return _choose(x != x, np.nan, y)


@inlined
def power_scalar(x, y):
    head, tail, r, _ = _reduced_log(x)
    square, square_low = _product(r, r)  # more exact than _log, as large exponents magnify its errors
    head, low = _sum(head, -0.5 * square)
    tail += (low - 0.5 * square_low) + r * square * _cubic(r, 1 / 7 - r * (1 / 8))
    h = head + tail
    exponent = _choose(y < -(2.0**66), -(2.0**66), y)
    exponent = _choose(
        exponent > 2.0**66, 2.0**66, exponent
    )  # beyond, all results but those for x = 1 are out of range
    p, p_low = _product(exponent, h)
    z, _ = _exp(p, p_low + exponent * ((head - h) + tail))
    z = _choose(y == 2.0, x * x, z)
    edge = _choose((x == 0.0) == (y < 0.0), np.inf, 0.0)
    z = _choose((x == 0.0) | (x == np.inf), edge, z)
    z = _choose((x >= 0.0) & (y == y), z, np.nan)
    return _choose((x == 1.0) | (y == 0.0), 1.0, z)


@inlined
def xlogy_scalar(x, y):
    z = x * log_scalar(y)
    z = _choose(z != z, np.nan, z)
    return _choose((x == 0.0) & (y == y), 0.0, z)


@inlined
def quick_exp_scalar(t):
    """Exponential of t, taken into [-40, 40], to 1e-13; in single precision if it is."""
    kind = type(t)  # constants of another kind would make all of it double precision
    t = min(max(t, kind(-40.0)), kind(40.0)) * kind(1 / 256)
    p = kind(1 / 40320) + t * (kind(1 / 362880) + t * kind(1 / 3628800))
    p = kind(1 / 120) + t * (kind(1 / 720) + t * (kind(1 / 5040) + t * p))
    p = kind(1) + t * (kind(1) + t * (kind(1 / 2) + t * (kind(1 / 6) + t * (kind(1 / 24) + t * p))))
    for _ in range(8):
        p *= p
    return p


def _of_arrays():
    """The functions of numbers as functions of arrays: the same code, which chooses element by element."""
    found = {name: getattr(each, "py_func", each) for name, each in globals().items()}
    code = {name: each.__code__ for name, each in found.items() if isinstance(each, FunctionType)}
    found |= {name: FunctionType(each, found) for name, each in code.items()} | {"_choose": np.where}
    found |= {"min": np.minimum, "max": np.maximum, "type": attrgetter("dtype.type")}
    return found


OF_ARRAYS = _of_arrays()


def kernel(loop):
    """Decorator of the loop ``_each_name`` over ``name_scalar``, which is compiled once that pays."""
    of_arrays = OF_ARRAYS[loop.__name__.removeprefix("_each_") + "_scalar"]

    def plain(*arrays):
        *given, out = arrays
        for start in range(0, out.size, BLOCK):
            part = slice(start, start + BLOCK)
            out[part] = of_arrays(*(each[part] for each in given))

    return compiled(plain, error_model="numpy")(loop)


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
        out[i] = log_ratio_scalar(x[i], y[i])


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
    if x.shape == y.shape and x.flags.c_contiguous and y.flags.c_contiguous:
        out = np.empty_like(x)
    else:  # a result of numpy's own has the shape and the order in memory
        out = np.asarray(np.copysign(x, y))
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
