"""What all estimators for two classes share: validation, costs, decisions."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from csb.costs import Costs, check_costs

__all__ = ["BinaryCostClassifier", "binary_target", "check_count"]


def check_count(name: str, value, smallest: int = 1) -> int:
    """An integer of at least ``smallest``, or a ValueError that names the parameter."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < smallest:
        raise ValueError(f"{name}={value!r}: an integer of at least {smallest}")
    return int(value)


def binary_target(y, sample_weight=None) -> tuple[np.ndarray, np.ndarray]:
    """The two classes and the class number of each example.

    Parameters
    ----------
    y : array_like of shape (n,)
        Labels of any kind.
    sample_weight : ndarray of shape (n,), optional
        A class must carry weight to count.

    Returns
    -------
    classes : ndarray of shape (2,)
        Sorted labels.
    labels : ndarray of shape (n,), int8
        Index into ``classes``.

    Raises
    ------
    ValueError
        If there are not exactly two classes.
    """
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    if len(classes) > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: "
            f"y has {len(classes)} classes"
        )
    present = np.unique(labels if sample_weight is None else labels[sample_weight > 0])
    if len(present) < 2:
        raise ValueError("y holds one class only; two classes are needed, each with positive weight")
    return classes, labels.astype(np.int8)


class BinaryCostClassifier(ClassifierMixin, BaseEstimator):
    """Two classes, two costs, and the decision: score above a threshold."""

    def _row(self):
        """The variant's row of the table."""
        raise NotImplementedError

    @property
    def _costs_act(self) -> str:
        """When costs play their part, see :class:`csb.methods.Variant`."""
        return self._row().costs_act

    def _costs(self) -> Costs:
        """Costs of the two classes as the parameters stand, speaking for ``classes_[1]``."""
        costs = check_costs(getattr(self, "fn_cost", 1.0), getattr(self, "fp_cost", 1.0))
        if len(costs.fn_cost) != 1:
            raise ValueError("fn_cost and fp_cost must be numbers; costs of single examples are given to fit")
        return Costs(costs.fp_cost, costs.fn_cost) if self._misses_first_class() else costs

    def _misses_first_class(self) -> bool:
        """Whether ``pos_label`` names ``classes_[0]``, whose miss then costs ``fn_cost``."""
        pos_label = getattr(self, "pos_label", None)
        if pos_label is None:
            return False
        where = np.flatnonzero(self.classes_ == pos_label)
        if len(where) != 1:
            raise ValueError(f"pos_label={pos_label!r}: one of the classes {self.classes_.tolist()}")
        return bool(where[0] == 0)

    def _read(self, X, y, sample_weight):
        """Validated features, class numbers and weights of training data; notes the classes."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.classes_, labels = binary_target(y, weights)
        return X, labels, weights

    def _remember_costs(self) -> None:
        self._fitted_costs = tuple(getattr(self, name, None) for name in ("fn_cost", "fp_cost", "pos_label"))

    def _check_X(self, X):
        """Validated features, unless the costs are not those that training saw."""
        check_is_fitted(self)
        if self._costs_act == "training":
            now = (self.fn_cost, self.fp_cost, self.pos_label)
            if now != self._fitted_costs:
                raise ValueError(
                    f"{type(self).__name__} was fitted with (fn_cost, fp_cost, pos_label) = "
                    f"{self._fitted_costs} and is asked to predict with {now}: "
                    "its costs act in training, so fit again. "
                    "AdaMEC takes new costs after fit"
                )
        return validate_data(self, X, dtype=np.float64, reset=False)

    def predict(self, X):
        """The class of each example: ``classes_[1]`` where the score exceeds the threshold.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        above = self.decision_function(X) > self.decision_threshold_
        return self.classes_[above.astype(int)]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
