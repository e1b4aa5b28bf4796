"""The annotations of the package are complete and agree with one another; a caller is told of mistakes."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import csb

pytestmark = pytest.mark.deep

ROOT = Path(__file__).parents[2]
USER = """\
import csb

X = [[0.0], [1.0]]
fitted = csb.AdaC1(fn_cost=3, fp_cost=2.0, init="uniform", pos_label="sick").fit(X, ["no", "sick"])
fitted.set_params(fn_cost=5).predict([[0.0]]).mean()
csb.AdaC1(3, 1, 50, "logistic", random_state=0)
csb.CalibratedAdaMEC(fn_cost=5, calibration="isotonic", cv=3)
csb.GDAdaC1().fit(X, [0, 1], cost=[1.0, 2.0])
csb.GradientDescentBoosting(3.0, objective=lambda y, c: (c, y, 0))
csb.LpCSB([[0, 1], [5, 0]], p=1.5, form="paper", step=None)
csb.VARIANTS["adac2"].build_rules(init="uniform").exponents
csb.AdaC1(fn_costs=3)  # call-arg
csb.AdaC1(init="nonsense")  # arg-type
csb.AdaMEC(fn_cost="3")  # arg-type
csb.LogitBoost(fn_cost=3)  # call-arg
csb.AdaMEC().fit(X, [0, 1], cost=[1.0, 2.0])  # call-arg
fitted.predictions  # attr-defined
csb.VARIANTS["adac2"].formula  # attr-defined
"""


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    """Runs mypy as the project sets it, and gives its exit code and what it prints."""
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path_factory.mktemp("cache"))]

    def run(*files):
        env = os.environ | {"MYPYPATH": str(ROOT)}
        done = subprocess.run([*command, *files], cwd=ROOT, env=env, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr

    return run


def test_mypy_has_no_complaint(mypy):
    code, printed = mypy()
    assert code == 0, printed


def test_mypy_knows_every_public_name(mypy, tmp_path):
    """It reads lists of names only where they are written out."""
    (tmp_path / "user.py").write_text("import csb\n" + "".join(f"csb.{name}\n" for name in csb.__all__))
    code, printed = mypy(str(tmp_path / "user.py"))
    assert code == 0, printed


def test_mypy_finds_the_mistakes_of_a_caller(mypy, tmp_path):
    (tmp_path / "user.py").write_text(USER)
    _, printed = mypy(str(tmp_path / "user.py"))
    marked = (line.partition("  # ")[2] for line in USER.splitlines())
    expected = {(str(number), code) for number, code in enumerate(marked, 1) if code}
    found = re.findall(r"user\.py:(\d+): error: .*\[([\w-]+)\]$", printed, re.MULTILINE)
    assert set(found) == expected, printed
    assert printed.count(" error: ") == len(expected), printed
