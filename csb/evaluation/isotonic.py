"""Isotonic regression and Venn-Abers prediction: from boosting scores to probabilities by steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from csb.engine.compiled import compiled
from csb.evaluation.scores import ROUNDING, groups, read_fit, read_new, span

__all__ = ["IsotonicCalibration", "VennAbersCalibration"]


class IsotonicCalibration:
    """Isotonic regression: the non-decreasing function of the score that is closest to the labels.

    Section 4 of Nikolaou et al. (2016); scikit-learn's ``IsotonicRegression``, constant beyond the range
    of the scores it was fitted to. Scores that differ by rounding only are ties: whether two equal sums
    of votes come out equal depends on the order in which they were added.

    Attributes
    ----------
    regression_ : sklearn.isotonic.IsotonicRegression
        Fitted to the scores mapped to [-1, 1].

    Examples
    --------
    >>> isotonic = IsotonicCalibration().fit([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    >>> isotonic.predict([0.0, 0.2, 0.3, 0.35])
    array([0.  , 0.5 , 0.5 , 0.75])
    """

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> IsotonicCalibration:
        """Fit the function.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.
        y : array_like of shape (n,)
            Labels 0 and 1, or -1 and 1.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        IsotonicCalibration
            Itself.

        Raises
        ------
        ValueError
            If scores, labels or weights are not admissible.
        """
        score, positive, weight = read_fit(scores, y, sample_weight)
        self._middle, self._width = span(score)
        first, _, group = groups((score - self._middle) / self._width)
        merged = first[group]
        regression = IsotonicRegression(out_of_bounds="clip")
        self.regression_ = regression.fit(merged, positive.astype(float), weight)
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
            Probabilities, non-decreasing in the score; between two scores of the fit, interpolated.
        """
        score = read_new(scores, hasattr(self, "regression_"))
        with np.errstate(over="ignore"):
            place = np.clip((score - self._middle) / self._width, -1, 1)
        return self.regression_.predict(place)


class VennAbersCalibration:
    r"""Inductive Venn-Abers prediction: isotonic regression that counts the example itself, as either class.

    For a new score, isotonic regression is fitted twice to the calibration examples and this one, labelled
    negative and labelled positive; its own fitted values are :math:`p_0` and :math:`p_1` (Vovk, Petej and
    Fedorova 2015). The probability is :math:`p_1/(1-p_0+p_1)`, which they show to be minimax for the log
    loss. Scores that differ by rounding only are ties. The time of a fit grows with the square of the number
    of distinct scores.

    Examples
    --------
    One positive above one negative: between them :math:`p_0=0` and :math:`p_1=1`.

    >>> venn_abers = VennAbersCalibration().fit([0.0, 1.0], [0, 1])
    >>> venn_abers.predict([-1.0, 0.5, 1.0]).round(3)
    array([0.333, 0.5  , 0.667])
    """

    def fit(
        self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> VennAbersCalibration:
        """Fit both regressions for every place where a new score may fall.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.
        y : array_like of shape (n,)
            Labels 0 and 1, or -1 and 1.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights; the new example weighs one.

        Returns
        -------
        VennAbersCalibration
            Itself.

        Raises
        ------
        ValueError
            If scores, labels or weights are not admissible.
        """
        score, positive, weight = read_fit(scores, y, sample_weight)
        self._middle, self._width = span(score)
        self._first, self._last, group = groups((score - self._middle) / self._width)
        count = len(self._first)
        weights = np.bincount(group, weight, count)
        positives = np.bincount(group, weight * positive, count)
        self._fitted = np.empty((2 * count + 1, 2))
        _fit_both(positives, weights, self._fitted)
        return self

    def intervals(self, scores: ArrayLike) -> np.ndarray:
        """Both probabilities of each score.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.

        Returns
        -------
        ndarray of shape (n, 2)
            :math:`p_0` and :math:`p_1`.
        """
        score = read_new(scores, hasattr(self, "_fitted"))
        with np.errstate(over="ignore"):
            place = (score - self._middle) / self._width
        below = np.searchsorted(self._first - ROUNDING, place, side="right")
        tied = (below > 0) & (place <= self._last[below - 1] + ROUNDING)
        return self._fitted[2 * below - tied]

    def predict(self, scores: ArrayLike) -> np.ndarray:
        """Probability of the positive class.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores.

        Returns
        -------
        ndarray of shape (n,)
            Probabilities, non-decreasing in the score.
        """
        p0, p1 = self.intervals(scores).T
        return p1 / (1 - p0 + p1)


@compiled()
def _fit_both(positives: np.ndarray, weights: np.ndarray, fitted: np.ndarray) -> None:
    """Fitted value of an example of either class in each gap (even rows) and at each tie (odd rows).

    Pool adjacent violators: neighbouring levels are pooled while the left one is no lower.
    """
    count = positives.shape[0]
    level, size = np.empty(count + 1), np.empty(count + 1)  # positives and weight of each level
    for place in range(2 * count + 1):
        own, tied = place // 2, place % 2
        for label in range(2):
            top, home = -1, -1
            for k in range(count + 1 - tied):
                top += 1
                if k == own:
                    home = top
                    level[top] = label + (positives[k] if tied else 0.0)
                    size[top] = 1.0 + (weights[k] if tied else 0.0)
                else:
                    of = k if tied or k < own else k - 1
                    level[top], size[top] = positives[of], weights[of]
                while top > 0 and level[top - 1] * size[top] >= level[top] * size[top - 1]:
                    level[top - 1] += level[top]
                    size[top - 1] += size[top]
                    top -= 1
                    home = min(home, top)
            fitted[place, label] = level[home] / size[home]
