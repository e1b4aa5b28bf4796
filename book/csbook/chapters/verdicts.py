"""How a verdict follows from what was measured: one rule for all claims and questions.

A claim has parts, and a part is read in one or more ways, the paper's own first. ``data/decision_rules.csv``
says for every part what must be shown, by which interval, and which difference would matter; a cell of a
chapter brings the numbers, and has no say in what they mean. The same rule judges what the paper prints. Nor
has a question of the book a say, which brings differences and says which of them would matter.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binom, binomtest
from scipy.stats import t as student

from csb.evaluation.intervals import Interval, mean_interval
from csb.inputs import MODERATE, one_of, read_number, shown
from csbook import records

__all__ = [
    "KINDS", "RULES", "VERDICTS", "PartResult", "Question", "Rule", "assess_part", "assess_printed", "census",
    "decision_rules", "derive_verdict", "question_rules", "statuses", "tally",
]  # fmt: skip

RULES = {
    "fact": "whether it is so",
    "identity": "the largest distance, which is at most the margin",
    "above": "differences, whose mean is above zero",
    "below": "differences, whose mean is below zero",
    "within": "differences, whose mean lies within the margin on either side of zero",
    "most": "by data set its differences, or one; more sets above zero than not, by a sign test",
    "all": "the same, and no set significantly below zero",
}
"""What a cell brings, and what must be so for the part to hold."""

VERDICTS = (
    "reproduced", "reproduced in the paper's reading only", "in part", "not reproduced", "cannot be told",
    "false as mathematics",
)  # fmt: skip
"""What may follow."""

WORDS = {"equal": "within", "lower": "below", "higher": "above"}
"""What a difference is called, and the rule that must hold for it, the first that does; else ``"open"``."""

KINDS = ("identity or proof", "experiment", "advice")
"""Of claims that are decided; ``data/claims.csv`` says which a claim is."""

STATUSES = ("holds", "fails", "open")
"""Of a part in one reading."""

PRINTED = "in print"
"""The reading of what the paper prints, which has no say in the verdict."""

COUNTED = {"hold": ("holds", "holds"), "fail": ("fails", "fails"), "open": ("open", "open")}
"""How a number of parts and of comparisons is called, the status of the part, and the count in it."""

POWER = 0.8
"""Of the difference that a cell names as detectable."""


class Rule(NamedTuple):
    """How one part of a claim is decided, a row of ``data/decision_rules.csv``.

    Attributes
    ----------
    part : str
        Its name.
    statement : str
        What the paper says of it, in our words.
    rule : str
        One of `RULES`.
    quantity : str
        Which number or difference, in words.
    margin : float
        Of ``"identity"`` and ``"within"`` what is allowed; of ``"above"`` and ``"below"`` the least
        difference that matters, which must be excluded before the part is said to fail; of ``"most"`` and
        ``"all"`` the level of the one-sided sign test.
    overlap : float
        Where the values are those of splits that overlap, what this adds to one over their number in the
        variance of the mean: for a loss on test parts their size over that of the training parts (Nadeau and
        Bengio 2003), for a number of training parts that share :math:`s` of their examples
        :math:`s/(1-s)`; else zero.
    looks : int
        How many comparisons share the error of five per cent, beside those given together.
    reading : str
        The paper's own reading.
    erratum : str
        Label of the erratum by which the part is false as mathematics, or empty.
    written : str
        ``"before"`` or ``"after"`` the data that decide the part in the paper's own reading were recorded.
    """

    part: str
    statement: str
    rule: str
    quantity: str
    margin: float
    overlap: float
    looks: int
    reading: str
    erratum: str
    written: str


@dataclass(frozen=True)
class PartResult:
    """One part in one reading.

    Attributes
    ----------
    part, reading : str
        Which.
    holds, fails, open : int
        How many comparisons hold, fail, or allow both.
    value, low, high : float or None
        The number, and its interval; of several comparisons those of the one that is farthest from holding.
        Of ``"most"`` and ``"all"`` the share of the sets above zero.
    detectable : float or None
        The least difference that would have been told from zero with a probability of 0.8.
    """

    part: str
    reading: str
    holds: int
    fails: int
    open: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    detectable: float | None = None

    @property
    def status(self) -> str:
        """``"holds"`` if all comparisons do, ``"fails"`` if one does, else ``"open"``."""
        return "fails" if self.fails else "open" if self.open else "holds"


def decision_rules(claim: str) -> dict[str, Rule]:
    """Rules of the parts of a claim, by the names of the parts.

    Parameters
    ----------
    claim : str
        Name of the claim.

    Returns
    -------
    dict of str to Rule
        In the order of the table.
    """
    types = {"margin": float, "overlap": float, "looks": int}
    table = pd.read_csv(records.DECISION_RULES, keep_default_na=False, dtype=str).astype(types)
    rows = table[table["claim"] == claim].drop(columns="claim")
    return {row.part: Rule(*row) for row in rows.itertuples(index=False)}


def question_rules(study: str) -> pd.DataFrame:
    """What was written down of a study whose questions are the book's own.

    Parameters
    ----------
    study : str
        Name of the study.

    Returns
    -------
    DataFrame
        Rows of ``data/questions.csv``, of rank ``"design"`` or of a question. In ``attrs["sha256"]`` is a
        digest of them, which a later change of a word changes.

    Raises
    ------
    ValueError
        If the table has nothing on this study.

    Examples
    --------
    >>> question_rules("calibration_or_step").query("rank == 'primary'")["question"].item()
    'calibration'
    """
    table = pd.read_csv(records.QUESTIONS, keep_default_na=False, dtype=str)
    rows = table[table["study"] == one_of("study", study, table["study"].unique())].reset_index(drop=True)
    rows.attrs["sha256"] = hashlib.sha256(rows.to_csv(index=False, lineterminator="\n").encode()).hexdigest()
    return rows


def assess_part(rule: Rule, reading: str, found: object) -> PartResult:
    """What the numbers of one reading say of a part.

    Parameters
    ----------
    rule : Rule
        How the part is decided.
    reading : str
        Name of the reading.
    found : bool, float, array_like of shape (n,), callable, None, or mapping of these
        As `RULES` has it; differences are one a data set, split or draw. A callable takes a level and gives
        an interval of it, for what is no mean. A mapping has several comparisons, all of which must hold, by
        the names of what is compared; their intervals share the error. Of ``"most"`` and ``"all"`` a
        comparison is itself a mapping, by data set, of differences over its splits or of one number. None
        in place of a fact or of differences is a comparison that cannot be made, and stays open.

    Returns
    -------
    PartResult

    Raises
    ------
    ValueError
        If a number is not finite, or there are none, or ``found`` is not of the kind that the rule takes.

    Examples
    --------
    >>> rule = Rule("gain", "calibration gains", "above", "loss", 0.01, 0.0, 1, "stumps", "", "before")
    >>> assess_part(rule, "stumps", [0.03, 0.05, 0.04]).status
    'holds'
    >>> assess_part(rule, "stumps", [0.3, -0.2, 0.1]).status
    'open'
    """
    one_of("rule", rule.rule, RULES)
    several: Mapping[str, Any] = found if isinstance(found, Mapping) else {"": found}
    if not several:
        raise ValueError(f"{rule.part}, {reading}: at least one comparison is needed")
    decide: Callable[..., PartResult]
    if rule.rule in ("most", "all"):
        if not isinstance(next(iter(several.values())), Mapping):
            several = {"": several}
        sets = sum(len(by_set) for by_set in several.values())
        level = 1 - 0.05 / (rule.looks * sets)
        decide = partial(_signs, level=level)
    elif rule.rule in ("fact", "identity"):
        decide = {"fact": _fact, "identity": _identity}[rule.rule]
    else:
        decide = partial(_difference, level=1 - 0.05 / (rule.looks * len(several)))
    cells = [decide(rule, reading, values) for values in several.values()]
    farthest = min(cells, key=partial(_slack, rule))
    counts = {name: sum(getattr(cell, name) for cell in cells) for name in ("holds", "fails", "open")}
    return replace(farthest, **counts)


def _fact(rule: Rule, reading: str, found: object) -> PartResult:
    if found is None:
        return PartResult(rule.part, reading, 0, 0, 1)
    if not isinstance(found, (bool, np.bool_)):
        raise ValueError(f"{rule.part}, {reading}: {shown(found)} is given, allowed is True or False")
    return PartResult(rule.part, reading, int(found), int(not found), 0)


def _identity(rule: Rule, reading: str, found: ArrayLike) -> PartResult:
    off = np.asarray(found, float)
    if off.shape != () or not 0 <= off < np.inf:
        raise ValueError(f"{rule.part}, {reading}: {shown(found)} is given, allowed is a finite distance")
    within = bool(off <= rule.margin)
    return PartResult(rule.part, reading, int(within), int(not within), 0, float(off))


def _difference(
    rule: Rule, reading: str, values: ArrayLike | Callable[[float], Interval] | None, level: float
) -> PartResult:
    if values is None:
        return PartResult(rule.part, reading, 0, 0, 1)
    detectable = None
    if callable(values):
        interval = values(level)
    else:
        interval = mean_interval(values, rule.overlap, level=level)
        detectable = _detectable(interval, np.shape(values)[0], level)
    mean, low, high = (read_number(f"{rule.part}, {reading}", end, MODERATE) for end in interval)
    held, failed = _conclude(rule.rule, low, high, rule.margin)
    undecided = not held and not failed
    return PartResult(rule.part, reading, int(held), int(failed), int(undecided), mean, low, high, detectable)


def _signs(rule: Rule, reading: str, found: Mapping[str, ArrayLike], level: float) -> PartResult:
    """Whether more sets lie above zero than below; of splits, also whether one is significantly below."""
    sets = [np.atleast_1d(np.asarray(values, float)) for values in found.values()]
    if not all(values.ndim == 1 and np.isfinite(values).all() for values in sets):
        raise ValueError(f"{rule.part}, {reading}: {shown(found)} is given, allowed are finite differences")
    means = np.array([values.mean() for values in sets])
    above, apart = int(np.sum(means > 0)), int(np.sum(means != 0))
    against = rule.rule == "all" and any(
        mean_interval(values, rule.overlap, level=level).high < 0 for values in sets if values.size > 1
    )
    held = apart > 0 and binom.sf(above - 1, apart, 0.5) <= rule.margin and not against
    failed = against or (apart > 0 and binom.cdf(above, apart, 0.5) <= rule.margin)
    share = None, None, None
    if apart:
        test = binomtest(above, apart)
        share = (test.statistic, *test.proportion_ci(1 - 2 * rule.margin))
    return PartResult(rule.part, reading, int(held), int(failed), int(not held and not failed), *share)


def assess_printed(rule: Rule, found: object) -> PartResult:
    """What the rule says of the numbers that the paper prints.

    Parameters
    ----------
    rule : Rule
        How the part is decided.
    found : as `assess_part` has it
        Where the paper prints a mean without its spread, that number stands for the differences and is taken
        as it is.

    Returns
    -------
    PartResult
        Its reading is ``"in print"``.

    Examples
    --------
    >>> rule = Rule("gain", "calibration gains", "above", "loss", 0.01, 0.0, 1, "stumps", "", "before")
    >>> assess_printed(rule, {"first set": 0.03, "second set": -0.02})
    PartResult(part='gain', reading='in print', holds=1, fails=1, open=0, value=-0.02, low=None, high=None, \
detectable=None)
    """
    if rule.rule not in ("above", "below", "within"):
        return assess_part(rule, PRINTED, found)
    several: Mapping[str, Any] = found if isinstance(found, Mapping) else {"": found}
    exact = {
        name: partial(_exact, value) if np.ndim(value) == 0 else value for name, value in several.items()
    }
    cell = assess_part(rule, PRINTED, exact)
    return replace(cell, low=None, high=None) if cell.low == cell.high else cell


def _exact(value: float, level: float) -> Interval:
    return Interval(value, value, value)


def _conclude(rule: str, low: float, high: float, margin: float) -> tuple[bool, bool]:
    """Whether an interval of a difference shows that a rule holds, and that it fails."""
    held, failed = {
        "above": (low > 0, high < margin or high <= 0),
        "below": (high < 0, low > -margin or low >= 0),
        "within": (-margin < low and high < margin, low > margin or high < -margin),
    }[rule]
    return held, failed and not held  # a difference may be sure, and too small to matter


def _detectable(interval: Interval, count: int, level: float) -> float:
    """The difference whose interval, of this length, excludes zero with probability `POWER`, about."""
    quantiles = student.ppf([0.5 + level / 2, POWER], count - 1)
    return float(interval.half * quantiles.sum() / quantiles[0])


def _slack(rule: Rule, cell: PartResult) -> tuple[int, float]:
    """How far a comparison is from failing: by status, then by the end of its interval on that side."""
    order = ("fails", "open", "holds").index(cell.status)
    if cell.value is None:
        return order, 0.0
    low, high = (cell.value, cell.value) if cell.low is None or cell.high is None else (cell.low, cell.high)
    slack = {
        "above": low, "below": -high, "within": rule.margin - max(-low, high), "identity": rule.margin - high,
        "most": low, "all": low,
    }  # fmt: skip
    return order, slack[rule.rule]


def statuses(cells: Sequence[PartResult]) -> dict[str, int]:
    """How many cells have each status.

    Parameters
    ----------
    cells : sequence of PartResult
        Which to count.

    Returns
    -------
    dict of str to int
        Only what occurs, what holds first.
    """
    counts = Counter(cell.status for cell in cells)
    return {status: counts[status] for status in STATUSES if counts[status]}


def tally(claim: str, parts: Mapping[str, Mapping[str, object]], reading: str) -> dict[str, int]:
    """How many comparisons hold, fail and are open in one reading, for what is said beside a verdict.

    Parameters
    ----------
    claim : str
        Name of the claim.
    parts : mapping of str to mapping
        Parts of the claim, each with what was found in each reading, as
        `csbook.chapters.claims.record_verdict` takes them.
    reading : str
        Which of the readings.

    Returns
    -------
    dict of str to int
        ``"holds"``, ``"fails"``, ``"open"`` and their sum, ``"all"``, over the parts that have this reading.

    Examples
    --------
    >>> found = {"AdaC2": [0.1, 0.2], "AdaC3": [0.2, 0.2]}
    >>> tally("C13-2", {"AdaBoostC": {"perceptrons": found}}, "perceptrons")
    {'holds': 1, 'fails': 0, 'open': 1, 'all': 2}
    """
    rules = decision_rules(claim)
    cells = [
        assess_part(rules[part], reading, found[reading]) for part, found in parts.items() if reading in found
    ]
    counts = {name: sum(getattr(cell, name) for cell in cells) for name in ("holds", "fails", "open")}
    return counts | {"all": sum(counts.values())}


def derive_verdict(rules: Mapping[str, Rule], cells: Sequence[PartResult]) -> str:
    """The verdict on a claim.

    Parameters
    ----------
    rules : mapping of str to Rule
        Of the parts of the claim.
    cells : sequence of PartResult
        All parts in all readings.

    Returns
    -------
    str
        By the parts in the paper's own reading, of which one holds if all its comparisons do:
        ``"reproduced"`` if all hold, and none fails in another reading; ``"reproduced in the paper's reading
        only"`` if all hold, and one fails elsewhere; ``"in part"`` if some hold; where none does, ``"false as
        mathematics"`` if a part fails for which an erratum is named, ``"not reproduced"`` if another fails,
        and ``"cannot be told"`` if all are open.
    """
    own = [cell for cell in cells if cell.reading == rules[cell.part].reading]
    found = statuses(own)
    if found == {"holds": len(own)}:
        elsewhere = any(cell.fails for cell in cells if cell not in own)
        return "reproduced in the paper's reading only" if elsewhere else "reproduced"
    if "holds" in found:
        return "in part"
    if any(cell.fails and rules[cell.part].erratum for cell in own):
        return "false as mathematics"
    return "not reproduced" if "fails" in found else "cannot be told"


def census(claims: pd.DataFrame) -> pd.DataFrame:
    """How many claims of each kind came to each verdict, and what their parts and comparisons came to.

    Parameters
    ----------
    claims : DataFrame
        Decided claims by name, with ``kind``, ``verdict`` and ``cells``, as `csbook.chapters.claims.table`
        has them.

    Returns
    -------
    DataFrame
        A row for each of `KINDS` and one for ``"all"``; columns ``"claims"``, the `VERDICTS`, then parts and
        comparisons, and how many hold, fail and are open, in the papers' own readings alone, so that the
        numbers are the same whether a verdict is computed or recorded.

    Examples
    --------
    >>> cells = (PartResult("identity", "random ensembles", 1, 0, 0, 1e-16),)
    >>> row = {"kind": "identity or proof", "verdict": "reproduced", "cells": cells}
    >>> census(pd.DataFrame([row], index=["N16-9"])).loc["all", ["claims", "in part", "parts hold"]].tolist()
    [1, 0, 1]
    """
    rows, rules = {}, {id: decision_rules(str(id)) for id in claims.index}
    for kind in (*KINDS, "all"):
        chosen = claims if kind == "all" else claims[claims["kind"] == kind]
        own = [
            cell for id, cells in chosen["cells"].items() for cell in cells
            if cell.reading == rules[id][cell.part].reading
        ]  # fmt: skip
        found = statuses(own)
        row = {"claims": len(chosen)} | {name: int((chosen["verdict"] == name).sum()) for name in VERDICTS}
        row["parts"] = len(own)
        row |= {f"parts {words}": found.get(status, 0) for words, (status, _) in COUNTED.items()}
        of = {words: sum(getattr(cell, count) for cell in own) for words, (_, count) in COUNTED.items()}
        row["comparisons"] = sum(of.values())
        row |= {f"comparisons {words}": number for words, number in of.items()}
        rows[kind] = row
    return pd.DataFrame.from_dict(rows, orient="index")


@dataclass(frozen=True)
class Question:
    """A question that the book asks itself; its differences are those of numbers of which smaller is better.

    Attributes
    ----------
    name, text : str
        A word for it, and the question.
    rule : str
        What answers it.
    differences : callable ``data -> mapping of str to array of shape (n,)``
        What is compared, one value a data set.
    margin : float or callable ``data -> mapping of str to float``, default 0.005
        Differences below it do not matter: of areas and losses a twentieth of AdaMEC's, which is about 0.1.
        A callable gives one for each difference.
    """

    name: str
    text: str
    rule: str
    differences: Callable[[Any], Mapping[str, ArrayLike]]
    margin: float | Callable[[Any], Mapping[str, float]] = 0.005

    def answer(self, data: object) -> pd.DataFrame:
        """Every difference with its interval, all of which share the error, and its word.

        Parameters
        ----------
        data : object
            What the differences are taken from.

        Returns
        -------
        DataFrame
            Indexed by what is compared, with ``mean``, ``low``, ``high`` and ``decision``, one of `WORDS` or
            ``"open"``.

        Examples
        --------
        >>> gains = {"a": [-0.2, -0.21, -0.19], "b": [0.2, -0.2, 0.0]}
        >>> question = Question("gain", "Does it gain?", "It does where it is lower.", dict, 0.01)
        >>> question.answer(gains)["decision"].to_dict()
        {'a': 'lower', 'b': 'open'}
        """
        differences = self.differences(data)
        margins = self.margin(data) if callable(self.margin) else dict.fromkeys(differences, self.margin)
        rows = {}
        for name, values in differences.items():
            mean, low, high = map(float, mean_interval(values, level=1 - 0.05 / len(differences)))
            words = (word for word, rule in WORDS.items() if _conclude(rule, low, high, margins[name])[0])
            rows[name] = mean, low, high, next(words, "open")
        return pd.DataFrame.from_dict(rows, "index", columns=["mean", "low", "high", "decision"])
