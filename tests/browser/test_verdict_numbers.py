"""Numbers that carry verdicts in the built book, recomputed by code that shares nothing with the package."""

from __future__ import annotations

import json

import pytest
from built_book import BOOK, require_book

from oracles import recomputed_others, recomputed_survey

NUMBERS = recomputed_survey.NUMBERS | recomputed_others.NUMBERS


@pytest.fixture(scope="module")
def verdicts():
    """Folder of the verdicts that the chapters of the built book recorded."""
    require_book()
    folders = BOOK.parent.glob(".jupyter_cache/*/verdicts")
    return max(folders, key=lambda folder: folder.stat().st_mtime)


@pytest.mark.parametrize(("claim", "part", "reading"), NUMBERS)
def test_the_number_of_a_verdict(verdicts, claim, part, reading):
    kept = json.loads((verdicts / f"{claim}.json").read_text("utf-8"))["cells"]
    (cell,) = (cell for cell in kept if (cell["part"], cell["reading"]) == (part, reading))
    pairs = zip(NUMBERS[claim, part, reading](), (cell["value"], cell["low"], cell["high"]), strict=True)
    for ours, shown in pairs:
        assert ours is None or shown == pytest.approx(ours, rel=1e-6, abs=1e-9)
