"""Load a data set by name."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd

from csbook.datasets import enumerated, generated
from csbook.datasets.dataset import Dataset
from csbook.datasets.encode import describe, encode
from csbook.datasets.fetch import locate
from csbook.datasets.parsers import as_registered, inputs_of, parse
from csbook.datasets.registry import Entry, Track, TrackName, find_entry, find_file, find_track

__all__ = ["load", "read_file"]

MAKERS: dict[str, Callable[[], Dataset]] = {
    name: getattr(module, name)
    for module in (generated, enumerated)
    for name in module.__all__
    if name.startswith(("make_", "bundled_"))
}


def load(name: str, track: TrackName = "clean") -> Dataset:
    """Load a data set.

    Sets that come with the package need no file. The others are read from the folder named by the
    environment variable ``CSB_DATA``, else from the cache, else downloaded into the cache; the checksum
    is verified each time.

    Parameters
    ----------
    name : str
        A name or alias of :func:`available`.
    track : {"clean", "published"}, default "clean"
        ``"published"`` exists for the 18 sets of Nikolaou et al. (2016) and is the authors' own file,
        their label 1 positive. ``"clean"`` has the known defects mended, and the class whose miss harms
        is positive.

    Returns
    -------
    Dataset

    Raises
    ------
    ValueError
        If the name is unknown (with the nearest one), the set has no such track, or a file has the wrong
        checksum or is not as registered.
    OSError
        If a file is absent and cannot be downloaded.

    Notes
    -----
    For data of your own: the boosters of csb take numbers only, and with stumps NaN. Put scikit-learn's
    ``SimpleImputer`` (``add_indicator=True`` if being missing may mean something) and ``OneHotEncoder``
    before them in a ``Pipeline``, so that what is filled in is learnt from the training rows alone. Code
    a category as one number only if its levels have an order: a stump cuts along it.

    Examples
    --------
    >>> load("wdbc")
    Dataset('wdbc', track='clean', 569 x 30, benign: 357, malignant: 212)
    """
    entry = find_entry(name)
    version = find_track(entry, track)
    if version.maker:
        return MAKERS[version.maker]()
    return _from_files(entry, version)


def read_file(name: str) -> pd.DataFrame:
    """Read one raw file as it is: every column, missing values as NaN, classes as text.

    Parameters
    ----------
    name : str
        Name of the file, as in the registry (``csb/datasets/registry/files.csv``).

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError, OSError
        As for :func:`load`.
    """
    file = find_file(name)
    return parse(locate(file), file)


def _from_files(entry: Entry, track: Track) -> Dataset:
    tables = {name: read_file(name) for name in track.all_files}
    with as_registered(", ".join(tables)):
        return _put_together(entry, track, tables)


def _put_together(entry: Entry, track: Track, tables: dict[str, pd.DataFrame]) -> Dataset:
    raw, inputs, labels = [], [], []
    for name in track.files:
        file, table = find_file(name), tables[name]
        raw.append(table)
        inputs.append(inputs_of(table, file))
        if name in track.labels:
            table, file = tables[track.labels[name]], find_file(track.labels[name])
        labels.append(table[track.target or file.class_column])

    table = pd.concat(raw, ignore_index=True)
    features = pd.concat(inputs, ignore_index=True)
    target = pd.concat(labels, ignore_index=True)
    if not track.target and target.name in features:
        features = features.drop(columns=target.name)
    features = features.drop(columns=list(track.drop))

    keep = features.index[: track.head]
    if track.missing == "drop rows":
        keep = features.loc[keep].dropna().index
    y, known = _classes(target.loc[keep], track)
    if not known.all():
        raise ValueError(
            f"{entry.name}: labels {sorted(set(target.loc[keep][~known]))} are not in the registry"
        )
    costs = EXAMPLE_COSTS[entry.name](table.loc[keep].reset_index(drop=True)) if track.costs else None
    split = np.repeat(track.split, [len(part) for part in raw])[keep] if track.split else None
    X = encode(features.loc[keep].reset_index(drop=True), track)
    for part in (X, costs):
        if part is not None and not np.isfinite(part.to_numpy(dtype=float)).all():
            raise ValueError(f"{entry.name}: a number is missing or not finite")
    return Dataset(
        name=entry.name,
        track=track.name,
        X=X,
        y=y,
        target_names=tuple(track.classes),
        reason=track.reason,
        encoding=describe(track),
        citation=entry.citation,
        licence=entry.licence,
        provenance=tuple(
            {"file": name, "url": find_file(name).url, "sha256": find_file(name).sha256}
            for name in track.all_files
        ),
        defects=entry.defects + track.defects,
        split=split,
        costs=costs,
    )


def _classes(labels: pd.Series, track: Track) -> tuple[np.ndarray, pd.Series]:
    """Class numbers, and which labels are registered; ``"*"`` stands for all labels not named."""
    numbers = {raw: number for number, group in enumerate(track.classes.values()) for raw in group}
    codes = labels.map(numbers)
    if "*" in numbers:
        codes = codes.fillna(numbers["*"])
    known = codes.notna()
    return codes.fillna(-1).to_numpy().astype(np.int64), known


def _bank_marketing_costs(table: pd.DataFrame) -> pd.DataFrame:
    """A call costs 1; a customer not called loses the bank its interest on a quarter of the balance."""
    missed = np.maximum(table["balance"] * 0.25 * 0.02463333, 1.0)
    return pd.DataFrame({"fn_cost": missed, "fp_cost": 1.0, "tp_cost": 1.0, "tn_cost": 0.0})


def _churn_costs(table: pd.DataFrame) -> pd.DataFrame:
    names = {"C_FN": "fn_cost", "C_FP": "fp_cost", "C_TP": "tp_cost", "C_TN": "tn_cost"}
    return table[list(names)].rename(columns=names)


EXAMPLE_COSTS = {"bank-marketing": _bank_marketing_costs, "churn-tv": _churn_costs}
