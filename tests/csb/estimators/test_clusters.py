"""Decisions on Dask collections: the same as in one piece, but for scores that are rounded."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_classification
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import csb

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
rounded = pytest.importorskip("csb.estimators.clusters").rounded
BLOCK = 70


def problem(n=500):
    X, y = make_classification(n, 5, n_informative=3, flip_y=0.2, weights=[0.8], random_state=0)
    return X, np.array(["no", "yes"])[y]


def blocks(*arrays):
    return [da.from_array(each, chunks=(BLOCK, *each.shape[1:])) for each in arrays]


class Rounded(GaussianNB):
    """Its scores are what a histogram keeps of them."""

    def predict_proba(self, X):
        p = super().predict_proba(X)
        return rounded(p)


@pytest.mark.parametrize("calibration", ["sigmoid", "beta", "isotonic", "venn_abers", None])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("k", [2, 3])
def test_a_histogram_of_rounded_scores_calibrates_as_they_do(calibration, weighted, k):
    X, y = problem() if k == 2 else load_iris(return_X_y=True)
    weights = np.random.default_rng(0).integers(0, 4, len(y)).astype(float) if weighted else None
    model = csb.CostDecision(FrozenEstimator(Rounded().fit(X, y)), calibration=calibration)
    here = model.fit(X, y, weights).predict_proba(X)
    parts = blocks(X, y) if weights is None else blocks(X, y, weights)
    there = model.fit(*parts).predict_proba(parts[0])
    assert isinstance(there, da.Array) and there.chunks[0] == parts[0].chunks[0]
    np.testing.assert_allclose(there, here, rtol=0, atol=1e-7)  # where Newton stops


def test_scores_are_rounded_by_less_than_their_share():
    scores = np.random.default_rng(0).normal(size=1000) * 10.0 ** np.arange(-9, 11).repeat(50)
    near = rounded(scores)
    assert np.all(np.abs(near - scores) <= np.abs(scores) / 2**12)
    assert np.all(np.isclose(np.unique(np.abs(np.frexp(near)[0] * 2**12)) % 1, 0))


def test_decisions_and_costs_of_cases_are_those_in_one_piece():
    X, y = problem()
    cost = np.random.default_rng(0).uniform(1, 20, len(y))
    ready = FrozenEstimator(LogisticRegression().fit(X, y))
    X_parts, y_parts, cost_parts = blocks(X, y, cost)
    model = csb.CostDecision(ready, fn_cost=3.0, pos_label="yes").fit(X_parts, y_parts)
    for given, parts in (
        ({}, {}),
        ({"fn_cost": cost}, {"fn_cost": cost_parts}),
        ({"abstain_cost": 0.4},) * 2,
    ):
        found = model.predict(X_parts, **parts)
        assert isinstance(found, da.Array)
        np.testing.assert_array_equal(found, model.predict(X, **given))
    np.testing.assert_array_equal(model.expected_cost(X_parts), model.expected_cost(X))


@pytest.mark.parametrize("chunks", [(BLOCK, 3, 3), (BLOCK, 2, 1)], ids=str)
def test_matrices_of_cases_are_read_block_by_block(chunks):
    X, y = load_iris(return_X_y=True)
    matrices = np.random.default_rng(0).uniform(1, 9, (len(y), 3, 3)) * (1 - np.eye(3))
    X_parts, y_parts = blocks(X, y)
    parts = da.from_array(matrices, chunks=chunks)
    model = csb.CostDecision(FrozenEstimator(GaussianNB().fit(X, y))).fit(X_parts, y_parts)
    for there, here in ((parts, matrices), (matrices[7], matrices[7])):
        expected = model.expected_cost(X_parts, cost_matrix=there)
        assert isinstance(expected, da.Array)
        np.testing.assert_array_equal(expected, model.expected_cost(X, cost_matrix=here))
        for none in (None, 0.2):
            found = model.predict(X_parts, cost_matrix=there, abstain_cost=none)
            np.testing.assert_array_equal(found, model.predict(X, cost_matrix=here, abstain_cost=none))
    assert model.score(X_parts, y_parts, cost_matrix=parts) == model.score(X, y, cost_matrix=matrices)


def test_what_is_no_use_in_blocks_is_refused():
    X, y = problem()
    X_parts, y_parts = blocks(X, y)
    with pytest.raises(ValueError, match="estimator=GaussianNB.*FrozenEstimator"):
        csb.CostDecision(GaussianNB()).fit(X_parts, y_parts)
    ready = FrozenEstimator(GaussianNB().fit(X, y))
    with pytest.raises(ValueError, match="max_miss_rate=0.1: must be None"):
        csb.CostDecision(ready, max_miss_rate=0.1).fit(X_parts, y_parts)
    model = csb.CostDecision(ready).fit(X_parts, y_parts)
    with pytest.raises(ValueError, match="max_positives=3: must be None, X is read block by block"):
        model.predict(X_parts, max_positives=3)
    with pytest.raises(ValueError, match="fn_cost=inf: allowed is a number"):
        model.predict(X_parts, fn_cost=np.inf)
    with pytest.raises(ValueError, match="fn_cost: allowed is a number or a Dask array"):
        model.predict(X_parts, fn_cost=np.ones(len(X)))
    with pytest.raises(ValueError, match="fn_cost: allowed is a number or a Dask array of one number a row"):
        model.predict(X_parts, fn_cost=da.ones((len(X), 2), chunks=(BLOCK, 2)))
    for wrong in (np.ones((len(X), 2, 2)), da.ones((2, 2))):
        with pytest.raises(
            ValueError, match="cost_matrix: allowed is a matrix or a Dask array of one matrix a"
        ):
            model.predict(X_parts, cost_matrix=wrong)
    with pytest.raises(ValueError, match="cost_matrix holds inf: allowed are numbers"):
        model.predict(X_parts, cost_matrix=[[0, np.inf], [1, 0]])
    with pytest.raises(ValueError, match="y holds 'maybe': allowed are"):
        model.fit(X_parts, da.where(y_parts == "no", "maybe", y_parts))
    with pytest.raises(ValueError, match="blocks of the same rows"):
        model.fit(X_parts, y_parts.rechunk(100))


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_learners_that_run_on_a_cluster(library):
    pytest.importorskip(library)
    pytest.importorskip("pyarrow", reason="both interfaces to Dask need it for data frames")
    X, y = problem()
    numbers = (y == "yes").astype(int)
    X_parts, y_parts = blocks(X, numbers)
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None
    )
    with cluster, distributed.Client(cluster):
        if library == "lightgbm":
            learner = pytest.importorskip("lightgbm").DaskLGBMClassifier(
                n_estimators=5, num_leaves=4, verbose=-1
            )
        else:
            from xgboost.dask import DaskXGBClassifier

            learner = DaskXGBClassifier(n_estimators=5, max_depth=2)
        learner.fit(X_parts, y_parts)
        model = csb.CostDecision(FrozenEstimator(learner), fn_cost=5.0, pos_label="yes").fit(X_parts, y_parts)
        p, found = model.predict_proba(X_parts).compute(), model.predict(X_parts).compute()
        if library == "lightgbm":
            scores = learner.to_local().predict_proba(X)[:, 1]
        else:
            scores = learner.predict_proba(X_parts).compute()[:, 1]
    np.testing.assert_array_equal(found, p[:, 1] > 1 / 6)
    assert 0 < found.mean() < 1
    order = np.argsort(scores)
    assert np.all(np.diff(p[order, 1]) >= 0)
