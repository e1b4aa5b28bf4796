"""What a multiclass cost-sensitive method is trained on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

__all__ = ["Problem"]


class Problem(NamedTuple):
    """Examples as costs.

    Attributes
    ----------
    weights : ndarray of shape (n,)
        Base weights :math:`q_i`, positive, summing to one.
    costs : ndarray of shape (n, k)
        Costs :math:`C_{iy}` of predicting each class, zero for the right one.
    labels : ndarray of shape (n,)
        Number of the right class :math:`y_i^*`.
    """

    weights: np.ndarray
    costs: np.ndarray
    labels: np.ndarray

    @property
    def stakes(self) -> np.ndarray:
        """Weighted costs :math:`q_i C_{iy}`, shape (n, k)."""
        return self.weights[:, np.newaxis] * self.costs

    @property
    def right(self) -> np.ndarray:
        """Which pair of example and class is the right one, shape (n, k)."""
        return self.labels[:, np.newaxis] == np.arange(self.costs.shape[1])

    def objective(self, H: np.ndarray, p: float) -> float:
        r""":math:`L(H) = \sum_i q_i \sum_y H(y|x_i)^p C_{iy}`, Eq. (2) of Lozano and Abe (2008)."""
        return float(np.sum(self.stakes * H**p))
