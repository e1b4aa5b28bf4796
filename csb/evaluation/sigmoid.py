"""Platt scaling: from boosting scores to probabilities by a logistic curve."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from csb.engine.elementary import expit, log
from csb.engine.platt import fit_curves
from csb.evaluation.scores import read_fit, read_new, span
from csb.inputs import one_of

__all__ = ["PlattScaling", "fit_platt", "on_curve", "smooth_targets"]

PlattMethod = Literal["likelihood", "least_squares"]


def smooth_targets(positive: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Platt's targets in place of the labels."""
    n_pos, n_neg = weight[positive].sum(), weight[~positive].sum()
    return np.where(positive, (n_pos + 1) / (n_pos + 2), 1 / (n_neg + 2))


def fit_platt(
    scores: np.ndarray, positive: np.ndarray, weight: np.ndarray, method: PlattMethod
) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients A and B of each model, shape (B, 1), from its scores, shape (B, n)."""
    n_pos, n_neg = weight[positive].sum(), weight[~positive].sum()
    target = smooth_targets(positive, weight)
    middle, width = span(scores)
    mapped = np.ascontiguousarray((scores - middle) / width)
    prior = log((n_pos + 1) / (n_neg + 1))
    curves = np.empty((len(scores), 2))
    fit_curves(mapped, target, weight, prior, method == "least_squares", curves)
    slope, offset = curves[:, :1], curves[:, 1:]
    return -slope / width, -offset + slope * (middle / width)


def on_curve(a: float | np.ndarray, b: float | np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Probabilities of the positive class."""
    with np.errstate(over="ignore"):  # infinite log odds are a probability of zero or one
        return expit(-(a * scores + b))


class PlattScaling:
    r"""Platt scaling: a logistic curve over the score.

    :math:`\hat p = 1/(1+e^{As+B})`, Section 4 of Nikolaou et al. (2016). :math:`A` and :math:`B` are
    fitted without penalty to Platt's targets, :math:`(N_++1)/(N_++2)` for a positive and
    :math:`1/(N_-+2)` for a negative example, so that they are finite even where the scores separate the
    classes. :math:`N_+` and :math:`N_-` are sums of weights: an integer weight equals so many copies.

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

    def fit(self, scores: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PlattScaling:
        """Fit the curve.

        Parameters
        ----------
        scores : array_like of shape (n,)
            Finite scores. If all are equal, the curve is flat, at the mean of the targets.
        y : array_like of shape (n,)
            Labels 0 and 1, or -1 and 1.
        sample_weight : array_like of shape (n,), optional
            Non-negative weights.

        Returns
        -------
        PlattScaling
            Itself.

        Raises
        ------
        ValueError
            If scores, labels or weights are not admissible.
        """
        score, positive, weight = read_fit(scores, y, sample_weight)
        a, b = fit_platt(score[np.newaxis], positive, weight, self.method)
        self.a_, self.b_ = a.item(), b.item()
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
            Probabilities, monotone in the score.
        """
        score = read_new(scores, hasattr(self, "a_"))
        return on_curve(self.a_, self.b_, score)
