"""What runs at a host: valid, with the least permissions, pinned, and of targets and files that there are."""

import json
import re
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = {path.stem: path for path in sorted((GITHUB / "workflows").iterdir())}
FORMS = sorted(path for path in (GITHUB / "ISSUE_TEMPLATE").iterdir() if path.stem != "config")
SCHEMAS = {
    "github-workflows": list(WORKFLOWS.values()),
    "github-issue-forms": FORMS,
    "github-issue-config": [GITHUB / "ISSUE_TEMPLATE" / "config.yml"],
    "dependabot": [GITHUB / "dependabot.yml"],
    "citation-file-format": [ROOT / "CITATION.cff"],
}


def program(name):
    """A program of the environment that runs the tests."""
    path = Path(sysconfig.get_path("scripts")) / name
    if not path.is_file():
        pytest.skip(f"{name} is not installed; it comes with csb[audit]")
    return path


def load(path):
    content = yaml.safe_load(path.read_text("utf-8"))
    return {("on" if key is True else key): value for key, value in content.items()}  # YAML 1.1 reads "on" so


def jobs():
    return [(name, key, job) for name, path in WORKFLOWS.items() for key, job in load(path)["jobs"].items()]


def steps():
    return [(f"{name}, {key}", step) for name, key, job in jobs() for step in job["steps"]]


@pytest.mark.deep
@pytest.mark.parametrize("schema", SCHEMAS)
def test_files_are_valid(schema):
    command = [program("check-jsonschema"), "--builtin-schema", f"vendor.{schema}", *SCHEMAS[schema]]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.deep
def test_the_linter_of_workflows_has_no_complaint():
    command = [program("zizmor"), "--offline", "--persona", "pedantic", "--no-progress", str(GITHUB)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_there_are_the_workflows_that_are_needed():
    assert WORKFLOWS.keys() == {"book", "release", "tests", "weekly"}
    assert {"push", "pull_request"} <= load(WORKFLOWS["tests"])["on"].keys()
    assert {"schedule", "workflow_dispatch"} == load(WORKFLOWS["weekly"])["on"].keys()
    assert len(FORMS) == 3


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_may_only_read(name):
    assert load(WORKFLOWS[name])["permissions"] == {"contents": "read"}


def test_only_the_jobs_that_publish_may_do_more():
    more = {(name, key): job["permissions"] for name, key, job in jobs() if "permissions" in job}
    assert more == {
        ("book", "publish"): {"pages": "write", "id-token": "write"},
        ("release", "draft"): {"contents": "write", "id-token": "write", "attestations": "write"},
        ("release", "publish"): {"id-token": "write"},
    }
    publish = load(WORKFLOWS["book"])["jobs"]["publish"]
    assert publish["needs"] == "build" and "refs/heads/main" in publish["if"]
    for name, key in more:
        for step in load(WORKFLOWS[name])["jobs"][key]["steps"]:
            assert step.get("run", "gh ").startswith("gh ") and "actions/checkout@" not in step.get(
                "uses", ""
            ), "nothing of the project runs with its rights"


def test_a_release_waits_for_its_owner_and_for_every_check():
    release = load(WORKFLOWS["release"])
    assert release["on"] == {"push": {"tags": ["v*"]}}
    stages = release["jobs"]
    assert stages["build"]["if"] == "vars.RELEASE == 'on'"
    after = {key: (job.get("needs"), "if" in job) for key, job in stages.items() if key != "build"}
    assert after == {"check": ("build", False), "draft": ("check", False), "publish": ("draft", False)}
    everywhere = load(WORKFLOWS["tests"])["jobs"]["check"]["strategy"]["matrix"]["python"]
    assert stages["check"]["strategy"]["matrix"]["python"] == everywhere
    names = [
        tomllib.loads((ROOT / folder / "pyproject.toml").read_text("utf-8"))["project"]["name"]
        for folder in (".", "book")
    ]
    assert stages["publish"]["strategy"]["matrix"]["package"] == names
    assert stages["publish"]["environment"]["name"] == "${{ matrix.package }}"
    uploads = [
        step["with"]
        for step in stages["build"]["steps"]
        if "actions/upload-artifact@" in step.get("uses", "")
    ]
    paths = {each["name"]: each["path"].split() for each in uploads}
    made = {name: [f"dist/{name.replace('-', '_')}-*"] for name in names}
    assert paths == made | {"to-read": ["_build/html.tar.xz", "_build/lessons.pdf"]}
    listed = (ROOT / "RELEASING.md").read_text("utf-8")
    assert all(f"`{word}`" in listed for word in ("RELEASE", "on", "release.yml", *names))


def test_chapters_run_in_a_browser_only_once_the_owner_says_where():
    """Built after the tests of the pages, published with them; the same variable gives them their button."""
    build = load(WORKFLOWS["book"])["jobs"]["build"]
    assert build["env"]["LITE"] == "${{ vars.LITE }}"
    runs = [(step["run"], step.get("if")) for step in build["steps"] if "run" in step]
    assert runs[-2:] == [
        ("make pages", None),
        ('make lite CONDA_EXE="$CONDA/bin/conda"', "vars.LITE != ''"),
    ]
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "--output-dir _build/html/lite" in makefile and "CONDA_EXE ?= conda\n" in makefile
    assert 'os.environ.get("LITE")' in (ROOT / "book" / "_ext" / "address.py").read_text("utf-8")
    assert "variable `LITE`" in (ROOT / "RELEASING.md").read_text("utf-8")


def test_every_job_ends():
    assert all(0 < job["timeout-minutes"] <= 300 for _, _, job in jobs())


def test_actions_are_pinned_by_their_commit_and_say_their_version():
    pins = {}
    for path in WORKFLOWS.values():
        lines = [line for line in path.read_text("utf-8").splitlines() if "uses:" in line]
        for line in lines:
            found = re.fullmatch(
                r"\s*-? uses: ((?:actions|pypa)/[\w-]+)@([0-9a-f]{40}) # (v\d+\.\d+\.\d+)", line
            )
            assert found, line
            pins.setdefault(found[1], set()).add((found[2], found[3]))
    assert {"actions/checkout", "actions/setup-python", "actions/deploy-pages"} <= pins.keys()
    assert all(len(pinned) == 1 for pinned in pins.values()), "one version of an action everywhere"


def test_no_credentials_stay_behind():
    checkouts = [step for _, step in steps() if step.get("uses", "").startswith("actions/checkout@")]
    assert len(checkouts) >= 4
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def commands():
    """What jobs run, with the rows of their matrix."""
    rows = [
        row for _, _, job in jobs() for row in job.get("strategy", {}).get("matrix", {}).get("include", [])
    ]
    return [step["run"] for _, step in steps() if "run" in step] + [row["command"] for row in rows]


def test_every_command_is_a_target_of_the_makefile():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)$", makefile, re.M)[1].split())
    words = [word for command in commands() if command.startswith("make ") for word in command.split()[1:]]
    made = {word for word in words if "=" not in word}
    needed = {"check", "oldest", "test", "book", "pages", "links", "newest", "repeat", "deep", "audit"}
    assert needed | {"sphinx", "wheels", "pdf", "fresh", "lite"} <= made <= targets
    drafted = ['gh release create "$TAG" --draft --verify-tag --generate-notes dist/*']
    elsewhere = [
        step["run"] for step in load(WORKFLOWS["tests"])["jobs"]["elsewhere"]["steps"] if "run" in step
    ]
    others = [command for command in commands() if not command.startswith("make ")]
    assert sorted(others) == sorted([*drafted, *elsewhere, "$COMMAND"])


def test_without_make_the_package_is_set_up_and_tested_in_the_same_way():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    everywhere = [step for step in load(WORKFLOWS["tests"])["jobs"]["elsewhere"]["steps"] if "if" not in step]
    *install, check = [step["run"] for step in everywhere if "run" in step]
    assert "\n$(INSTALLED): requirements.lock\n" in makefile
    recipe = makefile.split("\n$(INSTALLED) $(TO_READ): ")[1]
    installed = [line.split("$(PIP) ")[1] for line in recipe.splitlines() if "$(PIP)" in line]
    installed = [line.replace("$(filter %.lock,$^)", "requirements.lock") for line in installed]
    assert [line.removeprefix("python -m pip install ") for line in install] == installed
    assert '\n\t$(PYTEST) -m "not deep" tests csb' in makefile
    assert check == 'python -m pytest -n 2 --dist loadfile -m "not deep" tests/csb csb'


def test_files_that_are_named_exist():
    named = [
        step["with"]["cache-dependency-path"]
        for _, step in steps()
        if "cache-dependency-path" in step.get("with", {})
    ]
    assert named and all((ROOT / name).is_file() for name in named)
    container = json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8"))
    makefile = (ROOT / "Makefile").read_text("utf-8")
    target = container["postCreateCommand"].removeprefix("make ")
    assert f"INSTALLED := {target}\n" in makefile
    interpreter = container["customizations"]["vscode"]["settings"]["python.defaultInterpreterPath"]
    assert interpreter.removeprefix("${containerWorkspaceFolder}/") in makefile


def test_the_tests_run_on_every_python_that_the_metadata_name():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    named = re.findall(r"Python :: (3\.\d+)", " ".join(project["classifiers"]))
    assert load(WORKFLOWS["tests"])["jobs"]["check"]["strategy"]["matrix"]["python"] == named
    assert project["requires-python"] == f">={named[0]}"
    container = (ROOT / ".devcontainer" / "devcontainer.json").read_text("utf-8")
    assert f"devcontainers/python:{named[0]}-" in container
