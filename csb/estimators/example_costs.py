"""Costs of single examples, given to ``fit``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

from numpy.typing import ArrayLike

from csb.engine.binning import Blocks
from csb.inputs import shown

__all__ = ["ExampleCosts"]


class ExampleCosts:
    """Adds to an estimator a ``fit`` that takes the cost of misclassifying each example."""

    fn_cost: float
    fp_cost: float

    def fit(
        self,
        X: ArrayLike | Blocks,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        cost: ArrayLike | None = None,
    ) -> Self:
        """Train the ensemble.

        Parameters
        ----------
        X : array_like or Blocks of shape (n_samples, n_features)
            Finite numbers, to stumps NaN and blocks as well, see :class:`csb.engine.binning.Blocks`.
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
        if cost is not None and (self.fn_cost, self.fp_cost) != (1.0, 1.0):
            raise ValueError(
                f"fn_cost={shown(self.fn_cost)}, fp_cost={shown(self.fp_cost)}: both 1 when fit is given cost"
            )
        fit: Callable[..., Self] = self._fit_atomically  # type: ignore[attr-defined]  # of what it is added to
        return fit(X, y, sample_weight, cost)
