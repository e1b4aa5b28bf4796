"""Keep the notebooks of the book in one canonical form.

A code cell tagged ``nbval-check-output`` carries its text output, which nbval compares with a
fresh run; every other cell carries none. Figures are never stored, nor is anything else a run
leaves behind.

``python -m csbook.chapters.notebooks`` lists the notebooks that are not in this form, ``--strip``
rewrites them, and ``--run`` executes them first, which renews the outputs that are compared, the cards
of the methods, and the values that the prose says.
"""

from __future__ import annotations

import argparse
import copy
import sys
from pathlib import Path

import nbformat

from csbook.chapters import prose
from csbook.chapters.cards import renew_cards
from csbook.command_line import in_one_line, path
from csbook.datasets.storing import store

__all__ = ["CHECKED", "canonical", "find", "joined", "problems"]

CHECKED = "nbval-check-output"
KEPT_OF_CELL = ("tags",)
KEPT_OF_OUTPUT = ("text/plain",)
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def canonical(text: str) -> str:
    """Text of a notebook in canonical form.

    Parameters
    ----------
    text : str
        The notebook as JSON, format 4.

    Returns
    -------
    str
        The notebook with the outputs of checked cells only; applying the function again changes
        nothing.

    Examples
    --------
    >>> book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1", execution_count=7)])
    >>> text = canonical(nbformat.writes(book))
    >>> nbformat.reads(text, as_version=4).cells[0].execution_count is None
    True
    >>> canonical(text) == text
    True
    """
    notebook = nbformat.reads(text, as_version=4)
    notebook.metadata = nbformat.from_dict(METADATA)
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({k: cell.metadata[k] for k in KEPT_OF_CELL if k in cell.metadata})
        if cell.cell_type == "code":
            _clear_outputs(cell)
    return nbformat.writes(notebook, version=4).rstrip("\n") + "\n"


def _clear_outputs(cell: nbformat.NotebookNode) -> None:
    if CHECKED not in cell.metadata.get("tags", []):
        cell.outputs, cell.execution_count = [], None
        return
    cell.execution_count = 1  # nbval compares nothing in a cell without a count
    cell.outputs = joined(cell.outputs)
    for output in cell.outputs:
        if "data" in output:
            output.data = {k: output.data[k] for k in KEPT_OF_OUTPUT if k in output.data}
            output.metadata = {}
        if "execution_count" in output:
            output.execution_count = 1


def joined(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Outputs with neighbouring pieces of one stream put together; how many there are is up to chance.

    Parameters
    ----------
    outputs : list of NotebookNode
        Of a cell.

    Returns
    -------
    list of NotebookNode
        Copies.

    Examples
    --------
    >>> pieces = [nbformat.v4.new_output("stream", text=text) for text in ("one, ", "two")]
    >>> [output.text for output in joined(pieces)]
    ['one, two']
    """
    whole: list[nbformat.NotebookNode] = []
    for output in outputs:
        if output.output_type == "stream" and whole and whole[-1].get("name") == output.name:
            whole[-1].text += output.text
        else:
            whole.append(copy.deepcopy(output))
    return whole


def problems(text: str) -> list[str]:
    """What keeps a notebook from the canonical form.

    Parameters
    ----------
    text : str
        The notebook as JSON, format 4.

    Returns
    -------
    list of str
        One line per problem; empty if there is none.

    Examples
    --------
    >>> cell = nbformat.v4.new_code_cell("1 + 1", metadata={"tags": ["nbval-check-output"]})
    >>> problems(canonical(nbformat.writes(nbformat.v4.new_notebook(cells=[cell]))))
    ['cell 0 is to be checked and has no output: use --run']
    """
    found = []
    if canonical(text) != text:
        found.append("not in canonical form: use --strip")
    for number, cell in enumerate(nbformat.reads(text, as_version=4).cells):
        if CHECKED in cell.metadata.get("tags", []) and not cell.get("outputs"):
            found.append(f"cell {number} is to be checked and has no output: use --run")
        if any(output.get("data") == {} for output in cell.get("outputs", [])):
            found.append(f"cell {number} is to be checked and has output without text: split it")
    return found


def find(paths: list[Path]) -> list[Path]:
    """Notebooks among files and, sorted, below folders; hidden folders are left out.

    Parameters
    ----------
    paths : list of Path
        Files, taken as they are, and folders.

    Returns
    -------
    list of Path
        The notebooks.

    Raises
    ------
    ValueError
        If a folder holds none.
    """
    found = []
    for each in paths:
        below = sorted(each.rglob("*.ipynb")) if each.is_dir() else [each]
        inside = [p for p in below if not any(part.startswith(".") for part in p.relative_to(each).parts)]
        if not inside:
            raise ValueError(f"{each}: no notebook lies there")
        found += inside
    return found


def _read(file: Path) -> str:
    """The text of a notebook."""
    text = file.read_text(encoding="utf-8")
    try:
        nbformat.reads(text, as_version=4)
    except (ValueError, AttributeError, nbformat.ValidationError):
        raise ValueError(f"{file}: no notebook of format 4") from None
    return text


def _execute(file: Path, text: str) -> str:
    """The notebook as executed."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.reads(text, as_version=4)
    client = NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(file.parent)}})
    try:
        client.execute()
    except CellExecutionError as error:
        raise ValueError(f"{file}: a cell ends with {error.ename}: {error.evalue}") from error
    renew_cards(notebook)
    prose.renew(notebook)
    done: str = nbformat.writes(notebook)
    return done


@in_one_line()
def main(argv: list[str] | None = None) -> int:
    """Check, strip or run notebooks; the exit code is 1 if a problem is left or one cannot be read or run."""
    parser = argparse.ArgumentParser(
        prog="python -m csbook.chapters.notebooks", description=__doc__.splitlines()[0]
    )
    parser.add_argument("paths", nargs="*", type=path, default=[Path("book")], help="notebooks or folders")
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--strip", action="store_true", help="rewrite the files in canonical form")
    action.add_argument("--run", action="store_true", help="execute the files, then rewrite them")
    args = parser.parse_args(argv)

    left = 0
    for file in find(args.paths):
        text = _read(file)
        if args.run:
            text = _execute(file, text)
        if args.run or args.strip:
            text = canonical(text)
            store(file, text.encode())
        for problem in problems(text):
            left += 1
            print(f"{file}: {problem}")
    return int(left > 0)


if __name__ == "__main__":
    sys.exit(main())
