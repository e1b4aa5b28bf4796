"""Parameters and attributes that the docstrings of all boosting estimators share."""

from __future__ import annotations

__all__ = ["documented"]

COSTS = """fn_cost, fp_cost : float, default 1.0
        Costs of a false negative and of a false positive, positive numbers.
    pos_label : label, optional
        The class whose miss costs ``fn_cost``; by default ``classes_[1]``.
    """

STOP = """nonpositive_alpha : {"stop", "signed"}, default "stop"
        Stop when the vote is not positive although the weak hypothesis beats chance, or keep it.
    """

DESCENT = """n_estimators : int, default 100
        Largest number of rounds.
    estimator : str or scikit-learn classifier, default "stump"
        Weak learner: "stump", "univariate_logistic", "logistic", "perceptron", or any classifier whose
        ``fit`` accepts ``sample_weight``, which is slower.
    max_bins : int, optional
        Bin features into at most this many quantiles; by default every distinct value counts up to
        20,000 rows, and 255 bins are used beyond.
    n_jobs : int, optional
        Threads of the learners that work on bins; the model does not depend on it.
    random_state : int, RandomState or None, default None
        Seed of randomised weak learners.
    """

COMMON = DESCENT.replace("    max_bins", "    " + STOP + "max_bins")

FITTED = """Attributes
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
    """Put the shared paragraphs in the places that the class's docstring marks."""
    for mark, paragraph in {
        "<costs>": COSTS,
        "<common>": COMMON,
        "<descent>": DESCENT,
        "<fitted>": FITTED,
    }.items():
        cls.__doc__ = cls.__doc__.replace(mark, paragraph.rstrip())
    return cls
