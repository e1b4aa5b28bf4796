"""A built page that is read as HTML and changed in places, with all else as it was."""

from __future__ import annotations

import re
from html.parser import HTMLParser


class EditedPage(HTMLParser):
    """A page and what is to stand in place of some of its parts.

    Attributes
    ----------
    text : str
        The page as it was.
    edits : list of (int, int, str)
        Where a part begins and ends, and what replaces it; in order.
    """

    def __init__(self, text: str):
        super().__init__(convert_charrefs=False)
        self.text = text
        self.edits: list[tuple[int, int, str]] = []
        self.lines = [0, *(found.end() for found in re.finditer("\n", text))]
        self.feed(text)
        self.close()

    def place(self) -> int:
        """Where the parser is in the text."""
        line, column = self.getpos()
        return self.lines[line - 1] + column

    def rewritten(self) -> str:
        """The page with all edits made."""
        parts, done = [], 0
        for start, end, new in self.edits:
            parts += [self.text[done:start], new]
            done = end
        return "".join(parts) + self.text[done:]
