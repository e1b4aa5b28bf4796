"""What is cheapest under given costs, by what models say of rows that they have not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from csb.evaluation.decisions import Stakes, decide
from csb.evaluation.intervals import Interval, case_interval

__all__ = ["Advice", "Evidence"]

LEVEL = 0.95


@dataclass(frozen=True)
class Evidence:
    """What is said of the rows to judge by, and what they are. Costs have no part in it.

    Attributes
    ----------
    said : DataFrame of shape (n_tested, n_models)
        A candidate's probability of the positive class, a gap where it was dropped, or the decision of what
        needs none, a truth value; indexed by the number of the split and the name of the row.
    positive : ndarray of shape (n_tested,), bool
        Which rows are positive.
    weights : ndarray of shape (n_tested,)
        Weights of the rows.
    clusters : list of ndarray of shape (n_tested,)
        What the rows belong to, one or two ways.
    rows : ndarray of shape (n_tested,)
        Numbers of the rows, in whose order costs of single cases are.
    number : int
        That of the positive class among the two sorted labels, of which the first has what ties.
    """

    said: pd.DataFrame
    positive: np.ndarray
    weights: np.ndarray
    clusters: list[np.ndarray]
    rows: np.ndarray
    number: int

    @property
    def candidates(self) -> list[str]:
        """Those that give probabilities."""
        return [name for name, kind in self.said.dtypes.items() if kind.kind != "b"]

    def under(self, stakes: Stakes) -> Advice:
        """Decide at least expected cost, and choose."""
        of_rows = stakes.used(self.rows)
        matrices = of_rows.matrices(self.number)
        paid = {}
        for name in self.said:
            called = said = self.said[name].to_numpy()
            if said.dtype != bool:
                by_class = [1 - said, said] if self.number else [said, 1 - said]
                called = decide(np.column_stack(by_class), matrices) == self.number
            paid[name] = np.where(pd.isna(said), np.nan, of_rows.paid(self.positive, called))
        return Advice(pd.DataFrame(paid, self.said.index), self)


class Advice:
    """What all decisions cost, row by row, and which of them to make.

    Parameters
    ----------
    losses : DataFrame of shape (n_tested, n_models)
        The cost of each decision.
    evidence : Evidence
        What they were made by.

    Attributes
    ----------
    reference : str
        The cheapest of what needs no new model.
    cheapest : str
        The cheapest candidate that was judged by all rows.
    name : str
        The cheapest of those whose interval for the difference from the reference lies below zero; the
        reference if there is none.
    """

    def __init__(self, losses: pd.DataFrame, evidence: Evidence) -> None:
        self.losses, self._evidence = losses, evidence
        candidates = evidence.candidates
        judged = [name for name in candidates if losses[name].notna().all()]
        self.reference = min((name for name in losses if name not in candidates), key=self.mean)
        self.cheapest = min(judged, key=self.mean, default=self.reference)
        below = [name for name in judged if self.difference(name, self.reference).high < 0]
        self.name = min(below, key=self.mean, default=self.reference)

    def mean(self, name: str) -> float:
        """Cost per case."""
        losses, weights = self.losses[name].to_numpy(), self._evidence.weights
        judged = ~np.isnan(losses)
        return float(np.average(losses[judged], weights=weights[judged])) + self._easier(judged)

    def cost(self, name: str) -> Interval:
        """Cost per case, with its interval."""
        losses = self.losses[name].to_numpy()
        return Interval(*(each + self._easier(~np.isnan(losses)) for each in self._interval(losses, name)))

    def _easier(self, judged: np.ndarray) -> float:
        """How much less the reference costs on the rows by which a candidate was judged that was dropped."""
        if judged.all():
            return 0.0
        losses, weights = self.losses[self.reference].to_numpy(), self._evidence.weights
        part = np.average(losses[judged], weights=weights[judged])
        return float(np.average(losses, weights=weights) - part)

    def difference(self, name: str, other: str, level: float = LEVEL) -> Interval:
        """Cost per case less that of another, by the differences on single rows that both were judged by."""
        return self._interval((self.losses[name] - self.losses[other]).to_numpy(), name, other, level=level)

    def _interval(self, losses: np.ndarray, *names: str, level: float = LEVEL) -> Interval:
        """Of rows that depend on each other in two ways, the wider of two intervals.

        The cheapest of several candidates seems cheaper than it is. Their intervals are so wide that all hold
        together with the probability that is said, after Bonferroni.
        """
        candidates = self._evidence.candidates
        level = 1 - (1 - level) / (len(candidates) if set(names) & set(candidates) else 1)
        judged = ~np.isnan(losses)
        losses, weights = losses[judged], self._evidence.weights[judged]
        found = []
        for of in self._evidence.clusters:
            if np.ptp(of[judged]) == 0:  # one cluster
                mean = np.average(losses, weights=weights)
                return Interval(mean, -np.inf, np.inf)
            found.append(case_interval(losses, sample_weight=weights, clusters=of[judged], level=level))
        return max(found, key=lambda interval: interval.half)
