"""Values in the prose are those that the cells say, and nobody sees their marks."""

import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from csbook.chapters import notebooks, prose
from csbook.chapters.chapter import SAID

ROOT = Path(__file__).parents[3]


def chapter(text, **said):
    """An executed chapter whose cell says some values."""
    output = new_output("display_data", {"text/html": "<span hidden></span>"}, metadata={SAID: said})
    return new_notebook(cells=[new_code_cell("", outputs=[output]), new_markdown_cell(text)])


def test_what_agrees_is_no_difference():
    assert prose.differences(chapter("It costs <!--euro-->9.3<!--/--> euro.", euro="9.3")) == []


@pytest.mark.parametrize(
    "text, said, found",
    [
        ("costs <!--a-->9<!--/-->", {"a": "8"}, "cell 1: a is '9' in the prose; the cells say '8'"),
        ("costs <!--a-->9<!--/-->", {"b": "9"}, "cell 1: a is '9' in the prose; no cell says it"),
        ("costs\n<!--a-->9<!--/-->", {"a": "9"}, "cell 1: a line begins with a comment"),
        ("* <!--a-->9<!--/--> euro", {"a": "9"}, "cell 1: a line begins with a comment"),
    ],
)
def test_differences(text, said, found):
    assert prose.differences(chapter(text, **said)) == [found]


def test_numbers_of_claims_are_compared_elsewhere():
    assert prose.differences(chapter("of <!--claims-all-->46<!--/-->")) == []


def test_values_are_written_anew_and_nothing_else():
    book = chapter(
        "<b>a</b> <!-- x --> <!--a-->9<!--/--> and <!--b-->\\1<!--/-->, <!--c-->c<!--/-->", a=r"\g<0>", b=""
    )
    prose.renew(book)
    assert book.cells[1].source == (
        r"<b>a</b> <!-- x --> <!--a-->\g<0><!--/--> and <!--b--><!--/-->, <!--c-->c<!--/-->"
    )


def test_a_run_hands_over_what_every_cell_says_and_writes_it(tmp_path):
    pytest.importorskip("nbclient", reason="executes notebooks, which takes the packages of the book")
    path = tmp_path / "a.ipynb"
    code = (
        "from csbook.chapters.chapter import said, text\ntext('a', 1)\ntext('a', 6 * 7)\ntext('b', said['a'])"
    )
    cells = [
        new_markdown_cell("is <!--a--><!--/-->, <!--b-->?<!--/-->"),
        new_code_cell(code),
        new_code_cell("1"),
    ]
    nbformat.write(new_notebook(cells=cells), path)
    assert notebooks.main([str(path), "--run"]) == 0
    assert nbformat.read(path, as_version=4).cells[0].source == "is <!--a-->42<!--/-->, <!--b-->42<!--/-->"


def test_nbval_fails_where_the_prose_differs(tmp_path):
    """With the plugin of the book, in a copy of what it needs."""
    pytest.importorskip("nbval", reason="executes notebooks, which takes the packages of the book")
    (tmp_path / "book" / "_ext").mkdir(parents=True)
    for name in ("conftest.py", "_ext/cache_key.py"):
        (tmp_path / "book" / name).write_text((ROOT / "book" / name).read_text("utf-8"), "utf-8")
    code = "from csbook.chapters.chapter import text\ntext('a', 42)"
    for name, value in (("right", "42"), ("wrong", "41")):
        cells = [new_markdown_cell(f"is <!--a-->{value}<!--/-->"), new_code_cell(code)]
        nbformat.write(new_notebook(cells=cells), tmp_path / "book" / f"{name}.ipynb")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "--nbval-lax",
        "--nbval-current-env",
        "book",
    ]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "a is '41' in the prose; the cells say '42'" in done.stdout
