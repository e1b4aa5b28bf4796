"""Estimators of the CSB family."""

from __future__ import annotations

from csb.estimators._docs import documented
from csb.estimators.exponential import CostBoosting

__all__ = ["CSB0", "CSB1", "CSB2"]


class RuleBoosting(CostBoosting):
    """A choice of decision rule besides."""

    _options = ("rule",)

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, rule="sign",
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.rule = rule


@documented
class CSB0(RuleBoosting):
    """Misclassified examples are multiplied by their cost; nothing else moves.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.

    Parameters
    ----------
    <costs>
    <common>
    rule : {"sign", "vote"}, default "sign"
        Decide by the sign of the score, or threshold the share of votes as Ting does, Eq. (9).

    <fitted>
    """

    _variant = "csb0"


@documented
class CSB1(RuleBoosting):
    """CSB0 with an exponential update of step one.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.

    Parameters
    ----------
    <costs>
    <common>
    rule : {"sign", "vote"}, default "sign"
        Decide by the sign of the score, or threshold the share of votes as Ting does, Eq. (9).

    <fitted>
    """

    _variant = "csb1"


@documented
class CSB2(RuleBoosting):
    """AdaBoost's update, and misclassified examples multiplied by their cost besides.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.

    Parameters
    ----------
    <costs>
    <common>
    rule : {"sign", "vote"}, default "sign"
        Decide by the sign of the score, or threshold the share of votes as Ting does, Eq. (9).

    <fitted>
    """

    _variant = "csb2"
