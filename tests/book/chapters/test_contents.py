"""The page that says where everything is: nothing that a paper numbers is missing; every place exists."""

import importlib
import inspect
import json
import re
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
import yaml

from csb import METHODS
from csbook.chapters.cards import anchor, card, has_card
from csbook.chapters.contents import contents, contents_table
from csbook.records import DATA

ROOT = Path(__file__).parents[3]
LIST = pd.read_csv(DATA / "contents.csv", dtype=str, keep_default_na=False)
HOW = ("implemented", "proved", "shown", "run", "stated")

NUMBERED = {
    "N16": {"theorem": "1 2", "table": "1 2 3 4", "figure": "1 2 3 4 5 6 7"},
    "C08": {"table": "1 2 3"},
    "C13": {"algorithm": "1 2", "table": "1 2 3 4 5", "figure": "1 2 3"},
    "K98": {"definition": "2.1 2.2 2.3 3.1", "theorem": "2.4 3.2 4.1", "figure": "1 2", "table": "1"},
    "L08": {"proposition": "3.1", "theorem": "4.1 4.2", "figure": "1 2", "table": "1 2"},
}
"""The papers' own numbers."""
SECTIONS = {"N16": (1, 6), "C08": (1, 5), "C13": (1, 4), "K98": (1, 6), "L08": (1, 6)}
UNNUMBERED = {
    "N16": {"definition": 4, "table": 3},
    "C13": {"definition": 1, "lemma": 1},
    "C08": {"proposition": 3},
}
"""Displayed without a number, or stated in the text: C08's two statements on convexity, and its identity."""


def sources():
    """The book's texts; of notebooks those of the cells."""
    for path in sorted((ROOT / "book").rglob("*")):
        if path.suffix == ".ipynb" and ".ipynb_checkpoints" not in path.parts:
            cells = json.loads(path.read_text("utf-8"))["cells"]
            yield "\n".join("".join(cell["source"]) for cell in cells)
        elif path.suffix == ".md":
            yield path.read_text("utf-8")


CARDED = [method for method in METHODS.values() if has_card(method)]
TEXT = "\n".join([*sources(), *map(card, CARDED)])
LABELS = set(re.findall(r"^\(([\w-]+)\)=$", TEXT, re.M)) | set(
    re.findall(r"figure\(\n    \"([\w-]+)\",$", TEXT, re.M)
)
PROOFS = dict(re.findall(r"^`{3,}\{prf:\w+\}[^\n]*\n:label: ([\w-]+)\n(.*?)(?=^#|\Z)", TEXT, re.M | re.S))


def test_no_row_is_empty_or_there_twice():
    assert list(LIST.columns) == ["paper", "kind", "number", "what", "how", "where"]
    assert all(value.strip() == value != "" for value in LIST.to_numpy().ravel())
    assert not LIST.duplicated(["paper", "kind", "number", "what"]).any()


@pytest.mark.parametrize("paper", NUMBERED)
def test_all_that_the_paper_numbers_is_there(paper):
    rows = contents(paper)
    in_text = rows["number"].str.match("Section |Introduction")
    found = rows[~in_text].groupby("kind")["number"].apply(" ".join).to_dict()
    assert found == NUMBERED[paper]
    others = Counter(rows[in_text]["kind"])
    assert others.pop("algorithm", 0) > 0
    assert others == UNNUMBERED.get(paper, {})
    first, last = SECTIONS[paper]
    sections = rows["number"].str.extract(r"^Section (\d)")[0].dropna().astype(int)
    assert sections.between(first, last).all()


def test_every_method_of_the_package_that_a_paper_names_is_there():
    """By the equations of its row; one card stands for any variant."""
    places = " ".join(LIST["where"]).split()
    named = [method.key for method in CARDED if re.search("|".join(NUMBERED), method.equations)]
    assert len(named) > 30
    assert {key for key in named if f"method-{anchor(key)}" not in places} <= {"any_variant"}


@pytest.mark.parametrize("place", sorted(set(" ".join(LIST["where"]).split())))
def test_place_exists(place):
    if place.startswith("prf:"):
        assert place.removeprefix("prf:") in PROOFS
    elif ":" in place:
        module, name = place.split(":")
        found = getattr(importlib.import_module(module), name)
        assert (
            inspect.isclass(found) or inspect.isroutine(found) or name.isupper() and isinstance(found, dict)
        )
        pages = [ROOT / "book" / "api.md", *(ROOT / "book" / "api").glob("*.md")]
        documented = "\n".join(page.read_text("utf-8") for page in pages)
        assert re.search(rf"^\.\. automodule:: {re.escape(module)}$", documented, re.M)
    else:
        assert place in LABELS


@pytest.mark.parametrize(
    "row", list(LIST.itertuples()), ids=lambda row: f"{row.paper}-{row.kind}-{row.number}"
)
def test_how_it_is_treated_is_borne_out_by_the_place(row):
    word = re.match(r"\w+", row.how)[0]
    places = row.where.split()
    assert word in HOW
    if row.kind in ("theorem", "lemma", "proposition") and word == "proved":
        labels = [place.removeprefix("prf:") for place in places if place.startswith("prf:")]
        assert labels or "e-l05" in places
        assert all(re.search(r"\{dropdown\} Proof|\{prf:proof\}", PROOFS[label]) for label in labels)
    if word == "implemented" and row.kind in ("algorithm", "figure"):
        assert any(place.startswith("method-") or ":" in place for place in places)
    if word == "run":
        assert any(place.startswith(("fig-", "ch-")) for place in places)
    if word == "stated":
        assert ":" in row.how, "the reason is missing"


def test_the_page_shows_every_paper_and_stands_in_the_book():
    page = (ROOT / "book" / "reference" / "papers.md").read_text("utf-8")
    assert re.findall(r"^```\{paper-contents\} (\w+)$", page, re.M) == list(NUMBERED)
    assert set(HOW) == set(re.findall(r"^\| (\w+) \| (?!means)", page, re.M))
    parts = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
    assert "book/reference/papers" in [chapter["file"] for part in parts for chapter in part["chapters"]]


def test_a_row_of_the_table_has_all_of_it_with_links():
    lines = contents_table("K98").splitlines()
    assert len(lines) == len(contents("K98")) + 5
    (row,) = [line for line in lines if line.startswith("| Theorem 3.2 |")]
    assert "{prf:ref}`proof <fat-theorem-loss>`" in row
    assert "{py:obj}`~csbook.theory.bounds.unequal_loss_bound`" in row
    assert "{ref}`E-K09 <e-k09>`" in row
    with pytest.raises(ValueError, match="paper='K99'"):
        contents("K99")
