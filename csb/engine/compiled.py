"""The one place that decides whether functions are compiled.

Where numba is installed they are, once it pays, and their code is kept between processes. Until then, and
where numba cannot be imported or compiling is switched off (``NUMBA_DISABLE_JIT=1``), array forms in numpy
take their place, with the same bytes. Training then takes three to four times as long: 0.02 seconds for 20
stumps on 1,000 rows of 10 features, 0.14 for a hundred on 5,000 rows of 20; of ten models at once, ten times
as long. What has no array form runs as Python.
"""

from __future__ import annotations

import time
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
        f"numba cannot be imported ({reason}): numpy takes its place, with the same results, in more time",
        NotCompiledWarning,
        stacklevel=2,
    )

PATIENCE = 0.5
"""Seconds that the array form of a function may take before the function is compiled, which takes no less."""

ir: Any = llvmlite.ir if COMPILES else None
types: Any = numba.types if COMPILES else None
cgutils: Any = numba.core.cgutils if COMPILES else None

__all__ = ["COMPILES", "cgutils", "compile_at_once", "compiled", "generated", "inlined", "ir", "types"]


def compiled(plain: Callable | None = None, **options: Any) -> Callable[[Callable], Any]:
    """Decorator like ``numba.njit(cache=True, nogil=True, **options)`` that needs no place for its cache.

    ``plain`` is an array form of the function: it takes the same arguments, calls numpy in place of a loop
    over rows, and gives the same bytes. It serves where nothing is compiled, and elsewhere until compiling
    pays, unless an earlier process has kept the code. Compiled callers have the function compiled at once.
    """

    def decorate(function: Callable) -> Any:
        if not COMPILES:
            return _interpreted(plain or function)
        made: Any = numba.njit(nogil=True, **options)(function)
        keep_code(made, function)
        if plain is not None:
            _put_off(made, plain)
        return made

    return decorate


def _put_off(made: Any, plain: Callable) -> None:
    """Have the array form called in place of what is not compiled, until that has taken ``PATIENCE``.

    What numba made asks its method for the code of argument types that it has not met; once there is code, no
    call passes through here.
    """
    compile_for, run, spent = made._compile_for_args, _interpreted(plain), 0.0

    def timed(*arguments: Any) -> Any:
        nonlocal spent
        start = time.thread_time()
        try:
            return run(*arguments)
        finally:
            spent += time.thread_time() - start

    def find_code(*arguments: Any) -> Callable:
        if spent < PATIENCE and not is_kept(made, tuple(map(numba.typeof, arguments))):
            return timed
        return compile_for(*arguments)

    made._compile_for_args, made.plain = find_code, plain


def compile_at_once() -> None:
    """Compile from now on whatever is called, and without a notice."""
    global PATIENCE
    PATIENCE = 0
    if COMPILES:
        notice.is_due = False


def inlined(function: Callable) -> Any:
    """Decorator of scalar functions that become part of the compiled functions which call them."""
    return numba.njit(forceinline=True, error_model="numpy")(function) if COMPILES else function


def generated(generator: Callable) -> Any:
    """Decorator of a function that generates machine code, for compiled functions alone."""
    return numba.extending.intrinsic(generator) if COMPILES else None


def _interpreted(function: Callable) -> Callable:
    """The function with the arithmetic of compiled code: of doubles, and without a word on what overflows."""

    @wraps(function)
    def run(*args: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*(np.float64(arg) if type(arg) is float else arg for arg in args))

    return run
