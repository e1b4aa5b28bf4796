"""Tables of the data sets: what is known of each, and where it is now."""

from __future__ import annotations

import pandas as pd

from csbook.datasets.encode import describe
from csbook.datasets.fetch import where
from csbook.datasets.registry import Entry, Track, entries, find_file

__all__ = ["available", "catalogue"]


def catalogue() -> pd.DataFrame:
    """What the registry says of every set and track, the same on every machine.

    Returns
    -------
    DataFrame
        One row per set and track: ``name``, ``title``, ``track``, ``tier`` (1: with the package, 2: by
        name), ``rows``, ``attributes`` of the source, ``inputs`` after encoding, ``classes`` with their
        counts, ``positive`` (the positive class, empty if there are more than two classes), ``reason``
        for it, ``encoding``, ``defects``, ``costs``, ``licence``, ``citation`` and ``papers``.

    Examples
    --------
    >>> catalogue().query("name == 'monks-2'")["classes"].item()
    'not a monk: 290, monk: 142'
    """
    return pd.DataFrame(
        [_row(entry, track) for entry in entries().values() for track in entry.tracks.values()]
    )


def _row(entry: Entry, track: Track) -> dict[str, object]:
    of_files = find_file(track.files[0]).attributes if track.files else track.inputs
    counts = zip(track.classes, track.counts, strict=True)
    return {
        "name": entry.name,
        "title": entry.title,
        "track": track.name,
        "tier": track.tier,
        "rows": track.rows,
        "attributes": track.attributes or of_files,
        "inputs": track.inputs,
        "classes": ", ".join(f"{label}: {count}" for label, count in counts),
        "positive": list(track.classes)[1] if len(track.classes) == 2 else "",
        "reason": track.reason,
        "encoding": describe(track),
        "defects": "; ".join(entry.defects + track.defects),
        "costs": track.costs,
        "licence": entry.licence,
        "citation": entry.citation,
        "papers": ", ".join(entry.papers),
    }


def available() -> pd.DataFrame:
    """List the data sets and where they are now, one row per set and track.

    Returns
    -------
    DataFrame
        Columns ``name``, ``track``, ``tier`` (1: with the package, 2: by name), ``where`` ("bundled",
        "CSB_DATA", "cache" or "to fetch"), ``rows``, ``inputs``, ``positive`` (the positive class, empty
        if there are more than two classes) and ``papers``.

    Raises
    ------
    ValueError
        If CSB_DATA is set and is not a folder.

    Examples
    --------
    >>> available().query("name == 'wdbc' and track == 'clean'")["where"].item()
    'bundled'
    """
    table = catalogue()[["name", "track", "tier", "rows", "inputs", "positive", "papers"]]
    places = [_place(track) for entry in entries().values() for track in entry.tracks.values()]
    table.insert(3, "where", places)
    return table


def _place(track: Track) -> str:
    """The farthest place of a track's files."""
    places = {where(find_file(name)) for name in track.all_files}
    return next((p for p in ("to fetch", "cache", "CSB_DATA") if p in places), "bundled")
