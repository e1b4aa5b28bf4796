"""What the papers claim, and what the book finds.

``data/claims.csv`` lists the claims. A chapter decides a claim in a cell and calls `record_verdict`; the
verdicts are kept apart from the list, in a folder of build products, one file per claim, so that
executing a chapter changes no tracked file and chapters may run at the same time.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from csb.inputs import one_of
from csbook import records
from csbook.chapters.markup import Markup, element
from csbook.chapters.verdicts import (
    PartResult,
    Rule,
    assess_part,
    assess_printed,
    decision_rules,
    derive_verdict,
    statuses,
)
from csbook.datasets.storing import store

__all__ = ["Verdict", "number", "load_verdict", "record_verdict", "share", "table"]

BOX = "margin: 1rem 0; padding: 0.1rem 1rem; border-left: 0.3rem solid "
COLOURS = {
    "reproduced": "#0b7a53",
    "in part": "#b86e00",
    "reproduced in the paper's reading only": "#b86e00",
    "not reproduced": "#b3261e",
    "false as mathematics": "#b3261e",
    "cannot be told": "#6b7280",
}
"""Of the edge of a verdict's box."""


@dataclass(frozen=True)
class Verdict:
    """A decided claim; a notebook shows it as a box.

    Attributes
    ----------
    id : str
        Name of the claim, such as ``"N16-1"``.
    verdict : str
        One of `csbook.chapters.verdicts.VERDICTS`.
    value, low, high : float or None
        The number of the first part in the paper's own reading, and an interval around it.
    note : str
        What a reader must know beside the number.
    place, claim : str
        Where the paper says it, and what.
    cells : tuple of PartResult
        The parts in all readings.
    printed : tuple of PartResult
        What the rules say of the numbers that the paper prints, for the parts of which it prints any.
    """

    id: str
    verdict: str
    value: float | None
    low: float | None
    high: float | None
    note: str
    place: str
    claim: str
    cells: tuple[PartResult, ...]
    printed: tuple[PartResult, ...] = ()

    @property
    def number(self) -> str:
        """Value and interval, or an empty string."""
        return number(self.value, self.low, self.high)

    def __repr__(self) -> str:
        lines = [f"{self.id} ({self.place}): {self.verdict}", f"  claim: {self.claim}"]
        if self.number:
            lines[0] += f", {self.number}"
        for cell in (*self.cells, *self.printed):
            shown = ", ".join(
                filter(None, (cell.status, share(cell), number(cell.value, cell.low, cell.high)))
            )
            lines.append(f"  {cell.part}, {cell.reading}: {shown}")
        if self.note:
            lines.append(f"  note: {self.note}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        number = f" \u00b7 {self.number}" if self.number else ""
        name = f"{'Finding' if self.id.startswith('B-') else 'Claim'} {self.id}"
        return element(
            "div", {"class": "csb-verdict", "id": f"claim-{self.id}", "style": BOX + COLOURS[self.verdict]},
            element("p", None, element("strong", None, name), f" ({self.place}): {self.claim}"),
            element("p", None, element("strong", None, f"Verdict: {self.verdict}"), number),
            _parts(self.id, self.cells, self.printed),
            element("p", None, self.note) if self.note else "",
        )  # fmt: skip


def share(cell: PartResult) -> str:
    """Of several comparisons how many hold, fail and are open.

    Parameters
    ----------
    cell : PartResult
        One part in one reading.

    Returns
    -------
    str
        Empty if there is one comparison only.

    Examples
    --------
    >>> share(PartResult("rank", "stumps", holds=1, fails=15, open=0))
    '1 hold, 15 fail, 0 open'
    """
    if cell.holds + cell.fails + cell.open == 1:
        return ""
    return f"{cell.holds} hold, {cell.fails} fail, {cell.open} open"


def _parts(id: str, cells: Sequence[PartResult], printed: Sequence[PartResult]) -> Markup:
    """The parts in the paper's own reading and in print as a table, other readings folded below it."""
    rules = decision_rules(id)
    own = [cell for cell in cells if cell.reading == rules[cell.part].reading]
    others = [cell for cell in cells if cell not in own]
    first = _rows(rules, [*own, *printed])
    if not others:
        return first
    counts = ", ".join(f"{status} {count}" for status, count in statuses(others).items())
    folded = element("summary", None, f"Other readings: {counts}"), _rows(rules, others)
    return element("div", None, first, element("details", None, *folded))


def _rows(rules: Mapping[str, Rule], cells: Sequence[PartResult]) -> Markup:
    head = ("part", "reading", "status", "number", "comparisons", "detectable", "rule written")
    rows = [element("tr", None, *(element("th", {"scope": "col"}, title) for title in head))]
    for cell in cells:
        texts = (
            rules[cell.part].statement, cell.reading, cell.status, number(cell.value, cell.low, cell.high),
            share(cell), number(cell.detectable, None, None), f"{rules[cell.part].written} its data",
        )  # fmt: skip
        rows.append(element("tr", None, *(element("td", None, text) for text in texts)))
    return element("table", {"class": "csb-parts"}, *rows)


def number(value: float | None, low: float | None, high: float | None) -> str:
    """A value and its interval, with as many digits as half its length has two of; alone with four.

    Parameters
    ----------
    value, low, high : float or None
        None where there is none.

    Returns
    -------
    str
        Empty if all is missing.

    Examples
    --------
    >>> number(0.12345, 0.1, 0.2), number(3.0, None, None), number(None, None, None)
    ('0.123 [0.100, 0.200]', '3', '')
    """
    if low is None or high is None:
        return "" if value is None else f"{value:.4g}"
    digits = max(0, 1 - math.floor(math.log10((high - low) / 2))) if high > low else 4
    interval = f"[{low:.{digits}f}, {high:.{digits}f}]"
    return interval if value is None else f"{value:.{digits}f} {interval}"


def _claims() -> pd.DataFrame:
    return pd.read_csv(records.CLAIMS, index_col="id", dtype=str, keep_default_na=False)


def _folder() -> Path:
    """Where verdicts are kept; a checkout has its own folder, in whichever folder a chapter runs."""
    folder = os.environ.get("CSB_VERDICTS") or (records.CHECKOUT or Path()) / "_build" / "verdicts"
    return records.check_outside("CSB_VERDICTS", folder)


def record_verdict(
    id: str,
    parts: Mapping[str, Mapping[str, object]],
    *,
    printed: Mapping[str, object] | None = None,
    note: str = "",
) -> Verdict:
    """Decide a claim by the rules of its parts, and store what follows; a later call replaces it.

    The folder is the one that the environment variable ``CSB_VERDICTS`` names; without it,
    ``_build/verdicts`` of the checkout, or of the current folder where the package is installed.

    Parameters
    ----------
    id : str
        Name of the claim in ``data/claims.csv``.
    parts : mapping of str to mapping
        For each part in ``data/decision_rules.csv`` what was found in each reading, the paper's own among
        them: see `csbook.chapters.verdicts.assess_part`.
    printed : mapping of str to object, optional
        For parts of which the paper prints numbers what these are, to which the rules are applied as well:
        see `csbook.chapters.verdicts.assess_printed`. The verdict does not follow from them.
    note : str, default ""
        What a reader must know.

    Returns
    -------
    Verdict
        For display as the last line of the cell.

    Raises
    ------
    ValueError
        If the claim is unknown, its parts or those printed are others than those of the table, the paper's
        own reading of one is not among its readings, what was found is not of the kind that the rule takes,
        the verdict is another than the one in ``data/verdicts``, or the folder lies within the package.

    Examples
    --------
    >>> record_verdict("N16-9", {"identity": {"random ensembles": 2e-16}})
    N16-9 (Theorem 2): reproduced, 2e-16
      claim: sigma(2F) of AdaBoost is a normalised product of experts with probabilities eps/1-eps
      identity, random ensembles: holds, 2e-16
    """
    claims = _claims()
    one_of("id", id, claims.index, "data/claims.csv lists all claims")
    rules = decision_rules(id)
    if parts.keys() != rules.keys():
        raise ValueError(f"parts={list(parts)}: allowed are those of data/decision_rules.csv, {list(rules)}")
    for part in printed or {}:
        one_of("printed", part, rules)
    in_print = [assess_printed(rules[part], found) for part, found in (printed or {}).items()]
    cells = []
    for part, rule in rules.items():
        if rule.reading not in parts[part]:
            raise ValueError(f"{part}: the paper's own reading, {rule.reading!r}, must be among the readings")
        cells += [assess_part(rule, reading, found) for reading, found in parts[part].items()]
    first = next(cell for cell in cells if cell.reading == rules[cell.part].reading)
    decided = Verdict(
        id, derive_verdict(rules, cells), first.value, first.low, first.high, note,
        claims.at[id, "place"], claims.at[id, "claim"], tuple(cells), tuple(in_print),
    )  # fmt: skip
    _agree(decided)
    _write(decided)
    return decided


def load_verdict(id: str, missing: str) -> Verdict:
    """Take the recorded verdict on a claim where the paper's own data are not at hand.

    Parameters
    ----------
    id : str
        Name of a claim whose verdict is recorded in ``data/verdicts``.
    missing : str
        Which data are missing.

    Returns
    -------
    Verdict
        As `record_verdict` found it, with a note that says so.

    Raises
    ------
    ValueError
        If no verdict on this claim is recorded.

    Examples
    --------
    >>> load_verdict("N16-7", "the votes of Congress").note.split(". ")[0]
    'Recorded, not computed: here the votes of Congress are missing'
    """
    claims = _claims()
    one_of("id", id, [file.stem for file in records.VERDICTS.glob("*.json")], "data/verdicts has these")
    kept = json.loads((records.VERDICTS / f"{id}.json").read_text(encoding="utf-8"))
    kept["note"] = f"Recorded, not computed: here {missing} are missing. {kept['note']}"
    for name in ("cells", "printed"):
        kept[name] = tuple(PartResult(**cell) for cell in kept[name])
    decided = Verdict(**kept, place=claims.at[id, "place"], claim=claims.at[id, "claim"])
    _write(decided)
    return decided


def _agree(decided: Verdict) -> None:
    """A recorded verdict is what is found where the data are at hand, those of further readings or not."""
    file = records.VERDICTS / f"{decided.id}.json"
    if not file.is_file():
        return
    kept = json.loads(file.read_text(encoding="utf-8"))

    def said(cell: PartResult) -> str:
        return " ".join(filter(None, (cell.status, share(cell))))

    before = {(cell["part"], cell["reading"]): said(PartResult(**cell)) for cell in kept["cells"]}
    now = {(cell.part, cell.reading): said(cell) for cell in decided.cells}
    changed = [f"{', '.join(key)}: {now[key]}" for key in now if now[key] != before.get(key, now[key])]
    if changed or kept["verdict"] != decided.verdict:
        raise ValueError(
            f"{decided.id}: {decided.verdict} follows ({'; '.join(changed)}), and data/verdicts has "
            f"{kept['verdict']}: record it anew"
        )


def _stored(decided: Verdict) -> dict[str, Any]:
    return {k: v for k, v in asdict(decided).items() if k not in ("place", "claim")}


def _write(decided: Verdict) -> None:
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    store(folder / f"{decided.id}.json", json.dumps(_stored(decided)).encode())


def table() -> pd.DataFrame:
    """All claims, with the verdicts recorded so far.

    Returns
    -------
    DataFrame
        One row per claim, indexed by its name: the columns of ``data/claims.csv``, then
        ``verdict``, ``value``, ``low``, ``high`` and ``note``, missing where nothing is recorded, and
        ``cells`` and ``printed``, the parts in all readings and in print as tuples.

    Examples
    --------
    >>> table().loc["N16-8", ["source", "place"]].tolist()
    ['N16', 'Theorem 1']
    """
    claims = _claims()
    files = (_folder() / f"{id}.json" for id in claims.index)
    recorded = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
    columns = {"id": str, "verdict": str, "value": float, "low": float, "high": float, "note": str}
    found = pd.DataFrame(recorded, columns=list(columns)).astype(columns).set_index("id")
    parts = {}
    for name in ("cells", "printed"):
        of = {kept["id"]: tuple(PartResult(**cell) for cell in kept[name]) for kept in recorded}
        parts[name] = [of.get(id, ()) for id in claims.index]
    return claims.join(found).assign(**parts)
