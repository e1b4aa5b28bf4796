"""Set-up common to all tests, made before anything of csb is imported."""

import os
import tempfile

import matplotlib

collect_ignore = ["conftest.py"]  # no docstring examples in it

matplotlib.use("Agg")

# verdicts that tests, docstring examples and notebooks record stay apart from those of the built book
_verdicts = tempfile.TemporaryDirectory(prefix="csb-verdicts-")
os.environ["CSB_VERDICTS"] = _verdicts.name
