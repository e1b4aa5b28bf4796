"""Study calibration_or_step on a bundled set, against estimators fitted one by one; its rules by hand."""

from itertools import product

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import csb
from csb.engine.learners import Tree
from csb.evaluation.calibration import PlattScaling
from csbook.chapters.verdicts import question_rules
from csbook.studies import CALIBRATION_OR_STEP
from csbook.studies.calibration_or_step import (
    ARMS,
    STEP_QUESTIONS,
    STEPS,
    at_steps,
    compute,
    every_step,
    step_losses,
)
from csbook.studies.measures import BANDS
from csbook.studies.n16 import examples

SETTINGS = dict(CALIBRATION_OR_STEP.settings) | {"rates": [1.0, 0.3]}
SETTINGS["stages"] = {"1": [4, 9], "3": [3, 6]}
READINGS = [("equal", 1, 9), ("natural", 3, 3)]
NEAR, MIDDLE, FAR = BANDS
RATIOS = {
    NEAR: (1, 1.5, 2, 2.5), MIDDLE: (3, 5, 7, 9), FAR: (10, 15, 20, 25, 50, 100),
}  # fmt: skip


@pytest.fixture(scope="module", params=READINGS)
def computed(request):
    classes, depth, rounds = request.param
    table = every_step((1, "wdbc", classes, depth), SETTINGS)
    split, positive, seed = examples(("wdbc", 1), SETTINGS | {"balanced": classes == "equal"})
    folds = StratifiedKFold(3, shuffle=True, random_state=seed).split(split.X, split.y)
    learner = {
        "n_estimators": rounds,
        "learning_rate": 0.3,
        "estimator": "stump" if depth == 1 else Tree(max_depth=depth),
    }
    row = table[(table["rate"] == 0.3) & (table["rounds"] == rounds)].iloc[0]
    return row, split, positive, list(folds), learner


def loss(p, positive, band):
    """Mean loss over the ratios of a band, either error dearer, in plain Python."""
    share, found = positive.mean(), []
    for ratio in {1 / r for r in RATIOS[band]} | set(RATIOS[band]):
        z = (1 - share) / (1 - share + share * ratio)
        says = p > 1 / (1 + ratio)
        found.append((1 - z) * np.mean(~says[positive]) + z * np.mean(says[~positive]))
    return np.mean(found)


def check(row, name, p, positive, atol):
    for band in BANDS:
        assert row[f"{name}, {band}"] == pytest.approx(loss(p, positive, band), abs=atol)


def test_arms_are_estimators_fitted_one_by_one(computed):
    row, split, positive, folds, learner = computed
    new = split.new

    def fitted(estimator, rows=slice(None), **settings):
        return estimator(**learner, **settings).fit(split.X[rows], split.y[rows])

    raw = fitted(csb.AdaMEC)
    check(row, "raw", raw.predict_proba(new)[:, 1], positive, 1e-4)
    assert row["hypotheses"] == len(raw.estimator_weights_)
    parts = [fitted(csb.AdaMEC, train).predict_proba(new)[:, 1] for train, _ in folds]
    thirds = [fitted(csb.CalibratedAdaMEC, cv=[fold]).predict_proba(new)[:, 1] for fold in folds]
    for name, each in {"part": parts, "third": thirds}.items():
        for band in BANDS:
            mean = np.mean([loss(p, positive, band) for p in each])
            assert row[f"{name}, {band}"] == pytest.approx(mean, abs=1e-4)
    check(row, "average", np.mean(parts, axis=0), positive, 1e-4)
    together = fitted(csb.CalibratedAdaMEC, cv=folds).predict_proba(new)[:, 1]
    check(row, "calibrated average", together, positive, 1e-4)
    scores = np.empty(len(split.y))
    for train, test in folds:
        scores[test] = fitted(csb.AdaMEC, train).decision_function(split.X[test])
    sigmoid = PlattScaling().fit(scores, split.y)
    check(row, "pooled", sigmoid.predict(raw.decision_function(new)), positive, 1e-4)


def test_steps_are_judged_out_of_fold(computed):
    row, split, _, folds, learner = computed
    scores, mended = np.empty((2, len(split.y)))
    for train, test in folds:
        scores[test] = (
            csb.AdaMEC(**learner).fit(split.X[train], split.y[train]).decision_function(split.X[test])
        )
    for train, test in folds:  # the sigmoid has not seen the fold that it is judged on
        mended[test] = PlattScaling().fit(scores[train], split.y[train]).predict(scores[test])
    for name, p in {"raw": 1 / (1 + np.exp(-2 * scores)), "sigmoid": mended}.items():
        check(row, f"held out {name}", p, split.y == 1, 1e-5)
        assert row[f"held out {name}, log loss"] == pytest.approx(log_loss(split.y, p), abs=1e-5)


def test_every_band_and_reading_is_there():
    tables = compute((0, "wdbc", "equal", 1), SETTINGS | {"stages": {"1": [4, 100]}})
    assert set(ARMS) < set(tables["losses"].columns)
    assert set(map(tuple, tables["losses"][["steps", "band"]].to_numpy())) == set(product(STEPS, BANDS))
    assert len(tables["course"]) == 4
    units = CALIBRATION_OR_STEP.units(CALIBRATION_OR_STEP.settings)
    assert [unit[0] for unit in units] == sorted(unit[0] for unit in units)  # split by split
    assert len(units) == 6 * 18 * CALIBRATION_OR_STEP.settings["splits"]
    assert {(classes, depth) for _, _, classes, depth in units} == set(
        product(("equal", "natural"), (1, 3, 6))
    )


def test_the_design_names_the_bands_and_their_ratios():
    rules = question_rules("calibration_or_step").set_index("question")
    told = "; ".join(f"{band}: {', '.join(f'{r:g}' for r in ratios)}" for band, ratios in RATIOS.items())
    assert rules.loc["bands", "text"].tolist()[0] == told
    ratios = [1.0, *CALIBRATION_OR_STEP.settings["ratios"]]
    assert ratios == [ratio for of_band in RATIOS.values() for ratio in of_band]
    assert all(low <= r <= high for band, (low, high) in BANDS.items() for r in RATIOS[band])


def a_table(judged):
    """Four steps, fewest rounds and largest rate first; a loss tells the step, the arm and the band."""
    steps = [(1.0, 50), (0.1, 50), (1.0, 100), (0.1, 100)]
    table = pd.DataFrame(steps, columns=["rate", "rounds"])
    for (k, arm), (n, band) in product(enumerate(ARMS), enumerate(BANDS)):
        table[f"{arm}, {band}"] = [0.1 * step + 0.01 * k + 0.001 * n for step in range(4)]
    for link, what in product(("raw", "sigmoid"), (*BANDS, "log loss")):
        table[f"held out {link}, {what}"] = judged.get((link, what), [0.0, 0.0, 0.0, 0.0])
    return table


def test_full_and_chosen_steps():
    found = at_steps(a_table({
        ("raw", MIDDLE): [0.3, 0.2, 0.1, 0.2], ("raw", FAR): [0.3, 0.2, 0.2, 0.2],
        ("sigmoid", FAR): [0.4, 0.4, 0.4, 0.3], ("raw", "log loss"): [0.4, 0.4, 0.4, 0.3],
        ("sigmoid", "log loss"): [0.4, 0.3, 0.3, 0.3],
    })).set_index(["steps", "band"])  # fmt: skip
    of_raw = ["raw", "part", "average"]
    step = {  # for the probabilities as they are, and for those of the sigmoid
        ("full", NEAR): (2, 2), ("full", MIDDLE): (2, 2), ("full", FAR): (2, 2),
        ("chosen", NEAR): (0, 0),  # of equal ones the fewest rounds, then the largest rate
        ("chosen", MIDDLE): (2, 0), ("chosen", FAR): (1, 3),
        ("by log loss", NEAR): (3, 1), ("by log loss", MIDDLE): (3, 1), ("by log loss", FAR): (3, 1),
    }  # fmt: skip
    assert set(found.index) == set(step)
    for (steps, band), places in step.items():
        row = found.loc[(steps, band)]
        for k, arm in enumerate(ARMS):
            place = places[arm not in of_raw]
            assert row[arm] == pytest.approx(0.1 * place + 0.01 * k + 0.001 * list(BANDS).index(band))
        for link, place in zip(("raw", "sigmoid"), places, strict=True):
            assert row[f"{link} rate"] == (0.1 if place % 2 else 1.0)
            assert row[f"{link} rounds"] == (100 if place > 1 else 50)


def tables(readings):
    """Random losses of every arm, steps and band, on two splits of three sets."""
    rng = np.random.default_rng(0)
    keys = product((0, 1), "cab", readings, STEPS, BANDS)
    rows = [(split, name, *reading, *at, *rng.uniform(0.05, 0.2, 6)) for split, name, reading, *at in keys]
    columns = ["split", "dataset", "classes", "depth", "steps", "band", *ARMS]
    return {"losses": pd.DataFrame(rows, columns=columns)}


ALL = list(product(("equal", "natural"), (1, 3, 6)))


def test_losses_are_means_over_splits_and_readings():
    of = tables(ALL)
    losses = step_losses(of)
    assert losses.readings == [f"{classes}, {depth}" for classes, depth in ALL]
    rows = of["losses"].query("dataset == 'a' and steps == 'chosen' and band == @FAR")
    assert losses.of("third, chosen", FAR)["a"] == pytest.approx(rows["third"].mean())
    own = rows.query("classes == 'natural' and depth == 3")["third"].mean()
    assert losses.of("third, chosen", FAR, "natural, 3")["a"] == pytest.approx(own)


def test_the_questions_are_those_written_down_and_compare_what_they_say():
    losses = step_losses(tables(ALL))
    rules = question_rules("calibration_or_step")
    for row in rules[rules["rank"] != "design"].itertuples():
        asked = [of for name, of in STEP_QUESTIONS.items() if name.split(",")[0] == row.question]
        assert len(asked) == (3 if row.question == "default" else 1)
        for question in asked:
            assert (question.text, question.rule) == (row.text, row.rule)
            differences, margins = question.differences(losses), question.margin(losses)
            assert len(differences) == int(row.looks) and differences.keys() == margins.keys()
            assert all(set(each.index) == set("abc") for each in differences.values())

    def gap(one, other, band, reading=None):
        of = [losses.of(each, band, reading) for each in (one, other)]
        return of[0] - of[1], min(0.005, 0.1 * of[1].mean())

    for name, what, expected in [
        ("calibration", "pooled less raw", gap("pooled, chosen", "raw, chosen", FAR)),
        ("average", "calibrated average less average",
         gap("calibrated average, chosen", "average, chosen", FAR)),
        ("bands", "full, 3 to 9", gap("pooled, full", "raw, full", MIDDLE)),
        ("bands", "chosen, up to 2.5", gap("pooled, chosen", "raw, chosen", NEAR)),
        ("name", "pooled, full, less raw, chosen, 10 and more", gap("pooled, full", "raw, chosen", FAR)),
        ("readings", "natural, 3", gap("pooled, chosen", "raw, chosen", FAR, "natural, 3")),
        ("effects", "data, 3 to 9", gap("part, chosen", "raw, chosen", MIDDLE)),
        ("effects", "averaging, 3 to 9", gap("average, chosen", "part, chosen", MIDDLE)),
        ("effects", "steps, up to 2.5", gap("raw, chosen", "raw, full", NEAR)),
        ("effects", "link, 10 and more", gap("pooled, full", "raw, full", FAR)),
        ("third", "full, 10 and more", gap("third, full", "raw, full", FAR)),
        ("third", "chosen, 3 to 9", gap("third, chosen", "raw, chosen", MIDDLE)),
        ("default, 3 to 9", "average, chosen", gap("average, chosen", "raw, full", MIDDLE)),
        ("criterion", "by log loss, 10 and more", gap("pooled, by log loss", "raw, by log loss", FAR)),
    ]:  # fmt: skip
        pd.testing.assert_series_equal(
            STEP_QUESTIONS[name].differences(losses)[what], expected[0], check_names=False
        )
        assert STEP_QUESTIONS[name].margin(losses)[what] == pytest.approx(expected[1])
