"""Curves against scores known in closed form, another library and naive loops."""

import numpy as np
import pytest
from model_diagnostics.scoring import SquaredError, decompose
from scipy.integrate import quad
from sklearn.isotonic import isotonic_regression
from sklearn.metrics import brier_score_loss, roc_auc_score

from csb import CostSensitiveBoosting
from csb.evaluation.curves import brier_curve, cost_curve, margin_distribution, reliability_diagram


def sample(seed, n=60, decimals=2):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    return y, np.clip(0.5 * y + rng.normal(0.25, 0.3, n), 0, 1).round(decimals), rng.uniform(0.1, 3, n)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("weighted", [False, True])
def test_area_over_cost_is_the_brier_score(seed, weighted):
    y, p, w = sample(seed)
    w = w if weighted else None
    area = brier_curve(y, p, over="cost", sample_weight=w).area
    assert area == pytest.approx(brier_score_loss(y, p, sample_weight=w), abs=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_area_over_skew_is_the_class_balanced_brier_score(seed):
    y, p, _ = sample(seed)
    balanced = 0.5 * np.mean(p[y == 0] ** 2) + 0.5 * np.mean((1 - p[y == 1]) ** 2)
    assert brier_curve(y, p).area == pytest.approx(balanced, abs=1e-13)


@pytest.mark.parametrize("over", ["skew", "cost"])
def test_loss_is_that_of_thresholding_at_the_condition(over):
    y, p, _ = sample(5)
    curve = brier_curve(y, p, over=over)
    for z in np.r_[np.unique(p)[1:-1], np.random.default_rng(0).random(50)]:
        predicted = p > z
        missed, alarms = np.sum((y == 1) & ~predicted), np.sum((y == 0) & predicted)
        if over == "skew":
            expected = (1 - z) * missed / np.sum(y == 1) + z * alarms / np.sum(y == 0)
        else:
            expected = 2 * ((1 - z) * missed + z * alarms) / len(y)
        assert curve.at(z) == pytest.approx(expected, abs=1e-9)


def test_cost_curve_is_twice_the_murphy_diagram_of_model_diagnostics():
    from model_diagnostics.scoring import ElementaryScore

    y, p, _ = sample(6)
    curve = brier_curve(y, p, over="cost")
    for eta in np.random.default_rng(1).random(40):
        murphy = ElementaryScore(eta=eta, functional="mean")(y_obs=y.astype(float), y_pred=p)
        assert curve.at(eta) == pytest.approx(2 * murphy, abs=1e-9)


@pytest.mark.parametrize("seed", range(5))
def test_envelope_is_the_lowest_of_all_lines(seed):
    y, p, w = sample(seed, n=40, decimals=1)
    curve = cost_curve(y, p, sample_weight=w)
    z = np.linspace(0, 1, 201)
    lowest = np.full(201, np.inf)
    for threshold in [-np.inf, *np.unique(p)]:
        predicted = p > threshold
        fnr = w[(y == 1) & ~predicted].sum() / w[y == 1].sum()
        fpr = w[(y == 0) & predicted].sum() / w[y == 0].sum()
        lowest = np.minimum(lowest, fnr * (1 - z) + fpr * z)
    np.testing.assert_allclose(np.interp(z, curve.skew, curve.envelope), lowest, atol=1e-12)
    assert np.all(curve.lines(z) >= np.interp(z, curve.skew, curve.envelope) - 1e-12)
    np.testing.assert_allclose(curve.lines(z).min(axis=0), lowest, atol=1e-12)
    assert curve.area == pytest.approx(
        quad(lambda t: np.interp(t, curve.skew, curve.envelope), 0, 1, limit=200)[0], abs=1e-6
    )


def test_each_threshold_has_the_error_rates_named_with_it():
    y, p, _ = sample(4)
    curve = cost_curve(y, p)
    for threshold, fpr, fnr in zip(curve.thresholds, curve.fpr, curve.fnr, strict=True):
        assert fpr == pytest.approx(np.mean(p[y == 0] > threshold), abs=1e-12)
        assert fnr == pytest.approx(np.mean(p[y == 1] <= threshold), abs=1e-12)


def test_no_brier_curve_lies_below_the_envelope():
    y, p, _ = sample(7)
    z = np.linspace(0.01, 0.99, 99)
    envelope = cost_curve(y, p)
    assert np.all(brier_curve(y, p).at(z) >= np.interp(z, envelope.skew, envelope.envelope) - 1e-12)


def test_separable_and_useless_scores_have_the_known_envelopes():
    y = np.array([0, 0, 1, 1])
    assert cost_curve(y, y).area == 0
    useless = cost_curve(y, np.zeros(4))
    np.testing.assert_allclose(np.interp([0.2, 0.5, 0.9], useless.skew, useless.envelope), [0.2, 0.5, 0.1])
    assert useless.area == pytest.approx(0.25)
    assert roc_auc_score(y, np.zeros(4)) == 0.5


def test_reliability_bins_and_isotonic_fit():
    y, p, w = sample(8, n=300)
    diagram = reliability_diagram(y, p, n_bins=5, sample_weight=w)
    for k in range(5):
        inside = (p >= k / 5) & ((p < (k + 1) / 5) | (k == 4))
        assert diagram.count[k] == pytest.approx(w[inside].sum())
        assert diagram.predicted[k] == pytest.approx(np.average(p[inside], weights=w[inside]))
        assert diagram.observed[k] == pytest.approx(np.average(y[inside], weights=w[inside]))
    levels = np.unique(p)
    rate = [np.average(y[p == v], weights=w[p == v]) for v in levels]
    mass = [w[p == v].sum() for v in levels]
    np.testing.assert_allclose(diagram.isotonic, isotonic_regression(rate, sample_weight=mass), atol=1e-12)
    np.testing.assert_array_equal(diagram.level, levels)


def test_examples_of_no_weight_leave_the_reliability_diagram_as_it_is():
    y, p, w = sample(8)
    expected = reliability_diagram(y, p, sample_weight=w)
    found = reliability_diagram(np.r_[y, 1], np.r_[p, 0.123], sample_weight=np.r_[w, 0])
    for part in ("predicted", "observed", "count", "level", "isotonic"):
        np.testing.assert_allclose(getattr(found, part), getattr(expected, part), atol=1e-12)


def test_isotonic_curve_carries_the_miscalibration_of_model_diagnostics():
    y, p, _ = sample(9, n=300)
    diagram = reliability_diagram(y, p)
    recalibrated = diagram.isotonic[np.searchsorted(diagram.level, p)]
    ours = np.mean((p - y) ** 2) - np.mean((recalibrated - y) ** 2)
    theirs = decompose(y_obs=y.astype(float), y_pred=p, scoring_function=SquaredError())
    assert ours == pytest.approx(float(theirs["miscalibration"][0]), abs=1e-9)


def test_margins():
    found = margin_distribution([1, 0, 0], [2.0, -1.0, 3.0], [1.0, -2.0, 1.0])
    np.testing.assert_allclose(found.margin, [-0.75, 0.25, 0.5])
    np.testing.assert_allclose(found.share, [1 / 3, 2 / 3, 1])
    assert found.mean == 0.0


@pytest.mark.parametrize("variant", ["adamec", "csada", "adac2"])
def test_margins_of_an_ensemble_against_a_loop_over_its_learners(variant):
    rng = np.random.default_rng(10)
    y = rng.integers(0, 2, 80)
    X = rng.normal(size=(80, 3)) + 0.5 * y[:, np.newaxis]
    model = CostSensitiveBoosting(variant=variant, fn_cost=3, n_estimators=15).fit(X, y)
    votes = model.estimator_weights_
    margins = []
    for row, label in zip(X, y, strict=True):
        total = sum(a * h.predict(row[np.newaxis])[0] for a, h in zip(votes, model.estimators_, strict=True))
        margins.append((1 if label else -1) * total / sum(abs(a) for a in votes))
    found = margin_distribution(y, model.decision_function(X), votes)
    np.testing.assert_allclose(found.margin, sorted(margins), atol=1e-12)
    np.testing.assert_allclose(found.share[-1], 1)
    assert found.mean == pytest.approx(np.mean(margins))


def test_unanimous_votes_have_margins_within_bounds():
    votes, score = [0.3, 0.2, 0.1], 0.1 + 0.2 + 0.3
    assert score > sum(votes)  # by rounding
    assert margin_distribution([1, 0], [score, score], votes).margin.tolist() == [-1, 1]


@pytest.mark.parametrize("seed", range(5))
def test_corners_of_the_envelope_are_where_the_best_threshold_changes(seed):
    y, p, _ = sample(seed, n=30, decimals=1)
    curve = cost_curve(y, p)
    crossings = {0.0, 1.0}
    for i in range(len(curve.fpr)):
        for j in range(i):
            slopes = curve.fpr[[i, j]] - curve.fnr[[i, j]]
            if slopes[0] == slopes[1]:
                continue
            z = (curve.fnr[j] - curve.fnr[i]) / (slopes[0] - slopes[1])
            if 0 <= z <= 1 and curve.lines(z).min() > curve.lines(z)[i, 0] - 1e-12:
                crossings.add(float(round(z, 10)))
    np.testing.assert_allclose(curve.skew, sorted(crossings), atol=1e-9)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: brier_curve([0, 1], [0.1, 0.2], over="z"), "over='z'"),
        (lambda: brier_curve([0, 1], [0.1, 1.2]), "1.2"),
        (lambda: brier_curve([1, 1], [0.1, 0.2], pos_label=1), "one class"),
        (lambda: cost_curve([0, 1], [0.1, np.nan]), "score holds nan"),
        (lambda: reliability_diagram([0, 1], [0.1, 0.2], n_bins=0), "n_bins=0"),
        (lambda: margin_distribution([0, 1], [0.1, 0.2], [0.0]), "votes are all zero"),
        (lambda: margin_distribution([0, 1], [0.1, 0.2], [np.inf]), "votes holds inf"),
        (lambda: margin_distribution([0, 1], [0.1, -0.9], [0.5, -0.3]), "score reaches 0.9 in size.*0.8"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
