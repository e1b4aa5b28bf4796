"""Buttons to edit, ask and launch appear with the project's address, which is one line of configuration."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[3]
CONFIG = (ROOT / "_config.yml").read_text("utf-8")
SET = yaml.safe_load(CONFIG)["repository"]["url"]
SOMEWHERE = "https://github.com/someone/something"
SITE = "https://someone.github.io/something/lite"
LABELS = ("source-repository-button", "source-edit-button", "source-issues-button", "launch-buttons")


def read_config(text, folder):
    """What Jupyter Book makes of a configuration."""
    config = pytest.importorskip(
        "jupyter_book.config", reason="reads the configuration, which takes csbook[build]"
    )
    (folder / "_config.yml").write_text(text, encoding="utf-8")
    final, _ = config.get_final_config(
        user_yaml=folder / "_config.yml", cli_config={"latex_individualpages": False}, raise_on_invalid=True
    )
    return final


@pytest.fixture
def build(tmp_path):
    """A book of one chapter, with the theme's options that a configuration gives; its page."""
    pytest.importorskip("sphinx_book_theme", reason="the theme of the book, which takes csbook[build]")

    def make(text):
        options = read_config(text, tmp_path)["html_theme_options"]
        settings = {
            "extensions": ["myst_nb", "address"], "html_theme": "sphinx_book_theme",
            "nb_execution_mode": "off", "html_theme_options": options, "exclude_patterns": ["out"],
            "html_context": {"default_mode": "auto"},
        }  # fmt: skip
        lines = [f"import sys; sys.path.insert(0, {str(ROOT / 'book' / '_ext')!r})"]
        lines += [f"{name} = {value!r}" for name, value in settings.items()]
        (tmp_path / "conf.py").write_text("\n".join(lines))
        cell = {"cell_type": "markdown", "metadata": {}, "source": ["# A chapter"]}
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python"}}
        chapter = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 4}
        (tmp_path / "index.ipynb").write_text(json.dumps(chapter))
        command = [sys.executable, "-m", "sphinx", "-W", "-n", "-E", "-b", "html", tmp_path, tmp_path / "out"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return (tmp_path / "out" / "index.html").read_text("utf-8")

    return make


def with_address(address):
    """The configuration with another address: one line changes."""
    changed = re.sub(r'(?m)^(repository: \{url: )"[^"]*"', rf'\g<1>"{address}"', CONFIG)
    differ = [a for a, b in zip(CONFIG.splitlines(), changed.splitlines(), strict=True) if a != b]
    assert len(differ) == (address != SET)
    return changed


def test_without_an_address_there_are_no_buttons(build, monkeypatch):
    monkeypatch.setenv("LITE", SITE)
    page = build(with_address(""))
    assert "A chapter" in page
    assert not [label for label in LABELS if label in page] and "jupyterlite" not in page
    assert "github" not in page.lower() and "mybinder" not in page


def test_with_an_address_every_chapter_leads_to_the_project(build, monkeypatch):
    monkeypatch.delenv("LITE", raising=False)
    page = build(with_address(SOMEWHERE))
    links = set(re.findall(r'href="(https?://[^"]*)"', page))
    assert SOMEWHERE in links
    assert f"{SOMEWHERE}/edit/main/index.ipynb" in links
    assert any(link.startswith(f"{SOMEWHERE}/issues/new") for link in links)
    assert "https://mybinder.org/v2/gh/someone/something/main?urlpath=lab/tree/index.ipynb" in links
    assert "JupyterLite" not in page


def test_a_chapter_runs_in_the_browser_where_the_owner_says_so(build, monkeypatch):
    monkeypatch.setenv("LITE", SITE)
    links = set(re.findall(r'href="(https?://[^"]*)"', build(with_address(SOMEWHERE))))
    assert f"{SITE}/lab/index.html?path=index.ipynb" in links


@pytest.mark.parametrize("address", ["", SOMEWHERE])
def test_the_metadata_of_both_packages_have_the_address(tmp_path, address):
    """The package index shows it; made anew from an sdist, which has no configuration, they have it still."""
    urls = [f"Project-URL: Repository, {address}"] if address else []
    hook = (ROOT / "book" / "build_hook.py").read_text("utf-8")
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "build_hook.py").write_text(hook, "utf-8")
    (tmp_path / "_config.yml").write_text(with_address(address), "utf-8")
    for folder in (ROOT, ROOT / "book"):
        copy = tmp_path / folder.relative_to(ROOT)
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            (copy / name).write_bytes((folder / name).read_bytes())
        made = metadata(copy)
        assert re.findall(r"Project-URL: .*", made) == urls
        (copy / "PKG-INFO").write_text(made, "utf-8")
    (tmp_path / "_config.yml").unlink()
    for name in (".", "book"):
        assert re.findall(r"Project-URL: .*", metadata(tmp_path / name)) == urls


def metadata(folder):
    """What a wheel built there would say of itself."""
    from hatchling.metadata.core import ProjectMetadata
    from hatchling.metadata.spec import construct_metadata_file_2_4
    from hatchling.plugin.manager import PluginManager

    return construct_metadata_file_2_4(ProjectMetadata(str(folder), PluginManager()))


def test_binder_installs_what_conda_users_are_told_to():
    install = "pip install --no-deps --no-build-isolation -e . -e book"
    assert install in (ROOT / "postBuild").read_text("utf-8").splitlines()
    assert install in (ROOT / "environment.yml").read_text("utf-8")
