"""What the book reads from its readers besides: lists, and generators of random numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from csb.inputs import check_count, shown

__all__ = ["read_generator", "read_list"]


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


def read_generator(name: str, value: object) -> np.random.Generator:
    """The generator of random numbers of a seed, a Generator or None."""
    if value is None or isinstance(value, np.random.Generator):
        return np.random.default_rng(value)
    return np.random.default_rng(check_count(name, value, 0, 2**64 - 1, "a Generator or None"))
