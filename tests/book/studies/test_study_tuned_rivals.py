"""Study rivals on bundled sets, against estimators fitted one by one; its losses against closed forms."""

import numpy as np
import pandas as pd
import pytest
from lightgbm import LGBMClassifier
from scipy.differentiate import derivative
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from csb.engine.elementary import expit
from csbook.studies import TUNED_RIVALS
from csbook.studies.n16 import examples
from csbook.studies.tuned_rivals import (
    LEARNERS,
    RIVAL_QUESTIONS,
    USES,
    capped,
    choose,
    compute,
    configurations,
    focal_loss,
    mean_losses,
)

SETTINGS = dict(TUNED_RIVALS.settings) | {"ratios": [4.0], "configurations": 2}
UNIT = ("wdbc", 1)


@pytest.fixture(scope="module")
def split():
    return examples(UNIT, SETTINGS)


def table(**changes):
    return compute(UNIT, SETTINGS | changes)


def errors(decided, positive):
    return [int(np.sum(~decided & positive)), int(np.sum(decided & ~positive))]


def found(tables, learner, settings, use, ratio):
    rows = tables["rivals"].set_index(["learner", "settings", "use", "ratio"])
    return rows.loc[learner, settings, use, ratio].tolist()


def parts(split, seed):
    return list(StratifiedKFold(3, shuffle=True, random_state=seed).split(split.X, split.y))


def test_scale_pos_weight_is_a_weight_but_for_where_boosting_starts(split):
    train, _, _ = split
    weight = np.where(train.y == 1, 4.0, 1.0)

    def gap(make, **given):
        scaled = make(scale_pos_weight=4.0, n_jobs=1, **given).fit(train.X, train.y)
        weighted = make(n_jobs=1, **given).fit(train.X, train.y, sample_weight=weight)
        return np.max(np.abs(scaled.predict_proba(train.new) - weighted.predict_proba(train.new)))

    # LightGBM starts from the share of positives, which only sample weights move
    assert gap(LGBMClassifier, verbose=-1, boost_from_average=False) == 0
    assert gap(LGBMClassifier, verbose=-1) > 1e-3
    XGBClassifier = pytest.importorskip("xgboost").XGBClassifier
    # and XGBoost's bins are quantiles of the weighted examples
    assert gap(XGBClassifier, tree_method="exact", base_score=0.5) < 1e-6
    assert gap(XGBClassifier, base_score=0.5) > 1e-3


@pytest.mark.parametrize("gamma", [0.0, 0.5, 2.0])
@pytest.mark.parametrize("label", [0, 1])
def test_focal_loss_has_the_derivatives_of_its_formula(gamma, label):
    score = np.linspace(-6, 6, 13)

    def loss(f):
        p = 1 / (1 + np.exp(-f)) if label else 1 / (1 + np.exp(f))
        return -3 * (1 - p) ** gamma * np.log(p)

    slope, curvature = focal_loss(np.full(13, label), score, np.full(13, 3.0), gamma=gamma)
    np.testing.assert_allclose(slope, derivative(loss, score).df, rtol=1e-7)
    exact = derivative(lambda f: derivative(loss, f).df, score, initial_step=0.1).df
    margin = score if label else -score
    floor = np.abs(slope) / (1 + np.exp(-margin))
    np.testing.assert_allclose(curvature, np.maximum(exact, floor), rtol=1e-4)
    assert np.all(curvature > 0)


def test_losses_of_lightgbm_where_they_are_the_logistic_one(split):
    train, _, seed = split
    given = {"learning_rate": 0.05, "num_leaves": 4}
    plain = LGBMClassifier(n_jobs=1, verbose=-1, **given).fit(train.X, train.y)
    p = plain.predict_proba(train.new)[:, 1]
    focal = LEARNERS["focal loss"].train(train.X, train.y, None, seed, gamma=0.0, **given)
    np.testing.assert_allclose(focal.probability(train.new), p, rtol=1e-4)
    weighted = LEARNERS["LightGBM"].train(train.X, train.y, (4.0, 1.0), seed, **given)
    focal = LEARNERS["focal loss"].train(train.X, train.y, (4.0, 1.0), seed, gamma=0.0, **given)
    np.testing.assert_allclose(focal.probability(train.new), weighted.probability(train.new), rtol=1e-4)
    # the full adjustment to the classes is LightGBM, cut at the share of positives
    adjusted = LEARNERS["logit adjustment"].train(train.X, train.y, None, seed, tau=1.0, **given)
    np.testing.assert_allclose(adjusted.probability(train.new), p, rtol=1e-9)
    assert adjusted.cut == pytest.approx(np.mean(train.y))
    dear = LEARNERS["logit adjustment"].train(train.X, train.y, (4.0, 1.0), seed, tau=1.0, **given)
    assert dear.cut == pytest.approx(1 / 5)
    halved = LEARNERS["logit adjustment"].train(train.X, train.y, (4.0, 1.0), seed, tau=0.5, **given)
    assert halved.cut == pytest.approx(expit(0.5 * np.log(1 / 4)))


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_draws_as_many_settings(name):
    drawn = configurations(name, 8, 2016)
    assert drawn[0] == {} and len(drawn) == 8
    assert len({tuple(each.items()) for each in drawn}) == 8
    assert drawn == configurations(name, 8, 2016)
    space = LEARNERS[name].space
    assert all(each[key] in space[key] for each in drawn[1:] for key in space)


def test_a_race_keeps_the_better_half():
    losses = np.array([[5, 0, 0], [1, 9, 9], [2, 2, 2], [3, 2, 0], [4, 0, 0], [6, 0, 0.0]])
    asked = []

    def loss(setting, fold):
        asked.append((setting, fold))
        return losses[setting, fold]

    assert choose(loss, 6, 3) == 2
    assert asked == [(k, 0) for k in range(6)] + [(1, 1), (2, 1), (3, 1)]  # one is left
    assert choose(lambda *_: pytest.fail("nothing to choose"), 1, 3) == 0
    assert choose(lambda setting, fold: 1.0, 8, 3) == 0  # of equal ones the default


def test_settings_are_chosen_by_what_they_are_for(split):
    train, _, seed = split
    tables = table(learners=["logistic regression"])
    _, drawn = configurations("logistic regression", 2, SETTINGS["seed"])
    (fit, held_out), *_ = parts(train, seed)
    y = train.y[held_out]
    scaler = StandardScaler().fit(train.X[fit])
    of = {"neither": [], "misses": [], "alarms": []}
    for C in (1.0, drawn["C"]):
        for dear, (fn, fp) in {"neither": (1, 1), "misses": (5, 1), "alarms": (1, 5)}.items():
            weight = np.where(train.y[fit] == 1, fn, fp).astype(float)
            model = LogisticRegression(C=C, tol=1e-10, max_iter=10**4)
            model.fit(scaler.transform(train.X[fit]), train.y[fit], weight / weight.mean())
            p = model.predict_proba(scaler.transform(train.X[held_out]))[:, 1]
            p = np.clip(p, 1 / (len(train.y) + 2), 1 - 1 / (len(train.y) + 2))
            missed, alarms = errors(p > 0.5, y == 1)
            log_loss = -np.sum(np.log(np.where(y == 1, p, 1 - p)))
            of[dear].append(log_loss if dear == "neither" else fn * missed + fp * alarms)
    chosen = tables["chosen"].set_index("dear")["number"]
    assert chosen.to_dict() == {dear: int(np.argmin(losses)) for dear, losses in of.items()}


def test_a_large_training_part_is_drawn_from_class_by_class(split):
    train, _, seed = split
    small = capped(train, 100, seed)
    assert capped(train, 10**4, seed) is train
    assert abs(len(small.y) - 100) <= 1 and abs(np.mean(small.y) - np.mean(train.y)) < 0.01
    rows = {row.tobytes() for row in train.X}
    assert all(row.tobytes() in rows for row in small.X) and len(np.unique(small.X, axis=0)) == len(small.X)
    assert small.new is train.new


def test_the_questions_compare_what_they_say():
    rng = np.random.default_rng(0)
    keys = pd.MultiIndex.from_product(
        [["b", "a"], [0, 1], list(LEARNERS), ["tuned", "default"], USES, [2.0, 0.5]],
        names=["dataset", "split", "learner", "settings", "use", "ratio"],
    )
    rivals = pd.DataFrame(rng.integers(0, 5, (len(keys), 2)), keys, ["fn", "fp"]).reset_index()
    sizes = pd.DataFrame(
        {"dataset": list("bbaa"), "split": [0, 1, 0, 1], "test": 20, "test_positives": [5, 8, 5, 8]}
    )
    loss = mean_losses({"rivals": rivals, "sizes": sizes})
    assert list(loss.index) == ["b", "a"]
    total = 0.0
    rows = rivals.query("dataset == 'a' and learner == 'XGBoost' and settings == 'tuned'")
    for row in rows.query("use == 'calibrated'").itertuples():  # Eq. (26), in plain Python
        n_pos = {0: 5, 1: 8}[row.split]
        z = (20 - n_pos) / (20 - n_pos + n_pos * row.ratio)
        total += ((1 - z) * row.fn / n_pos + z * row.fp / (20 - n_pos)) / 4
    assert loss.loc["a", ("tuned", "XGBoost", "calibrated")] == pytest.approx(total)
    gaps = {question.name: question.differences(loss) for question in RIVAL_QUESTIONS}
    n = len(LEARNERS)
    counts = {name: len(of) for name, of in gaps.items()}
    assert counts == {
        "training": n, "decision": 4 * n, "losses": 4, "rivals": 2 * n - 1, "tuning": 2 * n
    }  # fmt: skip
    gap = loss["tuned", "XGBoost", "trained with the costs"] - loss["tuned", "XGBoost", "calibrated"]
    assert gaps["training"]["XGBoost"].equals(gap)
    gap = loss["tuned", "LightGBM", "tuned threshold"] - loss["tuned", "LightGBM", "calibrated"]
    assert gaps["decision"]["LightGBM: tuned threshold"].equals(gap)
    gap = loss["tuned", "focal loss", "trained with the costs"] - loss["tuned", "LightGBM", "calibrated"]
    assert gaps["losses"]["focal loss, less LightGBM calibrated"].equals(gap)
    gap = loss["tuned", "random forest", "calibrated"] - loss["tuned", "AdaBoost", "calibrated"]
    assert gaps["rivals"]["random forest, calibrated"].equals(gap)
    gap = loss["tuned", "XGBoost", "calibrated"] - loss["default", "XGBoost", "calibrated"]
    assert gaps["tuning"]["XGBoost: calibrated"].equals(gap)
