"""Commands of the package: ``python -m csb data ...`` manages the data sets."""

from __future__ import annotations

import argparse
import sys


def main(argv: list[str] | None = None) -> int:
    """Hand the arguments after the command's name to the command."""
    parser = argparse.ArgumentParser(prog="python -m csb", description="Commands of csb.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    # a command reads its own arguments, --help among them
    commands.add_parser("data", help="list, fetch and verify the data sets", add_help=False)
    _, rest = parser.parse_known_args(argv)

    # imported here: --help need not load a data library
    from csb.datasets import cli

    return cli.main(rest)


if __name__ == "__main__":
    sys.exit(main())
