"""Wheel and sdist: they build without a network, hold what they must, and import."""

import subprocess
import sys
import tarfile
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from csb.compendium.studies import source_sha256

ROOT = Path(__file__).parents[1]


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
    (path,) = built.glob("csb-*.whl")
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
    (path,) = built.glob("csb-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    assert package_files() <= names
    assert recorded_files() <= names
    assert {"Makefile", "constraints.txt", "_config.yml", "_toc.yml"} <= names
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
        "from csb.compendium.chapters.claims import table\n"
        "from csb.compendium.studies import recorded, source_sha256\n"
        "print(len(table()), len(recorded('c08').tables), source_sha256())\n"
    )
    command = [sys.executable, "-I", "-c", script, str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["50", "1", source_sha256()]


def test_import_leaves_out_what_is_slow_to_import():
    slow = {"matplotlib", "sklearn.ensemble", "sklearn.linear_model", "sklearn.svm", "sklearn.tree"}
    code = f"import sys, csb; print(sorted({slow} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


def test_metadata_of_the_wheel(wheel):
    archive = zipfile.ZipFile(wheel)
    (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
    metadata = Parser().parsestr(archive.read(name).decode())
    assert metadata["Name"] == "csb"
    assert metadata["License-Expression"] == "BSD-3-Clause"
    assert set(metadata.get_all("Provides-Extra")) == {"book", "test", "lab", "bench", "dask"}
