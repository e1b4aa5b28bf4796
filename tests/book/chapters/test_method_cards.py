"""The page with one card a method shows them all, and a card is what the row of the registry says."""

import copy
import re
from pathlib import Path

import nbformat
import pytest

import csb
from csb import METHODS, VARIANTS
from csbook.chapters.cards import TEXTS, anchor, card, families, renew_cards
from csbook.chapters.prose import MARKED
from csbook.style import PLOT_STYLES

ROOT = Path(__file__).parents[3]
PAGE = nbformat.read(ROOT / "book" / "reference" / "methods.ipynb", as_version=4)
CARDED = [key for key in METHODS if key in TEXTS]
"""A row that has just been added may be without a card, and without a look."""
ESTIMATORS = [name for name in csb.__all__ if hasattr(getattr(csb, name), "_method")]


def test_page_shows_every_family_once_and_no_other():
    text = "\n".join(cell.source for cell in PAGE.cells if cell.cell_type == "markdown")
    shown = re.findall(r"(?m)^## (.*)\n(?:(?!##|\(method).*\n)*\(method-", text)
    assert shown == families()


def test_page_shows_the_cards_as_they_are():
    """A run of the notebooks writes them anew."""
    renewed = copy.deepcopy(PAGE)
    renew_cards(renewed)
    stands, should = (
        [MARKED.sub("", cell.source) for cell in page.cells if cell.source.startswith("(method-")]
        for page in (PAGE, renewed)
    )
    assert stands == should
    assert "".join(map(card, map(METHODS.get, CARDED))).count("\n### ") == "".join(stands).count("### ")


def test_every_public_estimator_has_one_card_and_every_card_a_public_estimator():
    linked = re.findall(r"\*\*In `csb`\*\*: `csb\.(\w+)`", "".join(map(card, METHODS.values())))
    assert sorted(linked) == sorted(ESTIMATORS)


def test_every_card_and_every_look_is_that_of_a_method():
    assert TEXTS.keys() <= METHODS.keys() and PLOT_STYLES.keys() <= METHODS.keys()


@pytest.mark.parametrize("key", CARDED)
def test_card_is_complete(key):
    text = card(METHODS[key])
    assert text.startswith(f"(method-{anchor(key)})=\n### ")
    assert re.search(r"\*\*(Vote|Rule)\*\*:", text)
    for field in (
        r"\*\*Decision\*\*:",
        r"\*\*Loss\*\*:",
        r"(?s)\*\*Source\*\*: .*\]\(\.\./bibliography\.md#\w+\)",
    ):
        assert re.search(field, text), field
    (fails,) = re.findall(r"(?s)\*\*Fails\*\* (.*?)\n- ", text)
    assert re.search(r"\]\(\.\./\w+/\w+\.ipynb", fails), "the failure must be one that a chapter shows"


@pytest.mark.parametrize("key", CARDED)
def test_card_states_the_loss_of_the_row(key):
    loss = METHODS[key].loss
    (stated,) = re.findall(r"(?m)\*\*Loss\*\*:\s+(.*)$", card(METHODS[key]))
    words = "none" if loss == "-" else loss
    assert stated.startswith((f"${loss}$", words)) or words.split()[0] in stated


@pytest.mark.parametrize("key", [key for key in VARIANTS if key in CARDED])
def test_card_of_a_variant_names_paper_and_every_value_of_an_option_that_is_not_the_default(key):
    text, method = card(VARIANTS[key]), VARIANTS[key]
    family, year = re.match(r"(\w+).* (\d{4})$", method.paper).groups()
    assert f"bibliography.md#{family.lower()}{year})" in text
    values = [value for allowed in method.options.values() for value in allowed[1:]]
    assert not [value for value in values if f'"{value}"' not in text]
    assert f"<!--card-{anchor(key)}-->" in text


def test_names_and_looks_are_unique():
    names = [method.name for method in METHODS.values()]
    assert len(set(names)) == len(names)
    votes = [PLOT_STYLES[key] for key in VARIANTS if key in PLOT_STYLES]
    assert len(set(votes)) == len(votes)


def test_on_the_page_every_card_has_its_own_anchor():
    text = "\n".join(cell.source for cell in PAGE.cells if cell.cell_type == "markdown")
    found = dict(re.findall(r"(?m)^\(method-([\w-]+)\)=\n### (.*)$", text))
    for method in map(METHODS.get, CARDED):
        assert found[anchor(method.key)].replace("\\", "").casefold() == method.name.casefold()
