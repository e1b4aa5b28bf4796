"""What every lesson of the book has, what every page has, and the words that none has."""

import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
import yaml

ROOT = Path(__file__).parents[3]
HIDDEN = {"remove-cell", "remove-input"}
"""Tags of cells whose code a reader cannot see; input that is one click away counts as seen."""


def entries(parts):
    """Pages of the table of contents, with the page of evidence that a lesson has below it."""
    for part in parts:
        for page in part["chapters"]:
            yield page["file"], [below["file"] for below in page.get("sections", [])]


PAGES = dict(entries(yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]))
EVERY = [*PAGES, *(below for pages in PAGES.values() for below in pages)]
EVIDENCE = {page: f"{page}_evidence" for page, below in PAGES.items() if below == [f"{page}_evidence"]}
EVIDENCE["book/designs/thresholds_and_promises"] = "book/designs/theory_today_evidence"  # theirs in common
LESSONS = list(EVIDENCE)


def cells(page):
    return nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells


def prose(page):
    """The text of a page without code, formulas and addresses."""
    path = ROOT / f"{page}.md"
    if path.exists():
        text = path.read_text("utf-8")
    else:
        text = "\n\n".join(cell.source for cell in cells(page) if cell.cell_type == "markdown")
    for other in (
        r"<!--.*?-->",
        r"\]\([^)]*\)",
        r"```\{code.*?```",
        r"\$\$.*?\$\$",
        r"\$[^$]*\$",
        r"\{[a-z:]+\}`[^`]*`",
        r"`[^`]*`",
    ):
        text = re.sub(other, " ", text, flags=re.DOTALL)
    return text


def block(text, name):
    """The one admonition of a class, without its fences."""
    (found,) = re.findall(
        rf"^(:{{3,}})\{{admonition\}}[^\n]*\n:class: {name}\n(.*?)^\1$", text, flags=re.DOTALL | re.MULTILINE
    )
    return found[1]


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_has_all_its_parts(page):
    evidence = EVIDENCE[page]
    text = "\n\n".join(cell.source for cell in cells(page) if cell.cell_type == "markdown")
    assert len(re.findall(r"^- ", block(text, "takeaway"), flags=re.MULTILINE)) == 3
    questions = block(text, "quiz")
    asked = len(re.findall(r"^\d\. ", questions, flags=re.MULTILINE))
    assert 2 <= asked == questions.count("{dropdown} Answer") <= 4
    assert "## Exercises" in text and "{dropdown} Solution" in text
    assert f"]({Path(evidence).name}.ipynb)" in text, "leads to its evidence"
    assert any("\nfigure(\n" in f"\n{cell.source}" for cell in cells(page) if cell.cell_type == "code")


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_takes_a_quarter_of_an_hour(page):
    lesson = prose(page).split("## Exercises")[0]
    assert len(lesson.split()) <= 1900


@pytest.mark.parametrize("page", LESSONS)
def test_a_lesson_judges_nothing_and_its_evidence_does_not_teach(page):
    of_lesson, of_evidence = (
        "\n".join(cell.source for cell in cells(which) if cell.cell_type == "code")
        for which in (page, EVIDENCE[page])
    )
    assert "claims." not in of_lesson
    assert ":class: quiz" not in of_evidence


@pytest.mark.parametrize("page", [page for page in EVERY if (ROOT / f"{page}.ipynb").exists()])
def test_the_visible_cells_of_a_page_know_all_their_names(page, tmp_path):
    code = [cell for cell in cells(page) if cell.cell_type == "code"]
    seen = [cell.source for cell in code if not HIDDEN & set(cell.metadata.get("tags", []))]
    (tmp_path / "seen.py").write_text("\n\n".join(seen), encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821,F823", "seen.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


WORDS = {
    "dear": "costly",
    "dearer": "more costly",
    "surely": "significantly, or the interval",
    "as it comes": "by default",
    "jams": "stops",
    "minding": "taking into account",
    "feign": "distort",
    "a reading of ours": "our choice",
}
"""Private words that readers stumbled over, and what to say."""
DEFINED = {"book/reference/glossary": {"as it comes"}}
"""What a page may say because it says what it means."""


@pytest.mark.parametrize("page", EVERY)
def test_a_page_has_no_private_words(page):
    text = prose(page).lower()
    allowed = DEFINED.get(page, set())
    used = {word for word in WORDS if re.search(rf"\b{word}\b", text)} - allowed
    assert not used, {word: WORDS[word] for word in used}
