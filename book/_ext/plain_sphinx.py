"""Write conf.py, with which plain Sphinx builds the book: ``_config.yml`` as Jupyter Book 1 reads it.

Jupyter Book 1 holds Sphinx back, and Jupyter Book 2 is not made of Sphinx. As long as the newest versions
build the book from this, it can do without either.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import yaml
from jupyter_book.config import get_final_config

ITS_OWN = {"jupyter_book", "sphinx_jupyterbook_latex"}
"""Its extensions: the first declares options and nothing else, the second is for LaTeX."""
PATHS = ("bibtex_bibfiles", "html_favicon", "html_search_scorer", "html_static_path")
"""What is looked for beside conf.py, which stands elsewhere."""


def configuration(root: Path) -> dict[str, Any]:
    """What Sphinx is told by Jupyter Book, by the names of conf.py."""
    given = {"external_toc_path": "_toc.yml", "latex_individualpages": False}
    config, _ = get_final_config(user_yaml=root / "_config.yml", sourcedir=root, cli_config=given)
    config["extensions"] = [each for each in config["extensions"] if each not in ITS_OWN]
    for name in PATHS:
        value = config[name]
        config[name] = [str(root / each) for each in value] if isinstance(value, list) else str(root / value)
    # Sphinx 9.0 stumbles, with numpydoc, over a name such as X = tuple[Y, Z]
    config["autodoc_use_legacy_class_based"] = True
    return {name: value for name, value in config.items() if not name.startswith(("latex_", "use_"))}


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where conf.py is to stand")
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2], help="folder of _config.yml")
    args = parser.parse_args(argv)
    root = args.root.resolve()
    local = yaml.safe_load((root / "_config.yml").read_text("utf-8"))["sphinx"]["local_extensions"]
    lines = ["import sys", f"sys.path += {sorted({str(root / folder) for folder in local.values()})!r}"]
    lines += [f"{name} = {value!r}" for name, value in sorted(configuration(root).items())]
    args.folder.mkdir(parents=True, exist_ok=True)
    (args.folder / "conf.py").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
