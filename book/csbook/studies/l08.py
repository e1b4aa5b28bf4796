"""The experiments of Lozano and Abe (2008): Tables 1 and 2, and what the paper left out.

Eight multiclass sets under random cost matrices of the class frequency model, another matrix for every
split. The paper leaves the split, the number of rounds and the target of two sets open: here two thirds
train for thirty rounds, and the other candidates for Flare and Thyroid run too. Beside the paper's methods
stand the decision of least expected cost by the probabilities of a forest, and the best constant. The
paper's trees are C4.5's (J48). In ``l08`` trees of depth six stand in for them, in ``l08/pruned`` trees that
are pruned as C4.5 prunes, in ``l08/full`` trees that are grown to the end. The pruned have the first four
splits of the eight sets, of Letter two; the full the same without the three largest sets.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import KFold

from csb.costs import class_frequency_costs
from csb.estimators import (
    DSE,
    GBSE,
    GBSET,
    AdaBoostM2,
    AverageCost,
    Costing,
    LpCSB,
    LpCSBA,
    LpCSBPA,
    MulticlassAdaCost,
    MulticlassCSB2,
)
from csb.evaluation.decisions import least_cost_decision, mean_cost
from csb.inputs import ConstantModelWarning
from csbook.datasets import load
from csbook.learners.pruned import c45_stand_in
from csbook.studies.study import Study
from csbook.studies.units import Unit

__all__ = ["L08", "L08_FULL", "L08_PRUNED", "METHODS"]

DATASETS = {
    "splice": 10, "anneal": 10, "satimage": 10, "flare-c": 10, "letter": 2, "pendigits": 10, "segment": 10,
    "ann-thyroid": 10, "flare": 10, "flare-m": 10, "hypothyroid": 10, "thyroid0387": 10,
}  # fmt: skip
"""Number of splits; the last four are the other readings of Flare and Thyroid."""

NORMS = (1, 2, 3, 4, 5)

METHODS: dict[str, tuple[Any, dict[str, Any]]] = {
    "AdaBoost.M2": (AdaBoostM2, {}),
    "AdaCost": (MulticlassAdaCost, {}),
    "CSB2": (MulticlassCSB2, {}),
    **{f"LpCSB, p = {p}": (LpCSB, {"p": p}) for p in NORMS},
    **{f"LpCSB as printed, p = {p}": (LpCSB, {"p": p, "form": "paper"}) for p in NORMS},
    **{f"LpCSB-PA, p = {p}": (LpCSBPA, {"p": p}) for p in NORMS},
    "LpCSB-A, p = 2": (LpCSBA, {"p": 2}),
    "DSE": (DSE, {}),
    "GBSE": (GBSE, {}),
    "GBSE-T": (GBSET, {}),
    "Costing": (Costing, {}),
    "Average Cost": (AverageCost, {}),
}
"""What is boosted, or made of the same trees."""


@cache
def _data(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    return data.X.to_numpy(float), np.asarray(data.y)


def split(y: np.ndarray, test_share: float, rng: np.random.Generator) -> np.ndarray:
    """Which examples test: of every class that share, rounded down, so that no class lacks training."""
    test = np.zeros(len(y), bool)
    for label in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == label))
        test[members[: int(test_share * len(members))]] = True
    return test


def units(settings: Mapping[str, Any]) -> list[Unit]:
    """Splits of every set."""
    return [(name, number) for name, count in settings["splits"].items() for number in range(count)]


def compute(unit: Unit, settings: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """All methods on one split under one cost matrix."""
    name, number = unit
    X, y = _data(name)
    sequence = np.random.SeedSequence([settings["seed"], list(DATASETS).index(name), number])
    split_seed, cost_seed, model_seed = (int(seed) for seed in sequence.generate_state(3) >> 1)
    test = split(y, settings["test_share"], np.random.default_rng(split_seed))
    costs = class_frequency_costs(y, cost_seed)
    rows = []
    for method, (cls, options) in METHODS.items():
        given = options if cls is AverageCost else options | {"n_estimators": settings["rounds"]}
        weak = c45_stand_in(model_seed, settings.get("tree", "depth"))
        model = cls(costs, estimator=weak, random_state=model_seed, **given)
        with warnings.catch_warnings():
            # a method that keeps no hypothesis gives a constant, and is judged by it
            warnings.simplefilter("ignore", ConstantModelWarning)
            model.fit(X[~test], y[~test])
        rows.append((method, model.predict(X[test]), len(model.estimators_)))
    decisions = _least_cost(X[~test], y[~test], X[test], costs, settings["trees"], model_seed)
    rows += [(method, decided, settings["trees"]) for method, decided in decisions.items()]
    cheapest = costs.loc[y[~test]].mean().idxmin()
    rows.append(("constant", np.full(test.sum(), cheapest), 0))
    found = [
        (method, mean_cost(y[test], decided, costs, labels=costs.index), np.mean(decided != y[test]), rounds)
        for method, decided, rounds in rows
    ]
    return {"costs": pd.DataFrame(found, columns=["method", "cost", "error", "rounds"])}


def _least_cost(
    X: np.ndarray, y: np.ndarray, new: np.ndarray, costs: pd.DataFrame, trees: int, seed: int
) -> dict[str, np.ndarray]:
    """Decisions of least expected cost, by the shares of the trees' votes, raw and calibrated."""
    forest = RandomForestClassifier(trees, random_state=seed)
    folds = list(KFold(5, shuffle=True, random_state=seed).split(X))  # a class may have a single example
    models = {
        "forest": forest,
        "calibrated forest": CalibratedClassifierCV(forest, method="sigmoid", cv=folds, ensemble=False),
    }
    return {name: _predicted(model.fit(X, y), new, costs) for name, model in models.items()}


def _predicted(model: Any, new: np.ndarray, costs: pd.DataFrame) -> np.ndarray:
    seen = model.classes_
    return seen[least_cost_decision(model.predict_proba(new), costs.loc[seen, seen])]


L08 = Study(
    name="l08",
    title="Tables 1 and 2 of Lozano and Abe (2008), with the plain decision of least expected cost",
    keys=("dataset", "split"),
    units=units,
    compute=compute,
    settings={"splits": DATASETS, "test_share": 1 / 3, "rounds": 30, "trees": 300, "seed": 2008},
    quick={"splits": {"segment": 1, "anneal": 1}, "rounds": 3, "trees": 20},
    datasets=tuple((name, "clean") for name in DATASETS),
)
FEWER = dict.fromkeys(("splice", "anneal", "flare-c", "segment", "ann-thyroid"), 4)
"""Splits for full trees: of the sets on which a split takes less than a minute."""
WITH_LARGE = FEWER | {"satimage": 4, "pendigits": 4, "letter": 2}
"""Splits for pruned trees: of all sets of the paper."""

L08_PRUNED = replace(
    L08,
    name="l08/pruned",
    title="Tables 1 and 2 with trees pruned as C4.5 prunes, on four splits of eight sets, two of Letter",
    settings={**L08.settings, "tree": "pruned", "splits": WITH_LARGE},
    datasets=tuple((name, "clean") for name in WITH_LARGE),
)
L08_FULL = replace(
    L08_PRUNED,
    name="l08/full",
    title="Tables 1 and 2 with trees grown to the end and not pruned, on four splits of five sets",
    settings={**L08_PRUNED.settings, "tree": "full", "splits": FEWER},
    datasets=tuple((name, "clean") for name in FEWER),
)
