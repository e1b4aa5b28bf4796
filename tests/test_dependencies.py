"""`make oldest` installs the lower bounds of pyproject.toml, and no pin holds `make newest` back."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TESTED = ("bench", "dask", "test")  # the extras of the environments for the oldest and the newest
EXTRAS = PROJECT["project"]["optional-dependencies"]
LINES = [*PROJECT["project"]["dependencies"], *(line for extra in TESTED for line in EXTRAS[extra])]
NEEDED = {requirement.name: requirement for requirement in map(Requirement, LINES)}


def oldest():
    lines = (ROOT / "constraints-oldest.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def lower_bound(requirement):
    (bound,) = [each.version for each in requirement.specifier if each.operator == ">="]
    return Version(bound)


def test_every_direct_dependency_is_pinned_and_nothing_else():
    assert list(oldest()) == sorted(NEEDED)


@pytest.mark.parametrize("name", NEEDED)
def test_pin_is_the_lower_bound(name):
    assert Version(oldest()[name]) == lower_bound(NEEDED[name])


def test_one_package_has_one_bound():
    """A package in two groups would have two, and one of them would not be tested."""
    all_lines = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]
    all_lines += [line for lines in EXTRAS.values() for line in lines]
    bounds = {}
    for requirement in map(Requirement, all_lines):
        bounds.setdefault(requirement.name, set()).add(str(requirement.specifier))
    assert not {name: found for name, found in bounds.items() if len(found) > 1}


@pytest.mark.parametrize("target, constraints", [("oldest", ["constraints-oldest.txt"]), ("newest", [])])
def test_target_has_an_environment_of_its_own(target, constraints):
    shown = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True).stdout
    assert set(re.findall(r"\.venv[\w-]*", shown)) == {f".venv-{target}"}
    assert re.findall(r"-c (\S+)", shown) == constraints
    assert set(re.search(r"-e '\.\[([\w,]+)\]'", shown)[1].split(",")) == set(TESTED)
    assert re.search(r"pytest -n 2 --dist loadfile tests csb$", shown, re.MULTILINE)
