"""Find a raw file, or download it: the folder CSB_DATA first, then the cache, then the network.

A file is used only if its checksum is the registered one. Downloads go to a temporary name beside the
cache and are moved in when they are complete and verified, so the cache never holds part of a file.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Literal

from tqdm import TqdmWarning

from csb.datasets.registry import File

with warnings.catch_warnings():
    # pooch imports tqdm's notebook bar, which warns in a kernel without ipywidgets
    warnings.simplefilter("ignore", TqdmWarning)
    import pooch

__all__ = ["cache_folder", "data_folder", "fetch", "locate", "verify", "where"]

Place = Literal["CSB_DATA", "cache", "to fetch"]

TIMEOUT = 30.0  # seconds without a byte from the server


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
    if not Path(named).is_dir():
        raise ValueError(f"CSB_DATA={named!r}: must be a folder with the raw files; unset it or correct it")
    return Path(named)


def cache_folder() -> Path:
    """The folder of downloads: the environment variable CSB_CACHE, or the user's cache folder."""
    return Path(os.environ.get("CSB_CACHE") or pooch.os_cache("csb"))


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
            f"Delete it, then run 'python -m csb data fetch {file.name}', "
            f"or put the right file into the folder named by CSB_DATA"
        )
    return path


def fetch(file: File, timeout: float = TIMEOUT, progressbar: bool = False) -> Path:
    """Download a file into the cache unless a right one is there.

    Parameters
    ----------
    file : File
        What to fetch.
    timeout : float, default 30
        Seconds to wait for the server's next byte.
    progressbar : bool, default False
        Show a bar on stderr.

    Returns
    -------
    Path
        The file in the cache.

    Raises
    ------
    OSError
        If the download fails or what arrives has the wrong checksum; the cache is left as it was.
    """
    target = cache_folder()
    path = target / file.name
    if path.is_file() and pooch.file_hash(str(path), alg="sha256") == file.sha256:
        return path
    pooch.get_logger().setLevel("WARNING")
    downloader = pooch.HTTPDownloader(timeout=timeout, progressbar=progressbar)
    try:
        target.mkdir(parents=True, exist_ok=True)
        pooch.retrieve(file.url, f"sha256:{file.sha256}", file.name, target, downloader=downloader)
    except (OSError, ValueError) as error:  # requests' errors are OSErrors, a wrong checksum a ValueError
        raise OSError(
            f"{file.name}: download from {file.url} failed, nothing was kept. "
            f"Expected sha256 {file.sha256}. Cause: {error}. Try 'python -m csb data fetch {file.name}' "
            f"again with a network, or put the file into a folder and name that folder in CSB_DATA"
        ) from error
    return path


def locate(file: File) -> Path:
    """The verified file: from CSB_DATA, else from the cache, else downloaded into the cache.

    Raises
    ------
    ValueError
        If the file is there and has the wrong checksum.
    OSError
        If it is not there and cannot be downloaded.
    """
    place = where(file)
    return fetch(file) if place == "to fetch" else verify(_folders()[place] / file.name, file)
