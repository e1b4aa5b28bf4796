"""The same folds for all: which rows train, which calibrate, and which judge."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import (
    GroupKFold,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.model_selection._split import GroupsConsumerMixin

from csb.estimators.cross_fitting import LacksClass, Split, read_splits
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
    """A splitter that holds out the last fifth of the rows, which come after those to fit with.

    Where a class is so rare that the fifth lacks it, more are held out, back to the last row of that class.
    """

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Split]:
        """Its one split."""
        n = len(X)
        rows, aside = np.arange(n), n - max(1, n // CALIBRATION_FOLDS)
        if y is not None:
            last = [np.flatnonzero(np.asarray(y) == label)[-1] for label in np.unique(y)]
            aside = min(aside, *last)
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
            ((fitting, held_out),) = LastPart().split(rows, labels[rows])
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

    def read(cv: Any) -> Folds:
        return _read_splitter(cv, labels, used, numbered, seed, when if not increasing else "", classes)

    if cv is None or isinstance(cv, (numbers.Number, str, bytes)):
        folds = FOLDS if cv is None else check_count("cv", cv, smallest=2)
        _refuse_random(cv, folds, when, increasing, numbered, labels, read)
        _check_counts(folds, labels)
        cv = StratifiedKFold(folds, shuffle=True, random_state=seed)
    try:
        return read(cv)
    except LacksClass as error:
        fault, allowed = error.args
        ways: Ways = {}
        if isinstance(cv, TimeSeriesSplit):
            ways = _forward(FOLDS, len(labels))
        elif numbered is not None and hasattr(cv, "split"):
            ways = _grouped(FOLDS)
        elif hasattr(cv, "split"):
            ways = _random(FOLDS, labels)
        if ways:
            allowed = _allowed(_serving(ways, read))
        raise ValueError(f"{fault}: {allowed}") from None


def _read_splitter(
    cv: Any,
    labels: np.ndarray,
    used: np.ndarray,
    numbered: np.ndarray | None,
    seed: int,
    unsorted: str,
    classes: list[Any],
) -> Folds:
    """The splits of a splitter, checked; what gives rows a time that is not in their order is named."""
    if numbered is None and isinstance(cv, GroupsConsumerMixin):
        raise ValueError(f"cv={shown(cv)}: it keeps groups together; allowed is groups=..., whose row it is")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The groups parameter is ignored")  # said below, if it matters
        splits = read_splits(
            cv, labels, used, np.random.RandomState(seed), "the comparison", classes, groups=numbered
        )
    ordered = all(train.max() < test.min() for train, test in splits)
    if ordered and unsorted:
        raise ValueError(f"cv={shown(cv)}: {unsorted} is not in order; the rows must be sorted by it first")
    if ordered:
        splits = [(np.sort(train), test) for train, test in splits]  # whose last part is held out
    apart = numbered is not None and not any(
        len(np.intersect1d(numbered[train], numbered[test])) for train, test in splits
    )
    found = Folds(splits, numbered, ordered, apart, seed, crossed=len(labels) < MANY)
    if any(len(np.unique(of)) < 2 for of in found.clusters):
        raise ValueError(f"cv={shown(cv)}: the rows to judge by are one row, or of one group; two are needed")
    if len(np.unique(labels[found.tested])) < 2:
        missing = shown(classes[1 - labels[found.tested[0]]])
        raise LacksClass(
            f"cv={shown(cv)}: the rows to judge by lack the class {missing}: no error on it would count",
            "allowed are splits that judge some",
        )
    for k, split in enumerate(splits):
        _check_split(found, cv, k, split, labels)
    if not _calibrates(found, np.arange(len(labels)), labels):  # what is chosen is fitted to them
        raise LacksClass(
            f"cv={shown(cv)}: all rows together are too few for a calibration within them, both parts of "
            "which need each class",
            "allowed are more rows",
        )
    return found


def _serve(splits: list[Split], labels: np.ndarray) -> bool:
    """Whether there are any, all parts with both classes."""
    return bool(splits) and all(len(np.unique(labels[part])) == 2 for parts in splits for part in parts)


def _time_of(X: object, kinds: Mapping[Any, Kind]) -> tuple[str, bool]:
    """What gives the time of the rows, and whether it increases; empty if nothing does."""
    if not isinstance(X, pd.DataFrame):
        return "", False
    index = X.index.set_names(range(X.index.nlevels)).to_frame(index=False).iloc[:, :1]
    places: dict[str, tuple[pd.DataFrame, Mapping[Any, Kind]]] = {
        "the index of X": (index, {name: kind_of(index[name])[0] for name in index})
    }
    places |= {f"column {shown(name)} of X": (X[[name]], kinds) for name in X}
    for place, (column, of) in places.items():
        if of[column.columns[0]] == "time":
            days = as_numbers(column, of).iloc[:, 0]
            known = days.dropna()  # a few dates among many gaps may stand in order by chance
            increasing = bool(
                known.is_monotonic_increasing and known.nunique() > 1 and 2 * len(known) > len(days)
            )
            if increasing or column is index:
                return place, increasing
    return "", False


Ways = dict[str, Any]
"""Splitters, as one writes them."""


def _forward(folds: int, n: int) -> Ways:
    """Splits that go forward, those that judge most rows first."""
    ways: Ways = {f"TimeSeriesSplit({k})": TimeSeriesSplit(k) for k in range(folds, 1, -1)}
    for share in (2, 3, 4, 6, 8):  # one over that of the rows to judge by
        size = max(1, n // (share * folds))
        ways[f"TimeSeriesSplit({folds}, test_size={size})"] = TimeSeriesSplit(folds, test_size=size)
    return ways


def _grouped(folds: int) -> Ways:
    """Splits that keep groups whole."""
    return {f"StratifiedGroupKFold({k})": StratifiedGroupKFold(k) for k in range(folds, 1, -1)}


def _random(folds: int, labels: np.ndarray) -> Ways:
    """Random splits, of nearly so many folds first."""
    most = min(2 * FOLDS, np.bincount(labels, minlength=2).min())
    numbers = sorted(range(2, most + 1), key=lambda k: abs(k - folds))
    return {f"StratifiedKFold({k}, shuffle=True)": StratifiedKFold(k, shuffle=True) for k in numbers}


def _serving(ways: Ways, read: Callable[[Any], Folds]) -> str:
    """The first of these that serves for the rows; empty if none does."""
    for name, splitter in ways.items():
        try:
            read(splitter)
        except ValueError:
            continue
        return name
    return ""


def _allowed(*serving: str) -> str:
    """What is allowed, by name."""
    named = ", or ".join(filter(None, serving))
    if named:
        return f"allowed is a splitter of scikit-learn: {named}"
    return "allowed are splits with each class in every part, and none was found: y has too few of one class"


def _refuse_random(
    cv: object,
    folds: int,
    when: str,
    increasing: bool,
    groups: np.ndarray | None,
    labels: np.ndarray,
    read: Callable[[Any], Folds],
) -> None:
    """Random folds would train on what comes later, or on rows of the group that is judged."""
    if when:
        ahead = f"TimeSeriesSplit({folds}) on rows sorted by it"
        if increasing:
            ahead = _serving(_forward(folds, len(labels)), read)
        shuffled = _serving(_random(folds, labels), read)
        in_no_order = f"{shuffled} if the order of the rows means nothing" if shuffled else ""
        raise ValueError(
            f"cv={shown(cv)}: {when} is a time, and random folds would train on rows that come later than "
            f"those they are judged by; {_allowed(ahead, in_no_order)}"
        )
    if groups is not None:
        plain = {
            name.removeprefix("Stratified"): GroupKFold(way.n_splits) for name, way in _grouped(folds).items()
        }
        raise ValueError(
            f"cv={shown(cv)}: with groups {_allowed(_serving(_grouped(folds), read), _serving(plain, read))}"
        )


def _needed(folds: int) -> int:
    """So many examples of a class fill all of so many folds, also those of the calibration."""
    return next(n for n in count(folds) if n - -(-n // folds) >= CALIBRATION_FOLDS)


def _check_counts(folds: int, labels: np.ndarray) -> None:
    """Each class must fill all folds."""
    fewest = int(np.bincount(labels, minlength=2).min())
    if fewest < _needed(folds):
        serving = [k for k in range(2, fewest + 1) if _needed(k) <= fewest]
        nearest = min(serving, key=lambda k: abs(k - folds), default=None)
        raise ValueError(
            f"cv={folds}: each class of y needs at least {_needed(folds)} examples; "
            f"the smaller class has {fewest}"
            + (f", with which cv={nearest} is allowed" if nearest else ", and no number of folds will do")
        )


def _calibrates(folds: Folds, rows: np.ndarray, labels: np.ndarray) -> bool:
    """Whether these rows can be split for the calibration of what is trained with them."""
    try:
        inner = folds.calibration(rows, labels)
        within = inner.split(rows, labels[rows]) if hasattr(inner, "split") else inner
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "The least populated class")  # said by the answer
            return _serve(list(within), labels[rows])
    except ValueError:  # of a splitter, for want of examples
        return False


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
    quick = folds.quick(labels)
    if not (_calibrates(folds, train, labels) and _calibrates(quick, quick.splits[k][0], labels)):
        raise LacksClass(
            f"cv={shown(cv)}: the training rows of split {k} are too few for a calibration within them, both "
            "parts of which need each class",
            "allowed are larger training parts",
        )
