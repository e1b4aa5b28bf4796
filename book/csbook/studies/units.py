"""Finished units on the disk: each file says which unit it is and carries a checksum of its tables."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from csbook.datasets.storing import store

__all__ = ["UnitStore", "Unit"]

Unit = tuple


@dataclass(frozen=True)
class UnitStore:
    """The finished units of a study that depend on the same.

    Attributes
    ----------
    folder : Path
        Where they are kept.
    study : str
        Name of the study.
    fingerprint : str
        Stands for all on which a unit depends besides: sources, settings, inputs, versions.
    """

    folder: Path
    study: str
    fingerprint: str

    def file(self, unit: Unit) -> Path:
        """Where a unit is kept: each has a file of its own, whatever signs its parts contain."""
        return self.folder / (",".join(quote(str(part), safe="") for part in unit) + ".jsonl")

    def keep(self, unit: Unit, tables: Mapping[str, str]) -> None:
        """Store the tables of a unit: a line that says what they are, then a line with them."""
        body = json.dumps(tables).encode()
        store(self.file(unit), self._head(unit, body) + b"\n" + body)

    def find(self, unit: Unit) -> dict[str, str] | None:
        """The tables of a unit; None if there are none, or, with a warning, none that can be trusted."""
        file = self.file(unit)
        if not file.is_file():
            return None
        head, _, body = file.read_bytes().partition(b"\n")
        if head != self._head(unit, body):
            warnings.warn(f"{file}: damaged, or of another unit; it is computed anew", stacklevel=2)
            return None
        return json.loads(body)

    def _head(self, unit: Unit, body: bytes) -> bytes:
        says = {
            "study": self.study,
            "fingerprint": self.fingerprint,
            "unit": [str(part) for part in unit],
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        return json.dumps(says).encode()
