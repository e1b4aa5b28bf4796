"""Commands of the package, ``csb`` or ``python -m csb``: ``data``, ``properties`` and ``study``."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module

from csb import __version__

COMMANDS = {
    "data": ("csb.datasets.cli", "list, fetch and verify the data sets"),
    "properties": ("csb.compendium.theory.properties.cli", "decide the properties of every method"),
    "study": ("csb.compendium.studies.cli", "run the papers' experiments"),
}
"""Module whose ``main`` runs the command, and what it does."""


def main(argv: list[str] | None = None) -> int:
    """Hand the arguments after the command's name to the command; without a command, say which there are."""
    parser = argparse.ArgumentParser(prog="csb", description="Commands of csb.")
    parser.add_argument("--version", action="version", version=f"csb {__version__}")
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
    return import_module(COMMANDS[chosen.command][0]).main(rest)


if __name__ == "__main__":
    sys.exit(main())
