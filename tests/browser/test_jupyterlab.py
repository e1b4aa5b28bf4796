"""A chapter opened in JupyterLab, or turned into HTML by nbconvert, shows what the built book shows."""

from __future__ import annotations

import html
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import nbformat
import pytest
from built_book import BOOK, CHAPTERS, ROOT, require_book

from csbook.chapters.prose import MARKED

pytest.importorskip("jupyterlab", reason="JupyterLab is not installed")
pytest.importorskip("jupyterlab_myst", reason="jupyterlab-myst is not installed")

NOTEBOOKS = [name for name in CHAPTERS if (ROOT / f"{name}.ipynb").is_file()]
ONE = "book/designs/fat_shattering"
FEW = [
    ONE,
    "book/index",
    "book/practice/your_own_problem",
    "book/reference/methods",
    "book/reference/bad_input",
]
"""The chapters that stand for the others where all take long."""


def all_but(few):
    return [name if name in few else pytest.param(name, marks=pytest.mark.deep) for name in NOTEBOOKS]


LOST = re.compile(r"Unknown (?:Directive|Role).*|<!--.*|\{(?:glue|ref|doc|term|cite)\b.*", re.IGNORECASE)
"""What a reader would see of markup that is not understood."""
SETTINGS = {
    "notebook-extension/tracker": '{"windowingMode": "none"}',  # all cells stand on the page at once
    "apputils-extension/notification": '{"fetchNews": "false"}',
}
SHOWN = """() => {
    const all = selector => [...document.querySelectorAll(`.jp-Notebook ${selector}`)];
    return {
        cells: all('.jp-Cell').length,
        empty: all('.jp-MarkdownCell').filter(cell => !cell.innerText.trim()).length,
        images: all('img').filter(each => each.complete).length,
        text: document.querySelector('.jp-Notebook')?.innerText.length,
    };
}"""
"""What stands on the page. The renderer of Markdown is loaded last: until then its cells are empty."""


@pytest.fixture(scope="module")
def handed_out(tmp_path_factory):
    """The chapters as the built book hands them out, in a folder of their own."""
    require_book()
    folder = tmp_path_factory.mktemp("chapters")
    for name in NOTEBOOKS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(BOOK / "_sources" / f"{name}.ipynb", folder / f"{name}.ipynb")
    return folder


@pytest.fixture(scope="module")
def lab(handed_out, tmp_path_factory):
    """Address of a JupyterLab in that folder."""
    private = tmp_path_factory.mktemp("jupyter")
    for name, text in SETTINGS.items():
        file = private / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    folders = {"CONFIG_DIR": "config", "DATA_DIR": "data", "RUNTIME_DIR": "runtime"}
    environment = {f"JUPYTER_{key}": str(private / name) for key, name in folders.items()}
    environment |= {
        "JUPYTERLAB_SETTINGS_DIR": str(private / "settings"),
        "CSB_VERDICTS": str(private / "verdicts"),
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--expose-app-in-browser"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    with (private / "log").open("w") as log:
        server = subprocess.Popen(
            command, cwd=handed_out, env={**os.environ, **environment}, stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"{address}/api/status", timeout=5)
                break
            except OSError:
                assert server.poll() is None, (private / "log").read_text()
                time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture
def opened(browser, lab):
    """Function that opens a chapter in JupyterLab, with what the browser complains of."""
    contexts = []

    def open_chapter(name):
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        contexts.append(context)
        context.set_default_timeout(120_000)
        page, complaints = context.new_page(), []
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
        page.goto(f"{lab}/doc/tree/{name}.ipynb?reset")
        wait_until_shown(page, name)
        return page, complaints

    yield open_chapter
    for context in contexts:
        context.close()


def wait_until_shown(page, name):
    """Until all cells are there and what they show has not changed for a second."""
    cells = len(nbformat.read(ROOT / f"{name}.ipynb", as_version=4).cells)
    before, same, until = None, 0, time.monotonic() + 300
    while same < 4:
        page.wait_for_timeout(250)
        now = page.evaluate(SHOWN)
        assert time.monotonic() < until, f"after five minutes there are {now}, of {cells} cells"
        ready = now["cells"] == cells and not now["empty"]
        before, same = now, same + 1 if ready and now == before else 0


def words(text):
    return " ".join(text.split())


def figures_of(name):
    """Alternative texts of the figures of the built page."""
    page = (BOOK / f"{name}.html").read_text("utf-8")
    found = re.findall(r"""<figure [^>]*>\s*<a [^>]*><img alt=(?:"([^"]*)"|'([^']*)')""", page)
    return [html.unescape("".join(alt)) for alt in found]


def values_of(name):
    cells = nbformat.read(ROOT / f"{name}.ipynb", as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return {words(re.sub(r"\\(.)", r"\1", value)) for _, value in MARKED.findall(prose)}


def shows_all(name, text, figures):
    assert LOST.findall(text) == []
    assert figures == figures_of(name)
    text = words(text)
    assert not [value for value in values_of(name) if value not in text]


def shown_figures(page):
    """Alternative texts of the figures whose drawing is there."""
    return page.locator(".jp-Notebook .csb-figure img").evaluate_all(
        "images => images.filter(each => each.naturalWidth > 0).map(each => each.alt)"
    )


@pytest.mark.parametrize("name", all_but(FEW))
def test_a_chapter_opened_in_jupyterlab(opened, name):
    page, complaints = opened(name)
    shows_all(name, page.locator(".jp-Notebook").inner_text(), shown_figures(page))
    assert complaints == []


@pytest.mark.parametrize("name", all_but([ONE]))
def test_a_chapter_run_in_jupyterlab(opened, name):
    page, complaints = opened(name)
    page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    page.evaluate("jupyterapp.commands.execute('notebook:clear-all-cell-outputs')")
    assert shown_figures(page) == []
    page.set_default_timeout(600_000)
    assert page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')") is True
    wait_until_shown(page, name)
    assert page.locator(".jp-Notebook [data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    shows_all(name, page.locator(".jp-Notebook").inner_text(), shown_figures(page))
    assert complaints == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_chapter_by_nbconvert(handed_out, name):
    from nbconvert import HTMLExporter

    text, _ = HTMLExporter(embed_images=False).from_filename(str(handed_out / f"{name}.ipynb"))
    figures = re.findall(
        r"""<div class="csb-figure"[^>]*><img alt=(?:"([^"]*)"|'([^']*)') src="data:image/svg""", text
    )
    body = re.sub(r"(?s)<(style|script).*?</\1>|<!--.*?-->|<[^>]*>", "", text)
    shows_all(name, html.unescape(body), [html.unescape("".join(alt)) for alt in figures])


def test_a_chapter_by_jupyter_execute_in_an_empty_folder(handed_out, tmp_path):
    file = Path(shutil.copy(handed_out / f"{ONE}.ipynb", tmp_path))
    environment = {**os.environ, "CSB_VERDICTS": str(tmp_path / "verdicts")}
    command = [sys.executable, "-m", "jupyter", "execute", "--inplace", file.name]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    outputs = [each for cell in nbformat.read(file, as_version=4).cells for each in cell.get("outputs", [])]
    drawn = [each for each in outputs if "csb-figure" in "".join(each.get("data", {}).get("text/html", ""))]
    assert len(drawn) == len(figures_of(ONE)) > 0
