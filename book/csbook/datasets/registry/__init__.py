"""What is known of each data set and file, read from the tables in this folder.

``files.csv`` holds one row per file: where it is pinned, its checksum, how it is read, and its rows,
attributes and class counts. The ``.toml`` files hold one entry per task: which files, which labels
form which class, what is done with missing values and categories, and what is wrong with the data.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files as package_files
from typing import Any, Literal, get_args

import pandas as pd

from csb.inputs import one_of

__all__ = ["Entry", "File", "Track", "entries", "find_entry", "find_file", "find_track", "raw_files"]

TrackName = Literal["clean", "published"]

TASK_TABLES = ("n16.toml", "other_papers.toml", "more.toml", "package.toml")


@dataclass(frozen=True)
class File:
    """One raw file: where it is, what it must be, how it is read."""

    name: str
    format: str
    columns: tuple[str, ...]  # names of the columns; empty when the file itself names them
    class_column: str
    not_inputs: tuple[str, ...]
    rows: int
    attributes: int
    class_counts: dict[str, int]
    missing_values: int
    sha256: str
    bytes: int
    url: str
    licence: str
    note: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", self.name):
            raise ValueError(
                f"name={self.name!r}: allowed is a plain file name, of letters, digits, '.', '_' and '-', "
                "so that no file leaves the folder it belongs to"
            )


@dataclass(frozen=True)
class Track:
    """One version of a task. ``classes`` maps each class, in the order of ``y``, to its raw labels."""

    name: str
    classes: dict[str, tuple[str, ...]]
    reason: str
    rows: int
    inputs: int
    counts: tuple[int, ...]
    files: tuple[str, ...] = ()
    maker: str = ""
    split: tuple[str, ...] = ()
    labels: dict[str, str] = field(default_factory=dict)
    target: str = ""
    head: int | None = None
    drop: tuple[str, ...] = ()
    nominal: tuple[str, ...] = ()
    ordinal: dict[str, list[str]] = field(default_factory=dict)
    levels: tuple[str, ...] = ()
    missing: str = "none"
    costs: str = ""
    attributes: int = 0  # of the source, where a set without files is encoded
    defects: tuple[str, ...] = ()

    @property
    def tier(self) -> int:
        """1 when nothing need be fetched, 2 when the track reads files."""
        return 2 if self.files else 1

    @property
    def all_files(self) -> tuple[str, ...]:
        """The files with the inputs, then those with nothing but labels."""
        return self.files + tuple(self.labels.values())


@dataclass(frozen=True)
class Entry:
    """One task: its tracks and what they share."""

    name: str
    title: str
    papers: tuple[str, ...]
    citation: str
    licence: str
    tracks: dict[str, Track]
    aliases: tuple[str, ...] = ()
    defects: tuple[str, ...] = ()


def _column_names(text: str) -> tuple[str, ...]:
    """Split at semicolons and write out ranges: ``"x1..x3;class"`` gives x1, x2, x3, class."""
    names: list[str] = []
    for part in filter(None, text.split(";")):
        span = re.fullmatch(r"x1\.\.x(\d+)", part)
        names += [f"x{k + 1}" for k in range(int(span[1]))] if span else [part]
    return tuple(names)


def _class_counts(text: str) -> dict[str, int]:
    pairs = (part.rsplit(": ", 1) for part in filter(None, text.split("; ")))
    return {label: int(count) for label, count in pairs}


@cache
def raw_files() -> dict[str, File]:
    """All raw files by name."""
    with package_files(__name__).joinpath("files.csv").open(encoding="utf-8") as stream:
        table = pd.read_csv(stream, dtype=str, keep_default_na=False)
    result = {}
    for row in table.to_dict("records"):
        row["columns"] = _column_names(row["columns"])
        row["not_inputs"] = _column_names(row["not_inputs"])
        row["class_counts"] = _class_counts(row["class_counts"])
        for key in ("rows", "attributes", "missing_values", "bytes"):
            row[key] = int(row[key])
        result[row["name"]] = File(**row)
    return result


def _tuples(table: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _track(name: str, table: dict[str, Any]) -> Track:
    table = _tuples(table)
    classes = table.pop("classes")
    if isinstance(classes, tuple):
        classes = {label: [label] for label in classes}
    return Track(name=name, classes={label: tuple(raw) for label, raw in classes.items()}, **table)


@cache
def entries() -> dict[str, Entry]:
    """All tasks by name, in the order of the tables."""
    result = {}
    for table in TASK_TABLES:
        with package_files(__name__).joinpath(table).open("rb") as stream:
            for name, values in tomllib.load(stream).items():
                tracks = {k: _track(k, values.pop(k)) for k in get_args(TrackName) if k in values}
                result[name] = Entry(name=name, tracks=tracks, **_tuples(values))
    return result


def find_entry(name: str) -> Entry:
    """The task of this name or alias; an unknown name raises ValueError with the nearest known one."""
    by_name = dict(entries())
    by_name.update({alias: entry for entry in entries().values() for alias in entry.aliases})
    return by_name[one_of("name", name, by_name, "csbook.datasets.available() lists all data sets")]


def find_track(entry: Entry, track: str) -> Track:
    """The track of this name; ValueError names those that exist."""
    return entry.tracks[one_of("track", track, entry.tracks, f"data set {entry.name!r} has no other")]


def find_file(name: str) -> File:
    """The raw file of this name; an unknown name raises ValueError with the nearest known one."""
    return raw_files()[one_of("name", name, raw_files())]
