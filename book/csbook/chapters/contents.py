"""All that the papers name and number, and where it is, as data and as tables of the book."""

from __future__ import annotations

import pandas as pd

from csb.inputs import one_of
from csbook.chapters.markup import markdown
from csbook.records import DATA

__all__ = ["contents", "contents_table"]


def contents(paper: str) -> pd.DataFrame:
    """What a paper names and numbers, in the order of the list.

    Parameters
    ----------
    paper : {"N16", "C08", "C13", "K98", "L08"}
        The paper.

    Returns
    -------
    DataFrame
        Columns ``kind``, ``number``, or the section where there is none, ``what`` it is, ``how`` it is
        treated, and ``where``: labels of the book, those of its theorems after ``prf:``, and objects of the
        package as ``module:object``, with blanks between them.

    Raises
    ------
    ValueError
        If there is no such paper.

    Examples
    --------
    >>> contents("K98").query("kind == 'theorem'")["number"].tolist()
    ['2.4', '3.2', '4.1']
    """
    table = pd.read_csv(DATA / "contents.csv", dtype=str, keep_default_na=False)
    one_of("paper", paper, table["paper"].unique())
    return table[table["paper"] == paper].drop(columns="paper").reset_index(drop=True)


def contents_table(paper: str) -> str:
    """The list of a paper as a table in Markdown.

    Parameters
    ----------
    paper : {"N16", "C08", "C13", "K98", "L08"}
        The paper.

    Returns
    -------
    str
        With references as MyST writes them.

    Raises
    ------
    ValueError
        If there is no such paper.

    Examples
    --------
    >>> print(contents_table("L08").splitlines()[4])
    | Proposition 3.1 | the pseudo-loss of adjusted weights is the cost \
| proved on the page of errata, and checked for up to ten classes \
| {ref}`ch-pnorm-evidence`, {ref}`E-L05 <e-l05>`, {py:obj}`~csb.methods.pnorm.adjusted` |
    """
    lines = [
        ":::{table}",
        ":class: csb-contents",
        "| in the paper | what | how | where |",
        "|---|---|---|---|",
    ]
    for row in contents(paper).itertuples(index=False):
        place = ", ".join(map(_link, row.where.split()))
        name = markdown(f"{row.kind.capitalize()} {row.number}")
        if row.number.startswith(("Section", "Introduction")):
            name = markdown(f"{row.number}, {row.kind}")
        lines.append(f"| {name} | {markdown(row.what)} | {markdown(row.how)} | {place} |")
    return "\n".join([*lines, ":::"])


def _link(place: str) -> str:
    if place.startswith("prf:"):
        return f"{{prf:ref}}`proof <{place.removeprefix('prf:')}>`"
    if ":" in place:
        return f"{{py:obj}}`~{place.replace(':', '.')}`"
    titles = {"fig-": "figure", "e-": place.upper()}  # a figure has no title, and an entry no heading
    title = next((title for start, title in titles.items() if place.startswith(start)), None)
    return f"{{ref}}`{place}`" if title is None else f"{{ref}}`{title} <{place}>`"
