"""Decisions of least expected cost around any classifier: loops over cases and over all sets of positives."""

import warnings
from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
import sklearn
from packaging.version import Version
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import csb
from csb.costs import bayes_threshold
from csb.evaluation.calibration import make_calibrator
from csb.evaluation.decisions import least_cost_decision
from csb.inputs import ConstantModelWarning
from problems import curved


def problem(n=300, seed=0):
    X, y = curved(np.random.default_rng(seed), n, 3, decimals=None, bend=0.0)
    return X, y.astype(int)


@pytest.fixture(scope="module")
def fitted():
    return csb.CostDecision(LogisticRegression(), fn_cost=4).fit(*problem())


def naive(p, fn, fp, tp=0.0, tn=0.0):
    """The positive class where it is expected to cost less, case by case; p is its probability."""
    return np.array([
        int(prob * t + (1 - prob) * f < prob * m + (1 - prob) * r)
        for prob, m, f, t, r in zip(p, *(np.broadcast_to(c, len(p)) for c in (fn, fp, tp, tn)), strict=True)
    ])  # fmt: skip


@pytest.mark.parametrize(
    "learner", [LogisticRegression(max_iter=1000), GaussianNB()], ids=lambda e: type(e).__name__
)
@pytest.mark.parametrize("data", [problem(), load_iris(return_X_y=True)], ids=["two", "three"])
@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic", None])
def test_probabilities_are_those_of_scikit_learn(calibration, data, learner):
    """Its sigmoid stops at a gradient of 1e-6 or so, which is what parts it from ours."""
    X, y = data
    folds = StratifiedKFold(4)
    theirs = learner if calibration is None else CalibratedClassifierCV(learner, method=calibration, cv=folds)
    model = csb.CostDecision(learner, calibration=calibration, cv=folds).fit(X, y)
    within = {"sigmoid": 2e-4, "isotonic": 1e-12, None: 0.0}[calibration]
    p = theirs.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X), p, rtol=0, atol=within)


def test_weights_count_as_in_scikit_learn():
    X, y = problem()
    weights = np.random.default_rng(0).integers(1, 4, len(y))
    folds = StratifiedKFold(3)
    theirs = CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=folds).fit(X, y, weights)
    model = csb.CostDecision(GaussianNB(), calibration="isotonic", cv=folds).fit(X, y, weights)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(X), rtol=0, atol=1e-12)
    with pytest.raises(ValueError, match="sample_weight: KNeighborsClassifier.* takes none"):
        csb.CostDecision(KNeighborsClassifier()).fit(X, y, weights)


@pytest.mark.parametrize("calibration", ["sigmoid", "beta", "isotonic", "venn_abers"])
@pytest.mark.parametrize("k", [2, 3])
def test_calibration_by_a_loop_over_folds_and_classes(calibration, k):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < k][:, :2], y[y < k]
    folds = list(StratifiedKFold(3, shuffle=True, random_state=1).split(X, y))
    mean = np.zeros((len(X), k))
    for fitting, held_out in folds:
        learner = GaussianNB().fit(X[fitting], y[fitting])
        p = np.column_stack([
            make_calibrator(calibration)
            .fit(learner.predict_proba(X[held_out])[:, c], (y[held_out] == c).astype(int))
            .predict(learner.predict_proba(X)[:, c])
            for c in range(k)
        ])  # fmt: skip
        if k == 2:
            p[:, 0] = 1 - p[:, 1]
        mean += p / p.sum(axis=1, keepdims=True) / len(folds)
    model = csb.CostDecision(GaussianNB(), calibration=calibration, cv=folds).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), mean, rtol=1e-12, atol=1e-15)
    ready = GaussianNB().fit(X, y)
    frozen = csb.CostDecision(FrozenEstimator(ready), calibration=calibration).fit(X, y)
    again = csb.CostDecision(GaussianNB(), calibration=calibration, cv=[(range(len(X)),) * 2]).fit(X, y)
    np.testing.assert_array_equal(frozen.predict_proba(X), again.predict_proba(X))


def test_a_fold_may_lack_a_class_as_in_scikit_learn():
    X, y = load_iris(return_X_y=True)
    folds = [(np.arange(100), np.arange(30, 150)), (np.arange(0, 150, 2), np.arange(1, 150, 2))]
    learner = LogisticRegression(max_iter=1000)
    theirs = CalibratedClassifierCV(learner, method="isotonic", cv=folds[1:]).fit(X, y).predict_proba(X)
    model = csb.CostDecision(learner, calibration="isotonic", cv=folds).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    np.testing.assert_allclose(p[:, 2], theirs[:, 2] / 2)  # the first has never seen it


def chow(p, costs, undecided):
    """Every decision of every case tried, exactly."""
    found = []
    for row, price in zip(p, undecided, strict=True):
        chances = [Fraction(float(q)) for q in row]
        expected = [
            sum(q * Fraction(c) for q, c in zip(chances, column, strict=True))
            for column in zip(*costs, strict=True)
        ]
        found.append(-1 if Fraction(float(price)) < min(expected) else expected.index(min(expected)))
    return found


def test_cases_are_left_undecided_where_that_costs_least():
    X, y = load_iris(return_X_y=True)
    costs = [[0, 1, 2], [2, 0, 1], [3, 4, 0]]
    model = csb.CostDecision(GaussianNB(), cost_matrix=np.array(costs, float), cv=3, random_state=0).fit(X, y)
    p, price = model.predict_proba(X), np.random.default_rng(0).uniform(0, 0.5, len(X))
    expected = chow(p, costs, price)
    assert {-1, 0, 1, 2} == set(expected)
    np.testing.assert_array_equal(model.predict(X, abstain_cost=price), expected)
    fixed = model.set_params(abstain_cost=0.1, abstain_label=7).predict(X)
    np.testing.assert_array_equal(np.where(fixed == 7, -1, fixed), chow(p, costs, np.full(len(X), 0.1)))
    assert model.expected_cost(X).shape == (150, 3)


@pytest.mark.parametrize(
    "labels, undecided",
    [((0, 1), -1), ((-1, 1), -2), ((False, True), -1), ((1.0, 2.0), -1), (("a", "b"), "abstain")],
    ids=str,
)
def test_the_label_of_undecided_cases_is_none_of_the_classes(labels, undecided):
    X, y = problem()
    model = csb.CostDecision(LogisticRegression(), abstain_cost=0.2, random_state=0).fit(
        X, np.array(labels)[y]
    )
    p = model.predict_proba(X)[:, 1]
    found = model.predict(X)
    np.testing.assert_array_equal(found == undecided, (p > 0.2) & (p < 0.8))
    assert set(found.tolist()) == {*labels, undecided}


def test_a_cap_leaves_cases_to_the_next_best_decision():
    X, y = problem()
    model = csb.CostDecision(LogisticRegression(), fn_cost=3, random_state=0).fit(X, y)
    free, capped = (model.predict(X, abstain_cost=0.3, max_positives=cap) for cap in (None, 20))
    expected = model.expected_cost(X)
    saved = np.minimum(expected[:, 0], 0.3) - expected[:, 1]
    np.testing.assert_array_equal(np.flatnonzero(capped == 1), np.sort(np.argsort(-saved)[:20]))
    np.testing.assert_array_equal(capped[capped != 1] == -1, 0.3 < expected[capped != 1, 0])
    assert {-1, 0, 1} == set(free)


class Even(ClassifierMixin, BaseEstimator):
    """Gives the second class three tenths of a chance, whatever it is shown."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        return np.tile([0.7, 0.3], (len(X), 1))


@pytest.mark.parametrize("positive", [0, 1])
def test_ties_are_broken_alike_with_a_cap_and_without(positive):
    costs = {"fn_cost": 7.0, "fp_cost": 3.0} if positive else {"fn_cost": 3.0, "fp_cost": 7.0}
    model = csb.CostDecision(Even(), calibration=None, pos_label=positive, **costs).fit(*problem())
    few = np.zeros((5, 3))
    assert not model.predict(few).any() and not model.predict(few, max_positives=5).any()
    capped = [5 - np.count_nonzero(model.predict(few, max_positives=cap)) for cap in range(6)]
    assert capped == ([5] * 6 if positive else [0, 1, 2, 3, 4, 5])


@pytest.mark.parametrize("fn_cost", [0.2, 1.0, 7.0])
def test_two_classes_are_parted_at_the_bayes_threshold(fn_cost):
    X, y = problem()
    model = csb.CostDecision(LogisticRegression(), fn_cost=fn_cost).fit(X, y)
    above = model.predict_proba(X)[:, 1] > bayes_threshold(fn_cost, 1.0)
    np.testing.assert_array_equal(model.predict(X), above)


@pytest.mark.parametrize("calibration", ["sigmoid", "beta", "isotonic", "venn_abers"])
def test_calibrated_adamec_is_this_decision_around_adaboost(calibration):
    """One decides by log odds and the other by expected costs."""
    X, y = problem()
    folds = list(StratifiedKFold(3).split(X, y))
    shared = {"n_estimators": 20, "random_state": 0}
    boosted = csb.CalibratedAdaMEC(calibration=calibration, cv=folds, **shared).fit(X, y)
    wrapped = csb.CostDecision(csb.AdaBoost(**shared), calibration=calibration, cv=folds).fit(X, y)
    np.testing.assert_allclose(boosted.predict_proba(X), wrapped.predict_proba(X), rtol=1e-9)
    for fn_cost in (0.01, 0.4, 1, 3.7, 60):
        decided = boosted.set_params(fn_cost=fn_cost).predict(X)
        np.testing.assert_array_equal(decided, wrapped.predict(X, fn_cost=fn_cost))


def test_costs_of_each_case_and_of_right_decisions(fitted):
    X, _ = problem(seed=1)
    rng = np.random.default_rng(1)
    fn, fp = rng.uniform(1, 9, len(X)), rng.uniform(1, 3, len(X))
    p = fitted.predict_proba(X)[:, 1]
    np.testing.assert_array_equal(fitted.predict(X, fn_cost=fn, fp_cost=fp), naive(p, fn, fp))
    four = {"fn_cost": fn, "fp_cost": fp, "tp_cost": -2.5, "tn_cost": 0.5}
    np.testing.assert_array_equal(fitted.predict(X, **four), naive(p, fn, fp, -2.5, 0.5))
    expected = [[q * m + (1 - q) * 0.5, q * -2.5 + (1 - q) * f] for q, m, f in zip(p, fn, fp, strict=True)]
    np.testing.assert_allclose(fitted.expected_cost(X, **four), expected, rtol=1e-12)


def test_the_positive_class_may_be_the_first():
    X, y = problem()
    named = np.where(y == 1, "ill", "well")
    model = csb.CostDecision(LogisticRegression(), fn_cost=6, pos_label="ill", random_state=0).fit(X, named)
    p = model.predict_proba(X)[:, 0]
    np.testing.assert_array_equal(model.predict(X) == "ill", p > 1 / 7)
    other = csb.CostDecision(LogisticRegression(), fp_cost=6, pos_label="well", random_state=0).fit(X, named)
    np.testing.assert_array_equal(model.predict(X), other.predict(X))
    assert (model.predict(X, max_positives=3) == "ill").sum() == 3
    np.testing.assert_array_equal(model.predict(X, max_positives=len(X)), model.predict(X))


@pytest.mark.parametrize("cap", [0, 1, 3, 7])
def test_a_cap_on_positives_leaves_the_set_of_least_expected_cost(cap):
    X, y = problem()
    model = csb.CostDecision(LogisticRegression(), fn_cost=2).fit(X, y)
    few, fn = X[:7], np.array([1.0, 2, 3, 9, 5, 0.3, 4])
    expected = model.expected_cost(few, fn_cost=fn)

    def total(positives):
        return sum(expected[i, int(i in positives)] for i in range(7))

    sets = [set(chosen) for size in range(cap + 1) for chosen in combinations(range(7), size)]
    found = set(np.flatnonzero(model.predict(few, fn_cost=fn, max_positives=cap)))
    assert len(found) <= cap and total(found) == pytest.approx(min(map(total, sets)), rel=1e-12)


def test_any_number_of_classes():
    X, y = load_iris(return_X_y=True)
    costs = np.array([[0.0, 1, 5], [2, 0, 1], [30, 30, 0]])
    model = csb.CostDecision(LogisticRegression(max_iter=1000), cost_matrix=costs).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), least_cost_decision(model.predict_proba(X), costs))
    np.testing.assert_array_equal(np.argmax(model.decision_function(X), axis=1), model.predict(X))
    frame = pd.DataFrame(costs, index=[0, 1, 2], columns=[0, 1, 2])[[2, 0, 1]]
    np.testing.assert_array_equal(model.set_params(cost_matrix=frame).predict(X), np.argmin(
        model.predict_proba(X) @ costs, axis=1
    ))  # fmt: skip
    plain = csb.CostDecision(LogisticRegression(max_iter=1000)).fit(X, y)
    np.testing.assert_array_equal(plain.predict(X), np.argmax(plain.predict_proba(X), axis=1))


def test_raw_tables_in_a_pipeline():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=200), "town": rng.choice(["a", "b", None], 200)})
    table.loc[::7, "age"] = np.nan
    y = rng.integers(0, 2, 200)
    encode = make_column_transformer(
        (make_pipeline(SimpleImputer(), StandardScaler()), ["age"]),
        (OneHotEncoder(handle_unknown="ignore"), ["town"]),
    )
    model = csb.CostDecision(make_pipeline(encode, LogisticRegression()), fn_cost=3).fit(table, y)
    assert set(model.predict(table)) <= {0, 1} and list(model.feature_names_in_) == ["age", "town"]


def test_a_classifier_that_is_fitted_already_is_only_calibrated():
    X, y = problem()
    ready = RidgeClassifier().fit(X[:150], y[:150])
    model = csb.CostDecision(FrozenEstimator(ready), fn_cost=3).fit(X[150:], y[150:])
    (member,) = model.classifier_.members
    assert member.classifier.estimator is ready


def test_only_a_split_asks_for_examples_of_each_class():
    """A class of two: enough where nothing is held out."""
    X, y = np.array([[0.0], [0.1], [0.2], [1.0], [1.1]]), np.array([0, 0, 0, 1, 1])
    with pytest.raises(ValueError, match="at least 3 examples of each class"):
        csb.CostDecision(LogisticRegression()).fit(X, y)
    ready = LogisticRegression().fit(X, y)
    plain = csb.CostDecision(LogisticRegression(), calibration=None).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), ready.predict_proba(X))
    assert csb.CostDecision(FrozenEstimator(ready), fn_cost=9).fit(X, y).predict([[1.1]]) == [1]


def test_costs_are_routed_as_metadata():
    X, y = problem()
    cost = np.linspace(1, 9, len(X))
    with config_context(enable_metadata_routing=True):
        model = csb.CostDecision(LogisticRegression()).set_predict_request(fn_cost=True)
        steps = make_pipeline(StandardScaler(), model).fit(X, y)
        found = steps.predict(X, fn_cost=cost)
    np.testing.assert_array_equal(found, naive(steps.predict_proba(X)[:, 1], cost, 1.0))


@pytest.mark.parametrize("positive", [0, 1])
def test_no_more_positives_are_missed_than_allowed(positive):
    """Over all draws of six held out and one new of seven: a rank statistic, the bound is met to the case."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=7)
    ready = FrozenEstimator(Told().fit([[0.0], [1.0]], [0, 1]))
    others = np.column_stack([rng.normal(size=9)])
    rates = {}
    for limit in (0.1, 1 / 7, 0.3, 0.5, 0.99):
        missed = []
        for new in range(7):
            rest = np.delete(score, new)
            X = np.vstack([others, rest[:, np.newaxis]])
            y = np.r_[np.full(9, 1 - positive), np.full(6, positive)]
            model = csb.CostDecision(
                ready, fp_cost=1e9, pos_label=positive, calibration="isotonic", max_miss_rate=limit
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConstantModelWarning)
                missed.append(model.fit(X, y).predict([[score[new]]])[0] != positive)
        rates[limit] = sum(missed)
    assert rates == {0.1: 0, 1 / 7: 1, 0.3: 2, 0.5: 3, 0.99: 6}  # the largest k with k / 7 below the limit


class Told(ClassifierMixin, BaseEstimator):
    """Its score is the first feature."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def decision_function(self, X):
        return np.asarray(X, float)[:, 0]


def test_of_decisions_that_keep_the_limit_the_cheapest_are_taken():
    X, y = problem(600)
    new, _ = problem(200, seed=5)
    plain = csb.CostDecision(LogisticRegression(), fp_cost=4, random_state=0).fit(X, y)
    model = csb.CostDecision(LogisticRegression(), fp_cost=4, random_state=0, max_miss_rate=0.1).fit(X, y)
    ((learner, _, floors),) = model.classifier_.members
    cost = np.random.default_rng(0).uniform(0.1, 9, len(new))
    found = model.predict(new, fn_cost=cost)
    np.testing.assert_array_equal(
        found, plain.predict(new, fn_cost=cost) | (learner.decision_function(new) >= floors[1])
    )
    assert found.sum() > plain.predict(new, fn_cost=cost).sum()
    undecided = model.predict(new, abstain_cost=0.0)
    assert not np.any((undecided == 0) & (learner.decision_function(new) >= floors[1]))
    with pytest.raises(ValueError, match="max_positives=3: must be None, it may leave more"):
        model.predict(new, max_positives=3)
    with pytest.raises(ValueError, match="equal weights are allowed beside max_miss_rate"):
        model.fit(X, y, sample_weight=1 + y)
    folds = csb.CostDecision(LogisticRegression(), fp_cost=4, cv=3, max_miss_rate=0.1, random_state=0).fit(
        X, y
    )
    kept = [m.classifier.decision_function(new) >= m.floors[1] for m in folds.classifier_.members]
    np.testing.assert_array_equal(folds.predict(new, fn_cost=1e-3), np.any(kept, axis=0))
    with pytest.warns(ConstantModelWarning, match="fewer than 999: every case is called positive"):
        folds.set_params(max_miss_rate=0.001).fit(X, y)
    assert folds.predict(new).all()


def test_with_confidence_the_limit_is_kept_in_so_many_draws():
    """Scores are uniform, so that the threshold is the rate at which positives are missed."""
    limit, above = 0.2, {None: 0, 0.9: 0}
    for seed in range(400):
        random = np.random.default_rng(seed)
        y = np.repeat([0, 1], [10, 60])
        score = np.where(y, random.random(70), -1.0)[:, np.newaxis]
        ready = FrozenEstimator(Told().fit(score, y))
        for confidence in above:
            options = {"calibration": "isotonic", "max_miss_rate": limit, "confidence": confidence}
            model = csb.CostDecision(ready, fp_cost=1e9, **options).fit(score, y)
            (member,) = model.classifier_.members
            above[confidence] += member.floors[1] > limit
    assert above[0.9] / 400 < 0.1 + 3 * (0.1 * 0.9 / 400) ** 0.5
    assert above[None] / 400 > 0.3  # on average only
    with pytest.warns(ConstantModelWarning, match="fewer than 45: every case"):  # 0.95**45 < 0.1 < 0.95**44
        csb.CostDecision(LogisticRegression(), max_miss_rate=0.05, confidence=0.9, random_state=0).fit(
            *problem(60)
        )


def test_a_share_of_the_cases_is_so_many_of_them():
    X, y = problem(203)
    model = csb.CostDecision(LogisticRegression(), fn_cost=9, random_state=0).fit(X, y)
    for share, many in ((0.1, 20), (0.0, 0), (1.0, 203), (np.float32(0.25), 50)):
        expected = model.predict(X, max_positives=many)
        np.testing.assert_array_equal(model.predict(X, max_positives=share), expected)
    everybody = csb.CostDecision(LogisticRegression(), fn_cost=1e3, calibration=None).fit(X, y)
    for many in range(101):  # of 0.29, 0.57 and 0.58 the product is a little less, as doubles
        assert everybody.predict(X[:100], max_positives=many / 100).sum() == many
    assert model.predict(X, max_positives=1).sum() == 1 < model.predict(X, max_positives=1.0).sum()
    for wrong in (1.5, -0.1, np.nan, True):
        with pytest.raises(ValueError, match="max_positives="):
            model.predict(X, max_positives=wrong)


@pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.8"),
    reason="before 1.8 scikit-learn's cross_validate routes to scorers, not to an estimator's own score",
)
@pytest.mark.parametrize("abstain_cost", [None, 0.4])
def test_scores_are_routed_costs_of_decisions(abstain_cost):
    X, y = problem()
    cost, folds = np.linspace(1, 9, len(X)), StratifiedKFold(3)
    model = csb.CostDecision(GaussianNB(), random_state=0, fp_cost=2, abstain_cost=abstain_cost)
    expected = []
    for train, test in folds.split(X, y):
        decided = clone(model).fit(X[train], y[train]).predict(X[test], fn_cost=cost[test])
        paid = [
            abstain_cost if d == -1 else c * (t > d) + 2 * (t < d)
            for d, t, c in zip(decided, y[test], cost[test], strict=True)
        ]
        expected.append(-np.mean(paid))
    with config_context(enable_metadata_routing=True):
        steps = make_pipeline(StandardScaler(), model.set_score_request(fn_cost=True))
        found = cross_validate(steps, X, y, cv=folds, params={"fn_cost": cost})["test_score"]
        grid = {"costdecision__calibration": ["sigmoid", "isotonic"]}
        search = GridSearchCV(steps, grid, cv=folds).fit(X, y, fn_cost=cost)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    of_splits = [search.cv_results_[f"split{k}_test_score"][0] for k in range(3)]
    np.testing.assert_allclose(of_splits, expected, rtol=1e-12)


def test_scores_weigh_cases_and_know_the_labels(fitted):
    X, y = problem()
    weights = np.arange(len(X)) % 3
    copies = np.repeat(np.arange(len(X)), weights)
    assert fitted.score(X, y, weights) == pytest.approx(fitted.score(X[copies], y[copies]), rel=1e-12)
    with pytest.raises(ValueError, match="y holds 2: allowed are"):
        fitted.score(X, y + 1)


def test_costs_may_be_changed_after_the_fit_and_nothing_else():
    X, y = problem()
    model = csb.CostDecision(HistGradientBoostingClassifier(max_iter=5)).fit(X, y)
    before = model.predict(X).sum()
    assert model.set_params(fn_cost=50.0).predict(X).sum() > before
    with pytest.raises(ValueError, match="calibration='isotonic', which acts in training"):
        model.set_params(calibration="isotonic").predict(X)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"fn_cost": np.ones(3)}, r"fn_cost has shape \(3,\): allowed is a number or \(300,\)"),
        ({"fn_cost": np.r_[np.ones(299), -1e101]}, "fn_cost holds -1e\\+101: allowed are numbers in"),
        ({"fp_cost": np.nan}, "fp_cost=nan"),
        ({"max_positives": -1}, "max_positives=-1"),
        ({"abstain_cost": np.ones(3)}, r"abstain_cost has shape \(3,\)"),
    ],
)
def test_bad_costs_at_the_decision_are_named(fitted, given, message):
    with pytest.raises(ValueError, match=message):
        fitted.predict(problem()[0], **given)


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"estimator": StandardScaler()}, "estimator=StandardScaler.*allowed"),
        ({"estimator": RidgeClassifier(), "calibration": None}, "calibration=None: RidgeClassifier"),
        ({"calibration": "betta"}, "calibration='betta'.*'beta'"),
        ({"max_miss_rate": 1.0}, "max_miss_rate=1"),
        ({"max_miss_rate": 0.1, "confidence": 1.0}, "confidence=1"),
        ({"confidence": 0.9}, "confidence=0.9: must be None where max_miss_rate is"),
        (
            {"max_miss_rate": 0.1, "calibration": None, "estimator": GaussianNB()},
            "max_miss_rate=0.1: must be None",
        ),
        ({"abstain_cost": np.nan}, "abstain_cost=nan"),
        ({"abstain_cost": 0.1, "abstain_label": 1}, "abstain_label=1: allowed is a number that is none of"),
        ({"abstain_cost": 0.1, "abstain_label": [7]}, "abstain_label=\\[7\\]: allowed is a number"),
        ({"abstain_cost": 0.1, "abstain_label": "?"}, "abstain_label='\\?': allowed is a number"),
        ({"cost_matrix": [[0, 1], [2, 0]], "fn_cost": 3.0}, "fn_cost: must be left out"),
        ({"fn_cost": [1.0, 2.0]}, r"fn_cost has shape \(2,\).* of each case go to predict\(X, fn_cost="),
        ({"abstain_cost": [0.1]}, r"abstain_cost has shape \(1,\).*predict\(X, abstain_cost="),
        ({"pos_label": "x"}, "pos_label='x'"),
    ],
)
def test_bad_parameters_are_named(settings, message):
    with pytest.raises(ValueError, match=message):
        csb.CostDecision(**settings).fit(*problem())


def test_of_many_classes_adaboost_is_refused_by_name():
    with pytest.raises(ValueError, match="y has 3 classes, and estimator=None is AdaBoost.*allowed is"):
        csb.CostDecision(cost_matrix=1 - np.eye(3)).fit(*load_iris(return_X_y=True))


def test_a_pipeline_that_takes_no_weights_says_how_it_would():
    X, y = problem()
    learner = make_pipeline(StandardScaler(), LogisticRegression())
    with pytest.raises(ValueError, match="sample_weight: Pipeline.*, or metadata routing"):
        csb.CostDecision(learner).fit(X, y, np.arange(len(y)) + 1.0)


def test_of_many_classes_the_four_costs_say_nothing():
    message = "fn_cost: must be left out, the costs of 3 classes are those of cost_matrix"
    with pytest.raises(ValueError, match=message):
        csb.CostDecision(LogisticRegression(max_iter=1000), fn_cost=2).fit(*load_iris(return_X_y=True))
