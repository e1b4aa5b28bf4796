"""Every command line: nothing is ignored, no path misread, and what goes wrong is told in one line."""

import importlib
import os
from pathlib import Path

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import others
from csbook import built_book
from csbook.command_line import in_one_line
from csbook.datasets.storing import locked
from csbook.studies import STUDIES
from toy_study import small

STUDY, DATA = "csbook.studies.cli:main", "csbook.datasets.cli:main"
CHAPTERS, OPEN = "csbook.built_book:copy_chapters", "csbook.built_book:open_book"
NOTEBOOKS, PROPERTIES = "csbook.chapters.notebooks:main", "csbook.theory.properties.cli:main"
CSB, CSBOOK = "csb.__main__:main", "csbook.__main__:main"
BENCH, OTHERS = "benchmarks.__main__:main", "benchmarks.others:main"
CLUSTER = "benchmarks.cluster:main"

REFUSED = [
    # what is not known
    (CSB, ["complie"], 2, "unrecognized arguments: complie"),
    (CSB, ["compile", "--quick"], 2, "unrecognized arguments: compile --quick"),
    (CSB, [""], 2, "unrecognized arguments"),
    (CSBOOK, ["studies"], 2, "invalid choice: 'studies'"),
    (CSBOOK, [""], 2, "invalid choice: ''"),
    (CSBOOK, ["data", "lists"], 2, "invalid choice: 'lists'"),
    (CSBOOK, ["chapters", "margin", "--to", "new"], 1, "nearest is 'margins'"),
    (CSBOOK, ["study", "smal"], 1, "nearest is 'small'"),
    (DATA, ["list", "heart"], 2, "unrecognized arguments: heart"),
    (DATA, ["fetch"], 2, "required: NAME"),
    (DATA, ["verify", "--force"], 2, "unrecognized arguments: --force"),
    (OPEN, ["margins"], 2, "unrecognized arguments: margins"),
    (PROPERTIES, ["--evidence"], 2, "unrecognized arguments: --evidence"),
    (BENCH, ["speed"], 2, "unrecognized arguments: speed"),
    (OTHERS, ["--large"], 2, "unrecognized arguments: --large"),
    # what is empty
    (DATA, ["fetch", ""], 1, "''"),
    (DATA, ["verify", ""], 1, "''"),
    (CHAPTERS, [""], 1, "NAME=''"),
    (CHAPTERS, ["margins", "--to", ""], 2, "--to: '' is empty"),
    (STUDY, [""], 1, "''"),
    (STUDY, ["small", "--out", ""], 2, "--out: '' is empty"),
    (STUDY, ["small", "--work", " "], 2, "--work: ' ' is empty"),
    (STUDY, ["small", "--scheduler", ""], 2, "--scheduler: '' is empty"),
    (STUDY, ["n16", "--learner", "", "--track", "clean"], 2, "--learner: '' is empty"),
    (STUDY, ["n16", "--learner", "tree", "--track", ""], 2, "--track: '' is empty"),
    (STUDY, ["small", "--workers", ""], 2, "--workers: invalid int value"),
    (PROPERTIES, [""], 1, "''"),
    (NOTEBOOKS, [""], 2, "'' is empty"),
    (BENCH, ["--quick", "--out", ""], 2, "--out: '' is empty"),
    (CLUSTER, ["--out", ""], 2, "--out: '' is empty"),
    (CLUSTER, ["--memory", ""], 2, "--memory: '' is empty"),
    # what has no meaning beside the rest
    (CHAPTERS, ["--to", "new"], 1, "--to new: name the chapters"),
    (STUDY, ["--quick"], 1, "--quick has no meaning without the name of a study"),
    (STUDY, ["--units", "3"], 1, "--units has no meaning without the name of a study"),
    (STUDY, ["small", "c08"], 1, "c08: one study is run at a time, named is 'small'"),
    (STUDY, ["small", "--units", "1"], 1, "--units has no meaning beside the study 'small'"),
    (STUDY, ["small", "--quick"], 1, "--quick: name a folder with --out"),
    (STUDY, ["small", "--timeout", "9"], 1, "--timeout has a meaning beside --scheduler only"),
    (STUDY, ["small", "--scheduler", "tcp://x:1", "--workers", "2"], 1, "--workers has no meaning beside"),
    (STUDY, ["n16", "--learner", "stump"], 1, "--learner and --track go together"),
    (STUDY, ["n16", "--track", "clean"], 1, "--learner and --track go together"),
    (STUDY, ["small", "--learner", "stump", "--track", "clean"], 1, "small/stump-clean"),
    (STUDY, ["verify", "c08", "--out", "new"], 1, "--out has no meaning beside 'verify'"),
    (STUDY, ["verify", "--quick"], 1, "--quick has no meaning beside 'verify'"),
    (STUDY, ["verify", "--workers", "2"], 1, "--workers has no meaning beside 'verify'"),
    (NOTEBOOKS, ["--strip", "--run"], 2, "not allowed with"),
    (BENCH, ["--quick", "--large", "--out", "new"], 1, "allowed is one of them"),
    (BENCH, ["--quick"], 1, "--quick: name a folder with --out"),
    # what is not there, or is something else
    (CHAPTERS, ["margins", "--to", "file"], 1, "to='file': nothing can be written"),
    (STUDY, ["small", "--out", "file"], 1, "folder='file': nothing can be written"),
    (STUDY, ["small", "--work", "~nobody-of-this-name/x"], 2, "--work: '~nobody-of-this-name/x': "),
    (STUDY, ["small", "--workers", "0"], 1, "workers=0"),
    (STUDY, ["verify", "--units", "0", "c08"], 1, "count=0"),
    (PROPERTIES, ["csb0", "--workers", "0"], 1, "workers=0"),
    (NOTEBOOKS, ["nowhere.ipynb"], 1, "No such file or directory: 'nowhere.ipynb'"),
    (NOTEBOOKS, ["."], 1, "no notebook lies there"),
    (NOTEBOOKS, ["file"], 1, "file: no notebook of format 4"),
    (NOTEBOOKS, ["list", "--strip"], 1, "list: no notebook of format 4"),
    (BENCH, ["--quick", "--out", "file"], 1, "out='file': nothing can be written"),
    (CLUSTER, ["--rows", "0"], 1, "rows=0"),
    (CLUSTER, ["--workers", "-1"], 1, "workers=-1"),
    (CLUSTER, ["--memory", "much"], 1, "much"),
]  # fmt: skip


def ran(command, arguments):
    """The code with which a command ends."""
    module, name = command.split(":")
    if command == CLUSTER:
        pytest.importorskip(
            "distributed", reason="Dask is an extra: pip install 'cost-sensitive-boosting[dask]'"
        )
    try:
        return getattr(importlib.import_module(module), name)(arguments)
    except SystemExit as end:
        return end.code


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder to work in, with a file and another home; a study and benchmarks that do nothing."""

    def nothing(*given):
        raise AssertionError("work has begun")

    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "home").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "list").write_text("[]")
    monkeypatch.setitem(STUDIES, "small", small())
    monkeypatch.setattr(benchmarks.processes, "start", nothing)
    monkeypatch.setattr(others, "equal", nothing)
    return tmp_path


@pytest.mark.parametrize("command, arguments, code, words", REFUSED, ids=lambda each: str(each)[-40:])
def test_a_mistake_is_named_and_nothing_is_done(here, capsys, command, arguments, code, words):
    assert ran(command, arguments) == code
    said = capsys.readouterr()
    lines = said.err.splitlines()
    assert words in lines[-1] and "Traceback" not in said.err
    # what cannot be read shows how it is to be written
    assert len(lines) == 1 if code == 1 else lines[0].startswith("usage: ")
    assert said.out == "" and {path.name for path in here.iterdir()} == {"file", "home", "list"}


def test_the_table_has_every_command():
    modules = {path: path.read_text("utf-8") for path in Path(built_book.__file__).parent.rglob("*.py")}
    modules |= {path: path.read_text("utf-8") for path in Path(benchmarks.__file__).parent.glob("*.py")}
    modules[Path("csb")] = Path(importlib.import_module("csb.__main__").__file__).read_text("utf-8")
    parsers = sum(text.count("argparse.ArgumentParser(") for text in modules.values())
    assert parsers == len({command for command, *_ in REFUSED})


def test_home_is_understood_in_every_path(here, capsys, monkeypatch):
    """No shell replaces it behind an equals sign."""
    home = here / "home"
    assert ran(STUDY, ["small", "--out=~/out", "--work=~/work", "--workers=1"]) == 0
    assert (home / "out" / "t.csv").is_file() and len(list((home / "work").rglob("*.jsonl"))) == 2
    assert ran(CHAPTERS, ["margins", "--to=~/chapters"]) == 0
    assert (home / "chapters" / "margins.ipynb").is_file()
    assert ran(NOTEBOOKS, ["~/chapters"]) == 0
    monkeypatch.setenv("CSB_CACHE", "~/cache")
    monkeypatch.setenv("CSB_DATA", "~/work")
    capsys.readouterr()
    assert ran(DATA, ["list"]) == 0
    said = capsys.readouterr().out
    assert f"CSB_DATA: {home / 'work'}\n" in said and f"cache: {home / 'cache'}\n" in said
    assert not (here / "~").exists()


def test_a_work_folder_in_use_is_told(here, capsys):
    """By another study or other settings it may be used: they have folders of their own below it."""
    assert ran(STUDY, ["small", "--workers", "1", "--work", "work", "--out", "out"]) == 0
    (units,) = [path.parent for path in (here / "work").rglob("x.jsonl")]
    with locked(units):
        assert ran(STUDY, ["small", "--workers", "1", "--work", "work", "--out", "new"]) == 1
        message = (
            "work='work' is in use by another run of study 'small': wait for its end, or name another folder"
        )
        assert capsys.readouterr().err.splitlines()[-1] == message
        assert not (here / "new").exists()
        assert ran(STUDY, ["small", "--workers", "1", "--work", "other", "--out", "new"]) == 0
    assert ran(STUDY, ["small", "--workers", "1", "--work", "work", "--out", "new"]) == 0


@pytest.mark.parametrize(
    "error, code, line",
    [
        (ValueError("one\n\n  two"), 1, "one two"),
        (AssertionError("a number differs"), 1, "a number differs"),
        (OSError(28, os.strerror(28), "x"), 1, "[Errno 28] No space left on device: 'x'"),
        (KeyboardInterrupt(), 130, "stopped"),
    ],
)
def test_an_error_is_one_line(capsys, error, code, line):
    @in_one_line("stopped")
    def command(argv):
        raise error

    assert command([]) == code and capsys.readouterr().err == f"{line}\n"


def test_a_fault_of_the_program_is_not_hidden():
    @in_one_line()
    def command(argv):
        raise TypeError("a bug")

    with pytest.raises(TypeError):
        command([])


def test_a_notebook_that_fails_is_left_as_it_is(here, capsys):
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("nbclient", reason="executes notebooks, which takes csbook[build]")
    cell = nbformat.v4.new_code_cell("raise KeyError('x')")
    (here / "a.ipynb").write_text(nbformat.writes(nbformat.v4.new_notebook(cells=[cell])))
    before = (here / "a.ipynb").read_bytes()
    assert ran(NOTEBOOKS, ["a.ipynb", "--run"]) == 1
    assert capsys.readouterr().err.splitlines()[-1] == "a.ipynb: a cell ends with KeyError: 'x'"
    assert (here / "a.ipynb").read_bytes() == before
