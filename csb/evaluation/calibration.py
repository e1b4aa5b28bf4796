"""From boosting scores to probabilities: the calibrators by name.

Section 4 of Nikolaou et al. (2016). A calibrator sees one score per example, so it serves any method; the
calibration examples are not weighted by cost (the book's errata page, E-N13). For one ensemble the share
of the votes and the raw score are affine images of each other, and every calibrator here gives both the
same probabilities.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from csb.evaluation.beta import BetaCalibration
from csb.evaluation.isotonic import IsotonicCalibration, VennAbersCalibration
from csb.evaluation.scores import Calibrator, read_fit
from csb.evaluation.sigmoid import PlattScaling, fit_platt, on_curve
from csb.inputs import one_of, read_array

__all__ = [
    "CALIBRATORS", "BetaCalibration", "Calibrator", "IsotonicCalibration", "PlattScaling",
    "VennAbersCalibration", "calibrate_models", "make_calibrator",
]  # fmt: skip

Calibration = Literal["sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers"]

CALIBRATORS: dict[Calibration, Callable[[], Calibrator]] = {
    "sigmoid": PlattScaling,
    "sigmoid_ls": partial(PlattScaling, method="least_squares"),
    "beta": BetaCalibration,
    "isotonic": IsotonicCalibration,
    "venn_abers": VennAbersCalibration,
}
"""Calibrators by the name that estimators take.

:meta hide-value:
"""


def make_calibrator(calibration: Calibration) -> Calibrator:
    """A calibrator by its name.

    Parameters
    ----------
    calibration : {"sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers"}
        Platt scaling by maximum likelihood or by least squares, beta calibration, isotonic regression or
        Venn-Abers prediction.

    Returns
    -------
    Calibrator
        Not fitted.

    Raises
    ------
    ValueError
        If the name is not known; the nearest one is named.

    Examples
    --------
    >>> make_calibrator("isotonic").fit([0, 1], [0, 1]).predict([0.5])
    array([0.5])
    """
    return CALIBRATORS[one_of("calibration", calibration, CALIBRATORS)]()


def calibrate_models(
    calibration: Calibration, scores: ArrayLike, y: ArrayLike, new_scores: ArrayLike
) -> np.ndarray:
    """Probabilities of several models, each calibrated for itself on the same examples.

    Parameters
    ----------
    calibration : {"sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers"}
        The calibrator.
    scores : array_like of shape (B, n)
        Finite scores of the calibration examples, from each of B models.
    y : array_like of shape (n,)
        Their labels, 0 and 1, or -1 and 1.
    new_scores : array_like of shape (B, m)
        Finite scores to be mapped.

    Returns
    -------
    ndarray of shape (B, m)
        What :func:`make_calibrator`, fitted to a row of ``scores``, makes of that row of ``new_scores``.

    Raises
    ------
    ValueError
        If the calibrator is not known, or scores or labels are not admissible.

    Examples
    --------
    >>> calibrate_models("isotonic", [[0, 1], [1, 0]], [0, 1], [[1], [1]])
    array([[1. ],
           [0.5]])
    """
    calibrator = make_calibrator(calibration)
    score, positive, weight = read_fit(scores, y, models=(None,))
    new = read_array("new_scores", new_scores, shape=(len(score), None))
    if isinstance(calibrator, PlattScaling):
        return on_curve(*fit_platt(score, positive, weight, calibrator.method), new)
    rows = zip(score, new, strict=True)
    return np.stack([calibrator.fit(before, positive).predict(after) for before, after in rows])
