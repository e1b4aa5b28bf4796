"""The one place that decides whether functions are compiled.

Where numba is installed, they are, and their code is kept between processes. Where it is absent, cannot be imported,
or compiling is switched off (``NUMBA_DISABLE_JIT=1``), the same functions run as Python: with the same results,
and fifty to some hundred times slower in the loops over rows.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from csb.inputs import NotCompiledWarning

try:
    from llvmlite import ir
    from numba import config, njit, types
    from numba.core import cgutils
    from numba.extending import intrinsic

    from csb.engine.code_cache import keep_code

    COMPILES = not config.DISABLE_JIT
except ImportError as reason:
    COMPILES, ir, types, cgutils, intrinsic = False, None, None, None, None
    warnings.warn(
        f"numba cannot be imported ({reason}): csb runs as plain Python, with the same results, but slowly",
        NotCompiledWarning,
        stacklevel=2,
    )

__all__ = ["COMPILES", "cgutils", "compiled", "generated", "inlined", "ir", "types"]


def compiled(**options: Any) -> Callable[[Callable], Any]:
    """Decorator like ``numba.njit(cache=True, nogil=True, **options)`` that needs no place for its cache."""

    def decorate(function: Callable) -> Any:
        if not COMPILES:
            return _interpreted(function)
        made: Any = njit(nogil=True, **options)(function)
        keep_code(made, function)
        return made

    return decorate


def inlined(function: Callable) -> Any:
    """Decorator of scalar functions that become part of the compiled functions which call them."""
    return njit(forceinline=True, error_model="numpy")(function) if COMPILES else function


def generated(plain: Callable) -> Callable[[Callable], Any]:
    """Decorator of a function that generates machine code; what it does is written in Python by ``plain``."""
    return intrinsic if COMPILES else lambda generator: plain


def _interpreted(function: Callable) -> Callable:
    """The function with the arithmetic of compiled code: of doubles, and without a word on what overflows."""

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*(np.float64(arg) if type(arg) is float else arg for arg in args))

    return run
