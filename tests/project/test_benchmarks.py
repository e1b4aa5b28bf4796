"""The machinery of the benchmarks; no test looks at a time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator

from benchmarks import deciding, encoding, fits, multiclass, others, processes, rare, study, trees
from benchmarks.engine import GROWTH, slope, unit_times
from benchmarks.timing import SEED, paired, problem, summary
from csb.evaluation.metrics import expected_cost
from csbook.studies import recorded
from csbook.studies.grid import MethodConfig


@pytest.fixture
def cluster():
    pytest.importorskip("distributed", reason="the benchmark asks for a cluster of Dask")
    from benchmarks import cluster

    return cluster


# --- clocks and problems ---------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_slope_of_a_power_law_is_its_exponent(exponent):
    size = np.array([10.0, 100.0, 5000.0])
    assert slope(size, 0.3 * size**exponent) == pytest.approx(exponent, abs=1e-12)


def test_paired_runs_are_warmed_up_and_take_turns_at_going_first():
    ran = []
    times = paired({"a": lambda: ran.append("a"), "b": lambda: ran.append("b")}, repeats=3)
    assert "".join(ran) == "ab" + "ab" + "ba" + "ab"
    assert {name: len(taken) for name, taken in times.items()} == {"a": 3, "b": 3}


def test_summary_is_median_and_range():
    assert summary(np.array([3.0, 1.0, 8.0]), "s") == {"s": 3.0, "s_low": 1.0, "s_high": 8.0}


def test_sizes_grow_by_three_decades():
    assert all(sizes[-1] == 1000 * sizes[0] for sizes, _ in GROWTH.values())


def test_problem_is_seeded_and_its_values_are_distinct():
    (X, y), (again, _) = problem(300, 7), problem(300, 7)
    assert np.array_equal(X, again) and set(y) == {0, 1}
    assert all(len(np.unique(column)) == 300 for column in X.T)


def test_the_problem_of_many_classes_has_the_shape_of_letter_and_is_the_same_every_time():
    name, X, y = multiclass.letter_sized()
    assert X.shape == (20_000, 16) and np.array_equal(np.unique(y), np.arange(26))
    assert np.array_equal(X, np.round(X)) and X.min() == 0 and X.max() == 15
    again = multiclass.letter_sized(300)
    assert again[0] == name and np.array_equal(again[1], X[:300]) and np.array_equal(again[2], y[:300])


def test_the_positives_are_as_rare_as_asked():
    X, y = rare.rare_problem(20_000, 0.002, seed=0)
    assert y.sum() == 40
    assert X[y == 1, 0].mean() > 1


def test_blocks_are_the_problem_drawn_from_their_seeds(cluster):
    X, y = cluster.blocks(70, block=30)
    assert X.chunks == ((30, 30, 10), (20,)) and y.chunks == ((30, 30, 10),)
    for k, part in enumerate([slice(0, 30), slice(30, 60), slice(60, 70)]):
        features, labels = problem(part.stop - part.start, 20, SEED + 1 + k)
        np.testing.assert_array_equal(X[part].compute(), features)
        np.testing.assert_array_equal(y[part].compute(), labels)


# --- tables ----------------------------------------------------------------------------------------

KINDS = encoding.columns(300)
TABLES = {
    "rounds": (
        lambda: unit_times(60, models=[1, 3], threads=[1], repeats=2),
        {"threads": [1, 1], "models": [1, 3]},
    ),
    "columns": (
        lambda: encoding.unit_times(300, threads=[1, 2], repeats=2),
        {"columns": [name for name in KINDS for _ in range(2)], "threads": [1, 2] * len(KINDS)},
    ),
    "a process of its own": (
        lambda: processes.mapped(20_000, threads=[1]),
        {"rows": [20_000], "threads": [1], "file_megabytes": [1.6]},
    ),
    "expansions": (
        lambda: multiclass.measure(400, 2, [1], repeats=1),
        {"expansion": ["per_label", "one_hot"], "expanded_rows": [400 * 26] * 2, "rounds": [2, 2]},
    ),
    "trees": (
        lambda: trees.measure([60], 300, 2, repeats=2),
        {"method": ["CGAda", "CGAda", "LpCSB"], "rows": [60, 60, 300], "max_depth": [4, 6, 5]},
    ),
    "rare classes": (
        lambda: rare.measure(3000, [0.02]),
        {"library": ["LightGBM", "csb"], "positives": [60] * 2},
    ),
    "learners": (
        lambda: study.measure(["wdbc"], rounds=2, repeats=1),
        {"learner": ["logistic", "stump", "univariate_logistic"]},
    ),
}


@pytest.mark.deep
@pytest.mark.parametrize("measure, expected", TABLES.values(), ids=TABLES)
def test_what_is_measured_is_in_the_table(measure, expected):
    table = measure()
    assert sorted(zip(*(table[name] for name in expected), strict=True)) == sorted(
        zip(*expected.values(), strict=True)
    )
    measured = table.filter(regex="^(seconds|ns|megabytes|mebibytes)")
    assert measured.shape[1] and (measured > 0).all(axis=None)
    assert (table.filter(regex="^mebibytes$") > 50).all(axis=None)  # a process with its libraries
    for low in table.filter(regex="_low$"):
        ends = table[[low, low.replace("_low", "_high")]].dropna()  # where a library was run
        assert len(ends) and (ends[low] <= ends.iloc[:, 1]).all()


def test_rare_positives_are_found():
    table = rare.measure(3000, [0.02])
    assert ((table.recall > 0.5) & (table.recall <= 1) & (table.cost < 1)).all()


def test_no_model_of_a_batch_differs():
    assert rare.batch_equals_single([500, 5000], models=2, rounds=3).differing.tolist() == [0, 0]


def test_what_is_not_installed_is_said_and_left_out(monkeypatch, capsys):
    monkeypatch.setattr(others, "find_spec", lambda name: None)
    table = others.equal(300, 1)
    assert set(table["library"]) == {"scikit-learn"} and (table["difference"] == 0).all()
    assert set(others.worth(300, 2)["library"]) == {"scikit-learn"}
    assert set(others.promises([30], 2)["way"]) == {"csb"}
    assert capsys.readouterr().out.splitlines() == [
        f"{name} is not installed: its rows are left out" for name in ("empulse", "mapie")
    ]


def test_a_promise_is_kept_in_as_many_draws_as_it_says():
    (row,) = others.promises([100], 400).query("way == 'csb'").itertuples()
    # the sixth score of a hundred: P(B(100, 0.1) < 6) = 0.058 <= 0.1 < 0.117 = P(B(100, 0.1) < 7)
    assert row.missed == pytest.approx(6 / 101, abs=0.004)
    assert abs(row.kept - 0.942) < 4 * (0.942 * 0.058 / 400) ** 0.5 and row.nothing == 0


@pytest.mark.deep
@pytest.mark.parametrize("library", ["empulse", "mapie"])
def test_equal_definitions_give_equal_values(library):
    pytest.importorskip(library, reason="compared where it is installed")
    table = others.equal(500, 1).query("what != 'decisions, any'")
    assert (table["difference"] < 1e-12).all()
    assert library in table["library"].str.lower().tolist()


@pytest.mark.parametrize(
    "second, models, rounds",
    [
        (MethodConfig("adamec"), 4, 7 + 3 + 4 + 5),
        (MethodConfig("adamec", calibration="sigmoid"), 5, 7 + 9 + 3 + 4 + 5),
    ],
    ids=["the same model", "another part of the data"],
)
def test_models_that_are_trained_once_count_once(monkeypatch, second, models, rounds):
    monkeypatch.setitem(study.METHODS, "AdaMEC", second)
    settings = {"methods": ["AdaBoost", "AdaMEC", "CGAda"]}
    found = {"AdaBoost": [7, 7, 7], "AdaMEC": [9 if models == 5 else 7] * 3, "CGAda": [3, 4, 5]}
    counts = pd.DataFrame([(name, n) for name, of in found.items() for n in of], columns=["method", "rounds"])
    assert study.trained(settings, counts) == (models, rounds)


def test_a_learner_is_compared_by_the_time_of_one_model_and_round():
    table = study.measure(["wdbc"], rounds=2, repeats=1).set_index("learner")
    assert table["rounds"].between(1, 2).all()
    known = table.drop(index="univariate_logistic")
    one = known["seconds"] / (known["models"] * known["rounds"])
    np.testing.assert_allclose(known["ratio"], known["scikit_learn"] / known["scikit_learn_rounds"] / one)
    assert np.isnan(table.loc["univariate_logistic", "ratio"])


def test_a_fit_is_compared_with_the_same_method_and_where_rounds_are_few_the_time_is_scaled(monkeypatch):
    monkeypatch.setattr(fits, "SKLEARN_ROUNDS", {"AdaBoost": {60: 1}, "LogitBoost": {}})
    table = fits.measure([60], [1, 2], 1).set_index(["method", "threads", "library"])
    assert len(table) == 10 and (table.xs("csb", level="library").ratio == 1).all()
    ran = table.rounds_run.xs("scikit-learn", level="library")
    assert ran["AdaBoost", 1] == 1 and ran["LogitBoost", 1] == 100 and len(ran) == 2
    X, y = problem(60, fits.FEATURES)
    with_two = fits.tasks("LogitBoost", X, y, threads=2)
    assert set(with_two) == {"csb", "LightGBM"} and type(with_two["csb"]()).__name__ == "LogitBoost"


def test_deciding_is_compared_where_scikit_learn_has_the_task():
    table = deciding.measure([200], 1)
    ours = [f"CostDecision, {learner}" for learner in deciding.LEARNERS]
    assert table.task.tolist() == [*ours, "recommend"]
    assert (table.seconds > 0).all() and table.ratio.isna().tolist() == [False, False, True]


@pytest.mark.deep
def test_a_small_run_costs_what_the_same_decisions_cost_in_one_piece(cluster, monkeypatch):
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


def test_the_table_is_recorded_with_its_settings(cluster, monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(cluster, "measure", lambda *given: pd.DataFrame({"given": map(str, given)}))
    options = ["--rows", "7", "8", "--workers", "3", "--memory", "2GiB", "--out", str(tmp_path / "small")]
    assert cluster.main(options) == 0
    assert "[7, 8]" in capsys.readouterr().out
    kept = recorded("small", tmp_path)
    assert kept.tables["cluster"]["given"].tolist() == ["[7, 8]", "3", "2GiB"]
    assert kept.manifest["settings"]["rows"] == [7, 8] and kept.manifest["settings"]["memory"] == "2GiB"
