"""The Brier score and its decomposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from sklearn.isotonic import IsotonicRegression

from csb.inputs import balance, read_labels, read_probabilities


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
    y_prob = read_probabilities(y_prob, positive)
    if class_balanced:
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
    positive, weight = read_labels(y_true, pos_label=pos_label, sample_weight=sample_weight)
    y_prob = read_probabilities(y_prob, positive)
    if class_balanced:
        weight = balance(positive, weight)
    outcome = positive.astype(float)
    recalibrated = IsotonicRegression(out_of_bounds="clip").fit(y_prob, outcome, weight).predict(y_prob)
    base_rate = np.average(outcome, weights=weight)
    given, refined, uncertain = (
        float(np.average((p - outcome) ** 2, weights=weight)) for p in (y_prob, recalibrated, base_rate)
    )
    return BrierDecomposition(given - refined, uncertain - refined, uncertain)
