"""Every erratum that is cited stands on the errata page, with what is printed, what is right, and why."""

import json
import re
from pathlib import Path

import pytest

from csb import METHODS
from csbook.chapters.cards import card

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "book" / "reference" / "errata.md"
TEXT = PAGE.read_text("utf-8")
ENTRY = re.compile(r"^\((e-[a-z]\d\d)\)=\n(E-[A-Z]\d\d), (.+)\n((?:(?::|  ).*\n)+)", re.MULTILINE)
ENTRIES = {code: (anchor, fields) for anchor, code, _, fields in ENTRY.findall(TEXT)}
REFERENCE = re.compile(r"\{ref\}`(?:[^`<]*<)?([\w-]+)>?`")
LABEL = re.compile(r"(?m)^(?:\(([\w-]+)\)=|:(?:name|label): ([\w-]+)|    \"(fig-[\w-]+)\",)$")
COUNTS = {"N": 23, "C": 11, "A": 14, "K": 11, "L": 15}


def sources():
    """Code and chapters, by path; of notebooks the text and code of the cells."""
    for folder, suffixes in (("csb", (".py",)), ("tests", (".py",)), ("book", (".py", ".md", ".ipynb"))):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix not in suffixes or ".ipynb_checkpoints" in path.parts:
                continue
            text = path.read_text("utf-8")
            if path.suffix == ".ipynb":
                text = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
            yield path.relative_to(ROOT).as_posix(), text


def test_the_numbers_of_each_paper_are_without_gaps():
    numbered = [f"E-{paper}{n:02}" for paper, count in COUNTS.items() for n in range(1, count + 1)]
    assert sorted(ENTRIES) == sorted(numbered)
    assert len(re.findall(r"^\(e-", TEXT, re.MULTILINE)) == len(ENTRIES), "an entry is not in the usual form"


def test_every_erratum_that_is_cited_has_an_entry():
    cited = {code: name for name, text in sources() for code in re.findall(r"\bE-[NCAKL]\d\d\b", text)}
    assert len(cited) > 50
    assert not {code: name for code, name in cited.items() if code not in ENTRIES}


@pytest.mark.parametrize("code", ENTRIES)
def test_entry_says_what_is_printed_what_is_right_and_why(code):
    anchor, fields = ENTRIES[code]
    assert anchor == code.lower()
    said = re.findall(r"^: \*(.+?):\* (.+(?:\n  .*)*)", fields, re.MULTILINE)
    assert [name for name, _ in said] in (["Printed", "Correct", "Proof"], ["Printed", "Read as", "Proof"])
    assert fields.count("\n: ") == 2
    assert len(said[2][1].split()) >= 5, "a proof, or where to find one"


def test_links_lead_to_labels_of_the_book():
    labels = {label for _, text in sources() for label in re.findall(LABEL, text) for label in label}
    linked = set(REFERENCE.findall(TEXT))
    assert len(linked) > 30
    assert linked <= labels, linked - labels


def test_tests_that_are_named_exist():
    named = re.findall(r"`(tests/[\w/]+\.py)::(test_\w+)`", TEXT)
    assert len(named) > 10
    missing = [(file, name) for file, name in named if f"def {name}(" not in (ROOT / file).read_text("utf-8")]
    assert not missing


def test_errata_of_the_method_cards_are_links():
    cards = "".join(map(card, METHODS.values()))
    linked = re.findall(r"\[(E-[NCAKL]\d\d)\]\(errata\.md#(e-[ncakl]\d\d)\)", cards)
    assert len(linked) == len(re.findall(r"E-[NCAKL]\d\d", cards)) > 20
    assert all(anchor == code.lower() for code, anchor in linked)


def test_what_a_conversion_may_have_lost_is_marked_and_explained():
    marked = re.findall(r"(?m)^(E-[NCAKL]\d\d), .* †$", TEXT)
    of_paper = {letter: [code[-2:] for code in sorted(marked) if code[2] == letter] for letter in "NCAKL"}
    assert of_paper == {
        "N": [], "C": ["01"], "A": ["01", "02", "03", "04", "05", "07", "14"], "K": ["05", "09"], "L": []
    }  # fmt: skip
    assert "dagger, †" in TEXT.split("(errata-n16)=")[0]
