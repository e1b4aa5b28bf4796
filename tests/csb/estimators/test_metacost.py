"""MetaCost against exact fractions, a naive loop over the same samples, scikit-learn's bagging and limits."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import csb
from csb.inputs import ConstantModelWarning
from oracles import relabelling

STUMP = DecisionTreeClassifier(max_depth=1)


def problem(n=120, seed=0):
    return make_classification(n, 4, n_informative=3, n_redundant=0, flip_y=0.2, random_state=seed)


class Scripted(np.random.RandomState):
    """Draws the samples that it is given."""

    def __init__(self, samples):
        super().__init__(0)
        self.left = list(samples)

    def choice(self, a, size=None, replace=True, p=None):
        sample = np.array(self.left.pop(0))
        assert a == size == len(sample) == len(p) and replace
        return sample


@pytest.mark.parametrize("case", relabelling.LABELS, ids=str)
def test_six_points_worked_by_hand(case):
    fn, fp, average, out_of_bag = case
    X, y = np.array(relabelling.X, float), np.array(relabelling.Y)
    model = csb.MetaCost(
        STUMP, fn_cost=fn, fp_cost=fp, n_estimators=3, average=average, out_of_bag=out_of_bag,
        random_state=Scripted(relabelling.SAMPLES),
    )  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantModelWarning)
        model.fit(X, y)
    shares = np.array(relabelling.SHARES[average, out_of_bag], float)
    np.testing.assert_allclose(model.probabilities_, np.column_stack([1 - shares, shares]), atol=1e-15)
    assert model.relabelled_.tolist() == list(relabelling.LABELS[case])


def naive(model, X, y, classes, costs):
    """Relabel one example after the other, by models trained anew on the samples that were drawn."""
    said, new = [], []
    for sample in model.estimators_samples_:
        learner = GaussianNB().fit(X[sample], y[sample])
        said.append([
            dict(zip(learner.classes_, row, strict=True)) if model.average == "probabilities" else {vote: 1.0}
            for row, vote in zip(learner.predict_proba(X), learner.predict(X), strict=True)
        ])  # fmt: skip
    for i in range(len(X)):
        judges = [t for t, sample in enumerate(model.estimators_samples_) if i not in sample]
        if not (model.out_of_bag and judges):
            judges = range(len(said))
        p = {j: sum(said[t][i].get(j, 0.0) for t in judges) / len(judges) for j in classes}
        expected = [sum(p[j] * costs[j][k] for j in range(len(classes))) for k in range(len(classes))]
        new.append(classes[expected.index(min(expected))])
    return new


@pytest.mark.parametrize("average", ["probabilities", "votes"])
@pytest.mark.parametrize("out_of_bag", [False, True])
@pytest.mark.parametrize("max_samples", [None, 0.3, 40])
def test_any_number_of_classes_by_a_naive_loop(average, out_of_bag, max_samples):
    """The costs are far from symmetric, so a matrix read the other way round gives other labels."""
    X, y = load_iris(return_X_y=True)
    X = X[:, :2]
    costs = [[0.0, 1, 7], [2, 0, 1], [3, 40, 0]]
    model = csb.MetaCost(
        GaussianNB(), cost_matrix=costs, n_estimators=5, max_samples=max_samples, average=average,
        out_of_bag=out_of_bag, random_state=1,
    ).fit(X, y)  # fmt: skip
    size = {None: 150, 0.3: 45, 40: 40}[max_samples]
    assert {len(sample) for sample in model.estimators_samples_} == {size}
    expected = naive(model, X, y, [0, 1, 2], costs)
    assert model.relabelled_.tolist() == expected
    last = GaussianNB().fit(X, expected)
    np.testing.assert_array_equal(model.predict(X), last.predict(X))
    np.testing.assert_allclose(model.decision_function(X)[:, last.classes_], last.predict_proba(X))
    assert not np.array_equal(expected, naive(model, X, y, [0, 1, 2], np.transpose(costs)))


def test_out_of_bag_shares_are_those_of_scikit_learns_bagging():
    X, y = problem()
    theirs = BaggingClassifier(GaussianNB(), 15, oob_score=True, random_state=0).fit(X, y)
    samples = [sample.copy() for sample in theirs.estimators_samples_]
    model = csb.MetaCost(GaussianNB(), n_estimators=15, out_of_bag=True, random_state=Scripted(samples))
    found, expected = model.fit(X, y).probabilities_, theirs.oob_decision_function_
    judged = ~np.isnan(expected).any(axis=1)
    assert judged.any()
    np.testing.assert_allclose(found[judged], expected[judged], atol=1e-9)


def test_equal_costs_give_the_most_probable_label():
    X, y = problem()
    model = csb.MetaCost(GaussianNB(), random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.relabelled_, np.argmax(model.probabilities_, axis=1))


def test_one_model_of_all_data_relabels_by_its_own_probabilities():
    X, y = problem()
    every = np.arange(len(X))
    model = csb.MetaCost(GaussianNB(), fn_cost=3, n_estimators=1, random_state=Scripted([every])).fit(X, y)
    p = GaussianNB().fit(X, y).predict_proba(X)[:, 1]
    np.testing.assert_array_equal(model.relabelled_, p > 1 / 4)


def test_more_costly_misses_make_more_positives_until_all_are():
    X, y = problem()
    found = []
    for fn_cost in (0.5, 1.0, 3.0):
        model = csb.MetaCost(GaussianNB(), fn_cost=fn_cost, n_estimators=20, random_state=0).fit(X, y)
        found.append(int(model.relabelled_.sum()))
    assert found == sorted(found) and found[0] < found[-1]
    with pytest.warns(ConstantModelWarning, match="every example is given the label 1,"):
        model = csb.MetaCost(LogisticRegression(), fn_cost=1e9, n_estimators=5, random_state=0).fit(X, y)
    assert model.predict(X).tolist() == [1] * len(X)
    np.testing.assert_array_equal(model.decision_function(X), 1.0)


def test_the_positive_class_may_be_the_first_and_costs_may_be_a_frame():
    X, y = problem()
    named = np.where(y == 1, "ill", "well")
    shared = {"n_estimators": 8, "random_state": 0}
    first = csb.MetaCost(GaussianNB(), fn_cost=6, pos_label="ill", **shared).fit(X, named)
    other = csb.MetaCost(GaussianNB(), fp_cost=6, pos_label="well", **shared).fit(X, named)
    frame = pd.DataFrame([[0, 1], [6, 0]], index=["well", "ill"], columns=["well", "ill"])
    third = csb.MetaCost(GaussianNB(), cost_matrix=frame, **shared).fit(X, named)
    for model in (other, third):
        np.testing.assert_array_equal(model.relabelled_, first.relabelled_)
    assert (first.relabelled_ == "ill").sum() > (named == "ill").sum()


def test_a_sample_of_one_class_gives_a_constant_and_refuses_no_learner():
    X, y = np.arange(12.0)[:, np.newaxis], np.r_[np.zeros(11, int), 1]
    model = csb.MetaCost(LogisticRegression(), fn_cost=20, n_estimators=10, max_samples=6, random_state=0)
    model.fit(X, y)
    alone = [len(set(y[sample])) == 1 for sample in model.estimators_samples_]
    assert any(alone) and not all(alone)


def test_a_learner_without_probabilities_votes():
    X, y = problem()
    with pytest.raises(ValueError, match="has no predict_proba; 'votes' is allowed"):
        csb.MetaCost(RidgeClassifier()).fit(X, y)
    model = csb.MetaCost(RidgeClassifier(), average="votes", fn_cost=4, random_state=0).fit(X, y)
    assert model.predict(X).mean() > 0.5 and not hasattr(model, "decision_function")
    assert set(np.unique(50 * model.probabilities_).round(9)) <= set(range(51))


@pytest.mark.parametrize("fn_cost", [1.0, 1e9])
@pytest.mark.parametrize("learner", [RidgeClassifier(), GaussianNB(), "none"], ids=str)
def test_whether_there_are_scores_is_the_learners_affair_and_not_the_datas(learner, fn_cost):
    """Also where costs make one label of all, and the model is a constant."""
    model = csb.MetaCost(learner, average="votes", fn_cost=fn_cost, max_samples=3, random_state=0)
    expected = hasattr(learner, "predict_proba")
    assert hasattr(model, "decision_function") == expected
    if learner != "none":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConstantModelWarning)
            assert hasattr(model.fit(*problem()), "decision_function") == expected
        assert (len(set(model.relabelled_)) == 1) == (fn_cost == 1e9)


def test_raw_tables_in_a_pipeline():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=100), "town": rng.choice(["a", "b"], 100)})
    encode = make_column_transformer(
        (StandardScaler(), ["age"]), (OneHotEncoder(handle_unknown="ignore"), ["town"])
    )
    model = csb.MetaCost(
        make_pipeline(encode, LogisticRegression()), fn_cost=3, n_estimators=5, random_state=0
    )
    model.fit(table, (table["age"] > 0).astype(int))
    assert list(model.feature_names_in_) == ["age", "town"] and model.predict(table).mean() >= 0.5


def test_the_same_seed_gives_the_same_model_in_any_number_of_processes():
    X, y = problem()
    tree = make_pipeline(StandardScaler(), DecisionTreeClassifier(splitter="random"))
    one, two = (
        csb.MetaCost(tree, fn_cost=3, n_estimators=4, n_jobs=n_jobs, random_state=5).fit(X, y)
        for n_jobs in (1, 2)
    )
    np.testing.assert_array_equal(one.probabilities_, two.probabilities_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))
    assert not np.array_equal(one.estimators_[0].predict(X), one.estimators_[1].predict(X))


def test_weights_draw_the_samples_and_train_the_last_model():
    X, y = problem()
    weights = np.where(np.arange(120) < 30, 0.0, np.where(np.arange(120) < 60, 1.0, 1e9))
    model = csb.MetaCost(GaussianNB(), fn_cost=2, n_estimators=10, random_state=0).fit(X, y, weights)
    assert len(model.relabelled_) == 90
    assert min(map(min, model.estimators_samples_)) >= 30  # of those left, the heavy ones only
    last = GaussianNB().fit(X[30:], model.relabelled_, weights[30:])
    np.testing.assert_array_equal(model.predict(X), last.predict(X))


def test_equal_weights_train_the_last_model_too():
    X, y = problem()
    weights = np.full(len(y), 50.0)
    learner = LogisticRegression(C=0.01)
    model = csb.MetaCost(learner, n_estimators=5, random_state=0).fit(X, y, weights)
    last = learner.fit(X, model.relabelled_, weights)
    np.testing.assert_allclose(model.estimator_.coef_, last.coef_)


@pytest.mark.parametrize(
    "given, message",
    [
        ({"estimator": "tree"}, "estimator='tree'"), ({"fn_cost": -1}, "fn_cost"),
        ({"max_samples": 1.5}, "max_samples"), ({"max_samples": 0}, "max_samples=0"),
        ({"average": "mean"}, "average='mean'"), ({"out_of_bag": "no"}, "out_of_bag"),
        ({"n_estimators": 0}, "n_estimators=0"), ({"pos_label": 3}, "pos_label"),
        ({"cost_matrix": [[0, 1], [1, 0]], "fn_cost": 2}, "fn_cost: must be left out"),
        ({"cost_matrix": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]}, "cost_matrix"),
    ],
)  # fmt: skip
def test_bad_parameters_are_named(given, message):
    with pytest.raises(ValueError, match=message):
        csb.MetaCost(**given).fit(*problem(30))


def test_weights_for_a_learner_that_takes_none_are_refused_before_it_trains():
    X, y = problem()
    model = csb.MetaCost(KNeighborsClassifier(), n_estimators=3, random_state=0)
    with pytest.raises(ValueError, match="sample_weight: KNeighborsClassifier"):
        model.fit(X, y, sample_weight=1.0 + np.arange(len(y)) % 2)
    absent = np.arange(len(y)) % 5 == 0
    weighted = model.fit(X, y, sample_weight=np.where(absent, 0.0, 3.0)).predict(X)
    np.testing.assert_array_equal(weighted, model.fit(X[~absent], y[~absent]).predict(X))
