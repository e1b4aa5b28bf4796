"""All inputs, put to all classifiers, and what came of them: counted, named, and drawn as tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import product

import pandas as pd

from csbook.chapters.bad_input.cases import CASES, Case, Library, libraries
from csbook.chapters.bad_input.trials import VERDICTS, Outcome, try_input
from csbook.chapters.markup import Markup, element

__all__ = ["NOT_GIVEN", "counts", "try_all", "named", "draw_counts", "draw_reasons", "draw_table"]

NOT_GIVEN = Outcome("none", "has no such parameter")
"""What comes of an input that a classifier cannot be given."""

DARK = "color: #1a1a1a; background: "
LOOKS = {
    "right": DARK + "#cfe8dc",
    "refused": DARK + "#d6e4f5",
    "other": DARK + "#f3ecc8",
    "obscure": DARK + "#f0b95b",
    "wrong": "font-weight: 600; color: #ffffff; background: #b3261e",
}
"""Of the cell that holds a verdict."""


def try_all(
    compared: Iterable[Library] | None = None, cases: Mapping[str, Iterable[Case]] = CASES
) -> pd.DataFrame:
    """Put the inputs to the classifiers and decide what came of each.

    Parameters
    ----------
    compared : iterable of Library, optional
        All that are installed by default.
    cases : mapping of str to iterable of Case, optional
        Inputs by their group; all by default.

    Returns
    -------
    DataFrame
        One row for each input and classifier: ``group``, ``key`` and ``input``, ``library``, ``verdict``,
        ``reason`` and ``recall``, of class 1.

    Examples
    --------
    >>> found = try_all(libraries()[:1], {"Features": CASES["Features"][1:2]})
    >>> found["verdict"].item(), found["reason"].item()
    ('refused', 'ValueError: X: column 1 holds infinity: allowed are finite numbers')
    """
    compared = libraries() if compared is None else list(compared)
    rows = []
    for group, of_group in cases.items():
        for case, library in product(of_group, compared):
            trial = case.trial(library)
            found = NOT_GIVEN if trial is None else try_input(trial, case.says)
            recall = found.recalls[-1] if found.recalls else None
            rows.append((group, case.key, case.name, library.name, found.verdict, found.reason, recall))
    return pd.DataFrame(rows, columns=["group", "key", "input", "library", "verdict", "reason", "recall"])


def counts(outcomes: pd.DataFrame) -> pd.DataFrame:
    """How often each classifier came to each verdict: a row for each verdict, a column for each."""
    found = pd.crosstab(outcomes["verdict"], outcomes["library"])
    return found.reindex(index=list(VERDICTS), columns=outcomes["library"].unique(), fill_value=0)


def named(outcomes: pd.DataFrame, verdict: str, *keys: str) -> str:
    """The classifiers that came to a verdict on any of these inputs, as a sentence lists them.

    Parameters
    ----------
    outcomes : DataFrame
        From :func:`try_all`.
    verdict : str
        One of ``VERDICTS``.
    *keys : str
        Of the inputs.

    Returns
    -------
    str
        Names, or "none".

    Examples
    --------
    >>> found = try_all(libraries()[:2], {"Features": CASES["Features"][1:2]})
    >>> named(found, "refused", "infinite")
    'csb CGAda and csb CalibratedAdaMEC'
    >>> named(found, "wrong", "infinite")
    'none'
    """
    chosen = outcomes[outcomes["key"].isin(keys) & (outcomes["verdict"] == verdict)]
    *first, last = chosen["library"].unique() if len(chosen) else ["none"]
    return f"{', '.join(first)} and {last}" if first else last


def draw_table(outcomes: pd.DataFrame) -> Markup:
    """A row for each input, a column for each classifier, in each cell the verdict; as HTML."""
    names = outcomes["library"].unique()
    bodies = []
    for group, of in outcomes.groupby("group", sort=False):
        heading = _row(element("th", {"scope": "rowgroup", "colspan": len(names) + 1}, group))
        lines = (_row(_header(name), *map(_verdict, each["verdict"])) for name, each in _by_input(of))
        bodies.append(element("tbody", None, heading, *lines))
    return _table("What came of each input", ["input", *names], bodies)


def draw_counts(outcomes: pd.DataFrame) -> Markup:
    """What each verdict means, and how often each classifier came to it; as HTML."""
    found = counts(outcomes)
    lines = (
        _row(_verdict(verdict), _cell(VERDICTS[verdict]), *(_cell(n, "text-align: right") for n in line))
        for verdict, line in zip(found.index, found.to_numpy(), strict=True)
    )
    return _table("The verdicts, and how often", ["", "meaning", *found.columns], lines)


def draw_reasons(outcomes: pd.DataFrame) -> Markup:
    """The error or the figures behind each verdict, in one block that opens for each group; as HTML."""
    blocks = []
    for group, of in outcomes[outcomes["verdict"].isin(VERDICTS)].groupby("group", sort=False):
        inputs = (element("li", None, name, _reasons(each)) for name, each in _by_input(of))
        blocks.append(element("details", None, element("summary", None, group), element("ul", None, *inputs)))
    return Markup("".join(blocks))


def _reasons(outcomes: pd.DataFrame) -> Markup:
    lines = zip(outcomes["library"], outcomes["verdict"], outcomes["reason"], strict=True)
    items = (
        element("li", None, f"{name}, ", element("b", None, verdict), f": {reason}")
        for name, verdict, reason in lines
    )
    return element("ul", None, *items)


def _by_input(outcomes: pd.DataFrame) -> Iterable[tuple[str, pd.DataFrame]]:
    return outcomes.groupby("input", sort=False)


def _table(caption: str, columns: Iterable[str], rows: Iterable[Markup]) -> Markup:
    heads = (
        element("th", {"scope": "col"}, *_breakable(name)) if name else element("td") for name in columns
    )
    return element(
        "table", {"class": "csb-outcomes"},
        element("caption", None, caption), element("thead", None, _row(*heads)), *rows,
    )  # fmt: skip


def _breakable(name: str) -> Iterable[str]:
    """The parts of a name, which may end a line before a capital letter within it."""
    first, *others = re.split("(?<=[a-z])(?=[A-Z])", name)
    yield first
    for part in others:
        yield element("wbr")
        yield part


def _row(*cells: Markup) -> Markup:
    return element("tr", None, *cells)


def _header(text: str) -> Markup:
    return element("th", {"scope": "row"}, text)


def _cell(content: object, style: str | None = None) -> Markup:
    return element("td", {"style": style}, content)


def _verdict(verdict: str) -> Markup:
    return _cell(verdict, LOOKS[verdict]) if verdict in VERDICTS else _cell("–")
