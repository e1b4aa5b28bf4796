"""Find a raw file, or download it: the folder CSB_DATA first, then the cache, then the network.

A file is used only if its checksum is the registered one. What a server sends is kept in memory until it is
complete and verified, and no more of it than the registered size, so the cache never holds part of a file.
"""

from __future__ import annotations

import hashlib
import io
import os
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from tqdm import TqdmWarning

from csbook.datasets.registry import File
from csbook.datasets.storing import store, sweep

with warnings.catch_warnings():
    # pooch imports tqdm's notebook bar, which warns in a kernel without ipywidgets
    warnings.simplefilter("ignore", TqdmWarning)
    import pooch

__all__ = ["cache_folder", "data_folder", "fetch", "locate", "verify", "where"]

Place = Literal["CSB_DATA", "cache", "to fetch"]

TIMEOUT = 30.0  # seconds without a byte from the server
DEADLINE = 600.0  # seconds for all of a file
PLAIN = {"Accept-Encoding": "identity"}  # the registry knows sizes of what is not compressed on its way


def data_folder() -> Path | None:
    """The folder named by the environment variable CSB_DATA, or None if it is not set.

    Raises
    ------
    ValueError
        If CSB_DATA is set and is not a folder.
    """
    named = os.environ.get("CSB_DATA")
    if not named:
        return None
    if not (folder := Path(os.path.expanduser(named))).is_dir():
        raise ValueError(f"CSB_DATA={named!r}: must be a folder with the raw files; unset it or correct it")
    return folder


def cache_folder() -> Path:
    """The folder of downloads: the environment variable CSB_CACHE, or the user's cache folder."""
    return Path(os.path.expanduser(os.environ.get("CSB_CACHE") or pooch.os_cache("csb")))


def _folders() -> dict[Place, Path]:
    """Where files may be, in the order in which they are looked for."""
    named = data_folder()
    folders: dict[Place, Path] = {} if named is None else {"CSB_DATA": named}
    return folders | {"cache": cache_folder()}


def where(file: File) -> Place:
    """``"CSB_DATA"``, ``"cache"`` or ``"to fetch"``, without reading the file."""
    found = (place for place, folder in _folders().items() if (folder / file.name).is_file())
    return next(found, "to fetch")


def verify(path: Path, file: File) -> Path:
    """Return the path if its checksum is the registered one.

    Raises
    ------
    ValueError
        Naming the file, the expected and the found checksum, and what to do.
    """
    found = pooch.file_hash(str(path), alg="sha256")
    if found != file.sha256:
        raise ValueError(
            f"{path}: wrong checksum, the file is refused. Expected sha256 {file.sha256}, found {found}. "
            f"Delete it, then run 'python -m csbook data fetch {file.name}', "
            f"or put the right file into the folder named by CSB_DATA"
        )
    return path


def fetch(
    file: File, timeout: float = TIMEOUT, progressbar: bool = False, deadline: float = DEADLINE
) -> Path:
    """Download a file into the cache unless a right one is there.

    Parameters
    ----------
    file : File
        What to fetch.
    timeout : float, default 30
        Seconds to wait for the server's next byte.
    progressbar : bool, default False
        Show a bar on stderr.
    deadline : float, default 600
        Seconds for all of it.

    Returns
    -------
    Path
        The file in the cache.

    Raises
    ------
    OSError
        If the download fails or takes too long, what arrives has the wrong checksum or is more than it
        should be, or the cache cannot be written; the cache is left as it was.
    """
    path = cache_folder() / file.name
    if path.is_file() and pooch.file_hash(str(path), alg="sha256") == file.sha256:
        return path
    try:
        content = _download(file, pooch.HTTPDownloader(progressbar, timeout=timeout, headers=PLAIN), deadline)
        found = hashlib.sha256(content).hexdigest()
        if found != file.sha256:
            raise ValueError(f"what arrived has sha256 {found}")
        path.parent.mkdir(parents=True, exist_ok=True)
        sweep(path.parent)
        store(path, content)
    except (OSError, ValueError) as error:
        raise OSError(
            f"{file.name}: download from {file.url} failed, nothing was kept. "
            f"Expected sha256 {file.sha256}. Cause: {error}. Try 'python -m csbook data fetch {file.name}' "
            f"again with a network, or put the file into a folder and name that folder in CSB_DATA"
        ) from error
    return path


class _Limited(io.BytesIO):
    """Bytes up to a number of them; more are refused."""

    def __init__(self, limit: int) -> None:
        super().__init__()
        self.limit = limit

    def write(self, chunk: Any) -> int:
        if self.tell() + len(chunk) > self.limit:
            raise ValueError(f"the server sends more than the {self.limit} bytes of the registry")
        return super().write(chunk)


def _download(file: File, downloader: Callable[..., object], deadline: float) -> bytes:
    """What the server sends, within the deadline.

    It runs in a thread of its own, since a server that sends byte after byte keeps each call of the network
    library waiting without end. A thread that is given up ends when it next hands over what it received.
    """
    failed: list[Exception] = []

    def receive() -> None:
        try:
            downloader(file.url, received, None)
        except Exception as error:
            failed.append(error)

    with _Limited(file.bytes) as received:
        thread = threading.Thread(target=receive, daemon=True)
        thread.start()
        thread.join(deadline)
        if thread.is_alive():
            raise TimeoutError(f"it was not complete after {deadline:g} seconds")
        if failed:
            raise OSError(str(failed[0])) from failed[0]
        return received.getvalue()


def locate(file: File) -> Path:
    """The file, in CSB_DATA, else in the cache, else downloaded into it; it is verified when it is read.

    Raises
    ------
    OSError
        If it is not there and cannot be downloaded.
    """
    place = where(file)
    return fetch(file) if place == "to fetch" else _folders()[place] / file.name
