"""Figures that cells show are figures of the page, with files for drawing and numbers."""

import html
import re
from base64 import b64decode
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

pytest.importorskip("myst_nb", reason="the book's packages are not installed")

from sphinx.testing.util import SphinxTestApp  # noqa: E402

from csbook.chapters import chapter  # noqa: E402
from csbook.chapters.markup import whole  # noqa: E402
from hostile import NAMES  # noqa: E402

ROOT = Path(__file__).parents[3]
ALT = 'A "line" <b> & more'


@pytest.fixture
def shown(monkeypatch):
    """The outputs of a figure."""

    def outputs(alt=ALT):
        drawn, ax = plt.subplots(figsize=(3, 2))
        ax.plot([0, 1, 2], [0.5, 0.25, 1 / 3], label="AdaMEC")
        displayed = []
        monkeypatch.setattr("IPython.display.display", lambda *each: displayed.extend(each))
        chapter.figure("fig-line", drawn, alt=alt, caption="What *it* shows.")
        assert not plt.fignum_exists(drawn.number)
        html, caption = (each.data for each in displayed)
        kinds = {"text/html": html}, {"text/markdown": caption}
        return [new_output("display_data", data) for data in kinds]

    return outputs


@pytest.fixture
def built(monkeypatch, tmp_path):
    """The page that a chapter becomes whose cell shows these outputs."""
    monkeypatch.syspath_prepend(str(ROOT / "book" / "_ext"))

    def build(outputs, tags=("hide-input",), text="See [the figure](#fig-line)."):
        cells = [
            new_markdown_cell(f"# Title\n\n{text}"),
            new_code_cell("figure()", outputs=outputs, metadata={"tags": list(tags)}, execution_count=1),
        ]
        python = {"language_info": {"name": "python", "pygments_lexer": "python"}}
        nbformat.write(new_notebook(cells=cells, metadata=python), tmp_path / "index.ipynb")
        (tmp_path / "conf.py").write_text(
            "extensions = ['myst_nb', 'figures']\nsource_suffix = {'.ipynb': 'myst-nb'}\n"
            "numfig = True\nnb_execution_mode = 'off'\nnb_render_markdown_format = 'myst'\n"
        )
        app = SphinxTestApp(srcdir=tmp_path)
        app.build()
        assert "WARNING" not in app.warning.getvalue()
        html = (app.outdir / "index.html").read_text("utf-8")
        app.cleanup()
        return html, app.outdir

    return build


def test_a_figure_has_number_caption_alternative_text_and_files(shown, built):
    outputs = shown()
    page, folder = built(outputs)
    (figure,) = re.findall(r"(?s)<figure .*?</figure>", page)
    assert 'id="fig-line"' in figure and 'href="#fig-line"' in page
    link = re.search(r'<a class="[^"]*" href="([^"]+)"><img ([^>]*)/>\s*</a>', figure, re.DOTALL)
    assert 'alt="A &quot;line&quot; &lt;b&gt; &amp; more"' in link[2]
    drawing = (folder / link[1]).read_bytes()
    assert drawing == b64decode(re.search(r"svg\+xml;base64,([^\"]*)", outputs[0].data["text/html"])[1])
    points = float(re.search(rb'<svg[^>]* width="([\d.]+)pt"', drawing)[1])
    assert f"width: {4 / 3 * points:.0f}px" in link[2]
    assert "Fig. 1" in figure and "What <em>it</em> shows." in figure
    (numbers,) = re.findall(r'href="([^"]+\.csv)"', figure)
    table = pd.read_csv(folder / numbers)
    assert table["y"].tolist() == [0.5, 0.25, 0.333333] and set(table["series"]) == {"AdaMEC"}
    assert "base64" not in page


@pytest.mark.parametrize("name", NAMES)
def test_any_alternative_text(shown, built, name):
    page, _ = built(shown(name))
    (alt,) = re.findall(r'<img alt="([^"]*)"', page)
    assert html.unescape(alt).split() == whole(name).split()


@pytest.mark.parametrize("tags", [["remove-input"], []])
def test_an_output_with_values_for_the_prose_leaves_nothing_on_the_page(built, tags):
    unseen = new_output(
        "display_data", {"text/html": "<span hidden></span>"}, metadata={chapter.SAID: {"a": "1"}}
    )
    page, _ = built([unseen], tags, "Nothing to see.")
    assert "hidden" not in page and "cell_output" not in page
    assert ("cell_input" in page) == (not tags)
