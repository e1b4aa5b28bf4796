"""CONTRIBUTING is true: what it says is done in a copy of the project, whose tests then pass."""

import importlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import nbformat
import numpy as np
import pytest
import yaml
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.utils.estimator_checks import estimator_checks_generator

import csb
from csb import METHODS, VARIANTS
from csbook.chapters.cards import card
from csbook.style import line_style
from csbook.theory.properties import Reading, decide_all, methods, verdicts

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")

ROW = "csb/methods/exponential.py"
CLASS = "csb/estimators/binary.py"
SIX_POINTS = "tests/oracles/six_points.py"
NAIVE = "tests/oracles/naive.py"
GENERATED = "book/csbook/datasets/generated.py"
TABLE = "book/csbook/datasets/registry/package.toml"
"""Files for which CONTRIBUTING prints a block."""


def block(path):
    """The first block that CONTRIBUTING prints after it has named a file."""
    found = re.search(rf"`{re.escape(path)}`(?s:.*?)\n( *)```(?:python|toml)\n((?s:.*?))\n\1```", TEXT)
    return textwrap.dedent(found[2]) + "\n"


# --- the variant, in memory ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def added(tmp_path_factory):
    """What CONTRIBUTING prints of it, as a module; the registry forgets its row afterwards."""
    of_class = "".join(line for line in block(CLASS).splitlines(True) if not line.startswith("from csb"))
    imports = (
        "from csb.estimators.binary import KW_ONLY, CostBoosting, estimator, param\n"
        "from csb.methods.exponential import adaboost_alpha, adaboost_factors\n"
    )
    path = tmp_path_factory.mktemp("variant") / "half_costs.py"
    path.write_text(imports + block(ROW) + of_class, "utf-8")
    spec = importlib.util.spec_from_file_location("half_costs", path)
    module = sys.modules["half_costs"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    METHODS.add(module.HALF_COSTS)
    yield module
    METHODS._all.pop(module.HALF_COSTS.key)
    del sys.modules["half_costs"]


def test_the_variant_is_short():
    lines = (block(ROW) + block(CLASS)).splitlines()
    assert len([line for line in lines if line.strip() and not line.startswith(("from", "import"))]) <= 25


def test_it_stands_in_the_table_with_its_options(added):
    key = added.HALF_COSTS.key
    assert VARIANTS[key] is added.HALF_COSTS and key in METHODS.table().index
    assert VARIANTS.table().loc[key, "options"] == "start"
    assert dict(VARIANTS[key].options) == {"start": ("root", "whole")}
    assert line_style(key)["label"] == added.HALF_COSTS.name


def test_it_trains_by_its_key_and_as_a_class(added):
    X, y = load_breast_cancer(return_X_y=True)
    by_key = csb.CostSensitiveBoosting(9.0, variant=added.HALF_COSTS.key, n_estimators=20).fit(X, y)
    by_name = added.HalfCosts(9.0, n_estimators=20).fit(X, y)
    np.testing.assert_array_equal(by_key.decision_function(X), by_name.decision_function(X))
    # a cost of nine under the root is a cost of three: CGAda, an independent class
    expected = csb.CGAda(3.0, n_estimators=20).fit(X, y)
    np.testing.assert_allclose(by_name.decision_function(X), expected.decision_function(X), rtol=1e-12)
    assert 'start : {"root", "whole"}, default "root"' in added.HalfCosts.__doc__
    assert clone(by_name).get_params()["start"] == "root"
    with pytest.raises(ValueError, match="start='roots'.*'root', 'whole'"):
        added.HalfCosts(start="roots").fit(X, y)


def test_it_passes_the_checks_of_scikit_learn(added):
    for estimator, check in estimator_checks_generator(added.HalfCosts(n_estimators=3)):
        check(estimator)


def test_it_has_a_card_and_properties(added):
    method = added.HALF_COSTS
    assert card(method).startswith("(method-half-costs)=\n### Half costs\n")
    assert method.name in [row.name for row in methods()]
    found = verdicts(decide_all([Reading(method.key)])).loc[method.name]
    assert found["FGD-consistent"] == "yes" and found["cost-consistent"] == "no"


# --- all of it, in a copy of the project -----------------------------------------------------------


def put(copy, path, code, before=None):
    """Write code into a file of the copy: at its end or before a line, what it imports at the top."""
    file = copy / path
    lines = code.splitlines(keepends=True)
    imports = "".join(line for line in lines if line.startswith(("from ", "import ")))
    rest = "".join(line for line in lines if not line.startswith(("from ", "import ")))
    text = re.sub(r"^(?=from (?:csb|csbook)\b)", imports, file.read_text("utf-8"), count=1, flags=re.M)
    place = len(text) if before is None else text.index(before)
    file.write_text(text[:place] + rest + text[place:], "utf-8")


def name_in(copy, path, opening, name):
    """Add a line to the list that begins with a line."""
    file = copy / path
    head, found, tail = file.read_text("utf-8").partition(opening)
    assert found, f"{path} has no {opening!r}"
    inside, end, after = re.split(r"^([)\]])", tail, maxsplit=1, flags=re.M)
    file.write_text(f"{head}{found}{inside}    {name},\n{end}{after}", "utf-8")


def chapter():
    """The least that the steps of CONTRIBUTING ask for: a question, a number from a cell, a figure."""
    drawing = """\
import matplotlib.pyplot as plt

from csb import HalfCosts
from csbook.chapters import chapter
from csbook.datasets import load
from csbook.style import line_style, set_style

set_style()
data = load("strip")
scores = HalfCosts(4.0, n_estimators=5).fit(data.X, data.y).decision_function(data.X)
fig, ax = plt.subplots()
ax.plot(sorted(scores), **line_style("half_costs"))
chapter.figure(
    "fig-strip",
    fig,
    alt="A rising line of few steps.",
    caption="Scores in ascending order. They take few values.",
)
chapter.text("strip-rows", f"{len(scores)}")"""
    text = """\
There are <!--strip-rows--><!--/--> rows. See [Nikolaou et al. [2016]](../bibliography.md#nikolaou2016)."""
    cells = [
        new_markdown_cell("(ch-strip)=\n# A strip\n\nWhat does half of the costs do on a strip?"),
        new_code_cell(drawing),
        new_markdown_cell(text),
        new_code_cell("len(scores)", metadata={"tags": ["nbval-check-output"]}),
    ]
    return new_notebook(cells=cells)


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """The project as it stands, with the variant, the data set and a chapter."""
    copy = tmp_path_factory.mktemp("project") / "copy"
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(listing, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("the project is no repository of git, which knows what belongs to it")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)

    put(copy, ROW, "\n\n" + block(ROW))
    put(copy, "csb/methods/__init__.py", "from csb.methods.exponential import HALF_COSTS\n")
    name_in(copy, "csb/methods/__init__.py", "METHODS: Registry[Any] = Registry(", "HALF_COSTS")
    put(copy, CLASS, "\n\n" + block(CLASS))
    name_in(copy, CLASS, "__all__ = [", '"HalfCosts"')
    put(copy, SIX_POINTS, block(SIX_POINTS), before="EXAMPLES = (")
    name_in(copy, SIX_POINTS, "EXAMPLES = (", "HALF_COSTS")
    first_weights = textwrap.indent(block(NAIVE), "    ")
    put(copy, NAIVE, first_weights, before="    else:\n        D = normalise(q * c)\n")
    name_in(copy, NAIVE, "VARIANTS = (", '"half_costs"')

    put(copy, GENERATED, "\n\n" + block(GENERATED))
    name_in(copy, GENERATED, "__all__ = [", '"make_strip"')
    put(copy, TABLE, "\n" + block(TABLE))

    nbformat.write(chapter(), copy / "book" / "practice" / "strip.ipynb")
    contents = yaml.safe_load((copy / "_toc.yml").read_text("utf-8"))
    (part,) = (part for part in contents["parts"] if part.get("caption") == "Practice")
    part["chapters"].append({"file": "book/practice/strip"})
    (copy / "_toc.yml").write_text(yaml.safe_dump(contents, sort_keys=False), "utf-8")
    run = ["-m", "csbook.chapters.notebooks", "--run", "book/practice/strip.ipynb"]
    for command in (["-m", "ruff", "check", "--fix", "--quiet", "."], run):  # the first is the hook's
        done = in_copy(copy, *command)
        assert done.returncode == 0, done.stdout + done.stderr
    return copy


def in_copy(copy, *command):
    path = os.pathsep.join([str(copy), str(copy / "book")])
    environment = {**os.environ, "PYTHONPATH": path, "NUMBA_CACHE_DIR": str(copy / ".numba_cache")}
    return subprocess.run(
        [sys.executable, *command], cwd=copy, env=environment, capture_output=True, text=True
    )


@pytest.mark.deep
@pytest.mark.parametrize(
    "tests",
    [
        ["tests/project/test_oracles.py", "tests/csb/methods/test_variants.py"],
        ["tests/csb/estimators/test_estimators.py", "-k", "half_costs or HalfCosts"],
        ["tests/csb/test_bad_estimators.py", "-k", "half_costs or HalfCosts"],
        ["tests/csb/test_bad_values.py", "-k", "make_strip or every"],
        ["tests/project/test_house.py", "tests/project/test_repository.py"],
        [f"tests/book/chapters/test_{of}.py" for of in ("contents", "lessons", "method_cards", "notebooks")],
        ["tests/book/pages/test_api_pages.py", "tests/book/test_style.py"],
        ["tests/book/datasets/test_datasets.py", "book/csbook/datasets/generated.py"],
        ["book/practice/strip.ipynb", "--nbval-lax", "--nbval-current-env"],
    ],
    ids=lambda tests: tests[0].removeprefix("tests/"),
)
def test_with_what_it_says_the_tests_pass(copied, tests):
    done = in_copy(copied, "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert re.search(r"[1-9]\d* passed", done.stdout)


@pytest.mark.deep
def test_in_the_copy_all_are_there(copied):
    script = (
        "import csb; from csbook.datasets import available; from csbook.built_book import chapter_files\n"
        "print(csb.__file__, 'half_costs' in csb.METHODS.table().index, csb.HalfCosts().start,\n"
        "      'strip' in set(available()['name']), 'strip' in chapter_files())"
    )
    done = in_copy(copied, "-c", script)
    assert done.stdout.split() == [str(copied / "csb" / "__init__.py"), "True", "root", "True", "True"]
