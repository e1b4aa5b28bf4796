"""The numbers of figures stand in files beside the pages.

A chapter holds them in the link itself, so that it works wherever it is run. When the book is built, each
such link is made one to a file; a page is then as heavy as what it shows.
"""

from __future__ import annotations

import re
from base64 import b64decode
from pathlib import Path, PurePosixPath

FOLDER = PurePosixPath("_static/figure-data")

LINK = re.compile(r'(<a class="figure-data" download="([\w.-]+)" href=")data:text/csv;base64,([\w+/=]*)(")')


def move_numbers(app, exception):
    if exception or app.builder.format != "html":
        return
    root = Path(app.outdir)
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    for path in sorted(root.rglob("*.html")):
        inner = path.relative_to(root)
        up = "../" * (len(inner.parts) - 1)

        def to_file(found: re.Match, up: str = up) -> str:
            before, name, numbers, after = found.groups()
            (root / FOLDER / name).write_bytes(b64decode(numbers))
            return f"{before}{up}{FOLDER}/{name}{after}"

        text = path.read_text("utf-8")
        moved = LINK.sub(to_file, text)
        if moved != text:
            path.write_text(moved, encoding="utf-8")


def setup(app):
    app.connect("build-finished", move_numbers)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
