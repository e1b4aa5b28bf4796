"""Who computes the units: processes here, or the workers of a Dask cluster; and how they are ended."""

from __future__ import annotations

import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn

from joblib import Parallel, delayed

__all__ = ["TIMEOUT", "run_tasks", "ended_by_sigterm"]

Task = Callable[[Any], object]
"""What is done for an item; its result is dropped."""

TIMEOUT = 300.0
"""Seconds for which a cluster may be without workers."""

POLL = 5.0
"""Seconds between two looks at the workers of a cluster."""


def run_tasks(
    task: Task, items: Sequence, *, workers: int, scheduler: str | None, timeout: float
) -> Generator[None, None, None]:
    """Call a task for every item, in any order, and yield as often as one has come to its end.

    Parameters
    ----------
    task : callable
        What is done; its result is dropped.
    items : sequence
        What it is done for.
    workers : int
        Processes, unless there is a scheduler.
    scheduler : str or None
        Address of a Dask scheduler.
    timeout : float
        Seconds for which the cluster may be without workers.

    Raises
    ------
    ValueError
        If ``scheduler`` is named and Dask is not installed.
    OSError
        If one of the processes was killed, the cluster is not reached, or was without workers for longer
        than ``timeout``.
    """
    if scheduler is None:
        return _in_processes(task, items, workers)
    return _on_cluster(task, items, scheduler, timeout)


def _in_processes(task: Task, items: Sequence, workers: int) -> Generator[None, None, None]:
    calls = (delayed(_beside)(task, os.getpid(), item) for item in items)
    try:
        yield from Parallel(n_jobs=workers, backend="loky", return_as="generator_unordered")(calls)
    except BrokenProcessPool as error:
        raise OSError(
            "a process that computed a unit was killed, perhaps for want of memory. What is finished is "
            "kept: run the same again, with fewer workers"
        ) from error


def _beside(task: Task, parent: int, item: object) -> None:
    if os.getpid() != parent:
        _end_with(parent)
    task(item)


@cache
def _end_with(parent: int) -> None:
    """End this process when the one that started it is no more: one that is killed cannot end its workers."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _on_cluster(task: Task, items: Sequence, scheduler: str, timeout: float) -> Generator[None, None, None]:
    try:
        from distributed import Client, wait
    except ImportError:
        raise ValueError(
            f"scheduler={scheduler!r} needs Dask: pip install 'cost-sensitive-boosting[dask]'"
        ) from None
    with Client(scheduler) as client:
        left = [client.submit(task, item, pure=False) for item in items]
        seen, told = time.monotonic(), False
        while left:
            try:
                done, left = wait(left, timeout=min(POLL, timeout), return_when="FIRST_COMPLETED")
            except TimeoutError:
                done = ()
            for future in done:
                yield future.result()
            if done or client.ncores():
                seen, told = time.monotonic(), False
                continue
            if not told:
                told = True
                warnings.warn(f"scheduler={scheduler!r} has no workers: waiting {timeout:g} s", stacklevel=2)
            if time.monotonic() - seen > timeout:
                raise TimeoutError(
                    f"scheduler={scheduler!r} was without workers for {timeout:g} s. What is finished is "
                    "kept: start workers and run the same again, or allow for a longer timeout"
                )


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Let SIGTERM end what runs within as an exception does, so that its workers are ended too.

    Where the signal is handled otherwise, or not in this thread, it is left alone.
    """
    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return

    def stop(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
