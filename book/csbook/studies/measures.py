"""From the counts that study n16 records to losses, areas below Brier curves, ranks, differences by band."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from csb.costs import skew
from csb.evaluation.intervals import mean_interval
from csb.inputs import one_of

__all__ = ["BANDS", "areas", "band_losses", "by_band", "losses", "ranks"]

UNIT = ["dataset", "split"]
BANDS = {"up to 2.5": (1.0, 2.5), "3 to 9": (3.0, 9.0), "10 and more": (10.0, np.inf)}
"""Bands of the cost ratio, by how many times the cost of one error is that of the other, either way."""


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


def band_losses(table: pd.DataFrame, column: str = "method") -> pd.DataFrame:
    """Mean loss of each method on each data set in each band of the cost ratio.

    It is the mean over the splits and over the ratios of the band, each ratio counting alike. The bands say
    how many times the cost of the other error one error costs, either way: up to 2.5, 3 to 9, 10 and more.

    Parameters
    ----------
    table : DataFrame
        With ``dataset``, ``ratio``, ``loss`` and ``column``, as :func:`losses` gives it; or, in place of the
        ratio, with the ``band`` over which each loss is a mean.
    column : str, default "method"
        Where the names stand that are told apart.

    Returns
    -------
    DataFrame
        Indexed by ``band`` and ``dataset``, a column for each name. Bands without ratios are left out.

    Raises
    ------
    ValueError
        If a ratio lies in no band, there is no such band, or the names have not the same splits and ratios.

    Examples
    --------
    >>> table = pd.DataFrame({"dataset": "a", "ratio": [1.0, 0.5, 20.0], "loss": [0.2, 0.4, 0.1]})
    >>> band_losses(table.assign(method="m"))["m"].round(3).to_dict()
    {('up to 2.5', 'a'): 0.3, ('10 and more', 'a'): 0.1}
    """
    bands = _bands(table["ratio"]) if "ratio" in table else _named(table["band"])
    of = table.groupby([bands, "dataset", column], observed=True)["loss"]
    if of.size().unstack().nunique(axis=1).max() > 1:
        raise ValueError(f"table: what {column} names has not the same splits and ratios everywhere")
    return of.mean().unstack()


def by_band(
    table: pd.DataFrame,
    pairs: Mapping[str, tuple[str | Sequence[str], str | Sequence[str]]],
    column: str = "method",
    level: float = 0.95,
) -> pd.DataFrame:
    """Differences of mean losses in each band of the cost ratio, with intervals over the data sets.

    A mean over all ratios can hide that a method gains at some and loses at others.

    Parameters
    ----------
    table : DataFrame
        As :func:`band_losses` takes it.
    pairs : mapping of str to pair
        By what a comparison is called: whose loss, less whose. Several names in place of one are averaged.
    column : str, default "method"
        Where these names stand.
    level : float, default 0.95
        Probability of each interval by itself.

    Returns
    -------
    DataFrame
        Indexed by ``compared`` and ``band``, with ``mean``, ``low`` and ``high`` of the difference, on how
        many of the ``sets`` it is ``above`` zero, and the mean ``loss`` of the first of the pair.

    Raises
    ------
    ValueError
        If there is no such name, or :func:`band_losses` refuses the table.

    Examples
    --------
    On both sets the first costs 0.1 less at equal costs, and more at twenty to one, by 0.1 and by 0.3:

    >>> table = pd.DataFrame({
    ...     "dataset": ["a", "a", "b", "b"] * 2, "ratio": [1.0, 20.0] * 4,
    ...     "method": ["raw"] * 4 + ["calibrated"] * 4,
    ...     "loss": [0.2, 0.4, 0.2, 0.6, 0.3, 0.3, 0.3, 0.3],
    ... })  # fmt: skip
    >>> found = by_band(table, {"gain": ("raw", "calibrated")}).loc["gain"]
    >>> found["mean"].round(3).to_dict()
    {'up to 2.5': -0.1, '10 and more': 0.2}
    >>> found.loc["10 and more", ["above", "sets", "loss"]].to_dict()
    {'above': 2.0, 'sets': 2.0, 'loss': 0.5}
    """
    loss = band_losses(table, column)
    rows = {}
    for compared, pair in pairs.items():
        first, second = ([each] if isinstance(each, str) else list(each) for each in pair)
        for name in (*first, *second):
            one_of(column, name, loss.columns)
        of_first = loss[first].mean(axis=1, skipna=False)
        gaps = of_first - loss[second].mean(axis=1, skipna=False)
        for band, gap in gaps.groupby("band", observed=True):
            counts = int((gap > 0).sum()), len(gap), of_first[band].mean()
            rows[compared, band] = *mean_interval(gap, level=level), *counts
    found = pd.DataFrame.from_dict(rows, "index", columns=["mean", "low", "high", "above", "sets", "loss"])
    return found.set_axis(pd.MultiIndex.from_tuples(rows, names=["compared", "band"]))


def _bands(ratio: pd.Series) -> pd.Series:
    """Name of the band of each ratio, in the order of `BANDS`."""
    times = np.maximum(ratio, 1 / ratio).round(6)  # 1/15 is recorded to ten digits
    found = pd.Series(pd.Categorical([None] * len(ratio), list(BANDS)), ratio.index, name="band")
    for band, (low, high) in BANDS.items():
        found[times.between(low, high)] = band
    if found.isna().any():
        raise ValueError(
            f"ratio {ratio[found.isna()].iloc[0]:g} lies in no band: there are {', '.join(BANDS)}"
        )
    return found


def _named(band: pd.Series) -> pd.Series:
    """Names of bands, in the order of `BANDS`."""
    for name in band.unique():
        one_of("band", name, BANDS)
    return band.astype(pd.CategoricalDtype(list(BANDS)))
