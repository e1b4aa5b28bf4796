"""Estimators AdaCost and AdaCost(beta2)."""

from __future__ import annotations

from csb.estimators._docs import documented
from csb.estimators.exponential import CostBoosting

__all__ = ["AdaCost", "AdaCostBeta2"]


@documented
class AdaCost(CostBoosting):
    """The step adjusted up for costly misses and down for costly hits.

    Tables 1 and 2 of Nikolaou et al. (2016); the method of Eq. (5) of Cai et al. (2008) in closed form.
    A round is possible only while the edge exceeds the mean cost, hence the default scale of one half.

    Parameters
    ----------
    <costs>
    <common>
    beta : callable, optional
        Adjustment function ``beta(c, u)`` of cost and hit sign (broadcast arrays); by default
        ``(1 - c u) / 2`` (E-N15).
    cost_scale : float, optional
        Largest cost after scaling, in (0, 1]; 0.5 by default, and 1 for AdaCostBeta2 (E-N16).

    <fitted>
    """

    _variant = "adacost"
    _options = ("beta",)

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, beta=None, cost_scale=None,
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.beta = beta
        self.cost_scale = cost_scale


class AdaCostBeta2(AdaCost):
    __doc__ = AdaCost.__doc__.replace(
        "The step adjusted up for costly misses and down for costly hits.",
        "AdaCost's update with the vote of AdaBoost.",
    )
    _variant = "adacost_beta2"
