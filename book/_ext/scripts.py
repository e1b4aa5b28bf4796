"""Scripts stand in files, not in pages: the book works where a server allows no others (script-src 'self').

Sphinx, its themes and the outputs of cells write scripts into the pages. When all is built, each of them
is moved to a file named after its content, which the page then loads at the same place; and so are the
handlers of events that stand in attributes.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path, PurePosixPath

from edited_page import EditedPage

from csbook.chapters.markup import element

FOLDER = PurePosixPath("_static/scripts-of-pages")

PROGRAMS = {None, "", "module", "text/javascript", "application/javascript"}
"""Types of script that a browser runs; others are data."""

ATTRIBUTE = re.compile(r"""\s+([^\s=>/"']+)(\s*=\s*("[^"]*"|'[^']*'|[^\s>]+))?""")

HANDLER = """for (const each of document.querySelectorAll("[data-{event}='{name}']"))
  each.addEventListener("{event}", function (event) {{ {program} }});
"""


class Page(EditedPage):
    """A page whose scripts are replaced by references.

    Attributes
    ----------
    files : dict of str to str
        Programs by the name of their file.
    """

    def __init__(self, text: str, folder: str):
        self.folder, self.files = folder, {}
        self.script: tuple[int, int, str | None] | None = None  # where its tag begins and ends, and its type
        self.handlers: dict[str, None] = {}
        super().__init__(text)

    def handle_starttag(self, tag, attributes):
        given, start = dict(attributes), self.place()
        end = start + len(self.get_starttag_text())
        if tag == "script" and "src" not in given and given.get("type") in PROGRAMS:
            self.script = start, end, given.get("type")
        elif any(name.startswith("on") for name in given):
            self.edits.append((start, end, self._without_handlers(given)))

    def handle_endtag(self, tag):
        if tag == "script" and self.script:
            start, inside, kind = self.script
            self.script = None
            name = self._store(self.text[inside : self.place()])
            new = element("script", {"type": kind, "src": f"{self.folder}/{name}"})
            self.edits.append((start, self.place(), new.removesuffix("</script>")))
        elif tag == "body":
            files = (f"{self.folder}/{name}" for name in self.handlers)
            new = "".join(element("script", {"src": file}) for file in files)
            self.edits.append((self.place(), self.place(), new))

    def _store(self, program: str) -> str:
        name = f"{sha256(program.encode()).hexdigest()[:16]}.js"
        self.files[name] = program
        return name

    def _without_handlers(self, given: dict[str, str | None]) -> str:
        """The start tag with a mark in place of each handler, whose program looks for the mark."""

        def mark(found: re.Match) -> str:
            attribute = found[1].lower()
            if not attribute.startswith("on"):
                return found[0]
            event, program = attribute.removeprefix("on"), given[attribute] or ""
            name = sha256(program.encode()).hexdigest()[:16]
            self.handlers[self._store(HANDLER.format(event=event, name=name, program=program))] = None
            return f' data-{event}="{name}"'

        return ATTRIBUTE.sub(mark, self.get_starttag_text())


def move_scripts(app, exception):
    if exception or app.builder.format != "html":
        return
    root = Path(app.outdir)
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for path in sorted(root.rglob("*.html")):
        inner = path.relative_to(root)
        if inner.parts[0] != "_static":
            page = Page(path.read_text("utf-8"), "../" * (len(inner.parts) - 1) + str(FOLDER))
            for name, program in page.files.items():
                (root / FOLDER / name).write_text(program, encoding="utf-8")
            if page.files:
                path.write_text(page.rewritten(), encoding="utf-8")


def setup(app):
    app.connect("build-finished", move_scripts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
