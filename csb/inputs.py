"""What is read from users: numbers, choices, labels, weights. Readers refuse bad ones by name."""

from __future__ import annotations

import numbers
import reprlib
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

__all__ = [
    "FINITE", "MODERATE", "NUMBERS", "ONE_CLASS", "POSITIVE", "ColumnWarning", "CompileCacheWarning",
    "ConstantModelWarning", "FewExamplesWarning", "KnownDecisionWarning", "NotCompiledWarning",
    "NotFiniteWarning", "balance", "check_callable", "check_count", "check_flag", "check_instance",
    "check_jobs", "check_label", "check_order", "check_shapes", "distinct_labels", "listed", "one_of",
    "plain_array", "positive_class", "read_array", "read_classes", "read_column", "read_labels",
    "read_number", "read_random_state", "read_signs", "read_target", "read_weights", "refuse_masked", "shown",
]  # fmt: skip

FINITE = "(-inf, inf)"
"""All finite numbers."""
MODERATE = "[-1e100, 1e100]"
"""Numbers whose products with one another, and squares, do not leave the range of doubles."""
POSITIVE = "[1e-100, 1e100]"
"""Positive numbers whose products, squares and quotients do not leave it either."""

LARGEST_COUNT = 10**9
"""A larger number of rows, rounds or bins is a slip, and would end in an error about memory."""

SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxlong = SHORT.maxother = 60


def shown(value: object) -> str:
    """A value as an error prints it: short, and on one line.

    Examples
    --------
    >>> shown("x" * 1000)
    "'xxxxxxxxxxxxxxxxxxxxxxxxxxx...xxxxxxxxxxxxxxxxxxxxxxxxxxxx'"
    """
    try:
        return " ".join(SHORT.repr(value.item() if isinstance(value, np.number) else value).split())
    except ValueError:  # an integer of more digits than Python prints
        return f"<{type(value).__name__}>"


def _within(array: np.ndarray, interval: str) -> np.ndarray:
    """Which numbers lie in an interval such as ``"(0, 1]"``; NaN lies in none."""
    low, high = map(float, interval[1:-1].split(","))
    above = array >= low if interval[0] == "[" else array > low
    return above & (array <= high if interval[-1] == "]" else array < high)


def plain_array(name: str, value: object) -> np.ndarray:
    """An array of numpy, in which objects that are all numbers have become numbers."""
    if np.ma.is_masked(value):
        raise ValueError(f"{name} is masked in part: allowed are arrays without gaps")
    try:
        array = np.asarray(value)
    except (OverflowError, TypeError, ValueError):
        raise ValueError(f"{name}={shown(value)}: allowed are rows of one length") from None
    if array.dtype.kind == "T":  # whose strings others do not take
        array = array.astype(object)
    if array.dtype.kind == "O" and all(isinstance(each, (numbers.Real, Decimal)) for each in array.flat):
        try:
            plain = np.array(array.tolist())
            return plain if plain.dtype.kind != "O" else plain.astype(float)
        except OverflowError:  # of an integer that no double comes near
            pass
    return array


def refuse_masked(name: str, X: object) -> None:
    """Refuse features of which some are hidden: what reads them would take the values behind the mask."""
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(f"{name} is masked in part: allowed are arrays without gaps, or with NaN for them")


def read_array(
    name: str, value: object, interval: str = FINITE, *, shape: tuple[int | None, ...] | None = None
) -> np.ndarray:
    """Numbers as an array of doubles.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What it was given.
    interval : str, default "(-inf, inf)"
        What each number may be, in the notation of intervals: a square bracket includes the end, a round one
        excludes it.
    shape : tuple of int or None, optional
        The shape; None stands for any length but zero. A single column will do for one axis. By default any
        shape is allowed, and a frame of one column is a vector.

    Returns
    -------
    ndarray of float64
        The numbers; perhaps the memory of ``value`` itself.

    Raises
    ------
    ValueError
        If it holds no numbers, one that lies outside or masked ones, or has another shape.

    Examples
    --------
    >>> read_array("prevalence", [0, 0.5], "[0, 1]")
    array([0. , 0.5])
    """
    array = plain_array(name, value)
    is_flag = array.dtype.kind == "b" and array.ndim == 0
    if array.dtype.kind not in "biuf" or is_flag or (shape == () and array.ndim):
        raise ValueError(f"{name}={shown(value)}: {_allowed(interval, shape != ())}")
    is_column = isinstance(value, pd.DataFrame) if shape is None else len(shape) == 1
    if is_column and array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if not array.size or (shape is not None and not _fits(array.shape, shape)):
        wanted = "one or more numbers" if shape is None else str(shape).replace("None", "n")
        raise ValueError(f"{name} has shape {array.shape}: allowed is {wanted}")
    with np.errstate(over="ignore"):  # of longer floats than doubles
        array = array.astype(np.float64, copy=False)
    inside = _within(array, interval)
    if not inside.all():
        given = f" holds {array[~inside][0].item()!r}" if array.ndim else f"={shown(value)}"
        raise ValueError(f"{name}{given}: {_allowed(interval, array.ndim > 0)}")
    return array


def _allowed(interval: str, many: bool) -> str:
    what = "finite number" if interval == FINITE else "number"
    where = "" if interval == FINITE else f" in {interval}"
    return f"allowed are {what}s{where}" if many else f"allowed is a {what}{where}"


def _fits(found: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    return len(found) == len(shape) and all(
        wanted in (None, length) for length, wanted in zip(found, shape, strict=True)
    )


def read_number(name: str, value: object, interval: str = FINITE) -> float:
    """One number in an interval, see :func:`read_array`; a truth value is none.

    Examples
    --------
    >>> read_number("level", 0.95, "(0, 1)")
    0.95
    """
    return float(read_array(name, value, interval, shape=()))


def _is_integer(value: object) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def check_count(
    name: str, value: Any, smallest: int = 1, largest: int = LARGEST_COUNT, besides: str = ""
) -> int:
    """An integer from ``smallest`` to ``largest``, or a ValueError that names the parameter.

    What else it may be, of which the caller takes care, is named in ``besides`` for the message.
    """
    if not _is_integer(value) or not smallest <= int(value) <= largest:
        allowed = f"an integer from {smallest} to {largest}" + (f", {besides}" if besides else "")
        raise ValueError(f"{name}={shown(value)}: allowed is {allowed}")
    return int(value)


def check_jobs(name: str, value: Any) -> int | None:
    """A number of threads as joblib counts them, or a ValueError that names the parameter."""
    if value is None:
        return None
    if not _is_integer(value) or not 0 < abs(int(value)) < 2**15:
        raise ValueError(f"{name}={shown(value)}: allowed are None and integers other than 0")
    return int(value)


def check_flag(name: str, value: object) -> bool:
    """True or False, or a ValueError that names the parameter."""
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}={shown(value)}: allowed are True and False")
    return bool(value)


def check_instance(name: str, value: object, *kinds: type) -> None:
    """Refuse what is an instance of none of the classes."""
    if not isinstance(value, kinds):
        allowed = " or ".join(kind.__name__ for kind in kinds)
        raise ValueError(f"{name}={shown(value)}: allowed is an instance of {allowed}")


def check_callable(name: str, value: object) -> None:
    """Refuse what cannot be called."""
    if not callable(value):
        raise ValueError(f"{name}={shown(value)}: allowed is a function")


def check_shapes(**arrays: np.ndarray) -> None:
    """Refuse arrays that cannot be broadcast against one another."""
    try:
        np.broadcast_shapes(*(each.shape for each in arrays.values()))
    except ValueError:
        found = ", ".join(f"{name} has shape {each.shape}" for name, each in arrays.items())
        raise ValueError(f"{found}: allowed is one shape, or a number") from None


def check_order(**columns: object) -> None:
    """Refuse columns of pandas whose indexes hold the same labels in different orders.

    Rows are taken by their place, as scikit-learn takes them. That is an error where an index says that the
    same rows stand in another order; an index of other labels says nothing of the kind.

    Parameters
    ----------
    **columns : object
        What holds a row, a label or a number for each case, by parameter. What has no index will do.

    Raises
    ------
    ValueError
        With the first of them that is in another order than one before it.

    Examples
    --------
    >>> X = pd.DataFrame({"age": [31, 40]}, index=["a", "b"])
    >>> check_order(X=X, y=[0, 1], fn_cost=pd.Series([1.0, 2.0], index=["b", "a"]))
    Traceback (most recent call last):
    ValueError: fn_cost: its index holds the labels of that of X in another order; allowed is one order: ...
    """
    before: dict[str, pd.Index] = {}
    for name, column in columns.items():
        if isinstance(column, (pd.DataFrame, pd.Series)):
            for first, index in before.items():
                if _is_reordered(index, column.index):
                    raise ValueError(
                        f"{name}: its index holds the labels of that of {first} in another order; allowed is "
                        f"one order: {name}.loc[{first}.index] aligns it, and {name}.to_numpy() will do if "
                        "its rows are in order though its index is not"
                    )
            before[name] = column.index


def _is_reordered(one: pd.Index, other: pd.Index) -> bool:
    """Whether two indexes hold the same labels, each as often, but not in one order."""
    if len(one) != len(other) or one.equals(other):
        return False
    numbers, labels = pd.factorize(one.append(other), use_na_sentinel=False)
    before, after = (np.bincount(half, minlength=len(labels)) for half in np.split(numbers, 2))
    return np.array_equal(before, after)


def read_signs(name: str, value: object, shape: tuple[int | None, ...] | None = None) -> np.ndarray:
    """Classes or predictions, each -1 or +1, see :func:`read_array`."""
    array = read_array(name, value, "[-1, 1]", shape=shape)
    if np.any(np.abs(array) != 1):
        raise ValueError(f"{name} holds {array[np.abs(array) != 1].flat[0]:g}: allowed are -1 and +1")
    return array


T = TypeVar("T")

LISTED = 12
"""Up to so many allowed names are listed in an error; of more, the nearest is named."""


def one_of(name: str, value: T, allowed: Iterable[object], besides: str = "") -> T:
    """The value, if it is one of those allowed.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        What it was given.
    allowed : iterable of str
        What it may be.
    besides : str, optional
        What else the parameter may be, for the message.

    Returns
    -------
    object
        The value.

    Raises
    ------
    ValueError
        If it is none of them; the message lists what is allowed and names the nearest.

    Examples
    --------
    >>> one_of("rule", "vote", ("sign", "vote"))
    'vote'
    """
    allowed = list(allowed)
    if any(value is each or (isinstance(value, str) and value == each) for each in allowed):
        return value
    named = [each for each in allowed if isinstance(each, str)]
    hints = [f"allowed are {', '.join(map(repr, allowed))}"] if len(allowed) <= LISTED else []
    near = get_close_matches(shown(value).strip("'").lower(), named, n=1, cutoff=0)
    hints += [f"the nearest is {each!r}" for each in near] + [besides] * bool(besides)
    raise ValueError(f"{name}={shown(value)}: {'; '.join(hints)}")


def read_random_state(name: str, value: object) -> np.random.RandomState:
    """The source of random numbers that scikit-learn makes of a seed, a RandomState or None."""
    if value is None or isinstance(value, np.random.RandomState):
        return check_random_state(value)
    return np.random.RandomState(check_count(name, value, 0, 2**32 - 1, "a RandomState or None"))


ONE_CLASS = "y_true holds one class only: its rates need examples of both"
"""What is said of labels that have no rates."""


def read_column(name: str, values: object, length: int | None = None) -> np.ndarray:
    """Labels, one for each example.

    Parameters
    ----------
    name : str
        The parameter.
    values : array_like of shape (n,) or (n, 1)
        Whole numbers, truth values, strings or dates, without gaps.
    length : int, optional
        How many there must be; any number but zero by default.

    Returns
    -------
    ndarray of shape (n,)
        The labels.

    Raises
    ------
    ValueError
        If they are no labels, or not so many.

    Examples
    --------
    >>> read_column("y_true", ["yes", "no"])
    array(['yes', 'no'], dtype='<U3')
    """
    array = plain_array(name, values)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"{name}={shown(values)}: allowed is one label for each example")
    if not len(array) or length not in (None, len(array)):
        raise ValueError(f"{name} has {len(array)} labels: allowed are {length or 'one or more'}")
    kind, types = array.dtype.kind, set(map(type, array)) if array.dtype == object else set()
    missing = np.flatnonzero(pd.isna(array))
    if len(missing):
        raise ValueError(
            f"{name} lacks {len(missing)} of {len(array)} labels (NaN), first in row {missing[0]}: allowed "
            "are labels of all rows; leave the others out"
        )
    if kind == "M" or (types and all(issubclass(each, date) for each in types)):
        dates = _dates(array)
        known, array = dates is not None, array if dates is None else dates
    elif kind == "O":
        known = any(all(issubclass(each, kind) for each in types) for kind in (str, bytes))
    else:
        whole = kind != "f" or bool(np.all(np.isfinite(array) & (array == np.floor(array))))
        known = kind in "biufSU" and whole and _is_what_was_given(array, values)
        if kind == "f" and array.dtype not in (np.float32, np.float64):  # pandas has no index of such
            array = array.astype(float)
    if not known:
        # in the words that scikit-learn's checks of estimators look for
        wrong = "Complex data not supported" if kind == "c" else "Unknown label type"
        raise ValueError(
            f"{name}={shown(values)}: {wrong}: allowed are whole numbers, truth values, strings "
            "or dates, all of one kind"
        )
    return array


def _dates(array: np.ndarray) -> np.ndarray | None:
    """Dates of numpy that Python has, too, which knows no nanoseconds; None if they are not of one kind.

    Those with a time zone stay objects.
    """
    plain = array
    if array.dtype == object:
        moments = [each for each in array if isinstance(each, datetime)]
        zones = sum(each.tzinfo is not None for each in moments)
        if len(moments) not in (0, len(array)) or zones not in (0, len(array)):
            return None
        if zones:
            return array
        plain = array.astype("M8[us]" if moments else "M8[D]")
    elif isinstance(array.max().item(), int):
        plain = array.astype("M8[us]")
    ends = plain.min().item(), plain.max().item()
    same = plain.tolist() == array.tolist() if array.dtype == object else bool(np.all(plain == array))
    return plain if same and all(isinstance(each, date) for each in ends) else None


def _is_what_was_given(array: np.ndarray, values: object) -> bool:
    """Whether these are the objects given: numpy makes words of what is beside words, and rounds integers."""
    dtype = getattr(values, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return True
    return bool(array.tolist() == np.asarray(values, object).ravel().tolist())


def read_classes(name: str, values: object) -> np.ndarray:
    """Labels of classes, each once and in increasing order."""
    classes = read_column(name, values)
    if np.any(classes[1:] <= classes[:-1]):
        raise ValueError(f"{name}={shown(values)}: allowed are labels in increasing order, each once")
    return classes


def listed(labels: np.ndarray) -> list:
    """Labels as Python has them, to which dates in nanoseconds would be integers."""
    return (labels.astype("M8[us]") if labels.dtype == "M8[ns]" else labels).tolist()


def distinct_labels(**columns: np.ndarray) -> list:
    """The labels that occur in any of the columns, sorted."""
    found = {label for column in columns.values() for label in listed(np.unique(column))}
    try:
        return sorted(found)
    except TypeError:
        names = ", ".join(columns)
        raise ValueError(f"{names} hold {shown(found)}: allowed are labels of one kind") from None


NUMBERS = "biuf"
"""Kinds of arrays of truth values and numbers; labels of any other kind are words here."""


def positive_class(classes: np.ndarray, pos_label: object, *, symmetric: bool) -> int:
    """Which of two classes is the positive one.

    Parameters
    ----------
    classes : ndarray of shape (2,)
        Sorted labels.
    pos_label : label, optional
        The positive class; the larger label by default.
    symmetric : bool
        Whether the result is the same whichever it is. If not, of two words none is positive by default.

    Returns
    -------
    int
        Index into ``classes``.

    Raises
    ------
    ValueError
        If ``pos_label`` is neither class, or is needed.

    Examples
    --------
    >>> positive_class(np.array(["bad", "good"]), "bad", symmetric=False)
    0
    >>> positive_class(np.array(["bad", "good"]), None, symmetric=False)
    Traceback (most recent call last):
        ...
    ValueError: pos_label=None: which of the classes 'bad' and 'good' is positive must be said; ...
    """
    labels = listed(classes)
    if pos_label is not None:
        besides = ""
        if labels == [0, 1] and classes.dtype.kind in "iu":
            besides = (
                "; where these stand for other classes, one of scikit-learn's bagging, voting, stacking and "
                "cross_val_predict of scores has numbered them: give it truth values as labels, such as "
                f"y == {shown(pos_label)}, and no pos_label"
            )
        check_label("pos_label", pos_label, labels, besides)
        return labels.index(pos_label)
    if not symmetric and classes.dtype.kind not in NUMBERS:
        one, other = map(shown, labels)
        raise ValueError(
            f"pos_label=None: which of the classes {one} and {other} is positive must be said; allowed are "
            f"pos_label={one} or pos_label={other}, or truth values as labels, such as y == {one}"
        )
    return 1


def read_labels(
    *columns: ArrayLike,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
    symmetric: bool = False,
    **others: object,
) -> list[np.ndarray]:
    """Which labels are the positive one, and the weights.

    Parameters
    ----------
    *columns : array_like of shape (n,)
        True labels, and perhaps predicted ones: of two classes, or of one of them.
    pos_label : label, optional
        The positive class; the larger of the two labels by default, but of two words it must be named unless
        the result is symmetric. Where only one label occurs, 1 is positive, 0 and -1 are negative, and any
        other needs ``pos_label``.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights; 1 by default. The labels of rows of weight zero do not count.
    symmetric : bool, default False
        Whether what is made of the labels is the same whichever class is positive.
    **others : object
        What else is given for each example, by parameter, which must be in the order of the labels.

    Returns
    -------
    list of ndarray of shape (n,)
        One boolean array for each column, then the weights.

    Raises
    ------
    ValueError
        If there are more than two labels, if ``pos_label`` is none of two or is needed, if a weight is
        negative or not finite, or if indexes of pandas are in different orders.

    Examples
    --------
    >>> positive, weight = read_labels(["no", "yes", "no"], pos_label="yes")
    >>> positive
    array([False,  True, False])
    """
    named = dict(zip(("y_true", "y_pred"), columns, strict=False))
    check_order(**named, **others, sample_weight=sample_weight)
    true = read_column("y_true", columns[0])
    arrays = [true, *(read_column("y_pred", column, len(true)) for column in columns[1:])]
    weight = read_weights(sample_weight, true)
    counted = [array[weight > 0] for array in arrays]
    labels = distinct_labels(**dict(zip(named, counted, strict=True)))
    if len(labels) > 2:
        raise ValueError(f"y_true and y_pred hold {len(labels)} labels, {shown(labels)}: allowed are two")
    if len(labels) == 2:
        words = any(array.dtype.kind not in NUMBERS for array in arrays)
        classes = np.array(labels, object if words else None)
        pos_label = labels[positive_class(classes, pos_label, symmetric=symmetric)]
    elif pos_label is not None:  # the other class may be the positive one
        check_label("pos_label", pos_label, [*labels, pos_label])
    elif labels[0] in (-1, 0, 1):
        pos_label = 1
    else:
        raise ValueError(f"pos_label=None, and the only label is {labels[0]!r}: name the positive one")
    return [*(_equal(array, pos_label) for array in arrays), weight]


def _equal(array: np.ndarray, label: object) -> np.ndarray:
    """Which entries equal the label, as Python compares them: numpy does not compare all kinds."""
    values, at = np.unique(array, return_inverse=True)
    return np.array([bool(value == label) for value in listed(values)])[at]


def check_label(name: str, value: object, labels: list, besides: str = "") -> None:
    """Refuse what is none of the labels; what is to be said besides ends the message."""
    if not pd.api.types.is_scalar(value) or pd.isna(value) or value not in labels:
        raise ValueError(f"{name}={shown(value)}: allowed are {' and '.join(map(shown, labels))}{besides}")


def read_weights(sample_weight: object, each: np.ndarray, name: str = "sample_weight") -> np.ndarray:
    """Check the weights, one for each example; ones if there are none."""
    if sample_weight is None:
        return np.ones(len(each))
    weight = read_array(name, sample_weight, "[0, 1e100]", shape=(len(each),))
    if weight.max() < 1e-100:
        raise ValueError(
            f"{name} is at most {weight.max():g}: allowed are weights not all zero, one at least 1e-100"
        )
    return weight


def balance(positive: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Weights that sum to one half over each class, in the proportions of ``weight`` within it."""
    total = weight[~positive].sum(), weight[positive].sum()
    if not all(total):
        raise ValueError(ONE_CLASS)
    return weight / (2 * np.where(positive, total[1], total[0]))


def read_target(y: ArrayLike, most_classes: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The classes and the class number of each example.

    Parameters
    ----------
    y : array_like of shape (n,)
        Labels of any kind.
    most_classes : int, optional
        How many classes there may be.

    Returns
    -------
    classes : ndarray of shape (k,)
        Sorted labels.
    labels : ndarray of shape (n,), int8 for two classes
        Index into ``classes``.

    Raises
    ------
    ValueError
        If there are fewer than two classes, or too many, or they are no labels.
    """
    column = read_column("y", y)
    classes = np.unique(column)
    if most_classes is not None and len(classes) > most_classes:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes, allowed are {most_classes}"
        )
    if len(classes) < 2:
        raise ValueError("y holds one class only: at least two are needed, each with positive weight")
    if len(classes) == 2:  # comparing needs a tenth of the memory
        return classes, (column == classes[1:]).astype(np.int8)
    return classes, np.searchsorted(classes, column)


class NotFiniteWarning(RuntimeWarning):
    """The formula of a vote had no finite value in some round; training stopped there."""


class ConstantModelWarning(UserWarning):
    """No weak learner was kept: the model is the constant decision of least training cost."""


class ColumnWarning(UserWarning):
    """A column of a frame is read by what its text looks like, or holds words beside other things."""


class FewExamplesWarning(UserWarning):
    """The examples to calibrate on are too few for the costs: some class will hardly ever be predicted."""


class KnownDecisionWarning(UserWarning):
    """Some cases are decided by costs of their own, whatever the probability."""


class CompileCacheWarning(UserWarning):
    """Compiled code cannot be kept, or what was kept is damaged: compiling takes its seconds again."""


class NotCompiledWarning(UserWarning):
    """Numba cannot be imported: numpy does what it would compile, with the same results, in more time."""
