"""What is cheapest under given costs, by what models say of rows that they have not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from csb.evaluation.decisions import Stakes, decide
from csb.evaluation.intervals import Interval, case_interval

__all__ = ["COSTS_ALONE", "Advice", "Evidence"]

LEVEL = 0.95
FEW_CLUSTERS = 10
"""Of fewer clusters rows that are added would seem to be more of them."""
COSTS_ALONE = "costs alone"
"""The row of the decision by the costs of each case and the share of the positives, the same for all."""


@dataclass(frozen=True)
class Evidence:
    """What is said of the rows to judge by, and what they are. Costs have no part in it.

    Attributes
    ----------
    said : DataFrame of shape (n_tested, n_models)
        The probability of the positive class, a gap where a candidate was dropped, or a decision that needs
        none, a truth value; indexed by the number of the split and the name of the row.
    candidates : list of str
        Which of them would be new models.
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
    candidates: list[str]
    positive: np.ndarray
    weights: np.ndarray
    clusters: list[np.ndarray]
    rows: np.ndarray
    number: int

    def under(self, stakes: Stakes) -> Advice:
        """Decide at least expected cost, and choose."""
        of_rows = stakes.used(self.rows)
        matrices = of_rows.matrices(self.number)
        paid, otherwise = {}, {}
        for name in self.said:
            called = said = self.said[name].to_numpy()
            if said.dtype != bool:
                by_class = [1 - said, said] if self.number else [said, 1 - said]
                called = decide(np.column_stack(by_class), matrices) == self.number
            judged = ~pd.isna(said)
            paid[name] = np.where(judged, of_rows.paid(self.positive, called), np.nan)
            otherwise[name] = np.where(judged, of_rows.paid(~self.positive, called), np.nan)
        means = stakes.means
        error = max(abs(means["fn_cost"] - means["tp_cost"]), abs(means["fp_cost"] - means["tn_cost"]))
        losses, others = (pd.DataFrame(each, self.said.index) for each in (paid, otherwise))
        return Advice(losses, others, error, self)


class Advice:
    """What all decisions cost, row by row, and which of them to make.

    Parameters
    ----------
    losses : DataFrame of shape (n_tested, n_models)
        The cost of each decision.
    otherwise : DataFrame of shape (n_tested, n_models)
        What it would have cost if the row were of the other class.
    error : float
        What the dearer of both errors costs more than being right, in the mean.
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

    def __init__(
        self, losses: pd.DataFrame, otherwise: pd.DataFrame, error: float, evidence: Evidence
    ) -> None:
        self.losses, self._otherwise, self._error, self._evidence = losses, otherwise, error, evidence
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
        own = self._interval(losses, self._otherwise[name].to_numpy(), name)
        return Interval(*(each + self._easier(~np.isnan(losses)) for each in own))

    def _easier(self, judged: np.ndarray) -> float:
        """How much less the reference costs on the rows by which a candidate was judged that was dropped."""
        if judged.all():
            return 0.0
        losses, weights = self.losses[self.reference].to_numpy(), self._evidence.weights
        part = np.average(losses[judged], weights=weights[judged])
        return float(np.average(losses, weights=weights) - part)

    def difference(self, name: str, other: str, level: float = LEVEL) -> Interval:
        """Cost per case less that of another, by the differences on single rows that both were judged by."""
        if name == other:
            return Interval(0.0, 0.0, 0.0)
        both = [(of[name] - of[other]).to_numpy() for of in (self.losses, self._otherwise)]
        return self._interval(*both, name, other, level=level, unseen=self._error)

    def _interval(
        self, losses: np.ndarray, otherwise: np.ndarray, *names: str, level: float = LEVEL,
        unseen: float = 0.0,
    ) -> Interval:  # fmt: skip
        """Of rows that depend on each other in two ways, the wider of two intervals.

        A few rows on which all went well, or on which nothing hung, do not show that nothing can go wrong. So
        half a row each is added, after Jeffreys, of the worst of both classes and of the best, in the mean
        over the rows on which something hangs. They are no clusters like the others: where these are few, the
        interval is not shorter than theirs alone, and one cluster has none.

        The cheapest of several candidates seems cheaper than it is. Their intervals are so wide that all hold
        together with the probability that is said, after Bonferroni.
        """
        candidates = self._evidence.candidates
        level = 1 - (1 - level) / (len(candidates) if set(names) & set(candidates) else 1)
        judged = ~np.isnan(losses)
        losses, otherwise, weights = losses[judged], otherwise[judged], self._evidence.weights[judged]
        mean = np.average(losses, weights=weights)
        worst, best = np.maximum(losses, otherwise), np.minimum(losses, otherwise)
        hangs = worst > best
        if hangs.any():
            added = [np.average(each[hangs], weights=weights[hangs]) for each in (worst, best)]
        elif unseen:  # all decisions are the same so far
            added = [unseen, -unseen]
        else:
            return Interval(mean, mean, mean)
        half_a_row = weights.sum() / len(np.unique(self._evidence.rows[judged])) / 2  # some are judged twice
        with_added = np.append(losses, added), np.append(weights, [half_a_row] * 2)
        found = []
        for of in (each[judged] for each in self._evidence.clusters):
            ways = [(*with_added, np.append(of, of.max() + np.array([1, 2])))]
            if (count := len(np.unique(of))) == 1:
                return Interval(mean, -np.inf, np.inf)
            if count < FEW_CLUSTERS:
                ways.append((losses, weights, of))
            found += [case_interval(v, sample_weight=w, clusters=c, level=level) for v, w, c in ways]
        low, high = max(found, key=lambda interval: interval.half)[1:]
        return Interval(mean, min(low, mean), max(high, mean))
