"""The bounds against their formulas worked out apart, and the counts behind the printed table."""

from itertools import product
from math import ceil, e, log, log2, sqrt

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix
from sklearn.svm import SVC

from csb.evaluation.metrics import gmean, gmean_precision_recall
from csb.methods.losses import ExponentialLoss
from csbook.records import published
from csbook.theory.bounds import (
    error_bound,
    linear_fat_dimension,
    required_count,
    smallest_sample,
    training_bound,
    unequal_loss_bound,
)
from csbook.theory.hyperplanes import margin_shift
from csbook.theory.losses import empirical_risk
from csbook.theory.reconcile import error_counts

BIG = 10**9

# ---- the fat-shattering dimension of linear functions


@pytest.mark.parametrize(
    "points, scale",
    [
        (np.array([[1.0], [-1.0]]), 1.0),
        (np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / 3**0.5, 3**-0.5),
    ],
    ids=["segment", "tetrahedron"],
)
def test_points_that_are_shattered_are_no_more_than_the_bound(points, scale):
    """Unit weights and a threshold realise every labelling of these points of norm one with the margin."""
    n = len(points)
    for labels in product((-1, 1), repeat=n):
        if abs(sum(labels)) == n:
            continue  # the threshold alone
        svc = SVC(kernel="linear", C=1e6, tol=1e-8).fit(points, labels)
        assert 1 / np.linalg.norm(svc.coef_) >= scale * (1 - 1e-5)
    assert n <= linear_fat_dimension(scale, n_features=points.shape[1])
    assert n > 1 / scale**2  # the bound for functions without a threshold would not do
    assert n <= linear_fat_dimension(scale) == pytest.approx(1 / scale**2 + 2)


def test_dimension_falls_with_the_scale_and_never_exceeds_that_of_all_hyperplanes():
    scale = np.geomspace(0.01, 1, 30)
    assert np.all(np.diff(linear_fat_dimension(scale)) < 0)
    np.testing.assert_allclose(linear_fat_dimension(3 * scale, radius=3.0), linear_fat_dimension(scale))
    assert np.all(linear_fat_dimension(scale, n_features=5) <= 6)


# ---- Theorem 2.4


@pytest.mark.parametrize("m, d, delta", [(10**6, 3, 0.05), (5 * 10**7, 40, 0.01), (10**9, 1000, 0.5)])
def test_error_bound_by_its_formula(m, d, delta):
    required = 3 * sqrt(2 * m * (2 * d * log(288 * m) * log2(12 * e * m) + log(32 * m * m / delta)))
    assert required_count(m, d, delta) == pytest.approx(required, rel=1e-12)
    n = ceil(required)
    expected = 3 / n * (2 * d * log2(288 * m) * log2(12 * e * m) + log2(32 * m * m / delta))
    assert error_bound(n, m, d, delta) == pytest.approx(expected, rel=1e-12)
    assert np.isnan(error_bound(n - 1, m, d, delta))


def test_error_bound_is_monotone_and_vectorised():
    share = np.linspace(0.6, 1, 9)
    by_count = error_bound(share * BIG, BIG, 50, 0.05)
    assert np.all(np.diff(by_count) < 0)
    by_size = error_bound([BIG, 2 * BIG, 4 * BIG], [BIG, 2 * BIG, 4 * BIG], 50, 0.05)
    assert np.all(np.diff(by_size) < 0)
    assert np.all(np.diff(error_bound(BIG, BIG, [1, 10, 100, 1000], 0.05)) > 0)
    assert np.all(np.diff(error_bound(BIG, BIG, 50, [0.001, 0.05, 0.5])) < 0)
    np.testing.assert_array_equal(by_count, [error_bound(s * BIG, BIG, 50, 0.05) for s in share])


@pytest.mark.parametrize("d", [1, 10, 100])
def test_where_the_theorem_speaks_it_promises_less_than_a_quarter(d):
    """The condition asks for more than a bound below one: n >= 3 sqrt(2mA) and m >= n give 1/(6 ln 2)."""
    m = np.unique(np.geomspace(10, 1e12, 400).round())
    bound = error_bound(m, m, d, 0.05)
    assert np.isnan(bound).any() and np.nanmax(bound) <= 1 / (6 * log(2))
    assert np.nanmax(bound) > 0.23


@pytest.mark.parametrize("d", [0, 1, 10])
@pytest.mark.parametrize("share", [1.0, 0.5])
def test_smallest_sample_is_the_first_at_which_the_condition_can_hold(d, share):
    def holds(m):
        return share * m >= 3 * sqrt(
            2 * m * (2 * d * log(288 * m) * log2(12 * e * m) + log(32 * m * m / 0.05))
        )

    found = smallest_sample(lambda m: error_bound(share * m, m, d, 0.05))
    assert holds(found) and not holds(found - 1)
    assert not any(holds(m) for m in np.unique(np.geomspace(1, found - 1, 200).astype(int)))
    tighter = smallest_sample(lambda m: error_bound(share * m, m, d, 0.05), below=0.01)
    assert (
        error_bound(share * tighter, tighter, d) < 0.01 <= error_bound(share * (tighter - 1), tighter - 1, d)
    )


@pytest.mark.parametrize("cases", [300, pytest.param(100_000, marks=pytest.mark.deep)])
def test_smallest_sample_of_drawn_bounds_is_the_first_below(cases):
    rng = np.random.default_rng(0)
    for size, first in zip(2.0 ** rng.uniform(0, 53, cases), rng.integers(1, 2**62, cases), strict=True):
        found = smallest_sample(lambda m, size=size: size / m)
        assert found == int(size) + 1
        assert smallest_sample(lambda m, first=first: float(m < first), below=0.5) == first


def test_smallest_sample_of_simple_functions():
    for first in (1, 2, 3, 64, 1000):
        assert smallest_sample(lambda m, first=first: float("nan") if m < first else 0.5) == first
    with pytest.raises(ValueError, match="below=1.0"):
        smallest_sample(lambda m: 2.0)


# ---- Theorem 3.2


@pytest.mark.parametrize("beta, shift", [(1, 0.0), (5, 0.1), (16, 0.35)])
def test_unequal_loss_bound_by_its_formula(beta, shift):
    m, margin, delta = 10**10, 0.4, 0.05
    n = 9 * 10**9
    d = {side: (12 / (margin + side * shift)) ** 2 + 2 for side in (1, -1)}
    logs = log2(288 * m) * log2(12 * e * m)
    expected = 3 / n * (2 * max(beta * d[1], d[-1]) * logs + beta * log2(64 * m * m / delta))
    found = unequal_loss_bound(n, m, margin, shift, beta, delta)
    assert found == pytest.approx(expected, rel=1e-12)
    required = 3 * sqrt(2 * m * (2 * max(d.values()) * logs * log(2) + log(64 * m * m / delta)))
    assert np.isnan(unequal_loss_bound((1 - 1e-9) * required, m, margin, shift, beta, delta))
    assert unequal_loss_bound((1 + 1e-9) * required, m, margin, shift, beta, delta) > found


def test_equal_losses_without_shift_are_theorem_2_4_twice():
    found = unequal_loss_bound(BIG, BIG, 0.5, 0.0, 1, 0.05, n_features=20)
    assert found == pytest.approx(error_bound(BIG, BIG, 21, 0.025), rel=1e-12)
    assert found < unequal_loss_bound(BIG, BIG, 0.5, 0.0, 1, 0.05)


@pytest.mark.parametrize("beta", [2.0, 5.0, 16.0])
def test_square_roots_come_closest_to_the_least_bound(beta):
    m, margin = 10**11, 0.1
    shifts = np.linspace(0, 0.95 * margin, 2000)
    bound = unequal_loss_bound(m, m, margin, shifts, beta)
    best = shifts[np.nanargmin(bound)]
    assert best == pytest.approx(margin_shift(margin, beta, rule="eta_max"), rel=0.01)
    at = {
        rule: unequal_loss_bound(m, m, margin, margin_shift(margin, beta, rule=rule), beta)
        for rule in ("eta_max", "eta", "b", "midpoint")
    }
    assert at["eta_max"] < min(at["eta"], at["b"], at["midpoint"])


def quoted(n, m, d, delta):
    """Theorem 2.4, not a number where it says nothing."""
    logs = log2(288 * m) * log2(12 * e * m)
    if n < 3 * sqrt(2 * m * (2 * d * log(2) * logs + log(32 * m * m / delta))):
        return float("nan")
    return 3 / n * (2 * d * logs + log2(32 * m * m / delta))


@pytest.mark.parametrize("seed", range(30))
def test_with_the_smaller_class_for_the_count_theorem_3_2_is_covered_by_two_applications(seed):
    """One to the positives and one to the negatives, at half of delta; the larger of the two remains."""
    rng = np.random.default_rng(seed)
    m, share, beta = int(10 ** rng.uniform(8, 13)), rng.uniform(0.05, 0.95), rng.uniform(1, 20)
    margin, delta = rng.uniform(0.2, 1), 10 ** rng.uniform(-6, -1)
    shift = rng.uniform(0, 0.6) * margin
    sizes = {1: share * m, -1: (1 - share) * m}
    found = unequal_loss_bound(min(sizes.values()), m, margin, shift, beta, delta)
    d = {side: (12 / (margin + side * shift)) ** 2 + 2 for side in (1, -1)}
    proved = [(beta if side > 0 else 1) * quoted(n, n, d[side], delta / 2) for side, n in sizes.items()]
    assert np.isnan(found) or found >= max(proved)
    assert np.isnan(found) or not np.isnan(proved).any()


@pytest.mark.parametrize("beta", [1.0, 3.0, 10.0])
def test_what_is_proved_in_place_of_theorem_3_2_holds_on_the_line(beta):
    """Scores on a line have dimension two at most; most examples are far out, and few near the threshold."""
    rng, m = np.random.default_rng(7), 400_000
    side = rng.choice([-1, 1], m)
    near = rng.random(m) < 0.001
    distance = np.where(near, rng.random(m), 0.5 + 0.5 * rng.random(m))
    x = side * distance
    low, high = x[side < 0].max(), x[side > 0].min()
    margin = (high - low) / 2

    def missed(reach):
        """Probability that an example of a class lies within that distance of zero."""
        reach = max(reach, 0.0)
        return 0.5 * (0.001 * min(reach, 1) + 0.999 * max(0, 2 * reach - 1))

    for shift in margin * np.linspace(0, 0.9, 10):
        theta = (high + low) / 2 - shift
        loss = beta * missed(theta) + missed(-theta)
        beyond = np.sum(side * (x - (high + low) / 2) >= margin + 2 * shift)
        whole = (beta - 1) * error_bound(beyond, m, 2, 0.05) + error_bound(m, m, 2, 0.05)
        sizes = np.sum(side > 0), np.sum(side < 0)
        by_class = max(cost * error_bound(n, n, 2, 0.025) for cost, n in zip((beta, 1), sizes, strict=True))
        assert loss <= whole and loss <= by_class


# ---- Theorem 4.1


@pytest.mark.parametrize("seed", range(10))
def test_training_bound_is_the_product_of_the_normalisers_whatever_votes_and_hypotheses(seed):
    rng = np.random.default_rng(seed)
    y, says, votes = rng.choice([-1, 1], 40), rng.choice([-1, 1], (6, 40)), rng.normal(size=6)
    q, factor, exponent = rng.random(40), rng.uniform(0.1, 9, 2), rng.uniform(0.1, 2, 2)
    D = q * np.where(y > 0, factor[1], factor[0])
    D, product = D / D.sum(), 1.0
    wrong = D[y * (votes @ says) < 0].sum()
    for vote, h in zip(votes, says, strict=True):
        D = D * np.exp(-vote * np.where(y > 0, exponent[1], exponent[0]) * y * h)
        product, D = product * D.sum(), D / D.sum()
    error, bound = training_bound(ExponentialLoss(np.log(factor), exponent), y, votes @ says, q)
    assert bound == pytest.approx(product, rel=1e-12)
    assert error == pytest.approx(wrong, abs=1e-12) and error <= product


def test_training_bound_by_hand():
    loss = ExponentialLoss(np.log([1.0, 4.0]), [1.0, 0.5])
    error, bound = training_bound(loss, [1, 1, -1], [2.0, -2.0, -1.0], [1.0, 1.0, 2.0])
    assert error == pytest.approx(4 / 10)
    assert bound == pytest.approx((4 * np.exp(-1) + 4 * np.exp(1) + 2 * np.exp(-1)) / 10)


def test_classes_of_zero_and_one_are_not_signs():
    loss = ExponentialLoss(np.zeros(2), np.ones(2))
    for call in (training_bound, empirical_risk):
        with pytest.raises(ValueError, match="y holds 0: allowed are -1 and .1"):
            call(loss, [1, 0], [1.0, -1.0])
    assert training_bound(loss, [1, -1], [1.0, -1.0])[0] == 0


def test_an_example_of_weight_zero_has_no_part_in_the_bound():
    loss = ExponentialLoss(np.zeros(2), np.ones(2))
    error, bound = training_bound(loss, [1, -1, 1], [0.5, -0.5, -1e6], [1.0, 1.0, 0.0])
    assert error == 0 and bound == pytest.approx(np.exp(-0.5))


# ---- what bad input gets


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: linear_fat_dimension(0.0), "scale=0.0"),
        (lambda: linear_fat_dimension(1.0, radius=-1), "radius=-1"),
        (lambda: linear_fat_dimension(1.0, n_features=0), "n_features=0"),
        (lambda: required_count(0, 3, 0.05), "n_samples=0"),
        (lambda: required_count(10, np.inf, 0.05), "dimension=inf"),
        (lambda: required_count(10, 3, 1.0), "delta=1.0"),
        (lambda: error_bound(11, 10, 3), "n_beyond=11"),
        (lambda: error_bound(np.nan, 10, 3), "n_beyond=nan"),
        (lambda: unequal_loss_bound(5, 10, 0.0, 0.0, 2), "margin=0.0"),
        (lambda: unequal_loss_bound(5, 10, 0.3, 0.3, 2), "shift=0.3"),
        (lambda: unequal_loss_bound(5, 10, 0.3, 0.1, 0.5), "beta=0.5"),
        (lambda: error_counts(0, 5), "n_positive=0"),
        (lambda: error_counts(5, 5, gmean_of="counts"), "gmean_of='counts'"),
        (lambda: error_counts(5, 5, beta=-1), "beta=-1"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


# ---- Table 1

TABLE = published("k98_table_1").set_index("beta")
POSITIVE, NEGATIVE = 211, 1789
"""Class sizes of the known test split."""


def counts(method, beta, **settings):
    loss, printed = TABLE.loc[beta, f"{method}_avg_loss"], TABLE.loc[beta, f"{method}_gmean"]
    return error_counts(POSITIVE, NEGATIVE, loss, printed, beta=beta, **settings)


@pytest.mark.parametrize("beta", TABLE.index)
def test_the_g_mean_of_the_table_is_that_of_the_rates(beta):
    """E-K07: one pair of counts explains the whole C4.5 column, and none does with the printed formula."""
    assert (95, 82) in counts("C45", beta)[["fn", "fp"]].itertuples(index=False, name=None)
    assert TABLE.loc[beta, "C45_avg_loss"] == pytest.approx((95 * beta + 82) / 2000, abs=1e-12)
    assert counts("C45", beta, gmean_of="precision_recall").empty
    assert not counts("AdaUBoost", beta).empty
    if beta > 1:
        assert counts("AdaUBoost", beta, gmean_of="precision_recall").empty
        assert counts("AdaBoost", beta, gmean_of="precision_recall").empty


def test_the_first_row_and_the_second_of_adauboost_have_one_explanation():
    assert counts("AdaBoost", 1)[["fn", "fp"]].values.tolist() == [[83, 26]]
    assert counts("AdaUBoost", 2)[["fn", "fp"]].values.tolist() == [[45, 89]]


def test_the_adaboost_column_leaves_out_the_false_positives():
    """E-K08: one model, so the counts of the first row hold for all; later rows hold 83 beta alone."""
    printed = TABLE["AdaBoost_avg_loss"]
    for beta in (2, 4, 8, 16):
        assert printed[beta] == pytest.approx(83.1 * beta / 2000, rel=2e-3)
        assert abs(printed[beta] - (83 * beta + 26) / 2000) > 0.0125
    assert printed[16] == pytest.approx(83 * 16 / 2000, abs=1e-12)
    assert all(counts("AdaBoost", beta).empty for beta in (2, 4, 8))
    corrected = (83 * TABLE.index + 26) / 2000
    np.testing.assert_allclose(corrected, [0.0545, 0.0960, 0.1790, 0.3450, 0.6770], atol=1e-12)
    assert printed[2] < TABLE.loc[2, "AdaUBoost_avg_loss"] < corrected[1]


@pytest.mark.parametrize("gmean_of", ["rates", "precision_recall"])
def test_counts_of_any_prediction_are_found_again(gmean_of):
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [30, 70])
    predicted = np.where(rng.random(100) < 0.25, 1 - y, y)
    (tn, fp), (fn, tp) = confusion_matrix(y, predicted)
    measure = gmean if gmean_of == "rates" else gmean_precision_recall
    found = error_counts(
        30, 70, round((3 * fn + fp) / 100, 4), round(measure(y, predicted), 3), beta=3, gmean_of=gmean_of
    )
    assert [fn, fp] in found[["fn", "fp"]].values.tolist()
    at = found[(found.fn == fn) & (found.fp == fp)].iloc[0]
    assert (at.loss, at.gmean) == pytest.approx(((3 * fn + fp) / 100, measure(y, predicted)))
