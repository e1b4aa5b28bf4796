"""Wheels and sdists of both packages: they build without a network, hold what they must, and work alone."""

import importlib.util
import json
import os
import re
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
BOOK = ROOT / "book"
PACKED = ROOT / "_build" / "html.tar.xz"

DIST = os.environ.get("CSB_DIST")
"""A folder with what `make wheels` made of the project as it stands; without one, the tests build it."""

CHAPTER = BOOK / "designs" / "fat_shattering_evidence.ipynb"
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
    "import socket, csb, csbook\\n"
    "print(csb.__file__)\\n"
    "print(csbook.__file__)\\n"
    "try:\\n"
    "    socket.create_connection(('192.0.2.1', 80), timeout=1)\\n"
    "except OSError as error:\\n"
    "    print(error)"
))
NotebookClient(notebook, timeout=600).execute()
print(notebook.cells[-1].outputs[0].text)
"""


def build(project, folder):
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(project)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folder with both sdists and the wheels that were made from them."""
    if DIST:
        return ROOT / DIST
    folder = tmp_path_factory.mktemp("dist")
    build(ROOT, folder)
    build(BOOK, folder)
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (path,) = built.glob("cost_sensitive_boosting-*.whl")
    return path


@pytest.fixture(scope="module")
def book_wheel(built):
    (path,) = built.glob("cost_sensitive_boosting_book-*.whl")
    return path


@pytest.fixture(scope="module")
def site(wheel, book_wheel, tmp_path_factory):
    """A folder into which both wheels are installed."""
    folder = tmp_path_factory.mktemp("installed") / "site"
    install = ["pip", "install", "--quiet", "--no-deps", "--no-index", "--target", str(folder)]
    subprocess.run([sys.executable, "-m", *install, str(wheel), str(book_wheel)], check=True)
    return folder


@pytest.fixture(scope="module")
def environment(site, tmp_path_factory):
    """Variables with which Python finds the installed packages, and no network."""
    guard, caches = tmp_path_factory.mktemp("guard"), tmp_path_factory.mktemp("caches")
    (guard / "sitecustomize.py").write_text(CUT_OFF)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("CSB_")}
    return kept | {
        "PYTHONPATH": os.pathsep.join([str(guard), str(site)]),
        "NUMBA_CACHE_DIR": str(caches / "numba"),
        "CSB_CACHE": str(caches / "csb"),
    }


def names_in(archive):
    """Files of a wheel, and apart from them those that describe it."""
    names = set(zipfile.ZipFile(archive).namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    return inside, {name.split(".dist-info/")[1] for name in names - inside}


def files(folder, above):
    """Every file below a folder, as paths relative to another one, without what programs keep there."""
    found = (path for path in folder.rglob("*") if path.is_file())
    kept = (path for path in found if not {"__pycache__", ".ipynb_checkpoints"} & {*path.parts})
    return {path.relative_to(above).as_posix() for path in kept}


def contents(folder):
    return {name: (folder / name).read_bytes() for name in files(folder, folder)}


def carried():
    """Where the book's package has what stands elsewhere in the project."""
    records = {f"csbook/{name}" for name in files(ROOT / "data", ROOT)}
    chapters = {f"csbook/notebooks/{name}" for name in files(BOOK, BOOK) if name.endswith(".ipynb")}
    return records | chapters | {"csbook/html.tar.xz" for _ in [0] if DIST or PACKED.is_file()}


def metadata(archive):
    (name,) = (each for each in zipfile.ZipFile(archive).namelist() if each.endswith(".dist-info/METADATA"))
    return Parser().parsestr(zipfile.ZipFile(archive).read(name).decode())


def test_wheel_holds_the_package_and_nothing_of_the_book(wheel):
    inside, beside = names_in(wheel)
    assert inside == files(ROOT / "csb", ROOT)
    assert "licenses/LICENSE" in beside
    assert wheel.stat().st_size <= 500 * 1024


def test_wheel_of_the_book_holds_records_and_chapters(book_wheel):
    inside, beside = names_in(book_wheel)
    assert inside == files(BOOK / "csbook", BOOK) | carried()
    assert "licenses/LICENSE" in beside
    assert (BOOK / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_sdist_holds_what_the_book_and_the_tests_need(built):
    (path,) = built.glob("cost_sensitive_boosting-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert files(ROOT / "csb", ROOT) | files(BOOK / "csbook", ROOT) | files(ROOT / "data", ROOT) <= names
    assert {"Makefile", "requirements.lock", "_config.yml", "_toc.yml", "book/pyproject.toml"} <= names
    assert {"tests/conftest.py", "book/index.ipynb", "book/_ext/execute.py"} <= names
    top = {name.split("/")[0] for name in names}
    assert not top & {".venv", "_build", ".git", ".numba_cache"}


def test_sdist_of_the_book_has_everything_in_its_place(built):
    (path,) = built.glob("cost_sensitive_boosting_book-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {member.name.split("/", 1)[1] for member in archive.getmembers() if member.isfile()}
    hidden = {".gitignore", "PKG-INFO"}
    around = {"LICENSE", "README.md", "build_hook.py", "pyproject.toml"}
    assert names - hidden == files(BOOK / "csbook", BOOK) | carried() | around


def test_installed_in_place_the_book_carries_no_copies(tmp_path):
    script = "import sys; from hatchling.build import build_editable as build; print(build(sys.argv[1]))"
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, cwd=BOOK, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    inside, _ = names_in(tmp_path / done.stdout.split()[-1])
    assert all(name.endswith(".pth") for name in inside) and inside


@pytest.mark.parametrize("size, goes", [(10, True), (11, False), (None, False)])
def test_the_built_book_goes_with_the_wheel_unless_it_is_large(tmp_path, monkeypatch, size, goes):
    spec = importlib.util.spec_from_file_location("build_hook", BOOK / "build_hook.py")
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    assert hook.LARGEST == 10_000_000
    monkeypatch.setattr(hook, "LARGEST", 10)
    (tmp_path / "_build").mkdir()
    if size is not None:
        (tmp_path / "_build" / "html.tar.xz").write_bytes(bytes(size))
    build_data = {"force_include": {}}
    hook.Carried(str(tmp_path / "book"), {}, None, None, "", "wheel").initialize("standard", build_data)
    assert ("csbook/html.tar.xz" in build_data["force_include"].values()) is goes


def test_the_package_imports_from_its_wheel_alone(wheel, tmp_path):
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); sys.modules['csbook'] = None\n"
        "import importlib, pkgutil, csb\n"
        "moved = {'csb.compendium', 'csb.datasets'}\n"
        "names = {module.name for module in pkgutil.walk_packages(csb.__path__, 'csb.')} - moved\n"
        "files = [importlib.import_module(name).__file__ for name in names]\n"
        "assert all(file.startswith(sys.argv[1]) for file in files), files\n"
        "print(*sorted(names))\n"
    )
    command = [sys.executable, "-I", "-c", script, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sources = (name for name in names_in(wheel)[0] if name.endswith(".py"))
    modules = {name.removesuffix(".py").replace("/", ".") for name in sources}
    modules = {name.removesuffix(".__init__") for name in modules} - {"csb", "csb.compendium", "csb.datasets"}
    assert done.stdout.split() == sorted(modules)


def test_a_chapter_runs_where_the_wheels_are_installed(site, environment, tmp_path):
    pytest.importorskip("IPython", reason="executes a chapter, which takes the packages of the book")
    before = contents(site)
    command = [sys.executable, "-m", "csbook", "chapters", CHAPTER.stem, "--to", "reader"]
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, stdout=subprocess.DEVNULL)
    reader = tmp_path / "reader"
    (copy,) = reader.iterdir()
    built = ROOT / "_build" / "html" / "_sources" / CHAPTER.relative_to(ROOT)
    assert DIST or copy.read_bytes() in (CHAPTER.read_bytes(), built.is_file() and built.read_bytes())
    stands, should = (json.loads(path.read_text("utf-8"))["cells"] for path in (copy, CHAPTER))
    assert [cell["source"] for cell in stands] == [cell["source"] for cell in should]
    command = [sys.executable, "-c", EXECUTE, CHAPTER.name]
    done = subprocess.run(command, cwd=reader, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    where = [str(site / package / "__init__.py") for package in ("csb", "csbook")]
    assert done.stdout.split("\n")[:3] == [*where, "cut off from 192.0.2.1"]
    verdicts = {path.stem for path in (reader / "_build" / "verdicts").iterdir()}
    assert verdicts == set(re.findall(r'\\"([A-Z]\d*-\d+)\\"', CHAPTER.read_text("utf-8")))
    assert contents(site) == before


@pytest.mark.parametrize(
    "arguments, words",
    [
        (["chapters"], "margins_evidence"),
        (["study"], "n16/stump-published"),
        (["properties", "adaboost", "--table-only"], "FGD-consistent"),
        (["data", "list"], "CSB_DATA: not set"),
        (["--version"], "csbook 0.1.0"),
    ],
)
def test_commands_work_where_the_wheels_are_installed(site, environment, tmp_path, arguments, words):
    before = contents(site)
    command = [sys.executable, "-m", "csbook", *arguments]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert words in done.stdout
    assert contents(site) == before and not contents(tmp_path)


def test_installed_and_in_a_checkout_the_source_is_the_same(environment, tmp_path):
    script = "from csbook.studies import source_sha256 as sha; print(sha())"
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == source_sha256()


# --- metadata --------------------------------------------------------------------------------------


def test_import_leaves_out_what_is_slow_to_import():
    slow = {"matplotlib", "sklearn.ensemble", "sklearn.linear_model", "sklearn.svm", "sklearn.tree"}
    code = f"import sys, csb; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_metadata_of_the_wheels(wheel, book_wheel):
    for path, name, readme, package in (
        (wheel, "cost-sensitive-boosting", ROOT / "README.md", "csb"),
        (book_wheel, "cost-sensitive-boosting-book", BOOK / "README.md", "csbook"),
    ):
        found = metadata(path)
        assert found["Name"] == name and found["License-Expression"] == "BSD-3-Clause"
        assert found["Description-Content-Type"] == "text/markdown"
        assert found.get_payload().strip() == readme.read_text("utf-8").strip()
        classifiers = found.get_all("Classifier")
        assert not [each for each in classifiers if each.startswith("License")], "the expression says it"
        assert {f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)} <= set(classifiers)
        archive = zipfile.ZipFile(path)
        (scripts,) = (each for each in archive.namelist() if each.endswith(".dist-info/entry_points.txt"))
        written = archive.read(scripts).decode().split()
        assert written == ["[console_scripts]", package, "=", f"{package}.__main__:main"]
    assert "Typing :: Typed" in metadata(wheel).get_all("Classifier")
    assert "csb/py.typed" in zipfile.ZipFile(wheel).namelist()


def test_each_pulls_the_other_in_the_same_version(wheel, book_wheel):
    first, second = metadata(wheel), metadata(book_wheel)
    assert first["Version"] == second["Version"]
    assert set(first.get_all("Provides-Extra")) == {"book", "test", "bench", "dask", "audit"}
    assert second.get_all("Provides-Extra") == ["build"]
    of_the_book = [line for line in first.get_all("Requires-Dist") if "extra == 'book'" in line]
    assert of_the_book == [f"{second['Name']}=={second['Version']}; extra == 'book'"]
    assert f"{first['Name']}=={first['Version']}" in second.get_all("Requires-Dist")
