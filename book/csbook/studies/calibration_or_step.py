"""Is calibrating boosting step length by another name, and from which cost ratio on?

The sets, splits and test parts are those of study n16, with equal classes and with the classes as unequal as
they are. AdaBoost on trees of three depths is trained with five learning rates on all rows and on the rows
without each of three folds, and judged after six numbers of rounds, as it is, calibrated and averaged. What
the arms are, how steps are chosen, the questions and the rules that answer them stand in
``data/questions.csv``, and stood there before the study was programmed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from csb.costs import check_costs, skew
from csb.engine.elementary import expit, log
from csb.engine.learners import Tree, bind_learner
from csb.engine.votes import TrainingSet, boost
from csb.evaluation.calibration import calibrate_models
from csb.evaluation.decisions import decide_positive
from csb.methods import VARIANTS
from csbook.chapters.verdicts import question_rules
from csbook.studies.grid import Split
from csbook.studies.measures import BANDS
from csbook.studies.n16 import NO_ENSEMBLES, examples, family, skews_to_costs
from csbook.studies.options import Losses, Pairs, each_band, option_questions
from csbook.studies.shrinkage import staged
from csbook.studies.study import Settings, Tables
from csbook.studies.units import Unit

__all__ = [
    "ARMS", "CALIBRATED_ARMS", "CALIBRATION_OR_STEP", "EFFECTS", "STEPS", "STEP_QUESTIONS", "step_losses",
]  # fmt: skip

RATIOS = (1.5, 2.0, 2.5, 3.0, 5.0, 7.0, 9.0, 10.0, 15.0, 20.0, 25.0, 50.0, 100.0)
"""Of the dearer error to the other, either of which may be the dearer; equal costs belong to them."""

ARMS = ("raw", "part", "third", "pooled", "average", "calibrated average")
"""``data/questions.csv`` says what each is."""
CALIBRATED_ARMS = {"third", "pooled", "calibrated average"}
STEPS = ("full", "chosen", "by log loss")
"""A hundred rounds at rate one, steps chosen for each band, and steps chosen by log loss for all bands."""

LINKS = ("raw", "sigmoid")
WIDEST = "10 and more"
"""The band whose course is kept."""

SMALLEST = 1e-300
"""Probability below which the log loss takes it for this."""

RULES = {
    "written": "2026-11-27T04:04:54+00:00",
    "commit": "b8b9b17283674ea5b92583c850171fa43a8e5481",
    "sha256": question_rules("calibration_or_step").attrs["sha256"],
}
"""When the rules were committed, and a digest of them."""


class Stage(NamedTuple):
    """Scores after some rounds, a row for each learning rate.

    Attributes
    ----------
    whole : ndarray of shape (R, m)
        Test examples by the models of all rows.
    folds : ndarray of shape (K, R, m)
        Test examples by the models without each fold.
    held_out : ndarray of shape (R, n)
        Training examples by the model without their own fold.
    """

    whole: np.ndarray
    folds: np.ndarray
    held_out: np.ndarray


def compute(unit: Unit, settings: Settings) -> Tables:
    """Losses of all arms at full and at chosen steps, and the course of two of them, on one split."""
    table = every_step(unit, settings)
    course = table[["rate", "rounds", "hypotheses"]].assign(
        **{arm: table[f"{arm}, {WIDEST}"] for arm in ("raw", "pooled")}
    )
    return {"losses": at_steps(table), "course": course}


def every_step(unit: Unit, settings: Settings) -> pd.DataFrame:
    """Of one depth on one split, losses of all arms and what chooses the steps, a row for each step.

    The fewest rounds come first, of equal ones the largest rate.
    """
    number, name, classes, depth = unit
    of_n16 = {**settings, "balanced": classes == "equal"}
    split, tested, seed = examples((name, number), of_n16)
    cut = StratifiedKFold(settings["folds"], shuffle=True, random_state=seed).split(split.X, split.y)
    fold = np.empty(len(split.y), int)
    for k, (_, rows) in enumerate(cut):
        fold[rows] = k
    rates, ratios, found = sorted(settings["rates"], reverse=True), settings["ratios"], []
    for rounds, hypotheses, stage in _train(split, fold, depth, rates, settings["stages"][str(depth)]):
        steps = pd.DataFrame({"rate": rates, "rounds": rounds, "hypotheses": hypotheses})
        arms = _of_arms(stage, split.y, fold, tested, ratios).round(4)
        found.append(steps.join(arms).join(_held_out(stage, split.y, fold, ratios).round(5)))
    return pd.concat(found, ignore_index=True)


def at_steps(table: pd.DataFrame) -> pd.DataFrame:
    """Rate, rounds and losses at full and at chosen steps, a row for each band; ties go to the first row."""
    full = table.index[(table["rate"] == 1.0) & (table["rounds"] == 100)][0]
    rows = []
    for steps, band in product(STEPS, BANDS):
        by = "log loss" if steps == "by log loss" else band
        row: dict[str, object] = {"steps": steps, "band": band}
        for link in LINKS:
            at = table.loc[full if steps == "full" else table[f"held out {link}, {by}"].idxmin()]
            row |= {f"{link} rate": at["rate"], f"{link} rounds": int(at["rounds"])}
            row |= {arm: at[f"{arm}, {band}"] for arm in ARMS if (arm in CALIBRATED_ARMS) == (link != "raw")}
        rows.append(row)
    return pd.DataFrame(rows)


def _train(
    split: Split, fold: np.ndarray, depth: int, rates: Sequence[float], stages: Sequence[int]
) -> Iterator[tuple[int, np.ndarray, Stage]]:
    """After each stage its rounds, the hypotheses of the models of all rows, and the scores."""
    learner = bind_learner("stump" if depth == 1 else Tree(max_depth=depth), split.X, split.y)
    folds = range(fold.max() + 1)
    used = np.array([np.ones(len(fold), bool), *(fold != k for k in folds)])
    weights = np.repeat(used / used.sum(axis=1, keepdims=True), len(rates), axis=0)
    batch = VARIANTS["adaboost"].batch(
        check_costs(np.ones(len(weights))), learning_rate=np.tile(rates, len(used))
    )
    trained = boost(learner, TrainingSet(split.y, weights), [batch], stages[-1])
    n = len(split.y)
    for rounds, so_far, scores in staged(trained, stages, np.vstack([split.X, split.new])):
        by_model = scores.reshape(len(used), len(rates), -1)
        held_out = np.empty((len(rates), n))
        for k in folds:
            held_out[:, fold == k] = by_model[k + 1, :, :n][:, fold == k]
        stage = Stage(by_model[0, :, n:], by_model[1:, :, n:], held_out)
        yield rounds, so_far.n_rounds[: len(rates)], stage


def _sigmoid(scores: np.ndarray, y: np.ndarray, new: np.ndarray) -> np.ndarray:
    return calibrate_models("sigmoid", scores, y, new)


def _of_arms(
    stage: Stage, y: np.ndarray, fold: np.ndarray, tested: np.ndarray, ratios: Sequence[float]
) -> pd.DataFrame:
    """Losses of all arms on the test examples, a row for each learning rate."""
    part = expit(2 * stage.folds)
    third = np.array(
        [_sigmoid(stage.held_out[:, fold == k], y[fold == k], F) for k, F in enumerate(stage.folds)]
    )
    pooled = _sigmoid(stage.held_out, y, stage.whole)
    ways = [expit(2 * stage.whole), part, third, pooled, part.mean(axis=0), third.mean(axis=0)]
    found = {}
    for arm, p in zip(ARMS, ways, strict=True):
        for band, loss in _in_bands(p, tested, ratios).items():
            found[f"{arm}, {band}"] = loss if loss.ndim == 1 else loss.mean(axis=0)
    return pd.DataFrame(found)


def _held_out(stage: Stage, y: np.ndarray, fold: np.ndarray, ratios: Sequence[float]) -> pd.DataFrame:
    """What chooses the steps: losses of the probabilities of the training examples, out of fold."""
    raw, mended = expit(2 * stage.held_out), np.empty_like(stage.held_out)
    for k in range(fold.max() + 1):
        own, others = fold == k, fold != k
        mended[:, own] = _sigmoid(stage.held_out[:, others], y[others], stage.held_out[:, own])
    found = {}
    for link, p in {"raw": raw, "sigmoid": mended}.items():
        for band, loss in _in_bands(p, y == 1, ratios).items():
            found[f"held out {link}, {band}"] = loss
        of_label = np.maximum(np.where(y == 1, p, 1 - p), SMALLEST)
        found[f"held out {link}, log loss"] = -log(of_label).mean(axis=-1)
    return pd.DataFrame(found)


def _in_bands(p: np.ndarray, positive: np.ndarray, ratios: Sequence[float]) -> dict[str, np.ndarray]:
    """Mean loss in each band of the decisions of least expected cost by probabilities (..., m)."""
    costs = skews_to_costs(ratios)
    z = skew(*costs, positive.mean())
    decided = decide_positive(p[..., np.newaxis, :], *costs.as_columns())
    missed, alarms = (~decided[..., positive]).mean(axis=-1), decided[..., ~positive].mean(axis=-1)
    loss, dearer = (1 - z) * missed + z * alarms, np.maximum(*costs)
    return {
        band: loss[..., (dearer >= low) & (dearer <= high)].mean(axis=-1)
        for band, (low, high) in BANDS.items()
    }


def units(settings: Settings) -> list[Unit]:
    """Every reading of every set, split by split: further splits come at the end."""
    return [
        (number, name, classes, depth)
        for number in range(settings["splits"])
        for name in settings["datasets"]
        for classes in settings["classes"]
        for depth in settings["depths"]
    ]


CALIBRATION_OR_STEP = replace(
    family(
        "", "Calibration or step length: AdaBoost on trees of depth 1, 3 and 6", units=units, compute=compute,
        **NO_ENSEMBLES, splits=10, balanced=None, classes=["equal", "natural"], depths=[1, 3, 6],
        rates=[1.0, 0.5, 0.25, 0.1, 0.05],
        stages={
            "1": [10, 25, 50, 100, 200, 400],
            "3": [5, 10, 25, 50, 100, 200],
            "6": [5, 10, 25, 50, 100, 200],
        },
        folds=3, ratios=list(RATIOS), rules=RULES,
    ),
    name="calibration_or_step",
    keys=("split", "dataset", "classes", "depth"),
    quick={
        "splits": 1, "datasets": ["wdbc"], "rates": [1.0, 0.1],
        "stages": {"1": [10, 100], "3": [10, 100], "6": [10, 100]},
    },
)  # fmt: skip


def step_losses(tables: Mapping[str, pd.DataFrame]) -> Losses:
    """The losses of all options: an arm with its steps, such as ``"raw, full"``.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        As the study records them.

    Returns
    -------
    Losses
        A reading such as ``"equal, 1"`` says classes and depth.
    """
    of = tables["losses"]
    of = of.assign(reading=of["classes"] + ", " + of["depth"].astype(str))
    table = of.melt(["dataset", "reading", "split", "steps", "band"], ARMS, "arm", "loss")
    return Losses(table.assign(option=table["arm"] + ", " + table["steps"]))


SIGMOID = "pooled, chosen", "raw, chosen"
FULL_SIGMOID = "pooled, full", "raw, full"
EFFECTS = {
    "data": ("part, chosen", "raw, chosen"),
    "averaging": ("average, chosen", "part, chosen"),
    "steps": ("raw, chosen", "raw, full"),
    "link": FULL_SIGMOID,
}
"""By effect, the two options that differ in it alone."""


DEFAULTS = [
    *(f"{arm}, full" for arm in ("third", "pooled", "average", "calibrated average")),
    *(f"{arm}, chosen" for arm in ("raw", "third", "pooled", "average", "calibrated average")),
]


def _default(band: str, losses: Losses) -> Pairs:
    return {option: (option, "raw, full", band, None) for option in DEFAULTS}


STEP_QUESTIONS = option_questions(
    "calibration_or_step",
    {
        "calibration": lambda losses: {"pooled less raw": (*SIGMOID, WIDEST, None)},
        "average": lambda losses: {
            "calibrated average less average": ("calibrated average, chosen", "average, chosen", WIDEST, None)
        },
        "bands": lambda losses: each_band({"full": FULL_SIGMOID, "chosen": SIGMOID}),
        "name": lambda losses: each_band({"pooled, full, less raw, chosen": ("pooled, full", "raw, chosen")}),
        "readings": lambda losses: {of: (*SIGMOID, WIDEST, of) for of in losses.readings},
        "effects": lambda losses: each_band(EFFECTS),
        "third": lambda losses: each_band(
            {steps: (f"third, {steps}", f"raw, {steps}") for steps in STEPS[:2]}
        ),
        "criterion": lambda losses: each_band({"by log loss": ("pooled, by log loss", "raw, by log loss")}),
    }
    | {f"default, {band}": partial(_default, band) for band in BANDS},
)
"""By name, each with its differences and margins in a `Losses`; that of the default once for each band."""
