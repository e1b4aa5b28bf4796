"""A line for whoever waits at a terminal while functions are compiled for the first time."""

from __future__ import annotations

import sys
from multiprocessing import parent_process
from time import perf_counter
from typing import Any

from numba.core import event

__all__ = ["notice"]

WAIT = 1.0
"""Seconds of compiling that pass without a word."""
NOTICE = 'csb: compiling its loops for the first time, some seven seconds; "csb compile" does so once for all'


class CompileNotice(event.Listener):
    """Adds up the time for which functions of this package are compiled, and speaks once.

    Only to a terminal: outputs of notebooks and logs must not depend on what was compiled before. Worker
    processes say nothing, lest each of them does.
    """

    def __init__(self) -> None:
        self.is_due, self._waited, self._depth, self._start = parent_process() is None, 0.0, 0, 0.0

    def on_start(self, event: Any) -> None:
        """A function, perhaps called by one that is being compiled, is begun."""
        if not self._depth:
            if not event.data["dispatcher"].py_func.__module__.startswith("csb"):
                return
            self._start = perf_counter()
        self._depth += 1
        if self.is_due and self._waited + perf_counter() - self._start > WAIT:
            self.is_due = False
            if sys.stderr is not None and sys.stderr.isatty():
                print(NOTICE, file=sys.stderr, flush=True)

    def on_end(self, event: Any) -> None:
        """A function is compiled."""
        if self._depth:
            self._depth -= 1
            if not self._depth:
                self._waited += perf_counter() - self._start


notice = CompileNotice()
event.register("numba:compile", notice)
