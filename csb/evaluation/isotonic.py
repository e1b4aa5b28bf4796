"""Isotonic regression and Venn-Abers prediction: from boosting scores to probabilities by steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from csb.engine.compiled import compiled
from csb.evaluation.scores import ROUNDING, Calibrator, groups, span

__all__ = ["IsotonicCalibration", "VennAbersCalibration"]


class IsotonicCalibration(Calibrator):
    """Isotonic regression: the non-decreasing function of the score that is closest to the labels.

    Section 4 of Nikolaou et al. (2016); scikit-learn's ``IsotonicRegression``, interpolated between
    the scores it was fitted to and constant beyond. Scores that differ by rounding only are ties: whether two
    equal sums of votes come out equal depends on the order in which they were added.

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

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        self._middle, self._width = span(score)
        first, _, group = groups((score - self._middle) / self._width)
        merged = first[group]
        regression = IsotonicRegression(out_of_bounds="clip")
        self.regression_ = regression.fit(merged, positive.astype(float), weight)

    def _map(self, score: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            place = np.clip((score - self._middle) / self._width, -1, 1)
        return self.regression_.predict(place)


class VennAbersCalibration(Calibrator):
    r"""Inductive Venn-Abers prediction: isotonic regression that counts the example itself, as either class.

    For a new score, isotonic regression is fitted twice to the calibration examples and this one, labelled
    negative and labelled positive; its own fitted values are :math:`p_0` and :math:`p_1` (Vovk, Petej and
    Fedorova 2015). The probability is :math:`p_1/(1-p_0+p_1)`, which they show to be minimax for the log
    loss. The new example weighs one. Scores that differ by rounding only are ties. The time of a fit of n
    examples is of order n log n.

    Examples
    --------
    One positive above one negative: between them :math:`p_0=0` and :math:`p_1=1`.

    >>> venn_abers = VennAbersCalibration().fit([0.0, 1.0], [0, 1])
    >>> venn_abers.predict([-1.0, 0.5, 1.0]).round(3)
    array([0.333, 0.5  , 0.667])
    """

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        self._middle, self._width = span(score)
        self._first, self._last, group = groups((score - self._middle) / self._width)
        count = len(self._first)
        positives = np.bincount(group, weight * positive, count)
        negatives = np.bincount(group, weight * ~positive, count)
        # a negative example and the positives it is pooled with, from the right: the same problem
        below = _home_blocks(negatives[::-1].copy(), positives[::-1].copy())[::-1]
        above = _home_blocks(positives, negatives)
        p0, p1 = below[:, 1] / below.sum(axis=1), above[:, 0] / above.sum(axis=1)
        # a negative at a tie is pooled as if it came after the group, a positive as if before
        self._fitted = np.column_stack([np.repeat(p0, 2)[1:], np.repeat(p1, 2)[:-1]])

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
        return self._both(self._read_new(scores))

    def _both(self, score: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            place = (score - self._middle) / self._width
        below = np.searchsorted(self._first - ROUNDING, place, side="right")
        tied = (below > 0) & (place <= self._last[below - 1] + ROUNDING)
        return self._fitted[2 * below - tied]

    def _map(self, score: np.ndarray) -> np.ndarray:
        p0, p1 = self._both(score).T
        return p1 / (1 - p0 + p1)


@compiled()
def _home_blocks(own: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Weights of an example of the own class, before each group, and all it is pooled with: shape (n + 1, 2).

    The classes of a block in order: the own one, the other. The convex minorant of Vovk et al. (2015),
    Algorithms 1 and 2, in blocks of groups: one step to the right, and the block of the example stays as it
    is, or begins with it. Sums over ranges are taken from a tree, for differences of running sums lose light
    groups beside heavy ones.
    """
    count = own.shape[0]
    tree = np.empty((2 * count, 2))
    tree[count:, 0], tree[count:, 1] = own, other
    for k in range(count - 1, 0, -1):
        tree[k] = tree[2 * k] + tree[2 * k + 1]
    corners, top = np.empty(count + 1, np.int64), 0  # where blocks of the groups alone end, the next on top
    corners[0] = count
    for k in range(count - 1, -1, -1):
        a, b = _total(tree, k, corners[top])
        while top > 0 and _no_lower(a, b, *_total(tree, corners[top], corners[top - 1])):
            top -= 1
            a, b = _total(tree, k, corners[top])
        top += 1
        corners[top] = k
    blocks, start = np.empty((count + 1, 2)), 0
    for k in range(count):
        a, b = _total(tree, k, corners[top])
        if k > 0 and k < corners[top] and _no_lower(*_total(tree, start, k), 1.0 + a, b):
            blocks[k] = blocks[k - 1]
            continue
        start = k
        while top > 0 and _no_lower(1.0 + a, b, *_total(tree, corners[top], corners[top - 1])):
            top -= 1
            a, b = _total(tree, k, corners[top])
        blocks[k] = 1.0 + a, b
    blocks[count] = 1.0, 0.0
    return blocks


@compiled()
def _no_lower(own: float, other: float, next_own: float, next_other: float) -> bool:
    """Whether the share of the own class does not rise from a block to the next: they are to be pooled."""
    return own * next_other >= next_own * other


@compiled()
def _total(tree: np.ndarray, first: int, last: int) -> tuple[float, float]:
    """Weights of both classes in the groups from ``first`` to before ``last``."""
    count = tree.shape[0] // 2
    own, other = 0.0, 0.0
    first, last = first + count, last + count
    while first < last:
        if first % 2:
            own, other = own + tree[first, 0], other + tree[first, 1]
            first += 1
        if last % 2:
            last -= 1
            own, other = own + tree[last, 0], other + tree[last, 1]
        first, last = first // 2, last // 2
    return own, other
