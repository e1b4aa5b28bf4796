"""The same folds for all: decisions on rows not trained on, their mean costs, and intervals of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from tqdm import tqdm

from csb.evaluation.intervals import Interval, mean_interval
from csb.evaluation.stakes import Stakes
from csb.recommend.candidates import Candidate
from csb.recommend.folds import Folds

__all__ = ["Cases", "FoldCosts", "judge"]


@dataclass(frozen=True)
class Cases:
    """The rows used.

    Attributes
    ----------
    X : array_like of n rows
        As they were given.
    y, numbers : ndarray of shape (n,)
        Labels, and index into the sorted classes.
    weights : ndarray of shape (n,), optional
        None if none were given.
    stakes : Stakes
        What decisions cost.
    positive : object
        The positive label.
    """

    X: Any
    y: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray | None
    stakes: Stakes
    positive: Any

    def fit(self, model: Any, rows: np.ndarray, folds: Folds) -> Any:
        """The model, trained on these rows; candidates are calibrated within them."""
        X, y = _safe_indexing(self.X, rows), self.y[rows]
        weights = None if self.weights is None else self.weights[rows]
        if isinstance(model, Candidate):
            cv = folds.calibration(rows, self.numbers)
            return model.fit(X, y, weights, cv, self.stakes, self.positive)
        return clone(model).fit(X, y) if weights is None else clone(model).fit(X, y, sample_weight=weights)

    def decide(self, name: str, model: Any, folds: Folds, k: int) -> np.ndarray:
        """Labels for the rows of split k to judge by."""
        train, test = folds.splits[k]
        costs = self.stakes.at(test) if isinstance(model, Candidate) else {}
        try:
            return self.fit(model, train, folds).predict(_safe_indexing(self.X, test), **costs)
        except Exception as error:
            error.add_note(f"in {name}, trained on split {k}")
            raise

    def cost(self, decided: np.ndarray, rows: np.ndarray) -> float:
        """Mean cost of these decisions for these rows."""
        paid = self.stakes.used(rows).paid(self.y[rows] == self.positive, decided == self.positive)
        return float(np.average(paid, weights=self.weight(rows)))

    def weight(self, rows: np.ndarray) -> np.ndarray:
        """Weights of these rows."""
        return np.ones(len(rows)) if self.weights is None else self.weights[rows]


@dataclass(frozen=True)
class FoldCosts:
    """Mean costs over splits.

    Attributes
    ----------
    costs : DataFrame of shape (n_splits, n_models)
        Mean cost on the rows to judge by.
    weights : ndarray of shape (n_splits,)
        Sum of the weights of these rows.
    test_ratio : float
        Of the splits, see :func:`csb.evaluation.intervals.mean_interval`.
    """

    costs: pd.DataFrame
    weights: np.ndarray
    test_ratio: float

    def of(self, name: str) -> Interval:
        """Cost per case."""
        return self._interval(self.costs[name].to_numpy())

    def difference(self, name: str, other: str) -> Interval:
        """Cost per case less that of another, on the same rows."""
        return self._interval((self.costs[name] - self.costs[other]).to_numpy())

    def _interval(self, values: np.ndarray) -> Interval:
        """Total by total weight; splits deviate from it in proportion to their weights.

        This is the ratio estimate of sampling theory with its usual variance, and the plain mean where all
        splits weigh the same.
        """
        total = np.average(values, weights=self.weights)
        deviations = self.weights / self.weights.mean() * (values - total)
        return mean_interval(total + deviations, self.test_ratio)


def judge(
    cases: Cases,
    models: dict[str, Any],
    folds: Folds,
    decided: dict[str, np.ndarray],
    n_jobs: int | None,
    verbose: bool,
) -> FoldCosts:
    """Train every model on every split, and add up the costs.

    Parameters
    ----------
    cases : Cases
        The rows.
    models : dict of str to Candidate or classifier
        What is to be trained.
    folds : Folds
        On which rows.
    decided : dict of str to ndarray of shape (n,)
        Decisions that need no training.
    n_jobs : int, optional
        Fits at the same time.
    verbose : bool
        Whether to show a bar.

    Returns
    -------
    FoldCosts
        A column for each of ``models`` and ``decided``.
    """
    tests = [test for _, test in folds.splits]
    tasks = [(name, k) for name in models for k in range(len(tests))]
    work = (delayed(cases.decide)(name, models[name], folds, k) for name, k in tasks)
    costs: dict[str, list[float]] = {}
    with tqdm(total=len(tasks), disable=not verbose, unit="fit") as bar:
        for (name, k), labels in zip(tasks, Parallel(n_jobs, return_as="generator")(work), strict=True):
            costs.setdefault(name, []).append(cases.cost(labels, tests[k]))
            bar.set_description(name, refresh=False)
            bar.update()
    for name, labels in decided.items():
        costs[name] = [cases.cost(labels[test], test) for test in tests]
    weights = np.array([cases.weight(test).sum() for test in tests])
    return FoldCosts(pd.DataFrame(costs), weights, folds.test_ratio)
