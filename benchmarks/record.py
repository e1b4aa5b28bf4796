"""Store the tables of a run, with what they came from."""

from __future__ import annotations

import hashlib
import json
import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pandas as pd

import csb
from benchmarks.timing import SEED

__all__ = ["write"]

LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba", "lightgbm", "pandas", "joblib")


def _source_hash() -> str:
    """SHA-256 over the package's Python files, names and contents, in sorted order."""
    root = Path(csb.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(root.rglob("*.py")):
        digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor()


def write(folder: Path, tables: dict[str, pd.DataFrame], settings: dict, wall_seconds: float) -> None:
    """Write the tables as CSV, ``manifest.json`` and ``run.json``.

    Parameters
    ----------
    folder : Path
        Made if missing.
    tables : dict of str to DataFrame
        By file name without ending.
    settings : dict
        Sizes and repeats of this run, for the manifest.
    wall_seconds : float
        Duration of the run, for ``run.json``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sums = {}
    for name, table in tables.items():
        path = folder / f"{name}.csv"
        table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
        sums[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
    manifest = {
        "study": "speed",
        "csb": csb.__version__,
        "csb_source_sha256": _source_hash(),
        "python": platform.python_version(),
        "libraries": {name: version(name) for name in LIBRARIES},
        "seed": SEED,
        "settings": settings,
        "tables_sha256": sums,
    }
    run = {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "wall_seconds": round(wall_seconds, 1),
    }
    for name, content in (("manifest", manifest), ("run", run)):
        (folder / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
