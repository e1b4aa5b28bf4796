"""Studies of a moment: one for this process, and one that others run and that can be watched and held.

The file that ``TOY_LOG`` names gets a line for each unit that begins. While one beside it with ``.hold``
behind its name exists, the third unit does not end, and one with ``.pid`` says which process computes it.
"""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from csbook.studies import Study, run


def units(settings):
    return [(kind, number) for kind in ("a", "b") for number in range(settings["count"])]


def compute(unit, settings):
    log = os.environ["TOY_LOG"]
    with open(log, "a") as lines:
        lines.write(f"{unit[0]}{unit[1]}\n")
    if unit == ("a", 2):
        Path(log + ".pid").write_text(str(os.getpid()))
    while Path(log + ".hold").exists() and unit == ("a", 2):
        time.sleep(0.01)
    time.sleep(settings["pause"])
    rng = np.random.default_rng([settings["seed"], ord(unit[0]), unit[1]])
    table = pd.DataFrame({"draw": rng.normal(size=2), "nothing": [np.nan, 1]})
    return {"draws": table, "counts": pd.DataFrame({"n": [len(table)]})}


STUDY = Study("toy", "a toy", ("kind", "number"), units, compute)


def small(seed=0, **changes):
    """A study of two units for this process."""

    def units(settings):
        return [("x",), ("y",)]

    def compute(unit, settings):
        return {"t": pd.DataFrame({"value": [settings["seed"] + len(unit[0])]})}

    return replace(Study("small", "small", ("unit",), units, compute, {"seed": seed}), **changes)


def environment(folder):
    """Variables with which another process finds this module, and the log in a folder."""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    return {"PYTHONPATH": path, "TOY_LOG": str(folder / "log")}


def start(folder, out, work="work", workers=1, count=4, pause=0.0, scheduler=""):
    """Run the study in a process and group of its own, below a folder."""
    command = [sys.executable, "-m", "toy_study", out, work, workers, count, pause, scheduler]
    return subprocess.Popen(
        list(map(str, command)), cwd=folder, env=os.environ | environment(folder), start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        # what a shell puts into the background ignores it, the tests and all that they start
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def wait_until(happened, process):
    """Wait for something that a running process is to bring about."""
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.02)


def contents(folder):
    """All files below a folder but the one that holds the time."""
    files = (path for path in Path(folder).rglob("*") if path.is_file() and path.name != "run.json")
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


if __name__ == "__main__":
    out, work, workers, count, pause, scheduler = sys.argv[1:]
    run(
        STUDY, Path(out), work=Path(work), workers=int(workers), scheduler=scheduler or None,
        settings={"count": int(count), "seed": 1, "pause": float(pause)},
    )  # fmt: skip
