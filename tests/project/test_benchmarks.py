"""The machinery of the benchmarks; no test looks at a time."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import binning, processes
from benchmarks.engine import GROWTH, slope, unit_times
from benchmarks.timing import paired, problem, summary


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


def test_problem_is_seeded_and_its_values_are_distinct():
    (X, y), (again, _) = problem(300, 7), problem(300, 7)
    assert np.array_equal(X, again) and set(y) == {0, 1}
    assert all(len(np.unique(column)) == 300 for column in X.T)


def test_sizes_grow_by_three_decades():
    assert all(sizes[-1] == 1000 * sizes[0] for sizes, _ in GROWTH.values())


def test_unit_times_cover_bins_threads_and_batches():
    table = unit_times(60, models=[1, 3], threads=[1], repeats=2)
    assert list(zip(table.bins, table.models, strict=True)) == [
        ("255", 1), ("255", 3), ("exact", 1), ("exact", 3)
    ]  # fmt: skip
    assert (table.ns_low > 0).all() and (table.ns_low <= table.ns_high).all()


def test_binning_is_measured_for_every_kind_of_column():
    table = binning.unit_times(300, threads=[1, 2], repeats=2)
    kinds = binning.columns(300)
    assert table["columns"].tolist() == [name for name in kinds for _ in range(2)]
    counts = [len(np.unique(X[:, 0])) for X, _ in kinds.values() for _ in range(2)]
    assert table["bins"].tolist() == counts and (table.ns_low > 0).all()


def test_a_memory_map_is_fitted_in_a_process_of_its_own():
    table = processes.mapped(20_000, threads=[1])
    assert table[["rows", "threads", "file_megabytes"]].to_numpy().tolist() == [[20_000, 1, 0.8]]
    assert (table.seconds > 0).all() and (table.megabytes > 0).all()
