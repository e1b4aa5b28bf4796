"""Why training ends, what counts as a tie, and how large a vote may become; for all three loops."""

from __future__ import annotations

import numpy as np

from csb.engine.elementary import log

__all__ = ["LARGEST_ALPHA", "STOP_REASONS", "TIE", "bounded_votes", "stop_reasons"]

TIE = 1e-12
"""Edges closer than this are equal, and a vote no larger is no vote: it is what rounding leaves of zero."""

LARGEST_ALPHA = 0.5 * float(log((1 - 1e-10) / 1e-10))
"""Vote of a hypothesis that errs on no weight, for a loss of exponent one."""

STOP_REASONS = {
    "max_rounds": "the planned number of rounds was reached",
    "perfect": "a hypothesis made no error on what carries weight",
    "no_edge": "no hypothesis beat chance, or nothing was left to fit",
    "alpha": "the vote was not positive although the hypothesis beat chance",
    "not_finite": "the formula of the vote had no finite value",
    "underflow": "no weight was left",
}
"""What the reasons mean."""


def stop_reasons(
    right: np.ndarray, wrong: np.ndarray, alpha: np.ndarray, exponent: np.ndarray, keep_nonpositive: bool
) -> np.ndarray:
    """Why each model ends in this round, or an empty string. The first reason that applies counts.

    Parameters
    ----------
    right, wrong : ndarray of shape (B,)
        Weight that the hypothesis has right and wrong.
    alpha : ndarray of shape (B,)
        Its vote.
    exponent : ndarray of shape (B,)
        Larger exponent of the loss, by which a vote is measured.
    keep_nonpositive : bool
        Whether a vote may be zero or negative.

    Returns
    -------
    ndarray of shape (B,), str
        Keys of ``STOP_REASONS``, or empty.
    """
    with np.errstate(invalid="ignore"):
        return np.select(
            [
                ~np.isfinite(right + wrong) | (right + wrong == 0),
                right - wrong <= TIE,
                wrong == 0,
                ~np.isfinite(alpha),
                (alpha * exponent <= TIE) & (not keep_nonpositive),
            ],
            ["underflow", "no_edge", "perfect", "not_finite", "alpha"],
            "",
        )


def bounded_votes(alpha: np.ndarray, reasons: np.ndarray, exponents: np.ndarray) -> np.ndarray:
    """Votes without infinity, which a perfect hypothesis may get, and without what is rounding.

    Parameters
    ----------
    alpha : ndarray of shape (B,)
        Votes.
    reasons : ndarray of shape (B,), str
        What :func:`stop_reasons` gave.
    exponents : ndarray of shape (2, B)
        Exponents of the loss; a steeper loss needs a smaller vote.

    Returns
    -------
    ndarray of shape (B,)
        The votes to use.
    """
    infinite = (reasons == "perfect") & ~np.isfinite(alpha)
    alpha = np.where(infinite, LARGEST_ALPHA / exponents.min(axis=0), alpha)
    return np.where(np.abs(alpha) * exponents.max(axis=0) <= TIE, 0.0, alpha)
