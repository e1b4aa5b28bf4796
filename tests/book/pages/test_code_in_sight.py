"""The code of a lesson is in sight, and what is in sight runs by itself."""

import ast
from functools import partial
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell

import csbook.datasets

ROOT = Path(__file__).parents[3]
PARTS = ("Foundations", "The views", "Other designs")
CONTENTS = yaml.safe_load((ROOT / "_toc.yml").read_text("utf-8"))["parts"]
LESSONS = [page["file"] for part in CONTENTS if part["caption"] in PARTS for page in part["chapters"]]
FOLDED, REMOVED = {"hide-input", "hide-cell"}, {"remove-cell", "remove-input"}
FOR_THE_PAGE = ("figure", "text", "style.set_style")
TURN = "{admonition} Your turn"


def read_cells(page):
    return nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells


def tags(cell):
    return set(cell.metadata.get("tags", []))


def of_code(cells, folded):
    """The code cells that are folded, or those in sight."""
    return [
        each for each in cells if each.cell_type == "code" and bool(tags(each) & (FOLDED | REMOVED)) == folded
    ]


def is_call_of(node, names):
    call = getattr(node, "value", None)
    return isinstance(node, ast.Expr) and isinstance(call, ast.Call) and ast.unparse(call.func) in names


def serves_the_page(node):
    if isinstance(node, ast.For | ast.If):
        return all(map(serves_the_page, [*node.body, *node.orelse]))
    if isinstance(node, ast.ImportFrom):
        return node.module == "csbook.chapters.chapter"
    return isinstance(node, ast.Assert) or is_call_of(node, FOR_THE_PAGE)


def lines(source):
    """How many lines compute or draw.

    What only serves the page does not count, nor does its import: calls of ``figure``, which are alternative
    texts and captions, of ``text``, which are numbers of the prose, and of ``style.set_style``, assertions,
    which hold the prose to the code, and loops over nothing else.
    """
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    of_all, of_the_page = (
        {number for each in group for number in range(each.lineno, each.end_lineno + 1)}
        for group in (statements, filter(serves_the_page, statements))
    )
    blank = {number for number, line in enumerate(source.splitlines(), start=1) if not line.strip()}
    return len(of_all - of_the_page - blank)


def share_in_sight(cells):
    open_, folded = (sum(lines(each.source) for each in of_code(cells, side)) for side in (False, True))
    return open_ / (open_ + folded)


def run_in_sight(cells):
    """Run what is in sight, one cell after the other, in an empty namespace.

    The reader's own cell may call what only a folded cell defines. It is the last one in sight between the
    text that says "Your turn" and the next text, and a call is left out if it is a statement by itself and
    of a function for which a folded cell has a ``def``.
    """
    hidden = {
        node.name
        for cell in of_code(cells, folded=True)
        for node in ast.parse(cell.source).body
        if isinstance(node, ast.FunctionDef)
    }
    in_sight = of_code(cells, folded=False)
    own = None
    for number, cell in enumerate(cells):
        if cell.cell_type == "markdown" and TURN in cell.source:
            after = [later.cell_type for later in cells[number + 1 :]]
            end = number + 1 + (after.index("markdown") if "markdown" in after else len(after))
            own = next((each for each in reversed(cells[number:end]) if each in in_sight), None)
    names = {"__name__": "__main__"}
    for number, cell in enumerate(in_sight):
        tree = ast.parse(cell.source)
        if cell is own:
            tree.body = [node for node in tree.body if not is_call_of(node, hidden)]
        exec(compile(tree, f"cell {number} in sight", "exec"), names)


@pytest.mark.parametrize("page", LESSONS)
def test_no_code_is_removed(page):
    assert not [cell.source for cell in read_cells(page) if tags(cell) & REMOVED]


@pytest.mark.parametrize("page", LESSONS)
def test_half_of_the_code_is_in_sight(page):
    assert share_in_sight(read_cells(page)) >= 0.5


@pytest.mark.deep
@pytest.mark.parametrize("page", LESSONS)
def test_what_is_in_sight_runs_by_itself(page, monkeypatch, tmp_path):
    """With two draws of the invoices where the lesson has ten."""
    two = partial(csbook.datasets.euro_an_order, n_draws=2)
    monkeypatch.setattr(csbook.datasets, "euro_an_order", two)
    monkeypatch.chdir(tmp_path)
    try:
        run_in_sight(read_cells(page))
    finally:
        plt.close("all")


FOLD = {"tags": ["hide-input"]}


def test_lines_that_serve_the_page_do_not_count():
    drawn = "fig = draw(\n    1,\n)\n\nfigure(\n    'fig-x',\n    fig,\n)\n"
    drawn += "for x in (1, 2):\n    text('x', x)\n    assert x"
    assert lines(drawn) == 3 and lines("for x in (1, 2):\n    text('x', x)\n    y = x") == 2
    cells = [new_code_cell("a = 1\nb = 2"), new_code_cell(drawn, metadata=FOLD), new_markdown_cell("# A")]
    assert share_in_sight(cells) == 2 / 5


def test_only_the_readers_own_cell_may_call_what_is_folded():
    folded = new_code_cell("def draw(ratio):\n    1 / 0", metadata=FOLD)
    turn, own = new_markdown_cell(f":::{TURN}\n:::"), new_code_cell("ratio = 3\ndraw(ratio)")
    run_in_sight([turn, folded, own])
    for cells in ([folded, own], [turn, own], [turn, folded, new_markdown_cell("Then"), own]):
        with pytest.raises(NameError, match="draw"):
            run_in_sight(cells)
    with pytest.raises(NameError, match="ratio"):
        run_in_sight([turn, folded, new_code_cell("draw = ratio\ndraw(ratio)")])
