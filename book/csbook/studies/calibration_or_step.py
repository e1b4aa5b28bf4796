"""Is calibrating boosting step length by another name, and from which cost ratio on?

The sets, splits and test parts are those of study n16, with equal classes and with the classes as unequal as
they are. AdaBoost on trees of three depths is trained with five learning rates on all rows and on the rows
without each of three folds, and judged after six numbers of rounds, as it is, calibrated and averaged. What
the arms are, how steps are chosen, the questions and the rules that answer them stand in
``data/questions.csv``, and stood there before the study was programmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
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
from csbook.chapters.verdicts import Question, question_rules
from csbook.studies.grid import Split
from csbook.studies.n16 import examples, family, skews_to_costs
from csbook.studies.shrinkage import staged
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = [
    "ARMS", "BANDS", "CALIBRATED_ARMS", "CALIBRATION_OR_STEP", "STEP_QUESTIONS", "WORDS_OF_BANDS", "Losses",
    "Option",
]  # fmt: skip

BANDS = {
    "near": (1.0, 1.5, 2.0, 2.5),
    "middle": (3.0, 5.0, 7.0, 9.0),
    "far": (10.0, 15.0, 20.0, 25.0, 50.0, 100.0),
}
"""Ratios of the dearer error to the other, either of which may be the dearer."""
WORDS_OF_BANDS = {"near": "up to 2.5", "middle": "3 to 9", "far": "10 and more"}

ARMS = ("raw", "part", "third", "pooled", "average", "calibrated average")
"""``data/questions.csv`` says what each is."""
CALIBRATED_ARMS = {"third", "pooled", "calibrated average"}

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
    """All arms after all numbers of rounds at all learning rates, of one depth on one split."""
    number, name, classes, depth = unit
    of_n16 = {**settings, "balanced": classes == "equal"}
    split, tested, seed = examples((name, number), of_n16)
    cut = StratifiedKFold(settings["folds"], shuffle=True, random_state=seed).split(split.X, split.y)
    fold = np.empty(len(split.y), int)
    for k, (_, rows) in enumerate(cut):
        fold[rows] = k
    rates, losses, held_out = settings["rates"], [], []
    for rounds, hypotheses, stage in _train(split, fold, depth, rates, settings["stages"][str(depth)]):
        steps = pd.DataFrame({"rate": rates, "rounds": rounds})
        arms = _of_arms(stage, split.y, fold, tested).round(4)
        losses.append(steps.assign(hypotheses=hypotheses).join(arms))
        held_out.append(steps.join(_held_out(stage, split.y, fold).round(5)))
    return {"losses": pd.concat(losses), "held_out": pd.concat(held_out)}


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


def _of_arms(stage: Stage, y: np.ndarray, fold: np.ndarray, tested: np.ndarray) -> pd.DataFrame:
    """Losses of all arms on the test examples, a row for each learning rate."""
    part = expit(2 * stage.folds)
    third = np.array(
        [_sigmoid(stage.held_out[:, fold == k], y[fold == k], F) for k, F in enumerate(stage.folds)]
    )
    pooled = _sigmoid(stage.held_out, y, stage.whole)
    ways = [expit(2 * stage.whole), part, third, pooled, part.mean(axis=0), third.mean(axis=0)]
    found = {}
    for arm, p in zip(ARMS, ways, strict=True):
        for band, loss in band_losses(p, tested).items():
            found[f"{arm}, {band}"] = loss if loss.ndim == 1 else loss.mean(axis=0)
    return pd.DataFrame(found)


def _held_out(stage: Stage, y: np.ndarray, fold: np.ndarray) -> pd.DataFrame:
    """What chooses the steps: losses of the probabilities of the training examples, out of fold."""
    raw, mended = expit(2 * stage.held_out), np.empty_like(stage.held_out)
    for k in range(fold.max() + 1):
        own, others = fold == k, fold != k
        mended[:, own] = _sigmoid(stage.held_out[:, others], y[others], stage.held_out[:, own])
    found = {}
    for link, p in {"raw": raw, "sigmoid": mended}.items():
        for band, loss in band_losses(p, y == 1).items():
            found[f"held out {link}, {band}"] = loss
        of_label = np.maximum(np.where(y == 1, p, 1 - p), SMALLEST)
        found[f"held out {link}, log loss"] = -log(of_label).mean(axis=-1)
    return pd.DataFrame(found)


def band_losses(p: np.ndarray, positive: np.ndarray) -> dict[str, np.ndarray]:
    """Mean loss in each band of the decisions of least expected cost by probabilities (..., m)."""
    costs = skews_to_costs([ratio for ratios in BANDS.values() for ratio in ratios if ratio > 1])
    z = skew(*costs, positive.mean())
    decided = decide_positive(p[..., np.newaxis, :], *costs.as_columns())
    missed, alarms = (~decided[..., positive]).mean(axis=-1), decided[..., ~positive].mean(axis=-1)
    loss, dearer = (1 - z) * missed + z * alarms, np.maximum(*costs)
    return {band: loss[..., np.isin(dearer, ratios)].mean(axis=-1) for band, ratios in BANDS.items()}


def units(settings: Settings) -> list[Unit]:
    """Every reading of every set, split by split: further splits come at the end."""
    return [
        (number, name, classes, depth)
        for number in range(settings["splits"])
        for name in settings["datasets"]
        for classes in settings["classes"]
        for depth in settings["depths"]
    ]


def _study() -> Study:
    of_n16 = family("", "Calibration or step length: AdaBoost on trees of depth 1, 3 and 6")
    kept = ("track", "datasets", "test_share", "held_out_share", "seed")
    return replace(
        of_n16,
        name="calibration_or_step",
        keys=("split", "dataset", "classes", "depth"),
        units=units,
        compute=compute,
        settings={name: of_n16.settings[name] for name in kept}
        | {
            "splits": 10,
            "classes": ["equal", "natural"],
            "depths": [1, 3, 6],
            "rates": [1.0, 0.5, 0.25, 0.1, 0.05],
            "stages": {
                "1": [10, 25, 50, 100, 200, 400],
                "3": [5, 10, 25, 50, 100, 200],
                "6": [5, 10, 25, 50, 100, 200],
            },
            "folds": 3,
            "bands": {band: list(ratios) for band, ratios in BANDS.items()},
            "rules": RULES,
        },
        quick={
            "splits": 1, "datasets": ["wdbc"], "rates": [1.0, 0.1],
            "stages": {"1": [5, 10], "3": [5, 10], "6": [5, 10]},
        },
    )  # fmt: skip


CALIBRATION_OR_STEP = _study()


class Option(NamedTuple):
    """An arm at full or at chosen steps.

    Attributes
    ----------
    arm : str
        One of ``ARMS``.
    steps : str
        ``"full"``, ``"chosen"``, or ``"by log loss"``: chosen by it once for all bands.
    """

    arm: str
    steps: str = "chosen"

    def __str__(self) -> str:
        return f"{self.arm}, {self.steps}"


Pairs = Mapping[str, tuple[Option, Option, str, Sequence[str] | None]]
"""By name what is compared: an option, the one that is subtracted, the band, and readings, else all."""


class Losses:
    """The losses of all arms, and which steps are chosen.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        As the study records them.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        row = [*CALIBRATION_OR_STEP.keys, "rate", "rounds"]
        both = tables["losses"].merge(tables["held_out"], on=row, validate="1:1")
        self.table = both.sort_values(["rounds", "rate"], ascending=[True, False], kind="stable")
        self.sets = list(tables["losses"]["dataset"].unique())
        self._chosen: dict[str, pd.DataFrame] = {}

    @cached_property
    def readings(self) -> list[str]:
        """Names of the readings, such as ``"equal, 1"``: classes and depth."""
        return [f"{classes}, {depth}" for classes, depth in self.table.groupby(["classes", "depth"]).groups]

    def rows(self, option: Option, band: str) -> pd.DataFrame:
        """The row of every unit at the steps of an option.

        Parameters
        ----------
        option : Option
            The arm and its steps.
        band : str
            By whose losses steps are chosen.

        Returns
        -------
        DataFrame
            Of the columns of the table.
        """
        if option.steps == "full":
            return self.table[(self.table["rate"] == 1.0) & (self.table["rounds"] == 100)]
        link = "sigmoid" if option.arm in CALIBRATED_ARMS else "raw"
        criterion = f"held out {link}, {'log loss' if option.steps == 'by log loss' else band}"
        if criterion not in self._chosen:
            units = self.table.groupby(list(CALIBRATION_OR_STEP.keys))
            self._chosen[criterion] = self.table.loc[units[criterion].idxmin()]
        return self._chosen[criterion]

    def of(self, option: Option, band: str, readings: Sequence[str] | None = None) -> pd.Series:
        """Mean loss of each data set over the splits, then over the readings.

        Parameters
        ----------
        option : Option
            The arm and its steps.
        band : str
            Key of ``BANDS``.
        readings : sequence of str, optional
            Which; by default all.

        Returns
        -------
        Series
            By data set.
        """
        rows = self.rows(option, band)
        reading = rows["classes"] + ", " + rows["depth"].astype(str)
        if readings is not None:
            rows, reading = rows[reading.isin(readings)], reading[reading.isin(readings)]
        means = rows.groupby([rows["dataset"], reading])[f"{option.arm}, {band}"].mean()
        return means.groupby("dataset").mean().loc[self.sets]


FULL, CHOSEN = ({arm: Option(arm, steps) for arm in ARMS} for steps in ("full", "chosen"))
SIGMOID = CHOSEN["pooled"], CHOSEN["raw"]


def _in_bands(pairs: Mapping[str, tuple[Option, Option]]) -> Pairs:
    return {
        f"{name}, {WORDS_OF_BANDS[band]}": (*pair, band, None)
        for band in BANDS
        for name, pair in pairs.items()
    }


_COMPARED: dict[str, Callable[[Losses], Pairs]] = {
    "calibration": lambda losses: {"pooled less raw": (*SIGMOID, "far", None)},
    "average": lambda losses: {
        "calibrated average less average": (CHOSEN["calibrated average"], CHOSEN["average"], "far", None)
    },
    "bands": lambda losses: _in_bands({"full": (FULL["pooled"], FULL["raw"]), "chosen": SIGMOID}),
    "name": lambda losses: _in_bands({"pooled, full, less raw, chosen": (FULL["pooled"], CHOSEN["raw"])}),
    "readings": lambda losses: {of: (*SIGMOID, "far", [of]) for of in losses.readings},
    "effects": lambda losses: _in_bands(
        {
            "data": (CHOSEN["part"], CHOSEN["raw"]),
            "averaging": (CHOSEN["average"], CHOSEN["part"]),
            "steps": (CHOSEN["raw"], FULL["raw"]),
            "link": (FULL["pooled"], FULL["raw"]),
        }
    ),
    "third": lambda losses: _in_bands(
        {"full": (FULL["third"], FULL["raw"]), "chosen": (CHOSEN["third"], CHOSEN["raw"])}
    ),
    "criterion": lambda losses: _in_bands(
        {"by log loss": (Option("pooled", "by log loss"), Option("raw", "by log loss"))}
    ),
}  # fmt: skip
DEFAULTS = [
    *(FULL[arm] for arm in ("third", "pooled", "average", "calibrated average")),
    *(CHOSEN[arm] for arm in ("raw", "third", "pooled", "average", "calibrated average")),
]


def _default(band: str, losses: Losses) -> Pairs:
    return {str(option): (option, FULL["raw"], band, None) for option in DEFAULTS}


def _differences(pairs: Callable[[Losses], Pairs], losses: Losses) -> dict[str, pd.Series]:
    return {
        name: losses.of(one, band, readings) - losses.of(other, band, readings)
        for name, (one, other, band, readings) in pairs(losses).items()
    }


def _margins(
    pairs: Callable[[Losses], Pairs], margin: float, share: float, losses: Losses
) -> dict[str, float]:
    return {
        name: min(margin, share * losses.of(other, band, readings).mean())
        for name, (_, other, band, readings) in pairs(losses).items()
    }


def _questions() -> dict[str, Question]:
    """By name, the questions of the table; that of the default once for each band."""
    rules = question_rules("calibration_or_step")
    found = {}
    for row in rules[rules["rank"] != "design"].itertuples():
        compared: dict[str, Callable[[Losses], Pairs]] = {}
        if row.question == "default":
            compared = {f"default, {WORDS_OF_BANDS[band]}": partial(_default, band) for band in BANDS}
        else:
            compared = {row.question: _COMPARED[row.question]}
        for name, pairs in compared.items():
            margin = partial(_margins, pairs, float(row.margin), float(row.share))
            found[name] = Question(name, row.text, row.rule, partial(_differences, pairs), margin)
    return found


STEP_QUESTIONS = _questions()
"""By name, each with its differences and margins in a `Losses`."""
