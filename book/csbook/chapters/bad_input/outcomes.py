"""All inputs, put to all classifiers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import product

import pandas as pd

from csbook.chapters.bad_input.cases import CASES, Case
from csbook.chapters.bad_input.deciding import VERDICTS, Outcome, decide
from csbook.chapters.bad_input.library import Library, libraries

__all__ = ["NOT_GIVEN", "counts", "decide_all", "named"]

NOT_GIVEN = Outcome("none", "has no such parameter")
"""What comes of an input that a classifier cannot be given."""


def decide_all(
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
    >>> found = decide_all(libraries()[:1], {"Features": CASES["Features"][1:2]})
    >>> found["verdict"].item(), found["reason"].item()
    ('refused', 'ValueError: X: column 1 holds infinity: allowed are finite numbers')
    """
    compared = libraries() if compared is None else list(compared)
    rows = []
    for group, of_group in cases.items():
        for case, library in product(of_group, compared):
            trial = case.trial(library)
            found = NOT_GIVEN if trial is None else decide(trial, case.says)
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
        From :func:`decide_all`.
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
    >>> found = decide_all(libraries()[:2], {"Features": CASES["Features"][1:2]})
    >>> named(found, "refused", "infinite")
    'csb CGAda and csb CalibratedAdaMEC'
    >>> named(found, "wrong", "infinite")
    'none'
    """
    chosen = outcomes[outcomes["key"].isin(keys) & (outcomes["verdict"] == verdict)]
    *first, last = chosen["library"].unique() if len(chosen) else ["none"]
    return f"{', '.join(first)} and {last}" if first else last
