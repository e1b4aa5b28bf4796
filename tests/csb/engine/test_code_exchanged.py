"""Code in the place of other code is never run, however whole it is: results are those of the source."""

import numba
import pytest

from csb.engine import code_cache
from loading import load_anew

pytestmark = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")

SOURCE = """
from csb.engine.compiled import compiled

@compiled()
def double(x):
    return 2 * x

@compiled()
def triple(x):
    return 3 * x
"""
"""The same bytecode but for the constant, of which numba's own key takes no notice."""


class Pair:
    """A module in a folder of its own, whose two functions are loaded as by a new process."""

    def __init__(self, folder):
        self.path, self.cache = folder / "pair.py", folder / "__pycache__"

    def results(self, source=SOURCE, arguments=(7, 0.5)):
        """What the functions make of the arguments, and the warnings."""
        self.path.write_text(source)
        module, found, caught = load_anew(
            self.path, lambda pair: [each(x) for each in (pair.double, pair.triple) for x in arguments]
        )
        hits = sum(sum(each.stats.cache_hits.values()) for each in (module.double, module.triple))
        return found, hits, [str(each.message) for each in caught]

    def files(self, ending):
        return sorted(self.cache.glob(f"checked-*.{ending}"))


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """A pair whose code has been compiled once, for whole numbers and for others."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    pair = Pair(tmp_path)
    assert pair.results() == ([14, 1.0, 21, 1.5], 0, [])
    assert pair.results() == ([14, 1.0, 21, 1.5], 4, [])
    assert len(pair.files("nbi")) == 2 and len(pair.files("nbc")) == 4
    return pair


def exchange(one, other):
    content = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(content)


@pytest.mark.parametrize(
    "ending, one, other, hits, is_said",
    [("nbi", 0, 1, 0, False), ("nbc", 0, 2, 0, True), ("nbc", 0, 1, 2, True), ("nbc", 0, 3, 1, True)],
    ids=["indices", "functions", "types of arguments", "both"],
)
def test_files_that_are_exchanged_are_not_run(pair, ending, one, other, hits, is_said):
    files = pair.files(ending)
    exchange(files[one], files[other])
    found, used, said = pair.results()
    assert found == [14, 1.0, 21, 1.5] and used <= hits
    assert bool(said) == is_said and all("of something else" in each for each in said)
    found, _, said = pair.results()  # what was used before its index was cleared is compiled only now
    assert found == [14, 1.0, 21, 1.5] and said == []
    assert pair.results() == ([14, 1.0, 21, 1.5], 4, [])


def test_all_files_of_functions_exchanged_are_not_run(pair):
    """Each function finds an index and code that belong together, and to the other."""
    for ending in ("nbi", "nbc"):
        files = pair.files(ending)
        half = len(files) // 2
        for one, other in zip(files[:half], files[half:], strict=True):
            exchange(one, other)
    found, hits, _ = pair.results()
    assert found == [14, 1.0, 21, 1.5] and hits == 0


def test_code_of_an_older_source_under_a_newer_index_is_not_run(pair, monkeypatch):
    """As a process leaves it that is killed after it has written the index: numba writes that first."""
    newer = SOURCE.replace("2 * x", "5 * x")
    with monkeypatch.context() as killed:
        killed.setattr(code_cache.CheckedFile, "_save_data", lambda self, name, data: None)
        assert pair.results(newer) == ([35, 2.5, 21, 1.5], 0, [])
    found, hits, said = pair.results(newer)
    assert found == [35, 2.5, 21, 1.5] and hits == 0 and len(said) == 1
    assert pair.results(newer) == ([35, 2.5, 21, 1.5], 4, [])


def test_code_of_another_numba_is_not_run(pair, monkeypatch):
    monkeypatch.setattr(numba, "__version__", "0.1")
    assert pair.results() == ([14, 1.0, 21, 1.5], 0, [])
