"""The protocol of study c08: parts, methods and costs, and the choices of the cost."""

import numpy as np
import pandas as pd
import pytest

from csbook.learners.pruned import ErrorPrunedTree
from csbook.studies import C08, C08_PRUNED, c08


def test_protocol_of_c08(monkeypatch):
    """Sizes, stratification, and a choice of the cost that sees no row of the test part."""
    rng = np.random.default_rng(0)
    X = np.column_stack([np.arange(155), rng.normal(size=155)])  # the first column names the row
    y = rng.permutation(np.repeat([0, 1], [123, 32]))  # as many as hepatitis has
    parts = []

    class Watched:
        def fit(self, X, y):
            parts.append([set(X[:, 0].astype(int))])
            return self

        def predict(self, X):
            parts[-1].append(set(X[:, 0].astype(int)))
            return np.ones(len(X), int)

    def models(settings, seed):
        yield "watched", np.nan, np.nan, Watched()

    monkeypatch.setattr(c08, "_models", models)
    monkeypatch.setattr(c08, "_data", lambda name: (X, y))
    table = c08.compute(("hepatitis", 3), C08.settings)["measures"]
    *folds, (train, test) = parts
    assert len(folds) == 5 and (len(train), len(test)) == (139, 16)
    assert train | test == set(range(155)) and not train & test
    assert y[list(test)].sum() == 3  # of 3.2
    assert all(fit | held == train and not fit & held for fit, held in folds)
    assert sorted(row for _, held in folds for row in held) == sorted(train)
    assert {y[list(held)].sum() for _, held in folds} == {5, 6}
    everybody = 100 * 2 * 3 / (16 + 3)  # F-measure if all are called positive
    assert table[["recall", "f"]].to_numpy().tolist() == [[100, pytest.approx(everybody)]]
    within = [100 * 2 * y[list(held)].sum() / (len(held) + y[list(held)].sum()) for _, held in folds]
    assert table["f_within_training"].item() == pytest.approx(np.mean(within))

    again = len(parts)
    c08.compute(("hepatitis", 3), C08.settings)
    c08.compute(("hepatitis", 4), C08.settings)
    assert parts[again : 2 * again] == parts[:again] and parts[-1] != parts[again - 1]


def test_methods_and_costs_of_c08():
    found = [
        (name, scale, cost, getattr(model, "fn_cost", 1.0), getattr(model, "fp_cost", 1.0))
        for name, scale, cost, model in c08._models(C08.settings, 0)
    ]
    assert [row[0] for row in found[:2]] == ["tree", "AdaBoost"]
    costs = [(name, scale, k / 10) for name in ("AdaCost", "GD-AdaCost") for scale in (1.0, 0.5)
             for k in range(1, 10)]  # fmt: skip
    assert [row[:3] for row in found[2:]] == costs
    assert all(fn_cost == 1 and fp_cost == cost for _, _, cost, fn_cost, fp_cost in found[2:])
    boosted = [model for *_, model in c08._models(C08.settings, 0)][1:]
    assert {model.n_estimators for model in boosted} == {20}


def test_pruned_trees_stand_in_for_all_those_of_depth_six():
    of_six, pruned = (
        [(name, scale, cost, getattr(model, "estimator", model)) for name, scale, cost, model in found]
        for found in (c08._models(study.settings, 3) for study in (C08, C08_PRUNED))
    )
    assert all(isinstance(tree, ErrorPrunedTree) and tree.random_state == 3 for *_, tree in pruned)
    assert {(tree.max_depth, tree.min_samples_leaf) for *_, tree in of_six} == {(6, 5)}
    assert [row[:2] for row in pruned if row[1] > 0] == [row[:2] for row in of_six if row[1] > 0]
    changed = {name for name, value in C08_PRUNED.settings.items() if C08.settings.get(name) != value}
    assert changed == {"tree", "splits"}


def test_choices_of_the_cost():
    tested = {"a": [[10, 40, 20], [30, 0, 35]], "b": [[5, 5, 1], [0, 2, 9]]}  # set, split, cost
    within = {"a": [[1, 0, 2], [9, 9, 3]], "b": [[0, 1, 0], [0, 0, 4]]}
    rows = [
        (data, split, "M", 1.0, cost, tested[data][split][k], within[data][split][k])
        for data in "ba"
        for split in (1, 0)
        for k, cost in enumerate((0.1, 0.5, 0.9))
    ]
    rows.append(("a", 0, "tree", np.nan, np.nan, 99, 99))
    columns = ["dataset", "split", "method", "cost_scale", "fp_cost", "f", "f_within_training"]
    found = c08.by_choice(pd.DataFrame(rows, columns=columns)).xs(("M", 1.0), axis=1, level=[1, 2])
    assert found.index.tolist() == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]
    # means over the splits of a: 20, 20, 27.5; of b: 2.5, 3.5, 5
    assert found.to_dict("list") == {
        "one cost": [20, 35, 1, 9],
        "each split": [40, 35, 5, 9],
        "within training": [20, 30, 5, 9],
    }
