"""Whom does the bank call? Bank marketing with each customer's costs, split by time and by chance.

The rows are in order of time, from May 2008 to November 2010. By time, the models are trained on the
customers of 2008, and decide on those of 2009 and 2010; by chance, on as many customers drawn from the
whole file. Recorded are the advice on the training part, and what the models say of each other customer.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import TimeSeriesSplit
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from csb import AdaBoost, CGAda, CostDecision, recommend
from csb.inputs import KnownDecisionWarning
from csbook.datasets.loading import load, read_file
from csbook.studies.study import Settings, Study, Tables
from csbook.studies.units import Unit

__all__ = ["REAL_CASE", "advise", "learners", "probabilities", "rule"]

WORDS = ["job", "marital", "education", "default", "housing", "loan", "contact", "poutcome"]
NUMBERS = ["age", "balance", "pdays", "previous"]
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]


def prepared(*learner: BaseEstimator) -> Pipeline:
    """A learner that is given a column of zeros and ones for each word."""
    words = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(make_column_transformer((words, WORDS), remainder="passthrough"), *learner)


def learners(rounds: int = 100) -> dict[str, Pipeline]:
    """What is compared; none knows of costs."""
    return {
        "logistic regression": prepared(StandardScaler(), LogisticRegression(solver="newton-cholesky")),
        "boosted stumps": prepared(AdaBoost(n_estimators=rounds)),
        "gradient boosting": prepared(HistGradientBoostingClassifier(random_state=0)),
    }


def rule(X: pd.DataFrame) -> np.ndarray:
    """The rule of thumb: call whoever has 1,600 euro, or bought last time."""
    return ((X["balance"] >= 1600) | (X["poutcome"] == "success")).astype(int).to_numpy()


def advise(X: pd.DataFrame, y: np.ndarray, costs: pd.DataFrame, cv: object, rounds: int) -> pd.DataFrame:
    """What ``recommend`` says: its table, and what its advice saves over each row without a model."""
    found = recommend(X, y, **costs, cv=cv, candidates=learners(rounds), current=rule, random_state=0)
    worth = found.worth.rename(columns={"low": "saves_low", "high": "saves_high"})
    return found.table.join(worth).rename_axis("row").assign(advised=found.table.index == found.name)


def probabilities(
    X: pd.DataFrame, y: np.ndarray, missed: float, X_new: pd.DataFrame, rounds: int
) -> pd.DataFrame:
    """Calibrated probabilities of two learners, and the decisions of one that is trained with the costs."""
    new = {}
    for name in ("logistic regression", "boosted stumps"):
        model = CostDecision(learners(rounds)[name], cv=5, random_state=0).fit(X, y)
        new[name] = model.predict_proba(X_new)[:, 1].round(4)
    trained = prepared(CGAda(fn_cost=missed, n_estimators=rounds)).fit(X, y)
    return pd.DataFrame({**new, "CGAda": trained.predict(X_new)})


def units(settings: Settings) -> list[Unit]:
    """Both splits."""
    return [(split,) for split in settings["splits"]]


def compute(unit: Unit, settings: Settings) -> Tables:
    """Advice on the training part, its months, and what is said of all other customers."""
    raw, data = read_file("bank-marketing.csv.gz"), load("bank-marketing")
    X, y, costs = raw[WORDS + NUMBERS], data.y, pd.DataFrame(data.costs)
    month = raw["month"].map(MONTHS.index) + 1
    year = 2008 + (month.diff() < 0).cumsum()
    when = year.astype(str) + "-" + month.astype(str).str.zfill(2)
    train = (year == 2008).to_numpy()
    folds = {"random": 5}
    if unit == ("by time",):
        folds["forward"] = TimeSeriesSplit(5)
    else:
        train = np.random.default_rng(settings["seed"]).permutation(train)
    with warnings.catch_warnings():  # a third of the deposits earn no more than the call costs
        warnings.simplefilter("ignore", KnownDecisionWarning)
        advice = {
            name: advise(X[train], y[train], costs[train], cv, settings["rounds"])
            for name, cv in folds.items()
        }
    old = pd.DataFrame({"month": when, "customers": 1, "subscribed": y, "missed": y * costs["fn_cost"]})
    old = old[train]
    missed, subscribed = old["missed"].sum(), old["subscribed"].sum()
    average = (missed - subscribed) / subscribed  # less the call itself
    new = pd.DataFrame({"month": when, "subscribed": y, "balance": raw["balance"].astype(int)})
    new["bought"] = (raw["poutcome"] == "success").astype(int)
    said = probabilities(X[train], y[train], average, X[~train], settings["rounds"])
    return {
        "advice": pd.concat(advice, names=["folds"]).reset_index(),
        "training": old.groupby("month").sum().reset_index(),
        "customers": pd.concat([new[~train].reset_index(drop=True), said], axis=1),
    }


REAL_CASE = Study(
    name="real_case",
    title="Whom does the bank call? Advice on customers of 2008, and what came of it in 2009 and 2010",
    keys=("split",),
    units=units,
    compute=compute,
    settings={"splits": ["by time", "by chance"], "rounds": 100, "seed": 2026},
    quick={"splits": ["by chance"], "rounds": 10},
    datasets=(("bank-marketing", "clean"),),
)
