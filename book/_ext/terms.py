"""Where a chapter first uses a term of the glossary, the term is a link, and the definition opens beside it.

So is the name of a method, which has its line in the box of lesson 2. The prose of a chapter needs no mark
for them. The definitions (``terms.js``) stand in one file, not in the pages, where a search would find them
everywhere.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

GLOSSARY = "book/reference/glossary"
METHODS = "book/foundations/variants"
"""The lesson with the box: in each of its lines the names in bold are those of methods."""
DEFINITIONS = "_static/definitions.js"


KIN = {
    "Fisher consistent": "Fisher consistency",
    "FGD-consistent": "FGD-consistency",
    "cost-consistent": "cost-consistency",
    "asymmetry-preserving": "asymmetry preservation",
    "calibrated": "calibration",
    "log odds": "logistic estimate",
    "difference is open": "open difference",
}
"""Words that lead to the entry of another of their family."""
LEFT_ALONE = (
    nodes.reference,
    nodes.literal,
    nodes.literal_block,
    nodes.title,
    nodes.rubric,  # what a dropdown is called, to be clicked itself
    nodes.math,
    nodes.raw,
    nodes.table,
)


class LinkedTerms(SphinxPostTransform):
    """Make links of terms in the prose of chapters."""

    default_priority = 20  # after other references

    def run(self, **kwargs):
        page = self.env.docname
        if Path(self.env.doc2path(page)).suffix != ".ipynb":
            return
        objects = self.env.get_domain("std").objects
        ids = {name.lower(): target for (kind, name), target in objects.items() if kind == "term"}
        ids |= {words.lower(): ids[term.lower()] for words, term in KIN.items() if term.lower() in ids}
        words = "|".join(map(re.escape, sorted(ids, key=len, reverse=True)))
        term = re.compile(rf"(?<![\w-])({words})(s?)(?![\w-])", re.IGNORECASE) if ids else None
        linked = set()
        for text in list(self.document.findall(nodes.Text)) if term else []:
            if any(isinstance(each, LEFT_ALONE) or describes_methods(each) for each in parents(text)):
                continue
            pieces, end = [], 0
            for found in term.finditer(text):
                where, id = ids[found[1].lower()]
                if id not in linked:
                    linked.add(id)
                    address = self.app.builder.get_relative_uri(page, where)
                    name = nodes.inline("", found[0], classes=["xref", "std", "std-term"])
                    link = nodes.reference("", "", name, internal=True, refuri=f"{address}#{id}")
                    pieces += [nodes.Text(text[end : found.start()]), link]
                    end = found.end()
            if pieces:
                self.env.get_domain("math").data["has_equations"][page] = True  # in definitions, perhaps
                text.parent.replace(
                    text, [each for each in (*pieces, nodes.Text(text[end:])) if each.astext()]
                )


def parents(node):
    while node.parent is not None:
        node = node.parent
        yield node


def describes_methods(node):
    """Whether it is a line of the box, which `note_methods` has given the names of its methods."""
    return isinstance(node, nodes.list_item) and any(id.startswith("term-") for id in node["ids"])


def note_methods(app, doctree):
    if app.env.docname == METHODS:
        boxes = [each for each in doctree.findall(nodes.Admonition) if "variants-cast" in each["ids"]]
        for line in [line for box in boxes for line in box.findall(nodes.list_item)]:
            for name in line.findall(nodes.strong):
                line["ids"].append(f"term-{name.astext()}")
                app.env.get_domain("std").note_object("term", name.astext(), line["ids"][-1], location=name)


def add_scripts(app, pagename, templatename, context, doctree):
    if doctree and any("std-term" in each["classes"] for each in doctree.findall(nodes.inline)):
        app.add_js_file(Path(DEFINITIONS).name, loading_method="defer")
        app.add_js_file("terms.js", loading_method="defer")


def write_definitions(app, exception):
    if exception or app.builder.format != "html":
        return
    definitions = {}

    def define(ids, definition):
        for link in list(definition.findall(nodes.reference)):
            link.replace_self(link.children)  # its address holds on its own page only
        text = "".join(app.builder.render_partial(part)["fragment"] for part in definition)
        definitions.update(dict.fromkeys(ids, text))

    for item in app.env.get_and_resolve_doctree(GLOSSARY, app.builder).findall(nodes.definition_list_item):
        ids = [id for term in item.findall(nodes.term) for id in term["ids"]]
        define(ids, next(item.findall(nodes.definition)))
    if METHODS in app.env.found_docs:
        for line in app.env.get_and_resolve_doctree(METHODS, app.builder).findall(describes_methods):
            define(line["ids"], line)
    program = f"const definitions = {json.dumps(definitions)};\n"
    (Path(app.outdir) / DEFINITIONS).write_text(program, encoding="utf-8")


def setup(app):
    app.add_post_transform(LinkedTerms)
    app.connect("doctree-read", note_methods)
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_definitions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
