"""The experiment of Cai, Song & Zhang (2008), Table 3, and what choosing the cost on the test parts is worth.

Four medical data sets; nine parts in ten for training, one for testing, twenty times; trees; twenty rounds.
The cost of a missed positive is one, that of a false alarm runs from 0.1 to 0.9. The paper reports the best
of the nine F-measures on the test parts. Here the F-measure of every cost is kept, and beside it its mean
over folds within the training part, by which the cost can be chosen without looking at the test part.
AdaCost depends on the scale of the costs: they are taken as printed, and with the larger one equal to a half.
The paper's trees are C4.5's. In ``c08`` trees of depth six stand in for them, in ``c08/pruned`` trees that
are pruned as C4.5 prunes.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.metrics import precision_recall_fscore_support
from sklearn.model_selection import StratifiedKFold, StratifiedShuffleSplit

from csb.estimators import AdaBoost, AdaCost, GDAdaCost
from csb.inputs import ConstantModelWarning
from csbook.datasets import load
from csbook.learners.pruned import c45_stand_in
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = ["C08", "C08_PRUNED", "by_choice"]

DATASETS = ("breast-cancer", "hepatitis", "pima", "sick-euthyroid")


@cache
def _data(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    return data.X.to_numpy(float), np.asarray(data.y)


def _models(settings: Settings, seed: int) -> Iterator[tuple[str, float, float, BaseEstimator]]:
    """Method, scale, cost of a false alarm and the classifier to fit; no number where no cost is used."""
    tree = c45_stand_in(seed, settings.get("tree", "depth"))
    shared: dict[str, Any] = {"n_estimators": settings["rounds"], "estimator": tree, "random_state": seed}
    yield "tree", np.nan, np.nan, tree
    yield "AdaBoost", np.nan, np.nan, AdaBoost(**shared)
    for name, method in {"AdaCost": AdaCost, "GD-AdaCost": GDAdaCost}.items():
        for scale, cost in product(settings["scales"], settings["costs"]):
            yield name, scale, cost, method(fn_cost=1.0, fp_cost=cost, cost_scale=scale, **shared)


def _measure(
    model: BaseEstimator, X: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Precision, recall and F-measure of the positive class, in per cent."""
    with warnings.catch_warnings():
        # a method that finds no learner gives a constant, and is judged by it
        warnings.simplefilter("ignore", ConstantModelWarning)
        predicted = model.fit(X[train], y[train]).predict(X[test])
    found = precision_recall_fscore_support(y[test], predicted, average="binary", zero_division=0.0)
    return 100 * np.array(found[:3])


def units(settings: Settings) -> list[Unit]:
    """One for each data set and split."""
    return [(name, split) for name in settings["datasets"] for split in range(settings["splits"])]


def compute(unit: Unit, settings: Settings) -> Tables:
    """All methods and costs on one split of one data set."""
    name, split = unit
    X, y = _data(name)
    sequence = np.random.SeedSequence([settings["seed"], settings["datasets"].index(name), split])
    outer_seed, inner_seed, tree_seed = (int(seed) for seed in sequence.generate_state(3) >> 1)
    train, test = next(StratifiedShuffleSplit(1, test_size=0.1, random_state=outer_seed).split(X, y))
    inner = StratifiedKFold(settings["folds"], shuffle=True, random_state=inner_seed)
    folds = [(train[fit], train[held]) for fit, held in inner.split(X[train], y[train])]
    rows = []
    for method, scale, cost, model in _models(settings, tree_seed):
        within = [_measure(model, X, y, *fold)[2] for fold in folds]
        rows.append((method, scale, cost, *_measure(model, X, y, train, test), np.mean(within)))
    columns = ["method", "cost_scale", "fp_cost", "precision", "recall", "f", "f_within_training"]
    return {"measures": pd.DataFrame(rows, columns=columns)}


def by_choice(measures: pd.DataFrame) -> pd.DataFrame:
    """F-measure on the test parts by how the cost is chosen.

    Parameters
    ----------
    measures : DataFrame
        Rows of the study with their data set and split.

    Returns
    -------
    DataFrame
        A row for each data set and split, a column for each choice, method and scale of the costs. The
        choice is ``"one cost"``, the best mean over a set's test parts; ``"each split"``, the best on the
        test part of each split; or ``"within training"``, the best over the folds of each training part.
        The first of equal costs is taken.
    """
    found = {}
    for key, rows in measures.dropna(subset="fp_cost").groupby(["method", "cost_scale"]):
        tested, within = (
            rows.pivot(index=["dataset", "split"], columns="fp_cost", values=name)
            for name in ("f", "f_within_training")
        )
        of_set = tested.groupby("dataset").transform("mean")
        for choice, scores in {"one cost": of_set, "each split": tested, "within training": within}.items():
            picked = scores.to_numpy().argmax(axis=1)
            found[choice, *key] = pd.Series(tested.to_numpy()[np.arange(len(tested)), picked], tested.index)
    return pd.DataFrame(found).rename_axis(columns=["choice", "method", "cost_scale"])


C08 = Study(
    name="c08",
    title="Table 3 of Cai et al. (2008), with the cost chosen on test parts and within training parts",
    keys=("dataset", "split"),
    units=units,
    compute=compute,
    settings={
        "datasets": list(DATASETS),
        "splits": 20,
        "rounds": 20,
        "folds": 5,
        "scales": [1.0, 0.5],
        "costs": [cost / 10 for cost in range(1, 10)],
        "seed": 2008,
    },
    quick={"splits": 2, "folds": 2},
    datasets=tuple((name, "clean") for name in DATASETS),
)
C08_PRUNED = replace(
    C08,
    name="c08/pruned",
    title="The same with trees pruned as C4.5 prunes, on thirty splits",
    settings={**C08.settings, "tree": "pruned", "splits": 30},
)
