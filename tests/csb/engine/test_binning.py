"""On what models do not depend: rows without weight, the number of rows, the batch."""

import numpy as np
import pytest

import csb
from csb.costs import check_costs
from csb.engine.learners.stump import BoundStump
from csb.engine.votes import TrainingSet, boost
from csb.methods import VARIANTS

LOGIT = csb.LogitBoost, csb.AsymmetricLogitBoost, csb.AsyBL
"""Their stumps are regressions."""
LEARNERS = ["stump", "tree", "univariate_logistic"]


def named_with_learners():
    """Estimators, and the learners that they may boost."""
    for name in csb.__all__:
        cls = getattr(csb, name)
        if isinstance(cls, type):
            boosts = getattr(cls(), "estimator", None) == "stump"
            yield from ((name, each) for each in (LEARNERS if boosts and cls not in LOGIT else [None]))


@pytest.mark.parametrize("name, learner", list(named_with_learners()))
def test_a_row_of_weight_zero_is_an_absent_row(name, learner):
    """Rows far away, all of one class and ten times as many, one of them with a label of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "b", "a").astype(object)
    far = rng.normal(5, 3, size=(600, 3))
    cls = getattr(csb, name)
    accepted = cls().get_params()
    settings = {"n_estimators": 5, "random_state": 0}
    settings |= {"estimator": learner} if learner else {}
    model = cls(**{key: value for key, value in settings.items() if key in accepted})
    X_all, y_all = np.vstack([X, far]), np.r_[y, ["b"] * 599, ["c"]]
    weights = np.r_[np.ones(60), np.zeros(600)]
    order = rng.permutation(len(X_all))
    order = np.r_[order[order >= 60], np.arange(60)]  # the rows that count in their order
    expected = model.fit(X, y).decision_function(X)
    found = model.fit(X_all[order], y_all[order], sample_weight=weights[order]).decision_function(X)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n", [20_000, 20_001, 65_535, 65_536, 100_000])
@pytest.mark.parametrize("estimator", [csb.CGAda, csb.LogitBoost])
def test_rare_classes_keep_their_resolution_at_any_number_of_rows(n, estimator):
    """The positives are the top thousandth of a feature; one in ten has been mislaid among the others."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] >= np.sort(X[:, 0])[-n // 1000]).astype(int)
    positives = np.flatnonzero(y)
    mislaid = positives[::10]
    X[mislaid, 0] = rng.normal(size=len(mislaid))
    costs = {"fn_cost": 50} if estimator is csb.CGAda else {}
    predicted = estimator(n_estimators=1, **costs).fit(X, y).predict(X)
    recall, precision = predicted[y == 1].mean(), y[predicted == 1].mean()
    assert recall >= 1 - len(mislaid) / len(positives) - 0.03 and precision >= 0.95


TAKES_COSTS = [
    name
    for name in csb.__all__
    if isinstance(cls := getattr(csb, name), type)
    and "fn_cost" in cls().get_params()
    and name not in ("AdaC2", "UnequalMarginSVC")
]


@pytest.mark.parametrize("name", TAKES_COSTS)
def test_every_binary_method_finds_a_rare_class_that_is_as_heavy_as_the_other(name):
    """Costs of a thousand in the exponent take the weights of a class out of the range of floats.

    AdaC2 does not find it: by its formula costs are multiplied anew into every round's weights. Nor does
    UnequalMarginSVC, whose costs move a hyperplane that was found without them.
    """
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 2))
    y = (X[:, 0] >= np.sort(X[:, 0])[-20]).astype(int)
    settings = {"n_estimators": 20, "fn_cost": 999.0, "random_state": 0}
    cls = getattr(csb, name)
    model = cls(**{key: value for key, value in settings.items() if key in cls().get_params()})
    predicted = model.fit(X, y).predict(X)
    assert predicted[y == 1].mean() >= 0.9 and predicted[y == 0].mean() <= 0.1


def test_a_batch_is_its_models_at_any_size():
    """Equal weights round the same way each time: at this size by more than the errors differ."""
    n = 273_906
    rng = np.random.default_rng(0)
    y = (np.arange(n) % 2).astype(np.int8)

    def feature(errors):
        wrong = np.zeros(n, bool)
        wrong[rng.permutation(n)[: int(n * errors)]] = True
        return np.where(wrong, 1 - y, y).astype(float)

    X = np.column_stack([100 * feature(0.1) + rng.integers(0, 100, n), feature(0.1001)])
    learner, batch = BoundStump(X, y), VARIANTS["cgada"].batch(check_costs([1.0, 1.0], 1.0))
    weights = np.ones((2, n))
    together = boost(learner, TrainingSet(y, weights), [batch], 3, keep_scores=True)
    alone = boost(learner, TrainingSet(y, weights[:1]), [batch.take(slice(0, 1))], 3, keep_scores=True)
    assert alone.trace(0)[2][0].feature == 0
    assert together.trace(1)[2] == alone.trace(0)[2]
    np.testing.assert_array_equal(together.scores[1], alone.scores[0])
