"""What every calibrator is: a map that is fitted to scores with labels, and makes probabilities of scores."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from csb.engine.atomic import atomically
from csb.inputs import check_order, read_array, read_column, read_weights, shown

__all__ = ["Calibrator", "read_fit"]


class Calibrator:
    """A monotone map from scores to probabilities, fitted to scores with labels."""

    _is_fitted: bool

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the map.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.
        y : array_like of shape (n,)
            Labels 0 and 1, or -1 and 1.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights; a weight of zero is an absent row.

        Returns
        -------
        Calibrator
            Itself.

        Raises
        ------
        ValueError
            If scores, labels or weights are not admissible.
        """
        with atomically(self) as twin:
            twin._fit(*read_fit(scores, y, sample_weight))
            twin._is_fitted = True
        return self

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """Probability of the positive class.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.

        Returns
        -------
        ndarray of shape (n,)
            Probabilities.

        Raises
        ------
        ValueError
            If scores are not admissible, or the map is not fitted.
        """
        return self._map(self._read_new(scores))

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        """Fit to what was read."""
        raise NotImplementedError

    def _map(self, score: np.ndarray) -> np.ndarray:
        """Probabilities of what was read."""
        raise NotImplementedError

    def _read_new(self, scores: ArrayLike) -> np.ndarray:
        """Scores to be mapped."""
        if not hasattr(self, "_is_fitted"):
            raise NotFittedError("scores need a calibrator that is fitted: call fit first")
        return read_array("scores", scores, shape=self._shape())

    def _shape(self) -> tuple[int | None, ...]:
        """Shape of scores to be mapped."""
        return (None,)


def read_fit(
    scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, models: tuple[None, ...] = ()
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, positives and weights of the examples that carry weight.

    Parameters
    ----------
    scores : array_like of shape (n,), or (B, n) of B models
        Finite scores.
    y : array_like of shape (n,)
        Labels 0 and 1, or -1 and 1.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.
    models : tuple, default ()
        ``(None,)`` where the scores are those of several models.

    Returns
    -------
    score : ndarray of shape (m,) or (B, m)
        Scores of the m examples whose weight is positive.
    positive : ndarray of shape (m,), bool
        Whether the label is 1.
    weight : ndarray of shape (m,)
        Their weights.

    Raises
    ------
    ValueError
        If scores, labels or weights are not admissible.

    Examples
    --------
    >>> read_fit([0.2, 0.5, 0.9], [-1, 1, 1], [1, 0, 2])
    (array([0.2, 0.9]), array([False,  True]), array([1., 2.]))
    """
    if not models:  # whose rows are no examples
        check_order(scores=scores, y=y, sample_weight=sample_weight)
    label = read_column("y", y)
    score = read_array("scores", scores, shape=(*models, *label.shape))
    weight = read_weights(sample_weight, label)
    used = weight > 0  # an absent row whatever its label
    labels = np.unique(label[used]).tolist()
    if set(labels) not in ({0}, {1}, {-1}, {0, 1}, {-1, 1}):
        raise ValueError(f"y holds the labels {shown(labels)}: allowed are 0 and 1, or -1 and 1")
    return score[..., used], label[used] > 0, weight[used]
