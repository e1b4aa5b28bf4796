"""Sphinx writes the pages with all processors, and Python looks for garbage less often.

Pages are read by one process: sphinx_multitoc_numbering does not say that it allows more.
"""

from __future__ import annotations

import gc
from multiprocessing import cpu_count


def write_with_all(app, env):
    app.parallel = cpu_count() + 1  # beside the writers there is one process that prepares the pages


def setup(app):
    # nearly all that Sphinx makes stays until the end; looking through it took an eighth of the time
    gc.set_threshold(100_000, 50, 50)
    app.connect("env-updated", write_with_all)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
