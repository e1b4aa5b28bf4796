"""The stump that the bounds leave is that of a full search, whatever the values and the weights."""

import numpy as np
import pytest

from csb.costs import check_costs
from csb.engine import threads
from csb.engine.learners import search
from csb.engine.learners.stump import BoundStump
from csb.engine.rules import TIE
from csb.engine.votes import TrainingSet, boost
from csb.methods import VARIANTS

KINDS = [
    "continuous",
    "rounded",
    "three values",
    "zeros",
    "twins",
    "heavy tails",
    "gaps",
    "single",
    "one value",
]


def hostile(seed, most=1500):
    """Features of one kind, and noisy classes, which may be rare."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, most)), int(rng.integers(1, 20))
    kind, X = KINDS[seed % len(KINDS)], rng.normal(size=(n, d))
    if kind == "rounded":
        X = np.round(X, 1)
    elif kind == "three values":
        X = rng.integers(0, 3, (n, d)).astype(float)
    elif kind == "zeros":
        X = np.where(rng.random((n, d)) < 0.7, 0.0, X)
    elif kind == "twins":
        X = np.hstack([X, X[:, ::-1]])
    elif kind == "heavy tails":
        X = rng.standard_cauchy((n, d)) ** 3
    elif kind == "gaps":
        X = np.where(rng.random((n, d)) < 0.2, np.nan, np.round(X, rng.integers(0, 9)))
    elif kind == "single":
        X = X.astype(np.float32)
    elif kind == "one value":
        X[:, rng.random(d) < 0.5] = 1.0
    clear = np.nan_to_num(X[:, 0]) > np.nanmedian(X[:, 0]) if n > 20 else rng.random(n) < 0.5
    return X, (clear ^ (rng.random(n) < rng.choice([0.05, 0.3, 0.5]))).astype(np.int8)


def drawn_weights(seed, shape):
    """Even or uneven; some zero, some next to it."""
    rng = np.random.default_rng(seed)
    w = rng.gamma(rng.choice([0.05, 0.5, 5.0]), size=shape) + 1e-300
    if seed % 3 == 0:
        w[:, rng.random(shape[1]) < 0.3] = 0.0
    if seed % 4 == 0:
        w[:, rng.random(shape[1]) < 0.3] *= 1e-310
    w[:, 0] += 1e-3
    return w / w.sum(axis=1, keepdims=True)


def full_search(X, y, w):
    """Feature, threshold and polarity of the best stump, by sorting every feature; ties as promised."""
    signed, found = np.where(y == 1, w, -w), []
    for f in range(X.shape[1]):
        column = X[:, f].astype(float)
        ways = [np.where(np.isnan(column), side, column) for side in (np.inf, -np.inf)]
        for values in ways if np.isnan(column).any() else ways[:1]:
            distinct, ranks = np.unique(values[w > 0], return_inverse=True)
            up_to = np.cumsum(np.bincount(ranks, signed[w > 0], len(distinct)))
            edges = up_to[-1] - 2 * np.r_[0.0, up_to[:-1]]
            with np.errstate(invalid="ignore"):
                middle = 0.5 * distinct[:-1] + 0.5 * distinct[1:]
            neighbours = (middle >= distinct[1:]) & np.isfinite(distinct[1:])
            found.append((f, edges, np.r_[-np.inf, np.where(neighbours, distinct[:-1], middle)]))
    best = max(np.abs(edges).max() for _, edges, _ in found)
    f, edges, thresholds = next(each for each in found if np.abs(each[1]).max() >= best - TIE)
    cut = np.flatnonzero(np.abs(edges) >= np.abs(edges).max() - TIE)[0]
    return f, thresholds[cut], 1 if edges[cut] > 0 else -1


@pytest.mark.parametrize("seed", range(90))
def test_the_stump_is_that_of_a_full_search(seed):
    X, y = hostile(seed)
    weights = drawn_weights(seed, (4, len(y)))
    stumps, predicted = BoundStump(X, y).fit(weights)
    for b, w in enumerate(weights):
        assert tuple(stumps[b])[:3] == full_search(X, y, w)
        np.testing.assert_array_equal(2 * predicted[b].astype(int) - 1, stumps[b].predict(X))


class Watched(BoundStump):
    """Compares the stump of every round with that of a full search."""

    def fit(self, weights, losses=None, change=None):
        stumps, predicted = super().fit(weights, losses, change)
        for b, w in enumerate(weights):
            assert tuple(stumps[b])[:3] == full_search(self.data.X, self.labels, w)
            self.rounds.append(change is not None)
        return stumps, predicted


@pytest.mark.parametrize("long_walk", [-1, search.LONG_WALK])
@pytest.mark.parametrize("seed", range(18))
def test_so_it_is_in_every_round_of_boosting(seed, long_walk, monkeypatch):
    """Also where sums are only brought up to date, and where the search remembers what it has found."""
    monkeypatch.setattr(search, "LONG_WALK", long_walk)
    boost_watched(seed, [1.0, 3.0, 20.0])


@pytest.mark.parametrize("seed", range(9))
def test_so_it_is_where_threads_share_out_the_rows_of_one_model(seed, monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 0)
    monkeypatch.setattr(search, "CHUNK", 20)  # rows that a thread takes at least
    boost_watched(seed, [3.0], n_jobs=3)


def boost_watched(seed, ratios, n_jobs=None):
    X, y = hostile(seed, most=600)
    if y.min() == y.max():
        y[0] = 1 - y[0]
    learner = Watched(X, y, n_jobs=n_jobs)
    learner.rounds = []
    batch = VARIANTS["cgada"].batch(check_costs(np.array(ratios), 1.0))
    boost(learner, TrainingSet(y, np.ones((len(ratios), len(y)))), [batch], 40)
    assert learner.rounds
