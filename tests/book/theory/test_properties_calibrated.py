"""The decider of "calibrated estimates"."""

import warnings

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.isotonic import IsotonicRegression

from csb import (
    CSB0,
    CSB1,
    CSB2,
    AdaBoost,
    AdaC2,
    AdaCost,
    CalibratedAdaMEC,
    CalibratedAsymAda,
    CalibratedCGAda,
    CGAda,
)
from csb.evaluation.metrics import brier_decomposition
from csbook.theory.properties import Finding
from csbook.theory.properties.calibrated import (
    _finding,
    decide_calibration,
    expected_calibration_loss,
    make_step_logistic,
)

QUICK = {"rounds": (20, 400), "draws": 5}


def truth(X):
    return expit(0.6 * np.sign(X).sum(axis=1))


class Oracle(ClassifierMixin, BaseEstimator):
    """Knows the posterior, up to a distortion of its log odds."""

    def __init__(self, sharpen=1.0, constant=None):
        self.sharpen = sharpen
        self.constant = constant

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = truth(X) if self.constant is None else np.full(len(X), self.constant)
        p = p**self.sharpen / (p**self.sharpen + (1 - p) ** self.sharpen)
        return np.column_stack([1 - p, p])


class Squashed(CalibratedCGAda):
    """A calibrated method whose estimate is then pulled half-way to one half."""

    def predict_proba(self, X):
        return 0.25 + super().predict_proba(X) / 2


class Sharpened(CalibratedCGAda):
    """A calibrated method whose log odds are then tripled."""

    def predict_proba(self, X):
        p = super().predict_proba(X) ** 3
        return p / p.sum(axis=1, keepdims=True)


class Recorder(Oracle):
    """Keeps what it was trained with."""

    seen = []

    def __init__(self, n_estimators=7, fn_cost=2.0, fp_cost=3.0):
        self.n_estimators = n_estimators
        self.fn_cost = fn_cost
        self.fp_cost = fp_cost

    def fit(self, X, y):
        self.seen.append((len(X), self.n_estimators, self.fn_cost, self.fp_cost))
        return super().fit(X, y)

    def predict_proba(self, X):
        return np.column_stack([1 - truth(X), truth(X)])


def mirrored(n, rng):
    """The default law with the names of the classes exchanged."""
    X, y, p = make_step_logistic(n, rng)
    return X, 1 - y, 1 - p


def reversed_rows(n, rng):
    return tuple(part[::-1] for part in make_step_logistic(n, rng))


def test_generator_has_the_posterior_it_states():
    X, y, p = make_step_logistic(200_000, np.random.default_rng(3))
    np.testing.assert_allclose(p, truth(X), rtol=1e-12)
    for level in np.unique(p.round(6)):
        here = y[p.round(6) == level]
        assert abs(here.mean() - level) < 4.5 * np.sqrt(level * (1 - level) / len(here))


@pytest.mark.parametrize("seed", range(3))
def test_expected_loss_is_the_distance_to_the_best_monotone_recalibration(seed):
    rng = np.random.default_rng(seed)
    p = rng.random(300)
    q = np.clip(p + rng.normal(0, 0.2, 300), 0, 1)
    best = IsotonicRegression().fit(q, p).predict(q)
    expected = np.mean((q - p) ** 2) - np.mean((best - p) ** 2)
    assert expected_calibration_loss(q, p) == pytest.approx(expected, rel=1e-9)


def test_expected_loss_is_the_limit_of_the_loss_on_labels():
    rng = np.random.default_rng(0)
    X, y, p = make_step_logistic(200_000, rng)
    q = expit(2 * np.log(p / (1 - p)))
    of_labels = brier_decomposition(y, q).miscalibration
    assert expected_calibration_loss(q, p) == pytest.approx(of_labels, abs=1e-3)
    assert of_labels > 0.01


@pytest.mark.parametrize("method", [CSB0(), CSB1(), CSB2()], ids=repr)
def test_no_probability_no_calibration(method):
    finding = decide_calibration(method)
    assert isinstance(finding, Finding)
    assert (finding.property, finding.verdict) == ("calibrated", "no")
    assert "no probability" in finding.reason
    assert not finding.evidence


@pytest.mark.parametrize("method", [AdaBoost(), CGAda(), AdaC2()], ids=repr)
def test_raw_methods_are_not_calibrated_on_few_examples(method):
    finding = decide_calibration(method, sizes=[500], **QUICK)
    assert finding.verdict == "no"
    assert finding.evidence["worst_low"] > 0.01
    assert finding.evidence["worst_n"] == 500
    assert "500 examples" in finding.reason


@pytest.mark.parametrize("method", [AdaBoost(), CGAda()], ids=repr)
def test_the_verdict_belongs_to_the_size(method):
    assert decide_calibration(method, sizes=[3000], **QUICK).verdict == "yes"
    both = decide_calibration(method, sizes=[3000, 500], **QUICK)
    assert both.verdict == "no"
    assert (both.evidence["worst_n"], both.evidence["worst_rounds"]) == (500, 400)
    assert both.evidence["largest_size_n"] == 3000
    assert both.evidence["largest_size_high"] < both.evidence["bound"] < both.evidence["worst_low"]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize(
    "method", [CalibratedAdaMEC(), CalibratedCGAda(), CalibratedAsymAda(), CalibratedAdaMEC(cv=5)], ids=repr
)
def test_calibrated_methods_are_calibrated(method, seed):
    finding = decide_calibration(method, random_state=seed, **QUICK)
    assert finding.verdict == "yes"
    assert 0 < finding.evidence["worst_loss"] <= finding.evidence["worst_high"] < 0.005


@pytest.mark.parametrize("method", [Squashed(), Sharpened()], ids=repr)
def test_a_distorted_estimate_is_caught_even_on_many_examples(method):
    finding = decide_calibration(method, rounds=[20, 100], sizes=[3000], draws=3)
    assert finding.verdict == "no"
    assert finding.evidence["largest_size_low"] > 0.01


def test_the_truth_is_calibrated_and_so_is_the_base_rate():
    for oracle in (Oracle(), Oracle(constant=0.5)):
        finding = decide_calibration(oracle, rounds=[1], sizes=[50], draws=3)
        assert finding.verdict == "yes"
        assert finding.evidence["worst_high"] < 1e-4
    assert decide_calibration(Oracle(constant=0.8), rounds=[1], sizes=[50], draws=3).verdict == "no"


def test_the_verdict_turns_at_the_bound_with_the_upper_end():
    model, setting = Oracle(sharpen=1.5), {"rounds": [1], "sizes": [50], "draws": 4}
    evidence = decide_calibration(model, **setting).evidence
    loss, high = evidence["worst_loss"], evidence["worst_high"]
    assert evidence["worst_low"] < loss < high
    assert decide_calibration(model, bound=(loss + high) / 2, **setting).verdict == "no"
    assert decide_calibration(model, bound=high * (1 + 1e-9), **setting).verdict == "yes"


def test_the_worst_setting_is_that_of_the_largest_upper_end():
    finding = _finding({(500, 20): (0.003, 0.002, 0.006), (500, 100): (0.004, 0.003, 0.0045)}, 0.005)
    assert finding.verdict == "no"
    assert finding.evidence["worst_rounds"] == 20


def test_a_run_without_a_learner_is_judged_by_its_constant():
    """AdaCost at scale one and equal costs admits no round; its warning is no news here."""
    setting = {"rounds": [5], "sizes": [100], "draws": 2, "fn_cost": 1.0}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        finding = decide_calibration(AdaCost(cost_scale=1.0), **setting)
    assert finding.evidence["worst_n"] == 100


def test_the_interval_is_that_of_independent_draws():
    """Against the standard error over draws made by hand, without csb's bootstrap."""
    finding = decide_calibration(AdaBoost(), rounds=[100], sizes=[300], draws=12, n_test=4000)
    losses = []
    for seed in range(40):
        rng = np.random.default_rng(1000 + seed)
        X, y, _ = make_step_logistic(300, rng)
        test, _, p = make_step_logistic(4000, rng)
        losses.append(expected_calibration_loss(AdaBoost(100).fit(X, y).predict_proba(test)[:, 1], p))
    spread = np.std(losses, ddof=1)
    assert abs(finding.evidence["worst_loss"] - np.mean(losses)) < 4 * spread * np.sqrt(1 / 12 + 1 / 40)
    width = finding.evidence["worst_high"] - finding.evidence["worst_low"]
    assert 0.5 < width / (2 * 1.96 * spread / np.sqrt(12)) < 1.6


def test_costs_and_rounds_reach_the_method_and_the_given_one_stays_as_it_was():
    Recorder.seen.clear()
    method = Recorder()
    decide_calibration(method, rounds=(3, 5), sizes=(40, 80), draws=2, n_test=100, fn_cost=9.0)
    assert set(Recorder.seen) == {(n, t, 9.0, 1.0) for n in (40, 80) for t in (3, 5)}
    assert len(Recorder.seen) == 8
    assert method.get_params() == {"n_estimators": 7, "fn_cost": 2.0, "fp_cost": 3.0}
    assert not hasattr(method, "classes_")


@pytest.mark.parametrize("sizes", [[500], [3000]])
def test_exchanging_classes_and_costs_changes_nothing(sizes):
    setting = {"sizes": sizes, "rounds": [20, 100], "draws": 3}
    plain = decide_calibration(CGAda(), **setting)
    swapped = decide_calibration(CGAda(), generator=mirrored, fn_cost=1.0, fp_cost=5.0, **setting)
    assert swapped.verdict == plain.verdict
    for name, value in plain.evidence.items():
        assert swapped.evidence[name] == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("method", [AdaBoost(), CalibratedAdaMEC()], ids=repr)
def test_exchanging_classes_and_costs_keeps_the_verdict(method):
    setting = {"sizes": [500], **QUICK}
    swapped = decide_calibration(method, generator=mirrored, fn_cost=1.0, fp_cost=5.0, **setting)
    assert swapped.verdict == decide_calibration(method, **setting).verdict


@pytest.mark.parametrize("method", [AdaBoost(), CalibratedAdaMEC()], ids=repr)
def test_the_order_of_rows_keeps_the_verdict(method):
    setting = {"sizes": [500], **QUICK}
    plain, turned = (
        decide_calibration(method, generator=g, **setting) for g in (make_step_logistic, reversed_rows)
    )
    assert turned.verdict == plain.verdict
    if isinstance(method, AdaBoost):  # a calibrated one splits by row number
        assert turned.evidence["worst_loss"] == pytest.approx(plain.evidence["worst_loss"], rel=1e-6)


def test_the_seed_decides():
    first, again, other = (
        decide_calibration(AdaBoost(), rounds=[20], sizes=[200], draws=3, random_state=s) for s in (0, 0, 1)
    )
    assert first == again
    assert first.evidence["worst_loss"] != other.evidence["worst_loss"]


@pytest.mark.parametrize(
    "name, value", [("rounds", ()), ("sizes", []), ("draws", 1), ("bound", 0.0), ("bound", np.nan)]
)
def test_bad_arguments_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        decide_calibration(AdaBoost(), **{name: value})
