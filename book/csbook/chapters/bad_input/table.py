"""What came of the inputs, drawn: the table, its legend with the counts, and the reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from csbook.chapters.bad_input.deciding import VERDICTS
from csbook.chapters.bad_input.outcomes import counts
from csbook.chapters.markup import Markup, element

__all__ = ["draw_counts", "draw_reasons", "draw_table"]


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
        _row(_verdict(verdict), _cell(VERDICTS[verdict]), *(_cell(n, "csb-count") for n in line))
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


def _cell(content: object, kind: str | None = None) -> Markup:
    return element("td", {"class": kind}, content)


def _verdict(verdict: str) -> Markup:
    return _cell(verdict, f"csb-{verdict}") if verdict in VERDICTS else _cell("–")
