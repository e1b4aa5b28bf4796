"""What calibrators share: scores, labels and weights that they are fitted to, and scores that they map."""

from __future__ import annotations

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError

from csb.inputs import read_array, read_column, read_weights, shown

__all__ = ["ROUNDING", "Calibrator", "groups", "read_fit", "span"]

ROUNDING = 8 * np.finfo(float).eps
"""Scores closer than this share of half their range are ties that rounding has broken."""
SMALLEST = 1e-100
"""Half the range that scores need: for a smaller one, the curve is too steep for doubles."""


class Calibrator:
    """A monotone map from scores to probabilities, fitted to scores with labels."""

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
        self._fit(*read_fit(scores, y, sample_weight))
        self._is_fitted = True
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
        return read_array("scores", scores, shape=(None,))


def read_fit(
    scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, models: tuple[None, ...] = ()
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Scores, of one model or of several, positives and weights of the examples that carry weight."""
    label = read_column("y", y)
    score = read_array("scores", scores, shape=(*models, *label.shape))
    weight = read_weights(sample_weight, label)
    used = weight > 0  # an absent row whatever its label
    labels = np.unique(label[used]).tolist()
    if set(labels) not in ({0}, {1}, {-1}, {0, 1}, {-1, 1}):
        raise ValueError(f"y holds the labels {shown(labels)}: allowed are 0 and 1, or -1 and 1")
    return score[..., used], label[used] > 0, weight[used]


def span(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Middle and half width of each model's range; a width of 1 where all scores are equal."""
    low, high = scores.min(axis=-1, keepdims=True) / 2, scores.max(axis=-1, keepdims=True) / 2
    width = high - low
    if np.any(narrow := (0 < width) & (width < SMALLEST)):
        raise ValueError(
            f"scores reach over {width[narrow][0]:g}: allowed are equal ones, or {SMALLEST:g} and more"
        )
    return low + high, np.where(width == 0, 1.0, width)


def groups(place: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and last score of each group of ties, in order, and the group of every score."""
    values, index = np.unique(place, return_inverse=True)
    starts = np.diff(values, prepend=-np.inf) > ROUNDING
    ends = np.append(starts[1:], True)
    return values[starts], values[ends], (np.cumsum(starts) - 1)[index]
