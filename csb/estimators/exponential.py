"""Estimators on the plain exponential loss: AdaBoost, AdaMEC, CGAda and AsymAda."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_array, check_consistent_length

from csb.estimators._base import BaseBoosting
from csb.estimators._docs import documented

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
class CGAda(CostBoosting):
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
                raise ValueError(
                    f"fn_cost={self.fn_cost!r}, fp_cost={self.fp_cost!r}: both 1 when fit is given cost"
                )
            cost = check_array(cost, ensure_2d=False, dtype=np.float64, input_name="cost")
            check_consistent_length(X, cost)
            if cost.ndim != 1 or np.any(cost <= 0):
                raise ValueError("cost: a vector of positive numbers, one an example")
        return self._fit(X, y, sample_weight, cost)


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
