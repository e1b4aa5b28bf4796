"""Which cells of a chapter show what was recorded, and which compute it while the book is built."""

from __future__ import annotations

import ast
from collections.abc import Iterable

__all__ = ["read_records"]

READER = "recorded"
"""The function that reads the tables of a study."""


def read_records(cells: Iterable[str]) -> list[bool]:
    """Whether recorded tables reach each cell, directly or by way of the cells above it.

    A name is followed from where it is assigned to where it is read; what a statement assigns depends on all
    that the statement reads.

    Parameters
    ----------
    cells : iterable of str
        Python of the chapter's cells, in their order.

    Returns
    -------
    list of bool
        One for each cell; False where it computes all that it shows.

    Raises
    ------
    SyntaxError
        If a cell is no Python.

    Examples
    --------
    >>> read_records(["kept = recorded('c08')", "x = 3", "t = kept.tables", "print(x)", "print(t)"])
    [True, False, True, False, True]
    """
    reaching: set[str] = {READER}
    return [any([_follow(statement, reaching) for statement in ast.parse(cell).body]) for cell in cells]


def _follow(statement: ast.stmt, reaching: set[str]) -> bool:
    """Whether a statement reads any of the names; what it assigns is one of them from then on, or no more."""
    parts = list(ast.walk(statement))
    names = [part for part in parts if isinstance(part, ast.Name)]
    reads = any(isinstance(part.ctx, ast.Load) and part.id in reaching for part in names)
    assigned = {part.id for part in names if isinstance(part.ctx, ast.Store)}
    assigned |= {part.name for part in parts if isinstance(part, ast.FunctionDef)}
    if reads:  # an attribute or an item of a name, too
        changed = [part for part in parts if isinstance(getattr(part, "ctx", None), ast.Store)]
        assigned |= {each.id for part in changed for each in ast.walk(part) if isinstance(each, ast.Name)}
        reaching |= assigned
    else:
        reaching -= assigned
    return reads
