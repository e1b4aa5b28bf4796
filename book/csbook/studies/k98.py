"""The experiments of Karakoulas and Shawe-Taylor (1998): Table 1, Fig. 2, and thresholds on many data sets.

Table 1 and Fig. 2 have satimage class 4 with its own training and test parts. The comparison of thresholds
that the paper asks for is made on ten sets, five cost ratios and a hundred random halves. The paper's trees
are C4.5's. In ``k98`` trees of depth six stand in for them, in ``k98/pruned``, which has satimage with trees
only, trees that are pruned as C4.5 prunes. ``k98/weights`` repeats what the claims about both rest on, from
three kinds of first weights, on further splits of satimage of the same sizes.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import StratifiedShuffleSplit

from csb.estimators import AdaBoost, AdaMEC, AdaUBoost, CalibratedAdaMEC, ThetaBoost
from csb.inputs import ConstantModelWarning
from csb.methods.thresholds import RULES
from csbook.datasets import load
from csbook.learners.pruned import c45_stand_in
from csbook.studies.study import Study
from csbook.studies.units import Unit

__all__ = ["K98", "K98_PRUNED", "K98_WEIGHTS"]

SATIMAGE = "satimage-4"
DATASETS = (
    "survival", "ionosphere", "liver", "pima", "heart", "wdbc", "german_credit", "sonar", "crx", "vowel",
)  # fmt: skip
FIRST_WEIGHTS: Mapping[str, Mapping[str, Any]] = {
    "uniform": {"form": "paper", "init": "uniform"},
    "costs": {"form": "paper", "init": "beta"},
    "squares of the costs": {"form": "corrected", "init": "beta2"},
}
"""Of AdaUBoost: as the experiment says, as Section 4 says, and corrected (E-K06)."""


@cache
def _data(name: str) -> tuple[np.ndarray, np.ndarray, Any]:
    data = load(name)
    return data.X.to_numpy(float), np.asarray(data.y), data.split


def units(settings: Mapping[str, Any]) -> list[Unit]:
    """Satimage with each learner, and the halves of every other set."""
    halves = [(name, half) for name in settings["datasets"] for half in range(settings["halves"])]
    return [(SATIMAGE, part) for part in range(len(settings["learners"]))] + halves


def compute(unit: Unit, settings: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """All methods on satimage with one learner, or all thresholds on one half of a set."""
    name, number = unit
    with warnings.catch_warnings():
        # a method that finds no learner gives a constant, and is judged by it
        warnings.simplefilter("ignore", ConstantModelWarning)
        if name == SATIMAGE:
            return _satimage(settings["learners"][number], settings)
        return {"thresholds": _thresholds(name, number, settings)}


def _errors(decided: np.ndarray, y: np.ndarray) -> tuple[int, int]:
    """Missed positives and false alarms."""
    return int(np.sum((decided != 1) & (y == 1))), int(np.sum((decided == 1) & (y == 0)))


def _satimage(learner: str, settings: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    X, y, split = _data(SATIMAGE)
    fit, test = split == "train", split == "test"
    tree = c45_stand_in(settings["seed"], settings.get("tree", "depth"))
    weak = tree if learner == "tree" else "stump"
    shared = {"n_estimators": settings["rounds"], "estimator": weak, "random_state": settings["seed"]}
    rows, curve = [], []
    single = clone(tree).fit(X[fit], y[fit])
    plain = AdaBoost(**shared).fit(X[fit], y[fit])
    moved = AdaMEC(**shared).fit(X[fit], y[fit])
    for beta in settings["betas"]:
        models = {
            "tree": single,
            "AdaBoost": plain,
            "AdaMEC": moved.set_params(fn_cost=beta),
            "AdaUBoost, paper": AdaUBoost(beta, form="paper", init="uniform", **shared).fit(X[fit], y[fit]),
            "AdaUBoost": AdaUBoost(beta, **shared).fit(X[fit], y[fit]),
        }
        theta = ThetaBoost(beta, **shared).fit(X[fit], y[fit])
        decisions = {method: model.predict(X[test]) for method, model in models.items()}
        decisions |= {
            f"ThetaBoost, {rule}": theta.set_params(threshold=rule).predict(X[test]) for rule in RULES
        }
        rows += [(learner, beta, method, *_errors(decided, y[test])) for method, decided in decisions.items()]
        if beta == settings["drawn"]:
            curve = _over_theta(models["AdaUBoost"], theta, X, y, fit, test)
    columns = ["learner", "beta", "method", "fn", "fp"]
    return {
        "satimage": pd.DataFrame(rows, columns=columns),
        "theta": pd.DataFrame(curve, columns=["threshold", "theta", "fn", "fp"]).assign(learner=learner),
    }


def _over_theta(
    model: AdaUBoost, theta: ThetaBoost, X: np.ndarray, y: np.ndarray, fit: np.ndarray, test: np.ndarray
) -> list[tuple[str, float, int, int]]:
    """Errors on the test part as the threshold moves over the training scores, and at the rules."""
    train_scores, test_scores = model.decision_function(X[fit]), model.decision_function(X[test])
    grid = np.linspace(train_scores.min(), train_scores.max(), 201)
    rows = [("grid", at, *_errors(test_scores > at, y[test])) for at in grid]
    for rule in RULES:
        at = theta.set_params(threshold=rule).theta_
        rows.append((rule, at, *_errors(test_scores > at, y[test])))
    return [*rows, ("sign", 0.0, *_errors(test_scores > 0, y[test]))]


def _thresholds(name: str, half: int, settings: Mapping[str, Any]) -> pd.DataFrame:
    X, y, _ = _data(name)
    sequence = np.random.SeedSequence([settings["seed"], DATASETS.index(name), half])
    split_seed, model_seed = (int(seed) for seed in sequence.generate_state(2) >> 1)
    split = StratifiedShuffleSplit(1, test_size=0.5, random_state=split_seed)
    fit, test = next(split.split(X, y))
    rounds = {"n_estimators": settings["rounds"]}
    calibrated = CalibratedAdaMEC(cv=5, random_state=model_seed, **rounds).fit(X[fit], y[fit])
    rows = []
    for beta in settings["betas"]:
        theta = ThetaBoost(beta, **rounds).fit(X[fit], y[fit])
        sign = AdaUBoost(beta, **rounds).fit(X[fit], y[fit])
        decisions = {"sign": sign.predict(X[test])}
        decisions |= {rule: theta.set_params(threshold=rule).predict(X[test]) for rule in RULES}
        decisions["calibrated"] = calibrated.set_params(fn_cost=beta).predict(X[test])
        rows += [(beta, rule, *_errors(decided, y[test])) for rule, decided in decisions.items()]
    table = pd.DataFrame(rows, columns=["beta", "threshold", "fn", "fp"])
    return table.assign(n=len(test), positives=int(y[test].sum()))


def split_units(settings: Mapping[str, Any]) -> list[Unit]:
    """The paper's own split, number zero, and further ones, with each learner."""
    return [(learner, split) for learner in settings["learners"] for split in range(settings["splits"] + 1)]


def compute_split(unit: Unit, settings: Mapping[str, Any]) -> dict[str, pd.DataFrame]:
    """Errors of tree, AdaBoost and AdaUBoost from all first weights, and at one cost ratio thresholds."""
    learner, number = unit
    X, y, fit, test = _split(number, settings)
    tree = c45_stand_in(settings["seed"], "depth" if learner == "stump" else learner)
    shared = {
        "n_estimators": settings["rounds"],
        "estimator": "stump" if learner == "stump" else tree,
        "random_state": settings["seed"],
    }
    plain = {"tree": clone(tree), "AdaBoost": AdaBoost(**shared)}
    rows, marks = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantModelWarning)
        for name, model in plain.items():
            decided = model.fit(X[fit], y[fit]).predict(X[test])  # knows nothing of the costs
            rows.append((name, "uniform", 1.0, *_errors(decided, y[test])))
        for beta in settings["betas"]:
            # at equal costs all first weights are equal
            for first in FIRST_WEIGHTS if beta != 1 else ["uniform"]:
                model = ThetaBoost(beta, **FIRST_WEIGHTS[first], **shared).fit(X[fit], y[fit])
                scores = model.decision_function(X[test]) + model.theta_
                rows.append(("AdaUBoost", first, beta, *_errors(scores > 0, y[test])))
                if beta == settings["drawn"]:
                    marks += [(first, *mark) for mark in _marks(model, scores, y[test], beta)]
    errors = pd.DataFrame(rows, columns=["method", "first", "beta", "fn", "fp"])
    return {
        "errors": errors.assign(n=len(test), positives=int(y[test].sum())),
        "thresholds": pd.DataFrame(marks, columns=["first", "threshold", "theta", "away", "fn", "fp"]),
    }


def _split(number: int, settings: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Features, classes, and where the training and the test part are."""
    X, y, parts = _data(SATIMAGE)
    fit, test = np.flatnonzero(parts == "train"), np.flatnonzero(parts == "test")
    if number:
        seed = int(np.random.SeedSequence([settings["seed"], number]).generate_state(1)[0] >> 1)
        split = StratifiedShuffleSplit(1, train_size=len(fit), test_size=len(test), random_state=seed)
        fit, test = next(split.split(X, y))
    return X, y, fit, test


def _marks(
    model: ThetaBoost, scores: np.ndarray, y: np.ndarray, beta: float
) -> list[tuple[str, float, float, int, int]]:
    """Errors at the thresholds, and how far these are from the nearest one that costs least."""
    thetas = {rule: model.set_params(threshold=rule).theta_ for rule in RULES} | {"sign": 0.0}
    found = [(rule, at, away_from_best(at, scores, y, beta)) for rule, at in thetas.items()]
    return [(rule, at, away, *_errors(scores > at, y)) for rule, at, away in found]


def away_from_best(theta: float, scores: np.ndarray, y: np.ndarray, beta: float) -> float:
    """Distance of a threshold from the nearest one of least cost.

    Parameters
    ----------
    theta : float
        Threshold; scores above it are called positive.
    scores : ndarray of shape (n,)
        Of the examples.
    y : ndarray of shape (n,)
        Their classes, 0 or 1.
    beta : float
        Cost of a missed positive, in units of that of a false alarm.

    Returns
    -------
    float
        In units of the score; zero if the threshold is among the best.

    Examples
    --------
    >>> scores, y = np.array([0.0, 1.0, 3.0]), np.array([0, 0, 1])
    >>> [away_from_best(theta, scores, y, 2.0) for theta in (0.5, 1.0, 2.0, 3.5)]
    [0.5, 0.0, 0.0, 0.5]
    """
    order = np.argsort(scores, kind="stable")
    ends, last = np.unique(scores[order], return_index=True)
    # positives missed and negatives passed by a threshold in [low, high), from below all scores upwards
    missed = np.append(np.concatenate([[0], np.cumsum(y[order] == 1)])[last], np.sum(y == 1))
    passed = np.append(np.concatenate([[0], np.cumsum(y[order] != 1)])[last], np.sum(y != 1))
    costs = beta * missed - passed
    low, high = np.append(-np.inf, ends), np.append(ends, np.inf)
    best = costs == costs.min()
    return float(np.maximum(np.maximum(low[best] - theta, theta - high[best]), 0).min())


K98 = Study(
    name="k98",
    title="Table 1 and Fig. 2 of Karakoulas & Shawe-Taylor (1998), and their thresholds on ten sets",
    keys=("dataset", "part"),
    units=units,
    compute=compute,
    settings={
        "datasets": list(DATASETS),
        "halves": 100,
        "learners": ["tree", "stump"],
        "betas": [1.0, 2.0, 4.0, 8.0, 16.0],
        "drawn": 2.0,
        "rounds": 50,
        "seed": 1998,
    },
    quick={"halves": 2, "learners": ["stump"], "rounds": 10},
    datasets=tuple((name, "clean") for name in (SATIMAGE, *DATASETS)),
)
K98_PRUNED = replace(
    K98,
    name="k98/pruned",
    title="Table 1 and Fig. 2 with trees pruned as C4.5 prunes, without stumps and the ten sets",
    settings={**K98.settings, "tree": "pruned", "learners": ["tree"], "datasets": []},
    quick={"rounds": 3, "betas": [1.0, 2.0]},
    datasets=((SATIMAGE, "clean"),),
)
K98_WEIGHTS = Study(
    name="k98/weights",
    title="What Table 1 and Fig. 2 show, from three kinds of first weights, on further splits of satimage",
    keys=("learner", "split"),
    units=split_units,
    compute=compute_split,
    settings={
        "learners": ["pruned", "depth", "stump"],
        "splits": 10,
        "betas": [1.0, 2.0, 16.0],
        "drawn": 2.0,
        "rounds": 50,
        "seed": 1998,
    },
    quick={"learners": ["stump"], "splits": 2, "rounds": 10},
    datasets=((SATIMAGE, "clean"),),
)
