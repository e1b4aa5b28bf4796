"""Weak learners: what is trained in each round.

A learner is bound to a data set once and then trained on the weights of a whole batch of models. By name:
``"stump"``, ``"univariate_logistic"``, ``"logistic"``, ``"perceptron"``; any scikit-learn classifier that
accepts ``sample_weight`` serves as well, one model and one fit at a time, and is slower.
"""

from __future__ import annotations

from difflib import get_close_matches

from sklearn.base import BaseEstimator, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csb.engine.learners.adapter import BoundClassifier
from csb.engine.learners.logistic import BoundLogistic
from csb.engine.learners.stump import BoundStump, DecisionStump
from csb.engine.learners.univariate import BoundUnivariateLogistic

__all__ = ["LEARNERS", "DecisionStump", "bind_learner", "c45_stand_in"]


def _perceptron(X, y, **settings):
    from sklearn.linear_model import Perceptron  # slow to import

    return BoundClassifier(make_pipeline(StandardScaler(), Perceptron()), X, y, **settings)


LEARNERS = {
    "stump": BoundStump,
    "univariate_logistic": BoundUnivariateLogistic,
    "logistic": BoundLogistic,
    "perceptron": _perceptron,
}


def bind_learner(learner, X, y, *, max_bins=None, n_jobs=None, random_state=None, joint=False):
    """Bind a learner to a data set.

    Parameters
    ----------
    learner : str or scikit-learn classifier
        A key of ``LEARNERS`` or an unfitted classifier whose ``fit`` accepts ``sample_weight``.
    X : ndarray of shape (n, d)
        Features.
    y : ndarray of shape (n,), int8
        Class of each example, 0 or 1.
    max_bins : int, optional
        For the learners that work on bins, see :func:`csb.engine.binning.bin_features`.
    n_jobs : int, optional
        Threads for the learners that work on bins.
    random_state : RandomState instance
        Source of the seeds of randomised classifiers.
    joint : bool, default False
        Whether hypothesis and vote will be chosen jointly, which only stumps can do.

    Returns
    -------
    object
        With a method ``fit(weights, losses)``.

    Raises
    ------
    ValueError
        If the learner is unknown, or cannot do what is asked.
    """
    if joint and learner != "stump":
        raise ValueError(f"estimator={learner!r}: selection='joint' needs estimator='stump'")
    settings = {"max_bins": max_bins, "n_jobs": n_jobs, "random_state": random_state}
    if isinstance(learner, str):
        if learner not in LEARNERS:
            near = get_close_matches(learner, LEARNERS, n=1, cutoff=0)[0]
            raise ValueError(
                f"estimator={learner!r} is not known; the nearest is {near!r}, "
                "and any scikit-learn classifier will do"
            )
        return LEARNERS[learner](X, y, **settings)
    if not (isinstance(learner, BaseEstimator) and is_classifier(learner)):
        raise ValueError(f"estimator={learner!r}: one of {', '.join(LEARNERS)} or a scikit-learn classifier")
    return BoundClassifier(learner, X, y, **settings)


def c45_stand_in(random_state=None):
    """The tree that stands in for C4.5 throughout: entropy, depth at most 6, leaves of at least 5.

    A full tree fits the training set and would end boosting in round one.

    Returns
    -------
    DecisionTreeClassifier
        Unfitted.
    """
    from sklearn.tree import DecisionTreeClassifier  # slow to import

    return DecisionTreeClassifier(
        criterion="entropy", max_depth=6, min_samples_leaf=5, random_state=random_state
    )
