"""Learning curves: how the advantage of calibrated AdaMEC goes with the number of examples of one set.

Nikolaou et al. (2016) see it grow with the size of a set, in a comparison of sets that differ in more than
size. Here the training part of each large set of study n16 is cut to smaller numbers of examples, each
sample within the next; the test part stays. AdaMEC is calibrated on a held-out third, as in the paper, and
by cross-fitting, which gives up no example: over three folds, which calibrate as many examples at a time as
the held-out third, and over ten. Beside it stand its rivals of the paper's Fig. 7.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from csb.engine.learners import bind_learner
from csbook.studies.calibration_ways import in_every_way
from csbook.studies.grid import Split, run_methods
from csbook.studies.n16 import METHODS, count_errors, examples, family, sizes, skews_to_costs
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = ["LARGE_SETS", "LEARNING", "cut"]

LARGE_SETS = ("landsatM", "spliceM", "musk2", "krvskp", "waveformM", "spambase", "mushroom")
"""Those that have a thousand training examples or more when their classes are equal."""

NAMES = {
    "none, none": "AdaMEC",
    "sigmoid, hold out 0.333333": "AdaMEC, calibrated",
    "sigmoid, 3 folds": "AdaMEC, three folds",
    "sigmoid, 10 folds": "AdaMEC, ten folds",
}
"""The ways of calibration, as the other studies name them."""


def cut(split: Split, size: int, seed: int) -> Split:
    """The split with fewer training examples, as many of either class; smaller samples lie in larger ones.

    Parameters
    ----------
    split : Split
        With equal classes.
    size : int
        Number of training examples that remain, even.
    seed : int
        Of the order in which examples are taken.

    Returns
    -------
    Split
        Of ``size`` training examples; the test examples are the same.
    """
    rng = np.random.default_rng(seed)
    kept = [rng.permutation(np.flatnonzero(split.y == label))[: size // 2] for label in (0, 1)]
    rows = np.concatenate(kept)
    return Split(split.X[rows], split.y[rows], split.held_out[rows], split.new)


def compute(unit: Unit, settings: Settings) -> Tables:
    """AdaMEC in all its forms and its rivals, from every number of training examples, on one split."""
    whole, y_test, seed = examples(unit, settings)
    costs = skews_to_costs(settings["ratios"])
    ratio = costs.fn_cost / costs.fp_cost
    rivals = {name: METHODS[name] for name in settings["methods"]}
    parts = []
    for size in settings["sizes"]:
        if size > len(whole.y):
            break
        split = cut(whole, size, seed)
        ways = in_every_way(split, y_test, seed, settings)
        ways["method"] = ways["method"].map(NAMES)
        learner = bind_learner(settings["learner"], split.X, split.y)
        outcomes = run_methods(learner, split, costs, rivals, settings["rounds"])
        both = pd.concat([ways, count_errors(outcomes, ratio, y_test)])
        parts.append(both[["method", "ratio", "fn", "fp"]].assign(train=size))
    return {"counts": pd.concat(parts), "sizes": sizes(whole, y_test)}


def _study(name: str, title: str, **changes: Any) -> Study:
    settings: dict[str, Any] = {
        "datasets": list(LARGE_SETS), "splits": 10, "sizes": [60, 120, 240, 480, 960, 1920],
        "methods": ["AdaMEC, vote rule", "CSB2", "AdaC1"], "calibrations": ["sigmoid"], "shares": [1 / 3],
        "folds": [3, 10], "scored": None, "score_every": None,
    }  # fmt: skip
    return replace(
        family(name, title, compute=compute, **(settings | changes)),
        name=f"learning/{name}",
        quick={"splits": 1, "datasets": ["landsatM"], "sizes": [60, 120], "rounds": 10},
    )


LEARNING = [
    _study(
        "univariate_logistic", "Learning curves of AdaMEC: univariate logistic regression, published data",
        learner="univariate_logistic", track="published",
    ),
    _study("stump", "Learning curves of AdaMEC: stumps, clean data"),
]  # fmt: skip
