"""Recorded results: tables with what they came from, and reading them back."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import platform
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pandas as pd

import csb
import csbook
from csbook.datasets.storing import read, store_all
from csbook.records import RESULTS, check_outside

__all__ = ["Recorded", "recorded", "source_sha256", "write_results"]

LARGE = 2**20
"""Bytes above which a table is compressed."""

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "pandas", "joblib")


def source_sha256() -> str:
    """SHA-256 over the Python files of both packages, names and contents, in sorted order."""
    digest = hashlib.sha256()
    for package in (csb, csbook):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root.parent).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def versions(libraries: tuple[str, ...] = ()) -> dict[str, str]:
    """Versions of the libraries on which every number depends, and of those named."""
    return {library: _version(library) for library in (*LIBRARIES, *libraries)}


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:  # as numba may be
        return "absent"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def write_results(
    folder: Path,
    name: str,
    tables: Mapping[str, str],
    *,
    source: str,
    settings: Mapping,
    wall_seconds: float,
    inputs: Mapping[str, str] | None = None,
    libraries: tuple[str, ...] = (),
) -> None:
    """Write tables, ``manifest.json`` and ``run.json``, in one step: a reader finds the former or the new.

    The manifest holds all on which the tables depend, and no more: two runs of the same sources on the same
    inputs write the same bytes. Machine and time go into ``run.json``, which nothing compares.

    Parameters
    ----------
    folder : Path
        Made if missing; none of the package.
    name : str
        Of the study.
    tables : mapping of str to str
        By file name without ending, the text of each CSV file; large ones are compressed.
    source : str
        What :func:`source_sha256` gave when the run began.
    settings : mapping
        Settings of the run, the seed among them.
    wall_seconds : float
        Duration of the run.
    inputs : mapping of str to str, optional
        SHA-256 of each file read.
    libraries : tuple of str
        Libraries whose versions matter beyond those that always do.

    Raises
    ------
    ValueError
        If the folder lies within the package.
    OSError
        If something cannot be written; what was recorded there is as it was.
    """
    folder = check_outside("folder", folder)
    files = {}
    for table, text in tables.items():
        content, file = text.encode(), f"{table}.csv"
        if len(content) > LARGE:
            content, file = gzip.compress(content, mtime=0), f"{file}.gz"
        files[file] = content
    manifest = {
        "study": name,
        "csb": csb.__version__,
        "csb_source_sha256": source,
        "python": platform.python_version(),
        "libraries": versions(libraries),
        "settings": dict(settings),
        "inputs_sha256": dict(sorted((inputs or {}).items())),
        "tables_sha256": {file: hashlib.sha256(content).hexdigest() for file, content in files.items()},
    }
    run = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "wall_seconds": round(wall_seconds, 1),
    }
    for part, says in (("manifest", manifest), ("run", run)):
        files[f"{part}.json"] = (json.dumps(says, indent=2) + "\n").encode()
    store_all(folder, files)
    for table in tables:  # it may have been larger or smaller before
        for other in {f"{table}.csv", f"{table}.csv.gz"} - files.keys():
            (folder / other).unlink(missing_ok=True)


@dataclass(frozen=True)
class Recorded:
    """Recorded results.

    Attributes
    ----------
    tables : dict of str to DataFrame
        By file name without ending.
    manifest, run : dict
        What they came from; the machine and the time.
    """

    tables: dict[str, pd.DataFrame]
    manifest: dict
    run: dict

    def __str__(self) -> str:
        made = self.run["finished"][:10]
        source = self.manifest["csb_source_sha256"][:8]
        return f"recorded on {made} with csb {self.manifest['csb']}, source {source}"


def recorded(name: str, results: Path = RESULTS) -> Recorded:
    """Read recorded results and check them against their manifest.

    Parameters
    ----------
    name : str
        Of the study: a folder below ``results``.
    results : Path
        The results that come with the package by default.

    Returns
    -------
    Recorded

    Raises
    ------
    ValueError
        If there are none of that name, a file is lost or damaged, or a table is not the one in the manifest.

    Examples
    --------
    >>> sorted(recorded("c13").tables)
    ['gaussians', 'measures', 'rounds']
    """
    folder = Path(results) / name
    try:
        read(folder, "manifest.json")
    except FileNotFoundError:
        found = Path(results).rglob("manifest.json")
        known = sorted(path.parent.relative_to(results).as_posix() for path in found)
        raise ValueError(
            f"name={name!r}: no recorded results; there are {', '.join(known) or 'none'}"
        ) from None
    manifest = _says(folder, "manifest.json", {"csb", "csb_source_sha256", "settings", "tables_sha256"})
    run = _says(folder, "run.json", {"finished"})
    tables = {}
    for file, digest in manifest["tables_sha256"].items():
        content = _content(folder, file)
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError(
                f"{file} of {name!r} is not the table that its manifest describes: it was changed or "
                "lost, or new results are being written at this moment"
            )
        content = gzip.decompress(content) if file.endswith(".gz") else content
        name = file.removesuffix(".gz").removesuffix(".csv")
        # a name in a table may be "null"
        tables[name] = pd.read_csv(io.BytesIO(content), keep_default_na=False, na_values=[""])
    return Recorded(tables, manifest, run)


def _content(folder: Path, file: str) -> bytes:
    """What a file of recorded results holds; nothing if it is lost, which is no less wrong."""
    try:
        return read(folder, file)
    except FileNotFoundError:
        return b""


def _says(folder: Path, file: str, needed: set[str]) -> dict:
    """What a JSON file of recorded results says, if it is whole."""
    try:
        says = json.loads(_content(folder, file))
        if needed <= says.keys():
            return says
    except (ValueError, AttributeError):
        pass
    raise ValueError(f"{folder / file}: lost or damaged; run the study again")
