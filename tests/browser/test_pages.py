"""Every page of the book loads complete, without a network, and fits a phone."""

from __future__ import annotations

import pytest
from built_book import BOOK, HOME, PAGES, Visit, require_book

EQUATIONS = r"""() => {
  const faults = [];
  const typeset = "mjx-container";
  for (const e of document.querySelectorAll(".math"))
    if (!e.querySelector(typeset)) faults.push("not typeset: " + e.textContent.slice(0, 80));
  for (const e of document.querySelectorAll(`mjx-merror, ${typeset} [data-mml-node='merror'],
      ${typeset} [data-mjx-error], ${typeset} [fill='red']`))
    faults.push("not understood: " + e.textContent.slice(0, 80));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { data, parentElement } = texts.currentNode;
    if (parentElement.closest("code, pre, script, style, textarea, .math")) continue;
    if (/\$|\\[([]|\\begin\b|\{[a-z:]+\}`|\| *:?(---|—|–)/.test(data))
      faults.push("source in the text: " + data.trim().slice(0, 80));
  }
  return faults;
}"""

IMAGES = r"""async () => {
  const faults = [];
  for (const image of document.images) {
    const name = image.getAttribute("src");
    image.loading = "eager";  // or else those below the screen would not be there yet
    await image.decode().catch(() => {});
    if (!image.naturalWidth) faults.push("does not load: " + name);
    // without a text of its own an image is given its file name
    if (!image.alt.trim() || /\.(svg|png|jpe?g)$/.test(image.alt))
      faults.push("no alternative text: " + name);
  }
  for (const drawing of document.querySelectorAll("article svg:not(svg svg)"))
    if (!drawing.closest("mjx-container, button, [aria-hidden=true]") && !drawing.getAttribute("aria-label"))
      faults.push("no label: " + drawing.outerHTML.slice(0, 80));
  return faults;
}"""

HEADINGS = """() => {
  const shown = [...document.querySelectorAll("h1")].filter((e) => e.checkVisibility());
  return shown.map((e) => e.innerText);
}"""

OVERFLOW = """() => {
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth <= clientWidth) return [];
  const wide = [...document.body.querySelectorAll("*")]
    .filter((e) => e.getBoundingClientRect().right > clientWidth + 1);
  return [`${scrollWidth} px`, ...wide.slice(0, 8).map((e) => `${e.tagName} ${e.className}`)];
}"""

# What sticks out of a box that hides it, or shows it only to those who scroll.
CUT_OFF = """([selector, hiding]) => {
  const faults = [];
  for (const e of document.querySelectorAll(selector)) {
    for (let box = e; box !== document.body; box = box.parentElement)
      if (hiding.includes(getComputedStyle(box).overflowX) && box.scrollWidth > box.clientWidth + 1)
        faults.push(`${box.clientWidth} of ${box.scrollWidth} px: ${e.textContent.trim().slice(0, 80)}`);
  }
  return faults;
}"""
TABLES = ["article table", ["hidden", "clip"]]
CODE = ["article pre", ["hidden", "clip", "auto", "scroll"]]


SMALL = """() => [...document.querySelectorAll('article figure img[src$=".svg"]')]
  .filter(e => !e.closest('a[href$=".svg"]')).map(e => `cannot be enlarged: ${e.alt.slice(0, 60)}`)"""


def requests(visit):
    return visit.outside


def complaints(visit):
    return visit.complaints


def equations(visit):
    return visit.page.evaluate(EQUATIONS)


def images(visit):
    return visit.page.evaluate(IMAGES)


def drawings(visit):
    """A figure is a link to its drawing, where a phone can enlarge it."""
    return visit.page.evaluate(SMALL)


def headings(visit):
    found = visit.page.evaluate(HEADINGS)
    return [] if len(found) == 1 else [f"{len(found)} main headings: {found}"]


def width(visit):
    """A phone, a tablet and a screen show the page without scrolling sideways; wide tables scroll."""
    found = []
    for pixels in (390, 1000, 1400):
        visit.page.set_viewport_size({"width": pixels, "height": 900})
        found += visit.page.evaluate(OVERFLOW) + visit.page.evaluate(CUT_OFF, TABLES)
    return found


def code(visit):
    """A screen shows every line of code whole."""
    visit.page.set_viewport_size({"width": 1400, "height": 900})
    return visit.page.evaluate(CUT_OFF, CODE)


CHECKS = [requests, complaints, equations, images, drawings, headings, width, code]
checked = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)


@pytest.fixture(scope="module", params=PAGES)
def visited(browser, request):
    """A page that was opened once for all checks."""
    require_book()
    visit = Visit(browser, HOME, f"{request.param}.html")
    visit.unfold()
    yield visit
    visit.close()


@checked
def test_page(visited, check):
    assert check(visited) == []


def heavy(folder, most):
    """Pages of more than so many bytes, and how many they have."""
    sizes = {path.relative_to(folder).as_posix(): path.stat().st_size for path in folder.rglob("*.html")}
    return {name: size for name, size in sizes.items() if size > most}


@pytest.mark.parametrize("part, most", [("book", 1_500_000), ("book/api", 600_000)])
def test_no_page_is_too_heavy_for_a_phone(part, most):
    require_book()
    assert heavy(BOOK / part, most) == {}


def test_a_heavy_page_is_found(tmp_path):
    for name, size in {"light.html": 10, "heavy.html": 11, "heavy.js": 20}.items():
        (tmp_path / name).write_bytes(bytes(size))
    assert heavy(tmp_path, 10) == {"heavy.html": 11}


PIXEL = "data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAAC"


@checked
def test_page_without_fault_passes(visit_text, check):
    body = f"<h1>One</h1><p>Text <code>$x$</code></p><img src='{PIXEL}' alt='A point'>"
    assert check(visit_text(body)) == []


@pytest.mark.parametrize(
    "check, body, fault",
    [
        (
            drawings,
            "<article><figure><img src='line.svg' alt='A line'></figure></article>",
            "cannot be enlarged: A line",
        ),
        (requests, "<script src='https://example.org/x.js'></script>", "example.org"),
        (requests, "<script>fetch('https://example.org/data').catch(() => {})</script>", "example.org"),
        (requests, "<img src='../outside.png'>", "outside.png"),
        (complaints, "<script>undefined_name()</script>", "undefined_name is not defined"),
        (complaints, "<script>console.error('oh')</script>", "oh"),
        (complaints, "<img src='missing.png'>", "missing.png"),
        (equations, r"<span class='math'>\(x\)</span>", "not typeset"),
        (equations, "<span class='math'><mjx-container><g fill='red'>ab</g></mjx-container></span>", "ab"),
        (equations, "<p>the $p$-norm</p>", "the $p$-norm"),
        (equations, "<p>see {cite:t}`someone`</p>", "{cite:t}"),
        (equations, "<p>| learner | rows |\n| — | —: |\n| stumps | 3 |</p>", "| learner | rows |"),
        (images, "<img src='missing.png' alt='A curve'>", "does not load"),
        (images, f"<img src='{PIXEL}'>", "no alternative text"),
        (images, f"<img src='{PIXEL}' alt='../_images/a.svg'>", "no alternative text"),
        (images, "<article><svg role='img'></svg></article>", "no label"),
        (headings, "<h1>One</h1><h1>Two</h1>", "2 main headings"),
        (headings, "<h2>One</h2><h1 style='display: none'>Two</h1>", "0 main headings"),
        (width, "<div id='a' class='wide' style='width: 900px'>x</div>", "wide"),
        (
            width,
            "<style>@media (width > 999px) { p { width: 2000px } }</style><p class='wide'>x</p>",
            "wide",
        ),
        (width, f"<article style='overflow: hidden'><table><tr><td>{200 * 'a'}</table></article>", "aaa"),
        (code, f"<article><pre style='overflow: auto'>{200 * 'a'}</pre></article>", "aaa"),
        (code, f"<article><div style='overflow: clip'><pre>{200 * 'a'}</pre></div></article>", "aaa"),
    ],
)
def test_fault_is_found(visit_text, check, body, fault):
    visit = visit_text(body)
    visit.page.wait_for_load_state("networkidle")
    assert any(fault in found for found in check(visit))
