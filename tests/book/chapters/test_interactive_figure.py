"""Figures to play with: what they say is what metrics and loops say, and names cannot break the page."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar

import csb
from csb.evaluation.metrics import expected_cost
from csbook import interactive
from csbook.chapters.interactive_figure import Control, Controlled, InteractiveFigure, Mark, Panel
from hostile import NAMES, Reader, whole

RATIOS = np.geomspace(1 / 30, 30, 7)


def sent(figure):
    """The page of a figure, the data in it, and a way to look up what a mark is drawn from."""
    reader = Reader(figure._repr_html_())
    data = json.loads(reader.texts["script"][0])

    def at(channel, *positions):
        found = data["pool"][channel["of"]]
        for control in channel["by"]:
            found = found[positions[control]]
        return found

    return reader, data, at


def plain(values, by=("a",), names=("one", "two"), **mark):
    """A figure with one line that follows one control."""
    line = Mark("line", {"x": [0.0, 1.0], "y": Controlled(values, by)}, **mark)
    return InteractiveFigure("title", [Control("a", names)], [Panel("p", "x", "y", (0, 1), (0, 1), [line])])


def test_values_must_have_a_place_for_each_position():
    with pytest.raises(ValueError, match="'a' has 2 positions, 3 values"):
        plain([[0, 1]] * 3)
    with pytest.raises(ValueError, match="'b' has None positions"):
        plain([[0, 1]] * 2, by=("b",))
    with pytest.raises(ValueError, match="kind='dot'"):
        Mark("dot", {"x": [1]})
    with pytest.raises(ValueError, match="line must have .*'y'"):
        Mark("line", {"x": [1]})


def test_numbers_are_sent_once_and_with_four_digits():
    values = [[1 / 3, 2 / 3], [np.nan, 1e-9]]
    shared = Controlled(values, ("a",))
    marks = [Mark("line", {"x": [0.0, 1.0], "y": shared}) for _ in range(3)]
    panel = Panel("p", "x", "y", (0, 1), (0, 1), marks)
    _, data, at = sent(InteractiveFigure("t", [Control("a", ["1", "2"])], [panel]))
    found = [mark["y"] for mark in data["panels"][0]["marks"]]
    assert len({each["of"] for each in found}) == 1
    assert at(found[0], 0) == [0.3333, 0.6667] and at(found[0], 1) == [None, 1e-9]


@pytest.mark.parametrize("name", NAMES)
def test_page_is_whole_whatever_the_names_are(name):
    figure = plain([[0, 1]] * 2, names=(name, "two"), label=name)
    reader, data, at = sent(figure)
    controls = ["p", "label", "input", "b"]
    assert reader.tags() == [
        "div", *controls, "noscript", "img", "div", "svg", "p", "output", "script", "script"
    ]  # fmt: skip
    assert data["choices"] == [[whole(name), "two"]] or data["choices"] == [[name, "two"]]
    assert at(data["panels"][0]["marks"][0]["label"]) == name


@pytest.mark.parametrize("pos_label", ["yes", "no"])
def test_threshold_figure_counts_and_costs_as_the_metrics(pos_label):
    rng = np.random.default_rng(0)
    p = np.r_[rng.random(200), 0.0, 1.0]
    y = np.where(rng.random(202) < p, "yes", "no")
    figure = interactive.threshold_figure(y, p, RATIOS, pos_label=pos_label)
    positive = y == pos_label
    _, data, at = sent(figure)
    bars, _, line = data["panels"][0]["marks"]
    inner = [np.sum((low / 25 <= p[positive]) & (p[positive] < (low + 1) / 25)) for low in range(24)]
    wanted = np.array([*inner, np.sum(p[positive] >= 24 / 25)]) / positive.sum()
    np.testing.assert_allclose(at(bars["high"], 0), wanted, rtol=1e-3)
    for k, ratio in enumerate(RATIOS):
        called = p > 1 / (1 + ratio)
        assert at(line["x"], k) == [pytest.approx(1 / (1 + ratio), rel=1e-3)]
        words = figure.spoken(**{"cost of a miss, in false alarms": k})
        cost = expected_cost(positive.astype(int), called.astype(int), fn_cost=ratio)
        constant = min(ratio * positive.mean(), 1 - positive.mean())
        missed, alarms = np.sum(positive & ~called), np.sum(~positive & called)
        assert f"Missed: {missed} of " in words and f"false alarms: {alarms} of " in words
        assert f"Cost per case {cost:.3f} false alarms" in words
        both = [2 * each / (1 + ratio) for each in (cost, constant)]
        assert f"decision {constant:.3f}; " in words and words.endswith("{:.3f} and {:.3f}.".format(*both))
        normalised = at(data["panels"][1]["marks"][2]["y"], k)[0]
        assert normalised == pytest.approx(2 * cost / (1 + ratio), rel=1e-3)


@pytest.mark.parametrize(
    "y, p, ratios, words",
    [
        ([0, 1], [0.2, 1.5], [1.0], "y_prob holds 1.5"),
        ([0, 1], [0.2, 0.5], [1.0, 0.0], "fn_cost holds 0.0"),
        ([0, 1, 2], [0.2, 0.5, 0.5], [1.0], "allowed are two"),
    ],
)
def test_threshold_figure_refuses_bad_input(y, p, ratios, words):
    with pytest.raises(ValueError, match=words):
        interactive.threshold_figure(y, p, ratios)


def test_plane_shows_what_the_model_decides_there():
    figure = interactive.cost_ratio_figure([1, 5], n_samples=200, cells=8)
    cells = figure.panels[0].marks[0].channels["cells"].values
    assert [each.shape for each in cells] == [(8, 8)] * 2
    assert (cells[1] >= cells[0]).all() and cells[1].sum() > cells[0].sum()  # dearer misses, more is called
    assert cells[0][-1, 0] == 1 and cells[0][0, -1] == 0  # the positive class lies above on the left


# --- curves ------------------------------------------------------------------------------------------

LOOKS = {"a": {"color": "#112233", "linestyle": "-"}, "b<": {"color": "#445566", "linestyle": "--"}}


@pytest.fixture
def curves():
    rng = np.random.default_rng(0)
    rows = [
        {"group": group, "method": method, "x": x, "mean": rng.uniform()}
        for group in ("one", "2")
        for method in LOOKS
        for x in (0.9, 0.1, 0.4)
    ]
    table = pd.DataFrame(rows)
    return table.assign(low=table["mean"] - 0.1, high=table["mean"] + 0.1)


def test_curves_in_the_page_are_those_given(curves):
    figure = interactive.curves_figure(curves, LOOKS, first="a", second="b<", constant=[0.1, 0.4, 0.1])
    _, data, at = sent(figure)
    _, band, line, *_ = data["panels"][0]["marks"]
    groups, methods = ["one", "2"], ["a", "b<"]
    assert data["choices"] == [groups, methods, methods]
    for (group, method), curve in curves.groupby(["group", "method"]):
        where = groups.index(group), methods.index(method), 0
        curve = curve.sort_values("x")
        assert at(line["x"]) == [0.1, 0.4, 0.9]
        for found, name in ((line["y"], "mean"), (band["low"], "low"), (band["high"], "high")):
            np.testing.assert_allclose(at(found, *where), curve[name], rtol=1e-3)
        area = np.trapezoid(curve["mean"], curve["x"]) / 0.8
        said = figure.spoken(**{"Data set": where[0], "Method": where[1]})
        assert said.startswith(f"{group}. {method}: area {area:.3f};")
    assert [at(line[name], 0, 1) for name in ("color", "dash")] == ["#445566", "6 4"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_a_value_that_is_not_finite_is_a_gap(curves, value):
    curves.loc[[1, 4], "mean"] = value
    figure = interactive.curves_figure(curves, LOOKS, first="a", second="b<")
    _, data, at = sent(figure)
    _, line, *_ = data["panels"][0]["marks"]
    assert [each is None for each in at(line["y"], 0, 0)] == [True, False, False]
    assert figure.spoken() == "one. a: area not known; b<: area not known."


def test_a_method_may_be_absent_on_a_data_set(curves):
    _, data, at = sent(interactive.curves_figure(curves[3:], LOOKS, first="a", second="b<"))
    line = data["panels"][0]["marks"][1]
    assert at(line["y"], 0, 1) == [None] * 3 and None not in at(line["y"], 1, 1)


def test_curves_on_other_skews_are_refused(curves):
    with pytest.raises(ValueError, match="'a' on 'one'"):
        interactive.curves_figure(curves.drop(index=0), LOOKS, first="a", second="b<")


@pytest.mark.parametrize("x", [[0.5, 0.5], [0.5, np.nan], [0.5, np.inf], []])
def test_places_that_span_no_axis_are_refused(x):
    curves = pd.DataFrame({"group": "one", "method": "a", "x": x, "mean": 0.1, "low": 0.0, "high": 0.2})
    with pytest.raises(ValueError, match="two finite values"):
        interactive.curves_figure(curves, LOOKS, first="a", second="a")


@pytest.mark.parametrize("chosen", ["first", "second"])
def test_a_method_that_is_not_there_is_refused(curves, chosen):
    with pytest.raises(ValueError, match=f"{chosen}='c': allowed are 'a', 'b<'"):
        interactive.curves_figure(curves, LOOKS, **{"first": "a", "second": "a", chosen: "c"})


# --- boosting, losses, experts, calibration ----------------------------------------------------------


def test_steps_of_adaboost_are_those_of_a_loop():
    """The weights and errors that the figure shows, beside AdaBoost written out."""
    from csb import AdaBoost
    from csbook.datasets import make_two_gaussians

    figure = interactive.boosting_figure(["adaboost"], rounds=4, cells=4)
    data = make_two_gaussians(60, 7)
    X, y = data.X.to_numpy(), data.y
    model = AdaBoost(n_estimators=4).fit(X, y)
    signs, weight, score = 2 * y - 1, np.full(60, 1 / 60), np.zeros(60)
    shown = {mark.label: mark.channels["size"].values[0] for mark in figure.panels[0].marks[1:3]}
    seen = weight  # by the stump of the round
    for t in range(5):
        np.testing.assert_allclose(shown["positive"][t], 3 * np.sqrt(60 * seen[y == 1]), rtol=1e-9)
        np.testing.assert_allclose(shown["negative"][t], 3 * np.sqrt(60 * seen[y == 0]), rtol=1e-9)
        words = figure.spoken(left=0, right=0, round=t)
        assert f"{seen[y == 1].sum():.0%} of the weight" in words
        assert f"{np.sum((score <= 0) & (y == 1))} missed, {np.sum((score > 0) & (y == 0))} false" in words
        if t < 4:
            seen = weight
            h = model.estimators_[t].predict(X)
            error = weight[h != signs].sum()
            vote = np.log((1 - error) / error) / 2
            weight = weight * np.exp(-vote * signs * h)
            weight, score = weight / weight.sum(), score + vote * h


def test_losses_cross_where_they_are_equal():
    figure = interactive.losses_figure([1, 4], [1, 2])
    assert "both classes have the same loss" in figure.spoken()
    positions = {"factor of a positive": 1, "exponent of a positive": 1}
    # 4 exp(-2m) = exp(-m) at m = log 4; the minimiser changes its sign where p * 4 * 2 = 1 - p
    assert f"cross at margin {np.log(4):.2f}" in figure.spoken(**positions)
    assert f"the probability {1 / 9:.3f}, the threshold of the cost ratio 8." in figure.spoken(**positions)
    assert "the losses never cross" in figure.spoken(**{"factor of a positive": 1})


def test_product_of_experts_that_do_not_lean_on_each_other_is_right():
    figure = interactive.experts_figure([3], [0.2], [0.0, 0.3])
    start = {"experts": 0, "error of each": 0}
    assert "off by 0.000" in figure.spoken(**start, dependence=0)
    assert "off by 0.000" not in figure.spoken(**start, dependence=1)
    product = figure.panels[0].marks[1].channels["y"].values[0][0][0]
    np.testing.assert_allclose(
        product, [1 / 65, 1 / 5, 4 / 5, 64 / 65]
    )  # odds 4 to the votes for less against


def test_more_calibration_examples_come_nearer_to_the_truth():
    figure = interactive.calibration_size_figure((20, 2000), n_training=200, n_new=2000)
    for kind in range(3):
        few, many = (
            float(figure.spoken(**{"calibrator": kind, "calibration examples": k}).split()[-1].rstrip("."))
            for k in (0, 1)
        )
        assert many < few


def test_lowest_points_walk_through_zero_at_each_loss_own_posterior():
    """By a search on the two exponentials: CGAda's at the Bayes threshold, AdaBoost's at one half."""
    posteriors = [0.05, 0.1, 0.3, 0.5, 0.7]
    figure = interactive.conditional_risk_figure(("cgada", "adaboost"), 9.0, posteriors)
    _, data, at = sent(figure)
    for panel, cost in zip(data["panels"], (9.0, 1.0), strict=True):
        _, lowest, line, point = panel["marks"]
        for k, p in enumerate(posteriors):
            found = minimize_scalar(lambda F, p=p, a=cost: a * p * np.exp(-F) + (1 - p) * np.exp(F), (-1, 1))
            for of, where in ((point, at(point["x"], k)[0]), (lowest, at(lowest["x"])[k])):
                assert where == pytest.approx(found.x, abs=1e-3), of
            assert at(point["y"], k)[0] == pytest.approx(found.fun, rel=1e-3)
            assert min(at(line["y"], k)) == pytest.approx(found.fun, rel=5e-3)
    wrong = ["costlier" in figure.spoken(**{"posterior p": k}) for k in range(5)]
    assert wrong == [False, False, True, True, False]
    assert "both decisions cost the same" in figure.spoken(**{"posterior p": 1})


def test_a_method_without_a_loss_is_refused():
    with pytest.raises(ValueError, match="methods='csb2'"):
        interactive.conditional_risk_figure(("cgada", "csb2"))


def solved(figure):
    """What the figure says at each solution of its task, none of which it begins with."""
    starts = {control.label: control.start for control in figure.controls}
    assert all(starts | each != starts for each in figure.task.solved)
    return [figure.spoken(**each) for each in figure.task.solved]


def test_tasks_are_solved_where_the_words_say_so():
    (words,) = solved(interactive.losses_figure())
    assert "threshold of the cost ratio 3." in words and "With factor 1 " in words
    panels = interactive.experts_figure()
    off = [float(words.split("off by ")[1].split()[0]) for words in solved(panels)]
    assert len(off) and min(off) > 0.5
    risk = interactive.conditional_risk_figure()
    (words,) = solved(risk)
    assert "costlier" in words and words.startswith("The posterior 0.5 ")
    assert "costlier" not in risk.spoken(**{"posterior p": len(risk.controls[0].choices) - 4})  # 0.6
    rounds = interactive.boosting_figure(["adaboost"], cells=4)
    (found,) = rounds.task.solved
    errors = []
    for t in (found["round"] - 1, found["round"]):
        missed, alarms = rounds.spoken(round=t).split("weight; ")[1].split(" missed, ")
        errors.append(int(missed) + int(alarms.split()[0]))
    assert errors[0] >= 5 > errors[1]


def test_task_of_the_cost_ratio_is_its_first_solution():
    rng = np.random.default_rng(0)
    p = rng.random(400)
    y = (rng.random(400) < p).astype(int)
    figure = interactive.threshold_figure(y, p, RATIOS)
    (found,) = figure.task.solved
    few = [np.sum((p <= 1 / (1 + ratio)) & (y == 1)) < 0.1 * y.sum() for ratio in RATIOS]
    assert found == {"cost of a miss, in false alarms": few.index(True)}
    assert interactive.threshold_figure(y, p, [0.5, 1.0]).task is None


def test_task_of_curves_compares_the_areas(curves):
    curves["mean"] = np.where(curves["method"] == "a", 0.1, np.where(curves["group"] == "2", 0.6, 0.4))
    figure = interactive.curves_figure(curves, LOOKS, first="a", second="b<")
    assert figure.task.solved == [{"Data set": 1, "Method": 0, "beside": 1}]
    assert interactive.curves_figure(curves, LOOKS, first="b<", second="a").task is None


def test_what_swings_or_stands_alone_is_said():
    panels = interactive.experts_figure([100], [0.1, 0.45], [0.0, 0.4])
    said = [[panels.spoken(**{"error of each": e, "dependence": d}) for d in (0, 1)] for e in (0, 1)]
    assert "two heaps" in said[1][1] and "two heaps" not in said[1][0] + said[0][0]
    figure = interactive.calibration_size_figure((20, 2000), n_training=500, n_new=5000)
    words = figure.spoken(**{"calibrator": 2, "calibration examples": 1})
    assert "(a single case at 0.5" in words
    sizes = figure.panels[1].marks[3].channels["size"].values[2][1]
    counts = 5000 * (np.asarray(sizes) / 9) ** 2
    assert counts.sum() == pytest.approx(5000) and counts.min() == pytest.approx(1)


RETRAIN = [[-1.0, 1.0, 1], [0.0, 0.5, 1], [0.7, 0.2, 1], [1.0, -1.0, 0], [0.3, 0.3, 0], [-0.5, -2.0, 0]]


@pytest.mark.parametrize("below", ["shares", "bill", "risk", "margins"])
def test_points_to_drag_say_what_a_loop_says(below):
    """AdaBoost's weights, risk, margins and bill, from its stumps and votes."""
    figure = interactive.retrain_figure("a", ("AdaBoost", "CSAda"), RETRAIN, rounds=3, below=below)
    X, y = np.array(RETRAIN)[:, :2], np.array(RETRAIN)[:, 2]
    model = csb.AdaBoost(n_estimators=3).fit(X, y)
    F = sum(a * h.predict(X) for a, h in zip(model.estimator_weights_, model.estimators_, strict=True))
    loss = np.exp(-(2 * y - 1) * F)
    margins = (2 * y - 1) * F / model.estimator_weights_.sum()
    wrong = (F > 0) != (y == 1)
    cost = np.where(y == 1, 3, 1) @ wrong / 6
    last = {
        "shares": f"positives hold {loss[y == 1].sum() / loss.sum():.0%} of the weight",
        "bill": f"{cost / 0.5:.2f} of the cheaper constant decision",
        "risk": f"risk {loss.mean():.3f} of what it was",
        "margins": f"least margin of a positive {margins[y == 1].min():.2f}, "
        f"of a negative {margins[y == 0].min():.2f}",
    }
    assert figure.words[1] == (
        f"AdaBoost: 3 rounds; {np.sum(wrong & (y == 1))} of 3 positives missed, "
        f"{np.sum(wrong & (y == 0))} of 3 negatives called positive, cost {cost:.2f} a point; {last[below]}."
    )
    areas = [mark.channels["size"] ** 2 for mark in figure.panels[0].marks[1:]]
    np.testing.assert_allclose(np.concatenate(areas), 9 * 6 * np.r_[loss[y == 0], loss[y == 1]] / loss.sum())


@pytest.mark.parametrize(
    "wrong",
    [
        {"methods": ("AdaBoost", "nobody")}, {"below": "sky"}, {"task": "rest"}, {"rounds": 7}, {"step": 2.0},
        {"fn_cost": 4.0}, {"points": [[0, 0, 1], [1, 1, 1]]}, {"points": [[0, 7, 1], [1, 1, 0]]},
        {"points": [[0, 0, 1], [0, 0, 0]]}, {"points": [[0, 1, 1], *[[1, 0, 0]] * 400]},
    ],
)  # fmt: skip
def test_points_to_drag_that_cannot_be(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        interactive.retrain_figure("a", **wrong)
