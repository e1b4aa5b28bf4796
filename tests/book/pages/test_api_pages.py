"""The pages on the package: one for every estimator, and on one of them every public module and name."""

import importlib
import inspect
import json
import pkgutil
import re
from pathlib import Path

import pytest

import csb
from csb.methods import METHODS
from csbook.chapters.cards import families, family, formulas, has_card, lessons

ROOT = Path(__file__).parents[3]
BOOK = ROOT / "book"
ROOMS = {path: path.read_text("utf-8") for path in [BOOK / "api.md", *sorted((BOOK / "api").glob("*.md"))]}
DOCUMENTED = re.findall(r"automodule:: (csb[\w.]*)", "".join(ROOMS.values()))
CLASSES = [name for name in csb.__all__ if inspect.isclass(getattr(csb, name))]
PUBLIC = ("costs", "estimators", "evaluation", "inputs", "methods", "recommend")
"""Parts whose modules users may import; of the others the pages have what chapters import."""


def test_every_module_stands_on_one_page():
    assert len(DOCUMENTED) > 60
    assert sorted(DOCUMENTED) == sorted(set(DOCUMENTED))
    for module in DOCUMENTED:
        importlib.import_module(module)


def test_the_first_page_leads_to_all_rooms():
    linked = re.findall(r"\{doc\}`(?:[^`<]*<)?(api/\w+)>?`: \w", ROOMS[BOOK / "api.md"])
    assert sorted(linked) == sorted(f"api/{path.stem}" for path in ROOMS if path.parent.name == "api")


def test_every_public_name_is_described():
    """Each where it is made or where it is handed on; a class of csb itself on its own page."""
    modules = [importlib.import_module(f"csb.{part}") for part in PUBLIC]
    for package in [each for each in modules if hasattr(each, "__path__")]:
        names = [found.name for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")]
        modules += map(importlib.import_module, (name for name in names if "._" not in name))
    described = {id(getattr(csb, name)) for name in CLASSES} | {
        id(getattr(module, name))
        for module in map(importlib.import_module, set(DOCUMENTED) - {"csb"})
        for name in module.__all__
    }
    files = [path for part in PUBLIC for path in (ROOT / "csb").glob(f"{part}*/**/*.py")]
    files += [path for part in PUBLIC for path in (ROOT / "csb").glob(f"{part}.py")]
    assert len(modules) == len(files)
    for module in [csb, *modules]:
        names = getattr(module, "__all__", [])
        assert not [name for name in names if id(getattr(module, name)) not in described], module.__name__


def test_every_module_that_a_chapter_imports_is_described():
    imported = set()
    for page in BOOK.rglob("*.ipynb"):
        cells = json.loads(page.read_text("utf-8"))["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        for package, names in re.findall(r"(?m)^from (csb[\w.]*) import (\([^)]*\)|.*)$", code):
            for name in re.findall(r"(\w+)(?: as \w+)?", names):
                found = getattr(importlib.import_module(package), name, None)
                imported.add(found.__name__ if inspect.ismodule(found) else package)
    assert len(imported) > 20
    assert imported <= set(DOCUMENTED)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The first page and the pages of the estimators, built alone, and the folder of their sources."""
    pytest.importorskip("myst_parser", reason="the book's packages are not installed")
    from sphinx.testing.util import SphinxTestApp

    source = tmp_path_factory.mktemp("source")
    (source / "index.md").write_text("# Package\n\n```{estimator-tables}\n```\n", encoding="utf-8")
    (source / "conf.py").write_text(
        "extensions = ['myst_parser', 'sphinx_design', 'sphinx.ext.autodoc', "
        "'numpydoc', 'api_pages']\nnumpydoc_show_class_members = False\n"
        "myst_enable_extensions = ['colon_fence', 'dollarmath']\nsuppress_warnings = ['*']\n",
        encoding="utf-8",
    )
    folder = source / "book" / "api" / "estimators"
    folder.mkdir(parents=True)
    (folder / "Former.md").write_text("# Former\n")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BOOK / "_ext"))
        for cls in (getattr(csb, name) for name in CLASSES):  # autodoc writes those of the bases into them
            patch.setattr(cls, "__annotations__", inspect.get_annotations(cls))
        app = SphinxTestApp("pseudoxml", srcdir=source)
        app.build()
        yield app, folder
        app.cleanup()


def test_every_estimator_has_one_page_and_one_row_of_the_tables(built):
    from docutils import nodes

    app, folder = built
    assert sorted(path.stem for path in folder.iterdir()) == sorted(CLASSES)
    tables = list(app.env.get_doctree("index").findall(nodes.section))[1:]
    assert [each[0].astext() for each in tables][:-1] == families()
    rows = {}
    for table in tables:
        (body,) = table.findall(nodes.tbody)
        for entry in body.findall(nodes.row):
            name, text = (cell.astext() for cell in entry)
            assert name not in rows
            rows[name] = text
            method = getattr(getattr(csb, name), "_method", None)
            if method and has_card(method):
                assert family(method) == table[0].astext()
    assert sorted(rows) == sorted(CLASSES)
    assert rows["AdaMEC"] == "AdaBoost with the decision of minimum expected cost."


def test_the_page_of_an_estimator_has_its_row_and_all_its_methods(built):
    app, folder = built
    objects = {name: page for name, _, _, page, _, _ in app.env.get_domain("py").get_objects()}
    with_row = set()
    for name in CLASSES:
        text = (folder / f"{name}.md").read_text("utf-8")
        assert re.findall(r"autoclass:: (.*)", text) == [f"csb.{name}"]
        for member in ("", ".fit", ".predict"):
            assert objects[f"csb.{name}{member}"] == f"book/api/estimators/{name}"
        if method := getattr(getattr(csb, name), "_method", None):
            with_row.add(method.key)
            assert formulas(method) in text.replace("](../../reference/", "](")
            assert f'METHODS["{method.key}"]' in text
            assert (f"<method-{method.key.replace('_', '-')}>" in text) is has_card(method)
            assert all(f"[](../../{page}.ipynb)" in text for page in lessons(method))
    assert with_row == METHODS.keys()


def test_a_page_that_is_right_already_is_left_alone(built):
    import api_pages

    app, folder = built
    before = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    (folder / "AdaMEC.md").write_text("# Another\n")
    api_pages.write_pages(app)
    after = {path: path.stat().st_mtime_ns for path in folder.iterdir()}
    assert [path.stem for path in before if before[path] != after[path]] == ["AdaMEC"]
    assert (folder / "AdaMEC.md").read_text("utf-8").startswith("# AdaMEC\n")


@pytest.mark.parametrize("method", list(filter(has_card, METHODS.values())), ids=lambda method: method.key)
def test_every_method_with_a_card_has_a_lesson(method):
    assert lessons(method)
    assert not [page for page in lessons(method) if page.endswith("_evidence")]
    assert all((ROOT / "book" / f"{page}.ipynb").is_file() for page in lessons(method))
