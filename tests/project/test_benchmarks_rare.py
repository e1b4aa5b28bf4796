"""The benchmark of rare classes and of large batches, on small data."""

from __future__ import annotations

import numpy as np

from benchmarks.rare import batch_equals_single, measure, rare_problem


def test_the_positives_are_as_rare_as_asked_and_values_fit_codes_of_two_bytes():
    X, y = rare_problem(20_000, 0.002, seed=0)
    assert y.sum() == 40 and len(np.unique(np.round(X / 2e-4))) < 65_535
    assert X[y == 1, 0].mean() > 1


def test_table_of_rare_classes():
    table = measure(3000, [0.02])
    assert table.positives.tolist() == [60] * 3
    assert set(zip(table.library, table.bins, strict=True)) == {
        ("csb", "exact"), ("csb", "255"), ("LightGBM", "255")
    }  # fmt: skip
    assert ((table.recall > 0.5) & (table.recall <= 1) & (table.cost < 1)).all()


def test_no_model_of_a_batch_differs():
    assert batch_equals_single([500, 5000], models=2, rounds=3).differing.tolist() == [0, 0]
