"""The command ``csb``, or ``python -m csb``: its version, compiling beforehand, and where the book's commands are."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression

import csb
from csb.engine import elementary
from csb.engine.compiled import COMPILES, compile_at_once


def main(argv: list[str] | None = None) -> int:
    """Print the version, or compile; of a command that the book's package has, say so."""
    book = "data, properties and study are commands of csbook, in cost-sensitive-boosting-book"
    parser = argparse.ArgumentParser(
        prog="csb",
        usage="%(prog)s [-h] [--version] [compile]",
        description="Cost-sensitive boosting. `csb compile` compiles what is called first and keeps it, "
        "in the folder that NUMBA_CACHE_DIR names if it does: no later process waits for that.",
        epilog=book,
    )
    parser.add_argument("--version", action="version", version=f"csb {csb.__version__}")
    parser.add_argument("command", nargs="*", help=argparse.SUPPRESS)
    arguments, rest = parser.parse_known_args(argv)
    if [*arguments.command, *rest] == ["compile"]:
        return compile_all()
    if arguments.command or rest:
        parser.error(f"unrecognized arguments: {' '.join([*arguments.command, *rest])}; {book}")
    parser.print_help()
    return 0


def compile_all() -> int:
    """Call what users call first, on a few rows, so that its code is kept; whether it was, as an exit code."""
    if not COMPILES:
        print("csb compile: nothing is compiled: numba is absent, or switched off by NUMBA_DISABLE_JIT")
        return 1
    from csb.engine.code_cache import FOLDERS

    if not FOLDERS:
        print("csb compile: no folder for compiled code can be written (NUMBA_CACHE_DIR may name one)")
        return 1
    compile_at_once()
    for name, call in PARTS.items():
        start = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
        print(f"{name:28s}{perf_counter() - start:6.1f} s", flush=True)
    place = os.path.commonpath(FOLDERS)
    if not all(FOLDERS.values()):
        print(f"csb compile: compiled code cannot be kept below {place} (NUMBA_CACHE_DIR may name another folder)")
        return 1
    print(f"kept below {place}")
    return 0


def _elementary() -> None:
    x = np.full(2, 0.5)
    for name in elementary.__all__:
        if not name.endswith("_scalar"):
            function: Callable[..., Any] = getattr(elementary, name)
            function(*[x] * (2 if name in PAIRS else 1))


def _fits(*models: Any, classes: int = 2) -> Callable[[], None]:
    """A call that fits models to drawn rows, and has them predict."""

    def call() -> None:
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 3)), np.arange(60) % classes
        X[:, 0] += y
        for model in models:
            model.fit(X, y).predict(X)

    return call


PAIRS = {"log_ratio", "logaddexp", "power", "xlogy"}
PARTS: dict[str, Callable[[], None]] = {
    "elementary functions": _elementary,
    "AdaBoost on stumps": _fits(csb.AdaBoost(n_estimators=3)),
    "CostDecision": _fits(csb.CostDecision(LogisticRegression(), fn_cost=2)),
}


if __name__ == "__main__":
    sys.exit(main())
