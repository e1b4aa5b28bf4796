"""Features of single precision, memory-mapped or in blocks: the models are those of one array of doubles."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import csb
from csb.engine import codes
from csb.engine.blocks import Blocks
from csb.engine.codes import CodedData

N = 5000


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, 6)).astype(np.float32)
    X[:, 2] = np.round(X[:, 2])
    y = (X[:, 0] + X[:, 3] + rng.normal(size=N) > 0).astype(int)
    return X, y


def in_blocks(X, sizes=(1, 4097, 0, 600)):
    return Blocks(lambda: [part for part in np.split(X, np.cumsum(sizes)) if len(part)])


def assert_same(model, other, X):
    assert model.estimators_ == other.estimators_
    np.testing.assert_array_equal(model.estimator_weights_, other.estimator_weights_)
    np.testing.assert_array_equal(model.decision_function(X), other.decision_function(X.astype(float)))


NAMES = [
    name for name in csb.__all__
    if isinstance(cls := getattr(csb, name), type) and getattr(cls, "_blockwise", False)
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:no 'stump' beat chance")
@pytest.mark.parametrize("name", NAMES)
def test_blocks_and_single_precision_give_the_model_of_the_array(name, problem, tmp_path):
    X, y = problem
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    cls = getattr(csb, name)
    settings = {"n_estimators": 5}
    weights = np.random.default_rng(1).integers(0, 3, N) * 0.5
    for sample_weight in (None, weights):
        expected = cls(**settings).fit(X.astype(float), y, sample_weight)
        for given in (X, mapped, in_blocks(X), in_blocks(X.astype(float))):
            assert_same(cls(**settings).fit(given, y, sample_weight), expected, X)


def test_early_stopping_works_on_blocks(problem):
    X, y = problem
    settings = {"n_estimators": 40, "early_stopping": True, "random_state": 0}
    models = [csb.CGAda(5, **settings).fit(given, y) for given in (X.astype(float), in_blocks(X))]
    assert_same(*models, X)
    np.testing.assert_array_equal(models[0].validation_score_, models[1].validation_score_)


def test_there_are_methods_for_blocks():
    assert {"AdaBoost", "CGAda", "AdaMEC"} <= set(NAMES) and "ThetaBoost" not in NAMES


@pytest.mark.parametrize("estimator", ["univariate_logistic", "logistic"])
def test_learners_that_see_the_values_get_doubles(estimator, problem):
    X, y = problem
    models = [csb.AdaBoost(5, estimator=estimator).fit(given, y) for given in (X, X.astype(float))]
    np.testing.assert_array_equal(*(model.decision_function(X) for model in models))


def test_a_threshold_between_two_neighbours_of_single_precision_tells_them_apart():
    low = np.float32(1)
    X = np.array([[low], [np.nextafter(low, np.float32(2))]])
    model = csb.AdaBoost(1).fit(X, [0, 1])
    assert float(X[0, 0]) < model.estimators_[0].threshold < float(X[1, 0])
    assert model.predict(X).tolist() == list(model.staged_predict(X))[-1].tolist() == [0, 1]
    assert model.estimators_[0].predict(X).tolist() == [-1, 1]


def test_fit_reads_some_rows_at_a_time_and_copies_no_table():
    """What is converted or copied are some rows, the codes, weights and what is put in order aside."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100_000, 30)).astype(np.float32)
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    csb.AdaBoost(2).fit(X, y)  # compiled
    tracemalloc.start()
    csb.AdaBoost(2).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2.5 * X.size  # bytes: where a value takes four


def test_blocks_are_read_twice_and_whenever_rows_are_put_in_order(problem, monkeypatch):
    X, y = problem
    monkeypatch.setattr(codes, "FEW", 0)
    calls, looks = [], []
    look = CodedData.look
    monkeypatch.setattr(CodedData, "look", lambda self, pairs: looks.append(0) or look(self, pairs))
    csb.AdaBoost(5).fit(Blocks(lambda: calls.append(0) or iter([X])), y)
    checks = 2
    assert looks and len(calls) == checks + 2 + len(looks)


def test_prediction_by_blocks(problem):
    X, y = problem
    model = csb.CGAda(5, n_estimators=5).fit(in_blocks(X), y)
    for method in (model.decision_function, model.predict, model.predict_proba):
        np.testing.assert_array_equal(method(in_blocks(X)), method(X))
    theta = csb.ThetaBoost(5, n_estimators=5).fit(X, y)
    np.testing.assert_array_equal(theta.decision_function(in_blocks(X)), theta.decision_function(X))


def test_names_of_features_come_from_the_first_block(problem):
    X, y = problem
    frame = pd.DataFrame(X, columns=list("abcdef"))
    model = csb.AdaBoost(3).fit(Blocks(lambda: (frame[:2000], frame[2000:])), y)
    assert model.feature_names_in_.tolist() == list("abcdef") and model.n_features_in_ == 6
    np.testing.assert_array_equal(model.predict(frame), csb.AdaBoost(3).fit(frame, y).predict(frame))
    assert not hasattr(model.fit(in_blocks(X), y), "feature_names_in_")


def with_infinity(X):
    X = X.copy()
    X[4500, 1] = np.inf
    return X


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda X: [], "X has no blocks"),
        (lambda X: [X[:-1]], "X has 4999 rows in its blocks: allowed are as many as y has, 5000"),
        (lambda X: [X, X[:1]], "X has more rows in its blocks than y: allowed are 5000"),
        (lambda X: [X[:10], X[10:, :5]], "block 1 of X has 5 features of float32: .* 6 of float32"),
        (lambda X: [X[:10], X[10:].astype(float)], "block 1 of X has 6 features of float64: .* 6 of float32"),
        (lambda X: np.split(with_infinity(X), 2), "block 1 of X: column 1 holds infinity"),
        (lambda X: [X[0]], "Expected 2D array"),
    ],
)
def test_bad_blocks_are_refused(change, message, problem):
    X, y = problem
    with pytest.raises(ValueError, match=message):
        csb.AdaBoost(1).fit(Blocks(lambda: change(X)), y)


@pytest.mark.parametrize("read", [[np.ones((2, 2))], None, iter([])])
def test_blocks_come_from_a_function(read):
    with pytest.raises(ValueError, match=r"read=.*: allowed is a function"):
        Blocks(read)


def test_where_no_blocks_will_do_an_error_says_so(problem):
    X, y = problem
    blocks = in_blocks(X)
    for model in (csb.ThetaBoost(), csb.LogitBoost(), csb.CalibratedAdaMEC(), csb.LpCSB(), csb.BoostingCV()):
        with pytest.raises(ValueError, match=f"X is given in blocks: allowed for {type(model).__name__} is"):
            model.fit(blocks, y)
    with pytest.raises(ValueError, match="X is given in blocks: allowed for estimator='logistic' is"):
        csb.AdaBoost(estimator="logistic").fit(blocks, y)
    with pytest.raises(ValueError, match="X is given in blocks: allowed is an array"):
        next(csb.AdaBoost(1).fit(X, y).staged_predict(blocks))
