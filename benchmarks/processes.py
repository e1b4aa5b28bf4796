"""What only a fresh process shows: import time, the first fit, peak memory."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd

from benchmarks.timing import SEED, problem, summary

__all__ = ["mapped", "memory", "start"]

PIECE = 1_000_000
"""Rows that are drawn at a time."""

START = """
import json, time
import sklearn.base
began = time.perf_counter()
import csb
imported = time.perf_counter()
from benchmarks.timing import problem
X, y = problem(500, 20)
ready = time.perf_counter()
csb.AdaBoost(100).fit(X, y)
print(json.dumps({"import": imported - began, "fit": time.perf_counter() - ready}))
"""

MEMORY = """
import sys
from benchmarks.fits import tasks
from benchmarks.timing import peak_memory, problem
from csb.engine.compiled import compile_at_once
compile_at_once()
task = lambda *problem: tasks("AdaBoost", *problem, threads=1, sklearn_rounds=1)[sys.argv[1]]()
task(*problem(500, 20))
X, y = problem(int(sys.argv[2]), 20)
before = peak_memory()
task(X, y)
print(peak_memory() - before)
"""

MAPPED = """
import json, sys, time
import numpy as np
from benchmarks.timing import peak_memory, problem
from csb import CGAda
from csb.engine.compiled import compile_at_once
compile_at_once()
X, y = problem(500, 20)
CGAda(n_estimators=2).fit(X.astype(np.float32), y)
X = np.load(sys.argv[1] + "/X.npy", mmap_mode="r")
y = np.load(sys.argv[1] + "/y.npy")
before, began = peak_memory(), time.perf_counter()
CGAda(n_estimators=10, n_jobs=int(sys.argv[2])).fit(X, y)
print(json.dumps({"seconds": time.perf_counter() - began, "megabytes": (peak_memory() - before) / 1e6}))
"""


def _python(code: str, *arguments: str, cache: str) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def start(repeats: int) -> pd.DataFrame:
    """Seconds to import csb after ``sklearn.base``, and to fit 100 stumps to 500 rows as the first act.

    Parameters
    ----------
    repeats : int
        Runs; in each, one process compiles and the next one finds the compiled functions.

    Returns
    -------
    DataFrame
        One row per event.
    """
    events = {"import": [], "first fit ever": [], "first fit of a later process": []}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as cache:
            events["first fit ever"].append(json.loads(_python(START, cache=cache))["fit"])
            later = json.loads(_python(START, cache=cache))
        events["import"].append(later["import"])
        events["first fit of a later process"].append(later["fit"])
    return pd.DataFrame(
        [{"event": event} | summary(np.array(taken), "seconds") for event, taken in events.items()]
    )


def memory(rows: int) -> pd.DataFrame:
    """Peak memory of one fit beyond that of the process with its data, in megabytes.

    Parameters
    ----------
    rows : int
        Rows of the data set, of twenty features.

    Returns
    -------
    DataFrame
        One row per library; scikit-learn runs one round, which is its peak.
    """
    with tempfile.TemporaryDirectory() as cache:
        return pd.DataFrame(
            {
                "library": library,
                "rows": rows,
                "input_megabytes": rows * 20 * 8 / 1e6,
                "megabytes": int(_python(MEMORY, library, str(rows), cache=cache)) / 1e6,
            }
            for library in ("csb", "LightGBM", "scikit-learn")
        )


def mapped(rows: int, threads: list[int]) -> pd.DataFrame:
    """Seconds and peak memory of ten stumps on a memory map of twenty features in single precision.

    Parameters
    ----------
    rows : int
        Rows of the file, of 80 bytes each; it is written into a temporary folder.
    threads : list of int
        Threads.

    Returns
    -------
    DataFrame
        One row per number of threads; the memory counts the pages of the file itself.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder:
        X = np.lib.format.open_memmap(f"{folder}/X.npy", "w+", np.float32, (rows, 20))
        y = np.empty(rows, np.int8)
        for number, start in enumerate(range(0, rows, PIECE)):
            piece = slice(start, min(rows, start + PIECE))
            X[piece], y[piece] = problem(piece.stop - start, 20, SEED + number)
        X.flush()
        np.save(f"{folder}/y.npy", y)
        for jobs in threads:
            measured = json.loads(_python(MAPPED, folder, str(jobs), cache=f"{folder}/cache"))
            found.append({"rows": rows, "threads": jobs, "file_megabytes": X.nbytes / 1e6} | measured)
    return pd.DataFrame(found)
