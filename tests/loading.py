"""A module of a test's own, loaded as by a new process."""

import importlib.util
import warnings

from csb.engine import code_cache


def load_anew(path, use):
    """The module, what ``use`` makes of it, and the warnings of both."""
    code_cache._warn.cache_clear()  # which warns once a process
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        spec.loader.exec_module(module)
        used = use(module)
    return module, used, caught
