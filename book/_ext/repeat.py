"""Execute the chapters once more and compare all their outputs with those of the built book.

Every number and figure must come out the same, character for character, but for addresses in memory, names
that Matplotlib makes up, a unit in the last digit of a coordinate, and cells tagged ``nbval-ignore-output``,
which time something.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor

from execute import read_book, run
from nbformat import NotebookNode

from csbook.chapters.notebooks import joined

ADDRESS = re.compile(r"x[0-9a-f]{8,}\b")  # of an object, perhaps abbreviated: <csb.calibrat...x7ff98c5fbe50>
DRAWING = re.compile(r"(?<=data:image/svg\+xml;base64,)[\w+/=]+")
NUMBER = re.compile(r"\d+(?:\.\d+)?")
LAST_DIGIT = 1e-6
"""Of Matplotlib's coordinates. Processors disagree about it where the numbers are scikit-learn's."""
CLIP = re.compile(r"\bp[0-9a-f]{10}\b")  # of a clipping path, which Matplotlib names after its corners


Output = tuple[str, list[str]]
"""Text, and the drawings in it."""


def outputs(notebook: NotebookNode) -> dict[str, list[Output]]:
    """What each cell shows, by the cell's name."""
    code = (cell for cell in notebook.cells if cell.cell_type == "code")
    compared = (cell for cell in code if "nbval-ignore-output" not in cell.metadata.get("tags", []))
    return {cell.id: [_comparable(output) for output in joined(cell.outputs)] for cell in compared}


def _comparable(output: NotebookNode) -> Output:
    kept = {key: value for key, value in output.items() if key != "execution_count"}
    text = json.dumps(kept, sort_keys=True)
    drawings = [b64decode(each).decode() for each in DRAWING.findall(text)]
    text, *drawings = (CLIP.sub("p", ADDRESS.sub("x", each)) for each in (DRAWING.sub("", text), *drawings))
    return text, drawings


def agree(first: list[Output], again: list[Output] | None) -> bool:
    """Whether a cell shows the same both times."""
    if again is None or [(text, len(drawn)) for text, drawn in first] != [(t, len(d)) for t, d in again]:
        return False
    pairs = (zip(one, other, strict=True) for (_, one), (_, other) in zip(first, again, strict=True))
    return all(_drawn_alike(*pair) for of_output in pairs for pair in of_output)


def _drawn_alike(one: str, other: str) -> bool:
    if NUMBER.sub("0", one) != NUMBER.sub("0", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(a == b or abs(float(a) - float(b)) < 1.5 * LAST_DIGIT for a, b in pairs)


def main(argv: list[str] | None = None) -> int:
    pages, cache, timeout, workers = read_book(argv, __doc__.splitlines()[0])
    try:
        built = [cache.get_cache_bundle(cache.match_cache_file(str(page)).pk).nb for page in pages]
    except KeyError:
        print("not all chapters are built: run make book first", file=sys.stderr)
        return 1

    different, compared = [], 0
    with tempfile.TemporaryDirectory() as verdicts, ThreadPoolExecutor(workers) as pool:
        os.environ["CSB_VERDICTS"] = verdicts  # those of the built book stay as they are
        for page, first, result in zip(
            pages, built, pool.map(lambda page: run(page, timeout), pages), strict=True
        ):
            first, again = outputs(first), outputs(result.nb)
            compared += len(first)
            unlike = [name for name, shown in first.items() if not agree(shown, again.get(name))]
            different += [f"{page.name}: cell {name}" for name in unlike]

    print(f"{compared} cells of {len(pages)} chapters compared: {len(different)} differ")
    if different:
        print("\n".join(different), file=sys.stderr)
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
