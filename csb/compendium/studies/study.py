"""Experiments that take minutes: split into units, resumable, the same bytes however they were run.

A unit, say one split of one data set, is computed by one process and stored in one step: the file is
written beside its place and then renamed. A study that is killed loses the units it was working on and
nothing else, and the tables put together in the end do not depend on order, number of processes or
interruptions.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from joblib import Parallel, delayed, parallel_config
from tqdm import tqdm

from csb.compendium.records import RESULTS, check_outside
from csb.compendium.studies.manifest import recorded, source_sha256, versions, write_results
from csb.datasets.fetch import where
from csb.datasets.loading import load
from csb.datasets.registry import find_entry, find_file, find_track

__all__ = ["Study", "run", "verify"]

Unit = tuple
Tables = Mapping[str, pd.DataFrame]


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
    units: Callable[[Mapping], list[Unit]]
    compute: Callable[[Unit, Mapping], Tables]
    settings: Mapping = field(default_factory=dict)
    quick: Mapping = field(default_factory=dict)
    datasets: tuple[tuple[str, str], ...] = ()
    libraries: tuple[str, ...] = ()

    def check_data(self) -> None:
        """Raise a ValueError that names the data sets which are not at hand."""
        if missing := self.missing():
            raise ValueError(
                f"study {self.name!r} needs data sets that are not at hand: {', '.join(missing)}. "
                "Set CSB_DATA to the folder with their files, or fetch them: python -m csb data fetch"
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


def run(
    study: Study,
    folder: Path | None = None,
    *,
    work: Path,
    workers: int = 1,
    settings: Mapping | None = None,
    progress: bool = False,
    scheduler: str | None = None,
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
        lie in another folder below it and are not used.
    workers : int
        Processes.
    settings : mapping, optional
        In place of the study's settings.
    progress : bool
        Whether to show a bar with the remaining time, on stderr.
    scheduler : str, optional
        Address of a Dask scheduler whose workers compute in place of processes here. They must see the same
        ``work`` folder and the same data; what a worker that dies was computing goes to another one.

    Returns
    -------
    Path
        The folder of the tables.

    Raises
    ------
    ValueError
        If a data set is not at hand, a folder lies within the package, or ``scheduler`` is named and Dask is
        not installed; nothing is computed then.
    """
    began = time.perf_counter()
    settings = dict(study.settings if settings is None else settings)
    folder = check_outside("folder", Path("data", "results", study.name) if folder is None else folder)
    check_outside("work", work)
    study.check_data()
    inputs, source = study.inputs(), source_sha256()
    units = study.units(settings)
    place = Path(work) / study.name / _fingerprint(source, settings, inputs, versions(study.libraries))
    place.mkdir(parents=True, exist_ok=True)
    left = [unit for unit in units if not _file(place, unit).is_file()]
    with tqdm(total=len(units), initial=len(units) - len(left), disable=not progress, unit="unit") as bar:
        tasks = (delayed(_finish)(study, unit, settings, place) for unit in left)
        with _cluster(scheduler):
            n_jobs = workers if scheduler is None else -1
            for _ in Parallel(n_jobs=n_jobs, return_as="generator_unordered")(tasks):
                bar.update()
    write_results(
        folder, study.name, _assemble(place, units), source=source, settings=settings,
        inputs=inputs, libraries=study.libraries, wall_seconds=time.perf_counter() - began,
    )  # fmt: skip
    return folder


@contextmanager
def _cluster(scheduler: str | None):
    """A connection to the scheduler, if there is one, through which joblib computes."""
    if scheduler is None:
        yield
        return
    try:
        from distributed import Client
    except ImportError:
        raise ValueError(f"scheduler={scheduler!r} needs Dask: pip install 'csb[dask]'") from None
    with Client(scheduler), parallel_config(backend="dask"):
        yield


def _fingerprint(*depends_on) -> str:
    """Name for all on which a unit depends, so that no unit of another kind is taken for it."""
    content = json.dumps(depends_on, sort_keys=True)
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _file(place: Path, unit: Unit) -> Path:
    return place / ("-".join(str(part) for part in unit) + ".json")


def _text(table: pd.DataFrame) -> str:
    return table.to_csv(index=False, float_format="%.10g", lineterminator="\n")


def _finish(study: Study, unit: Unit, settings, place: Path) -> None:
    """Compute a unit and store it in one step."""
    tables = study.compute(unit, settings)
    content = json.dumps({name: _text(_with_keys(study, unit, table)) for name, table in tables.items()})
    handle, temporary = tempfile.mkstemp(dir=place, suffix=".part")
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, _file(place, unit))


def _with_keys(study: Study, unit: Unit, table: pd.DataFrame) -> pd.DataFrame:
    table = table.reset_index(drop=True)
    for position, (key, value) in enumerate(zip(study.keys, unit, strict=True)):
        table.insert(position, key, value)
    return table


def _assemble(place: Path, units: list[Unit]) -> dict[str, str]:
    """The tables of all units one below the other, in the order of the units."""
    tables: dict[str, str] = {}
    for unit in units:
        for name, text in json.loads(_file(place, unit).read_text("utf-8")).items():
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
