"""Two executions of a cell agree to the character, but for a unit in the last digit of a coordinate."""

from base64 import b64encode
from pathlib import Path

import nbformat
import pytest

EXT = Path(__file__).parents[2] / "book" / "_ext"
DRAWING = '<path id="ma7c898e48a" d="M 342.694041 16.663366 L 418.276672 16" clip-path="url(#p0123456789)"/>'


@pytest.fixture
def repeat(monkeypatch):
    monkeypatch.syspath_prepend(str(EXT))
    import repeat

    return repeat


def shown(text, *drawings, count=1, tags=()):
    """A notebook of one cell that shows text and drawings."""
    images = "".join(f"data:image/svg+xml;base64,{b64encode(each.encode()).decode()}" for each in drawings)
    output = nbformat.v4.new_output("execute_result", {"text/html": text + images}, execution_count=count)
    cell = nbformat.v4.new_code_cell("", id="cell", outputs=[output], metadata={"tags": list(tags)})
    return nbformat.v4.new_notebook(cells=[cell])


@pytest.mark.parametrize(
    "other, alike",
    [
        (shown("0.25", DRAWING), True),
        (shown("0.25", DRAWING, count=7), True),
        (shown("0.25", DRAWING.replace("0123456789", "9876543210")), True),  # of a clipping path
        (shown("0.25", DRAWING.replace("418.276672", "418.276673")), True),
        (shown("0.25", DRAWING.replace("418.276672", "418.276674")), False),
        (shown("0.25", DRAWING.replace("418.276672", "419.276672")), False),
        (shown("0.25", DRAWING.replace("path", "line")), False),
        (shown("0.25", DRAWING.replace("7c898", "7c899")), False),
        (shown("0.25", DRAWING + "1"), False),
        (shown("0.250001", DRAWING), False),
        (shown("0.25"), False),
        (shown("0.25", DRAWING, DRAWING), False),
    ],
)
def test_outputs_agree(repeat, other, alike):
    first, again = repeat.outputs(shown("0.25", DRAWING)), repeat.outputs(other)
    assert repeat.agree(first["cell"], again["cell"]) is alike
    assert repeat.agree(again["cell"], first["cell"]) is alike


def test_what_is_missing_differs_and_what_times_something_is_left_out(repeat):
    assert not repeat.agree(repeat.outputs(shown("1"))["cell"], None)
    assert repeat.outputs(shown("1", tags=["nbval-ignore-output"])) == {}
