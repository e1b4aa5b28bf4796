"""The protocol of study l08, on bundled data, and the completeness of what is recorded."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from csb import LpCSBPA
from csbook.datasets import load
from csbook.learners.pruned import ErrorPrunedTree, c45_stand_in
from csbook.records import published
from csbook.studies import L08, L08_FULL, L08_PRUNED, recorded
from csbook.studies.l08 import DATASETS, METHODS, compute, split

PRINTED = published("l08_tables_1_2")
SETTINGS = dict(L08.settings) | {"rounds": 2, "trees": 15}


@pytest.fixture
def scale(monkeypatch):
    """The rows of a unit, on a bundled set in place of those that must be fetched."""
    monkeypatch.setattr("csbook.studies.l08.DATASETS", {"balance-scale": 1})
    data = load("balance-scale")
    return data.X.to_numpy(float), np.asarray(data.y), compute(("balance-scale", 3), SETTINGS)["costs"]


def of_costs(y, seed):
    """The class frequency model, written out."""
    share = np.bincount(y) / len(y)
    draw = np.random.RandomState(seed).uniform(size=(len(share),) * 2)
    return draw * 2000 * share[np.newaxis, :] / share[:, np.newaxis] * (1 - np.eye(len(share)))


def test_one_unit_without_the_studys_code(scale):
    X, y, table = scale
    table = table.set_index("method")
    words = np.random.SeedSequence([2008, 0, 3]).generate_state(3) >> 1
    rng = np.random.default_rng(int(words[0]))
    test = []
    for label in range(3):
        test += rng.permutation(np.flatnonzero(y == label))[: np.sum(y == label) // 3].tolist()
    train = np.setdiff1d(np.arange(len(y)), test)
    costs, seed = of_costs(y, int(words[1])), int(words[2])

    def cost(decided):
        return sum(costs[y[row], made] for row, made in zip(test, decided, strict=True)) / len(test)

    constant = min(range(3), key=lambda made: costs[y[train], made].sum())
    assert table.loc["constant", "cost"] == pytest.approx(cost([constant] * len(test)))
    shares = RandomForestClassifier(15, random_state=seed).fit(X[train], y[train]).predict_proba(X[test])
    assert table.loc["forest", "cost"] == pytest.approx(cost(np.argmin(shares @ costs, axis=1)))
    weak = c45_stand_in(random_state=seed)
    boosted = LpCSBPA(costs, 3, 2, weak, random_state=seed).fit(X[train], y[train]).predict(X[test])
    assert table.loc["LpCSB-PA, p = 3", "cost"] == pytest.approx(cost(boosted))
    assert table.loc["LpCSB-PA, p = 3", "error"] == pytest.approx(np.mean(boosted != y[test]))


def test_every_method_decides_on_every_unit(scale):
    table = scale[2]
    assert table["method"].tolist() == [*METHODS, "forest", "calibrated forest", "constant"]
    assert (table["cost"] >= 0).all() and table["error"].between(0, 1).all()


def test_a_class_keeps_its_only_example_for_training():
    y = np.array([0] * 7 + [1] + [2] * 3)
    test = split(y, 1 / 3, np.random.default_rng(0))
    assert [test[y == label].sum() for label in range(3)] == [2, 0, 1]


def test_matrices_differ_between_splits_and_not_between_methods(monkeypatch):
    monkeypatch.setattr("csbook.studies.l08.DATASETS", {"balance-scale": 1})
    monkeypatch.setattr("csbook.studies.l08.METHODS", {})
    costs = [
        compute(("balance-scale", number), SETTINGS)["costs"].set_index("method")["cost"]
        for number in (0, 1, 0)
    ]
    assert costs[0]["constant"] != costs[1]["constant"]
    pd.testing.assert_series_equal(costs[0], costs[2])


@pytest.mark.parametrize(
    "study, tree",
    [(L08_PRUNED, ErrorPrunedTree()), (L08_FULL, DecisionTreeClassifier(criterion="entropy"))],
    ids=["pruned", "full"],
)
def test_other_trees_stand_in_on_the_first_splits_of_the_same_matrices(monkeypatch, scale, study, tree):
    X, y, of_six = scale
    table = compute(("balance-scale", 3), SETTINGS | {"tree": study.settings["tree"]})["costs"]
    of_six, table = of_six.set_index("method"), table.set_index("method")
    same = (of_six == table).all(axis=1)
    assert same[["forest", "calibrated forest", "constant"]].all() and not same["LpCSB-PA, p = 3"]
    words = np.random.SeedSequence([2008, 0, 3]).generate_state(3) >> 1
    test, seed = split(y, 1 / 3, np.random.default_rng(int(words[0]))), int(words[2])
    costs = of_costs(y, int(words[1]))
    boosted = LpCSBPA(costs, 3, 2, tree, random_state=seed).fit(X[~test], y[~test]).predict(X[test])
    assert table.loc["LpCSB-PA, p = 3", "cost"] == pytest.approx(costs[y[test], boosted].mean())
    changed = {name for name, value in study.settings.items() if L08.settings.get(name) != value}
    assert changed == {"tree", "splits"} and set(study.units(study.settings)) <= set(L08.units(L08.settings))
    assert {name for name, _ in study.datasets} == set(study.settings["splits"])


def test_recorded_splits_and_sets_are_those_of_the_paper():
    table = recorded("l08").tables["costs"]
    assert table.groupby("dataset", sort=False)["split"].nunique().to_dict() == DATASETS
    assert len(set(PRINTED["dataset"])) == 8 and set(PRINTED["method"]) >= {"AdaBoost", "AdaCost", "CSB2"}
    assert (table.groupby(["dataset", "split"]).size() == len(METHODS) + 3).all()
