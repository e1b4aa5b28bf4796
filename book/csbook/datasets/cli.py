"""``csbook data``: list the data sets, fetch them, verify the files."""

from __future__ import annotations

import argparse
import sys

from tqdm import tqdm

from csbook.command_line import in_one_line
from csbook.datasets.catalogue import available
from csbook.datasets.fetch import cache_folder, data_folder, fetch, locate, verify, where
from csbook.datasets.registry import File, find_entry, find_file, raw_files

__all__ = ["main"]


@in_one_line()
def main(argv: list[str] | None = None) -> int:
    """Run a command: ``list``, ``fetch NAME...`` or ``verify [NAME...]``; without one, print the help.

    Parameters
    ----------
    argv : list of str, optional
        Arguments after ``data``; those of the process if omitted.

    Returns
    -------
    int
        0, or 1 if a file could not be fetched, is wrong, or is named to be verified and absent; 130 if it was
        interrupted. Progress bars go to stderr.
    """
    parser = argparse.ArgumentParser(prog="csbook data", description="Data sets of csb")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.add_parser("list", help="all data sets and where they are")
    fetching = commands.add_parser("fetch", help="download what is missing")
    fetching.add_argument("names", nargs="+", metavar="NAME", help="data set or file, or 'all'")
    verifying = commands.add_parser("verify", help="check the files in CSB_DATA and in the cache")
    verifying.add_argument("names", nargs="*", metavar="NAME", help="data set or file; all by default")
    args = parser.parse_args(argv)
    if args.command == "list":
        return _list()
    if args.command == "fetch":
        return _fetch(args.names)
    if args.command == "verify":
        return _verify(args.names)
    parser.print_help()
    return 0


def _list() -> int:
    print(available().to_string(index=False))
    print(f"CSB_DATA: {data_folder() or 'not set'}")
    print(f"cache: {cache_folder()}")
    return 0


def _files_of(names: list[str]) -> list[File]:
    """Files of data sets (all tracks), or files named themselves, without repetition."""
    wanted: list[str] = []
    for name in names:
        if name == "all":
            wanted += raw_files()
        elif name in raw_files():
            wanted.append(name)
        else:
            wanted += [file for track in find_entry(name).tracks.values() for file in track.all_files]
    return [find_file(name) for name in dict.fromkeys(wanted)]


def _fetch(names: list[str]) -> int:
    failed = 0
    for file in _files_of(names):
        try:
            found = where(file) == "CSB_DATA"
            path = verify(locate(file), file) if found else fetch(file, progressbar=True)
            print(f"{file.name}: {path}")
        except (OSError, ValueError) as error:
            failed += 1
            print(error, file=sys.stderr)
    return int(failed > 0)


def _verify(names: list[str]) -> int:
    """Check the files of these names, which must be there, or all that are there."""
    wrong, found = [], 0
    folders = [folder for folder in (data_folder(), cache_folder()) if folder is not None]
    for file in tqdm(_files_of(names or ["all"]), desc="verify", unit="file"):
        there = [path for folder in folders if (path := folder / file.name).is_file()]
        if names and not there:
            wrong.append(f"{file.name}: not found; 'csbook data fetch {file.name}' downloads it")
        for path in there:
            found += 1
            try:
                verify(path, file)
            except ValueError as error:
                wrong.append(str(error))
    print("\n".join([*wrong, f"{found} files found, {len(wrong)} wrong"]))
    return int(bool(wrong))
