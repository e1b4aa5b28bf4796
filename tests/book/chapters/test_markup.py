"""No text from data is markup: elements, data within them, boxes, links and Markdown stay whole."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest

import csb
from csb import METHODS
from csbook.chapters import chapter
from csbook.chapters.cards import card
from csbook.chapters.claims import Verdict
from csbook.chapters.markup import Markup, data_script, element, markdown
from csbook.chapters.verdicts import PartResult
from hostile import NAMES, Reader, whole

ROOT = Path(__file__).parents[3]
each_name = pytest.mark.parametrize("name", NAMES)


@each_name
def test_text_and_attribute_stay_what_they_are(name):
    reader = Reader(element("p", {"title": name}, name, element("b", None, name)))
    assert reader.elements == [("p", {"title": whole(name)}), ("b", {})]
    assert reader.texts == {"p": [2 * whole(name)], "b": [whole(name)]}


@each_name
def test_data_come_back_and_cannot_end_their_element(name):
    data = {name: [name, 1.5, None, True]}
    script = data_script(data)
    assert script.isascii() and not set("<>&") & set(script.removesuffix("</script>").split(">", 1)[1])
    reader = Reader(script)
    assert reader.tags() == ["script"] and json.loads(reader.texts["script"][0]) == data


def test_what_is_no_finite_number_is_a_gap():
    data = {
        "x": np.array([1.0, np.nan, -np.inf]),
        "y": (float("inf"), np.float64("nan"), np.int64(3), {0: 2}),
    }
    (text,) = Reader(data_script(data)).texts["script"]
    assert json.loads(text) == {"x": [1.0, None, None], "y": [None, None, 3, {"0": 2}]}


def test_attributes_without_value_and_elements_without_content():
    given = {"type": "range", "disabled": True, "hidden": False, "list": None, "min": 0}
    assert element("input", given) == '<input type="range" disabled min="0">'
    assert element("p", None, Markup("<br>"), 1, None or "") == "<p><br>1</p>"


@each_name
def test_box_of_a_verdict(name):
    cells = tuple(
        PartResult("least cost", reading, 1, 0, 0) for reading in ("finite distributions, exact", name)
    )
    box = Reader(Verdict("N16-1", "in part", None, None, None, name, name, name, cells)._repr_html_())
    table = ["table", "tr", *["th"] * 7, "tr", *["td"] * 7]
    parts = ["div", *table, "details", "summary", *table]
    assert box.tags() == ["div", "p", "strong", "p", "strong", *parts, "p"]
    assert box.texts["p"][0] == f"Claim N16-1 ({whole(name)}): {whole(name)}"
    assert box.texts["td"][8] == whole(name)
    assert box.texts["p"][2] == whole(name)


@each_name
def test_figure_with_any_name_and_any_alternative_text(name, monkeypatch):
    pytest.importorskip("IPython", reason="needs the packages of the book")
    outputs = []
    monkeypatch.setattr("IPython.display.display", lambda *shown: outputs.extend(shown))
    figure, ax = plt.subplots()
    ax.plot([0, 1], label=name.replace("$", ""))
    chapter.figure(name, figure, alt=name, caption="A line.")
    shown, caption = (output.data for output in outputs)
    box, image, _, link = Reader(shown).elements
    assert box == ("div", {"class": "csb-figure", "id": whole(name)})
    assert image[0] == "img" and image[1]["alt"] == whole(name)
    assert link[0] == "a" and link[1]["download"] == f"{whole(name)}.csv"
    assert caption == "A line."


@pytest.fixture
def read():
    """Function that reads Markdown as the book does, into a tree."""
    pytest.importorskip("myst_parser", reason="needs the packages of the book")
    import yaml
    from docutils.core import publish_doctree
    from myst_parser.docutils_ import Parser

    config = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))
    extensions = [name for name in config["parse"]["myst_enable_extensions"] if name != "substitution"]
    settings = {"myst_enable_extensions": extensions, "report_level": 2, "halt_level": 2}
    return lambda text: publish_doctree(text, parser=Parser(), settings_overrides=settings)


@each_name
def test_markdown_stands_for_itself(read, name):
    from docutils import nodes

    text = read(f"A {markdown(whole(name))} in a line.")
    assert text.astext() == f"A {' '.join(whole(name).split())} in a line."
    assert {type(node) for node in text.findall()} == {nodes.document, nodes.paragraph, nodes.Text}


@each_name
def test_heading_of_a_card(read, name):
    heading = card(replace(METHODS["adaboost"], name=whole(name).strip())).split("\n\n")[0]
    page = read(heading.replace("\n### ", "\n# "))  # a page begins with its title
    shown = " ".join(whole(name).split())
    assert page.astext().strip() == shown[0].upper() + shown[1:]


@each_name
def test_colophon(read, name, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    monkeypatch.setitem(sys.modules, "colophon", None)
    del sys.modules["colophon"]
    import colophon

    monkeypatch.setattr(csb, "__version__", name)

    class Config:
        myst_substitutions, html_theme_options = {}, {}

    colophon.announce(None, Config)
    footer = Reader(Config.html_theme_options["extra_footer"])
    assert footer.tags() == ["p"] and f" with csb {whole(name)}, Python " in footer.texts["p"][0]
    shown = read(f"csb {whole(Config.myst_substitutions['csb_version'])}.").astext()
    assert shown == f"csb {' '.join(whole(name).split())}."
