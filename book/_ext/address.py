"""Buttons on every page that lead to the project; they appear when its address is known.

The address is ``repository.url`` in ``_config.yml``. While it is empty there are no buttons, and no warnings.
One more, to run the chapter in the reader's browser, appears where the variable ``LITE`` says at which
address what ``make lite`` builds is published.
"""

from __future__ import annotations

import os

BINDER = "https://mybinder.org"
"""It builds environment.yml and postBuild of the project, and opens a chapter in it."""

BUTTONS = ("use_repository_button", "use_edit_page_button", "use_issues_button")


def add_buttons(app, config):
    options = config.html_theme_options
    if not options.get("repository_url"):
        options.pop("repository_url", None)
        return
    options |= dict.fromkeys(BUTTONS, True)
    options["launch_buttons"] = {"binderhub_url": BINDER, "notebook_interface": "jupyterlab"}
    if lite := os.environ.get("LITE"):
        options["launch_buttons"]["jupyterlite_url"] = f"{lite}/lab/index.html"


def setup(app):
    app.connect("config-inited", add_buttons, priority=400)  # the theme reads them at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
