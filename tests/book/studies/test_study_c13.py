"""The protocol of study c13, and what the printed tables of Cao et al. say of themselves."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedKFold

from csb import AdaC2, AsyBL, CGAda
from csbook.datasets import load, make_two_gaussians
from csbook.learners.pruned import ErrorPrunedTree, PrunedRegressionTree, c45_stand_in
from csbook.records import published
from csbook.studies import C13, C13_BOUNDARIES, C13_CART, C13_LOGISTIC, C13_PRUNED, recorded
from csbook.studies.c13 import FRESH, METHODS, SIZES, SignClassifier, compute

SIZES_OF_SETS = {
    "crx": (296, 357),
    "page-blocks": (559, 4913),
    "phoneme": (1586, 3818),
    "pima": (268, 500),
    "vowel": (90, 900),
}
PRINTED = published("c13_tables_1_5")


class Cut(ClassifierMixin, BaseEstimator):
    """The cut of the first feature with the least weighted error, by trying all."""

    def fit(self, X, y, sample_weight):
        self.classes_ = np.unique(y)
        tried = [
            (np.sum(sample_weight * ((X[:, 0] > cut) != (y ^ flip))), cut, flip)
            for cut in X[:, 0]
            for flip in (False, True)
        ]
        _, self.cut_, self.flip_ = min(tried)
        return self

    def predict(self, X):
        return (X[:, 0] > self.cut_) ^ self.flip_


def test_every_printed_row_has_a_method():
    assert set(PRINTED["method"]) <= set(METHODS)
    assert PRINTED.groupby("dataset")["method"].nunique().eq(12).all()
    assert set(PRINTED["dataset"]) == set(SIZES_OF_SETS)


def test_printed_g_mean_is_made_of_counts():
    for row in PRINTED.to_dict("records"):
        positives, negatives = (count / 5 for count in SIZES_OF_SETS[row["dataset"]])
        tp = row["recall_mean"] * positives
        tn = max(0.0, negatives - (row["cost_mean"] - 5 * (positives - tp)))
        of_counts = np.sqrt(tp * tn) / (positives + negatives)
        assert abs(of_counts - row["gmean_as_printed_mean"]) < 0.08, row


def test_recorded_folds_are_stratified_fifths():
    measures = recorded("c13").tables["measures"]
    for name, (positives, negatives) in SIZES_OF_SETS.items():
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
        unit for unit in C13.units(C13.settings) if unit[0] in C13.settings["datasets"]
    ]
    settings = dict(C13_PRUNED.settings) | {"rounds": 3, "datasets": ["vowel"]}
    if "vowel" in C13.missing():
        pytest.skip("no files of vowel: set CSB_DATA")
    tables = [compute(("vowel", 0, 1), settings | {"tree": tree}) for tree in ("pruned", "depth")]
    assert [list(found) for found in tables] == [["measures"]] * 2
    pruned, of_six = (found["measures"].set_index("method") for found in tables)
    changed = (pruned != of_six).any(axis=1)
    assert changed["AdaBoostC"] and not changed[["AsyBL", "AsyLogitBoost"]].any()


def test_the_papers_learners_of_the_logistic_methods_on_the_folds_of_the_pruned_trees():
    assert C13_LOGISTIC.units(C13_LOGISTIC.settings) == C13_PRUNED.units(C13_PRUNED.settings)
    if "vowel" in C13.missing():
        pytest.skip("no files of vowel: set CSB_DATA")
    settings = dict(C13_LOGISTIC.settings) | {"rounds": 3}
    table = compute(("vowel", 0, 1), settings)["measures"].set_index("method")
    assert list(table.index) == ["AsyBL", "AsyLogitBoost"]
    words = np.random.SeedSequence([2013, list(SIZES_OF_SETS).index("vowel"), 0]).generate_state(2) >> 1
    data, seed = load("vowel"), int(words[1])
    X, y = data.X.to_numpy(float), np.asarray(data.y)
    folds = StratifiedKFold(5, shuffle=True, random_state=int(words[0])).split(X, y)
    train, test = list(folds)[1]
    # AsyLogitBoost is AsyBL on another scale, so one class serves for both
    learners = PrunedRegressionTree(), SignClassifier(ErrorPrunedTree(random_state=seed))
    for method, learner in zip(table.index, learners, strict=True):
        model = AsyBL(5.0, n_estimators=3, estimator=learner, random_state=seed).fit(X[train], y[train])
        wrong = model.predict(X[test]) != y[test]
        assert table.loc[method, ["fn", "fp"]].tolist() == [wrong[y[test] == c].sum() for c in (1, 0)]


def test_a_classifier_of_signs_is_the_fit_of_least_squares_with_two_values():
    """Against every cut of one feature, either way."""
    rng = np.random.default_rng(0)
    X, z, w = rng.normal(size=(40, 1)), rng.normal(size=40), rng.exponential(size=40)
    chosen = SignClassifier(Cut()).fit(X, z, sample_weight=w).predict(X)
    sides = [np.where(X[:, 0] > cut, side, -side) for cut in X[:, 0] for side in (-1.0, 1.0)]
    assert set(chosen) == {-1.0, 1.0}
    assert np.sum(w * (z - chosen) ** 2) == pytest.approx(min(np.sum(w * (z - h) ** 2) for h in sides))


def test_sizes_of_cart_differ_in_the_trees_alone():
    settings = dict(C13_CART.settings) | {"ratios": [5.0], "fresh": 500, "gaussian_rounds": 3}
    unit = ("two-gaussians", 3, 0)
    assert set(C13_CART.units(settings)) == {unit for unit in C13.units(C13.settings) if "two" in unit[0]}
    found = compute(unit, settings)["gaussians"].set_index("size")["excess"]
    plain = dict(C13.settings) | {key: settings[key] for key in ("ratios", "fresh", "gaussian_rounds")}
    of_six = compute(unit, plain)["gaussians"].query("learner == 'tree' and method == 'AsyBL'")["excess"]
    assert found["depth 6"] == of_six.item() and list(found.index) == list(SIZES) and found.nunique() == 6


def test_boundaries_are_judged_by_what_bayes_decides():
    """One model trained and judged without the study's code."""
    settings = dict(C13_BOUNDARIES.settings) | {"ratios": [5.0], "fresh": 500, "gaussian_rounds": 5}
    assert set(C13_BOUNDARIES.units(settings)) == set(C13_CART.units(C13_CART.settings))
    table = compute(("two-gaussians", 3, 0), settings)["gaussians"]
    of_policy = {policy: rows.set_index("method") for policy, rows in table.groupby("nonpositive_alpha")}
    words = np.random.SeedSequence([settings["seed"], 5, 3]).generate_state(2) >> 1
    data = make_two_gaussians(settings["sample"], random_state=int(words[0]))
    new = make_two_gaussians(500, random_state=FRESH)
    bayes = new.posterior(new.X) > 1 / 6
    for policy in ("signed", "stop"):
        shared = {"estimator": "perceptron", "random_state": int(words[1]), "nonpositive_alpha": policy}
        model = AdaC2(5.0, n_estimators=5, **shared).fit(data.X.to_numpy(float), np.asarray(data.y))
        row = of_policy[policy].loc["AdaC2"]
        assert row["apart"] == np.mean(model.predict(new.X.to_numpy(float)) != bayes)
        assert row["rounds"] == len(model.estimators_)
        assert set(of_policy[policy].index) == set(settings["bounded"])
    assert set(of_policy["no votes"].index) == {"AsyBL", "AsyBL, CART"}


def test_the_boundaries_have_the_hundred_rounds_of_the_paper():
    """A run of either kind ends where a perceptron does not beat chance."""
    runs = recorded("c13/boundaries").tables["gaussians"]
    signed, stop = (
        runs[runs["nonpositive_alpha"] == policy].set_index(["repeat", "ratio", "method"])["rounds"]
        for policy in ("signed", "stop")
    )
    assert (signed >= stop).all()
    for method in ("AdaCost", "AdaC1", "AdaC3", "AsyB"):
        assert signed.xs(method, level="method").eq(100).all()
        assert stop.xs(method, level="method").lt(100).any()


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
    for name, (positives, negatives) in SIZES_OF_SETS.items():
        assert tuple(np.bincount(load(name).y)[::-1]) == (positives, negatives)
