"""The protocol of study c13, and what the printed tables of Cao et al. say of themselves."""

import numpy as np
import pytest

from csb import CGAda
from csb.compendium.records import published
from csb.compendium.studies import C13, C13_PRUNED, recorded
from csb.compendium.studies.c13 import FRESH, METHODS, compute
from csb.datasets import load, make_two_gaussians
from csb.engine.learners import c45_stand_in

SIZES = {
    "crx": (296, 357),
    "page-blocks": (559, 4913),
    "phoneme": (1586, 3818),
    "pima": (268, 500),
    "vowel": (90, 900),
}
PRINTED = published("c13_tables_1_5")


def test_every_printed_row_has_a_method():
    assert set(PRINTED["method"]) <= set(METHODS)
    assert PRINTED.groupby("dataset")["method"].nunique().eq(12).all()
    assert set(PRINTED["dataset"]) == set(SIZES)


def test_printed_g_mean_is_made_of_counts():
    for row in PRINTED.to_dict("records"):
        positives, negatives = (count / 5 for count in SIZES[row["dataset"]])
        tp = row["recall_mean"] * positives
        tn = max(0.0, negatives - (row["cost_mean"] - 5 * (positives - tp)))
        of_counts = np.sqrt(tp * tn) / (positives + negatives)
        assert abs(of_counts - row["gmean_as_printed_mean"]) < 0.08, row


def test_recorded_folds_are_stratified_fifths():
    measures = recorded("c13").tables["measures"]
    for name, (positives, negatives) in SIZES.items():
        rows = measures[measures["dataset"] == name]
        in_fold = rows[["tp", "fn"]].sum(axis=1), rows[["fp", "tn"]].sum(axis=1)
        assert in_fold[0].between(positives // 5, -(-positives // 5)).all()
        assert in_fold[1].between(negatives // 5, -(-negatives // 5)).all()
        one_method = rows[rows["method"] == "AsyB"]
        assert (one_method.groupby("repeat")[["tp", "fn"]].sum().sum(axis=1) == positives).all()


def test_rounds_follow_phoneme_to_the_end_of_each_run():
    kept = recorded("c13")
    rounds, measures = kept.tables["rounds"], kept.tables["measures"]
    assert rounds["dataset"].unique().tolist() == ["phoneme"]
    last = rounds[rounds["fold"] == 2].groupby("method")["round"].max()
    of_fold = measures.query("dataset == 'phoneme' and repeat == 0 and fold == 2").set_index("method")
    assert last.to_dict() == of_fold["rounds"].to_dict()
    n = of_fold[["tp", "fn", "fp", "tn"]].sum(axis=1)
    ends = rounds[rounds["fold"] == 2].groupby("method")["test"].last()
    np.testing.assert_allclose(ends, (5 * of_fold["fn"] + of_fold["fp"])[ends.index] / n[ends.index])


def test_pruned_trees_stand_in_for_those_that_vote_only():
    assert C13_PRUNED.units(C13_PRUNED.settings) == [
        (name, 0, fold) for name in C13.settings["datasets"] for fold in range(5)
    ]
    settings = dict(C13_PRUNED.settings) | {"rounds": 3, "datasets": ["vowel"]}
    if "vowel" in C13.missing():
        pytest.skip("no files of vowel: set CSB_DATA")
    tables = [compute(("vowel", 0, 1), settings | {"tree": tree}) for tree in ("pruned", "depth")]
    assert [list(found) for found in tables] == [["measures"]] * 2
    pruned, of_six = (found["measures"].set_index("method") for found in tables)
    changed = (pruned != of_six).any(axis=1)
    assert changed["AdaBoostC"] and not changed[["AsyBL", "AsyLogitBoost"]].any()


def test_gaussians_are_judged_by_the_posterior():
    """One model trained and judged without the study's code."""
    settings = dict(C13.settings) | {"ratios": [5.0], "fresh": 500, "gaussian_rounds": 5, "tracked": []}
    table = compute(("two-gaussians", 3, 0), settings)["gaussians"]
    words = np.random.SeedSequence([settings["seed"], 5, 3]).generate_state(2) >> 1
    data = make_two_gaussians(settings["sample"], random_state=int(words[0]))
    new = make_two_gaussians(500, random_state=FRESH)
    p = new.posterior(new.X)
    model = CGAda(5.0, n_estimators=5, estimator=c45_stand_in(int(words[1])), random_state=int(words[1]))
    decided = model.fit(data.X, data.y).predict(new.X)
    cost = np.mean([(1 - q) if d else 5 * q for q, d in zip(p, decided, strict=True)])
    least = np.mean([min(1 - q, 5 * q) for q in p])
    row = table.query("learner == 'tree' and method == 'AdaBoostC'")
    assert row["excess"].item() == pytest.approx(cost - least)
    assert row["bayes"].item() == pytest.approx(least)


def test_sizes_are_those_of_the_paper_where_the_data_are_at_hand():
    if missing := C13.missing():
        pytest.skip(f"no files of {', '.join(missing)}: set CSB_DATA")
    for name, (positives, negatives) in SIZES.items():
        assert tuple(np.bincount(load(name).y)[::-1]) == (positives, negatives)
