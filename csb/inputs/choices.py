"""Names and seeds, with errors that say what is allowed."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import TypeVar

import numpy as np
from sklearn.utils import check_random_state

from csb.inputs.numbers import check_count, shown

__all__ = ["one_of", "read_generator", "read_random_state"]

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


def read_generator(name: str, value: object) -> np.random.Generator:
    """The generator of random numbers of a seed, a Generator or None."""
    if value is None or isinstance(value, np.random.Generator):
        return np.random.default_rng(value)
    return np.random.default_rng(check_count(name, value, 0, 2**64 - 1, "a Generator or None"))
