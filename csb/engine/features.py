"""Which column is at fault where scikit-learn refuses features, and what helps."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import issparse
from sklearn.utils import _safe_indexing

from csb.inputs import shown

__all__ = ["naming_columns"]

HUGE = "allowed are finite numbers, below 1.8e308"
NAMED = 3
"""So many columns are named; of more, how many are left."""


@contextmanager
def naming_columns(X: Any, missing: str | None, name: str = "X") -> Iterator[None]:
    """Say of features that scikit-learn refuses in this context which column is at fault, and what helps.

    They are looked at again only then: good features cost nothing.

    Parameters
    ----------
    X : object
        The features as they were given.
    missing : str or None
        What takes missing values in place of what refuses them here; None where they are taken.
    name : str, default "X"
        What the features are called in the message.

    Raises
    ------
    ValueError or TypeError
        As in the context, with a better message if the features are sparse, or hold strings, dates, or values
        that are missing, infinite or beyond all doubles.

    Examples
    --------
    >>> with naming_columns(pd.DataFrame({"age": [31, 40], "sex": ["f", "m"]}), None):
    ...     raise ValueError("could not convert string to float: 'f'")
    Traceback (most recent call last):
        ...
    ValueError: X: column 'sex' holds strings, such as 'f': allowed are numeric features. ...
    """
    try:
        yield
    except (OverflowError, TypeError, ValueError) as error:
        found = _fault(X, missing)
        if found is None and isinstance(error, OverflowError):
            found = f"={shown(X)}: {HUGE}"
        if found is None:
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError  # of others the arguments differ
        raise kind(f"{name}{found}") from None


def _fault(X: Any, missing: str | None) -> str | None:
    """What is wrong with features, or None if it is something else."""
    if isinstance(X, pd.DataFrame) and not X.shape[1]:
        return " has no columns: allowed are one or more"
    if issparse(X) or (isinstance(X, pd.DataFrame) and hasattr(X, "sparse")):
        return (
            " is sparse, and sparse input is not taken: give sparse_output=False to OneHotEncoder, or "
            "X.toarray()"
        )
    strings: dict[Any, str] = {}
    dates: list[Any] = []
    gaps: list[Any] = []
    infinite: list[Any] = []
    huge: list[Any] = []
    for column, values in _columns(X):
        words = values if values.dtype.kind in "OUS" else ()
        string = next((each for each in words if _is_word(each)), None)
        if string is not None:
            strings[column] = shown(string)
        elif any(map(_is_huge, words)):
            huge.append(column)
        elif values.dtype.kind in "mM":
            dates.append(column)
        elif pd.isna(values).any():
            gaps.append(column)
        elif values.dtype.kind == "f" and np.isinf(values).any():
            infinite.append(column)
    if strings:
        return (
            f": {_named(list(strings))} strings, such as {next(iter(strings.values()))}: allowed are numeric "
            "features. Encode strings before, for instance in a pipeline by make_column_transformer(("
            f"OneHotEncoder(handle_unknown='ignore', sparse_output=False), {shown(list(strings))}), "
            "remainder='passthrough')"
        )
    if huge:
        return f": {_named(huge)} an integer beyond all doubles: {HUGE}"
    if dates:
        return (
            f": {_named(dates)} dates or spans of time: allowed are numeric features, such as days since one"
        )
    if infinite:
        return f": {_named(infinite)} infinity: allowed are finite numbers"
    if gaps and missing is not None:
        return (
            f": {_named(gaps)} missing values (NaN): {missing}. Or fill them in before, for instance by "
            "SimpleImputer() in a pipeline"
        )
    return None


def _columns(X: Any) -> Iterator[tuple[Any, np.ndarray]]:
    """Name, or number, and values of each column of what is a table."""
    names = getattr(X, "columns", None)
    if names is None:
        try:
            X = np.asarray(X)
        except ValueError:  # rows of several lengths
            return
        if X.ndim != 2:
            return
        if X.dtype.kind in "US":  # perhaps numbers next to words
            X = X.astype(object)
    for number in range(X.shape[1]):
        column = np.asarray(_safe_indexing(X, number, axis=1))
        yield (number if names is None else names[number]), column


def _is_word(value: Any) -> bool:
    """Whether a value is a string that is no number."""
    if not isinstance(value, (str, bytes)):
        return False
    try:
        float(value)
    except ValueError:
        return True
    return False


def _is_huge(value: Any) -> bool:
    """Whether a value is a number that no double comes near."""
    try:
        float(value)
    except OverflowError:
        return True
    except (TypeError, ValueError):  # no number at all
        pass
    return False


def _named(columns: list[Any]) -> str:
    """The columns, and the verb."""
    first = ", ".join(shown(name) for name in columns[:NAMED])
    if len(columns) == 1:
        return f"column {first} holds"
    more = f" and {len(columns) - NAMED} more" if len(columns) > NAMED else ""
    return f"columns {first}{more} hold"
