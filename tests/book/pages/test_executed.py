"""A damaged cache of executed chapters is noticed, said, and filled again."""

import json
import sqlite3
import sys
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from csbook.chapters.chapter import SAID

pytest.importorskip("jupyter_cache", reason="the cache of the book, which takes csbook[build]")
EXTENSIONS = str(Path(__file__).parents[3] / "book" / "_ext")
CHAPTERS = {"one": "6 * 7", "two": 'claims.record_verdict("N16-1", {})\n"no claim: X99-1"'}


@pytest.fixture
def extensions(monkeypatch):
    """The modules of the book's build that are tested here."""
    monkeypatch.setenv("CSB_VERDICTS", "restored after the test")
    monkeypatch.syspath_prepend(EXTENSIONS)
    import execute
    import executed

    yield SimpleNamespace(executed=executed, execute=execute)
    for name in ("executed", "execute", "cache_key"):
        sys.modules.pop(name, None)


def chapter(source):
    """A notebook of one cell, as it is before it is executed."""
    return new_notebook(cells=[new_code_cell(source)])


@pytest.fixture
def folder(extensions, tmp_path):
    """A cache of two chapters, one of which recorded a verdict."""
    folder = tmp_path / "cache"
    cache = extensions.executed.open_cache(folder)
    for name, source in CHAPTERS.items():
        notebook = chapter(source)
        notebook.cells[0].execution_count = 1
        notebook.cells[0].outputs = [new_output("stream", text=f"{name} was executed\n")]
        cache.cache_notebook_bundle(extensions.execute.CacheBundleIn(notebook, f"{name}.ipynb"))
    (folder / "verdicts").mkdir()
    (folder / "verdicts" / "N16-1.json").write_text(json.dumps({"id": "N16-1", "verdict": "reproduced"}))
    cache.db.dispose()
    return folder


@pytest.fixture
def kept(extensions, folder, capfd):
    """Function that opens the cache and gives the chapters left in it and what was said."""

    def open_it():
        capfd.readouterr()
        cache = extensions.executed.open_cache(folder)
        left = set()
        for name, source in CHAPTERS.items():
            try:
                _, notebook = cache.merge_match_into_notebook(chapter(source))
            except KeyError:
                continue
            assert notebook.cells[0].outputs[0].text == f"{name} was executed\n"
            left.add(name)
        for source in CHAPTERS.values():  # what was thrown out can be put back
            notebook = chapter(source)
            notebook.cells[0].execution_count = 1
            bundle = extensions.execute.CacheBundleIn(notebook, "back.ipynb")
            cache.cache_notebook_bundle(bundle, overwrite=True)
        cache.db.dispose()
        return left, capfd.readouterr().out.splitlines()

    return open_it


def outputs(folder, name):
    (path,) = (p for p in folder.rglob("base.ipynb") if f"{name} was executed" in p.read_text("utf-8"))
    return path


def test_a_sound_cache_is_left_alone(kept):
    assert kept() == ({"one", "two"}, [])


def drop_cells(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = []
    nbformat.write(notebook, path)


def forget_execution(path):
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].execution_count = None
    nbformat.write(notebook, path)


DAMAGES = {
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-30]),
    "empty": lambda path: path.write_bytes(b""),
    "gone": Path.unlink,
    "other": lambda path: path.write_text("{}"),
    "list": lambda path: path.write_text("[]"),
    "bytes": lambda path: path.write_bytes(bytes(range(256))),
    "no cells": drop_cells,
    "not executed": forget_execution,
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_chapter_with_damaged_outputs_is_executed_again(folder, kept, damage):
    damage(outputs(folder, "one"))
    left, said = kept()
    assert left == {"two"}
    (line,) = said
    assert line.startswith("Outputs are") and line.endswith("one.ipynb is executed again")


@pytest.mark.parametrize("text", [None, "", '{"id": "N16-1", "ver', '{"id": "N16-2"}', "[]", "{}"])
def test_a_chapter_with_a_damaged_verdict_is_executed_again(folder, kept, text):
    path = folder / "verdicts" / "N16-1.json"
    if text is None:
        path.unlink()
    else:
        path.write_text(text)
    assert kept() == (
        {"one"},
        ["The verdict on N16-1 is missing or damaged in the cache; two.ipynb is executed again"],
    )


def cut_database(path):
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def overwrite_page(path):
    content = bytearray(path.read_bytes())
    content[4096:8192] = bytes(4096)
    path.write_bytes(content)


def drop_table(path):
    with sqlite3.connect(path) as database:
        database.execute("drop table nbcache")


DATABASE_DAMAGES = {
    "cut": cut_database,
    "empty": lambda path: path.write_bytes(b""),
    "gone": Path.unlink,
    "bytes": lambda path: path.write_bytes(1000 * b"no database"),
    "page": overwrite_page,
    "table": drop_table,
}


@pytest.mark.parametrize("damage", DATABASE_DAMAGES.values(), ids=DATABASE_DAMAGES)
def test_with_a_damaged_database_all_are_executed_again(folder, kept, damage):
    damage(folder / "global.db")
    left, said = kept()
    assert left == set()
    assert said == [f"The cache of executed chapters is damaged; all are executed again: {folder}"]
    assert not (folder / "verdicts").exists()


@pytest.mark.parametrize("damage", ["outputs", "database"])
def test_the_book_is_executed_from_a_damaged_cache(extensions, tmp_path, capfd, damage):
    (tmp_path / "book").mkdir()
    (tmp_path / "_config.yml").write_text("execute: {timeout: 60}\n")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: book/one\n")
    nbformat.write(chapter("print('was executed')"), tmp_path / "book" / "one.ipynb")
    assert extensions.execute.main(["--root", str(tmp_path)]) == 0
    (folder,) = (tmp_path / "_build" / ".jupyter_cache").iterdir()
    if damage == "outputs":
        DAMAGES["cut"](next(folder.rglob("base.ipynb")))
    else:
        DATABASE_DAMAGES["cut"](folder / "global.db")
    capfd.readouterr()
    assert extensions.execute.main(["--root", str(tmp_path)]) == 0
    said = capfd.readouterr().out
    assert "executed again" in said and "1 chapters: 0 from the cache, 1 executed" in said

    config = SimpleNamespace(nb_execution_mode="cache", nb_execution_cache_path="")
    app = SimpleNamespace(srcdir=tmp_path, outdir=tmp_path / "_build" / "html")
    DAMAGES["empty"](next(folder.rglob("base.ipynb")))
    extensions.executed.name_cache(app, config)
    assert config.nb_execution_cache_path == str(folder)
    assert "one.ipynb is executed again" in capfd.readouterr().out
    assert not list(folder.rglob("base.ipynb"))


@pytest.fixture
def app(extensions, tmp_path):
    """A build of one page, whose prose says 41, and whose cells say what is given."""

    def build(said):
        page = chapter("said")
        page.cells.append(new_markdown_cell("It is <!--answer-->41<!--/-->."))
        nbformat.write(page, tmp_path / "page.ipynb")
        page.cells[0].execution_count = 1
        hidden = {"text/html": "<span hidden></span>"}
        page.cells[0].outputs = [new_output("display_data", hidden, metadata={SAID: {"answer": said}})]
        cache = extensions.executed.open_cache(tmp_path / "cache")
        cache.cache_notebook_bundle(extensions.execute.CacheBundleIn(page, "page.ipynb"), overwrite=True)
        (tmp_path / "html" / "_sources").mkdir(parents=True)
        config = SimpleNamespace(nb_execution_mode="cache", nb_execution_cache_path=str(tmp_path / "cache"))
        env = SimpleNamespace(found_docs={"page", "other"}, doc2path=lambda name: tmp_path / DOCS[name])
        return SimpleNamespace(
            config=config, env=env, builder=SimpleNamespace(format="html"), outdir=tmp_path / "html"
        )

    return build


DOCS = {"page": "page.ipynb", "other": "other.md"}


@pytest.mark.parametrize(
    "said, warned", [("41", []), ("42", ["cell 1: answer is '41' in the prose; the cells say '42'"])]
)
def test_the_build_compares_the_prose_with_the_cells(extensions, app, monkeypatch, said, warned):
    found = []
    monkeypatch.setattr(extensions.executed.logger, "warning", lambda message, **where: found.append(message))
    built = app(said)
    extensions.executed.compare_prose(built, built.env)
    assert found == warned


def test_the_book_hands_out_chapters_with_their_outputs(extensions, app, tmp_path):
    built = app("41")
    extensions.executed.offer_executed(built, RuntimeError())
    assert not list((tmp_path / "html" / "_sources").iterdir())
    extensions.executed.offer_executed(built, None)
    (handed_out,) = (tmp_path / "html" / "_sources").iterdir()
    code, prose = nbformat.read(handed_out, as_version=4).cells
    assert code.outputs[0].metadata == {SAID: {"answer": "41"}} and "41" in prose.source
