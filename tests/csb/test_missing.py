"""Missing values in stumps: on both sides of each cut, by hand, by a search of all, by scikit-learn."""

import itertools

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.tree import DecisionTreeClassifier

import csb
from csb.engine.binning import bin_features
from csb.engine.blocks import Blocks
from csb.engine.learners import Tree, bind_learner
from csb.engine.learners.regression import bind_regressor
from csb.estimators.base import AdditiveClassifier
from csbook.recipes.shapes import ShapeDisplay

ALL = [getattr(csb, name) for name in csb.__all__ if isinstance(getattr(csb, name), type)]
ADDITIVE = [cls for cls in ALL if issubclass(cls, AdditiveClassifier)]
CALIBRATED = [csb.CalibratedAdaMEC, csb.CalibratedCGAda, csb.CalibratedAsymAda]


def with_gaps(seed, n=80, d=4, share=0.2, decimals=1):
    """Features of few or many values, one of them never missing, and classes that missing values tell of."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), decimals)
    gaps = rng.random((n, d)) < share
    gaps[:, 1] = False
    y = (X[:, 0] + X[:, 1] + 1.5 * gaps[:, 2] + 0.7 * rng.normal(size=n) > 0.5).astype(np.int8)
    X[gaps] = np.nan
    return X, y, rng


def cuts_of(column):
    """Thresholds, with the missing above or not; the constant is minus infinity with the missing above."""
    values = np.unique(column[~np.isnan(column)])
    middles = [-np.inf, *(0.5 * values[:-1] + 0.5 * values[1:]), np.inf]
    return itertools.product(middles, (True, False))


def goes_above(column, threshold, missing_above):
    with np.errstate(invalid="ignore"):
        return np.where(np.isnan(column), missing_above, column > threshold)


# --- bins and stumps ------------------------------------------------------------------------------


def test_the_bins_of_missing_values():
    X = np.array([[3.0, 1.0, np.nan], [np.nan, 1.0, np.nan], [1.0, 2.0, np.nan], [3.0, 1.0, np.nan]])
    data = bin_features(X)
    np.testing.assert_array_equal(data.codes, [[1, 2, 0, 1], [2, 0, 1, 2], [0, 0, 1, 0], [0, 0, 0, 0]])
    np.testing.assert_array_equal(data.source, [0, 0, 1, 2])
    np.testing.assert_array_equal(data.missing, [2, 0, -1, 0])
    np.testing.assert_array_equal(data.n_bins, [3, 3, 2, 1])
    np.testing.assert_array_equal(data.values[:2], [[1, 3, np.inf], [-np.inf, 1, 3]])


def test_the_bin_of_missing_values_does_not_count():
    rng = np.random.default_rng(0)
    for n, values, dtype in ((80_000, 60_000, np.uint16), (1000, 256, np.uint16), (1000, 255, np.uint8)):
        X = rng.permutation(np.arange(n) % values).astype(float)[:, np.newaxis]
        X[::7] = np.nan
        known = ~np.isnan(X[:, 0])
        data = bin_features(X)
        found = len(np.unique(X[known]))
        assert data.n_bins.tolist() == [found + 1] * 2
        assert data.codes.dtype == dtype
        assert np.all(data.codes[0, ~known] == found) and np.all(data.codes[1, ~known] == 0)
        assert data.codes[0, known].max() == found - 1
        np.testing.assert_array_equal(data.codes[0, known] + 1, data.codes[1, known])


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n_models", [1, 20])
def test_the_stump_is_the_best_of_all(seed, n_models):
    X, y, rng = with_gaps(seed)
    weights = rng.gamma(0.5, size=(n_models, len(y)))
    weights[:, rng.random(len(y)) < 0.1] = 0.0
    weights /= weights.sum(axis=1, keepdims=True)
    stumps, predicted = bind_learner("stump", X, y).fit(weights)
    missing_used = 0
    for b, w in enumerate(weights):
        errors = [
            w[(goes_above(X[:, f], *cut) == (sign > 0)) != (y == 1)].sum()
            for f in range(X.shape[1]) for cut in cuts_of(X[:, f]) for sign in (1, -1)
        ]  # fmt: skip
        stump = stumps[b]
        np.testing.assert_array_equal(stump.predict(X) > 0, predicted[b])
        assert w[predicted[b] != y].sum() == pytest.approx(min(errors), abs=1e-12)
        missing_used += not np.isfinite(stump.threshold) or stump.feature != 1
    assert n_models == 1 or missing_used


@pytest.mark.parametrize("seed", range(4))
def test_joint_selection_tries_both_sides(seed):
    X, y, _ = with_gaps(seed)
    model = csb.CSAda(2.0, n_estimators=4, selection="joint").fit(X, y)
    for stump, masses in zip(model.estimators_, model.estimator_masses_, strict=True):
        assert masses.sum() == pytest.approx(1.0)
        assert not np.isnan(stump.threshold)
    again = 2 * (sum(vote * stump.predict(X) for vote, stump in
                     zip(model.estimator_weights_, model.estimators_, strict=True)))  # fmt: skip
    np.testing.assert_allclose(2 * model.decision_function(X), again, atol=1e-12)


def test_the_side_that_errs_less_by_hand():
    """Missing like the large values, like the small ones, unlike both."""
    column = np.array([0.0, 1.0, 2.0, 3.0, np.nan, np.nan])[:, np.newaxis]
    for y, found in [
        ([0, 0, 1, 1, 1, 1], (0, 1.5, 1, True)),
        ([0, 0, 1, 1, 0, 0], (0, 1.5, 1, False)),
        ([0, 0, 0, 0, 1, 1], (0, np.inf, 1, True)),
        ([1, 1, 1, 1, 0, 0], (0, np.inf, -1, True)),
        ([1, 1, 1, 1, 1, 1], (0, -np.inf, 1, True)),
    ]:
        (stumps, predicted) = bind_learner("stump", column, np.array(y, np.int8)).fit(np.full((1, 6), 1 / 6))
        assert stumps[0] == found
        assert predicted[0].tolist() == y


@pytest.mark.parametrize("seed", range(5))
def test_a_regression_stump_is_scikit_learns(seed):
    X, _, rng = with_gaps(seed)
    target = np.nan_to_num(X[:, 0], nan=2.0) - (X[:, 1] > 0.3) + 0.1 * rng.normal(size=len(X))
    w = rng.gamma(2.0, size=len(X))
    stump, values = bind_regressor("stump", X).fit(w / w.sum(), target)
    theirs = HistGradientBoostingRegressor(
        max_iter=1, max_leaf_nodes=2, learning_rate=1.0, min_samples_leaf=1, early_stopping=False
    ).fit(X, target, w)
    np.testing.assert_array_equal(stump.predict(X), values)
    np.testing.assert_allclose(values, theirs.predict(X), rtol=1e-5)


def test_where_nothing_was_missing_the_heavier_side_counts():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 1, 1, 1])
    for weight, side in (([1, 1, 1, 1], True), ([9, 1, 1, 1], False)):
        model = csb.AdaBoost(1).fit(X, y, weight)
        assert model.estimators_[0] == (0, 0.5, 1, side)
        # the same where a value is missing, but of no weight
        unseen, beside = np.vstack([X, [[np.nan]]]), np.r_[np.array(weight) / sum(weight), 0.0]
        stump, values = bind_regressor("stump", unseen).fit(beside, np.r_[y, 9.0])
        assert stump == (0, 0.5, 0.0, 1.0, side) and values[-1] == side
        assert (model.decision_function([[np.nan]])[0] > 0) == side
        regression = csb.LogitBoost(1).fit(X, y, weight).estimators_[0]
        assert regression.missing_above == side and regression.threshold == 0.5


# --- what must not matter -------------------------------------------------------------------------

NEW = with_gaps(99, n=60, share=0.4)[0]


def outputs(model):
    return model.decision_function(NEW)


@pytest.mark.parametrize("cls", [*ADDITIVE, *CALIBRATED])
def test_rows_weights_blocks_and_precision(cls):
    X, y, rng = with_gaps(7, decimals=3)
    parameters = {"n_estimators": 12} | ({"random_state": 0} if cls in CALIBRATED else {})
    model = cls(**parameters).fit(X, y)
    assert model.__sklearn_tags__().input_tags.allow_nan
    assert np.all(np.isfinite(outputs(model)))
    # a row of weight zero is absent, also where it holds the only missing value of its column
    extra = np.full((3, 4), np.nan)
    more, labels = np.vstack([X[:40], extra, X[40:]]), np.r_[y[:40], [0, 1, 1], y[40:]]
    weights = np.r_[np.ones(40), np.zeros(3), np.ones(40)]
    np.testing.assert_array_equal(outputs(cls(**parameters).fit(more, labels, weights)), outputs(model))
    if cls in CALIBRATED:
        return
    np.testing.assert_array_equal(list(model.staged_decision_function(NEW))[-1], outputs(model))
    terms = model.intercept_ + model.contributions(NEW).sum(axis=1)
    np.testing.assert_allclose(terms, outputs(model), rtol=0, atol=1e-12)
    order = rng.permutation(len(y))
    np.testing.assert_allclose(outputs(cls(**parameters).fit(X[order], y[order])), outputs(model), atol=1e-9)
    frame = cls(**parameters).fit(pd.DataFrame(X).convert_dtypes(), y)
    np.testing.assert_array_equal(outputs(frame), outputs(model))


@pytest.mark.parametrize("cls", [csb.CGAda, csb.AdaC2, csb.CSAda])
def test_a_table_in_blocks_and_in_single_precision(cls):
    X, y, _ = with_gaps(8)
    single = X.astype(np.float32)
    model = cls(n_estimators=10).fit(single, y)
    np.testing.assert_array_equal(
        outputs(cls(n_estimators=10).fit(Blocks(lambda: np.split(single, 4)), y)), outputs(model)
    )


@pytest.mark.parametrize("seed", [0, 1, 2, 4])
def test_a_batch_is_its_models(seed):
    """Folds that leave some column without missing values are like fits to these rows alone."""
    X, y, rng = with_gaps(seed, share=0.03)
    weights = rng.gamma(1.0, size=(30, len(y))) * (rng.random((30, len(y))) < 0.5)
    weights /= weights.sum(axis=1, keepdims=True)
    learner = bind_learner("stump", X, y)
    batch, predicted = learner.fit(weights)
    without = 0
    for b, w in enumerate(weights):
        single, of_single = learner.fit(w[np.newaxis])
        alone, _ = bind_learner("stump", X[w > 0], y[w > 0]).fit(w[np.newaxis, w > 0])
        assert batch[b] == single[0] == alone[0]
        np.testing.assert_array_equal(predicted[b], of_single[0])
        np.testing.assert_array_equal(predicted[b], batch[b].predict(X) > 0)
        column = X[:, batch[b].feature]
        without += np.isnan(column).any() and not np.isnan(column[w > 0]).any()
    assert without  # else the rule for what is missing only elsewhere was not tried


@pytest.mark.parametrize("cls", [csb.AdaBoost, csb.LogitBoost])
def test_features_turned_round_give_the_same_predictions(cls):
    X, y, rng = with_gaps(3, n=200, decimals=8)
    weights = rng.gamma(1.0, size=200)
    model, turned = cls(n_estimators=10).fit(X, y, weights), cls(n_estimators=10).fit(-X, y, weights)
    np.testing.assert_allclose(turned.decision_function(-NEW), model.decision_function(NEW), atol=1e-9)


def test_it_learns_as_well_as_scikit_learns_stumps_of_gradients():
    X, y, _ = with_gaps(11, n=4000, share=0.3, decimals=8)
    train, test = slice(2000), slice(2000, None)
    ours = csb.AdaBoost(60).fit(X[train], y[train]).score(X[test], y[test])
    theirs = HistGradientBoostingClassifier(max_leaf_nodes=2, random_state=0).fit(X[train], y[train])
    assert ours > theirs.score(X[test], y[test]) - 0.02


# --- who takes them -------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [
    csb.BoostingCV(cv=2, random_state=0), csb.MetaCost(random_state=0), csb.CostDecision(random_state=0),
    csb.LpCSB(n_estimators=3, estimator="stump"),
    csb.GBSE(n_estimators=3, estimator="stump", expansion="one_hot"),
    csb.LpCSB(n_estimators=3), csb.DSE(n_estimators=3, random_state=0),
    csb.AdaBoost(3, estimator=DecisionTreeClassifier(max_depth=2)),
    csb.AdaBoost(3, early_stopping=True, random_state=0),
])  # fmt: skip
def test_estimators_around_stumps_take_them(model):
    X, y, _ = with_gaps(5)
    assert model.__sklearn_tags__().input_tags.allow_nan
    assert np.all(np.isfinite(np.asarray(model.fit(X, y).decision_function(NEW))))


@pytest.mark.parametrize("model", [
    csb.AdaBoost(3, estimator="tree"), csb.AdaBoost(3, estimator=Tree(2)),
    csb.AdaBoost(3, estimator="logistic"),
    csb.CGAda(n_estimators=3, estimator="univariate_logistic"), csb.UnequalMarginSVC(),
    csb.CalibratedAdaMEC(n_estimators=3, estimator="tree"), csb.LpCSB(n_estimators=3, estimator="tree"),
    csb.BoostingCV(csb.CGAda(estimator="tree", n_estimators=3), cv=2),
])  # fmt: skip
def test_others_refuse_them_and_say_who_takes_them(model):
    X, y, _ = with_gaps(5)
    assert not model.__sklearn_tags__().input_tags.allow_nan
    frame = pd.DataFrame(X, columns=["age", "income", "debt", "years"])
    message = r"columns 'age', 'debt', 'years' hold missing values \(NaN\): stumps take them.*SimpleImputer"
    with pytest.raises(ValueError, match=message):
        model.fit(frame, y)
    model.fit(frame.fillna(0.0), y)
    with pytest.raises(ValueError, match=message):
        model.predict(frame)


def test_infinity_is_refused_beside_missing_values():
    X, y, _ = with_gaps(5)
    X[3, 1] = np.inf
    with pytest.raises(ValueError, match="column 1 holds infinity"):
        csb.AdaBoost(3).fit(X, y)


def test_missing_values_are_drawn():
    X, y, _ = with_gaps(5)
    model = csb.AdaBoost(20).fit(X, y)
    display = ShapeDisplay.from_estimator(model, X, features=[2, 1])
    drawn = [line for line in display.axes_[0].lines if line.get_label() == "missing"]
    terms = model.contributions(X)[:, 2]
    assert drawn[0].get_ydata()[0] == pytest.approx(terms[np.isnan(X[:, 2])][0] - terms.mean())
    assert not [line for line in display.axes_[1].lines if line.get_label() == "missing"]
