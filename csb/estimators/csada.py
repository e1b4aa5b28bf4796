"""Estimators on the loss with the cost in the exponent: CSAda and AdaDB."""

from __future__ import annotations

from csb.estimators._docs import documented
from csb.estimators.exponential import CostBoosting

__all__ = ["AdaDB", "CSAda"]


@documented
class CSAda(CostBoosting):
    """Exact line search on the loss ``exp(-c(y) m)``; also known as asymmetric boosting.

    Tables 1 to 3 of Nikolaou et al. (2016); the vote solves a hyperbolic equation.

    Parameters
    ----------
    <costs>
    <common>
    selection : {"gradient", "joint"}, default "gradient"
        Choose the hypothesis of largest edge, or the one whose best step reaches the smallest loss
        (stumps only, slower).

    <fitted>
    """

    _variant = "csada"
    _options = ("selection",)

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, selection="gradient",
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.selection = selection


@documented
class AdaDB(CostBoosting):
    """Exact line search on the loss ``exp(-c(y) m)``, the vote by the root of a polynomial.

    Tables 1 to 3 of Nikolaou et al. (2016). It agrees with CSAda to rounding.

    Parameters
    ----------
    <costs>
    <common>

    <fitted>
    """

    _variant = "adadb"
