"""Compiled code is kept where it can be, and no state of the folder it is kept in breaks anything."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import csb
from csb.engine import code_cache as module
from csb.inputs import CompileCacheWarning
from loading import load_anew

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

TOY = """
from csb.engine.compiled import compiled

@compiled()
def double(x):
    return 2 * x
"""

FIT = """
import json, sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import csb
    from csb.engine.compiled import compile_at_once
    from sklearn.datasets import load_breast_cancer
    compile_at_once()
    X, y = load_breast_cancer(return_X_y=True)
    scores = csb.CGAda(fn_cost=5, n_estimators=5).fit(X, y).decision_function(X)
json.dump([[each.category.__name__ for each in caught], scores.tolist(), csb.__file__], sys.stdout)
"""

IMPORT = """
from numba.core.event import install_recorder
with install_recorder("numba:compile") as compiled:
    import csb
print(len(compiled.buffer))
"""


def test_importing_the_package_compiles_nothing():
    done = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"


class Toy:
    """A module of its own, in a folder of its own, whose function is loaded as by a new process."""

    def __init__(self, folder):
        self.path = folder / "toy.py"
        self.path.write_text(TOY)
        self.cache = folder / "__pycache__"

    def load(self):
        """The function and the warnings of its making and its first call."""
        toy, found, caught = load_anew(self.path, lambda toy: toy.double(21.0))
        assert found == 42.0
        assert {each.category for each in caught} <= {CompileCacheWarning}
        return toy.double, [str(each.message) for each in caught]

    def file(self, ending):
        (path,) = self.cache.glob(f"checked-*.{ending}")
        return path


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """A toy whose code has been compiled once."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    toy = Toy(tmp_path)
    double, said = toy.load()
    assert sum(double.stats.cache_misses.values()) == 1 and said == []
    return toy


def is_compiled_anew(function):
    return sum(function.stats.cache_hits.values()) == 0


def test_code_is_kept(toy):
    double, said = toy.load()
    assert not is_compiled_anew(double) and said == []


def cut(path):
    path.write_bytes(path.read_bytes()[:-40])


def empty(path):
    path.write_bytes(b"")


def flip(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 255
    path.write_bytes(content)


def garble(path):
    path.write_bytes(np.random.default_rng(0).bytes(path.stat().st_size))


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
@pytest.mark.parametrize("damage", [cut, empty, flip, garble])
def test_damage_is_noticed_and_mended(toy, ending, damage):
    damage(toy.file(ending))
    double, said = toy.load()
    assert is_compiled_anew(double)
    assert len(said) == 1 and "is damaged" in said[0] and str(toy.cache) in said[0]
    double, said = toy.load()
    assert not is_compiled_anew(double) and said == []


@pytest.mark.parametrize("seed", range(20))
def test_a_wrong_byte_anywhere_is_noticed(toy, seed):
    rng = np.random.default_rng(seed)
    path = toy.file(rng.choice(["nbi", "nbc"]))
    content = bytearray(path.read_bytes())
    content[rng.integers(len(content))] ^= rng.integers(1, 256)
    path.write_bytes(content)
    double, said = toy.load()
    assert is_compiled_anew(double) and len(said) == 1


def test_a_file_that_is_gone_is_no_damage(toy):
    toy.file("nbc").unlink()
    double, said = toy.load()
    assert is_compiled_anew(double) and said == []


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_code_goes_on_where_it_cannot_be_kept(toy, ending):
    path = toy.file(ending)
    path.unlink()
    path.mkdir()  # no file can be put in its place
    double, said = toy.load()
    assert is_compiled_anew(double)
    assert any("cannot be kept" in each for each in said)


def test_another_version_of_any_source_is_compiled_anew(toy, monkeypatch):
    monkeypatch.setattr(module, "_sources", lambda: "another")
    double, said = toy.load()
    assert is_compiled_anew(double) and said == []


def test_every_source_of_the_engine_counts(tmp_path, monkeypatch):
    engine = Path(csb.__file__).parent / "engine"
    shutil.copytree(engine, tmp_path / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(module, "__file__", str(tmp_path / "engine" / "compiled.py"))
    digest = module._sources.__wrapped__
    before = digest()
    assert before == digest()
    for path in ("scalars.py", "learners/tree_kernels.py"):
        (tmp_path / "engine" / path).open("a").write("# changed\n")
        assert digest() != before
        before = digest()


def test_no_code_is_compiled_past_the_checks():
    """``njit(cache=True)`` fails where nothing can be written."""
    sources = {path: path.read_text("utf-8") for path in Path(csb.__file__).parent.rglob("*.py")}
    assert not [path for path, text in sources.items() if "cache=True" in text and path.name != "compiled.py"]


def run(folder, **environment):
    """Warnings and scores of a fit in a process of its own, of the copy of the package in a folder."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    command = [sys.executable, "-c", FIT]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said, scores, file = json.loads(done.stdout)
    assert Path(file).is_relative_to(folder)
    return said, scores


@pytest.mark.deep
def test_package_works_where_nothing_can_be_written_and_says_so_once(tmp_path):
    """Files stand where the folders of the cache would be, for nothing is forbidden to a superuser."""
    package = tmp_path / "csb"
    shutil.copytree(Path(csb.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__", "data"))
    for source in {path.parent for path in package.rglob("*.py")}:
        (source / "__pycache__").touch()
    (tmp_path / "file").touch()
    nowhere = {name: str(tmp_path / "file" / name) for name in ("HOME", "XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    nowhere["LOCALAPPDATA"] = nowhere["HOME"]
    said, scores = run(tmp_path, **nowhere)
    assert said == ["CompileCacheWarning"]

    kept = {"NUMBA_CACHE_DIR": str(tmp_path / "numba")}
    assert run(tmp_path, **kept) == ([], scores)
    for path in (tmp_path / "numba").rglob("*.nb?"):
        flip(path)
    said, again = run(tmp_path, **kept)
    assert set(said) == {"CompileCacheWarning"} and len(said) <= 2  # one for each folder of sources
    assert again == scores
    assert run(tmp_path, **kept) == ([], scores)
