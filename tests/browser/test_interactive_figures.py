"""Every figure to play with follows keyboard and finger, and stands still without scripts and on paper."""

from __future__ import annotations

import re

import pytest
from built_book import BOOK, CHAPTERS, require_book

INTERACTIVE = 'class="csb-interactive"'
CONTROLS = ".csb-controls :is(input, select)"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
KEYS = {
    "range": ("End", "ArrowLeft", "Home", "ArrowRight", "End"),
    "select-one": ("End", "ArrowUp", "Home", "ArrowDown", "End"),
}
"""Keys that each kind of control answers, each with another position; the last has the most to show."""


def interactive_figures():
    """Pages of the built book with such figures, and the number of each on its page."""
    texts = {name: BOOK / f"{name}.html" for name in CHAPTERS}
    counts = {
        name: path.read_text("utf-8").count(INTERACTIVE) for name, path in texts.items() if path.is_file()
    }
    return [(name, number) for name, count in counts.items() for number in range(count)]


every_interactive_figure = pytest.mark.parametrize("name, number", interactive_figures())


def test_the_book_has_figures_to_play_with():
    require_book()
    assert len(interactive_figures()) > 5


def drawing(figure):
    """What the figure shows now: its drawings, and what each of them says aloud."""
    panels = figure.locator(".csb-panels")
    return panels.inner_html(), panels.locator("> svg").evaluate_all("all => all.map(e => e.ariaLabel)")


def shape(drawn):
    """The drawing without its words, or a change of these alone would pass for one of the picture."""
    return re.sub(r'aria-label="[^"]*"', "", drawn[0])


def assert_changed(figure, before):
    after = drawing(figure)
    assert shape(after) != shape(before)
    assert all(new != old for new, old in zip(after[1], before[1], strict=True))


def assert_says(figure, control):
    """The control's position stands beside it in the words in which it is spoken."""
    if control.get_attribute("type") == "range":
        shown = control.locator("xpath=../b").inner_text()
        assert shown and shown == control.get_attribute("aria-valuetext")


@every_interactive_figure
def test_keyboard(visit, name, number):
    visited = visit(name)
    page = visited.page
    figure = page.locator(".csb-interactive").nth(number)
    figure.evaluate("figure => { figure.tabIndex = -1; figure.focus(); }")  # Tab goes on from there
    controls = figure.locator(CONTROLS)
    for k in range(controls.count()):
        control = controls.nth(k)
        page.keyboard.press("Tab")
        assert control.evaluate("each => each === document.activeElement")
        for key in KEYS[control.evaluate("each => each.type")]:
            before = drawing(figure)
            page.keyboard.press(key)
            assert_changed(figure, before)
            assert_says(figure, control)
    assert visited.complaints == []


def drag(page, start, end):
    """A finger put down, moved and lifted."""
    touch = page.context.new_cdp_session(page)
    for kind, places in (("touchStart", [start]), ("touchMove", [end]), ("touchEnd", [])):
        points = [{"x": x, "y": y} for x, y in places]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@every_interactive_figure
def test_touch(visit, name, number):
    visited = visit(name, **PHONE)
    page = visited.page
    figure = page.locator(".csb-interactive").nth(number)
    for control in figure.locator(CONTROLS).all():
        control.scroll_into_view_if_needed()
        box, before = control.bounding_box(), drawing(figure)
        assert box["height"] >= 24  # of WCAG 2.2, 2.5.8
        assert 0 <= box["x"] and box["x"] + box["width"] <= PHONE["viewport"]["width"]
        if control.get_attribute("type") != "range":
            control.tap()  # opens the list of the system, which is no part of the page
            assert control.evaluate("each => each === document.activeElement")
            chosen = control.evaluate("each => each.selectedIndex")
            control.select_option(index=0 if chosen else 1)
            assert_changed(figure, before)
            continue
        height, left, right = box["y"] + box["height"] / 2, box["x"] + 10, box["x"] + box["width"] - 10
        page.touchscreen.tap(right, height)
        assert control.input_value() == control.get_attribute("max")
        assert_changed(figure, before)
        for start, end, reached in ((right, left, "min"), (left, right, "max")):
            before = drawing(figure)
            drag(page, (start, height), (end, height))
            assert control.input_value() == control.get_attribute(reached)
            assert_changed(figure, before)
        assert_says(figure, control)
    assert visited.complaints == []


@every_interactive_figure
@pytest.mark.parametrize("screen", [{}, PHONE], ids=["desk", "phone"])
def test_controls_are_wide_and_stay_in_sight(visit, name, number, screen):
    """Sliders are as wide as the figure, lists share its width; all stand above whatever is looked at."""
    page = visit(name, **screen).page
    figure = page.locator(".csb-interactive").nth(number)
    whole, controls = figure.bounding_box()["width"], figure.locator(CONTROLS)
    for slider in figure.locator("input[type=range]").all():
        assert slider.bounding_box()["width"] > 0.98 * whole
    rows = {}
    for label in figure.locator(".csb-controls label").all():
        box = label.bounding_box()
        rows[round(box["y"])] = box["x"] + box["width"] - figure.bounding_box()["x"]
    assert all(right > 0.98 * whole for right in rows.values())
    header = page.locator(".bd-header-article").bounding_box()
    for panel in figure.locator(".csb-panels > svg").all():
        panel.evaluate("each => scrollBy(0, each.getBoundingClientRect().bottom - innerHeight + 8)")
        for control in controls.all():
            at = control.bounding_box()
            assert header["y"] + header["height"] <= at["y"] < page.viewport_size["height"]
            middle = at["x"] + at["width"] / 2, at["y"] + at["height"] / 2
            top = "([each, x, y]) => document.elementFromPoint(x, y) === each"
            assert page.evaluate(top, [control.element_handle(), *middle])


@every_interactive_figure
def test_task(visit, name, number):
    """Not done to begin with, and done at the positions that the page knows."""
    page = visit(name).page
    figure = page.locator(".csb-interactive").nth(number)
    if figure.locator(".csb-buttons").count():
        return  # its page computes, see test_retrain.py
    assert figure.locator(".csb-task").is_visible() and "csb-done" not in figure.get_attribute("class")
    data = figure.locator("script[type='application/json']").evaluate("each => JSON.parse(each.textContent)")
    for position, at in data["solved"][-1]:
        control = figure.locator(CONTROLS).nth(position)
        if control.get_attribute("type") == "range":
            control.fill(str(at))
        else:
            control.select_option(index=at)
    assert "csb-done" in figure.get_attribute("class")
    assert figure.locator("output").inner_text().endswith("The task is done.")


@every_interactive_figure
def test_still_without_scripts(visit, name, number):
    figure = visit(name, java_script_enabled=False).page.locator(".csb-interactive").nth(number)
    still = figure.locator("noscript img")
    assert still.is_visible() and len(still.get_attribute("alt")) > 20
    assert still.evaluate("image => image.naturalWidth") > 200
    assert not figure.locator(".csb-controls").is_visible()  # they could not be operated
    assert not figure.locator(".csb-task").filter(visible=True).count()
    assert not figure.locator(".csb-panels").is_visible()


@every_interactive_figure
def test_still_on_paper(visit, name, number):
    """The drawing as the reader leaves it, with the positions in words and nothing that looks operable."""
    page = visit(name, viewport={"width": 700, "height": 1000}).page
    figure = page.locator(".csb-interactive").nth(number)
    control = figure.locator(CONTROLS).first
    control.focus()
    page.keyboard.press("End")
    left = drawing(figure)
    page.emulate_media(media="print")
    assert drawing(figure) == left
    assert not figure.locator("input, noscript img").filter(visible=True).count()
    for words in figure.locator(".csb-controls :is(b, select)").filter(visible=True).all():
        assert words.evaluate("each => each.value ?? each.textContent")
        assert words.evaluate("each => getComputedStyle(each).borderStyle") == "none"
    boxes = [panel.bounding_box() for panel in figure.locator(".csb-panels > svg").all()]
    assert all(box["width"] > 150 and box["x"] >= 0 and box["x"] + box["width"] <= 700 for box in boxes)
