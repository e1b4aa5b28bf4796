"""The figure whose points are dragged says what csb says of them, however they were moved."""

from __future__ import annotations

import re

import numpy as np
import pytest
from built_book import ROOT
from scripts import Page
from test_interactive_figures import PHONE, drag

from csbook.interactive import retrain_figure
from csbook.interactive.retrain import BELOW, OFFERED, RATIOS, ROUNDS, STEPS, TASKS, Trained

NAME = "live-test"
STYLE = (ROOT / "book" / "_static" / "book.css").read_text("utf-8")
TWO_CLOUDS = np.random.default_rng(0)
TWO_CLOUDS = np.concatenate(
    [TWO_CLOUDS.normal(middle, 1.2, (20, 2)) for middle in ((-1.5, 1.5), (1.5, -1.5))]
)
TWO_CLOUDS = np.column_stack([TWO_CLOUDS, np.repeat([1, 0], 20)]).round(2)
SOLVED = {
    "missed": (("AdaBoost", "CSAda"), None, {}, [19, 2.8, -5.43, 1]),
    "everybody": (("AdaMEC", "AdaMEC, vote rule"), None, {}, [19, 2.01, -3.98, 1]),
    "turned": (("CGAda", "CSAda"), None, {"rounds": 40}, [20, -2.31, -5.76, 0]),
    "outlier": (("AdaMEC", "AdaC2"), TWO_CLOUDS, {"fn_cost": 2.0}, [6, 5.86, -4.67, 1]),
    "dearer": (("CSAda", "CGAda"), None, {"step": 0.5}, [24, -0.76, -5.89, 0]),
}
"""For each task methods, points and settings of its lesson, and a point, its number first, that solves it."""


@pytest.fixture
def play(visit_text):
    """Function that opens a page with one figure, and returns the visit."""

    def open_figure(figure=None, **options):
        figure = figure or retrain_figure(NAME, step=1.0)
        look = f"<style>{STYLE} body {{ padding: 4rem 0 }}</style>"  # as below the header of a page
        head = f"<meta name='viewport' content='width=device-width'>{look}"
        return visit_text(head + figure._repr_html_(), **options)

    return open_figure


def said(page):
    """What the figure says, when the frame that is under way has been drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.locator("output").text_content()


def state(page):
    """Positions of the controls and points, from the address."""
    positions, points = page.evaluate("location.hash").removeprefix(f"#{NAME}=").split("~")
    table = [[int(part) for part in point.split(".")] for point in points.split("_")]
    return [int(at) for at in positions.split(".")], np.array(table) / (100, 100, 1)


def address(positions, points):
    spelt = "_".join(f"{round(100 * a)}.{round(100 * b)}.{int(label)}" for a, b, label in points)
    return f"#{NAME}={'.'.join(map(str, positions))}~{spelt}"


def in_csb(page, below="shares"):
    """What csb says of the state in the address."""
    (left, right, ratio, rounds, *step), points = state(page)
    methods = (list(OFFERED)[left], list(OFFERED)[right])
    return retrain_figure(
        NAME,
        methods,
        points,
        fn_cost=RATIOS[ratio],
        rounds=ROUNDS[rounds],
        below=below,
        step=STEPS[step[0]] if step else None,
    ).spoken()


def place(page, number, plane=0):
    """Where a point that the figure begins with is on the screen."""
    return page.evaluate(
        """([plane, number]) => {
          const data = JSON.parse(document.querySelector("script[type='application/json']").textContent);
          const inside = document.querySelectorAll('.csb-panels > svg')[plane].querySelector('svg');
          const axes = inside.getBoundingClientRect(), { xlim, ylim } = data.panels[0];
          const [x, y] = [xlim, ylim].map(([low, high], k) => (data.points[number][k] - low) / (high - low));
          return [axes.x + x * axes.width, axes.bottom - y * axes.height];
        }""",
        [plane, number],
    )


@pytest.mark.parametrize("below", BELOW)
def test_all_methods_say_what_csb_says(play, below):
    page = play(retrain_figure(NAME, fn_cost=5.0, rounds=15, below=below)).page
    for label in OFFERED:
        for side in (0, 1):
            page.locator("select").nth(side).select_option(label)
        expected = retrain_figure(NAME, (label, label), fn_cost=5.0, rounds=15, below=below).spoken()
        assert said(page) == expected
        assert expected == in_csb(page, below)


def test_votes_and_scores_are_those_of_csb(play):
    page = play().page
    script = """([label, rounds]) => {
      const data = JSON.parse(document.querySelector("script[type='application/json']").textContent);
      const { key, options } = data.methods.find((method) => method.name === label);
      const X = data.points.map((point) => point.slice(0, 2)), y = data.points.map((point) => point[2]);
      const model = csb.boost(key, X, y, { fnCost: 3, nEstimators: rounds, ...options });
      return [model.coefficients, model.decisionFunction(X), model.predict(X), model.weights];
    }"""
    figure = retrain_figure(NAME, step=1.0)
    points = np.array(figure.live["points"])
    for label in OFFERED:
        votes, scores, called, weights = page.evaluate(script, [label, 20])
        expected = Trained(label, points[:, :2], points[:, 2].astype(int), 3.0, 20)
        np.testing.assert_allclose(votes, expected.votes, atol=1e-10)
        np.testing.assert_allclose(scores, expected.model.decision_function(expected.X), atol=1e-10)
        np.testing.assert_allclose(weights, expected.weights, atol=1e-10)
        assert called == expected.called.tolist()
    assert said(page) == figure.spoken()


@pytest.mark.parametrize("plane", [0, 1])
def test_pointer(play, plane):
    visited = play()
    page = visited.page
    before = said(page)
    page.mouse.move(*place(page, 3, plane))
    page.mouse.down()
    x, y = place(page, 25, plane)
    page.mouse.move(x - 20, y - 5, steps=4)
    moving = said(page)
    assert moving != before and page.evaluate("location.hash") == ""
    page.mouse.move(x + 3, y + 30, steps=4)
    page.mouse.up()
    assert said(page) not in (moving, before) and said(page) == in_csb(page)
    assert visited.complaints == []


def test_a_click_on_the_plane_adds_a_point_and_buttons_change_it(play):
    page = play().page
    box = page.locator(".csb-panels > svg").first.bounding_box()
    page.mouse.click(box["x"] + 0.25 * box["width"], box["y"] + 0.8 * box["height"])
    (_, points), words = state(page), said(page)
    assert len(points) == 41 and words == in_csb(page)
    page.get_by_role("button", name="Flip", exact=True).click()
    assert state(page)[1][-1, 2] == 1 - points[-1, 2] and said(page) == in_csb(page)
    page.get_by_role("button", name="Add", exact=True).click()
    assert len(state(page)[1]) == 42 and said(page) == in_csb(page)
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Delete", exact=True).click()
    assert len(state(page)[1]) == 40 and said(page) == in_csb(page)
    page.get_by_role("button", name="Start again", exact=True).click()
    assert page.evaluate("location.hash") == "" and said(page) == retrain_figure(NAME).spoken()


def test_keyboard(play):
    visited = play()
    page = visited.page
    page.get_by_role("button", name="Copy the address of this state").focus()
    page.keyboard.press("Tab")
    held = page.locator(".csb-held").first
    assert held.evaluate("each => each === document.activeElement")
    assert held.get_attribute("aria-label").startswith("Point 1 of 40, positive, at ")
    start = [tuple(point) for point in retrain_figure(NAME).live["points"]]
    for key, x, y in (("ArrowRight", 0.1, 0), ("ArrowUp", 0, 0.1), ("Shift+ArrowDown", 0, -1)):
        before = said(page)
        page.keyboard.press("PageDown")
        page.keyboard.press(key)
        positions, points = state(page)
        number = int(held.get_attribute("aria-label").split()[1]) - 1
        assert points[number] == pytest.approx(np.add(start[number], (x, y, 0)), abs=0.005)
        assert said(page) == in_csb(page)
        assert said(page) != before or key != "Shift+ArrowDown"
    page.keyboard.press("Space")
    assert state(page)[1][number, 2] == 1 - start[number][2] and said(page) == in_csb(page)
    page.keyboard.press("Delete")
    assert len(state(page)[1]) == 39 and said(page) == in_csb(page)
    page.keyboard.press("Insert")
    assert len(state(page)[1]) == 40 and said(page) == in_csb(page)
    assert visited.complaints == []


def test_the_last_point_of_a_class_stays(play):
    page = play(retrain_figure(NAME, points=[[0, 1, 1], [1, 0, 0], [2, 0, 0]])).page
    before = said(page)
    for key in ("Delete", "Space"):
        page.locator(".csb-held").first.press(key)
        assert said(page) == before


def test_touch(play):
    """A finger on a point drags it; elsewhere it scrolls the page, and adds nothing."""
    visited = play(**PHONE)
    page = visited.page
    page.locator(".csb-panels > svg").first.scroll_into_view_if_needed()
    before, (x, y) = said(page), place(page, 3)
    drag(page, (x, y), (x + 90, y + 60))
    assert said(page) != before and said(page) == in_csb(page)
    assert len(state(page)[1]) == 40
    page.get_by_role("button", name="Flip", exact=True).tap()
    assert said(page) == in_csb(page)


def test_the_address_holds_the_state(play):
    first = play().page
    first.locator("select").first.select_option("AdaC2")
    first.locator("input").first.press("ArrowRight")
    first.locator(".csb-held").first.press("Shift+ArrowRight")
    sent, words = first.evaluate("location.hash"), said(first)
    assert re.fullmatch(rf"#{NAME}=[\d.]+~[-\d._]+", sent) and len(sent) < 700
    other = play().page
    other.evaluate("hash => { location.hash = hash; }", sent)
    assert said(other) == words
    other.reload()
    assert said(other) == words and state(other)[0][0] == list(OFFERED).index("AdaC2")


@pytest.mark.parametrize(
    "given",
    [
        "", "=", "=~", "=0.4.3.10.3", "=0.4.3.10~0.0.1_5.5.0", "=0.4.3.99.3~0.0.1_5.5.0",
        "=0.4.3.10.3~0.0.1_5.5.1", "=0.4.3.10.3~0.0.1_5.0", "=0.4.3.10.3~0.0.1_x.5.0",
        "=0.4.3.10.3~0.0.1_5.5.0.7", "=0.4.3.10.3~0.0.2_5.5.0", "=-1.4.3.10.3~0.0.1_5.5.0",
        "=0.4.3.10.3~" + "_".join(["0.0.1", *["5.5.0"] * 400]), "=0.4.3.1.5.3~0.0.1_5.5.0",
    ],
)  # fmt: skip
def test_an_address_that_holds_none_is_passed_over(play, given):
    visited = play()
    before = said(visited.page)
    visited.page.evaluate("hash => { location.hash = hash; }", f"#{NAME}{given}")
    assert said(visited.page) == before and visited.complaints == []


def test_points_of_an_address_stay_on_the_plane(play):
    page = play().page
    page.evaluate("hash => { location.hash = hash; }", f"#{NAME}=0.4.3.10.3~99999.0.1_500.500.0_0.9.1")
    assert "Point 1 of 3, positive, at 6, 0." in page.locator(".csb-held").first.get_attribute("aria-label")


@pytest.mark.parametrize("task", TASKS)
def test_task(play, task):
    """Not done at the beginning, done by moving one point, and not by other methods."""
    methods, points, settings, (number, *solution) = SOLVED[task]
    figure = retrain_figure(NAME, methods, points, task=task, **settings)
    page = play(figure).page
    assert TASKS[task] in page.locator(".csb-task").inner_text()
    assert "done" not in said(page)
    moved = [list(point) for point in figure.live["points"]]
    moved[number] = solution
    at = list(figure._start().values())
    page.evaluate("hash => { location.hash = hash; }", address(at, moved))
    assert said(page).endswith("The task is done.")
    assert page.locator(".csb-done").count() == 1
    page.locator("select").last.select_option("AdaC1")
    assert "done" not in said(page)


def test_one_outlier_is_one_point(play):
    methods, points, settings, (number, *solution) = SOLVED["outlier"]
    figure = retrain_figure(NAME, methods, points, task="outlier", **settings)
    page = play(figure).page
    moved = [list(point) for point in figure.live["points"]]
    moved[number], moved[number + 1] = solution, [*moved[number + 1][:1], 4.0, 1]
    page.evaluate("hash => { location.hash = hash; }", address(figure._start().values(), moved))
    assert "done" not in said(page)


def test_strict_policy(served, tmp_path):
    """As scripts.py leaves a page: its programs in files."""
    figure = retrain_figure(NAME, step=1.0)
    page = Page(f"<!doctype html><title>Page</title><body>{figure._repr_html_()}</body>", ".")
    (tmp_path / "page.html").write_text(page.rewritten(), "utf-8")
    for name, program in page.files.items():
        (tmp_path / name).write_text(program, "utf-8")
    assert len(page.files) == 2
    visited = served("page", tmp_path)
    assert said(visited.page) == figure.spoken()
    visited.page.locator(".csb-held").first.press("Shift+ArrowRight")
    assert said(visited.page) == in_csb(visited.page)
    assert visited.complaints == []


def test_nothing_leaves_the_page(play):
    visited = play()
    requests = []
    visited.page.on("request", lambda request: requests.append(request.url))
    visited.page.locator(".csb-held").first.press("Shift+ArrowRight")
    visited.page.locator("input").first.press("End")
    assert said(visited.page) and requests == visited.outside == []


def test_controls_of_a_phone_can_be_touched(play):
    page = play(**PHONE).page
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    for element in page.locator(".csb-buttons button").all():
        assert element.bounding_box()["height"] >= 24  # of WCAG 2.2, 2.5.8
