"""Links to the source: a member belongs to the module of its class, wherever it was inherited from.

Sphinx keeps one place of description for each module. Asked where an inherited member is written, it would
take the page of the heir for the place of that module, and lead from there to names that are not described.
"""

from __future__ import annotations

from importlib import import_module


def module_of(app, module: str, name: str) -> str:
    owner = getattr(import_module(module), name.partition(".")[0], None)
    home = getattr(owner, "__module__", None) or ""
    return home if home.startswith("csb") else module


def setup(app):
    app.connect("viewcode-follow-imported", module_of)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
