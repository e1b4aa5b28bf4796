"""Study weights_or_calibration on a bundled set, against scikit-learn's own calls; its rules by hand."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csb.evaluation.calibration import PlattScaling
from csbook.chapters.verdicts import question_rules
from csbook.studies.measures import BANDS
from csbook.studies.n16 import examples
from csbook.studies.tuned_rivals import capped, configurations
from csbook.studies.weights_or_calibration import (
    CRITERIA,
    WEIGHT_ARMS,
    WEIGHT_QUESTIONS,
    WEIGHTS_OR_CALIBRATION,
    compute,
    weight_losses,
)

NEAR, MIDDLE, FAR = BANDS
SETTINGS = dict(WEIGHTS_OR_CALIBRATION.settings) | {"learners": ["logistic regression"], "ratios": [5.0]}


def log_odds(p, n):
    p = np.clip(p, 1 / (n + 2), 1 - 1 / (n + 2))
    return np.log(p / (1 - p))


@pytest.fixture(scope="module")
def found():
    return compute((1, "wdbc"), SETTINGS)["counts"].set_index(["criterion", "arm", "ratio"])


@pytest.mark.parametrize(("fn_cost", "fp_cost"), [(5.0, 1.0), (1.0, 5.0)])
@pytest.mark.parametrize("arm", WEIGHT_ARMS)
@pytest.mark.parametrize("by", CRITERIA)
def test_an_arm_of_logistic_regression_is_what_scikit_learn_gives(found, by, arm, fn_cost, fp_cost):
    split, tested, seed = examples(("wdbc", 1), SETTINGS)
    split = capped(split, 600, seed)
    X, y, n = split.X, split.y, len(split.y)
    cv = StratifiedKFold(3, shuffle=True, random_state=seed)
    weight = np.where(y == 1, fn_cost, fp_cost) if arm.startswith("weighted") else np.ones(n)
    c = fp_cost / (fn_cost + fp_cost)
    judged = []
    for setting in configurations("logistic regression", 4, SETTINGS["seed"]):
        C = setting.get("C", 1.0)

        def fit(X, y, w, C=C):
            scale = StandardScaler().fit(X)
            w = w / w.mean()
            model = LogisticRegression(C=C, solver="newton-cholesky", tol=1e-10)
            return make_pipeline(scale, model.fit(scale.transform(X), y, sample_weight=w))

        out = np.empty(n)
        for rest, own in cv.split(X, y):
            out[own] = fit(X[rest], y[rest], weight[rest]).predict_proba(X[own])[:, 1]
        new = fit(X, y, weight).predict_proba(split.new)[:, 1]
        score = log_odds(out, n)
        if arm.endswith("calibrated"):
            new = PlattScaling().fit(score, y).predict(log_odds(new, n))
            out = np.empty(n)
            for rest, own in cv.split(X, y):
                out[own] = PlattScaling().fit(score[rest], y[rest]).predict(score[own])
        cut = 0.5 if arm == "weighted" else c
        decided = out > cut
        cost = fn_cost * np.sum(~decided & (y == 1)) + fp_cost * np.sum(decided & (y == 0))
        odds = out / np.maximum(1 - out, 1e-300) * (fp_cost / fn_cost if arm == "weighted" else 1)
        p = np.clip(odds / (1 + odds), 1 / (n + 2), 1 - 1 / (n + 2))
        judged.append((cost if by == "cost" else log_loss(y, p), new > cut))
    best = min(range(4), key=lambda k: judged[k][0])
    row = found.loc[by, arm, fn_cost / fp_cost]
    decided = judged[best][1]
    assert row["setting"] == best
    assert (row["fn"], row["fp"]) == (np.sum(~decided & tested), np.sum(decided & ~tested))


def drawn_tables():
    rng = np.random.default_rng(0)
    learners = ("AdaBoost", "logistic regression")
    keys = [
        (split, name, learner, by, arm, ratio)
        for split in range(2) for name in "abc" for learner in learners for by in CRITERIA
        for arm in WEIGHT_ARMS for ratio in (2, 0.5, 5, 0.2, 25, 0.04)
    ]  # fmt: skip
    counts = pd.DataFrame(keys, columns=["split", "dataset", "learner", "criterion", "arm", "ratio"])
    counts = counts.assign(fn=rng.integers(0, 8, len(counts)), fp=rng.integers(0, 12, len(counts)))
    sizes = pd.DataFrame([(s, d, 20, 8) for s in range(2) for d in "abc"],
                         columns=["split", "dataset", "test", "test_positives"])  # fmt: skip
    return {"counts": counts, "sizes": sizes}


def test_the_questions_are_those_written_down_and_compare_what_they_say():
    tables = drawn_tables()
    losses = weight_losses(tables)
    rules = question_rules("weights_or_calibration").set_index("question")
    asked = rules[rules["rank"] != "design"]
    assert list(WEIGHT_QUESTIONS) == list(asked.index)
    for name, question in WEIGHT_QUESTIONS.items():
        assert (question.text, question.rule) == (rules.loc[name, "text"], rules.loc[name, "rule"])
        if name != "learners":  # of which the drawn tables have two of four
            assert len(question.differences(losses)) == int(rules.loc[name, "looks"])

    def loss(dataset, arm, by, ratios, learners=("AdaBoost", "logistic regression")):
        of = tables["counts"].query("dataset == @dataset and arm == @arm and criterion == @by")
        of = of[of["ratio"].isin(ratios) & of["learner"].isin(learners)]
        z = 12 / 20 / (12 / 20 + 8 / 20 * of["ratio"])  # Eq. (26): share times cost of the false alarms
        return ((1 - z) * of["fn"] / 8 + z * of["fp"] / 12).mean()

    near, middle, far = (2, 0.5), (5, 0.2), (25, 0.04)
    both, costs = "weighted, calibrated", "calibrated"
    one = ("AdaBoost",)
    for name, what, first, second, by, ratios, learners in [
        ("training", f"weighted, calibrated, less calibrated, {FAR}", both, costs, "cost", far, None),
        ("uncalibrated", f"weighted less plain, {NEAR}", "weighted", "plain", "cost", near, None),
        ("ways", f"weighted less calibrated, {MIDDLE}", "weighted", costs, "cost", middle, None),
        ("sigmoid", f"with weights, {MIDDLE}", both, "weighted", "cost", middle, None),
        ("sigmoid", f"without, {FAR}", costs, "plain", "cost", far, None),
        ("learners", f"AdaBoost, {NEAR}", both, costs, "cost", near, one),
        ("criterion", f"by log loss, {FAR}", both, costs, "log loss", far, None),
    ]:
        of = {} if learners is None else {"learners": learners}
        gap = {d: loss(d, first, by, ratios, **of) - loss(d, second, by, ratios, **of) for d in "abc"}
        assert WEIGHT_QUESTIONS[name].differences(losses)[what].to_dict() == pytest.approx(gap)
        least = min(0.005, 0.1 * np.mean([loss(d, second, by, ratios, **of) for d in "abc"]))
        assert WEIGHT_QUESTIONS[name].margin(losses)[what] == pytest.approx(least)
