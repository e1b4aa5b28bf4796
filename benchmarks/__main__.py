"""Measure everything and store the tables.

``--quick`` takes smaller sizes and two repeats, to see that the scripts work. ``--large`` fits to a file of
1e8 rows in place of 1e7, which needs 8 GB on the disk and 16 GB of memory.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from benchmarks import deciding, encoding, engine, fits, multiclass, processes, rare, study, trees
from benchmarks.timing import SEED
from csb.engine.compiled import compile_at_once
from csbook.command_line import in_one_line, path
from csbook.records import check_writable
from csbook.studies import source_sha256, write_results

OUT = Path("data/results/speed")
FULL = {
    "rows": [1000, 10_000, 100_000, 1_000_000],
    "threads": [1, 2],
    "engine_rows": 10_000,
    "models": [1, 8, 64, 256],
    "decades": 3,
    "memory_rows": 1_000_000,
    "encoding_rows": 100_000,
    "mapped_rows": 10_000_000,
    "letter_rows": 20_000,
    "letter_rounds": 30,
    "tree_rows": [1000, 10_000, 100_000, 1_000_000],
    "tree_rounds": 10,
    "deciding_rows": [1000, 10_000, 100_000],
    "study_sets": ["survival", "heart", "wdbc", "german_credit", "landsatM", "waveformM", "spambase"],
    "study_rounds": 100,
    "rare_rows": 1_000_000,
    "rare_shares": [0.01, 0.001, 0.0001],
    "batch_rows": [200_000, 10_000_000],
    "long_repeats": 3,
    "repeats": 5,
}
QUICK = FULL | {
    "rows": [1000, 10_000],
    "engine_rows": 1000,
    "decades": 1,
    "memory_rows": 10_000,
    "encoding_rows": 5000,
    "mapped_rows": 100_000,
    "letter_rows": 2000,
    "letter_rounds": 3,
    "tree_rows": [1000],
    "tree_rounds": 3,
    "deciding_rows": [500],
    "study_sets": ["wdbc"],
    "study_rounds": 5,
    "rare_rows": 70_000,
    "rare_shares": [0.01],
    "batch_rows": [70_000],
    "long_repeats": 1,
    "repeats": 2,
}


@in_one_line()
def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, two repeats")
    parser.add_argument("--large", action="store_true", help="a memory map of 1e8 rows in place of 1e7")
    parser.add_argument("--out", type=path, help=f"folder of the tables (default: {OUT}); --quick needs it")
    args = parser.parse_args(argv)
    if args.quick and args.large:
        raise ValueError("--quick and --large: allowed is one of them")
    if args.quick and args.out is None:
        raise ValueError("--quick: name a folder with --out, so that no recorded result is replaced")
    out = check_writable("out", args.out or OUT)
    chosen = QUICK if args.quick else FULL
    if args.large:
        chosen = chosen | {"mapped_rows": 100_000_000}

    repeats, threads = chosen["repeats"], chosen["threads"]
    compile_at_once()  # whatever earlier processes have kept
    began, source = time.perf_counter(), source_sha256()
    tables = {}
    for name, measure in {
        "start": lambda: processes.start(repeats),
        "memory": lambda: processes.memory(chosen["memory_rows"]),
        "mapped": lambda: processes.mapped(chosen["mapped_rows"], threads),
        "encoding": lambda: encoding.unit_times(chosen["encoding_rows"], threads, repeats),
        "engine": lambda: engine.unit_times(chosen["engine_rows"], chosen["models"], threads, repeats),
        "growth": lambda: engine.growth(chosen["decades"], repeats),
        "multiclass": lambda: multiclass.measure(
            chosen["letter_rows"], chosen["letter_rounds"], threads, chosen["long_repeats"]
        ),
        "trees": lambda: trees.measure(
            chosen["tree_rows"], chosen["letter_rows"], chosen["tree_rounds"], chosen["long_repeats"]
        ),
        "deciding": lambda: deciding.measure(chosen["deciding_rows"], chosen["long_repeats"]),
        "study": lambda: study.measure(chosen["study_sets"], chosen["study_rounds"], chosen["long_repeats"]),
        "rare": lambda: rare.measure(chosen["rare_rows"], chosen["rare_shares"]),
        "batch": lambda: rare.batch_equals_single(chosen["batch_rows"]),
        "speed": lambda: fits.measure(chosen["rows"], threads, repeats),
    }.items():
        tables[name] = measure()
        print(f"\n{name}, after {time.perf_counter() - began:.0f} s")
        print(tables[name].to_string(index=False, float_format="%.3g"), flush=True)
    texts = {
        name: table.to_csv(index=False, float_format="%.6g", lineterminator="\n")
        for name, table in tables.items()
    }
    write_results(
        out, "speed", texts, source=source, settings=chosen | {"seed": SEED},
        libraries=("lightgbm",), wall_seconds=time.perf_counter() - began,
    )  # fmt: skip
    print(f"\ntables in {out}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
