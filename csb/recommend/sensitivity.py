"""For which costs the advice is the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from csb.evaluation.decisions import Stakes
from csb.inputs import check_instance
from csb.recommend.advice import Evidence

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Sensitivity"]


def _ends(factors: np.ndarray, same: np.ndarray) -> tuple[float, float]:
    """The smallest and the largest of the factors around 1 that are all of the same kind."""
    above, below = np.flatnonzero(factors >= 1), np.flatnonzero(factors <= 1)[::-1]
    ends = [factors[part][: np.argmin(np.r_[same[part], False])] for part in (below, above)]
    low, high = (float(part[-1]) if len(part) else 1.0 for part in ends)
    return low, high


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity:
    """What would be advised if a miss cost more, or less.

    Attributes
    ----------
    table : DataFrame
        A row for each factor of the cost of a miss: ``name``, what is advised; ``reference``, the cheapest of
        what needs no model; ``saves``, ``low`` and ``high``, what the advice saves per case in place of the
        reference, with its 95% interval.
    name : str
        What is advised at the costs given.
    low, high : float
        The smallest and the largest factor such that the advice is the same from there to 1.
    pays : bool
        Whether a candidate is advised at the costs given.
    pays_low, pays_high : float
        The same as ``low`` and ``high`` of whether a candidate is advised, whichever it is.
    """

    table: pd.DataFrame
    name: str
    low: float
    high: float
    pays: bool
    pays_low: float
    pays_high: float

    @classmethod
    def of(cls, evidence: Evidence, stakes: Stakes, factors: np.ndarray, name: str) -> Sensitivity:
        """From what was said of the rows, decided anew at each factor."""
        rows = {}
        for factor in factors.tolist():
            missed = stakes.costs["tp_cost"] + factor * (stakes.costs["fn_cost"] - stakes.costs["tp_cost"])
            advice = evidence.under(replace(stakes, costs=stakes.costs | {"fn_cost": missed}))
            saved = advice.difference(advice.reference, advice.name)
            rows[factor] = (advice.name, advice.reference, *map(float, saved))
        table = pd.DataFrame.from_dict(rows, "index", columns=["name", "reference", "saves", "low", "high"])
        table.index.name = "factor"
        pays = name in evidence.candidates
        same = table["name"].eq(name), table["name"].isin(evidence.candidates).eq(pays)
        (low, high), of_paying = (_ends(factors, each.to_numpy()) for each in same)
        return cls(table, name, low, high, pays, *of_paying)

    def __str__(self) -> str:
        times = f"From {self.low:.2g} to {self.high:.2g} times the cost of a miss the advice is {self.name}"
        if (self.pays_low, self.pays_high) == (self.low, self.high):
            return f"{times}."
        kind = "a candidate pays" if self.pays else "no candidate is shown to pay"
        return f"{times}; {kind} from {self.pays_low:.2g} to {self.pays_high:.2g}."

    __repr__ = __str__

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what the advice saves in place of the reference, and where it is the same.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
            The factor from left to right, on a logarithmic axis; the shade is where the advice holds.
        """
        import matplotlib.pyplot as plt  # only to draw: it takes a second to import
        from matplotlib.axes import Axes

        if ax is None:
            ax = plt.subplots()[1]
        check_instance("ax", ax, Axes)
        saved = 1000 * self.table[["saves", "low", "high"]]
        kind = "some candidate pays" if self.pays else "no candidate is shown to pay"
        ax.axvspan(self.pays_low, self.pays_high, color="#0072B2", alpha=0.08, label=kind)
        ax.axvspan(self.low, self.high, color="#0072B2", alpha=0.16, label=f"advised: {self.name}")
        ax.fill_between(saved.index, saved["low"], saved["high"], color="#7f7f7f", alpha=0.35, linewidth=0)
        ax.plot(saved.index, saved["saves"], color="#333333")
        ax.axvline(1.0, color="#444444", linewidth=0.8)
        ax.set(
            xscale="log",
            xlabel="cost of a miss, as a multiple of the one given",
            ylabel="saved per 1,000 cases by what is advised,\nin the unit of the costs",
        )
        ax.legend()
        return ax
