"""What was found: a table, what the decisions are worth, and both in plain words."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from csb.evaluation.decisions import Stakes
from csb.evaluation.explanation import Explanation
from csb.inputs import POSITIVE, check_instance, read_array, shown
from csb.recommend.advice import COSTS_ALONE, Advice, Evidence
from csb.recommend.sensitivity import Sensitivity

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TODAY", "Recommendation"]

MANY = 1000
"""Cases for which savings are told."""
TODAY = "today's rule"
"""The row of the current policy in the table."""
CHOSEN, OTHER = "#0072B2", "#7f7f7f"
"""Colours of the recommended row and of the others."""


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation:
    """What :func:`recommend` found; printed, it is a short report.

    Attributes
    ----------
    best_ : classifier
        The recommended one, fitted on all rows; ``predict`` takes such rows as were given and makes
        decisions, by the costs of each case where these were given: ``best_.predict(X, fn_cost=...)``. If
        today's rule is recommended it is the classifier that was given, whose ``predict`` takes no costs, or
        None if that was labels or a function. Where costs are those of each case, ``decision_function`` is
        the log odds of a candidate, since what a decision saves is not known without costs.
    name : str
        Its row in the table.
    pays : bool
        Whether a candidate is recommended: its interval for the difference from the reference lies below
        zero.
    reference : str
        The cheapest of what needs no new model: the two constant decisions, today's rule, and the costs of
        each case alone.
    constant : str
        The cheaper of the two constant decisions.
    candidates : list of str
        Rows of the table that are neither.
    cheapest : str
        The cheapest of these.
    table : DataFrame
        A row for each candidate and for each of what needs no new model, the cheapest first. ``cost`` is the
        mean cost per case, ``low`` and ``high`` the ends of its 95% interval; ``difference``,
        ``difference_low`` and ``difference_high`` the same for the difference from the reference. Those of
        the candidates hold together. For a candidate that was dropped the difference is that on the rows by
        which it was judged, and the cost is shifted by what the reference costs more, or less, on all rows.
    worth : DataFrame
        What deciding by ``name`` saves per case in place of each of what needs no new model, in the unit of
        the costs: ``saves``, ``low`` and ``high``, the ends of its 95% interval.
    decisions : DataFrame
        What each decision costs, a column for each row of ``table``: of each row to judge by, by a model that
        was not trained on it. Its index holds the number of the split and the row's label in the index of
        the frame given, or else its number; joined with the frame, it gives the table of any segment. Gaps
        stand where a candidate was dropped.
    threshold : float or ndarray of shape (n,)
        Probability of the positive class above which it is predicted; of each case where costs are those of
        the case. Minus infinity or infinity where costs alone decide that it is or is not; not a number where
        both decisions always cost the same, or each costs less where it is wrong.
    setting : str
        Costs, folds and cases, in words.
    evidence : Evidence
        What each model says of each row to judge by.
    stakes : Stakes
        The costs.
    """

    best_: Any
    name: str
    pays: bool
    reference: str
    constant: str
    candidates: list[str]
    cheapest: str
    table: pd.DataFrame
    worth: pd.DataFrame
    decisions: pd.DataFrame
    threshold: float | np.ndarray
    setting: str

    evidence: Evidence
    stakes: Stakes

    @classmethod
    def of(
        cls,
        evidence: Evidence,
        advice: Advice,
        stakes: Stakes,
        best_: Any,
        classes: tuple[Any, Any],
        splits: int,
        n: int,
    ) -> Recommendation:
        """From what all decisions cost."""
        columns = ["cost", "low", "high", "difference", "difference_low", "difference_high"]
        name, reference, candidates = advice.name, advice.reference, evidence.candidates
        rows = {each: (*advice.cost(each), *advice.difference(each, reference)) for each in advice.losses}
        table = pd.DataFrame.from_dict(rows, "index", columns=columns).sort_values("cost", kind="stable")
        others = [each for each in table.index if each not in (name, *candidates)]
        saved = {each: advice.difference(each, name) for each in others}
        worth = pd.DataFrame.from_dict(saved, "index", columns=["saves", "low", "high"])
        constant = min((f"always {label}" for label in classes), key=lambda each: table.at[each, "cost"])
        threshold = stakes.threshold
        return cls(
            best_, name, name in candidates, reference, constant, candidates, advice.cheapest, table, worth,
            advice.losses, threshold if threshold.ndim else float(threshold),
            _setting(stakes, classes, splits, n, len(np.unique(evidence.rows))), evidence, stakes,
        )  # fmt: skip

    def sensitivity(self, factors: ArrayLike | None = None) -> Sensitivity:
        """For which costs of a miss the advice is the same.

        Parameters
        ----------
        factors : array_like of shape (k,), optional
            What the cost of a miss over that of a positive found is multiplied by, positive; by default 49
            from 1/16 to 16. All else stays: models, probabilities, folds. Only decisions are made anew.

        Returns
        -------
        Sensitivity
            The advice at each factor, where it holds, and a figure of it.

        Raises
        ------
        ValueError
            If a factor is not positive.
        """
        if factors is None:
            factors = np.geomspace(1 / 16, 16, 49)
        factors = np.unique(read_array("factors", factors, POSITIVE, shape=(None,)))
        return Sensitivity.of(self.evidence, self.stakes, factors, self.name)

    def explain(self, X: ArrayLike, background: ArrayLike, **costs: Any) -> Explanation:
        """Why rows are called: what each of their columns adds to the log odds, and what calling them saves.

        Parameters
        ----------
        X : array_like or DataFrame of shape (n_samples, n_features)
            Rows with the columns that were given.
        background : array_like or DataFrame of shape (m, n_features)
            Rows to measure against, such as those that were given; a few hundred will do.
        **costs : float or array_like of shape (n_samples,)
            Those of each case, where they were given so, or others: ``fn_cost``, ``fp_cost``, ``tp_cost``,
            ``tn_cost``.

        Returns
        -------
        Explanation
            Contributions of the columns, with their spread over the members of the cross-fit, log odds, the
            threshold and the saving; a table and a figure for a row.

        Raises
        ------
        ValueError
            If what is recommended is a constant decision or today's rule, or its log odds are no sum over the
            columns, as those of gradient boosting: :meth:`csb.CostDecision.explain` says which are.
        """
        if not hasattr(self.best_, "explain"):
            raise ValueError(
                f"name={shown(self.name)}: what is recommended needs no model, and nothing of it is to be "
                f"explained; allowed is one of the candidates, {shown(self.candidates)}"
            )
        found: Explanation = self.best_.explain(X, background, **costs)
        return found

    @property
    def verdict(self) -> str:
        """What is recommended and what it is worth, in a sentence or two."""
        unit = "in the unit of the costs"
        if self.pays:
            instead = {
                TODAY: TODAY, COSTS_ALONE: "deciding by the costs alone",
                self.constant: self.constant.replace("always", "always predicting", 1),
            }  # fmt: skip
            saved = {told: self.worth.loc[each] for each, told in instead.items() if each in self.worth.index}
            parts = [f"instead of {told} {_in_words(row)}" for told, row in saved.items()]
            said = f"Deciding with {self.name} {', and '.join(parts)}, {unit}."
        else:
            dearer = self.table.loc[self.cheapest, ["difference", "difference_high", "difference_low"]]
            saved = {self.reference: -dearer}
            said = (
                f"Recommended: {self.reference}. No candidate was shown to cost less; the cheapest of them, "
                f"{self.cheapest}, {_in_words(-dearer)}, {unit}."
            )
        for told, (_, low, high) in saved.items():
            if low <= 0 <= high and low < high:
                said += (
                    f" Against {told} the interval includes zero, so the data at hand do not tell which is "
                    "cheaper."
                )
        return said

    def report(self) -> str:
        """Setting, table, worth and recommendation as text."""
        parts = [
            self.setting,
            self._readable().to_string(),
            self._gains,
            self._saved().to_string(),
            self.verdict,
        ]
        return "\n\n".join(parts)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw what each row of the table saves in place of the reference, with intervals.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        Axes
            The cheapest row on top, the recommended one in blue.
        """
        import matplotlib.pyplot as plt  # only to draw: it takes a second to import
        from matplotlib.axes import Axes

        if ax is None:
            ax = plt.subplots()[1]
        check_instance("ax", ax, Axes)
        saved = -1000 * self.table[["difference", "difference_high", "difference_low"]].iloc[::-1].to_numpy()
        for place, ((mean, low, high), name) in enumerate(zip(saved, self.table.index[::-1], strict=True)):
            colour = CHOSEN if name == self.name else OTHER
            ax.plot([low, high], [place, place], color=colour)
            ax.plot(mean, place, color=colour, marker="o")
        ax.axvline(0.0, color="#444444", linewidth=0.8)
        ax.set_yticks(np.arange(len(saved)), self.table.index[::-1])
        ax.set_xlabel(f"saved per 1,000 cases in place of {self.reference},\nin the unit of the costs")
        return ax

    @property
    def _gains(self) -> str:
        return f"What {self.name} saves per 1,000 cases, in place of:"

    def _readable(self) -> pd.DataFrame:
        """Four decimals of the larger costs; costs have any unit."""
        largest = self.table["cost"].abs().max()
        decimals = max(0, 3 - int(np.floor(np.log10(largest)))) if largest else 0

        def interval(low: pd.Series, high: pd.Series) -> list[str]:
            return [f"[{a:.{decimals}f}, {b:.{decimals}f}]" for a, b in zip(low, high, strict=True)]

        t = self.table
        shown = {
            "cost": [f"{value:.{decimals}f}" for value in t["cost"]],
            "95% interval": interval(t["low"], t["high"]),
            f"versus {self.reference}": [f"{value:+.{decimals}f}" for value in t["difference"]],
            "its interval": interval(t["difference_low"], t["difference_high"]),
        }
        return pd.DataFrame(shown, index=t.index)

    def _saved(self) -> pd.DataFrame:
        """The worth of a thousand decisions."""
        rows = [_rounded(row) for _, row in self.worth.iterrows()]
        told = [[f"{value:,.{decimals}f}" for value in values] for values, decimals in rows]
        shown = {"saves": [mean for mean, *_ in told], "95% interval": [f"[{a}, {b}]" for _, a, b in told]}
        return pd.DataFrame(shown, index=self.worth.index)

    def __str__(self) -> str:
        return self.report()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        setting, gains, verdict = map(html.escape, (self.setting, self._gains, self.verdict))
        return (
            f"<p>{setting}</p>{self._readable().to_html()}<p>{gains}</p>{self._saved().to_html()}"
            f"<p><strong>{verdict}</strong></p>"
        )


def _rounded(row: pd.Series) -> tuple[list[float], int]:
    """A mean and its interval for a thousand cases, to two digits of half its length; decimals to print."""
    values = MANY * row.to_numpy(float)
    half = (values[2] - values[1]) / 2
    size = half if half > 1e-9 * np.abs(values).max() else np.abs(values[0]) / 10
    decimals = 1 - int(np.floor(np.log10(size))) if size else 0
    return [round(value, decimals) + 0.0 for value in values.tolist()], max(decimals, 0)


def _in_words(saved: pd.Series) -> str:
    """What is saved and its interval, without a sign: nobody speaks of negative money."""
    (mean, low, high), decimals = _rounded(saved)
    about, least, most = (f"{abs(value):,.{decimals}f}" for value in (mean, low, high))
    if low == mean == high == 0:
        return "would cost just as much"
    if mean == 0 or low < 0 < high:
        ends = f"{most} saved and {least} lost"
    else:
        ends = " and ".join((least, most) if high > 0 else (most, least))
    if mean == 0:
        return f"would cost as much per 1,000 cases (between {ends})"
    told = f"save about {about}" if mean > 0 else f"cost about {about} more"
    return f"would {told} per 1,000 cases (between {ends})"


def _setting(stakes: Stakes, classes: tuple[Any, Any], splits: int, n: int, judged: int) -> str:
    """Costs and rows, in words."""
    negative, positive = classes
    words = {
        "fn_cost": f"missing {positive}", "fp_cost": "a false alarm", "tp_cost": f"finding {positive}",
        "tn_cost": f"leaving {negative} alone",
    }  # fmt: skip
    told = [
        f"{words[name]} costs {mean:g}" + " on average" * (name in stakes.per_case)
        for name, mean in stakes.means.items()
        if mean or name in stakes.per_case
    ]
    if stakes.per_case:
        rule = f"predict {positive} where that is expected to cost less, by the costs of the case"
    elif np.isfinite(stakes.threshold):
        rule = f"predict {positive} where its probability exceeds {stakes.threshold:.4g}"
    elif np.isnan(stakes.threshold):
        rule = f"predict {positive} where that is expected to cost less"
    else:
        rule = f"predict {positive if stakes.threshold < 0 else negative} whatever the probability"
    costs = ", ".join(told or ["no decision costs anything"])
    of_which = "" if judged == n else f", {judged:,} of which are judged"
    return (
        f"{costs[0].upper()}{costs[1:]}: {rule}.\nMean cost per case over {splits} "
        f"split{'s' * (splits > 1)} of {n:,} cases{of_which}:"
    )
