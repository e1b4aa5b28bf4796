"""The files around the package agree with one another, and the commands do what they say."""

import importlib
import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
import types
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BOOK = tomllib.loads((ROOT / "book" / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def text_files():
    """Text files of the project by their path, build products left out."""
    folders = [
        ROOT / name
        for name in (
            ".ci",
            ".conda",
            ".devcontainer",
            ".github",
            ".lite",
            "benchmarks",
            "book",
            "csb",
            "data",
            "tests",
        )
    ]
    for path in [*ROOT.iterdir(), *(p for folder in folders for p in folder.rglob("*"))]:
        if path.is_file() and "__pycache__" not in path.parts and ".ipynb_checkpoints" not in path.parts:
            try:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def run(*command, cwd=ROOT):
    # A make above this one, such as `make deep DEEP=...`, hands its variables to the makes below it.
    own = {
        name: value
        for name, value in os.environ.items()
        if name not in {"MAKEFLAGS", "MFLAGS", "MAKELEVEL", "DEEP"}
    }
    return subprocess.run(command, cwd=cwd, env=own, capture_output=True, text=True)


# --- dependencies: pyproject.toml, the locks, environment.yml ------------------------------


def test_environment_yml_installs_what_the_makefile_installs():
    environment = yaml.safe_load(read("environment.yml"))
    (pip,) = [entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict)]
    assert pip == ["-r requirements-read.lock"]
    editable = "pip install --no-deps --no-build-isolation -e . -e book"
    assert editable in read("environment.yml") and editable in read("postBuild")
    assert editable[12:] in read("Makefile")


def test_python_version_agrees():
    environment = yaml.safe_load(read("environment.yml"))
    (python,) = [e for e in environment["dependencies"] if isinstance(e, str) and e.startswith("python=")]
    lowest = python.removeprefix("python=")
    assert PROJECT["requires-python"] == f">={lowest}"
    ruff = tomllib.loads(read("pyproject.toml"))["tool"]["ruff"]
    assert ruff["target-version"] == "py" + lowest.replace(".", "")


def test_version_agrees():
    version = PROJECT["version"]
    assert yaml.safe_load(read("CITATION.cff"))["version"] == version
    assert re.search(r"^## (\S+)", read("CHANGELOG.md"), re.M)[1] == version
    assert importlib.import_module("csb").__version__ == version
    assert BOOK["version"] == version and f"cost-sensitive-boosting=={version}" in BOOK["dependencies"]
    assert PROJECT["optional-dependencies"]["book"] == [f"cost-sensitive-boosting-book=={version}"]
    assert {load_recipe(project)["context"]["version"] for project in (PROJECT, BOOK)} == {version}


def test_archives_cite_what_the_citation_file_cites():
    citation = yaml.safe_load(read("CITATION.cff"))
    shared = {"title": citation["title"], "creators": citation["authors"], "license": citation["license"]}
    own = {"upload_type": "software", **{key: PROJECT[key] for key in ("description", "keywords")}}
    assert json.loads(read(".zenodo.json")) == shared | own


def load_recipe(project):
    return yaml.safe_load(read(f".conda/{project['name']}/recipe.yaml"))


NAMED_OTHERWISE = {"matplotlib": "matplotlib-base", "xgboost-cpu": "py-xgboost"}
"""What conda-forge calls it; its ``dask`` brings ``distributed`` along."""


@pytest.mark.parametrize("project, folder", [(PROJECT, "."), (BOOK, "book")])
def test_the_recipe_for_conda_says_what_the_metadata_say(project, folder):
    recipe, name = load_recipe(project), project["name"]
    own = tomllib.loads(read(f"{folder}/pyproject.toml"))["build-system"]["requires"]
    needs = recipe["requirements"]
    assert needs["host"] == ["python ${{ python_min }}.*", "pip", *(each.replace(">", " >") for each in own)]
    lowest, *run = needs["run"]
    assert lowest == "python >=${{ python_min }}"
    assert project["requires-python"] == f">={recipe['context']['python_min']}"
    found = {
        NAMED_OTHERWISE.get(each.name, each.name): each.specifier
        for each in map(Requirement, project["dependencies"])
    }
    lines = [line.replace("${{ version }}", project["version"]).split() for line in run]
    assert {key: SpecifierSet(bounds) for key, bounds in lines} == found
    (script,) = project["scripts"].items()
    assert recipe["build"]["noarch"] == "python"
    assert recipe["build"]["python"]["entry_points"] == [" = ".join(script)]
    assert recipe["package"] == {"name": name, "version": "${{ version }}"}
    top = (ROOT / ".conda" / name / recipe["source"]["path"]).resolve()
    (what,) = re.findall(r"pip install (\S+) ", recipe["build"]["script"])
    assert (top / what / "pyproject.toml").samefile(ROOT / folder / "pyproject.toml")
    assert (top / recipe["about"]["license_file"]).samefile(ROOT / folder / "LICENSE")
    assert recipe["about"]["summary"] == project["description"]
    assert recipe["about"]["license"] == project["license"]


def test_citation_names_the_five_papers():
    references = yaml.safe_load(read("CITATION.cff"))["references"]
    found = {(r["authors"][0]["family-names"], r["year"]) for r in references}
    assert found == {("Nikolaou", 2016), ("Cai", 2008), ("Cao", 2013), ("Karakoulas", 1998), ("Lozano", 2008)}
    keys = set(re.findall(r"^@\w+\{(\w+),", read("book/references.bib"), re.M))
    assert {f"{name.lower()}{year}" for name, year in found} <= keys


# --- commands ------------------------------------------------------------------------------------


def test_help_is_the_default_and_lists_every_target():
    phony = re.search(r"^\.PHONY: (.*)$", read("Makefile"), re.M)[1].split()
    shown = run("make").stdout
    lines = dict(re.findall(r"^  make (\w+)\s+(\S.*)$", shown, re.M))
    assert sorted(lines) == sorted(phony)
    assert {"book", "test", "check", "lab", "bench", "help"} <= set(lines)


@pytest.mark.parametrize(
    "target, command",
    [
        ("book", r"jupyter-book build \. -W -n --keep-going"),
        ("test", r"pytest -n 2 --dist loadfile --nbval-lax .* -m \"not deep\" tests csb book$"),
        ("check", r"pytest -n 2 --dist loadfile -m \"not deep\" tests csb book/csbook$"),
        ("deep", r"pytest -n 2 --dist loadfile -m deep --ignore=tests/browser tests$"),
        ("deep", r"HYPOTHESIS_PROFILE=deep .* tests/csb/test_symmetries.py tests/csb/test_promises.py$"),
        ("fuzz", r"tests/fuzz\.py 10 .*pytest -n 2 "),
        ("lab", r"jupyterlab book"),
        ("pages", r"pytest -n 2 --dist loadfile tests/browser *$"),
        ("pdf", r"book/_ext/lessons_pdf.py$"),
        ("paper", r"book/_ext/paper_pdf.py$"),
        ("sheet", r"book/_ext/sheet_pdf.py$"),
        ("wheels", r"-m build --no-isolation --outdir dist book$"),
        ("fresh", r"CSB_DIST=dist \.venv-fresh/bin/pytest -m deep tests/project/test_packaging\.py$"),
        ("repeat", r"OPENBLAS_CORETYPE=Nehalem (.|\\\n)*book/_ext/repeat.py --workers 2$"),
        ("bench", r"-m benchmarks"),
        ("sphinx", r"\.venv-sphinx/bin/sphinx-build -c _build/plain .* -n -W --keep-going \. _build/sphinx$"),
        ("lite", r"jupyter lite build --XeusAddon\.environment_file=\.lite/environment\.yml "),
        ("links", r"jupyter-book build \. --builder custom --custom-builder linkcheck"),
        ("sbom", r"cyclonedx-py environment (.|\\\n)*--output-file _build/html/_static/packages\.cdx\.json"),
        ("audit", r"tests/audit\.py$"),
        ("lock", r"uv pip compile --universal (.|\\\n)* pyproject\.toml book/pyproject\.toml --all-extras "),
        ("lock", r"--constraint requirements\.lock --upgrade \\\n\s*--output-file requirements-read\.lock$"),
    ],
)
def test_target_runs_its_command(target, command):
    shown = run("make", "-n", target).stdout
    assert re.search(command, shown, re.M)


def test_what_check_leaves_out_stands_where_deep_looks():
    """A mark in a docstring example or in a package would be left out by both."""
    marked = {name for name, text in text_files() if name.endswith(".py") and "mark" + ".deep" in text}
    assert marked and all(name.startswith("tests/") for name in marked)


def test_ci_runs_what_a_release_needs_and_ends_with_the_count_of_the_tests():
    lines = read(".ci/run").splitlines()
    made = [line.split()[1] for line in lines if line.startswith("make ")]
    assert made == ["test", "book", "pages", "repeat", "deep"]
    assert lines[-1] == 'tail -n 1 "$summary"' and 'make test | tee "$summary"' in lines


def test_what_takes_long_starts_first_and_files_stay_whole(request):
    plugins = request.config.pluginmanager.get_plugins()  # the book has a conftest.py as well
    (conftest,) = (
        each for each in plugins if getattr(each, "__file__", "") == str(ROOT / "tests" / "conftest.py")
    )
    assert all(len([*(ROOT / "tests").rglob(name)]) == 1 for name in conftest.LONG)
    first, second = conftest.LONG[:2]
    collected = ["test_a.py", "test_a.py", second, second, "b.ipynb", "b.ipynb", "module.py", first]
    items = [types.SimpleNamespace(path=Path(name), number=k) for k, name in enumerate(collected)]
    conftest.pytest_collection_modifyitems(items)
    assert [item.number for item in items] == [7, 2, 3, 4, 5, 0, 1, 6]


@pytest.mark.parametrize(
    "changed, installs",
    [
        ("pyproject.toml", {"check", "lab"}),
        ("book/pyproject.toml", {"check", "lab"}),
        ("requirements.lock", {"check"}),
        ("requirements-read.lock", {"lab"}),
        ("x.py", set()),
    ],
)
def test_set_up_runs_again_only_when_dependencies_change(tmp_path, changed, installs):
    (tmp_path / "Makefile").write_text(read("Makefile"))
    (tmp_path / "book").mkdir()
    made = [".venv/installed", ".venv-read/installed"]
    stated = ["pyproject.toml", "book/pyproject.toml", "requirements.lock", "requirements-read.lock", "x.py"]
    for age, name in enumerate(stated + made):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        os.utime(path, (age, age))

    def install():
        shown = {target: run("make", "-n", target, cwd=tmp_path) for target in ("check", "lab")}
        assert not any(done.returncode for done in shown.values())
        return {target for target, done in shown.items() if "pip install" in done.stdout}

    assert install() == set()
    (tmp_path / changed).touch()
    assert install() == installs


@pytest.mark.parametrize(
    "version, suits", [((2, 7, 18), False), ((3, 10, 13), False), ((3, 11, 4), False), ((3, 11, 5), True)]
)
def test_a_python_that_is_too_old_is_told_what_to_do(tmp_path, version, suits):
    """Nothing is made with it. One that suits gets further, to its own refusal here."""
    (tmp_path / "Makefile").write_text(read("Makefile"))
    pretend = f"import sys; sys.version_info = {version}; _, option, code = sys.argv[:3]; "
    pretend += "exec(code if option == '-c' else 'exit(\\'made\\')')"
    (tmp_path / "python").write_text(f'#!/bin/sh\nexec {sys.executable} -c "{pretend}" "$@"\n')
    (tmp_path / "python").chmod(0o755)
    done = run("make", "oldest", "PYTHON=./python", cwd=tmp_path)
    said = done.stderr.splitlines()[0]
    number = ".".join(map(str, version))
    refused = f"Python 3.11.5 or later is needed, and ./python is {number}: name another one, such as make "
    assert done.returncode and said == ("made" if suits else f"{refused}PYTHON=python3.12")


def test_data_command_gets_its_arguments(monkeypatch):
    received = []
    stub = types.ModuleType("csbook.datasets.cli")
    stub.main = lambda argv: received.append(argv) or 3
    package = types.ModuleType("csbook.datasets")
    package.cli = stub
    monkeypatch.setitem(sys.modules, "csbook.datasets", package)
    monkeypatch.setitem(sys.modules, "csbook.datasets.cli", stub)
    main = importlib.import_module("csbook.__main__").main
    assert main(["data", "fetch", "heart", "--force"]) == 3
    assert main(["data", "--help"]) == 3
    assert received == [["fetch", "heart", "--force"], ["--help"]]


@pytest.mark.parametrize(
    "module, arguments, code, words",
    [
        ("csbook", [], 0, "data sets"),
        ("csbook", ["--help"], 0, "data sets"),
        ("csbook", ["--version"], 0, f"csbook {PROJECT['version']}"),
        ("csbook", ["dat"], 2, "'dat'"),
        ("csbook", ["--versions"], 2, "--versions"),
        ("csb", [], 0, "commands of csbook"),
        ("csb", ["--version"], 0, f"csb {PROJECT['version']}"),
        (
            "csb",
            ["study", "n16", "--out", "x"],
            2,
            "study n16 --out x; data, properties and study are commands of csbook",
        ),
    ],
)
def test_command_line_explains_itself(capsys, module, arguments, code, words):
    try:
        found = importlib.import_module(f"{module}.__main__").main(arguments)
    except SystemExit as end:
        found = end.code
    assert found == code
    said = capsys.readouterr()
    assert words in " ".join((said.err if code else said.out).split())


@pytest.mark.parametrize("module, version", [("csb", PROJECT["version"]), ("csbook", BOOK["version"])])
def test_a_module_is_run_as_its_command(module, version):
    done = run(sys.executable, "-m", module, "--version")
    assert (done.returncode, done.stdout) == (0, f"{module} {version}\n")


@pytest.mark.parametrize("package, project", [("csb", PROJECT), ("csbook", BOOK)])
def test_the_console_script_is_the_module(package, project):
    ((name, target),) = project["scripts"].items()
    module, function = target.split(":")
    main = getattr(importlib.import_module(module), function)
    assert name == package and main is importlib.import_module(f"{package}.__main__").main


@pytest.mark.parametrize("module", ["csb.compendium", "csb.compendium.studies", "csb.datasets"])
def test_what_has_moved_says_where(module):
    with pytest.raises(ImportError, match="is csbook.* cost-sensitive-boosting-book"):
        importlib.import_module(module)


def test_options_are_spelled_in_one_way(capsys):
    """Processes are workers everywhere, and no option has a second name."""
    main, spelled = importlib.import_module("csbook.__main__").main, {}
    for command in ("study", "properties", "data", "data list", "data fetch", "data verify"):
        with pytest.raises(SystemExit, match="0"):
            main([*command.split(), "--help"])
        spelled[command] = set(re.findall(r"(?<![\w-])--?[a-z][\w-]*", capsys.readouterr().out))
    assert "--workers" in spelled["study"] & spelled["properties"]
    options = set().union(*spelled.values())
    assert not options & {"--jobs", "--n-jobs", "--processes"}
    assert {option for option in options if not option.startswith("--")} == {"-h"}


# --- contents ------------------------------------------------------------------------------------


def test_no_file_names_a_place_outside_the_project():
    outside = re.compile(r"(?<![\w.])/(?:work|tmp|home|root|Users)/|\.\./sha" + "red")
    found = {name: outside.findall(text) for name, text in text_files() if name != ".ci/run"}
    assert not any(found.values()), {name: hits for name, hits in found.items() if hits}


def test_ruff_has_no_complaint():
    done = run(sys.executable, "-m", "ruff", "check", ".")
    assert done.returncode == 0, done.stdout


def test_hooks_of_pre_commit_need_no_network():
    repos = yaml.safe_load(read(".pre-commit-config.yaml"))["repos"]
    assert [repo["repo"] for repo in repos] == ["local"]
    assert {hook["id"] for hook in repos[0]["hooks"]} == {"ruff", "notebooks"}


def test_line_ends_are_the_same_on_every_system():
    """Git on Windows would change them, and with them the checksums of sources and records."""
    assert "* -text" in read(".gitattributes").splitlines()
    done = run("git", "check-attr", "text", "data/contents.csv", "csb/__init__.py")
    if done.returncode == 0:
        assert done.stdout.count("text: unset") == 2


# --- the book's structure ------------------------------------------------------------------------


def toc_pages(node, kinds=("file", "root")):
    if isinstance(node, dict):
        yield from (str(v) for k, v in node.items() if k in kinds)
        for value in node.values():
            yield from toc_pages(value, kinds)
    elif isinstance(node, list):
        for value in node:
            yield from toc_pages(value, kinds)


def test_labels_are_given_once():
    """Sphinx warns of a label given twice; this says so before the book is built."""
    pages = [*(ROOT / "book").rglob("*.ipynb"), *(ROOT / "book").rglob("*.md")]
    labels = []
    for page in pages:
        text = page.read_text("utf-8")
        labels += re.findall(r":(?:name|label): ([\w-]+)", text) + re.findall(
            r"(?m)^\s*\"?\(([\w-]+)\)=", text
        )
    assert len(labels) > 30
    assert sorted(labels) == sorted(set(labels))


def test_contents_list_every_page_and_only_pages():
    """Those apart that the build writes; git does not know them."""
    toc = yaml.safe_load(read("_toc.yml"))
    listed = set(toc_pages(toc))
    (made,) = toc_pages(toc, ["glob"])
    assert f"{made.removesuffix('*')}\n" in read(".gitignore")
    pages = (p for suffix in ("md", "ipynb") for p in (ROOT / "book").rglob(f"*.{suffix}"))
    present = {
        p.relative_to(ROOT).with_suffix("").as_posix()
        for p in pages
        if not any(part.startswith((".", "_")) for part in p.relative_to(ROOT).parts)
        and not p.relative_to(ROOT).match(made)
        and not p.is_relative_to(ROOT / "book" / "csbook")
    } - {"book/README"}
    assert listed == present
