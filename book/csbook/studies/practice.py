"""Costs that differ from example to example, on three sets: which policy saves how much.

Two sets come with costs of their own. The credit card clients have none; theirs are assumed, by the rule of
Bahnsen et al. (2014): a missed default loses most of the credit line, a refused good client loses the
interest, and the money goes to an average client instead.

A policy is a probability and a threshold: one half, that of the average costs, or the example's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, train_test_split

from csb.estimators import AdaBoost, CalibratedAdaMEC
from csb.evaluation.decisions import decide_positive
from csb.evaluation.metrics import expected_cost, savings_score
from csbook.datasets import load
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = ["PRACTICE", "credit_costs"]

DATASETS = ("default-credit-card", "bank-marketing", "churn-tv")


def credit_costs(line: np.ndarray, defaults: np.ndarray, terms: Mapping[str, float]) -> pd.DataFrame:
    r"""Costs of lending by credit line, in the manner of Bahnsen et al. (2014).

    A missed default loses a share of the line. A refused good client loses what a loan of that line earns:
    the monthly payments at the rate of interest, discounted at the rate that the bank itself pays, less the
    line. The money is lent to an average client instead, who may default as well.

    Parameters
    ----------
    line : ndarray of shape (n,)
        Credit lines.
    defaults : ndarray of shape (n,)
        One for clients who default, zero for the others.
    terms : mapping
        ``lost`` is the share of the line that a default loses, ``interest`` and ``funds`` are rates a year,
        ``months`` is the term of the loan.

    Returns
    -------
    DataFrame of shape (n, 4)
        Columns ``fn_cost``, ``fp_cost``, ``tp_cost`` and ``tn_cost``, in the unit of the lines.

    Examples
    --------
    >>> terms = {"lost": 0.75, "interest": 0.0479, "funds": 0.0294, "months": 24}
    >>> credit_costs(np.array([100.0, 300.0]), np.array([0, 1]), terms).round(1).to_numpy()
    array([[ 75. ,  75. ,   0. ,   0. ],
           [225. ,  78.8,   0. ,   0. ]])
    """

    def annuity(rate: float) -> float:
        """Value today of payments of one each month."""
        return (1 - (1 + rate / 12) ** -terms["months"]) / (rate / 12)

    missed = terms["lost"] * line
    earned = (annuity(terms["funds"]) / annuity(terms["interest"]) - 1) * line
    share = np.mean(defaults)
    instead = share * missed.mean() - (1 - share) * earned.mean()
    return pd.DataFrame({"fn_cost": missed, "fp_cost": earned + instead, "tp_cost": 0.0, "tn_cost": 0.0})


def units(settings: Settings) -> list[Unit]:
    """Splits of every set."""
    return [(name, number) for name in settings["datasets"] for number in range(settings["splits"])]


@cache
def _data(
    name: str, lost: float, interest: float, funds: float, months: int
) -> tuple[np.ndarray, np.ndarray, pd.DataFrame]:
    data = load(name)
    terms = {"lost": lost, "interest": interest, "funds": funds, "months": months}
    costs = credit_costs(data.X["LIMIT_BAL"].to_numpy(), data.y, terms) if data.costs is None else data.costs
    return data.X.to_numpy(), data.y, costs


def compute(unit: Unit, settings: Settings) -> Tables:
    """All policies on one split."""
    name, number = unit
    X, y, costs = _data(name, **settings["terms"])
    sequence = np.random.SeedSequence([settings["seed"], DATASETS.index(name), number])
    split_seed, model_seed = (int(seed) for seed in sequence.generate_state(2) >> 1)
    train, test = train_test_split(
        np.arange(len(y)), test_size=settings["test_share"], stratify=y, random_state=split_seed
    )
    policies = _policies(y[train], costs.iloc[train], costs.iloc[test])
    decisions = {("none", "never"): np.zeros(len(test), bool), ("none", "always"): np.ones(len(test), bool)}
    for model, estimator in _models(settings, model_seed).items():
        p = estimator.fit(X[train], y[train]).predict_proba(X[test])[:, 1]
        decisions |= {(model, policy): decide_positive(p, *errors) for policy, errors in policies.items()}
    own = costs.iloc[test].to_dict("series")
    rows = [
        (*key, expected_cost(y[test], positive, **own), savings_score(y[test], positive, **own))
        for key, positive in decisions.items()
    ]
    return {"bills": pd.DataFrame(rows, columns=["model", "policy", "cost", "savings"])}


def _policies(
    y: np.ndarray, of_train: pd.DataFrame, of_test: pd.DataFrame
) -> dict[str, tuple[ArrayLike, ArrayLike]]:
    """Costs of a miss and an alarm: equal, average ones of an error in training, each test example's own.

    What a correct decision costs is taken off the cost of the error on the same example.
    """
    missed = of_train["fn_cost"] - of_train["tp_cost"]
    alarm = of_train["fp_cost"] - of_train["tn_cost"]
    return {
        "one half": (1, 1),
        "average costs": (missed[y == 1].mean(), alarm[y == 0].mean()),
        "own costs": (of_test["fn_cost"] - of_test["tp_cost"], of_test["fp_cost"] - of_test["tn_cost"]),
    }


def _models(settings: Settings, seed: int) -> dict[str, BaseEstimator]:
    """Boosted stumps and boosted trees, with their own probabilities and with calibrated ones."""
    folds = StratifiedKFold(settings["folds"], shuffle=True, random_state=seed)
    trees = HistGradientBoostingClassifier(random_state=seed)
    return {
        "AdaBoost": AdaBoost(n_estimators=settings["rounds"]),
        "AdaMEC, calibrated": CalibratedAdaMEC(
            n_estimators=settings["rounds"], cv=settings["folds"], random_state=seed
        ),
        "gradient boosting": trees,
        "gradient boosting, calibrated": CalibratedClassifierCV(trees, method="sigmoid", cv=folds),
    }


PRACTICE = Study(
    name="practice",
    title="Costs of each example: savings by policy on credit card clients, bank marketing and churn",
    keys=("dataset", "split"),
    units=units,
    compute=compute,
    settings={
        "datasets": list(DATASETS),
        "splits": 10,
        "test_share": 0.25,
        "rounds": 100,
        "folds": 5,
        "terms": {"lost": 0.75, "interest": 0.0479, "funds": 0.0294, "months": 24},
        "seed": 2025,
    },
    quick={"splits": 1, "rounds": 10},
    datasets=tuple((name, "clean") for name in DATASETS),
)
