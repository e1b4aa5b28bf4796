"""Set-up common to all tests, made before anything of csb is imported."""

import os
import tempfile

import matplotlib
from hypothesis import HealthCheck, settings

# no docstring examples in this file; the tests in a browser need the built book and run by `make pages`
collect_ignore = ["conftest.py", "browser"]

matplotlib.use("Agg")

# verdicts that tests, docstring examples and notebooks record stay apart from those of the built book
_verdicts = tempfile.TemporaryDirectory(prefix="csb-verdicts-")
os.environ["CSB_VERDICTS"] = _verdicts.name

# the tests are of compiled code, to which test_array_forms.py holds what serves before it is compiled
from csb.engine.compiled import compile_at_once  # noqa: E402

compile_at_once()

# the same examples in each run of the tests, more of them in `make deep`; `make fuzz` draws new ones
fixed = settings(derandomize=True, deadline=None, database=None)
settings.register_profile("check", fixed, max_examples=8)
settings.register_profile("deep", fixed, max_examples=40)
settings.register_profile(
    "fuzz", max_examples=1000, deadline=None, print_blob=True, suppress_health_check=list(HealthCheck)
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "check"))

LONG = (
    "test_processors.py", "test_studies_killed.py", "test_properties_table.py", "test_packaging.py",
    "test_not_compiled.py", "test_compiled.py", "test_types.py",
)  # fmt: skip
"""Files that take longest. What takes long starts first, so that no worker is left with it at the end."""


def pytest_configure(config):
    config.option.loadscopereorder = False  # pytest-xdist would start with the files of the most tests


def pytest_collection_modifyitems(items):
    """The long files, then the notebooks, then the others; each as it was."""
    rank = {name: k for k, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(item.path.name, len(LONG) + (item.path.suffix != ".ipynb")))
