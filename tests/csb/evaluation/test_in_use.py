"""Another prevalence by Bayes' theorem on worlds that are known; the worth of periods by a naive loop."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from sklearn.exceptions import ConvergenceWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression

from csb import CostDecision
from csb.evaluation.decisions import decide_positive, least_cost_decision
from csb.evaluation.in_use import adjust_prevalence, estimate_prevalence, worth_by_period
from csb.evaluation.intervals import case_interval
from csb.evaluation.metrics import case_costs, expected_cost
from oracles.searches import halve

WORLD = np.array([[0.6, 0.3, 0.1, 0.0], [0.1, 0.3, 0.2, 0.4], [0.05, 0.05, 0.5, 0.4]])
"""The chance of each of four kinds of cases (columns) in each of three classes (rows)."""


def posterior(shares, world=WORLD):
    """Of each class (columns) for each kind of case (rows), by Bayes' theorem."""
    joint = np.asarray(shares)[:, np.newaxis] * world[: len(shares)]
    return (joint / joint.sum(axis=0)).T


@pytest.mark.parametrize(
    "old, new",
    [((0.5, 0.3, 0.2), (0.1, 0.2, 0.7)), ((0.9, 0.1), (0.4, 0.6)), ((0.2, 0.8), (1.0, 0.0))],
)
def test_bayes_theorem_with_the_new_shares(old, new):
    before, after = (posterior(shares, WORLD[:, :3]) for shares in (old, new))
    np.testing.assert_allclose(adjust_prevalence(before, old, new), after, atol=1e-14)
    if len(old) == 2:  # the same, told of the positive class
        found = adjust_prevalence(before[:, 1], old[1], new[1])
        np.testing.assert_allclose(found, after[:, 1], atol=1e-14)


def test_theorem_2_of_elkan():
    p, b, other = 0.3, 0.2, 0.45
    expected = other * (p - p * b) / (b - p * b + other * p - b * other)
    assert adjust_prevalence([p], b, other)[0] == pytest.approx(expected, rel=1e-14)
    assert adjust_prevalence([0.2], 0.25, 0.5)[0] == pytest.approx(3 / 7)  # odds 1/4 times 3


def test_decisions_are_those_of_the_old_probabilities_at_costs_times_the_ratio():
    random = np.random.default_rng(0)
    p = random.random(500)
    new = decide_positive(adjust_prevalence(p, 0.1, 0.3), 4.0, 1.0)
    np.testing.assert_array_equal(new, decide_positive(p, 4.0 * 0.3 / 0.1, 1.0 * 0.7 / 0.9))
    p, old, shares = random.dirichlet(np.ones(3), 500), np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.5, 0.4])
    costs = np.array([[0, 1, 2], [5, 0, 3], [9, 4, 0.0]])
    np.testing.assert_array_equal(
        least_cost_decision(adjust_prevalence(p, old, shares), costs),
        least_cost_decision(p, costs * (shares / old)[:, np.newaxis]),
    )


def naive_steps(p, old, steps):
    """Eq. (9) of Saerens, Latinne and Decaestecker (2002), case after case."""
    shares = list(old)
    for _ in range(steps):
        sums = [0.0] * len(shares)
        for row in p:
            each = [row[c] * shares[c] / old[c] for c in range(len(shares))]
            for c, value in enumerate(each):
                sums[c] += value / sum(each)
        shares = [value / len(p) for value in sums]
    return shares


def test_the_estimate_is_where_the_naive_steps_lead():
    random = np.random.default_rng(1)
    p = random.dirichlet([0.3, 0.4, 0.5], 60)
    old = [0.2, 0.3, 0.5]
    np.testing.assert_allclose(estimate_prevalence(p, old), naive_steps(p, old, 3000), atol=3e-5)


@pytest.mark.parametrize(
    "old, new",
    [
        ((0.5, 0.3, 0.2), (0.1, 0.2, 0.7)), ((0.9, 0.1), (0.4, 0.6)), ((0.3, 0.3, 0.4), (0.3, 0.3, 0.4)),
        ((0.9, 0.1), (0.98, 0.02)),
    ],
)  # fmt: skip
def test_a_sample_that_is_the_world_gives_its_shares(old, new):
    """Every kind of case as often as the new shares make it."""
    times = np.rint(1000 * np.asarray(new) @ WORLD[: len(new)]).astype(int)
    p = np.repeat(posterior(old), times, axis=0)
    np.testing.assert_allclose(estimate_prevalence(p, old), new, atol=3e-5)


def test_of_two_classes_it_is_the_root_of_the_derivative():
    random = np.random.default_rng(2)
    p, old = random.beta(1, 6, 400), 0.15

    def slope(share):
        dense, thin = p / old, (1 - p) / (1 - old)
        return np.mean((dense - thin) / (share * dense + (1 - share) * thin))

    assert estimate_prevalence(p, old) == pytest.approx(brentq(slope, 1e-6, 1 - 1e-6), abs=3e-5)


@pytest.mark.filterwarnings("ignore:y_prob tells little")
@pytest.mark.parametrize("cases", [100, pytest.param(100_000, marks=pytest.mark.deep)])
def test_the_likelihood_of_hostile_probabilities_is_the_largest_by_halves(cases):
    """Of few values, near zero and one, of rare classes: within 1e-10, or as far as the warning says."""
    rng = np.random.default_rng(5)
    p = rng.beta(*(10.0 ** rng.uniform(-2, 1, (2, cases, 1))), (cases, 20))
    p = np.where(rng.random((cases, 1)) < 0.3, np.round(p, 1), p)
    p = np.where(rng.random((cases, 1)) < 0.2, p * 10.0 ** rng.uniform(-320, 0, (cases, 1)), p)
    old = np.where(
        rng.random(cases) < 0.3, 10.0 ** rng.uniform(-100, 0, cases), rng.uniform(0.01, 0.99, cases)
    )
    dense, thin = p / old[:, np.newaxis], (1 - p) / (1 - old[:, np.newaxis])

    def likelihood(share):
        share = share[:, np.newaxis]
        with np.errstate(divide="ignore"):
            return np.log(share * dense + (1 - share) * thin).mean(axis=1)

    def falls(share):
        share = share[:, np.newaxis]
        with np.errstate(invalid="ignore", divide="ignore"):
            return ((dense - thin) / (share * dense + (1 - share) * thin)).sum(axis=1) < 0

    # by halves of the exponent, from both ends: shares may be tiny
    low = 2.0 ** halve(lambda e: falls(2.0**e), np.full(cases, -1074.0), np.full(cases, -1.0), 70)
    high = 1 - 2.0 ** halve(lambda e: ~falls(1 - 2.0**e), np.full(cases, -54.0), np.full(cases, -1.0), 70)
    largest = np.max([likelihood(share) for share in (low, high, np.zeros(cases), np.ones(cases))], axis=0)
    told = np.array([estimate_prevalence(*each) for each in zip(p, old, strict=True)])
    short = largest - likelihood(told)
    assert np.mean(short > 1e-9) < 0.1 and np.all(short < 1e-3)


@pytest.mark.parametrize("p, share", [([0.01, 0.02, 0.03], 0.0), ([0.5, 0.6, 0.7], 1.0), ([0.2, 0.2], 0.2)])
def test_the_estimate_at_an_end_and_where_nothing_is_told(p, share):
    assert estimate_prevalence(p, 0.2) == pytest.approx(share, abs=1e-7)


@pytest.mark.filterwarnings("ignore:y_prob tells little")  # of a sample whose best share is just zero
def test_labels_drawn_by_the_new_share_are_found():
    """Averages over samples, of two sizes and three shares."""
    random = np.random.default_rng(3)
    for share in (0.02, 0.2, 0.6):
        found = []
        for _ in range(200):
            y = random.random(400) < share
            x = random.normal(2.0 * y)  # the log odds at equal shares are 2x - 2
            found.append(estimate_prevalence(1 / (1 + np.exp(2 - 2 * x) * 9), 0.1))
        assert np.mean(found) == pytest.approx(share, abs=0.01)


def test_it_warns_where_probabilities_tell_next_to_nothing():
    p = 0.3 + np.array([1e-4, -0.9999e-4] * 20)
    with pytest.warns(ConvergenceWarning, match="y_prob tells little of the classes: after 10,000 steps"):
        assert 0 < estimate_prevalence(p, 0.3) < 1


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"prevalence": 0.0}, "prevalence=0.0: allowed is a number in"),
        ({"prevalence": [0.5, 0.4]}, r"prevalence=\[0.5, 0.4\]: allowed are shares of all classes"),
        ({"prevalence": [0.5, 0.5]}, r"y_prob has shape \(2,\): allowed is \(n, 2\)"),
        ({"y_prob": [[0.5, 0.5]]}, "prevalence=0.3: allowed is a share for each of the 2 columns"),
        ({"new_prevalence": [0.5, 0.5]}, "new_prevalence=.*allowed is a number in"),
        ({"new_prevalence": 1.5}, "new_prevalence=1.5: allowed is a number in"),
        ({"y_prob": [0.5, 1.5]}, "y_prob holds 1.5: allowed are numbers in"),
        ({"y_prob": [0.5, 1.0], "new_prevalence": 0}, "new_prevalence=0: allowed is .* row 1 has none"),
        (
            {"y_prob": [[0.5, 0.4]], "prevalence": [0.5, 0.5], "new_prevalence": [0.5, 0.5]},
            "y_prob: each row must be a distribution",
        ),
    ],
)
def test_bad_shares_are_named(arguments, said):
    with pytest.raises(ValueError, match=said):
        adjust_prevalence(**{"y_prob": [0.2, 0.7], "prevalence": 0.3, "new_prevalence": 0.4} | arguments)


@pytest.mark.parametrize("share", [0.05, 0.4, 0.8])
def test_ways_back_to_the_posterior_where_the_share_has_changed(share):
    """Calibrated again, or with the share that is estimated without labels; as it was, it is far off."""
    random = np.random.default_rng(8)

    def draw(share, n):
        y = (random.random(n) < share).astype(int)
        return random.normal(2.0 * y, size=n)[:, np.newaxis], y

    def distance(p, x):
        true = share / (share + (1 - share) * np.exp(2 - 2 * x[:, 0]))
        return np.abs(p - true).mean()

    learner = LogisticRegression(C=1e6).fit(*draw(0.2, 4000))
    labelled, (x, _) = draw(share, 4000), draw(share, 4000)
    decision = CostDecision(learner, random_state=0).fit(*draw(0.2, 4000))
    apart = {}
    for name, frozen, way in (
        ("learner", learner, "sigmoid"),
        ("decision", decision, "sigmoid"),
        ("steps", decision, "isotonic"),
    ):
        again = CostDecision(FrozenEstimator(frozen), calibration=way, random_state=0).fit(*labelled)
        apart[name] = distance(again.predict_proba(x)[:, 1], x)
    said = decision.predict_proba(x)[:, 1]
    estimate = estimate_prevalence(said, 0.2)
    apart["share"] = distance(adjust_prevalence(said, 0.2, estimate), x)
    assert estimate == pytest.approx(share, abs=0.03)
    right = [apart[name] for name in ("learner", "steps", "share")]
    assert max(right) < 0.025 < distance(said, x)
    assert apart["decision"] > 1.5 * apart["learner"]


MONTHS = np.array(["2026-03", "2026-01", "2026-02"])


def months_of(kind):
    """Thirty cases a month, in no order, told in several ways."""
    of = np.random.default_rng(4).permutation(np.repeat(np.arange(3), 30))
    return of, {
        "numbers": of * 10 - 5,
        "words": np.sort(MONTHS)[of],
        "objects": np.sort(MONTHS).astype(object)[of],
        "dates": np.sort(MONTHS).astype("M8[M]")[of],
        "series": pd.Series(np.sort(MONTHS)[of], index=np.arange(90) + 7),
    }[kind]


@pytest.mark.parametrize("kind", ["numbers", "words", "objects", "dates", "series"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_each_period_as_a_naive_loop_has_it(kind, weighted, clustered):
    random = np.random.default_rng(5)
    of, period = months_of(kind)
    saved = random.exponential(size=90) - 1.1 * (of == 1)
    weight = random.integers(0, 3, 90) if weighted else np.ones(90)
    customers = random.permutation(np.arange(90) // 2)
    options = {"sample_weight": weight} if weighted else {}
    options |= {"clusters": customers} if clustered else {}
    found = worth_by_period(saved, period, least=0.2, n_periods=4, level=0.9, **options)
    assert found.index.is_monotonic_increasing and list(found["fell"].map(type).unique()) == [bool]
    for k, (_, row) in enumerate(found.iterrows()):
        at = np.flatnonzero((of == k) & (weight > 0))
        own = customers[at] if clustered else None
        mean, low, high = case_interval(saved[at], sample_weight=weight[at], clusters=own, level=0.975)
        assert row["cases"] == len(at) and row["fell"] == (high < 0.2)
        np.testing.assert_allclose(row[["saves", "low", "high"]].astype(float), [mean, low, high])


def test_without_drift_it_seldom_says_fell_and_after_one_it_does():
    """Twelve months of savings without long tails, a thousand times: at most a fortieth, and it is found."""
    random, months = np.random.default_rng(6), np.repeat(np.arange(12), 100)
    alarms, found = 0, 0
    for _ in range(400):
        saved = random.normal(1.0, 2.0, 1200)
        alarms += worth_by_period(saved, months, least=1.0)["fell"].any()
        found += worth_by_period(saved[:100] - 1.0, months[:100], least=1.0)["fell"].item()
    assert 2 <= alarms <= 20  # ten are expected, with a standard deviation of three
    assert found > 350


@pytest.mark.parametrize(
    "arguments, said",
    [
        ({"period": [1, 1, 2]}, "period=2: clusters: there is 1; an interval needs at least two"),
        ({"period": [1, 1]}, "period has 2 labels: allowed are 3"),
        ({"clusters": [1, 1, 1]}, "period=1: clusters: there is 1"),
        ({"least": np.nan}, "least=nan: allowed is a"),
        ({"n_periods": 0}, "n_periods=0: allowed is an integer from 1 to 1000"),
        ({"level": 1.0}, "level=1.0: allowed is a number in"),
        ({"sample_weight": [0, 0, 0]}, "sample_weight is at most 0"),
    ],
)
def test_bad_periods_are_named(arguments, said):
    with pytest.raises(ValueError, match=said):
        worth_by_period(**{"saved": [1.0, 2.0, 0.5], "period": [1, 1, 1]} | arguments)


def test_case_costs_add_up_to_what_a_loop_pays():
    random = np.random.default_rng(7)
    y, called = random.choice(["ill", "well"], (2, 50))
    fn_cost, tp_cost = random.random(50), random.random(50)
    costs = {"fn_cost": fn_cost, "fp_cost": 2.0, "tp_cost": tp_cost, "tn_cost": -1.0}
    paid = [
        {("ill", "well"): fn_cost[i], ("ill", "ill"): tp_cost[i], ("well", "ill"): 2.0}.get((a, b), -1.0)
        for i, (a, b) in enumerate(zip(y, called, strict=True))
    ]
    found = case_costs(y, called, **costs, pos_label="ill")
    np.testing.assert_array_equal(found, paid)
    assert expected_cost(y, called, **costs, pos_label="ill") == pytest.approx(np.mean(paid))
