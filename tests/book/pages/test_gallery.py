"""The gallery has every numbered figure once, in the order of the book, as a link to its place."""

import re
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the gallery is a Sphinx extension, which takes csbook[build]")

from sphinx.testing.util import SphinxTestApp  # noqa: E402

ROOT = Path(__file__).parents[3]
DRAWING = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"></svg>'


def figure(name):
    options = f"   :name: {name}\n   :alt: Drawing {name}\n\n"
    return f".. figure:: /drawings/{name}.svg\n{options}   Caption of {name}.\n\n"


def test_all_figures_stand_in_the_gallery(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))
    (tmp_path / "drawings").mkdir()
    for name in ("f-last", "f-first", "f-second"):
        (tmp_path / "drawings" / f"{name}.svg").write_text(DRAWING)
    (tmp_path / "conf.py").write_text("extensions = ['gallery']\nnumfig = True\n")
    pages = {
        "index": "Book\n====\n\n.. toctree::\n   :numbered:\n\n   z/one\n   none\n   a/two\n   all\n",
        "z/one": f"One\n===\n\n{figure('f-first')}{figure('f-second')}",
        "none": "None\n====\n\nNothing to see.\n",
        "a/two": f"Two\n===\n\n{figure('f-last')}",
        "all": "Gallery\n=======\n\n.. figure-gallery::\n",
    }
    for name, text in pages.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.rst").write_text(text)

    def shown():
        app = SphinxTestApp(srcdir=tmp_path)
        app.build()
        assert "WARNING" not in app.warning.getvalue()
        page = (app.outdir / "all.html").read_text("utf-8")
        app.cleanup()
        links = re.findall(
            r'href="([^"]*)"><img alt="([^"]*)"[^>]*src="_images/([^"]*)"[^>]*>(?:</img>)?<span>([^<]*)', page
        )
        return page, links

    page, links = shown()
    assert links == [
        ("z/one.html#f-first", "Drawing f-first", "f-first.svg", "Fig. 1.1"),
        ("z/one.html#f-second", "Drawing f-second", "f-second.svg", "Fig. 1.2"),
        ("a/two.html#f-last", "Drawing f-last", "f-last.svg", "Fig. 3.1"),
    ]
    assert re.findall(r'rubric[^>]*><a[^>]*href="([^"]*)"', page) == ["z/one.html", "a/two.html"]
    (tmp_path / "a" / "two.rst").write_text("Two\n===\n\nIts figure has gone.\n")
    assert [address for address, *_ in shown()[1]] == ["z/one.html#f-first", "z/one.html#f-second"]
