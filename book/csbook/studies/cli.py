"""``csbook study``: run a study, or compare some of its units with what is recorded."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import joblib

from csb.inputs import one_of
from csbook.records import RESULTS
from csbook.studies import STUDIES, run, verify
from csbook.studies.study import Study
from csbook.studies.workers import TIMEOUT

__all__ = ["main"]


def main(argv: list[str] | None = None) -> int:
    """List the studies, run one, or verify recorded results.

    Parameters
    ----------
    argv : list of str, optional
        Arguments after ``study``; those of the process if omitted.

    Returns
    -------
    int
        0; 1 if a study, its data or its recorded results are not there, something cannot be written or a
        number differs; 130 if the run was interrupted.
    """
    parser = argparse.ArgumentParser(prog="csbook study", description="The papers' experiments")
    parser.add_argument("name", nargs="?", help="a study, or 'verify'; without it, list the studies")
    parser.add_argument("names", nargs="*", help="after 'verify', the studies; all recorded ones by default")
    parser.add_argument("--learner", help="of a study that comes with several, such as n16")
    parser.add_argument("--track", help="of the data, of a study that comes with several")
    parser.add_argument("--scheduler", help="address of a Dask scheduler to compute on")
    parser.add_argument(
        "--timeout", type=float, default=TIMEOUT,
        help="seconds for which the Dask cluster may be without workers (default: %(default)g)",
    )  # fmt: skip
    parser.add_argument(
        "--workers", type=int, default=joblib.cpu_count(), help="processes (default: one for each core)"
    )
    parser.add_argument("--out", type=Path, help="folder of the tables (default: ./data/results/NAME)")
    work = Path("_build/studies")
    parser.add_argument(
        "--work", type=Path, default=work, help="folder of the units (default: ./%(default)s)"
    )
    parser.add_argument("--quick", action="store_true", help="a small trial run; needs --out")
    parser.add_argument("--units", type=int, default=1, help="units to compute anew in 'verify'")
    args = parser.parse_intermixed_args(argv)  # names may follow options
    try:
        if args.name is None:
            width = max(map(len, STUDIES)) + 2
            print("\n".join(f"{study.name:{width}}{study.title}" for study in STUDIES.values()))
        elif args.name == "verify":
            _verify(args.names, args.units)
        else:
            _run(args)
    except (ValueError, AssertionError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted; what is finished is kept, the same command goes on from there", file=sys.stderr)
        return 130
    return 0


def _find(name: str) -> Study:
    several = [study for study in STUDIES if study.startswith(f"{name}/")]
    if several and name not in STUDIES:
        raise ValueError(f"study {name!r} comes with several learners and tracks: {', '.join(several)}")
    return STUDIES[one_of("study", name, STUDIES)]


def _run(args: argparse.Namespace) -> None:
    study = _find(f"{args.name}/{args.learner}-{args.track}" if args.learner or args.track else args.name)
    if args.quick and args.out is None:
        raise ValueError("--quick: name a folder with --out, so that no recorded result is replaced")
    settings = {**study.settings, **study.quick} if args.quick else study.settings
    folder = run(
        study, args.out, work=args.work, workers=args.workers, settings=settings, progress=True,
        scheduler=args.scheduler, timeout=args.timeout,
    )  # fmt: skip
    print(f"tables in {folder}")


def _verify(names: list[str], count: int) -> None:
    asked = [_find(name) for name in names]
    chosen = [study for study in asked or STUDIES.values() if (RESULTS / study.name).is_dir()]
    missing = ", ".join(study.name for study in asked if study not in chosen)
    if missing or not chosen:
        raise ValueError(f"nothing to verify: {RESULTS} holds no results of {missing or 'any study'}")
    for study in chosen:
        for unit in verify(study, count):
            print(f"{study.name}: unit {' '.join(map(str, unit))} agrees with what is recorded")
