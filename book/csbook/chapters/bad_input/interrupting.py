"""An interrupt from the keyboard, at the same place each time."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

__all__ = ["interrupt_half_way"]


def interrupt_half_way(call: Callable[[], object], rehearsal: Callable[[], object], package: str) -> None:
    """Run a call and break it off after half of the calls of functions that the whole takes.

    Parameters
    ----------
    call : callable
        What is interrupted.
    rehearsal : callable
        The same on other objects; it runs to its end.
    package : str
        Calls of this package's functions are counted.

    Raises
    ------
    RuntimeError
        If the call goes on after the interrupt.
    """
    _calls(call, package, last=_calls(rehearsal, package) // 2)


def _calls(call: Callable[[], object], package: str, last: int | None = None) -> int:
    """Number of the calls, with an interrupt at the last that is allowed."""
    count, interrupt, before = 0, KeyboardInterrupt(), sys.getprofile()

    def watch(frame: FrameType, event: str, argument: Any) -> None:
        nonlocal count
        inside = frame.f_globals.get("__name__", "").partition(".")[0] == package
        if event == "call" and inside and frame.f_code.co_name != "__del__":  # what it raises is ignored
            count += 1
            if count == last:
                raise interrupt

    sys.setprofile(watch)
    try:
        call()
    except KeyboardInterrupt as error:
        if error is not interrupt:  # but the reader's own
            raise
    else:
        if last is not None:
            raise RuntimeError(f"{package} did not end at an interrupt")
    finally:
        sys.setprofile(before)
    return count
