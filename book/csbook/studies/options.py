"""Options whose losses a study's questions compare two by two, as ``data/questions.csv`` asks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import pandas as pd

from csbook.chapters.verdicts import Question, question_rules
from csbook.studies.measures import BANDS, band_losses

__all__ = ["Losses", "Pairs", "each_band", "option_questions"]

Pairs = Mapping[str, tuple[str, str, str, str | None]]
"""By name what is compared: an option, the one that is subtracted, the band, and one reading, else all."""


class Losses:
    """The losses of all options.

    Parameters
    ----------
    table : DataFrame
        A row for each ``dataset``, split, ``reading``, ``option`` and ``ratio`` or ``band``, with the
        ``loss``, as :func:`csbook.studies.by_band` takes it.

    Attributes
    ----------
    table : DataFrame
        The same.
    """

    def __init__(self, table: pd.DataFrame) -> None:
        self.table = table
        self._means: dict[str | None, pd.DataFrame] = {}

    @property
    def readings(self) -> list[str]:
        """Names of the readings."""
        return sorted(self.table["reading"].unique())

    def of(self, option: str, band: str, reading: str | None = None) -> pd.Series:
        """Mean loss of each data set over the splits and readings.

        Parameters
        ----------
        option : str
            Which.
        band : str
            Key of ``BANDS``.
        reading : str, optional
            Which; by default all.

        Returns
        -------
        Series
            By data set.
        """
        if reading not in self._means:
            rows = self.table if reading is None else self.table[self.table["reading"] == reading]
            self._means[reading] = band_losses(rows, "option")
        return self._means[reading].loc[band, option]


def each_band(pairs: Mapping[str, tuple[str, str]]) -> Pairs:
    """Pairs of options in every band, under the names ``"name, band"``."""
    return {f"{name}, {band}": (*pair, band, None) for band in BANDS for name, pair in pairs.items()}


def _differences(pairs: Callable[[Losses], Pairs], losses: Losses) -> dict[str, pd.Series]:
    return {
        name: losses.of(one, band, reading) - losses.of(other, band, reading)
        for name, (one, other, band, reading) in pairs(losses).items()
    }


def _margins(
    pairs: Callable[[Losses], Pairs], margin: float, share: float, losses: Losses
) -> dict[str, float]:
    return {
        name: min(margin, share * losses.of(other, band, reading).mean())
        for name, (_, other, band, reading) in pairs(losses).items()
    }


def option_questions(study: str, compared: Mapping[str, Callable[[Losses], Pairs]]) -> dict[str, Question]:
    """The questions that were written down of a study.

    Parameters
    ----------
    study : str
        Name of the study.
    compared : mapping of str to callable
        Which pairs of options a question compares, by its name; of a question in parts, which share no
        error, by the name of each part, such as ``"default, up to 2.5"`` of the question ``"default"``.

    Returns
    -------
    dict of str to Question
        By the same names, with differences and margins in a `Losses`.
    """
    rules = question_rules(study).query("rank != 'design'").set_index("question")
    found = {}
    for name, pairs in compared.items():
        row = rules.loc[name.split(", ")[0]]
        margin = partial(_margins, pairs, float(row["margin"]), float(row["share"]))
        found[name] = Question(name, row["text"], row["rule"], partial(_differences, pairs), margin)
    return found
