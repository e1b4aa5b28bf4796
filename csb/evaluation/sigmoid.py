"""Platt scaling: from boosting scores to probabilities by a logistic curve."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from csb.engine.elementary import expit, log
from csb.engine.platt import fit_curve
from csb.evaluation.scores import Calibrator, span
from csb.inputs import one_of

__all__ = ["PlattScaling", "fit_platt", "on_curve", "smooth_targets"]

PlattMethod = Literal["likelihood", "least_squares"]


def smooth_targets(positive: np.ndarray, weight: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Platt's targets in place of the labels, one less them, and the log odds of the classes.

    Each class has one more example in the log odds.
    """
    n_pos, n_neg = weight[positive].sum(), weight[~positive].sum()
    target = np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))
    rest = np.where(positive, 1 / (n_pos + 2), (n_neg + 1) / (n_neg + 2))
    return target, rest, float(log((n_pos + 1) / (n_neg + 1)))


def fit_platt(
    scores: np.ndarray, positive: np.ndarray, weight: np.ndarray, method: PlattMethod
) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients A and B of each model, shape (B, 1), from its scores, shape (B, n)."""
    target, rest, prior = smooth_targets(positive, weight)
    middle, width = span(scores)
    mapped = np.ascontiguousarray((scores - middle) / width)
    if np.all(target == target[0]):  # one class: its target everywhere
        curves = np.full((len(scores), 2), (0.0, prior))
    else:
        squared = method == "least_squares"
        curves = np.array([fit_curve(row, target, rest, weight, prior, squared) for row in mapped])
    slope, offset = curves[:, :1], curves[:, 1:]
    return -slope / width, -offset + slope * (middle / width)


def on_curve(a: float | np.ndarray, b: float | np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Probabilities of the positive class."""
    with np.errstate(over="ignore"):  # infinite log odds are a probability of zero or one
        return expit(-(a * scores + b))


class PlattScaling(Calibrator):
    r"""Platt scaling: a logistic curve over the score.

    :math:`\hat p = 1/(1+e^{As+B})`, Section 4 of Nikolaou et al. (2016). :math:`A` and :math:`B` are
    fitted without penalty to Platt's targets, :math:`(N_++1)/(N_++2)` for a positive and
    :math:`1/(N_-+2)` for a negative example, so that they are finite even where the scores separate the
    classes. :math:`N_+` and :math:`N_-` are sums of weights: an integer weight equals so many copies. If all
    scores are equal, the curve is flat, at the mean of the targets.

    Parameters
    ----------
    method : {"likelihood", "least_squares"}, default "likelihood"
        Maximise the likelihood of the targets, as Platt does, or minimise the squared error, as the code
        of Nikolaou et al. does.

    Attributes
    ----------
    a_, b_ : float
        :math:`A`, negative where a larger score speaks for the positive class, and :math:`B`.

    Examples
    --------
    >>> platt = PlattScaling().fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    >>> platt.predict([-2.0, 0.0, 2.0]).round(3)
    array([0.206, 0.5  , 0.794])
    """

    def __init__(self, method: PlattMethod = "likelihood") -> None:
        self.method = one_of("method", method, get_args(PlattMethod))

    def _fit(self, score: np.ndarray, positive: np.ndarray, weight: np.ndarray) -> None:
        a, b = fit_platt(score[np.newaxis], positive, weight, self.method)
        self.a_, self.b_ = a.item(), b.item()

    def _map(self, score: np.ndarray) -> np.ndarray:
        return on_curve(self.a_, self.b_, score)
