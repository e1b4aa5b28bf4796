"""Figures get the size that they have, and by it a link to their drawing."""

import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the book's packages are not installed")

from sphinx.testing.util import SphinxTestApp  # noqa: E402

SVG = (
    '<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="90pt" version="1.1"/>'
)


@pytest.fixture
def page(monkeypatch, tmp_path):
    """What a text in reStructuredText becomes."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "book" / "_ext"))
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text("extensions = ['figure_links']\nhtml_copy_source = False\n")
    (source / "drawn.svg").write_text(SVG.format("300pt"))
    (source / "loose.svg").write_text(SVG.format("100%"))

    def build(text):
        (source / "index.rst").write_text(text)
        app = SphinxTestApp(srcdir=source)
        app.build()
        html = (app.outdir / "index.html").read_text("utf-8")
        app.cleanup()
        return html

    return build


def test_a_figure_is_a_link_to_its_drawing_at_its_own_size(page):
    html = page("Title\n=====\n\n.. figure:: drawn.svg\n   :alt: a line\n\n   Caption.\n")
    link = re.search(r'<a class="[^"]*" href="(_images/drawn.svg)"><img ([^>]*)/>\s*</a>', html, re.DOTALL)
    assert link and 'alt="a line"' in link[2] and "width: 400px" in link[2]


@pytest.mark.parametrize("text", [".. image:: drawn.svg\n", ".. figure:: loose.svg\n\n   Caption.\n"])
def test_images_of_the_text_and_drawings_without_a_size_stay_as_they_are(page, text):
    html = page("Title\n=====\n\n" + text)
    assert "<img " in html and "width" not in re.search(r"<img [^>]*>", html)[0]
    assert '<a class="reference internal image-reference"' not in html
