"""LogitBoost, AsyBL and asymmetric LogitBoost as classifiers."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state

from csb.engine.learners.regression import bind_regressor
from csb.engine.newton import LINKS, boost_logit
from csb.estimators._additive import AdditiveClassifier
from csb.estimators._base import check_count
from csb.estimators._docs import documented

__all__ = ["AsyBL", "AsymmetricLogitBoost", "LogitBoost"]

NEWTON = """n_estimators : int, default 100
        Largest number of rounds.
    estimator : "stump" or scikit-learn regressor, default "stump"
        Weak learner: a regression stump, or any regressor whose ``fit`` accepts ``sample_weight``.
    largest_response : float, default 4.0
        Working responses are clipped to this size. Without a bound they diverge where a leaf is pure.
    max_bins : int, optional
        Bin features into at most this many quantiles; by default every distinct value counts up to
        20,000 rows, and 255 bins are used beyond.
    n_jobs : int, optional
        Threads of the stump; the model does not depend on it.
    random_state : int, RandomState or None, default None
        Seed of randomised regressors.
    """

FITTED = """Attributes
    ----------
    estimators_ : list of length T
        Fitted functions; each ``predict`` gives real values.
    step_ : float
        Factor on each of them.
    stop_reason_ : str
        "max_rounds", or "no_edge" when nothing was left to fit.
    classes_ : ndarray of shape (2,)
        Labels; positive scores speak for ``classes_[1]``.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray
        Names of the features, when all were strings.
    """


def _documented(cls):
    for mark, paragraph in {"<newton>": NEWTON, "<fitted>": FITTED}.items():
        cls.__doc__ = cls.__doc__.replace(mark, paragraph.rstrip())
    return documented(cls)


class _LogitFamily(AdditiveClassifier):
    """What the three share; they differ in their link."""

    _link_name: str

    def _fit(self, X, y, sample_weight):
        X, labels, weights = self._read(X, y, sample_weight)
        rounds = check_count("n_estimators", self.n_estimators)
        largest = self.largest_response
        if not (isinstance(largest, (int, float)) and 0 < largest < np.inf):
            raise ValueError(f"largest_response={largest!r}: a positive number")
        link = LINKS[self._link_name](self._costs())
        learner = bind_regressor(
            self.estimator, X, max_bins=self.max_bins, n_jobs=self.n_jobs,
            random_state=check_random_state(self.random_state),
        )  # fmt: skip
        trained = boost_logit(learner, labels, weights, link, rounds, float(largest))
        self.estimators_, self.step_ = trained.hypotheses, trained.step
        self.stop_reason_ = trained.stop_reason
        self._fitted_link = link
        self._remember_costs()
        return self

    def _terms(self, X):
        for hypothesis in self.estimators_:
            yield self.step_ * hypothesis.predict(X)

    def _probability(self, scores, t):
        log_odds = self._fitted_link.log_odds(scores)
        return np.column_stack([expit(-log_odds), expit(log_odds)])


@_documented
class LogitBoost(_LogitFamily):
    """LogitBoost of Friedman, Hastie and Tibshirani (2000): Newton steps on the logistic loss.

    Parameters
    ----------
    <newton>

    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> LogitBoost(n_estimators=10).fit(X, y).score(X, y) > 0.95
    True
    """

    _link_name = "logitboost"
    _costs_act = "never"

    def __init__(
        self, n_estimators=100, estimator="stump", *, largest_response=4.0, max_bins=None, n_jobs=None,
        random_state=None,
    ):  # fmt: skip
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.largest_response = largest_response
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.random_state = random_state


@_documented
class AsyBL(_LogitFamily):
    r"""Asymmetric boosting on the logistic loss, Algorithm 2 of Cao et al. (2013), its steps in order.

    The loss is :math:`\log(1+\rho e^{-2m})` for positives and :math:`\log(1+\rho^{-1}e^{-2m})` for negatives,
    :math:`\rho` being the cost ratio. It is LogitBoost started from :math:`-\frac12\log\rho` instead of zero
    and thresholded at the Bayes threshold (E-A09 on the book's errata page).

    Parameters
    ----------
    <costs>
    <newton>

    <fitted>

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = AsyBL(fn_cost=5, n_estimators=10).fit(X, y)
    >>> bool(((model.predict_proba(X)[:, 1] > 1 / 6) == (model.decision_function(X) > 0)).all())
    True
    """

    _link_name = "asybl"
    _costs_act = "training"

    def __init__(
        self, fn_cost=1.0, fp_cost=1.0, n_estimators=100, estimator="stump", *, largest_response=4.0,
        max_bins=None, n_jobs=None, pos_label=None, random_state=None,
    ):  # fmt: skip
        self.fn_cost = fn_cost
        self.fp_cost = fp_cost
        self.n_estimators = n_estimators
        self.estimator = estimator
        self.largest_response = largest_response
        self.max_bins = max_bins
        self.n_jobs = n_jobs
        self.pos_label = pos_label
        self.random_state = random_state


@_documented
class AsymmetricLogitBoost(AsyBL):
    r"""Asymmetric LogitBoost, with the link that Cao et al. (2013) take from Masnadi-Shirazi and Vasconcelos.

    The link has the slope :math:`\frac12(c_{FN}+c_{FP})`, so that the score is that of AsyBL divided by it in
    every round, while probability and decisions are the same (E-A09 on the book's errata page).

    Parameters
    ----------
    <costs>
    <newton>

    <fitted>
    """

    _link_name = "asymmetric_logitboost"
