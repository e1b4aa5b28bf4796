"""One table of bad and odd inputs, over all ways in which rows come: the same refusal, or the same answer."""

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC

import csb
from csb.engine.blocks import Blocks
from csb.evaluation.classifiers import class_scores

da = pytest.importorskip("dask.array")

N, SIZES = 60, (0, 20, 0, 7, 33, 0)
"""Rows, and those of each block."""
NAMES = ["a", "b", "c"]


def problem():
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(N, 3)), 2).astype(np.float32)  # the same in single precision
    y = (X[:, 0] + rng.normal(size=N) > 0).astype(int)
    return X.astype(float), y, rng.integers(1, 4, N) * 0.5


def split(array, sizes=SIZES):
    """Parts of these lengths; what is left over belongs to the last."""
    return np.split(np.asarray(array), np.cumsum(sizes)[:-1])


def mapped(X, folder):
    np.save(folder / "X.npy", X)
    return np.load(folder / "X.npy", mmap_mode="r")


def in_chunks(array):
    """A Dask array in blocks of these lengths; what is short or long is so in the last but one."""
    array = np.asarray(array)
    if not array.ndim:
        return da.from_array(array)
    sizes = [*SIZES[:4], max(0, len(array) - sum(SIZES[:4])), 0]
    return da.concatenate([da.from_array(part, chunks=part.shape) for part in split(array, sizes)])


MEMORY = {
    "C": lambda X, _: np.ascontiguousarray(X), "F": lambda X, _: np.asfortranarray(X),
    "single": lambda X, _: np.asarray(X, np.float32), "list": lambda X, _: np.asarray(X).tolist(),
    "frame": lambda X, _: pd.DataFrame(X, columns=NAMES[: np.shape(X)[1]]), "memory map": mapped,
}  # fmt: skip
BLOCKS = {
    "blocks": lambda X, _: Blocks(lambda: iter(split(X))),
    "blocks of frames": lambda X, _: Blocks(
        lambda: [pd.DataFrame(part, columns=NAMES[: np.shape(X)[1]]) for part in split(X)]
    ),
}  # fmt: skip
PATHS = MEMORY | BLOCKS | {"Dask": lambda X, _: in_chunks(X)}


def put(array, value, at=3):
    found = np.array(array, float)
    found[at] = value
    return found


BAD = {
    "y is short": ({"y, w": lambda y, w: (y[:-1], w[:-1])}, "y|X|Found input"),
    "y is long": ({"y, w": lambda y, w: (np.r_[y, 1], np.r_[w, 1.0])}, "y|X|Found input"),
    "y is a number": ({"y": lambda y: np.array(1)}, "y"),
    "y is a table": ({"y": lambda y: np.c_[y, y]}, "y"),
    "one class": ({"y": np.zeros_like}, "y holds one class only"),
    "NaN in y": ({"y": lambda y: put(y, np.nan)}, "y"), "inf in y": ({"y": lambda y: put(y, np.inf)}, "y"),
    "complex y": ({"y": lambda y: y + 0j}, "y"),
    "weights are short": ({"w": lambda w: w[:-1]}, "sample_weight"),
    "weights are long": ({"w": lambda w: np.r_[w, 1.0]}, "sample_weight"),
    "a weight": ({"w": lambda w: np.array(1.0)}, "sample_weight"),
    "a table of weights": ({"w": lambda w: np.c_[w, w]}, "sample_weight"),
    "no weight": ({"w": np.zeros_like}, "sample_weight is at most 0: allowed are weights not all zero"),
    "weights too small": ({"w": lambda w: w * 1e-200}, "sample_weight is at most .*: allowed are"),
    "a negative weight": ({"w": lambda w: put(w, -1.0)}, "sample_weight holds -1.0"),
    "NaN among weights": ({"w": lambda w: put(w, np.nan)}, "sample_weight holds nan"),
    "inf among weights": ({"w": lambda w: put(w, np.inf)}, "sample_weight holds inf"),
    "no weight on a class": ({"y, w": lambda y, w: (y, w * y)}, "y holds one class only"),
    "inf in X": ({"X": lambda X: put(X, np.inf)}, ".*(infinity|too large)"),
    "X is short": ({"X": lambda X: X[:-1]}, "X|y|Found input"),
    "no rows": ({"X, y, w": lambda *given: [each[:0] for each in given]}, "y has 0 labels"),
}  # fmt: skip
ODD = {
    "nothing": {}, "some weights are zero": {"w": lambda w: w * (np.arange(N) % 3 > 0)},
    "a block without weight": {"w": lambda w: w * (np.arange(N) > 22)},
    "large weights": {"w": lambda w: w * 1e90}, "small weights": {"w": lambda w: w * 1e-90},
    "a block of one class": {"y": lambda y: np.where(np.arange(N) < 20, 0, y)},
    "words": {"y": lambda y: np.array(["no", "yes"])[y]}, "truths": {"y": lambda y: y > 0},
    "dates": {"y": lambda y: np.array(["2020-01-01", "2021-01-01"], "M8[D]")[y]},
}  # fmt: skip


def changed(change):
    X, y, w = problem()
    given = {"X": X, "y": y, "w": w}
    for names, how in change.items():
        names = names.split(", ")
        found = how(*(given[name] for name in names))
        given |= dict(zip(names, found if len(names) > 1 else [found], strict=True))
    return given["X"], given["y"], given["w"]


def of_stumps(path, X, y, w, folder):
    """Boosting, which takes all but Dask's arrays as they are."""
    return csb.AdaBoost(3).fit(PATHS[path](X, folder), y, w)


def of_scores(path, X, y, w, folder):
    """The calibration of a classifier that is fitted."""
    good, labels, _ = problem()
    names = {"frame": pd.DataFrame(good, columns=NAMES)}
    known = np.unique(y) if np.ndim(y) == 1 and len(y) and y.dtype.kind not in "fc" else np.arange(2)
    ready = LogisticRegression().fit(names.get(path, good), known[labels] if len(known) == 2 else labels)
    model = csb.CostDecision(FrozenEstimator(ready), calibration="sigmoid")
    if path == "Dask":
        y, w = in_chunks(y), in_chunks(w)
    return model.fit(PATHS[path](X, folder), y, w)


WAYS = [(of_stumps, path) for path in (*MEMORY, *BLOCKS)] + [(of_scores, path) for path in (*MEMORY, "Dask")]
WAY = pytest.mark.parametrize("fit, path", WAYS)


@WAY
@pytest.mark.parametrize("name", BAD)
def test_what_is_bad_is_refused_on_all_paths(name, fit, path, tmp_path):
    change, message = BAD[name]
    X, y, w = changed(change)
    with pytest.raises(ValueError, match=f"^({message})"):
        fit(path, X, y, w, tmp_path)


@WAY
@pytest.mark.parametrize("name", ODD)
def test_what_is_odd_gives_one_answer_on_all_paths(name, fit, path, tmp_path):
    X, y, w = changed(ODD[name])
    model, plain = fit(path, X, y, w, tmp_path), fit("C", X, y, w, tmp_path)
    assert np.array_equal(model.classes_, plain.classes_)
    found, expected = (np.asarray(each.predict_proba(PATHS[way](X, tmp_path)))
                       for each, way in ((model, path), (plain, "C")))  # fmt: skip
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-3 if path == "Dask" else 1e-6)
    predicted = np.asarray(model.predict(PATHS[path](X, tmp_path)))
    assert predicted.dtype.kind == y.dtype.kind and predicted.shape == y.shape
    if path in BLOCKS:
        assert model.score(PATHS[path](X, tmp_path), y, w) == plain.score(X, y, w)


@pytest.mark.parametrize("path", [*MEMORY, *BLOCKS, "Dask"])
def test_no_rows_are_no_predictions(path, tmp_path):
    X, y, w = problem()
    fit = of_scores if path == "Dask" else of_stumps
    none = PATHS[path](X[:0], tmp_path) if path not in ("list", "memory map") else X[:0]
    predicted = np.asarray(fit(path, X, y, w, tmp_path).predict(none))
    assert predicted.shape == (0,) and predicted.dtype == y.dtype


@pytest.mark.parametrize("path", ["frame", "blocks of frames"])
def test_other_columns_are_refused(path, tmp_path):
    X, y, w = problem()
    fit = of_stumps(path, X, y, w, tmp_path)
    frame = pd.DataFrame(X, columns=NAMES)
    for other in (frame[["b", "a", "c"]], frame[["a", "b"]], frame.rename(columns={"a": "z"})):
        for given in (other, Blocks(lambda other=other: [other])):
            with pytest.raises(ValueError, match="feature"):
                fit.predict(given)


def test_blocks_of_columns_in_another_order_are_refused():
    X, y, _ = problem()
    frame = pd.DataFrame(X, columns=NAMES)
    for second in (frame[20:][["b", "a", "c"]], X[20:]):
        with pytest.raises(
            ValueError, match=r"block 2 of X has the columns .*allowed are those of the first"
        ):
            csb.AdaBoost(1).fit(Blocks(lambda second=second: [frame[:20], frame[:0], second]), y)


def test_what_is_no_source_of_blocks_is_refused():
    X, y, _ = problem()
    once = iter([X, X])
    for read, message in (
        (lambda: None, "read gives None: allowed is an iterable of blocks"),
        (lambda: 3, "read gives 3"),
        (lambda: "ab", "read gives 'ab'"),
        (lambda: once, "read gives one iterator twice"),
    ):
        with pytest.raises(ValueError, match=message):
            csb.AdaBoost(1).fit(Blocks(read), y)


def test_blocks_are_refused_where_rows_are_wanted():
    X, y, _ = problem()
    blocks, model = Blocks(lambda: [X]), csb.CostDecision(GaussianNB(), random_state=0).fit(X, y)
    meta = csb.MetaCost(csb.AdaBoost(2), n_estimators=2, random_state=0).fit(X, y)
    calls = (
        lambda: csb.CostDecision(GaussianNB()).fit(blocks, y), lambda: model.predict(blocks),
        lambda: model.predict_proba(blocks), lambda: model.score(blocks, y), lambda: model.explain(blocks, X),
        lambda: csb.MetaCost(GaussianNB()).fit(blocks, y), lambda: meta.predict(blocks),
        lambda: meta.decision_function(blocks), lambda: csb.recommend(blocks, y, fn_cost=1, fp_cost=1),
    )  # fmt: skip
    for call in calls:
        with pytest.raises(ValueError, match="X is given in blocks: allowed"):
            call()


def test_what_stands_beside_a_dask_array_is_one_in_its_blocks():
    X, y, w = problem()
    model = csb.CostDecision(FrozenEstimator(GaussianNB().fit(X, y)))
    table, other = in_chunks(X), da.from_array(y, chunks=20)
    fitted = model.fit(table, in_chunks(y))
    swapped = da.from_array(y, chunks=((0, 7, 0, 20, 33, 0),))
    for arguments, message in (
        ((y,), r"y=array\(.*: allowed is a Dask array of one dimension"),
        ((y.tolist(),), "y=.*: allowed is a Dask array"),
        ((in_chunks(y), w), "sample_weight=.*: allowed is a Dask array of one dimension"),
        ((in_chunks(y)[:, np.newaxis],), "y=.*one dimension"),
        ((other,), r"y comes in blocks of \(20, 20, 20\) rows: allowed are blocks of the same rows"),
        ((swapped,), "y comes in blocks of"),
        ((in_chunks(y), other + 1.0), "sample_weight comes in blocks of"),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            model.fit(table, *arguments)
    for cost, message in (
        (w, "fn_cost: allowed is a number or a Dask array of one number a row"),
        (in_chunks(w)[:, np.newaxis], "fn_cost: allowed is a number or a Dask array"),
        (da.from_array(np.array(2.0)), "fn_cost: allowed is a number or a Dask array"),
        (other + 1.0, "fn_cost comes in blocks of"),
        (swapped + 1.0, "fn_cost comes in blocks of"),
    ):
        with pytest.raises(ValueError, match=f"^{message}"):
            fitted.predict(table, fn_cost=cost)
    unknown = table[in_chunks(np.arange(N)) >= 0], in_chunks(y)[in_chunks(np.arange(N)) >= 1]
    with pytest.raises(ValueError, match="y has 19 rows in a block: allowed are 20, as in X"):
        model.fit(*unknown)
    short = in_chunks(w)[in_chunks(np.arange(N)) >= 1]
    with pytest.raises(ValueError, match="fn_cost has 19 rows in a block: allowed are 20"):
        fitted.predict(unknown[0], fn_cost=short).compute()
    np.testing.assert_array_equal(fitted.predict(unknown[0], fn_cost=2.0), fitted.predict(X, fn_cost=2.0))
    np.testing.assert_array_equal(fitted.predict(table, fn_cost=in_chunks(w)), fitted.predict(X, fn_cost=w))


class Moved(LogisticRegression):
    """Its decision values, moved and stretched."""

    offset, scale = 0.0, 1.0

    def decision_function(self, X):
        return self.offset + self.scale * super().decision_function(X)


@pytest.mark.parametrize("calibration", ["sigmoid", "isotonic"])
@pytest.mark.parametrize("offset, scale", [(0, 1), (0, 1e-14), (0, 1e12), (1e6, 1), (-1e3, 1e-3), (5, 1e-3)])
def test_scores_far_from_zero_or_close_to_it_calibrate_alike(offset, scale, calibration):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(600, 2))
    y = (X[:, 0] + rng.normal(size=600) > 0).astype(int)
    ready = Moved().fit(X, y)
    ready.offset, ready.scale = offset, scale
    model = csb.CostDecision(FrozenEstimator(ready), calibration=calibration)
    here = model.fit(X, y).predict_proba(X)
    table = da.from_array(X, chunks=(150, 2))
    there = model.fit(table, da.from_array(y, chunks=150)).predict_proba(table)
    assert here[:, 1].std() > 0.1
    assert np.abs(here - there).mean() < 2e-3


EVERY = np.arange(N)
SPLITS = {
    "no part held out": ([(EVERY, [])], "cv=.*holds no example out"),
    "no part to fit": ([([], EVERY)], "cv=.*lacks the class"),
    "no splits": ([], "cv=.*at least one split is needed"),
    "used up": (iter([]), "cv=.*at least one split is needed"),
    "numbers of no row": ([(EVERY, [N])], "cv=.*row numbers below 60"),
    "shares": ([(EVERY, [0.5])], "cv=.*row numbers below 60"),
    "three parts": ([(EVERY, EVERY, EVERY)], "cv=.*row numbers below 60"),
    "a number": (3.5, "cv=3.5: allowed is an integer"), "one fold": (1, "cv=1: allowed is an integer"),
    "text": ("five", "cv='five': allowed is an integer"),
    "a mask that is short": ([(EVERY, np.ones(N - 1, bool))], "cv=.*row numbers below 60"),
}  # fmt: skip


@pytest.mark.parametrize("name", SPLITS)
@pytest.mark.parametrize(
    "make",
    [
        lambda cv: csb.CostDecision(GaussianNB(), cv=cv),
        lambda cv: csb.CostDecision(GaussianNB(), cv=cv, ensemble=False),
        lambda cv: csb.CalibratedCGAda(n_estimators=2, cv=cv),
        lambda cv: csb.BoostingCV(csb.CGAda(n_estimators=2), cv=cv),
    ],
    ids=["ensemble", "pooled", "boosting", "search"],
)
def test_odd_splits_are_refused(name, make):
    X, y, _ = problem()
    cv, message = SPLITS[name]
    with pytest.raises(ValueError, match=message):
        make(cv).fit(X, y)


def test_a_part_held_out_may_overlap_and_must_have_both_classes():
    X, y, _ = problem()
    overlapping = [(EVERY, EVERY[10:]), (EVERY[5:], EVERY)]
    one = csb.CostDecision(GaussianNB(), cv=overlapping).fit(X, y)
    other = csb.CostDecision(GaussianNB(), cv=iter(overlapping)).fit(X, y)
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    for lacking in ([(EVERY, np.flatnonzero(y))], [(np.flatnonzero(y), EVERY)]):
        with pytest.raises(ValueError, match="lacks the class 0"):
            csb.CostDecision(GaussianNB(), cv=lacking).fit(X, y)


def test_pairs_of_classes_are_not_taken_for_classes():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 3
    svc = SVC(decision_function_shape="ovo").fit(X, y)
    for call in (
        lambda: csb.CostDecision(SVC(decision_function_shape="ovo")).fit(X, y),
        lambda: csb.CostDecision(FrozenEstimator(svc)).fit(X, y),
        lambda: class_scores(svc, X, np.arange(3)),
        lambda: csb.CostDecision(FrozenEstimator(svc), calibration="sigmoid")
        .fit(in_chunks(X), in_chunks(y)).predict(in_chunks(X)).compute(),
    ):  # fmt: skip
        with pytest.raises(ValueError, match="decision_function_shape='ovr' is allowed"):
            call()


def test_reasons_are_the_right_ones():
    X, y, _ = problem()
    for model in (csb.AdaBoost(1), csb.BoostingCV(), csb.LogitBoost(1)):
        with pytest.raises(ValueError, match="^X has no columns: allowed are one or more"):
            model.fit(pd.DataFrame(index=range(N)), y)
    frame = pd.DataFrame(X, columns=NAMES)
    for value, held in ((1e101, r"a number of the size 1e\+101"), (np.inf, "infinity")):
        frame.loc[3, "b"] = value
        with pytest.raises(ValueError, match=f"column 'b' of X holds {held}: allowed are numbers in"):
            csb.recommend(frame, y, fn_cost=1, fp_cost=1)
