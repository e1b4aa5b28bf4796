"""Links that a chapter writes as plain Markdown become references of the book.

``[words](chapter.ipynb#label)`` leads to the label, wherever it stands; to a label of the bibliography it is
a citation, and to one of an equation (``eq-...``) or of a theorem its number. Words that a citation or
a number would contradict fail the build. Names in code type, such as ``csb.METHODS``, lead to their
descriptions.
"""

from __future__ import annotations

import re

from docutils import nodes
from docutils.transforms import Transform
from sphinx.addnodes import pending_xref
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinxcontrib.bibtex.citation_target import parse_citation_targets
from sphinxcontrib.bibtex.roles import CitationRef

BIBLIOGRAPHY = "book/bibliography"
NAME = re.compile(r"csb(ook)?(\.\w+)+")
NUMBERED = re.compile(r" \d+\.\d+$")
COMMENT = re.compile(r"<!--.*-->", re.DOTALL)

logger = logging.getLogger(__name__)


class PlainLinks(Transform):
    """While a page is read: links to labels, citations, numbers of equations, as roles would make them."""

    default_priority = 220

    def apply(self, **kwargs):
        env = self.document.settings.env
        for node in list(self.document.findall(pending_xref)):
            label = node.get("reftargetid") or node["reftarget"]
            if node["reftype"] != "myst" or not (node.get("reftargetid") or label.startswith("eq-")):
                continue
            node["reftarget"], page = label, node["reftarget"]
            if page == BIBLIOGRAPHY:
                words = node.astext()
                node.attributes.update(
                    {"refdomain": "cite", "reftype": "t" if words.endswith("]") else "alp", "typed": True}
                )
                self.document.note_explicit_target(node, node)  # where the bibliography leads back to
                env.get_domain("cite").citation_refs.append(
                    CitationRef(node["ids"][0], env.docname, node.line, list(parse_citation_targets(label)))
                )
            elif label.startswith("eq-"):
                node.attributes.update({"refdomain": "math", "reftype": "eq", "typed": True})
            else:
                node["refdomain"] = None  # a label of any kind
        for raw in list(self.document.findall(nodes.raw)):
            if COMMENT.fullmatch(raw.astext()):
                raw.parent.remove(raw)


class CheckedWords(SphinxPostTransform):
    """Once all pages are read: resolve what has a number or a year, and compare it with what is written."""

    default_priority = 5

    def run(self, **kwargs):
        proofs = getattr(self.env, "proof_list", {})
        for node in list(self.document.findall(pending_xref)):
            label, words = node["reftarget"], node.astext()
            if node["reftype"] == "myst" and label in proofs:
                node.attributes.update({"refdomain": "prf", "reftype": "ref"})
            elif "typed" not in node:
                continue
            # a proof is named by its number, or called something else
            shown = nodes.inline("", label if NUMBERED.search(words) else words)
            where = self.env, self.env.docname, self.app.builder
            domain = self.env.get_domain(node["refdomain"])
            found = domain.resolve_xref(*where, node["reftype"], label, node, shown)
            if found is None or found.astext().split() != words.split():
                logger.warning(
                    "%r is written where %r is meant", words, found and found.astext(), location=node
                )
            node.replace_self(found or node[0])
        self._link_names()

    def _link_names(self):
        objects = self.env.get_domain("py").objects
        for literal in list(self.document.findall(nodes.literal)):
            name = literal.astext()
            if name in objects and NAME.fullmatch(name) and not isinstance(literal.parent, nodes.reference):
                where = objects[name]
                address = self.app.builder.get_relative_uri(self.env.docname, where.docname)
                link = nodes.reference(
                    "", "", internal=True, refuri=f"{address}#{where.node_id}", reftitle=name
                )
                literal.replace_self(link)
                link += literal


def setup(app):
    app.add_transform(PlainLinks)
    app.add_post_transform(CheckedWords)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
