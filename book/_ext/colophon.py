"""When, from what and with what the book was built: in the footer of every page, and as substitutions.

The date is the day of the build, or that of ``SOURCE_DATE_EPOCH`` where a build is to be repeated.
"""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import version

import csb
from csbook.chapters.markup import element, markdown

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "matplotlib", "pandas")


def build_date() -> str:
    """Day of the build in words, in universal time."""
    seconds = int(os.environ.get("SOURCE_DATE_EPOCH", time.time()))
    day = time.gmtime(seconds)
    return f"{day.tm_mday} {time.strftime('%B %Y', day)}"  # %-d is not known everywhere


def colophon() -> dict[str, str]:
    """Texts that a page may name in double braces."""
    packages = [f"{name} {version(name)}" for name in PACKAGES]
    return {
        "csb_version": csb.__version__,
        "build_date": build_date(),
        "build_environment": ", ".join([f"Python {platform.python_version()}", *packages]),
    }


def announce(app, config):
    texts = colophon()
    config.myst_substitutions |= {name: markdown(text) for name, text in texts.items()}
    footer = "Built on {build_date} with csb {csb_version}, {build_environment}.".format(**texts)
    config.html_theme_options["extra_footer"] = element("p", None, footer)


def setup(app):
    app.connect("config-inited", announce, priority=400)  # MyST reads the substitutions at 500
    return {"parallel_read_safe": True, "parallel_write_safe": True}
