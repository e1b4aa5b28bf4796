"""Which calibration: how AdaMEC is calibrated, which Nikolaou et al. (2016) name as future work.

The sets, splits and costs are those of study n16: every calibrator, on shares of several sizes that are held
out, and by cross-fitting.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold

from csb.costs import check_costs
from csb.engine.elementary import expit
from csb.engine.learners import bind_learner
from csb.engine.votes import TrainingSet, boost
from csb.evaluation.calibration import Calibration, make_calibrator
from csb.evaluation.decisions import decide_positive
from csb.evaluation.metrics import brier_decomposition
from csb.methods import VARIANTS
from csbook.studies.grid import Split
from csbook.studies.n16 import examples, family, sizes, skews_to_costs
from csbook.studies.study import Settings, Tables
from csbook.studies.units import Unit

__all__ = ["CALIBRATION_WAYS", "in_every_way"]


def calibrations(unit: Unit, settings: Settings) -> Tables:
    """AdaMEC calibrated in every way: errors at every ratio, Brier scores."""
    split, y_test, seed = examples(unit, settings)
    return {"calibrations": in_every_way(split, y_test, seed, settings), "sizes": sizes(split, y_test)}


def in_every_way(split: Split, y_test: np.ndarray, seed: int, settings: Settings) -> pd.DataFrame:
    """The same for the examples of a split, from models trained in one batch."""
    y, rng = split.y, np.random.default_rng(seed)
    ways: dict[str, list[np.ndarray]] = {"none": [np.zeros(len(y), bool)]}
    ways |= {f"hold out {share:g}": [_drawn(y, share, rng)] for share in settings["shares"]}
    for folds in settings["folds"]:
        cut = StratifiedKFold(folds, shuffle=True, random_state=seed).split(split.X, y)
        ways[f"{folds} folds"] = [np.isin(np.arange(len(y)), part) for _, part in cut]
    held_out = np.array([part for parts in ways.values() for part in parts])
    weights = ~held_out / (~held_out).sum(axis=1, keepdims=True)
    batch = VARIANTS["adaboost"].batch(check_costs(np.ones(len(weights))))
    learner = bind_learner(settings["learner"], split.X, y)
    trained = boost(learner, TrainingSet(y, weights), [batch], settings["rounds"])
    before, scores = trained.decision_function(split.X), trained.decision_function(split.new)
    rows, first = [], 0
    for way, parts in ways.items():
        models = range(first, first + len(parts))
        first += len(parts)
        kinds: list[Calibration | Literal["none"]] = settings["calibrations"] if way != "none" else ["none"]
        for kind in kinds:
            if kind == "none":
                p = expit(2 * scores[models[0]])
            else:
                fitted = [
                    make_calibrator(kind).fit(before[b, held_out[b]], y[held_out[b]]).predict(scores[b])
                    for b in models
                ]
                p = np.mean(fitted, axis=0)
            rows.append(_score(f"{kind}, {way}", p, y_test, settings))
    return pd.concat(rows)


def _drawn(y: np.ndarray, share: float, rng: np.random.Generator) -> np.ndarray:
    """A share of each class, at least one example and not all."""
    drawn = np.zeros(len(y), bool)
    for label in (0, 1):
        members = rng.permutation(np.flatnonzero(y == label))
        drawn[members[: min(max(round(share * len(members)), 1), len(members) - 1)]] = True
    return drawn


def _score(method: str, p: np.ndarray, positive: np.ndarray, settings: Settings) -> pd.DataFrame:
    """Brier score, its parts, and errors at every ratio, of one vector of probabilities."""
    costs, parts = skews_to_costs(settings["ratios"]), brier_decomposition(positive, p)
    above = decide_positive(p, *costs.as_columns())
    return pd.DataFrame(
        {
            "method": method,
            "ratio": costs.fn_cost / costs.fp_cost,
            "fn": np.sum(~above & positive, axis=1),
            "fp": np.sum(above & ~positive, axis=1),
            "brier": round(parts.score, 6),
            "calibration": round(parts.miscalibration, 6),
            "refinement": round(parts.refinement, 6),
        }
    )


CALIBRATION_WAYS = family(
    "calibration",
    "How to calibrate AdaMEC: method, share held out, or cross-fitting",
    compute=calibrations,
    calibrations=["sigmoid", "sigmoid_ls", "beta", "isotonic", "venn_abers"],
    shares=[0.1, 0.2, 1 / 3, 0.5],
    folds=[3, 10],
)
