"""The handle that shows or hides the pages below another one has a name to be read out."""

from __future__ import annotations

NAMED = '<summary aria-label="Show or hide the pages below">'


def name_handles(app, page, template, context, doctree):
    make = context["generate_toctree_html"]

    def generate_toctree_html(kind, *args, **options):
        made = make(kind, *args, **options)
        return made if kind == "raw" else str(made).replace("<summary>", NAMED)

    context["generate_toctree_html"] = generate_toctree_html


def setup(app):
    app.connect("html-page-context", name_handles, priority=900)  # once the theme has given the function
    return {"parallel_read_safe": True, "parallel_write_safe": True}
