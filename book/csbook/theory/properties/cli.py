"""``csbook properties``: the property table with its evidence."""

from __future__ import annotations

import argparse

import joblib

from csb.inputs import check_count
from csb.methods import VARIANTS
from csbook.command_line import in_one_line
from csbook.theory.properties.table import decide_all, methods, verdicts

__all__ = ["main"]


@in_one_line()
def main(argv: list[str] | None = None) -> int:
    """Decide the properties and print table and evidence; a progress bar goes to stderr.

    Parameters
    ----------
    argv : list of str, optional
        Arguments after ``properties``; those of the process if omitted.

    Returns
    -------
    int
        0; 1 if a variant is not known or the number of processes is no count; 130 if it was interrupted.
    """
    parser = argparse.ArgumentParser(prog="csbook properties", description="Properties, computed")
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help="keys of variants; all by default")
    parser.add_argument(
        "--workers", type=int, default=joblib.cpu_count(), help="processes (default: one for each core)"
    )
    parser.add_argument("--table-only", action="store_true", help="leave the evidence out")
    args = parser.parse_args(argv)
    for key in args.variants:
        VARIANTS[key]
    rows = [row for row in methods() if not args.variants or row.variant in args.variants]
    findings = decide_all(rows, n_jobs=check_count("workers", args.workers), progress=True)
    print(verdicts(findings).to_string())
    if not args.table_only:
        for name, found in findings.items():
            print(f"\n{name}")
            for finding in found:
                print(f"  {finding.property}: {finding}")
    return 0
