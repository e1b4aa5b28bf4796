"""The machinery of the benchmarks of many classes and of trees; no test looks at a time."""

from __future__ import annotations

import numpy as np

from benchmarks import multiclass, trees


def test_the_problem_has_the_shape_of_letter_and_is_the_same_every_time():
    name, X, y = multiclass.letter_sized()
    assert X.shape == (20_000, 16) and np.array_equal(np.unique(y), np.arange(26))
    assert np.array_equal(X, np.round(X)) and X.min() == 0 and X.max() == 15
    again = multiclass.letter_sized(300)
    assert again[0] == name and np.array_equal(again[1], X[:300]) and np.array_equal(again[2], y[:300])


def test_every_expansion_is_measured():
    table = multiclass.measure(400, 2, [1], repeats=1)
    assert list(table.expansion) == ["per_label", "one_hot"]
    assert (table.expanded_rows == 400 * 26).all() and (table.rounds == 2).all()
    assert (table.seconds > 0).all() and (table.mebibytes > 50).all()


def test_trees_of_every_depth_are_measured_beside_scikit_learns():
    table = trees.measure([60], 300, 2, repeats=2)
    assert list(zip(table.method, table.rows, table.max_depth, strict=True)) == [
        ("CGAda", 60, 4), ("CGAda", 60, 6), ("LpCSB", 300, 5)
    ]  # fmt: skip
    assert (table.seconds > 0).all() and (table.ratio_low <= table.ratio_high).all()
