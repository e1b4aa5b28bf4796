"""Displays draw what was computed, also from an estimator, and intervals that hold what they say."""

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest
from scipy.stats import binom
from sklearn.calibration import CalibrationDisplay
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

from csb.evaluation import curves, displays
from csb.evaluation.curves import decision_curve, net_benefit
from csb.evaluation.intervals import bootstrap_interval
from csbook import style

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 2))
Y = (X[:, 0] + RNG.normal(size=200) > 0.4).astype(int)
WEIGHT = RNG.integers(0, 4, 200).astype(float)
Z = (X[:, 1] > 0).astype(int)
MODEL = make_pipeline(StandardScaler(), LogisticRegression()).fit(X, Y)
P = MODEL.predict_proba(X)[:, 1]
MARGINS = curves.margin_distribution(Y, P - 0.5, [0.5])
COMPUTED = {
    displays.BrierCurveDisplay: (curves.brier_curve, {"over": "cost"}, "condition", "loss"),
    displays.CostCurveDisplay: (curves.cost_curve, {}, "skew", "envelope"),
    displays.DecisionCurveDisplay: (decision_curve, {"thresholds": [0.1, 0.3]}, "threshold", "net_benefit"),
    displays.ReliabilityDisplay: (curves.reliability_diagram, {"n_bins": 4}, "predicted", "observed"),
}
"""Of each display the function that computes, an option of it, and what the line shows."""
each_display = pytest.mark.parametrize("display", COMPUTED, ids=lambda each: each.__name__)


@pytest.fixture(autouse=True)
def _closed():
    yield
    plt.close("all")


def shown(drawn):
    return np.asarray(drawn.line_.get_xydata())


@each_display
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["", "weights"])
@pytest.mark.parametrize("positive", [0, 1])
def test_what_is_drawn_is_what_is_computed(display, weight, positive):
    compute, options, first, second = COMPUTED[display]
    p = P if positive else 1 - P
    curve = compute(Y, p, **options, pos_label=positive, sample_weight=weight)
    expected = np.column_stack([getattr(curve, first), getattr(curve, second)])
    given = options | {"pos_label": positive, "sample_weight": weight}
    drawn = [
        display(curve).plot(),
        display.from_predictions(Y, p, **given),
        display.from_estimator(MODEL, X, Y, **given),
    ]
    for each in drawn:
        np.testing.assert_allclose(shown(each), expected, rtol=0, atol=1e-12)
        assert each.ax_.get_xlabel() and each.ax_.get_ylabel() and not each.ax_.get_title()
        assert each.figure_ is each.ax_.figure and each.interval_ is None
    assert [each.ax_.get_legend() is None for each in drawn] == [True, True, False]
    assert "Pipeline" in drawn[2].ax_.get_legend_handles_labels()[1]
    assert len({each.figure_ for each in drawn}) == 3


@each_display
def test_several_models_on_one_axis(display):
    ax = plt.subplots()[1]
    one = display.from_predictions(Y, P, name="one", ax=ax)
    two = display.from_predictions(Y, P**2, ax=ax, name="two", color="red", linestyle="--", marker="s")
    assert one.ax_ is two.ax_ is ax and two.line_.get_color() == "red"
    labels = [text.get_text() for text in ax.get_legend().get_texts()]
    assert labels[-2:] == ["one", "two"] or labels[1:] == ["one", "two"] or {"one", "two"} < set(labels)
    assert len(labels) == len(set(labels))
    assert one.plot(name="three").line_.get_label() == "three" and one.ax_ is not ax


@each_display
def test_no_model_and_no_interval_is_cut_off(display):
    ax = plt.subplots()[1]
    given = {"level": 0.9, "n_resamples": 10, "random_state": 0, "ax": ax}
    drawn = [display.from_predictions(Y, p, **given) for p in (0.9 * Y + 0.05, P, 1 - P)]
    for each in drawn:
        highest = max(each.band.high.max(), shown(each)[:, 1].max())
        assert highest <= ax.get_ylim()[1] and -1 < ax.get_ylim()[0] <= 0


def test_a_style_of_the_methods_draws_lines_without_markers_and_bins_as_markers_only():
    look = style.line_style("csada")
    for display, (compute, *_) in COMPUTED.items():
        line = display(compute(Y, P)).plot(**look).line_
        assert line.get_label() == look["label"] and line.get_color() == look["color"]
        points = display is displays.ReliabilityDisplay
        assert (line.get_marker(), line.get_linestyle() == "None") == ("v" if points else "", points)


def test_other_lines_than_the_curve():
    diagonal, _, isotonic = displays.ReliabilityDisplay.from_predictions(Y, P).ax_.get_lines()
    diagram = curves.reliability_diagram(Y, P)
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    np.testing.assert_array_equal(isotonic.get_xydata(), np.column_stack([diagram.level, diagram.isotonic]))
    cost = curves.cost_curve(Y, P)
    *lines, _ = displays.CostCurveDisplay(cost).plot().ax_.get_lines()
    np.testing.assert_array_equal([line.get_ydata() for line in lines], np.column_stack([cost.fnr, cost.fpr]))
    assert len(displays.CostCurveDisplay(cost).plot(lines=False).ax_.get_lines()) == 1
    always, never, _ = displays.DecisionCurveDisplay.from_predictions(Y, P).ax_.get_lines()
    np.testing.assert_array_equal(never.get_ydata(), np.zeros(99))
    t, share = np.arange(1, 100) / 100, Y.mean()
    np.testing.assert_allclose(always.get_ydata(), share - (1 - share) * t / (1 - t), atol=1e-12)
    margins = displays.MarginDistributionDisplay(MARGINS).plot()
    np.testing.assert_array_equal(shown(margins), np.column_stack([MARGINS.margin, MARGINS.share]))
    assert margins.line_.get_drawstyle() == "steps-post"


def test_reliability_is_that_of_scikit_learn():
    theirs = CalibrationDisplay.from_estimator(MODEL, X, Y, n_bins=7)
    ours = displays.ReliabilityDisplay.from_estimator(MODEL, X, Y, n_bins=7)
    np.testing.assert_allclose(shown(ours), shown(theirs), atol=1e-12)


def test_the_area_under_the_line_of_a_brier_curve_is_scikit_learns_score():
    line = shown(displays.BrierCurveDisplay.from_predictions(Y, P, over="cost", sample_weight=WEIGHT))
    area = np.sum(np.diff(line[:, 0]) * (line[1:, 1] + line[:-1, 1]) / 2)
    assert area == pytest.approx(brier_score_loss(Y, P, sample_weight=WEIGHT), abs=1e-12)


@pytest.mark.parametrize("labels", [("ill", "well"), ("well", "ill")])
def test_a_cost_curve_takes_scores_of_the_positive_class(labels):
    """Classes in the order of the alphabet: for one of the two the score changes its sign."""
    named = np.array(labels)[Y]
    model = LinearSVC().fit(X, named)
    score = model.decision_function(X) * (1 if model.classes_[1] == labels[1] else -1)
    drawn = displays.CostCurveDisplay.from_estimator(model, X, named, pos_label=labels[1])
    expected = curves.cost_curve(Y, score)
    np.testing.assert_allclose(shown(drawn)[:, 1], expected.envelope, atol=1e-12)
    assert drawn.curve.area < 0.2


def by_resampling(curve_at, seed, level, n_resamples):
    """The bootstrap as it is told: copies of cases in place of weights, both classes among them."""
    rng, found = np.random.RandomState(seed), []
    while len(found) < n_resamples:
        rows = rng.randint(len(Y), size=len(Y))
        if len(set(Y[rows])) == 2:
            found.append(curve_at(Y[rows], P[rows]))
    return np.percentile(found, [50 - 50 * level, 50 + 50 * level], axis=0)


def frequencies(y, p):
    """Share of positives in each fifth of [0, 1], or that of all cases where it holds none."""
    rows = [(np.ceil(p * 5) == k + 1, np.ceil(P * 5) == k + 1) for k in range(5)]
    return [y[few].mean() if few.any() else Y[all_].mean() for few, all_ in rows]


def loss(y, p, z):
    return 2 * np.mean((1 - z) * ((y == 1) & (p <= z)) + z * ((y == 0) & (p > z)))


def envelope(y, p, z):
    thresholds = [-np.inf, *np.unique(p)]
    return min((1 - z) * np.mean(p[y == 1] <= t) + z * np.mean(p[y == 0] > t) for t in thresholds)


@pytest.mark.parametrize("display, options, curve_at", [
    (displays.BrierCurveDisplay, {"over": "cost"}, lambda y, p: [loss(y, p, z) for z in (0.205, 0.7)]),
    (displays.CostCurveDisplay, {"lines": False}, lambda y, p: [envelope(y, p, z) for z in (0.205, 0.7)]),
    (displays.DecisionCurveDisplay, {"thresholds": [0.205, 0.7]},
     lambda y, p: [net_benefit(y, p, t) for t in (0.205, 0.7)]),
    (displays.ReliabilityDisplay, {"n_bins": 5}, frequencies),
], ids=lambda each: getattr(each, "__name__", ""))  # fmt: skip
def test_the_interval_is_that_of_resampled_cases(display, options, curve_at):
    given = {"level": 0.8, "n_resamples": 30, "random_state": 3}
    band = display.from_predictions(Y, P, **options, **given).band
    low, high = by_resampling(curve_at, 3, 0.8, 30)
    if len(band.position) > 5:
        np.testing.assert_allclose(band.position[[41, 140]], [0.205, 0.7])
        band = type(band)(band.position[[41, 140]], band.low[[41, 140]], band.high[[41, 140]])
    np.testing.assert_allclose([band.low, band.high], [low, high], atol=1e-12)
    assert np.all(low < high)


def test_a_resample_that_leaves_a_bin_empty_counts_there_as_the_sample():
    """The one case of the upper bin is drawn or it is not; all of the bin is positive in either case."""
    y, p = np.r_[np.tile([0, 1], 10), 1], np.r_[np.full(20, 0.4), 0.9]
    band = displays.ReliabilityDisplay.from_predictions(y, p, level=0.99, n_resamples=40, random_state=0).band
    assert band.low[1] == band.high[1] == 1 and band.low[0] < 0.5 < band.high[0]


@each_display
def test_the_interval_is_drawn_around_the_line_in_its_colour(display):
    drawn = display.from_predictions(Y, P, level=0.9, n_resamples=20, random_state=0, color="red")
    xy = np.concatenate([path.vertices for path in drawn.interval_.get_paths()])
    assert xy[:, 1].min() == pytest.approx(drawn.band.low.min())
    assert xy[:, 1].max() == pytest.approx(drawn.band.high.max())
    colours = np.concatenate([drawn.interval_.get_facecolor(), drawn.interval_.get_edgecolor()])
    assert np.all(colours[:, :3] == [1, 0, 0])
    again = display.from_predictions(Y, P, level=0.9, n_resamples=20, random_state=0)
    np.testing.assert_array_equal(again.band.low, drawn.band.low)
    assert display(drawn.curve, drawn.band).plot().interval_ is not None


@pytest.mark.parametrize("level", [0.5, 0.9])
def test_the_bootstrap_interval_of_a_share_is_that_of_the_binomial_distribution(level):
    """Of n cases a resample has a binomial number of the k positives."""
    y = np.repeat([0, 1], [37, 13])
    interval = bootstrap_interval(
        lambda w: np.average(y, weights=w), y, level=level, n_resamples=4000, random_state=0
    )
    expected = binom.ppf([0.5 - level / 2, 0.5 + level / 2], 50, 13 / 50) / 50
    np.testing.assert_allclose(interval, expected, atol=1e-12)


def test_resamples_hold_both_classes_and_no_case_of_weight_zero():
    y, weight = np.r_[1, np.zeros(9), 1].astype(int), np.r_[2.0, np.ones(9), 0.0]
    seen = []
    given = {"n_resamples": 50, "random_state": 0}
    bootstrap_interval(lambda w: seen.append(w) or 0.0, y, sample_weight=weight, **given)
    drawn = np.array(seen)
    assert np.all(drawn[:, 10] == 0) and np.all(drawn[:, 0] >= 2) and np.all(drawn[:, 0] % 2 == 0)
    assert np.all((drawn / np.where(weight, weight, 1)).sum(axis=1) == 10)
    alone = []
    bootstrap_interval(lambda w: alone.append(w) or 0.0, y[:10], sample_weight=weight[:10], **given)
    np.testing.assert_array_equal(drawn[:, :10], alone)


@pytest.mark.parametrize("call, named", [
    (lambda: displays.BrierCurveDisplay(MARGINS), "curve=.*an instance of BrierCurve"),
    (lambda: displays.BrierCurveDisplay.from_estimator(LinearSVC().fit(X, Y), X, Y), "needs predict_proba$"),
    (lambda: displays.CostCurveDisplay.from_estimator(StandardScaler().fit(X), X, Y),
     "needs predict_proba or decision_function"),
    (lambda: displays.ReliabilityDisplay.from_estimator(LogisticRegression().fit(X, Y + (Y & Z)), X, Y),
     "estimator knows 3 classes: allowed are two"),
    (lambda: displays.BrierCurveDisplay.from_estimator(MODEL, X, Y, pos_label=2), "pos_label=2: allowed"),
    (lambda: displays.BrierCurveDisplay.from_estimator(MODEL, X, Y + 1), "y holds 2: allowed are \\[0, 1\\]"),
    (lambda: displays.BrierCurveDisplay.from_estimator(MODEL, X, Y[1:]), "y has 199 labels: allowed are 200"),
    (lambda: displays.BrierCurveDisplay.from_predictions(Y, P, level=1.0), "level=1.0: allowed"),
    (lambda: displays.BrierCurveDisplay.from_predictions(Y, P, ax=3), "ax=3: allowed is an instance of Axes"),
])  # fmt: skip
def test_what_cannot_be_drawn_is_named(call, named):
    with pytest.raises(ValueError, match=named):
        call()


def test_matplotlib_is_loaded_to_draw_only():
    code = (
        "import sys, csb.evaluation.displays, csb.evaluation.scorers; "
        "print(sorted({'matplotlib', 'matplotlib.pyplot'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
