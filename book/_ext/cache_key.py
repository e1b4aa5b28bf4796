"""Name the execution cache after what the chapters import and read.

jupyter-cache compares the code of a notebook only. Without this a change of the package, of the
data or of a dependency would leave yesterday's figures in the book.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

READ = ("csb/**/*", "book/csbook/**/*", "data/**/*", "requirements.lock", "pyproject.toml")


def fingerprint(root: Path) -> str:
    """Hash of the files that a chapter may read, and of the folder with fetched data."""
    digest = hashlib.sha256(os.environ.get("CSB_DATA", "").encode())
    files = {path for pattern in READ for path in root.glob(pattern) if path.is_file()}
    for path in sorted(path for path in files if "__pycache__" not in path.parts):
        digest.update(path.relative_to(root).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def use_cache(root: Path, build: Path) -> Path:
    """Folder of the cache; the verdicts recorded by its chapters are kept inside."""
    cache = build / ".jupyter_cache" / fingerprint(root)
    os.environ["CSB_VERDICTS"] = str(cache / "verdicts")
    return cache


def tested_folder(cache: Path) -> Path:
    """Folder of the chapters that the tests have executed, until the build takes them into the cache."""
    return cache / "tested"
