"""The list of pages at the side: its handles can be read out, and it is made once for pages that share it."""

from __future__ import annotations

from functools import partial

NAMED = '<summary aria-label="Show or hide the pages below">'


def share_list(lists, app, page, template, context, doctree):
    """Pages outside the list, those of code above all, have the same one but for the way up to the root."""
    if doctree is None:
        make, depth = context["toctree"], page.count("/")

        def toctree(**options):
            wanted = depth, frozenset(options.items())
            if wanted not in lists:
                lists[wanted] = make(**options)
            return lists[wanted]

        context["toctree"] = toctree


def name_handles(app, page, template, context, doctree):
    make = context["generate_toctree_html"]

    def generate_toctree_html(**options):  # by name: the theme keeps what it has made by how it was called
        made = make(**options)
        return made if options["kind"] == "raw" else str(made).replace("<summary>", NAMED)

    context["generate_toctree_html"] = generate_toctree_html


def setup(app):
    app.connect("html-page-context", partial(share_list, {}), priority=100)  # before the theme makes a list
    app.connect("html-page-context", name_handles, priority=900)  # once the theme has given the function
    return {"parallel_read_safe": True, "parallel_write_safe": True}
