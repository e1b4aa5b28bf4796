"""Numbers of figures move from a built page into files, byte for byte."""

import sys
from base64 import b64encode
from pathlib import Path
from types import SimpleNamespace

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from csbook.chapters import chapter


@pytest.fixture
def move(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "book" / "_ext"))
    import figure_files

    app = SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)
    yield lambda error=None: figure_files.move_numbers(app, error)
    del sys.modules["figure_files"]


def link_of(drawn, monkeypatch):
    """What a chapter shows of a figure's numbers."""
    pytest.importorskip("IPython", reason="the book's packages are not installed")
    shown = {}
    monkeypatch.setattr(chapter, "_glue", shown.__setitem__)
    chapter.figure("fig-line", drawn)
    return shown["fig-line-data"].data


@pytest.mark.parametrize("place, up", [("page.html", ""), ("one/two/page.html", "../../")])
def test_links_of_a_chapter_lead_to_files(move, monkeypatch, tmp_path, place, up):
    drawn, ax = plt.subplots()
    ax.plot([0, 1, 2], [0.5, 0.25, 1 / 3], label="AdaMEC")
    link = link_of(drawn, monkeypatch)
    page = tmp_path / place
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(f"<p>é {link} and</p><a href='data:,x'>another</a>", "utf-8")
    move()
    href = f"{up}_static/figure-data/fig-line.csv"
    assert page.read_text("utf-8") == (
        f'<p>é <a class="figure-data" download="fig-line.csv" href="{href}">data (CSV)</a> and</p>'
        "<a href='data:,x'>another</a>"
    )
    table = pd.read_csv(page.parent / href)
    assert table["y"].tolist() == [0.5, 0.25, 0.333333] and set(table["series"]) == {"AdaMEC"}
    before = page.read_bytes()
    move()
    assert page.read_bytes() == before


def test_failed_builds_are_left_alone(move, tmp_path):
    page = tmp_path / "page.html"
    numbers = b64encode(b"x\n1\n").decode()
    page.write_text(f'<a class="figure-data" download="a.csv" href="data:text/csv;base64,{numbers}">')
    before = page.read_bytes()
    move(KeyError())
    assert page.read_bytes() == before
    move()
    assert (tmp_path / "_static" / "figure-data" / "a.csv").read_bytes() == b"x\n1\n"
