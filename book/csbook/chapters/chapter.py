"""What the chapters of the book share: values that the prose says, and figures with their numbers."""

from __future__ import annotations

import base64
import builtins

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.figure import Figure

from csb.evaluation.intervals import Interval
from csbook.chapters.figure_data import figure_data
from csbook.chapters.markup import element

__all__ = ["at_most", "figure", "said", "text"]

SAID = "csbook-said"
"""Of an output's metadata: the values that the cell makes known."""

said: dict[str, str] = {}
"""What the prose may say, by its names; captions look it up here."""
_new: dict[str, str] = {}


def text(name: str, value: object) -> None:
    """Make a value known to the prose, where it stands as ``<!--name-->value<!--/-->``.

    Parameters
    ----------
    name : str
        Unique in the chapter.
    value : object
        Shown as ``str`` gives it.
    """
    said[name] = _new[name] = str(value)


def at_most(*differences: Interval) -> str:
    """How large differences may be by their intervals, whatever their sign; rounded up to one decimal.

    Parameters
    ----------
    *differences : Interval
        Of numbers.

    Returns
    -------
    str
        The farthest end, without its sign.

    Examples
    --------
    >>> at_most(Interval(0.1, -0.24, 0.31))
    '0.4'
    """
    farthest = max(np.abs(end) for each in differences for end in each[1:])
    return f"{np.ceil(10 * farthest) / 10:.1f}"


def _hand_over(_result: object = None) -> None:
    """Show, at the end of a cell, an output that nobody sees and that carries the values of the cell."""
    from IPython.display import display

    if _new:
        display({"text/html": element("span", {"hidden": True})}, raw=True, metadata={SAID: dict(_new)})
        _new.clear()


_shell = getattr(builtins, "get_ipython", lambda: None)()  # a name that IPython defines
if _shell is not None:
    _shell.events.register("post_run_cell", _hand_over)


def figure(name: str, drawn: Figure, *, alt: str, caption: str) -> None:
    """Show a figure, a link to its numbers, and its caption.

    The outputs hold the drawing and the numbers themselves, so that they show wherever the chapter is opened.

    Parameters
    ----------
    name : str
        Unique in the book, for references and for the names of files.
    drawn : Figure
        Closed afterwards.
    alt : str
        What it shows, for readers who do not see it.
    caption : str
        One paragraph of Markdown.
    """
    from IPython.core.pylabtools import print_figure
    from IPython.display import HTML, Markdown, display

    drawing = print_figure(drawn, fmt="svg", metadata={"Date": None})  # the same file in each build
    numbers = figure_data(drawn).to_csv(index=False, float_format="%.6g")
    image = {"src": _address("image/svg+xml", drawing), "alt": alt, "style": "max-width: 100%"}
    link = {"class": "figure-data", "download": f"{name}.csv", "href": _address("text/csv", numbers)}
    shown = element("img", image), element("div", None, element("a", link, "data (CSV)"))
    display(HTML(element("div", {"class": "csb-figure", "id": name}, *shown)), Markdown(caption))
    plt.close(drawn)


def _address(kind: str, content: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(content.encode(errors='replace')).decode()}"
