"""The page with one card a method has all of them, and says of a variant what the registry says."""

import re
from pathlib import Path

import nbformat
import pytest

import csb
from csb import VARIANTS

ROOT = Path(__file__).parents[1]
PAGE = nbformat.read(ROOT / "book" / "reference" / "methods.ipynb", as_version=4)
CARDS = {
    found[1]: cell.source
    for cell in PAGE.cells
    if cell.cell_type == "markdown" and (found := re.match(r"\(method-([\w-]+)\)=\n### ", cell.source))
}
ESTIMATORS = [name for name in csb.__all__ if isinstance(getattr(csb, name), type)]


def anchor(key):
    return key.replace("_", "-")


@pytest.mark.parametrize("name", ESTIMATORS)
def test_every_public_estimator_has_one_card(name):
    assert sum(f"{{py:class}}`csb.{name}`" in card for card in CARDS.values()) == 1


def test_cards_link_to_nothing_but_public_estimators():
    linked = re.findall(r"\{py:class\}`csb\.(\w+)`", "".join(CARDS.values()))
    assert sorted(linked) == sorted(ESTIMATORS)


@pytest.mark.parametrize("key", VARIANTS)
def test_card_of_a_variant_states_its_loss_and_paper(key):
    card, variant = CARDS[anchor(key)], VARIANTS[key]
    (loss,) = re.findall(r"\*\*Loss\*\*: (.*)", card)
    assert loss.startswith("none" if variant.loss == "-" else f"${variant.loss}$")
    family, year = re.match(r"(\w+).* (\d{4})$", variant.paper).groups()
    assert f"`{family.lower()}{year}`" in card
    assert f"\n### {variant.name}\n" in card


@pytest.mark.parametrize("key", VARIANTS)
def test_card_of_a_variant_names_every_value_of_an_option_that_is_not_the_default(key):
    values = [value for allowed in VARIANTS[key].options.values() for value in allowed[1:]]
    missing = [value for value in values if f'"{value}"' not in CARDS[anchor(key)]]
    assert not missing


@pytest.mark.parametrize("key", VARIANTS)
def test_properties_of_a_variant_are_computed_not_typed(key):
    (properties,) = re.findall(r"\*\*Properties\*\*: (.*)", CARDS[anchor(key)])
    assert properties == f"{{glue:text}}`card-{anchor(key)}`"


@pytest.mark.parametrize("card", CARDS)
def test_card_is_complete(card):
    text = CARDS[card]
    assert re.search(r"\*\*(Vote|Rule)\*\*: ", text)
    for field in (r"\*\*Decision\*\*: ", r"\*\*Loss\*\*: ", r"\*\*Source\*\*: .*\{cite:t\}`\w+`"):
        assert re.search(field, text), field
    (fails,) = re.findall(r"\*\*Fails\*\* (.*)", text)
    assert re.search(r"\{ref\}`ch-\w+", fails), "the failure must be one that a chapter shows"
