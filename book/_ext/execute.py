"""Execute the chapters, several at a time, into the cache that the build reads.

Sphinx executes one notebook after the other. Run before it, this takes half the time on two
cores; a chapter whose outputs are in the cache already is left alone, and so is one that the tests
have just executed.
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import nbformat
import yaml
from cache_key import tested_folder, use_cache
from executed import open_cache
from jupyter_cache.base import CacheBundleIn, JupyterCacheAbstract
from jupyter_cache.executors.utils import ExecutionResult, single_nb_execution
from sphinx_external_toc.parsing import parse_toc_yaml


def chapters(root: Path) -> list[Path]:
    """Notebooks named in the table of contents, in its order."""
    pages = (root / f"{page}.ipynb" for page in parse_toc_yaml(root / "_toc.yml"))
    return [page for page in pages if page.is_file()]


def is_cached(cache: JupyterCacheAbstract, path: Path) -> bool:
    try:
        cache.match_cache_file(str(path))
    except KeyError:
        return False
    return True


def run(path: Path, timeout: int) -> ExecutionResult:
    print(f"executing {path.name}\n", end="", flush=True)
    notebook = nbformat.read(path, as_version=4)
    # what a chapter leaves behind is its outputs: its kernel need not be taken down with care
    return single_nb_execution(
        notebook, cwd=str(path.parent), timeout=timeout, allow_errors=False, shutdown_kernel="immediate"
    )


def keep(cache: JupyterCacheAbstract, page: Path, notebook: nbformat.NotebookNode, seconds: float) -> None:
    """Put an executed chapter into the cache."""
    bundle = CacheBundleIn(notebook, str(page), data={"execution_seconds": seconds})
    cache.cache_notebook_bundle(bundle, check_validity=False, overwrite=True)


def take_over(cache: JupyterCacheAbstract, pages: list[Path], root: Path) -> None:
    """Move what the tests have executed into the cache; a chapter changed since then does not match it."""
    for page in pages:
        tested = tested_folder(cache.path) / page.relative_to(root)
        if tested.is_file():
            notebook = nbformat.read(tested, as_version=4)
            keep(cache, page, notebook, notebook.metadata.pop("execution_seconds"))
            tested.unlink()


class Book(NamedTuple):
    """The chapters, their cache, and how to execute them."""

    pages: list[Path]
    cache: JupyterCacheAbstract
    timeout: int
    workers: int


def read_book(argv: list[str] | None, description: str) -> Book:
    """The book that a command line names."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--root", type=Path, default=Path(__file__).parents[2], help="folder of _config.yml")
    parser.add_argument("--workers", type=int, default=2, help="chapters executed at once")
    args = parser.parse_args(argv)
    root = args.root.resolve()
    timeout = yaml.safe_load((root / "_config.yml").read_text(encoding="utf-8"))["execute"]["timeout"]
    pages, cache = chapters(root), open_cache(use_cache(root, root / "_build"))
    take_over(cache, pages, root)
    return Book(pages, cache, timeout, args.workers)


def main(argv: list[str] | None = None) -> int:
    pages, cache, timeout, workers = read_book(argv, __doc__.splitlines()[0])
    pending = [page for page in pages if not is_cached(cache, page)]
    # the longest first: they tend to take longest, and no worker is to wait for one of them in the end
    pending.sort(key=lambda page: page.stat().st_size, reverse=True)

    failed = []
    with ThreadPoolExecutor(workers) as pool:
        # the cache is an SQLite file: only this thread writes into it
        for page, result in zip(pending, pool.map(lambda page: run(page, timeout), pending), strict=True):
            if result.err is None:
                keep(cache, page, result.nb, result.time)
                print(f"executed {page.name} in {result.time:.1f} s", flush=True)
            else:
                failed.append(page.name)
                print(f"{page.name} failed:\n{result.exc_string}", file=sys.stderr, flush=True)

    print(f"{len(pages)} chapters: {len(pages) - len(pending)} from the cache, {len(pending)} executed")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
