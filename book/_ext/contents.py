"""The directive ``paper-contents``: all that a paper names and numbers, and where it is."""

from __future__ import annotations

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from csbook.chapters.contents import contents_table


class PaperContents(SphinxDirective):
    """One table; the argument is the key of the paper."""

    required_arguments = 1

    def run(self):
        lines = StringList(contents_table(self.arguments[0]).splitlines(), source=self.env.docname)
        self.state.nested_parse(lines, self.content_offset, self.state_machine.node)
        return []


def setup(app):
    app.add_directive("paper-contents", PaperContents)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
