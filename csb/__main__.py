"""The command ``csb``, or ``python -m csb``: the version, compiling beforehand, where other commands are."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
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
        try:
            return compile_all()
        except KeyboardInterrupt:
            print("interrupted; what is compiled is kept", file=sys.stderr)
            return 130
    if arguments.command or rest:
        parser.error(f"unrecognized arguments: {' '.join([*arguments.command, *rest])}; {book}")
    parser.print_help()
    return 0


def compile_all() -> int:
    """Call what users call first, on a few rows, so that its code is kept; 1 where it is not, else 0."""
    if not COMPILES:
        return _failed("nothing is compiled: numba is absent, or switched off by NUMBA_DISABLE_JIT")
    from csb.engine.code_cache import FOLDERS

    if not FOLDERS:
        return _failed("no folder for compiled code can be written (NUMBA_CACHE_DIR may name one)")
    compile_at_once()
    for name, call in PARTS.items():
        start = perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            call()
        print(f"{name:28s}{perf_counter() - start:6.1f} s", flush=True)
    place = os.path.commonpath(FOLDERS)
    if not all(FOLDERS.values()):
        return _failed(f"code cannot be kept below {place} (NUMBA_CACHE_DIR may name another folder)")
    print(f"kept below {place}")
    return 0


def _failed(why: str) -> int:
    print(f"csb compile: {why}", file=sys.stderr)
    return 1


def _elementary() -> None:
    x = np.full(2, 0.5)
    for name in elementary.__all__:
        if not name.endswith("_scalar"):
            function: Callable[..., Any] = getattr(elementary, name)
            function(*[x] * (2 if name in PAIRS else 1))


def _fits(*models: Any) -> Callable[[], None]:
    """A call that fits models to drawn rows, and has them predict."""

    def call() -> None:
        y = np.arange(600) % 2
        X = np.random.default_rng(0).normal(size=(600, 3)) + y[:, np.newaxis]
        for model in models:
            # few values have codes of another type than many, and data frames another order in memory
            for rows in (X[:60], X, pd.DataFrame(X)):
                model.fit(rows, y[: len(rows)]).predict(rows)

    return call


PAIRS = {"log_ratio", "logaddexp", "power", "xlogy"}
PARTS: dict[str, Callable[[], None]] = {
    "elementary functions": _elementary,
    "boosting on stumps": _fits(csb.AdaBoost(n_estimators=3)),
    "boosting on trees": _fits(csb.CGAda(estimator="tree", n_estimators=3)),
    "boosting on logistic curves": _fits(csb.CGAda(estimator="univariate_logistic", n_estimators=3)),
    "steps of AdaUBoost and AdaDB": _fits(
        csb.AdaUBoost(fn_cost=3, n_estimators=3), csb.AdaDB(n_estimators=3)
    ),
    "gradient descent": _fits(csb.GDAdaC1(fn_cost=3, n_estimators=3)),
    "LogitBoost": _fits(csb.LogitBoost(n_estimators=3), csb.AsyBL(n_estimators=3)),
    "decisions and calibration": _fits(
        csb.CostDecision(LogisticRegression(), calibration="venn_abers"), csb.CalibratedAdaMEC()
    ),
    "recommend": _fits(csb.BoostingCV(csb.AdaBoost(n_estimators=3), cv=2)),
}


if __name__ == "__main__":
    sys.exit(main())
