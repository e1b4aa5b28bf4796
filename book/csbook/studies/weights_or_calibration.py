"""Do costs in the training gain anything once both ways are calibrated and tuned alike?

The sets, splits and test parts are those of study n16, with the classes as unequal as they are, and the
learners and their settings four of those of study n16/rivals. Each trains with examples of equal weight, and
again for each cost ratio with examples weighted by their costs; either is judged as it is and with a sigmoid.
What the arms are, how settings are chosen, the questions and the rules that answer them stand in
``data/questions.csv``, and stood there before the study was programmed.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from csb.engine.elementary import log, logit
from csb.evaluation.calibration import PlattScaling
from csb.evaluation.decisions import decide_positive
from csb.inputs import ConstantModelWarning, NotFiniteWarning
from csbook.chapters.verdicts import question_rules
from csbook.studies.grid import Split
from csbook.studies.measures import BANDS, losses
from csbook.studies.n16 import NO_ENSEMBLES, examples, family, sizes
from csbook.studies.options import Losses, Pairs, each_band, option_questions
from csbook.studies.study import Settings, Tables
from csbook.studies.tuned_rivals import LEARNERS, Costs, at_most, capped, configurations
from csbook.studies.units import Unit

__all__ = ["CRITERIA", "WEIGHTS_OR_CALIBRATION", "WEIGHT_ARMS", "WEIGHT_QUESTIONS", "weight_losses"]

WEIGHT_ARMS = ("plain", "calibrated", "weighted", "weighted, calibrated")
"""``data/questions.csv`` says what each is."""
CRITERIA = ("cost", "log loss")
"""What chooses the settings."""

RULES = {
    "written": "2026-11-28T01:14:54+00:00",
    "commit": "8a33dc43a116253c948bde8e270c99995f6b1708",
    "sha256": question_rules("weights_or_calibration").attrs["sha256"],
}
"""When the rules were committed, and a digest of them."""


def compute(unit: Unit, settings: Settings) -> Tables:
    """Errors of all arms of all learners at every ratio, by either criterion, on one split."""
    number, name = unit
    split, tested, seed = examples((name, number), settings)
    split = capped(split, settings["largest"], seed)
    fold = np.empty(len(split.y), int)
    cut = StratifiedKFold(settings["folds"], shuffle=True, random_state=seed).split(split.X, split.y)
    for k, (_, rows) in enumerate(cut):
        fold[rows] = k
    with warnings.catch_warnings():
        # a vote without a finite value ends training, and the model is judged as it is
        warnings.simplefilter("ignore", NotFiniteWarning)
        warnings.simplefilter("ignore", ConstantModelWarning)
        counts = [
            row
            for learner in settings["learners"]
            for row in _errors(learner, split, fold, tested, seed, settings)
        ]
    return {"counts": pd.DataFrame(counts), "sizes": sizes(split, tested)}


def _errors(
    learner: str, split: Split, fold: np.ndarray, tested: np.ndarray, seed: int, settings: Settings
) -> Iterator[dict[str, object]]:
    """Of one learner: misses and false alarms of each arm, ratio and criterion."""
    positive, choices = split.y == 1, configurations(learner, settings["configurations"], settings["seed"])
    numbers = range(len(choices))

    def trained(setting: int, weights: Costs | None, rows: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
        train = LEARNERS[learner].train
        return train(split.X[rows], split.y[rows], weights, seed, **choices[setting]).probability

    @cache
    def held_out(setting: int, weights: Costs | None) -> np.ndarray:
        p = np.empty(len(fold))
        for k in range(fold.max() + 1):
            p[fold == k] = trained(setting, weights, fold != k)(split.X[fold == k])
        return p

    @cache
    def sigmoid_held_out(setting: int, weights: Costs | None) -> np.ndarray:
        score, p = logit(at_most(held_out(setting, weights), len(fold))), np.empty(len(fold))
        for k in range(fold.max() + 1):
            own = fold == k
            p[own] = PlattScaling().fit(score[~own], split.y[~own]).predict(score[own])
        return p

    @cache
    def on_new(setting: int, weights: Costs | None) -> np.ndarray:
        return trained(setting, weights, np.ones(len(fold), bool))(split.new)

    @cache
    def sigmoid_on_new(setting: int, weights: Costs | None) -> np.ndarray:
        of_score = PlattScaling().fit(logit(at_most(held_out(setting, weights), len(fold))), split.y)
        return of_score.predict(logit(at_most(on_new(setting, weights), len(fold))))

    def judged(by: str, setting: int, arm: str, costs: Costs) -> float:
        """What is smallest at the setting that is chosen."""
        weights = costs if arm.startswith("weighted") else None
        p = (sigmoid_held_out if arm.endswith("calibrated") else held_out)(setting, weights)
        if by == "cost":
            missed, alarms = _wrong(_decided(p, arm, costs), positive)
            return missed * costs[0] + alarms * costs[1]
        if arm == "weighted":
            p = p * costs[1] / (p * costs[1] + (1 - p) * costs[0])  # back to equal weights
        p = at_most(p, len(fold))
        return -float(np.sum(log(np.where(positive, p, 1 - p))))

    for by in CRITERIA:
        for arm in WEIGHT_ARMS:
            new = sigmoid_on_new if arm.endswith("calibrated") else on_new
            for ratio in settings["ratios"]:
                for costs in ((ratio, 1.0), (1.0, ratio)):
                    setting = min(numbers, key=partial(judged, by, arm=arm, costs=costs))
                    p = new(setting, costs if arm.startswith("weighted") else None)
                    missed, alarms = _wrong(_decided(p, arm, costs), tested)
                    yield {
                        "learner": learner, "criterion": by, "arm": arm, "ratio": costs[0] / costs[1],
                        "setting": setting, "fn": missed, "fp": alarms,
                    }  # fmt: skip


def _decided(p: np.ndarray, arm: str, costs: Costs) -> np.ndarray:
    """Positive: weights have moved the probability to one half, else it is compared with c."""
    return p > 0.5 if arm == "weighted" else decide_positive(p, *costs)


def _wrong(decided: np.ndarray, positive: np.ndarray) -> tuple[int, int]:
    """Numbers of misses and of false alarms."""
    return int(np.sum(~decided & positive)), int(np.sum(decided & ~positive))


def units(settings: Settings) -> list[Unit]:
    """Every set, split by split: further splits come at the end."""
    return [(number, name) for number in range(settings["splits"]) for name in settings["datasets"]]


WEIGHTS_OR_CALIBRATION = replace(
    family(
        "", "Costs in the training, with and without calibration, tuned alike", units=units, compute=compute,
        libraries=("lightgbm",), **NO_ENSEMBLES, splits=5, balanced=False, ratios=[2.0, 5.0, 25.0], folds=3,
        configurations=4, largest=600,
        learners=["AdaBoost", "logistic regression", "random forest", "LightGBM"], rules=RULES,
    ),
    name="weights_or_calibration",
    keys=("split", "dataset"),
    quick={"splits": 1, "datasets": ["survival", "wdbc"], "configurations": 2},
)  # fmt: skip


def weight_losses(tables: Mapping[str, pd.DataFrame]) -> Losses:
    """The losses of all options: an arm with its criterion, such as ``"weighted, by cost"``.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        As the study records them.

    Returns
    -------
    Losses
        A reading is a learner.
    """
    table = losses(tables).rename(columns={"learner": "reading"})
    return Losses(table.assign(option=table["arm"] + ", by " + table["criterion"]))


def _pairs(first: str, second: str, by: str = "cost") -> tuple[str, str]:
    return f"{first}, by {by}", f"{second}, by {by}"


TRAINING = _pairs("weighted, calibrated", "calibrated")


def _all(pairs: Mapping[str, tuple[str, str]]) -> Callable[[Losses], Pairs]:
    return lambda losses: each_band(pairs)


def _by_learner(losses: Losses) -> Pairs:
    return {f"{of}, {band}": (*TRAINING, band, of) for of in losses.readings for band in BANDS}


WEIGHT_QUESTIONS = option_questions(
    "weights_or_calibration",
    {
        "training": _all({"weighted, calibrated, less calibrated": TRAINING}),
        "uncalibrated": _all({"weighted less plain": _pairs("weighted", "plain")}),
        "ways": _all({"weighted less calibrated": _pairs("weighted", "calibrated")}),
        "sigmoid": _all(
            {
                "with weights": _pairs("weighted, calibrated", "weighted"),
                "without": _pairs("calibrated", "plain"),
            }
        ),
        "learners": _by_learner,
        "criterion": _all({"by log loss": _pairs("weighted, calibrated", "calibrated", "log loss")}),
    },
)
"""By name, each with its differences and margins in a `Losses`."""
