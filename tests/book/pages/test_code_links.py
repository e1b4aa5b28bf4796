"""Names of errata and claims become links to their entries, and nothing else of a page changes."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

ERRATA = """<!DOCTYPE html>
<dl id="e-n14"><dt>E-N14, Section 3.3</dt><dd>As E-N14 and {link} say.</dd></dl>
<dl class="simple" id="e-a01"><dt>E-A01</dt></dl>
"""
CHAPTER = """<!DOCTYPE html>
<html><head><title>E-N14</title></head><body id="top">
<h2>On E-N14<a class="headerlink" href="#x">#</a></h2>
<p>A &lt; b &amp c: {erratum}, <img src="a.png" alt="E-N14"><br>({claim}).</p>
<details><summary>N16-2</summary>
<p>{claim} and B-12, E-N140, XE-N14, E-K04, N16-21, A-N16-2 or N16-2-1.</p></details>
<p><code>E-N14</code><a href="#y"><b>E-N14</b></a></p><pre><span>E-N14</span> N16-2
</pre><script>"N16-2"</script>
<div class="csb-verdict" id="claim-N16-2"><p><strong>Claim N16-2</strong> {erratum}, {other}</p></div>
<div class="csb-verdict" id="claim-B-1">B-1</div>
</body></html>
"""


def link(address, name):
    return f'<a class="reference internal" href="{address}">{name}</a>'


NAMES = {"erratum": "E-N14", "claim": "N16-2", "other": "B-1", "link": "E-A01"}
LINKS = {
    "book/reference/errata.html": {"link": link("#e-a01", "E-A01")},
    "book/views/chapter.html": {
        "erratum": link("../reference/errata.html#e-n14", "E-N14"),
        "claim": link("#claim-N16-2", "N16-2"),
        "other": link("#claim-B-1", "B-1"),
    },
    "page.html": {
        "erratum": link("book/reference/errata.html#e-n14", "E-N14"),
        "claim": link("book/views/chapter.html#claim-N16-2", "N16-2"),
    },
}
TEXTS = {
    "book/reference/errata.html": ERRATA,
    "book/views/chapter.html": CHAPTER,
    "page.html": "<p>{claim}</p>\n\n<table><tr><td>\n see {erratum}</td></tr></table>",
}


@pytest.fixture
def code_links(monkeypatch):
    monkeypatch.syspath_prepend(str(Path(__file__).parents[3] / "book" / "_ext"))
    import code_links

    yield code_links
    del sys.modules["code_links"]


@pytest.fixture
def book(tmp_path):
    for name, text in TEXTS.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(**NAMES), encoding="utf-8")
    return SimpleNamespace(builder=SimpleNamespace(format="html"), outdir=tmp_path)


def test_names_are_links_wherever_they_are_neither_code_nor_entry(code_links, book):
    for _ in range(2):  # a second time nothing changes
        code_links.link_names(book, None)
        for name, text in TEXTS.items():
            assert (book.outdir / name).read_text("utf-8") == text.format(**LINKS[name])


def test_a_failed_build_is_left_alone(code_links, book):
    code_links.link_names(book, KeyError())
    for name, text in TEXTS.items():
        assert (book.outdir / name).read_text("utf-8") == text.format(**NAMES)
