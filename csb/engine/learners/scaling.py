"""Centre and spread of features, for the learners that penalise coefficients."""

from __future__ import annotations

import numpy as np

__all__ = ["centre_and_spread"]


def centre_and_spread(X: np.ndarray, weights: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Weighted mean and standard deviation of each feature; a constant feature has spread one.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Features.
    weights : ndarray of shape (n,), optional
        Positive weights; equal by default.

    Returns
    -------
    centre, spread : ndarray of shape (d,)
        Of each feature.

    Examples
    --------
    >>> centre_and_spread(np.array([[0.0, 1.0], [4.0, 1.0]]), np.array([3.0, 1.0]))
    (array([1., 1.]), array([1.73205081, 1.        ]))
    """
    varies = X.min(axis=0) < X.max(axis=0)
    if weights is None or weights.min() == weights.max():
        return X.mean(axis=0), np.where(varies, X.std(axis=0), 1.0)
    centre = np.average(X, axis=0, weights=weights)
    spread = np.sqrt(np.average((X - centre) ** 2, axis=0, weights=weights))
    return centre, np.where(varies, spread, 1.0)
