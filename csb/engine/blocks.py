"""Features that come in blocks of rows, and what is common to them and to arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.validation import _get_feature_names, _num_samples

from csb.engine.features import naming_columns
from csb.inputs import check_callable, shown

__all__ = ["FLOATS", "BlockTable", "Blocks", "Features", "refuse_blocks"]

FLOATS = [np.float64, np.float32]
"""Types in which features are kept; all others become the first."""


class Blocks:
    """Features that come in blocks of rows, read as often as needed and never all at once.

    The estimators that boost stumps by weighted votes take them in place of an array; labels and weights are
    arrays as always. What is kept of the features are coarse codes, two bytes a value, and in order the rows
    that the search for stumps has had to look at, twelve bytes each. The model is to the bit that of one
    array of all rows. The blocks are read twice for the codes; then once in each round in which more rows are
    put in order, as happens less and less often.

    Parameters
    ----------
    read : callable
        Takes no arguments; every call gives the blocks anew, in the same order, as an iterable: arrays or
        frames of shape (n_rows, n_features), finite or NaN, of one type of number, and of frames with the
        same columns in one order. Those without rows are passed over.

    Examples
    --------
    >>> import numpy as np
    >>> from csb import AdaBoost
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(1000, 3))
    >>> y = X[:, 0] > 0
    >>> model = AdaBoost(10).fit(Blocks(lambda: np.split(X, 4)), y)
    >>> bool((model.predict(X) == y).all())
    True

    Row groups of a Parquet file, and a Dask array::

        Blocks(lambda: (rows.to_pandas() for rows in pyarrow.parquet.ParquetFile(path).iter_batches()))
        Blocks(lambda: (block.compute() for block in X.blocks))
    """

    def __init__(self, read: Callable[[], Iterable[Any]]) -> None:
        check_callable("read", read)
        self.read = read
        self._given: Any = None

    def __iter__(self) -> Iterator[Any]:
        """The blocks as they are given."""
        given = self.read()
        if not isinstance(given, Iterable) or isinstance(given, (str, bytes)):
            raise ValueError(f"read gives {shown(given)}: allowed is an iterable of blocks")
        if isinstance(given, Iterator) and given is self._given:
            raise ValueError(
                "read gives one iterator twice: allowed is a function that begins anew each time"
            )
        self._given = given if isinstance(given, Iterator) else None
        empty = True
        for block in given:
            empty = False
            yield block
        if empty:
            raise ValueError("X has no blocks: allowed are one or more")

    def numbered(self) -> Iterator[tuple[int, Any]]:
        """The blocks that hold rows, with their places; the last one where none does."""
        number, block, empty = 0, None, True
        for number, block in enumerate(self):
            if not _is_empty(block):
                empty = False
                yield number, block
        if empty:
            yield number, block


def _is_empty(block: Any) -> bool:
    """Whether it has no rows; what is no table is refused where it is read."""
    try:
        return bool(_num_samples(block) == 0)
    except TypeError:
        return False


def refuse_blocks(X: object, whose: str = "") -> None:
    """Refuse features in blocks where an array is needed, ``whose`` if it is not for an array in general."""
    if isinstance(X, Blocks):
        where = (
            f"allowed for {whose} is an array" if whose else "allowed is an array, such as one of the blocks"
        )
        raise ValueError(f"X is given in blocks: {where}")


class BlockTable:
    """Features in blocks, without the rows that are not in use; what an array would tell, and its blocks."""

    def __init__(self, blocks: Blocks, used: np.ndarray) -> None:
        self.blocks, self.used = blocks, used
        number, block = next(blocks.numbered())
        self.names = _get_feature_names(block)
        first = _checked(block, number)
        self.dtype = first.dtype
        self.shape = int(used.sum()), first.shape[1]

    def __iter__(self) -> Iterator[np.ndarray]:
        stop, rows = 0, len(self.used)
        for number, given in self.blocks.numbered():
            block = _checked(given, number)
            if (block.shape[1], block.dtype) != (self.shape[1], self.dtype):
                raise ValueError(
                    f"block {number} of X has {block.shape[1]} features of {block.dtype}: allowed is what "
                    f"the first has, {self.shape[1]} of {self.dtype}"
                )
            names = _get_feature_names(given)
            if not np.array_equal(names, self.names):
                raise ValueError(
                    f"block {number} of X has the columns {shown(_listed(names))}: allowed are those of the "
                    f"first in their order, {shown(_listed(self.names))}"
                )
            start, stop = stop, stop + len(block)
            if stop > rows:
                raise ValueError(f"X has more rows in its blocks than y: allowed are {rows}")
            used = self.used[start:stop]
            yield block if used.all() else block[used]
        if stop < rows:
            raise ValueError(f"X has {stop} rows in its blocks: allowed are as many as y has, {rows}")


Features = np.ndarray | BlockTable
"""An array of shape (n, d), or blocks of its rows."""


def _listed(names: np.ndarray | None) -> list[str] | None:
    return None if names is None else names.tolist()


def _checked(block: Any, number: int) -> np.ndarray:
    name = f"block {number} of X"
    with naming_columns(block, None, name):  # stumps take missing values
        checked: np.ndarray = check_array(block, dtype=FLOATS, input_name=name, ensure_all_finite="allow-nan")
    return checked
