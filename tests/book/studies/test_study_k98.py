"""The protocol of study k98."""

import numpy as np
import pytest

from csb import AdaUBoost, ThetaBoost
from csbook.datasets import load
from csbook.learners.pruned import ErrorPrunedTree, c45_stand_in
from csbook.records import published
from csbook.studies import K98, K98_PRUNED, K98_WEIGHTS, k98, recorded
from csbook.studies.k98 import DATASETS, SATIMAGE, compute, compute_split


def test_satimage_has_the_papers_own_parts():
    table = recorded("k98").tables["satimage"]
    plain = table.query("method == 'AdaBoost'").groupby("learner")[["fn", "fp"]]
    assert plain.nunique().eq(1).all(axis=None)  # AdaBoost knows nothing of beta
    assert set(table["beta"]) == {1.0, 2.0, 4.0, 8.0, 16.0}
    constant = table.query("learner == 'stump' and method == 'AdaUBoost, paper' and beta == 16")
    assert (constant["fn"].item(), constant["fp"].item()) == (211, 0)  # the class counts of the paper
    if missing := K98.missing():
        pytest.skip(f"no files of {', '.join(missing)}: set CSB_DATA")
    data = load(SATIMAGE)
    assert [(data.split == part).sum() for part in ("train", "test")] == [4435, 2000]


def test_every_half_of_every_set_has_every_threshold():
    table = recorded("k98").tables["thresholds"]
    sizes = table.groupby(["dataset", "part"]).size()
    assert len(sizes) == 100 * len(DATASETS) and set(sizes) == {5 * 6}
    assert (table["fn"] <= table["positives"]).all() and (
        table["fp"] <= table["n"] - table["positives"]
    ).all()
    equal = table.query("beta == 1").pivot(
        index=["dataset", "part"], columns="threshold", values=["fn", "fp"]
    )
    for of in ("fn", "fp"):  # at equal costs the rules coincide
        assert (equal[of]["b"] == equal[of]["midpoint"]).all()


def test_pruned_trees_stand_in_for_all_those_of_depth_six(monkeypatch):
    """On a bundled set in place of satimage, which must be fetched."""
    data, asked = load("wdbc"), []
    parts = np.where(np.arange(len(data.y)) % 2, "test", "train")
    monkeypatch.setattr(k98, "_data", lambda name: (data.X.to_numpy(), data.y, parts))
    monkeypatch.setattr(k98, "c45_stand_in", lambda *given: asked.append(given) or c45_stand_in(*given))
    assert K98_PRUNED.units(K98_PRUNED.settings) == [(SATIMAGE, 0)]
    small = {"rounds": 3, "betas": [1.0, 2.0]}
    found = {study.name: compute((SATIMAGE, 0), {**study.settings, **small}) for study in (K98, K98_PRUNED)}
    assert asked == [(1998, "depth"), (1998, "pruned")]
    of_six, pruned = (tables["satimage"] for tables in found.values())
    assert of_six["method"].tolist() == pruned["method"].tolist() and set(pruned["learner"]) == {"tree"}
    fit, test = parts == "train", parts == "test"
    X, y = data.X.to_numpy(), data.y
    tree = ErrorPrunedTree(random_state=1998)
    boosted = AdaUBoost(2.0, n_estimators=3, estimator=tree, random_state=1998)
    for method, model in {"tree": tree, "AdaUBoost": boosted}.items():
        decided = model.fit(X[fit], y[fit]).predict(X[test])
        row = pruned[(pruned["beta"] == 2) & (pruned["method"] == method)]
        assert row["fn"].item() == np.sum((decided == 0) & (y[test] == 1))
        assert row["fp"].item() == np.sum((decided == 1) & (y[test] == 0))
    changed = {name for name, value in K98_PRUNED.settings.items() if K98.settings.get(name) != value}
    assert changed == {"tree", "learners", "datasets"}


def test_printed_table_is_that_of_the_paper():
    printed = published("k98_table_1")
    np.testing.assert_allclose(printed["C45_avg_loss"], (95 * printed["beta"] + 82) / 2000, atol=6e-4)


def test_thresholds_of_one_half_without_the_studys_code(monkeypatch):
    """On a bundled set in place of one that must be fetched."""
    monkeypatch.setattr("csbook.studies.k98.DATASETS", ("wdbc",))
    settings = dict(K98.settings) | {"betas": [4.0], "rounds": 8}
    table = compute(("wdbc", 1), settings)["thresholds"].set_index("threshold")
    data = load("wdbc")
    X, y = data.X.to_numpy(), data.y
    from sklearn.model_selection import StratifiedShuffleSplit

    seed = int(np.random.SeedSequence([settings["seed"], 0, 1]).generate_state(2)[0] >> 1)
    fit, test = next(StratifiedShuffleSplit(1, test_size=0.5, random_state=seed).split(X, y))
    models = {
        "sign": AdaUBoost(4.0, n_estimators=8),
        "eta": ThetaBoost(4.0, n_estimators=8, threshold="eta"),
    }
    for name, model in models.items():
        decided = model.fit(X[fit], y[fit]).predict(X[test])
        assert table.loc[name, "fn"] == np.sum((decided == 0) & (y[test] == 1))
        assert table.loc[name, "fp"] == np.sum((decided == 1) & (y[test] == 0))
    assert table["positives"].eq(y[test].sum()).all()


def test_further_splits_have_the_papers_sizes_and_start_from_all_first_weights(monkeypatch):
    """On a bundled set in place of satimage, which must be fetched."""
    data = load("wdbc")
    X, y = data.X.to_numpy(), np.asarray(data.y)
    parts = np.where(np.arange(len(y)) % 3, "train", "test")
    monkeypatch.setattr(k98, "_data", lambda name: (X, y, parts))
    settings = {**K98_WEIGHTS.settings, "rounds": 3, "learners": ["depth", "pruned"], "splits": 2}
    assert K98_WEIGHTS.units(settings) == [
        (tree, split) for tree in ("depth", "pruned") for split in range(3)
    ]
    drawn = [k98._split(number, settings)[2:] for number in range(3)]
    assert (parts[drawn[0][0]] == "train").all() and (parts[drawn[0][1]] == "test").all()
    for fit, test in drawn:
        assert sorted([*fit, *test]) == list(range(len(y))) and len(test) == np.sum(parts == "test")
    assert len({tuple(sorted(test)) for _, test in drawn}) == 3
    fit, test = drawn[1]
    tables = compute_split(("pruned", 1), settings)
    errors = tables["errors"].set_index(["method", "first", "beta"])
    assert len(errors) == 2 + 1 + 2 * 3
    assert errors["n"].eq(len(test)).all() and errors["positives"].eq(y[test].sum()).all()
    tree = ErrorPrunedTree(random_state=1998)
    for first, options in {
        "uniform": {"form": "paper", "omega": 1.0}, "costs": {"form": "paper", "omega": 16.0},
        "squares of the costs": {"omega": 256.0},
    }.items():  # fmt: skip
        boosted = AdaUBoost(16.0, n_estimators=3, estimator=tree, random_state=1998, **options)
        decided = boosted.fit(X[fit], y[fit]).predict(X[test])
        row = errors.loc[("AdaUBoost", first, 16.0)]
        assert row["fn"] == np.sum((decided == 0) & (y[test] == 1))
        assert row["fp"] == np.sum((decided == 1) & (y[test] == 0))
    marks = tables["thresholds"].set_index(["first", "threshold"])
    assert len(marks) == 3 * 5
    for first in k98.FIRST_WEIGHTS:
        sign = errors.loc[("AdaUBoost", first, 2.0), ["fn", "fp"]]
        assert marks.loc[(first, "sign"), ["fn", "fp"]].tolist() == sign.tolist()
    boosted = ThetaBoost(2.0, n_estimators=3, estimator=tree, random_state=1998, threshold="eta")
    decided = boosted.fit(X[fit], y[fit]).predict(X[test])
    row = marks.loc[("squares of the costs", "eta")]
    assert row["fn"] == np.sum((decided == 0) & (y[test] == 1))
    assert row["theta"] == pytest.approx(boosted.theta_)


def test_distance_from_the_best_threshold_on_a_fine_grid():
    rng = np.random.default_rng(0)
    grid = np.linspace(-3, 12, 15 * 64 + 1)
    for _ in range(50):
        scores, y = rng.integers(0, 8, 12).astype(float), rng.integers(0, 2, 12)
        beta, theta = rng.choice([1.0, 2.0, 5.0]), rng.uniform(-2, 10)
        missed = ((scores <= grid[:, None]) & (y == 1)).sum(axis=1)
        alarms = ((scores > grid[:, None]) & (y == 0)).sum(axis=1)
        cost = beta * missed + alarms
        nearest = np.abs(grid[cost == cost.min()] - theta).min()
        assert k98.away_from_best(theta, scores, y, beta) == pytest.approx(nearest, abs=1 / 64 + 1e-9)


def test_recorded_splits_are_whole_and_number_zero_is_the_papers():
    tables = recorded("k98/weights").tables
    sizes = tables["errors"].groupby(["learner", "split"]).size()
    assert len(sizes) == 3 * (K98_WEIGHTS.settings["splits"] + 1) and set(sizes) == {2 + 1 + 2 * 3}
    errors = tables["errors"].query("split == 0 and beta > 1").set_index(["learner", "first", "beta"])
    six, cut = (recorded(name).tables["satimage"] for name in ("k98", "k98/pruned"))
    before = {"pruned": cut, "depth": six[six["learner"] == "tree"], "stump": six[six["learner"] == "stump"]}
    for (learner, first, beta), row in errors.iterrows():
        method = {"uniform": "AdaUBoost, paper", "squares of the costs": "AdaUBoost"}.get(first)
        if method:
            table = before[learner].set_index(["method", "beta"])
            assert row[["fn", "fp"]].tolist() == table.loc[(method, beta), ["fn", "fp"]].tolist()
