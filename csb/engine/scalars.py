"""Elementary functions whose results have the same bytes on every processor.

Libraries choose among several versions of exp or log by what the processor offers, and these versions
differ in the last bit, which is enough to break a tie. The functions here consist of + - * /, comparisons
and operations on integers, about which IEEE 754 and a compiler without fast-math have no choice.

Tables bring arguments close to 0 (exp) or 1 (log), after Tang (1989, 1990), and sums are carried in two
doubles where it matters. In units of the last place exp and log err by at most 0.51, the others by less
than 1, xlogy by 1.5, and logaddexp by more where its result is close to 0. Twice rounded, results below the
normal range may err by 0.75. Loops are free of branches, so that they run on vectors. Nothing warns: log(0)
is -inf. All NaN returned are the same one.

They take doubles and serve in other compiled kernels, :mod:`csb.engine.elementary` applies them to arrays.
One exponential more, ``quick_exp_scalar``, is for learners, which need less: a few bits are given for speed.
"""

from __future__ import annotations

import math

import numpy as np

from csb.engine.compiled import inlined

__all__ = [
    "exp_scalar", "expit_scalar", "log1p_scalar", "log_scalar", "logaddexp_scalar", "logit_scalar",
    "power_scalar", "quick_exp_scalar", "tanh_scalar", "xlogy_scalar",
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
    t = -746.0 if x < -746.0 else x
    t = 710.0 if t > 710.0 else t
    shifted = t * PER_STEP + ROUND
    n = shifted - ROUND
    j = _bits(shifted) & 127
    r = ((t - n * STEP) - n * STEP_LOW) + (low if t == x else -0.0)
    p = r + r * r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120))))
    rest = POWER_LOW[j] + POWER[j] * p
    y = POWER[j] + rest
    field = (_bits(shifted) - j) << 45  # the power of two, where a double has its exponent
    tiny = t < -708.0
    bits = _bits(y) + field + (128 << 52 if tiny else 0)
    value = _double(INFINITY if bits > INFINITY else bits) * (2.0**-128 if tiny else 1.0)
    return value, 0.0 if tiny else ((POWER[j] - y) + rest) * _double(field + (1023 << 52))


@inlined
def _reduced_log(x):
    """log(x) = head + tail + log1p(r) - r, with r and the slope 1 / x, for positive finite x.

    With x = 2**e z, the middle m of z's interval and its reciprocal c, r = c z - 1 = (c m - 1) + c (z - m)
    is exact.
    """
    small = x < 2.0**-1022
    i = _bits(x * 2.0**54 if small else x)
    u = (i + 0x0009800000000000) & 0x7FFFFFFFFFFFFFFF  # z starts at 0.703, not at 1: no cancellation below 1
    field = u & INFINITY
    j = (u >> 44) & 255
    e = _double((u >> 52) | 0x4330000000000000) - (2.0**52 + 1077.0 if small else 2.0**52 + 1023.0)
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
    return np.nan if x != x else _exp(x, -0.0)[0]


@inlined
def log_scalar(x):
    head, tail, _ = _log(x)
    y = np.inf if x == np.inf else head + tail
    y = -np.inf if x == 0.0 else y
    return y if x >= 0.0 else np.nan


@inlined
def log1p_scalar(x):
    u, low = _sum(1.0, x)
    head, tail, slope = _log(u)
    y = head + (tail + (low * slope if x < 2.0**60 else 0.0))
    y = x if x == 0.0 or x == np.inf else y
    y = -np.inf if x == -1.0 else y
    return y if x >= -1.0 else np.nan


@inlined
def expit_scalar(x):
    t, low = _exp(-abs(x), -0.0)
    d, d_low = _sum(1.0, t)
    q, q_low = _quotient(1.0 if x > 0.0 else t, 0.0 if x > 0.0 else low, d, d_low + low)
    return np.nan if x != x else q + q_low


@inlined
def logit_scalar(p):
    d, d_low = _sum(1.0, -p)
    q, q_low = _quotient(p, 0.0, d, d_low)  # log of the odds, which are known beyond a double
    head, tail, slope = _log(q)
    y = head + (tail + q_low * slope)
    y = -np.inf if p == 0.0 else y
    y = np.inf if p == 1.0 else y
    return y if 0.0 <= p <= 1.0 else np.nan


@inlined
def logaddexp_scalar(x, y):
    high, low = (x, y) if x > y else (y, x)
    d, d_low = _sum(low, -high)
    t, t_low = _exp(d, d_low)
    u, u_low = _sum(1.0, t)
    head, tail, slope = _log(u)
    s, s_low = _sum(high, head)
    z = s + (s_low + (tail + (u_low + t_low) * slope))
    z = z if d > -np.inf else high + 0.0  # nor if d is NaN: equal infinities; of zeros, the positive one
    return np.nan if x != x or y != y else z


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
        fraction if small else n,
        0.0 if small else n_low - low,
        below if small else d,
        0.0 if small else d_low + low,
    )
    y = (a if small else 0.0) + (q + q_low)
    y = -y if x < 0.0 else y
    y = x if x == 0.0 else y
    return np.nan if x != x else y


@inlined
def power_scalar(x, y):
    head, tail, r, _ = _reduced_log(x)
    square, square_low = _product(r, r)  # more exact than _log, as large exponents magnify its errors
    head, low = _sum(head, -0.5 * square)
    tail += (low - 0.5 * square_low) + r * square * _cubic(r, 1 / 7 - r * (1 / 8))
    h = head + tail
    exponent = min(max(y, -(2.0**66)), 2.0**66)  # beyond, all results but those for x = 1 are out of range
    p, p_low = _product(exponent, h)
    z, _ = _exp(p, p_low + exponent * ((head - h) + tail))
    z = x * x if y == 2.0 else z
    edge = np.inf if (x == 0.0) == (y < 0.0) else 0.0
    z = edge if x == 0.0 or x == np.inf else z
    z = z if x >= 0.0 and y == y else np.nan
    return 1.0 if x == 1.0 or y == 0.0 else z


@inlined
def xlogy_scalar(x, y):
    z = x * log_scalar(y)
    z = np.nan if z != z else z
    return 0.0 if x == 0.0 and y == y else z


@inlined
def quick_exp_scalar(t):
    """Exponential of t, taken into [-40, 40], to 1e-13 in double precision; single stays single."""
    kind = type(t)  # constants of another kind would make all of it double precision
    t = min(max(t, kind(-40.0)), kind(40.0)) * kind(1 / 256)
    p = kind(1 / 40320) + t * (kind(1 / 362880) + t * kind(1 / 3628800))
    p = kind(1 / 120) + t * (kind(1 / 720) + t * (kind(1 / 5040) + t * p))
    p = kind(1) + t * (kind(1) + t * (kind(1 / 2) + t * (kind(1 / 6) + t * (kind(1 / 24) + t * p))))
    for _ in range(8):
        p *= p
    return p
