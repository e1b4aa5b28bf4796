"""What the chapters of the book share: numbers in prose, and figures with the data they draw."""

from __future__ import annotations

import base64

import matplotlib.pyplot as plt
from matplotlib.figure import Figure

from csbook.chapters.figure_data import figure_data
from csbook.chapters.markup import element

__all__ = ["figure", "text"]

PREFIX = "application/papermill.record/"
"""Of the types of outputs that are kept and not shown."""


def text(name: str, value: object) -> None:
    """Make a value known to the prose under a name.

    Parameters
    ----------
    name : str
        Unique in the book.
    value : object
        Shown as ``str`` gives it.
    """
    _glue(name, str(value))


def figure(name: str, drawn: Figure) -> None:
    """Make a figure known to the prose under a name, and a link to its numbers under ``name-data``.

    The link holds the numbers itself, so that it works wherever the chapter is run.

    Parameters
    ----------
    name : str
        Unique in the book.
    drawn : Figure
        Closed afterwards.
    """
    from IPython.display import HTML

    numbers = figure_data(drawn).to_csv(index=False, float_format="%.6g")
    encoded = base64.b64encode(numbers.encode(errors="replace")).decode()
    address = {"download": f"{name}.csv", "href": f"data:text/csv;base64,{encoded}"}
    link = element("a", {"class": "figure-data"} | address, "data (CSV)")
    _glue(name, drawn)
    _glue(f"{name}-data", HTML(link))
    plt.close(drawn)


def _glue(name: str, value: object) -> None:
    """What ``myst_nb.glue`` does with a value that is not displayed, without loading Sphinx each time."""
    from IPython.core.formatters import format_display_data  # of the book: the package does without
    from IPython.display import display

    shown, described = format_display_data(value)
    described["scrapbook"] = {"name": name, "mime_prefix": PREFIX}
    display({PREFIX + kind: content for kind, content in shown.items()}, raw=True, metadata=described)
