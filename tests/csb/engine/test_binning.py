"""Bins: what they hold and lose, and on what they do not depend."""

import numpy as np
import pytest

import csb
from csb.costs import check_costs
from csb.engine.binning import bin_features
from csb.engine.learners.stump import BoundStump
from csb.engine.votes import TrainingSet, boost
from csb.methods import VARIANTS


def test_bins_are_the_distinct_values_when_exact():
    X = np.array([[3.0, 1.0], [1.0, 1.0], [3.0, 1.0], [2.0, 1.0]])
    data = bin_features(X, np.array([0, 1, 0, 1]))
    np.testing.assert_array_equal(data.codes, [[2, 0, 2, 1], [0, 0, 0, 0]])
    np.testing.assert_array_equal(data.n_bins, [3, 1])
    np.testing.assert_array_equal(data.upper[0], [1.0, 2.0, 3.0])


def test_quantile_bins_cover_the_data_in_order():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(70_000, 2))
    X[:, 1] = rng.integers(0, 10, len(X))
    data = bin_features(X, rng.integers(0, 2, len(X)))
    assert data.codes.dtype == np.uint8
    for f in range(2):
        bins = data.n_bins[f]
        counts = np.bincount(data.codes[f], minlength=bins)
        assert counts.sum() == len(X) and counts.min() > 0
        assert np.all(data.upper[f, : bins - 1] < data.lower[f, 1:bins])
        inside = (X[:, f] >= data.lower[f, data.codes[f]]) & (X[:, f] <= data.upper[f, data.codes[f]])
        assert inside.all()
    assert data.n_bins[0] == 255
    assert np.bincount(data.codes[0]).max() < 3 * len(X) / 255
    assert np.all(data.lower[1, : data.n_bins[1]] == data.upper[1, : data.n_bins[1]])


def test_few_bins_when_asked():
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(500, 3)), rng.integers(0, 2, 500)
    for max_bins in (2, 3, 4, 5, 8, 400):
        n_bins = bin_features(X, y, max_bins=max_bins).n_bins
        assert np.all((n_bins == max_bins) | (n_bins == max_bins - 1)) and n_bins.min() > 1


def hostile_column(rng, n, kind):
    """Values with few or many ties."""
    return {
        "continuous": lambda: rng.normal(size=n),
        "heavy tail": lambda: rng.standard_cauchy(size=n) ** 3,
        "few values": lambda: rng.integers(0, 40, n).astype(float),
        "one common value": lambda: np.where(rng.random(n) < 0.7, 0.0, rng.normal(size=n)),
        "classes apart": lambda: rng.normal(size=n) + 20.0 * (np.arange(n) % 97 == 0),
    }[kind]()


KINDS = ["continuous", "heavy tail", "few values", "one common value", "classes apart"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_no_bin_holds_much_of_a_class_beside_its_largest_value(kind, weighted):
    rng = np.random.default_rng(KINDS.index(kind))
    n = 6000
    values = hostile_column(rng, n, kind)
    y = (np.arange(n) % 97 == 0).astype(np.int8)
    weights = rng.gamma(0.5, size=n) if weighted else np.ones(n)
    data = bin_features(values[:, np.newaxis], y, weights, max_bins=255)
    assert data.n_bins[0] <= 255
    for label in (0, 1):
        total = weights[y == label].sum()
        for j in range(data.n_bins[0]):
            inside = (data.codes[0] == j) & (y == label)
            below = inside & (values < values[data.codes[0] == j].max())
            assert weights[below].sum() <= total / 64 * (1 + 1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_the_best_cut_between_bins_is_nearly_the_best_of_all(kind):
    """Excess errors: by the 64th part of one class at most. All cuts are tried, for both polarities."""
    rng = np.random.default_rng(10 + KINDS.index(kind))
    n = 4000
    values = hostile_column(rng, n, kind)
    y = (rng.random(n) < np.where(values > np.quantile(values, 0.9), 0.3, 0.01)).astype(np.int8)
    ends = bin_features(values[:, np.newaxis], y, max_bins=255).upper[0]
    shares = np.where(y == 1, 1 / y.sum(), 1 / (n - y.sum()))

    def fewest(cuts):
        above = values[np.newaxis] > np.asarray(cuts)[:, np.newaxis]
        wrong = [(shares * (above != (y == 1))).sum(axis=1), (shares * (above == (y == 1))).sum(axis=1)]
        return min(map(min, wrong))

    assert fewest(ends[np.isfinite(ends)]) <= fewest(np.unique(values)) + 1 / 64


def test_bins_do_not_depend_on_the_order_of_rows_nor_on_how_weights_are_written():
    rng = np.random.default_rng(3)
    n = 3000
    X = np.column_stack([hostile_column(rng, n, kind) for kind in KINDS])
    y, times = rng.integers(0, 2, n).astype(np.int8), rng.integers(1, 5, n)
    data = bin_features(X, y, times.astype(float), max_bins=16)
    order = rng.permutation(n)
    permuted = bin_features(X[order], y[order], times[order] / 7.0, max_bins=16)
    np.testing.assert_array_equal(permuted.upper, data.upper)
    np.testing.assert_array_equal(permuted.codes, data.codes[:, order])
    rows = np.repeat(np.arange(n), times)
    np.testing.assert_array_equal(bin_features(X[rows], y[rows], max_bins=16).upper, data.upper)
    swapped = bin_features(X, 1 - y, times.astype(float), max_bins=16)
    np.testing.assert_array_equal(swapped.upper, data.upper)


LOGIT = csb.LogitBoost, csb.AsymmetricLogitBoost, csb.AsyBL
"""Their stumps are regressions, on bins."""
LEARNERS = ["stump", "tree", "univariate_logistic"]


def named_with_learners():
    """Estimators, and the learners that they may boost."""
    for name in csb.__all__:
        cls = getattr(csb, name)
        if isinstance(cls, type):
            boosts = getattr(cls(), "estimator", None) == "stump"
            yield from ((name, each) for each in (LEARNERS if boosts and cls not in LOGIT else [None]))


@pytest.mark.parametrize("name, learner", list(named_with_learners()))
def test_a_row_of_weight_zero_is_an_absent_row_for_any_number_of_bins(name, learner):
    """Rows far away, all of one class and ten times as many, one of them with a label of its own."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = np.where(X[:, 0] + rng.normal(size=60) > 0, "b", "a").astype(object)
    far = rng.normal(5, 3, size=(600, 3))
    cls = getattr(csb, name)
    accepted = cls().get_params()
    settings = {"n_estimators": 5, "random_state": 0}
    settings |= {"estimator": learner} if learner else {}
    settings |= {"max_bins": 4} if learner != "stump" else {}
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
