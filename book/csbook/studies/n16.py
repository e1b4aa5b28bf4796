"""The experiments of Nikolaou et al. (2016), Section 5: 18 sets, 21 cost ratios, 30 splits, every method.

Both classes are made equal in number by leaving out examples of the larger one; a quarter of the rest tests,
and of the training part a third is held out where a method calibrates. The parts are drawn class by class.
Left out are AdaDB, GD-AdaC1 and GD-AsymBoost, whose models are those of CSAda.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from csb.costs import Costs, check_costs
from csb.engine.learners import bind_learner
from csb.evaluation.metrics import brier_decompositions
from csb.inputs import NotFiniteWarning
from csbook.datasets import load
from csbook.datasets.registry import TrackName
from csbook.learners.logistic import Logistic
from csbook.learners.pruned import c45_stand_in
from csbook.studies.grid import MethodConfig, Outcome, Split, run_methods
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = [
    "DATASETS", "METHODS", "N16", "NO_ENSEMBLES", "RATIOS", "count_errors", "divide", "examples", "family",
    "sizes", "skews_to_costs",
]  # fmt: skip

DATASETS = (
    "survival", "ionosphere", "congress", "liver", "pima", "parkinsons", "landsatM", "krvskp", "heart",
    "wdbc", "german_credit", "sonar", "spliceM", "waveformM", "spambase", "mushroom", "musk2", "semeion",
)  # fmt: skip

RATIOS = (1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 25.0, 50.0, 100.0)
"""Of the two costs, the larger over the smaller; either may be the larger."""

EQUAL = "CGAda, calibrated"
METHODS = {
    "AdaBoost": MethodConfig("adaboost"),
    "AdaMEC": MethodConfig("adamec"),
    "AdaMEC, vote rule": MethodConfig("adamec", {"rule": "vote"}),
    "CGAda": MethodConfig("cgada"),
    "AsymAda": MethodConfig("asymada"),
    "CSAda": MethodConfig("csada"),
    "AdaC1": MethodConfig("adac1"),
    "AdaC2": MethodConfig("adac2"),
    "AdaC3": MethodConfig("adac3"),
    "CSB0": MethodConfig("csb0"),
    "CSB1": MethodConfig("csb1"),
    "CSB2": MethodConfig("csb2"),
    "AdaCost": MethodConfig("adacost"),
    "AdaCost(β₂)": MethodConfig("adacost_beta2"),
    "GD-AdaCost": MethodConfig("gd_adacost"),
    "AsyB": MethodConfig("asyb", {"form": "paper"}),
    "AdaUBoost": MethodConfig("adauboost"),
    "AdaMEC, calibrated": MethodConfig("adamec", calibration="sigmoid"),
    "CGAda, calibrated": MethodConfig("cgada", calibration="sigmoid"),
    "AsymAda, calibrated": MethodConfig("asymada", calibration="sigmoid"),
    "AdaMEC, calibrated, equal size": MethodConfig("adamec", calibration="sigmoid", rounds_of=EQUAL),
    "AsymAda, calibrated, equal size": MethodConfig("asymada", calibration="sigmoid", rounds_of=EQUAL),
}
"""AsyB is the printed algorithm; as derived it is CGAda. Of equal size means as many rounds as CGAda."""

SCALED = {
    f"{METHODS[name].method.name}, largest cost {largest:g}": MethodConfig(
        METHODS[name].key, largest_cost=largest
    )
    for name in ("AdaC1", "AdaC3", "AdaCost", "AdaCost(β₂)", "CSB0", "CSB1", "CSB2")
    for largest in (0.1, 0.25, 0.5, 0.75, 1.0)
}
"""Methods that depend on the scale of the costs, on which the paper is silent (E-N16)."""


@cache
def _data(name: str, track: TrackName) -> tuple[np.ndarray, np.ndarray]:
    data = load(name, track)
    return data.X.to_numpy(float), np.asarray(data.y, np.int8)


def skews_to_costs(ratios: ArrayLike) -> Costs:
    """Costs of all ratios and their inverses, from the one that favours positives most to the other end."""
    dear = np.sort(ratios)
    ones = np.ones(len(dear))
    return check_costs(np.r_[dear[::-1], 1.0, ones], np.r_[ones, 1.0, dear])


def divide(
    y: np.ndarray, balanced: bool, test_share: float, held_out_share: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows that train and rows that test, and which of the former calibrate; class by class."""
    members = [rng.permutation(np.flatnonzero(y == label)) for label in (0, 1)]
    if balanced:
        size = min(map(len, members))
        members = [rows[:size] for rows in members]
    train, test, held_out = [], [], []
    for rows in members:
        n_test = round(test_share * len(rows))
        n_held_out = round(held_out_share * (len(rows) - n_test))
        test.append(rows[:n_test])
        train.append(rows[n_test:])
        held_out.append(np.arange(len(rows) - n_test) < n_held_out)
    return np.concatenate(train), np.concatenate(test), np.concatenate(held_out)


def units(settings: Settings) -> list[Unit]:
    """Splits of every set."""
    return [(name, number) for name in settings["datasets"] for number in range(settings["splits"])]


def examples(unit: Unit, settings: Settings) -> tuple[Split, np.ndarray, int]:
    """Training and test examples of a split, which of the former calibrate, and a seed for what follows."""
    name, number = unit
    X, y = _data(name, settings["track"])
    sequence = np.random.SeedSequence([settings["seed"], DATASETS.index(name), number])
    train, test, held_out = divide(
        y,
        settings["balanced"],
        settings["test_share"],
        settings["held_out_share"],
        np.random.default_rng(sequence),
    )
    split = Split(X[train], y[train], held_out, X[test])
    return split, y[test] == 1, int(sequence.generate_state(1)[0] >> 1)


def compute(unit: Unit, settings: Settings) -> Tables:
    """All methods at all ratios on one split."""
    split, y_test, seed = examples(unit, settings)
    weak = settings["learner"]
    learner = bind_learner(
        LEARNERS.get(weak, weak), split.X, split.y,
        random_state=np.random.RandomState(seed),
    )  # fmt: skip
    costs = skews_to_costs(settings["ratios"])
    known = METHODS | SCALED
    methods = {name: known[name] for name in settings["methods"]}
    with warnings.catch_warnings():
        # a vote without a finite value ends training, and the model is judged as it is
        warnings.simplefilter("ignore", NotFiniteWarning)
        outcomes = run_methods(learner, split, costs, methods, settings["rounds"])
    ratio = costs.fn_cost / costs.fp_cost
    scored = np.arange(0, len(ratio), settings["score_every"])
    scores = [
        _scores(method, ratio, outcomes[method].probability, scored, y_test)
        for method in settings["methods"]
        if method.startswith(tuple(settings["scored"]))
    ]
    tables = {"counts": count_errors(outcomes, ratio, y_test), "sizes": sizes(split, y_test)}
    return tables | ({"scores": pd.concat(scores).round(6)} if scores else {})


def sizes(split: Split, y_test: np.ndarray) -> pd.DataFrame:
    """Numbers of examples of a split."""
    row = (len(split.y), split.held_out.sum(), split.y.sum(), len(y_test), y_test.sum())
    columns = ["train", "held_out", "train_positives", "test", "test_positives"]
    return pd.DataFrame([row], columns=columns)


def count_errors(outcomes: Mapping[str, Outcome], ratio: np.ndarray, positive: np.ndarray) -> pd.DataFrame:
    """Errors of every method at every ratio, sizes of the ensembles and why they ended."""
    decided = np.concatenate([outcome.positive for outcome in outcomes.values()])
    return pd.DataFrame(
        {
            "method": np.repeat(list(outcomes), len(ratio)),
            "ratio": np.tile(ratio, len(outcomes)),
            "fn": np.sum(~decided & positive, axis=1),
            "fp": np.sum(decided & ~positive, axis=1),
            "rounds": np.concatenate([outcome.rounds for outcome in outcomes.values()]),
            "stop": np.concatenate([outcome.stop_reasons for outcome in outcomes.values()]),
        }
    )


def _scores(
    method: str,
    ratio: np.ndarray,
    probability: np.ndarray | None,
    scored: np.ndarray,
    positive: np.ndarray,
) -> pd.DataFrame:
    """Brier score, calibration loss and refinement loss; one row where all ratios share a model."""
    assert probability is not None, f"{method} is to be scored and gives no probability"
    ratios, p = ratio[scored], probability[scored]
    if np.all(p == p[0]):
        ratios, p = np.array([np.nan]), p[:1]
    parts = brier_decompositions(positive, p)
    rows = [
        (method, of_ratio, of.score, of.miscalibration, of.refinement)
        for of_ratio, of in zip(ratios, parts, strict=True)
    ]
    return pd.DataFrame(rows, columns=["method", "ratio", "brier", "calibration", "refinement"])


NO_ENSEMBLES: dict[str, Any] = dict.fromkeys(("learner", "rounds", "methods", "scored", "score_every"))
"""Changes for a study on these sets and splits that does not train these methods."""


def family(
    name: str,
    title: str,
    track: TrackName = "clean",
    units: Callable[[Settings], list[Unit]] = units,
    compute: Callable[[Unit, Settings], Tables] = compute,
    libraries: tuple[str, ...] = (),
    **changes: Any,
) -> Study:
    """A study on these sets and splits; a setting that is changed to None is left out."""
    settings: dict[str, Any] = {
        "learner": "stump", "track": track, "datasets": list(DATASETS), "splits": 30, "balanced": True,
        "ratios": list(RATIOS), "rounds": 100, "test_share": 0.25, "held_out_share": 1 / 3,
        "methods": list(METHODS), "scored": ["AdaMEC", "CGAda", "AsymAda"], "score_every": 2, "seed": 2016,
    }  # fmt: skip
    settings = {key: value for key, value in (settings | changes).items() if value is not None}
    return Study(
        name=f"n16/{name}",
        title=title,
        keys=("dataset", "split"),
        units=units,
        compute=compute,
        settings=settings,
        quick={"splits": 1, "datasets": ["survival", "wdbc"], "rounds": 10},
        datasets=tuple((name, track) for name in settings["datasets"]),
        libraries=libraries,
    )


LEARNERS = {"tree": c45_stand_in(), "logistic": Logistic()}
"""Learners that are no names of csb's, or faster ones."""

TRACKS: tuple[TrackName, ...] = ("published", "clean")
WORDS = {
    "stump": "stumps",
    "univariate_logistic": "univariate logistic regression",
    "logistic": "logistic regression",
}
PAPERS_OWN = [name for name in METHODS if name not in ("GD-AdaCost", "AsyB", "AdaUBoost")]
BETTER = [
    "AdaBoost", "AdaMEC", "CGAda", "AsymAda", "AdaC1", "AdaC2", "CSB2", "AdaMEC, calibrated",
    "CGAda, calibrated", "AsymAda, calibrated",
]  # fmt: skip

N16 = [
    family(
        f"{learner}-{track}", f"Section 5 of Nikolaou et al. (2016): {words}, {track} data", track,
        learner=learner,
    )
    for learner, words in WORDS.items()
    for track in TRACKS
] + [
    family(
        "cost_scale", "The same for costs of other scales, where the scale matters: stumps", splits=10,
        methods=["CGAda", *SCALED], scored=[],
    ),
    family(
        "tree", "The same with trees: better methods, five ratios, three splits", learner="tree", splits=3,
        ratios=[5.0, 25.0], methods=BETTER, score_every=1,
    ),
    family(
        "natural", "The same with the classes as unequal as they are: stumps", splits=10, balanced=False,
        methods=PAPERS_OWN,
    ),
]  # fmt: skip
