"""The array forms of the book's learners leave the bytes of the compiled code, whatever they are given."""

from copy import deepcopy

import numpy as np
import pytest

from csb.engine import compiled
from csbook.learners import linear_algebra, logistic
from csbook.learners.linear_algebra import STRIDE, TALL

pytestmark = pytest.mark.skipif(not compiled.COMPILES, reason="nothing is compiled")


def drawn(seed, kind):
    """Arguments of each function: numbers of many sizes, and zeros of either sign."""
    rng = np.random.default_rng(seed)

    def numbers(*shape, kind=kind):
        z = rng.normal(size=shape) * 10.0 ** rng.integers(-3, 4)
        z[rng.random(shape) < 0.1] = rng.choice([0.0, -0.0])
        return z.astype(kind)

    n, d, few = int(rng.integers(1, 300)), STRIDE * int(rng.integers(1, 9)), int(rng.integers(1, 20))
    width = 2 * STRIDE * int(rng.integers(1, 5))
    blocks = linear_algebra.in_blocks(numbers(n, few))
    padded = blocks.shape[0] * blocks.shape[2]
    new = numbers(n, 3, kind=float) @ numbers(3, d, kind=float) if seed % 2 else np.round(numbers(n, d))
    z, dz, w, labels, residual, curvature = numbers(6, n)
    return {
        linear_algebra.dot: (numbers(d), numbers(d)),
        linear_algebra.largest: (numbers(d),),
        linear_algebra.add_rows: (numbers(n), numbers(n, width + 16), numbers(width)),
        linear_algebra.add_squares: (
            numbers(few), numbers(few, width), numbers(width - STRIDE, width),
            STRIDE * int(rng.integers(0, width // STRIDE)), numbers(few, TALL),
        ),
        linear_algebra.multiply: (numbers(n, d, kind=float), numbers(d, STRIDE, kind=float)),
        linear_algebra.in_blocks: (numbers(n, few),),
        linear_algebra.rows_times: (blocks, numbers(few), numbers(padded)),
        linear_algebra.times_rows: (
            numbers(padded), blocks, numbers(few, blocks.shape[2] // 4), numbers(few),
        ),
        linear_algebra.row_space: (new.astype(float),),
        logistic._sum_squares: (
            numbers(n, d, kind=np.float32), np.abs(curvature) / n, np.array([1e-12, rng.choice([1e-6, 1.0])]),
            numbers(d, d + d % 16, kind=np.float32),
        ),
        logistic._evaluate: (w, labels, z, dz, float(rng.random()), residual, curvature),
        logistic._coarsely: (numbers(n, d, kind=float) * 1e-6, 1e-7),
    }  # fmt: skip


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_array_forms_leave_the_bytes_of_compiled_code(kind, monkeypatch):
    monkeypatch.setattr(compiled, "PATIENCE", 0)
    for seed in range(60):
        for function, given in drawn(seed, kind).items():
            ours, theirs = deepcopy(given), deepcopy(given)
            returned = function(*ours), function.plain(*theirs)
            for one, other in zip((*ours, returned[0]), (*theirs, returned[1]), strict=True):
                if one is not None:
                    assert np.float64(one).tobytes() == np.float64(other).tobytes(), (function, seed)
            assert function.signatures, "it is the compiled code that has run"


def test_no_array_form_is_left_out():
    objects = [each for module in (linear_algebra, logistic) for each in vars(module).values()]
    assert {each for each in objects if hasattr(each, "plain")} == {*drawn(0, float)}
