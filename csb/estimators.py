"""The boosting variants as scikit-learn classifiers.

Each class is one row of ``csb.VARIANTS`` with a constructor; all behaviour stands in the base class.
"""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from csb._base import BaseBoosting
from csb.variants import VARIANTS

__all__ = [
    "AdaBoost", "AdaC1", "AdaC2", "AdaC3", "AdaCost", "AdaCostBeta2", "AdaDB", "AdaMEC", "AsymAda", "CGAda",
    "CSAda", "CSB0", "CSB1", "CSB2", "CostSensitiveBoosting",
]  # fmt: skip

COSTS = """fn_cost, fp_cost : float, default 1.0
        Costs of a false negative and of a false positive, positive numbers.
    """

COMMON = """n_estimators : int, default 100
        Largest number of rounds.
    estimator : str or scikit-learn classifier, default "stump"
        Weak learner: "stump", "univariate_logistic", "logistic", "perceptron", or any classifier whose
        ``fit`` accepts ``sample_weight``, which is slower.
    nonpositive_alpha : {"stop", "signed"}, default "stop"
        Stop when the vote is not positive although the weak hypothesis beats chance, or keep it.
    max_bins : int, optional
        Bin features into at most this many quantiles; by default every distinct value counts up to
        20,000 rows, and 255 bins are used beyond.
    n_jobs : int, optional
        Threads of the learners that work on bins; the model does not depend on it.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``; by default ``classes_[1]``.
    random_state : int, RandomState or None, default None
        Seed of randomised weak learners.
    """

FITTED = """
    Attributes
    ----------
    estimators_ : list of length T
        Weak hypotheses; each ``predict`` gives signs -1 or +1.
    estimator_weights_ : ndarray of shape (T,)
        Votes, the alphas of the papers.
    estimator_errors_ : ndarray of shape (T,)
        Weighted error of each hypothesis under the weights it was trained on.
    estimator_masses_ : ndarray of shape (T, 2, 2)
        Weight of the four outcomes in each round: class, then prediction, negative first.
    stop_reason_ : str
        One of max_rounds, perfect, no_edge, alpha, not_finite, underflow.
    classes_ : ndarray of shape (2,)
        Labels; positive scores speak for ``classes_[1]``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray
        Names of the features, when all were strings.
    """


def documented(cls):
    """Fill the shared parameters into the class's docstring."""
    cls.__doc__ = (
        cls.__doc__.replace("<costs>\n    ", COSTS).replace("<common>\n    ", COMMON).replace("<fitted>\n    ", FITTED)
    )
    return cls


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


class _CostBoosting(AdaBoost):
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


class _RuleBoosting(_CostBoosting):
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
class AdaMEC(_CostBoosting):
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
class CGAda(_CostBoosting):
    """AdaBoost started from weights in proportion to the costs; loss ``c(y) exp(-m)``.

    Tables 1 to 3 of Nikolaou et al. (2016). Cao et al. (2013) call it AdaBoostC.

    Parameters
    ----------
    <costs>
    <common>
    <fitted>
    """

    _variant = "cgada"

    def fit(self, X, y, sample_weight=None, *, cost=None):
        """Train the ensemble.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.
        y : array_like of shape (n_samples,)
            Labels of two classes.
        sample_weight : array_like of shape (n_samples,), optional
            Non-negative weights; a weight of zero equals an absent row.
        cost : array_like of shape (n_samples,), optional
            Cost of misclassifying each example, positive. It takes the place of ``fn_cost`` and
            ``fp_cost``, which must then be one.

        Returns
        -------
        CGAda
            The fitted estimator.

        Raises
        ------
        ValueError
            If the data, the costs or a parameter are not admissible; nothing is trained then.
        """
        if cost is not None:
            if (self.fn_cost, self.fp_cost) != (1.0, 1.0):
                raise ValueError(f"fn_cost={self.fn_cost!r}, fp_cost={self.fp_cost!r}: both 1 when fit is given cost")
            cost = check_array(cost, ensure_2d=False, dtype=np.float64, input_name="cost")
            check_consistent_length(X, cost)
            if cost.ndim != 1 or np.any(cost <= 0):
                raise ValueError("cost: a vector of positive numbers, one an example")
        return self._fit(X, y, sample_weight, cost)


@documented
class AsymAda(_CostBoosting):
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


@documented
class CSAda(_CostBoosting):
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
class AdaDB(_CostBoosting):
    """Exact line search on the loss ``exp(-c(y) m)``, the vote by the root of a polynomial.

    Tables 1 to 3 of Nikolaou et al. (2016). It agrees with CSAda to rounding.

    Parameters
    ----------
    <costs>
    <common>
    <fitted>
    """

    _variant = "adadb"


@documented
class AdaC2(_CostBoosting):
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
        cost_scale=None, nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, init=init, cost_scale=cost_scale,
            nonpositive_alpha=nonpositive_alpha, max_bins=max_bins, n_jobs=n_jobs, pos_label=pos_label,
            random_state=random_state,
        )  # fmt: skip
        self.alpha = alpha


@documented
class CSB0(_RuleBoosting):
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
class CSB1(_RuleBoosting):
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
class CSB2(_RuleBoosting):
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


@documented
class AdaCost(_CostBoosting):
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


@documented
class CostSensitiveBoosting(_CostBoosting):
    """Any variant by its key.

    Parameters
    ----------
    <costs>
    variant : str, default "cgada"
        A key of ``csb.VARIANTS``.
    <common>
    options : dict, optional
        Options of the variant, for instance ``{"init": "uniform"}`` for ``"adac2"``.
    cost_scale : float, optional
        Largest cost after scaling, where the variant depends on it.
    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = CostSensitiveBoosting(fn_cost=5, variant="adac2", n_estimators=20).fit(X, y)
    >>> len(model.estimators_) <= 20
    True
    """

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, variant="cgada", options=None,
        cost_scale=None, nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.variant = variant
        self.options = options
        self.cost_scale = cost_scale

    def _row(self):
        return VARIANTS[self.variant]

    def _rules(self):
        return self._row().settle(**(self.options or {}))
