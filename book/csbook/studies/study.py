"""Experiments that take minutes: split into units, resumable, the same bytes however they were run.

A unit, say one split of one data set, is computed by one process and stored in one step. A study that is
killed loses the units it was working on and nothing else, and the tables put together in the end do not
depend on order, number of processes or interruptions.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from tqdm import tqdm

from csb.inputs import POSITIVE, check_count, read_number
from csbook.datasets.fetch import where
from csbook.datasets.loading import load
from csbook.datasets.registry import TrackName, find_entry, find_file, find_track
from csbook.datasets.storing import locked, sweep
from csbook.records import RESULTS, check_writable
from csbook.studies.manifest import recorded, source_sha256, versions, write_results
from csbook.studies.units import Unit, UnitStore
from csbook.studies.workers import TIMEOUT, ended_by_sigterm, run_tasks

__all__ = ["Study", "run", "verify"]

Settings = Mapping[str, Any]
"""Everything that may change the numbers of a study, by name."""

Tables = Mapping[str, pd.DataFrame]
"""The rows of a unit, for each table."""


@dataclass(frozen=True)
class Study:
    """An experiment.

    Attributes
    ----------
    name, title : str
        Name on the command line; one line about it.
    keys : tuple of str
        Columns, in every table, whose values are those of the unit that a row comes from.
    units : callable ``settings -> list of tuple``
        The units, in the order of the tables.
    compute : callable ``(unit, settings) -> mapping of str to DataFrame``
        The rows of one unit, for each table. A function of a module, so that other processes find it.
    settings : mapping
        Everything that may change the numbers, the seed among it.
    quick : mapping
        Settings for a trial run.
    datasets : tuple of (str, str)
        Names and tracks of the data sets that are read.
    libraries : tuple of str
        Libraries whose versions the manifest names beside the usual ones.
    """

    name: str
    title: str
    keys: tuple[str, ...]
    units: Callable[[Settings], list[Unit]]
    compute: Callable[[Unit, Settings], Tables]
    settings: Settings = field(default_factory=dict)
    quick: Settings = field(default_factory=dict)
    datasets: tuple[tuple[str, TrackName], ...] = ()
    libraries: tuple[str, ...] = ()

    def check_data(self) -> None:
        """Raise a ValueError that names the data sets which are not at hand."""
        if missing := self.missing():
            raise ValueError(
                f"study {self.name!r} needs data sets that are not at hand: {', '.join(missing)}. "
                "Set CSB_DATA to the folder with their files, or fetch them: python -m csbook data fetch"
            )

    def missing(self) -> list[str]:
        """Data sets whose files are neither in ``CSB_DATA`` nor in the cache."""
        missing = []
        for name, kind in self.datasets:
            track = find_track(find_entry(name), kind)
            files = [find_file(file) for file in (*track.files, *track.labels.values())]
            if any(where(file) == "to fetch" for file in files):
                missing.append(name)
        return missing

    def inputs(self) -> dict[str, str]:
        """SHA-256 of the files that the data sets are read from."""
        found = {}
        for name, track in self.datasets:
            for file in load(name, track).provenance:
                if "sha256" in file:
                    found[file["file"]] = file["sha256"]
        return found


@ended_by_sigterm()
def run(
    study: Study,
    folder: Path | None = None,
    *,
    work: Path,
    workers: int = 1,
    settings: Settings | None = None,
    progress: bool = False,
    scheduler: str | None = None,
    timeout: float = TIMEOUT,
) -> Path:
    """Run a study, or what is left of it, and write its tables.

    Parameters
    ----------
    study : Study
        The study.
    folder : Path, optional
        Where the tables go; by default ``data/results`` and the name of the study below the current folder,
        which in a checkout is where recorded results stand.
    work : Path
        Where finished units are kept. Those of other sources, settings, inputs or versions of libraries
        lie in another folder below it and are not used; one that is damaged is named by a warning and
        computed anew.
    workers : int
        Processes.
    settings : mapping, optional
        In place of the study's settings.
    progress : bool
        Whether to show a bar with the remaining time, on stderr.
    scheduler : str, optional
        Address of a Dask scheduler whose workers compute in place of processes here. They must see the same
        ``work`` folder and the same data; what a worker that dies was computing goes to another one.
    timeout : float
        Seconds for which the Dask cluster may be without workers; a warning says when it is.

    Returns
    -------
    Path
        The folder of the tables.

    Raises
    ------
    ValueError
        If a data set is not at hand, a folder lies within the package or cannot be written, a number is out
        of range, or ``scheduler`` is named and Dask is not installed; nothing is computed then.
    OSError
        If another run of the same is at work in the folder ``work``, something cannot be written, a process
        that computes is killed, or the Dask cluster is not reached or without workers for too long. What is
        finished is kept, and the tables are as they were.

    Notes
    -----
    SIGTERM ends the run as SIGINT does, with the processes it started, unless the caller handles that signal.
    """
    began = time.perf_counter()
    settings = dict(study.settings if settings is None else settings)
    folder = check_writable("folder", Path("data", "results", study.name) if folder is None else folder)
    work = check_writable("work", work)
    check_count("workers", workers)
    timeout = read_number("timeout", timeout, POSITIVE)
    study.check_data()
    inputs, source = study.inputs(), source_sha256()
    units = study.units(settings)
    fingerprint = _fingerprint(source, settings, inputs, versions(study.libraries))
    store = UnitStore(work.absolute() / study.name / fingerprint, study.name, fingerprint)
    store.folder.mkdir(parents=True, exist_ok=True)
    task = partial(_finish, study, settings, store)
    in_use = (
        f"work={str(work)!r} is in use by another run of study {study.name!r}: wait for its end, or name "
        "another folder"
    )
    with locked(store.folder, in_use):
        sweep(store.folder)
        left = [unit for unit in units if store.find(unit) is None]
        with (
            tqdm(total=len(units), initial=len(units) - len(left), disable=not progress, unit="unit") as bar,
            closing(run_tasks(task, left, workers=workers, scheduler=scheduler, timeout=timeout)) as done,
        ):
            for _ in done:
                bar.update()
        write_results(
            folder, study.name, _assemble(store, units), source=source, settings=settings,
            inputs=inputs, libraries=study.libraries, wall_seconds=time.perf_counter() - began,
        )  # fmt: skip
    return folder


def _fingerprint(*depends_on: object) -> str:
    """Name for all on which a unit depends, so that no unit of another kind is taken for it."""
    content = json.dumps(depends_on, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _text(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def _finish(study: Study, settings: Settings, store: UnitStore, unit: Unit) -> None:
    """Compute a unit and store it."""
    tables = study.compute(unit, settings)
    store.keep(unit, {name: _text(_with_keys(study, unit, table)) for name, table in tables.items()})


def _with_keys(study: Study, unit: Unit, table: pd.DataFrame) -> pd.DataFrame:
    table = table.reset_index(drop=True)
    for position, (key, value) in enumerate(zip(study.keys, unit, strict=True)):
        table.insert(position, key, value)
    return table


def _assemble(store: UnitStore, units: list[Unit]) -> dict[str, str]:
    """The tables of all units one below the other, in the order of the units."""
    tables: dict[str, str] = {}
    for unit in units:
        of_unit = store.find(unit)
        if of_unit is None:
            raise OSError(f"{store.file(unit)}: lost since it was computed; run the study again")
        for name, text in of_unit.items():
            header, _, rows = text.partition("\n")
            if name not in tables:
                tables[name] = header + "\n"
            elif not tables[name].startswith(header + "\n"):
                raise ValueError(f"unit {unit} of table {name!r} has other columns: {header}")
            tables[name] += rows
    return tables


def verify(study: Study, count: int = 1, results: Path = RESULTS, rtol: float = 1e-6) -> list[Unit]:
    """Compute some units anew and compare them with what is recorded.

    Which units is drawn by the hash of the sources: every version of the package checks others.

    Parameters
    ----------
    study : Study
        The study, whose results are recorded.
    count : int
        Number of units, at least one.
    results : Path
        The results that come with the package by default.
    rtol : float
        Relative tolerance; the absolute one is 1e-9.

    Returns
    -------
    list of tuple
        The units that were compared.

    Raises
    ------
    ValueError
        If ``count`` is below one, there are no recorded results, or data sets are missing.
    AssertionError
        If a number differs, or a unit has a table more or less than what is recorded.
    """
    if count < 1:
        raise ValueError(f"count={count}: at least one unit must be computed anew")
    study.check_data()
    kept = recorded(study.name, results)
    settings = kept.manifest["settings"]
    units = study.units(settings)
    rng = np.random.default_rng(int(source_sha256()[:16], 16))
    chosen = [units[i] for i in sorted(rng.choice(len(units), min(count, len(units)), replace=False))]
    for unit in chosen:
        now = {name: _with_keys(study, unit, table) for name, table in study.compute(unit, settings).items()}
        before = {name: _of_unit(study, unit, table) for name, table in kept.tables.items()}
        before = {name: rows for name, rows in before.items() if len(rows)}
        if now.keys() != before.keys():
            raise AssertionError(f"unit {unit} has tables {sorted(now)}, recorded are {sorted(before)}")
        for name, table in now.items():
            pd.testing.assert_frame_equal(
                table, before[name], check_dtype=False, rtol=rtol, atol=1e-9, obj=f"{name} of unit {unit}"
            )
    return chosen


def _of_unit(study: Study, unit: Unit, table: pd.DataFrame) -> pd.DataFrame:
    of_unit = [table[key] == value for key, value in zip(study.keys, unit, strict=True)]
    return table[np.logical_and.reduce(of_unit)].reset_index(drop=True)
