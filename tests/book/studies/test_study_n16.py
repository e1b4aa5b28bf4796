"""The protocol of study n16: the batch against the estimators, one by one, and the parts of a split."""

import numpy as np
import pytest

import csb
from csb.costs import check_costs
from csb.engine.learners import bind_learner
from csbook.datasets import load
from csbook.studies import STUDIES, grid, n16
from csbook.studies.n16 import METHODS, compute, divide, skews_to_costs

STUDY = STUDIES["n16/stump-clean"]
ESTIMATORS = {
    "AdaBoost": csb.AdaBoost,
    "AdaMEC": csb.AdaMEC,
    "AdaMEC, vote rule": lambda **given: csb.AdaMEC(rule="vote", **given),
    "CGAda": csb.CGAda,
    "AsymAda": csb.AsymAda,
    "CSAda": csb.CSAda,
    "AdaC1": csb.AdaC1,
    "AdaC2": csb.AdaC2,
    "AdaC3": csb.AdaC3,
    "CSB0": csb.CSB0,
    "CSB1": csb.CSB1,
    "CSB2": csb.CSB2,
    "AdaCost": csb.AdaCost,
    "AdaCost(β₂)": csb.AdaCostBeta2,
    "GD-AdaCost": csb.GDAdaCost,
    "AsyB": lambda **given: csb.AsyB(form="paper", **given),
    "AdaUBoost": None,  # beta in place of two costs; see below
    "AdaMEC, calibrated": csb.CalibratedAdaMEC,
    "CGAda, calibrated": csb.CalibratedCGAda,
    "AsymAda, calibrated": csb.CalibratedAsymAda,
}
COSTS = check_costs([100.0, 5.0, 1.0, 1.0, 1.0], [1.0, 1.0, 1.0, 2.5, 50.0])
ROUNDS = 12


@pytest.fixture(scope="module")
def wdbc():
    data = load("wdbc")
    X, y = data.X.to_numpy(float), np.asarray(data.y, np.int8)
    train, test, held_out = divide(y, True, 0.25, 1 / 3, np.random.default_rng(0))
    split = grid.Split(X[train], y[train], held_out, X[test])
    learner = bind_learner("stump", split.X, split.y)
    return split, grid.run_methods(learner, split, COSTS, METHODS, ROUNDS)


@pytest.mark.filterwarnings("ignore::csb.inputs.ConstantModelWarning")
@pytest.mark.parametrize("name", ESTIMATORS)
def test_batch_decides_as_the_estimators_do_one_by_one(wdbc, name):
    split, outcomes = wdbc
    for at, (fn_cost, fp_cost) in enumerate(zip(*COSTS, strict=True)):
        costs = {} if name == "AdaBoost" else {"fn_cost": fn_cost, "fp_cost": fp_cost}
        given = {"n_estimators": ROUNDS, **costs}
        if name == "AdaUBoost":
            # the estimator takes ratios of at least one: the other class is the positive one below
            model = csb.AdaUBoost(
                max(fn_cost, fp_cost), n_estimators=ROUNDS, pos_label=1 if fn_cost >= fp_cost else 0
            )
        else:
            parts = [(np.flatnonzero(~split.held_out), np.flatnonzero(split.held_out))]
            given |= {"cv": parts} if name.endswith("calibrated") else {}
            model = ESTIMATORS[name](**given)
        model.fit(split.X, split.y)
        np.testing.assert_array_equal(outcomes[name].positive[at], model.predict(split.new) == 1, str(at))
        if outcomes[name].probability is not None:
            p = model.predict_proba(split.new)[:, 1]
            np.testing.assert_allclose(outcomes[name].probability[at], p, atol=1e-9)
        if not name.endswith("calibrated"):
            assert outcomes[name].stop_reasons[at] == model.stop_reason_


def test_equal_size_means_the_size_of_cgada():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, size=(160, 2)).astype(float)  # so few stumps that some runs end early
    y = (X[:, 0] + X[:, 1] + rng.normal(size=160) > 1.2).astype(np.int8)
    held_out = np.arange(160) % 3 == 0
    split = grid.Split(X, y, held_out, X + 0.1)
    outcomes = grid.run_methods(bind_learner("stump", X, y), split, COSTS, METHODS, 80)
    sizes = outcomes["CGAda, calibrated"].rounds
    assert len(set(sizes)) > 1 and min(sizes) < 80
    for at, size in enumerate(sizes):
        given = {
            "fn_cost": COSTS.fn_cost[at],
            "fp_cost": COSTS.fp_cost[at],
            "n_estimators": max(int(size), 1),
        }
        for name, cls in (("AdaMEC", csb.CalibratedAdaMEC), ("AsymAda", csb.CalibratedAsymAda)):
            outcome = outcomes[f"{name}, calibrated, equal size"]
            assert outcome.rounds[at] <= size
            if size == 0:
                continue
            parts = [(np.flatnonzero(~held_out), np.flatnonzero(held_out))]
            model = cls(**given, cv=parts).fit(X, y)
            np.testing.assert_array_equal(outcome.positive[at], model.predict(split.new) == 1)
            assert outcome.rounds[at] == len(model.calibrated_models_[0][0].hypotheses)


def test_a_method_does_not_depend_on_the_others(wdbc):
    split, outcomes = wdbc
    learner = bind_learner("stump", split.X, split.y)
    alone = grid.run_methods(learner, split, COSTS, {"AdaC2": METHODS["AdaC2"]}, ROUNDS)["AdaC2"]
    np.testing.assert_array_equal(alone.positive, outcomes["AdaC2"].positive)


@pytest.mark.parametrize("balanced", [True, False])
def test_parts_are_disjoint_and_drawn_class_by_class(balanced):
    y = np.repeat([0, 1], [200, 40])
    train, test, held_out = divide(y, balanced, 0.25, 1 / 3, np.random.default_rng(1))
    assert len(np.intersect1d(train, test)) == 0 and len(np.unique(train)) == len(train) == len(held_out)
    for label, size in ((0, 40 if balanced else 200), (1, 40)):
        assert np.sum(y[test] == label) == size // 4
        assert np.sum(y[train] == label) == size - size // 4
        assert np.sum(y[train[held_out]] == label) == size // 4
    other = divide(y, balanced, 0.25, 1 / 3, np.random.default_rng(2))[1]
    assert set(other) != set(test)


def test_costs_run_through_the_21_ratios_of_the_paper():
    costs = skews_to_costs(n16.RATIOS)
    ratio = costs.fn_cost / costs.fp_cost
    np.testing.assert_allclose(ratio[:11], [100, 50, 25, 20, 15, 10, 5, 2.5, 2, 1.5, 1])
    np.testing.assert_allclose(ratio, 1 / ratio[::-1])


def test_tables_of_a_unit(monkeypatch):
    settings = dict(STUDY.settings) | {"rounds": 5, "ratios": [5.0, 20.0]}
    tables = compute(("wdbc", 0), settings)
    counts, sizes = tables["counts"], tables["sizes"].iloc[0]
    assert counts.groupby("method", sort=False).size().to_dict() == dict.fromkeys(METHODS, 5)
    assert (
        counts["fn"].max() <= sizes["test_positives"]
        and counts["fp"].max() <= sizes["test"] - sizes["test_positives"]
    )
    scores = tables["scores"]
    np.testing.assert_allclose(scores["brier"], scores["calibration"] + scores["refinement"], atol=2e-6)
    assert scores.loc[scores["method"] == "AdaMEC", "ratio"].isna().all()
    dear = counts.query("method == 'CGAda'").set_index("ratio")["fn"]
    assert dear[20.0] <= dear[1.0] <= dear[0.05]


def test_the_same_split_whatever_is_trained_on_it():
    settings = dict(STUDY.settings) | {"rounds": 3, "methods": ["AdaMEC"]}
    with_stumps = compute(("wdbc", 4), settings)["sizes"]
    with_logistic = compute(("wdbc", 4), settings | {"learner": "univariate_logistic"})["sizes"]
    assert with_stumps.equals(with_logistic)


def test_costs_of_another_scale_are_tried_with_all_methods_that_scale_matters_to():
    assert set(STUDIES["n16/cost_scale"].settings["methods"]) == {"CGAda", *n16.SCALED}
