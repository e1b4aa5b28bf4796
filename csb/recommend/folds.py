"""The same folds for all: which rows train, which calibrate, and which judge."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold, StratifiedShuffleSplit

from csb.estimators.cross_fitting import Split, read_splits
from csb.inputs import check_count, read_column, shown
from csb.recommend.columns import Kind, as_numbers, kind_of

__all__ = ["CALIBRATION_FOLDS", "Folds", "LastPart", "read_folds"]

CALIBRATION_FOLDS = 5
"""Each candidate is calibrated by cross-fitting with so many folds."""
FEW = 1_000
"""From so many rows on that takes too long for all candidates: they are compared on one of these folds."""
MANY = 10_000
"""From so many rows on the recommended candidate is calibrated on one of these folds, too."""
PART = 50_000
"""So many rows train candidates that are only compared."""
RARE = 1_000
"""Or so many more that the smaller class has this many rows among them."""
FOLDS = 5
BLOCKS = 30
"""Stretches of time whose rows may depend on each other: fewer would leave little to tell a variance from."""


class LastPart:
    """A splitter that holds out the last fifth of the rows, which come after those to fit with."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Its one split."""
        n = len(X)
        rows, aside = np.arange(n), n - max(1, n // CALIBRATION_FOLDS)
        yield rows[:aside], rows[aside:]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """One."""
        return 1

    def __repr__(self) -> str:
        return "LastPart()"


@dataclass(frozen=True)
class Folds:
    """Splits of the rows.

    Attributes
    ----------
    splits : list of (ndarray, ndarray)
        Rows to train and calibrate with, and rows to judge by.
    groups : ndarray of shape (n,), optional
        Numbers of the groups.
    ordered : bool
        Whether all rows to judge by come after those to train with, in every split.
    apart : bool
        Whether there are groups, and each is on one side of every split.
    seed : int
        Seed of what is drawn within the training rows.
    crossed : bool
        Whether calibration is by cross-fitting, where splits are not ordered; on one split otherwise.
    """

    splits: list[Split]
    groups: np.ndarray | None
    ordered: bool
    apart: bool
    seed: int
    crossed: bool

    @property
    def tested(self) -> np.ndarray:
        """Rows to judge by, split after split."""
        return np.concatenate([test for _, test in self.splits])

    @property
    def clusters(self) -> list[np.ndarray]:
        """What the rows to judge by belong to, one or two ways: their group, their stretch of time, or a row.

        A row that is judged more than once is one cluster.
        """
        tested = self.tested
        found = [] if self.groups is None else [self.groups[tested]]
        if self.ordered:
            rows, place = np.unique(tested, return_inverse=True)
            found.append(place * min(BLOCKS, len(rows) // 2) // len(rows))
        return found or [tested]

    def quick(self, labels: np.ndarray) -> Folds:
        """The same to compare many with: calibrated on one split, and trained on a part of many rows."""
        size = max(PART, int(RARE * len(labels) / np.bincount(labels).min()))
        longest = max(len(train) for train, _ in self.splits)
        if longest <= size and (self.ordered or not self.crossed or len(labels) < FEW):
            return self
        random = np.random.default_rng(self.seed)
        some = [
            np.sort(random.choice(train, size, replace=False)) if len(train) > size else train
            for train, _ in self.splits
        ]
        tests = (test for _, test in self.splits)
        return replace(self, splits=list(zip(some, tests, strict=True)), crossed=False)

    def calibration(self, rows: np.ndarray, labels: np.ndarray) -> Any:
        """What splits these rows once more, ``cv`` of an estimator that chooses or calibrates."""
        if self.ordered and not self.apart:
            return LastPart()
        if self.groups is None:
            if self.crossed:
                return StratifiedKFold(CALIBRATION_FOLDS, shuffle=True, random_state=self.seed)
            return StratifiedShuffleSplit(1, test_size=1 / CALIBRATION_FOLDS, random_state=self.seed)
        groups = self.groups[rows]
        if self.ordered:
            ((fitting, held_out),) = LastPart().split(rows)
            return [(fitting[~np.isin(groups[fitting], groups[held_out])], held_out)]
        most = min(CALIBRATION_FOLDS, len(np.unique(groups)), *np.bincount(labels[rows], minlength=2))
        for parts in range(most, 1, -1):  # as many as leave no class out
            splitter = StratifiedGroupKFold(parts, shuffle=True, random_state=self.seed)
            splits = list(splitter.split(rows, labels[rows], groups))
            if _serve(splits, labels[rows]):
                return splits[: parts if self.crossed else 1]
        return []


def read_folds(
    cv: Any,
    X: object,
    labels: np.ndarray,
    used: np.ndarray,
    groups: object,
    random_state: np.random.RandomState,
    classes: list[Any],
    kinds: Mapping[Any, Kind],
) -> Folds:
    """Read ``cv`` and ``groups``.

    Parameters
    ----------
    cv : int, splitter, iterable of splits or None
        As :func:`csb.recommend.recommend` takes it.
    X : object
        Rows as they were given, of which only those used count.
    labels : ndarray of shape (n,)
        Classes 0 and 1 of the rows used.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given these are.
    groups : array_like of shape (n_samples,), optional
        Whose row it is.
    random_state : RandomState
        Source of the seed.
    classes : list
        The two labels.
    kinds : mapping
        What each column of a frame holds.

    Returns
    -------
    Folds
        One split or more.

    Raises
    ------
    ValueError
        If ``cv`` is none of these, if it is random where the rows have an order or groups, if a row or a
        group is on both sides of a split, or a class has too few examples.
    """
    seed = random_state.randint(2**31 - 1)
    numbered = None
    if groups is not None:
        numbered = np.unique(read_column("groups", groups, len(used))[used], return_inverse=True)[1]
    when, increasing = _time_of(X, kinds)
    if cv is None or isinstance(cv, (numbers.Number, str, bytes)):
        folds = FOLDS if cv is None else check_count("cv", cv, smallest=2)
        _refuse_random(cv, folds, when, increasing, groups is not None)
        _check_counts(folds, labels)
        cv = StratifiedKFold(folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The groups parameter is ignored")  # said below, if it matters
        splits = read_splits(cv, labels, used, random_state, "the comparison", classes, groups=numbered)
    ordered = all(train.max() < test.min() for train, test in splits)
    if ordered and when and not increasing:
        raise ValueError(f"cv={shown(cv)}: {when} is not in order; the rows must be sorted by it first")
    if ordered:
        splits = [(np.sort(train), test) for train, test in splits]  # whose last part is held out
    apart = numbered is not None and not any(
        len(np.intersect1d(numbered[train], numbered[test])) for train, test in splits
    )
    found = Folds(splits, numbered, ordered, apart, seed, crossed=len(labels) < MANY)
    if any(len(np.unique(of)) < 2 for of in found.clusters):
        raise ValueError(f"cv={shown(cv)}: the rows to judge by are one row, or of one group; two are needed")
    for k, split in enumerate(splits):
        _check_split(found, cv, k, split, labels)
    return found


def _serve(splits: list[Split], labels: np.ndarray) -> bool:
    """Whether there are any, all parts with both classes."""
    return bool(splits) and all(len(np.unique(labels[part])) == 2 for parts in splits for part in parts)


def _time_of(X: object, kinds: Mapping[Any, Kind]) -> tuple[str, bool]:
    """What gives the time of the rows, and whether it increases; empty if nothing does."""
    if not isinstance(X, pd.DataFrame):
        return "", False
    index = X.index.to_frame(index=False).iloc[:, :1]
    places: dict[str, tuple[pd.DataFrame, Mapping[Any, Kind]]] = {
        "the index of X": (index, {name: kind_of(index[name])[0] for name in index})
    }
    places |= {f"column {shown(name)} of X": (X[[name]], kinds) for name in X}
    for place, (column, of) in places.items():
        if of[column.columns[0]] == "time":
            days = as_numbers(column, of).iloc[:, 0]
            increasing = bool(days.is_monotonic_increasing and days.nunique() > 1)
            if increasing or column is index:
                return place, increasing
    return "", False


def _refuse_random(cv: object, folds: int, when: str, increasing: bool, grouped: bool) -> None:
    """Random folds would train on what comes later, or on rows of the group that is judged."""
    if when:
        ahead = f"TimeSeriesSplit({folds})" + ("" if increasing else " on rows sorted by it")
        raise ValueError(
            f"cv={shown(cv)}: {when} is a time, and random folds would train on rows that come later than "
            f"those they are judged by; allowed is a splitter of scikit-learn: {ahead}, "
            f"or StratifiedKFold({folds}, shuffle=True) if the order of the rows means nothing"
        )
    if grouped:
        raise ValueError(
            f"cv={shown(cv)}: with groups allowed is a splitter that keeps each on one side, such as "
            f"StratifiedGroupKFold({folds}) or GroupKFold({folds}) of scikit-learn"
        )


def _check_counts(folds: int, labels: np.ndarray) -> None:
    """Each class must fill all folds, also those of the calibration."""
    counts = np.bincount(labels, minlength=2)
    needed = next(n for n in count(folds) if n - -(-n // folds) >= CALIBRATION_FOLDS)
    if counts.min() < needed:
        raise ValueError(
            f"cv={folds}: each class of y needs at least {needed} examples; "
            f"the smaller class has {counts.min()}"
        )


def _check_split(folds: Folds, cv: object, k: int, split: Split, labels: np.ndarray) -> None:
    """Nothing stands on both sides, and the rows to train with can be split for the calibration."""
    train, test = split
    if np.intersect1d(train, test).size:
        raise ValueError(f"cv={shown(cv)}: a row is in both parts of split {k}; it must be in one")
    if folds.groups is not None and not folds.apart and not folds.ordered:
        raise ValueError(
            f"cv={shown(cv)}: a group is in both parts of a split; allowed is a splitter that keeps groups "
            "together, such as StratifiedGroupKFold or GroupKFold of scikit-learn"
        )
    enough = True
    for each in (folds, folds.quick(labels)):
        rows = each.splits[k][0]
        try:
            inner = each.calibration(rows, labels)
            within = inner.split(rows, labels[rows]) if hasattr(inner, "split") else inner
            enough = enough and _serve(list(within), labels[rows])
        except ValueError:  # of a splitter, for want of examples
            enough = False
    if not enough:
        raise ValueError(
            f"cv={shown(cv)}: the training rows of split {k} are too few for a calibration within them, both "
            "parts of which need each class; allowed are larger training parts"
        )
