"""What is installed: pins with checksums, lower bounds, the newest, and how known faults are looked for."""

import ast
import hashlib
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from audit import report

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
BOOK = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text("utf-8"))
OURS = {PROJECT["project"]["name"], BOOK["project"]["name"]}
TESTED = ("bench", "dask", "test")  # the extras of the environments for the oldest and the newest
EXTRAS = PROJECT["project"]["optional-dependencies"]
BOOK_EXTRAS = BOOK["project"]["optional-dependencies"]
GROUPS = BOOK["dependency-groups"]
ALL_LINES = [
    str(requirement)
    for project, extras in ((PROJECT["project"], EXTRAS), (BOOK["project"], BOOK_EXTRAS))
    for requirement in map(Requirement, (*project["dependencies"], *chain(*extras.values())))
    if requirement.name not in OURS
]
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
    """A package in two groups, or of both packages, would have two, and one of them would not be tested."""
    building = [line for each in (PROJECT, BOOK) for line in each["build-system"]["requires"]]
    bounds = {}
    for requirement in map(Requirement, [*ALL_LINES, *building, *GROUPS["in-place"]]):
        bounds.setdefault(requirement.name, set()).add(str(requirement.specifier))
    assert not {name: found for name, found in bounds.items() if len(found) > 1}


NAMED_OTHERWISE = {
    "distributed": "dask", "imblearn": "imbalanced-learn", "llvmlite": "numba", "sklearn": "scikit-learn",
    "sphinxcontrib": "sphinxcontrib-bibtex", "xgboost": "xgboost-cpu",
    "yaml": "pyyaml",
}  # fmt: skip
"""Distributions of what is imported, where the names differ."""
WITH_JUPYTER_BOOK = {"docutils", "sphinx", "sphinx-external-toc", "sphinxcontrib-bibtex"}
"""It is made of them, and says itself which versions go together."""


def imported(*paths):
    """Distributions of what Python files and code cells import, at their top or when they need it."""
    found = set()
    for path in paths:
        text = path.read_text("utf-8")
        if path.suffix == ".ipynb":
            cells = [cell["source"] for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
            text = "\n".join(line for cell in cells for line in [*cell, "\n"] if not line.startswith("%"))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add(node.module.split(".")[0])
    outside = found - sys.stdlib_module_names - {"csb", "csbook"}
    return {canonicalize_name(NAMED_OTHERWISE.get(name, name)) for name in outside}


def declared(lines):
    return {canonicalize_name(Requirement(line).name) for line in lines} - OURS


def test_the_package_declares_what_it_imports_and_nothing_else():
    """Dask's tables are its one extra; LightGBM serves where it is installed."""
    needed = declared([*PROJECT["project"]["dependencies"], *EXTRAS["dask"], "lightgbm"])
    assert imported(*(ROOT / "csb").rglob("*.py")) == needed


def test_the_book_declares_what_its_package_and_chapters_import_and_what_shows_them():
    book = ROOT / "book"
    chapters = [path for path in book.rglob("*.ipynb") if ".ipynb_checkpoints" not in path.parts]
    of_the_package = declared(PROJECT["project"]["dependencies"])
    needed = declared(BOOK["project"]["dependencies"])
    assert not needed & of_the_package, "they come with it, as it is the very same version"
    found = imported(*(book / "csbook").rglob("*.py"), *chapters)
    assert found - of_the_package == needed - {"jupyterlab", "jupyterlab-myst"}


def test_what_builds_the_book_is_declared_and_used():
    extensions = [*(ROOT / "book" / "_ext").glob("*.py"), *(ROOT / "book" / "figures").glob("*.py")]
    beside = {path.stem for path in extensions}
    config = (ROOT / "_config.yml").read_text("utf-8")
    found = imported(*extensions) - {canonicalize_name(name) for name in beside} - WITH_JUPYTER_BOOK
    needed = declared(BOOK_EXTRAS["build"])
    assert found <= needed | declared(BOOK["project"]["dependencies"] + PROJECT["project"]["dependencies"])
    text = config + "".join(path.read_text("utf-8") for path in extensions)
    assert not [name for name in needed - {"pyyaml"} if not re.search(name.replace("-", "[-_]"), text)]


def test_without_jupyter_book_the_same_is_taken_but_of_any_version():
    """What jupyter-book brings is named; one is pinned, for the files that it carries."""
    found = {canonicalize_name(each.name): str(each.specifier) for each in map(Requirement, GROUPS["sphinx"])}
    assert found.pop("sphinx-mathjax-offline") == "==0.0.2" and not any(found.values())
    told = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["sphinx"]
    others = {each for each in told["config"]["extensions"] if not each.startswith("sphinx.ext.")}
    shown = {canonicalize_name(each) for each in others - told["local_extensions"].keys() - {"jupyter_book"}}
    assert found.keys() == shown | {"jupyter-cache", "pyyaml", "sphinx", "sphinx-multitoc-numbering"}
    assert WITH_JUPYTER_BOOK - {"docutils"} <= found.keys()
    assert declared(BOOK_EXTRAS["build"]) - found.keys() == {
        "jupyter-book", "playwright", "sphinx-mathjax-offline",
    }  # fmt: skip
    shown = subprocess.run(["make", "-n", "sphinx"], cwd=ROOT, capture_output=True, text=True).stdout
    assert "--upgrade-strategy eager --group book/pyproject.toml:sphinx -e . -e book\n" in shown


IN_NO_BROWSER = {"dask", "jupyterlab", "jupyterlab-myst", "nbclient", "xgboost-cpu"}
"""What chapters, in a browser, do without: their server, and what nobody has compiled for it."""
OF_WHAT_PIP_INSTALLS = {"seaborn", "statsmodels"}


def test_in_a_browser_chapters_find_what_they_need():
    """Pip resolves nothing there: whatever is not of conda's packages is named, both packages among it."""
    environment = yaml.safe_load((ROOT / ".lite" / "environment.yml").read_text("utf-8"))
    *others, by_pip = environment["dependencies"]
    assert [(ROOT / ".lite" / folder).resolve() for folder in by_pip["pip"][-2:]] == [ROOT, ROOT / "book"]
    needed = declared(PROJECT["project"]["dependencies"] + BOOK["project"]["dependencies"])
    assert {*others, *by_pip["pip"][:-2]} == needed - IN_NO_BROWSER | OF_WHAT_PIP_INSTALLS | {"xeus-python"}
    build = yaml.safe_load((ROOT / ".lite" / "build.yml").read_text("utf-8"))["dependencies"]
    assert {"micromamba", "jupyterlite-core", "jupyterlite-xeus"} <= {each.split("=")[0] for each in build}


@pytest.mark.parametrize(
    "target, constraints, besides",
    [("oldest", ["constraints-oldest.txt"], set()), ("newest", [], {"audit"})],
)
def test_target_has_an_environment_of_its_own(target, constraints, besides):
    shown = subprocess.run(["make", "-n", target], cwd=ROOT, capture_output=True, text=True).stdout
    assert set(re.findall(r"\.venv[\w-]*", shown)) == {f".venv-{target}"}
    assert re.findall(r"pip install .* -c (\S+)", shown) == constraints
    assert set(re.search(r"-e '\.\[([\w,]+)\]'", shown)[1].split(",")) == {*TESTED, *besides}
    assert re.search(r"--no-deps -e book$", shown, re.MULTILINE)
    assert re.search(r"pytest (.|\n)*\btests csb book/csbook$", shown, re.MULTILINE)
    assert ("tests/audit.py" in shown) is bool(besides)


# --- the locks: one list of versions, with checksums, and its part for those who read and rerun -------


class Pin(NamedTuple):
    """One package of the lock."""

    requirement: Requirement
    hashes: list[str]


TO_BUILD, TO_READ = "requirements.lock", "requirements-read.lock"


def pins(lock=TO_BUILD):
    text = (ROOT / lock).read_text("utf-8").replace("\\\n", " ")
    lines = [line.split() for line in text.splitlines() if not line.startswith("#")]
    parsed = [
        Pin(
            Requirement(" ".join(word for word in words if not word.startswith("--hash="))),
            [word.removeprefix("--hash=") for word in words if word.startswith("--hash=")],
        )
        for words in lines
    ]
    return {canonicalize_name(pin.requirement.name): pin for pin in parsed}


def pinned(name):
    (specifier,) = pins()[canonicalize_name(name)].requirement.specifier
    assert specifier.operator == "=="
    return Version(specifier.version)


@pytest.mark.parametrize("lock, more_than", [(TO_BUILD, 200), (TO_READ, 120)])
def test_lock_holds_versions_and_checksums_only(lock, more_than):
    text = (ROOT / lock).read_text("utf-8")
    line = r"[a-z0-9.-]+(\[[a-z-]+\])?==[\w.+!]+( ; [^\\]+)? \\\n(    --hash=sha256:[0-9a-f]{64}( \\)?\n)+"
    assert re.fullmatch(f"(#.*\n)*({line})+", text), "no address and no option may stand in it"
    assert len(re.findall("==", text)) >= len(pins(lock)) > more_than


def test_one_lock_is_a_part_of_the_other():
    """The same versions and files; a condition may fall away where something else needs the package too."""
    everything, part = pins(TO_BUILD), pins(TO_READ)
    assert {name: (pin.requirement.specifier, pin.hashes) for name, pin in part.items()} == {
        name: (everything[name].requirement.specifier, everything[name].hashes) for name in part
    }
    assert len(part) < 0.7 * len(everything)


def test_who_reads_and_reruns_gets_what_that_takes_and_no_builder():
    part = pins(TO_READ)
    needed = declared(PROJECT["project"]["dependencies"] + BOOK["project"]["dependencies"])
    assert needed | {canonicalize_name(Requirement(each).name) for each in GROUPS["in-place"]} <= part.keys()
    assert not part.keys() & {"jupyter-book", "sphinx", "playwright", "pytest", "mypy", "ruff", "uv"}


def test_every_pin_has_the_checksums_of_all_files_of_its_version():
    """Compiled packages have a wheel for each kind of machine."""
    assert all(pin.hashes and len(set(pin.hashes)) == len(pin.hashes) for pin in pins().values())
    for name in ("numpy", "scipy", "pandas", "scikit-learn", "matplotlib", "llvmlite", "pillow", "pyyaml"):
        assert len(pins()[name].hashes) > 15, name
    elsewhere = {name for name, pin in pins().items() if "win32" in str(pin.requirement.marker)}
    assert "colorama" in elsewhere and "appnope" in pins()


@pytest.mark.parametrize("requirement", list(map(Requirement, ALL_LINES)), ids=str)
def test_every_dependency_has_a_pin_that_satisfies_it(requirement):
    assert requirement.specifier.contains(pinned(requirement.name))


def test_indirect_dependencies_are_pinned_too():
    pytest.importorskip("jupyter_book", reason="walks through all that is installed with csbook[build]")
    known, missing, seen = pins(), set(), set()
    queue = [(r, extra) for r in map(Requirement, ALL_LINES) for extra in ("", *r.extras)]
    while queue:
        requirement, extra = queue.pop()
        name = canonicalize_name(requirement.name)
        if (name, extra) in seen:
            continue
        seen.add((name, extra))
        if name not in known or not requirement.specifier.contains(pinned(name)):
            missing.add(str(requirement))
        try:
            needed = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue  # an extra that is not installed here
        for below in map(Requirement, needed):
            if below.marker is None or below.marker.evaluate({"extra": extra}):
                queue += [(below, inner) for inner in ("", *below.extras)]
    assert not missing
    assert len(seen) > 100, "the walk must reach the dependencies of dependencies"


def test_what_is_installed_is_what_is_pinned():
    pytest.importorskip("jupyter_book", reason="compares the environment of make check")
    installed = {
        canonicalize_name(found.metadata["Name"]): Version(found.version)
        for found in importlib.metadata.distributions()
    }
    here = {name for name, pin in pins().items() if not (m := pin.requirement.marker) or m.evaluate()}
    assert {name: installed.get(name) for name in here} == {name: pinned(name) for name in here}


# the first versions without a known fault
@pytest.mark.parametrize(
    "name, mended",
    [
        ("setuptools", "78.1.1"),
        ("pip", "26.0"),
        ("wheel", "0.46.2"),
        ("tqdm", "4.66.3"),
        ("pytest", "9.0.3"),
        ("playwright", "1.56"),
        ("dask", "2026.1.1"),
        ("distributed", "2026.1.1"),
        ("jupyterlab", "4.6"),
        ("jupyter-server", "2.20"),
        ("jinja2", "3.1.6"),
        ("requests", "2.32.4"),
        ("urllib3", "2.6.3"),
        ("tornado", "6.5.3"),
        ("pyyaml", "5.4"),
        ("lightgbm", "4.6"),
    ],
)
def test_no_version_with_a_known_fault_is_pinned_or_allowed(name, mended):
    assert pinned(name) >= Version(mended)
    for requirement in map(Requirement, ALL_LINES):
        if canonicalize_name(requirement.name) == name:
            assert lower_bound(requirement) >= Version(mended)


def test_a_file_with_another_checksum_is_refused(tmp_path):
    """The package is made here, so that no network is needed."""
    with zipfile.ZipFile(tmp_path / "some-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("some.py", "")
        wheel.writestr("some-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: some\nVersion: 1.0\n")
        wheel.writestr("some-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\n")
        wheel.writestr("some-1.0.dist-info/RECORD", "")
    right = hashlib.sha256((tmp_path / "some-1.0-py3-none-any.whl").read_bytes()).hexdigest()
    install = re.search(r"-m (pip install .*) -r requirements\.lock", _install_lines())[1].split()
    folders = ["--no-index", "--find-links", str(tmp_path), "--target", str(tmp_path / "site")]
    for checksum, code in ((right, 0), (64 * "0", 1)):
        (tmp_path / "lock").write_text(f"some==1.0 \\\n    --hash=sha256:{checksum}\n")
        command = [sys.executable, "-m", *install, *folders, "-r", str(tmp_path / "lock")]
        assert subprocess.run(command, capture_output=True, cwd=tmp_path).returncode == code
    (tmp_path / "lock").write_text("some==1.0\n")
    assert subprocess.run(command, capture_output=True, cwd=tmp_path).returncode == 1


def _install_lines(target="check"):
    """What make runs to set up the environment."""
    command = ["make", "-n", "-W", "pyproject.toml", target]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    "target, python, lock",
    [("check", ".venv/", TO_BUILD), ("lab", ".venv-read/", TO_READ), ("study", ".venv-read/", TO_READ)],
)
def test_only_what_has_a_checksum_is_installed(target, python, lock):
    lines = [line for line in _install_lines(target).splitlines() if "pip install" in line]
    first, second = lines
    assert first.endswith(f"--require-hashes -r {lock}")
    assert second.endswith("--no-deps --no-build-isolation -e . -e book")
    assert all(line.startswith(python) for line in lines)


# --- known faults ----------------------------------------------------------------------------------


def audit_of(*packages):
    return json.dumps({"dependencies": packages, "fixes": []})


SOUND = {"name": "a", "version": "1", "vulns": []}
FAULTY = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"]}]}
UNKNOWN = {"name": "c", "skip_reason": "Dependency not found: c (3)"}


@pytest.mark.parametrize(
    "printed, complaints, words, code",
    [
        (audit_of(SOUND), "", "1 packages audited, 0 skipped, 0 known faults", 0),
        (audit_of(SOUND, FAULTY), "", "b 2: PYSEC-1, mended in ['3']", 1),
        (audit_of(SOUND, FAULTY), "", "2 packages audited, 0 skipped, 1 known faults", 1),
        (audit_of(SOUND, UNKNOWN), "", "Dependency not found: c (3)", 0),
        (audit_of(UNKNOWN, UNKNOWN), "", "SKIPPED, for all 2 packages. Dependency not found: c (3)", 0),
        (audit_of(), "", "SKIPPED", 0),
        ("", "Traceback\nConnectionError: no route", "SKIPPED: ConnectionError: no route", 0),
        ("", "", "SKIPPED: pip-audit printed nothing", 0),
    ],
)
def test_audit_says_what_it_found_and_what_it_could_not_look_at(printed, complaints, words, code):
    said, given = report(printed, complaints)
    assert words in said and given == code
