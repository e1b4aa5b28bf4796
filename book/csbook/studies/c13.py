"""The experiments of Cao et al. (2013): two Gaussians, Tables 1 to 5, and cost against rounds.

Tables: five sets, a miss costs five false alarms, fifty rounds of trees, five folds; repeated ten times,
which the paper does not. Fig. 3: cost after each round on phoneme. Figs. 1 and 2: two Gaussians, here with
the expected cost above that of Bayes, over thirty draws.

The paper has C4.5's trees in all methods of the tables but AsyBL, which has CART. In ``c13`` trees of depth
six stand in for both, and AsyLogitBoost has stumps. ``c13/pruned`` and ``c13/logistic`` have the tables and
Fig. 3 with the paper's learners, on the same folds: the one has trees pruned as C4.5 prunes in the methods
that vote, and leaves the two logistic ones as they were; the other has these two, AsyLogitBoost with C4.5's
trees and AsyBL with regression trees pruned as CART prunes. ``c13/cart`` has AsyBL on the Gaussians with
regression trees of several sizes, which the paper does not give; ``c13/boundaries`` has the share of examples
that the methods decide otherwise than Bayes, since Figs. 1 and 2 show boundaries. The paper has a hundred
rounds there and no rule that stops, so votes may be negative; beside that stand runs that end at the first
vote that is not positive, as all runs of ``c13`` and its tables do.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any, Literal, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.linear_model import LinearRegression
from sklearn.metrics import confusion_matrix, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeRegressor

from csb.estimators import (
    CSB0,
    CSB1,
    CSB2,
    AdaC1,
    AdaC2,
    AdaC3,
    AdaCost,
    AdaMEC,
    AsyB,
    AsyBL,
    AsymmetricLogitBoost,
    CGAda,
    CSAda,
)
from csb.inputs import ConstantModelWarning, NotFiniteWarning
from csbook.datasets import load, make_two_gaussians
from csbook.learners.pruned import PrunedRegressionTree, c45_stand_in
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = [
    "C13", "C13_BOUNDARIES", "C13_CART", "C13_LOGISTIC", "C13_PRUNED", "FRESH", "METHODS", "SIZES",
    "SignClassifier",
]  # fmt: skip

DATASETS = ("crx", "page-blocks", "phoneme", "pima", "vowel")
GAUSSIANS = "two-gaussians"
FRESH = 10**6
"""Seed of the sample on which decisions on the Gaussians are judged."""

METHODS: dict[str, tuple[Callable[..., BaseEstimator], dict[str, Any]]] = {
    "AdaBoostC": (CGAda, {}),
    "AdaCost": (AdaCost, {"cost_scale": 1.0}),
    "AdaC1": (AdaC1, {}),
    "AdaC2": (AdaC2, {}),
    "AdaC3": (AdaC3, {}),
    "CSB0": (CSB0, {}),
    "CSB1": (CSB1, {}),
    "CSB2": (CSB2, {}),
    "AsyBoosting": (CSAda, {}),
    "AsyB": (AsyB, {"form": "paper"}),
    "AsyBL": (AsyBL, {}),
    "AsyLogitBoost": (AsymmetricLogitBoost, {}),
    "AdaMEC": (AdaMEC, {}),
    "AdaCost, 1/2": (AdaCost, {"cost_scale": 0.5}),
}
"""By the names of the printed tables, and two that they lack. AsyB is the printed algorithm; as derived it is
AdaBoostC. AsyLogitBoost has regression stumps, after the one-feature regressions of its authors, or C4.5's
trees, as the paper says."""

Trees = Literal["depth", "pruned", "paper"]
"""Of depth six; for the methods that vote those pruned as C4.5 prunes; for all methods the paper's."""

SIZES: Mapping[str, Mapping[str, Any] | None] = {
    "depth 1": {"max_depth": 1, "min_samples_leaf": 5},
    "depth 2": {"max_depth": 2, "min_samples_leaf": 5},
    "depth 3": {"max_depth": 3, "min_samples_leaf": 5},
    "depth 6": {"max_depth": 6, "min_samples_leaf": 5},
    "full": {},
    "pruned": None,
}
"""Of the regression trees; those that are pruned by cost complexity have no other limit than their leaves."""


class SignClassifier(RegressorMixin, BaseEstimator):
    """A classifier where a regression is asked for: its decisions, as one and minus one.

    Of such functions the one of least squares has the least weighted error on the signs of the target, each
    weighed by its size: :math:`w(z-h)^2=w(z^2+1)-2w|z|\\,h\\operatorname{sign}z`.

    Parameters
    ----------
    classifier : scikit-learn classifier
        What is fitted, with weights of mean one.
    """

    def __init__(self, classifier: BaseEstimator) -> None:
        self.classifier = classifier

    def fit(self, X: np.ndarray, y: np.ndarray, sample_weight: np.ndarray) -> Self:
        """Fit the signs."""
        weights = sample_weight * np.abs(y)
        self.classifier_ = clone(self.classifier).fit(X, y > 0, sample_weight=weights / weights.mean())
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        """One or minus one for each example."""
        return np.where(self.classifier_.predict(X), 1.0, -1.0)


def _cart(size: str, seed: int) -> BaseEstimator:
    """A regression tree of one of the `SIZES`."""
    settings = SIZES[size]
    if settings is None:
        return PrunedRegressionTree(random_state=seed)
    return DecisionTreeRegressor(**settings, random_state=seed)


def _learner(name: str, kind: str, seed: int, tree: Trees) -> str | BaseEstimator:
    """What a method boosts: the two logistic methods a regression, the others a classifier."""
    of_paper = kind == "tree" and tree == "paper"
    voting = (
        "perceptron" if kind == "perceptron" else c45_stand_in(seed, "depth" if tree == "depth" else "pruned")
    )
    if name == "AsyLogitBoost":
        return SignClassifier(voting) if of_paper else "stump"
    if name == "AsyBL":
        return (
            LinearRegression() if kind == "perceptron" else _cart("pruned" if of_paper else "depth 6", seed)
        )
    return voting


def _fit(
    name: str,
    ratio: float,
    rounds: int,
    kind: str,
    seed: int,
    X: np.ndarray,
    y: np.ndarray,
    tree: Trees = "depth",
    **policy: str,
) -> BaseEstimator:
    cls, options = METHODS[name]
    learner = _learner(name, kind, seed, tree)
    model = cls(fn_cost=ratio, n_estimators=rounds, estimator=learner, random_state=seed, **options, **policy)
    return _train(model, X, y)


def _train(model: Any, X: np.ndarray, y: np.ndarray) -> BaseEstimator:
    with warnings.catch_warnings():
        # a method that finds no learner gives a constant, and is judged by it
        warnings.simplefilter("ignore", ConstantModelWarning)
        warnings.simplefilter("ignore", NotFiniteWarning)
        return model.fit(X, y)


@cache
def _data(name: str) -> tuple[np.ndarray, np.ndarray]:
    data = load(name)
    return data.X.to_numpy(float), np.asarray(data.y)


@cache
def _fresh(n: int) -> tuple[np.ndarray, np.ndarray]:
    data = make_two_gaussians(n, random_state=FRESH)
    assert data.posterior is not None  # of two Gaussians the law is known
    X = data.X.to_numpy(float)
    return X, data.posterior(X).round(9)  # whose last bits are the linear algebra library's


def units(settings: Settings) -> list[Unit]:
    """Folds of every repeat of every set, and draws of the Gaussians."""
    folds = [
        (name, repeat, fold)
        for name in settings["datasets"]
        for repeat in range(settings["repeats"])
        for fold in range(settings["folds"])
    ]
    return folds + [(GAUSSIANS, draw, 0) for draw in range(settings["draws"])]


def compute(unit: Unit, settings: Settings) -> Tables:
    """All methods on one fold, or on one draw of the Gaussians."""
    name, repeat, fold = unit
    number = len(DATASETS) if name == GAUSSIANS else DATASETS.index(name)
    sequence = np.random.SeedSequence([settings["seed"], number, repeat])
    data_seed, learner_seed = (int(seed) for seed in sequence.generate_state(2) >> 1)
    if name == GAUSSIANS:
        judge = _sizes if "sizes" in settings else _boundaries if "bounded" in settings else _gaussians
        return {"gaussians": judge(data_seed, learner_seed, settings)}
    X, y = _data(name)
    splits = StratifiedKFold(settings["folds"], shuffle=True, random_state=data_seed).split(X, y)
    train, test = list(splits)[fold]
    follow = name == settings["followed"] and repeat == 0
    measures, rounds = [], []
    tree = settings.get("tree", "depth")
    for method in settings.get("methods", METHODS):
        model = _fit(
            method, settings["ratio"], settings["rounds"], "tree", learner_seed, X[train], y[train], tree
        )
        tn, fp, fn, tp = confusion_matrix(y[test], model.predict(X[test]), labels=[0, 1]).ravel()
        auc = roc_auc_score(y[test], model.decision_function(X[test]))
        measures.append((method, tp, fn, fp, tn, auc, len(model.estimators_)))
        if follow:
            rounds += _over_rounds(method, model, X, y, train, test, settings["ratio"])
    columns = ["method", "tp", "fn", "fp", "tn", "auc", "rounds"]
    tables = {"measures": pd.DataFrame(measures, columns=columns)}
    if follow:
        tables["rounds"] = pd.DataFrame(rounds, columns=["method", "round", "train", "test"])
    return tables


def _over_rounds(
    method: str,
    model: BaseEstimator,
    X: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    ratio: float,
) -> list[tuple[str, int, float, float]]:
    """Mean cost on both parts after each round."""

    def cost(part: np.ndarray, decided: np.ndarray) -> float:
        missed, alarm = (decided == 0) & (y[part] == 1), (decided == 1) & (y[part] == 0)
        return (ratio * missed + alarm).mean()

    stages = zip(model.staged_predict(X[train]), model.staged_predict(X[test]), strict=True)
    return [
        (method, t, cost(train, of_train), cost(test, of_test))
        for t, (of_train, of_test) in enumerate(stages, start=1)
    ]


def _gaussians(data_seed: int, learner_seed: int, settings: Settings) -> pd.DataFrame:
    """Expected cost above that of Bayes, by the known posterior."""
    X, y = _draw(settings["sample"], data_seed)
    rows = []
    for ratio in settings["ratios"]:
        methods = METHODS if ratio == settings["ratio"] else settings["tracked"]
        for kind in ("perceptron", "tree"):
            for method in methods:
                model = _fit(method, ratio, settings["gaussian_rounds"], kind, learner_seed, X, y)
                rows.append((kind, ratio, method, *_excess(model, ratio, settings["fresh"])))
    return pd.DataFrame(rows, columns=["learner", "ratio", "method", "excess", "bayes"])


def _sizes(data_seed: int, learner_seed: int, settings: Settings) -> pd.DataFrame:
    """The same for AsyBL alone, by the size of its regression trees."""
    X, y = _draw(settings["sample"], data_seed)
    rows = []
    for ratio in settings["ratios"]:
        for size in settings["sizes"]:
            shared = {"n_estimators": settings["gaussian_rounds"], "random_state": learner_seed}
            model = AsyBL(ratio, estimator=_cart(size, learner_seed), **shared)
            rows.append((size, ratio, *_excess(_train(model, X, y), ratio, settings["fresh"])))
    return pd.DataFrame(rows, columns=["size", "ratio", "excess", "bayes"])


def _boundaries(data_seed: int, learner_seed: int, settings: Settings) -> pd.DataFrame:
    """The share of fresh examples that are decided otherwise than by Bayes."""
    X, y = _draw(settings["sample"], data_seed)
    new, p = _fresh(settings["fresh"])
    rounds = settings["gaussian_rounds"]
    rows = []
    for ratio in settings["ratios"]:
        for method, policy in product(settings["bounded"], settings["policies"]):
            model = _fit(method, ratio, rounds, "perceptron", learner_seed, X, y, nonpositive_alpha=policy)
            rows.append((ratio, method, policy, model))
        for method, learner in (
            ("AsyBL", LinearRegression()),
            ("AsyBL, CART", _cart("pruned", learner_seed)),
        ):
            model = AsyBL(ratio, estimator=learner, n_estimators=rounds, random_state=learner_seed)
            rows.append((ratio, method, "no votes", _train(model, X, y)))
    return pd.DataFrame(
        [
            (*row, len(model.estimators_), np.mean((model.predict(new) == 1) != (p > 1 / (1 + row[0]))))
            for *row, model in rows
        ],
        columns=["ratio", "method", "nonpositive_alpha", "rounds", "apart"],
    )


def _draw(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    data = make_two_gaussians(n, random_state=seed)
    return data.X.to_numpy(float), np.asarray(data.y)


def _excess(model: Any, ratio: float, fresh: int) -> tuple[float, float]:
    """Expected cost above that of Bayes, and that of Bayes."""
    new, p = _fresh(fresh)
    least = np.minimum(1 - p, ratio * p)
    cost = np.where(model.predict(new) == 1, 1 - p, ratio * p)
    return (cost - least).mean(), least.mean()


C13 = Study(
    name="c13",
    title="Tables 1 to 5, Fig. 3 and the two Gaussians of Cao et al. (2013)",
    keys=("dataset", "repeat", "fold"),
    units=units,
    compute=compute,
    settings={
        "datasets": list(DATASETS),
        "repeats": 10,
        "folds": 5,
        "ratio": 5.0,
        "rounds": 50,
        "followed": "phoneme",
        "draws": 30,
        "sample": 1400,
        "fresh": 20000,
        "ratios": [2.0, 5.0, 8.0, 10.0],
        "tracked": ["AdaBoostC", "AsyB", "AsyBL"],
        "gaussian_rounds": 100,
        "seed": 2013,
    },
    quick={"repeats": 1, "draws": 1, "datasets": ["pima", "vowel"], "rounds": 10, "gaussian_rounds": 10},
    datasets=tuple((name, "clean") for name in DATASETS),
)
TABLES = {**C13.settings, "draws": 0}
"""The tables, and the costs against rounds on the folds of the first repeat, without the Gaussians."""

C13_PRUNED = replace(
    C13,
    name="c13/pruned",
    title="Tables 1 to 5 and Fig. 3 with trees pruned as C4.5 prunes, on the same ten times five folds",
    settings={**TABLES, "tree": "pruned"},
    quick={"repeats": 1, "datasets": ["pima", "vowel"], "rounds": 10},
)
C13_LOGISTIC = replace(
    C13_PRUNED,
    name="c13/logistic",
    title="Tables 1 to 5 and Fig. 3, AsyBL with trees pruned as CART prunes, AsyLogitBoost with C4.5's",
    settings={**TABLES, "tree": "paper", "methods": ["AsyBL", "AsyLogitBoost"]},
)
C13_CART = replace(
    C13,
    name="c13/cart",
    title="AsyBL on the two Gaussians with regression trees of several sizes",
    settings={**C13.settings, "datasets": [], "sizes": list(SIZES)},
    quick={"draws": 1, "gaussian_rounds": 10},
    datasets=(),
)
C13_BOUNDARIES = replace(
    C13_CART,
    name="c13/boundaries",
    title="Decisions on the two Gaussians that differ from those of Bayes",
    settings={
        **C13.settings,
        "datasets": [],
        "bounded": [
            name for name in METHODS if name not in ("AsyBL", "AsyLogitBoost", "AdaMEC", "AdaCost, 1/2")
        ],
        "policies": ["signed", "stop"],
    },
)
