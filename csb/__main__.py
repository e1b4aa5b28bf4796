"""The command ``csb``, or ``python -m csb``: which version this is, and where the book's commands are."""

from __future__ import annotations

import argparse
import sys

from csb import __version__


def main(argv: list[str] | None = None) -> int:
    """Print the version; of a command that the book's package has, say so."""
    book = "data, properties and study are commands of csbook, in cost-sensitive-boosting-book"
    parser = argparse.ArgumentParser(prog="csb", description="Cost-sensitive boosting.", epilog=book)
    parser.add_argument("--version", action="version", version=f"csb {__version__}")
    parser.add_argument("command", nargs="*", help=argparse.SUPPRESS)
    arguments, rest = parser.parse_known_args(argv)
    if arguments.command or rest:
        parser.error(f"unrecognized arguments: {' '.join([*arguments.command, *rest])}; {book}")
    parser.print_help()
    return 0


if __name__ == "__main__":
    sys.exit(main())
