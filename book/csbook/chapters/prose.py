"""Values in the prose of a chapter, between comments that no reader sees, equal to what its cells say.

A sentence reads ``costs <!--euro-->9.3<!--/--> euro`` in the source and "costs 9.3 euro" wherever Markdown is
shown. No line begins with such a comment: Markdown would take the whole line for HTML.
"""

from __future__ import annotations

import re

from nbformat import NotebookNode

from csbook.chapters.chapter import SAID

__all__ = ["MARKED", "differences", "renew"]

MARKED = re.compile(r"<!--([\w-]+)-->(.*?)<!--/-->", re.DOTALL)
"""A value in the prose: its name, and what stands there."""
CLAIMS = "claims-"
"""Begins the names of numbers that no single chapter knows; the build compares them."""
AT_START = re.compile(r"(?m)^[ \t>]*(?:(?:[-*]|\d+\.)[ \t]+)?<!--")


def _said(notebook: NotebookNode) -> dict[str, str]:
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", []))
    return {name: value for each in outputs for name, value in each.get("metadata", {}).get(SAID, {}).items()}


def differences(notebook: NotebookNode) -> list[str]:
    """Where the prose of an executed chapter is not what its cells say.

    Parameters
    ----------
    notebook : NotebookNode
        With its outputs.

    Returns
    -------
    list of str
        One line each; empty if there is none.
    """
    said, found = _said(notebook), []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "markdown":
            continue
        if AT_START.search(cell.source):
            found.append(f"cell {number}: a line begins with a comment")
        for name, stands in MARKED.findall(cell.source):
            if not name.startswith(CLAIMS) and stands != said.get(name):
                is_said = f"the cells say {said[name]!r}" if name in said else "no cell says it"
                found.append(f"cell {number}: {name} is {stands!r} in the prose; {is_said}")
    return found


def renew(notebook: NotebookNode) -> None:
    """Write what the cells of an executed chapter say into its prose.

    Parameters
    ----------
    notebook : NotebookNode
        With its outputs; changed in place. A name that no cell says is left as it stands.
    """
    said = _said(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = MARKED.sub(
                lambda found: f"<!--{found[1]}-->{said.get(found[1], found[2])}<!--/-->", cell.source
            )
