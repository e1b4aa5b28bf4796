"""The definitions that pages show beside a linked term are those of the glossary."""

import json
import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the book's packages are not installed")

from sphinx.testing.util import SphinxTestApp  # noqa: E402

GLOSSARY = r"""
Words
=====

.. _here:

Terms
-----

.. glossary::

   edge
     Hits less :math:`\epsilon`, *at most* one. See :ref:`here`.

   vote
   weight of a vote
     What an :term:`edge` earns.
"""
METHODS = r"""
Methods
=======

**Bold** words elsewhere name nothing.

.. _variants-cast:

.. admonition:: Each in a line

   - **AdaBoost** weighs by :math:`D`. See :ref:`here`.
   - **CSB0** and **CSB1** are an *edge* apart.

- **Not a method** outside of the box
"""
PAGE = "Page\n====\n\nThe :term:`vote <weight of a vote>` counts.\n"


@pytest.fixture
def built(monkeypatch, tmp_path):
    """Folder of a small book: a page with a linked term, one without, methods, and the glossary."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "book" / "_ext"))
    source = tmp_path / "source"
    (source / "book" / "reference").mkdir(parents=True)
    (source / "conf.py").write_text(
        "extensions = ['terms', 'sphinx.ext.mathjax']\nhtml_copy_source = False\n"
    )
    (source / "book" / "reference" / "glossary.rst").write_text(GLOSSARY)
    (source / "book" / "foundations").mkdir()
    (source / "book" / "foundations" / "variants.rst").write_text(METHODS)
    (source / "linked.rst").write_text(PAGE)
    (source / "index.rst").write_text(
        "Top\n===\n\nNone here.\n\n.. toctree::\n\n   linked\n   book/reference/glossary\n"
        "   book/foundations/variants\n"
    )
    app = SphinxTestApp(srcdir=source)
    app.build()
    yield app.outdir
    app.cleanup()


def test_every_term_has_its_definition_and_links_become_words(built):
    program = (built / "_static" / "definitions.js").read_text("utf-8")
    definitions = json.loads(program.removeprefix("const definitions = ").removesuffix(";\n"))
    methods = {"term-AdaBoost", "term-CSB0", "term-CSB1"}
    assert set(definitions) == {"term-edge", "term-vote", "term-weight-of-a-vote"} | methods
    assert "Hits less" in definitions["term-edge"] and r"\(\epsilon\)" in definitions["term-edge"]
    assert definitions["term-edge"].startswith("<p>") and "<em>at most</em>" in definitions["term-edge"]
    assert definitions["term-vote"] == definitions["term-weight-of-a-vote"]
    assert "What an" in definitions["term-vote"] and "edge" in definitions["term-vote"]
    assert "weighs by" in definitions["term-AdaBoost"] and r"\(D\)" in definitions["term-AdaBoost"]
    assert definitions["term-CSB0"] == definitions["term-CSB1"] and "apart" in definitions["term-CSB0"]
    assert "<a " not in program


def test_pages_with_a_linked_term_load_the_script_and_others_do_not(built):
    assert "terms.js" in (built / "linked.html").read_text("utf-8")
    assert "terms.js" not in (built / "index.html").read_text("utf-8")
    assert "What an" not in (built / "linked.html").read_text("utf-8")


@pytest.fixture
def chapter(monkeypatch, tmp_path):
    """What the text of a chapter becomes beside a glossary of two terms and a box of one method."""
    pytest.importorskip("myst_nb", reason="the book's packages are not installed")
    from nbformat import v4, write

    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "book" / "_ext"))
    (tmp_path / "book" / "reference").mkdir(parents=True)
    glossary = (
        "# Glossary\n\n```{glossary}\ncost ratio\n  One cost by the other.\n\ncalibration\n  A map.\n```\n"
    )
    (tmp_path / "book" / "reference" / "glossary.md").write_text(glossary)
    (tmp_path / "book" / "foundations").mkdir()
    box = "(variants-cast)=\n:::{admonition} Each in a line\n- **AdaC1** has a cost ratio.\n:::\n"
    write(
        v4.new_notebook(cells=[v4.new_markdown_cell(f"# Methods\n\n{box}")]),
        tmp_path / "book" / "foundations" / "variants.ipynb",
    )
    (tmp_path / "conf.py").write_text(
        "extensions = ['myst_nb', 'sphinx_design', 'terms']\n"
        "source_suffix = {'.md': 'myst-nb', '.ipynb': 'myst-nb'}\n"
        "nb_execution_mode = 'off'\n"
        "myst_enable_extensions = ['colon_fence', 'dollarmath']\n"
    )

    def build(text):
        write(
            v4.new_notebook(cells=[v4.new_markdown_cell(f"# Calibration\n\n{text}")]),
            tmp_path / "index.ipynb",
        )
        app = SphinxTestApp(srcdir=tmp_path)
        app.build()
        html = (app.outdir / "index.html").read_text("utf-8")
        box = (app.outdir / "book" / "foundations" / "variants.html").read_text("utf-8")
        assert "std-term" not in box  # no name leads to the line in which it stands
        app.cleanup()
        page = r"(?:glossary|variants)\.html"
        return re.findall(
            rf'<a [^>]*{page}#(term-[\w-]+)"><span class="[^"]*std-term">([^<]*)</span></a>', html
        )

    return build


@pytest.mark.parametrize(
    "text, linked",
    [
        ("The cost ratio, and the cost ratio.", [("term-cost-ratio", "cost ratio")]),
        (
            "Cost ratios differ; a calibrated score.",
            [("term-cost-ratio", "Cost ratios"), ("term-calibration", "calibrated")],
        ),
        ("`cost ratio`, [the cost ratio](https://example.org), $cost ratio$, recalibration-free", []),
        ("AdaC1, then `AdaC1` and AdaC1.", [("term-AdaC1", "AdaC1")]),
        ("**cost ratio** first", [("term-cost-ratio", "cost ratio")]),
        (
            ":::{dropdown} The cost ratio\nA calibrated score.\n:::",  # its title is clicked to open it
            [("term-calibration", "calibrated")],
        ),
    ],
)
def test_the_first_use_of_a_term_in_the_prose_is_a_link(chapter, text, linked):
    assert chapter(text) == linked
