"""Estimator AsyB."""

from __future__ import annotations

from csb.estimators._docs import documented
from csb.estimators.exponential import CostBoosting

__all__ = ["AsyB"]


@documented
class AsyB(CostBoosting):
    """Asymmetric boosting on the exponential loss, Algorithm 1 of Cao et al. (2013).

    As derived in the paper it is CGAda; as printed it counts the costs twice, once in the first weights and
    once in every vote (E-A06 on the book's errata page).

    Parameters
    ----------
    <costs>
    <common>
    form : {"corrected", "paper"}, default "corrected"
        As derived, or as printed.

    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AsyB(fn_cost=5, n_estimators=10).fit(X, y).score(X, y) > 0.9
    True
    """

    _variant = "asyb"
    _options = ("form",)

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, form="corrected",
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.form = form
