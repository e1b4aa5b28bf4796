"""Elementary functions: exact values, the limits of numpy and scipy, and the same bytes on any processor."""

import os
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from numba import njit
from scipy import special

from csb.engine import compiled, elementary
from csb.engine.rules import LARGEST_ALPHA

ONE = ["exp", "expit", "log", "log1p", "logit", "tanh"]
TWO = ["logaddexp", "power", "xlogy"]
REFERENCE = {
    name: getattr(special if name in ("expit", "logit", "xlogy") else np, name) for name in ONE + TWO
}
LIMITS = [0.0, 0.5, 1.0, 2.0, 3.0, 709.5, 800.0, 1e-310, 5e-324, 2.3e-308, 1e-17, 1e300, 1.7e308, np.inf]
LIMITS = np.array([*LIMITS, *(-x for x in LIMITS), np.nan])


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    monkeypatch.setattr(compiled, "PATIENCE", 0)


EXACT = {
    "exp": mpmath.exp,
    "expit": lambda x: 1 / (1 + mpmath.exp(-x)),
    "log": mpmath.log,
    "log1p": lambda x: mpmath.log(1 + x),
    "logaddexp": lambda x, y: mpmath.log(mpmath.exp(x) + mpmath.exp(y)),
    "logit": lambda p: mpmath.log(p / (1 - p)),
    "power": mpmath.power,
    "tanh": mpmath.tanh,
    "xlogy": lambda x, y: x * mpmath.log(y),
}


def draw(low, high, n=60, seed=0):
    """Numbers of all magnitudes between two positive ones."""
    return np.exp(np.random.default_rng(seed).uniform(np.log(low), np.log(high), n))


def evenly(low, high, n=60, seed=0):
    return np.random.default_rng(seed).uniform(low, high, n)


def around(centres, steps=3):
    """Each number and its nearest neighbours, in order."""
    centres = np.asarray(centres)
    return np.sort(np.concatenate([centres + k * np.spacing(centres) for k in range(-steps, steps + 1)]))


def errors(name, *arguments):
    """Errors in units of the last place of the exact values."""
    found = getattr(elementary, name)(*arguments)
    result = []
    with mpmath.workprec(2400):  # 1 + exp(-745) needs more than a thousand bits
        for value, *numbers in zip(found.tolist(), *(a.tolist() for a in arguments), strict=True):
            exact = EXACT[name](*map(mpmath.mpf, numbers))
            unit = mpmath.ldexp(1, max(mpmath.frexp(exact)[1], -1021) - 53)
            result.append(float(abs(value - exact) / unit))
    return np.array(result)


near_one = np.concatenate([1 + draw(1e-16, 0.03), 1 - draw(1e-16, 0.03)])
steps = around(np.arange(-700.5, 700) * np.log(2) / 128)[::13]
edges = around([(360 + j) / 512 for j in range(152)] + [1 + j / 256 for j in range(104)])
bases, sizes = draw(1e-3, 1e3), evenly(-700, 700, seed=1)

CASES = [
    ("exp", 0.51, evenly(-708, 709.78)),
    ("exp", 0.51, np.concatenate([draw(1e-18, 1), -draw(1e-18, 1), steps])),
    ("exp", 0.76, evenly(-745.1, -708)),
    ("log", 0.51, np.concatenate([draw(5e-324, 1.7e308), near_one, edges])),
    ("log1p", 1.0, np.concatenate([draw(5e-324, 1.7e308), draw(1e-18, 1), -draw(1e-18, 0.9), evenly(-1, 3)])),
    ("expit", 0.51, np.concatenate([evenly(-708, 40), evenly(-5, 5), draw(1e-18, 1)])),
    ("expit", 0.76, evenly(-745.1, -708)),
    ("logit", 0.51, np.concatenate([draw(5e-324, 0.5), 1 - draw(1e-16, 0.5), 0.5 * near_one, evenly(0, 1)])),
    ("tanh", 0.55, np.concatenate([draw(5e-324, 20), -draw(1e-3, 1), around([0.35]), evenly(-20, 20)])),
    ("logaddexp", 0.51, evenly(0, 300), evenly(0, 300, seed=1)),
    ("logaddexp", 1.0, np.zeros(60), evenly(-745, 0)),
    ("power", 0.51, bases, sizes / np.log(bases)),
    ("power", 0.51, near_one[::2], np.clip(sizes / np.log1p(near_one[::2] - 1), -1e17, 1e17)),
    ("power", 0.51, draw(5e-324, 1.7e308), evenly(-0.9, 0.9)),
    ("xlogy", 1.5, evenly(-3, 3), bases),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def test_errors_are_small(case):
    name, bound, *arguments = case
    assert errors(name, *arguments).max() < bound


def test_logaddexp_is_exact_to_1e_18_where_its_terms_cancel():
    x = -draw(0.01, 3)
    y = np.log1p(-np.exp(x))
    with mpmath.workprec(200):
        exact = [EXACT["logaddexp"](mpmath.mpf(a), mpmath.mpf(b)) for a, b in zip(x, y, strict=True)]
        found = elementary.logaddexp(x, y)
        assert max(abs(float(a) - b) for a, b in zip(found, exact, strict=True)) < 1e-18


@pytest.mark.parametrize("name", ONE + TWO)
def test_limits_are_those_of_numpy_and_scipy(name):
    arguments = [LIMITS] if name in ONE else np.meshgrid(LIMITS, LIMITS)
    if name == "power":
        arguments = [a[~np.signbit(arguments[0])] for a in arguments]  # no negative bases
    with np.errstate(all="ignore"):
        expected = REFERENCE[name](*arguments)
    with np.errstate(all="raise"):
        found = getattr(elementary, name)(*arguments)
    np.testing.assert_allclose(found, expected, rtol=1e-15, atol=1e-323)
    plain = np.isin(expected, [0.0, 1.0]) | ~np.isfinite(expected)
    np.testing.assert_array_equal(found[plain], expected[plain])
    assert (np.signbit(found) == np.signbit(expected))[found == 0].all()


def test_exact_values_are_exact():
    x = np.concatenate([draw(5e-324, 1.7e308), edges])
    assert elementary.exp(0.0) == 1 and elementary.log(1.0) == 0 and elementary.expit(0.0) == 0.5
    assert elementary.logit(0.5) == 0 and elementary.tanh(40.0) == 1
    for exponent, expected in [(0.0, np.ones_like(x)), (1.0, x)]:
        np.testing.assert_array_equal(elementary.power(x, exponent), expected)
    bounded = x[(x > 1e-150) & (x < 1e150)]
    np.testing.assert_array_equal(elementary.power(bounded, 2.0), bounded * bounded)
    np.testing.assert_array_equal(
        elementary.power(2.0, np.arange(-1074.0, 1024)), np.ldexp(1.0, range(-1074, 1024))
    )
    assert np.isnan(elementary.power(-2.0, 3.0)) and elementary.power(-2.0, 0.0) == 1


def test_tanh_is_odd_and_logaddexp_symmetric():
    x, y = evenly(-3, 3, 2000), evenly(-3, 3, 2000, seed=1)
    np.testing.assert_array_equal(elementary.tanh(-x), -elementary.tanh(x))
    np.testing.assert_array_equal(elementary.logaddexp(x, y), elementary.logaddexp(y, x))


@pytest.mark.parametrize(
    "name, centres",
    [
        ("exp", np.arange(-90000.5, 90000, 37) * np.log(2) / 128),
        ("exp", [-708.0, 709.0]),
        ("log", np.concatenate([s * edges for s in (0.25, 1.0, 2.0**40)])),
        ("log1p", edges),
        ("expit", np.arange(-4000.5, 4000) * np.log(2) / 128),
        ("logit", edges[edges < 0.99]),
        ("tanh", np.append(np.arange(45.5, 1000) * np.log(2) / 256, 0.35)),
    ],
)
def test_no_step_back_where_tables_change(name, centres):
    assert (np.diff(getattr(elementary, name)(around(centres))) >= 0).all()


@pytest.mark.parametrize("name", ONE + TWO)
def test_shapes_and_order_in_memory_are_those_of_numpy(name):
    function = getattr(elementary, name)
    x = np.random.default_rng(0).random((3, 4, 5))
    layouts = [
        x,
        x.T,
        x[::2, :, 1:4],
        x.swapaxes(0, 1),
        x[::-1],
        np.asfortranarray(x),
        x[:0],
        x[1, 2, 3],
        x[:, :1],
    ]
    for a in layouts:
        seconds = [None] if name in ONE else [a, a[..., :1], 0.25, np.array(0.25)] if a.ndim else [0.25]
        for b in seconds:
            arguments = [a] if b is None else [a, b]
            found, expected = function(*arguments), REFERENCE[name](*arguments)
            assert type(found) is type(expected) and found.dtype == expected.dtype
            assert found.shape == expected.shape and found.strides == expected.strides
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)
    if name in TWO:
        np.testing.assert_array_equal(
            function(x[0, 0], x[0, :, :1]), function(*np.broadcast_arrays(x[0, 0], x[0, :, :1]))
        )
    assert isinstance(function(*[1] * (2 if name in TWO else 1)), np.float64)


def bit_patterns(seed, n=20_000):
    """Doubles of all kinds, usual ones, and the limits, in an order of their own."""
    rng = np.random.default_rng(seed)
    wide = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
    return rng.permutation(np.concatenate([wide, evenly(-750, 750, n), evenly(0, 2, n), np.tile(LIMITS, 20)]))


@pytest.mark.skipif(not compiled.COMPILES, reason="nothing is compiled")
@pytest.mark.parametrize("name", [*ONE, *TWO, "log_ratio"])
def test_compiled_code_gives_the_bytes_of_numpy(name, monkeypatch):
    x, y = bit_patterns(0), bit_patterns(1)
    x = np.concatenate([x, np.repeat(LIMITS, len(LIMITS)), np.full(len(LIMITS), 2.5)])
    y = np.concatenate([y, np.tile(LIMITS, len(LIMITS)), LIMITS])
    arguments = [x] if name in ONE else [x, y]
    found = getattr(elementary, name)(*arguments)
    with np.errstate(all="ignore"):
        plain = elementary.OF_ARRAYS[f"{name}_scalar"](*arguments)
    np.testing.assert_array_equal(found.view(np.int64), plain.view(np.int64))
    few = [a[:: len(a) // 50] for a in arguments]
    alone = [getattr(elementary, name)(*pair) for pair in zip(*few, strict=True)]
    np.testing.assert_array_equal(np.array(alone).view(np.int64), found[:: len(x) // 50].view(np.int64))


@pytest.mark.parametrize("name", ONE + TWO)
def test_other_kernels_get_the_same_values(name):
    scalar = getattr(elementary, f"{name}_scalar")
    x, y = evenly(0.01, 0.99, 37), evenly(0.01, 0.99, 37, seed=1)

    @njit
    def last_first(x, y):
        out = np.empty_like(x)
        for i in range(x.shape[0] - 1, -1, -1):
            out[i] = scalar(x[i])
        return out

    @njit
    def last_first_of_two(x, y):
        out = np.empty_like(x)
        for i in range(x.shape[0] - 1, -1, -1):
            out[i] = scalar(x[i], y[i])
        return out

    whole = getattr(elementary, name)(*[x, y][: 2 if name in TWO else 1])
    np.testing.assert_array_equal((last_first_of_two if name in TWO else last_first)(x, y), whole)


FINGERPRINTS = """
import hashlib
import numpy as np
from csb.engine import elementary
from csb.engine.compiled import compile_at_once
from csb.engine.rules import LARGEST_ALPHA

compile_at_once()
rng = np.random.default_rng(0)  # only random bits and products of them: its normal numbers call exp and log
n = 100_000
wide = rng.integers(0, 2**64, n, dtype=np.uint64).view(np.float64)
usual, other, unit = 60 * rng.random(n) - 30, 60 * rng.random(n) - 30, rng.random(n)
for name in {one}:
    values = [getattr(elementary, name)(x) for x in (wide, usual, abs(usual), unit)]
    print(name, *(hashlib.sha256(v.tobytes()).hexdigest() for v in values))
for name in {two}:
    pairs = (wide, usual), (abs(usual), other), (unit, abs(other))
    values = [getattr(elementary, name)(x, y) for x, y in pairs]
    print(name, *(hashlib.sha256(v.tobytes()).hexdigest() for v in values))
"""


def fingerprints(**variables):
    root = str(Path(elementary.__file__).parents[2])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    run = subprocess.run(
        [sys.executable, "-c", FINGERPRINTS.format(one=ONE, two=TWO)],
        env=os.environ | {"PYTHONPATH": path} | variables, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return run.stdout


def test_every_processor_gets_the_same_bytes():
    features = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    plain = fingerprints(
        NUMBA_CPU_NAME="generic",
        NUMBA_CPU_FEATURES="",
        NPY_DISABLE_CPU_FEATURES=" ".join(features),
        GLIBC_TUNABLES="glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
    )
    assert plain.count("\n") == len(ONE + TWO)
    assert fingerprints() == plain


def test_largest_vote_is_half_the_log_odds_of_its_definition():
    odds = (1 - 1e-10) / 1e-10
    assert LARGEST_ALPHA == float(mpmath.log(odds) / 2) == 0.5 * elementary.log(odds)
