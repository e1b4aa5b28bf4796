"""The directive ``figure-gallery``: every figure of the book, small, numbered, a link to its place."""

from __future__ import annotations

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class Gallery(nodes.General, nodes.Element):
    """Where the figures will stand; they have numbers once all pages have been read."""


class FigureGallery(SphinxDirective):
    """All figures, page by page in the order of the book."""

    def run(self):
        self.env.metadata[self.env.docname]["gallery"] = True
        return [Gallery()]


def pages_in_order(env, page):
    """A page and all that its tables of contents lead to."""
    yield page
    for below in env.toctree_includes.get(page, ()):
        yield from pages_in_order(env, below)


def show(app, document, page):
    for place in list(document.findall(Gallery)):
        pages = pages_in_order(app.env, app.config.root_doc)
        place.replace_self([each for name in pages for each in of_page(app, page, name)])


def of_page(app, page, name):
    """Title of a page and its figures, each a link; nothing where it has none."""
    numbers = app.env.toc_fignumbers.get(name, {}).get("figure", {})
    address = app.builder.get_relative_uri(page, name)
    shown = nodes.container(classes=["csb-gallery"])
    for figure in app.env.get_doctree(name).findall(nodes.figure):
        for id in set(figure["ids"]) & set(numbers):
            image = next(figure.findall(nodes.image))
            number = "Fig. " + ".".join(map(str, numbers[id]))
            small = nodes.image(
                uri=image["uri"], candidates=image["candidates"], alt=image["alt"], loading="lazy"
            )
            link = nodes.reference("", "", small, nodes.inline("", number), refuri=f"{address}#{id}")
            shown += nodes.paragraph("", "", link)
    if not shown.children:
        return []
    title = nodes.reference("", app.env.titles[name].astext(), refuri=address, internal=True)
    return [nodes.rubric("", "", title), shown]


def renew(app, env):
    """The page that has the gallery is written again whenever another page has changed."""
    return [page for page, known in env.metadata.items() if "gallery" in known]


def setup(app):
    app.add_directive("figure-gallery", FigureGallery)
    app.connect("env-updated", renew)
    app.connect("doctree-resolved", show)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
