"""Without numba everything runs in numpy, says so once, and gives the bytes of compiled code."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from csb.engine.compiled import COMPILES

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[3]
CHAPTER = ROOT / "book" / "foundations" / "costs_and_decisions.ipynb"

ABSENT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("numba", "llvmlite"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""
"""Python runs it at every start, as ``sitecustomize``."""

FIT = """
import inspect, json, sys, warnings
import numpy as np
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import csb
    from csb import estimators
    from csb.engine.compiled import COMPILES, compile_at_once

compile_at_once()
rng = np.random.default_rng(0)
y = np.arange(600) % 2  # more than 255 rows of each class: a sum of bytes would begin again at zero
X = rng.normal(size=(600, 3)) + np.outer(y, [0.8, 0.4, 0.0])
X[:, 2] = np.round(X[:, 2])
found = {}
wanted = {"n_estimators": 3, "random_state": 0, "fn_cost": 3.0}
for name in json.loads(sys.argv[1]):
    name, _, learner = name.partition(" ")
    make = getattr(estimators, name)
    settings = wanted | ({"estimator": learner} if learner else {})
    model = make(**{key: value for key, value in settings.items() if key in make().get_params()})
    for given in (X, X.astype(np.float32)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(given, y)
        scores = getattr(model, "decision_function", model.predict)(given)
        cuts = [np.ravel(getattr(each, "threshold", 0)) for each in getattr(model, "estimators_", ())]
        found[f"{name} {learner} {given.dtype}"] = np.concatenate([np.ravel(scores), *cuts]).tolist()
says = [each.category.__name__ for each in caught]
json.dump([COMPILES, says, found], sys.stdout)
"""

CHAPTER_RUN = """
import os, sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=600).execute()
nbformat.write(notebook, sys.argv[2])
"""


@pytest.fixture(scope="module")
def absent(tmp_path_factory):
    """Environment of a process that finds no numba."""
    guard = tmp_path_factory.mktemp("guard")
    (guard / "sitecustomize.py").write_text(ABSENT)
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(guard), str(ROOT)])}


def run(environment, code, *arguments, cwd=None):
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, env=environment, cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_the_readme_runs_without_numba_and_says_so_once(absent):
    text = (ROOT / "README.md").read_text("utf-8")
    ((code, printed),) = re.findall(r"```python\n(.*?)```\n+```text\n(.*?)```", text, re.S)
    done = run(absent, code)
    assert done.stdout == printed
    assert done.stderr.count("NotCompiledWarning") == 1
    assert "No module named" in done.stderr and "numba" in done.stderr


def test_every_estimator_gives_the_scores_of_compiled_code(absent):
    if not COMPILES:
        pytest.skip("numba is absent here, or switched off")
    from csb import estimators

    names = [*estimators.__all__]
    names += [f"CGAda {learner}" for learner in ("tree", "logistic", "univariate_logistic")]
    names += [f"{name} tree" for name in ("AdaBoostM2", "GBSE", "LpCSB")]
    compiled, said, expected = json.loads(run(os.environ, FIT, json.dumps(names)).stdout)
    assert compiled and said == []
    compiled, said, found = json.loads(run(absent, FIT, json.dumps(names)).stdout)
    assert not compiled and said == ["NotCompiledWarning"]
    assert found.keys() == expected.keys() and len(found) > 80  # in both precisions
    for name, scores in found.items():
        assert np.ptp(scores[:600]) > 0 or np.ptp(expected[name][:600]) == 0, name
        np.testing.assert_array_equal(scores, expected[name], err_msg=name)


def test_compiling_can_be_switched_off():
    done = run(os.environ | {"NUMBA_DISABLE_JIT": "1"}, FIT, '["CGAda"]')
    compiled, said, found = json.loads(done.stdout)
    assert not compiled and said == [], "who switches it off knows"
    assert np.ptp(found["CGAda  float64"]) > 0


def shown(path):
    """What each cell shows, in order; and the texts that go to stderr."""
    import nbformat

    from csbook.chapters.notebooks import joined

    cells = nbformat.read(path, as_version=4).cells
    outputs = [output for cell in cells if cell.cell_type == "code" for output in joined(cell.outputs)]
    errors = [each.text for each in outputs if each.get("name") == "stderr"]
    kept = [{key: value for key, value in each.items() if key != "execution_count"} for each in outputs]
    return [each for each in kept if each.get("name") != "stderr"], errors


def test_a_chapter_shows_without_numba_what_it_shows_with_it(absent, tmp_path):
    pytest.importorskip("myst_nb", reason="executes a chapter, which takes csbook[build]")
    if not COMPILES:
        pytest.skip("numba is absent here, or switched off")
    for environment, name in ((os.environ, "compiled.ipynb"), (absent, "plain.ipynb")):
        run(environment, CHAPTER_RUN, CHAPTER, tmp_path / name, cwd=tmp_path)
    expected, said = shown(tmp_path / "compiled.ipynb")
    assert len(expected) > 10 and said == []
    found, said = shown(tmp_path / "plain.ipynb")
    assert len(said) == 1 and said[0].count("NotCompiledWarning") == 1
    assert found == expected
