"""Each part of the work is done once, whichever thread comes to it."""

from concurrent.futures import Future

import pytest

from csb.engine import threads
from csb.engine.threads import Threads

CUTS = [(0, 2), (2, 4), (4, 7)]


class NeverBegun(Future):
    def result(self, timeout=None):
        raise AssertionError("it is waited for")


class Busy:
    """Threads that never come to begin."""

    def submit(self, task):
        return NeverBegun()


@pytest.fixture
def three(monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 0)
    return Threads(3)


def test_parts_come_back_in_their_order(three):
    done = []
    for _ in range(50):
        assert three.run(lambda first, last: done.append(first) or (first, last), 7, 1) == CUTS
    assert sorted(done) == 50 * [0] + 50 * [2] + 50 * [4]


def test_what_no_other_thread_begins_is_not_waited_for(three):
    three._pool = Busy()
    assert three.run(lambda first, last: (first, last), 7, 1) == CUTS


def test_an_error_in_another_thread_is_not_lost(three):
    def task(first, last):
        if first == 4:
            raise ZeroDivisionError

    for _ in range(50):
        with pytest.raises(ZeroDivisionError):
            three.run(task, 7, 1)


def test_little_work_stays_in_one_piece(monkeypatch):
    monkeypatch.setattr(threads, "WORTH_A_THREAD", 10)
    assert Threads(2).run(lambda first, last: (first, last), 7, 9) == [(0, 7)]
