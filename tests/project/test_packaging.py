"""Wheel and sdist: they build without a network, hold what they must, and import."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from csbook.studies import source_sha256

pytestmark = pytest.mark.deep
ROOT = Path(__file__).parents[2]

CHAPTER = ROOT / "book" / "designs" / "fat_shattering_evidence.ipynb"
"""It reads recorded results and what a paper prints, and records verdicts."""

CUT_OFF = """
import socket

def refuse_elsewhere(connect):
    def guarded(self, address):
        if isinstance(address, tuple) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"cut off from {address[0]}")
        return connect(self, address)
    return guarded

socket.socket.connect = refuse_elsewhere(socket.socket.connect)
socket.socket.connect_ex = refuse_elsewhere(socket.socket.connect_ex)
"""
"""Python runs it at every start, as ``sitecustomize``; a kernel speaks to its client on this machine."""

EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
notebook.cells.append(nbformat.v4.new_code_cell(
    "import socket, csb\\n"
    "print(csb.__file__)\\n"
    "try:\\n"
    "    socket.create_connection(('192.0.2.1', 80), timeout=1)\\n"
    "except OSError as error:\\n"
    "    print(error)"
))
NotebookClient(notebook, timeout=600).execute()
print(notebook.cells[-1].outputs[0].text)
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folder with the sdist and the wheel that was made from it."""
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("cost_sensitive_boosting-*.whl")
    return path


def package_files():
    """Every file of the package, as a path relative to the project."""
    files = (p for p in (ROOT / "csb").rglob("*") if p.is_file() and "__pycache__" not in p.parts)
    return {p.relative_to(ROOT).as_posix() for p in files}


def recorded_files():
    """Every file of what is recorded, likewise."""
    return {path.relative_to(ROOT).as_posix() for path in (ROOT / "data").rglob("*") if path.is_file()}


def test_wheel_holds_the_package_with_what_is_recorded_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == package_files() | {f"csb/compendium/{name}" for name in recorded_files()}
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)


def test_sdist_holds_what_the_book_and_the_tests_need(built):
    (path,) = built.glob("cost_sensitive_boosting-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert package_files() <= names
    assert recorded_files() <= names
    assert {"Makefile", "requirements.lock", "_config.yml", "_toc.yml"} <= names
    assert {"tests/conftest.py", "book/index.ipynb", "book/_ext/execute.py"} <= names
    top = {name.split("/")[0] for name in names}
    assert not top & {".venv", "_build", ".git", ".numba_cache"}


def test_package_imports_from_the_wheel_alone(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import importlib, importlib.metadata, pkgutil, csb\n"
        "found = pkgutil.walk_packages(csb.__path__, 'csb.')\n"
        "names = [module.name for module in found if not module.name.endswith('__main__')]\n"
        "files = [importlib.import_module(name).__file__ for name in names]\n"
        "assert len(files) > 1 and all(file.startswith(sys.argv[1]) for file in files), files\n"
        "from csbook.chapters.claims import table\n"
        "from csbook.studies import recorded, source_sha256\n"
        "print(len(table()), len(recorded('c08').tables), source_sha256())\n"
    )
    command = [sys.executable, "-I", "-c", script, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["55", "1", source_sha256()]


def contents(folder):
    """Files below a folder, without what Python compiles for itself."""
    files = (path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(folder): path.read_bytes() for path in files}


def test_a_chapter_runs_where_the_wheel_is_installed(wheel, tmp_path):
    pytest.importorskip("myst_nb", reason="executes a chapter, which takes csb[book]")
    site, guard, reader = (tmp_path / name for name in ("site", "guard", "reader"))
    install = ["pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run([sys.executable, "-m", *install], check=True)
    guard.mkdir()
    (guard / "sitecustomize.py").write_text(CUT_OFF)
    reader.mkdir()
    shutil.copy(CHAPTER, reader)
    before = contents(site)

    environment = {name: value for name, value in os.environ.items() if not name.startswith("CSB_")} | {
        "PYTHONPATH": os.pathsep.join([str(guard), str(site)]),
        "NUMBA_CACHE_DIR": str(tmp_path / "numba"),
        "CSB_CACHE": str(tmp_path / "cache"),
    }
    command = [sys.executable, "-c", EXECUTE, CHAPTER.name]
    done = subprocess.run(command, cwd=reader, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == [str(site / "csb" / "__init__.py"), "cut off from 192.0.2.1"]
    verdicts = {path.stem for path in (reader / "_build" / "verdicts").iterdir()}
    assert verdicts == set(re.findall(r'\\"([A-Z]\d*-\d+)\\"', CHAPTER.read_text("utf-8")))
    assert contents(site) == before


def test_import_leaves_out_what_is_slow_to_import():
    slow = {"matplotlib", "sklearn.ensemble", "sklearn.linear_model", "sklearn.svm", "sklearn.tree"}
    code = f"import sys, csb; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_metadata_of_the_wheel(wheel):
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = Parser().parsestr(archive.read(name).decode())
    assert metadata["Name"] == "cost-sensitive-boosting"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().strip() == (ROOT / "README.md").read_text("utf-8").strip()
    classifiers = metadata.get_all("Classifier")
    assert {f"Programming Language :: Python :: 3.{minor}" for minor in (11, 12, 13)} <= set(classifiers)
    assert "Typing :: Typed" in classifiers and "csb/py.typed" in archive.namelist()
    assert not [each for each in classifiers if each.startswith("License")], "the expression says it"
    (scripts,) = [name for name in archive.namelist() if name.endswith(".dist-info/entry_points.txt")]
    assert archive.read(scripts).decode().split() == ["[console_scripts]", "csb", "=", "csb.__main__:main"]
    assert set(metadata.get_all("Provides-Extra")) == {"book", "test", "lab", "bench", "dask", "audit"}
