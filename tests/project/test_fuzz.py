"""The loop of drawn inputs: it counts them, goes on until the time is up, and ends at a fault."""

import subprocess
import sys

import pytest

from fuzz import drawn, main, total

PRINTED = """
tests/csb/test_symmetries.py::test_one:

  - during reuse phase (0.02 seconds):
    - Typical runtimes: < 1ms, of which < 1ms in data generation
    - 3 passing examples, 0 failing examples, 1 invalid examples

  - during generate phase (0.10 seconds):
    - 100 passing examples, 0 failing examples, 12 invalid examples

  - Stopped because settings.max_examples=100

tests/csb/test_promises.py::test_two[a-1]:

  - during generate phase (0.10 seconds):
    - 7 passing examples, 2 failing examples, 0 invalid examples

tests/csb/test_promises.py::test_two[b]:

  - during generate phase (0.10 seconds):
    - 5 passing examples, 0 failing examples, 0 invalid examples
"""


def test_inputs_are_counted_by_test_and_invalid_ones_are_none():
    assert drawn(PRINTED) == {"test_one": 103, "test_two": 14}
    assert total({"a": 1, "b": 2}, {"b": 3, "c": 4}) == {"a": 1, "b": 5, "c": 4}


DRAWN = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=20, database=None, derandomize=True)
@given(st.integers(0, 10**9))
def test_a_square(k):
    assert k * k >= 0
"""


def test_the_statistics_of_hypothesis_are_read(tmp_path):
    (tmp_path / "test_drawn.py").write_text(DRAWN, encoding="utf-8")
    options = "-p", "no:cacheprovider", "--hypothesis-show-statistics", "test_drawn.py"
    command = [sys.executable, "-m", "pytest", *options]
    done = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True, check=True)
    assert drawn(done.stdout) == {"test_a_square": 20}


def test_a_run_without_inputs_is_no_run(program, tmp_path):
    with pytest.raises(RuntimeError, match="names no drawn inputs"):
        main(0.02, program("print('2 passed')"), tmp_path / "counts.csv")
    assert not (tmp_path / "counts.csv").exists()


@pytest.fixture
def program(tmp_path):
    path = tmp_path / "prints.py"

    def make(text):
        path.write_text(text, encoding="utf-8")
        return [sys.executable, str(path)]

    return make


def test_rounds_go_on_until_the_time_is_up(program, tmp_path):
    """The program stands for pytest, and leaves a line for each round."""
    seen = tmp_path / "seen"
    command = program(f"open({str(seen)!r}, 'a').write('.')\nprint({PRINTED!r})")
    counts = tmp_path / "counts.csv"
    assert main(0.02, command, counts) == 0
    rounds = len(seen.read_text(encoding="utf-8"))
    assert rounds >= 1
    assert counts.read_text(encoding="utf-8") == (
        f"test,inputs\ntest_one,{103 * rounds}\ntest_two,{14 * rounds}\n"
    )


def test_a_fault_ends_it_and_no_count_is_kept(program, tmp_path, capfd):
    counts = tmp_path / "counts.csv"
    assert main(1, program("print('Falsifying example')\nraise SystemExit(1)"), counts) == 1
    assert not counts.exists() and "Falsifying example" in capfd.readouterr().out
