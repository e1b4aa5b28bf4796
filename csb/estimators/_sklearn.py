"""The base classes of scikit-learn; for type checkers a stand-in with types, which it has none of.

Of a class with an unknown base they would accept every argument of the constructor and every attribute.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags

__all__ = ["BaseEstimator", "ClassifierMixin"]

if TYPE_CHECKING:

    class BaseEstimator:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...
        def __sklearn_tags__(self) -> Tags: ...

    class ClassifierMixin:
        classes_: np.ndarray
        n_features_in_: int
        feature_names_in_: np.ndarray

        def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float: ...

else:
    from sklearn.base import BaseEstimator, ClassifierMixin
