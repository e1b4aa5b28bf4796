"""What ``load`` returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

__all__ = ["Dataset"]


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set ready for training, with what is known of it.

    Attributes
    ----------
    name, track : str
        Which task, and which version of it.
    X : DataFrame of shape (n, p), float64
        Inputs without missing values, categories encoded.
    y : ndarray of shape (n,), int
        Class numbers; for two classes, 1 is the positive class.
    target_names : tuple of str
        Name of each class, in the order of the numbers.
    reason : str
        Why the positive class is positive (two classes), or what the classes are.
    encoding : str
        The rule for missing values and categories.
    defects : tuple of str
        What is known to be wrong with the data.
    citation, licence : str
        ``"not stated"`` where unknown.
    provenance : tuple of dict
        ``file``, ``url`` and ``sha256`` of each file read; for sets without files, ``source``.
    split : ndarray of str of shape (n,) or None
        ``"train"`` or ``"test"`` where the source gives a split.
    costs : DataFrame of shape (n, 4) or None
        Costs of each example, columns fn_cost, fp_cost, tp_cost and tn_cost, where the set has its own.
    posterior : callable or None
        ``posterior(X)`` gives P(y = 1 | x), shape (n,), where the law is known.
    """

    name: str
    track: str
    X: pd.DataFrame
    y: np.ndarray
    target_names: tuple[str, ...]
    reason: str
    encoding: str
    citation: str
    licence: str
    provenance: tuple[dict[str, str], ...]
    defects: tuple[str, ...] = ()
    split: np.ndarray | None = None
    costs: pd.DataFrame | None = None
    posterior: Callable[[ArrayLike], np.ndarray] | None = field(default=None, repr=False)

    @property
    def feature_names(self) -> tuple[str, ...]:
        """Names of the columns of ``X``."""
        return tuple(self.X.columns)

    def __repr__(self) -> str:
        counts = np.bincount(self.y, minlength=len(self.target_names))
        classes = ", ".join(f"{t}: {c}" for t, c in zip(self.target_names, counts, strict=True))
        rows, inputs = self.X.shape
        return f"Dataset({self.name!r}, track={self.track!r}, {rows} x {inputs}, {classes})"
