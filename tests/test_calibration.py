"""Calibration maps against scikit-learn, a general optimiser and their own definitions."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.calibration import CalibratedClassifierCV
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import isotonic_regression
from sklearn.linear_model import LogisticRegression

from csb.calibration import IsotonicCalibration, PlattScaling, make_calibrator


def sample(seed=0, n=200):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=n) * 2
    return scores, (rng.random(n) < expit(1.5 * scores - 0.5)).astype(int)


def platt_loss(parameters, scores, y):
    positives, negatives = y.sum(), (1 - y).sum()
    target = np.where(y == 1, (positives + 1) / (positives + 2), 1 / (negatives + 2))
    p = 1 / (1 + np.exp(parameters[0] * scores + parameters[1]))
    return -np.sum(target * np.log(p) + (1 - target) * np.log(1 - p)), np.sum((p - target) ** 2)


@pytest.mark.parametrize("method, which", [("likelihood", 0), ("least_squares", 1)])
@pytest.mark.parametrize("seed", range(3))
def test_platt_minimises_its_loss(method, which, seed):
    scores, y = sample(seed)
    found = PlattScaling(method).fit(scores, y)
    expected = minimize(lambda ab: platt_loss(ab, scores, y)[which], [-1.0, 0.0], method="Nelder-Mead",
                        options={"xatol": 1e-10, "fatol": 1e-14, "maxiter": 4000}).x  # fmt: skip
    np.testing.assert_allclose([found.slope_, found.intercept_], expected, rtol=1e-5)


def test_platt_equals_scikit_learns_sigmoid():
    scores, y = sample(4)
    identity = LogisticRegression().fit(scores[:, None], y)
    identity.coef_, identity.intercept_ = np.array([[1.0]]), np.array([0.0])
    theirs = CalibratedClassifierCV(FrozenEstimator(identity), method="sigmoid", cv=2, ensemble=False)
    theirs.fit(scores[:, None], y)
    ours = PlattScaling().fit(scores, y).predict(scores)
    np.testing.assert_allclose(ours, theirs.predict_proba(scores[:, None])[:, 1], atol=2e-4)


@pytest.mark.parametrize("method", ["likelihood", "least_squares"])
def test_platt_does_not_depend_on_an_affine_map_of_the_scores(method):
    scores, y = sample(5)
    one = PlattScaling(method).fit(scores, y).predict(scores)
    moved = 1e6 * scores - 3e5
    np.testing.assert_allclose(PlattScaling(method).fit(moved, y).predict(moved), one, atol=1e-7)


def test_platt_probabilities_sum_to_the_targets():
    scores, y = sample(6)
    p = PlattScaling().fit(scores, y).predict(scores)
    n1, n0 = y.sum(), (1 - y).sum()
    target = np.where(y == 1, (n1 + 1) / (n1 + 2), 1 / (n0 + 2))
    assert p.sum() == pytest.approx(target.sum(), rel=1e-10)
    assert p @ scores == pytest.approx(target @ scores, rel=1e-9)


@pytest.mark.parametrize("name", ["sigmoid", "sigmoid_ls", "isotonic"])
def test_integer_weights_equal_copies(name):
    scores, y = sample(7, 60)
    times = np.random.default_rng(0).integers(0, 4, 60)
    weighted = make_calibrator(name).fit(scores, y, times).predict(scores)
    copied = make_calibrator(name).fit(np.repeat(scores, times), np.repeat(y, times)).predict(scores)
    np.testing.assert_allclose(weighted, copied, atol=1e-7)


@pytest.mark.parametrize("name", ["sigmoid", "sigmoid_ls", "isotonic"])
def test_maps_rise_with_informative_scores_and_stay_probabilities(name):
    scores, y = sample(8)
    p = make_calibrator(name).fit(scores, y).predict(np.linspace(-1e6, 1e6, 1001))
    assert np.all(np.diff(p) >= 0) and p.min() >= 0 and p.max() <= 1


@pytest.mark.parametrize("name", ["sigmoid", "sigmoid_ls"])
def test_separable_and_constant_scores_have_finite_fits(name):
    separable = make_calibrator(name).fit([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1])
    assert np.isfinite([separable.slope_, separable.intercept_]).all()
    constant = make_calibrator(name).fit(np.full(10, 3.7), np.r_[np.ones(6), np.zeros(4)])
    # targets 7/8 six times and 1/6 four times
    assert constant.predict([0.0])[0] == pytest.approx((6 * 7 / 8 + 4 / 6) / 10)


def test_isotonic_equals_the_pool_adjacent_violators_fit():
    scores, y = sample(9)
    order = np.argsort(scores)
    ours = IsotonicCalibration().fit(scores, y).predict(scores[order])
    np.testing.assert_allclose(ours, isotonic_regression(y[order].astype(float)), atol=1e-12)


def test_isotonic_merges_scores_that_differ_by_rounding():
    scores = np.array([0.1 + 0.2, 0.3, 1.0])
    assert scores[0] != scores[1]
    one = IsotonicCalibration().fit(scores, [0, 1, 1]).predict(scores)
    assert one[0] == one[1] == 0.5


@pytest.mark.parametrize(
    "scores, y, message",
    [
        ([0.0, np.nan], [0, 1], "finite"),
        ([0.0, 1.0], [0, 2], "labels 0 and 1"),
        ([0.0, 1.0], [0, 1, 1], "one length"),
    ],
)
def test_bad_input(scores, y, message):
    for name in ("sigmoid", "isotonic"):
        with pytest.raises(ValueError, match=message):
            make_calibrator(name).fit(scores, y)


def test_unknown_names():
    with pytest.raises(ValueError, match="'isotonic'"):
        make_calibrator("isotone")
    with pytest.raises(ValueError, match="least_squares"):
        PlattScaling("squares")
