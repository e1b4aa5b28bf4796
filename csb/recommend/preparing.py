"""From rows as they are to numbers: encoding, filling of gaps, and a pipeline that hands weights on."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from pandas.api.types import is_bool_dtype, is_datetime64_any_dtype, is_numeric_dtype, is_timedelta64_dtype
from scipy.sparse import issparse
from sklearn.base import ClassifierMixin, clone
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer

from csb.inputs import MODERATE, read_array, shown

__all__ = ["WeightedPipeline", "as_numbers", "as_words", "dense", "read_rows"]

MANY_WORDS = 50
DAY = pd.Timedelta(days=1)


class WeightedPipeline(Pipeline):
    """A pipeline whose ``fit`` takes weights, for its last step."""

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None, **params: Any
    ) -> Self:
        """Fit all steps, the last one with the weights."""
        if sample_weight is not None:
            params[f"{self.steps[-1][0]}__sample_weight"] = sample_weight
        return super().fit(X, y, **params)


def prepared(preprocess: Any, model: ClassifierMixin) -> ClassifierMixin:
    """The model behind what prepares its rows, in one pipeline that takes weights."""
    steps = list(model.steps) if isinstance(model, Pipeline) else make_pipeline(model).steps
    if preprocess is not None:
        name = "preprocess"
        while name in dict(steps):
            name += "_"
        steps.insert(0, (name, preprocess))
    return clone(WeightedPipeline(steps)) if len(steps) > 1 else clone(steps[0][1])


def read_rows(X: Any, preprocess: Any) -> tuple[Any, Any]:
    """The rows, checked, and a transformer that makes numbers of them, None where none is needed."""
    if preprocess is not None:
        if not (hasattr(preprocess, "fit") and hasattr(preprocess, "transform")):
            raise ValueError(
                f"preprocess={shown(preprocess)}: allowed is a transformer with fit and transform"
            )
        return X, preprocess
    if not isinstance(X, pd.DataFrame):
        if issparse(X):
            raise ValueError("X is sparse: allowed is a dense array, such as X.toarray()")
        try:
            return read_array("X", X, MODERATE, shape=(None, None)), None
        except ValueError as error:
            raise ValueError(f"{error}; in a pandas DataFrame words and gaps are allowed, too") from None
    if not X.columns.is_unique:
        twice = X.columns[X.columns.duplicated()][0]
        raise ValueError(f"X has two columns {shown(twice)}: allowed is one of each name")
    as_number = [name for name in X if _is_number(X[name].dtype)]
    for name in as_number:
        if np.abs(as_numbers(X[[name]])).max(axis=None) > 1e100:
            raise ValueError(f"column {shown(name)} of X holds infinity: allowed are numbers in {MODERATE}")
    plain = all(is_numeric_dtype(kind) for kind in X.dtypes)
    if plain and not X.isna().any(axis=None):
        read_array("X", X, MODERATE, shape=(None, None))
        return X, None
    return X, _encoder(X, as_number)


def _is_number(kind: Any) -> bool:
    """Whether a column of this type is one of numbers, truth values, dates or spans of time."""
    is_one_of = (is_numeric_dtype, is_bool_dtype, is_datetime64_any_dtype, is_timedelta64_dtype)
    return any(test(kind) for test in is_one_of) and not isinstance(kind, pd.CategoricalDtype)


def _encoder(X: pd.DataFrame, as_number: list[Any]) -> Any:
    """The median for a missing number, a column for each word."""
    # csb itself must not wait for them when it is imported
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    named = all(isinstance(name, str) for name in X)
    numbers, words = (
        [name if named else X.columns.get_loc(name) for name in X if (name in as_number) == wanted]
        for wanted in (True, False)
    )
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MANY_WORDS, sparse_output=False
    )
    return make_column_transformer(
        (make_pipeline(FunctionTransformer(as_numbers), fill), numbers),
        (make_pipeline(FunctionTransformer(as_words), one_hot), words),
    )


def as_numbers(frame: pd.DataFrame) -> pd.DataFrame:
    """Numbers, truth values, dates (days since 1970) and spans of time (days) as doubles, gaps as NaN."""

    def doubles(column: pd.Series) -> pd.Series:
        if is_datetime64_any_dtype(column.dtype):
            epoch = pd.Timestamp(0, tz=getattr(column.dtype, "tz", None))
            column = (column - epoch) / DAY
        elif is_timedelta64_dtype(column.dtype):
            column = column / DAY
        return pd.Series(column.to_numpy(float, na_value=np.nan), column.index)

    return frame.apply(doubles)


def as_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Whatever the columns hold as strings, all gaps as NaN."""

    def strings(column: pd.Series) -> pd.Series:
        return column.astype(object).map(str, na_action="ignore").where(column.notna(), np.nan)

    return frame.apply(strings)


def dense(X: Any) -> Any:
    """An array of a sparse matrix; anything else as it is."""
    return X.toarray() if issparse(X) else X
