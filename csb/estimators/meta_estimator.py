"""What the methods around any classifier share: they take its data as they come, words and gaps included."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_classifier
from sklearn.utils import Tags, _safe_indexing, check_array, get_tags, indexable
from sklearn.utils.validation import check_consistent_length, column_or_1d

from csb.costs import check_cost_matrix
from csb.estimators.binary import AdaBoost
from csb.estimators.cross_fitting import Rows
from csb.estimators.fitted_state import FittedState
from csb.estimators.params import Label, param
from csb.inputs import check_label, read_column, read_target, read_weights, shown

__all__ = ["MetaEstimator"]


@dataclass(eq=False, repr=False)
class MetaEstimator(FittedState):
    """A method around any classifier, or a pipeline that ends in one; AdaBoost by default."""

    estimator: Any = param(
        None, "The classifier, or a pipeline that ends in one; AdaBoost on stumps by default.", "classifier"
    )
    _: KW_ONLY
    fn_cost: float = param(1.0, "Cost of missing a positive, if there are two classes.", "float")
    fp_cost: float = param(1.0, "Cost of a false alarm, if there are two classes.", "float")
    cost_matrix: Any = param(
        None,
        "Cost of each prediction (columns) for each true class (rows), in place of the costs of two classes: "
        "an array in the order of the sorted classes, or a frame that names them.",
        "array_like or DataFrame of shape (k, k)",
    )
    pos_label: Label = param(
        None,
        "The positive class of two; ``classes_[1]`` by default. Of more than two none may be named.",
        "label",
    )

    def _learner(self) -> Any:
        """The classifier, not fitted."""
        learner = AdaBoost() if self.estimator is None else self.estimator
        if not hasattr(learner, "fit") or not is_classifier(learner):
            raise ValueError(f"estimator={shown(learner)}: allowed is a scikit-learn classifier")
        return learner

    def _read_rows(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Rows:
        if X is None or y is None:
            raise ValueError("X and y: fit requires y to be passed, but the target y is None, or X is")
        (X,) = indexable(X)
        check_consistent_length(X, y)
        labels = read_column(
            "y", column_or_1d(check_array(y, ensure_2d=False, dtype=None, input_name="y"), warn=True)
        )
        weights = read_weights(sample_weight, labels)
        used = weights > 0
        if not used.all():  # an absent row
            X, labels, weights = _safe_indexing(X, used), labels[used], weights[used]
        classes, numbers = read_target(labels)
        return Rows(X, labels, numbers, weights, classes, used)

    def _positive(self, classes: np.ndarray) -> int:
        """Number of the positive class; of more than two classes none may be named."""
        if self.pos_label is None:
            return 1
        check_label("pos_label", self.pos_label, classes.tolist())
        if len(classes) > 2:
            raise ValueError(f"pos_label={shown(self.pos_label)}: must be None, y had more than two classes")
        return classes.tolist().index(self.pos_label)

    def _has_matrix(self, classes: np.ndarray) -> bool:
        """Whether costs are those of a matrix, as those of more than two classes always are."""
        return self.cost_matrix is not None or len(classes) > 2

    def _matrix(self, classes: np.ndarray, named: list[str]) -> np.ndarray:
        """The cost matrix; beside it no other costs are named."""
        if named:
            whose = f" of {len(classes)} classes" if len(classes) > 2 else ""
            raise ValueError(f"{named[0]}: must be left out, the costs{whose} are those of cost_matrix")
        return check_cost_matrix(self.cost_matrix, classes)

    def _take_over(self, fitted: Any) -> None:
        """What the fitted classifier tells of its features."""
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(fitted, name):
                setattr(self, name, getattr(fitted, name))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        base = AdaBoost() if self.estimator is None else self.estimator
        if hasattr(base, "__sklearn_tags__"):
            inner = get_tags(base)
            tags.input_tags, tags.classifier_tags = inner.input_tags, inner.classifier_tags
        return tags
