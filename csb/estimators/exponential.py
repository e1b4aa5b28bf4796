"""Estimators on the plain exponential loss: AdaBoost, AdaMEC, CGAda and AsymAda."""

from __future__ import annotations

from csb.estimators._discrete import BaseBoosting
from csb.estimators._docs import documented
from csb.estimators._example_costs import ExampleCosts

__all__ = ["AdaBoost", "AdaMEC", "AsymAda", "CGAda", "CostBoosting"]


@documented
class AdaBoost(BaseBoosting):
    """Discrete AdaBoost, Eqs. (5) to (7) of Nikolaou et al. (2016).

    Parameters
    ----------
    <common>

    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoost(n_estimators=20).fit(X, y).stop_reason_
    'max_rounds'
    """

    _variant = "adaboost"

    def __init__(
        self, n_estimators=100, estimator="stump", *, nonpositive_alpha="stop", max_bins=None, n_jobs=None,
        random_state=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.nonpositive_alpha = nonpositive_alpha
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state


class CostBoosting(AdaBoost):
    """AdaBoost's parameters and the two costs."""

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, nonpositive_alpha="stop",
        max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins, n_jobs=n_jobs,
            random_state=random_state,
        )  # fmt: skip
        self.fn_cost = fn_cost
        self.fp_cost = fp_cost
        self.pos_label = pos_label


@documented
class AdaMEC(CostBoosting):
    """AdaBoost with the decision of minimum expected cost.

    Costs act only at the decision: set new ones with ``set_params`` and predict again, without training.

    Parameters
    ----------
    <costs>
    <common>
    rule : {"logistic", "vote"}, default "logistic"
        Threshold the probability of Eq. (22) of Nikolaou et al. (2016), as their Eq. (20) has it, or the
        share of votes, as their Eq. (9) has it (E-N08 on the book's errata page).

    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AdaMEC(n_estimators=20).fit(X, y)
    >>> model.decision_threshold_
    0.0
    >>> round(model.set_params(fn_cost=9.0).decision_threshold_, 4)
    -1.0986
    """

    _variant = "adamec"
    _options = ("rule",)

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, rule="logistic",
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.rule = rule


@documented
class CGAda(ExampleCosts, CostBoosting):
    """AdaBoost started from weights in proportion to the costs; loss ``c(y) exp(-m)``.

    Tables 1 to 3 of Nikolaou et al. (2016). Cao et al. (2013) call it AdaBoostC.

    Parameters
    ----------
    <costs>
    <common>

    <fitted>
    """

    _variant = "cgada"


@documented
class AsymAda(CostBoosting):
    """The cost ratio spread evenly over the rounds; loss ``c(y)^(t/T) exp(-m)`` after round t of T.

    Tables 1 to 3 of Nikolaou et al. (2016). A run that ends early moves its threshold by what has not
    been spread yet.

    Parameters
    ----------
    <costs>
    <common>
    form : {"corrected", "paper"}, default "corrected"
        Multiply the weights before each round, as Viola and Jones do, or count the cost twice in the
        vote, as the paper's tables print it (E-N10 on the book's errata page).

    <fitted>
    """

    _variant = "asymada"
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
