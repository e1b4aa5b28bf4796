"""The verdicts of the four views as a table, each of which opens to the run that decided it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from csbook.chapters.markup import Markup, element
from csbook.theory.properties import Finding
from csbook.theory.properties.asymmetry import READINGS

__all__ = ["run_table"]

LEFT = "text-align: left; vertical-align: top"
GROUNDS = {"yes": "#4dc9a5", "weak": "#8fd4be", "depends": "#f0e442", "no": "#e8e8e8"}


def run_table(findings: Mapping[str, Iterable[Finding]]) -> Markup:
    """A row for each method, a column for each view; a verdict opens to what the run has shown.

    It takes no program: in Jupyter, in the built book and on paper the verdicts stand there, and a reader
    who has a pointer or a keyboard opens what lies behind them.

    Parameters
    ----------
    findings : mapping of str to iterable of Finding
        From :func:`csbook.theory.properties.decide_all`.

    Returns
    -------
    Markup
        A table.

    Examples
    --------
    >>> found = Finding("calibrated", "no", "it defines no probability")
    >>> "<summary>no</summary><p" in run_table({"CSB2": [found]})
    True
    """
    read = {name: {each.property: each for each in found} for name, found in findings.items()}
    head = (element("th", {"scope": "col", "style": LEFT}, view) for view, _ in VIEWS.values())
    rows = [element("tr", None, element("td"), *head)]
    for name, of in read.items():
        method = element("th", {"scope": "row", "style": LEFT}, name)
        rows.append(element("tr", None, method, *(_cell(of.get(property)) for property in VIEWS)))
    return element("table", {"style": "width: 100%"}, *rows)


def _cell(finding: Finding | None) -> Markup:
    if finding is None:
        return element("td")
    _, lines = VIEWS[finding.property]
    shown = [f"{finding.reason[0].upper()}{finding.reason[1:]}.", *lines(finding.evidence)]
    paragraphs = (element("p", {"style": "margin: 0.3em 0; font-size: 0.85em"}, line) for line in shown)
    style = f"background: {GROUNDS.get(finding.verdict, '#ffffff')}; color: #111; {LEFT}"
    opened = element("details", None, element("summary", None, finding.verdict), *paragraphs)
    return element("td", {"style": style}, opened)


def _number(value: float) -> str:
    return "0" if abs(value) < 1e-9 else f"{value:.2g}"


def _descent(of: Mapping[str, Any]) -> Iterator[str]:
    off = max(of["affine_residual"], of["affine_residual_runs"])
    if _number(off) != "0":
        yield f"Log weights lie up to {_number(off)} off a straight line in the margin."
        return
    yield "Log weights lie on straight lines in the margin."
    yield f"Edge that the newest stump has left: {_number(min(of['edge_after'], of['edge_before']))}."
    yield f"Over the rounds the lines move by {_number(of['drift_of_loss'])}."


def _decision(of: Mapping[str, Any]) -> Iterator[str | Markup]:
    of_all = f"{of['failing']} of {of['models']} runs fail, worst" if of["failing"] else "One of the runs,"
    yield f"{of_all} at a cost ratio of {of['ratio']:g}:"
    for name, calls in (("Bayes", of["bayes_calls"]), ("the run", of["calls"])):
        yield Markup(element("code", {"style": "white-space: nowrap"}, calls) + f" {name}")


def _margins(of: Mapping[str, Any]) -> Iterator[str]:
    for reading, words in READINGS.items():
        if f"log_ratio_{reading}" in of:
            ratio, found = np.exp(of[f"log_ratio_{reading}"]), of[f"found_{reading}"]
            yield f"Smallest ratio of {words}: {ratio:.2g} ({found})."


def _probabilities(of: Mapping[str, Any]) -> Iterator[str]:
    if of:
        loss, low, high = (of[f"worst_{end}"] for end in ("loss", "low", "high"))
        yield f"Largest calibration loss: {loss:.4f} [{low:.4f}, {high:.4f}]. Allowed is {of['bound']:g}."


VIEWS = {
    "FGD-consistent": ("descent", _descent),
    "cost-consistent": ("decision", _decision),
    "asymmetry-preserving": ("margins", _margins),
    "calibrated": ("probabilities", _probabilities),
}
"""What the table calls each property, and what it shows of a run."""
