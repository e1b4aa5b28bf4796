"""Every link of the built book leads somewhere, and outside it only to known hosts."""

from __future__ import annotations

import json
import os
import re
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from built_book import BOOK, CHAPTERS, ROOT, require_book

ADDRESS = yaml.safe_load((ROOT / "_config.yml").read_text("utf-8"))["repository"]["url"]
LISTED = Path(__file__).with_name("hosts.txt").read_text("utf-8").split()
HOSTS = set(LISTED)
if ADDRESS:
    HOSTS |= {"mybinder.org", urlsplit(ADDRESS).netloc}
    HOSTS |= {urlsplit(os.environ.get("LITE", "")).netloc} - {""}


class Page(HTMLParser):
    """Identifiers and links of a page; of each link the classes and the address."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.ids, self.links = path, set(), []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        classes = (attributes.get("class") or "").split()
        addresses = (attributes.get(key) for key in ("href", "src", "data"))
        self.links += [(classes, address) for address in addresses if address]

    def leading(self, kind: str) -> list[Path]:
        """Files that the links of one class lead to."""
        addresses = [address for classes, address in self.links if kind in classes]
        return [(self.path.parent / unquote(urlsplit(address).path)).resolve() for address in addresses]


@cache
def page_of(path: Path) -> Page:
    return Page(path)


def outward(page: Page) -> list[str]:
    """Addresses that a reader may follow out of the book."""
    parts = ((address, urlsplit(address)) for _, address in page.links)
    return [address for address, part in parts if part.scheme not in ("", "data") or part.netloc]


def dead_links(page: Page) -> list[str]:
    """Links inside the book that name no file, or no place in it."""
    dead = set()
    for _, address in page.links:
        parts = urlsplit(address)
        if parts.scheme or parts.netloc:
            continue
        target = (page.path.parent / unquote(parts.path)).resolve() if parts.path else page.path
        place = unquote(parts.fragment)
        if not target.is_file() or place and place not in page_of(target).ids:
            dead.add(address)
    return sorted(dead)


class Names(HTMLParser):
    """Names of errata and claims on a page: those in a link with its address, and those in bare text.

    Code, headings and summaries of what is folded keep their names bare, and so does an entry its own.
    """

    BARE = frozenset({"title", "code", "pre", "script", "summary", "h1", "h2", "h3", "h4"})

    def __init__(self, text: str, names: re.Pattern):
        super().__init__()
        self.names, self.linked, self.bare = names, [], []
        self.around: list[dict] = []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.around.append(dict(attributes) | {"tag": tag})

    def handle_endtag(self, tag):
        while self.around.pop()["tag"] != tag:
            pass  # an element without an end

    def handle_data(self, data):
        tags = {each["tag"] for each in self.around}
        ids = {each.get("id") for each in self.around}
        for name in self.names.findall(data):
            if "a" in tags:
                (address,) = (each["href"] for each in self.around if each["tag"] == "a")
                self.linked.append((name, address))
            elif not tags & self.BARE and entry_of(name) not in ids:
                self.bare.append(name)


def entry_of(name: str) -> str:
    """What the entry of an erratum or of a claim is called in the built book."""
    return name.lower() if name.startswith("E-") else f"claim-{name}"


def bad_addresses(addresses: list[str]) -> list[str]:
    """Addresses that are not https, or that no browser would take as they stand."""
    good = re.compile(r"https://[\w-]+(\.[\w-]+)+(/[^\s<>{}\\]*)?")
    return [address for address in addresses if not good.fullmatch(address)]


def built_pages() -> list[Page]:
    require_book()
    paths = (path for path in sorted(BOOK.rglob("*.html")) if "_static" not in path.parts)
    return [page_of(path) for path in paths]


def test_every_link_inside_the_book_leads_to_a_place():
    pages = built_pages()
    assert len(pages) > len(CHAPTERS)
    dead = {page.path.relative_to(BOOK).as_posix(): dead_links(page) for page in pages}
    assert {name: links for name, links in dead.items() if links} == {}


def known_names() -> re.Pattern:
    errata = re.findall(
        r"^\((e-[a-z]\d\d)\)=$", (ROOT / "book/reference/errata.md").read_text("utf-8"), flags=re.MULTILINE
    )
    claims = (line.split(",")[0] for line in (ROOT / "data/claims.csv").read_text("utf-8").splitlines())
    decided = [
        name for name in claims if re.fullmatch(r"(?!Q)[A-Z]+\d*-\d+", name)
    ]  # open questions have no entry
    assert len(errata) > 70 and len(decided) > 45
    return re.compile(rf"\b(?<!-)(?:{'|'.join([*map(str.upper, errata), *decided])})\b(?!-)")


def test_every_erratum_and_claim_that_is_named_is_a_link_to_its_entry():
    names, linked, bare = known_names(), {}, {}
    for page in built_pages():
        found = Names(page.path.read_text("utf-8"), names)
        place = page.path.relative_to(BOOK).as_posix()
        if found.linked:
            linked[place] = found.linked
        if found.bare:
            bare[place] = found.bare
    assert bare == {}
    assert sum(map(len, linked.values())) > 300 and len(linked) > 15
    elsewhere = [
        (place, name, address)
        for place, each in linked.items()
        for name, address in each
        if urlsplit(address).fragment != entry_of(name)
    ]
    assert elsewhere == []


def test_names_without_a_link_are_found():
    names = re.compile("E-N14|N16-2")
    text = (
        "<title>E-N14</title><p>see<br><img src='a'>E-N14, <a href='#e-n14'>E-N14</a> <code>N16-2</code></p>"
        "<div id='claim-N16-2'>N16-2 <b>E-N14</b></div><td>N16-2</td><dl id='e-n14'><dt>E-N14</dt></dl>"
    )
    found = Names(text, names)
    assert found.linked == [("E-N14", "#e-n14")]
    assert found.bare == ["E-N14", "E-N14", "N16-2"]


def test_every_link_outside_is_well_formed():
    assert bad_addresses([address for page in built_pages() for address in outward(page)]) == []


def test_hosts_are_those_listed():
    found = {urlsplit(address).netloc for page in built_pages() for address in outward(page)}
    assert found == HOSTS and sorted(LISTED) == LISTED


def test_next_leads_through_the_contents_and_previous_back():
    require_book()
    listed = [(BOOK / f"{chapter}.html").resolve() for chapter in CHAPTERS]
    estimators = {path.resolve() for path in (BOOK / "book" / "api" / "estimators").glob("*.html")}
    walk = listed[:1]
    while (after := page_of(walk[-1]).leading("right-next")) and len(walk) <= len(listed) + len(estimators):
        assert page_of(after[0]).leading("left-prev") == walk[-1:]
        walk += after
    assert page_of(walk[0]).leading("left-prev") == []
    assert [path for path in walk if path not in estimators] == listed
    assert estimators <= set(walk)


@pytest.mark.parametrize("chapter", [name for name in CHAPTERS if (ROOT / f"{name}.ipynb").is_file()])
def test_chapter_can_be_downloaded_as_a_notebook(chapter):
    require_book()
    (source,) = page_of(BOOK / f"{chapter}.html").leading("btn-download-source-button")
    assert source.name == Path(chapter).name + ".ipynb"
    assert json.loads(source.read_text("utf-8"))["nbformat"] == 4


def test_dead_links_are_found(tmp_path):
    (tmp_path / "there.html").write_text("<p id='place'>text</p>")
    page = tmp_path / "page.html"
    page.write_text(
        "<a href='there.html#place'>a</a><a href='there.html?x=1'>a</a><a href='#top'>a</a><i id='top'></i>"
        "<a href='https://example.org/'>a</a><img src='data:,'>"
        "<a href='gone.html'>a</a><a href='there.html#gone'>a</a><a href='#gone'>a</a><img src='gone.png'>"
    )
    assert dead_links(Page(page)) == ["#gone", "gone.html", "gone.png", "there.html#gone"]


def test_links_out_of_the_book_are_found(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("".join(f"<a href='{to}'>a</a>" for to in ("a.html", "#a", "https://a.org", "//b.org/c")))
    assert outward(Page(page)) == ["https://a.org", "//b.org/c"]


@pytest.mark.parametrize(
    "address, good",
    [
        ("https://doi.org/10.1007/s10994-016-5572-x", True),
        ("http://example.org/", False),
        ("//example.org/", False),
        ("https:///x", False),
        ("https://example.org/a b", False),
        ("file:///etc", False),
        ("javascript:void(0)", False),
    ],
)
def test_bad_addresses_are_found(address, good):
    assert bad_addresses([address]) == ([] if good else [address])
