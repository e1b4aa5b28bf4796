"""What the papers claim, and what the book finds.

``data/claims.csv`` lists the claims. A chapter decides a claim in a cell and calls `record`; the
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

import pandas as pd

from csb.compendium import records
from csb.compendium.chapters.markup import element
from csb.compendium.chapters.verdicts import Cell, decide, decision_rules, follow
from csb.datasets.storing import store
from csb.inputs import one_of

__all__ = ["VERDICTS", "Verdict", "across", "number", "record", "settle", "table"]

#: The verdicts, and whether a note must accompany them and say what.
VERDICTS = {
    "reproduced": None,
    "partly": None,
    "not": None,
    "depends": "on what the answer depends",
    "untestable": "which datum is missing",
    "reproduced in the paper's reading only": None,
    "in part": None,
    "not reproduced": None,
    "cannot be told": None,
    "false as mathematics": None,
}


@dataclass(frozen=True)
class Verdict:
    """A decided claim; a notebook shows it as a box.

    Attributes
    ----------
    id : str
        Name of the claim, such as ``"N16-1"``.
    verdict : str
        One of `VERDICTS`.
    value, low, high : float or None
        The number that decided it, and an interval around it.
    note : str
        What a reader must know beside the number.
    place, claim : str
        Where the paper says it, and what.
    """

    id: str
    verdict: str
    value: float | None
    low: float | None
    high: float | None
    note: str
    place: str
    claim: str
    cells: tuple[Cell, ...] = ()

    @property
    def number(self) -> str:
        """Value and interval to four significant digits, or an empty string."""
        return number(self.value, self.low, self.high)

    def __repr__(self) -> str:
        lines = [f"{self.id} ({self.place}): {self.verdict}", f"  claim: {self.claim}"]
        if self.number:
            lines[0] += f", {self.number}"
        for cell in self.cells:
            shown = ", ".join(
                filter(None, (cell.status, _share(cell), number(cell.value, cell.low, cell.high)))
            )
            lines.append(f"  {cell.part}, {cell.reading}: {shown}")
        if self.note:
            lines.append(f"  note: {self.note}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        number = f" \u00b7 {self.number}" if self.number else ""
        kind = self.verdict.replace(" ", "-").replace("'", "")
        return element(
            "div", {"class": f"csb-verdict csb-{kind}", "id": f"claim-{self.id}"},
            element("p", None, element("strong", None, f"Claim {self.id}"), f" ({self.place}): {self.claim}"),
            element("p", None, element("strong", None, f"Verdict: {self.verdict}"), number),
            _parts(self.id, self.cells) if self.cells else "",
            element("p", None, self.note) if self.note else "",
        )  # fmt: skip


def _share(cell: Cell) -> str:
    """Of several comparisons how many hold, fail and are open."""
    if cell.holds + cell.fails + cell.open == 1:
        return ""
    return f"{cell.holds} hold, {cell.fails} fail, {cell.open} open"


def _parts(id: str, cells: Sequence[Cell]) -> str:
    """The table of parts and readings."""
    rules = decision_rules(id)
    head = ("part", "reading", "", "number", "comparisons", "detectable")
    rows = [element("tr", None, *(element("th", {"scope": "col"}, title) for title in head))]
    for cell in cells:
        rule = rules[cell.part]
        own = " (the paper's)" if cell.reading == rule.reading else ""
        texts = (
            rule.statement, cell.reading + own, cell.status, number(cell.value, cell.low, cell.high),
            _share(cell), number(cell.detectable, None, None),
        )  # fmt: skip
        rows.append(element("tr", None, *(element("td", None, text) for text in texts)))
    return element("table", {"class": "csb-parts"}, *rows)


def number(value: float | None, low: float | None, high: float | None) -> str:
    """A value and its interval to four significant digits; what is missing is left out.

    Parameters
    ----------
    value, low, high : float or None
        None or not a number where there is none.

    Returns
    -------
    str
        Empty if all is missing.

    Examples
    --------
    >>> number(0.12345, 0.1, 0.2), number(3.0, None, None)
    ('0.1235 [0.1, 0.2]', '3')
    """
    parts = [] if pd.isna(value) else [f"{value:.4g}"]
    return " ".join(parts if pd.isna(low) else [*parts, f"[{low:.4g}, {high:.4g}]"])


def _claims() -> pd.DataFrame:
    return pd.read_csv(records.CLAIMS, index_col="id", dtype=str, keep_default_na=False)


def _folder() -> Path:
    """Where verdicts are kept; a checkout has its own folder, in whichever folder a chapter runs."""
    folder = os.environ.get("CSB_VERDICTS") or (records.CHECKOUT or Path()) / "_build" / "verdicts"
    return records.check_outside("CSB_VERDICTS", folder)


def _number(name: str, value: float | None) -> float | None:
    if value is not None and not math.isfinite(value):
        raise ValueError(f"{name}={value!r}: a finite number or None is allowed")
    return None if value is None else float(value)


def across(readings: Mapping[str, bool]) -> dict[str, str]:
    """Verdict on a claim that a paper leaves open to several readings, as arguments of :func:`record`.

    Parameters
    ----------
    readings : mapping of str to bool
        Whether the claim holds in each reading.

    Returns
    -------
    dict
        ``verdict``: ``"reproduced"`` if it holds in all, ``"not"`` if in none, else ``"depends"``; ``note``
        names the readings in which it does not hold, or, if they are fewer, those in which it does.

    Raises
    ------
    ValueError
        If there is no reading.

    Examples
    --------
    >>> across({"stumps": True, "trees": False, "logistic": True})
    {'verdict': 'depends', 'note': 'holds in 2 of 3 readings, not in: trees'}
    """
    if not readings:
        raise ValueError("readings is empty: at least one is needed")
    held = [name for name, holds in readings.items() if holds]
    failed = [name for name, holds in readings.items() if not holds]
    if not held or not failed:
        verdict = "reproduced" if held else "not"
        return {"verdict": verdict, "note": f"in all {len(readings)} readings" if len(readings) > 1 else ""}
    few, names = ("not in", failed) if len(failed) <= len(held) else ("only in", held)
    note = f"holds in {len(held)} of {len(readings)} readings, {few}: {'; '.join(names)}"
    return {"verdict": "depends", "note": note}


def record(
    id: str,
    verdict: str,
    *,
    value: float | None = None,
    low: float | None = None,
    high: float | None = None,
    note: str = "",
) -> Verdict:
    """Store what a cell decided about a claim; a later call for the same claim replaces it.

    The folder is the one that the environment variable ``CSB_VERDICTS`` names; without it,
    ``_build/verdicts`` of the checkout, or of the current folder where the package is installed.

    Parameters
    ----------
    id : str
        Name of the claim in ``data/claims.csv``, such as ``"N16-1"``.
    verdict : {"reproduced", "partly", "not", "depends", "untestable"}
        What was found.
    value : float, optional
        The number that decided it.
    low, high : float, optional
        An interval around the value, both or neither.
    note : str, default ""
        What a reader must know. Required for ``"depends"``, to say on what, and for
        ``"untestable"``, to say which datum is missing.

    Returns
    -------
    Verdict
        For display as the last line of the cell.

    Raises
    ------
    ValueError
        If the claim or the verdict is unknown, a number is not finite, the interval is
        incomplete or does not hold the value, a required note is missing, or the folder lies within
        the package.

    Examples
    --------
    >>> record("N16-1", "reproduced", value=0.0, note="largest excess over brute force")
    N16-1 (Eq. 4): reproduced, 0
      claim: Predicting positive iff p(y=1|x) > c, c = c_FP/(c_FP+c_FN), minimises expected cost
      note: largest excess over brute force
    """
    claims = _claims()
    one_of("id", id, claims.index, "data/claims.csv lists all claims")
    one_of("verdict", verdict, VERDICTS)
    if VERDICTS[verdict] and not note.strip():
        raise ValueError(f"note={note!r}: the verdict {verdict!r} needs a note that says {VERDICTS[verdict]}")
    value, low, high = _number("value", value), _number("low", low), _number("high", high)
    if (low is None) != (high is None):
        raise ValueError(f"low={low!r}, high={high!r}: give both ends of the interval or neither")
    if low is not None and not low <= (low if value is None else value) <= high:
        raise ValueError(f"low={low!r}, value={value!r}, high={high!r}: low <= value <= high must hold")

    decided = Verdict(id, verdict, value, low, high, note, claims.at[id, "place"], claims.at[id, "claim"])
    _write(decided)
    return decided


def settle(id: str, parts: Mapping[str, Mapping[str, object]], *, note: str = "") -> Verdict:
    """Decide a claim by the rules of its parts, and store what follows.

    Parameters
    ----------
    id : str
        Name of the claim in ``data/claims.csv``.
    parts : mapping of str to mapping
        For each part in ``data/decision_rules.csv`` what was found in each reading, the paper's own among
        them: see `csb.compendium.chapters.verdicts.decide`.
    note : str, default ""
        What a reader must know.

    Returns
    -------
    Verdict
        For display as the last line of the cell.

    Raises
    ------
    ValueError
        If the claim is unknown, its parts are others than those of the table, the paper's own reading of one
        is not among its readings, or what was found is not of the kind that the rule takes.

    Examples
    --------
    >>> settle("N16-9", {"identity": {"random ensembles": 2e-16}})
    N16-9 (Theorem 2): reproduced, 2e-16
      claim: sigma(2F) of AdaBoost is a normalised product of experts with probabilities eps/1-eps
      identity, random ensembles: holds, 2e-16
    """
    claims = _claims()
    one_of("id", id, claims.index, "data/claims.csv lists all claims")
    rules = decision_rules(id)
    if parts.keys() != rules.keys():
        raise ValueError(f"parts={list(parts)}: allowed are those of data/decision_rules.csv, {list(rules)}")
    cells = []
    for part, rule in rules.items():
        if rule.reading not in parts[part]:
            raise ValueError(f"{part}: the paper's own reading, {rule.reading!r}, must be among the readings")
        cells += [decide(rule, reading, found) for reading, found in parts[part].items()]
    first = next(cell for cell in cells if cell.reading == rules[cell.part].reading)
    decided = Verdict(
        id, follow(rules, cells), first.value, first.low, first.high, note,
        claims.at[id, "place"], claims.at[id, "claim"], tuple(cells),
    )  # fmt: skip
    _write(decided)
    return decided


def _write(decided: Verdict) -> None:
    folder = _folder()
    folder.mkdir(parents=True, exist_ok=True)
    stored = {k: v for k, v in asdict(decided).items() if k not in ("place", "claim")}
    store(folder / f"{decided.id}.json", json.dumps(stored).encode())


def table() -> pd.DataFrame:
    """All claims, with the verdicts recorded so far.

    Returns
    -------
    DataFrame
        One row per claim, indexed by its name: the columns of ``data/claims.csv``, then
        ``verdict``, ``value``, ``low``, ``high`` and ``note``, missing where nothing is recorded.

    Examples
    --------
    >>> table().loc["N16-8", ["source", "place"]].tolist()
    ['N16', 'Theorem 1']
    """
    claims = _claims()
    files = (_folder() / f"{id}.json" for id in claims.index)
    recorded = [json.loads(file.read_text(encoding="utf-8")) for file in files if file.is_file()]
    columns = {"id": str, "verdict": str, "value": float, "low": float, "high": float, "note": str}
    return claims.join(pd.DataFrame(recorded, columns=list(columns)).astype(columns).set_index("id"))
