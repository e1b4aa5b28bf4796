"""``csbook study``: run a study, or compare some of its units with what is recorded."""

from __future__ import annotations

import argparse
from pathlib import Path

import joblib

from csb.inputs import one_of
from csbook.command_line import in_one_line, path, word
from csbook.records import RESULTS
from csbook.studies import STUDIES, run, verify
from csbook.studies.study import Study
from csbook.studies.workers import TIMEOUT

__all__ = ["main"]


OF_A_RUN = ("learner", "track", "scheduler", "timeout", "workers", "out", "work", "quick")
OF_VERIFY = ("units",)
WORK = Path("_build", "studies")


@in_one_line("interrupted; what is finished is kept, the same command goes on from there")
def main(argv: list[str] | None = None) -> int:
    """List the studies, run one, or verify recorded results.

    Parameters
    ----------
    argv : list of str, optional
        Arguments after ``study``; those of the process if omitted.

    Returns
    -------
    int
        0; 1 if a study, its data or its recorded results are not there, an option has no meaning beside the
        others, something cannot be written or a number differs; 130 if the run was interrupted.
    """
    parser = argparse.ArgumentParser(prog="csbook study", description="The papers' experiments")
    parser.add_argument("name", nargs="?", help="a study, or 'verify'; without it, list the studies")
    parser.add_argument("names", nargs="*", help="after 'verify', the studies; all recorded ones by default")
    parser.add_argument("--learner", type=word, help="of a study that comes with several, such as n16")
    parser.add_argument("--track", type=word, help="of the data, of a study that comes with several")
    parser.add_argument("--scheduler", type=word, help="address of a Dask scheduler to compute on")
    parser.add_argument(
        "--timeout", type=float,
        help=f"seconds for which the Dask cluster may be without workers (default: {TIMEOUT:g})",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, help="processes (default: one for each core)")
    parser.add_argument("--out", type=path, help="folder of the tables (default: ./data/results/NAME)")
    parser.add_argument("--work", type=path, help=f"folder of the units (default: ./{WORK})")
    parser.add_argument("--quick", action="store_true", default=None, help="a small trial run; needs --out")
    parser.add_argument("--units", type=int, help="units to compute anew in 'verify' (default: 1)")
    args = parser.parse_intermixed_args(argv)  # names may follow options
    _refuse_what_has_no_meaning(args)
    if args.name is None:
        width = max(map(len, STUDIES)) + 2
        print("\n".join(f"{study.name:{width}}{study.title}" for study in STUDIES.values()))
    elif args.name == "verify":
        _verify(args.names, 1 if args.units is None else args.units)
    else:
        _run(args)
    return 0


def _refuse_what_has_no_meaning(args: argparse.Namespace) -> None:
    """Raise a ValueError where something would be ignored."""
    given = {name for name in (*OF_A_RUN, *OF_VERIFY) if getattr(args, name) is not None}
    if args.name is None:
        kind, allowed = "without the name of a study", set()
    elif args.name == "verify":
        kind, allowed = "beside 'verify'", set(OF_VERIFY)
    else:
        kind, allowed = f"beside the study {args.name!r}", set(OF_A_RUN)
        if args.names:
            raise ValueError(f"{' '.join(args.names)}: one study is run at a time, named is {args.name!r}")
        if (args.learner is None) != (args.track is None):
            raise ValueError("--learner and --track go together: name both, or the study in full")
        if args.scheduler is None and args.timeout is not None:
            raise ValueError("--timeout has a meaning beside --scheduler only")
        if args.scheduler is not None and args.workers is not None:
            raise ValueError(
                "--workers has no meaning beside --scheduler: the cluster has workers of its own"
            )
    if ignored := sorted(given - allowed):
        raise ValueError(f"--{ignored[0]} has no meaning {kind}")


def _find(name: str) -> Study:
    several = [study for study in STUDIES if study.startswith(f"{name}/")]
    if several and name not in STUDIES:
        raise ValueError(f"study {name!r} comes with several learners and tracks: {', '.join(several)}")
    return STUDIES[one_of("study", name, STUDIES)]


def _run(args: argparse.Namespace) -> None:
    study = _find(args.name if args.learner is None else f"{args.name}/{args.learner}-{args.track}")
    if args.quick and args.out is None:
        raise ValueError("--quick: name a folder with --out, so that no recorded result is replaced")
    settings = {**study.settings, **study.quick} if args.quick else study.settings
    folder = run(
        study, args.out, work=args.work or WORK, settings=settings, progress=True, scheduler=args.scheduler,
        workers=joblib.cpu_count() if args.workers is None else args.workers,
        timeout=TIMEOUT if args.timeout is None else args.timeout,
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
