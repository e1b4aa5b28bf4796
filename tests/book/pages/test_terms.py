"""The definitions that pages show beside a linked term are those of the glossary."""

import json
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
PAGE = "Page\n====\n\nThe :term:`vote <weight of a vote>` counts.\n"


@pytest.fixture
def built(monkeypatch, tmp_path):
    """Folder of a small book: a page with a linked term, one without, and the glossary."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "book" / "_ext"))
    source = tmp_path / "source"
    (source / "book" / "reference").mkdir(parents=True)
    (source / "conf.py").write_text(
        "extensions = ['terms', 'sphinx.ext.mathjax']\nhtml_copy_source = False\n"
    )
    (source / "book" / "reference" / "glossary.rst").write_text(GLOSSARY)
    (source / "linked.rst").write_text(PAGE)
    (source / "index.rst").write_text(
        "Top\n===\n\nNone here.\n\n.. toctree::\n\n   linked\n   book/reference/glossary\n"
    )
    app = SphinxTestApp(srcdir=source)
    app.build()
    yield app.outdir
    app.cleanup()


def test_every_term_has_its_definition_and_links_become_words(built):
    program = (built / "_static" / "definitions.js").read_text("utf-8")
    definitions = json.loads(program.removeprefix("const definitions = ").removesuffix(";\n"))
    assert set(definitions) == {"term-edge", "term-vote", "term-weight-of-a-vote"}
    assert "Hits less" in definitions["term-edge"] and r"\(\epsilon\)" in definitions["term-edge"]
    assert definitions["term-edge"].startswith("<p>") and "<em>at most</em>" in definitions["term-edge"]
    assert definitions["term-vote"] == definitions["term-weight-of-a-vote"]
    assert "What an" in definitions["term-vote"] and "edge" in definitions["term-vote"]
    assert "<a " not in program


def test_pages_with_a_linked_term_load_the_script_and_others_do_not(built):
    assert "terms.js" in (built / "linked.html").read_text("utf-8")
    assert "terms.js" not in (built / "index.html").read_text("utf-8")
    assert "What an" not in (built / "linked.html").read_text("utf-8")
