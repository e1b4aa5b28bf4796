"""AdaUBoost and ThetaBoost of Karakoulas and Shawe-Taylor (1998)."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from csb.estimators._docs import documented
from csb.estimators.exponential import CostBoosting
from csb.methods.adauboost import ADAUBOOST
from csb.methods.thresholds import check_rule, check_search, search_support_scores, threshold_between

__all__ = ["AdaUBoost", "ThetaBoost"]

FORM = """form : {"corrected", "paper"}, default "corrected"
        What "auto" means below: "beta2" and "gradient", or as printed "beta" and "z".
    init : {"auto", "beta2", "beta", "uniform"}, default "auto"
        First weight of a positive over that of a negative: the square of the cost ratio, the cost ratio
        (Section 4 of the paper), or one (its experiments). Only the square makes the population minimiser
        change sign at the Bayes threshold (E-K04 on the book's errata page).
    learner_weights : {"auto", "gradient", "z"}, default "auto"
        Train the weak learner on the terms of Z times the exponents of their classes, the direction in which
        Z falls most, or on the terms alone (E-K06).
    """


def _documented(cls):
    cls.__doc__ = cls.__doc__.replace("<form>", FORM.rstrip())
    return documented(cls)


@_documented
class AdaUBoost(CostBoosting):
    """Boosting with the inverse of the cost in the exponent, Figure 1 of Karakoulas and Shawe-Taylor (1998).

    The vote minimises their Z, Eq. (4), by the root of its derivative in an explicit bracket (E-K05). Where
    the classes are separable the margin of the positives tends to the cost ratio times that of the
    negatives.

    Parameters
    ----------
    <costs>
    <common>
    <form>

    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> AdaUBoost(fn_cost=5, n_estimators=20).fit(X, y).stop_reason_
    'max_rounds'
    """

    _options = ("form", "init", "learner_weights")

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, form="corrected",
        init="auto", learner_weights="auto", nonpositive_alpha="stop", max_bins=None, n_jobs=None,
        pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, nonpositive_alpha=nonpositive_alpha, max_bins=max_bins,
            n_jobs=n_jobs, pos_label=pos_label, random_state=random_state,
        )  # fmt: skip
        self.form = form
        self.init = init
        self.learner_weights = learner_weights

    def _row(self):
        return ADAUBOOST


@_documented
class ThetaBoost(AdaUBoost):
    r"""AdaUBoost with a threshold between two support vectors.

    Figure 1 of Karakoulas and Shawe-Taylor (1998). After training, a positive and a negative example are
    looked for among the training examples, see :func:`csb.methods.thresholds.search_support_scores`, and a threshold
    is placed between their scores, see :func:`csb.methods.thresholds.threshold_between`. It is subtracted from the
    score. At equal costs it still moves to the middle; where no such pair is left it is zero. The paper
    leaves the parameters of the search undefined, but for a :math:`\delta_M` of 0.2 in its experiment (E-K10
    on the book's errata page).

    The search drops false positives, not false negatives: the threshold lies below every training positive
    that is not borderline. Where the classes overlap, one far astray decides, and many negatives are
    sacrificed to it, whatever the costs.

    Parameters
    ----------
    <costs>
    <common>
    threshold : {"b", "eta", "eta_max", "midpoint"}, default "b"
        How to divide the space between the two scores: Eq. (1), Eq. (2) with cube roots as printed, with
        square roots as the bound of Theorem 3.2 asks for (E-K03), or half-way. It may be changed after the
        fit.
    borderline : float, default 0.0
        Examples with a score of at most this size are left out of the search.
    margin_change : float, default 0.2
        The :math:`\delta_M`: pass over a negative for one near it that is lower by this much. Infinite, the
        first one stays.
    max_skip : int, default 5
        How many distinct scores of negatives below the current one count as near it.
    normalize : bool, default True
        Measure ``borderline`` and ``margin_change`` as shares of the sum of the votes, or in units of the
        score.
    <form>

    <fitted>
    support_scores_ : ndarray of shape (T, 2)
        Scores of the negative and the positive support vector after each round; not a number where no pair
        is left.
    theta_ : float
        What is subtracted from the score of the ensemble.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ThetaBoost(fn_cost=5, n_estimators=20).fit(X, y)
    >>> with_b = model.theta_
    >>> with_b < model.set_params(threshold="midpoint").theta_
    True
    """

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, threshold="b", borderline=0.0,
        margin_change=0.2, max_skip=5, normalize=True, form="corrected", init="auto", learner_weights="auto",
        nonpositive_alpha="stop", max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        super().__init__(
            fn_cost, fp_cost, n_estimators, estimator, form=form, init=init, learner_weights=learner_weights,
            nonpositive_alpha=nonpositive_alpha, max_bins=max_bins, n_jobs=n_jobs, pos_label=pos_label,
            random_state=random_state,
        )  # fmt: skip
        self.threshold = threshold
        self.borderline = borderline
        self.margin_change = margin_change
        self.max_skip = max_skip
        self.normalize = normalize

    def _fit(self, X, y, sample_weight, cost=None):
        check_rule(self.threshold)
        check_search(self.borderline, self.margin_change, self.max_skip)
        super()._fit(X, y, sample_weight, cost)
        taking_part = _check_sample_weight(sample_weight, X) > 0
        positive = (np.asarray(y) == self.classes_[1])[taking_part]
        votes = np.cumsum(np.abs(self.estimator_weights_)).clip(min=np.finfo(float).tiny)
        units = votes if self.normalize else np.ones_like(votes)
        found = [
            search_support_scores(
                positive, scores[taking_part], borderline=self.borderline * unit,
                margin_change=self.margin_change * unit, max_skip=self.max_skip, pos_label=True,
            )
            for unit, scores in zip(units, super().staged_decision_function(X), strict=True)
        ]  # fmt: skip
        self.support_scores_ = np.array([(np.nan, np.nan) if pair is None else pair for pair in found])
        return self

    def _theta(self, t: int) -> float:
        costs = self._costs().by_class[::-1, 0]
        theta = threshold_between(*self.support_scores_[t - 1], *costs, rule=self.threshold)
        return 0.0 if np.isnan(theta) else float(theta)

    @property
    def theta_(self) -> float:
        """What is subtracted from the score of the ensemble."""
        check_is_fitted(self)
        return self._theta(len(self.estimators_))

    def decision_function(self, X):
        r"""Score :math:`\sum_t \alpha_t h_t(x) - \theta`.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        ndarray of shape (n_samples,)
            Positive values speak for ``classes_[1]``.
        """
        return super().decision_function(X) - self.theta_

    def staged_decision_function(self, X):
        """Scores after each round, less the threshold found for that round.

        Parameters
        ----------
        X : array_like of shape (n_samples, n_features)
            Finite numbers.

        Yields
        ------
        ndarray of shape (n_samples,)
            The score of the ensemble's first rounds.
        """
        for t, scores in enumerate(super().staged_decision_function(X), start=1):
            yield scores - self._theta(t)

    def _why_no_probability(self):
        return "its threshold rests on two training examples, not on a probability"
