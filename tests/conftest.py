"""Set-up common to all tests, made before anything of csb is imported."""

import os
import tempfile

import matplotlib

# no docstring examples in this file; the tests in a browser need the built book and run by `make pages`
collect_ignore = ["conftest.py", "browser"]

matplotlib.use("Agg")

# verdicts that tests, docstring examples and notebooks record stay apart from those of the built book
_verdicts = tempfile.TemporaryDirectory(prefix="csb-verdicts-")
os.environ["CSB_VERDICTS"] = _verdicts.name
