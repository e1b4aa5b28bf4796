"""Which counts of errors lie behind printed measures.

A loss and a g-mean, each printed to a few digits, for a test set whose class sizes are known: few pairs of
counts agree with both, often a single one, sometimes none. That settles which formula a table holds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import pandas as pd

from csb.inputs import POSITIVE, check_count, one_of, read_number

__all__ = ["GMEANS", "error_counts"]

GMean = Literal["rates", "precision_recall"]
LARGEST = 10**8
"""So many pairs of counts are looked through at most."""

GMEANS: dict[GMean, Callable[..., np.ndarray]] = {
    "rates": lambda tp, fp, n_positive, tn, n_negative: tp / n_positive * (tn / n_negative),
    "precision_recall": lambda tp, fp, n_positive, tn, n_negative: (
        tp / n_positive * (tp / np.maximum(tp + fp, 1))
    ),
}
"""The squares of ``gmean`` and ``gmean_precision_recall`` of :mod:`csb.evaluation.metrics`, from counts."""


def error_counts(
    n_positive: int,
    n_negative: int,
    loss: float | None = None,
    gmean: float | None = None,
    *,
    beta: float = 1.0,
    gmean_of: GMean = "rates",
    loss_digits: int = 4,
    gmean_digits: int = 3,
) -> pd.DataFrame:
    r"""All counts of errors that round to a printed loss and a printed g-mean.

    Parameters
    ----------
    n_positive, n_negative : int
        Size of each class, positive.
    loss : float, optional
        Printed average loss :math:`(\beta FN + FP)/n`; any by default.
    gmean : float, optional
        Printed g-mean; any by default.
    beta : float, default 1.0
        Cost of a false negative, that of a false positive being one.
    gmean_of : {"rates", "precision_recall"}, default "rates"
        The g-mean of the two recalls, or of precision and recall.
    loss_digits, gmean_digits : int
        Decimals to which the values were rounded; on a tie either neighbour counts.

    Returns
    -------
    DataFrame
        Columns ``fn``, ``fp``, ``loss`` and ``gmean``, the latter two not rounded; empty if no counts agree.

    Raises
    ------
    ValueError
        If an argument is not admissible.

    Examples
    --------
    The first row of Table 1 of Karakoulas and Shawe-Taylor (1998), AdaBoost:

    >>> error_counts(211, 1789, loss=0.0545, gmean=0.773)[["fn", "fp"]].values.tolist()
    [[83, 26]]
    """
    n_positive, n_negative = check_count("n_positive", n_positive), check_count("n_negative", n_negative)
    if (n_positive + 1) * (n_negative + 1) > LARGEST:
        raise ValueError(
            f"n_positive={n_positive}, n_negative={n_negative}: allowed are at most {LARGEST} pairs of counts"
        )
    one_of("gmean_of", gmean_of, GMEANS)
    beta = read_number("beta", beta, POSITIVE)
    fn, fp = np.meshgrid(np.arange(n_positive + 1), np.arange(n_negative + 1), indexing="ij")
    found_loss = (beta * fn + fp) / (n_positive + n_negative)
    found_gmean = np.sqrt(GMEANS[gmean_of](n_positive - fn, fp, n_positive, n_negative - fp, n_negative))
    agree = np.ones(fn.shape, bool)
    for name, printed, found, digits in (
        ("loss", loss, found_loss, loss_digits), ("gmean", gmean, found_gmean, gmean_digits)
    ):  # fmt: skip
        check_count(f"{name}_digits", digits, 0, 15)
        if printed is not None:
            agree &= np.abs(found - read_number(name, printed)) <= 0.5 * 10.0**-digits + 1e-12
    return pd.DataFrame(
        {"fn": fn[agree], "fp": fp[agree], "loss": found_loss[agree], "gmean": found_gmean[agree]}
    )
