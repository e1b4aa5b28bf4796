"""Weights, and numbers to be fitted, that scikit-learn's pruning does not bear: no process ends by them.

It ends the process itself, so that each test has one of its own.
"""

import json
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from csbook.learners.pruned import Examples, PrunedRegressionTree, PrunedTree, grow

PROBLEM = """
import json
import sys
import numpy as np
from csbook.learners.pruned import PrunedRegressionTree, PrunedTree

def weights(how, span, rng, n):
    if how == "spread":
        return 10.0 ** rng.uniform(-np.log10(span), 0, n)
    return np.where(rng.random(n) < (0.5 if how == "halves" else 1 / n), 1.0, 1 / span)

def problem(how, span, seed, n=150):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).astype(np.float32)
    weight = weights(how, span, rng, n)
    weight[0] = 1.0
    return X, X[:, 0] + rng.normal(size=n), weight

"""


def said(code):
    command = [sys.executable, "-c", PROBLEM + code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)  # it may also never end
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_weights_that_differ_by_any_factor_give_the_shares_of_the_leaves():
    """By a naive sum over the rows of each leaf; a share is off by what raised weights add to it at most."""
    compared, worst = said(
        """
compared, worst = 0, 0.0
for how in ("spread", "halves", "one"):
    for span in (1e15, 1e17, 1e20):
        for seed in range(3):
            X, target, weight = problem(how, span, seed)
            y = (target > 0).astype(int)
            model = PrunedTree(cv=2, random_state=seed).fit(X, y, weight)
            found, leaves = model.predict_proba(X), model.tree_.apply(X)
            for leaf in np.unique(leaves):
                here = leaves == leaf
                if weight[here].sum() > 1e-6:
                    share = weight[here & (y == 1)].sum() / weight[here].sum()
                    worst = max(worst, abs(found[here, 1] - share).max())
                    compared += 1
print(json.dumps([compared, worst]))
"""
    )
    assert compared > 60 and worst < 1e-4


def test_regressions_bear_such_weights_and_name_numbers_that_are_too_large():
    inside, refused = said(
        """
inside, refused = [], []
for how in ("spread", "halves", "one"):
    for span in (1e16, 1e30, 1e90):
        X, y, weight = problem(how, span, 0)
        said = PrunedRegressionTree(cv=2, random_state=0).fit(X, y, weight).predict(X)
        inside.append(bool(np.all((said >= y.min()) & (said <= y.max()))))
for size in (1e76, 1e155, 1e300):
    try:
        PrunedRegressionTree(random_state=0).fit(X, np.sign(y) * size)
    except ValueError as error:
        refused.append(str(error))
print(json.dumps([inside, refused]))
"""
    )
    assert len(inside) == 9 and all(inside)
    assert len(refused) == 3 and all(
        each.startswith("y holds ") and "[-1e75, 1e75]" in each for each in refused
    )


def test_the_largest_numbers_are_fitted_as_small_ones_are():
    """Two to the 246th is near 1e74, and a factor that changes no digit."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.normal(size=80)
    small = PrunedRegressionTree(random_state=0).fit(X, y)
    large = PrunedRegressionTree(random_state=0).fit(X, y * 2.0**246)
    assert np.all(np.isfinite(large.ccp_alphas_[:-1])) and large.tree_.get_n_leaves() > 1
    np.testing.assert_array_equal(large.predict(X), small.predict(X) * 2.0**246)


def test_weights_are_raised_only_where_they_must_be():
    class Tree:
        """One that fails on weights below a limit."""

        def __init__(self, limit):
            self.limit = limit

        def fit(self, X, y, weights):
            self.tree_ = SimpleNamespace(
                impurity=np.array([0.5, np.nan if weights.min() < self.limit else 0])
            )
            return self

    examples = Examples(np.zeros((4, 1)), np.zeros(4), np.array([1.0, 1.0, 2.0, 1e-20]))
    assert grow(Tree(0), examples) is examples
    np.testing.assert_allclose(grow(Tree(1e-18), examples).weights, [1, 1, 2, 4 * 4 * 2.0**-52], rtol=1e-12)
    with pytest.raises(ValueError, match="sample_weight from 1e-20 to 2: .* allowed are 2e-09"):
        grow(Tree(1.0), examples)


@pytest.mark.parametrize("cls", [PrunedTree, PrunedRegressionTree])
def test_weights_of_any_common_scale_give_the_same_tree(cls):
    rng = np.random.default_rng(1)
    X, y, w = rng.normal(size=(60, 3)), rng.integers(0, 2, 60), rng.uniform(0.5, 2, 60)
    alone = cls(random_state=0).fit(X, y, w).predict(X)
    for scale in (2.0**-300, 2.0**300):
        np.testing.assert_array_equal(cls(random_state=0).fit(X, y, w * scale).predict(X), alone)
