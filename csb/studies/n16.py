"""The experiments of Nikolaou et al. (2016), Section 5: 18 sets, 21 cost ratios, 30 splits, every method.

Both classes are made equal in number by leaving out examples of the larger one; a quarter of the rest tests,
and of the training part a third is held out where a method calibrates. The parts are drawn class by class.
Left out are AdaDB, GD-AdaC1 and GD-AsymBoost, whose models are those of CSAda.
"""

from __future__ import annotations

import warnings
from functools import cache

import numpy as np
import pandas as pd

from csb.costs import check_costs
from csb.datasets import load
from csb.learners import bind_learner, c45_stand_in
from csb.metrics import brier_decomposition
from csb.studies.grid import Method, Split, decide
from csb.studies.study import Study

__all__ = ["DATASETS", "METHODS", "N16"]

DATASETS = (
    "survival", "ionosphere", "congress", "liver", "pima", "parkinsons", "landsatM", "krvskp", "heart",
    "wdbc", "german_credit", "sonar", "spliceM", "waveformM", "spambase", "mushroom", "musk2", "semeion",
)  # fmt: skip

RATIOS = (1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 25.0, 50.0, 100.0)
"""Of the two costs, dear over cheap; either may be the dear one."""

SIGMOID, EQUAL = {"calibration": "sigmoid"}, "CGAda, calibrated"
METHODS = {
    "AdaBoost": Method("adaboost"),
    "AdaMEC": Method("adamec"),
    "AdaMEC, vote rule": Method("adamec", {"rule": "vote"}),
    "CGAda": Method("cgada"),
    "AsymAda": Method("asymada"),
    "CSAda": Method("csada"),
    "AdaC1": Method("adac1"),
    "AdaC2": Method("adac2"),
    "AdaC3": Method("adac3"),
    "CSB0": Method("csb0"),
    "CSB1": Method("csb1"),
    "CSB2": Method("csb2"),
    "AdaCost": Method("adacost"),
    "AdaCost(β₂)": Method("adacost_beta2"),
    "GD-AdaCost": Method("gd_adacost"),
    "AsyB": Method("asyb", {"form": "paper"}),
    "AdaUBoost": Method("adauboost"),
    "AdaMEC, calibrated": Method("adamec", **SIGMOID),
    "CGAda, calibrated": Method("cgada", **SIGMOID),
    "AsymAda, calibrated": Method("asymada", **SIGMOID),
    "AdaMEC, calibrated, equal size": Method("adamec", **SIGMOID, as_long_as=EQUAL),
    "AsymAda, calibrated, equal size": Method("asymada", **SIGMOID, as_long_as=EQUAL),
}
"""AsyB is the printed algorithm; as derived it is CGAda. Of equal size means as many rounds as CGAda."""


@cache
def _data(name, track):
    data = load(name, track)
    return data.X.to_numpy(float), np.asarray(data.y, np.int8)


def skews_to_costs(ratios):
    """Costs of all ratios and their inverses, from the one that favours positives most to the other end."""
    dear = np.sort(ratios)
    ones = np.ones(len(dear))
    return check_costs(np.r_[dear[::-1], 1.0, ones], np.r_[ones, 1.0, dear])


def divide(y, balanced, test_share, held_out_share, rng):
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


def units(settings):
    """Splits of every set."""
    return [(name, number) for name in settings["datasets"] for number in range(settings["splits"])]


def compute(unit, settings):
    """All methods at all ratios on one split."""
    name, number = unit
    X, y = _data(name, settings["track"])
    seed = np.random.SeedSequence([settings["seed"], DATASETS.index(name), number])
    rng = np.random.default_rng(seed)
    train, test, held_out = divide(
        y, settings["balanced"], settings["test_share"], settings["held_out_share"], rng
    )
    weak = settings["learner"]
    learner = bind_learner(
        c45_stand_in() if weak == "tree" else weak, X[train], y[train],
        random_state=np.random.RandomState(int(seed.generate_state(1)[0])),
    )  # fmt: skip
    costs = skews_to_costs(settings["ratios"])
    methods = {name: METHODS[name] for name in settings["methods"]}
    split = Split(X[train], y[train], held_out, X[test])
    with warnings.catch_warnings():
        # a vote without a finite value ends training, and the model is judged as it is
        warnings.filterwarnings("ignore", "the formula of the vote", RuntimeWarning)
        outcomes = decide(learner, split, costs, methods, settings["rounds"])
    of_new = y[test] == 1
    ratio = costs.fn_cost / costs.fp_cost
    counts = [_counts(method, ratio, of, of_new) for method, of in outcomes.items()]
    scored = np.arange(0, len(ratio), settings["score_every"])
    scores = [
        _scores(method, ratio[scored], outcomes[method].probability[scored], of_new)
        for method in settings["methods"]
        if method.startswith(tuple(settings["scored"]))
    ]
    sizes = {"train": [len(train)], "held_out": [held_out.sum()], "n_pos": [of_new.sum()], "n": [len(test)]}
    return {
        "counts": pd.concat(counts),
        "scores": pd.concat(scores).round(6),
        "sizes": pd.DataFrame(sizes),
    }


def _counts(method, ratio, outcome, positive):
    return pd.DataFrame(
        {
            "method": method,
            "ratio": ratio,
            "fn": np.sum(~outcome.positive & positive, axis=1),
            "fp": np.sum(outcome.positive & ~positive, axis=1),
            "rounds": outcome.rounds,
            "stop": outcome.stop_reasons,
        }
    )


def _scores(method, ratio, probability, positive):
    """Brier score, calibration loss and refinement loss; one row where all ratios share a model."""
    same = len(np.unique(probability, axis=0)) == 1
    rows = []
    for of_ratio, p in list(zip(ratio, probability, strict=True))[: 1 if same else None]:
        parts = brier_decomposition(positive, p)
        rows.append(
            (method, np.nan if same else of_ratio, parts.score, parts.miscalibration, parts.refinement)
        )
    return pd.DataFrame(rows, columns=["method", "ratio", "brier", "calibration", "refinement"])


def _study(learner, track, title, **changes):
    settings = {
        "learner": learner, "track": track, "datasets": list(DATASETS), "splits": 30, "balanced": True,
        "ratios": list(RATIOS), "rounds": 100, "test_share": 0.25, "held_out_share": 1 / 3,
        "methods": list(METHODS), "scored": ["AdaMEC", "CGAda", "AsymAda"], "score_every": 2,
        "seed": 2016,
    }  # fmt: skip
    settings |= changes
    return Study(
        name=f"n16/{learner}-{track}",
        title=title,
        keys=("dataset", "split"),
        units=units,
        compute=compute,
        settings=settings,
        quick={"splits": 1, "datasets": ["survival", "wdbc"], "rounds": 10},
        datasets=tuple((name, track) for name in settings["datasets"]),
    )


WORDS = {
    "stump": "stumps",
    "univariate_logistic": "univariate logistic regression",
    "logistic": "logistic regression",
}
N16 = [
    _study(learner, track, f"Section 5 of Nikolaou et al. (2016): {words}, {track} data")
    for learner, words in WORDS.items()
    for track in ("published", "clean")
]
