"""From a raw table to numbers: missing values and categories, by one stated rule per data set."""

from __future__ import annotations

import pandas as pd

from csb.inputs import check_instance, read_array
from csbook.datasets.registry import Track

__all__ = ["describe", "encode"]

UNKNOWN = "?"

MISSING = {
    "none": "no value is missing",
    "drop rows": "rows with a missing value are left out",
    "category": "a missing category is a category of its own",
    "median": "a missing number is the column's median, a missing category a category of its own",
    "indicator": (
        "a missing number is the column's median and a 0/1 column says so, "
        "a missing category is a category of its own"
    ),
}


def encode(inputs: pd.DataFrame, track: Track) -> pd.DataFrame:
    """Turn attributes into floats without NaN.

    A category becomes a 0/1 column per level, or one column if there are two levels; a column with
    one level, or without any value, is left out. Columns named in ``track.ordinal`` become the place
    of the level in its order, 0, 1, ... Columns named in ``track.nominal`` are categories although
    they are written as numbers. With ``track.levels`` only these levels get a column. Missing values
    follow ``track.missing``, see :func:`describe`.

    Parameters
    ----------
    inputs : DataFrame of shape (n, d)
        Numbers as floats, categories as text.
    track : Track
        The rules.

    Returns
    -------
    DataFrame of shape (n, p), float64

    Raises
    ------
    ValueError
        If a value is missing that the rule does not cover, a column holds neither finite numbers nor
        strings, or none is left.
    """
    check_instance("inputs", inputs, pd.DataFrame)
    check_instance("track", track, Track)
    if not inputs.columns.is_unique or not len(inputs):
        raise ValueError("inputs: needed are one row or more, and columns each of a name of its own")
    parts = []
    for name in inputs:
        column = inputs[name]
        if column.isna().all():
            continue
        if name in track.ordinal:
            parts += _ordinal(column, track.ordinal[name])
        elif name in track.nominal:
            parts += _nominal(column.map("{:g}".format), track)
        elif pd.api.types.is_numeric_dtype(column):
            parts += _numeric(column, track)
        else:
            parts += _nominal(column, track)
    if not parts:
        raise ValueError("inputs: no column tells rows apart; at least one that does is needed")
    return pd.concat(parts, axis=1).astype(float)


def _refuse(column: pd.Series, rule: str) -> None:
    if column.isna().any():
        raise ValueError(
            f"inputs: column {column.name!r} has missing values, which the rule {rule!r} does not cover; "
            "none is allowed"
        )


def _numeric(column: pd.Series, track: Track) -> list[pd.Series]:
    if track.missing not in ("median", "indicator"):
        _refuse(column, track.missing)
    read_array(f"inputs, column {column.name!r}", column.dropna())
    filled = [column.fillna(column.median())]
    if track.missing == "indicator" and column.isna().any():
        filled.append(column.isna().rename(f"{column.name}={UNKNOWN}"))
    return filled


def _ordinal(column: pd.Series, order: list[str]) -> list[pd.Series]:
    places = column.map({level: place for place, level in enumerate(order)})
    _refuse(places, "ordinal")
    return [places]


def _nominal(column: pd.Series, track: Track) -> list[pd.Series]:
    if track.missing in ("none", "drop rows"):
        _refuse(column, track.missing)
    column = column.fillna(UNKNOWN)
    if not column.map(lambda level: isinstance(level, str)).all():
        raise ValueError(f"inputs: column {column.name!r} is neither of numbers nor of strings, as is needed")
    levels = list(track.levels) or sorted(column.unique())
    if len(levels) == 2:
        levels = levels[1:]
    elif len(levels) == 1:
        levels = []
    return [column.eq(level).rename(f"{column.name}={level}") for level in levels]


def describe(track: Track) -> str:
    """The rule for missing values and categories in words."""
    check_instance("track", track, Track)
    words = [MISSING[track.missing], "numbers stay, a category is a 0/1 column per level, one for two levels"]
    if track.levels:
        words.append(f"columns only for the levels {', '.join(track.levels)}")
    if track.nominal:
        words.append(f"categories although written as numbers: {', '.join(track.nominal)}")
    if track.ordinal:
        words.append(f"ordered, coded 0, 1, ...: {', '.join(track.ordinal)}")
    if track.drop:
        words.append(f"left out: {', '.join(track.drop)}")
    return "; ".join(words)
