"""Downloads against a local server that misbehaves; the cache, CSB_DATA, and the commands."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import os
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from csbook import datasets
from csbook.datasets import cli, fetch, loading, parsers, registry

CONTENT = b"30,64,1,1\n31,59,2,2\n" * 5000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests.append(self.path)
        self.server.encodings.append(self.headers["Accept-Encoding"])
        if self.path == "/missing":
            return self.send_error(404)
        if self.path == "/late":
            time.sleep(1.5)
        if hostile := HOSTILE.get(self.path):
            return hostile(self)
        body = b"x" + CONTENT[1:] if self.path == "/wrong" else CONTENT
        self.send_response(200)
        if self.path != "/unannounced":
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.path in ("/cut", "/unannounced"):
            body = body[: len(body) // 2]
        try:
            self.wfile.write(body)
        except ConnectionError:
            pass  # the client has given up waiting

    def send_until_ended(self, piece, pause=0.0):
        """Send without end, until the client has gone or the test is over."""
        try:
            while not self.server.ended.wait(pause):
                self.wfile.write(piece())
                self.wfile.flush()
        except ConnectionError:
            pass

    def send_endless(self):
        self.send_response(200)
        self.end_headers()
        self.send_until_ended(lambda: CONTENT)

    def send_endless_compressed(self):
        packer = zlib.compressobj(wbits=31)
        self.send_response(200)
        self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.send_until_ended(lambda: packer.compress(bytes(2**20)) + packer.flush(zlib.Z_SYNC_FLUSH))

    def send_slowly(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(CONTENT)))
        self.end_headers()
        self.send_until_ended(lambda: b"3", pause=0.05)

    def send_headers_slowly(self):
        self.wfile.write(b"HTTP/1.0 200 OK\r\nX-Slow: ")
        self.send_until_ended(lambda: b"3", pause=0.05)

    def send_elsewhere(self):
        self.send_response(302)
        self.send_header("Location", self.path)
        self.end_headers()

    def log_message(self, *args):
        pass


HOSTILE = {
    "/endless": Handler.send_endless,
    "/endless-compressed": Handler.send_endless_compressed,
    "/slow": Handler.send_slowly,
    "/slow-headers": Handler.send_headers_slowly,
    "/elsewhere": Handler.send_elsewhere,
}


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.requests, server.encodings, server.ended = [], [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.ended.set()
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("CSB_CACHE", str(folder))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("CSB_DATA", raising=False)
    return folder


def a_file(server, path="/good", **changes):
    url = f"http://127.0.0.1:{server.server_port}{path}"
    file = {"url": url, "sha256": SHA256, "bytes": len(CONTENT), "rows": 10_000, "class_counts": {}}
    return dataclasses.replace(registry.find_file("haberman.csv"), **file | changes)


@pytest.fixture
def registered(server, monkeypatch):
    """Let the registry's haberman.csv be the server's file at a path."""

    def register(path):
        files = dict(registry.raw_files(), **{"haberman.csv": a_file(server, path)})
        for module in (registry, cli):
            monkeypatch.setattr(module, "raw_files", lambda: files)

    return register


def test_good_download_is_kept_and_not_repeated(server, cache):
    file = a_file(server)
    path = fetch.fetch(file)
    assert path == cache / "haberman.csv" and path.read_bytes() == CONTENT
    assert fetch.fetch(file) == fetch.locate(file) == path
    assert server.requests == ["/good"]
    assert [p.name for p in cache.iterdir()] == ["haberman.csv"]


@pytest.mark.parametrize("path", ["/late", "/cut", "/unannounced", "/wrong", "/missing"])
@pytest.mark.parametrize("before", [None, b"rubbish of an older version"])
def test_bad_download_leaves_the_cache_as_it_was(server, cache, path, before):
    if before:
        cache.mkdir()
        (cache / "haberman.csv").write_bytes(before)
    file = a_file(server, path)
    with pytest.raises(OSError) as caught:
        fetch.fetch(file, timeout=0.3)
    message = str(caught.value)
    for part in ("haberman.csv", file.url, SHA256, "data fetch haberman.csv", "CSB_DATA", "nothing was kept"):
        assert part in message
    if path in ("/wrong", "/unannounced"):
        sent = b"x" + CONTENT[1:] if path == "/wrong" else CONTENT[: len(CONTENT) // 2]
        assert hashlib.sha256(sent).hexdigest() in message
    if path == "/missing":
        assert "404" in message
    kept = {p.name: p.read_bytes() for p in cache.iterdir()} if cache.exists() else {}
    assert kept == ({"haberman.csv": before} if before else {})


@pytest.mark.parametrize(
    "path, cause",
    [
        ("/endless", f"more than the {len(CONTENT)} bytes of the registry"),
        ("/endless-compressed", f"more than the {len(CONTENT)} bytes of the registry"),
        ("/slow", "not complete after 1 seconds"),
        ("/slow-headers", "not complete after 1 seconds"),
        ("/elsewhere", "redirects"),
    ],
)
def test_a_server_cannot_send_without_end(server, cache, path, cause):
    with pytest.raises(OSError, match=f"haberman.csv: download .* nothing was kept.*{cause}"):
        fetch.fetch(a_file(server, path), timeout=10, deadline=1)
    assert not cache.exists()


def test_a_thread_that_is_given_up_ends(server, cache):
    with pytest.raises(OSError, match="not complete"):
        fetch.fetch(a_file(server, "/slow"), deadline=0.2)
    (given_up,) = (thread for thread in threading.enumerate() if "receive" in thread.name)
    server.ended.set()
    given_up.join(30)
    assert not given_up.is_alive()


def test_what_is_compressed_on_its_way_is_not_asked_for(server, cache):
    fetch.fetch(a_file(server))
    assert server.encodings == ["identity"]


def test_every_registered_size_is_a_limit():
    assert all(0 < file.bytes < 2**23 for file in registry.raw_files().values())


@pytest.mark.parametrize("before", [None, b"rubbish of an older version"])
def test_a_full_disk_leaves_the_cache_as_it_was(server, cache, monkeypatch, before):
    if before:
        cache.mkdir()
        (cache / "haberman.csv").write_bytes(before)

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("csbook.datasets.storing.os.fsync", full)
    with pytest.raises(OSError, match="haberman.csv: download .* No space left on device"):
        fetch.fetch(a_file(server))
    assert [path.read_bytes() for path in cache.iterdir()] == ([before] if before else [])


def test_what_a_killed_download_left_over_is_swept(server, cache):
    cache.mkdir()
    (cache / "haberman.csv.12.csb-part").write_bytes(CONTENT[:9])
    fetch.fetch(a_file(server))
    assert [path.name for path in cache.iterdir()] == ["haberman.csv"]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "a/b", "a/../../x", "/etc/x", "a\\b", "..\\x", "C:x", "C:\\x"]
    + ["x\0", "x\n", "~", ".x", "-x"],
)
def test_names_that_would_leave_the_cache_are_refused(server, cache, tmp_path, name):
    with pytest.raises(ValueError, match="name=.*allowed is a plain file name"):
        a_file(server, name=name)
    assert not list(tmp_path.iterdir()) and server.requests == []


def test_a_link_in_the_cache_is_replaced_and_not_followed(server, cache, tmp_path):
    cache.mkdir()
    (tmp_path / "elsewhere").write_bytes(b"mine")
    (cache / "haberman.csv").symlink_to(tmp_path / "elsewhere")
    assert fetch.fetch(a_file(server)).read_bytes() == CONTENT
    assert (tmp_path / "elsewhere").read_bytes() == b"mine" and not (cache / "haberman.csv").is_symlink()


def test_refused_connection(server, cache):
    file = a_file(server, url="http://127.0.0.1:9/nothing")
    with pytest.raises(OSError, match="haberman.csv: download from http://127.0.0.1:9/nothing failed"):
        fetch.locate(file)


def test_cache_that_cannot_be_made(server, cache):
    cache.write_text("a file where the folder should be")
    with pytest.raises(OSError, match="nothing was kept"):
        fetch.fetch(a_file(server))


@pytest.mark.parametrize("variable", ["CSB_DATA", "CSB_CACHE"])
def test_wrong_checksum_on_disk_is_refused_without_network(server, cache, tmp_path, monkeypatch, variable):
    monkeypatch.setenv(variable, str(tmp_path))
    (tmp_path / "haberman.csv").write_bytes(b"30,64,1,1\n")
    file = a_file(server)
    with pytest.raises(ValueError) as caught:
        parsers.parse(fetch.locate(file), file)
    message = str(caught.value)
    for part in (
        str(tmp_path / "haberman.csv"),
        SHA256,
        hashlib.sha256(b"30,64,1,1\n").hexdigest(),
        "Delete it",
    ):
        assert part in message
    assert server.requests == []


def test_fetch_mends_a_wrong_file_in_the_cache(server, cache):
    cache.mkdir()
    (cache / "haberman.csv").write_bytes(b"wrong")
    assert fetch.fetch(a_file(server)).read_bytes() == CONTENT


def test_csb_data_comes_before_the_cache(server, cache, tmp_path, monkeypatch):
    data = tmp_path / "data"
    for folder in (data, cache):
        folder.mkdir()
        (folder / "haberman.csv").write_bytes(CONTENT)
    file = a_file(server)
    assert fetch.locate(file) == cache / "haberman.csv"
    monkeypatch.setenv("CSB_DATA", str(data))
    assert fetch.locate(file) == data / "haberman.csv"
    (data / "haberman.csv").unlink()
    assert fetch.locate(file) == cache / "haberman.csv"
    assert server.requests == []


def test_load_downloads_once(server, cache, registered):
    registered("/good")
    data = datasets.load("survival")
    np.testing.assert_array_equal(data.X.to_numpy()[:2], [[30, 64, 1], [31, 59, 2]])
    assert data.y[:2].tolist() == [0, 1] and data.target_names[1] == "died within five years"
    assert data.provenance == (
        {"file": "haberman.csv", "url": registry.find_file("haberman.csv").url, "sha256": SHA256},
    )
    datasets.load("haberman")
    assert server.requests == ["/good"]


def test_load_without_network_says_what_to_do(server, cache, registered):
    registered("/missing")
    with pytest.raises(OSError, match="python -m csbook data fetch haberman.csv.*CSB_DATA"):
        datasets.load("survival")


def test_unregistered_label_is_refused(server, cache, registered):
    registered("/good")
    track = dataclasses.replace(registry.find_entry("survival").tracks["clean"], classes={"lives": ("1",)})
    with pytest.raises(ValueError, match=r"survival: labels \['2'\] are not in the registry"):
        loading._from_files(registry.find_entry("survival"), track)


# --- commands -----------------------------------------------------------------------------------------


def test_command_list(cache, capsys):
    assert cli.main(["list"]) == 0
    output = capsys.readouterr().out
    assert "german_credit" in output and "to fetch" in output and f"cache: {cache}" in output


def test_command_fetch_takes_sets_and_files_with_a_bar_on_stderr(server, cache, registered, capsys):
    registered("/good")
    assert cli.main(["fetch", "haberman.csv"]) == 0
    captured = capsys.readouterr()
    assert captured.out == f"haberman.csv: {cache / 'haberman.csv'}\n"
    assert "100%" in captured.err
    names = [file.name for file in cli._files_of(["haberman", "coil2000", "haberman.csv"])]
    assert names == ["haberman.csv", "nikolaou-survival.mat", "coil2000-train.txt", "coil2000-test.txt",
                     "coil2000-test-labels.txt"]  # fmt: skip
    assert [file.name for file in cli._files_of(["all"])] == list(registry.raw_files())


def test_command_fetch_reports_failure_and_goes_on(server, cache, registered, capsys):
    registered("/missing")
    cache.mkdir()
    assert cli.main(["fetch", "haberman.csv"]) == 1
    assert "404" in capsys.readouterr().err
    assert cli.main(["fetch", "habermann"]) == 1
    assert "nearest is 'haberman'" in capsys.readouterr().err


def test_command_fetch_leaves_csb_data_alone(server, cache, registered, tmp_path, monkeypatch, capsys):
    registered("/good")
    monkeypatch.setenv("CSB_DATA", str(tmp_path))
    (tmp_path / "haberman.csv").write_bytes(CONTENT)
    assert cli.main(["fetch", "haberman.csv"]) == 0
    assert server.requests == [] and str(tmp_path / "haberman.csv") in capsys.readouterr().out


def test_command_verify(server, cache, registered, capsys):
    registered("/good")
    cache.mkdir()
    (cache / "haberman.csv").write_bytes(CONTENT)
    assert cli.main(["verify"]) == 0
    captured = capsys.readouterr()
    assert captured.out.endswith("1 files found, 0 wrong\n") and "verify" in captured.err
    (cache / "pima.csv").write_bytes(CONTENT)
    assert cli.main(["verify"]) == 1
    assert "pima.csv: wrong checksum" in capsys.readouterr().out
    assert cli.main(["verify", "haberman.csv"]) == 0
    assert capsys.readouterr().out == "1 files found, 0 wrong\n"
    assert cli.main(["verify", "haberman.csv", "ionosphere.arff"]) == 1
    assert "ionosphere.arff: not found" in capsys.readouterr().out
    assert cli.main(["verify", "habermann"]) == 1
    assert "nearest is 'haberman'" in capsys.readouterr().err


def test_command_without_arguments_says_what_there_is(capsys):
    assert cli.main([]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("usage: csbook data")
    assert all(word in shown for word in ("list", "fetch", "verify"))
