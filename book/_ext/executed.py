"""The cache of executed chapters, without what is damaged in it, and what the book does with their outputs.

jupyter-cache takes for executed whatever its database lists, even if a full disk or a kill left half of the
outputs or none, and fails where the database itself is broken.
"""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import nbformat
import pandas as pd
from cache_key import use_cache
from jupyter_cache import get_cache
from jupyter_cache.base import JupyterCacheAbstract
from jupyter_cache.cache.db import NbCacheRecord
from sphinx.util import logging

from csbook import records
from csbook.chapters.prose import differences

logger = logging.getLogger(__name__)


def open_cache(folder: Path) -> JupyterCacheAbstract:
    """The cache of a folder; what is damaged is thrown out, with a message, to be executed again."""
    if not database_is_sound(folder):
        print(f"The cache of executed chapters is damaged; all are executed again: {folder}", flush=True)
        shutil.rmtree(folder)
    cache = get_cache(str(folder))
    for record in cache.list_cache_records():
        damage = damage_of(cache, record)
        if damage:
            print(f"{damage} in the cache; {Path(record.uri).name} is executed again", flush=True)
            NbCacheRecord.remove_record(record.pk, cache.db)
            shutil.rmtree(folder / "executed" / record.hashkey, ignore_errors=True)
    return cache


def database_is_sound(folder: Path) -> bool:
    if not (folder / "global.db").exists():
        return not (folder / "executed").exists()
    try:
        with closing(sqlite3.connect(folder / "global.db")) as database:
            whole = database.execute("pragma integrity_check").fetchone() == ("ok",)
        get_cache(str(folder)).list_cache_records()
    except Exception:  # of SQLite, of the layers above it, or of the values in the table
        return False
    return whole


def damage_of(cache: JupyterCacheAbstract, record: NbCacheRecord) -> str | None:
    """What is wrong with the outputs or the verdicts of an executed chapter."""
    try:
        notebook = cache.get_cache_bundle(record.pk).nb
        _, key = cache.create_hashed_notebook(notebook)
        executed = all(cell.execution_count for cell in notebook.cells if cell.source.strip())
    except Exception:  # there is no end to what half a file may raise
        return "Outputs are damaged"
    if key != record.hashkey or not executed:
        return "Outputs are missing"
    named = set(re.findall(r"\"([A-Z]+\d*-\d+)\"", "\n".join(cell.source for cell in notebook.cells)))
    for id in sorted(named & set(pd.read_csv(records.CLAIMS)["id"])):
        try:
            verdict = json.loads((cache.path / "verdicts" / f"{id}.json").read_text("utf-8"))
            sound = verdict["id"] == id
        except (OSError, ValueError, LookupError, TypeError):
            sound = False
        if not sound:
            return f"The verdict on {id} is missing or damaged"
    return None


def name_cache(app, config):
    if config.nb_execution_mode == "cache":
        folder = use_cache(Path(app.srcdir), Path(app.outdir).parent)
        open_cache(folder)
        config.nb_execution_cache_path = str(folder)


def executed_chapters(app):
    """The chapters with their outputs, by the name of their page."""
    if app.config.nb_execution_mode != "cache":
        return
    cache = get_cache(app.config.nb_execution_cache_path)
    for name in sorted(app.env.found_docs):
        page = Path(app.env.doc2path(name))
        if page.suffix == ".ipynb":
            yield name, cache.merge_match_into_notebook(nbformat.read(page, as_version=4))[1]


def compare_prose(app, env):
    """Warn, which fails the build, where a value in the prose is not what the cells of its chapter say."""
    for name, chapter in executed_chapters(app):
        for difference in differences(chapter):
            logger.warning(difference, location=name, type="prose")


def offer_executed(app, exception):
    """Have the button of a page that downloads its chapter give it with its outputs."""
    if not exception and app.builder.format == "html":
        for name, chapter in executed_chapters(app):
            nbformat.write(chapter, Path(app.outdir, "_sources", f"{name}.ipynb"))


def setup(app):
    app.connect("config-inited", name_cache)
    app.connect("env-updated", compare_prose)
    app.connect("build-finished", offer_executed)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
