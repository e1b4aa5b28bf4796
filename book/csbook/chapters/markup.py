"""The one way by which data become HTML, JSON within it, or Markdown: all but markup is escaped."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Mapping
from importlib.resources import files

import numpy as np

__all__ = ["Markup", "data_script", "element", "markdown", "program_script", "whole"]

EMPTY = {"img", "input", "wbr"}
"""Elements without content and without an end."""


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, attributes: Mapping[str, object] | None = None, *content: object) -> Markup:
    """An element of HTML.

    Parameters
    ----------
    name : str
        Of the element; the caller's, never from data, and so are the names of attributes.
    attributes : mapping of str to object, optional
        True gives an attribute without a value, False and None none at all.
    *content : object
        `Markup` stands as it is, all else is text.

    Returns
    -------
    Markup
        The element with all that is in it.

    Examples
    --------
    >>> element("p", {"title": 'a "b"'}, "1 < 2", element("b", None, "&"))
    '<p title="a &quot;b&quot;">1 &lt; 2<b>&amp;</b></p>'
    """
    start = f"<{name}"
    for key, value in (attributes or {}).items():
        if value is not None and value is not False:
            start += f" {key}" if value is True else f' {key}="{_text(value)}"'
    start += ">"
    if name in EMPTY:
        return Markup(start)
    return Markup(start + "".join(map(_text, content)) + f"</{name}>")


def _text(value: object) -> str:
    return value if isinstance(value, Markup) else html.escape(whole(value))


def whole(value: object) -> str:
    """A text that can be written to a file: half of a character, as file names may hold it, cannot."""
    return str(value).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def data_script(data: object) -> Markup:
    """Data for a program on the page, as JSON that cannot end its element, whatever texts it holds.

    Parameters
    ----------
    data : object
        Mappings, sequences, arrays, texts and numbers; a number that is not finite becomes null, a gap, and
        anything else a text.

    Returns
    -------
    Markup
        A script element that no browser runs.

    Examples
    --------
    >>> data_script({"<!--": [1.0, float("nan")]})
    '<script type="application/json">{"\\\\u003c!--":[1.0,null]}</script>'
    """
    # in ASCII: some letters beyond it end a line of a program, and half a character cannot be written
    content = json.dumps(_with_gaps(data), allow_nan=False, default=str, separators=(",", ":"))
    for letter in "<>&":
        content = content.replace(letter, f"\\u{ord(letter):04x}")
    return element("script", {"type": "application/json"}, Markup(content))


def program_script(*names: str) -> Markup:
    """A program that runs for the figure in which it stands, known to it as ``root``.

    Parameters
    ----------
    *names : str
        Files of this package, each of which knows what those before it define.

    Returns
    -------
    Markup
        A classic script: a browser loads no module from a file.

    Examples
    --------
    >>> program_script("chapters/drawing.js", "chapters/interactive_figure.js")[:26]
    '<script>(function (root) {'
    """
    program = "\n".join(files("csbook").joinpath(name).read_text("utf-8") for name in names)
    root = 'document.currentScript.closest(".csb-interactive, .csb-table")'
    around = f'(function (root) {{\n"use strict";\n{program}}})({root});'
    return element("script", None, Markup(around))


def _with_gaps(data: object) -> object:
    if isinstance(data, Mapping):
        return {str(key): _with_gaps(value) for key, value in data.items()}
    if isinstance(data, np.ndarray | np.generic):
        return _with_gaps(data.tolist())
    if isinstance(data, list | tuple):
        return [_with_gaps(value) for value in data]
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data


def markdown(text: object) -> str:
    """Text that stands for itself within a line of Markdown.

    Parameters
    ----------
    text : object
        Shown as ``str`` gives it.

    Returns
    -------
    str
        With a backslash before all that would mean something, in one line.

    Examples
    --------
    >>> print(markdown("p_norm <b>"))
    p\\_norm \\<b\\>
    """
    return re.sub(r"([\\`*_{}\[\]<>&$~^|#])", r"\\\1", " ".join(str(text).split()))
