"""One set of numbers: fits and studies have the same bytes whatever the processor offers."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from processors import THEIRS, dispatched

pytestmark = pytest.mark.deep

SCRIPT = Path(__file__).parents[2] / "processors.py"


def without_avx512():
    return [name for name in dispatched() if name == "X86_V4" or name.startswith("AVX512")]


PROCESSORS = {
    "as it is": {},
    "without AVX-512": {
        "NPY_DISABLE_CPU_FEATURES": " ".join(without_avx512()),
        "OPENBLAS_CORETYPE": "Haswell",
    },
    "numpy's baseline": {"NPY_DISABLE_CPU_FEATURES": " ".join(dispatched()), "OPENBLAS_CORETYPE": "Nehalem"},
    "another C library": {
        "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F",
        "OPENBLAS_CORETYPE": "Sandybridge",
    },
}


def digests(environment, *arguments):
    environment = {name: value for name, value in environment.items() if value}
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *arguments],
        env=os.environ | environment, capture_output=True, text=True, cwd=SCRIPT.parent,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def native():
    return digests(PROCESSORS["as it is"], "studies")


def test_every_estimator_is_fitted(native):
    import csb

    assert set(csb.estimators.__all__) - THEIRS < set(native)


@pytest.mark.parametrize("processor", [name for name in PROCESSORS if name != "as it is"])
def test_fits_and_units_of_studies_have_the_same_bytes(native, processor):
    found = digests(PROCESSORS[processor], "studies")
    assert {name: value for name, value in found.items() if native[name] != value} == {}
    assert found.keys() == native.keys()


def test_fits_have_the_same_bytes_when_compiled_for_the_oldest_processor(native):
    found = digests({"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "+sse2"})
    assert {name: value for name, value in found.items() if native[name] != value} == {}
