"""Costs of single examples, given to ``fit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_consistent_length

__all__ = ["ExampleCosts"]


class ExampleCosts:
    """Adds to an estimator a ``fit`` that takes the cost of misclassifying each example."""

    fn_cost: float
    fp_cost: float

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost: ArrayLike | None = None,
    ) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.
        cost : array_like of shape (n_samples,), optional
            Cost of misclassifying each example, positive. It takes the place of ``fn_cost`` and
            ``fp_cost``, which must then be one.

        Returns
        -------
        object
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible; nothing is trained then.
        """
        if cost is not None:
            if (self.fn_cost, self.fp_cost) != (1.0, 1.0):
                raise ValueError(
                    f"fn_cost={self.fn_cost!r}, fp_cost={self.fp_cost!r}: both 1 when fit is given cost"
                )
            read: np.ndarray = check_array(cost, ensure_2d=False, dtype=np.float64, input_name="cost")
            cost = read
            check_consistent_length(X, cost)
            if cost.ndim != 1:
                raise ValueError(f"cost has shape {cost.shape}: one positive number for each example")
            if np.any(cost <= 0):
                raise ValueError(f"cost holds {cost.min():g}: allowed are positive numbers")
        fit: Callable[..., Self] = self._fit  # type: ignore[attr-defined]  # of the estimator it is added to
        return fit(X, y, sample_weight, cost)
