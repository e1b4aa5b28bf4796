"""Study calibration_or_step on a bundled set, against estimators fitted one by one; its rules by hand."""

import subprocess
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

import csb
from csb.engine.learners import Tree
from csb.evaluation.calibration import PlattScaling
from csbook.chapters.verdicts import question_rules
from csbook.studies import CALIBRATION_OR_STEP, recorded
from csbook.studies.calibration_or_step import ARMS, BANDS, STEP_QUESTIONS, Losses, Option, compute
from csbook.studies.n16 import examples

ROOT = Path(__file__).parents[3]
SETTINGS = dict(CALIBRATION_OR_STEP.settings) | {"rates": [1.0, 0.3]}
SETTINGS["stages"] = {"1": [4, 9], "3": [3, 6]}
READINGS = [("equal", 1, 9), ("natural", 3, 3)]


@pytest.fixture(scope="module", params=READINGS)
def computed(request):
    classes, depth, rounds = request.param
    tables = compute((1, "wdbc", classes, depth), SETTINGS)
    split, positive, seed = examples(("wdbc", 1), SETTINGS | {"balanced": classes == "equal"})
    folds = StratifiedKFold(3, shuffle=True, random_state=seed).split(split.X, split.y)
    learner = {
        "n_estimators": rounds,
        "learning_rate": 0.3,
        "estimator": "stump" if depth == 1 else Tree(max_depth=depth),
    }
    rows = [of[(of["rate"] == 0.3) & (of["rounds"] == rounds)].iloc[0] for of in tables.values()]
    return *rows, split, positive, list(folds), learner


def loss(p, positive, band):
    """Mean loss over the ratios of a band, either error dearer, in plain Python."""
    share, found = positive.mean(), []
    for ratio in {1 / r for r in BANDS[band]} | set(BANDS[band]):
        z = (1 - share) / (1 - share + share * ratio)
        says = p > 1 / (1 + ratio)
        found.append((1 - z) * np.mean(~says[positive]) + z * np.mean(says[~positive]))
    return np.mean(found)


def check(row, name, p, positive, atol):
    for band in BANDS:
        assert row[f"{name}, {band}"] == pytest.approx(loss(p, positive, band), abs=atol)


def test_arms_are_estimators_fitted_one_by_one(computed):
    row, _, split, positive, folds, learner = computed
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
    _, row, split, _, folds, learner = computed
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
    tables = compute((0, "wdbc", "equal", 1), SETTINGS)
    assert set(tables["losses"].columns) >= {f"{arm}, {band}" for arm, band in product(ARMS, BANDS)}
    units = CALIBRATION_OR_STEP.units(CALIBRATION_OR_STEP.settings)
    assert [unit[0] for unit in units] == sorted(unit[0] for unit in units)  # split by split
    assert len(units) == 6 * 18 * CALIBRATION_OR_STEP.settings["splits"]
    assert {(classes, depth) for _, _, classes, depth in units} == set(
        product(("equal", "natural"), (1, 3, 6))
    )


def tables(cells):
    """From ``(set, classes, depth): {(rate, rounds): (loss, held out)}``, the loss of raw; of others more."""
    losses, held_out = [], []
    for (name, classes, depth), steps in cells.items():
        for (rate, rounds), (value, judged) in steps.items():
            at = {
                "split": 0,
                "dataset": name,
                "classes": classes,
                "depth": depth,
                "rate": rate,
                "rounds": rounds,
            }
            of = {f"{arm}, {band}": value + 0.1 * ARMS.index(arm) for arm in ARMS for band in BANDS}
            links = {"raw": judged, "sigmoid": 1 - judged}
            by = {f"held out {link}, {what}": v for link, v in links.items() for what in (*BANDS, "log loss")}
            losses.append(at | of)
            held_out.append(at | by)
    return {"losses": pd.DataFrame(losses), "held_out": pd.DataFrame(held_out)}


def test_full_and_chosen_steps():
    steps = {(1.0, 100): (0.5, 0.3), (0.1, 100): (0.3, 0.2), (1.0, 50): (0.2, 0.2), (0.1, 50): (0.1, 0.2)}
    other = {(1.0, 100): (0.6, 0.1), (0.1, 100): (0.4, 0.2), (1.0, 50): (0.3, 0.2), (0.1, 50): (0.0, 0.2)}
    losses = Losses(tables({("b", "equal", 1): steps, ("b", "natural", 1): other, ("a", "equal", 1): steps,
                            ("a", "natural", 1): steps}))  # fmt: skip
    assert losses.readings == ["equal, 1", "natural, 1"]
    assert losses.of(Option("raw", "full"), "far").to_dict() == pytest.approx({"b": 0.55, "a": 0.5})
    # of equal ones the fewest rounds, then the largest rate
    assert losses.of(Option("raw"), "far").to_dict() == pytest.approx({"b": (0.2 + 0.6) / 2, "a": 0.2})
    assert losses.of(Option("raw"), "far", ["natural, 1"])["b"] == pytest.approx(0.6)
    # a calibrated arm is chosen by what its own link does out of fold
    assert losses.of(Option("pooled"), "far", ["natural, 1"])["b"] == pytest.approx(0.3 + 0.3)
    assert losses.of(Option("pooled", "by log loss"), "near", ["equal, 1"])["b"] == pytest.approx(0.5 + 0.3)


def test_the_questions_are_those_written_down_and_compare_what_they_say():
    rng = np.random.default_rng(0)
    keys = product("cab", ("equal", "natural"), (1, 3, 6))
    cells = {key: {at: rng.uniform(0.05, 0.2, 2) for at in product((1.0, 0.1), (10, 100))} for key in keys}
    losses = Losses(tables(cells))
    rules = question_rules("calibration_or_step")
    for row in rules[rules["rank"] != "design"].itertuples():
        asked = [of for name, of in STEP_QUESTIONS.items() if name.split(",")[0] == row.question]
        assert len(asked) == (3 if row.question == "default" else 1)
        for question in asked:
            assert (question.text, question.rule) == (row.text, row.rule)
            differences, margins = question.differences(losses), question.margin(losses)
            assert len(differences) == int(row.looks) and differences.keys() == margins.keys()
            assert all(list(each.index) == ["c", "a", "b"] for each in differences.values())

    def gap(one, other, band, readings=None):
        of = [losses.of(Option(*each.split("/")), band, readings) for each in (one, other)]
        return of[0] - of[1], min(0.005, 0.1 * of[1].mean())

    for name, what, expected in [
        ("calibration", "pooled less raw", gap("pooled/chosen", "raw/chosen", "far")),
        ("average", "calibrated average less average",
         gap("calibrated average/chosen", "average/chosen", "far")),
        ("bands", "full, 3 to 9", gap("pooled/full", "raw/full", "middle")),
        ("bands", "chosen, up to 2.5", gap("pooled/chosen", "raw/chosen", "near")),
        ("name", "pooled, full, less raw, chosen, 10 and more", gap("pooled/full", "raw/chosen", "far")),
        ("readings", "natural, 3", gap("pooled/chosen", "raw/chosen", "far", ["natural, 3"])),
        ("effects", "data, 3 to 9", gap("part/chosen", "raw/chosen", "middle")),
        ("effects", "averaging, 3 to 9", gap("average/chosen", "part/chosen", "middle")),
        ("effects", "steps, up to 2.5", gap("raw/chosen", "raw/full", "near")),
        ("effects", "link, 10 and more", gap("pooled/full", "raw/full", "far")),
        ("third", "full, 10 and more", gap("third/full", "raw/full", "far")),
        ("default, 3 to 9", "average, chosen", gap("average/chosen", "raw/full", "middle")),
        ("criterion", "by log loss, 10 and more", gap("pooled/by log loss", "raw/by log loss", "far")),
    ]:  # fmt: skip
        pd.testing.assert_series_equal(STEP_QUESTIONS[name].differences(losses)[what], expected[0])
        assert STEP_QUESTIONS[name].margin(losses)[what] == pytest.approx(expected[1])


def test_the_rules_were_written_before_the_run():
    kept = recorded("calibration_or_step")
    rules = kept.manifest["settings"]["rules"]
    assert rules["sha256"] == question_rules("calibration_or_step").attrs["sha256"]
    took = timedelta(seconds=kept.run["wall_seconds"])
    assert datetime.fromisoformat(rules["written"]) < datetime.fromisoformat(kept.run["finished"]) - took


def test_no_study_stood_beside_the_rules_when_they_were_written():
    rules = CALIBRATION_OR_STEP.settings["rules"]

    def git(*command):
        return subprocess.run(["git", *command], cwd=ROOT, capture_output=True, text=True, check=False)

    if git("cat-file", "-e", f"{rules['commit']}^{{commit}}").returncode:
        pytest.skip("needs the history of the project")
    assert git("log", "-1", "--format=%cI", rules["commit"]).stdout.strip() == rules["written"]
    now = (ROOT / "data" / "questions.csv").read_text("utf-8").splitlines()
    then = git("show", f"{rules['commit']}:data/questions.csv").stdout.splitlines()
    assert [line for line in now if line.startswith("calibration_or_step,")] == then[1:]
    files = git("ls-tree", "-r", "--name-only", rules["commit"]).stdout
    assert "data/questions.csv" in files and "calibration_or_step" not in files
