"""Why rows are called: what each column adds to the log odds of a calibrated probability, and in money."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from csb.engine.elementary import expit, logaddexp, logit
from csb.evaluation.decisions import Stakes
from csb.inputs import check_count, check_instance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Explanation"]

FOR, AGAINST = "#D55E00", "#0072B2"
"""Colours of what speaks for the positive class, and against it."""
TICKS = np.array([1e-3, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.999])
"""Probabilities that are marked."""


@dataclass(frozen=True, eq=False)
class Explanation:
    """What each column of some rows adds to the log odds of the positive class, as ``explain`` finds it.

    The probability of a row is the mean of those of M members, each calibrated on rows that it was not
    trained on. The log odds of a member are a sum over the columns, exactly. Their mean over the members is
    the sum of ``intercept`` and ``contributions``; it misses the log odds of the mean probability by
    ``remainder``, which is zero where there is one member.

    A column is measured against the background, some rows that the user names: its contribution is how far
    its function at this row lies above the mean of this function over them. These are the Shapley values with
    that background, which of a sum of functions of one column each need no sampling. They say what the model
    makes of a column, not what would become of a case if somebody changed it.

    ``low`` and ``high`` are the smallest and the largest contribution by a single member: how much depends on
    which part of the rows was left out of the training. They are no confidence interval, as the members share
    most of their rows, and coincide where there is one member.

    Attributes
    ----------
    rows : DataFrame of shape (n, d)
        The rows, with the columns as they were given; those of an array are named by their number.
    positive : label
        The class for which positive contributions speak.
    terms : ndarray of shape (M, n, d)
        Contribution of each column to each row, by each member.
    intercepts : ndarray of shape (M,)
        Mean log odds of the background, by each member.
    stakes : Stakes
        What the decisions cost.
    """

    rows: pd.DataFrame
    positive: Any
    terms: np.ndarray
    intercepts: np.ndarray
    stakes: Stakes

    @property
    def intercept(self) -> float:
        """Mean log odds of the background, averaged over the members."""
        return float(self.intercepts.mean())

    @property
    def contributions(self) -> pd.DataFrame:
        """What each column adds to the log odds, averaged over the members, shape (n, d)."""
        return self._framed(self.terms.mean(axis=0))

    @property
    def low(self) -> pd.DataFrame:
        """The smallest contribution by a member, shape (n, d)."""
        return self._framed(self.terms.min(axis=0))

    @property
    def high(self) -> pd.DataFrame:
        """The largest contribution by a member, shape (n, d)."""
        return self._framed(self.terms.max(axis=0))

    @property
    def member_log_odds(self) -> np.ndarray:
        """Log odds by each member, shape (M, n)."""
        return self.intercepts[:, np.newaxis] + self.terms.sum(axis=2)

    @property
    def log_odds(self) -> np.ndarray:
        """Log odds of the calibrated probability of the positive class, shape (n,)."""
        found = self.member_log_odds
        # from both ends: the complement of a probability near one has few digits
        sums = [-logaddexp(0.0, side * found) for side in (-1.0, 1.0)]
        up, down = (np.logaddexp.reduce(part, axis=0) for part in sums)
        return np.asarray(up - down)

    @property
    def remainder(self) -> np.ndarray:
        """By how much the log odds exceed the mean of those of the members, shape (n,)."""
        return self.log_odds - self.member_log_odds.mean(axis=0)

    @property
    def threshold(self) -> np.ndarray:
        """Log odds above which it costs less to predict the positive class, shape (n,).

        Infinite where costs alone decide, and not a number where both decisions always cost the same, or each
        costs less where it is wrong.
        """
        return np.broadcast_to(logit(self.stakes.threshold), len(self.rows))

    @property
    def saves(self) -> np.ndarray:
        """What predicting the positive class is expected to save, in the unit of the costs, shape (n,)."""
        return self._saved(self.log_odds)

    @property
    def saves_without(self) -> pd.DataFrame:
        """The same if a column had nothing to say of the row, its contribution taken off, shape (n, d).

        The decision turns on the columns for which this has another sign than ``saves``.
        """
        left = self.log_odds[:, np.newaxis] - self.contributions.to_numpy()
        return self._framed(np.stack([self._saved(column) for column in left.T], axis=1))

    def table(self, row: int = 0) -> pd.DataFrame:
        """The columns of a row, those that matter most first.

        Parameters
        ----------
        row : int, default 0
            Number of the row, from zero.

        Returns
        -------
        DataFrame
            A row for each column: its ``value``, its ``contribution``, ``low`` and ``high`` of the members,
            and ``saves_without``.

        Raises
        ------
        ValueError
            If there is no such row.
        """
        row = check_count("row", row, 0, len(self.rows) - 1)
        parts = {
            "value": self.rows, "contribution": self.contributions, "low": self.low, "high": self.high,
            "saves_without": self.saves_without,
        }  # fmt: skip
        found = pd.DataFrame(
            {name: [part.iat[row, j] for j in range(part.shape[1])] for name, part in parts.items()},
            self.rows.columns,
        )
        return found.sort_values("contribution", key=lambda each: -np.abs(each), kind="stable")

    def plot(self, row: int = 0, ax: Axes | None = None, most: int = 8) -> Axes:
        """Draw how the columns of a row lead from the background to its log odds, and the threshold.

        Parameters
        ----------
        row : int, default 0
            Number of the row, from zero.
        ax : Axes, optional
            Where to draw; a new figure by default.
        most : int, default 8
            So many columns are drawn; what the others and the remainder add is one bar, "all else".

        Returns
        -------
        Axes
            From top to bottom the background, the columns and the row; a thin line is the spread over the
            members, a dashed one the threshold. The axis above has the probabilities.

        Raises
        ------
        ValueError
            If there is no such row, or the axes are none.
        """
        import matplotlib.pyplot as plt  # only to draw: it takes a second to import
        from matplotlib.axes import Axes

        table, most = self.table(row), check_count("most", most)
        if ax is None:
            ax = plt.subplots()[1]
        check_instance("ax", ax, Axes)
        drawn, total, threshold = table[:most], self.log_odds[row], self.threshold[row]
        rest = total - self.intercept - drawn["contribution"].sum()
        steps = np.array([*drawn["contribution"], rest])
        ends = self.intercept + np.cumsum(steps)
        starts, places = ends - steps, np.arange(1, len(steps) + 1)
        ax.barh(places, steps, left=starts, height=0.6, color=np.where(steps > 0, FOR, AGAINST))
        # spreads of the members, each at the end of what is drawn
        spread = self.member_log_odds[:, row]
        lows = [self.intercepts.min(), *(starts[:-1] + drawn["low"]), spread.min()]
        highs = [self.intercepts.max(), *(starts[:-1] + drawn["high"]), spread.max()]
        ax.hlines([0, *places[:-1], len(steps) + 1], lows, highs, color="#333333", linewidth=1.0, zorder=3)
        ax.plot([self.intercept, total], [0, len(steps) + 1], "o", color="#333333")
        if np.isfinite(threshold):
            ax.axvline(threshold, color="#444444", linestyle="--", linewidth=1.0, label="threshold")
            ax.legend()
        names = [f"{name} = {_short(value)}" for name, value in drawn["value"].items()]
        names = ["background", *names, "all else", "this row"]
        ax.set_yticks(np.arange(len(names)), names)
        ax.invert_yaxis()
        ax.set_xlabel(f"log odds of {self.positive}")
        low, high = ax.get_xlim()
        marked = TICKS[(logit(TICKS) >= low) & (logit(TICKS) <= high)]
        above = ax.secondary_xaxis("top")
        above.set_xticks(logit(marked), [f"{p:g}" for p in marked])
        above.set_xlabel(f"probability of {self.positive}")
        return ax

    def _framed(self, values: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(values, self.rows.index, self.rows.columns)

    def _saved(self, log_odds: np.ndarray) -> np.ndarray:
        fn, fp, tp, tn = self.stakes.costs.values()
        return expit(log_odds) * (fn - tp) - expit(-log_odds) * (fp - tn)


def _short(value: Any) -> str:
    """A value as it is written beside its column."""
    if pd.isna(value):
        return "missing"
    if isinstance(value, pd.Timestamp):
        return str(value.date())
    return f"{value:.4g}" if isinstance(value, (float, np.floating)) else str(value)[:20]
