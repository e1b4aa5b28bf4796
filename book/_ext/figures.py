"""A figure that a cell shows becomes one of the page: numbered, with caption and a place for references.

The cell shows HTML that holds drawing and numbers, and below it the caption (`chapter.figure`). On the
page both stand in files; the drawing is a link to its file, which opens alone and can be enlarged.
"""

from __future__ import annotations

import os
import re
from base64 import b64decode
from html import unescape
from pathlib import Path

from docutils import nodes
from docutils.transforms import Transform
from sphinx.addnodes import download_reference

FIGURE = re.compile(
    r'<div class="csb-figure" id="([\w-]+)"><img src="data:image/svg\+xml;base64,([\w+/=]*)" alt="([^"]*)"'
    r'[^>]*><div><a [^>]*href="data:text/csv;base64,([\w+/=]*)"[^>]*>([^<]*)</a></div></div>'
)
UNSEEN = "<span hidden></span>"
WIDTH = re.compile(rb'<svg[^>]*?\swidth="([\d.]+)pt"')
PIXELS = 4 / 3
"""Of a screen, in a point."""


class ShownFigures(Transform):
    """Put figures in place of outputs, and drop the outputs that nobody sees."""

    default_priority = 210

    def apply(self, **kwargs):
        for raw in list(self.document.findall(nodes.raw)):
            html = raw.astext().strip()
            if html == UNSEEN:
                drop(raw)
            elif found := FIGURE.fullmatch(html):
                self._put(bundle_of(raw), *map(unescape, found.groups()))

    def _put(self, output, name, drawing, alt, numbers, link):
        drawing = b64decode(drawing)
        image = nodes.image(uri=self._file(f"{name}.svg", drawing), alt=alt)
        # with a size, Sphinx makes it a link
        image["width"] = f"{PIXELS * float(WIDTH.search(drawing)[1]):.0f}px"
        data = download_reference("", link, reftarget=self._file(f"{name}.csv", b64decode(numbers)))
        data["classes"] = ["figure-data"]
        below = output.next_node(nodes.container, siblings=True, descend=False)
        (words,) = below.findall(nodes.paragraph)
        caption = nodes.caption("", "", *words.children, nodes.Text(" "), data)
        shown = nodes.figure("", image, caption, names=[name])
        shown.source, shown.line = output.source, output.line
        self.document.note_explicit_target(shown, shown)
        below.parent.remove(below)
        output.replace_self(shown)

    def _file(self, name, content):
        """Where the build finds the file, from the folder of the sources."""
        app = self.document.settings.env.app
        path = Path(app.outdir).parent / "figures" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return "/" + Path(os.path.relpath(path, app.srcdir)).as_posix()


def bundle_of(node):
    """The output of a cell, of which a node is a part."""
    while node.get("nb_element") != "mime_bundle":
        node = node.parent
    return node


def drop(raw):
    """Take an output off the page, and what frames it alone."""
    node = bundle_of(raw)
    while len(node.parent) == 1 and "nb_element" in node.parent:
        node = node.parent
    node.parent.remove(node)


def setup(app):
    app.add_transform(ShownFigures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
