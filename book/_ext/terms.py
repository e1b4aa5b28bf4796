"""Where a page links a term of the glossary, the definition opens beside the link (``terms.js``).

The definitions stand in one file, not in the pages, where a search would find them everywhere.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes

GLOSSARY = "book/reference/glossary"
DEFINITIONS = "_static/definitions.js"


def add_scripts(app, pagename, templatename, context, doctree):
    if doctree and any("std-term" in each["classes"] for each in doctree.findall(nodes.inline)):
        app.add_js_file(Path(DEFINITIONS).name, loading_method="defer")
        app.add_js_file("terms.js", loading_method="defer")


def write_definitions(app, exception):
    if exception or app.builder.format != "html":
        return
    definitions = {}
    for item in app.env.get_and_resolve_doctree(GLOSSARY, app.builder).findall(nodes.definition_list_item):
        definition = next(item.findall(nodes.definition))
        for link in list(definition.findall(nodes.reference)):
            link.replace_self(link.children)  # its address holds on the page of the glossary only
        text = "".join(app.builder.render_partial(part)["fragment"] for part in definition)
        for term in item.findall(nodes.term):
            definitions |= dict.fromkeys(term["ids"], text)
    program = f"const definitions = {json.dumps(definitions)};\n"
    (Path(app.outdir) / DEFINITIONS).write_text(program, encoding="utf-8")


def setup(app):
    app.connect("html-page-context", add_scripts)
    app.connect("build-finished", write_definitions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
