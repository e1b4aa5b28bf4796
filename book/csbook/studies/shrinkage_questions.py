"""What study shrinkage is asked, and the rules by which its tables answer; written before it ran.

A difference is that of two areas below Brier curves, of which the smaller is better: the mean over the
splits of each data set, then a mean over the data sets with Student's interval. All intervals of a question
have together a coverage of 95 % (Bonferroni). "Plain" is a learning rate of one and a hundred rounds, as
Nikolaou et al. (2016) run every method. "Common" is, for each data set, the rate and rounds with the smallest
mean area over the *other* sets. "Chosen" is, for each split, the rate and rounds with the smallest area on
the examples held out; of equal ones the fewest rounds, then the largest rate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from csb.evaluation.intervals import mean_interval
from csbook.studies.reading import ranks
from csbook.studies.shrinkage import BY_FOLDS, CALIBRATED, CROSS_FITTED, TRAINED_WITH_COSTS

__all__ = ["MARGIN", "QUESTIONS", "RANKS", "Areas", "Question"]

MARGIN = 0.005
"""Areas that differ by less are as good as equal: a twentieth of AdaMEC's, which is about 0.1."""

RANKS = 1.0
"""Average ranks that differ by less are as good as equal."""

PLAIN = {"rate": 1.0, "rounds": 100}
FIFTEEN = ("AdaMEC", *TRAINED_WITH_COSTS, *CALIBRATED.values())


class Areas:
    """The areas of one reading, by method.

    Parameters
    ----------
    tables : mapping of str to DataFrame
        Tables of the study.
    """

    def __init__(self, tables: Mapping[str, pd.DataFrame]) -> None:
        self.boosted = tables["areas"]
        self.regression = tables["penalties"]

    def of(self, method: str, **fixed: float) -> pd.DataFrame:
        """Rows of a method, with the values given of ``rate`` and ``rounds``."""
        rows = self.boosted[self.boosted["method"] == method]
        for name, value in fixed.items():
            rows = rows[rows[name] == value]
        return rows

    def plain(self, method: str) -> pd.Series:
        """Area of each data set at rate one after a hundred rounds."""
        return self.of(method, **PLAIN).groupby("dataset", sort=False)["area"].mean()

    def common(self, method: str, setting_of: str | None = None) -> pd.Series:
        """Area of each data set at the setting that is best for the other sets, by default for the method."""
        settings = ["rate", "rounds"]
        grid = self.of(method).groupby(["dataset", *settings], sort=False)["area"].mean().unstack(settings)
        choosing = grid
        if setting_of is not None:
            choosing = self.of(setting_of).groupby(["dataset", *settings], sort=False)["area"].mean()
            choosing = choosing.unstack(settings)[grid.columns]
        others = (choosing.sum() - choosing) / (len(choosing) - 1)
        best = others.to_numpy().argmin(axis=1)
        return pd.Series(grid.to_numpy()[np.arange(len(grid)), best], grid.index)

    def chosen(self, method: str, **fixed: float) -> pd.Series:
        """Area of each data set at the settings chosen on the examples held out."""
        simplest = self.of(method, **fixed).sort_values(["rounds", "rate"], ascending=[True, False])
        return self._first_best(simplest)

    def chosen_regression(self) -> pd.Series:
        """Area of each data set of logistic regression with the penalty chosen likewise."""
        return self._first_best(self.regression.sort_values("C", kind="stable"))

    def _first_best(self, rows: pd.DataFrame) -> pd.Series:
        best = rows.loc[rows.groupby(["dataset", "split"], sort=False)["held_out"].idxmin()]
        order = self.boosted["dataset"].unique()
        return best.groupby("dataset", sort=False)["area"].mean().loc[order]


@dataclass(frozen=True)
class Question:
    """A question with what is looked at and when two things count as equal.

    Attributes
    ----------
    name, text : str
        A word for it, and the question.
    rule : str
        What answers it.
    looks : callable ``Areas -> mapping of str to Series``
        Differences by data set.
    margin : float
        Differences below it do not matter.
    """

    name: str
    text: str
    rule: str
    looks: Callable[[Areas], Mapping[str, pd.Series]]
    margin: float = MARGIN

    def look(self, areas: Areas) -> pd.DataFrame:
        """Every difference with its corrected interval and the word that it stands for.

        Parameters
        ----------
        areas : Areas
            Of one reading.

        Returns
        -------
        DataFrame
            Indexed by what is compared, with ``mean``, ``low``, ``high`` and ``decision``: lower, higher,
            equal (the interval lies within the margin) or open.
        """
        looks = self.looks(areas)
        of = mean_interval(np.stack(list(looks.values())), level=1 - 0.05 / len(looks), axis=1)
        table = pd.DataFrame({"mean": of.mean, "low": of.low, "high": of.high}, index=list(looks))
        within = table[["low", "high"]].abs().max(axis=1) < self.margin
        words = [within, table["high"] < 0, table["low"] > 0]
        return table.assign(decision=np.select(words, ["equal", "lower", "higher"], "open"))


def _calibration(areas: Areas) -> dict[str, pd.Series]:
    found = {}
    for name, calibrated in CALIBRATED.items():
        for how in (areas.plain, areas.common, areas.chosen):
            found[f"{calibrated}, less {name}: {how.__name__}"] = how(calibrated) - how(name)
    for how in (areas.plain, areas.common):
        found[f"{CROSS_FITTED}, less AdaMEC: {how.__name__}"] = how(CROSS_FITTED) - how("AdaMEC")
    by_folds = areas.chosen(CROSS_FITTED) - areas.chosen(BY_FOLDS)
    return found | {f"{CROSS_FITTED}, less AdaMEC: chosen": by_folds}


def _training(areas: Areas) -> dict[str, pd.Series]:
    common = areas.common("AdaMEC")
    adamec = {"equal": common, "common": common, "chosen": areas.chosen("AdaMEC")}
    return {
        f"{name}, less AdaMEC: {how}": found - adamec[how]
        for name in TRAINED_WITH_COSTS
        for how, found in {
            "equal": areas.common(name, setting_of="AdaMEC"),
            "common": areas.common(name),
            "chosen": areas.chosen(name),
        }.items()
    }


def _ranking(areas: Areas) -> dict[str, pd.Series]:
    before, after = (
        ranks(pd.DataFrame({name: how(name) for name in FIFTEEN})) for how in (areas.plain, areas.chosen)
    )
    return {f"{name}: chosen, less plain": after[name] - before[name] for name in FIFTEEN}


def _parts(areas: Areas) -> dict[str, pd.Series]:
    found: dict[str, pd.Series] = {}
    for name in ("AdaMEC", "CGAda"):
        plain, both = areas.plain(name), areas.chosen(name)
        rounds, rate = areas.chosen(name, rate=PLAIN["rate"]), areas.chosen(name, rounds=PLAIN["rounds"])
        found |= {
            f"{name}: rounds chosen, less plain": rounds - plain,
            f"{name}: rate chosen, less plain": rate - plain,
            f"{name}: both chosen, less rounds": both - rounds,
            f"{name}: both chosen, less rate": both - rate,
        }
    return found


def _rivals(areas: Areas) -> dict[str, pd.Series]:
    rivals = {"LightGBM": areas.chosen("LightGBM"), "logistic regression": areas.chosen_regression()}
    return {
        f"{name}, less {rival}": areas.chosen(name) - of
        for name in ("AdaMEC", CROSS_FITTED)
        for rival, of in rivals.items()
    }


QUESTIONS = (
    Question(
        "calibration",
        "At the best common step length and rounds, and at the chosen ones, does calibration still gain?",
        "It gains where the calibrated method is lower, costs where it is higher; one answer for the common "
        "setting and one for the chosen one, for a held-out third and for cross-fitting.",
        _calibration,
    ),
    Question(
        "training",
        "Does any method that trains with the costs beat AdaMEC at equal step length?",
        "Those do that are lower; equal is the setting that is common for AdaMEC, for both.",
        _training,
    ),
    Question(
        "ranks",
        "How much of the rank of each method in the large study is its step length?",
        "The rank is a matter of step length and rounds where it is lower or higher once they are chosen.",
        _ranking,
        margin=RANKS,
    ),
    Question(
        "parts",
        "Is what is gained early stopping, step length, or both?",
        "Rounds, or the rate, gain where choosing them alone is lower than plain; both are needed where "
        "choosing both is lower than choosing either.",
        _parts,
    ),
    Question(
        "rivals",
        "Does it hold beside LightGBM and logistic regression tuned with the same effort?",
        "It does where boosting with shortened steps is lower than, or equal to, the rival.",
        _rivals,
    ),
)
