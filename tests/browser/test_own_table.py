"""The reader's own table: brought by button, dialogue or drop, judged in the page, and sent nowhere."""

from __future__ import annotations

import re

import pytest
from built_book import BOOK
from test_interactive_figures import PHONE, shape

NAME = "book/practice/own_table"
EVIL = "<img src=x onerror='window.bad=1'>"
TABLE = f'"{EVIL}",p\n' + f'"</script>{EVIL}",0.9\nno,0.2\nno,0.4\n' * 5
"""Names and words that would be markup, and a program, if they were not text."""


@pytest.fixture(params=["file", "server"])
def visited(request, visit, served):
    """The page from a file without a network, and from a server that allows no scripts but files."""
    if not (BOOK / f"{NAME}.html").is_file():
        pytest.skip("the page is not built")
    return (visit if request.param == "file" else served)(NAME)


def bring(page, text, name="table.csv"):
    content = text if isinstance(text, bytes) else text.encode()
    file = {"name": name, "mimeType": "text/csv", "buffer": content}
    page.evaluate("document.querySelector('.csb-table output').textContent = ''")
    page.locator(".csb-table input[type=file]").set_input_files(file)
    await_said(page, ".")


def await_said(page, pattern):
    page.locator(".csb-table output").first.filter(has_text=re.compile(pattern)).wait_for()


def said(page):
    return page.locator(".csb-table output").first.inner_text()


def bills(page):
    return page.locator(".csb-bills tbody tr").all_inner_texts()


def panels(page):
    found = page.locator(".csb-table .csb-panels")
    return found.inner_html(), found.locator("> svg").evaluate_all("all => all.map(e => e.ariaLabel)")


def test_example_shows_at_once_and_the_slider_moves_all(visited):
    page = visited.page
    assert said(page) == "“probabilities.csv”: 2,000 rows, 3 columns."
    assert len(bills(page)) == 3 and "[" in bills(page)[2]
    before, rows = panels(page), bills(page)
    assert shape(before).count("<text") > 16 and all(before[1])
    slider = page.get_by_label("cost of a miss, in false alarms")
    slider.focus()
    page.keyboard.press("Home")
    assert slider.get_attribute("aria-valuetext") == "0.1"
    assert bills(page) != rows and panels(page)[1] != before[1] and shape(panels(page)) != shape(before)
    assert visited.complaints == visited.outside == []


def test_training_and_its_lines(visited):
    page = visited.page
    for control in ("method", "rounds"):
        assert not page.locator(f"[name={control}]").is_visible()
    page.get_by_role("button", name="Example: features").focus()
    page.keyboard.press("Enter")
    assert "judged on the 666 cases left" in said(page) and len(bills(page)) == 4
    assert not page.get_by_label("a false alarm costs").first.is_visible()
    first = bills(page)
    page.get_by_label("rounds").select_option("10")
    page.get_by_label("method").select_option(label="CSAda")
    assert "CSAda" in bills(page)[2] and bills(page)[2] != first[2] and bills(page)[3] == first[3]
    page.get_by_role("button", name="Copy as csb code").click()
    lines = page.locator(".csb-table pre")
    lines.wait_for()
    assert 'variant="csada", n_estimators=10' in lines.inner_text()
    compile(lines.text_content(), "lines", "exec")
    assert page.evaluate("getSelection().toString()").strip() == lines.inner_text().strip()
    assert visited.complaints == visited.outside == []


def test_what_a_file_says_is_text(visited):
    page = visited.page
    bring(page, TABLE, f"{EVIL}.csv")
    assert said(page).startswith("“<img src=x onerror=") and "15 rows" in said(page)
    assert "10" in bills(page)[1] and page.locator(".csb-table :is(img, a[href^=http])").count() == 0
    assert page.evaluate("window.bad") is None
    assert visited.complaints == visited.outside == []


@pytest.mark.parametrize("content", ["", '"' * 1_000_000, b"\0" * 1000, "y,p\n1,=1+1\n0,0.5\n", "x,y\n1,2\n"])
def test_refusal_is_spoken_and_the_next_file_is_shown(visited, content):
    page = visited.page
    bring(page, content)
    if content == "y,p\n1,=1+1\n0,0.5\n":  # its second column is no probability, so a model would be trained
        page.locator("[name=probability]").select_option("p")
        assert said(page) == "Row 1 of “p” says “=1+1”, which is a formula, not its value."
    assert len(said(page)) > 15 and said(page).endswith(".")
    assert not page.locator(".csb-table .csb-panels").is_visible()
    bring(page, "y,p\n" + "1,0.7\n0,0.2\n" * 10)
    assert said(page) == "“table.csv”: 20 rows, 2 columns." and len(bills(page)) == 3
    assert page.locator(".csb-table .csb-panels").is_visible()
    assert visited.complaints == visited.outside == []


def test_a_file_may_be_dropped(visited):
    page = visited.page
    page.evaluate("""() => {
      const dropped = new DataTransfer();
      dropped.items.add(new File(["y;p\\n" + "1;0,7\\n0;0,2\\n".repeat(10)], "dropped.csv"));
      const event = new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true });
      document.querySelector(".csb-table").dispatchEvent(event);
    }""")
    await_said(page, "dropped")
    assert said(page) == "“dropped.csv”: 20 rows, 2 columns."


def test_phone(visit):
    page = visit(NAME, **PHONE).page
    for control in page.locator(".csb-table :is(input, select, button):visible").all():
        box = control.bounding_box()
        assert box["height"] >= 24 and box["x"] >= 0 and box["x"] + box["width"] <= PHONE["viewport"]["width"]


def test_still_without_scripts(visit):
    table = visit(NAME, java_script_enabled=False).page.locator(".csb-table")
    still = table.locator("noscript img")
    assert still.is_visible() and "2,000 cases" in still.get_attribute("alt")
    assert still.evaluate("image => image.naturalWidth") > 200
    assert not table.locator("input, select, button, .csb-panels, table").filter(visible=True).count()


def test_still_on_paper(visit):
    page = visit(NAME).page
    before = panels(page)
    page.emulate_media(media="print")
    assert panels(page) == before
    table = page.locator(".csb-table")
    assert not table.locator("input, button, noscript img, pre, summary").filter(visible=True).count()
    assert table.locator("svg").first.is_visible() and table.locator("table").is_visible()
