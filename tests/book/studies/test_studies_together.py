"""Studies killed at any moment, two at a time in one folder, and where files may not become large."""

import json
import os
import subprocess
import sys
import threading

import pytest

from csbook.datasets import storing
from csbook.datasets.storing import locked, read, store_all
from csbook.studies import recorded, run
from toy_study import contents, environment, small

KILLED = """
import json, os, random, shutil, signal, sys, time
from pathlib import Path
from csbook.studies import recorded, run
from toy_study import STUDY, contents

def begin(seed, out="out", work="work"):
    '''A run in a copy of this process: its number.'''
    if child := os.fork():
        return child
    try:
        run(STUDY, Path(out), work=Path(work), settings={"count": 3, "seed": seed, "pause": 0.0})
        os._exit(0)
    except OSError as error:
        os._exit(3 if "is in use by another run of study 'toy'" in str(error) else 4)
    except BaseException:
        os._exit(5)

def tables(folder):
    found = recorded(folder, Path())
    return {name: table.to_csv() for name, table in found.tables.items()}, found.manifest["settings"]

kills, rng = int(sys.argv[1]), random.Random(int(sys.argv[1]))
whole, units = {}, {}
for seed in (1, 2):
    start = time.perf_counter()
    assert os.waitpid(begin(seed, f"whole{seed}", f"other{seed}"), 0)[1] == 0
    duration = time.perf_counter() - start
    whole[seed], units[seed] = tables(f"whole{seed}"), contents(f"other{seed}")
    assert len(units[seed]) == 6
seed, killed, codes, changes = 1, 0, {}, 0
while killed < kills:
    runs = [begin(seed) for _ in range(rng.choice([1, 2]))]
    time.sleep(rng.uniform(0, 1.2 * duration))
    if rng.random() < 0.9:
        for each in runs:
            os.kill(each, signal.SIGKILL)
    ends = [os.waitpid(each, 0)[1] for each in runs]
    killed += sum(map(os.WIFSIGNALED, ends))
    for end in ends:
        code = "killed" if os.WIFSIGNALED(end) else os.WEXITSTATUS(end)
        codes[code] = codes.get(code, 0) + 1
    found = {name: content for name, content in contents("work").items() if name.endswith(".jsonl")}
    assert found.items() <= units[seed].items()
    if Path("out").exists():
        try:
            now = tables("out")
        except ValueError as error:  # nothing was stored there yet
            assert changes == 0 and "no recorded results" in str(error), error
        else:
            assert now in whole.values()
    if 0 in ends:
        assert tables("out") == whole[seed] and found == units[seed]
        shutil.rmtree("work")
        Path("work").mkdir()
        seed, changes = 3 - seed, changes + 1
    Path("work").mkdir(exist_ok=True)
os.rename("work", "last")
assert os.waitpid(begin(seed, "out", "last"), 0)[1] == 0 and tables("out") == whole[seed]
print(json.dumps([killed, changes, codes]))
"""


def python(tmp_path, code, *arguments):
    """What a process of its own prints, in a folder of its own."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    environ = os.environ | environment(tmp_path)
    done = subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills copies of a process, which takes fork")
@pytest.mark.parametrize("kills", [8, pytest.param(200, marks=pytest.mark.deep)])
def test_runs_killed_at_any_moment_one_or_two_in_a_folder_lose_and_mix_nothing(tmp_path, kills):
    (tmp_path / "work").mkdir()
    killed, changes, codes = python(tmp_path, KILLED, kills)
    assert killed >= kills and set(codes) <= {"killed", "0", "3"}
    if kills == 200:
        assert changes > 5 and codes["3"] > 5


LIMITED = """
import json, os, resource
from pathlib import Path
from csbook.studies import recorded, run
from toy_study import STUDY, contents

def attempt(out, work, count, limit=-1):
    hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        run(STUDY, Path(out), work=Path(work), settings={"count": count, "seed": 1, "pause": 0.0})
    except OSError as error:
        return str(error)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))

first = attempt("out", "work", 4, 100)
units = list(contents("work"))
attempt("out", "work", 4)
second = attempt("out", "work", 20, 1200)
kept, rows = len(contents("work")), len(recorded("out", Path()).tables["draws"])
begun = len(Path("log").read_text().split())
attempt("out", "work", 20)
computed = len(Path("log").read_text().split()) - begun
attempt("whole", "other", 20)
parts = [str(path) for path in Path().rglob("*.csb-*")]
print(json.dumps([first, units, second, kept, rows, computed, contents("out") == contents("whole"), parts]))
"""


def test_files_that_become_too_large_leave_what_was_there(tmp_path):
    """No unit fits into 100 bytes; into 1200 does each, but not their table: none is computed twice."""
    pytest.importorskip("resource", reason="limits of a process are a thing of Unix")
    first, units, second, kept, rows, computed, same, parts = python(tmp_path, LIMITED)
    assert "File too large" in first and "a,0.jsonl" in first and units == []
    assert "File too large" in second and "draws.csv" in second
    assert kept == 8 + 40 and rows == 16 and computed == 0 and same and parts == []


def test_a_second_run_of_the_same_is_told_and_the_first_goes_on(tmp_path):
    seen = []
    in_use = "work='.*work' is in use by another run of study 'small': wait"

    def compute(unit, settings):
        if unit == ("x",):
            with pytest.raises(OSError, match=in_use):
                run(small(compute=fail), tmp_path / "second", work=tmp_path / "work")
            # of other settings it has a folder of its own
            run(small(seed=7), tmp_path / "other", work=tmp_path / "work")
        seen.append(unit)
        return small().compute(unit, settings)

    def fail(unit, settings):
        raise AssertionError("computed what another run computes")

    run(small(compute=compute), tmp_path / "out", work=tmp_path / "work")
    assert seen == [("x",), ("y",)] and not (tmp_path / "second").exists()
    run(small(compute=fail), tmp_path / "second", work=tmp_path / "work")
    assert contents(tmp_path / "second") == contents(tmp_path / "out")
    assert recorded("other", tmp_path).tables["t"]["value"].tolist() == [8, 8]


def test_a_run_that_fails_leaves_no_lock(tmp_path):
    def compute(unit, settings):
        raise OSError("stopped")

    for _ in range(2):
        with pytest.raises(OSError, match="^stopped$"):
            run(small(compute=compute), tmp_path / "out", work=tmp_path / "work")


def test_writers_of_one_folder_wait_for_one_another(tmp_path):
    """Each writes files of its own kind, time and again: there is never a mixture, and no error."""
    kinds = [{f"{name}.csv": kind.encode() * 50 for name in "abcdefgh"} for kind in ("one", "two", "six")]
    failed, wrong = [], []

    def write(files):
        try:
            for _ in range(12):
                store_all(tmp_path, files)
                with locked(tmp_path):  # no other writes now
                    found = {name: read(tmp_path, name) for name in files}
                wrong.extend([found] if found not in kinds else [])
        except Exception as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=[files]) for files in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == [] and wrong == []
    assert {path.name for path in tmp_path.iterdir()} == set(kinds[0])


def test_a_disk_without_locks_loses_nothing(tmp_path, monkeypatch):
    def refuse(handle, operation):
        raise OSError("no locks here")

    monkeypatch.setattr(storing.fcntl, "flock", refuse)
    storing.store_all(tmp_path, {"a": b"1"})
    assert storing.read(tmp_path, "a") == b"1"
