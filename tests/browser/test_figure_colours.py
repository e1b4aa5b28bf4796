"""What is written in figures can be read by day and by night, and a method keeps its hue."""

from __future__ import annotations

import re

import numpy as np
import pytest
from built_book import BOOK, CHAPTERS, HOME, Visit, require_book
from matplotlib.colors import rgb_to_hsv, to_rgb

from csb.methods import METHODS
from csbook.style import OTHERS, line_style

PAGE = "book/foundations/variants"
IMAGE = "article figure img"

ENOUGH = 4.5
"""Contrast that WCAG 2 asks of text at level AA."""

MOST = 0.2
"""Share of its ground that lines of the figure may take from a word, which is read by the rest."""

# What the page makes of a picture: pixels, as its style has images drawn on its ground.
SEEN = """
const seen = async (shown, address) => {
  const picture = new Image();
  picture.src = address;
  await picture.decode();
  const canvas = new OffscreenCanvas(2 * picture.naturalWidth, 2 * picture.naturalHeight);
  const context = canvas.getContext("2d"), style = getComputedStyle(shown);
  const fill = (color) => {
    context.fillStyle = color;
    context.fillRect(0, 0, canvas.width, canvas.height);
  };
  fill(getComputedStyle(document.body).backgroundColor);
  if (style.mixBlendMode !== "normal") context.globalCompositeOperation = style.mixBlendMode;
  context.filter = style.filter;
  fill(style.backgroundColor);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return context.getImageData(0, 0, canvas.width, canvas.height);
};
const asAddress = (svg) => "data:image/svg+xml," + encodeURIComponent(svg);
"""

# Matplotlib writes a line of text as paths in a group without a name of its own. A figure is drawn twice:
# without its text, and with a box in the colour of the text over each line; how do they stand out?
CONTRASTS = f"""async ([selector, drawing, most]) => {{
  {SEEN}
  document.body.insertAdjacentHTML("beforeend", drawing.slice(drawing.indexOf("<svg")));
  const root = document.body.lastElementChild, whole = root.getBoundingClientRect();
  const lines = [...root.querySelectorAll("[id^=text_] > g:not([id])")];
  const places = lines.map((line) => line.getBoundingClientRect()),
    boxes = lines.map((line) => line.getBBox());
  const words = lines.map((line) =>
    [...line.parentElement.childNodes].find((e) => e.nodeType === Node.COMMENT_NODE)?.data.trim());
  const shown = document.querySelector(selector), writer = new XMLSerializer();
  const picture = () => seen(shown, asAddress(writer.serializeToString(root)));
  lines.forEach((line) => line.replaceChildren());
  const ground = await picture();
  lines.forEach((line, at) => {{
    const box = line.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "rect"));
    for (const side of ["x", "y", "width", "height"]) box.setAttribute(side, boxes[at][side]);
  }});
  const text = await picture();
  root.remove();

  const linear = Array.from({{ length: 256 }}, (_, k) =>
    k <= 10 ? k / 255 / 12.92 : ((k / 255 + 0.055) / 1.055) ** 2.4);
  const luminance = ({{ data }}, at) =>
    0.2126 * linear[data[at]] + 0.7152 * linear[data[at + 1]] + 0.0722 * linear[data[at + 2]];
  const scale = ground.width / whole.width;
  return places.map((place, line) => {{
    const found = [], {{ x, y, right, bottom }} = place;
    const [left, top, end, low] = [x - whole.x, y - whole.y, right - whole.x, bottom - whole.y]
      .map((edge) => Math.round(edge * scale));
    for (let row = Math.max(top, 0) + 1; row < Math.min(low, ground.height) - 1; row++)
      for (let column = Math.max(left, 0) + 1; column < Math.min(end, ground.width) - 1; column++) {{
        const at = 4 * (row * ground.width + column), pair = [luminance(ground, at), luminance(text, at)];
        found.push((Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05));
      }}
    return [words[line], found.sort((a, b) => a - b)[Math.floor(most * found.length)]];
  }});
}}"""

COLOR = f"""async ([selector, color]) => {{
  {SEEN}
  const size = "width='9' height='9'";
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' ${{size}}><rect ${{size}} fill='${{color}}'/></svg>`;
  return [...(await seen(document.querySelector(selector), asAddress(svg))).data.slice(0, 3)];
}}"""


@pytest.fixture(scope="module")
def shades(browser):
    """A page with figures for each theme; what it makes of a picture is what every page does."""
    require_book()
    opened = {
        scheme: Visit(browser, HOME, f"{PAGE}.html", color_scheme=scheme) for scheme in ("light", "dark")
    }
    yield opened
    for each in opened.values():
        each.close()


def drawings(name):
    """File names of the figures of a page."""
    return set(re.findall(r'src="[./]*_images/([^"]+)"', (BOOK / f"{name}.html").read_text("utf-8")))


def faint(visit, drawing):
    """Words of a figure that stand out too little, each with its contrast."""
    lines = visit.page.evaluate(CONTRASTS, [IMAGE, drawing, MOST])
    assert lines, "a figure without words"
    return [(words, round(found, 2)) for words, found in lines if found < ENOUGH]


@pytest.mark.parametrize("scheme", [pytest.param("light", marks=pytest.mark.deep), "dark"])
@pytest.mark.parametrize("name", [name for name in CHAPTERS if name.count("/") == 2])
def test_text_in_figures_can_be_read(shades, name, scheme):
    found = {
        file: faint(shades[scheme], (BOOK / "_images" / file).read_text("utf-8")) for file in drawings(name)
    }
    found = {file: words for file, words in found.items() if words}
    assert found == {}


@pytest.mark.parametrize(
    "text, ground, is_faint", [("#767676", "#fff", False), ("#777", "#fff", True), ("#fff", "#000", False)]
)
def test_faint_text_is_found(shades, text, ground, is_faint):
    drawing = (
        "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='90'>"
        f"<path fill='{ground}' d='M0 0h90v90H0'/><g id='text_1'><!-- word --><g fill='{text}'>"
        "<path d='M20 20h40v20H20'/></g></g></svg>"
    )
    assert [words for words, _ in faint(shades["light"], drawing)] == (["word"] if is_faint else [])


def of_method(key):
    return line_style(key)["color"]


def hue(color):
    return rgb_to_hsv(color)[0] * 360


@pytest.mark.parametrize("color", sorted({of_method(key) for key in [*METHODS, *OTHERS]}))
def test_method_keeps_its_hue_by_night_and_stands_out_no_less(shades, color):
    seen = {scheme: np.array(shades[scheme].page.evaluate(COLOR, [IMAGE, color])) / 255 for scheme in shades}
    ground = {
        scheme: np.array(shades[scheme].page.evaluate(COLOR, [IMAGE, "#fff"])) / 255 for scheme in shades
    }
    assert seen["light"] == pytest.approx(to_rgb(color), abs=0.01)
    assert contrast(ground["dark"], 0 * ground["dark"]) < 1.5  # white paper is as dark as the page
    if np.ptp(seen["light"]) > 0:  # grey has no hue
        turned = abs(hue(seen["dark"]) - hue(seen["light"]))
        assert min(turned, 360 - turned) < 10
    day, night = (contrast(seen[scheme], ground[scheme]) for scheme in ("light", "dark"))
    assert night > min(day, 4.5)


def contrast(one, other):
    """As WCAG 2 defines it."""
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(shade):
    return np.where(shade <= 0.04045, shade / 12.92, ((shade + 0.055) / 1.055) ** 2.4) @ [
        0.2126,
        0.7152,
        0.0722,
    ]


def test_curves_to_play_with_are_turned_as_figures_are(shades):
    style = "e => [getComputedStyle(e).filter, getComputedStyle(e).fill]"
    played = [
        shades[scheme].page.locator(".csb-panels > svg").first.evaluate(style) for scheme in ("light", "dark")
    ]
    filter = shades["dark"].page.locator(IMAGE).first.evaluate("e => getComputedStyle(e).filter")
    assert played[0][0] == "none" and played[1] == [filter, "rgb(0, 0, 0)"]


def test_curves_to_play_with_stand_on_the_page(shades):
    ground = """e => {
      while (getComputedStyle(e).backgroundColor === "rgba(0, 0, 0, 0)") e = e.parentElement;
      return getComputedStyle(e).backgroundColor;
    }"""
    for visit in shades.values():
        under = {visit.page.locator(each).first.evaluate(ground) for each in (".csb-panels", "article h1")}
        assert len(under) == 1
