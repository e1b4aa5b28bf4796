"""The page with one card a method shows them all, and a card is what the row of the registry says."""

import re
from pathlib import Path

import nbformat
import pytest

import csb
from csb import METHODS, VARIANTS
from csbook.chapters.cards import anchor, card, families, family
from csbook.style import PLOT_STYLES

ROOT = Path(__file__).parents[3]
PAGE = nbformat.read(ROOT / "book" / "reference" / "methods.ipynb", as_version=4)
ESTIMATORS = [name for name in csb.__all__ if hasattr(getattr(csb, name), "_method")]


def test_page_shows_every_family_once_and_no_other():
    text = "\n".join(cell.source for cell in PAGE.cells if cell.cell_type == "markdown")
    shown = re.findall(r"(?m)^```\{method-cards\} (.*)$", text)
    assert shown == families()
    assert shown == [title for title in re.findall(r"(?m)^## (.*)$", text) if title in shown]


def test_every_public_estimator_has_one_card_and_every_card_a_public_estimator():
    linked = re.findall(r"\{py:class\}`csb\.(\w+)`", "".join(map(card, METHODS.values())))
    assert sorted(linked) == sorted(ESTIMATORS)


@pytest.mark.parametrize("key", METHODS)
def test_card_is_complete(key):
    text = card(METHODS[key])
    assert text.startswith(f"(method-{anchor(key)})=\n### ")
    assert re.search(r"\*\*(Vote|Rule)\*\*:", text)
    for field in (r"\*\*Decision\*\*:", r"\*\*Loss\*\*:", r"(?s)\*\*Source\*\*: .*\{cite:t\}`\w+`"):
        assert re.search(field, text), field
    (fails,) = re.findall(r"(?s)\*\*Fails\*\* (.*?)\n- ", text)
    assert re.search(r"\{ref\}`ch-\w+", fails), "the failure must be one that a chapter shows"


@pytest.mark.parametrize("key", METHODS)
def test_card_states_the_loss_of_the_row(key):
    loss = METHODS[key].loss
    (stated,) = re.findall(r"(?m)\*\*Loss\*\*:\s+(.*)$", card(METHODS[key]))
    words = "none" if loss == "-" else loss
    assert stated.startswith((f"${loss}$", words)) or words.split()[0] in stated


@pytest.mark.parametrize("key", VARIANTS)
def test_card_of_a_variant_names_paper_and_every_value_of_an_option_that_is_not_the_default(key):
    text, method = card(VARIANTS[key]), VARIANTS[key]
    family, year = re.match(r"(\w+).* (\d{4})$", method.paper).groups()
    assert f"`{family.lower()}{year}`" in text
    values = [value for allowed in method.options.values() for value in allowed[1:]]
    assert not [value for value in values if f'"{value}"' not in text]
    assert f"{{glue:text}}`card-{anchor(key)}`" in text


def test_names_and_looks_are_unique():
    names = [method.name for method in METHODS.values()]
    assert len(set(names)) == len(names)
    assert PLOT_STYLES.keys() == METHODS.keys()
    votes = [PLOT_STYLES[key] for key in VARIANTS]
    assert len(set(votes)) == len(votes)


def test_on_the_page_every_card_has_its_own_anchor(tmp_path):
    pytest.importorskip("myst_parser")
    from docutils import nodes
    from sphinx.testing.util import SphinxTestApp

    headings = "".join(f"## {family}\n\n```{{method-cards}} {family}\n```\n\n" for family in families())
    (tmp_path / "index.md").write_text(f"# Cards\n\n{headings}", encoding="utf-8")
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'book' / '_ext')!r})\n"
        "extensions = ['myst_parser', 'cards']\n"
        "myst_enable_extensions = ['colon_fence', 'dollarmath']\nsuppress_warnings = ['*']\n",
        encoding="utf-8",
    )
    app = SphinxTestApp("pseudoxml", srcdir=tmp_path)
    app.build()
    page = app.env.get_doctree("index")
    app.cleanup()
    found = {target: section for section in page.findall(nodes.section) for target in section["ids"]}
    for key, method in METHODS.items():
        section = found[f"method-{anchor(key)}"]
        assert section[0].astext().casefold() == method.name.casefold()
        assert section.parent[0].astext() == family(method)
