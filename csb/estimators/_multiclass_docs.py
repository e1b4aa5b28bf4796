"""Parameters and attributes that the docstrings of the multiclass estimators share."""

from __future__ import annotations

__all__ = ["documented"]

COSTS = """cost_matrix : array_like or DataFrame of shape (k, k), optional
        Cost of each prediction (columns) for each true class (rows), the right class being the cheapest of
        its row. An array follows the sorted classes, a frame names them. Every error costs one by default.
        Costs of single examples are given to ``fit``.
    """

ROUNDS = """n_estimators : int, default 100
        Largest number of rounds.
    """

PAIRS = """estimator : str or scikit-learn classifier, optional
        Binary learner of the pairs (x, y): a tree of depth five by default, a name such as "stump", or any
        classifier whose ``fit`` accepts ``sample_weight``.
    expansion : {"per_label", "one_hot"}, default "per_label"
        Train one learner for each class, or one on all pairs that sees the class in one-hot coding.
    n_jobs : int, optional
        Threads over the classes; the model does not depend on it.
    """

CHOICES = """estimator : scikit-learn classifier, optional
        Multiclass learner whose ``fit`` accepts ``sample_weight``; a tree of depth five by default.
    """

SEED = """random_state : int, RandomState or None, default None
        Seed of randomised learners and of sampling.
    """

STEP = """step : {"1/(t+1)", "1/t", "linesearch", "eq10"}, default "1/(t+1)"
        Step towards each new hypothesis. ``"1/t"`` discards the uniform start in round one; ``"eq10"`` is
        Eq. (10), for p = 1 or p >= 2.
    """

FITTED = """estimators_ : list of length T
        Weak hypotheses; each ``predict`` gives an array f(y|x) of shape (n, k).
    """

REST = """stop_reason_ : str
        One of max_rounds, perfect, no_edge, alpha.
    classes_ : ndarray of shape (k,)
        Labels.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray
        Names of the features, when all were strings.
    """

MIXTURE = f"""Attributes
    ----------
    {FITTED}steps_ : ndarray of shape (T,)
        Steps of the convex combination.
    objective_ : ndarray of shape (T + 1,)
        The p-norm cost of the training set, a mean over examples, before the first and after each round.
    {REST}"""

VOTES = f"""Attributes
    ----------
    {FITTED}estimator_weights_ : ndarray of shape (T,)
        Votes.
    estimator_errors_ : ndarray of shape (T,)
        Weighted error of each hypothesis under the weights it was trained on.
    {REST}"""


def documented(cls):
    """Put the shared paragraphs in the places that the class's docstring marks."""
    for mark, paragraph in {
        "<costs>": COSTS,
        "<rounds>": ROUNDS,
        "<pairs>": PAIRS,
        "<choices>": CHOICES,
        "<seed>": SEED,
        "<step>": STEP,
        "<mixture>": MIXTURE,
        "<votes>": VOTES,
    }.items():
        cls.__doc__ = cls.__doc__.replace(mark, paragraph.rstrip())
    return cls
