"""The likeliest regression on one feature: against scikit-learn's regressions, and the ends of training."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from csb.engine.learners import bind_learner
from csbook.studies import STUDIES
from csbook.studies.likeliest import LikeliestRegression, compute
from csbook.studies.n16 import examples

SETTINGS = dict(STUDIES["n16/likeliest"].settings) | {"ratios": [5.0], "rounds": 30}


def one_by_one(X, y, w):
    """Index and signs of the regression of least weighted loss, each fitted by scikit-learn."""
    best = (np.inf, None, None)
    for feature, column in enumerate(X.T):
        column = ((column - column.mean()) / column.std())[:, np.newaxis]
        model = LogisticRegression(C=1e9, tol=1e-10, max_iter=1000).fit(column, y, sample_weight=w * len(y))
        loss = log_loss(y, model.predict_proba(column), sample_weight=w)
        best = min(best, (loss, feature, 2 * model.predict(column) - 1), key=lambda found: found[0])
    return best[1:]


@pytest.mark.parametrize("seed", range(5))
def test_choice_is_that_of_regressions_one_by_one(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(80, 4))
    y = (X[:, 0] + 0.5 * X[:, 2] + rng.normal(size=80) > 0).astype(np.int8)
    weights = rng.dirichlet(np.ones(80), 3)
    stumps, predicted = LikeliestRegression(X, y).fit(weights)
    for b, w in enumerate(weights):
        feature, signs = one_by_one(X, y, w)
        assert stumps.feature[b] == feature
        np.testing.assert_array_equal(2 * predicted[b].astype(int) - 1, signs)
        np.testing.assert_array_equal(stumps[b].predict(X), signs)


def test_likelihood_and_edge_choose_differently():
    """Outliers of one feature weigh in its likelihood, and hardly in its errors."""
    y = np.repeat([0, 1], 20).astype(np.int8)
    exact = np.where(y == 1, 1.0, -1.0)
    exact[0], exact[-1] = 4.0, -4.0  # two errors, both far out
    rough = np.where(y == 1, 1.0, -1.0)
    rough[[1, 2, 3]], rough[[20, 21, 22]] = 1.0, -1.0  # six errors
    X, w = np.column_stack([exact, rough]), np.full((1, 40), 1 / 40)
    assert LikeliestRegression(X, y).fit(w)[0].feature.tolist() == [1]
    assert bind_learner("univariate_logistic", X, y).fit(w)[0].feature.tolist() == [0]


def test_training_ends_where_the_likeliest_has_no_edge():
    """AdaBoost by hand, of regressions one by one."""
    if "wdbc" in STUDIES["n16/likeliest"].missing():
        pytest.skip("no files of wdbc: set CSB_DATA")
    counts = compute(("wdbc", 0), SETTINGS)["counts"]
    found = counts.query("method == 'AdaMEC' and ratio == 1").iloc[0]
    split = examples(("wdbc", 0), SETTINGS)[0]
    signs, w, rounds = 2.0 * split.y - 1, np.full(len(split.y), 1 / len(split.y)), 0
    while rounds < 30:
        edge = np.sum(w * signs * (guess := one_by_one(split.X, split.y, w)[1]))
        if edge <= 1e-12:  # of the last hypothesis it is zero but for rounding
            break
        w = w * np.exp(-np.arctanh(edge) * signs * guess)
        w /= w.sum()
        rounds += 1
    assert 0 < rounds < 30 and (found["rounds"], found["stop"]) == (rounds, "no_edge")


def test_data_and_methods_are_those_of_n16():
    ours, theirs = STUDIES["n16/likeliest"], STUDIES["n16/univariate_logistic-published"]
    assert ours.datasets == theirs.datasets
    assert set(ours.settings["methods"]) < set(theirs.settings["methods"])
