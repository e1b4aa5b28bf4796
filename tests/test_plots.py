"""Plots draw what was computed, label their axes and compute nothing."""

import builtins
from types import SimpleNamespace

import matplotlib.pyplot as plt
import numpy as np
import pytest

from csb import VARIANTS
from csb.compendium import style
from csb.evaluation import curves, plots

Y, P = np.array([0, 0, 1, 1, 0, 1]), np.array([0.1, 0.4, 0.35, 0.8, 0.6, 0.9])
CASES = {
    "brier over skew": (plots.plot_brier_curve, curves.brier_curve(Y, P)),
    "brier over cost": (plots.plot_brier_curve, curves.brier_curve(Y, P, over="cost")),
    "cost": (plots.plot_cost_curve, curves.cost_curve(Y, P)),
    "reliability": (plots.plot_reliability, curves.reliability_diagram(Y, P)),
    "margins": (plots.plot_margin_distribution, curves.margin_distribution(Y, P - 0.5, [0.5])),
}


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


@pytest.mark.parametrize("case", CASES)
def test_axes_are_given_back_with_labels_and_no_title(case):
    draw, computed = CASES[case]
    ax = plt.subplots()[1]
    assert draw(computed, ax, **style.line_style("adamec")) is ax
    assert ax.get_xlabel() and ax.get_ylabel() and not ax.get_title()
    assert "AdaMEC" in ax.get_legend_handles_labels()[1]
    assert draw(computed).figure is not ax.figure


def test_drawn_data_are_the_computed_ones():
    curve = CASES["brier over skew"][1]
    (line,) = plots.plot_brier_curve(curve, color="red").get_lines()
    np.testing.assert_array_equal(line.get_xydata(), np.column_stack([curve.condition, curve.loss]))
    assert line.get_color() == "red"
    cost = CASES["cost"][1]
    *lines, envelope = plots.plot_cost_curve(cost).get_lines()
    np.testing.assert_array_equal([line.get_ydata() for line in lines], np.column_stack([cost.fnr, cost.fpr]))
    np.testing.assert_array_equal(envelope.get_ydata(), cost.envelope)
    assert len(plots.plot_cost_curve(cost, lines=False).get_lines()) == 1
    diagram = CASES["reliability"][1]
    diagonal, points, isotonic = plots.plot_reliability(diagram, **style.line_style("csada")).get_lines()
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    np.testing.assert_array_equal(points.get_xydata(), np.column_stack([diagram.predicted, diagram.observed]))
    np.testing.assert_array_equal(isotonic.get_xydata(), np.column_stack([diagram.level, diagram.isotonic]))
    assert points.get_color() == isotonic.get_color() == style.line_style("csada")["color"]
    assert (points.get_marker(), points.get_linestyle()) == ("v", "None")
    margins = CASES["margins"][1]
    (step,) = plots.plot_margin_distribution(margins).get_lines()
    np.testing.assert_array_equal(step.get_xydata(), np.column_stack([margins.margin, margins.share]))
    assert step.get_drawstyle() == "steps-post"


def test_every_method_has_a_look_of_its_own():
    calibrated = [f"calibrated_{key}" for key in ("adamec", "cgada", "asymada")]
    looks = [tuple(style.line_style(key).values()) for key in [*VARIANTS, *calibrated, "bayes"]]
    assert len({look[:3] for look in looks}) == len({look[3] for look in looks}) == len(looks)
    with pytest.raises(ValueError, match="'adamec'"):
        style.line_style("adamecc")


def test_set_style_sets_the_style():
    with plt.rc_context():
        style.set_style()
        assert plt.rcParams["axes.spines.top"] is False


@pytest.mark.parametrize("config, formats", [({"IPKernelApp": {}}, ["svg"]), ({}, [])])
def test_set_style_draws_as_svg_without_date_in_a_notebook_only(monkeypatch, config, formats):
    asked = []
    monkeypatch.setattr(builtins, "get_ipython", lambda: SimpleNamespace(config=config), raising=False)
    monkeypatch.setattr(
        "matplotlib_inline.backend_inline.set_matplotlib_formats",
        lambda *names, metadata: asked.extend(names if metadata == {"Date": None} else ["dated"]),
    )
    with plt.rc_context():
        style.set_style()
    assert asked == formats
