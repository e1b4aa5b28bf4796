"""Numbers, counts, flags and lists, with errors that name the parameter."""

from __future__ import annotations

import numbers
import reprlib
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

__all__ = [
    "FINITE", "MODERATE", "POSITIVE", "check_callable", "check_count", "check_flag", "check_instance",
    "check_jobs", "check_shapes", "plain_array", "read_array", "read_list", "read_number", "read_signs",
    "shown",
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
    if array.dtype.kind == "O" and all(isinstance(each, (numbers.Real, Decimal)) for each in array.flat):
        try:
            plain = np.array(array.tolist())
            return plain if plain.dtype.kind != "O" else plain.astype(float)
        except OverflowError:  # of an integer that no double comes near
            pass
    return array


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


def read_signs(name: str, value: object, shape: tuple[int | None, ...] | None = None) -> np.ndarray:
    """Classes or predictions, each -1 or +1, see :func:`read_array`."""
    array = read_array(name, value, "[-1, 1]", shape=shape)
    if np.any(np.abs(array) != 1):
        raise ValueError(f"{name} holds {array[np.abs(array) != 1].flat[0]:g}: allowed are -1 and +1")
    return array


def read_list(name: str, value: Any) -> list:
    """The members of an iterable, of which there must be one; those of a frame are its rows."""
    given = value.squeeze(axis=1).to_numpy() if isinstance(value, pd.DataFrame) else value
    try:
        no_list = isinstance(given, (str, bytes, Mapping)) or np.ma.is_masked(given)
        members = [] if no_list else list(given)
    except TypeError:
        members = []
    if not members:
        raise ValueError(f"{name}={shown(value)}: allowed is a list or another iterable, not empty")
    return members
