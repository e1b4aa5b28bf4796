"""Recorded results, the list of claims and the papers' printed tables: where they are, and where none go.

An installed package carries them. In a checkout, from which the package may be installed in place, they
stand in the folder ``data`` of the project.
"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pandas as pd

from csb.inputs import one_of

__all__ = [
    "CHECKOUT", "CLAIMS", "DATA", "DECISION_RULES", "FUZZED", "QUESTIONS", "RESULTS", "VERDICTS",
    "check_outside", "check_writable", "published",
]  # fmt: skip

PACKAGE = Path(__file__).resolve().parent
CARRIED = PACKAGE / "data"

CHECKOUT = None if CARRIED.is_dir() else PACKAGE.parents[1]
"""The checkout from which the package runs, if it is not installed.

:meta hide-value:
"""

DATA = CARRIED if CHECKOUT is None else CHECKOUT / "data"
"""The folder of all that is recorded.

:meta hide-value:
"""

VERDICTS = DATA / "verdicts"
"""Verdicts on claims that need a file which not everybody has.

:meta hide-value:
"""

RESULTS = DATA / "results"
"""Results of the studies, a folder each.

:meta hide-value:
"""

CLAIMS = DATA / "claims.csv"
"""The list of claims.

:meta hide-value:
"""

DECISION_RULES = DATA / "decision_rules.csv"
"""How each part of a claim is decided.

:meta hide-value:
"""

QUESTIONS = DATA / "questions.csv"
"""What the book asks itself in a study, and the rules of the answers.

:meta hide-value:
"""

FUZZED = DATA / "fuzz.csv"
"""How many drawn inputs each promise of the documentation has borne.

:meta hide-value:
"""


def published(name: str) -> pd.DataFrame:
    """A table as a paper prints it.

    Parameters
    ----------
    name : str
        The paper and its table.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If there is no such table; the message names the nearest.

    Examples
    --------
    >>> published("c08_table_3").columns.tolist()
    ['dataset', 'C4.5', 'AdaBoost', 'AdaCost', 'Gradient']
    """
    known = sorted(path.stem for path in (DATA / "published").glob("*.csv"))
    return pd.read_csv(DATA / "published" / f"{one_of('name', name, known)}.csv")


def check_outside(name: str, folder: Path | str) -> Path:
    """A folder to write into, if it is not one of the package.

    Parameters
    ----------
    name : str
        The parameter.
    folder : path
        What it was given.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ValueError
        If it lies within the package.

    Examples
    --------
    >>> check_outside("out", "data/results/c08").as_posix()
    'data/results/c08'
    """
    if Path(folder).resolve().is_relative_to(PACKAGE):
        raise ValueError(
            f"{name}={str(folder)!r}: within the package nothing is written; name a folder elsewhere"
        )
    return Path(folder)


def check_writable(name: str, folder: Path | str) -> Path:
    """A folder to write into, if it can be written; it is not made.

    Parameters
    ----------
    name : str
        The parameter.
    folder : path
        What it was given.

    Returns
    -------
    Path
        The folder.

    Raises
    ------
    ValueError
        If it lies within the package, is no folder, or nothing can be written into it or, while it does
        not exist, into the folder that is to hold it.

    Examples
    --------
    >>> check_writable("out", Path(tempfile.gettempdir(), "results")).name
    'results'
    """
    checked = check_outside(name, folder)
    there = next(path for path in (checked, *checked.absolute().parents) if os.path.exists(path))
    try:
        with tempfile.TemporaryFile(dir=there):
            return checked
    except OSError as error:
        raise ValueError(
            f"{name}={str(folder)!r}: nothing can be written into {str(there)!r} ({error.strerror}); "
            "name a folder that can be written"
        ) from error
