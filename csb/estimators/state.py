"""What was fitted is what predicts: parameters that have changed since are refused."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import Field, fields
from reprlib import repr
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

__all__ = ["Remembering"]


class Remembering:
    """Refuses to predict with parameters that are not those of the fit."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    _changeable: ClassVar[frozenset[str]] = frozenset({"n_jobs"})
    """Parameters that may be changed after the fit: they act at the decision, or change no number."""

    def _remember(self) -> None:
        """Keep the parameters of the fit, copies of what can be changed in place."""
        kept = {each.name: getattr(self, each.name) for each in fields(self)}
        self._fitted = {
            name: deepcopy(value) if isinstance(value, (list, dict)) or hasattr(value, "shape") else value
            for name, value in kept.items()
        }

    def _check_unchanged(self) -> None:
        check_is_fitted(self)
        for name, fitted in self._fitted.items():
            now = getattr(self, name)
            if name in self._changeable or _same(now, fitted):
                continue
            raise ValueError(
                f"{type(self).__name__} was fitted with {name}={repr(fitted)} and is asked to predict with "
                f"{name}={repr(now)}, which acts in training: fit again, or set it back"
            )


def _same(one: object, other: object) -> bool:
    """Equality of parameters, also of arrays and of lists of them."""
    if one is other:
        return True
    if hasattr(one, "shape") or hasattr(other, "shape"):
        return np.array_equal(np.asarray(one), np.asarray(other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
