"""Study shrinkage on a bundled set, against estimators fitted one by one; its rules on hand-made tables."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from test_study_n16 import ESTIMATORS

import csb
from csbook.studies import SHRINKAGE, STUDIES
from csbook.studies.n16 import examples
from csbook.studies.shrinkage import QUESTIONS, TRAINED_WITH_COSTS, VOTE, Areas, compute

SETTINGS = dict(STUDIES["shrinkage/stump"].settings) | {"stages": [4, 9], "rates": [1.0, 0.3]}
UNIT = ("wdbc", 1, 0.3)
RATIOS = [25.0, 5.0, 2.0, 1.0, 1 / 2, 1 / 5, 1 / 25]
METHODS = ["AdaMEC", VOTE, *TRAINED_WITH_COSTS]


@pytest.fixture(scope="module")
def computed():
    return compute(UNIT, SETTINGS), examples(UNIT[:2], SETTINGS)


def area(decided, positive):
    """Area below a Brier curve in plain Python: the loss at each skew, then trapezoids, as a mean."""
    share = positive.mean()
    points = []
    for ratio, says in zip(RATIOS, decided, strict=True):
        z = (1 - share) / (1 - share + share * ratio)
        missed, alarms = np.mean(~says[positive]), np.mean(says[~positive])
        points.append((z, (1 - z) * missed + z * alarms))
    total = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:], strict=False))
    return total / (points[-1][0] - points[0][0])


def by_probability(p, positive):
    return area([p > 1 / (1 + ratio) for ratio in RATIOS], positive)


def found(table, method, rounds):
    row = table.query("method == @method and rounds == @rounds")
    return row["area"].item(), row["held_out"].item()


def costs(ratio):
    return {"fn_cost": max(ratio, 1.0), "fp_cost": max(1 / ratio, 1.0)}


@pytest.mark.filterwarnings("ignore::csb.inputs.ConstantModelWarning")
@pytest.mark.parametrize("rounds", SETTINGS["stages"])
@pytest.mark.parametrize("name", METHODS)
def test_stages_are_shorter_ensembles(computed, name, rounds):
    tables, (split, positive, _) = computed
    given = {"n_estimators": rounds, "learning_rate": UNIT[2]}
    areas = []
    for used, X, y in (
        (np.ones(len(split.y), bool), split.new, positive),
        (~split.held_out, split.X[split.held_out], split.y[split.held_out] == 1),
    ):
        models = [
            ESTIMATORS[name](**costs(ratio), **given).fit(split.X[used], split.y[used]) for ratio in RATIOS
        ]
        areas.append(area([model.predict(X) == 1 for model in models], y))
    np.testing.assert_allclose(found(tables["areas"], name, rounds), areas, atol=1e-6)


@pytest.mark.parametrize("name", ["AdaMEC", "CGAda", "AsymAda"])
def test_the_held_out_third_calibrates(computed, name):
    tables, (split, positive, _) = computed
    rounds = SETTINGS["stages"][-1]
    part = (np.flatnonzero(~split.held_out), np.flatnonzero(split.held_out))
    estimator = getattr(csb, f"Calibrated{name}")
    models = [
        estimator(**costs(ratio), n_estimators=rounds, learning_rate=UNIT[2], cv=[part]).fit(split.X, split.y)
        for ratio in RATIOS
    ]
    y = split.y[split.held_out] == 1
    areas = [
        area([model.predict(X) == 1 for model in models], of)
        for X, of in ((split.new, positive), (split.X[split.held_out], y))
    ]
    np.testing.assert_allclose(found(tables["areas"], f"{name}, calibrated", rounds), areas, atol=1e-6)


def test_cross_fitting(computed):
    tables, (split, positive, seed) = computed
    rounds, folds = SETTINGS["stages"][0], SETTINGS["folds"]
    parts = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(split.X, split.y))
    given = {"n_estimators": rounds, "learning_rate": UNIT[2]}
    raw, mended = np.empty((2, len(split.y)))
    for train, test in parts:
        plain = csb.AdaMEC(**given).fit(split.X[train], split.y[train])
        raw[test] = plain.predict_proba(split.X[test])[:, 1]
        calibrated = csb.CalibratedAdaMEC(cv=[(train, test)], **given).fit(split.X, split.y)
        mended[test] = calibrated.predict_proba(split.X[test])[:, 1]
    p = csb.CalibratedAdaMEC(cv=parts, **given).fit(split.X, split.y).predict_proba(split.new)[:, 1]
    expected = by_probability(p, positive), by_probability(mended, split.y == 1)
    np.testing.assert_allclose(found(tables["areas"], "AdaMEC, cross-fitted", rounds), expected, atol=1e-6)
    by_folds = found(tables["areas"], "AdaMEC, chosen by folds", rounds)
    assert by_folds[0] == found(tables["areas"], "AdaMEC", rounds)[0]
    assert by_folds[1] == pytest.approx(by_probability(raw, split.y == 1), abs=1e-6)
    brier = tables["briers"].query("method == 'AdaMEC, cross-fitted' and rounds == @rounds")
    assert brier["brier"].item() == pytest.approx(np.mean((p - positive) ** 2), abs=1e-6)
    np.testing.assert_allclose(
        tables["briers"].eval("calibration + refinement"), tables["briers"]["brier"], atol=2e-6
    )


def test_the_rivals(computed):
    tables, (split, positive, seed) = computed
    rounds = SETTINGS["stages"][0]
    boosting = LGBMClassifier(n_estimators=rounds, learning_rate=UNIT[2], random_state=seed, verbose=-1)
    penalties = SETTINGS["penalties"][1::2]  # those of the second of two rates
    assert tables["penalties"]["C"].tolist() == penalties
    regression = make_pipeline(
        StandardScaler(), LogisticRegression(C=penalties[3], tol=1e-10, max_iter=10**4)
    )
    row = tables["penalties"].iloc[3]
    for model, of in (
        (boosting, found(tables["areas"], "LightGBM", rounds)),
        (regression, (row["area"], row["held_out"])),
    ):
        p = model.fit(split.X, split.y).predict_proba(split.new)[:, 1]
        rest = model.fit(split.X[~split.held_out], split.y[~split.held_out])
        held_out = rest.predict_proba(split.X[split.held_out])[:, 1]
        expected = by_probability(p, positive), by_probability(held_out, split.y[split.held_out] == 1)
        np.testing.assert_allclose(of, expected, atol=1e-6)


def test_every_penalty_is_some_units():
    for study in SHRINKAGE:
        rates, penalties = study.settings["rates"], study.settings["penalties"]
        shared = [C for first in range(len(rates)) for C in penalties[first :: len(rates)]]
        assert sorted(shared) == sorted(penalties) and len(penalties) == 6 * len(rates)


def grid(**methods):
    """A table from nested mappings: method, data set, then ``(rate, rounds): [(area, held out) a split]``."""
    rows = [
        (dataset, split, rate, method, rounds, *pair)
        for method, sets in methods.items()
        for dataset, cells in sets.items()
        for (rate, rounds), pairs in cells.items()
        for split, pair in enumerate(pairs)
    ]
    columns = ["dataset", "split", "rate", "method", "rounds", "area", "held_out"]
    penalties = pd.DataFrame(
        {"dataset": ["b", "b", "a"], "split": 0, "C": [1.0, 0.1, 1.0], "area": [0.4, 0.6, 0.1],
         "held_out": [0.2, 0.2, 0.3]}
    )  # fmt: skip
    return Areas({"areas": pd.DataFrame(rows, columns=columns), "penalties": penalties})


def test_plain_common_and_chosen():
    areas = grid(
        m={
            "b": {(1.0, 100): [(0.5, 0.3), (0.3, 0.1)], (1.0, 10): [(0.2, 0.3), (0.2, 0.2)],
                  (0.1, 100): [(0.9, 0.4), (0.7, 0.1)]},
            "a": {(1.0, 100): [(0.1, 0.3), (0.1, 0.3)], (1.0, 10): [(0.3, 0.2), (0.3, 0.4)],
                  (0.1, 100): [(0.2, 0.1), (0.2, 0.2)]},
        },
        other={
            "b": {(1.0, 100): [(1.0, 1.0)], (1.0, 10): [(0.8, 1.0)], (0.1, 100): [(0.1, 1.0)]},
            "a": {(1.0, 100): [(1.0, 1.0)], (1.0, 10): [(0.5, 1.0)], (0.1, 100): [(0.7, 1.0)]},
        },
    )  # fmt: skip
    assert areas.plain("m").to_dict() == {"b": 0.4, "a": 0.1}
    # for b the best of a, and the other way round
    assert areas.common("m").to_dict() == pytest.approx({"b": 0.4, "a": 0.3})
    assert areas.common("m", setting_of="other").to_dict() == pytest.approx({"b": 0.2, "a": 0.2})
    # of settings that are equal on what is held out, the fewest rounds, then the largest rate
    assert areas.chosen("m").to_dict() == pytest.approx({"b": (0.2 + 0.3) / 2, "a": 0.2})
    assert list(areas.chosen("m").index) == ["b", "a"]
    assert areas.chosen("m", rounds=100).to_dict() == pytest.approx({"b": 0.4, "a": 0.2})
    assert areas.chosen("m", rate=1.0)["a"] == pytest.approx((0.3 + 0.1) / 2)
    assert areas.chosen_regression().to_dict() == {"b": 0.6, "a": 0.1}  # the stronger penalty


def test_the_questions_compare_what_they_say():
    rng = np.random.default_rng(0)
    boosted = [*TRAINED_WITH_COSTS, "AdaMEC", "AdaMEC, chosen by folds", "AdaMEC, cross-fitted", "LightGBM"]
    boosted += [f"{name}, calibrated" for name in ("AdaMEC", "CGAda", "AsymAda")]
    areas = grid(
        **{
            name: {
                dataset: {
                    (rate, rounds): rng.uniform(size=(2, 2)).tolist()
                    for rate in (1.0, 0.1)
                    for rounds in (10, 100)
                }
                for dataset in ("b", "a")
            }
            for name in boosted
        }
    )
    gaps = {question.name: question.differences(areas) for question in QUESTIONS}
    counts = {name: len(of) for name, of in gaps.items()}
    assert counts == {"calibration": 12, "training": 33, "ranks": 15, "parts": 8, "rivals": 4}
    assert [question.margin for question in QUESTIONS] == [0.005, 0.005, 1.0, 0.005, 0.005]
    gap = areas.chosen("CGAda, calibrated") - areas.chosen("CGAda")
    assert gaps["calibration"]["CGAda, calibrated, less CGAda: chosen"].equals(gap)
    gap = areas.common("AdaC1", setting_of="AdaMEC") - areas.common("AdaMEC")
    assert gaps["training"]["AdaC1, less AdaMEC: equal"].equals(gap)
    assert np.all(np.abs(sum(gaps["ranks"].values())) < 1e-12)  # what one gains others lose
    both, rounds = areas.chosen("CGAda"), areas.chosen("CGAda", rate=1.0)
    assert gaps["parts"]["CGAda: both chosen, less rounds"].equals(both - rounds)
    gap = areas.chosen("AdaMEC, cross-fitted") - areas.chosen_regression()
    assert gaps["rivals"]["AdaMEC, cross-fitted, less logistic regression"].equals(gap)
