"""Plain Sphinx is told what Jupyter Book is told, less what is Jupyter Book's own."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
SPHINX = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]


@pytest.fixture(scope="module")
def conf(tmp_path_factory):
    """The names of conf.py, made and read in a folder that is not the book's."""
    pytest.importorskip("jupyter_book", reason="reads the configuration, which takes csbook[build]")
    folder = tmp_path_factory.mktemp("plain")
    program = ROOT / "book" / "_ext" / "plain_sphinx.py"
    subprocess.run([sys.executable, program, folder], check=True, cwd=folder)
    before = list(sys.path)
    yield runpy.run_path(str(folder / "conf.py"))
    sys.path[:] = before


def test_it_has_every_extension_but_those_of_jupyter_book(conf):
    assert set(SPHINX["config"]["extensions"]) - set(conf["extensions"]) == {"jupyter_book"}
    more = set(conf["extensions"]) - set(SPHINX["config"]["extensions"])
    assert more == {"sphinx_multitoc_numbering"}
    assert {*SPHINX["local_extensions"]} <= set(conf["extensions"])
    assert str(ROOT / "book" / "_ext") in sys.path


def test_what_stands_in_the_book_is_found_from_another_folder(conf):
    named = [conf["html_favicon"], conf["html_search_scorer"]]
    named += conf["bibtex_bibfiles"] + conf["html_static_path"]
    assert len(named) == 4 and all(Path(each).is_absolute() and Path(each).exists() for each in named)
    assert (ROOT / conf["external_toc_path"]).is_file()


def test_all_else_is_as_jupyter_book_is_told(conf):
    same = SPHINX["config"].keys() - {"extensions", "html_favicon", "html_search_scorer", "html_static_path"}
    assert len(same) > 10
    assert {name: conf[name] for name in same - {"html_theme_options"}} == {
        name: SPHINX["config"][name] for name in same - {"html_theme_options"}
    }
    assert SPHINX["config"]["html_theme_options"].items() <= conf["html_theme_options"].items()
    assert conf["nb_execution_mode"] == "cache" and conf["nitpicky"]
