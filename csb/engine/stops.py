"""Why training ends, what counts as a tie, how large a vote and how small a weight may be; for each loop."""

from __future__ import annotations

import numpy as np

from csb.engine.compiled import compiled

__all__ = ["LARGEST_ALPHA", "SMALLEST", "STOPS", "STOP_REASONS", "TIE", "judge"]

TIE = 1e-12
"""Edges closer than this are equal, and a vote no larger is no vote: it is what rounding leaves of zero."""

LARGEST_ALPHA = 11.512925464920228
"""Vote of a hypothesis that errs on no weight, for a loss of exponent one: half the log odds of 1 - 1e-10.

The number itself, as to compute it here would make the import of the package compile a logarithm each time.
"""

SMALLEST = -650.0
"""Logarithm of the smallest linear weight beside the largest.

Were it to underflow, a hypothesis could be wrong on a whole class and count as perfect.
"""

STOP_REASONS = {
    "max_rounds": "the planned number of rounds was reached",
    "perfect": "a hypothesis made no error on what carries weight",
    "no_edge": "no hypothesis beat chance, or nothing was left to fit",
    "alpha": "the vote was not positive although the hypothesis beat chance",
    "not_finite": "the formula of the vote had no finite value",
    "underflow": "no weight was left",
    "no_gain": "examples set aside showed no gain for some rounds",
}
"""What the reasons mean."""


STOPS = ("", "underflow", "no_edge", "perfect", "not_finite", "alpha")
"""What :func:`judge` may find, in the order in which the first counts; nothing for a model that goes on."""


@compiled()
def judge(
    masses: np.ndarray,
    group_labels: np.ndarray,
    alpha: np.ndarray,
    exponents: np.ndarray,
    rates: np.ndarray,
    keep_nonpositive: bool,
    stops: np.ndarray,
    by_class: np.ndarray,
) -> None:
    """Why each model ends in this round, its vote as it is to be used, and its masses by class.

    Parameters
    ----------
    masses : ndarray of shape (G, 2, B)
        Weight of each group and prediction.
    group_labels : ndarray of shape (G,)
        Class of each group.
    alpha : ndarray of shape (B,)
        Votes; left without infinity, which a perfect hypothesis may get, without what is rounding, and
        multiplied by the learning rate, which stops nothing by itself.
    exponents : ndarray of shape (2, B)
        Exponents of the loss: the steeper, the smaller a vote may be.
    rates : ndarray of shape (B,)
        Learning rates.
    keep_nonpositive : bool
        Whether a vote may be zero or negative.
    stops : ndarray of shape (B,), int64
        Filled with positions in ``STOPS``.
    by_class : ndarray of shape (2, 2, B)
        Filled with the masses of class and prediction.
    """
    by_class[:] = 0.0
    for b in range(alpha.shape[0]):
        for g in range(masses.shape[0]):  # number by number: rows take three seconds more to compile
            by_class[group_labels[g], 0, b] += masses[g, 0, b]
            by_class[group_labels[g], 1, b] += masses[g, 1, b]
        right, wrong = by_class[0, 0, b] + by_class[1, 1, b], by_class[0, 1, b] + by_class[1, 0, b]
        steep, flat = max(exponents[0, b], exponents[1, b]), min(exponents[0, b], exponents[1, b])
        if not np.isfinite(right + wrong) or right + wrong == 0.0:
            stops[b] = 1
        elif right - wrong <= TIE:
            stops[b] = 2
        elif wrong == 0.0:
            stops[b] = 3
            if not np.isfinite(alpha[b]):
                alpha[b] = LARGEST_ALPHA / flat
        elif not np.isfinite(alpha[b]):
            stops[b] = 4
        elif not keep_nonpositive and alpha[b] * steep <= TIE:
            stops[b] = 5
        else:
            stops[b] = 0
        if abs(alpha[b]) * steep <= TIE:
            alpha[b] = 0.0
        alpha[b] *= rates[b]
