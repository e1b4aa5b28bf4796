"""Files that are whole or not there: every kill, every failure, writers side by side."""

import errno
import json
import os
import stat
import subprocess
import sys
import textwrap
import threading

import pytest

from csbook.datasets import storing

FORMER = {"t.csv": b"a\n1\n", "u.csv": b"b\n1\n", "manifest.json": b"former"}
NEW = {"t.csv": b"a\n2\n" * 5000, "u.csv": b"b\n2\n", "w.csv": b"c\n2\n", "manifest.json": b"new"}

KILLED = textwrap.dedent(
    """
    import json, os, signal, sys
    from pathlib import Path
    from csbook.datasets import storing
    from test_storing import FORMER, NEW

    CHANGES = {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir"}

    def killed_at(number, write):
        '''Whether a process that writes is killed before its change of this number to the disk.'''
        child = os.fork()
        if not child:
            left = [number]
            def hook(event, arguments):
                if event in CHANGES and str(root) in str(arguments[0]):
                    left[0] -= 1
                    if left[0] < 0:
                        os.kill(os.getpid(), signal.SIGKILL)
            sys.addaudithook(hook)
            write()
            os._exit(0)
        return os.WIFSIGNALED(os.waitpid(child, 0)[1])

    root, found, number = Path(sys.argv[1]), [], 0
    while True:
        folder = root / str(number)
        storing.store_all(folder, FORMER)
        storing.store(folder / "one", b"former")

        def write():
            storing.store(folder / "one", b"new")
            storing.store_all(folder, NEW)

        killed = killed_at(number, write)
        seen = {}
        for name in NEW:
            try:
                seen[name] = storing.read(folder, name).decode()
            except FileNotFoundError:
                pass
        one = (folder / "one").read_text()
        storing.store_all(folder, FORMER)
        after = {path.name: path.read_text() for path in folder.iterdir()}
        found.append([seen, one, after])
        if not killed:
            break
        number += 1
    print(json.dumps(found))
    """
)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills a copy of the process, which takes fork")
def test_a_kill_before_any_change_to_the_disk_leaves_the_former_files_or_the_new(tmp_path):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.path.dirname(__file__), *sys.path])}
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    former, new = ({name: text.decode() for name, text in files.items()} for files in (FORMER, NEW))
    states = ["former" if seen == former else "new" if seen == new else "mixed" for seen, _, _ in found]
    turn = states.index("new")
    assert states == ["former"] * turn + ["new"] * (len(states) - turn) and 5 < turn < len(states) - 5
    assert {one for _, one, _ in found} == {"former", "new"}
    for _, one, after in found:  # the next call settles everything and leaves nothing over
        assert {name: after[name] for name in former} == former
        assert set(after) <= {*former, "w.csv", "one"} and after["one"] == one


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def full_after(monkeypatch):
    """Let the disk be full from a number of files on."""

    def fill(number):
        left = [number]

        def fsync(handle):
            left[0] -= 1
            if left[0] < 0:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(storing.os, "fsync", fsync)

    return fill


@pytest.mark.parametrize("number", range(len(NEW)))
def test_a_full_disk_leaves_the_former_files_and_nothing_else(tmp_path, full_after, number):
    storing.store_all(tmp_path, FORMER)
    full_after(number)
    with pytest.raises(OSError, match=f"No space left on device: .*{list(NEW)[number]}"):
        storing.store_all(tmp_path, NEW)
    assert files_of(tmp_path) == FORMER


def test_a_full_disk_leaves_the_former_file_and_nothing_else(tmp_path, full_after):
    storing.store(tmp_path / "t.csv", b"former")
    full_after(0)
    with pytest.raises(OSError, match="No space left on device: .*t.csv"):
        storing.store(tmp_path / "t.csv", b"new")
    assert files_of(tmp_path) == {"t.csv": b"former"}


def test_a_file_of_limited_size_is_not_left_in_part(tmp_path):
    """The system itself refuses the second half."""
    resource = pytest.importorskip("resource", reason="limits of a process are a thing of Unix")
    storing.store(tmp_path / "t.csv", b"former")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, before[1]))
    try:
        with pytest.raises(OSError, match="File too large: .*t.csv"):
            storing.store(tmp_path / "t.csv", bytes(2**21))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert files_of(tmp_path) == {"t.csv": b"former"}


def test_a_folder_that_is_gone_and_a_folder_in_the_place_of_the_file_are_errors(tmp_path):
    with pytest.raises(FileNotFoundError):
        storing.store(tmp_path / "gone" / "t.csv", b"new")
    (tmp_path / "t.csv").mkdir()
    with pytest.raises(OSError, match="t.csv"):
        storing.store(tmp_path / "t.csv", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]


def test_a_writer_whose_part_is_swept_writes_once_more(tmp_path, monkeypatch):
    write, times = storing._write, []

    def swept(path, content):
        write(path, content)
        times.append(path)
        if len(times) == 1:
            storing.sweep(tmp_path)

    monkeypatch.setattr(storing, "_write", swept)
    storing.store(tmp_path / "t.csv", b"new")
    assert files_of(tmp_path) == {"t.csv": b"new"} and len(times) == 2


def test_only_what_writers_left_over_is_swept(tmp_path):
    (tmp_path / "t.csv.0123.csb-part").write_bytes(b"half")
    (tmp_path / ".csb-next.0123.csb-part").mkdir()
    (tmp_path / ".csb-next.0123.csb-part" / "u.csv").write_bytes(b"half")
    for name in ("t.csv", "film.part", "csb-part"):
        (tmp_path / name).write_bytes(b"whole")
    storing.sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"t.csv", "film.part", "csb-part"}


def test_readers_see_whole_files_while_several_write(tmp_path):
    contents = [bytes([letter]) * 200_000 for letter in b"abc"]
    storing.store(tmp_path / "t", contents[0])

    def write(content):
        for _ in range(20):
            storing.store(tmp_path / "t", content)
            storing.sweep(tmp_path)

    threads = [threading.Thread(target=write, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert (tmp_path / "t").read_bytes() in contents
    assert [path.name for path in tmp_path.iterdir()] == ["t"]


def test_files_can_be_read_by_whom_the_mask_allows(tmp_path):
    before = os.umask(0o022)
    try:
        storing.store(tmp_path / "one", b"")
        storing.store_all(tmp_path, {"all": b""})
    finally:
        os.umask(before)
    if os.name == "posix":
        assert {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("one", "all")} == {0o644}
