"""The machinery of the benchmark on a cluster; no test looks at a time."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator

pytest.importorskip("distributed", reason="the benchmark asks for a cluster of Dask")

from benchmarks import cluster
from benchmarks.timing import SEED, problem
from csb.evaluation.metrics import expected_cost
from csbook.studies import recorded


def test_blocks_are_the_problem_drawn_from_their_seeds():
    X, y = cluster.blocks(70, block=30)
    assert X.chunks == ((30, 30, 10), (20,)) and y.chunks == ((30, 30, 10),)
    for k, part in enumerate([slice(0, 30), slice(30, 60), slice(60, 70)]):
        features, labels = problem(part.stop - part.start, 20, SEED + 1 + k)
        np.testing.assert_array_equal(X[part].compute(), features)
        np.testing.assert_array_equal(y[part].compute(), labels)


def test_a_small_run_costs_what_the_same_decisions_cost_in_one_piece(monkeypatch):
    monkeypatch.setattr(cluster.blocks, "__defaults__", (1500,))
    table = cluster.measure([4000], workers=2, memory="2GiB", sample=500)
    calibrated, alike, own = table.itertuples()
    assert np.isnan(calibrated.cost) and (table.begun_anew == 0).all()
    assert (table.mebibytes >= table.mebibytes_before).all() and (table.seconds > 0).all()

    trained = HistGradientBoostingClassifier(random_state=SEED).fit(*problem(500, 20))
    X, y = (each.compute() for each in cluster.blocks(4000))
    costs = 1 + 4 * np.abs(X[:, 0])
    platt = CalibratedClassifierCV(FrozenEstimator(trained), method="sigmoid").fit(X, y)
    p = platt.predict_proba(X)[:, 1]
    for step, fn_cost in ((alike, cluster.FN_COST), (own, costs)):
        called = (p > 1 / (1 + fn_cost)).astype(int)
        assert step.cost == pytest.approx(expected_cost(y, called, fn_cost=fn_cost), abs=2e-3)


def test_the_table_is_recorded_with_its_settings(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cluster, "measure", lambda *given: pd.DataFrame({"given": map(str, given)}))
    options = ["--rows", "7", "8", "--workers", "3", "--memory", "2GiB", "--out", str(tmp_path / "small")]
    assert cluster.main(options) == 0
    assert "[7, 8]" in capsys.readouterr().out
    kept = recorded("small", tmp_path)
    assert kept.tables["cluster"]["given"].tolist() == ["[7, 8]", "3", "2GiB"]
    assert kept.manifest["settings"]["rows"] == [7, 8] and kept.manifest["settings"]["memory"] == "2GiB"
