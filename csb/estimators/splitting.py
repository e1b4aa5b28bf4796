"""Splits of the training data: a share held out, folds, or what the user brings."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from csb.inputs import check_count, shown

__all__ = ["Split", "read_splits"]

HELD_OUT = 1 / 3

Split = tuple[np.ndarray, np.ndarray]
"""Numbers of the examples to fit with, and of those held out."""


def read_splits(
    cv: Any,
    labels: np.ndarray,
    used: np.ndarray,
    random_state: np.random.RandomState,
    purpose: str,
    groups: np.ndarray | None = None,
) -> list[Split]:
    """Splits of the examples.

    Parameters
    ----------
    cv : int, splitter, iterable of splits or None
        Folds, seeded; or splits of the rows given; None holds a third of each class out, once.
    labels : ndarray of shape (n,)
        Classes 0 and 1 of the examples.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given the examples are.
    random_state : RandomState
        Source of the seed, which is drawn in any case.
    purpose : str
        What needs the splits, for errors.
    groups : ndarray of shape (n,), optional
        Whose example it is, for a splitter that asks for it.

    Returns
    -------
    list of (ndarray, ndarray)
        Numbers of the examples to fit with, and of those held out.

    Raises
    ------
    ValueError
        If ``cv`` is none of these, or a class has too few examples.
    """
    seed = random_state.randint(2**31 - 1)
    splitter: Any
    if cv is None:
        needed, splitter = 3, StratifiedShuffleSplit(1, test_size=HELD_OUT, random_state=seed)
    elif isinstance(cv, (numbers.Number, str, bytes)):
        needed = check_count("cv", cv, smallest=2)
        splitter = StratifiedKFold(needed, shuffle=True, random_state=seed)
    else:
        given = (labels, labels) if groups is None else (labels, labels, groups)
        splits = cv.split(*given) if hasattr(cv, "split") else _of_rows(cv, used)
        return [_checked(cv, split, labels) for split in splits]
    fewest = np.bincount(labels, minlength=2).min()
    if fewest < needed:
        raise ValueError(
            f"cv={shown(cv)}: {purpose} needs at least {needed} examples of each class; "
            f"the smaller class has {fewest}"
        )
    return list(splitter.split(labels, labels))


def _of_rows(splits: Iterable[Any], used: np.ndarray) -> list[list[np.ndarray]]:
    """Splits given as row numbers, or as masks, in numbers of the rows that are used."""
    number = np.cumsum(used) - 1
    found = []
    try:
        for fitting, held_out in splits:
            parts = [np.arange(len(used))[np.asarray(part)] for part in (fitting, held_out)]
            found.append([number[part[used[part]]] for part in parts])
    except (TypeError, ValueError, IndexError) as error:
        raise ValueError(
            f"cv={shown(splits)}: allowed are a number of folds, a splitter, or pairs of arrays of row "
            f"numbers below {len(used)} ({error})"
        ) from error
    if not found:
        raise ValueError(f"cv={shown(splits)}: at least one split is needed")
    return found


def _checked(cv: object, split: Any, labels: np.ndarray) -> Split:
    """A split both of whose parts serve."""
    fitting, held_out = split
    if len(np.unique(labels[fitting])) < 2 or not len(held_out):
        raise ValueError(f"cv={shown(cv)}: both classes are needed in a part to fit, and a part held out")
    return fitting, held_out
