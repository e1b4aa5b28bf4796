"""The page of the search loads ``excerpts.js``, by which excerpts of the pages found are prose."""

from __future__ import annotations


def add_script(app, pagename, templatename, context, doctree):
    if pagename == "search":
        app.add_js_file("excerpts.js", loading_method="defer")  # after Sphinx's program, before it starts


def setup(app):
    app.connect("html-page-context", add_script)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
