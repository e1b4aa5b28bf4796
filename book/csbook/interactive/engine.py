"""What trains in the reader's browser: ``csb.js``, a module, as a script that works from a file as well."""

from __future__ import annotations

from importlib.resources import files

from csbook.chapters.markup import Markup, element

__all__ = ["engine_script"]


def engine_script() -> Markup:
    """The engine of figures that train in the page, for the output of a cell.

    Browsers load no module from a file, so the page gets a classic script. It defines ``globalThis.csb``, an
    object with what ``csb.js`` exports, unless another figure of the page has done so.

    Returns
    -------
    Markup
        A script element.

    Examples
    --------
    >>> engine_script()[:30]
    '<script>globalThis.csb ??= (()'
    """
    module = files(__package__).joinpath("csb.js").read_text("utf-8")
    inside = module.replace("\nexport {", "\nreturn {")
    return element("script", None, Markup(f'globalThis.csb ??= (() => {{\n"use strict";\n{inside}}})();\n'))
