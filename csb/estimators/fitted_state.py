"""What every estimator does: read its data, fit as a whole or not at all, and remember how it was fitted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from dataclasses import Field, fields
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data

from csb.engine.atomic import atomically
from csb.engine.blocks import FLOATS, Blocks, BlockTable, refuse_blocks
from csb.engine.elementary import log
from csb.engine.features import naming_columns
from csb.engine.learners import takes_missing
from csb.inputs import (
    check_order,
    distinct_labels,
    read_column,
    read_target,
    read_weights,
    refuse_masked,
    shown,
)

__all__ = ["Examples", "FittedState"]

# Of a class with an unknown base type checkers would accept every argument of the constructor and every
# attribute: for them a stand-in with types.
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

MISSING = "stumps take them, and learners of scikit-learn that take them by themselves"
"""Said where missing values are refused."""


class Examples(NamedTuple):
    """Training data as read, without the rows of weight zero.

    Attributes
    ----------
    X : ndarray or BlockTable of shape (n, d)
        Features, finite or NaN; of single precision or in blocks only where they were allowed to be.
    labels : ndarray of shape (n,), int8
        Index into ``classes``.
    weights : ndarray of shape (n,)
        Positive weights.
    classes : ndarray of shape (k,)
        Sorted labels.
    used : ndarray of shape (n_samples,), bool
        Which of the rows given these are.
    """

    X: np.ndarray
    labels: np.ndarray
    weights: np.ndarray
    classes: np.ndarray
    used: np.ndarray


class FittedState(ClassifierMixin, BaseEstimator):
    """Fits as a whole or not at all, and refuses to predict with parameters that are not those of the fit."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    _changeable: ClassVar[frozenset[str]] = frozenset({"n_jobs"})
    """Parameters that may be changed after the fit: they act at the decision, or change no number."""

    @contextmanager
    def _fit_atomically(self) -> Iterator[Self]:
        """A twin to be fitted, which remembers how; see :func:`csb.engine.atomic.atomically`."""
        with atomically(self) as twin:
            yield twin
            twin._remember()

    def _remember(self) -> None:
        """Keep the parameters of the fit, copies of what can be changed in place."""
        kept = {each.name: getattr(self, each.name) for each in fields(self)}
        self._fitted = {name: _kept(value, deepcopy) for name, value in kept.items()}
        self._nested = [
            each
            for name, value in kept.items()
            if hasattr(value, "get_params")
            for each in _nested(name, value)
        ]

    @available_if(attrgetter("predict_proba"))
    def predict_log_proba(self, X: ArrayLike | Blocks) -> np.ndarray:
        """Logarithm of the probability of each class; that of zero is minus infinity.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As ``predict_proba`` takes it.

        Returns
        -------
        ndarray of shape (n_samples, k)
            Columns in the order of ``classes_``.
        """
        p = self.predict_proba(X)  # type: ignore[attr-defined]  # only where there is one
        return p.map_blocks(log) if hasattr(p, "__dask_graph__") else log(p)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Share of the labels that are predicted right.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            As ``predict`` takes it.
        y : array_like of shape (n_samples,)
            Labels; one that is no class is never right.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights.

        Returns
        -------
        float
            In [0, 1].

        Raises
        ------
        ValueError
            If labels or weights are not admissible, or in another order than the rows.
        """
        check_order(X=X, y=y, sample_weight=sample_weight)
        labels = self._read_labels(y)
        predicted = self.predict(X)  # type: ignore[attr-defined]  # each estimator has it
        check_consistent_length(predicted, labels)
        distinct_labels(y=labels, classes_=self.classes_)  # numbers are no words
        return float(np.average(predicted == labels, weights=read_weights(sample_weight, labels)))

    def _check_unchanged(self) -> None:
        check_is_fitted(self)
        own = ((name, getattr(self, name), fitted) for name, fitted in self._fitted.items())
        nested = ((name, getattr(owner, last), fitted) for name, owner, last, fitted in self._nested)
        for name, now, fitted in chain(own, nested):
            if name in self._changeable or name.endswith("__n_jobs") or _same(now, fitted):
                continue
            raise ValueError(
                f"{type(self).__name__} was fitted with {name}={shown(fitted)} and is asked to "
                f"predict with {name}={shown(now)}, which acts in training: fit again, or set it back"
            )

    def _read(
        self,
        X: ArrayLike | Blocks,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        most_classes: int | None = None,
        *,
        as_given: bool = False,
        cost: ArrayLike | None = None,
    ) -> Examples:
        """Validated training data; a row of weight zero is an absent row.

        Features become doubles in one array, unless they may stay ``as_given``: single precision, or blocks.
        Of the costs of the examples the order alone is looked at.
        """
        features: Any  # of either kind
        check_order(X=X, y=y, sample_weight=sample_weight, cost=cost)
        y = self._read_labels(y)
        if isinstance(X, Blocks):
            if not as_given:
                refuse_blocks(X, type(self).__name__)
            features = X
            # names and number of the features
            number, block = next(X.numbered())
            self._validated(block, name=f"block {number} of X", dtype=FLOATS)
        else:
            features = self._validated(X, dtype=FLOATS if as_given else np.float64)
            check_consistent_length(features, y)
        if sample_weight is None:
            weights = np.broadcast_to(1.0, len(y))  # of one number: there may not be room for ones
        else:
            weights = read_weights(sample_weight, y)
        used = weights > 0
        if isinstance(X, Blocks):
            features = BlockTable(X, used)
        elif not used.all():
            features = features[used]
        if not used.all():
            y, weights = y[used], weights[used]
        classes, labels = read_target(y, most_classes)
        return Examples(features, labels, weights, classes, used)

    def _read_labels(self, y: ArrayLike) -> np.ndarray:
        """Labels; of a column of them scikit-learn warns."""
        if y is None:
            raise ValueError(
                f"y=None: {type(self).__name__} requires y to be passed, but the target y is None"
            )
        labels = read_column("y", y)
        if np.asarray(y).ndim == 2:
            column_or_1d(labels[:, np.newaxis], warn=True)
        return labels

    def _takes_missing(self) -> bool:
        """Whether features may be missing."""
        return takes_missing(getattr(self, "estimator", None))

    def _validated(self, X: Any, name: str = "X", **how: Any) -> Any:
        """What scikit-learn makes of features; its errors name the column."""
        refuse_masked(name, X)
        taken = self._takes_missing()
        # it refuses what is not finite after all
        with (
            np.errstate(over="ignore", invalid="ignore"),
            naming_columns(X, None if taken else MISSING, name),
        ):
            return validate_data(self, X, ensure_all_finite="allow-nan" if taken else True, **how)

    def _check_X(self, X: ArrayLike, dtype: Any = np.float64, *, fewest: int = 1) -> np.ndarray:
        """Validated features, of so many rows or more, unless a parameter is not that of the fit."""
        self._check_unchanged()
        refuse_blocks(X)
        checked: np.ndarray = self._validated(X, dtype=dtype, reset=False, ensure_min_samples=fewest)
        return checked


def _kept(value: Any, duplicate: Callable[[Any], Any]) -> Any:
    """The value of a parameter, a copy of what can be changed in place."""
    return duplicate(value) if isinstance(value, (list, dict)) or hasattr(value, "shape") else value


def _nested(name: str, learner: Any) -> Iterator[tuple[str, Any, str, Any]]:
    """Parameters of a learner and of all within it: name, owner, name there and value.

    They are looked up at their owners in each prediction, since ``get_params`` takes longer than many a
    prediction. Lists hold learners, whose parameters follow: a copy of the list is enough, and keeps them.
    """
    params = learner.get_params()
    for inner, value in params.items():
        within, _, last = inner.rpartition("__")
        owner = params[within] if within else learner
        if last in vars(owner):  # the steps of a pipeline are found by their names, but in its list
            yield f"{name}__{inner}", owner, last, _kept(value, copy)


def _same(one: object, other: object) -> bool:
    """Equality of parameters, also of arrays and of lists of them."""
    if one is other:
        return True
    if hasattr(one, "equals"):  # a frame, whose names count as well
        return bool(type(one) is type(other) and one.equals(other))
    if hasattr(one, "shape") or hasattr(other, "shape"):
        return np.array_equal(np.asarray(one), np.asarray(other))
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    return bool(one == other or (one != one and other != other))  # not a number stands for a gap
