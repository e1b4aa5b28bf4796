"""A figure is a link to its drawing, which opens alone and can be enlarged, on a phone above all.

Sphinx makes such a link of every image that has a size, so each figure is given the size that it has.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils import nodes

WIDTH = re.compile(r'<svg[^>]*?\swidth="([\d.]+)pt"')
PIXELS = 4 / 3
"""Of a screen, in a point."""


def give_size(app, doctree, docname):
    if app.builder.format != "html":
        return
    for image in doctree.findall(nodes.image):
        if isinstance(image.parent, nodes.figure) and image["uri"].endswith(".svg"):
            drawn = WIDTH.search(Path(app.srcdir, image["uri"]).read_text("utf-8"))
            if drawn:
                image["width"] = f"{PIXELS * float(drawn[1]):.0f}px"


def setup(app):
    app.connect("doctree-resolved", give_size)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
