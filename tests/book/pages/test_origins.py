"""Each figure and table says whether it was computed for the page or read from a recorded study."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from csbook.chapters.provenance import read_records

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    "cells, recorded",
    [
        (["x = 1", "print(x)"], "00"),
        (["a = recorded('c08')", "b = 2", "b", "a.tables"], "1001"),
        (["a, b = recorded('c08').tables, 1", "for name in a:\n    c = name", "c"], "111"),
        (["a = recorded('c08')\nx = 1", "print(x)", "a = 3", "a"], "1000"),
        (["def read():\n    return recorded('c08')", "t = 1", "read()"], "101"),
        (["t = {}", "t['a'] = recorded('c08')", "t"], "011"),
        (["t = Kept()", "t.tables.first = recorded('c08')", "t.name"], "011"),
        (["a = recorded('c08')", "b = [row for row in a]", "len(b)", "row = 1", "row"], "11100"),
        (["from csbook.studies import recorded", "recorded", "(recorded('c08') if False else 0)"], "011"),
    ],
)
def test_what_is_recorded_is_followed_by_its_names(cells, recorded):
    assert read_records(cells) == [each == "1" for each in recorded]


@pytest.fixture(scope="module")
def words(tmp_path_factory):
    """What stands at each shown thing of a page that has all kinds of them."""
    pytest.importorskip("myst_nb", reason="the book's packages are not installed")
    from sphinx.testing.util import SphinxTestApp

    def output(kind, content):
        return new_output("display_data", {kind: content})

    drawing = (
        '<div class="csb-figure" id="{}"><img src="data:image/svg+xml;base64,PHN2ZyB3aWR0aD0iMzBwdCIvPg==" '
        'alt="A line."><div><a href="data:text/csv;base64,YQ==">data</a></div></div>'
    )
    cells = [
        ("kept = recorded('c08')", []),
        ("first", [output("text/html", drawing.format("f-a")), output("text/markdown", "Caption one.")]),
        ("kept", [output("text/html", drawing.format("f-b")), output("text/markdown", "Caption two.")]),
        ("kept.t", [output("text/html", "<table><tr><td>three</td></tr></table>")]),
        ("two", [output("text/markdown", "| a |\n| --- |\n| four |")]),
        ("play()", [output("text/html", '<div class="csb-interactive">five</div>')]),
        ("'words'", [output("text/plain", "six")]),
    ]
    cells = [new_code_cell(code, outputs=shown, execution_count=1) for code, shown in cells]
    cells.insert(0, new_markdown_cell("(live-or-recorded)=\n# Title"))
    source = tmp_path_factory.mktemp("source")
    python = {"language_info": {"name": "python", "pygments_lexer": "python"}}
    nbformat.write(new_notebook(cells=cells, metadata=python), source / "index.ipynb")
    (source / "conf.py").write_text(
        "extensions = ['myst_nb', 'figures', 'origins']\nsource_suffix = {'.ipynb': 'myst-nb'}\n"
        "nb_execution_mode = 'off'\nnb_render_markdown_format = 'myst'\n"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(ROOT / "book" / "_ext"))
        app = SphinxTestApp(srcdir=source)
        app.build()
    assert "WARNING" not in app.warning.getvalue()
    page = (app.outdir / "index.html").read_text("utf-8")
    app.cleanup()
    badge = (
        r'<span class="csb-origin (live|recorded)"><a class="[^"]*" href="#live-or-recorded"><span[^>]*>\1<'
    )
    assert len(re.findall(badge, page)) == 5 == page.count("csb-origin")
    return " ".join(re.sub(r"<[^>]*>", " ", page).split())


def test_each_shown_thing_has_its_word(words):
    found = re.findall(r"(one\.|two\.|three|four|five|six) (?:data )?(live|recorded)?", words)
    assert dict(found) == {
        "one.": "live", "two.": "recorded", "three": "recorded", "four": "live", "five": "live", "six": "",
    }  # fmt: skip
