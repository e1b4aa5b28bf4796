"""The methods of weighted votes for two classes as scikit-learn classifiers, one class each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY
from typing import Any

from csb.costs import Costs
from csb.engine.trained import Batch
from csb.estimators.base import Boosting, CostBoosting
from csb.estimators.example_costs import ExampleCosts
from csb.estimators.params import COST_SCALE, Votes, estimator, param
from csb.methods import METHODS, VARIANTS
from csb.methods.adac import AdaC1Step, Init
from csb.methods.adacost import Adjustment
from csb.methods.adauboost import FirstWeights, LearnerWeights
from csb.methods.csada import Selection
from csb.methods.exponential import AdaMECRule, Form
from csb.methods.row import VotingMethod
from csb.methods.ting import CSBRule

__all__ = [
    "AdaBoost", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCostBeta2", "AdaDB", "AdaMEC", "AdaUBoost", "AsyB",
    "AsymAda", "CGAda", "CSAda", "CSB0", "CSB1", "CSB2", "CostSensitiveBoosting",
]  # fmt: skip

INIT = "Start from weights in proportion to the costs, or from the base weights (E-N05)."
RULE = "Decide by the sign of the score, or threshold the share of votes as Ting does, Eq. (9)."
BETA = (
    "Adjustment function ``beta(c, u)`` of cost and hit sign (broadcast arrays); by default "
    "``(1 - c u) / 2`` (E-N15)."
)


@estimator
class AdaBoost(Votes, Boosting):
    """Discrete AdaBoost, Eqs. (5) to (7) of Nikolaou et al. (2016).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaBoost(n_estimators=20).fit(X, y).stop_reason_
    'max_rounds'
    """

    _method = METHODS["adaboost"]


@estimator
class AdaMEC(CostBoosting):
    """AdaBoost with the decision of minimum expected cost.

    Costs act only at the decision: set new ones with ``set_params`` and predict again, without training.

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

    _method = METHODS["adamec"]
    _changeable = frozenset({"n_jobs", "fn_cost", "fp_cost", "pos_label", "rule"})
    _: KW_ONLY
    rule: AdaMECRule = param(
        "logistic",
        "Threshold the probability of Eq. (22) of Nikolaou et al. (2016), as their Eq. (20) has it, or the "
        "share of votes, as their Eq. (9) has it (E-N08 on the book's errata page).",
    )


@estimator
class CGAda(ExampleCosts, CostBoosting):
    """AdaBoost started from weights in proportion to the costs; loss ``c(y) exp(-m)``.

    Tables 1 to 3 of Nikolaou et al. (2016). Cao et al. (2013) call it AdaBoostC.
    """

    _method = METHODS["cgada"]


@estimator
class AsymAda(CostBoosting):
    """The cost ratio spread evenly over the rounds; loss ``c(y)^(t/T) exp(-m)`` after round t of T.

    Tables 1 to 3 of Nikolaou et al. (2016). A run that ends early moves its threshold by what has not
    been spread yet.
    """

    _method = METHODS["asymada"]
    _: KW_ONLY
    form: Form = param(
        "corrected",
        "Multiply the weights before each round, as Viola and Jones do, or count the cost twice in the "
        "vote, as the paper's tables print it (E-N10 on the book's errata page).",
    )


@estimator
class AsyB(CostBoosting):
    """Asymmetric boosting on the exponential loss, Algorithm 1 of Cao et al. (2013).

    As derived in the paper it is CGAda; as printed it counts the costs twice, once in the first weights and
    once in every vote (E-A06 on the book's errata page).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AsyB(fn_cost=5, n_estimators=10).fit(X, y).score(X, y) > 0.9
    True
    """

    _method = METHODS["asyb"]
    _: KW_ONLY
    form: Form = param("corrected", "As derived, or as printed.")


@estimator
class CSAda(CostBoosting):
    """Exact line search on the loss ``exp(-c(y) m)``; also known as asymmetric boosting.

    Tables 1 to 3 of Nikolaou et al. (2016); the vote solves a hyperbolic equation.
    """

    _method = METHODS["csada"]
    _: KW_ONLY
    selection: Selection = param(
        "gradient",
        "Choose the hypothesis of largest edge, or the one whose best step reaches the smallest loss "
        "(stumps only, slower).",
    )


@estimator
class AdaDB(CostBoosting):
    """Exact line search on the loss ``exp(-c(y) m)``, the vote by the root of a polynomial.

    Tables 1 to 3 of Nikolaou et al. (2016). It agrees with CSAda to rounding.
    """

    _method = METHODS["adadb"]


@estimator
class AdaC1(CostBoosting):
    """Costs inside the exponent.

    Tables 1 to 3 of Nikolaou et al. (2016). A correct example of each class moves by its own factor.
    """

    _method = METHODS["adac1"]
    _: KW_ONLY
    init: Init = param("cost", INIT)
    alpha: AdaC1Step = param(
        "closed",
        "The printed closed form, the minimiser of the sum it bounds, or the step of functional gradient "
        "descent, which makes the method CSAda.",
    )
    cost_scale: float | None = param(None, COST_SCALE.format(1), "float")


@estimator
class AdaC2(CostBoosting):
    """Costs multiply the weights in every round, outside the exponent.

    Tables 1 to 3 of Nikolaou et al. (2016).
    """

    _method = METHODS["adac2"]
    _: KW_ONLY
    init: Init = param("cost", INIT)


@estimator
class AdaC3(CostBoosting):
    """Costs multiply the weights in every round, inside the exponent and outside it.

    Tables 1 to 3 of Nikolaou et al. (2016).
    """

    _method = METHODS["adac3"]
    _: KW_ONLY
    init: Init = param("cost", INIT)
    cost_scale: float | None = param(None, COST_SCALE.format(1), "float")


@estimator
class CSB0(CostBoosting):
    """Misclassified examples are multiplied by their cost; nothing else moves.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.
    """

    _method = METHODS["csb0"]
    _: KW_ONLY
    rule: CSBRule = param("sign", RULE)


@estimator
class CSB1(CostBoosting):
    """CSB0 with an exponential update of step one.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.
    """

    _method = METHODS["csb1"]
    _: KW_ONLY
    rule: CSBRule = param("sign", RULE)


@estimator
class CSB2(CostBoosting):
    """AdaBoost's update, and misclassified examples multiplied by their cost besides.

    Tables 1 and 2 of Nikolaou et al. (2016). The cheap class has cost one.
    """

    _method = METHODS["csb2"]
    _: KW_ONLY
    rule: CSBRule = param("sign", RULE)


@estimator
class AdaCost(CostBoosting):
    """The step adjusted up for costly misses and down for costly hits.

    Tables 1 and 2 of Nikolaou et al. (2016); the method of Eq. (5) of Cai et al. (2008) in closed form.
    A round is possible only while the edge exceeds the mean cost, hence the default scale of one half.
    """

    _method = METHODS["adacost"]
    _: KW_ONLY
    beta: Adjustment = param(None, BETA, "callable")
    cost_scale: float | None = param(None, COST_SCALE.format(0.5), "float")


@estimator
class AdaCostBeta2(CostBoosting):
    """AdaCost's update with the vote of AdaBoost.

    Tables 1 and 2 of Nikolaou et al. (2016).
    """

    _method = METHODS["adacost_beta2"]
    _: KW_ONLY
    beta: Adjustment = param(None, BETA, "callable")
    cost_scale: float | None = param(None, COST_SCALE.format(1), "float")


@estimator
class AdaUBoost(CostBoosting):
    """Boosting with the inverse of the cost in the exponent, Figure 1 of Karakoulas and Shawe-Taylor (1998).

    The vote minimises their Z, Eq. (4), by the root of its derivative in an explicit bracket (E-K05). Where
    the classes are separable the margin of the positives tends to the cost ratio times that of the
    negatives.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaUBoost(fn_cost=5, n_estimators=20).fit(X, y).stop_reason_
    'max_rounds'
    """

    _method = METHODS["adauboost"]
    _: KW_ONLY
    form: Form = param(
        "corrected", 'What "auto" means below: "beta2" and "gradient", or as printed "beta" and "z".'
    )
    init: FirstWeights = param(
        "auto",
        "First weight of a positive over that of a negative: the square of the cost ratio, the cost ratio "
        "(Section 4 of the paper), or one (its experiments). Only the square makes the population minimiser "
        "change sign at the Bayes threshold (E-K04 on the book's errata page).",
    )
    learner_weights: LearnerWeights = param(
        "auto",
        "Train the weak learner on the terms of Z times the exponents of their classes, the direction in "
        "which Z falls most, or on the terms alone (E-K06).",
    )


@estimator
class CostSensitiveBoosting(CostBoosting):
    """Any variant by its key.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CostSensitiveBoosting(fn_cost=5, variant="adac2", n_estimators=20).fit(X, y)
    >>> len(model.estimators_) <= 20
    True
    """

    _method = METHODS["any_variant"]
    _: KW_ONLY
    variant: str = param("cgada", "A key of ``csb.VARIANTS``.", "str")
    options: Mapping[str, Any] | None = param(
        None, 'Options of the variant, for instance ``{"init": "uniform"}`` for ``"adac2"``.', "dict"
    )
    cost_scale: float | None = param(
        None, "Largest cost after scaling, where the variant depends on it.", "float"
    )

    def _row(self) -> VotingMethod:
        return VARIANTS[self.variant]

    def _batch(self, costs: Costs) -> Batch:
        return self._row().batch(costs, self.cost_scale, **(self.options or {}))
