"""One browser for all tests of the built book."""

from __future__ import annotations

import functools
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from built_book import BOOK, HOME, ROOT, Visit, require_book
from playwright.sync_api import sync_playwright
from pypdf import PdfReader

sys.path.append(str(ROOT / "book" / "_ext"))

from printing import NAMES, find_chromium  # noqa: E402

collect_ignore = ["conftest.py"]  # no docstring examples in it

POLICY = "script-src 'self'"


class Server(SimpleHTTPRequestHandler):
    """Files of one folder, with the policy."""

    def do_GET(self):
        if self.path == "/favicon.ico":  # a browser asks for it by itself
            self.send_response(204)
            self.end_headers()
        else:
            super().do_GET()

    def end_headers(self):
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="session")
def browser():
    """The Chromium of the system; none is downloaded."""
    program = find_chromium()
    if program is None:
        pytest.skip(f"there is no browser: none of {', '.join(NAMES)} is on the path")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def arguments():
    """What ``assemble`` is given besides the browser and the book."""
    return ()


@pytest.fixture(scope="module")
def page(browser, arguments, request):
    """The page that is printed by the program that a test module names as its ``PRINTER``."""
    require_book()
    page = request.module.PRINTER.assemble(browser, BOOK, *arguments)
    yield page
    page.close()


@pytest.fixture(scope="module")
def printed(page, request, tmp_path_factory):
    """Its PDF."""
    target = tmp_path_factory.mktemp("pdf") / "printed.pdf"
    request.module.PRINTER.print_page(page, target)
    return PdfReader(target)


@pytest.fixture(scope="module")
def text(printed):
    """The words of its PDF."""
    return " ".join(" ".join(page.extract_text() for page in printed.pages).split())


@pytest.fixture
def visit(browser):
    """Function that opens a page of the book, closed after the test."""
    require_book()
    opened = []

    def open_page(name, **options):
        opened.append(Visit(browser, HOME, f"{name}.html", **options))
        return opened[-1]

    yield open_page
    for each in opened:
        each.close()


@pytest.fixture
def visit_text(browser, tmp_path):
    """Function that opens a small page from its body, to see a check find a fault."""
    opened = []

    def open_page(body, **options):
        text = f"<!doctype html><html lang='en'><head><title>Page</title></head><body>{body}</body></html>"
        (tmp_path / "page.html").write_text(text, encoding="utf-8")
        opened.append(Visit(browser, f"{tmp_path.as_uri()}/", "page.html", **options))
        return opened[-1]

    yield open_page
    for each in opened:
        each.close()


@pytest.fixture
def served(browser):
    """Function that opens a page of a folder as the server gives it."""
    opened, servers = [], []

    def open_page(name, folder=BOOK, **options):
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Server, directory=folder)))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        opened.append(
            Visit(browser, f"http://127.0.0.1:{servers[-1].server_port}/", f"{name}.html", **options)
        )
        return opened[-1]

    yield open_page
    for visit in opened:
        visit.close()
    for server in servers:
        server.shutdown()
        server.server_close()
