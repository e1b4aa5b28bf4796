"""Candidates judged by rows that they have not seen: all quickly, the cheapest as they would be delivered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.parallel import Parallel, delayed
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from csb.evaluation.classifiers import class_numbers
from csb.evaluation.decisions import Stakes
from csb.recommend.advice import COSTS_ALONE, Evidence
from csb.recommend.candidates import Candidate
from csb.recommend.folds import FEW, Folds

__all__ = ["Cases", "judge"]

HEATS = 2
"""After so many splits a candidate that is clearly behind another is dropped, where rows are not few."""
DROPPED = 0.999
"""Level of the interval that says so: it is looked at early, and what is dropped cannot be recommended."""
FINALISTS = 2
"""So many of the cheapest are judged as they would be delivered: which leads may be luck."""


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
    names : Index of n entries
        Labels of the rows in the index of the frame, or else their numbers.
    """

    X: Any
    y: np.ndarray
    numbers: np.ndarray
    weights: np.ndarray | None
    stakes: Stakes
    positive: Any
    names: pd.Index

    @property
    def classes(self) -> np.ndarray:
        """The two labels, sorted."""
        return np.unique(self.y)

    @property
    def number(self) -> int:
        """That of the positive label among them."""
        return self.classes.tolist().index(self.positive)

    def fit(self, model: Any, rows: np.ndarray, folds: Folds) -> Any:
        """The model, trained on these rows; candidates are calibrated within them."""
        with threadpool_limits(1):  # on a busy machine threads wait for each other
            return self._fit(model, _safe_indexing(self.X, rows), rows, folds)

    def _fit(self, model: Any, X: Any, rows: np.ndarray, folds: Folds) -> Any:
        y, weights = self.y[rows], None if self.weights is None else self.weights[rows]
        if isinstance(model, Candidate):
            cv = folds.calibration(rows, self.numbers)
            return model.fit(X, y, weights, cv, self.stakes, self.positive)
        return clone(model).fit(X, y) if weights is None else clone(model).fit(X, y, sample_weight=weights)

    def say(self, models: Mapping[str, Any], folds: Folds, k: int) -> dict[str, np.ndarray]:
        """A candidate's probability of a positive of each row of split k, or who is called one.

        What encodes rows for several candidates does it once.
        """
        train, test = folds.splits[k]
        raw = _safe_indexing(self.X, train), _safe_indexing(self.X, test)
        encoded: dict[Any, tuple[Any, Any]] = {None: raw}
        said = {}
        for name, model in models.items():
            try:
                with threadpool_limits(1):
                    if not isinstance(model, Candidate):
                        fitted = self._fit(model, raw[0], train, folds)
                        called = class_numbers(fitted, raw[1], self.classes, "current")
                        said[name] = called == self.number
                        continue
                    if model.encoder not in encoded:
                        encoder = clone(model.encoder).fit(raw[0])
                        encoded[model.encoder] = encoder.transform(raw[0]), encoder.transform(raw[1])
                    rows = encoded[model.encoder]
                    fitted = self._fit(replace(model, encoder=None), rows[0], train, folds)
                    said[name] = fitted.predict_proba(rows[1])[:, self.number]
            except Exception as error:
                error.add_note(f"in {name}, trained on split {k}")
                raise
        return said

    def share(self, rows: np.ndarray) -> float:
        """Of the positives among these rows."""
        weights = None if self.weights is None else self.weights[rows]
        return float(np.average(self.y[rows] == self.positive, weights=weights))

    def evidence(self, said: Mapping[str, np.ndarray], candidates: list[str], folds: Folds) -> Evidence:
        """What is said of the rows to judge by, split after split, with what they are."""
        tested = folds.tested
        split = np.repeat(np.arange(len(folds.splits)), [len(test) for _, test in folds.splits])
        index = pd.MultiIndex.from_arrays([split, self.names[tested]], names=["split", "row"])
        weights = np.ones(len(tested)) if self.weights is None else self.weights[tested]
        return Evidence(
            pd.DataFrame(said, index), candidates, self.y[tested] == self.positive, weights, folds.clusters,
            tested, self.number,
        )  # fmt: skip


def judge(
    cases: Cases,
    models: Mapping[str, Any],
    folds: Folds,
    decided: Mapping[str, np.ndarray],
    n_jobs: int | None,
    verbose: bool,
) -> Evidence:
    """Train the models on every split, and write down what they say of the rows to judge by.

    Candidates are compared the quick way first. What may be recommended of them is judged as it would be
    delivered.

    Parameters
    ----------
    cases : Cases
        The rows.
    models : mapping of str to Candidate or classifier
        What is to be trained.
    folds : Folds
        On which rows.
    decided : mapping of str to ndarray of shape (n,)
        Decisions that need no training.
    n_jobs : int, optional
        Splits at the same time.
    verbose : bool
        Whether to show a bar.

    Returns
    -------
    Evidence
        With a column for each of ``models`` and ``decided``, and gaps where a candidate was dropped; and one
        for the costs alone where they are those of each case.
    """
    tested = folds.tested
    places = np.split(np.arange(len(tested)), np.cumsum([len(test) for _, test in folds.splits])[:-1])
    candidates = [name for name, model in models.items() if isinstance(model, Candidate)]
    said = {name: np.full(len(tested), np.nan if name in candidates else False) for name in models}
    said |= {name: labels[tested] == cases.positive for name, labels in decided.items()}
    if cases.stakes.per_case:
        shares = [cases.share(train) for train, _ in folds.splits]
        said[COSTS_ALONE] = np.repeat(shares, [len(test) for _, test in folds.splits])

    def train(names: Iterable[str], folds: Folds, splits: range) -> None:
        asked = {name: models[name] for name in names}
        if not asked:
            return
        work = (delayed(cases.say)(asked, folds, k) for k in splits)
        bar.total = (bar.total or 0) + len(asked) * len(splits)
        for k, found in zip(splits, Parallel(n_jobs, return_as="generator")(work), strict=True):
            for name, column in found.items():
                said[name][places[k]] = column
            bar.update(len(found))

    every, quick = range(len(folds.splits)), folds.quick(cases.numbers)
    with tqdm(disable=not verbose, unit="fit") as bar:
        train(models.keys() - candidates, folds, every)
        heats = HEATS if len(cases.numbers) >= FEW else len(every)
        train(candidates, quick, every[:heats])
        advice = cases.evidence(said, candidates, folds).under(cases.stakes)
        leader = min(candidates, key=advice.mean)
        kept = [name for name in candidates if advice.difference(name, leader, DROPPED).low <= 0]
        train(kept, quick, every[heats:])
        as_delivered = set(candidates if quick is folds else [])
        while True:
            evidence = cases.evidence(said, candidates, folds)
            advice = evidence.under(cases.stakes)
            leading = sorted(kept, key=advice.mean)[:FINALISTS]
            new = {*leading, advice.name}.intersection(candidates) - as_delivered
            if not new:
                return evidence
            train(sorted(new), folds, every)
            as_delivered |= new
