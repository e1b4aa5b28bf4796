"""Labels in every form that lists, numpy, pandas and polars have, from plain ones."""

import datetime
import enum
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd

try:
    import polars as pl
except ImportError:  # pragma: no cover
    pl = None
try:
    import pyarrow
except ImportError:
    pyarrow = None


class Word(enum.StrEnum):
    a, b, c = "a", "b", "c"


class Number(enum.IntEnum):
    zero, one, two = 0, 1, 2


Nothing = enum.Enum("Nothing", "zero one two")


def objects(labels):
    found = np.empty(len(labels), object)
    found[:] = labels
    return found


def dates(labels, unit="D"):
    return np.array([f"2020-01-0{label + 1}" for label in labels], f"M8[{unit}]")


def words(labels):
    return ["abc"[label] for label in labels]


def of_polars(form):
    return {} if pl is None else form()


NUMBERS = {
    "int64": np.array,
    **{name: lambda y, name=name: np.array(y, name) for name in (
        "int8", "uint8", "uint64", "float16", "float32", "float64", "longdouble")},
    "list": list, "tuple": tuple, "floats": lambda y: [float(each) for each in y],
    "objects": objects, "objects of numpy": lambda y: objects([np.int16(each) for each in y]),
    "Decimal": lambda y: [Decimal(each) for each in y], "Fraction": lambda y: [Fraction(each) for each in y],
    "IntEnum": lambda y: [Number(each) for each in y], "column": lambda y: np.array(y)[:, np.newaxis],
    "masked, without gaps": lambda y: np.ma.array(y, mask=np.zeros(len(y))),
    "Series": pd.Series, "Index": pd.Index, "frame": lambda y: pd.DataFrame({"y": y}),
    **{name: lambda y, name=name: pd.Series(y, dtype=name) for name in (
        "Int64", "UInt8", "Float64", "Sparse[int]")},
    "categories of numbers": lambda y: pd.Series(pd.Categorical(y, categories=[2, 1, 0], ordered=True)),
    "categories of Int64": lambda y: pd.Categorical(pd.array(y, "Int64")),
    "object Series": lambda y: pd.Series(y, dtype=object),
    **of_polars(lambda: {
        "polars Int64": pl.Series, "polars UInt8": lambda y: pl.Series(y, dtype=pl.UInt8),
        "polars Float32": lambda y: pl.Series(y, dtype=pl.Float32),
        "polars Decimal": lambda y: pl.Series([Decimal(each) for each in y]),
        "polars frame": lambda y: pl.DataFrame({"y": y}),
    }),
    **({} if pyarrow is None else {"arrow int": lambda y: pd.Series(y, dtype="int64[pyarrow]")}),
}  # fmt: skip
TRUTHS = {
    "bool": lambda y: np.array(y, bool), "list": lambda y: [bool(each) for each in y],
    "objects": lambda y: objects([bool(each) for each in y]),
    "boolean": lambda y: pd.Series(y, dtype="boolean"), "Series": lambda y: pd.Series(y, dtype=bool),
    "categories": lambda y: pd.Categorical(np.array(y, bool)),
    **of_polars(lambda: {"polars": lambda y: pl.Series([bool(each) for each in y])}),
    **({} if pyarrow is None else {"arrow": lambda y: pd.Series(y, dtype="bool[pyarrow]")}),
}  # fmt: skip
WORDS = {
    "str": lambda y: np.array(words(y)), "list": words, "list of numpy": lambda y: list(np.array(words(y))),
    "objects": lambda y: np.array(words(y), object),
    "StringDType": lambda y: np.array(words(y), np.dtypes.StringDType()),
    "StrEnum": lambda y: [Word(each) for each in words(y)],
    "objects of StrEnum": lambda y: objects([Word(each) for each in words(y)]),
    "Series": lambda y: pd.Series(words(y)), "object Series": lambda y: pd.Series(words(y), dtype=object),
    "string": lambda y: pd.Series(words(y), dtype=pd.StringDtype("python")),
    "categories": lambda y: pd.Series(pd.Categorical(words(y), categories=list("dcba"), ordered=True)),
    "Categorical": lambda y: pd.Categorical(words(y)), "Index": lambda y: pd.Index(words(y)),
    "frame": lambda y: pd.DataFrame({"y": words(y)}),
    **of_polars(lambda: {
        "polars": lambda y: pl.Series(words(y)), "polars frame": lambda y: pl.DataFrame({"y": words(y)}),
        "polars Categorical": lambda y: pl.Series(words(y), dtype=pl.Categorical),
        "polars Enum": lambda y: pl.Series(words(y), dtype=pl.Enum(list("dcba"))),
        "polars Object": lambda y: pl.Series(words(y), dtype=pl.Object),
    }),
    **({} if pyarrow is None else {
        "arrow str": lambda y: pd.Series(words(y), dtype=pd.ArrowDtype(pyarrow.string())),
        "string of arrow": lambda y: pd.Series(words(y), dtype="string[pyarrow]"),
    }),
}  # fmt: skip
DATES = {
    "days": dates,
    **{unit: lambda y, unit=unit: dates(y, unit) for unit in ("s", "us", "ns")},
    "dates of Python": lambda y: dates(y).tolist(), "times of Python": lambda y: dates(y, "s").tolist(),
    "Series": lambda y: pd.Series(dates(y)), "Timestamps": lambda y: list(pd.Series(dates(y))),
    "categories": lambda y: pd.Categorical(pd.Series(dates(y))), "Index": lambda y: pd.Index(dates(y)),
    **of_polars(lambda: {
        "polars Date": lambda y: pl.Series(dates(y)), "polars Datetime": lambda y: pl.Series(dates(y, "us")),
    }),
}  # fmt: skip
BYTES = {
    "S": lambda y: np.array(words(y), "S"), "list": lambda y: [each.encode() for each in words(y)],
    "objects": lambda y: objects([each.encode() for each in words(y)]),
}  # fmt: skip
FAMILIES = {"numbers": NUMBERS, "truths": TRUTHS, "words": WORDS, "dates": DATES, "bytes": BYTES}
"""Forms that are served; the first of each family is the plain one."""


def first(y, value):
    """The labels with another value in the first place."""
    return [value, *y[1:]]


REFUSED = {
    "complex": lambda y: np.array(y, complex), "spans": lambda y: np.array(y, "m8[D]"),
    "spans of Python": lambda y: [datetime.timedelta(each) for each in y],
    "Period": lambda y: pd.Series(pd.PeriodIndex(dates(y), freq="M")),
    "Interval": lambda y: pd.Series(pd.IntervalIndex.from_arrays(y, np.array(y) + 1)),
    "Enum": lambda y: [list(Nothing)[each] for each in y],
    "records": lambda y: np.array([(each,) for each in y], [("a", int)]),
    "halves": lambda y: [each / 2 for each in first(y, 1)],
    "infinite": lambda y: np.array(first(y, np.inf)), "NaN": lambda y: np.array(first(y, np.nan)),
    "None": lambda y: first(y, None), "NaN beside words": lambda y: first(words(y), np.nan),
    "None beside words": lambda y: first(words(y), None),
    "a number beside words": lambda y: first(words(y), 1),
    "a truth beside words": lambda y: first(words(y), True),
    "bytes beside words": lambda y: first(words(y), b"a"),
    "NaN among objects": lambda y: np.array(first(words(y), np.nan), object),
    "large integers": lambda y: [2**64 + each for each in y],
    "too far apart": lambda y: first(y, 2**63 + 1)[:-1] + [-1],
    "zero characters": lambda y: ["a" + "\0" * each for each in y],
    "gap of Int64": lambda y: pd.Series(first(y, None), dtype="Int64"),
    "gap of Float64": lambda y: pd.Series(first(y, None), dtype="Float64"),
    "gap of boolean": lambda y: pd.Series(first([each > 0 for each in y], None), dtype="boolean"),
    "gap of str": lambda y: pd.Series(first(words(y), None)),
    "gap of string": lambda y: pd.Series(first(words(y), None), dtype=pd.StringDtype("python")),
    "gap among categories": lambda y: pd.Categorical(first(words(y), None)),
    "gap among dates": lambda y: np.array(first(list(dates(y)), "NaT"), "M8[D]"),
    "gap among Timestamps": lambda y: objects(first(list(pd.Series(dates(y))), pd.NaT)),
    "masked": lambda y: np.ma.array(y, mask=np.arange(len(y)) == 0),
    "dates and times": lambda y: first(dates(y).tolist(), datetime.datetime(2020, 1, 1)),
    "zones and none": lambda y: first(
        dates(y, "s").tolist(), datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)),
    "nanoseconds": lambda y: np.array(y, "M8[ns]"),
    "beyond the calendar": lambda y: np.array([f"{20000 + each}-01-01" for each in y], "M8[s]"),
    "one-hot": lambda y: np.eye(3)[y], "a row": lambda y: np.array([y]), "set": set, "iterator": iter,
    "dict": lambda y: dict(enumerate(y)), "text": lambda y: "".join(words(y)), "nothing": lambda y: [],
    **of_polars(lambda: {
        "polars gap": lambda y: pl.Series(first(y, None)),
        "polars gap in words": lambda y: pl.Series(first(words(y), None)),
        "polars gap in truths": lambda y: pl.Series(first([each > 0 for each in y], None)),
        "polars gap in dates": lambda y: pl.Series(first(dates(y).tolist(), None)),
        "polars Duration": lambda y: pl.Series([datetime.timedelta(each) for each in y]),
    }),
}  # fmt: skip
"""What is no column of labels."""
