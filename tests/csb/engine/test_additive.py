"""What features are worth, and the terms of additive scores, against loops over stumps and scikit-learn."""

import dataclasses

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import csb
from csb.engine.additive import StepFunction
from csb.engine.learners import Tree, bind_learner
from csb.estimators.base import AdditiveClassifier
from csb.evaluation.decisions import Stakes
from csbook.recipes.shapes import ShapeDisplay

ALL = [getattr(csb, name) for name in csb.__all__ if isinstance(getattr(csb, name), type)]
ADDITIVE = [cls for cls in ALL if issubclass(cls, AdditiveClassifier)]
RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(150, 4)), 1)  # many values are equal, and some equal a threshold
Y = (X[:, 0] - X[:, 2] ** 2 + 0.8 * RNG.normal(size=150) > -0.5).astype(int)
FRAME = pd.DataFrame(X, columns=["age", "income", "debt", "years"])


def by_a_loop(stumps, coefficients, table):
    """Constant and terms, stump by stump and row by row."""
    constant, terms = 0.0, np.zeros(table.shape)
    for stump, coefficient in zip(stumps, coefficients, strict=True):
        if hasattr(stump, "polarity"):
            below, above = -stump.polarity, stump.polarity
        else:
            below, above = stump.below, stump.above
        if stump.threshold == -np.inf:
            constant += coefficient * above
            continue
        for row, features in zip(terms, table, strict=True):
            row[stump.feature] += coefficient * (
                above if features[stump.feature] > stump.threshold else below
            )
    return constant, terms


def coefficients_of(model):
    return getattr(model, "estimator_weights_", None if not hasattr(model, "step_") else
                   np.full(len(model.estimators_), getattr(model, "step_", 0.0)))  # fmt: skip


@pytest.mark.parametrize("cls", ADDITIVE)
def test_terms_are_those_of_a_loop_and_add_up_to_the_score(cls):
    model = cls(n_estimators=25, **{"fn_cost": 3.0} if "fn_cost" in cls().get_params() else {}).fit(X, Y)
    at_thresholds = np.tile([[stump.threshold for stump in model.estimators_]], (4, 1)).T
    for table in (X, RNG.normal(size=(30, 4)), at_thresholds[np.isfinite(at_thresholds[:, 0])]):
        constant, terms = by_a_loop(model.estimators_, coefficients_of(model), table)
        np.testing.assert_allclose(model.contributions(table), terms, rtol=0, atol=1e-12)
        whole = model.intercept_ + model.contributions(table).sum(axis=1)
        np.testing.assert_allclose(whole, model.decision_function(table), rtol=0, atol=1e-12)
        assert model.intercept_ == pytest.approx(constant - getattr(model, "theta_", 0.0), abs=1e-12)


@pytest.mark.parametrize("learner", ["univariate_logistic", Tree(max_depth=1)])
def test_terms_of_other_learners_that_ask_for_one_feature(learner):
    model = csb.CGAda(3.0, n_estimators=15, estimator=learner).fit(X, Y)
    whole = model.intercept_ + model.contributions(X).sum(axis=1)
    np.testing.assert_allclose(whole, model.decision_function(X), rtol=0, atol=1e-12)
    for f in range(4):  # a term does not see the other features
        moved = X.copy()
        moved[:, np.arange(4) != f] = 0.3
        np.testing.assert_array_equal(model.contributions(moved)[:, f], model.contributions(X)[:, f])


@pytest.mark.parametrize(
    "learner", ["tree", Tree(2), "logistic", GaussianNB(), DecisionTreeClassifier(max_depth=2)]
)
def test_of_several_features_there_are_no_terms(learner):
    model = csb.AdaBoost(3, estimator=learner).fit(X, Y)
    for ask in (lambda: model.contributions(X), model.step_functions, lambda: model.intercept_,
                lambda: ShapeDisplay.from_estimator(model)):  # fmt: skip
        with pytest.raises(ValueError, match="ask for several features.*allowed are estimator='stump'"):
            ask()


def test_a_constant_model_is_an_intercept():
    noise = np.ones((20, 2))
    model = csb.CGAda(3.0).fit(noise, np.arange(20) % 2)
    assert model.intercept_ == model.decision_function(noise)[0] > 0
    assert not model.contributions(noise).any() and not model.feature_importances_.any()


def test_terms_are_refused_with_parameters_that_are_not_those_of_the_fit():
    model = csb.CGAda(3.0, n_estimators=5).fit(X, Y).set_params(fn_cost=4.0)
    for ask in (lambda: model.contributions(X), lambda: model.intercept_, lambda: model.feature_importances_):
        with pytest.raises(ValueError, match="fn_cost"):
            ask()


# --- importances ----------------------------------------------------------------------------------


@pytest.mark.parametrize("cls", [cls for cls in ADDITIVE if hasattr(cls(), "nonpositive_alpha")])
def test_importances_of_stumps_are_their_votes(cls):
    model = cls(n_estimators=25).fit(X, Y)
    expected = np.zeros(4)
    for stump, vote in zip(model.estimators_, model.estimator_weights_, strict=True):
        expected[stump.feature] += abs(vote) if stump.threshold > -np.inf else 0.0
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum(), rtol=1e-12)


def test_importances_of_regression_stumps_are_their_steps():
    model = csb.LogitBoost(25).fit(X, Y)
    expected = np.zeros(4)
    for stump in model.estimators_:
        expected[stump.feature] += abs(stump.above - stump.below)
    np.testing.assert_allclose(model.feature_importances_, expected / expected.sum(), rtol=1e-12)


def test_importances_are_those_of_scikit_learns_adaboost():
    table = RNG.normal(size=(300, 5))  # no ties between splits
    y = (table[:, 0] + table[:, 1] * table[:, 2] + 0.5 * RNG.normal(size=300) > 0).astype(int)
    theirs = AdaBoostClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=20).fit(table, y)
    for learner in (Tree(1), DecisionTreeClassifier(max_depth=1)):  # a stump goes by the error
        ours = csb.AdaBoost(20, estimator=learner).fit(table, y)
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=0, atol=1e-9)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_importances_of_a_tree_are_those_of_scikit_learns(depth):
    table, w = RNG.normal(size=(400, 5)), RNG.gamma(1.0, size=400)
    y = (table[:, 0] + table[:, 1] * table[:, 2] + 0.5 * RNG.normal(size=400) > 0).astype(np.int8)
    (tree,), _ = bind_learner(Tree(depth), table, y).fit(w[np.newaxis] / w.sum())
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(table, y, w)
    used = theirs.tree_.feature >= 0
    np.testing.assert_array_equal(tree.feature[tree.right > 0], theirs.tree_.feature[used])
    found = np.bincount(tree.feature, tree.decrease, 5)
    np.testing.assert_allclose(found / found.sum(), theirs.feature_importances_, rtol=1e-9)


def test_the_decrease_of_a_split_by_hand():
    table, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 0], np.int8)
    (tree,), _ = bind_learner(Tree(2), table, y).fit(np.full((1, 4), 0.25))
    # n p / (n + p) falls at the root from 3/4 by 1/4, to the 1/2 of the right half, and there to nothing
    np.testing.assert_allclose(tree.decrease[tree.right > 0] / tree.decrease[0], [1.0, 2.0], rtol=1e-12)


def test_importances_of_mixed_origin():
    model = csb.LogitBoost(5, estimator=DecisionTreeRegressor(max_depth=2, random_state=0)).fit(X, Y)
    expected = np.mean([each.feature_importances_ for each in model.estimators_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, expected, rtol=1e-12)
    search = csb.BoostingCV(csb.CGAda(n_estimators=5), cv=2, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(search.feature_importances_, search.best_estimator_.feature_importances_)


@pytest.mark.parametrize("cls", [csb.CalibratedAdaMEC, csb.CalibratedCGAda, csb.CalibratedAsymAda])
def test_importances_of_calibrated_ensembles_are_their_mean(cls):
    model = cls(n_estimators=5, cv=3, random_state=0).fit(X, Y)
    expected = np.zeros(4)
    for ensemble, _ in model.calibrated_models_:
        for stump, vote in zip(ensemble.hypotheses, ensemble.coefficients, strict=True):
            expected[stump.feature] += vote / ensemble.coefficients.sum() / 3
    np.testing.assert_allclose(model.feature_importances_, expected, rtol=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        csb.AdaBoost(3, estimator="logistic"),
        csb.AdaBoost(3, estimator=GaussianNB()),
        csb.CalibratedAdaMEC(n_estimators=3, estimator=LogisticRegression()),
    ],
)
def test_without_importances_of_the_learner_there_is_no_attribute(model):
    assert not hasattr(model, "feature_importances_")
    assert not hasattr(model.fit(X, Y), "feature_importances_")
    with pytest.raises(AttributeError, match="feature_importances_, for estimator="):
        _ = model.feature_importances_


# --- the display ----------------------------------------------------------------------------------


def test_a_step_function_is_closed_on_its_right():
    function = StepFunction(np.array([1.0, 2.0]), np.array([5.0, 6.0, 7.0]), 9.0)
    at = np.array([0.0, 1.0, 1.5, 2.0, 2.5, np.nan])
    np.testing.assert_array_equal(function(at), [5, 5, 6, 6, 7, 9])


@pytest.fixture
def model():
    yield csb.CGAda(3.0, n_estimators=25).fit(FRAME, Y)
    plt.close("all")


@pytest.mark.parametrize("data", [None, FRAME])
def test_what_is_drawn_are_the_terms(model, data):
    display = ShapeDisplay.from_estimator(model, data, features=["debt", 0])
    assert [ax.get_xlabel() for ax in display.axes_] == ["debt", "age"]
    for f, ax in zip((2, 0), display.axes_, strict=True):
        x, y = ax.lines[0].get_data()
        assert ax.lines[0].get_drawstyle() == "steps-pre"
        terms = model.contributions(FRAME)[:, f]
        shift = 0.0 if data is None else terms.mean()
        inside = (FRAME.iloc[:, f] >= x[0]) & (FRAME.iloc[:, f] <= x[-1])
        drawn = np.asarray(y)[np.searchsorted(x, FRAME.iloc[:, f][inside])]
        np.testing.assert_allclose(drawn, (terms - shift)[inside], rtol=0, atol=1e-12)
        if data is not None:
            assert (x[0], x[-1]) == (FRAME.iloc[:, f].min(), FRAME.iloc[:, f].max())
    assert display.axes_[0].get_ylim() == display.axes_[1].get_ylim()


def test_the_most_important_features_come_first_and_axes_may_be_given(model):
    display = ShapeDisplay.from_estimator(model)
    order = np.argsort(-model.feature_importances_, kind="stable")
    used = [f for f in order if model.feature_importances_[f] > 0]
    assert display.names == FRAME.columns[used].tolist()
    figure, ax = plt.subplots()
    again = ShapeDisplay.from_estimator(model, features=[1], axes=[ax], color="red")
    assert again.figure_ is figure and again.axes_[0] is ax and ax.lines[0].get_color() == "red"
    assert ShapeDisplay.from_estimator(csb.LogitBoost(3).fit(X, Y), features=[1]).names == ["feature 1"]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"features": ["height"]}, "features='height': allowed are 'age'"),
        ({"features": [4]}, "features=4: allowed is an integer from 0 to 3"),
        ({"features": []}, "features="),
        ({"features": 0.5}, "features=0.5"),
        ({"axes": []}, "axes="),
        ({"X": X[:, :2]}, "X has 2 features|feature names"),
        ({"estimator": GaussianNB()}, "estimator=GaussianNB"),
        ({"estimator": csb.CGAda()}, "not fitted"),
        (
            {"estimator": csb.AdaBoost(2).fit(X, Y), "features": ["age"]},
            "knows no names: allowed are numbers",
        ),
    ],
)
def test_bad_arguments_of_the_display(model, arguments, message):
    with pytest.raises(ValueError, match=message):
        ShapeDisplay.from_estimator(**{"estimator": model} | arguments)
    with pytest.raises(ValueError, match="axes has 1 members: allowed are as many as features, 2"):
        ShapeDisplay.from_estimator(model, features=[0, 1], axes=[plt.subplots()[1]])


# --- log odds ---------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def explained():
    table = FRAME.assign(town=np.where(X[:, 3] > 0, "Ulm", "Bonn"), day=pd.Timestamp("2024-01-01"))
    table["day"] += pd.to_timedelta(np.arange(len(X)) % 9, "D")
    table.iloc[::7, 0] = np.nan
    days = FunctionTransformer(lambda column: column.astype("int64"))
    prepare = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["town"]), (days, ["day"]), remainder="passthrough"
    )
    learner = make_pipeline(prepare, csb.AdaBoost(15))
    return csb.CostDecision(learner, fn_cost=3.0, cv=3, random_state=0).fit(table, Y).explain(table, table)


def test_shapes_of_log_odds_are_the_contributions(explained):
    features = ["age", 2, "town", "day"]
    display = ShapeDisplay.from_explanation(explained, features=features)
    needed = np.log(1 / 3) - explained.intercept
    for f, ax in zip((0, 2, 4, 5), display.axes_, strict=True):
        assert ax.get_xlabel() == explained.rows.columns[f] and ax.get_ylabel() == "added to the log odds"
        k = [0, 2, 4, 5].index(f)
        x, parts = display.values[k], [explained.contributions, explained.low, explained.high]
        for function, part in zip(
            (display.functions[k], *display.log_odds.bands[k]), parts, strict=True
        ):  # exact at all values, those of gaps too
            np.testing.assert_allclose(function(x), part.iloc[:, f], rtol=0, atol=1e-12)
        drawn = ax.lines[0].get_xydata()
        at = drawn[np.minimum(np.searchsorted(drawn[:, 0], x[~np.isnan(x)]), len(drawn) - 1), 1]
        np.testing.assert_allclose(at, explained.contributions.iloc[:, f][~np.isnan(x)], atol=1e-12)
        shade = ax.collections[0].get_paths()[0].vertices[:, 1]
        low, high = explained.low.iloc[:, f][~np.isnan(x)], explained.high.iloc[:, f][~np.isnan(x)]
        assert (shade.min(), shade.max()) == (pytest.approx(low.min()), pytest.approx(high.max()))
        dashed = [line.get_ydata()[0] for line in ax.lines if line.get_linestyle() == "--"]
        assert dashed == [pytest.approx(needed)]
    town = display.axes_[2]
    words = [label.get_text() for label in town.get_xticklabels()]
    means = explained.contributions["town"].groupby(explained.rows["town"]).first()
    assert words == means.sort_values().index.tolist()
    assert display.axes_[3].get_xticklabels()[0].get_text().startswith("2024")
    default = ShapeDisplay.from_explanation(explained).names
    assert default[0] == explained.contributions.abs().mean().idxmax() and len(default) <= 6
    plt.close("all")


def test_no_threshold_is_drawn_where_each_case_has_its_own(explained):
    costs = explained.stakes.costs | {"fn_cost": np.linspace(1, 9, len(explained.rows))}
    own = dataclasses.replace(explained, stakes=Stakes(costs))
    display = ShapeDisplay.from_explanation(own, features=["age"])
    assert not [line for line in display.axes_[0].lines if line.get_linestyle() == "--"]
    with pytest.raises(ValueError, match="explanation="):
        ShapeDisplay.from_explanation(FRAME)
    with pytest.raises(ValueError, match="features='height': allowed are"):
        ShapeDisplay.from_explanation(explained, features=["height"])
    plt.close("all")
