"""Read raw files: ARFF, separated values, MATLAB.

Every reader gives a table of one column per attribute: numbers as floats, categories as text, and NaN
where the file says ``?``. The class column is text always, so ``1`` and ``1.0`` are different labels.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.io import arff, loadmat

from csbook.datasets.fetch import verify
from csbook.datasets.registry import File

__all__ = ["as_registered", "inputs_of", "parse", "read_arff", "read_mat", "read_table"]

SEPARATORS = {"csv": ",", "semicolon": ";", "tab": "\t", "blank": r"\s+"}


def read_arff(path: str | Path) -> pd.DataFrame:
    """Read an ARFF file through scipy; nominal values become text.

    Parameters
    ----------
    path : str or Path
        An ARFF file of numeric and nominal attributes, dense.

    Returns
    -------
    DataFrame
        Numeric attributes as float64, nominal ones as text, ``?`` as NaN.
    """
    # scipy takes a blank after a comma as part of a nominal value
    text = re.sub(r",[ \t]+", ",", Path(path).read_text(encoding="utf-8", errors="replace"))
    records, meta = arff.loadarff(io.StringIO(text))
    table = pd.DataFrame(records)
    for name, kind in zip(meta.names(), meta.types(), strict=True):
        if kind == "nominal":
            table[name] = _text(table[name].str.decode("utf-8"))
    return table


def read_mat(path: str | Path) -> pd.DataFrame:
    """Read a MATLAB file with the variables ``data`` (n, d) and ``labels`` (n,).

    Returns
    -------
    DataFrame
        Columns x1 to xd as float64 and ``labels`` as text of whole numbers.
    """
    content = loadmat(path)
    data = np.asarray(content["data"], dtype=float)
    table = pd.DataFrame(data, columns=[f"x{k + 1}" for k in range(data.shape[1])])
    table["labels"] = np.ravel(content["labels"]).astype(int).astype(str)
    return table


def read_table(
    path: str | Path, separator: str = ",", columns: tuple[str, ...] = (), class_column: str = ""
) -> pd.DataFrame:
    """Read separated values, gzip-compressed or not.

    Parameters
    ----------
    path : str or Path
        The file.
    separator : str, default ","
        Separator of the fields, or a regular expression.
    columns : tuple of str, default ()
        Names of the columns of a file without a header; fields beyond them are ignored. Empty: the
        first line is the header.
    class_column : str, default ""
        Column read as text; a record number in square brackets behind the label is cut off.

    Returns
    -------
    DataFrame
        Columns that hold numbers only as float64, the others as text, ``?`` as NaN.
    """
    table = pd.read_csv(
        path,
        sep=separator,
        names=list(columns) or None,
        header=None if columns else 0,
        usecols=range(len(columns)) if columns else None,
        na_values=["?"],
        keep_default_na=False,
        skipinitialspace=True,
        dtype={class_column: str} if class_column else None,
    )
    for name in table:
        if name != class_column and pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].astype(float)
        else:
            table[name] = _text(table[name])
    if class_column:
        table[class_column] = table[class_column].str.replace(r"\[.*\]$", "", regex=True)
    return table


def _text(column: pd.Series) -> pd.Series:
    """Categories as text without blanks and quotes around them, NaN where missing."""
    stripped = column.astype(object).map(lambda value: value.strip().strip("'\""), na_action="ignore")
    return stripped.where(stripped.ne("?"), np.nan).astype(pd.StringDtype(na_value=np.nan))


def parse(path: str | Path, file: File) -> pd.DataFrame:
    """Read a raw file as its registry row says, once its checksum is found right.

    No other content reaches the readers: on a damaged file that of MATLAB files can end the process.

    Parameters
    ----------
    path : str or Path
        Where the file is.
    file : File
        Its registry row.

    Returns
    -------
    DataFrame
        All columns of the file, identity numbers, classes and costs included.

    Raises
    ------
    ValueError
        Naming the file, if its checksum is wrong or it is not of the registered format.
    """
    verify(Path(path), file)
    with as_registered(str(path)):
        if file.format == "arff":
            return read_arff(path)
        if file.format == "mat":
            return read_mat(path)
        return read_table(path, SEPARATORS[file.format], file.columns, file.class_column)


@contextmanager
def as_registered(names: str) -> Iterator[None]:
    """Name the files in whatever error follows from a content that is not as registered: a ValueError.

    The readers of other libraries raise errors of many kinds on a damaged file. An error of the system, such
    as of a file that is not there, stays what it is.
    """
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.errno:
            raise
        raise ValueError(f"{names}: not as registered ({type(error).__name__}: {error})") from error


def inputs_of(table: pd.DataFrame, file: File) -> pd.DataFrame:
    """The attributes of a parsed file: its columns but identity numbers, classes and costs."""
    return table.drop(columns=list(file.not_inputs))
