"""The built book: its pages, and a visit to one of them in a browser that reaches nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser
from sphinx_external_toc.parsing import parse_toc_yaml

ROOT = Path(__file__).parents[2]
BOOK = ROOT / "_build" / "html"
HOME = f"{BOOK.as_uri()}/"
CHAPTERS = list(parse_toc_yaml(ROOT / "_toc.yml"))
# the pages that the build adds; of those with source code one stands for all, and three of the estimators'
ADDED = ["genindex", "prf-prf", "py-modindex", "search", "_modules/csb/costs"]
ADDED += [f"book/api/estimators/{name}" for name in ("AdaMEC", "CostDecision", "GradientDescentBoosting")]
PAGES = [*CHAPTERS, *ADDED]

DESK = {
    "viewport": {"width": 1280, "height": 900},
    "color_scheme": "light",
    "reduced_motion": "reduce",  # a colour halfway through a transition is nobody's choice
}
"""What a reader sits at, unless a test says otherwise; options of Playwright's ``new_context``."""


def require_book() -> None:
    """Skip the test if there is no built book to look at."""
    if not (BOOK / "book" / "index.html").is_file():
        pytest.skip("there is no built book: run make book")


class Visit:
    """A page opened by a reader who was never here before, and what the browser complains of.

    Attributes
    ----------
    page : playwright.sync_api.Page
        The page, its equations typeset.
    outside : list of str
        Addresses requested outside ``home``; there is no network to fetch them.
    complaints : list of str
        Failed requests, errors on the console and errors that no script caught.
    """

    def __init__(self, browser: Browser, home: str, name: str, **options: object):
        self.outside, self.complaints = [], []
        self.context = browser.new_context(**(DESK | options))
        self.context.set_offline(home.startswith("file:"))
        self.context.set_default_timeout(60_000)
        self.page = self.context.new_page()
        self.page.on("request", lambda request: self._note_request(request.url, home))
        self.page.on("requestfailed", lambda request: self.complaints.append(f"failed: {request.url}"))
        self.page.on("pageerror", lambda error: self.complaints.append(f"script: {error}"))
        self.page.on("console", self._note_message)
        self.page.goto(home + name)
        self.page.evaluate("async () => { await window.MathJax?.startup?.promise }")

    def _note_request(self, url: str, home: str) -> None:
        if not url.startswith((home, "data:")):
            self.outside.append(url)

    def _note_message(self, message) -> None:
        if message.type == "error":
            self.complaints.append(f"console: {message.text}")

    def unfold(self) -> None:
        """Open everything that the reader can open, and let it come to rest."""
        self.page.evaluate("document.querySelectorAll('details').forEach((e) => { e.open = true })")
        self.page.evaluate("document.getAnimations().forEach((animation) => animation.finish())")

    def close(self) -> None:
        self.context.close()
