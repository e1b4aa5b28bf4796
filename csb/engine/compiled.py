"""The one place that decides whether functions are compiled.

Where numba is installed they are, and their code is kept between processes. Where it cannot be imported, or
compiling is switched off (``NUMBA_DISABLE_JIT=1``), the same functions run as Python. A sum may then differ
in its last digits, and training takes a hundred to four hundred times as long: 3 seconds for 20 stumps on
1,000 rows of 10 features, a minute for as many trees.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from csb.inputs import NotCompiledWarning

try:
    import llvmlite.ir
    import numba.core.cgutils
    import numba.extending

    from csb.engine.code_cache import is_kept, keep_code
    from csb.engine.compile_notice import notice

    settings: Any = numba.config
    COMPILES = not settings.DISABLE_JIT
except ImportError as reason:
    COMPILES = False
    warnings.warn(
        f"numba cannot be imported ({reason}): csb runs as plain Python, with the same results, but slowly",
        NotCompiledWarning,
        stacklevel=2,
    )

PATIENCE = 2_000_000
"""How many numbers a function takes before it is compiled: in numpy, they last some tenths of a second."""
CALL = 1000
"""Numbers that last as long as the call itself."""

ir: Any = llvmlite.ir if COMPILES else None
types: Any = numba.types if COMPILES else None
cgutils: Any = numba.core.cgutils if COMPILES else None

__all__ = [
    "COMPILES", "cgutils", "compile_at_once", "compiled", "compiled_once_it_pays", "generated", "inlined",
    "ir", "types",
]  # fmt: skip


def compiled(**options: Any) -> Callable[[Callable], Any]:
    """Decorator like ``numba.njit(cache=True, nogil=True, **options)`` that needs no place for its cache."""

    def decorate(function: Callable) -> Any:
        if not COMPILES:
            return _interpreted(function)
        made: Any = numba.njit(nogil=True, **options)(function)
        keep_code(made, function)
        return made

    return decorate


def compiled_once_it_pays(plain: Callable[..., None], **options: Any) -> Callable[[Callable], Any]:
    """Decorator like :func:`compiled` of a loop over doubles, the last array of which is filled.

    Until compiling pays, and unless an earlier process has done it, ``plain`` takes its place, which must
    fill in the same bytes.
    """

    def decorate(function: Callable) -> Any:
        plainly = _interpreted(plain)
        if not COMPILES:
            return plainly
        made: Any = compiled(**options)(function)
        spent: float | None = None

        def run(*arrays: np.ndarray) -> None:
            nonlocal spent
            if spent is None:
                spent = np.inf if is_kept(made, arrays) else 0
            if spent < PATIENCE:
                spent += CALL + arrays[-1].size
                plainly(*arrays)
            else:
                made(*arrays)

        return run

    return decorate


def compile_at_once() -> None:
    """Compile from now on whatever is called, and without a notice."""
    global PATIENCE
    PATIENCE = 0
    if COMPILES:
        notice.is_due = False


def inlined(function: Callable) -> Any:
    """Decorator of scalar functions that become part of the compiled functions which call them."""
    return numba.njit(forceinline=True, error_model="numpy")(function) if COMPILES else function


def generated(plain: Callable) -> Callable[[Callable], Any]:
    """Decorator of a function that generates machine code; what it does is written in Python by ``plain``."""
    return numba.extending.intrinsic if COMPILES else lambda generator: plain


def _interpreted(function: Callable) -> Callable:
    """The function with the arithmetic of compiled code: of doubles, and without a word on what overflows."""

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*(np.float64(arg) if type(arg) is float else arg for arg in args))

    return run
