"""Draw new inputs for the tests of symmetries and promises until the time is up, and count them.

``make fuzz MINUTES=60`` calls this. Each round is a run of pytest, of which hypothesis says how many inputs
each test has drawn; the sums go into ``data/fuzz.csv``. The first input that breaks a promise ends it: it is
shrunk, and kept in ``.hypothesis``, from where the next round tries it first.
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import time
from pathlib import Path

COUNTS = Path(__file__).parents[1] / "data" / "fuzz.csv"
TESTS = ("tests/csb/test_symmetries.py", "tests/csb/test_promises.py")


def drawn(printed: str) -> dict[str, int]:
    """How many inputs each test was tried on, by what pytest prints; those of all parameters together."""
    counts: dict[str, int] = {}
    test = None
    for line in printed.splitlines():
        if named := re.match(r"\S+\.py::(\w+)(\[.*\])?:$", line):
            test = named[1]
        elif test and (found := re.search(r"(\d+) passing(?: examples)?, (\d+) failing", line)):
            counts[test] = counts.get(test, 0) + int(found[1]) + int(found[2])
    return counts


def total(before: dict[str, int], more: dict[str, int]) -> dict[str, int]:
    """The sums, by test."""
    return {test: before.get(test, 0) + more.get(test, 0) for test in sorted({*before, *more})}


def main(minutes: float, command: list[str], counts: Path = COUNTS) -> int:
    """Rounds until the time is up: the exit code of the one that failed, or 0."""
    until, code, found = time.monotonic() + 60 * minutes, 0, {}
    while code == 0 and time.monotonic() < until:
        done = subprocess.run(
            [*command, "--hypothesis-show-statistics", *TESTS],
            env=os.environ | {"HYPOTHESIS_PROFILE": "fuzz"}, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        code, found = done.returncode, total(found, drawn(done.stdout))
        print(done.stdout if code else f"{sum(found.values()):,} inputs", flush=True)
        if code == 0 and not found:
            raise RuntimeError("pytest names no drawn inputs in its statistics")
    if code == 0:
        with counts.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([("test", "inputs"), *found.items()])
    return code


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), sys.argv[2:]))
