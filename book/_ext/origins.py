"""At every figure and table of a chapter: whether its cell computed it or read it from a recorded study."""

from __future__ import annotations

from pathlib import Path

import nbformat
from docutils import nodes
from docutils.transforms import Transform
from figures import ShownFigures
from sphinx.addnodes import pending_xref

from csbook.chapters.provenance import read_records

EXPLAINED = "live-or-recorded"
"""The place that says what the words mean."""
SHOWN = ("<table", 'class="csb-interactive')
"""What an output of HTML has where it is a table or a figure to play with."""


class Origins(Transform):
    """Put ``live`` or ``recorded`` into each caption, and below each table and each figure to play with."""

    default_priority = ShownFigures.default_priority + 1

    def apply(self, **kwargs):
        path = Path(self.document["source"])
        if path.suffix != ".ipynb":
            return
        cells = nbformat.read(path, as_version=4).cells
        code = {index: cell.source for index, cell in enumerate(cells) if cell.cell_type == "code"}
        recorded = dict(zip(code, read_records(code.values()), strict=True))
        for cell in list(self.document.findall(is_cell)):
            word = "recorded" if recorded[cell["cell_index"]] else "live"
            for caption in list(cell.findall(nodes.caption)):
                caption += [nodes.Text(" "), self._badge(word)]
            for shown in list(cell.findall(is_shown)):
                shown.parent.insert(shown.parent.index(shown) + 1, nodes.paragraph("", "", self._badge(word)))

    def _badge(self, word):
        to = {"refdomain": "std", "reftype": "ref", "reftarget": EXPLAINED, "refexplicit": True}
        to |= {"refwarn": True, "refdoc": self.document.settings.env.docname}
        link = pending_xref("", nodes.inline("", word), **to)
        return nodes.inline("", "", link, classes=["csb-origin", word])


def is_cell(node):
    return isinstance(node, nodes.container) and node.get("nb_element") == "cell_code"


def is_shown(node):
    if isinstance(node, nodes.raw):
        return any(part in node.astext() for part in SHOWN)
    return isinstance(node, nodes.table)


def setup(app):
    app.add_transform(Origins)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
