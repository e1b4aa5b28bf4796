"""The directive ``claims-ledger`` and the role ``claims-count``: what was found of the papers' claims.

Both are filled in when every chapter has been executed, for only then the verdicts are known.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from csb.compendium.chapters import claims

HEAD = ("claim", "place", "what the paper says", "verdict", "number", "what a reader must know")
WIDTHS = (8, 8, 30, 10, 14, 30)

logger = logging.getLogger(__name__)


class Ledger(nodes.General, nodes.Element):
    """Where the table will stand; verdicts are known once every chapter has been executed."""


class Count(nodes.General, nodes.Inline, nodes.Element):
    """Where a number of claims will stand."""


class CountRole(SphinxRole):
    """How many claims have the verdict named, or ``all``."""

    def run(self):
        if self.text != "all" and self.text not in claims.VERDICTS:
            message = self.inliner.reporter.error(f"claims-count: {self.text!r} is no verdict")
            return [self.inliner.problematic(self.rawtext, self.rawtext, message)], [message]
        self.env.note_reread()
        return [Count("", verdict=self.text)], []


class LedgerDirective(SphinxDirective):
    """The table of claims of one paper, named by its key."""

    required_arguments = 1

    def run(self):
        self.env.note_reread()  # the verdicts may change when this page does not
        return [Ledger("", source_key=self.arguments[0], lineno=self.lineno)]


def deciding_pages(root: Path, ids) -> dict[str, str]:
    """For each claim the page, without its ending, whose code names it."""
    found = {}
    for path in sorted((root / "book").rglob("*.ipynb")):
        cells = json.loads(path.read_text("utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        for id in set(re.findall(r"\"([A-Z]+\d+-\d+)\"", code)) & set(ids):
            found[id] = path.relative_to(root).with_suffix("").as_posix()
    return found


class FillLedger(SphinxPostTransform):
    """Put the tables and numbers in place of the marks."""

    default_priority = 5

    def run(self, **kwargs):
        table = claims.table()
        for mark in list(self.document.findall(Count)):
            chosen = table if mark["verdict"] == "all" else table[table["verdict"] == mark["verdict"]]
            mark.replace_self(nodes.Text(str(len(chosen))))
        for mark in list(self.document.findall(Ledger)):
            pages = deciding_pages(Path(self.app.srcdir), table.index)
            chosen = table[table["source"] == mark["source_key"]]
            for id in chosen.index[chosen["verdict"].isna()]:
                logger.warning("claim %s has no verdict", id, location=mark, type="ledger")
            mark.replace_self(self._table(chosen, pages))

    def _table(self, chosen: pd.DataFrame, pages) -> nodes.table:
        group = nodes.tgroup(cols=len(HEAD))
        group += [nodes.colspec(colwidth=width) for width in WIDTHS]
        group += nodes.thead("", _row(nodes.Text(title) for title in HEAD))
        body = nodes.tbody()
        for id, claim in chosen.iterrows():
            body += _row(self._cells(id, claim, pages.get(id)), f"csb-row-{claim['verdict']}")
        group += body
        return nodes.table("", group, classes=["csb-ledger"])

    def _cells(self, id, claim, page):
        name = nodes.Text(id)
        if page is not None:
            address = self.app.builder.get_relative_uri(self.env.docname, page)
            name = nodes.reference("", id, internal=True, refuri=f"{address}#claim-{id}")
        known = isinstance(claim["verdict"], str)
        number = claims.number(claim["value"], claim["low"], claim["high"]) if known else ""
        texts = (claim["place"], claim["claim"], claim["verdict"] if known else "open", number)
        return [name, *(nodes.Text(text) for text in texts), nodes.Text(claim["note"] if known else "")]


def _row(cells, kind: str = "") -> nodes.row:
    entries = [nodes.entry("", nodes.paragraph("", "", cell)) for cell in cells]
    return nodes.row("", *entries, classes=[kind] if kind else [])


def setup(app):
    app.add_node(Ledger)
    app.add_node(Count)
    app.add_role("claims-count", CountRole())
    app.add_directive("claims-ledger", LedgerDirective)
    app.add_post_transform(FillLedger)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
