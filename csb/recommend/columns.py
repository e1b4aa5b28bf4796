"""What the columns of a frame hold, by their values and not by their type, and the numbers made of them."""

from __future__ import annotations

import numbers
import re
import warnings
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from pandas.api.types import is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import _check_feature_names

from csb.engine.atomic import atomically
from csb.inputs import ColumnWarning, shown

__all__ = ["WORDS", "Columns", "Kind", "as_numbers", "as_words", "encoder", "kind_of", "read_kinds"]

Kind = Literal["number", "time", "span", "word", "text", "code"]
WORDS = ("word", "text", "code")
"""Words of which some are text, all, or none."""
DAY = pd.Timedelta(days=1)
START = pd.Timestamp("1970-01-01", tz="UTC").as_unit("us")
"""In microseconds, since nanoseconds end in 2262, and open ends are dates such as 9999-12-31."""
MANY_WORDS = 50
OBJECTS: dict[Kind, tuple[type, ...]] = {
    "number": (numbers.Real, Decimal, np.bool_),
    "time": (date, np.datetime64, pd.Period),
    "span": (timedelta, np.timedelta64),
}
"""Types of the single values of a column of objects."""
TEXTS: dict[Kind, str] = {
    "number": r"\s*[+-]?(0|[1-9]\d*|(0|[1-9]\d*)?\.\d+|[1-9]\d*\.)([eE][+-]?\d+)?\s*",
    "time": r"\s*\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}.*)?)?\s*",
    "span": r"\s*-?\d+ days( [+-]?\d{2}:\d{2}:\d{2}(\.\d+)?)?\s*",
}
"""What numbers, dates, months and spans look like as text, the last two as pandas writes them.

A number with a zero in front is the name of something.
"""


def kind_of(column: pd.Series) -> tuple[Kind, bool]:
    """What a column holds, and whether that is in doubt: by its text, or since words stand beside others.

    Examples
    --------
    >>> kind_of(pd.Series([Decimal("1.5"), 2, None], dtype=object))
    ('number', False)
    >>> kind_of(pd.Series(["2024-02-01", "2024-03-01"]))
    ('time', True)
    >>> kind_of(pd.Series(["01067", "80331"]))
    ('text', False)
    """
    dtype = column.dtype
    if isinstance(dtype, pd.CategoricalDtype):
        return _words(column), False
    if is_numeric_dtype(dtype):  # truth values too
        return "number", False
    if is_datetime64_any_dtype(dtype) or isinstance(dtype, pd.PeriodDtype):
        return "time", False
    if is_timedelta64_dtype(dtype):
        return "span", False
    values = pd.Series(column.dropna().unique(), dtype=object)
    types = set(map(type, values))
    for kind, allowed in OBJECTS.items():
        if types and all(issubclass(each, allowed) for each in types):
            return kind, False
    if types != {str}:
        return _words(values), len(types) > 1
    for kind, pattern in TEXTS.items():
        if values.str.fullmatch(pattern).all() and _is_read(values, kind):
            return kind, True
    return "text", False


def _words(column: pd.Series) -> Kind:
    """What words a column holds; gaps alone may become any."""
    text = {isinstance(each, str) for each in column.dropna()}
    if len(text) != 1:
        return "word"
    return "text" if True in text else "code"


def _is_read(values: pd.Series, kind: Kind) -> bool:
    try:
        _doubles(values, kind)
    except (ValueError, OverflowError):
        return False
    return True


def read_kinds(X: pd.DataFrame) -> dict[Any, Kind]:
    """What each column holds, with one warning that names those in doubt."""
    if X.columns.empty:
        raise ValueError("X has no columns: allowed are one or more")
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"X has two columns {shown(twice)}: allowed is one of each name")
    types = {type(name): name for name in X}
    if str in types and len(types) > 1:
        raise ValueError(
            f"X has columns {shown([*types.values()][:2])}: allowed are names of one type, such as those of "
            "X.columns.astype(str)"
        )
    found = {}
    for name in X:
        try:
            found[name] = kind_of(X[name])
        except TypeError:  # of what has no hash
            raise ValueError(
                f"column {shown(name)} of X holds lists or the like: allowed are single values, that is "
                "numbers, words, dates, spans and gaps"
            ) from None
    doubts = [
        f"{shown(name)} as {'word' if kind in WORDS else kind}s"
        for name, (kind, doubt) in found.items()
        if doubt
    ]
    if doubts:
        warnings.warn(
            f"columns of X that are read by what their text looks like, or hold words beside other things: "
            f"{', '.join(doubts)}; astype('category') makes words of a column, pandas.to_numeric or "
            "pandas.to_datetime anything else",
            ColumnWarning,
            stacklevel=3,
        )
    return {name: kind for name, (kind, _) in found.items()}


def _doubles(column: pd.Series, kind: Kind) -> np.ndarray:
    """Numbers as they are, times as days since 1970, spans as days; gaps as NaN."""
    if isinstance(column.dtype, pd.PeriodDtype):
        column = column.dt.to_timestamp()
    if kind == "number" and not is_numeric_dtype(column.dtype):
        filled = column.astype(object).where(column.notna(), np.nan).to_numpy()
        return filled.astype(float)
    if kind == "number":
        return column.to_numpy(float, na_value=np.nan)
    if kind == "span":
        days = pd.to_timedelta(column.astype(object) if column.dtype == object else column) / DAY
    else:
        if column.dtype == object:
            column = column.map(lambda each: each.start_time if isinstance(each, pd.Period) else each)
        days = (pd.to_datetime(column, utc=True, format="ISO8601") - START) / DAY
    return days.to_numpy(float, na_value=np.nan)


def as_numbers(frame: pd.DataFrame, kinds: Mapping[Any, Kind]) -> pd.DataFrame:
    """Columns of numbers, times and spans as doubles; what is none of them is named."""
    columns = {}
    for name in frame:
        try:
            columns[name] = _doubles(frame[name], kinds[name])
        except (OverflowError, TypeError, ValueError) as error:
            raise ValueError(
                f"column {shown(name)} of X: allowed are {kinds[name]}s, as where it was trained ({error})"
            ) from None
    return pd.DataFrame(columns, frame.index)


def as_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Each value as a word, equal ones as the same: 1, 1.0 and True, but not the text "1"; gaps as NaN."""

    def words(column: pd.Series) -> pd.Series:
        codes, values = pd.factorize(column.astype(object))
        told = np.array([*map(_word, values), np.nan], object)
        return pd.Series(told[codes], column.index)

    return frame.apply(words)


def _word(value: Any) -> str:
    if isinstance(value, str):
        return repr(value) if re.fullmatch(TEXTS["number"], value) else value
    if isinstance(value, OBJECTS["number"]):
        return repr(np.asarray(value, float).item())
    return pd.Timestamp(value).isoformat() if isinstance(value, (date, np.datetime64)) else str(value)


class Columns(TransformerMixin, BaseEstimator):
    """Numbers, times and spans as doubles; words as categories, the most frequent ones each its own.

    Gaps stay gaps. Any other word is of the category of the infrequent ones, where there were such words in
    training, and a gap where there were none.

    Parameters
    ----------
    kinds : mapping
        What each column holds, by its name.

    Attributes
    ----------
    columns_ : list
        Names of the columns.
    words_ : dict
        The words of each column of words, whose places are their categories.
    infrequent_ : dict
        Whether it had more.
    """

    words_: dict[Any, pd.Index]
    infrequent_: dict[Any, bool]

    def __init__(self, kinds: Mapping[Any, Kind]) -> None:
        self.kinds = kinds

    def fit(self, X: pd.DataFrame, y: object = None) -> Self:
        """Find the words."""
        with atomically(self) as twin:
            _check_feature_names(twin, X, reset=True)
            twin.columns_ = list(X)
            twin.words_, twin.infrequent_ = {}, {}
            for name, column in as_words(X[[name for name in X if twin.kinds[name] in WORDS]]).items():
                words = column.value_counts().sort_index().sort_values(kind="stable").index
                twin.infrequent_[name] = len(words) > MANY_WORDS
                twin.words_[name] = words[1 - MANY_WORDS :] if twin.infrequent_[name] else words
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        """A frame of as many columns, in the order of training, named by their places."""
        if lacking := [name for name in self.columns_ if name not in X]:
            few = f"column {shown(lacking[0])}" if len(lacking) == 1 else f"columns {shown(lacking)}"
            raise ValueError(f"X lacks the {few}: allowed is a frame with the columns of training")
        others = [name for name in self.columns_ if name not in self.words_]
        found = dict(as_numbers(X[others], self.kinds).items())
        for name in self.words_:
            kind = self.kinds[name]
            if {kind, _words(X[name])} == {"text", "code"}:  # 14 is another word than "14"
                allowed = "text" if kind == "text" else "anything but text"
                raise ValueError(
                    f"column {shown(name)} of X: allowed is {allowed}, as where it was trained; "
                    "pandas.read_csv takes a type for each column, dtype={...}"
                )
        for name, column in as_words(X[list(self.words_)]).items():
            words = self.words_[name]
            codes = words.get_indexer(column)
            if self.infrequent_[name]:
                codes[(codes < 0) & column.notna()] = len(words)
            found[name] = pd.Categorical.from_codes(codes, range(len(words) + self.infrequent_[name]))
        return pd.DataFrame({f"x{place}": found[name] for place, name in enumerate(self.columns_)}, X.index)


def encoder(kinds: Mapping[Any, Kind]) -> Pipeline:
    """The median for a missing number, a column for each word."""
    from sklearn.impute import SimpleImputer  # csb itself must not wait for it when it is imported

    one_hot = FunctionTransformer(pd.get_dummies, kw_args={"dummy_na": True, "dtype": float})
    return make_pipeline(Columns(kinds), one_hot, SimpleImputer(strategy="median", keep_empty_features=True))
