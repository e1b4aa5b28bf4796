"""The Brier score and its decomposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import isotonic_regression

from csb.engine.compiled import compiled
from csb.inputs import balance, check_flag, read_array, read_labels

__all__ = ["BrierDecomposition", "brier_decomposition", "brier_decompositions", "brier_score"]

TIE = 1e-15
"""Probabilities closer than this are equal but for rounding: they are one point of the regression."""


def brier_score(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    class_balanced: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> float:
    r"""Mean squared difference between probability and outcome.

    The plain score is the area under the Brier curve over cost. The class-balanced one,
    :math:`\frac12 E[\hat p^2|-] + \frac12 E[(1-\hat p)^2|+]`, is the area under the curve over skew
    (the book's errata page, E-N18).

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    class_balanced : bool, default False
        Whether both classes count one half.
    pos_label : label, optional
        The positive class; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    float
        In [0, 1]; the smaller the better.

    Raises
    ------
    ValueError
        If labels, probabilities or weights are not admissible, or a class to be balanced is absent.

    Examples
    --------
    >>> brier_score([1, 0, 0], [0.5, 0.0, 0.0], class_balanced=True)
    0.125
    """
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight)
    y_prob = read_array("y_prob", y_prob, "[0, 1]", shape=positive.shape)
    if check_flag("class_balanced", class_balanced):
        weight = balance(positive, weight)
    return float(np.average((y_prob - positive) ** 2, weights=weight))


@dataclass(frozen=True)
class BrierDecomposition:
    """Parts of a Brier score, ``miscalibration - discrimination + uncertainty``.

    Attributes
    ----------
    miscalibration : float
        What isotonic recalibration would gain; the calibration or reliability loss.
    discrimination : float
        What the recalibrated probabilities gain over the base rate; the resolution.
    uncertainty : float
        Brier score of the base rate.
    """

    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def refinement(self) -> float:
        """Brier score after recalibration, ``uncertainty - discrimination``."""
        return self.uncertainty - self.discrimination

    @property
    def score(self) -> float:
        """The Brier score."""
        return self.miscalibration + self.refinement


def brier_decomposition(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    *,
    class_balanced: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> BrierDecomposition:
    """Split the Brier score into calibration and refinement, without bins.

    Recalibration is by isotonic regression (the CORP decomposition of Dimitriadis, Gneiting and Jordan,
    2021), so that no choice of bins enters and the parts sum to the score exactly.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_prob : array_like of shape (n,)
        Probability of the positive class.
    class_balanced : bool, default False
        Whether both classes count one half.
    pos_label : label, optional
        The positive class; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    BrierDecomposition
        Miscalibration, discrimination and uncertainty, none negative.

    Raises
    ------
    ValueError
        If labels, probabilities or weights are not admissible, or a class to be balanced is absent.

    Examples
    --------
    >>> brier_decomposition([0, 1, 0, 1], [0.25, 0.25, 0.75, 0.75])
    BrierDecomposition(miscalibration=0.0625, discrimination=0.0, uncertainty=0.25)
    """
    (parts,) = _decompose(y_true, y_prob, (), class_balanced, pos_label, sample_weight)
    return parts


def brier_decompositions(
    y_true: ArrayLike,
    y_probs: ArrayLike,
    *,
    class_balanced: bool = False,
    pos_label: object = None,
    sample_weight: ArrayLike | None = None,
) -> list[BrierDecomposition]:
    """Split the Brier scores of several models on the same examples.

    Parameters
    ----------
    y_true : array_like of shape (n,)
        Labels.
    y_probs : array_like of shape (B, n)
        Probability of the positive class, from each of B models.
    class_balanced : bool, default False
        Whether both classes count one half.
    pos_label : label, optional
        The positive class; the larger label by default.
    sample_weight : array_like of shape (n,), optional
        Non-negative weights.

    Returns
    -------
    list of BrierDecomposition
        What :func:`brier_decomposition` makes of each row.

    Raises
    ------
    ValueError
        If labels, probabilities or weights are not admissible, or a class to be balanced is absent.

    Examples
    --------
    >>> [parts.score for parts in brier_decompositions([0, 1], [[0.5, 0.5], [0.0, 1.0]])]
    [0.25, 0.0]
    """
    return _decompose(y_true, y_probs, (None,), class_balanced, pos_label, sample_weight)


def _decompose(
    y_true: ArrayLike,
    y_prob: ArrayLike,
    models: tuple[None, ...],
    class_balanced: bool,
    pos_label: object,
    sample_weight: ArrayLike | None,
) -> list[BrierDecomposition]:
    """The parts for each model; ``models`` is the shape of the probabilities but for the examples."""
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight)
    name = "y_probs" if models else "y_prob"
    probs = np.atleast_2d(read_array(name, y_prob, "[0, 1]", shape=(*models, *positive.shape)))
    if check_flag("class_balanced", class_balanced):
        weight = balance(positive, weight)
    used = weight > 0
    probs, outcome, weight = probs.compress(used, axis=1), positive[used].astype(float), weight[used]
    recalibrated = np.stack([_recalibrate(p, outcome, weight) for p in probs])
    given, refined = (
        np.average((p - outcome) ** 2, axis=1, weights=weight).tolist() for p in (probs, recalibrated)
    )
    base_rate = np.average(outcome, weights=weight)
    uncertain = float(np.average((base_rate - outcome) ** 2, weights=weight))
    return [BrierDecomposition(g - r, uncertain - r, uncertain) for g, r in zip(given, refined, strict=True)]


def _recalibrate(y_prob: np.ndarray, outcome: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Isotonic regression of the outcomes as scikit-learn has it, without its checks, which cost more."""
    order = np.argsort(y_prob, kind="stable")
    values, level = y_prob[order], np.empty(len(order), np.int64)
    _number_levels(values, level)
    mass = np.bincount(level, weight[order])
    share = np.bincount(level, (weight * outcome)[order]) / mass
    firsts = values[np.flatnonzero(np.diff(level, prepend=-1))]
    return np.interp(y_prob, firsts, isotonic_regression(share, weights=mass).x)


@compiled()
def _number_levels(values: np.ndarray, level: np.ndarray) -> None:
    """Number of each of the sorted values, where those that are equal but for rounding share one."""
    number, first = 0, values[0]
    for i in range(values.shape[0]):
        if values[i] - first >= TIE:
            number, first = number + 1, values[i]
        level[i] = number
