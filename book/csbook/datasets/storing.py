"""Files that are there whole or not at all, whatever ends the process that writes them.

What is written lies beside its place under a name of its own until all of it is on the disk, and is then
renamed in one step.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex

try:
    import fcntl
except ImportError:  # on Windows
    fcntl = None  # type: ignore[assignment]

__all__ = ["locked", "read", "store", "store_all", "sweep"]

PART = ".csb-part"
"""Ending of what is being written."""

NEXT = ".csb-next"
"""Folder of files that are complete and take the place of those beside it."""


def store(path: Path, content: bytes) -> None:
    """Write a file in one step: what stood there stays until all of the new one is on the disk.

    Raises
    ------
    OSError
        Naming the file; what stood there is as it was, and nothing lies beside it.
    """
    while True:
        part = _beside(path)
        try:
            _write(part, content)
            os.replace(part, path)
            return
        except FileNotFoundError:
            if not path.parent.is_dir():
                raise
            # another process began just now and took the part for one left over: write it once more
        finally:
            part.unlink(missing_ok=True)


def store_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files of a folder, made if missing, in one step: :func:`read` finds the former or the new ones.

    The new ones are gathered within the folder. When the last of them is on the disk they get the name that
    makes them valid, and then move to their places; a move that is cut is finished by the next call. Writers
    of one folder wait for one another.

    Raises
    ------
    OSError
        What :func:`read` finds is as it was.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder):
        sweep(folder)
        _settle(folder)
        part = _beside(folder / NEXT)
        try:
            part.mkdir()
            for name, content in files.items():
                _write(part / name, content)
            os.rename(part, folder / NEXT)
        finally:
            shutil.rmtree(part, ignore_errors=True)
        _settle(folder)


@contextmanager
def locked(folder: Path, in_use: str = "") -> Iterator[None]:
    """Keep a folder from others that lock it, as long as this process lives, where the system has locks.

    Raises
    ------
    OSError
        With the words ``in_use``, if another holds it. Without words it is waited for.
    """
    if fcntl is None:
        yield
        return
    handle = os.open(folder, os.O_RDONLY)  # the folder itself: no file is left in it
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (fcntl.LOCK_NB if in_use else 0))
        except BlockingIOError:
            raise OSError(in_use) from None
        except OSError:  # some disks of a network have no locks
            pass
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_UN)  # a process that was forked would hold it on
        os.close(handle)


def read(folder: Path, name: str) -> bytes:
    """Read a file that :func:`store_all` wrote."""
    with suppress(FileNotFoundError):
        return (folder / NEXT / name).read_bytes()
    return (folder / name).read_bytes()


def sweep(folder: Path) -> None:
    """Remove what writers that were killed left over."""
    for part in folder.glob(f"*{PART}"):
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.{token_hex(8)}{PART}")


def _write(path: Path, content: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:  # that of a full disk names no file
        error.filename = error.filename or str(path)
        raise


def _settle(folder: Path) -> None:
    """Move complete files to their places, as the former call did not come to its end."""
    for file in (folder / NEXT).glob("*"):
        os.replace(file, folder / file.name)
    with suppress(FileNotFoundError):
        (folder / NEXT).rmdir()
