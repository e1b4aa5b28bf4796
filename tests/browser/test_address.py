"""The state of a figure is copied as an address; where there is no clipboard, a field holds it."""

from __future__ import annotations

import pytest
from test_retrain import said

from csbook.interactive import retrain_figure, threshold_bill_figure

FIGURES = {
    "live-test": lambda: retrain_figure("live-test", task="missed", step=1.0),
    "live-bill": threshold_bill_figure,
}
NO_CLIPBOARD = "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
REFUSED = "navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));"
KEPT = "navigator.clipboard.writeText = async (text) => { window.kept = text; };"
NO_COPY = "document.execCommand = () => false;"

every_figure = pytest.mark.parametrize("name", FIGURES)


def changed(visit_text, name, *programs):
    """A page in which the first slider has been moved to its end, and the button that copies."""
    visited = visit_text(FIGURES[name]()._repr_html_())
    page = visited.page
    for program in programs:
        page.evaluate(f"() => {{ {program} }}")
    page.locator("input[type=range]").first.press("End")
    return visited, page.get_by_role("button", name="Copy the address of this state")


@every_figure
def test_address_is_copied_and_brings_the_state_back(visit_text, name):
    visited, button = changed(visit_text, name, KEPT)
    page = visited.page
    words, begins = said(page), FIGURES[name]().spoken()
    button.press("Enter")
    page.get_by_role("status").filter(has_text="The address is copied.").wait_for()
    sent = page.evaluate("kept")
    assert sent == page.url and f"#{name}=" in sent and words != begins
    assert not page.get_by_label("Address of this state").is_visible()
    page.goto("about:blank")
    page.goto(sent)
    assert said(page) == words
    page.goto(sent.split("#")[0])
    assert said(page) == begins
    assert visited.complaints == []


@every_figure
@pytest.mark.parametrize("program", [NO_CLIPBOARD, REFUSED])
@pytest.mark.parametrize("last", ["", NO_COPY])
def test_without_a_clipboard_the_address_is_selected(visit_text, name, program, last):
    visited, button = changed(visit_text, name, program, last)
    page = visited.page
    button.press("Enter")
    words = "The address is selected" if last else "The address is copied."
    page.get_by_role("status").filter(has_text=words).wait_for()
    field = page.get_by_label("Address of this state")
    assert field.is_visible() and field.input_value() == page.url and f"#{name}=" in page.url
    selected = field.evaluate("each => each.value.slice(each.selectionStart, each.selectionEnd)")
    assert selected == page.url
    assert visited.complaints == []


@pytest.mark.parametrize("given", ["=", "=4.3.3.3", "=4.3.3.3.9", "=4.3.3.3.x", "=4.3.3.3.5.1"])
def test_an_address_that_holds_no_state_is_passed_over(visit_text, given):
    visited = visit_text(threshold_bill_figure()._repr_html_())
    visited.page.evaluate("hash => { location.hash = hash; }", f"#live-bill{given}")
    assert said(visited.page) == threshold_bill_figure().spoken() and visited.complaints == []
