"""From the counts that study n16 records to losses, areas below Brier curves and ranks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd

from csb.costs import skew

__all__ = ["areas", "losses", "ranks"]

UNIT = ["dataset", "split"]


def losses(tables: Mapping[str, pd.DataFrame], counts: str = "counts") -> pd.DataFrame:
    r"""Loss :math:`Q(z)` of every method at every cost ratio, on every split.

    Eqs. (26) and (27) of Nikolaou et al. (2016), with the shares of the classes in the test part.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Tables of a study with ``sizes`` and the errors.
    counts : str, default "counts"
        Name of the table with the columns ``fn`` and ``fp``.

    Returns
    -------
    DataFrame
        The table of errors with the columns ``z`` and ``loss``.

    Examples
    --------
    >>> sizes = pd.DataFrame({"dataset": ["a"], "split": [0], "test": [10], "test_positives": [5]})
    >>> errors = pd.DataFrame({"dataset": ["a"], "split": [0], "ratio": [4.0], "fn": [1], "fp": [5]})
    >>> losses({"sizes": sizes, "counts": errors})[["z", "loss"]].round(2)
         z  loss
    0  0.2  0.36
    """
    table = tables[counts].merge(tables["sizes"][[*UNIT, "test", "test_positives"]], on=UNIT, how="left")
    positives, negatives = table["test_positives"], table["test"] - table["test_positives"]
    z = skew(table["ratio"], 1.0, positives / table["test"])
    loss = (1 - z) * table["fn"] / positives + z * table["fp"] / negatives
    return table.drop(columns=["test", "test_positives"]).assign(z=z, loss=loss)


def areas(table: pd.DataFrame, by: tuple[str, ...] = ("dataset", "split", "method")) -> pd.Series:
    """Area below each Brier curve, by the trapezoidal rule over the skews at hand.

    Divided by the range of the skews, so that it is a mean loss.

    Parameters
    ----------
    table : DataFrame
        With ``z`` and ``loss``, as :func:`losses` gives it.
    by : tuple of str
        Columns that tell the curves apart.

    Returns
    -------
    Series
        Areas, indexed by ``by``.

    Examples
    --------
    >>> curve = pd.DataFrame({"method": "m", "z": [0.25, 0.75, 0.5], "loss": [0.0, 0.0, 0.2]})
    >>> areas(curve, by=("method",))
    method
    m    0.1
    Name: area, dtype: float64
    """
    ordered = table.sort_values([*by, "z"], kind="stable")
    grouped = ordered.groupby(list(by), sort=False)
    step = grouped["z"].diff()
    middle = (ordered["loss"] + grouped["loss"].shift()) / 2
    keys = [ordered[name] for name in by]
    total = (step * middle).groupby(keys, sort=False).sum()
    return (total / step.groupby(keys, sort=False).sum()).rename("area")


def ranks(values: pd.DataFrame) -> pd.DataFrame:
    """Ranks of the columns within each row, one for the smallest value, equal values sharing theirs.

    Parameters
    ----------
    values : DataFrame
        One row for each data set, one column for each method.

    Returns
    -------
    DataFrame
        Of the same shape. Values that agree to twelve digits are equal.

    Examples
    --------
    >>> ranks(pd.DataFrame({"a": [0.1, 0.2], "b": [0.3, 0.2], "c": [0.2, 0.1]})).to_numpy()
    array([[1. , 3. , 2. ],
           [2.5, 2.5, 1. ]])
    """
    return values.apply(lambda column: np.round(column, 12)).rank(axis=1)
