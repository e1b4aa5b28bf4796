"""Estimators of the AdaC family."""

from __future__ import annotations

from csb.estimators._docs import documented
from csb.estimators.exponential import CostBoosting

__all__ = ["AdaC1", "AdaC2", "AdaC3"]


@documented
class AdaC2(CostBoosting):
    """Costs multiply the weights in every round, outside the exponent.

    Tables 1 to 3 of Nikolaou et al. (2016).

    Parameters
    ----------
    <costs>
    <common>
    init : {"cost", "uniform"}, default "cost"
        Start from weights in proportion to the costs, or from the base weights (E-N05).

    <fitted>
    """

    _variant = "adac2"
    _options = ("init",)

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, init="cost",
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.init = init


@documented
class AdaC3(AdaC2):
    """Costs multiply the weights in every round, inside the exponent and outside it.

    Tables 1 to 3 of Nikolaou et al. (2016).

    Parameters
    ----------
    <costs>
    <common>
    init : {"cost", "uniform"}, default "cost"
        Start from weights in proportion to the costs, or from the base weights (E-N05).
    cost_scale : float, optional
        Largest cost after scaling, in (0, 1]; 1 by default (E-N16).

    <fitted>
    """

    _variant = "adac3"

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, init="cost", cost_scale=None,
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, init=init, nonpositive_alpha=nonpositive_alpha,
            max_bins=max_bins, n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.cost_scale = cost_scale


@documented
class AdaC1(AdaC3):
    """Costs inside the exponent.

    Tables 1 to 3 of Nikolaou et al. (2016). A correct example of each class moves by its own factor.

    Parameters
    ----------
    <costs>
    <common>
    init : {"cost", "uniform"}, default "cost"
        Start from weights in proportion to the costs, or from the base weights (E-N05).
    alpha : {"closed", "exact", "fgd"}, default "closed"
        The printed closed form, the minimiser of the sum it bounds, or the step of functional gradient
        descent, which makes the method CSAda.
    cost_scale : float, optional
        Largest cost after scaling, in (0, 1]; 1 by default (E-N16).

    <fitted>
    """

    _variant = "adac1"
    _options = ("init", "alpha")

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, init="cost", alpha="closed",
        cost_scale=None, nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None,
        random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, init=init, cost_scale=cost_scale,
            nonpositive_alpha=nonpositive_alpha, max_bins=max_bins, n_jobs=n_jobs, pos_label=pos_label,
            random_state=random_state,
        )  # fmt: skip
        self.alpha = alpha
