"""Commands of the book, ``csbook`` or ``python -m csbook``."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from csb import __version__

COMMANDS = {
    "open": ("csbook.built_book:open_book", "open the built book in a browser"),
    "chapters": ("csbook.built_book:copy_chapters", "list the chapters, or copy some of them to run them"),
    "data": ("csbook.datasets.cli:main", "list, fetch and verify the data sets"),
    "properties": ("csbook.theory.properties.cli:main", "decide the properties of every method"),
    "study": ("csbook.studies.cli:main", "run the papers' experiments"),
}
"""Function that runs the command, and what the command does."""


def main(argv: list[str] | None = None) -> int:
    """Hand the arguments after the command's name to the command; without a command, say which there are."""
    parser = argparse.ArgumentParser(prog="csbook", description="Commands of the book.")
    parser.add_argument("--version", action="version", version=f"csbook {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for name, (_, summary) in COMMANDS.items():
        # a command reads its own arguments, --help among them
        commands.add_parser(name, help=summary, add_help=False)
    chosen, rest = parser.parse_known_args(argv)
    if chosen.command is None and rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if chosen.command is None:
        parser.print_help()
        return 0
    # imported here: --help need not load what the commands need
    module, function = COMMANDS[chosen.command][0].split(":")
    return getattr(import_module(module), function)(rest)


if __name__ == "__main__":
    sys.exit(main())
