"""Short cuts of `recommend`: the advice is the same without them; what is delivered is what was judged."""

import sys
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold, TimeSeriesSplit
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_info

from csb import AdaBoost, recommend
from csb.evaluation.intervals import case_interval
from csb.recommend import folds, judging
from csb.recommend.candidates import Candidate
from csbook.datasets import make_invoices

COSTS = {"fn_cost": 446.6, "fp_cost": 52.2, "random_state": 0}


def invoices(n, seed=0):
    table = make_invoices(n, random_state=seed)
    return table.drop(columns="outcome"), (table["outcome"] == "unpaid").astype(int)


def noise(n, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 4)), (rng.random(n) < 0.1).astype(int)


def clear(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 0.5, n) > 1).astype(int)


@pytest.fixture
def long_way(monkeypatch):
    def switch():
        for name in ("FEW", "MANY", "PART"):
            monkeypatch.setattr(folds, name, 10**9)
        monkeypatch.setattr(judging, "HEATS", 10**9)

    return switch


@pytest.mark.parametrize("law, pays", [(invoices, True), (noise, False), (clear, True)])
def test_the_advice_is_the_same_the_long_way(law, pays, long_way, monkeypatch):
    X, y = law(1500)
    monkeypatch.setattr(folds, "PART", 600)
    monkeypatch.setattr(folds, "RARE", 1)
    short = recommend(X, y, **COSTS)
    long_way()
    long = recommend(X, y, **COSTS)
    assert short.pays == long.pays == pays
    assert long.table["cost"].notna().all()
    column = ["difference", "difference_low", "difference_high"]
    if short.name == long.name:
        pd.testing.assert_series_equal(short.table.loc[short.name], long.table.loc[long.name])
        np.testing.assert_array_equal(short.best_.predict(X), long.best_.predict(X))
    best = long.table.loc[long.name, column]
    assert best.iloc[1] <= short.table.at[short.name, "difference"] <= best.iloc[2] or not pays


SIZES = [{}, {"MANY": 1100}, {"PART": 500, "RARE": 1}]


@pytest.mark.parametrize("n, sizes", [(700, {}), *((1200, sizes) for sizes in SIZES)])
@pytest.mark.parametrize("splitter", ["folds", "groups", "time"])
def test_the_interval_is_that_of_what_is_delivered(n, sizes, splitter, monkeypatch):
    """What was said of the rows of a split says the model fitted as delivered to its training rows."""
    for name, size in sizes.items():
        monkeypatch.setattr(folds, name, size)
    numbers, y = clear(n)
    X = pd.DataFrame(numbers, columns=["a", "b", "c"]).assign(
        town=np.array(["east", "west", None], object)[np.arange(n) % 3]
    )
    groups = np.arange(n) // 3 if splitter == "groups" else None
    cv = {"folds": 3, "groups": GroupKFold(3), "time": TimeSeriesSplit(2)}[splitter]
    last = {}
    fit = judging.Cases.fit

    def watched(self, model, rows, of):
        last["cases"], last["model"], last["folds"] = self, model, of
        return fit(self, model, rows, of)

    monkeypatch.setattr(judging.Cases, "fit", watched)
    found = recommend(X, y, cv=cv, groups=groups, **COSTS)
    assert found.pays
    assert max(len(train) for train, _ in last["folds"].splits) > sizes.get("PART", 0)
    for k, (train, test) in enumerate(last["folds"].splits):
        as_delivered = fit(last["cases"], last["model"], train, last["folds"])
        assert len(as_delivered.classifier_.members) == len(found.best_.classifier_.members)
        said = found.evidence.said.loc[k, found.name]
        np.testing.assert_allclose(as_delivered.predict_proba(X.iloc[test])[:, 1], said, rtol=1e-12)


def test_what_is_clearly_behind_is_dropped_and_keeps_its_row(monkeypatch):
    X, y = clear(1000)
    seen = []
    original = judging.Cases.say
    monkeypatch.setattr(
        judging.Cases,
        "say",
        lambda self, models, *at: seen.append((sorted(models), at[1])) or original(self, models, *at),
    )
    trees = {
        "good": DecisionTreeClassifier(max_depth=4),
        "useless": DummyClassifier(),
    }
    found = recommend(X, y, candidates=trees, fn_cost=2, fp_cost=1, random_state=0)
    assert [models for models, _ in seen[:5]] == [["good", "useless"]] * 2 + [["good"]] * 3
    assert found.name == found.cheapest == "good"
    losses = found.decisions["useless"]
    assert losses.notna().groupby("split").all().tolist() == [True, True, False, False, False]
    paired = (losses - found.decisions[found.reference]).mean()
    assert found.table.at["useless", "difference"] == pytest.approx(paired)
    assert found.table.at["useless", "cost"] == pytest.approx(
        found.table.at[found.reference, "cost"] + paired
    )
    of_its_rows = found.decisions.dropna().droplevel("split")
    assert of_its_rows[found.reference].mean() != pytest.approx(found.table.at[found.reference, "cost"])
    reach = found.table.loc["useless", "high"] - found.table.loc["useless", "cost"]
    share = y[of_its_rows.index].mean()  # it calls no row positive: a miss costs two
    assert of_its_rows["useless"].mean() == pytest.approx(2 * share)
    weights = np.r_[np.ones(len(of_its_rows)), 0.5, 0.5]
    own = case_interval([*of_its_rows["useless"], 2.0, 0.0], sample_weight=weights, level=1 - 0.05 / 2)
    assert reach == pytest.approx(own.high - of_its_rows["useless"].mean())
    assert "nan" not in str(found).lower()


def test_a_candidate_that_overtakes_the_leader_is_judged_as_it_would_be_delivered(monkeypatch):
    """The loop ends with the cheapest judged in full, whichever led the quick comparison."""
    X, y = clear(1500)
    depths = {f"depth {k}": DecisionTreeClassifier(max_depth=k, random_state=0) for k in (3, 4, 5, 6)}
    seen = []
    original = judging.Cases.say
    monkeypatch.setattr(
        judging.Cases,
        "say",
        lambda self, models, of, k: (
            seen.extend((name, of.crossed) for name in models) or original(self, models, of, k)
        ),
    )
    found = recommend(X, y, candidates=depths, **COSTS)
    assert (found.name, True) in seen and (found.cheapest, True) in seen


def test_rare_positives_keep_the_part_large_enough():
    labels = np.zeros(100_000, int)
    labels[:40] = 1
    rows = np.arange(100_000)
    of = folds.Folds([(rows[:80_000], rows[80_000:])], None, False, True, 0, crossed=False)
    assert of.quick(labels) is of
    labels[:20_000] = 1
    train, test = of.quick(labels).splits[0]
    assert len(train) == 50_000 and np.all(np.diff(train) > 0) and train.max() < 80_000
    np.testing.assert_array_equal(test, rows[80_000:])


def test_threads_are_limited_while_it_runs_and_as_before_afterwards():
    class Counts(DecisionTreeClassifier):
        seen = []

        def fit(self, *data, **options):
            self.seen.extend(pool["num_threads"] for pool in threadpool_info())
            return super().fit(*data, **options)

    before = [pool["num_threads"] for pool in threadpool_info()]
    X, y = clear(200)
    recommend(X, y, candidates={"tree": Counts(max_depth=2)}, **COSTS)
    assert Counts.seen and set(Counts.seen) == {1}
    assert [pool["num_threads"] for pool in threadpool_info()] == before


@pytest.mark.parametrize("state", ["works", "absent", "cannot be loaded"])
def test_gradient_boosting_is_lightgbm_where_it_works(state, monkeypatch, tmp_path):
    lightgbm = pytest.importorskip("lightgbm", reason="not among what csb needs")
    if state == "absent":
        monkeypatch.setitem(sys.modules, "lightgbm", None)
    elif state == "cannot be loaded":
        (tmp_path / "lightgbm.py").write_text("raise OSError('Library not loaded: libomp.dylib')")
        monkeypatch.delitem(sys.modules, "lightgbm")
        monkeypatch.syspath_prepend(tmp_path)
    seen = set()
    original = Candidate.fit
    monkeypatch.setattr(
        Candidate,
        "fit",
        lambda self, *given: (
            seen.add(type(getattr(self.model, "steps", [[0, self.model]])[-1][1])) or original(self, *given)
        ),
    )
    X, y = invoices(400)
    X["score"] = X["score"].where(np.arange(len(X)) % 7 > 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        recommend(X, y, cv=3, **COSTS)
    trees = lightgbm.LGBMClassifier if state == "works" else HistGradientBoostingClassifier
    assert seen == {trees, AdaBoost, Pipeline}
