"""The notebooks' stored form, and the step of the book that executes them."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import csb
from csbook.chapters import notebooks

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def extensions():
    """The book's local Sphinx extensions, which are no package."""
    sys.path.insert(0, str(ROOT / "book" / "_ext"))
    yield lambda name: importlib.import_module(name)
    sys.path.remove(str(ROOT / "book" / "_ext"))


# --- the stored form ---------------------------------------------------------------------------


def test_notebooks_of_the_book_are_canonical():
    left = {path.name: notebooks.problems(path.read_text()) for path in notebooks.find([ROOT / "book"])}
    assert not any(left.values()), left


ROLE = re.compile(r"(?m)\{([\w:-]+)\}`|^ *(?:`{3,}|:{3,})\{([\w:-]+)\}")


def test_chapters_use_the_roles_and_directives_that_jupyter_knows():
    """Those of jupyterlab-myst; all else is plain Markdown."""
    known = {"eq", "admonition", "card", "div", "dropdown", "grid", "grid-item-card"}
    for path in notebooks.find([ROOT / "book"]):
        text = "\n".join(
            cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "markdown"
        )
        used = {role or directive for role, directive in ROLE.findall(text)}
        assert {name for name in used if not re.fullmatch("prf:(?!ref)[a-z]+", name)} <= known, path.name


def test_links_of_chapters_lead_to_places():
    """In Jupyter, where a link names the file and the label in it, and nobody else looks for it."""
    texts, links = {}, 0
    for path in notebooks.find([ROOT / "book"]):
        for cell in nbformat.read(path, as_version=4).cells:
            for file, label in re.findall(r"\]\(([\w./-]*?)(?:#([\w-]+))?\)", cell.source):
                target = (path.parent / file).resolve() if file else path
                if cell.cell_type == "code" and target.suffix not in (".ipynb", ".md"):
                    continue
                if target.name == "bibliography.md":
                    target = target.with_name("references.bib")
                text = texts.setdefault(target, target.read_text("utf-8"))
                assert not label or re.search(rf"[^\w#-]{label}\W", text), (path.name, file, label)
                links += 1
    assert links > 500


def executed_notebook():
    """A notebook as Jupyter saves it after a run, with one cell to be checked."""
    figure = new_output("display_data", data={"image/png": "iVBOR", "text/plain": "<Figure>"})
    table = new_output(
        "execute_result", {"text/html": "<b>2</b>", "text/plain": "2"}, execution_count=9, metadata={"x": 1}
    )
    cells = [
        new_markdown_cell("# Title", metadata={"editable": True}),
        new_code_cell("1 + 1", execution_count=9, outputs=[table], metadata={"tags": [notebooks.CHECKED]}),
        new_code_cell(
            "plot()",
            execution_count=10,
            outputs=[figure],
            metadata={"tags": ["hide-input"], "execution": {"iopub": "now"}},
        ),  # fmt: skip
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": {"name": "mine", "display_name": "Mine"}})


def test_canonical_keeps_only_what_is_compared_or_shown():
    text = notebooks.canonical(nbformat.writes(executed_notebook()))
    title, checked, plot = nbformat.reads(text, as_version=4).cells
    assert title.metadata == {}
    assert checked.execution_count == 1
    assert checked.outputs == [
        {"output_type": "execute_result", "data": {"text/plain": "2"}, "metadata": {}, "execution_count": 1}
    ]
    assert plot.outputs == [] and plot.execution_count is None
    assert plot.metadata == {"tags": ["hide-input"]}
    assert json.loads(text)["metadata"]["kernelspec"]["name"] == "python3"
    assert notebooks.canonical(text) == text and text.endswith("}\n")


def test_check_lists_and_strip_mends(tmp_path, capsys):
    path = tmp_path / "part" / "a.ipynb"
    path.parent.mkdir()
    nbformat.write(executed_notebook(), path)
    before = path.read_text()
    assert notebooks.main([str(tmp_path)]) == 1
    assert f"{path}: not in canonical form" in capsys.readouterr().out
    assert path.read_text() == before
    assert notebooks.main([str(tmp_path), "--strip"]) == 0
    assert notebooks.main([str(path)]) == 0
    assert capsys.readouterr().out == ""


def test_checked_cell_without_output_is_a_problem(tmp_path, capsys):
    pytest.importorskip("nbclient", reason="executes notebooks, which takes csbook[build]")
    path = tmp_path / "a.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("6 * 7", metadata={"tags": [notebooks.CHECKED]})]), path)
    assert notebooks.main([str(path), "--strip"]) == 1
    assert "cell 0 is to be checked and has no output" in capsys.readouterr().out
    assert notebooks.main([str(path), "--run"]) == 0
    assert nbformat.read(path, as_version=4).cells[0].outputs[0].data == {"text/plain": "42"}


def test_checked_cell_that_displays_more_than_text_is_a_problem():
    """Else nbval misses in the file what a run displays."""
    said = new_output("display_data", data={"text/html": "<span hidden></span>"})
    cell = new_code_cell("text('x', '40')", outputs=[said], metadata={"tags": [notebooks.CHECKED]})
    (problem,) = notebooks.problems(notebooks.canonical(nbformat.writes(new_notebook(cells=[cell]))))
    assert problem == "cell 0 is to be checked and has output without text: split it"


def test_find_leaves_hidden_folders_out(tmp_path):
    for name in ("b.ipynb", "a/c.ipynb", ".ipynb_checkpoints/b.ipynb", "a/.ipynb_checkpoints/c.ipynb"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert notebooks.find([tmp_path]) == [tmp_path / "a" / "c.ipynb", tmp_path / "b.ipynb"]


# --- the cache's name --------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path):
    """The least that the execution step needs, with three chapters, one of them broken."""
    (tmp_path / "csb").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "book").mkdir()
    (tmp_path / "csb" / "core.py").write_text("x = 1\n")
    (tmp_path / "data" / "table.csv").write_text("a\n")
    (tmp_path / "README.md").write_text("read me\n")
    (tmp_path / "_config.yml").write_text("execute: {timeout: 60}\n")
    (tmp_path / "_toc.yml").write_text(
        "format: jb-book\nroot: book/index\n"
        "chapters: [{file: book/good}, {file: book/bad}, {file: book/other}]\n"
    )
    (tmp_path / "book" / "index.md").write_text("# Index\n")
    note = "open('runs', 'a').write('{} ')"
    for name, source in {"good": note.format("good"), "bad": "1 / 0", "other": note.format("other")}.items():
        cell = new_code_cell(source)
        (tmp_path / "book" / f"{name}.ipynb").write_text(
            notebooks.canonical(nbformat.writes(new_notebook(cells=[cell])))
        )
    return tmp_path


@pytest.mark.parametrize(
    "change, differs",
    [
        (lambda root: (root / "csb" / "core.py").write_text("x = 2\n"), True),
        (lambda root: (root / "csb" / "core.py").rename(root / "csb" / "kernel.py"), True),
        (lambda root: (root / "data" / "table.csv").write_text("b\n"), True),
        (lambda root: (root / "requirements.lock").write_text("numpy==9\n"), True),
        (lambda root: (root / "README.md").write_text("other\n"), False),
        (lambda root: (root / "book" / "book.css").write_text("a {}\n"), False),
        (lambda root: (root / "book" / "good.ipynb").write_text("{}"), False),
        (lambda root: (root / "csb" / "__pycache__" / "core.nbi").write_text("compiled"), False),
    ],
    ids=["code", "name", "data", "versions", "readme", "style", "chapter", "bytecode"],
)
def test_cache_is_renewed_by_what_chapters_import_and_read(extensions, project, change, differs):
    fingerprint = extensions("cache_key").fingerprint
    (project / "csb" / "__pycache__").mkdir()
    before = fingerprint(project)
    assert fingerprint(project) == before
    change(project)
    assert (fingerprint(project) != before) is differs


def test_cache_is_renewed_by_another_folder_of_data(extensions, project, monkeypatch):
    monkeypatch.delenv("CSB_DATA", raising=False)
    before = extensions("cache_key").fingerprint(project)
    monkeypatch.setenv("CSB_DATA", "somewhere")
    assert extensions("cache_key").fingerprint(project) != before


# --- the execution step ------------------------------------------------------------------------


def test_failing_chapter_fails_the_step_and_alone_runs_again(extensions, project, monkeypatch, capfd):
    pytest.importorskip("jupyter_cache", reason="executes chapters, which takes csbook[build]")
    monkeypatch.setenv("CSB_VERDICTS", "restored after the test")
    execute = extensions("execute")

    assert execute.main(["--root", str(project)]) == 1
    captured = capfd.readouterr()
    assert all(words in captured.err for words in ("ZeroDivisionError", "1 / 0", "failed: bad.ipynb"))
    assert "3 chapters: 0 from the cache, 3 executed" in captured.out
    assert sorted((project / "book" / "runs").read_text().split()) == ["good", "other"]

    mended = (project / "book" / "bad.ipynb").read_text().replace("1 / 0", "1 / 1")
    (project / "book" / "bad.ipynb").write_text(mended)
    assert execute.main(["--root", str(project)]) == 0
    assert "3 chapters: 2 from the cache, 1 executed" in capfd.readouterr().out
    assert sorted((project / "book" / "runs").read_text().split()) == ["good", "other"]

    assert execute.main(["--root", str(project)]) == 0
    assert "3 chapters: 3 from the cache, 0 executed" in capfd.readouterr().out


def test_what_the_tests_have_executed_is_taken_over_unless_it_failed(extensions, project, monkeypatch, capfd):
    pytest.importorskip("jupyter_cache", reason="executes chapters, which takes csbook[build]")
    (project / "book" / "_ext").mkdir()
    for name in ("conftest.py", "_ext/cache_key.py"):
        (project / "book" / name).write_bytes((ROOT / "book" / name).read_bytes())
    failing, compared = (project / "book" / f"{name}.ipynb" for name in ("bad", "other"))
    cell = new_code_cell("6 * 7", metadata={"tags": [notebooks.CHECKED]}, execution_count=1)
    cell.outputs = [new_output("execute_result", {"text/plain": "41"}, execution_count=1)]
    nbformat.write(new_notebook(cells=[cell]), compared)
    with_verdict = "import os, sys\nprint(os.environ['CSB_VERDICTS'])\nprint('said', file=sys.stderr)"
    good = new_notebook(cells=[new_code_cell(source) for source in (with_verdict, "3 * 7")])
    nbformat.write(good, project / "book" / "good.ipynb")
    environment = os.environ | {"CSB_VERDICTS": "elsewhere"}
    command = [sys.executable, "-m", "pytest", "--nbval-lax", "--nbval-current-env", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, "book"], cwd=project, env=environment, capture_output=True, text=True)
    assert "2 failed, 2 passed" in done.stdout, done.stdout
    (tested,) = (project / "_build").rglob("*.ipynb")

    failing.write_text(failing.read_text().replace("1 / 0", "1 / 1"))
    monkeypatch.setenv("CSB_VERDICTS", "restored after the test")
    execute = extensions("execute")
    assert execute.main(["--root", str(project)]) == 0
    assert "3 chapters: 1 from the cache, 2 executed" in capfd.readouterr().out
    assert not tested.exists()
    cache = execute.read_book(["--root", str(project)], "").cache
    _, merged = cache.merge_match_into_notebook(nbformat.read(project / "book" / "good.ipynb", 4))
    first, second = (cell.outputs for cell in merged.cells)
    assert {output.name: output.text for output in first} == {
        "stdout": f"{cache.path / 'verdicts'}\n", "stderr": "said\n",
    }  # fmt: skip
    assert second[0].data == {"text/plain": "21"}
    assert [cell.execution_count for cell in merged.cells] == [1, 2]
    assert merged.metadata.language_info["pygments_lexer"] == "ipython3"


def test_chapters_that_come_out_otherwise_are_named(extensions, project, monkeypatch, capfd):
    pytest.importorskip("jupyter_cache", reason="executes chapters, which takes csbook[build]")
    monkeypatch.setenv("CSB_VERDICTS", "restored after the test")
    repeat = extensions("repeat")
    assert repeat.main(["--root", str(project)]) == 1
    assert "make book" in capfd.readouterr().err

    sources = {
        "good": "print(1)\nprint(repr(object())[-16:])\nobject()",
        "bad": "import random\nrandom.random()",
        "other": "import time\ntime.time()",
    }
    for name, source in sources.items():
        cell = new_code_cell(
            source, id=f"in-{name}", metadata={"tags": ["nbval-ignore-output"] if name == "other" else []}
        )
        (project / "book" / f"{name}.ipynb").write_text(
            notebooks.canonical(nbformat.writes(new_notebook(cells=[cell])))
        )
    assert extensions("execute").main(["--root", str(project)]) == 0
    assert repeat.main(["--root", str(project)]) == 1
    captured = capfd.readouterr()
    assert "2 cells of 3 chapters compared: 1 differ" in captured.out
    assert captured.err.splitlines()[-1] == "bad.ipynb: cell in-bad"


# --- the colophon ------------------------------------------------------------------------------


def test_day_of_the_build_can_be_set_and_is_a_day_of_universal_time(extensions, monkeypatch):
    build_date = extensions("colophon").build_date
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(86_400 * 365 + 86_399))
    assert build_date() == "1 January 1971"


def test_colophon_names_the_versions_in_use(extensions):
    texts = extensions("colophon").colophon()
    assert texts["csb_version"] == csb.__version__
    assert f"numpy {np.__version__}" in texts["build_environment"]
    assert f"Python {sys.version.split()[0]}" in texts["build_environment"]
