"""Files of compiled code, which are never trusted blindly.

Numba keeps code in files, but raises an error where it finds no folder for them, runs whatever stands in a
damaged file or in another function's, and looks for changes only in the file of the function itself, not in
those it calls. Here each file ends with a checksum and says what it is of: the function, the types of its
arguments, the sources and the version of numba. A change of any file of this folder counts, and where code
cannot be read or kept, it is compiled again, with a warning. Numba has no public way to change this: the two
classes that are extended here are those that other packages extend for caches of their own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import FunctionCache, IndexDataCacheFile

from csb.inputs import CompileCacheWarning

__all__ = ["FOLDERS", "is_kept", "keep_code"]


FOLDERS: dict[str, bool] = {}
"""Where code is kept, and whether all could be."""


def keep_code(made: Any, function: Callable) -> None:
    """Give what numba made of a function its cache, where there is a place for one."""
    try:
        made._cache = CheckedCache(function)
        FOLDERS.setdefault(made._cache.cache_path, True)
    except RuntimeError:
        _warn("no folder for compiled code can be written (NUMBA_CACHE_DIR may name one)")


@cache
def is_kept(made: Any, types: tuple[Any, ...]) -> bool:
    """Whether code for arguments of these types had been kept when it was first asked for."""
    return isinstance(made._cache, CheckedCache) and made._cache.holds(types, made.targetctx)


class CheckedCache(FunctionCache):
    """Code of one function: what cannot be read is absent, what cannot be kept is left."""

    def __init__(self, function: Callable):
        super().__init__(function)
        name = self._impl.filename_base
        stamp = (
            function.__module__,
            name,
            self._impl.locator.get_source_stamp(),
            _sources(),
            numba.__version__,
        )
        # under names of their own: the files that numba writes by itself have no checksum
        self._cache_file = CheckedFile(self.cache_path, f"checked-{name}", stamp)

    def holds(self, sig: Any, target_context: Any) -> bool:
        """Whether code for a signature is listed; so is what is damaged, for loading to find out."""
        with suppress(Exception):
            return self._index_key(sig, target_context.codegen()) in self._cache_file._load_index()
        return True

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # there is no end to what wrong bytes may raise
            _warn(f"compiled code in {self.cache_path} is damaged, or of something else")
            with suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception as reason:
            FOLDERS[self.cache_path] = False
            _warn(f"compiled code cannot be kept in {self.cache_path}: {type(reason).__name__}")


class CheckedFile(IndexDataCacheFile):
    """Files that say what they are of, and end with a checksum, which unpickling passes over."""

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (self._source_stamp, key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        if found is None:
            return None
        *identity, data = found
        if identity != [self._source_stamp, key]:
            raise ValueError(f"what {self._index_path} names is the code of something else")
        return data

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[BytesIO]:
        with super()._open_for_write(filepath) as file:
            yield (content := BytesIO())
            file.write(content.getvalue() + sha256(content.getvalue()).digest())

    def _load_index(self) -> Any:
        _check(Path(self._index_path))
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        _check(Path(self._data_path(name)))
        return super()._load_data(name)


def _check(path: Path) -> None:
    with suppress(FileNotFoundError):  # an absent file is no damage
        content = path.read_bytes()
        if content[-32:] != sha256(content[:-32]).digest():
            raise ValueError(f"{path} does not have the checksum it ends with")


@cache
def _sources() -> str:
    """Digest of all that compiled code may be made from."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


@cache
def _warn(message: str) -> None:
    """Say it once in a process, not once for each function."""
    warnings.warn(f"{message}; compiling is repeated", CompileCacheWarning, stacklevel=3)
