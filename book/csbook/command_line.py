"""What the commands have in common: how a path is read, and how an error is told."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import ParamSpec

__all__ = ["in_one_line", "path", "word"]

P = ParamSpec("P")


def word(text: str) -> str:
    """An argument that says something.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is empty, as where a variable of a script has no value.
    """
    if not text.strip():
        raise argparse.ArgumentTypeError(f"{text!r} is empty: leave the option out, or give it a value")
    return text


def path(text: str) -> Path:
    """A path, in which ``~`` stands for the home folder even where no shell has read it.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is empty, or there is no such home folder.
    """
    try:
        return Path(word(text)).expanduser()
    except RuntimeError as error:
        raise argparse.ArgumentTypeError(f"{text!r}: {error}") from None


def in_one_line(interrupted: str = "interrupted") -> Callable[[Callable[P, int]], Callable[P, int]]:
    """Decorator of a command that tells an error as one line on stderr.

    The exit code is then 1, and 130 where the command is interrupted, which the words are for.
    """

    def decorate(command: Callable[P, int]) -> Callable[P, int]:
        @wraps(command)
        def run(*args: P.args, **kwargs: P.kwargs) -> int:
            try:
                return command(*args, **kwargs)
            except (ValueError, AssertionError, OSError) as error:
                print(" ".join(str(error).split()), file=sys.stderr)
                return 1
            except KeyboardInterrupt:
                print(interrupted, file=sys.stderr)
                return 130

        return run

    return decorate
