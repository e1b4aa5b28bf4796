"""``CostDecision`` on a cluster of this machine: time and peak memory of each worker, however many the rows.

``python -m benchmarks.cluster --rows 20000`` is quick; the recorded run has the defaults. Blocks are drawn by
the workers, so that no process ever holds the table.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask.array as da
import numpy as np
import pandas as pd
from dask import delayed
from dask.utils import parse_bytes
from distributed import Client, LocalCluster
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator

from benchmarks.timing import SEED, peak_memory, problem
from csb import CostDecision
from csb.inputs import check_count
from csbook.command_line import in_one_line, path, word
from csbook.records import check_writable
from csbook.studies import source_sha256, write_results

__all__ = ["blocks", "measure"]

FEATURES = 20
BLOCK = 250_000
"""Rows of a block, 40 MB of double precision."""
SAMPLE = 100_000
"""Rows that the classifier is trained on; another draw than the blocks."""
FN_COST = 5.0


def blocks(rows: int, block: int = BLOCK) -> tuple[Any, Any]:
    """The problem of the benchmarks in blocks, each of a seed of its own, none of them drawn yet.

    Parameters
    ----------
    rows : int
        Rows of all blocks.
    block : int
        Rows of one; the last may have fewer.

    Returns
    -------
    X : dask array of shape (rows, 20)
        Features.
    y : dask array of shape (rows,)
        0 or 1.
    """
    sizes = [min(block, rows - start) for start in range(0, rows, block)]
    parts = [delayed(problem, nout=2)(size, FEATURES, SEED + 1 + k) for k, size in enumerate(sizes)]
    X = [da.from_delayed(X, (size, FEATURES), float) for (X, _), size in zip(parts, sizes, strict=True)]
    y = [da.from_delayed(y, (size,), np.int8) for (_, y), size in zip(parts, sizes, strict=True)]
    return da.concatenate(X), da.concatenate(y)


def _mean_cost(y: Any, called: Any, fn_cost: Any) -> float:
    """Of all decisions, a false alarm costing one."""
    return float(da.where(y == 1, da.where(called == 1, 0.0, fn_cost), called == 1).mean().compute())


def _steps(model: CostDecision, rows: int) -> dict[str, Callable[[], float | None]]:
    """What is measured, by name; the decisions give their mean cost."""
    X, y = blocks(rows)
    own = 1 + 4 * da.fabs(X[:, 0])  # what each case would cost if it is missed

    def calibrate() -> None:
        model.fit(X, y)

    return {
        "calibrate": calibrate,
        "decide": lambda: _mean_cost(y, model.predict(X), FN_COST),
        "decide, costs of each case": lambda: _mean_cost(y, model.predict(X, fn_cost=own), own),
    }


def measure(rows: list[int], workers: int, memory: str, sample: int = SAMPLE) -> pd.DataFrame:
    """Calibrate gradient boosting of a sample on all rows, and decide on all, by one cost and by own costs.

    Parameters
    ----------
    rows : list of int
        Sizes of the tables, each on a new cluster.
    workers : int
        Processes, of one thread each.
    memory : str
        Limit for each worker, such as "1GiB"; one that exceeds it is ended and begun anew.
    sample : int
        Rows that the classifier is trained on, in this process.

    Returns
    -------
    DataFrame
        One row per size and step: seconds; the largest memory of a worker so far and before the first step,
        in mebibytes; how many workers were begun anew; and the mean cost of the decisions.
    """
    ready = HistGradientBoostingClassifier(random_state=SEED).fit(*problem(sample, FEATURES))
    found = []
    for n in rows:
        model = CostDecision(FrozenEstimator(ready), fn_cost=FN_COST)
        cluster = LocalCluster(
            n_workers=workers, threads_per_worker=1, memory_limit=memory, dashboard_address=":0"
        )
        with cluster, Client(cluster) as client:
            few = blocks(100 * workers, 100)
            model.fit(*few).predict(few[0]).compute()  # each worker loads the code
            first, before = client.run(os.getpid), client.run(peak_memory)
            for step, work in _steps(model, n).items():
                began = time.perf_counter()
                cost = work()
                taken = time.perf_counter() - began
                peaks, now = client.run(peak_memory), client.run(os.getpid)
                found.append(
                    {
                        "rows": n, "table_mebibytes": n * FEATURES * 8 / 2**20, "workers": workers,
                        "step": step, "seconds": taken, "mebibytes_before": max(before.values()) / 2**20,
                        "mebibytes": max(peaks.values()) / 2**20,
                        "begun_anew": len(set(now.values()) - set(first.values())), "cost": cost,
                    }
                )  # fmt: skip
    return pd.DataFrame(found)


@in_one_line()
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000], help="sizes")
    parser.add_argument("--workers", type=int, default=2, help="processes of one thread")
    parser.add_argument("--memory", type=word, default="1GiB", help="limit for each worker")
    parser.add_argument("--out", type=path, default=Path("data/results/cluster"), help="folder of the table")
    args = parser.parse_args(argv)
    rows = [check_count("rows", each) for each in args.rows]
    workers = check_count("workers", args.workers)
    parse_bytes(args.memory)
    check_writable("out", args.out)
    began, source = time.perf_counter(), source_sha256()
    table = measure(rows, workers, args.memory)
    print(table.to_string(index=False, float_format="%.3g"))
    text = table.to_csv(index=False, float_format="%.6g", lineterminator="\n")
    settings = {"rows": rows, "workers": workers, "memory": args.memory, "seed": SEED}
    settings |= {"features": FEATURES, "block": BLOCK, "sample": SAMPLE, "fn_cost": FN_COST}
    write_results(
        args.out, "cluster", {"cluster": text}, source=source, settings=settings,
        libraries=("dask", "distributed"), wall_seconds=time.perf_counter() - began,
    )  # fmt: skip
    print(f"\ntable in {args.out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
