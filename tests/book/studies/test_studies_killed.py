"""Studies killed, ended by signals, on clusters that lose their workers: nothing is lost or wrong."""

import os
import random
import shutil
import signal
import time

import numpy as np
import pandas as pd
import pytest

from csbook.studies import recorded, run
from toy_study import contents, environment, small, start, wait_until

pytestmark = pytest.mark.deep

KILLS = int(os.environ.get("CSB_KILLS", "9"))
"""How often a study is killed at a random moment; CONTRIBUTING.md says how to have it done more often."""


def test_killed_and_resumed_gives_the_same_bytes_and_repeats_nothing(tmp_path):
    log, hold = tmp_path / "log", tmp_path / "log.hold"
    hold.touch()  # the third unit does not end while this file is there
    process = start(tmp_path, "broken")
    wait_until(lambda: log.exists() and "a2" in log.read_text().split(), process)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert not (tmp_path / "broken").exists()
    assert {path.stem for path in (tmp_path / "work").rglob("*.jsonl")} == {"a,0", "a,1"}

    hold.unlink()
    assert start(tmp_path, "broken").wait() == 0
    assert log.read_text().split() == ["a0", "a1", "a2", "a2", "a3", "b0", "b1", "b2", "b3"]
    assert start(tmp_path, "whole", work="other").wait() == 0
    assert contents(tmp_path / "broken") == contents(tmp_path / "whole")
    assert {"draws.csv", "counts.csv", "manifest.json"} == set(contents(tmp_path / "whole"))


def test_any_number_of_workers_gives_the_same_tables(tmp_path):
    assert start(tmp_path, "one").wait() == 0
    assert start(tmp_path, "two", work="other", workers=2).wait() == 0
    assert contents(tmp_path / "one") == contents(tmp_path / "two")
    table = pd.read_csv(tmp_path / "two" / "draws.csv")
    assert list(table.columns) == ["kind", "number", "draw", "nothing"]
    assert table["kind"].tolist() == ["a"] * 8 + ["b"] * 8
    first = np.random.default_rng([1, ord("a"), 0]).normal(size=2)
    np.testing.assert_allclose(table["draw"][:2], first, rtol=1e-9)


@pytest.fixture
def groups():
    """Groups of processes that a test starts; what is left of them is ended."""
    started = []
    yield started
    for process in started:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_a_signal_to_the_study_ends_its_workers_too(tmp_path, groups, number):
    """The output of all processes that it started is one pipe, which ends with the last of them."""
    log = tmp_path / "log"
    (tmp_path / "log.hold").touch()  # the third unit does not end by itself
    process = start(tmp_path, "out", workers=2, count=30, pause=0.1)
    groups.append(process)
    wait_until(lambda: log.exists() and "a2" in log.read_text().split(), process)
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (128 + number if number == signal.SIGTERM else -number)
    assert "b29" not in log.read_text().split() and not (tmp_path / "out").exists()


def test_a_worker_that_is_killed_ends_the_study_with_a_word(tmp_path):
    here = os.getpid()

    def compute(unit, settings):
        assert os.getpid() != here
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(OSError, match="a process that computed a unit was killed.*run the same again"):
        run(small(compute=compute), tmp_path / "out", work=tmp_path / "work", workers=2)
    run(small(), tmp_path / "out", work=tmp_path / "work", workers=2)


def test_a_handler_of_sigterm_is_left_alone(tmp_path):
    seen = []

    def compute(unit, settings):
        os.kill(os.getpid(), signal.SIGTERM)
        return small().compute(unit, settings)

    before = signal.signal(signal.SIGTERM, lambda *_: seen.append("handled"))
    try:
        run(small(compute=compute), tmp_path / "out", work=tmp_path / "work")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == ["handled"] * 2


def test_kills_at_random_moments_leave_only_what_is_whole(tmp_path, groups):
    """By three signals, with one worker or two; each run goes on from where the one before was killed."""
    size = {"count": 10, "pause": 0.02}
    assert start(tmp_path, "whole", work="other", **size).wait() == 0
    tables, units = contents(tmp_path / "whole"), contents(tmp_path / "other")
    assert len(units) == 20
    rng, log, work = random.Random(1), tmp_path / "log", tmp_path / "work"
    kills, finished, found = 0, 0, {}
    while kills < KILLS or found:
        log.write_text("")
        process = start(tmp_path, "out", workers=rng.choice([1, 2]), **size)
        groups.append(process)
        number = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[kills % 3]
        if kills < KILLS and found != units:
            begun, moment = rng.randint(1, len(units) - len(found)), rng.uniform(0, 0.1)
            while process.poll() is None and len(log.read_text().split()) < begun:
                time.sleep(0.002)
            time.sleep(moment)
            process.send_signal(number)
            kills += process.wait() != 0
        assert process.wait() in (0, -number, 128 + number), process.communicate()
        found = {name: content for name, content in contents(work).items() if name.endswith(".jsonl")}
        assert found.items() <= units.items()
        if process.returncode == 0:
            assert found == units and contents(tmp_path / "out") == tables
            finished += 1
            shutil.rmtree(work)
            found = {}
        elif finished:
            assert [len(table) for table in recorded("out", tmp_path).tables.values()] == [40, 20]
    print(f"{kills} kills, {finished} runs that finished")


def cluster(**options):
    distributed = pytest.importorskip(
        "distributed", reason="Dask is an extra: pip install 'cost-sensitive-boosting[dask]'"
    )
    return distributed.LocalCluster(threads_per_worker=1, dashboard_address=":0", **options)


def test_a_worker_of_a_dask_cluster_is_killed_and_another_takes_over(tmp_path, monkeypatch):
    assert start(tmp_path, "here").wait() == 0
    hold, pid = tmp_path / "log.hold", tmp_path / "log.pid"
    pid.unlink()
    hold.touch()
    for name, value in environment(tmp_path).items():  # of the workers
        monkeypatch.setenv(name, value)
    with cluster(n_workers=3, processes=True) as dask:
        process = start(tmp_path, "there", work="other", scheduler=dask.scheduler_address)
        wait_until(lambda: pid.exists() and pid.read_text(), process)
        victim = int(pid.read_text())
        assert victim != process.pid
        os.kill(victim, signal.SIGKILL)
        # the unit starts again elsewhere
        wait_until(lambda: int(pid.read_text() or victim) != victim, process)
        hold.unlink()
        assert process.wait(120) == 0
    assert contents(tmp_path / "here") == contents(tmp_path / "there")


def test_a_cluster_without_workers_is_reported_and_given_up(tmp_path):
    with cluster(n_workers=0, processes=False) as dask:
        at = {"work": tmp_path / "work", "scheduler": dask.scheduler_address}
        with (
            pytest.warns(UserWarning, match="has no workers: waiting 0.3 s"),
            pytest.raises(TimeoutError, match="without workers for 0.3 s.*longer timeout"),
        ):
            run(small(), tmp_path / "out", timeout=0.3, **at)
        assert not (tmp_path / "out").exists()
        dask.scale(1)
        run(small(), tmp_path / "out", **at)
    run(small(), tmp_path / "whole", work=tmp_path / "other")
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), "long", True])
def test_the_timeout_is_checked(tmp_path, timeout):
    with pytest.raises(ValueError, match="timeout.*allowed"):
        run(small(), tmp_path / "out", work=tmp_path / "work", timeout=timeout)
