"""The directive ``method-cards``: the cards of all methods of a family, from the registry."""

from __future__ import annotations

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from csb.methods import METHODS
from csbook.chapters.cards import card, family


class MethodCards(SphinxDirective):
    """One card after the other; the argument is the family."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        cards = [card(method) for method in METHODS.values() if family(method) == self.arguments[0]]
        if not cards:
            raise self.error(f"method-cards: no method belongs to the family {self.arguments[0]!r}")
        lines = StringList("\n\n".join(cards).splitlines(), source=self.env.docname)
        # straight into the section: of a node apart, a heading would leave its anchor behind
        self.state.nested_parse(lines, self.content_offset, self.state_machine.node, match_titles=True)
        return []


def setup(app):
    app.add_directive("method-cards", MethodCards)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
