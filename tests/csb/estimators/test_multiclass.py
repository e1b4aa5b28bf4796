"""The multiclass estimators as scikit-learn sees them, and what users do with them."""

import inspect
import pickle
import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from csb.costs import class_frequency_costs
from csb.engine.mixture import Problem, vote_for_classes
from csb.estimators import multiclass
from csb.estimators.multiclass import (
    DSE,
    AdaBoostM2,
    AverageCost,
    Costing,
    LpCSB,
    LpCSBA,
    LpCSBPA,
    MulticlassAdaCost,
    Pairs,
)
from csb.evaluation.decisions import mean_cost
from csb.methods.class_votes import csb2_votes

ESTIMATORS = [getattr(multiclass, name) for name in multiclass.__all__]
P_NORM = [LpCSB, LpCSBA, LpCSBPA]


def make(cls, rounds=5, **settings):
    limit = {} if cls is AverageCost else {"n_estimators": rounds}
    return cls(**limit, **{"random_state": 0} | settings)


def data(n=200, k=3, seed=0):
    return make_classification(
        n, 6, n_informative=4, n_classes=k, n_clusters_per_class=1, flip_y=0.1, random_state=seed
    )


COSTS = np.array([[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [9.0, 3.0, 0.0]])


def tidy(estimator):
    """With a learner whose fit does not depend on the order of rows; trees break ties by rounding."""
    return clone(estimator).set_params(estimator=GaussianNB())


# ---- weights and costs of examples


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_weight_of_zero_equals_an_absent_row(cls):
    X, y = data(seed=1)
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weight[y == 2] = 0  # a class may vanish altogether
    used = weight > 0
    cost = np.where(y[:, None] == np.arange(2), 0, 1 + np.arange(len(y))[:, None] % 4)
    with_zeros = make(cls).fit(X, y, weight, cost=cost)
    without = make(cls).fit(X[used], y[used], weight[used], cost=cost[used])
    np.testing.assert_array_equal(with_zeros.classes_, [0, 1])
    np.testing.assert_array_equal(with_zeros.decision_function(X), without.decision_function(X))


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_matrix_is_the_same_as_its_rows_and_only_differences_and_ratios_count(cls):
    X, y = data(seed=2)
    by_matrix = tidy(make(cls, cost_matrix=COSTS)).fit(X, y)
    by_rows = tidy(make(cls)).fit(X, y, cost=COSTS[y])
    np.testing.assert_array_equal(by_matrix.decision_function(X), by_rows.decision_function(X))
    shifted = tidy(make(cls, cost_matrix=4 * COSTS + [[1], [0], [2]])).fit(X, y)
    np.testing.assert_allclose(by_matrix.decision_function(X), shifted.decision_function(X), rtol=1e-8)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_labels_of_any_kind_and_frames_in_any_order(cls):
    X, y = data(seed=3)
    names = np.array(["stay", "watch", "treat"])
    sorted_names = np.sort(names)
    frame = pd.DataFrame(COSTS, names, names)
    model = make(cls, cost_matrix=frame).fit(X, names[y])
    np.testing.assert_array_equal(model.classes_, sorted_names)
    order = [list(names).index(name) for name in sorted_names]
    as_array = make(cls, cost_matrix=COSTS[np.ix_(order, order)]).fit(X, names[y])
    np.testing.assert_array_equal(model.predict(X), as_array.predict(X))
    assert set(model.predict(X)) <= set(names)
    assert mean_cost(names[y], model.predict(X), frame) < mean_cost(names[y], np.full(200, "stay"), frame)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_a_class_whose_misses_are_dear_is_missed_less_often(cls):
    X, y = data(600, seed=4)
    missed = []
    for dear in (0.05, 20):
        costs = (1 - np.eye(3)) * [[dear], [1], [1]]
        settings = {"cost_scale": 0.2} if cls is MulticlassAdaCost else {}
        model = make(cls, 10, cost_matrix=costs, estimator=DecisionTreeClassifier(max_depth=3), **settings)
        missed.append(np.sum((model.fit(X, y).predict(X) != 0) & (y == 0)))
    assert missed[1] < missed[0]


# ---- predictions


@pytest.mark.parametrize("cls", ESTIMATORS)
@pytest.mark.parametrize("k", [2, 4])
def test_predictions_follow_the_scores_and_stages_end_where_the_whole_ends(cls, k):
    X, y = data(seed=5, k=k)
    model = make(cls).fit(X, y)
    scores = model.decision_function(X)
    assert scores.shape == ((200,) if k == 2 else (200, k))
    np.testing.assert_array_equal(model.predict(X), scores > 0 if k == 2 else scores.argmax(axis=1))
    stages, decisions = list(model.staged_decision_function(X)), list(model.staged_predict(X))
    assert len(stages) == len(decisions) == len(model.estimators_)
    np.testing.assert_array_equal(stages[-1], scores)
    np.testing.assert_array_equal(decisions[-1], model.predict(X))
    shorter = make(cls, 2).fit(X, y)
    np.testing.assert_array_equal(decisions[len(shorter.estimators_) - 1], shorter.predict(X))
    assert np.mean(model.predict(X) == y) > 0.75


def test_ties_go_to_the_class_of_least_mean_training_cost():
    X, y = np.zeros((10, 1)), np.repeat([0, 1, 2], [5, 3, 2])
    costs = np.array([[0, 3, 1], [1, 0, 1], [4, 4, 0.0]])
    means = [(0 * 5 + 1 * 3 + 4 * 2) / 10, (3 * 5 + 4 * 2) / 10, (5 + 3) / 10]
    assert np.argmin(means) == 2
    with pytest.warns(UserWarning, match="constant class of least training cost"):
        model = MulticlassAdaCost(costs).fit(X, y)
    assert model.stop_reason_ == "no_edge" and not model.estimators_
    np.testing.assert_array_equal(model.predict(X), 2)
    np.testing.assert_allclose(model.decision_function(X), 0, atol=1e-11)


def test_a_hypothesis_that_errs_on_an_example_of_hardly_any_weight_is_not_perfect():
    """The first two are missed in turn, at 1e100 a time; the third then weighs less than any float."""
    problem = Problem(np.full(3, 1 / 3), np.array([[0, 1e100], [0, 1e100], [1, 0]]), np.array([0, 0, 1]))
    choices = iter([[1, 0, 1], [0, 1, 1]] * 2 + [[0, 0, 0]])

    class Scripted:
        def fit(self, weights):
            return None, np.eye(2)[next(choices)]

    method = csb2_votes()._replace(start=lambda problem: np.zeros((3, 1)))
    ensemble = vote_for_classes(problem, method, Scripted(), 5)
    assert ensemble.stop_reason == "max_rounds" and 0 < ensemble.history[-1] < 1e-280


def test_stop_reasons():
    X, y = data(seed=6)
    assert LpCSB(n_estimators=3).fit(X, y).stop_reason_ == "max_rounds"
    full = DecisionTreeClassifier()
    assert AdaBoostM2(None, 9, full).fit(X, y).stop_reason_ == "perfect"
    assert LpCSBA(None, 2, 9, full, step="linesearch").fit(X, y).stop_reason_ == "perfect"
    constant = LpCSBA(None, 1, 9, full, step="linesearch").fit(np.zeros((6, 1)), [0, 0, 0, 1, 1, 2])
    assert (constant.stop_reason_, len(constant.estimators_)) == ("alpha", 1)
    with pytest.warns(UserWarning, match="no hypothesis was kept"):
        half = MulticlassAdaCost().fit(np.zeros((6, 1)), [0, 0, 1, 1, 2, 2])
    assert half.stop_reason_ == "no_edge"
    with pytest.warns(UserWarning, match="no hypothesis was kept"):
        dear = MulticlassAdaCost(cost_scale=1.0).fit(X, y)  # no edge exceeds a mean cost of one
    assert dear.stop_reason_ == "alpha"


@pytest.mark.parametrize("cls", P_NORM)
def test_form_and_norm_change_the_model(cls):
    X, y = data(seed=7)
    scores = [make(cls, p=p).fit(X, y).decision_function(X) for p in (1, 2, 4)]
    assert not np.allclose(scores[0], scores[1]) and not np.allclose(scores[1], scores[2])
    costs = make(cls, p=2).fit(X, y).relative_costs(X)
    np.testing.assert_allclose(costs.sum(axis=1), 1)
    chosen = scores[1].argmax(axis=1)
    np.testing.assert_allclose(costs[np.arange(len(y)), chosen], costs.min(axis=1), rtol=1e-9)


def test_a_row_for_which_no_class_is_admitted_costs_the_same_in_each():
    X, y = load_iris(return_X_y=True)
    model = LpCSB(form="paper", estimator=DecisionTreeClassifier(), random_state=0).fit(X, y)
    new = np.random.default_rng(0).uniform(-3, 12, (300, 4))
    none = ~model.estimators_[0].predict(new).any(axis=1)
    assert model.stop_reason_ == "perfect" and len(model.estimators_) == 1 and none.any()
    costs = model.relative_costs(new)
    np.testing.assert_allclose(costs.sum(axis=1), 1)
    np.testing.assert_allclose(costs[none], 1 / 3)


def test_paper_form_is_relational_with_steps_1_over_t():
    X, y = data(seed=8)
    paper = make(LpCSB, form="paper").fit(X, y)
    spelt = make(LpCSB, hypothesis="relational", step="1/t").fit(X, y)
    np.testing.assert_array_equal(paper.decision_function(X), spelt.decision_function(X))
    np.testing.assert_allclose(paper.steps_, 1 / np.arange(1, 6))
    assert not np.allclose(paper.decision_function(X).sum(axis=1), 1)
    np.testing.assert_allclose(make(LpCSB).fit(X, y).decision_function(X).sum(axis=1), 1)


# ---- scikit-learn at work


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_pickle_clone_and_data_frames(cls):
    X, y = data(seed=9)
    frame = pd.DataFrame(X.astype(np.float32), columns=[f"f{j}" for j in range(6)])
    model = make(cls).fit(frame, y)
    assert list(model.feature_names_in_) == list(frame.columns)
    for copy in (pickle.loads(pickle.dumps(model)), clone(model).fit(frame, y)):
        np.testing.assert_array_equal(copy.decision_function(frame), model.decision_function(frame))


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_any_classifier_with_sample_weight_serves(cls):
    X, y = load_iris(return_X_y=True)
    for learner in (
        LogisticRegression(max_iter=1000),
        make_pipeline(StandardScaler(), DecisionTreeClassifier(max_depth=2)),
    ):
        model = make(cls, estimator=learner).fit(X, y)
        assert model.score(X, y) > 0.6


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if issubclass(cls, Pairs)])
@pytest.mark.parametrize("expansion", ["per_label", "one_hot"])
@pytest.mark.parametrize("learner", ["tree", "univariate_logistic", None])
def test_binary_learners_serve_on_both_expansions(cls, expansion, learner):
    X, y = load_iris(return_X_y=True)
    settings = {"estimator": learner, "expansion": expansion}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # additive learners of one-hot rows have no edge
        model = make(cls, **settings).fit(X, y)
    if learner in ("tree", None) or expansion == "per_label":
        assert model.score(X, y) > 0.6


def test_grid_search_over_the_norm_in_a_pipeline():
    X, y = data(seed=10)
    pipeline = make_pipeline(StandardScaler(), make(LpCSB, cost_matrix=pd.DataFrame(COSTS)))
    search = GridSearchCV(pipeline, {"lpcsb__p": [1, 3], "lpcsb__n_estimators": [2, 4]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.6


@pytest.mark.parametrize("cls", [Costing, DSE])
def test_sampling_is_seeded(cls):
    X, y = data(seed=11)
    one, same, other = (
        make(cls, cost_matrix=COSTS, estimator=GaussianNB(), random_state=seed).fit(X, y).decision_function(X)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.allclose(one, other)


def test_costing_learns_in_law_what_weights_teach():
    """The average over many accepted samples is near the decision of the weighted learner."""
    X, y = data(seed=12)
    costing = make(Costing, 100, cost_matrix=COSTS, estimator=GaussianNB()).fit(X, y)
    weighted = AverageCost(COSTS, GaussianNB()).fit(X, y)
    assert np.mean(costing.predict(X) == weighted.predict(X)) > 0.95


# ---- what bad input gets

X0, y0 = data(40)
ROWS0 = 1.0 - np.eye(3)[y0]
BAD = {
    "nan in X": (LpCSB(estimator="tree"), (np.where(X0 > 1, np.nan, X0), y0), {}, "NaN"),
    "infinity in X": (AdaBoostM2(), (np.where(X0 > 1, np.inf, X0), y0), {}, "infinity"),
    "single class": (LpCSB(), (X0, np.ones(40)), {}, "one class"),
    "single class by weight": (LpCSBA(), (X0, y0, (y0 == 1).astype(float)), {}, "one class"),
    "negative weight": (LpCSB(), (X0, y0, -np.ones(40)), {}, "sample_weight holds -1"),
    "continuous labels": (LpCSB(), (X0, X0[:, 0]), {}, "Unknown label type"),
    "matrix of another size": (LpCSB(np.ones((2, 2)) - np.eye(2)), (X0, y0), {}, r"allowed is \(3, 3\)"),
    "negative costs": (Costing(-COSTS), (X0, y0), {}, "cost_matrix holds -1"),
    "transposed matrix": (LpCSB([[0, 0, 0], [1, 1, 0], [1, 1, 0]]), (X0, y0), {}, "cheapest of its row"),
    "unknown label": (LpCSB(pd.DataFrame(COSTS, [0, 1, 3], [0, 1, 3])), (X0, y0), {}, r"\[0, 1, 3\]"),
    "matrix and rows": (LpCSB(COSTS), (X0, y0), {"cost": ROWS0}, "cost_matrix must be None"),
    "rows of another order": (LpCSB(), (X0, y0), {"cost": ROWS0[:, ::-1]}, "cheapest of its row"),
    "too few rows": (LpCSB(), (X0, y0), {"cost": ROWS0[:5]}, r"shape \(5, 3\): allowed is \(40, n_classes\)"),
    "rows as a vector": (AdaBoostM2(), (X0, y0), {"cost": np.ones(40)}, r"shape \(40,\)"),
    "p below one": (LpCSB(p=0.5), (X0, y0), {}, r"p=0.5: allowed is a number in \[1, 1e100\]"),
    "p that is no number": (LpCSBA(p="two"), (X0, y0), {}, "p='two'"),
    "infinite p": (LpCSBPA(p=np.inf), (X0, y0), {}, "p=inf"),
    "unknown step": (LpCSB(step="1/t+1"), (X0, y0), {}, r"step='1/t\+1'.*nearest is '1/\(t\+1\)'"),
    "step without meaning": (LpCSBA(p=1.5, step="eq10"), (X0, y0), {}, "p=1.5.*linesearch"),
    "unknown form": (LpCSB(form="printed"), (X0, y0), {}, "form='printed'"),
    "unknown hypothesis": (LpCSB(hypothesis="fuzzy"), (X0, y0), {}, "hypothesis='fuzzy'"),
    "unknown expansion": (LpCSB(expansion="two_hot"), (X0, y0), {}, "expansion='two_hot'"),
    "unknown learner": (LpCSB(estimator="stumps"), (X0, y0), {}, "estimator='stumps'.*'stump'"),
    "name for multiclass learner": (LpCSBA(estimator="stump"), (X0, y0), {}, "'stump'.*multiclass"),
    "regressor": (LpCSBA(estimator=Ridge()), (X0, y0), {}, "estimator=Ridge"),
    "learner without weights": (LpCSB(estimator=KNeighborsClassifier()), (X0, y0), {}, "sample_weight"),
    "no rounds": (LpCSB(n_estimators=0), (X0, y0), {}, "n_estimators=0"),
    "fractional rounds": (AdaBoostM2(n_estimators=2.5), (X0, y0), {}, "n_estimators=2.5"),
    "cost scale too large": (MulticlassAdaCost(cost_scale=1.5), (X0, y0), {}, r"cost_scale=1.5.*1e-50"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_refused_before_any_work(case, monkeypatch):
    estimator, arguments, settings, message = BAD[case]

    def no_training(*args, **kwargs):
        raise AssertionError("training began")

    monkeypatch.setattr("csb.estimators.multiclass.mix", no_training)
    monkeypatch.setattr("csb.estimators.multiclass.vote_for_classes", no_training)
    with pytest.raises(ValueError, match=message):
        estimator.fit(*arguments, **settings)
    assert not hasattr(estimator, "estimators_")


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_costs_that_acted_in_training_cannot_change_silently(cls):
    X, y = data(seed=13)
    matrix = COSTS.copy()
    model = make(cls, cost_matrix=matrix).fit(X, y)
    matrix[0, 1] = 7
    for method in ("predict", "decision_function"):
        with pytest.raises(ValueError, match="fitted with cost_matrix="):
            getattr(model, method)(X)
    by_rows = make(cls).fit(X, y, cost=COSTS[y])
    with pytest.raises(ValueError, match="fitted with cost_matrix="):
        by_rows.set_params(cost_matrix=COSTS).predict(X)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_set_params_never_raises(cls):
    make(cls).set_params(cost_matrix="dear", estimator=7)


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_extreme_but_legal_input(cls):
    X, y = data(30, seed=14)
    for features, costs in (
        (X, COSTS * 1e12),
        (X, COSTS ** np.array([[1], [20], [1]])),
        (np.ones_like(X), COSTS),
        (X[:, :1], COSTS),
        ((X * 10).astype(int), COSTS),
        (X + 100 * y[:, None], COSTS),
        (X, [[0, 0, 1], [0, 0, 1], [1, 1, 0]]),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            model = make(cls, cost_matrix=costs).fit(features, y)
        assert np.all(np.isfinite(model.decision_function(features)))
        assert set(model.predict(features)) <= {0, 1, 2}


@pytest.mark.parametrize("cls", ESTIMATORS)
def test_docstrings_name_every_parameter_and_what_fit_adds(cls):
    text = inspect.cleandoc(cls.__doc__)
    assert not re.search(r"<\w+>", text)
    sections = re.split(r"\n(Parameters|Attributes|Examples)\n-+\n", text)
    found = dict(zip(sections[1::2], sections[2::2], strict=True))
    named = {
        n.strip() for line in re.findall(r"(?m)^(\S.*) : ", found["Parameters"]) for n in line.split(",")
    }
    assert named == set(cls().get_params())
    X, y = data()
    fitted = make(cls, 2).fit(X, y)
    attributes = re.findall(r"(?m)^(\w+_) : ", found["Attributes"])
    assert attributes and all(hasattr(fitted, name) for name in attributes if name != "feature_names_in_")


def test_p_norm_boosting_is_cheaper_than_ignoring_costs():
    """Class frequency costs on new data: what the family is for."""
    X, y = make_classification(
        3000, 10, n_informative=8, n_classes=4, weights=[0.6, 0.25, 0.1], flip_y=0.05, random_state=1
    )
    costs = class_frequency_costs(y, 0)
    fit, new = slice(0, 1500), slice(1500, None)
    aware = LpCSB(costs, 2, 30, random_state=0).fit(X[fit], y[fit])
    blind = LpCSB(None, 2, 30, random_state=0).fit(X[fit], y[fit])
    paid = [mean_cost(y[new], model.predict(X[new]), costs) for model in (aware, blind)]
    assert paid[0] < 0.8 * paid[1]
