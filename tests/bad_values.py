"""Values that are bad for most parameters: of functions and of estimators."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier


def _ragged():
    values = np.empty(2, object)
    values[:] = [[1.0], [1.0, 2.0]]
    return values


def bad_values():
    """The values by name, made anew: some can be read only once."""
    return {
        "None": None, "True": True, "text": "text", "bytes": b"", "-1": -1, "0": 0, "0.5": 0.5, "1.5": 1.5,
        "2": 2, "nan": np.nan, "inf": np.inf, "-inf": -np.inf, "tiny": 5e-324, "largest": 1.79e308,
        "1e160": 1e160, "1e-160": 1e-160, "-1e160": -1e160, "10**400": 10**400, "-10**400": -(10**400),
        "10**5000": 10**5000, "10**15": 10**15, "2**63": 2**63, "float32": np.float32(np.inf),
        "numpy nan": np.float64(np.nan), "date": np.datetime64("2020-01-01"), "span": np.timedelta64(3, "D"),
        "complex": 1 + 2j, "0-d nan": np.array(np.nan), "fraction": Fraction(-1, 3), "NA": pd.NA,
        "NaT": pd.NaT, "object": object(), "class": int, "function": len, "dict": {"a": 1}, "empty dict": {},
        "set": {1, 2}, "generator": (each for each in (1, 2)), "range": range(3), "empty": [],
        "empty array": np.empty((0, 2)), "nested": [[[1.0]]], "ragged": [[1.0], [1.0, 2.0]], "eye": np.eye(2),
        "3-d": np.zeros((2, 2, 2)), "nan within": [0.5, np.nan], "inf within": [np.inf, 0.5],
        "None within": [None, 1], "objects": np.array([1, "a", None], object), "words": ["a", "b"],
        "signs": [-1, 1, -1, 1, 1, -1], "zeros and ones": [0, 1, 0, 1, 1, 0], "unsorted": [0.9, 0.1, 0.5],
        "duplicates": [0.5, 0.5], "pair": (1.0, 2.0), "dates": np.array(["2020", "2021"], "M8[D]"),
        "complexes": [1j, 2.0], "huge within": [10**400, 1], "series": pd.Series([0.5, 0.25], index=[7, 7]),
        "frame": pd.DataFrame({"a": [1, 2], "b": [3, 4]}, index=[7, 7]),
        "nullable": pd.Series([1, None], dtype="Int64"), "sparse": csr_array(np.eye(2)),
        "masked": np.ma.array([0.5, 0.25], mask=[True, False]), "record": np.zeros(2, [("a", float)]),
        "False": False, "empty text": "", "bytes beyond ASCII": b"\x00\xff", "0.0": 0.0, "-0.0": -0.0,
        "-2.5": -2.5, "1e-200": 1e-200, "decimal": Decimal("1e999"), "day": datetime.date(2020, 1, 1),
        "no date": np.datetime64("NaT"), "nan in an array": np.array([1.0, np.nan]), "list": [1.0, 2.0],
        "array of objects": np.array([{}, None]), "ragged array": _ragged(), "dict of numbers": {1: 2},
        "no members": (each for each in ()), "regressor": LinearRegression(), "ellipsis": ...,
        "neighbours": KNeighborsClassifier(), "float32 nan": np.float32("nan"), "int8": np.int8(-3),
        "named frame": pd.DataFrame({"a": [0, 1], "b": [1, 0]}, index=["b", "a"]),
    }  # fmt: skip
